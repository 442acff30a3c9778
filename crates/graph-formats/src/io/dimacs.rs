//! DIMACS shortest-path graphs, `.gr`: `c` comments, one `p sp n m`, then an
//! `a source destination weight` for each arc, vertices counted from 1.
//!
//! Some tools write no `p` line; the vertices are then those that arcs name, by any numbers.
//! Weights may be negative and real, while the challenge has natural numbers only.
//!
//! Format: 9th DIMACS Implementation Challenge, Shortest Paths, 2006.

use std::io::Write;

use super::assemble::{self, ArcList, Arcs, Parallel, Part};
use super::blocks::Text;
use super::numbering::{IdArcs, by_occurrence};
use super::scan::{Fault, Scanner, vertex_count};
use super::text::{push_arc, write_arcs};
use super::weights::Number;
use crate::{Csr, GraphError, Ids, LoadedGraph, Weight};

pub(super) fn read(mut text: Text<'_>) -> Result<LoadedGraph, GraphError> {
    let (n_vertices, ids, parts, kind) = match read_header(&mut text, read_counts)? {
        Some(((n_vertices, n_arcs), line)) => {
            let list = read_list(&mut text, |piece| {
                let mut arcs = Arcs::with_capacity(piece.n_lines());
                let vertex = |scanner: &mut Scanner<'_>| scanner.vertex(1, n_vertices);
                let push = |u, v, weight, at| arcs.push(u, v, Some((weight, at)));
                for_each_arc(piece, vertex, push).map(|()| arcs)
            })?;
            let n_vertices = text.check_vertices(n_vertices, line)?;
            text.check_count("arcs", n_arcs, list.n_arcs(), line)?;
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

/// The numbers of vertices and arcs of a `p` line.
fn read_counts(scanner: &mut Scanner<'_>) -> Result<(u64, u64), Fault> {
    let line = scanner.clone();
    if scanner.word() != b"p" || scanner.word() != b"sp" {
        return Err(line.expected("a line `p sp <vertices> <arcs>`"));
    }
    let n_vertices = vertex_count(scanner.natural("the number of vertices")?, line.at())?;
    let n_arcs = scanner.natural("the number of arcs")?;
    scanner.end_line()?;
    Ok((n_vertices, n_arcs))
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
