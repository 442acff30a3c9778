//! Basic procedures, a launch each.
//!
//! The operands of a procedure become one structure, whichever the procedure; how its columns
//! are gone through stands in `kernels/star/fused.cu`. The time is that of a launch, then that
//! of reading and writing the columns once. MIN and MAX put together what threads have found
//! at a barrier of the whole grid, once for each 64 columns.

use bytemuck::{Pod, Zeroable};
use gpu_runtime::{Arg, LaunchConfig};

use super::kernels::Choice;
use super::machine::{BLOCK, Cuda};
use crate::language::table::procedures;
use crate::language::{FieldVar, Operations, SliceVar, Star};
use crate::procedures::{Pass, Second, Step};
use crate::{Procedure, StarError};

/// Columns that blocks compare numbers of at a time.
const PIECE: u32 = 64;

/// `Call` of the kernels.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
struct Launched {
    table: u64,
    other: u64,
    to: u64,
    rows: u64,
    word: u64,
    z: u64,
    equal: u64,
    greater: u64,
    stride: u64,
    n: u32,
    columns: u32,
    is_shifted: u32,
    variant: u32,
}

impl Cuda {
    pub(super) fn one_pass(&mut self, procedure: &Procedure) -> Result<(), StarError> {
        procedure.check()?;
        let procedure = &procedure.located(|field| self.memory.located(field))?;
        let pass = Pass::of(procedure);
        if pass.step == Step::Extreme {
            return self.least(procedure, &pass);
        }
        let Some(word) = pass.word_in_results() else {
            return self.carry_out(procedure, &pass);
        };
        // some threads would read it when others have written to it
        self.scope(|m| {
            let copy = m.word(word.0.len as usize)?;
            m.copy(copy, word)?;
            m.carry_out(procedure, &Pass { b: Second::Word(copy), ..pass })
        })
    }

    fn carry_out(&mut self, procedure: &Procedure, pass: &Pass) -> Result<(), StarError> {
        let call = self.placed(pass)?;
        if call.n == 0 {
            return Ok(());
        }
        let (kernel, shape) = (kernel_of(procedure), LaunchConfig::covering(call.n.into(), BLOCK));
        // SAFETY: `call` takes addresses from variables that are there, and `check` has
        // compared their sizes; results are not the word.
        unsafe { self.launch(kernel, shape, &[Arg::structure(&call)]) }
    }

    /// MIN and MAX.
    fn least(&mut self, procedure: &Procedure, pass: &Pass) -> Result<(), StarError> {
        let call = self.placed(pass)?;
        if call.n == 0 {
            return Ok(());
        }
        let blocks = call.n.div_ceil(BLOCK).min(self.most_blocks);
        let meeting = self.answers.meeting();
        let shape = LaunchConfig { cooperative: blocks > 1, ..LaunchConfig::new(blocks, BLOCK) };
        let args = [Arg::structure(&call), Arg::structure(&meeting)];
        // SAFETY: as in `carry_out`; no more blocks than can wait for one another.
        unsafe { self.launch(kernel_of(procedure), shape, &args) }?;
        self.answers.met(blocks, call.columns.div_ceil(PIECE));
        Ok(())
    }

    /// Addresses and sizes of the operands.
    fn placed(&self, pass: &Pass) -> Result<Launched, StarError> {
        let column = |field: Option<FieldVar>| {
            field.map_or(Ok(0), |field| {
                self.column(field.table, field.first).map(|column| column.at)
            })
        };
        let slice = |x: Option<SliceVar>| x.map_or(Ok(0), |x| self.bits(x.0).map(|x| x.at));
        let [a, b, to] = pass.fields();
        let [equal, less, greater] = pass.results;
        let (table, other) = if pass.step == Step::Merge { (b, None) } else { (a, b) };
        let z = if let Step::Less { .. } = pass.step { less } else { equal };
        let (rows, columns) = pass.size();
        // words of 32 rows
        let n = 2 * rows.div_ceil(64);
        Ok(Launched {
            table: column(table)?,
            other: column(other)?,
            to: column(to)?,
            rows: slice(pass.rows)?,
            word: slice(pass.word().map(|word| SliceVar(word.0)))?,
            z: slice(z)?,
            equal: slice(equal)?,
            greater: slice(greater)?,
            stride: n.into(),
            n,
            columns,
            is_shifted: pass.is_shifted().into(),
            variant: variant(pass),
        })
    }
}

/// What else a kernel has to know.
fn variant(pass: &Pass) -> u32 {
    match (pass.step, pass.b) {
        (Step::Extreme, Second::Known(true)) => u32::MAX,
        (Step::Less { signed }, _) => signed.into(),
        _ => 0,
    }
}

/// Reads the kernel of each procedure.
macro_rules! kernels_of {
    ($(
        $(#[$doc:meta])* $name:ident $called:literal $reads:tt -> $writes:tt $others:tt {
            listing: $listing:expr, method: $method:tt, $(texts: $texts:tt,)? pass: $pass:expr,
            kernel: $kernel:ident,
        }
    )*) => {
        fn kernel_of(procedure: &Procedure) -> Choice {
            match procedure {
                $(Procedure::$name { .. } => |k| &k.$kernel,)*
            }
        }
    };
}

procedures! { kernels_of }

#[cfg(test)]
mod tests {
    use test_support::assert_same_layout;

    use super::*;

    #[test]
    fn calls_are_laid_out_as_kernels_read_them() {
        assert_same_layout! { Launched as "Call" of ["star/fused.cu"]:
            table, other, to, rows, word, z, equal, greater, stride, n, columns, is_shifted, variant
        }
    }
}
