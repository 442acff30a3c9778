//! Edge lists, `.el`, `.wel`, `.csv`, `.tsv` and `.txt`: an arc on each line, as
//! source, destination and, on all lines or on none, weight.
//!
//! Fields are parted by blanks, tabs, a comma or a semicolon; lines that start with
//! `#` or `%` are comments; in `.csv` and `.tsv` the first line may hold words. Ids
//! are any 64-bit numbers: [`number_vertices`](super::assemble::number_vertices) says
//! which are kept and which are renumbered. The format cannot say that a vertex has
//! no arcs: those beyond the greatest id with one are lost in it.

use std::io::{self, Write};

use super::assemble::{self, Arcs};
use super::scan::{Fault, Scanner, Text};
use super::text::{push_integer, push_weight, write_rows};
use crate::{Csr, Direction, GraphError, Ids, LoadedGraph, Name, Weight};

/// Bytes of a common line, for a first guess at how many arcs there are.
const COMMON_LINE: usize = 12;

/// `table`: the first line may hold words.
pub(super) fn read(text: &Text<'_>, table: bool) -> Result<LoadedGraph, GraphError> {
    let fail = |fault| text.error(fault);
    let mut scanner = text.scanner();
    let weighted = read_start(&mut scanner, table).map_err(fail)?;
    let parts = text.parse(&text.pieces(scanner.at()), |_, piece| read_arcs(piece, weighted))?;
    let kind = assemble::smallest_kind(&parts).map_err(fail)?;
    let (n_vertices, ids, parts) = assemble::number_vertices(parts)?;
    Ok(LoadedGraph::new(assemble::graph(n_vertices, &parts, kind, Direction::Directed), ids))
}

/// Reads up to the first arc; whether arcs have weights.
fn read_start(scanner: &mut Scanner<'_>, table: bool) -> Result<bool, Fault> {
    let mut words_allowed = table;
    while let Some(first) = scanner.line_start() {
        let is_word = first.is_ascii_alphabetic() || matches!(first, b'_' | b'"' | b'\'');
        if is_comment(first) {
            scanner.skip_line();
        } else if words_allowed && is_word {
            words_allowed = false;
            scanner.skip_line();
        } else {
            let mut line = scanner.clone();
            line.natural("a vertex")?;
            line.separator();
            line.natural("a vertex")?;
            return Ok(!line.at_line_end());
        }
    }
    let message = "expected an arc `<source> <destination> [<weight>]`, found none";
    Err(Fault::new(scanner.at(), message))
}

fn is_comment(first: u8) -> bool {
    matches!(first, b'#' | b'%')
}

fn read_arcs(mut scanner: Scanner<'_>, weighted: bool) -> Result<Arcs<u64>, Fault> {
    let mut arcs = Arcs::with_capacity(scanner.remaining() / COMMON_LINE + 1);
    while let Some(first) = scanner.line_start() {
        if is_comment(first) {
            scanner.skip_line();
            continue;
        }
        let source = scanner.natural("a vertex")?;
        scanner.separator();
        let destination = scanner.natural("a vertex")?;
        if weighted {
            scanner.separator();
            let at = scanner.at();
            let weight = scanner.weight()?;
            arcs.push_weighted(source, destination, weight, at);
        } else {
            arcs.push(source, destination);
        }
        scanner.end_line()?;
    }
    Ok(arcs)
}

/// Writes source, destination and weight, with the vertices' own names.
pub(super) fn write<W: Weight>(out: &mut dyn Write, graph: &Csr<W>, ids: &Ids) -> io::Result<()> {
    write_rows(out, graph, |line, source, destination, weight| {
        push_name(line, ids.name(source));
        line.push(b' ');
        push_name(line, ids.name(destination));
        line.push(b' ');
        push_weight(line, weight);
        line.push(b'\n');
    })
}

fn push_name(line: &mut Vec<u8>, name: Name<'_>) {
    match name {
        Name::Number(number) => push_integer(line, number),
        Name::Word(word) => line.extend_from_slice(word.as_bytes()),
    }
}
