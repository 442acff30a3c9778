//! Matrices that `starpath apsp` or `closure` has saved, read entry by entry, for a path asks for a
//! few of n², or row by row.
//!
//! Nothing in the files is believed before it was compared with their size.

use std::borrow::Cow;
use std::fs::File;
use std::io::{ErrorKind, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use anyhow::{anyhow, bail};
use graph_formats::npy::{Dtype, Header};
use graph_formats::{Ids, VertexId, id_of_line};
use paths::{NextHops, Number};

use crate::numbers::read_text;
use crate::output::ids_path;

/// A square matrix in an .npy file.
pub(crate) struct Matrix {
    path: PathBuf,
    file: File,
    /// Where the first entry is.
    start: u64,
    pub(crate) n: usize,
    pub(crate) dtype: Dtype,
}

impl Matrix {
    /// Opens a matrix whose entries are of one of these types.
    pub(crate) fn open(path: &Path, dtypes: &[Dtype]) -> anyhow::Result<Self> {
        let shown = path.display();
        let failed = |error: std::io::Error| anyhow!("{shown}: {error}");
        let mut file = File::open(path).map_err(failed)?;
        let length = file.metadata().map_err(failed)?.len();
        let Some(header) = Header::read(&mut file).map_err(failed)? else {
            bail!("{shown}: this is no .npy file; expected one that starpath has written");
        };
        let (descr, n) = match header.layout() {
            Some((descr, shape)) if matches!(shape[..], [n, columns] if n == columns) => {
                (descr, shape[0])
            }
            _ => {
                let text = header.text.trim();
                bail!("{shown}: this is no square matrix, row by row; the file has {text}");
            }
        };
        let Some(dtype) = Dtype::of(descr).filter(|dtype| dtypes.contains(dtype)) else {
            let names: Vec<_> = dtypes.iter().map(Dtype::to_string).collect();
            bail!("{shown}: its entries are {descr:?}; expected {}", names.join(" or "));
        };
        let (start, size) = (header.start, dtype.size() as u64);
        // sides beyond 64 bits of entries saturate: no file is as long
        let expected = n.saturating_mul(n).saturating_mul(size).saturating_add(start);
        if length != expected || n > u64::from(VertexId::MAX) {
            bail!("{shown}: {length} bytes; {n} vertices take {expected}");
        }
        Ok(Self { path: path.to_owned(), file, start, n: n as usize, dtype })
    }

    /// The bytes of an entry, and zeros after them.
    fn entry(&mut self, from: VertexId, to: VertexId) -> anyhow::Result<[u8; 8]> {
        let mut bytes = [0; 8];
        self.read_at(from, to, &mut bytes[..self.dtype.size()])?;
        Ok(bytes)
    }

    /// Reads the bytes of the file from an entry on.
    pub(crate) fn read_at(
        &mut self,
        from: VertexId,
        to: VertexId,
        bytes: &mut [u8],
    ) -> anyhow::Result<()> {
        let place = u64::from(from) * self.n as u64 + u64::from(to);
        let read = self.file.seek(SeekFrom::Start(self.start + place * self.dtype.size() as u64));
        read.and_then(|_| self.file.read_exact(bytes))
            .map_err(|error| anyhow!("{}: {error}", self.path.display()))
    }

    /// The distance that an entry is, `None` where there is no path.
    pub(crate) fn distance(&self, bytes: [u8; 8]) -> anyhow::Result<Option<Number>> {
        let [a, b, c, d, ..] = bytes;
        let number = match self.dtype {
            Dtype::Bool if a > 1 => {
                bail!("{}: an entry is {a}, which is no boolean", self.path.display())
            }
            Dtype::Bool => (a == 1).then_some(Number::U64(1)),
            Dtype::I64 => Number::of_stored(i64::from_le_bytes(bytes)),
            Dtype::F32 => Number::of_stored(f32::from_le_bytes([a, b, c, d])),
            Dtype::F64 => Number::of_stored(f64::from_le_bytes(bytes)),
            _ => Number::of_stored(u64::from_le_bytes(bytes)),
        };
        match number.map(Number::to_f64) {
            Some(float) if float.is_nan() || float == f64::NEG_INFINITY => {
                bail!("{}: an entry is {float}, which is no distance", self.path.display())
            }
            _ => Ok(number),
        }
    }
}

/// The distances of all pairs.
pub(crate) struct SavedDistances(Matrix);

impl SavedDistances {
    pub(crate) fn open(path: &Path) -> anyhow::Result<Self> {
        Matrix::open(path, &[Dtype::U64, Dtype::I64, Dtype::F32, Dtype::F64]).map(Self)
    }

    pub(crate) fn n_vertices(&self) -> usize {
        self.0.n
    }

    /// `None` where there is no path.
    pub(crate) fn get(&mut self, from: VertexId, to: VertexId) -> anyhow::Result<Option<Number>> {
        let bytes = self.0.entry(from, to)?;
        self.0.distance(bytes)
    }
}

/// The next hops of all pairs.
pub(crate) struct SavedHops(Matrix);

impl SavedHops {
    pub(crate) fn open(path: &Path) -> anyhow::Result<Self> {
        let matrix = Matrix::open(path, &[Dtype::U16, Dtype::U32])?;
        if NextHops::is_narrow(matrix.n) != (matrix.dtype == Dtype::U16) {
            let shown = path.display();
            bail!("{shown}: next hops are u16 below 65535 vertices, and else u32");
        }
        Ok(Self(matrix))
    }

    pub(crate) fn n_vertices(&self) -> usize {
        self.0.n
    }

    /// `None` where no path leads on.
    pub(crate) fn get(&mut self, from: VertexId, to: VertexId) -> anyhow::Result<Option<VertexId>> {
        let [a, b, c, d, ..] = self.0.entry(from, to)?;
        let (hop, none) = match self.0.dtype {
            Dtype::U16 => (u16::from_le_bytes([a, b]).into(), u16::MAX.into()),
            _ => (u32::from_le_bytes([a, b, c, d]), u32::MAX),
        };
        if hop != none && hop as usize >= self.0.n {
            let (shown, n) = (self.0.path.display(), self.0.n);
            bail!("{shown}: an entry is {hop}, not among the vertices 0..{n}");
        }
        Ok(Some(hop).filter(|_| hop != none))
    }
}

/// The names of the vertices of saved matrices: those beside the next hops, and the same beside
/// the distances, if any are there.
pub(crate) fn saved_ids(distances: &Path, hops: &Path, n_vertices: usize) -> anyhow::Result<Ids> {
    let ids = ids_beside(hops, n_vertices)?;
    let of_distances = ids_path(distances);
    if of_distances.exists() && ids_beside(distances, n_vertices)? != ids {
        let (distances, hops) = (of_distances.display(), ids_path(hops));
        bail!("{distances} and {} differ; give two files of one run", hops.display());
    }
    Ok(ids)
}

/// The names of the vertices of one saved matrix: those beside it, or numbers.
pub(crate) fn ids_beside(matrix: &Path, n_vertices: usize) -> anyhow::Result<Ids> {
    let path = ids_path(matrix);
    match read_text(&path) {
        Ok(text) => parse_ids(&path, &text, n_vertices),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(Ids::FromZero),
        Err(error) => Err(anyhow!("{}: {error}", path.display())),
    }
}

/// Names as they were written, one a line: numbers if all are, else words.
fn parse_ids(path: &Path, text: &str, n_vertices: usize) -> anyhow::Result<Ids> {
    let shown = path.display();
    let lines: Vec<_> = text.lines().map(id_of_line).collect();
    if lines.len() != n_vertices {
        let found = lines.len();
        bail!("{shown}: {found} ids for {n_vertices} vertices; it must be of the same run");
    }
    let number = |line: &Cow<'_, str>| line.parse().ok().filter(|n: &u64| n.to_string() == *line);
    let numbers: Option<Vec<u64>> = lines.iter().map(number).collect();
    if let Some(numbers) = numbers.filter(|numbers| numbers.is_sorted_by(|a, b| a < b)) {
        let is_counted = numbers.iter().copied().eq(1..=n_vertices as u64);
        return Ok(if is_counted { Ids::FromOne } else { Ids::Listed(numbers) });
    }
    if let Some(at) = lines.iter().position(|line| line.is_empty()) {
        bail!("{shown}:{}: expected an id, found an empty line", at + 1);
    }
    if let Some(at) = lines.windows(2).position(|pair| pair[0] >= pair[1]) {
        let (line, id) = (at + 2, &lines[at + 1]);
        bail!("{shown}:{line}: {id} is not greater than the id before it");
    }
    Ok(Ids::Words(lines.iter().map(|line| &**line).collect()))
}
