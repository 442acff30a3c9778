//! The serialised graphs of the GAP benchmark suite: `.sg`, unweighted, and `.wsg`,
//! with 32-bit signed weights.
//!
//! Little-endian, without padding, in this order:
//!
//! * one byte, 1 for a directed graph;
//! * the number of arcs and the number of vertices, `i64` each;
//! * n + 1 row offsets, `i64`;
//! * for each arc its end, `i32`, followed in `.wsg` by its weight, `i32`.
//!
//! A directed graph has the same offsets and arcs once more, of the reversed arcs; they follow from
//! the first and are not read. Vertices count from 0.
//!
//! Format: S. Beamer, K. Asanović, D. Patterson, *The GAP benchmark suite*,
//! arXiv:1508.03619; its `reader.h` and `writer.h`.

use std::io::{self, Write};
use std::path::Path;

use bytemuck::Pod;

use super::error::{malformed, unrepresentable};
use super::memory;
use super::pages::Pages;
use super::source::{PlainFile, Source};
use crate::arc_pass::{ARCS_PER_PART, ArcPass, Found};
use crate::checks::validate_offsets;
use crate::csr::Weights;
use crate::{
    AnyCsr, Buffer, Csr, Direction, GraphError, Ids, LoadedGraph, VertexId, Weight, parallel,
};

const HEADER_BYTES: usize = 17;
/// Row offsets that a task reads.
const OFFSETS_PER_TASK: usize = 1 << 15;
/// Arcs with weights that are read at once, which then are in a cache while they are taken apart.
const PAIRS_AT_ONCE: usize = 1 << 13;

pub(super) fn read(mut source: Source<'_>, weighted: bool) -> Result<LoadedGraph, GraphError> {
    let path = source.path().to_path_buf();
    let path = path.as_path();
    let mut header = [0; HEADER_BYTES];
    if source.fill(&mut header)? < HEADER_BYTES {
        return Err(malformed(path, format!("a header takes {HEADER_BYTES} bytes")));
    }
    let [directed, counts @ ..] = header;
    let [n_arcs, n_vertices] = bytemuck::cast::<_, [[u8; 8]; 2]>(counts).map(u64::from_le_bytes);
    if directed > 1 {
        let message = format!("expected 0 or 1 as the first byte (directed), found {directed}");
        return Err(malformed(path, message));
    }

    let copies = 1 + u128::from(directed);
    let arc_bytes = if weighted { 8 } else { 4 };
    let expected = HEADER_BYTES as u128
        + copies * (8 * (u128::from(n_vertices) + 1) + arc_bytes * u128::from(n_arcs));
    let (found, body) = match source.plain_file() {
        Some(file) => (file.length, Body::File(file)),
        // a stream that is longer than its header says may be endless
        None => {
            let mut body = Vec::new();
            let most = expected - HEADER_BYTES as u128 + 1;
            let n_read = source.read(&mut body, usize::try_from(most).unwrap_or(usize::MAX))?;
            ((HEADER_BYTES + n_read) as u64, Body::Memory(body))
        }
    };
    if expected != u128::from(found) {
        let found = if expected < found.into() { "more".to_owned() } else { found.to_string() };
        let message = format!(
            "{n_vertices} vertices and {n_arcs} arcs take {expected} bytes, the file has {found}"
        );
        return Err(malformed(path, message));
    }
    memory::ensure(path, 0, 8 * (n_vertices + 1) + arc_bytes as u64 * n_arcs)?;
    // both fit: the length of the file has been checked
    let (n_vertices, n_arcs) = (n_vertices as usize, n_arcs as usize);
    let (row_offsets, arcs_at) = read_offsets(&body, n_vertices).map_err(|e| source.error(e))?;
    let wrong = |error: GraphError| malformed(path, error.to_string());
    validate_offsets(&row_offsets, n_arcs).map_err(wrong)?;
    let pass = ArcPass { row_offsets: &row_offsets, first_row: 0, seeks_reverses: directed == 0 };
    let (ends, weights, found) = match weighted {
        false => read_ends(&body, arcs_at, n_arcs, &pass),
        true => read_arcs(&body, arcs_at, n_arcs, &pass),
    }
    .map_err(|error| source.error(error))?;
    if let Body::File(file) = &body {
        let reversed = (expected as u64 - HEADER_BYTES as u64) / 2;
        let passed = file.pass_over(u64::from(directed) * reversed);
        passed.map_err(|error| source.error(error))?;
    }
    let reverses_cancel = found.reverses_cancel();
    let graph = Csr::of_pass(Buffer::of_owner(row_offsets), ends, weights, found);
    let graph = match directed == 0 {
        true => graph.and_then(|graph| graph.certified_undirected(reverses_cancel)),
        false => graph,
    };
    let graph: Csr<i32> = graph.map_err(wrong)?;
    let csr = match graph.weight_summary() {
        _ if !weighted => graph.unweighted::<u32>().into(),
        weights if weights.common().is_some() => {
            graph.convert_weights::<u32>().map_err(wrong)?.into()
        }
        _ => graph.as_unsigned().map_or_else(|| graph.into(), AnyCsr::from),
    };
    Ok(LoadedGraph::new(csr, Ids::FromZero))
}

/// The row offsets, and where the arcs begin.
fn read_offsets(body: &Body<'_>, n_vertices: usize) -> io::Result<(Pages<u64>, usize)> {
    let mut row_offsets = Pages::new(n_vertices + 1)?;
    let chunks = row_offsets.chunks_mut(OFFSETS_PER_TASK).enumerate().collect();
    parallel::try_map_of(chunks, &|(task, chunk): (usize, &mut [u64])| {
        body.read(HEADER_BYTES + 8 * task * OFFSETS_PER_TASK, chunk)
    })?;
    Ok((row_offsets, HEADER_BYTES + 8 * (n_vertices + 1)))
}

/// The ends and the weights of arcs, and what a pass over them found.
type Arcs = (Buffer<VertexId>, Weights<i32>, Found<i32>);

/// Reads arcs without weights.
fn read_ends(body: &Body<'_>, at: usize, n_arcs: usize, pass: &ArcPass<'_>) -> io::Result<Arcs> {
    let mut all_ends = Pages::<VertexId>::new(n_arcs)?;
    let parts = all_ends.chunks_mut(ARCS_PER_PART).enumerate().collect();
    let found = parallel::try_map_of(parts, &|(part, ends): (usize, &mut [VertexId])| {
        let first = part * ARCS_PER_PART;
        body.read(at + 4 * first, ends)?;
        io::Result::Ok(pass.look(first, ends, &[]))
    })?;
    Ok((Buffer::of_owner(all_ends), Weights::Equal(1), ArcPass::join(found)))
}

/// Reads arcs with weights.
fn read_arcs(body: &Body<'_>, at: usize, n_arcs: usize, pass: &ArcPass<'_>) -> io::Result<Arcs> {
    let mut all_ends = Pages::<VertexId>::new(n_arcs)?;
    let mut all_weights = Pages::<i32>::new(n_arcs)?;
    let ends = all_ends.chunks_mut(ARCS_PER_PART);
    let parts = ends.zip(all_weights.chunks_mut(ARCS_PER_PART)).enumerate().collect();
    type Part<'a> = (usize, (&'a mut [VertexId], &'a mut [i32]));
    let found = parallel::try_map_of(parts, &|(part, (ends, weights)): Part<'_>| {
        let first = part * ARCS_PER_PART;
        let mut pairs = vec![[0_i32; 2]; PAIRS_AT_ONCE.min(ends.len())];
        let pieces = ends.chunks_mut(PAIRS_AT_ONCE).zip(weights.chunks_mut(PAIRS_AT_ONCE));
        for (piece, (ends, weights)) in pieces.enumerate() {
            let pairs = &mut pairs[..ends.len()];
            body.read(at + 8 * (first + piece * PAIRS_AT_ONCE), pairs)?;
            for ((pair, end), weight) in pairs.iter().zip(ends).zip(weights) {
                (*end, *weight) = (pair[0] as VertexId, pair[1]);
            }
        }
        io::Result::Ok(pass.look(first, ends, weights))
    })?;
    let weights = Weights::Each(Buffer::of_owner(all_weights));
    Ok((Buffer::of_owner(all_ends), weights, ArcPass::join(found)))
}

/// The bytes of a file.
enum Body<'a> {
    File(PlainFile<'a>),
    /// Those after the header.
    Memory(Vec<u8>),
}

impl Body<'_> {
    /// Fills `array` from byte `at` of the file on.
    fn read<T: Pod>(&self, at: usize, array: &mut [T]) -> io::Result<()> {
        let bytes = bytemuck::cast_slice_mut(array);
        match self {
            Self::File(file) => file.read_at(at as u64, bytes)?,
            Self::Memory(body) => {
                bytes.copy_from_slice(&body[at - HEADER_BYTES..][..bytes.len()]);
            }
        }
        Ok(())
    }
}

/// Refuses a graph that the format cannot hold: `.sg` takes weights of 1 only, `.wsg` those that
/// are 32-bit signed integers.
pub(super) fn check<W: Weight>(
    path: &Path,
    graph: &Csr<W>,
    weighted: bool,
) -> Result<(), GraphError> {
    if graph.n_vertices() > i32::MAX as usize {
        let n = graph.n_vertices();
        return Err(unrepresentable(path, format!("32-bit signed ids cannot number {n} vertices")));
    }
    let fits = |&w: &W| if weighted { weight(w).is_some() } else { w == W::ONE };
    match graph.stored_weights().iter().find(|w| !fits(w)) {
        Some(w) if weighted => {
            let message = match w.to_i128() {
                None => format!("weight {w:?} is a float, .wsg holds integers"),
                Some(_) => format!("weight {w} is beyond the 32 bits, with a sign, of .wsg"),
            };
            Err(unrepresentable(path, message))
        }
        Some(w) => {
            let message =
                format!(".sg has no weights, and one is {w:?}; write a .wsg file instead");
            Err(unrepresentable(path, message))
        }
        None => Ok(()),
    }
}

fn weight<W: Weight>(weight: W) -> Option<i32> {
    weight.to_i128().and_then(<i32 as Weight>::from_i128)
}

/// Writes a graph that [`check`] accepts; vertices count from 0, whatever their names.
pub(super) fn write<W: Weight>(
    out: &mut dyn Write,
    graph: &Csr<W>,
    weighted: bool,
) -> io::Result<()> {
    let directed = graph.direction() == Direction::Directed;
    out.write_all(&[u8::from(directed)])?;
    out.write_all(&(graph.n_arcs() as u64).to_le_bytes())?;
    out.write_all(&(graph.n_vertices() as u64).to_le_bytes())?;
    write_arcs(out, graph, weighted)?;
    if directed {
        write_arcs(out, &graph.transposed(), weighted)?;
    }
    Ok(())
}

fn write_arcs<W: Weight>(out: &mut dyn Write, graph: &Csr<W>, weighted: bool) -> io::Result<()> {
    out.write_all(bytemuck::cast_slice(graph.row_offsets()))?;
    if !weighted {
        return out.write_all(bytemuck::cast_slice(graph.column_indices()));
    }
    for (arc, &column) in graph.column_indices().iter().enumerate() {
        let w = weight(graph.weight(arc)).expect("checked before");
        out.write_all(bytemuck::bytes_of(&[column as i32, w]))?;
    }
    Ok(())
}
