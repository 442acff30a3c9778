//! METIS graphs, `.graph`: `n m [fmt [ncon]]`, then for each vertex a line of its
//! neighbours, counted from 1, each followed by the edge's weight where `fmt` says so.
//!
//! Each digit of `fmt` is a flag: a size, weights (`ncon` of them), both of which are
//! skipped, at the start of a line; weights of edges. Lines that start with `%` are
//! comments; an empty line is a vertex without edges. The graph must be undirected,
//! every edge on the lines of both its ends; `m` counts it once.
//!
//! A line is a vertex, so a piece of a block needs the number of lines before it: a first parallel
//! pass over the block counts them. O(bytes), plus the check for reverse edges.
//!
//! Format: G. Karypis, METIS 5 manual, section 4.1.

use std::io::{self, Write};
use std::path::Path;

use super::assemble::{self, ArcList, Arcs, Parallel};
use super::blocks::Text;
use super::error::unrepresentable;
use super::line_index::LineIndex;
use super::scan::{Fault, Scanner, vertex_count};
use super::text::{push_integer, push_weight, write_rows};
use crate::{AnyCsr, Csr, Direction, GraphError, Ids, LoadedGraph, VertexId, Weight, with_csr};

/// Bytes of a typical entry, for a first estimate of the number of neighbours.
const TYPICAL_ENTRY_BYTES: usize = 6;

/// The longest line, in bytes: a vertex may have a hundred million neighbours.
const MAX_LINE_BYTES: usize = 1 << 30;

struct Header {
    n_vertices: u64,
    n_edges: u64,
    edge_weights: bool,
    /// Numbers before the neighbours of a vertex.
    skipped: u64,
    line: u64,
}

pub(super) fn read(mut text: Text<'_>) -> Result<LoadedGraph, GraphError> {
    let header = read_header(&mut text)?;
    text.allow_lines_of(MAX_LINE_BYTES);
    let mut list = ArcList::new();
    let mut rows = LineIndex::default();
    text.for_each_block(|block| {
        let first = rows.n_rows();
        let lines_before = rows.add(block, |line| line.peek() != Some(b'%'))?;
        let parts = block.parse(|i, piece| read_rows(piece, first + lines_before[i], &header))?;
        list.add(block, parts)
    })?;
    if rows.n_rows() < header.n_vertices {
        let message = format!(
            "the header promises {} vertices, a line each; the file has {} such lines",
            header.n_vertices,
            rows.n_rows()
        );
        return Err(text.error_at(header.line, message));
    }
    let n_vertices = text.check_vertices(header.n_vertices, header.line)?;
    let claimed = header.n_edges.saturating_mul(2);
    text.check_count("neighbours (two an edge)", claimed, list.n_arcs(), header.line)?;
    let kind = list.smallest_kind(&text)?;
    let parts = list.into_parts();
    let graph = assemble::graph(
        text.path(),
        n_vertices,
        parts,
        kind,
        Some(Direction::Directed),
        Parallel::Allowed,
    )?;
    let csr: AnyCsr =
        with_csr!(graph, |graph| graph.into_undirected().map(Into::into)).map_err(|error| {
            let GraphError::NotUndirected { from, to, weight } = error else { return error };
            let line = rows.line_of(u64::from(from));
            let (from, to) = (u64::from(from) + 1, u64::from(to) + 1);
            let message = format!(
                "vertex {from} lists {to} with weight {weight}, but {to} does not list {from} \
                 so; METIS graphs are undirected"
            );
            text.error_at(line, message)
        })?;
    Ok(LoadedGraph::new(csr, Ids::FromOne))
}

fn read_header(text: &mut Text<'_>) -> Result<Header, GraphError> {
    while text.line()?.is_some_and(|line| line.peek() == Some(b'%')) {
        text.skip_line();
    }
    let header = read_sizes(text.here(), text.line_number()).map_err(|fault| text.error(fault))?;
    text.skip_line();
    Ok(header)
}

fn read_sizes(mut scanner: Scanner<'_>, line: u64) -> Result<Header, Fault> {
    let at = scanner.at();
    let n_vertices = vertex_count(scanner.natural("the number of vertices")?, at)?;
    let n_edges = scanner.natural("the number of edges")?;
    let mut flags = [false; 3];
    if !scanner.at_line_end() {
        let place = scanner.clone();
        let word = scanner.word();
        if word.len() > 3 || !word.iter().all(|digit| matches!(digit, b'0' | b'1')) {
            return Err(place.expected("a format of up to three digits 0 or 1"));
        }
        for (flag, digit) in flags.iter_mut().rev().zip(word.iter().rev()) {
            *flag = *digit == b'1';
        }
    }
    let [sizes, vertex_weights, edge_weights] = flags;
    let mut n_weights = u64::from(vertex_weights);
    if !scanner.at_line_end() {
        let place = scanner.clone();
        n_weights = scanner.natural("the number of weights of a vertex")?;
        if vertex_weights != (n_weights > 0) {
            return Err(place.expected("a number of vertex weights that agrees with the format"));
        }
    }
    scanner.end_line()?;
    let skipped = n_weights.saturating_add(u64::from(sizes));
    Ok(Header { n_vertices, n_edges, edge_weights, skipped, line })
}

/// The start of each line of a vertex, that is, of each but comments.
fn vertex_lines(mut scanner: Scanner<'_>) -> impl Iterator<Item = Scanner<'_>> {
    std::iter::from_fn(move || {
        loop {
            let line = scanner.clone();
            let first = scanner.peek();
            if line.remaining() == 0 {
                return None;
            }
            scanner.skip_line();
            if first != Some(b'%') {
                return Some(line);
            }
        }
    })
}

fn read_rows(piece: Scanner<'_>, first: u64, header: &Header) -> Result<Arcs<VertexId>, Fault> {
    let mut arcs = Arcs::with_capacity(piece.remaining() / TYPICAL_ENTRY_BYTES + 1);
    for (vertex, mut line) in (first..).zip(vertex_lines(piece)) {
        if vertex >= header.n_vertices {
            let message = "no more than blank lines after the last vertex";
            if line.at_line_end() { continue } else { return Err(line.expected(message)) }
        }
        for _ in 0..header.skipped {
            line.natural("a weight or size of the vertex")?;
        }
        while !line.at_line_end() {
            let place = line.clone();
            let neighbour = line.vertex(1, header.n_vertices)?;
            if u64::from(neighbour) == vertex {
                return Err(place.expected("a neighbour other than the vertex itself"));
            }
            let at = line.at();
            let weight = if header.edge_weights { Some((line.weight()?, at)) } else { None };
            arcs.push(vertex as VertexId, neighbour, weight);
        }
    }
    Ok(arcs)
}

/// Refuses a graph that the format cannot hold: one that is not undirected, has self-loops, or
/// weights that are not positive integers.
pub(super) fn check<W: Weight>(path: &Path, graph: &Csr<W>) -> Result<(), GraphError> {
    let refuse = |message: String| Err(unrepresentable(path, message));
    let positive = |w: &W| w.to_i128().is_some_and(|value| value > 0);
    if let Some(weight) = graph.stored_weights().iter().find(|w| !positive(w)) {
        return refuse(match weight.to_i128() {
            None => format!("weight {weight:?} is a float, .graph holds positive integers"),
            Some(_) => format!("weight {weight} is not positive, .graph holds positive integers"),
        });
    }
    let loops = |v: &VertexId| graph.ends_from(*v).contains(v);
    if let Some(v) = graph.vertices().find(loops) {
        return refuse(format!(
            "vertex {v}, counted from 0, has an arc to itself, .graph has none"
        ));
    }
    match graph.clone().into_undirected() {
        Ok(_) => Ok(()),
        Err(error) => refuse(format!("{error}; .graph holds undirected graphs")),
    }
}

/// Writes a graph that [`check`] accepts; vertices count from 1, whatever their names. Weights are
/// left out if all are 1.
pub(super) fn write<W: Weight>(out: &mut dyn Write, graph: &Csr<W>) -> io::Result<()> {
    let weighted = graph.stored_weights().iter().any(|&weight| weight != W::ONE);
    let format = if weighted { " 001" } else { "" };
    writeln!(out, "{} {}{format}", graph.n_vertices(), graph.n_arcs() / 2)?;
    write_rows(out, graph, |line, vertex| {
        for (at, (neighbour, weight)) in graph.arcs_from(vertex).enumerate() {
            if at > 0 {
                line.push(b' ');
            }
            push_integer(line, u64::from(neighbour) + 1);
            if weighted {
                line.push(b' ');
                push_weight(line, weight);
            }
        }
        line.push(b'\n');
    })
}
