//! The values of variables: slices, words and tables of bits in the host's memory.

mod field;
mod number;
mod slice;
mod table;
mod word;

pub use field::Field;
pub use slice::Slice;
pub(crate) use slice::tail;
pub use table::Table;
pub use word::Word;
