//! From the arcs that the pieces of a file hold to a graph of the right weight type.
//!
//! While a file is read, an arc takes 8 bytes if its ids fit 32 bits (else 16), and as
//! many as its weight needs. An unweighted graph is then built in 12 bytes an arc and 8
//! a vertex at the most, one with weights of w bytes in 12 + 2w.

use std::path::Path;

use rayon::prelude::*;

use super::blocks::{Block, Text};
use super::memory;
use super::scan::Fault;
use super::weights::{Column, Extremes, Number};
use crate::{AnyCsr, Csr, Direction, GraphError, Ids, VertexId, Weight, WeightKind};

/// Ids below this are kept as they are, however few arcs there are.
const SMALL_ID: u64 = 1 << 16;

/// Arcs that are kept together. So large a part is given back to the system when it is
/// dropped, not kept for small allocations.
const PART_ARCS: usize = 1 << 23;

/// The arcs of one piece of a file, in its order.
#[derive(Default)]
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

    /// The same arcs between other ids; in place where these are of the same size.
    pub(super) fn map<Other>(self, new: impl Fn(Id) -> Other) -> Arcs<Other> {
        let ends = self.ends.into_iter().map(|(u, v)| (new(u), new(v))).collect();
        Arcs { ends, weights: self.weights }
    }

    /// The smallest and the greatest of its weights.
    pub(super) fn extremes(&self) -> &Extremes {
        self.weights.extremes()
    }

    /// Bytes that the arcs take.
    pub(super) fn bytes(&self) -> u64 {
        (self.ends.len() * (size_of::<(Id, Id)>() + self.weights.width())) as u64
    }

    /// Adds the arcs of `part` to the last of `whole` that has room for them.
    pub(super) fn append_to(self, whole: &mut Vec<Self>) {
        let room = |last: &&mut Self| last.ends.capacity() - last.len() >= self.len();
        if whole.last_mut().filter(room).is_none() {
            let so_far: usize = whole.iter().map(Self::len).sum();
            whole.push(Self::with_capacity(so_far.min(PART_ARCS).max(self.len())));
        }
        if let Some(last) = whole.last_mut() {
            last.ends.extend_from_slice(&self.ends);
            last.weights.append(&self.weights, last.ends.capacity());
        }
    }
}

/// The arcs of a file as far as it has been read.
pub(super) struct ArcList<Id> {
    parts: Vec<Arcs<Id>>,
    /// The extremes of the weights, each with its line.
    extremes: Extremes,
}

impl<Id: Copy + Send + Sync> ArcList<Id> {
    pub(super) fn new() -> Self {
        Self { parts: Vec::new(), extremes: Extremes::default() }
    }

    /// Adds the arcs of a block, in its order.
    ///
    /// # Errors
    /// [`GraphError::OutOfMemory`] when the graph will not fit.
    pub(super) fn add(&mut self, block: &Block, parts: Vec<Arcs<Id>>) -> Result<(), GraphError> {
        for part in parts {
            self.extremes.merge_lines(part.extremes(), |at| block.line_of(at));
            part.append_to(&mut self.parts);
        }
        ensure_memory(block.path(), 0, &self.parts)
    }

    pub(super) fn n_arcs(&self) -> u64 {
        self.parts.iter().map(|part| part.len() as u64).sum()
    }

    /// The smallest type that holds every weight.
    pub(super) fn smallest_kind(&self, text: &Text<'_>) -> Result<WeightKind, GraphError> {
        smallest_kind(&self.extremes, text)
    }

    pub(super) fn into_parts(self) -> Vec<Arcs<Id>> {
        self.parts
    }
}

/// The smallest type that holds all weights, whose extremes have their lines.
pub(super) fn smallest_kind(
    extremes: &Extremes,
    text: &Text<'_>,
) -> Result<WeightKind, GraphError> {
    extremes.kind().map_err(|Fault { at, message }| text.error_at(at as u64, message))
}

/// Refuses arcs whose graph will not fit the memory.
fn ensure_memory<Id: Copy>(
    path: &Path,
    n_vertices: usize,
    parts: &[Arcs<Id>],
) -> Result<(), GraphError> {
    let held: u64 = parts.iter().map(Arcs::bytes).sum();
    let weights = parts.iter().map(|part| (part.len() * (4 + part.weights.width())) as u64);
    memory::ensure(path, held, held + weights.sum::<u64>() + 8 * (n_vertices as u64 + 1))
}

/// The graph of the parts, with weights of a kind that holds them all. Where it is
/// undirected, the parts hold every arc and its reverse.
///
/// # Errors
/// [`GraphError::OutOfMemory`].
pub(super) fn graph(
    path: &Path,
    n_vertices: usize,
    parts: Vec<Arcs<VertexId>>,
    kind: WeightKind,
    direction: Direction,
) -> Result<AnyCsr, GraphError> {
    ensure_memory(path, n_vertices, &parts)?;
    match kind {
        WeightKind::U32 => typed::<u32>(path, n_vertices, parts, direction).map(Into::into),
        WeightKind::I32 => typed::<i32>(path, n_vertices, parts, direction).map(Into::into),
        WeightKind::U64 => typed::<u64>(path, n_vertices, parts, direction).map(Into::into),
        WeightKind::I64 => typed::<i64>(path, n_vertices, parts, direction).map(Into::into),
        WeightKind::F32 => typed::<f32>(path, n_vertices, parts, direction).map(Into::into),
        WeightKind::F64 => typed::<f64>(path, n_vertices, parts, direction).map(Into::into),
    }
}

fn typed<W: Weight>(
    path: &Path,
    n_vertices: usize,
    parts: Vec<Arcs<VertexId>>,
    direction: Direction,
) -> Result<Csr<W>, GraphError> {
    let held = parts.iter().map(Arcs::bytes).sum();
    let graph = if parts.iter().all(|part| part.weights.width() == 0) {
        Csr::from_valid_ends(n_vertices, parts.into_iter().map(|part| part.ends).collect())
    } else {
        Csr::from_valid_arcs(n_vertices, || {
            parts.iter().flat_map(|part| {
                let numbered = part.ends.iter().enumerate();
                numbered.map(|(i, &(u, v))| (u, v, part.weights.get::<W>(i)))
            })
        })
    };
    let graph = graph.map_err(|error| memory::refused(path, held, error))?;
    Ok(match direction {
        Direction::Directed => graph,
        Direction::Undirected => graph.made_undirected(),
    })
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
    let n_arcs: usize = parts.iter().map(Arcs::len).sum();
    let names = || parts.iter().flat_map(|part| &part.ends).flat_map(|&(u, v)| [u, v]);
    let Some(greatest) = names().max() else { return Ok((0, Ids::FromZero, Vec::new())) };
    if greatest < SMALL_ID.max(4 * n_arcs as u64) && greatest < u64::from(VertexId::MAX) {
        let parts = parts.into_iter().map(|part| part.map(|name| name as VertexId));
        return Ok((greatest as usize + 1, Ids::FromZero, parts.collect()));
    }
    let mut listed: Vec<u64> = names().collect();
    listed.par_sort_unstable();
    listed.dedup();
    crate::csr::validate_vertex_count(listed.len())?;
    let number = |name| listed.binary_search(&name).expect("listed above") as VertexId;
    let parts = parts.into_iter().map(|part| part.map(number)).collect();
    Ok((listed.len(), Ids::Listed(listed), parts))
}
