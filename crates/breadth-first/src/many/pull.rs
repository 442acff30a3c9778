//! A level towards the frontier.

use graph_formats::VertexId;
use search_parts::prefetch;

use super::bits::{Bits, and, is_empty, or, without};
use super::processor::Loop;
use crate::arcs::Arcs;

/// Arcs ahead of which bits are fetched.
const AHEAD: usize = 16;

/// Into each of some vertices, from the starts of its arcs, until all bits have come that may.
/// Where most starts have none, a smaller array says so.
pub(super) struct Pull<'a, const N: usize> {
    pub(super) into: Arcs<'a>,
    /// Sources that have found a vertex on the last level.
    pub(super) live: Bits<N>,
    /// With one more that is empty.
    pub(super) frontier: &'a [Bits<N>],
    /// Where few vertices are of the frontier, a bit for each.
    pub(super) is_frontier: Option<&'a [u64]>,
    /// The first vertex of these:
    pub(super) first: usize,
    pub(super) seen: &'a mut [Bits<N>],
    pub(super) next: &'a mut [Bits<N>],
    pub(super) found: &'a mut Vec<VertexId>,
}

impl<const N: usize> Loop for Pull<'_, N> {
    /// How many arcs lead into vertices that bits may have come to.
    type Result = u64;

    #[inline(always)]
    fn run(self) -> u64 {
        let Self { into, live, frontier, is_frontier, first, seen, next, found } = self;
        let nothing = frontier.len() - 1;
        let mut n_arcs = 0;
        for i in 0..next.len() {
            let missing = without(&live, &seen[i]);
            let mut new = [0; N];
            if !is_empty(&missing) {
                let arcs = into.range(first + i);
                n_arcs += arcs.len() as u64;
                for arc in arcs {
                    let mut start = into.ends[arc] as usize;
                    match is_frontier {
                        // no branch, for there is no telling which way it would go
                        Some(bits) if bits[start / 64] >> (start % 64) & 1 == 0 => start = nothing,
                        Some(_) => {}
                        None => {
                            if let Some(&later) = into.ends.get(arc + AHEAD) {
                                prefetch(frontier, later as usize);
                            }
                        }
                    }
                    new = or(&new, &frontier[start]);
                    if is_empty(&without(&missing, &new)) {
                        break;
                    }
                }
                new = and(&new, &missing);
            }
            next[i] = new;
            if !is_empty(&new) {
                seen[i] = or(&seen[i], &new);
                found.push((first + i) as VertexId);
            }
        }
        n_arcs
    }
}
