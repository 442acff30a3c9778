//! Certificates: whether an answer is right, from the graph and the answer alone.
//!
//! Nothing is assumed of the solver, and no distance is computed again. Each check is one parallel
//! pass over the arcs and a few over the vertices: O(n + m); for all pairs, that for every
//! destination.
//!
//! # Why it is a proof
//!
//! Let d be the claimed distances. Two conditions are checked.
//!
//! * *No arc improves.* For every arc (u, v, w) with u reached, v is reached and
//!   d(v) ≤ d(u) + w. Follow any path from the source, whose distance is zero: by
//!   induction each vertex is no farther than the sum so far. So no path is shorter
//!   than d says, and no vertex with a path is missing.
//! * *Every distance is realised.* From the source, arcs with d(u) + w = d(v), called
//!   tight, lead to every reached vertex. The sum along them is d. So some path is as
//!   short as d says, and no vertex without a path is reached.
//!
//! Together: d(v) is the least sum over all paths, and v is reached exactly when there
//! is one. The first induction only needs that addition is monotone, and rounded
//! addition is: a ≤ b gives fl(a + w) ≤ fl(b + w). So equality is exact for floats too:
//! the distance is the least sum, where every sum is rounded from the source onwards,
//! as every solver adds.
//!
//! Tight arcs alone prove nothing: a cycle of tight arcs of weight zero supports
//! itself. But if every reached vertex has a tight arc from a strictly nearer one, then
//! going back distances fall, and n vertices cannot fall for ever: they end at the
//! source. Most graphs pass that way, in the same pass as the first condition; the
//! others are searched from the source along tight arcs.
//!
//! An arc whose sum is too large for the distance type is no constraint. No answer satisfies an arc
//! whose sum is too small (below the least `i64`, say). With a limit L, only sums up to L are
//! constraints, and no reported distance exceeds L; under negative weights, paths count only while
//! no vertex on them is beyond L.

mod all_pairs;
mod arcs;
mod cycle;
mod distances;
mod edge_list;
mod nearest;
mod subgraph;
mod tree;
mod triangles;
mod violation;

pub use all_pairs::{check_all_pairs, check_next_hops};
pub use cycle::check_negative_cycle;
pub use distances::check_distances;
pub use edge_list::check_edge_list;
pub use nearest::check_nearest;
pub use subgraph::check_shortest_path_subgraph;
pub use tree::check_tree;
pub use triangles::check_triangles;
pub use violation::Violation;
