//! METIS graphs, `.graph`: `n m [fmt [ncon]]`, then for each vertex a line of its
//! neighbours, counted from 1, each followed by the edge's weight where `fmt` says so.
//!
//! Each digit of `fmt` is a flag: a size, weights (`ncon` of them), both of which are
//! skipped, at the start of a line; weights of edges. Lines that start with `%` are
//! comments; an empty line is a vertex without edges. The graph must be undirected,
//! every edge on the lines of both its ends; `m` counts it once.
//!
//! A line is a vertex, so a piece of the file must know how many lines stand before
//! it: they are counted in a first parallel pass. O(bytes), and what the check for
//! reverse edges takes.
//!
//! Format: G. Karypis, METIS 5 manual, section 4.1.

use super::assemble::{self, Arcs};
use super::scan::{Fault, Scanner, Text};
use crate::{AnyCsr, Direction, GraphError, Ids, LoadedGraph, VertexId, with_csr};

/// Bytes of a common neighbour, for a first guess at how many there are.
const COMMON_ENTRY: usize = 6;

struct Header {
    n_vertices: usize,
    n_edges: u64,
    edge_weights: bool,
    /// Numbers before the neighbours of a vertex.
    skipped: u64,
    at: usize,
}

pub(super) fn read(text: &Text<'_>) -> Result<LoadedGraph, GraphError> {
    let fail = |fault| text.error(fault);
    let mut scanner = text.scanner();
    let header = read_header(text, &mut scanner).map_err(fail)?;
    let body = scanner.at();
    let pieces = text.pieces(body);

    let counts = text.parse(&pieces, |_, piece| Ok(vertex_lines(piece).count()))?;
    let mut n_lines = 0;
    let mut lines_before = Vec::with_capacity(counts.len());
    for count in counts {
        lines_before.push(n_lines);
        n_lines += count;
    }
    if n_lines < header.n_vertices {
        let message = format!(
            "the header promises {} vertices, a line each; the file has {n_lines} such lines",
            header.n_vertices
        );
        return Err(fail(Fault::new(header.at, message)));
    }

    let parts = text.parse(&pieces, |i, piece| read_rows(piece, lines_before[i], &header))?;
    let n_entries = assemble::count(&parts);
    let claimed = header.n_edges.saturating_mul(2);
    text.check_count("neighbours (two an edge)", claimed, n_entries, header.at)?;
    let kind = assemble::smallest_kind(&parts).map_err(fail)?;
    let graph = assemble::graph(header.n_vertices, &parts, kind, Direction::Directed);
    let csr: AnyCsr =
        with_csr!(graph, |graph| graph.into_undirected().map(Into::into)).map_err(|error| {
            let GraphError::NotUndirected { from, to, weight } = error else { return error };
            let start = Scanner::clone(&scanner);
            let line = vertex_lines(start).nth(from as usize).map_or(body, |line| line.at());
            let (from, to) = (u64::from(from) + 1, u64::from(to) + 1);
            fail(Fault::new(
                line,
                format!(
                    "vertex {from} lists {to} with weight {weight}, but {to} does not list {from} \
                 so; METIS graphs are undirected"
                ),
            ))
        })?;
    Ok(LoadedGraph::new(csr, Ids::FromOne))
}

fn read_header(text: &Text<'_>, scanner: &mut Scanner<'_>) -> Result<Header, Fault> {
    while scanner.line_start() == Some(b'%') {
        scanner.skip_line();
    }
    let at = scanner.at();
    let claimed = scanner.natural("the number of vertices")?;
    let n_vertices = text.check_vertices(claimed, at)?;
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
    Ok(Header { n_vertices, n_edges, edge_weights, skipped, at })
}

/// The start of each line that stands for a vertex, that is of each but comments.
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

fn read_rows(piece: Scanner<'_>, first: usize, header: &Header) -> Result<Arcs<VertexId>, Fault> {
    let mut arcs = Arcs::with_capacity(piece.remaining() / COMMON_ENTRY + 1);
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
            if neighbour as usize == vertex {
                return Err(place.expected("a neighbour other than the vertex itself"));
            }
            if header.edge_weights {
                let at = line.at();
                let weight = line.weight()?;
                arcs.push_weighted(vertex as VertexId, neighbour, weight, at);
            } else {
                arcs.push(vertex as VertexId, neighbour);
            }
        }
    }
    Ok(arcs)
}
