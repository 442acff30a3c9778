//! From the arcs that the pieces of a file hold to a graph of the right weight type.

use rayon::prelude::*;

use super::scan::Fault;
use super::weights::{Column, Extremes, Number};
use crate::{AnyCsr, Csr, Direction, GraphError, Ids, VertexId, Weight, WeightKind};

/// Ids below this are kept as they are, however few arcs there are.
const SMALL_ID: u64 = 1 << 16;

/// The arcs of one piece of a file, in its order.
pub(super) struct Arcs<Id> {
    ends: Vec<(Id, Id)>,
    weights: Column,
}

impl<Id: Copy> Arcs<Id> {
    /// No arcs yet; room for as many as `n_arcs`.
    pub(super) fn with_capacity(n_arcs: usize) -> Self {
        Self { ends: Vec::with_capacity(n_arcs), weights: Column::default() }
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
        self.weights.push(weight, at, self.ends.capacity());
    }

    pub(super) fn len(&self) -> usize {
        self.ends.len()
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

/// Numbers the vertices of a file that does not say how many there are.
///
/// Ids stay as they are, and the graph has as many vertices as the greatest asks for,
/// where that is below 65,536 or not out of proportion to the arcs (below four times
/// their number). Else the ids that occur are numbered in ascending order:
/// O(m log m).
pub(super) fn number_vertices(
    parts: Vec<Arcs<u64>>,
) -> Result<(usize, Ids, Vec<Arcs<VertexId>>), GraphError> {
    let names = || parts.iter().flat_map(|part| &part.ends).flat_map(|&(u, v)| [u, v]);
    let Some(greatest) = names().max() else { return Ok((0, Ids::FromZero, Vec::new())) };
    if greatest < SMALL_ID.max(4 * count(&parts) as u64) && greatest < u64::from(VertexId::MAX) {
        let parts = relabel(parts, |name| name as VertexId);
        return Ok((greatest as usize + 1, Ids::FromZero, parts));
    }
    let mut listed: Vec<u64> = names().collect();
    listed.par_sort_unstable();
    listed.dedup();
    crate::csr::validate_vertex_count(listed.len())?;
    let number = |name| listed.binary_search(&name).expect("listed above") as VertexId;
    let parts = relabel(parts, number);
    Ok((listed.len(), Ids::Listed(listed), parts))
}

fn relabel(parts: Vec<Arcs<u64>>, number: impl Fn(u64) -> VertexId + Sync) -> Vec<Arcs<VertexId>> {
    let relabelled = parts.into_par_iter().map(|part| Arcs {
        ends: part.ends.iter().map(|&(u, v)| (number(u), number(v))).collect(),
        weights: part.weights,
    });
    relabelled.collect()
}
