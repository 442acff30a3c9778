//! What variables hold: slices, words and tables of bits in the memory of the host.

mod slice;
mod table;
mod word;

pub use slice::Slice;
pub use table::{Field, Table};
pub use word::Word;
