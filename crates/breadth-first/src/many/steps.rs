//! A level, pushed along the arcs of the frontier or pulled along the arcs into vertices.

use graph_formats::VertexId;
use search_parts::prefetch;

use super::bits::{Bits, and, is_empty, or, without};
use super::processor::Loop;
use crate::arcs::Arcs;

/// Arcs ahead of the current one whose bits are prefetched.
const AHEAD: usize = 16;

/// Pushes the bits of each frontier vertex along its arcs, to heads that lack them. A head is
/// listed when it gets its first bit; a second pass adds the new bits to `seen`.
pub(super) struct Push<'a, const N: usize> {
    pub(super) out: Arcs<'a>,
    pub(super) vertices: &'a [VertexId],
    pub(super) frontier: &'a [Bits<N>],
    pub(super) seen: &'a mut [Bits<N>],
    pub(super) next: &'a mut [Bits<N>],
    /// At first the vertices with bits in `next`, of an earlier level; then those of this level.
    pub(super) found: &'a mut Vec<VertexId>,
}

impl<const N: usize> Loop for Push<'_, N> {
    type Result = ();

    #[inline(always)]
    fn run(self) {
        let Self { out, vertices, frontier, seen, next, found } = self;
        for &vertex in &*found {
            next[vertex as usize] = [0; N];
        }
        found.clear();
        for &vertex in vertices {
            let bits = frontier[vertex as usize];
            for &end in out.of(vertex as usize) {
                let new = without(&bits, &seen[end as usize]);
                if is_empty(&new) {
                    continue;
                }
                let before = &mut next[end as usize];
                if is_empty(before) {
                    found.push(end);
                }
                *before = or(before, &new);
            }
        }
        for &vertex in &*found {
            let bits = &mut seen[vertex as usize];
            *bits = or(bits, &next[vertex as usize]);
        }
    }
}

/// Pulls into the vertices from `first` on: ORs the bits of the tails of a vertex's arcs, until no
/// missing bit is left.
pub(super) struct Pull<'a, const N: usize> {
    pub(super) into: Arcs<'a>,
    /// Sources with a vertex in the frontier.
    pub(super) live: Bits<N>,
    /// The bits of each vertex, and of one more that is empty.
    pub(super) frontier: &'a [Bits<N>],
    /// If the frontier is small, a bit for each vertex: whether it is in it.
    pub(super) is_frontier: Option<&'a [u64]>,
    /// The vertex of the first element of `seen` and `next`.
    pub(super) first: usize,
    pub(super) seen: &'a mut [Bits<N>],
    pub(super) next: &'a mut [Bits<N>],
    /// The vertices that get bits.
    pub(super) found: &'a mut Vec<VertexId>,
}

impl<const N: usize> Loop for Pull<'_, N> {
    /// The number of arcs into vertices that may still get bits.
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
                        // no branch, since it could not be predicted
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
