//! Recorded programs on a GPU: one launch a run.
//!
//! The program, all its vectors, tables and integers lie in the GPU's memory, and one kernel goes
//! through the program from its first step to its last without a word from the host
//! (`kernels/star/interpreter.cu`). The length of the vectors decides which threads run it. One
//! warp needs no barriers. One block has barriers of its own. As many blocks as there are words for
//! have barriers of the grid, of one or two microseconds each. Warp and block have all vectors in
//! shared memory.
//!
//! What differs from the paper: there a host gives each operation as a launch of its own.
//!
//! Reference: snytnikova-nepomniaschaya-2016

use bytemuck::{Pod, Zeroable};
use gpu_runtime::{Arg, Buffer, Gpu, GpuError, Kernel, LaunchConfig, Ptx};

use super::team::{self, Team};
use crate::language::sizes::assigned;
use crate::language::{IntVar, Op, TableVar, Vector};
use crate::program::{Addresses, Code, Instruction, Program, Variable, WORD_BITS};
use crate::{Slice, StarError, Table};

/// What vectors start at multiples of, in words: a line of the cache.
const LINE: u32 = 16;
/// Words of the kernel in one of the host.
const HALVES: u32 = u64::BITS / WORD_BITS;
static MODULE: Ptx = Ptx::new(kernels::star::INTERPRETER.name, kernels::star::INTERPRETER.ptx);

/// `Control` of the kernel.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
struct Control {
    arrived: u32,
    step: u32,
    failure: u32,
    of_field: u32,
    position: i32,
    count: u32,
    cells: [u64; 3],
}

/// `Failure` of the kernel: why a run ended early.
const NO_POSITION: u32 = 1;
const OUT_OF_RANGE: u32 = 2;
const ENDLESS: u32 = 3;

/// `Run` of the kernel.
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
struct Run {
    steps: u64,
    vectors: u64,
    ints: u64,
    control: u64,
    most_turns: u64,
    n_words: u32,
    n_ints: u32,
}

/// A program on a GPU, with its variables, which stay there from run to run.
///
/// Values are set and read by the program's own variables, those that the
/// [`Recorder`](crate::Recorder) gave for its parameters. All start with zeros, integers with
/// none.
#[derive(Debug)]
pub struct GpuProgram {
    program: Program,
    gpu: Gpu,
    team: Team,
    kernel: Kernel,
    shape: LaunchConfig,
    /// The word that each vector starts at.
    starts: Vec<u32>,
    code: Buffer<Code>,
    vectors: Twin<u64>,
    ints: Twin<i32>,
    tables: Vec<Buffer<u64>>,
    control: Buffer<Control>,
    launches: u64,
}

/// An array of the GPU, and a copy in the host's memory.
#[derive(Debug)]
struct Twin<T> {
    host: Vec<T>,
    device: Buffer<T>,
    newer: Newer,
}

/// Which of two arrays is newer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Newer {
    Neither,
    Host,
    Device,
}

impl<T: Pod> Twin<T> {
    fn new(gpu: &Gpu, host: Vec<T>) -> Result<Self, GpuError> {
        let device = gpu.upload(&host)?;
        Ok(Self { host, device, newer: Newer::Neither })
    }

    /// The values, as they are now.
    fn values(&mut self) -> Result<&mut [T], GpuError> {
        if self.newer == Newer::Device {
            self.device.download_into(&mut self.host)?;
            self.newer = Newer::Neither;
        }
        Ok(&mut self.host)
    }

    /// Copies to the GPU what the host has set, and marks the GPU's array as the newer one.
    fn hand_over(&mut self) -> Result<(), GpuError> {
        if self.newer == Newer::Host {
            self.device.upload(&self.host)?;
        }
        self.newer = Newer::Device;
        Ok(())
    }
}

impl Program {
    /// Puts the program on a GPU, with a team that suits the lengths of its vectors.
    ///
    /// # Errors
    /// [`StarError::Gpu`] where it does not fit: it takes [`device_bytes`](Self::device_bytes);
    /// and where the GPU fails.
    pub fn load(&self, gpu: &Gpu) -> Result<GpuProgram, StarError> {
        self.load_for(gpu, self.team(gpu.properties()))
    }

    /// Puts the program on a GPU for this team. Results are the same with every team; times
    /// are not.
    ///
    /// # Errors
    /// As [`load`](Self::load), also where the vectors do not fit into the shared memory that a
    /// warp or a block has.
    pub fn load_for(&self, gpu: &Gpu, team: Team) -> Result<GpuProgram, StarError> {
        gpu.check_fits("a program and its variables", self.device_bytes())?;
        let required = self.shared_bytes(team);
        let available = team::shared_memory(gpu.properties());
        if required > available {
            let what = "the team of a program, in shared memory,";
            return Err(GpuError::OutOfMemory { what, required, available }.into());
        }
        let kernel = gpu.kernel(&MODULE, team.kernel())?;
        // the limit is the whole process's, which may load other programs meanwhile
        kernel.allow_shared(available as u32)?;
        let shape = team.shape(gpu, &kernel, required as u32)?;
        let (starts, n_words) = self.starts();
        let Some(n_words) = u32::try_from(n_words).ok().filter(|n| *n <= u32::MAX / HALVES) else {
            let (what, rows) = ("all slices and words of a program,", n_words as usize);
            return Err(StarError::TooLarge { what, rows, columns: 64 });
        };
        let table = |&(rows, columns): &(u32, u32)| {
            gpu.buffer::<u64>(rows.div_ceil(64) as usize * columns as usize)
        };
        let tables = self.tables().iter().map(table).collect::<Result<Vec<_>, _>>()?;
        let addresses = Addresses {
            vectors: starts.iter().map(|start| start * HALVES).collect(),
            tables: tables.iter().map(Buffer::address).collect(),
        };
        let code = self.encode(&addresses);
        Ok(GpuProgram {
            program: self.clone(),
            gpu: gpu.clone(),
            team,
            kernel,
            shape,
            starts,
            code: gpu.upload(&code)?,
            vectors: Twin::new(gpu, vec![0; n_words as usize])?,
            ints: Twin::new(gpu, vec![-1; self.n_ints() as usize])?,
            tables,
            control: gpu.buffer(1)?,
            launches: 0,
        })
    }

    /// Bytes of GPU memory that it takes with all its variables.
    pub fn device_bytes(&self) -> u64 {
        let tables: u64 = self
            .tables()
            .iter()
            .map(|&(rows, columns)| u64::from(rows.div_ceil(64)) * u64::from(columns) * 8)
            .sum();
        let code = (self.instructions().len() + 1) * size_of::<Code>() + size_of::<Control>();
        tables + self.starts().1 * 8 + u64::from(self.n_ints()) * 4 + code as u64
    }

    /// Where vectors start, and how many words they take.
    pub(super) fn starts(&self) -> (Vec<u32>, u64) {
        let mut n_words = 0;
        let place = |&len: &u32| {
            let start = n_words;
            n_words += u64::from(len.div_ceil(64).next_multiple_of(LINE));
            // a program with more is refused
            start as u32
        };
        let starts = self.vectors().iter().map(place).collect();
        (starts, n_words)
    }
}

impl GpuProgram {
    /// Runs the program, in one launch.
    ///
    /// # Errors
    /// As [`Program::run`], with the same values in all variables after an error of the
    /// program; [`StarError::Gpu`] where the GPU fails.
    pub fn run(&mut self) -> Result<(), StarError> {
        self.vectors.hand_over()?;
        self.ints.hand_over()?;
        self.control.fill_bytes(0)?;
        let run = Run {
            steps: self.code.address(),
            vectors: self.vectors.device.address(),
            ints: self.ints.device.address(),
            control: self.control.address(),
            most_turns: self.program.most_turns(),
            n_words: self.vectors.device.len() as u32 * HALVES,
            n_ints: self.ints.device.len() as u32,
        };
        // SAFETY: the code was made for this program's buffers, all of which `self` owns, and its
        // positions are inside or checked by the kernel. The shape has the shared memory for the
        // vectors and integers, and a grid is resident as a whole.
        unsafe { self.gpu.launch(&self.kernel, self.shape, &[Arg::structure(&run)])? };
        self.launches += 1;
        let control = self.control.download()?[0];
        match control.failure {
            0 => Ok(()),
            NO_POSITION | OUT_OF_RANGE => {
                let error = self.failed_position(control);
                Err(self.program.failed(control.step as usize, error))
            }
            ENDLESS.. => Err(StarError::Endless { turns: self.program.most_turns() }),
        }
    }

    /// The error of a step whose position is none or out of range.
    fn failed_position(&self, control: Control) -> StarError {
        let what = match self.program.instructions()[control.step as usize] {
            _ if control.of_field != 0 => "field",
            Instruction::Do(Op::ReadColumn { .. } | Op::WriteColumn { .. }) => "column",
            Instruction::Do(Op::ReadRow { .. } | Op::WriteRow { .. }) => "row",
            Instruction::Do(Op::ToWord { .. }) => "number",
            // all others take positions of vectors
            _ => "bit",
        };
        let len = control.count as usize;
        match usize::try_from(control.position) {
            Ok(index) => StarError::OutOfRange { what, index, len },
            Err(_) => StarError::NoPosition { what },
        }
    }

    /// The threads that run it.
    pub fn team(&self) -> Team {
        self.team
    }

    /// How many launches there have been: one for each run.
    pub fn launches(&self) -> u64 {
        self.launches
    }

    /// Puts bits into a slice or word of the program.
    ///
    /// # Errors
    /// [`StarError::LengthMismatch`] where the lengths differ, [`StarError::Unknown`] where it
    /// is no parameter, and what the GPU says.
    pub fn set_vector(&mut self, z: impl Into<Vector>, value: &Slice) -> Result<(), StarError> {
        let z = z.into();
        let start = self.start(z)?;
        assigned([(z.len, value.len())])?;
        let words = value.as_words();
        self.vectors.values()?[start..start + words.len()].copy_from_slice(words);
        self.vectors.newer = Newer::Host;
        Ok(())
    }

    /// Puts bits into a table of the program.
    ///
    /// # Errors
    /// As [`set_vector`](Self::set_vector).
    pub fn set_table(&mut self, table: TableVar, value: &Table) -> Result<(), StarError> {
        self.expect(table.into(), "table")?;
        assigned([(table.rows, value.rows()), (table.columns, value.columns())])?;
        Ok(self.tables[table.place() as usize].upload(value.as_words())?)
    }

    /// Puts a number into an integer of the program, or none.
    ///
    /// # Errors
    /// [`StarError::TooWide`] from 2³¹ on, and as [`set_vector`](Self::set_vector).
    pub fn set_int(&mut self, i: IntVar, value: Option<u32>) -> Result<(), StarError> {
        Op::SetInt { i, value }.check()?;
        self.expect(i.into(), "integer")?;
        self.ints.values()?[i.place() as usize] = value.map_or(-1, |value| value as i32);
        self.ints.newer = Newer::Host;
        Ok(())
    }

    /// A copy of a slice or word of the program.
    ///
    /// # Errors
    /// As [`set_vector`](Self::set_vector).
    pub fn vector_value(&mut self, x: impl Into<Vector>) -> Result<Slice, StarError> {
        let x = x.into();
        let start = self.start(x)?;
        let n_words = x.len.div_ceil(64) as usize;
        let words = self.vectors.values()?[start..start + n_words].to_vec();
        Slice::from_words(x.len as usize, words).ok_or(StarError::Unknown { what: "slice" })
    }

    /// A copy of a table of the program.
    ///
    /// # Errors
    /// As [`set_vector`](Self::set_vector).
    pub fn table_value(&self, table: TableVar) -> Result<Table, StarError> {
        self.expect(table.into(), "table")?;
        let words = self.tables[table.place() as usize].download()?;
        let value = Table::from_words(table.rows as usize, table.columns as usize, words);
        value.ok_or(StarError::Unknown { what: "table" })
    }

    /// The value of an integer of the program.
    ///
    /// # Errors
    /// As [`set_vector`](Self::set_vector).
    pub fn int_value(&mut self, i: IntVar) -> Result<Option<u32>, StarError> {
        self.expect(i.into(), "integer")?;
        Ok(u32::try_from(self.ints.values()?[i.place() as usize]).ok())
    }

    fn expect(&self, variable: Variable, what: &'static str) -> Result<(), StarError> {
        let is_one = self.program.parameters().contains(&variable);
        if is_one { Ok(()) } else { Err(StarError::Unknown { what }) }
    }

    /// The word that a parameter starts at.
    fn start(&self, x: Vector) -> Result<usize, StarError> {
        self.expect(x.into(), "slice or word")?;
        Ok(self.starts[x.place() as usize] as usize)
    }
}

#[cfg(test)]
mod tests {
    use test_support::layout::{block, number};
    use test_support::{assert_same_layout, kernel_source};

    use super::*;

    #[test]
    fn the_kernel_is_told_what_it_reads() {
        assert_same_layout! { Run as "Run" of ["star/interpreter/code.cuh"]:
            steps, vectors, ints, control, most_turns, n_words, n_ints
        }
        assert_same_layout! { Control as "Control" of ["star/interpreter/code.cuh"]:
            arrived, step, failure, of_field, position, count, cells
        }
        let source = kernel_source!("star/interpreter/code.cuh");
        let failures = block(source, "enum Failure : u32 {");
        let ours =
            [("no_position", NO_POSITION), ("out_of_range", OUT_OF_RANGE), ("endless", ENDLESS)];
        for (name, code) in ours {
            assert_eq!(number(&failures, name), code, "{name}");
        }
        assert_eq!(failures.matches('=').count(), ours.len());
        // vectors of different lines have different bits in the account of barriers
        assert!(source.contains("at >> 5 & 31") && LINE * HALVES == 1 << 5);
    }
}
