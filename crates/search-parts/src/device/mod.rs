//! Graphs on a device, and the common parts of searches there.

mod edge_predecessors;
mod graph;
mod key_search;
mod keys;
mod negative_cycle;
mod predecessors;
mod ranked;
mod search;
mod sums;

pub use self::edge_predecessors::{EdgeTree, Edges, expand_rows, expanded};
pub use self::graph::{DeviceArcs, DeviceRows, KeyGraph, RowsAt, max_pieces};
pub use self::key_search::{OneLaunchSearch, Parameters};
pub use self::keys::{KeyKind, full_key, limit_key};
pub use self::predecessors::TreeKernel;
pub use self::ranked::{PlainArcs, RankedArcs, Ranks, offsets_of};
pub use self::search::{Answer, BoxedSearch, DeviceSearch, no_answer};
pub use self::sums::{BellmanFordForm, BellmanFordSearch, Sums};
