//! Edge lists, `.el`, `.wel`, `.csv`, `.tsv` and `.txt`: an arc on each line, as
//! source, destination and, on all lines or on none, weight.
//!
//! Fields are parted by blanks, tabs, a comma or a semicolon; lines that start with
//! `#` or `%` are comments; in `.csv` and `.tsv` the first line may hold words. Ids
//! are any 64-bit numbers: [`number_vertices`](super::assemble::number_vertices) says
//! which are kept and which are renumbered. The format cannot say that a vertex has
//! no arcs: those beyond the greatest id with one are lost in it.

use std::io::{self, Write};

use super::assemble::{self, ArcList, Arcs};
use super::blocks::Text;
use super::scan::{Fault, Scanner};
use super::text::{push_integer, push_weight, write_arcs};
use crate::{Csr, Direction, GraphError, Ids, LoadedGraph, Name, Weight};

/// `table`: the first line may hold words.
pub(super) fn read(mut text: Text<'_>, table: bool) -> Result<LoadedGraph, GraphError> {
    let weighted = read_start(&mut text, table)?;
    let mut list = ArcList::new();
    text.for_each_block(|block| {
        list.add(block, block.parse(|_, piece| read_arcs(piece, weighted))?)
    })?;
    let kind = list.smallest_kind(&text)?;
    let (n_vertices, ids, parts) = assemble::number_vertices(list.into_parts())?;
    let csr = assemble::graph(text.path(), n_vertices, parts, kind, Direction::Directed)?;
    Ok(LoadedGraph::new(csr, ids))
}

/// Reads up to the first arc; whether arcs have weights.
fn read_start(text: &mut Text<'_>, table: bool) -> Result<bool, GraphError> {
    let mut words_allowed = table;
    while let Some(line) = text.line()? {
        let first = line.peek().unwrap_or_default();
        let is_word = first.is_ascii_alphabetic() || matches!(first, b'_' | b'"' | b'\'');
        if words_allowed && is_word {
            words_allowed = false;
        } else if !is_comment(first) {
            return is_weighted(line).map_err(|fault| text.error(fault));
        }
        text.skip_line();
    }
    let message = "expected an arc `<source> <destination> [<weight>]`, found none";
    Err(text.error_at(text.line_number(), message))
}

fn is_weighted(mut line: Scanner<'_>) -> Result<bool, Fault> {
    line.natural("a vertex")?;
    line.separator();
    line.natural("a vertex")?;
    Ok(!line.at_line_end())
}

fn is_comment(first: u8) -> bool {
    matches!(first, b'#' | b'%')
}

fn read_arcs(mut scanner: Scanner<'_>, weighted: bool) -> Result<Arcs<u64>, Fault> {
    let mut arcs = Arcs::with_capacity(scanner.n_lines());
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
    write_arcs(out, graph, |line, source, destination, weight| {
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
