//! A level, pushed along the arcs of the frontier or pulled along the arcs into vertices.

use graph_formats::VertexId;
use multiversion::multiversion;
use search_parts::prefetch;

use super::bits::{Bits, and, is_empty, or, without};
use crate::arcs::Arcs;

/// Arcs ahead of the current one whose bits are prefetched.
const AHEAD: usize = 16;

/// Pushes the bits of each frontier vertex along its arcs, to heads that lack them. A head is
/// listed when it gets its first bit; a second pass adds the new bits to `seen`. `found` lists the
/// vertices with bits in `next`: at first those of an earlier level, then those of this level.
#[multiversion(targets("x86_64+avx512f", "x86_64+avx2"))]
pub(super) fn push<const N: usize>(
    out: Arcs<'_>,
    vertices: &[VertexId],
    frontier: &[Bits<N>],
    seen: &mut [Bits<N>],
    next: &mut [Bits<N>],
    found: &mut Vec<VertexId>,
) {
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

/// Pulls into the vertices from `first` on, which have the first elements of `seen` and `next`: ORs
/// the bits of the tails of a vertex's arcs, until no missing bit is left.
///
/// `live` are the sources with a vertex in the frontier. `frontier` has the bits of each vertex, and
/// of one more that is empty; if the frontier is small, `is_frontier` says of each vertex by a bit
/// whether it is in it.
///
/// Returns the number of arcs into vertices that may still get bits, and the vertices that get some.
#[multiversion(targets("x86_64+avx512f", "x86_64+avx2"))]
pub(super) fn pull<const N: usize>(
    into: Arcs<'_>,
    live: Bits<N>,
    frontier: &[Bits<N>],
    is_frontier: Option<&[u64]>,
    first: usize,
    seen: &mut [Bits<N>],
    next: &mut [Bits<N>],
) -> (u64, Vec<VertexId>) {
    let nothing = frontier.len() - 1;
    let (mut n_arcs, mut found) = (0, Vec::new());
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
    (n_arcs, found)
}
