//! One batch: a level at a time, from the frontier or towards it.

use std::mem::swap;

use graph_formats::VertexId;
use rayon::prelude::*;
use search_parts::SearchError;

use super::bits::{BitField, Bits, is_empty, or};
use super::processor::run;
use super::pull::Pull;
use super::push::Push;
use crate::arcs::Arcs;

/// A graph as batches search it.
#[derive(Clone, Copy)]
pub(super) struct Ways<'g> {
    pub(super) out: Arcs<'g>,
    /// The same arcs at their ends, where levels may be pulled.
    pub(super) into: Option<Arcs<'g>>,
}

/// An error where the searches are to end.
pub(super) type GoesOn<'a> = &'a (dyn Fn() -> Result<(), SearchError> + Sync);

/// What becomes of the vertices that a batch finds.
pub(super) trait Found<const N: usize> {
    /// These `vertices`, each once, are so many hops from the sources that `bits` has for them;
    /// bits of other vertices are zero. An error ends the search.
    fn level(
        &mut self,
        hops: u32,
        vertices: &[VertexId],
        bits: &[Bits<N>],
    ) -> Result<(), SearchError>;
}

/// Arcs that are pushed along in the time of so many that are pulled: a pull reads what is often
/// near, and ends early.
const PULLS_PER_PUSH: u64 = 8;
/// Where not one arc of so many leads from the frontier, it pays to look before bits are read.
const SPARSE: u64 = 2;
/// Vertices that a thread pulls to at a time.
const PULLED_PER_TASK: usize = 1 << 12;

/// The work space of one batch after another.
pub(super) struct Batch<const N: usize> {
    /// Which sources have reached a vertex,
    seen: BitField,
    /// which have on the last level,
    frontier: BitField,
    /// and which on this one.
    next: BitField,
    /// Vertices with bits in `frontier`,
    vertices: Vec<VertexId>,
    /// those found on this level,
    found: Vec<VertexId>,
    /// A bit a vertex: whether it has any in `frontier`, where that was asked for.
    is_frontier: Vec<u64>,
    /// Whether all threads pull together.
    is_team: bool,
}

impl<const N: usize> Batch<N> {
    pub(super) fn new(n_vertices: usize, is_team: bool) -> Self {
        Self {
            seen: BitField::new::<N>(n_vertices),
            frontier: BitField::new::<N>(n_vertices),
            next: BitField::new::<N>(n_vertices),
            vertices: Vec::new(),
            found: Vec::new(),
            is_frontier: vec![0; n_vertices.div_ceil(64)],
            is_team,
        }
    }

    /// Tells `found` of every vertex that one of `sources` reaches, 64 `N` at most, level by level.
    pub(super) fn search(
        &mut self,
        ways: Ways<'_>,
        sources: &[VertexId],
        found: &mut impl Found<N>,
    ) -> Result<(), SearchError> {
        self.start(sources);
        let mut hops = 0;
        // arcs into vertices that a pull has to look at
        let mut to_pull = ways.out.ends.len() as u64;
        loop {
            found.level(hops, &self.vertices, self.frontier.bits())?;
            let degrees = self.vertices.iter().map(|&v| ways.out.of(v as usize).len() as u64);
            let to_push = degrees.sum();
            if to_push == 0 {
                return Ok(());
            }
            match ways.into {
                Some(into) if to_push > to_pull / PULLS_PER_PUSH => {
                    to_pull = self.pull(into, to_push);
                }
                _ => self.push(ways.out),
            }
            hops += 1;
            swap(&mut self.frontier, &mut self.next);
            swap(&mut self.vertices, &mut self.found);
        }
    }

    /// Empties all and puts the sources in.
    fn start(&mut self, sources: &[VertexId]) {
        let (seen, frontier) = (self.seen.bits::<N>(), self.frontier.bits::<N>());
        seen.fill([0; N]);
        frontier.fill([0; N]);
        self.next.bits::<N>().fill([0; N]);
        self.vertices.clear();
        self.found.clear();
        for (i, &source) in sources.iter().enumerate() {
            let bits = &mut frontier[source as usize];
            if is_empty(bits) {
                self.vertices.push(source);
            }
            bits[i / 64] |= 1 << (i % 64);
            seen[source as usize] = *bits;
        }
    }

    /// From each vertex of the frontier along its arcs.
    fn push(&mut self, out: Arcs<'_>) {
        let (seen, next) = (self.seen.bits::<N>(), self.next.bits::<N>());
        let (vertices, found) = (&self.vertices, &mut self.found);
        run(Push { out, vertices, frontier: self.frontier.bits(), seen, next, found });
    }

    /// Into each vertex that is still to be reached. Returns how many arcs lead into these.
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
        let pulled = seen.zip(next).enumerate().map(|(task, (seen, next))| {
            let (first, mut found) = (task * size, Vec::new());
            let found_here = &mut found;
            let pull =
                Pull { into, live, frontier, is_frontier, first, seen, next, found: found_here };
            (run(pull), found)
        });
        let parts: Vec<(u64, Vec<VertexId>)> = pulled.collect();
        self.found.clear();
        for (_, found) in &parts {
            self.found.extend_from_slice(found);
        }
        parts.iter().map(|part| part.0).sum()
    }
}
