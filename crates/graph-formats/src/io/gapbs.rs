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

use rayon::prelude::*;

use super::error::{malformed, unrepresentable};
use super::memory;
use super::source::{Source, copied};
use crate::{AnyCsr, Csr, Direction, GraphError, Ids, LoadedGraph, VertexId, Weight};

const HEADER_BYTES: usize = 17;

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
    let plain = source.plain_file().map(|plain| plain.length);
    let (found, body) = match plain.filter(|&length| u128::from(length) != expected) {
        Some(length) => (length, Vec::new()),
        // a stream that is longer than its header says may be endless
        None => {
            if let Some(length) = plain {
                memory::ensure(path, 0, length)?;
            }
            let mut body = Vec::new();
            let most = expected - HEADER_BYTES as u128 + 1;
            let n_read = source.read(&mut body, usize::try_from(most).unwrap_or(usize::MAX))?;
            ((HEADER_BYTES + n_read) as u64, body)
        }
    };
    if expected != u128::from(found) {
        let found = if expected < found.into() { "more".to_owned() } else { found.to_string() };
        let message = format!(
            "{n_vertices} vertices and {n_arcs} arcs take {expected} bytes, the file has {found}"
        );
        return Err(malformed(path, message));
    }
    // both fit: the length of the file has been checked
    let (offsets, rest) = body.split_at(8 * (n_vertices as usize + 1));
    let arcs = &rest[..arc_bytes as usize * n_arcs as usize];
    let offsets: Vec<u64> = copied(offsets);

    let undirected = directed == 0;
    let csr: AnyCsr = if !weighted {
        let columns: Vec<VertexId> = copied(arcs);
        checked(path, Csr::with_equal_weights(offsets, columns, 1u32), undirected)?.into()
    } else {
        let arcs: Vec<[i32; 2]> = copied(arcs);
        let columns: Vec<VertexId> = arcs.par_iter().map(|arc| arc[0] as VertexId).collect();
        if arcs.par_iter().any(|arc| arc[1] < 0) {
            let weights: Vec<i32> = arcs.par_iter().map(|arc| arc[1]).collect();
            checked(path, Csr::new(offsets, columns, weights), undirected)?.into()
        } else {
            let weights: Vec<u32> = arcs.par_iter().map(|arc| arc[1] as u32).collect();
            checked(path, Csr::new(offsets, columns, weights), undirected)?.into()
        }
    };
    Ok(LoadedGraph::new(csr, Ids::FromZero))
}

fn checked<W: Weight>(
    path: &Path,
    graph: Result<Csr<W>, GraphError>,
    undirected: bool,
) -> Result<Csr<W>, GraphError> {
    let graph = if undirected { graph.and_then(Csr::certified_undirected) } else { graph };
    graph.map_err(|error| malformed(path, error.to_string()))
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
