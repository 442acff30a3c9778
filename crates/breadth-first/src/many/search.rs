//! One batch: level by level, pushed or pulled.

use std::mem::swap;

use graph_formats::VertexId;
use rayon::prelude::*;
use search_parts::SearchError;

use super::bits::{BitField, Bits, is_empty, or};
use super::steps::{pull, push};
use crate::arcs::Arcs;

/// Takes the vertices that batches find.
pub(super) trait Found: Send {
    /// The `vertices`, each once, are `hops` from the sources in their `bits`; the bits of other
    /// vertices are zero. Each batch begins with 0 hops.
    fn level<const N: usize>(&mut self, hops: u32, vertices: &[VertexId], bits: &[Bits<N>]);

    /// The batch is done; the positions of its sources are `rows`.
    fn end(&mut self, _rows: &[usize]) {}
}

/// Arcs pulled in the time of one arc pushed: a pull often reads near memory and ends early.
const PULLS_PER_PUSH: u64 = 8;
/// A pull first tests the bitmap of the frontier if fewer than 1 / SPARSE of all arcs leave the
/// frontier.
const SPARSE: u64 = 2;
/// Vertices that a task pulls into.
const PULLED_PER_TASK: usize = 1 << 12;

/// The work space of one batch after another.
pub(super) struct Batch<'g, const N: usize> {
    out: Arcs<'g>,
    /// The transposed arcs, if levels may be pulled.
    into: Option<Arcs<'g>>,
    /// The sources that have reached each vertex.
    seen: BitField,
    /// The sources that reached each vertex on the last level.
    frontier: BitField,
    /// The sources that reach each vertex on this level.
    next: BitField,
    /// Vertices with bits in `frontier`.
    vertices: Vec<VertexId>,
    /// Vertices found on this level.
    found: Vec<VertexId>,
    /// A bit for each vertex: whether it has bits in `frontier`. Valid during a pull.
    is_frontier: Vec<u64>,
    /// Whether all threads pull together.
    is_team: bool,
}

impl<'g, const N: usize> Batch<'g, N> {
    pub(super) fn new(out: Arcs<'g>, into: Option<Arcs<'g>>, is_team: bool) -> Self {
        let n_vertices = out.n_vertices();
        Self {
            out,
            into,
            seen: BitField::new::<N>(n_vertices),
            frontier: BitField::new::<N>(n_vertices),
            next: BitField::new::<N>(n_vertices),
            vertices: Vec::new(),
            found: Vec::new(),
            is_frontier: vec![0; n_vertices.div_ceil(64)],
            is_team,
        }
    }

    /// Passes every vertex that one of `sources`, at most 64 `N`, reaches to `found`, level by
    /// level. An error of `goes_on`, called at every level, ends the search.
    pub(super) fn search(
        &mut self,
        sources: impl Iterator<Item = VertexId>,
        found: &mut impl Found,
        goes_on: impl Fn() -> Result<(), SearchError>,
    ) -> Result<(), SearchError> {
        self.start(sources);
        let mut hops = 0;
        // arcs that a pull reads at most
        let mut to_pull = self.out.ends.len() as u64;
        loop {
            goes_on()?;
            found.level::<N>(hops, &self.vertices, self.frontier.bits());
            let degrees = self.vertices.iter().map(|&v| self.out.of(v as usize).len() as u64);
            let to_push = degrees.sum();
            if to_push == 0 {
                return Ok(());
            }
            match self.into {
                Some(into) if to_push > to_pull / PULLS_PER_PUSH => {
                    to_pull = self.pull(into, to_push);
                }
                _ => self.push(),
            }
            hops += 1;
            swap(&mut self.frontier, &mut self.next);
            swap(&mut self.vertices, &mut self.found);
        }
    }

    /// Clears all fields and starts from the sources.
    fn start(&mut self, sources: impl Iterator<Item = VertexId>) {
        let (seen, frontier) = (self.seen.bits::<N>(), self.frontier.bits::<N>());
        seen.fill([0; N]);
        frontier.fill([0; N]);
        self.next.bits::<N>().fill([0; N]);
        self.vertices.clear();
        self.found.clear();
        for (i, source) in sources.enumerate() {
            let bits = &mut frontier[source as usize];
            if is_empty(bits) {
                self.vertices.push(source);
            }
            bits[i / 64] |= 1 << (i % 64);
            seen[source as usize] = *bits;
        }
    }

    /// Pushes the frontier along its arcs.
    fn push(&mut self) {
        let (frontier, seen) = (self.frontier.bits::<N>(), self.seen.bits());
        let (next, found) = (self.next.bits(), &mut self.found);
        push(self.out, &self.vertices, frontier, seen, next, found);
    }

    /// Pulls into each vertex that is not reached by all sources. Returns the number of arcs into
    /// these.
    fn pull(&mut self, into: Arcs<'_>, to_push: u64) -> u64 {
        let frontier: &[Bits<N>] = self.frontier.bits();
        let mut live = [0; N];
        self.is_frontier.fill(0);
        for &vertex in &self.vertices {
            live = or(&live, &frontier[vertex as usize]);
            self.is_frontier[vertex as usize / 64] |= 1 << (vertex % 64);
        }
        let is_sparse = to_push < into.ends.len() as u64 / SPARSE;
        let is_frontier = is_sparse.then_some(&self.is_frontier[..]);
        let n = into.n_vertices();
        let size = if self.is_team { PULLED_PER_TASK } else { n };
        let seen = self.seen.bits::<N>()[..n].par_chunks_mut(size);
        let next = self.next.bits::<N>()[..n].par_chunks_mut(size);
        let parts = seen.zip(next).enumerate().map(|(task, (seen, next))| {
            pull(into, live, frontier, is_frontier, task * size, seen, next)
        });
        let parts: Vec<(u64, Vec<VertexId>)> = parts.collect();
        self.found.clear();
        for (_, found) in &parts {
            self.found.extend_from_slice(found);
        }
        parts.iter().map(|part| part.0).sum()
    }
}
