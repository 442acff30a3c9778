//! The language Star: variables, operations, statements, and who can carry them out.

pub(crate) mod check;
mod machine;
mod op;
mod operand;
mod operations;
mod star;
mod store;
mod variables;

pub use machine::Machine;
pub use op::{Condition, Index, Logic, Op, Relation};
pub(crate) use op::{integer, sum};
pub(crate) use operand::{Operand, Role, Visit, instructions};
pub use operations::Operations;
pub use star::Star;
pub(crate) use store::Store;
pub(crate) use variables::Name;
pub use variables::{FieldVar, IntVar, SliceVar, TableVar, Vector, WordVar};
