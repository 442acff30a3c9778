//! An `.spg` file that several processes write, each some of the rows.

use std::fs::{File, OpenOptions};
use std::path::{Path, PathBuf};

use crc32fast::Hasher;
use positioned_io::WriteAt;

use super::{ALIGNMENT, HEADER_BYTES, Header, RowRange, Shape, VERSION_WITHOUT, WEIGHTS};
use crate::{Direction, GraphError, WeightKind};

/// What all writers of a file must agree on. Vertices are named from zero.
#[derive(Clone, Copy, Debug)]
pub struct SpgShape {
    /// The type of the weights.
    pub kind: WeightKind,
    /// Whether each arc has its reverse.
    pub direction: Direction,
    /// Whether all arcs have the same positive weight, which is then stored once.
    pub has_equal_weights: bool,
    /// The number of vertices.
    pub n_vertices: u64,
    /// The number of arcs.
    pub n_arcs: u64,
}

/// The checksum and the number of bytes of what was written to each of three sections.
pub type SpgSums = [[u64; 2]; 3];

/// An `.spg` file into which a process writes rows while others write other rows.
///
/// The file becomes readable when one of the writers [finishes](Self::finish) it.
///
/// ```
/// use graph_formats::{Direction, RowRange, SpgParts, SpgRows, SpgShape, WeightKind};
///
/// let folder = tempfile::tempdir()?;
/// let path = folder.path().join("path.spg");
/// std::fs::File::create(&path)?;
/// let (kind, direction) = (WeightKind::U32, Direction::Directed);
/// let shape =
///     SpgShape { kind, direction, has_equal_weights: false, n_vertices: 3, n_arcs: 2 };
/// let mut file = SpgParts::open(&path, shape)?;
/// let [first, second] = [(vec![0, 1], 1, 7), (vec![1, 2, 2], 2, 9)].map(|(row_offsets, to, w)| {
///     let weights = vec![w, 0, 0, 0];
///     RowRange { row_offsets, column_indices: vec![to], weights, excess: 0 }
/// });
/// let sums = [file.write(0, &first)?, file.write(1, &second)?];
/// file.finish(&sums)?;
/// assert_eq!(graph_formats::read(&path)?.csr.n_arcs(), 2);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct SpgParts {
    path: PathBuf,
    file: File,
    shape: Shape,
    header: Header,
}

impl SpgParts {
    /// Opens a file that exists.
    ///
    /// # Errors
    /// When it cannot be written, or no file can hold the graph.
    pub fn open(path: &Path, shape: SpgShape) -> Result<Self, GraphError> {
        let fail = |source| GraphError::Io { path: path.to_path_buf(), source };
        let file = OpenOptions::new().write(true).open(path).map_err(fail)?;
        let weights = WEIGHTS.iter().position(|&(kind, _)| kind == shape.kind);
        let shape = Shape {
            version: VERSION_WITHOUT,
            weights: weights.expect("all are listed") as u8,
            direction: u8::from(shape.direction == Direction::Undirected),
            names: 0,
            equal: shape.has_equal_weights.into(),
            n_vertices: shape.n_vertices,
            n_arcs: shape.n_arcs,
            names_bytes: 0,
            attachment: None,
            body_checksum: 0,
        };
        let too_large = || fail(std::io::ErrorKind::FileTooLarge.into());
        let header = shape.header().ok_or_else(too_large)?;
        Ok(Self { path: path.to_path_buf(), file, shape, header })
    }

    /// Writes the rows from vertex `first` on, at least one unless the graph has none. Where all
    /// weights are equal, one is enough. On the disk once it returns. O(rows + arcs).
    ///
    /// # Errors
    /// When they cannot be written.
    pub fn write(&mut self, first: u64, rows: &RowRange) -> Result<SpgSums, GraphError> {
        let n_rows = rows.row_offsets.len() - 1;
        let is_last = first + n_rows as u64 == self.shape.n_vertices;
        // where a row ends, the next one starts
        let offsets = &rows.row_offsets[..n_rows + usize::from(is_last)];
        let (at, size) = (rows.row_offsets[0], WEIGHTS[usize::from(self.shape.weights)].1);
        let (weights, weights_at) = match (self.shape.equal, first) {
            (0, _) => (&rows.weights[..], at * size),
            (_, 0) => (&rows.weights[..size as usize], 0),
            _ => (&[][..], 0),
        };
        let sums = [
            self.put(0, 8 * first, bytemuck::cast_slice(offsets))?,
            self.put(1, 4 * at, bytemuck::cast_slice(&rows.column_indices))?,
            self.put(2, weights_at, weights)?,
        ];
        self.file.sync_all().map_err(|error| self.error(error))?;
        Ok(sums)
    }

    /// Makes the file readable, once all rows are written: with the sums of all writers in the order
    /// of their rows.
    ///
    /// # Errors
    /// When the header cannot be written.
    pub fn finish(&mut self, sums: &[SpgSums]) -> Result<(), GraphError> {
        let (mut body, mut end) = (Hasher::new(), HEADER_BYTES as u64);
        for (section, start) in self.header.starts.into_iter().enumerate() {
            body.update(&[0; ALIGNMENT as usize][..(start - end) as usize]);
            end = start;
            for [sum, bytes] in sums.iter().filter_map(|sums| sums.get(section)) {
                body.combine(&Hasher::new_with_initial_len(*sum as u32, *bytes));
                end += bytes;
            }
        }
        let shape = Shape { body_checksum: body.finalize(), ..self.shape };
        let header = shape.header().expect("as without a checksum");
        let finished = self.file.set_len(header.file_bytes);
        let finished =
            finished.and_then(|()| self.file.write_all_at(0, bytemuck::bytes_of(&header)));
        finished.map_err(|error| self.error(error))
    }

    /// Writes these bytes of a section.
    fn put(&mut self, section: usize, at: u64, bytes: &[u8]) -> Result<[u64; 2], GraphError> {
        let written = self.file.write_all_at(self.header.starts[section] + at, bytes);
        written.map_err(|error| self.error(error))?;
        Ok([crc32fast::hash(bytes).into(), bytes.len() as u64])
    }

    fn error(&self, source: std::io::Error) -> GraphError {
        GraphError::Io { path: self.path.clone(), source }
    }
}
