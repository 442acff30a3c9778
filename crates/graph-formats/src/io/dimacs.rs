//! DIMACS shortest-path graphs, `.gr`: `c` comments, one `p sp n m`, then an
//! `a source destination weight` for each arc, vertices counted from 1. And DIMACS graphs for
//! colouring and cliques, `.col` and `.clq`: one `p edge n m` or `p col n m`, then an `e u v` for
//! each edge.
//!
//! Some tools write no `p` line; the vertices are then those that arcs name, by any numbers.
//! Weights may be negative and real, while the challenge has natural numbers only. Edges have no
//! weights, and a file may give them from both ends. Lines `n vertex value` are skipped.
//!
//! Formats: 9th DIMACS Implementation Challenge, Shortest Paths, 2006; 2nd, Maximum Clique, Graph
//! Coloring, and Satisfiability, 1993.

use std::io::Write;

use super::assemble::{self, ArcList, Arcs, Parallel, Part};
use super::blocks::Text;
use super::numbering::{IdArcs, by_occurrence};
use super::scan::{Fault, Scanner, vertex_count};
use super::text::{push_arc, write_arcs};
use super::weights::Number;
use crate::{Csr, Direction, GraphError, Ids, LoadedGraph, Weight, WeightKind};

/// The numbers of a `p` line.
struct Counts {
    n_vertices: u64,
    /// Arcs, or edges.
    n_lines: u64,
    /// Whether lines are `e u v`.
    are_edges: bool,
}

pub(super) fn read(mut text: Text<'_>) -> Result<LoadedGraph, GraphError> {
    let (n_vertices, ids, parts, kind) = match read_header(&mut text, read_counts)? {
        Some((counts, line)) if counts.are_edges => return read_edges(text, &counts, line),
        Some((Counts { n_vertices, n_lines, .. }, line)) => {
            let list = read_list(&mut text, |piece| {
                let mut arcs = Arcs::with_capacity(piece.n_lines());
                let vertex = |scanner: &mut Scanner<'_>| scanner.vertex(1, n_vertices);
                let push = |u, v, weight, at| arcs.push(u, v, Some((weight, at)));
                for_each_arc(piece, vertex, push).map(|()| arcs)
            })?;
            let n_vertices = text.check_vertices(n_vertices, line)?;
            text.check_count("arcs", n_lines, list.n_arcs(), line)?;
            let kind = list.smallest_kind(&text)?;
            (n_vertices, Ids::FromOne, list.into_parts(), kind)
        }
        None => {
            let list = read_list(&mut text, |piece| {
                let mut arcs = IdArcs::with_capacity(piece.n_lines());
                let vertex = |scanner: &mut Scanner<'_>| scanner.natural("a vertex");
                let push = |u, v, weight, at| arcs.push(u, v, Some((weight, at)));
                for_each_arc(piece, vertex, push).map(|()| arcs)
            })?;
            if list.n_arcs() == 0 {
                let message = "expected a line `p sp <vertices> <arcs>` or an arc, found neither";
                return Err(text.error_at(text.line_number(), message));
            }
            let kind = list.smallest_kind(&text)?;
            let (n_vertices, ids, parts) = by_occurrence(list.into_parts())?;
            (n_vertices, ids, parts, kind)
        }
    };
    let csr = assemble::graph(text.path(), n_vertices, parts, kind, None, Parallel::Allowed)?;
    Ok(LoadedGraph::new(csr, ids))
}

/// Reads the edges after the `p` line, which is `line`.
fn read_edges(mut text: Text<'_>, counts: &Counts, line: u64) -> Result<LoadedGraph, GraphError> {
    let list = read_list(&mut text, |mut scanner| {
        let mut arcs = Arcs::with_capacity(scanner.n_lines());
        while let Some(first) = scanner.line_start() {
            let place = scanner.clone();
            scanner.bump();
            match first {
                b'c' | b'n' => scanner.skip_line(),
                b'e' if matches!(scanner.peek(), Some(b' ' | b'\t')) => {
                    let u = scanner.vertex(1, counts.n_vertices)?;
                    let v = scanner.vertex(1, counts.n_vertices)?;
                    scanner.end_line()?;
                    arcs.push(u, v, None);
                }
                _ => return Err(place.expected("an edge `e <vertex> <vertex>`")),
            }
        }
        Ok(arcs)
    })?;
    let n_vertices = text.check_vertices(counts.n_vertices, line)?;
    text.check_count("edges", counts.n_lines, list.n_arcs(), line)?;
    let (path, parts, kind) = (text.path(), list.into_parts(), WeightKind::U32);
    let direction = Some(Direction::Directed);
    let csr = assemble::graph(path, n_vertices, parts, kind, direction, Parallel::Allowed)?;
    LoadedGraph::new(csr, Ids::FromOne).with_edges(path, true)
}

/// Reads past the `p` line, or up to the first line that is neither this nor a comment. Returns what
/// `read` finds in the `p` line, and the number of the line.
pub(super) fn read_header<T>(
    text: &mut Text<'_>,
    read: impl FnOnce(&mut Scanner<'_>) -> Result<T, Fault>,
) -> Result<Option<(T, u64)>, GraphError> {
    while let Some(mut scanner) = text.line()? {
        match scanner.peek() {
            Some(b'c') => text.skip_line(),
            Some(b'p') => {
                let found = read(&mut scanner).map_err(|fault| text.error(fault))?;
                let line = text.line_number();
                text.skip_line();
                return Ok(Some((found, line)));
            }
            _ => break,
        }
    }
    Ok(None)
}

fn read_counts(scanner: &mut Scanner<'_>) -> Result<Counts, Fault> {
    let line = scanner.clone();
    let are_edges = match (scanner.word(), scanner.word()) {
        (b"p", b"sp") => false,
        (b"p", b"edge" | b"edges" | b"col") => true,
        _ => {
            let expected = "a line `p sp <vertices> <arcs>` or `p edge <vertices> <edges>`";
            return Err(line.expected(expected));
        }
    };
    let n_vertices = vertex_count(scanner.natural("the number of vertices")?, line.at())?;
    let n_lines =
        scanner.natural(if are_edges { "the number of edges" } else { "the number of arcs" })?;
    scanner.end_line()?;
    Ok(Counts { n_vertices, n_lines, are_edges })
}

fn read_list<P: Part + Send>(
    text: &mut Text<'_>,
    read: impl Fn(Scanner<'_>) -> Result<P, Fault> + Sync + Send,
) -> Result<ArcList<P>, GraphError> {
    let mut list = ArcList::new();
    text.for_each_block(|block| list.add(block, block.parse(|_, piece| read(piece))?))?;
    Ok(list)
}

/// Calls `push` with the ends of each arc, its weight and the weight's position.
fn for_each_arc<Id>(
    mut scanner: Scanner<'_>,
    vertex: impl Fn(&mut Scanner<'_>) -> Result<Id, Fault>,
    mut push: impl FnMut(Id, Id, Number, usize),
) -> Result<(), Fault> {
    while let Some(first) = scanner.line_start() {
        if first == b'c' {
            scanner.skip_line();
            continue;
        }
        let line = scanner.clone();
        scanner.bump();
        if first != b'a' || !matches!(scanner.peek(), Some(b' ' | b'\t')) {
            return Err(line.expected("an arc `a <source> <destination> <weight>`"));
        }
        let source = vertex(&mut scanner)?;
        let destination = vertex(&mut scanner)?;
        let at = scanner.at();
        let weight = scanner.weight()?;
        scanner.end_line()?;
        push(source, destination, weight, at);
    }
    Ok(())
}

/// Writes the graph; vertices count from 1, whatever their names.
pub(super) fn write<W: Weight>(out: &mut dyn Write, graph: &Csr<W>) -> std::io::Result<()> {
    writeln!(out, "p sp {} {}", graph.n_vertices(), graph.n_arcs())?;
    write_arcs(out, graph, |line, source, destination, weight| {
        line.extend_from_slice(b"a ");
        push_arc(line, source, destination, weight);
    })
}
