//! A push: a level along the arcs of the frontier.

use graph_formats::VertexId;

use super::bits::{Bits, is_empty, or, without};
use super::processor::Loop;
use crate::arcs::Arcs;

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
