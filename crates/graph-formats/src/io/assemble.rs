//! From the arcs that the pieces of a file hold to a graph of the right weight type.

use super::scan::Fault;
use super::weights::{Column, Extremes, Number};
use crate::{AnyCsr, Csr, Direction, VertexId, Weight, WeightKind};

/// The arcs of one piece of a file, in its order.
#[derive(Default)]
pub(super) struct Arcs<Id> {
    ends: Vec<(Id, Id)>,
    weights: Column,
}

impl<Id: Copy> Arcs<Id> {
    /// No arcs yet; room for as many as `n_arcs`.
    pub(super) fn with_capacity(n_arcs: usize) -> Self {
        Self { ends: Vec::with_capacity(n_arcs), weights: Column::with_capacity(n_arcs) }
    }

    /// Adds an arc of an unweighted file.
    #[inline]
    pub(super) fn push(&mut self, source: Id, destination: Id) {
        self.ends.push((source, destination));
    }

    /// Adds an arc whose weight stands at byte `at`; a file has weights on all arcs
    /// or on none.
    #[inline]
    pub(super) fn push_weighted(&mut self, source: Id, destination: Id, weight: Number, at: usize) {
        self.ends.push((source, destination));
        self.weights.push(weight, at);
    }

    pub(super) fn len(&self) -> usize {
        self.ends.len()
    }

    /// Where the arcs start and end.
    pub(super) fn ends(&self) -> &[(Id, Id)] {
        &self.ends
    }

    /// The same arcs between other ids; in place where these are of the same size.
    pub(super) fn map<Other>(self, new: impl Fn(Id) -> Other) -> Arcs<Other> {
        let ends = self.ends.into_iter().map(|(u, v)| (new(u), new(v))).collect();
        Arcs { ends, weights: self.weights }
    }

    /// Gives back the memory of arcs that did not come.
    pub(super) fn shrink(&mut self) {
        self.ends.shrink_to_fit();
    }
}

/// How many arcs the parts have together.
pub(super) fn count<Id: Copy>(parts: &[Arcs<Id>]) -> usize {
    parts.iter().map(Arcs::len).sum()
}

/// The smallest type that holds every weight.
pub(super) fn smallest_kind<Id>(parts: &[Arcs<Id>]) -> Result<WeightKind, Fault> {
    let all = parts.iter().map(|part| part.weights.extremes());
    all.fold(Extremes::default(), Extremes::merge).kind()
}

/// The graph of the parts, with weights of a kind that holds them all. Where it is
/// undirected, the parts hold every arc and its reverse.
pub(super) fn graph(
    n_vertices: usize,
    parts: &[Arcs<VertexId>],
    kind: WeightKind,
    direction: Direction,
) -> AnyCsr {
    fn typed<W: Weight>(n: usize, parts: &[Arcs<VertexId>], direction: Direction) -> Csr<W> {
        let graph = Csr::from_valid_arcs(n, || {
            parts.iter().flat_map(|part| {
                let numbered = part.ends.iter().enumerate();
                numbered.map(|(i, &(u, v))| (u, v, part.weights.get::<W>(i)))
            })
        });
        match direction {
            Direction::Directed => graph,
            Direction::Undirected => graph.made_undirected(),
        }
    }
    match kind {
        WeightKind::U32 => typed::<u32>(n_vertices, parts, direction).into(),
        WeightKind::I32 => typed::<i32>(n_vertices, parts, direction).into(),
        WeightKind::U64 => typed::<u64>(n_vertices, parts, direction).into(),
        WeightKind::I64 => typed::<i64>(n_vertices, parts, direction).into(),
        WeightKind::F32 => typed::<f32>(n_vertices, parts, direction).into(),
        WeightKind::F64 => typed::<f64>(n_vertices, parts, direction).into(),
    }
}
