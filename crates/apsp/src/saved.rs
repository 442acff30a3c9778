//! Matrices of all pairs in files (.npy), read entry by entry, because a path needs a few
//! of n², or row by row.
//!
//! The size that a file claims is compared with its length before it is used.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use bytemuck::cast_slice_mut;
use graph_formats::npy::{Dtype, Header, Scalar};
use graph_formats::{VertexId, Weight, tell};
use paths::{DistanceTable, NextHops, Number};
use sssp::Progress;

use crate::ApspError;
use crate::pairs::Table;

/// Why a saved matrix cannot be read.
#[derive(Debug, thiserror::Error)]
#[error("{}: {problem}", path.display())]
pub struct SavedError {
    /// The file.
    pub path: PathBuf,
    /// What is wrong with the file.
    pub problem: SavedProblem,
}

/// What is wrong with a file.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "each has what its message says")]
#[non_exhaustive]
pub enum SavedProblem {
    #[error(transparent)]
    Io(#[from] io::Error),
    #[error("this is not a .npy file; expected one that starpath has written")]
    NotNpy,
    #[error("expected a square matrix, row by row; the file has {header}")]
    NotSquare { header: String },
    #[error("its entries are of type {found}; expected {expected}")]
    OtherType { found: String, expected: String },
    #[error("the file has {found} bytes; a matrix of {n_vertices} vertices has {expected}")]
    Length { found: u64, n_vertices: u64, expected: u64 },
    #[error("expected next hops of type u16, or u32 from 65535 vertices on")]
    HopsOfOtherWidth,
    #[error("an entry is {entry}, which is not a {what}")]
    NoDistance { entry: f64, what: &'static str },
    #[error("an entry is {hop}, but the matrix has {n_vertices} vertices, numbered from 0")]
    NoHop { hop: VertexId, n_vertices: usize },
    #[error(
        "vertex {vertex} was asked for, but the matrix has {n_vertices} vertices, numbered from 0"
    )]
    NoVertex { vertex: VertexId, n_vertices: usize },
}

/// A square matrix in an .npy file, as [`Pairs::write_npy`](crate::Pairs::write_npy) writes it.
///
/// ```
/// use apsp::any::SavedMatrix;
/// use apsp::{Config, Solver};
/// use graph_formats::Csr;
/// use graph_formats::npy::Dtype;
/// use paths::Number;
///
/// let graph = Csr::from_arcs(3, &[(0, 1, 4u32), (1, 2, 3)])?;
/// let pairs = Solver::new(&graph, &Config::default()).solve(None)?;
/// let path = tempfile::tempdir()?.keep().join("pairs.npy");
/// pairs.write_npy(&mut std::fs::File::create(&path)?, None)?;
///
/// let mut saved = SavedMatrix::open(&path, &[Dtype::U64])?;
/// assert_eq!(saved.distance(0, 2)?, Some(Number::U64(7)));
/// assert_eq!(saved.distance(2, 0)?, None);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct SavedMatrix {
    path: PathBuf,
    file: File,
    /// The offset of the first entry in the file.
    start: u64,
    n_vertices: usize,
    dtype: Dtype,
}

impl SavedMatrix {
    /// Opens a matrix whose entries are of one of these types.
    ///
    /// # Errors
    /// When the file cannot be read or holds anything else.
    pub fn open(path: &Path, dtypes: &[Dtype]) -> Result<Self, SavedError> {
        let opened = Self::opened(path, dtypes);
        opened.map_err(|problem| SavedError { path: path.to_owned(), problem })
    }

    /// Opens a matrix of next hops.
    ///
    /// # Errors
    /// As [`open`](Self::open).
    pub fn open_hops(path: &Path) -> Result<Self, SavedError> {
        let matrix = Self::open(path, &[Dtype::U16, Dtype::U32])?;
        match NextHops::is_narrow(matrix.n_vertices) == (matrix.dtype == Dtype::U16) {
            true => Ok(matrix),
            false => Err(matrix.error(SavedProblem::HopsOfOtherWidth)),
        }
    }

    fn opened(path: &Path, dtypes: &[Dtype]) -> Result<Self, SavedProblem> {
        let mut file = File::open(path)?;
        let found = file.metadata()?.len();
        let header = Header::read(&mut file)?.ok_or(SavedProblem::NotNpy)?;
        let (descr, n) = match header.layout() {
            Some((descr, shape)) if matches!(shape[..], [n, columns] if n == columns) => {
                (descr, shape[0])
            }
            _ => {
                let header = header.text.trim().to_owned();
                return Err(SavedProblem::NotSquare { header });
            }
        };
        let Some(dtype) = Dtype::of(descr).filter(|dtype| dtypes.contains(dtype)) else {
            let names: Vec<_> = dtypes.iter().map(Dtype::to_string).collect();
            let (found, expected) = (descr.to_owned(), names.join(" or "));
            return Err(SavedProblem::OtherType { found, expected });
        };
        let (start, size) = (header.start, dtype.size() as u64);
        // sides beyond 64 bits of entries saturate: no file is as long
        let expected = n.saturating_mul(n).saturating_mul(size).saturating_add(start);
        if found != expected || n > u64::from(VertexId::MAX) {
            return Err(SavedProblem::Length { found, n_vertices: n, expected });
        }
        Ok(Self { path: path.to_owned(), file, start, n_vertices: n as usize, dtype })
    }

    /// The number of vertices, which is that of rows and columns.
    pub fn n_vertices(&self) -> usize {
        self.n_vertices
    }

    /// The type of the entries.
    pub fn dtype(&self) -> Dtype {
        self.dtype
    }

    /// The distance of a pair, or 1 for a pair of a closure; `None` if there is no path.
    ///
    /// # Errors
    /// When a vertex is not one of the matrix, or when the file cannot be read or has a wrong
    /// entry.
    pub fn distance(&mut self, from: VertexId, to: VertexId) -> Result<Option<Number>, SavedError> {
        let bytes = self.entry(from, to)?;
        self.number(bytes)
    }

    /// The distances from a vertex to all.
    ///
    /// # Errors
    /// As [`distance`](Self::distance).
    pub fn row(&mut self, from: VertexId) -> Result<Vec<Option<Number>>, SavedError> {
        let size = self.dtype.size();
        let mut bytes = vec![0; self.n_vertices * size];
        self.read_at(from, 0, &mut bytes)?;
        let number = |entry: &[u8]| {
            let mut padded = [0; 8];
            padded[..size].copy_from_slice(entry);
            self.number(padded)
        };
        bytes.chunks_exact(size).map(number).collect()
    }

    /// All distances, whose type must be that of the entries. Whether they are distances is not
    /// checked. `progress` counts rows.
    pub(crate) fn table<W: Weight>(
        &mut self,
        progress: Option<Progress<'_>>,
    ) -> Result<DistanceTable<W>, ApspError> {
        assert_eq!(self.dtype, W::Distance::DTYPE, "the file was opened for this type");
        let n = self.n_vertices;
        let mut table = Table::<W>::new(n, n)?;
        for (from, row) in table.rows(1).into_iter().enumerate() {
            tell(progress, from as u64, n as u64)?;
            self.read_at(from as VertexId, 0, cast_slice_mut(row))?;
        }
        Ok(table.finish())
    }

    /// The vertex after `from` on a path to `to`; `None` if there is no path.
    ///
    /// # Errors
    /// As [`distance`](Self::distance).
    pub fn hop(&mut self, from: VertexId, to: VertexId) -> Result<Option<VertexId>, SavedError> {
        let [a, b, c, d, ..] = self.entry(from, to)?;
        let (hop, none) = match self.dtype {
            Dtype::U16 => (u16::from_le_bytes([a, b]).into(), u16::MAX.into()),
            _ => (u32::from_le_bytes([a, b, c, d]), u32::MAX),
        };
        let n_vertices = self.n_vertices;
        if hop != none && hop as usize >= n_vertices {
            return Err(self.error(SavedProblem::NoHop { hop, n_vertices }));
        }
        Ok(Some(hop).filter(|_| hop != none))
    }

    /// The bytes of an entry, and zeros after them.
    fn entry(&mut self, from: VertexId, to: VertexId) -> Result<[u8; 8], SavedError> {
        let mut bytes = [0; 8];
        self.read_at(from, to, &mut bytes[..self.dtype.size()])?;
        Ok(bytes)
    }

    /// Reads the bytes of the file from an entry on.
    fn read_at(
        &mut self,
        from: VertexId,
        to: VertexId,
        bytes: &mut [u8],
    ) -> Result<(), SavedError> {
        let n_vertices = self.n_vertices;
        if let Some(vertex) = [from, to].into_iter().find(|&vertex| vertex as usize >= n_vertices) {
            return Err(self.error(SavedProblem::NoVertex { vertex, n_vertices }));
        }
        let place = u64::from(from) * self.n_vertices as u64 + u64::from(to);
        let read = self.file.seek(SeekFrom::Start(self.start + place * self.dtype.size() as u64));
        let read = read.and_then(|_| self.file.read_exact(bytes));
        read.map_err(|error| self.error(error.into()))
    }

    /// The entry as a distance.
    fn number(&self, bytes: [u8; 8]) -> Result<Option<Number>, SavedError> {
        let [a, b, c, d, ..] = bytes;
        let number = match self.dtype {
            Dtype::Bool if a > 1 => {
                let (entry, what) = (a.into(), "boolean");
                return Err(self.error(SavedProblem::NoDistance { entry, what }));
            }
            Dtype::Bool => (a == 1).then_some(Number::U64(1)),
            Dtype::I64 => Number::of_stored(i64::from_le_bytes(bytes)),
            Dtype::F32 => Number::of_stored(f32::from_le_bytes([a, b, c, d])),
            Dtype::F64 => Number::of_stored(f64::from_le_bytes(bytes)),
            _ => Number::of_stored(u64::from_le_bytes(bytes)),
        };
        match number.map(Number::to_f64) {
            Some(entry) if entry.is_nan() || entry == f64::NEG_INFINITY => {
                Err(self.error(SavedProblem::NoDistance { entry, what: "distance" }))
            }
            _ => Ok(number),
        }
    }

    fn error(&self, problem: SavedProblem) -> SavedError {
        SavedError { path: self.path.clone(), problem }
    }
}
