//! Assembles the arcs of the pieces of a file into a graph of the right weight type.
//!
//! While a file is read, an arc takes 8 bytes if its ids fit 32 bits (else 16), plus those of its
//! weight. An unweighted graph is then built in at most 12 bytes per arc and 8 per vertex, of which
//! it keeps 4 and 8. A graph with weights of w bytes is built in 12 + 2w bytes per arc.

use std::path::Path;

use super::blocks::{Block, Text};
use super::memory;
use super::weights::{Column, Extremes, Number};
use crate::parallel::find_first;
use crate::rows::{count_rows, for_each_row_block, ranges, step_back, zeroed};
use crate::{AnyCsr, Csr, Direction, GraphError, NoMemory, VertexId, Weight, WeightKind};

/// Arcs of a part. The memory of so large a part returns to the system when it is dropped.
const PART_ARCS: usize = 1 << 23;

/// Rows per task of a parallel pass.
const ROWS_PER_TASK: usize = 4096;

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

    /// Adds an arc, and its weight with the weight's position in bytes. All arcs of a file have
    /// weights, or none.
    #[inline]
    pub(super) fn push(&mut self, source: Id, destination: Id, weight: Option<(Number, usize)>) {
        self.ends.push((source, destination));
        if let Some((weight, at)) = weight {
            self.weights.push(weight, at, self.ends.capacity());
        }
    }

    pub(super) fn len(&self) -> usize {
        self.ends.len()
    }

    /// The source and the destination of each arc.
    pub(super) fn ends(&self) -> &[(Id, Id)] {
        &self.ends
    }

    /// The same arcs between other ids; in place if these have the same size.
    pub(super) fn map<Other>(self, new: impl Fn(Id) -> Other) -> Arcs<Other> {
        let ends = self.ends.into_iter().map(|(u, v)| (new(u), new(v))).collect();
        Arcs { ends, weights: self.weights }
    }

    /// Whether `n_arcs` more arcs fit without a new allocation.
    pub(super) fn has_room(&self, n_arcs: usize) -> bool {
        self.ends.capacity() - self.ends.len() >= n_arcs
    }

    /// Adds the arcs of `part`.
    pub(super) fn append(&mut self, part: &Self) {
        self.ends.extend_from_slice(&part.ends);
        self.weights.append(&part.weights, self.ends.capacity());
    }

    /// The same arcs with room for more; the file has had `so_far` arcs.
    pub(super) fn with_room(self, so_far: usize) -> Self {
        let mut roomy = Self::with_capacity(so_far.min(PART_ARCS).max(self.len()));
        roomy.append(&self);
        roomy
    }
}

/// The arcs of some lines of a file, in its order.
pub(super) trait Part: Sized {
    fn n_arcs(&self) -> usize;

    /// The least and the greatest of the weights.
    fn extremes(&self) -> &Extremes;

    /// Bytes of the arcs, and bytes of their graph while both exist.
    fn memory(&self) -> (u64, u64);

    /// Adds the arcs to `whole`; the last part may take them if it has room.
    fn append_to(self, whole: &mut Vec<Self>) {
        whole.push(self);
    }
}

impl<Id: Copy> Part for Arcs<Id> {
    fn n_arcs(&self) -> usize {
        self.ends.len()
    }

    fn extremes(&self) -> &Extremes {
        self.weights.extremes()
    }

    fn memory(&self) -> (u64, u64) {
        let (n_arcs, weight) = (self.len() as u64, self.weights.width() as u64);
        let ends = size_of::<(Id, Id)>() as u64;
        (n_arcs * (ends + weight), n_arcs * (size_of::<VertexId>() as u64 + weight))
    }

    fn append_to(self, whole: &mut Vec<Self>) {
        match whole.last_mut() {
            Some(last) if last.has_room(self.len()) => last.append(&self),
            _ => {
                let so_far = whole.iter().map(Self::len).sum();
                whole.push(self.with_room(so_far));
            }
        }
    }
}

/// The arcs of a file as far as it has been read.
pub(super) struct ArcList<P> {
    parts: Vec<P>,
    /// The extremes of the weights, each with its line.
    extremes: Extremes,
}

impl<P: Part> ArcList<P> {
    pub(super) fn new() -> Self {
        Self { parts: Vec::new(), extremes: Extremes::default() }
    }

    /// Adds the arcs of a block, in its order.
    ///
    /// # Errors
    /// [`GraphError::OutOfMemory`] when the graph will not fit.
    pub(super) fn add(&mut self, block: &Block, parts: Vec<P>) -> Result<(), GraphError> {
        self.add_of(block.path(), parts, |at| block.line_of(at))
    }

    /// Adds arcs of the file `path`; `line_of` gives the line of the place of a weight.
    ///
    /// # Errors
    /// As [`ArcList::add`].
    pub(super) fn add_of(
        &mut self,
        path: &Path,
        parts: Vec<P>,
        line_of: impl Fn(usize) -> u64,
    ) -> Result<(), GraphError> {
        // `parts` and their copies, and as much free room as is held, up to a part
        let (held, more) = memory_of(&self.parts);
        let (added, their_graph) = memory_of(&parts);
        let room = held.min(held / self.n_arcs().max(1) * PART_ARCS as u64);
        let needed = held + 2 * added + room + more + their_graph;
        memory::ensure(path, held + added, needed)?;
        for part in parts {
            self.extremes.merge_lines(part.extremes(), &line_of);
            part.append_to(&mut self.parts);
        }
        Ok(())
    }

    pub(super) fn n_arcs(&self) -> u64 {
        self.parts.iter().map(|part| part.n_arcs() as u64).sum()
    }

    /// The smallest type that holds every weight.
    pub(super) fn smallest_kind(&self, text: &Text<'_>) -> Result<WeightKind, GraphError> {
        self.smallest_kind_of(text.path())
    }

    /// The same for the file `path`.
    pub(super) fn smallest_kind_of(&self, path: &Path) -> Result<WeightKind, GraphError> {
        self.extremes.kind().map_err(|(line, message)| GraphError::Syntax {
            path: path.to_path_buf(),
            line: line as u64,
            message,
        })
    }

    pub(super) fn parts(&self) -> &[P] {
        &self.parts
    }

    pub(super) fn into_parts(self) -> Vec<P> {
        self.parts
    }
}

/// Refuses arcs whose graph will not fit the memory.
fn ensure_memory<P: Part>(path: &Path, n_vertices: usize, parts: &[P]) -> Result<(), GraphError> {
    let (held, more) = memory_of(parts);
    memory::ensure(path, held, held + more + 8 * (n_vertices as u64 + 1))
}

/// Bytes of the arcs of these parts, and of their graph.
fn memory_of<P: Part>(parts: &[P]) -> (u64, u64) {
    parts.iter().map(Part::memory).fold((0, 0), |a, b| (a.0 + b.0, a.1 + b.1))
}

/// Makes the error for arcs of which two have these ends.
type OnParallel<'a> = &'a dyn Fn(&[Arcs<VertexId>], (VertexId, VertexId)) -> GraphError;

/// Whether parallel arcs are allowed.
#[derive(Clone, Copy)]
pub(super) enum Parallel<'a> {
    Allowed,
    /// No, and this makes the error.
    Refused(OnParallel<'a>),
}

impl Parallel<'_> {
    fn check(
        self,
        parts: &[Arcs<VertexId>],
        first: impl FnOnce() -> Option<(VertexId, VertexId)>,
    ) -> Result<(), GraphError> {
        match self {
            Self::Allowed => Ok(()),
            Self::Refused(error) => first().map_or(Ok(()), |ends| Err(error(parts, ends))),
        }
    }
}

/// The graph of the parts, with weights of `kind`, which holds them all. If `direction` is
/// undirected, the parts must hold every arc and its reverse. If it is `None`, the graph is
/// undirected if they do.
///
/// # Errors
/// [`GraphError::OutOfMemory`]; the error of parallel arcs if they are refused.
pub(super) fn graph(
    path: &Path,
    n_vertices: usize,
    parts: Vec<Arcs<VertexId>>,
    kind: WeightKind,
    direction: Option<Direction>,
    parallel: Parallel<'_>,
) -> Result<AnyCsr, GraphError> {
    ensure_memory(path, n_vertices, &parts)?;
    macro_rules! typed {
        ($weight:ty) => {
            typed::<$weight>(path, n_vertices, parts, direction, parallel).map(Into::into)
        };
    }
    match kind {
        WeightKind::U32 => typed!(u32),
        WeightKind::I32 => typed!(i32),
        WeightKind::U64 => typed!(u64),
        WeightKind::I64 => typed!(i64),
        WeightKind::F32 => typed!(f32),
        WeightKind::F64 => typed!(f64),
    }
}

fn typed<W: Weight>(
    path: &Path,
    n_vertices: usize,
    parts: Vec<Arcs<VertexId>>,
    direction: Option<Direction>,
    parallel: Parallel<'_>,
) -> Result<Csr<W>, GraphError> {
    let held = parts.iter().map(|part| part.memory().0).sum();
    let graph = if parts.iter().all(|part| part.weights.width() == 0) {
        unweighted(n_vertices, &parts).map(Csr::unweighted)
    } else {
        Csr::from_valid_arcs(n_vertices, || {
            parts.iter().flat_map(|part| {
                let numbered = part.ends.iter().enumerate();
                numbered.map(|(i, &(u, v))| (u, v, part.weights.get::<W>(i)))
            })
        })
    };
    let graph = graph.map_err(|error| memory::refused(path, held, error))?;
    parallel.check(&parts, || first_parallel(graph.row_offsets(), graph.column_indices()))?;
    Ok(match direction {
        Some(Direction::Directed) => graph,
        Some(Direction::Undirected) => graph.made_undirected(),
        None => graph.with_direction_found(),
    })
}

/// The graph of arcs that have no weights.
fn unweighted(n_vertices: usize, parts: &[Arcs<VertexId>]) -> Result<Csr<u32>, NoMemory> {
    let list = || parts.iter().flat_map(|part| part.ends.iter().copied());
    let mut row_offsets = count_rows(n_vertices, list().map(|ends| ends.0))?;
    let mut columns: Vec<VertexId> = zeroed(row_offsets[n_vertices] as usize)?;
    list().for_each(|(source, destination)| {
        let cursor = &mut row_offsets[source as usize];
        columns[*cursor as usize] = destination;
        *cursor += 1;
    });
    step_back(&mut row_offsets);
    for_each_row_block(&row_offsets, &mut columns, &|rows, columns| {
        for range in ranges(&row_offsets, rows) {
            columns[range].sort_unstable();
        }
    });
    Ok(Csr::of_valid_ends(row_offsets, columns, 1, Direction::Directed))
}

/// The ends of the first arc that has a parallel arc; rows must be sorted. O(m).
fn first_parallel(row_offsets: &[u64], columns: &[VertexId]) -> Option<(VertexId, VertexId)> {
    let row = |row: usize| &columns[row_offsets[row] as usize..row_offsets[row + 1] as usize];
    let twice =
        |row: &[VertexId]| row.windows(2).find(|pair| pair[0] == pair[1]).map(|pair| pair[0]);
    let source = find_first(row_offsets.len() - 1, ROWS_PER_TASK, &|mut rows| {
        rows.find(|&source| twice(row(source)).is_some())
    })?;
    Some((source as VertexId, twice(row(source))?))
}
