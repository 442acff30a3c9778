//! The basic procedures: searches, comparisons, copies and arithmetic over all rows of a table
//! at once, in time that grows with its columns.

mod calls;
mod circuit;
mod cuda_text;
mod pass;
pub(crate) mod steps;
mod written;

pub use crate::warshall::{warshall, warshall_columns};
pub use calls::Procedures;
pub use cuda_text::steps_in_cuda;
pub(crate) use pass::{Pass, Second, Step};

use crate::StarError;
use crate::language::{Procedure, Star};

impl Procedure {
    /// Gives the operations of this procedure, one column after the other.
    ///
    /// # Errors
    /// Those of [`check`](Self::check), before anything is done; and what the machine cannot
    /// do.
    pub fn run(&self, m: &mut impl Star) -> Result<(), StarError> {
        self.check()?;
        m.scope(|m| written::run(m, &Pass::of(self)))
    }
}
