//! The machine in the memory of a GPU.
//!
//! Every operation on vectors and tables is a launch of a kernel; integers are the control
//! unit's, which is the host. What integers and questions depend on, a kernel writes into the
//! host's memory. Vectors and tables stay on the GPU.
//!
//! As in the paper, an operation is a launch; `as_printed.rs` has the paper's own. There a column
//! is no copy.
//!
//! Reference: snytnikova-nepomniaschaya-2016

use gpu_runtime::{Buffer, Gpu};

use super::answers::Answers;
use super::kernels::Kernels;
use super::pool::Pool;
use crate::language::sizes::assigned;
use crate::language::{Condition, IntVar, Machine, Mark, Memory, Op, TableVar, Vector};
use crate::values::tail;
use crate::{Procedure, Slice, StarError, Table};

/// Threads of a block.
pub(crate) const BLOCK: u32 = 256;

/// A machine on a GPU: every operation is a launch, and so is a fused procedure.
///
/// An operation on vectors takes the time of a launch up to some 10⁶ bits, then time in their
/// length; one with an answer, a few microseconds more. Up to 64 MiB of ended scopes are kept
/// for later variables of the same sizes.
///
/// ```
/// use star_machine::{Cuda, Machine, Operations, Slice, Star};
///
/// let Ok(gpu) = gpu_runtime::Gpu::open() else { return Ok(()) };
/// let mut m = Cuda::new(&gpu)?;
/// let (x, y) = (m.slice(100)?, m.slice(100)?);
/// let i = m.int()?;
/// m.set_vector(x.0, &Slice::from_positions(100, [7, 70])?)?;
/// m.not(y, x)?;
/// m.numb(i, y)?;
/// assert_eq!(m.int_value(i)?, Some(98));
/// assert_eq!(m.launches(), 2);
/// # Ok::<(), star_machine::StarError>(())
/// ```
#[derive(Debug)]
pub struct Cuda {
    pub(super) gpu: Gpu,
    pub(super) kernels: Kernels,
    pub(super) answers: Answers,
    pub(super) pool: Pool,
    pub(super) memory: Memory<Buffer<u64>, Buffer<u64>>,
    pub(super) launches: u64,
    /// How many blocks may look for a least number together.
    pub(super) most_blocks: u32,
    /// Memory for the folds of searches, where launches are the paper's.
    pub(super) folds: Option<Buffer<u64>>,
}

/// A vector, or a column, as kernels see it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bits {
    /// Where it is.
    pub(super) at: u64,
    /// How many words it has.
    pub(super) words: u64,
    /// The bits of the last word that it uses.
    pub(super) last: u64,
}

impl Cuda {
    /// A machine without variables.
    ///
    /// # Errors
    /// [`StarError::Gpu`] where the GPU refuses its kernels, or has no memory left.
    pub fn new(gpu: &Gpu) -> Result<Self, StarError> {
        let kernels = Kernels::load(gpu)?;
        let side_by_side = kernels.least.occupancy(BLOCK, 0)? * gpu.properties().multiprocessors;
        let can_wait = gpu.properties().cooperative_launch;
        Ok(Self {
            gpu: gpu.clone(),
            kernels,
            answers: Answers::new(gpu)?,
            pool: Pool::new(gpu),
            memory: Memory::new(),
            launches: 0,
            most_blocks: if can_wait { side_by_side.max(1) } else { 1 },
            folds: None,
        })
    }

    /// How many kernels it has launched.
    pub fn launches(&self) -> u64 {
        self.launches
    }

    /// The GPU that it is on.
    pub fn gpu(&self) -> &Gpu {
        &self.gpu
    }

    pub(super) fn bits(&self, x: impl Into<Vector>) -> Result<Bits, StarError> {
        let x = x.into();
        let words = self.memory.vectors.get(x.name)?;
        Ok(Bits { at: words.address(), words: words.len() as u64, last: tail(x.len as usize) })
    }

    /// All words of a table; its columns have `rows / 64` each, rounded up.
    pub(crate) fn table_words(&self, table: TableVar) -> Result<&Buffer<u64>, StarError> {
        self.memory.tables.get(table.name)
    }
}

impl Machine for Cuda {
    type Mark = Mark;

    fn new_vector(&mut self, len: usize) -> Result<Vector, StarError> {
        let [bits, _] = StarError::fits("a slice or word", len, 1)?;
        let words = self.pool.take("a slice or word", len.div_ceil(64))?;
        Ok(Vector { name: self.memory.vectors.declare(words), len: bits })
    }

    fn new_table(&mut self, rows: usize, columns: usize) -> Result<TableVar, StarError> {
        StarError::fits("a table", rows, columns)?;
        // below 2²⁵ times 2³¹
        let words = self.pool.take("a table", rows.div_ceil(64) * columns)?;
        let name = self.memory.tables.declare(words);
        Ok(TableVar { name, rows: rows as u32, columns: columns as u32 })
    }

    fn new_int(&mut self) -> Result<IntVar, StarError> {
        Ok(self.memory.declare_int())
    }

    fn mark(&self) -> Mark {
        self.memory.mark()
    }

    fn release(&mut self, mark: Mark) {
        let (vectors, tables) = self.memory.release(mark);
        vectors.chain(tables).for_each(|buffer| self.pool.keep(buffer));
    }

    fn execute(&mut self, op: &Op) -> Result<(), StarError> {
        if self.folds.is_some() { self.operate_as_printed(op) } else { self.operate(op) }
    }

    fn holds(&mut self, condition: &Condition) -> Result<bool, StarError> {
        match *condition {
            Condition::Some(x) if self.folds.is_some() => {
                condition.check()?;
                Ok(self.find_by_folds(x)?.is_some())
            }
            _ => self.answer(condition),
        }
    }

    fn fused(&mut self, procedure: &Procedure) -> Result<(), StarError> {
        if self.folds.is_some() { procedure.run(self) } else { self.one_pass(procedure) }
    }

    fn int_value(&mut self, i: IntVar) -> Result<Option<u32>, StarError> {
        self.memory.int(i)
    }

    fn vector_value(&mut self, x: Vector) -> Result<Slice, StarError> {
        let words = self.memory.vectors.get(x.name)?.download()?;
        Ok(Slice::from_words(x.len as usize, words).expect("kernels leave tails clean"))
    }

    fn table_value(&mut self, table: TableVar) -> Result<Table, StarError> {
        let (rows, columns) = (table.rows as usize, table.columns as usize);
        let words = self.table_words(table)?.download()?;
        Ok(Table::from_words(rows, columns, words).expect("kernels leave tails clean"))
    }

    fn set_vector(&mut self, z: Vector, value: &Slice) -> Result<(), StarError> {
        assigned([(z.len, value.len())])?;
        Ok(self.memory.vectors.get_mut(z.name)?.upload(value.as_words())?)
    }

    fn set_table(&mut self, table: TableVar, value: &Table) -> Result<(), StarError> {
        assigned([(table.rows, value.rows()), (table.columns, value.columns())])?;
        Ok(self.memory.tables.get_mut(table.name)?.upload(value.as_words())?)
    }
}
