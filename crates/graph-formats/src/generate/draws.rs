//! Edges that are drawn one by one, and the graph of them.
//!
//! An arc is packed into 64 bits, source above destination, so that sorting the packed arcs in
//! place sorts rows, and columns within rows; nothing is scattered. The weight of the k-th of the
//! parallel arcs from u to v is a hash of (seed, u, v, k). In undirected graphs the smaller end
//! comes first, so that both arcs of an edge get the same weight independently. Dropping duplicates
//! therefore keeps an edge's first weight.
//!
//! O(m log m) for the sort, and at most 16 bytes of memory per arc.

use std::ops::RangeInclusive;

use bytemuck::{Pod, Zeroable};
use rayon::prelude::*;

use super::random::{Purpose, Scramble, Stream, below};
use super::{Duplicates, GraphOptions, check_memory, rmat};
use crate::checks::{validate_columns, validate_offsets};
use crate::{Csr, Direction, GraphError, VertexId, ensure_granted};

/// Marks a slot without an arc. It sorts last, and no arc has this value, because the greatest
/// 32-bit number is never a vertex.
const NO_ARC: u64 = u64::MAX;

/// Vertices whose weights are drawn together.
const ROWS_PER_TASK: usize = 1 << 12;

/// The edges of a generator, each a function of its number, and what becomes of them.
///
/// It is what another device needs to make the same graph.
#[derive(Clone, Debug)]
pub struct EdgeDraws {
    pub(super) parameters: DrawParameters,
    scramble: Option<Scramble>,
    options: GraphOptions,
}

/// Numbers from which edges are drawn: `Draws` of `kernels/sssp/draws.cuh`.
#[derive(Clone, Copy, Debug, Default, Pod, Zeroable)]
#[repr(C)]
#[expect(missing_docs, reason = "the kernel that repeats the draws says what they are")]
pub struct DrawParameters {
    pub stream: u64,
    pub quadrants: [u64; 3],
    pub keys: [u64; 4],
    pub n_edges: u64,
    pub n_vertices: u32,
    pub scale: u32,
    pub is_scrambled: u32,
    pub both_ways: u32,
    pub keeps_loops: u32,
    pub unused: u32,
}

impl EdgeDraws {
    /// `n_edges` edges among `n_vertices` vertices, from a stream of random numbers.
    pub(super) fn new(n_vertices: usize, n_edges: u64, options: &GraphOptions) -> Self {
        let parameters = DrawParameters {
            stream: Stream::new(options.seed, Purpose::Edges).number(),
            n_edges,
            n_vertices: n_vertices as u32,
            both_ways: (options.direction == Direction::Undirected).into(),
            keeps_loops: (options.duplicates == Duplicates::Keep).into(),
            ..DrawParameters::default()
        };
        Self { parameters, scramble: None, options: options.clone() }
    }

    pub(super) fn scrambled(mut self, scramble: Scramble) -> Self {
        self.parameters.is_scrambled = 1;
        self.parameters.keys = scramble.keys();
        self.scramble = Some(scramble);
        self
    }

    /// The ends of the edge of this number.
    #[inline]
    pub fn edge(&self, edge: u64) -> (VertexId, VertexId) {
        let DrawParameters { quadrants, scale, n_vertices, .. } = self.parameters;
        let stream = Stream::at_number(self.parameters.stream);
        if scale == 0 {
            let vertex = |index| below(stream.at(index), n_vertices.into()) as VertexId;
            return (vertex(2 * edge), vertex(2 * edge + 1));
        }
        let (u, v) = rmat::draw(stream.of(edge), scale, quadrants);
        match &self.scramble {
            Some(scramble) => (scramble.apply(u), scramble.apply(v)),
            None => (u, v),
        }
    }

    /// The graph of all edges.
    pub(super) fn graph(&self) -> Result<Csr<u32>, GraphError> {
        graph_of_draws(self.n_vertices(), self.n_edges(), &self.options, |edge| self.edge(edge))
    }

    /// The arcs of the edge of this number, each packed as source · 2^32 + destination.
    #[inline]
    pub fn arcs(&self, edge: u64) -> impl Iterator<Item = u64> {
        arcs_of(self.edge(edge), &self.options).into_iter().filter(|&arc| arc != NO_ARC)
    }

    /// What becomes of these packed arcs, which are all [arcs](Self::arcs) of their sources: they
    /// are sorted, and equal ones are dropped if the generator drops them. So each of several
    /// processes can make some rows of the graph.
    ///
    /// ```
    /// use graph_formats::generate::{RmatConfig, rmat};
    ///
    /// let config = RmatConfig { scale: 4, ..Default::default() };
    /// let draws = config.draws()?;
    /// let all = (0..draws.n_edges()).flat_map(|edge| draws.arcs(edge));
    /// let row = draws.sorted(all.filter(|arc| arc >> 32 == 3).collect());
    /// let weights = draws.weights_of(&row);
    /// assert!(row.iter().map(|&arc| arc as u32).zip(weights).eq(rmat(&config)?.arcs_from(3)));
    /// # Ok::<(), graph_formats::GraphError>(())
    /// ```
    ///
    /// O(a log a) for a arcs.
    pub fn sorted(&self, arcs: Vec<u64>) -> Vec<u64> {
        sorted(arcs, &self.options)
    }

    /// The weights of [sorted](Self::sorted) arcs, among them all of each source. O(a).
    pub fn weights_of(&self, arcs: &[u64]) -> Vec<u32> {
        weights(arcs, &self.options)
    }

    /// The numbers that edges are drawn from.
    pub fn parameters(&self) -> DrawParameters {
        self.parameters
    }

    /// The stream that weights are drawn from, and the least and greatest weight.
    pub fn weights(&self) -> (u64, RangeInclusive<u32>) {
        let stream = Stream::new(self.options.seed, Purpose::Weights);
        (stream.number(), self.options.weights.clone())
    }

    /// Vertices, isolated ones included.
    pub fn n_vertices(&self) -> usize {
        self.parameters.n_vertices as usize
    }

    /// Edges drawn.
    pub fn n_edges(&self) -> u64 {
        self.parameters.n_edges
    }

    /// Arcs of the edges drawn, before loops and equal ones are dropped.
    pub fn most_arcs(&self) -> usize {
        (self.n_edges() as usize).saturating_mul(1 + self.parameters.both_ways as usize)
    }

    /// Whether loops and equal edges are kept.
    pub fn duplicates(&self) -> Duplicates {
        self.options.duplicates
    }

    /// Whether each edge is two arcs.
    pub fn direction(&self) -> Direction {
        self.options.direction
    }

    /// The graph with these rows, made of these edges elsewhere, and the weights that the generator
    /// gives them. Rows ascend. O(n + m).
    ///
    /// # Errors
    /// Where they are no rows of vertices, and where the system refuses the memory.
    pub fn graph_of_rows(
        &self,
        row_offsets: Vec<u64>,
        column_indices: Vec<VertexId>,
    ) -> Result<Csr<u32>, GraphError> {
        let n = self.n_vertices();
        let (expected, found) = (n + 1, row_offsets.len());
        if expected != found {
            return Err(GraphError::LengthMismatch { what: "row offsets", expected, found });
        }
        validate_offsets(&row_offsets, column_indices.len())?;
        validate_columns(n, &column_indices)?;
        ensure_granted(2 * size_of_val(&column_indices[..]))?;
        let row = |u: usize| row_offsets[u] as usize..row_offsets[u + 1] as usize;
        let arcs = |u| column_indices[row(u)].iter().map(move |&v| pack(u as VertexId, v));
        let firsts: Vec<_> = (0..n).step_by(ROWS_PER_TASK).collect();
        let part = |&first| {
            let rows = first..n.min(first + ROWS_PER_TASK);
            weights(&rows.flat_map(arcs).collect::<Vec<_>>(), &self.options)
        };
        let weights = firsts.par_iter().map(part).collect::<Vec<_>>().concat();
        Ok(Csr::from_valid(row_offsets, column_indices, weights, self.direction()))
    }
}

/// The graph of the edges `draw(0)`, `draw(1)`, … `draw(n_edges − 1)`.
pub(super) fn graph_of_draws(
    n_vertices: usize,
    n_edges: u64,
    options: &GraphOptions,
    draw: impl Fn(u64) -> (VertexId, VertexId) + Sync,
) -> Result<Csr<u32>, GraphError> {
    let arcs_per_edge = match options.direction {
        Direction::Directed => 1,
        Direction::Undirected => 2,
    };
    let n_slots = u128::from(n_edges) * arcs_per_edge as u128;
    check_memory(n_vertices, n_slots)?;

    let mut arcs = vec![NO_ARC; n_slots as usize];
    arcs.par_chunks_mut(arcs_per_edge).enumerate().for_each(|(edge, slots)| {
        slots.copy_from_slice(&arcs_of(draw(edge as u64), options)[..arcs_per_edge]);
    });
    let arcs = sorted(arcs, options);
    let weights = weights(&arcs, options);
    let row_offsets = offsets_of_sorted(n_vertices, &arcs);
    let column_indices = arcs.par_iter().map(|&arc| arc as VertexId).collect();
    Ok(Csr::from_valid(row_offsets, column_indices, weights, options.direction))
}

/// The arcs of an edge with these ends, or [`NO_ARC`] in their places.
#[inline(always)]
fn arcs_of((u, v): (VertexId, VertexId), options: &GraphOptions) -> [u64; 2] {
    let back = if options.direction == Direction::Undirected { pack(v, u) } else { NO_ARC };
    match u == v {
        false => [pack(u, v), back],
        true if options.duplicates == Duplicates::Keep => [pack(u, u), NO_ARC],
        true => [NO_ARC; 2],
    }
}

/// The arcs that become the graph's, in its order.
fn sorted(mut arcs: Vec<u64>, options: &GraphOptions) -> Vec<u64> {
    arcs.par_sort_unstable();
    arcs.truncate(arcs.partition_point(|&arc| arc != NO_ARC));
    if options.duplicates == Duplicates::Drop {
        arcs.dedup();
    }
    arcs
}

fn pack(source: VertexId, destination: VertexId) -> u64 {
    u64::from(source) << 32 | u64::from(destination)
}

/// The weight of the `copy`-th of the parallel arcs packed as `arc`.
fn weight(arc: u64, copy: u64, options: &GraphOptions) -> u32 {
    let edge = match options.direction {
        Direction::Directed => arc,
        Direction::Undirected => arc.min(arc.rotate_left(32)),
    };
    let random = Stream::new(options.seed, Purpose::Weights).of(edge).at(copy);
    let (least, greatest) = (*options.weights.start(), *options.weights.end());
    least + below(random, u64::from(greatest - least) + 1) as u32
}

/// The weights of sorted arcs.
fn weights(arcs: &[u64], options: &GraphOptions) -> Vec<u32> {
    match options.duplicates {
        Duplicates::Drop => arcs.par_iter().map(|&arc| weight(arc, 0, options)).collect(),
        Duplicates::Keep => weights_of_parallels(arcs, options),
    }
}

/// Weights of sorted arcs, ascending among parallel ones as in every graph built here.
fn weights_of_parallels(arcs: &[u64], options: &GraphOptions) -> Vec<u32> {
    let mut weights = Vec::with_capacity(arcs.len());
    for parallels in arcs.chunk_by(|a, b| a == b) {
        let start = weights.len();
        weights.extend((0..).zip(parallels).map(|(copy, &arc)| weight(arc, copy, options)));
        weights[start..].sort_unstable();
    }
    weights
}

/// Row offsets of sorted arcs: each row starts where the arcs of lower sources end.
fn offsets_of_sorted(n_vertices: usize, arcs: &[u64]) -> Vec<u64> {
    let mut offsets = vec![0u64; n_vertices + 1];
    for arc in arcs {
        offsets[(arc >> 32) as usize + 1] += 1;
    }
    for row in 0..n_vertices {
        offsets[row + 1] += offsets[row];
    }
    offsets
}
