//! DIMACS shortest-path graphs, `.gr`: `c` comments, one `p sp n m`, then an
//! `a source destination weight` for each arc, vertices counted from 1.
//!
//! Some tools write no `p` line; the vertices are then those that arcs name, by whatever
//! numbers. Weights may be negative, and real, though the challenge has
//! natural numbers only.
//!
//! Format: 9th DIMACS Implementation Challenge, Shortest Paths, 2006.

use std::io::Write;

use super::assemble::{self, Arcs};
use super::numbering::{Part, by_occurrence};
use super::scan::{Fault, Scanner, Text};
use super::text::{push_integer, push_weight, write_rows};
use super::weights::Number;
use crate::{Csr, Direction, GraphError, Ids, LoadedGraph, Weight};

/// Bytes of a common line, for a first guess at how many arcs there are.
const COMMON_LINE: usize = 16;

struct Header {
    n_vertices: usize,
    n_arcs: u64,
    at: usize,
}

pub(super) fn read(text: &Text<'_>) -> Result<LoadedGraph, GraphError> {
    let mut scanner = text.scanner();
    let fail = |fault| text.error(fault);
    let header = read_header(text, &mut scanner).map_err(fail)?;
    let pieces = text.pieces(scanner.at());
    let (n_vertices, ids, parts) = match &header {
        Some(Header { n_vertices, .. }) => {
            let parts = text.parse(&pieces, |_, piece| {
                let mut arcs = Arcs::with_capacity(expected(&piece));
                let vertex = |scanner: &mut Scanner<'_>| scanner.vertex(1, *n_vertices);
                for_each_arc(piece, vertex, |u, v, weight, at| {
                    arcs.push_weighted(u, v, weight, at);
                })?;
                Ok(arcs)
            })?;
            (*n_vertices, Ids::FromOne, parts)
        }
        None => {
            let parts = text.parse(&pieces, |_, piece| {
                let mut part = Part::with_capacity(expected(&piece));
                let vertex = |scanner: &mut Scanner<'_>| scanner.natural("a vertex");
                for_each_arc(piece, vertex, |u, v, weight, at| {
                    part.push(u, v, Some((weight, at)));
                })?;
                Ok(part)
            })?;
            by_occurrence(parts)?
        }
    };
    match header {
        Some(header) => {
            text.check_count("arcs", header.n_arcs, assemble::count(&parts), header.at)?;
        }
        None if parts.is_empty() => {
            let message = "expected a line `p sp <vertices> <arcs>` or an arc, found neither";
            return Err(fail(Fault::new(scanner.at(), message)));
        }
        None => {}
    }
    let kind = assemble::smallest_kind(&parts).map_err(fail)?;
    Ok(LoadedGraph::new(assemble::graph(n_vertices, &parts, kind, Direction::Directed), ids))
}

/// Reads up to the `p` line and over it, or up to the first arc.
fn read_header(text: &Text<'_>, scanner: &mut Scanner<'_>) -> Result<Option<Header>, Fault> {
    loop {
        let at = match scanner.line_start() {
            Some(b'c') => {
                scanner.skip_line();
                continue;
            }
            Some(b'p') => scanner.at(),
            _ => return Ok(None),
        };
        let found = scanner.clone();
        if scanner.word() != b"p" || scanner.word() != b"sp" {
            return Err(found.expected("a line `p sp <vertices> <arcs>`"));
        }
        let claimed = scanner.natural("the number of vertices")?;
        let n_vertices = text.check_vertices(claimed, at)?;
        let n_arcs = scanner.natural("the number of arcs")?;
        scanner.end_line()?;
        return Ok(Some(Header { n_vertices, n_arcs, at }));
    }
}

/// A first guess at how many arcs a piece has.
fn expected(piece: &Scanner<'_>) -> usize {
    piece.remaining() / COMMON_LINE + 1
}

/// Calls `push` with the ends of each arc, its weight and where that stands.
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

/// Writes the graph, its vertices counted from 1 whatever their names.
pub(super) fn write<W: Weight>(out: &mut dyn Write, graph: &Csr<W>) -> std::io::Result<()> {
    writeln!(out, "p sp {} {}", graph.n_vertices(), graph.n_arcs())?;
    write_rows(out, graph, |line, source, destination, weight| {
        line.extend_from_slice(b"a ");
        push_integer(line, u64::from(source) + 1);
        line.push(b' ');
        push_integer(line, u64::from(destination) + 1);
        line.push(b' ');
        push_weight(line, weight);
        line.push(b'\n');
    })
}
