//! A level from the frontier on.

use graph_formats::VertexId;

use super::bits::{Bits, is_empty, or, without};
use super::processor::Loop;
use crate::arcs::Arcs;

/// Along the arcs of each vertex of the frontier: its bits, to where they are new. An end is
/// listed when its first bit comes; a second pass enters what has come as seen.
pub(super) struct Push<'a, const N: usize> {
    pub(super) out: Arcs<'a>,
    pub(super) vertices: &'a [VertexId],
    pub(super) frontier: &'a [Bits<N>],
    pub(super) seen: &'a mut [Bits<N>],
    pub(super) next: &'a mut [Bits<N>],
    /// Vertices with bits in `next`, of the level before the last; those of this one.
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
