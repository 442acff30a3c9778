//! Graphs on a device, and the common parts of searches there.

mod edge_predecessors;
mod graph;
mod key_search;
mod keys;
mod negative_cycle;
mod predecessors;
mod search;

pub use self::edge_predecessors::{EdgeTree, RowTree, Searched, expand_rows};
pub use self::graph::{DeviceArcs, DeviceRows, KeyGraph, RowsAt, max_pieces};
pub use self::key_search::{KeySearch, Parameters};
pub use self::keys::{KeyKind, download, full_key, limit_key};
pub use self::negative_cycle::lowers_itself;
pub use self::predecessors::TreeKernel;
pub use self::search::{Answer, BoxedSearch, DeviceSearch, no_answer};
