//! The language Star: variables, operations, statements, and the machines that execute them.

mod condition;
mod machine;
mod memory;
mod op;
mod operand;
mod operations;
mod procedure;
pub(crate) mod sizes;
mod star;
mod store;
pub(crate) mod table;
mod variables;

pub use condition::{Condition, Relation};
pub use machine::Machine;
pub use memory::Mark;
pub(crate) use memory::{Memory, integer};
pub(crate) use op::Class;
pub use op::{Logic, Op};
pub(crate) use operand::{Operand, Role, Visit};
pub use operations::Operations;
pub(crate) use operations::methods;
pub use procedure::Procedure;
pub use star::Star;
pub(crate) use store::Store;
pub(crate) use variables::VariableId;
pub use variables::{FieldVar, Index, IntVar, SliceVar, TableVar, Vector, WordVar};
