//! This project's own binary format, `.spg`: the arrays of a [`Csr`] as they are in
//! memory, so that a file is read or mapped, checked, and used where it lies.
//!
//! All numbers are little-endian. The header takes 128 bytes:
//!
//! | byte | type | content |
//! | --- | --- | --- |
//! | 0 | 8 bytes | `89 53 50 47 0D 0A 1A 0A`: text-mode copies damage it visibly |
//! | 8 | `u32` | version, 3; 4 with an attachment |
//! | 12 | `u8` | weights: 0 `u32`, 1 `i32`, 2 `u64`, 3 `i64`, 4 `f32`, 5 `f64` |
//! | 13 | `u8` | 0 directed, 1 undirected |
//! | 14 | `u8` | names: 0 from zero, 1 from one, 2 listed, 3 words |
//! | 15 | `u8` | 1 where all arcs weigh the same, else 0 |
//! | 16 | `u64` | n, the number of vertices |
//! | 24 | `u64` | m, the number of arcs |
//! | 32 | 4 × `u64` | where the row offsets, column indices, weights and names start |
//! | 64 | `u64` | length of the file |
//! | 72 | `u32` | CRC-32 (that of gzip) of all bytes after the header |
//! | 76 | `u32` | 0 |
//! | 80 | `u64` | length of the names |
//! | 88 | 3 × `u64` | the kind of the attachment, where it starts, its length; else 0 |
//! | 112 | `u64` | 0 |
//! | 120 | `u64` | FNV-1a checksum of the bytes before |
//!
//! The sections follow in that order, each from the next multiple of 64 on, with zeros between.
//! They are n + 1 offsets (`u64`), m column indices (`u32`), and m weights or the one that all arcs
//! have. If names are listed, they are n numbers (`u64`, ascending); words are n ends (`u64`) and
//! then their text. The starts follow from n, m, the types and the length of the names; the header
//! has them for other readers, and they must agree.
//!
//! An attachment is data that another program has made from the graph. It is the last section;
//! eight characters name its kind.
//!
//! Files of versions 1 and 2 are read too: their weights are always m, and those of version 1
//! have zeros from byte 72 to 119, no checksum after the header, and no words.
//!
//! Reading takes O(n + m), in parallel, checks included; mapping copies nothing but names. Sums of
//! hashes check that a graph declared undirected is undirected.

/// Calls a function with the type of the weights of a file.
macro_rules! by_weights {
    ($header:expr, $function:ident($($argument:expr),*)) => {
        match WEIGHTS[usize::from($header.weights)].0 {
            WeightKind::U32 => $function::<u32>($($argument),*),
            WeightKind::I32 => $function::<i32>($($argument),*),
            WeightKind::U64 => $function::<u64>($($argument),*),
            WeightKind::I64 => $function::<i64>($($argument),*),
            WeightKind::F32 => $function::<f32>($($argument),*),
            WeightKind::F64 => $function::<f64>($($argument),*),
        }
    };
}

mod parts;
mod rows;

use std::io::{self, Write};
use std::path::Path;

use super::error::malformed;
use super::memory;
use super::pages::{self, Pages, Piece};
use super::source::{PlainFile, Source, copied};
use crate::arc_pass::{ARCS_PER_PART, ArcPass, Found};
use crate::checks::validate_offsets;
use crate::csr::Weights;
use crate::{
    AnyCsr, Attachment, Buffer, Csr, Direction, GraphError, Ids, LoadedGraph, VertexId, Weight,
    WeightKind, Words, parallel,
};

pub use parts::{SpgParts, SpgShape, SpgSums};
pub use rows::{RowRange, SpgRows};

const MAGIC: [u8; 8] = *b"\x89SPG\r\n\x1a\n";
const VERSION: u32 = 4;
/// The version of files without an attachment.
const VERSION_WITHOUT: u32 = 3;
const ALIGNMENT: u64 = 64;
const HEADER_BYTES: usize = 128;

/// The header as it lies in the file.
#[derive(Clone, Copy, Debug, PartialEq, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
struct Header {
    magic: [u8; 8],
    version: u32,
    weights: u8,
    direction: u8,
    names: u8,
    equal: u8,
    n_vertices: u64,
    n_arcs: u64,
    starts: [u64; 4],
    file_bytes: u64,
    body_checksum: u32,
    more_zeros: u32,
    names_bytes: u64,
    attachment: AttachmentPlace,
    zero: u64,
    checksum: u64,
}

/// Where the attachment lies; all zero if there is none.
#[derive(Clone, Copy, Debug, PartialEq, Default, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
struct AttachmentPlace {
    kind: [u8; 8],
    start: u64,
    bytes: u64,
}

/// Weight types by their code, and the bytes of one weight.
const WEIGHTS: [(WeightKind, u64); 6] = [
    (WeightKind::U32, 4),
    (WeightKind::I32, 4),
    (WeightKind::U64, 8),
    (WeightKind::I64, 8),
    (WeightKind::F32, 4),
    (WeightKind::F64, 8),
];

const LISTED: u8 = 2;
const WORDS: u8 = 3;

/// The data that determine a header.
#[derive(Clone, Copy, Debug)]
struct Shape {
    version: u32,
    weights: u8,
    direction: u8,
    names: u8,
    equal: u8,
    n_vertices: u64,
    n_arcs: u64,
    names_bytes: u64,
    attachment: Option<([u8; 8], u64)>,
    body_checksum: u32,
}

impl Shape {
    /// Bytes of each section; `None` if 64 bits cannot count them, or if the length of the names
    /// does not fit their kind.
    fn lengths(self) -> Option<[u64; 4]> {
        let numbers = self.n_vertices.checked_mul(8)?;
        let names = match self.names {
            LISTED if self.version == 1 => numbers,
            LISTED => Some(self.names_bytes).filter(|&bytes| bytes == numbers)?,
            WORDS => Some(self.names_bytes).filter(|&bytes| bytes >= numbers)?,
            _ => Some(self.names_bytes).filter(|&bytes| bytes == 0)?,
        };
        let (_, weight_bytes) = WEIGHTS.get(usize::from(self.weights))?;
        let n_weights = if self.equal == 1 { 1 } else { self.n_arcs };
        Some([
            self.n_vertices.checked_add(1)?.checked_mul(8)?,
            self.n_arcs.checked_mul(4)?,
            n_weights.checked_mul(*weight_bytes)?,
            names,
        ])
    }

    /// The header of such a graph; `None` if no file can hold it.
    fn header(self) -> Option<Header> {
        let mut end = HEADER_BYTES as u64;
        let mut starts = [0; 4];
        for (start, length) in starts.iter_mut().zip(self.lengths()?) {
            *start = end.checked_next_multiple_of(ALIGNMENT)?;
            end = start.checked_add(length)?;
        }
        let mut attachment = AttachmentPlace::default();
        if let Some((kind, bytes)) = self.attachment {
            let start = end.checked_next_multiple_of(ALIGNMENT)?;
            attachment = AttachmentPlace { kind, start, bytes };
            end = start.checked_add(bytes)?;
        }
        let mut header = Header {
            magic: MAGIC,
            version: self.version,
            weights: self.weights,
            direction: self.direction,
            names: self.names,
            equal: self.equal,
            n_vertices: self.n_vertices,
            n_arcs: self.n_arcs,
            starts,
            file_bytes: end,
            body_checksum: self.body_checksum,
            more_zeros: 0,
            names_bytes: self.names_bytes,
            attachment,
            zero: 0,
            checksum: 0,
        };
        header.checksum = header.right_checksum();
        let (kinds, extras) = match self.version {
            1 => (LISTED, (0, 0)),
            _ => (WORDS, (self.names_bytes, self.body_checksum)),
        };
        let same = extras == (self.names_bytes, self.body_checksum);
        let is_known = (self.equal == 0 || (self.equal == 1 && self.version >= 3))
            && self.attachment.is_some() == (self.version >= 4);
        (self.direction <= 1 && self.names <= kinds && is_known && same).then_some(header)
    }
}

impl Header {
    /// Reads the header of a file and checks all of it.
    fn read(path: &Path, bytes: &[u8]) -> Result<Self, GraphError> {
        let wrong = |message: String| Err(malformed(path, message));
        if bytes.len() != HEADER_BYTES {
            return wrong(format!("a header takes {HEADER_BYTES} bytes, not {}", bytes.len()));
        }
        let header: Self = bytemuck::pod_read_unaligned(bytes);
        if header.magic != MAGIC {
            return wrong("the file does not start as an .spg file does".to_owned());
        }
        if !(1..=VERSION).contains(&header.version) {
            let found = header.version;
            return wrong(format!("version {found} of the format; only 1 to {VERSION} are known"));
        }
        if header.checksum != header.right_checksum() {
            return wrong("the header is damaged: its checksum does not match".to_owned());
        }
        if header.shape().header() != Some(header) {
            return wrong("the header's codes or starts are not those of the format".to_owned());
        }
        Ok(header)
    }

    fn shape(&self) -> Shape {
        Shape {
            version: self.version,
            weights: self.weights,
            direction: self.direction,
            names: self.names,
            equal: self.equal,
            n_vertices: self.n_vertices,
            n_arcs: self.n_arcs,
            names_bytes: self.names_bytes,
            attachment: (self.version >= 4)
                .then_some((self.attachment.kind, self.attachment.bytes)),
            body_checksum: self.body_checksum,
        }
    }

    /// FNV-1a of the bytes before the checksum.
    fn right_checksum(&self) -> u64 {
        let bytes = &bytemuck::bytes_of(self)[..HEADER_BYTES - 8];
        bytes.iter().fold(0xCBF2_9CE4_8422_2325, |hash, &byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01B3)
        })
    }
}

/// The sections of a file whose header and length have been checked.
struct Sections<'a> {
    path: &'a Path,
    whole: Buffer<u8>,
    header: Header,
}

impl Sections<'_> {
    /// Where section `number` lies.
    fn place(&self, number: usize) -> (usize, usize) {
        let lengths = self.header.shape().lengths().expect("the header was checked");
        (self.header.starts[number] as usize, lengths[number] as usize)
    }

    fn bytes(&self, number: usize) -> &[u8] {
        let (start, length) = self.place(number);
        &self.whole[start..start + length]
    }

    /// Section `number` as an array where it lies.
    fn array<T: bytemuck::Pod>(&self, number: usize) -> Buffer<T> {
        let (start, length) = self.place(number);
        self.whole.array(start..start + length)
    }

    fn attachment(&self) -> Option<Attachment> {
        let (kind, length) = self.header.shape().attachment?;
        let start = self.header.attachment.start as usize;
        Some(Attachment { kind, bytes: self.whole.array(start..start + length as usize) })
    }

    /// The graph, in which `found` was found.
    fn graph<W: Weight>(&self, found: Found<W>) -> Result<Csr<W>, GraphError> {
        let weights = self.array::<W>(2);
        let weights = match self.header.equal {
            1 => Weights::Equal(weights[0]),
            _ => Weights::Each(weights),
        };
        let reverses_cancel = found.reverses_cancel();
        let graph = Csr::of_pass(self.array(0), self.array(1), weights, found)?;
        match self.header.direction {
            1 => graph.certified_undirected(reverses_cancel),
            _ => Ok(graph),
        }
    }

    fn load<W: Weight>(self, passed: Passed<W>) -> Result<LoadedGraph, GraphError>
    where
        AnyCsr: From<Csr<W>>,
    {
        if self.header.version > 1 && self.header.body_checksum != passed.checksum {
            let message = "the file is damaged: the checksum of its content does not match";
            return Err(malformed(self.path, message.to_owned()));
        }
        let graph = passed.found.and_then(|found| self.graph(found));
        let graph = graph.map_err(|error| malformed(self.path, error.to_string()))?;
        let graph = LoadedGraph::new(graph, ids_of(self.path, &self.header, self.bytes(3))?);
        Ok(LoadedGraph { attachment: self.attachment(), ..graph })
    }
}

/// The names of the vertices, of which a file has this section.
fn ids_of(path: &Path, header: &Header, section: &[u8]) -> Result<Ids, GraphError> {
    let wrong = |message: String| malformed(path, message);
    Ok(match header.names {
        0 => Ids::FromZero,
        1 => Ids::FromOne,
        LISTED => {
            let names: Vec<u64> = copied(section);
            if !names.is_sorted_by(|a, b| a < b) {
                return Err(wrong("the vertices' names do not ascend".to_owned()));
            }
            Ids::Listed(names)
        }
        _ => {
            let (ends, text) = section.split_at(8 * header.n_vertices as usize);
            let text = std::str::from_utf8(text).map_err(|error| wrong(error.to_string()))?;
            let words = Words::new(copied(ends), text.to_owned());
            Ids::Words(words.map_err(|error| wrong(error.to_string()))?)
        }
    })
}

/// What a pass over the bytes after the header found.
struct Passed<W> {
    checksum: u32,
    /// Of the arcs, or the error of the row offsets.
    found: Result<Found<W>, GraphError>,
}

/// Looks once at all bytes after the header, part by part: reads them if they are not in memory,
/// sums them, and checks the arcs.
fn pass<W: Weight>(header: &Header, body: Piece<'_>) -> io::Result<Passed<W>> {
    let lengths = header.shape().lengths().expect("the header was checked");
    let start_of = |section: usize| header.starts[section] as usize - HEADER_BYTES;
    let end_of = |section: usize| start_of(section) + lengths[section] as usize;
    let (mut offsets, rest) = body.split(end_of(0));
    let (mut before_ends, rest) = rest.split(start_of(1) - end_of(0));
    let (mut ends, rest) = rest.split(lengths[1] as usize);
    let (mut before_weights, rest) = rest.split(start_of(2) - end_of(1));
    let (mut weights, mut rest) = rest.split(lengths[2] as usize);

    let sum_of_offsets = offsets.fetch_by_chunks()?;
    let row_offsets = bytemuck::cast_slice(offsets.get());
    let valid = validate_offsets(row_offsets, header.n_arcs as usize);
    let arcs = ArcPass { row_offsets, first_row: 0, seeks_reverses: header.direction == 1 };
    let mut sums_of_weights = Vec::new();
    let weights = match header.equal {
        0 => weights.chunks(size_of::<W>() * ARCS_PER_PART),
        _ => {
            sums_of_weights.push(weights.fetch()?);
            Vec::new()
        }
    };
    let weights = weights.into_iter().map(Some).chain(std::iter::repeat_with(|| None));
    let parts = ends.chunks(size_of::<VertexId>() * ARCS_PER_PART).into_iter().zip(weights);
    type Part<'a> = (usize, (Piece<'a>, Option<Piece<'a>>));
    let look = |(part, (mut ends, mut weights)): Part<'_>| {
        let sum = ends.fetch()?;
        let sum_of_weights = weights.as_mut().map(Piece::fetch).transpose()?;
        let weights = match &weights {
            Some(weights) => bytemuck::cast_slice(weights.get()),
            None => &[],
        };
        let ends = bytemuck::cast_slice(ends.get());
        let found = valid.is_ok().then(|| arcs.look::<W>(part * ARCS_PER_PART, ends, weights));
        io::Result::Ok((sum, sum_of_weights, found))
    };
    let looked = parallel::try_map_of(parts.enumerate().collect(), &look)?;
    let mut sums = vec![sum_of_offsets, before_ends.fetch()?];
    let mut found = Vec::new();
    for (sum, sum_of_weights, part) in looked {
        sums.push(sum);
        sums_of_weights.extend(sum_of_weights);
        found.extend(part);
    }
    sums.push(before_weights.fetch()?);
    sums.append(&mut sums_of_weights);
    sums.push(rest.fetch_by_chunks()?);
    let found = valid.map(|()| ArcPass::join(found));
    Ok(Passed { checksum: pages::combined(sums).finalize(), found })
}

/// Reads a file into memory, which the graph then uses in place.
pub(super) fn read(mut source: Source<'_>) -> Result<LoadedGraph, GraphError> {
    let mut start = Vec::new();
    source.read(&mut start, HEADER_BYTES)?;
    let header = Header::read(source.path(), &start)?;
    let length = header.file_bytes;
    let file = source.plain_file();
    if let Some(file) = file.as_ref().filter(|file| file.length != length) {
        return Err(wrong_length(source.path(), &header, file.length));
    }
    memory::ensure(source.path(), 0, length)?;
    // used only where bytes arrive, so that a stream with a wrong length costs nothing
    let whole = Pages::new(usize::try_from(length).unwrap_or(usize::MAX));
    let mut whole: Pages<u8> = whole.map_err(|error| source.error(error))?;
    let (head, body) = whole.split_at_mut(HEADER_BYTES);
    head.copy_from_slice(&start);
    if file.is_none() {
        let read = pages::read_stream(&mut source, body)?;
        read.map_err(|n| wrong_length(source.path(), &header, HEADER_BYTES as u64 + n))?;
    }
    by_weights!(header, read_typed(&source, file.as_ref(), header, whole))
}

/// Passes over a file, of which `whole` has the header, or all of it if there is no `file` to read.
fn read_typed<W: Weight>(
    source: &Source<'_>,
    file: Option<&PlainFile<'_>>,
    header: Header,
    mut whole: Pages<u8>,
) -> Result<LoadedGraph, GraphError>
where
    AnyCsr: From<Csr<W>>,
{
    let body = &mut whole[HEADER_BYTES..];
    let body = match file {
        Some(file) => Piece::ToRead(body, file, HEADER_BYTES as u64),
        None => Piece::There(body),
    };
    let passed = pass::<W>(&header, body).map_err(|error| source.error(error))?;
    Sections { path: source.path(), whole: Buffer::of_owner(whole), header }.load(passed)
}

/// The graph of a file that is mapped.
///
/// # Safety
/// As [`map_spg`](super::map_spg).
pub(super) unsafe fn map(path: &Path) -> Result<LoadedGraph, GraphError> {
    // SAFETY: the caller promises that the file does not change.
    let whole = unsafe { pages::map(path) }?;
    let start = whole.get(..HEADER_BYTES).unwrap_or(&whole);
    let header = Header::read(path, start)?;
    if whole.len() as u64 != header.file_bytes {
        return Err(wrong_length(path, &header, whole.len() as u64));
    }
    by_weights!(header, map_typed(path, header, whole))
}

fn map_typed<W: Weight>(
    path: &Path,
    header: Header,
    whole: Buffer<u8>,
) -> Result<LoadedGraph, GraphError>
where
    AnyCsr: From<Csr<W>>,
{
    let failed = |source| GraphError::Io { path: path.to_path_buf(), source };
    let passed = pass::<W>(&header, Piece::There(&whole[HEADER_BYTES..])).map_err(failed)?;
    Sections { path, whole, header }.load(passed)
}

fn wrong_length(path: &Path, header: &Header, found: u64) -> GraphError {
    let expected = header.file_bytes;
    let found = if found > expected { "more".to_owned() } else { found.to_string() };
    malformed(path, format!("the header promises {expected} bytes, the file has {found}"))
}

/// Writes the graph and the names of its vertices, and maybe an attachment, in pieces.
pub(super) fn write<W: Weight>(
    out: &mut dyn Write,
    graph: &Csr<W>,
    ids: &Ids,
    attachment: Option<([u8; 8], &[&[u8]])>,
) -> io::Result<()> {
    let weights = WEIGHTS.iter().position(|&(kind, _)| kind == W::KIND).expect("all are listed");
    let (names, numbers, text): (u8, &[u64], &str) = match ids {
        Ids::FromZero => (0, &[], ""),
        Ids::FromOne => (1, &[], ""),
        Ids::Listed(listed) => (LISTED, listed, ""),
        Ids::Words(words) => (WORDS, words.ends(), words.text()),
    };
    let attached = attachment
        .map(|(kind, pieces)| (kind, pieces.iter().map(|piece| piece.len() as u64).sum::<u64>()));
    let shape = Shape {
        version: if attached.is_some() { VERSION } else { VERSION_WITHOUT },
        weights: weights as u8,
        direction: u8::from(graph.direction() == Direction::Undirected),
        names,
        equal: u8::from(graph.weight_summary().common().is_some()),
        n_vertices: graph.n_vertices() as u64,
        n_arcs: graph.n_arcs() as u64,
        names_bytes: (8 * numbers.len() + text.len()) as u64,
        attachment: attached,
        body_checksum: 0,
    };
    let plain = shape.header().expect("a graph in memory fits a file");
    let sections: [(u64, &[u8]); 5] = [
        (plain.starts[0], bytemuck::cast_slice(graph.row_offsets())),
        (plain.starts[1], bytemuck::cast_slice(graph.column_indices())),
        (plain.starts[2], bytemuck::cast_slice(graph.stored_weights())),
        (plain.starts[3], bytemuck::cast_slice(numbers)),
        (plain.starts[3] + 8 * numbers.len() as u64, text.as_bytes()),
    ];
    let mut end = HEADER_BYTES as u64;
    let mut pieces: Vec<&[u8]> = Vec::new();
    for (start, section) in sections {
        pieces.push(&[0; ALIGNMENT as usize][..(start - end) as usize]);
        pieces.push(section);
        end = start + section.len() as u64;
    }
    if let Some((_, attached)) = attachment {
        pieces.push(&[0; ALIGNMENT as usize][..(plain.attachment.start - end) as usize]);
        pieces.extend(attached);
    }
    let body_checksum = pages::checksum(&pieces);
    let header = Shape { body_checksum, ..shape }.header().expect("as before");
    out.write_all(bytemuck::bytes_of(&header))?;
    pieces.into_iter().try_for_each(|piece| out.write_all(piece))
}
