//! Ranges of rows of an `.spg` file, for a graph of which no process reads all.

use std::fs::File;
use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};

use positioned_io::ReadAt;

use super::{HEADER_BYTES, Header, WEIGHTS, ids_of, wrong_length};
use crate::arc_pass::ArcPass;
use crate::io::error::malformed;
use crate::{Direction, GraphError, Ids, VertexId, Weight, WeightKind, ensure_granted};

/// An `.spg` file that is open, of which ranges of rows are read one by one.
///
/// ```
/// use graph_formats::{Csr, Ids, LoadedGraph, SpgRows, write};
///
/// let folder = tempfile::tempdir()?;
/// let path = folder.path().join("triangle.spg");
/// let graph = Csr::from_arcs(3, &[(0, 1, 5u32), (1, 2, 7), (2, 0, 1)])?;
/// write(&path, &LoadedGraph::new(graph, Ids::FromOne))?;
///
/// let file = SpgRows::open(&path)?;
/// let rows = file.rows(1..3)?;
/// assert_eq!((file.n_vertices(), rows.row_offsets), (3, vec![1, 2, 3]));
/// assert_eq!((rows.column_indices, rows.weights), (vec![2, 0], vec![7, 0, 0, 0, 1, 0, 0, 0]));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct SpgRows {
    path: PathBuf,
    file: File,
    header: Header,
    header_bytes: Vec<u8>,
}

/// Some rows of a file.
#[derive(Clone, Debug, PartialEq)]
pub struct RowRange {
    /// Where each row starts among all arcs of the file, and where the last ends.
    pub row_offsets: Vec<u64>,
    /// Where each arc ends.
    pub column_indices: Vec<VertexId>,
    /// The bytes of the weight of each arc; of one weight, if all arcs of the file have the same.
    pub weights: Vec<u8>,
    /// A number that adds up, wrapping, to zero over all rows of the file if every arc has its
    /// reverse; zero if the file says that it is directed.
    pub excess: u64,
}

impl SpgRows {
    /// Opens a file and checks its header and its length.
    ///
    /// # Errors
    /// When it cannot be read, is compressed, or its header is not that of the format.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, GraphError> {
        let path = path.as_ref().to_path_buf();
        let fail = |source| GraphError::Io { path: path.clone(), source };
        let file = File::open(&path).map_err(fail)?;
        let mut start = vec![0; HEADER_BYTES];
        let read = file.read_exact_at(0, &mut start);
        if let Err(error) = read.map(drop) {
            return match error.kind() {
                io::ErrorKind::UnexpectedEof => {
                    Err(malformed(&path, "the file is shorter than a header".to_owned()))
                }
                _ => Err(fail(error)),
            };
        }
        let header = Header::read(&path, &start)?;
        let found = file.metadata().map_err(fail)?.len();
        if found != header.file_bytes {
            return Err(wrong_length(&path, &header, found));
        }
        Ok(Self { path, file, header, header_bytes: start })
    }

    /// The bytes that its sections follow. They have sizes and a checksum of all, so that other files
    /// have others.
    pub fn header(&self) -> &[u8] {
        &self.header_bytes
    }

    /// How many vertices.
    pub fn n_vertices(&self) -> usize {
        self.header.n_vertices as usize
    }

    /// How many arcs.
    pub fn n_arcs(&self) -> u64 {
        self.header.n_arcs
    }

    /// The type of the weights.
    pub fn kind(&self) -> WeightKind {
        WEIGHTS[usize::from(self.header.weights)].0
    }

    /// Whether all arcs have the same weight, which is then stored once.
    pub fn has_equal_weights(&self) -> bool {
        self.header.equal == 1
    }

    /// Whether the file says that each arc has its reverse.
    pub fn direction(&self) -> Direction {
        match self.header.direction {
            1 => Direction::Undirected,
            _ => Direction::Directed,
        }
    }

    /// The names of the vertices. O(their bytes).
    ///
    /// # Errors
    /// When they cannot be read, or are not names.
    pub fn ids(&self) -> Result<Ids, GraphError> {
        let section = self.array(3, 0..self.header.names_bytes)?;
        ids_of(&self.path, &self.header, &section)
    }

    /// The rows of these vertices, checked: offsets ascend, ends are vertices and weights finite.
    /// The checksum of the file is not, because it is one of all bytes. O(rows + arcs).
    ///
    /// # Errors
    /// When they cannot be read, are no rows, or the system refuses the memory.
    ///
    /// # Panics
    /// When the range ends beyond the vertices.
    pub fn rows(&self, rows: Range<usize>) -> Result<RowRange, GraphError> {
        assert!(rows.start <= rows.end && rows.end <= self.n_vertices(), "no rows {rows:?}");
        let wrong = |message: &str| Err(malformed(&self.path, message.to_owned()));
        let (first_row, rows) = (rows.start as VertexId, rows.start as u64..rows.end as u64 + 1);
        let row_offsets: Vec<u64> = self.array(0, rows)?;
        let arcs = row_offsets[0]..row_offsets[row_offsets.len() - 1];
        if !row_offsets.is_sorted() || arcs.end > self.n_arcs() {
            return wrong("the row offsets do not ascend to the number of arcs");
        }
        let column_indices: Vec<VertexId> = self.array(1, arcs.clone())?;
        if column_indices.iter().any(|&end| end as usize >= self.n_vertices()) {
            return wrong("an arc ends at a vertex that the graph does not have");
        }
        let size = self.kind().size() as u64;
        let weights = if self.has_equal_weights() { 0..1 } else { arcs };
        let weights: Vec<u8> = self.array(2, weights.start * size..weights.end * size)?;
        let seeks_reverses = self.header.direction == 1;
        let pass = ArcPass { row_offsets: &row_offsets, first_row, seeks_reverses };
        let excess = by_weights!(
            self.header,
            excess_of(&pass, &column_indices, &weights, self.has_equal_weights())
        );
        let Some(excess) = excess else { return wrong("a weight is not finite") };
        Ok(RowRange { row_offsets, column_indices, weights, excess })
    }

    /// These elements of a section.
    fn array<T: bytemuck::Pod>(&self, number: usize, at: Range<u64>) -> Result<Vec<T>, GraphError> {
        let n = (at.end - at.start) as usize;
        ensure_granted(n.saturating_mul(size_of::<T>()))?;
        let mut array = vec![T::zeroed(); n];
        let start = self.header.starts[number] + at.start * size_of::<T>() as u64;
        let read = self.file.read_exact_at(start, bytemuck::cast_slice_mut(&mut array));
        let fail = |source| GraphError::Io { path: self.path.clone(), source };
        read.map(|()| array).map_err(fail)
    }
}

/// The excess of some rows; `None` if a weight is not finite.
fn excess_of<W: Weight>(
    pass: &ArcPass<'_>,
    ends: &[VertexId],
    weights: &[u8],
    are_equal: bool,
) -> Option<u64> {
    let weights: Vec<W> = super::copied(weights);
    if weights.iter().any(|weight| !weight.is_finite()) {
        return None;
    }
    let weights = if are_equal { &[] } else { &weights[..] };
    let first = pass.row_offsets[0] as usize;
    Some(if pass.seeks_reverses { pass.excess(first, ends, weights) } else { 0 })
}
