//! Matrices that `starpath apsp` or `closure` has saved, read entry by entry, for a path asks for a
//! few of n², or row by row.
//!
//! Nothing in the files is believed before it was compared with their size.

use std::fs::File;
use std::io::{ErrorKind, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use anyhow::{anyhow, bail};
use graph_formats::{Ids, VertexId};
use paths::NextHops;

use crate::output::ids_path;
use crate::plot::heat::Rows;
use crate::report::Number;

/// Bytes that the description of a square matrix may have; those written have 128.
const LONGEST_HEADER: u64 = 4096;

/// What the entries of a matrix are, all of them little-endian.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Bool,
    U16,
    U32,
    U64,
    I64,
    F32,
    F64,
}

impl Kind {
    /// Each with its name in the file, its size, and its name in messages.
    const ALL: [(Self, &str, usize, &str); 7] = [
        (Self::Bool, "|b1", 1, "booleans"),
        (Self::U16, "<u2", 2, "u16"),
        (Self::U32, "<u4", 4, "u32"),
        (Self::U64, "<u8", 8, "u64"),
        (Self::I64, "<i8", 8, "i64"),
        (Self::F32, "<f4", 4, "f32"),
        (Self::F64, "<f8", 8, "f64"),
    ];
}

/// A square matrix in an .npy file.
struct Matrix {
    path: PathBuf,
    file: File,
    /// Where the first entry is.
    start: u64,
    n: usize,
    kind: Kind,
    size: usize,
}

impl Matrix {
    /// Opens a matrix of one of these kinds.
    fn open(path: &Path, kinds: &[Kind]) -> anyhow::Result<Self> {
        let shown = path.display();
        let failed = |error: std::io::Error| anyhow!("{shown}: {error}");
        let mut file = File::open(path).map_err(failed)?;
        let length = file.metadata().map_err(failed)?.len();
        let mut opening = Vec::new();
        (&mut file).take(LONGEST_HEADER).read_to_end(&mut opening).map_err(failed)?;
        let Some((header, start)) = header(&opening) else {
            bail!("{shown}: this is no .npy file; expected one that starpath has written");
        };
        let Some((descr, n)) = square(header) else {
            bail!("{shown}: this is no square matrix, row by row; the file has {}", header.trim());
        };
        let known = Kind::ALL.iter().filter(|kind| kinds.contains(&kind.0));
        let Some(&(kind, _, size, _)) = known.clone().find(|kind| kind.1 == descr) else {
            let names: Vec<_> = known.map(|kind| kind.3).collect();
            bail!("{shown}: its entries are {descr:?}; expected {}", names.join(" or "));
        };
        // sides beyond 64 bits of entries saturate: no file is as long
        let expected = n.saturating_mul(n).saturating_mul(size as u64).saturating_add(start);
        if length != expected || n > u64::from(VertexId::MAX) {
            bail!("{shown}: {length} bytes; {n} vertices take {expected}");
        }
        Ok(Self { path: path.to_owned(), file, start, n: n as usize, kind, size })
    }

    /// The bytes of an entry, and zeros after them.
    fn entry(&mut self, from: VertexId, to: VertexId) -> anyhow::Result<[u8; 8]> {
        let mut bytes = [0; 8];
        let size = self.size;
        self.read_at(self.place(from, to), &mut bytes[..size])?;
        Ok(bytes)
    }

    /// Where in the file an entry starts.
    fn place(&self, from: VertexId, to: VertexId) -> u64 {
        let place = u64::from(from) * self.n as u64 + u64::from(to);
        self.start + place * self.size as u64
    }

    fn read_at(&mut self, place: u64, bytes: &mut [u8]) -> anyhow::Result<()> {
        let read = self.file.seek(SeekFrom::Start(place));
        read.and_then(|_| self.file.read_exact(bytes))
            .map_err(|error| anyhow!("{}: {error}", self.path.display()))
    }

    /// The distance that an entry is, `None` where there is no path.
    fn distance(&self, bytes: [u8; 8]) -> anyhow::Result<Option<Number>> {
        let [a, b, c, d, ..] = bytes;
        let integer =
            |value: i128, none: i128| Some(Number::Integer(value)).filter(|_| value != none);
        let float = match self.kind {
            Kind::Bool if a > 1 => {
                bail!("{}: an entry is {a}, which is no boolean", self.path.display())
            }
            Kind::Bool => return Ok((a == 1).then_some(Number::Integer(1))),
            Kind::I64 => return Ok(integer(i64::from_le_bytes(bytes).into(), i64::MAX.into())),
            Kind::F32 => f32::from_le_bytes([a, b, c, d]).into(),
            Kind::F64 => f64::from_le_bytes(bytes),
            _ => return Ok(integer(u64::from_le_bytes(bytes).into(), u64::MAX.into())),
        };
        if float.is_nan() || float == f64::NEG_INFINITY {
            bail!("{}: an entry is {float}, which is no distance", self.path.display());
        }
        Ok(Some(Number::Float(float)).filter(|_| float != f64::INFINITY))
    }
}

/// The description of an array, and where its entries start.
fn header(opening: &[u8]) -> Option<(&str, u64)> {
    let rest = opening.strip_prefix(b"\x93NUMPY")?;
    let (length, rest) = match rest {
        [1, _, a, b, rest @ ..] => (usize::from(u16::from_le_bytes([*a, *b])), rest),
        [2 | 3, _, a, b, c, d, rest @ ..] => {
            (usize::try_from(u32::from_le_bytes([*a, *b, *c, *d])).ok()?, rest)
        }
        _ => return None,
    };
    let text = std::str::from_utf8(rest.get(..length)?).ok()?;
    Some((text, (opening.len() - rest.len() + length) as u64))
}

/// The type of the entries of a square matrix, and its side.
fn square(header: &str) -> Option<(&str, u64)> {
    let value = |key: &str| Some(header.split_once(key)?.1.trim_start().strip_prefix(':')?.trim());
    let (descr, _) = value("'descr'")?.strip_prefix('\'')?.split_once('\'')?;
    if !value("'fortran_order'")?.starts_with("False") {
        return None;
    }
    let (shape, _) = value("'shape'")?.strip_prefix('(')?.split_once(')')?;
    let (rows, columns) = shape.split_once(',')?;
    let side: u64 = rows.trim().parse().ok()?;
    (columns.trim().parse() == Ok(side)).then_some((descr, side))
}

/// The distances of all pairs.
pub(crate) struct SavedDistances(Matrix);

impl SavedDistances {
    pub(crate) fn open(path: &Path) -> anyhow::Result<Self> {
        Matrix::open(path, &[Kind::U64, Kind::I64, Kind::F32, Kind::F64]).map(Self)
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

/// A matrix of distances or a closure, read row by row.
pub(crate) struct SavedMatrix(Matrix);

impl SavedMatrix {
    pub(crate) fn open(path: &Path) -> anyhow::Result<Self> {
        let kinds = [Kind::Bool, Kind::U64, Kind::I64, Kind::F32, Kind::F64];
        Matrix::open(path, &kinds).map(Self)
    }

    /// Whether its entries say no more than that there is a path.
    pub(crate) fn is_closure(&self) -> bool {
        self.0.kind == Kind::Bool
    }

    /// Whether its distances are integers.
    pub(crate) fn is_whole(&self) -> bool {
        matches!(self.0.kind, Kind::U64 | Kind::I64)
    }
}

impl Rows for SavedMatrix {
    fn n_vertices(&self) -> usize {
        self.0.n
    }

    fn read(&mut self, source: VertexId, row: &mut Vec<Option<f64>>) -> anyhow::Result<()> {
        let matrix = &mut self.0;
        let mut bytes = vec![0; matrix.n * matrix.size];
        matrix.read_at(matrix.place(source, 0), &mut bytes)?;
        row.clear();
        for entry in bytes.chunks_exact(matrix.size) {
            let mut padded = [0; 8];
            padded[..matrix.size].copy_from_slice(entry);
            row.push(matrix.distance(padded)?.map(Number::to_f64));
        }
        Ok(())
    }
}

/// The next hops of all pairs.
pub(crate) struct SavedHops(Matrix);

impl SavedHops {
    pub(crate) fn open(path: &Path) -> anyhow::Result<Self> {
        let matrix = Matrix::open(path, &[Kind::U16, Kind::U32])?;
        if NextHops::is_narrow(matrix.n) != (matrix.kind == Kind::U16) {
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
        let (hop, none) = match self.0.kind {
            Kind::U16 => (u16::from_le_bytes([a, b]).into(), u16::MAX.into()),
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
    let paths = [ids_path(hops), ids_path(distances)];
    let [of_hops, of_distances] = [read_if_there(&paths[0])?, read_if_there(&paths[1])?];
    let ids = match &of_hops {
        Some(text) => parse_ids(&paths[0], text, n_vertices)?,
        None => Ids::FromZero,
    };
    if of_distances.is_some() && of_distances != of_hops {
        let [hops, distances] = paths.map(|path| path.display().to_string());
        bail!("{distances} and {hops} differ; give two files of one run");
    }
    Ok(ids)
}

/// The names of the vertices of one saved matrix: those beside it, or numbers.
pub(crate) fn ids_beside(matrix: &Path, n_vertices: usize) -> anyhow::Result<Ids> {
    let path = ids_path(matrix);
    match read_if_there(&path)? {
        Some(text) => parse_ids(&path, &text, n_vertices),
        None => Ok(Ids::FromZero),
    }
}

fn read_if_there(path: &Path) -> anyhow::Result<Option<String>> {
    match std::fs::read_to_string(path) {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(anyhow!("{}: {error}", path.display())),
    }
}

/// Names as they were written, one a line: numbers if all are, else words.
fn parse_ids(path: &Path, text: &str, n_vertices: usize) -> anyhow::Result<Ids> {
    let shown = path.display();
    let lines: Vec<&str> = text.lines().collect();
    if lines.len() != n_vertices {
        let found = lines.len();
        bail!("{shown}: {found} ids for {n_vertices} vertices; it must be of the same run");
    }
    let number = |line: &&str| line.parse().ok().filter(|n: &u64| n.to_string() == *line);
    let numbers: Option<Vec<u64>> = lines.iter().map(number).collect();
    if let Some(numbers) = numbers.filter(|numbers| numbers.is_sorted_by(|a, b| a < b)) {
        let is_counted = numbers.iter().copied().eq(1..=n_vertices as u64);
        return Ok(if is_counted { Ids::FromOne } else { Ids::Listed(numbers) });
    }
    if let Some(at) = lines.iter().position(|line| line.is_empty()) {
        bail!("{shown}:{}: expected an id, found an empty line", at + 1);
    }
    if let Some(at) = lines.windows(2).position(|pair| pair[0] >= pair[1]) {
        let (line, id) = (at + 2, lines[at + 1]);
        bail!("{shown}:{line}: {id} is not greater than the id before it");
    }
    Ok(Ids::Words(lines.into_iter().collect()))
}
