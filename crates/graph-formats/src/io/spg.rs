//! This project's own binary format, `.spg`: the arrays of a [`Csr`] as they are in
//! memory, so that a file is mapped, checked, and used where it lies.
//!
//! All numbers are little-endian. The header takes 128 bytes:
//!
//! | byte | type | content |
//! | --- | --- | --- |
//! | 0 | 8 bytes | `89 53 50 47 0D 0A 1A 0A`: text-mode copies damage it visibly |
//! | 8 | `u32` | version, 1 |
//! | 12 | `u8` | weights: 0 `u32`, 1 `i32`, 2 `u64`, 3 `i64`, 4 `f32`, 5 `f64` |
//! | 13 | `u8` | 0 directed, 1 undirected |
//! | 14 | `u8` | names: 0 from zero, 1 from one, 2 listed |
//! | 15 | `u8` | 0 |
//! | 16 | `u64` | n, the number of vertices |
//! | 24 | `u64` | m, the number of arcs |
//! | 32 | 4 × `u64` | where the row offsets, column indices, weights and names start |
//! | 64 | `u64` | length of the file |
//! | 72 | 48 bytes | 0 |
//! | 120 | `u64` | FNV-1a checksum of the bytes before |
//!
//! The sections follow in that order, each from the next multiple of 64 on, with zeros
//! between: n + 1 offsets (`u64`), m column indices (`u32`), m weights, and, where they
//! are listed, n names (`u64`, ascending). The starts are fixed by n, m and the types;
//! they stand in the header for other readers, and must agree.
//!
//! Reading takes O(n + m) for checks, in parallel, and copies nothing but listed names.

use std::io::{self, Write};
use std::path::Path;
use std::sync::Arc;

use memmap2::Mmap;
use rayon::prelude::*;

use super::malformed;
use super::source::{Source, copied};
use crate::{
    AnyCsr, Buffer, Csr, Direction, GraphError, Ids, LoadedGraph, VertexId, Weight, WeightKind,
};

const MAGIC: [u8; 8] = *b"\x89SPG\r\n\x1a\n";
const VERSION: u32 = 1;
const ALIGNMENT: u64 = 64;
const HEADER_BYTES: usize = 128;

/// The header as it lies in the file.
#[derive(Clone, Copy, PartialEq, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
struct Header {
    magic: [u8; 8],
    version: u32,
    weights: u8,
    direction: u8,
    names: u8,
    zero: u8,
    n_vertices: u64,
    n_arcs: u64,
    starts: [u64; 4],
    file_bytes: u64,
    zeros: [u64; 6],
    checksum: u64,
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

/// What the rest of a header follows from.
#[derive(Clone, Copy)]
struct Shape {
    weights: u8,
    direction: u8,
    names: u8,
    n_vertices: u64,
    n_arcs: u64,
}

impl Shape {
    /// Bytes of each section; `None` where 64 bits cannot count them.
    fn lengths(self) -> Option<[u64; 4]> {
        let names = if self.names == LISTED { self.n_vertices } else { 0 };
        let (_, weight_bytes) = WEIGHTS.get(usize::from(self.weights))?;
        Some([
            self.n_vertices.checked_add(1)?.checked_mul(8)?,
            self.n_arcs.checked_mul(4)?,
            self.n_arcs.checked_mul(*weight_bytes)?,
            names.checked_mul(8)?,
        ])
    }

    /// The header of such a graph; `None` where there can be no such file.
    fn header(self) -> Option<Header> {
        let mut end = HEADER_BYTES as u64;
        let mut starts = [0; 4];
        for (start, length) in starts.iter_mut().zip(self.lengths()?) {
            *start = end.checked_next_multiple_of(ALIGNMENT)?;
            end = start.checked_add(length)?;
        }
        let mut header = Header {
            magic: MAGIC,
            version: VERSION,
            weights: self.weights,
            direction: self.direction,
            names: self.names,
            zero: 0,
            n_vertices: self.n_vertices,
            n_arcs: self.n_arcs,
            starts,
            file_bytes: end,
            zeros: [0; 6],
            checksum: 0,
        };
        header.checksum = header.right_checksum();
        (self.direction <= 1 && self.names <= LISTED).then_some(header)
    }
}

impl Header {
    /// The header of a file, with all that can be wrong with it found.
    fn read(path: &Path, bytes: &[u8]) -> Result<Self, GraphError> {
        let wrong = |message: String| Err(malformed(path, message));
        let Some(start) = bytes.get(..HEADER_BYTES) else {
            return wrong(format!("a header takes {HEADER_BYTES} bytes, not {}", bytes.len()));
        };
        let header: Self = bytemuck::pod_read_unaligned(start);
        if header.magic != MAGIC {
            return wrong("the file does not start as an .spg file does".to_owned());
        }
        if header.version != VERSION {
            let found = header.version;
            return wrong(format!("version {found} of the format; only {VERSION} is known here"));
        }
        if header.checksum != header.right_checksum() {
            return wrong("the header is damaged: its checksum does not match".to_owned());
        }
        if header.file_bytes != bytes.len() as u64 {
            let (expected, found) = (header.file_bytes, bytes.len());
            return wrong(format!("the header promises {expected} bytes, the file has {found}"));
        }
        if header.shape().header() != Some(header) {
            return wrong("the header's codes or starts are not those of the format".to_owned());
        }
        Ok(header)
    }

    fn shape(&self) -> Shape {
        let Self { weights, direction, names, n_vertices, n_arcs, .. } = *self;
        Shape { weights, direction, names, n_vertices, n_arcs }
    }

    /// FNV-1a of the bytes before the checksum.
    fn right_checksum(&self) -> u64 {
        let bytes = &bytemuck::bytes_of(self)[..HEADER_BYTES - 8];
        bytes.iter().fold(0xCBF2_9CE4_8422_2325, |hash, &byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01B3)
        })
    }
}

/// The sections of a file whose header has been checked.
struct Sections<'a> {
    path: &'a Path,
    bytes: &'a [u8],
    map: Option<&'a Arc<Mmap>>,
    header: Header,
}

impl Sections<'_> {
    /// Section `number` as an array: where it lies in the map, or copied.
    fn array<T: bytemuck::Pod>(&self, number: usize) -> Buffer<T> {
        let lengths = self.header.shape().lengths().expect("the header was checked");
        let (start, length) = (self.header.starts[number] as usize, lengths[number] as usize);
        let mapped = self.map.and_then(|map| Buffer::mapped(map.clone(), start, length));
        mapped.unwrap_or_else(|| Buffer::from(copied(&self.bytes[start..start + length])))
    }

    fn graph<W: Weight>(&self) -> Result<Csr<W>, GraphError> {
        let graph = Csr::new(self.array::<u64>(0), self.array::<VertexId>(1), self.array::<W>(2));
        let undirected = self.header.direction == 1;
        let graph = if undirected { graph.and_then(certified_undirected) } else { graph };
        graph.map_err(|error| malformed(self.path, error.to_string()))
    }

    fn ids(&self) -> Result<Ids, GraphError> {
        Ok(match self.header.names {
            0 => Ids::FromZero,
            1 => Ids::FromOne,
            _ => {
                let names = self.array::<u64>(3).into_vec();
                if !names.is_sorted_by(|a, b| a < b) {
                    let message = "the vertices' names do not ascend".to_owned();
                    return Err(malformed(self.path, message));
                }
                Ids::Listed(names)
            }
        })
    }
}

pub(super) fn read(mut source: Source<'_>) -> Result<LoadedGraph, GraphError> {
    let bytes = &source.read_all()?[..];
    let path = source.path();
    let map = None;
    let header = Header::read(path, bytes)?;
    let sections = Sections { path, bytes, map, header };
    let csr: AnyCsr = match WEIGHTS[usize::from(header.weights)].0 {
        WeightKind::U32 => sections.graph::<u32>()?.into(),
        WeightKind::I32 => sections.graph::<i32>()?.into(),
        WeightKind::U64 => sections.graph::<u64>()?.into(),
        WeightKind::I64 => sections.graph::<i64>()?.into(),
        WeightKind::F32 => sections.graph::<f32>()?.into(),
        WeightKind::F64 => sections.graph::<f64>()?.into(),
    };
    Ok(LoadedGraph::new(csr, sections.ids()?))
}

/// The graph of a file that calls it undirected, once that has been checked.
///
/// Hashes of the arcs are summed, and those of the arcs turned round: the sums differ,
/// but for one case in 2^64, where an arc lacks its reverse. O(m), in parallel; then
/// the slower search says which arc it is.
pub(super) fn certified_undirected<W: Weight>(graph: Csr<W>) -> Result<Csr<W>, GraphError> {
    let hash = |from: VertexId, to: VertexId, weight: W| {
        let ends = u64::from(from) << 32 | u64::from(to);
        let bits = weight.to_i128().map_or(weight.to_f64().to_bits(), |value| value as u64);
        mix(mix(ends) ^ bits)
    };
    let excess = (0..graph.n_vertices() as VertexId)
        .into_par_iter()
        .map(|u| {
            graph.arcs_from(u).fold(0u64, |sum, (v, weight)| {
                sum.wrapping_add(hash(u, v, weight)).wrapping_sub(hash(v, u, weight))
            })
        })
        .reduce(|| 0, u64::wrapping_add);
    if excess == 0 { Ok(graph.made_undirected()) } else { graph.into_undirected() }
}

/// A bijection of 64-bit words that scatters them (the end of SplitMix64).
fn mix(word: u64) -> u64 {
    let word = (word ^ (word >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let word = (word ^ (word >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    word ^ (word >> 31)
}

/// Writes the graph and the names of its vertices.
pub(super) fn write<W: Weight>(out: &mut dyn Write, graph: &Csr<W>, ids: &Ids) -> io::Result<()> {
    let weights = WEIGHTS.iter().position(|&(kind, _)| kind == W::KIND).expect("all are listed");
    let (names, listed): (u8, &[u64]) = match ids {
        Ids::FromZero => (0, &[]),
        Ids::FromOne => (1, &[]),
        Ids::Listed(listed) => (LISTED, listed),
        Ids::Words(_) => unreachable!("refused before"),
    };
    let shape = Shape {
        weights: weights as u8,
        direction: u8::from(graph.direction() == Direction::Undirected),
        names,
        n_vertices: graph.n_vertices() as u64,
        n_arcs: graph.n_arcs() as u64,
    };
    let header = shape.header().expect("a graph in memory fits a file");
    out.write_all(bytemuck::bytes_of(&header))?;
    let sections: [&[u8]; 4] = [
        bytemuck::cast_slice(graph.row_offsets()),
        bytemuck::cast_slice(graph.column_indices()),
        bytemuck::cast_slice(graph.weights()),
        bytemuck::cast_slice(listed),
    ];
    let mut written = HEADER_BYTES as u64;
    for (start, section) in header.starts.into_iter().zip(sections) {
        out.write_all(&[0; ALIGNMENT as usize][..(start - written) as usize])?;
        out.write_all(section)?;
        written = start + section.len() as u64;
    }
    Ok(())
}
