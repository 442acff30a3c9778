//! Edge lists, `.el`, `.wel`, `.txt`, `.csv` and `.tsv`: an arc on each line, as source,
//! destination and, on all lines or on none, weight. Lines that start with `#` or `%` are comments,
//! except in a table, where names may start so.
//!
//! **Fields** are separated by blanks, tabs, a comma or a semicolon. `.csv` and `.tsv` are tables:
//! their delimiter is the comma, semicolon or tab that is most frequent on the first line (in
//! `.tsv` the tab, if it has one). A field may be in quotes, but not on several lines.
//!
//! **Header.** A first line of two numbers `n m` is a header if m lines follow (one at least), no
//! id is beyond n vertices, and the file could hold n vertices. So `2 1`, `0 1` is one arc, and `1
//! 1`, `0 1` are two. Then there are n vertices, counted from 0 where 0 occurs, else from 1.
//!
//! **Columns** are source, destination and weight, if there are two or three. In a table they may
//! have names: the first line is a heading if it has known names; or if it has no number and a
//! number stands below one of its words. If names are known, the columns may be in any order, and
//! other columns are not read.
//!
//! **Vertices** are, without a header, the ids that occur; or those of a file of vertices.
//! Ids are any 64-bit numbers, spelled without leading zeros, or, in a table, words, if one of
//! the first is no such number.
//!
//! **Direction.** A line is an arc.

mod columns;
mod fields;
mod lines;
mod list;
pub(super) mod matrix;
pub(super) mod positions;
mod vertices;
mod words;

use std::io::{self, Write};

use self::columns::{Start, read_start};
use self::fields::Comments;
use self::list::{List, no_arcs};
use self::vertices::Vertices;
use super::assemble::Parallel;
use super::blocks::Text;
use super::options::EdgeListOptions;
use super::text::{push_integer, push_weight, write_arcs};
use super::{Format, Note, assemble};
use crate::{Csr, GraphError, Ids, LoadedGraph, Name, Weight, WeightKind};

/// Reads an edge list in one of the formats above.
pub(super) fn read(
    mut text: Text<'_>,
    format: Format,
    options: &EdgeListOptions,
) -> Result<LoadedGraph, GraphError> {
    let mut notes = Vec::new();
    let beside = if options.vertices.is_none() { vertices::beside(text.path()) } else { None };
    let path = options.vertices.as_ref().or(beside.as_ref());
    let comments = Comments::of(format, options.comment);
    let vertices = path.map(|path| Vertices::read(path, comments, options.ids)).transpose()?;
    if let (Some(path), Some(vertices)) = (beside, &vertices) {
        notes.push(Note::VertexFile { path, n_vertices: vertices.n_vertices });
    }
    let mut n_comments = comments.skip(&mut text)?;
    n_comments += vertices.as_ref().map_or(0, |vertices| vertices.n_comments);
    let (n_vertices, ids, parts, kind) = match (read_start(&mut text, format, options)?, &vertices)
    {
        (Some(Start { mut layout, sizes, body, notes: more }), vertices) => {
            notes.extend(more);
            let first_line = text.split_off(body);
            let body = text.line_number();
            let mut list = List::new(&layout, vertices.as_ref());
            text.for_each_block(|block| list.add(block, &layout))?;
            let mut header = None;
            if let Some(sizes @ (n_vertices, n_lines)) = sizes {
                let line = first_line.first_line();
                header = list.header(sizes, line, options.header, &text, &layout)?;
                if let Some((_, first)) = header {
                    notes.push(Note::Header { n_vertices, n_lines, first });
                } else {
                    // these numbers may be in quotes in any list
                    layout.is_table = true;
                    list.add(&first_line, &layout)?;
                }
            }
            let kind = list.smallest_kind(&text)?;
            let (n_vertices, ids, parts) = list.number(header, &text, body, layout.base)?;
            n_comments += layout.n_comments.into_inner();
            (n_vertices, ids, parts, kind)
        }
        (None, Some(vertices)) => {
            (vertices.n_vertices, vertices.ids.clone(), Vec::new(), WeightKind::U32)
        }
        (None, None) => {
            while text.line()?.is_some() {
                text.skip_line();
            }
            return Err(no_arcs(&text, text.line_number()));
        }
    };
    if n_comments > 0 {
        notes.push(Note::Comments { n_lines: n_comments });
    }
    let csr = assemble::graph(text.path(), n_vertices, parts, kind, None, Parallel::Allowed)?;
    Ok(LoadedGraph { notes, ..LoadedGraph::new(csr, ids) })
}

/// Writes source, destination and weight, with the vertices' own names. A table begins with the
/// names of these columns.
pub(super) fn write<W: Weight>(
    out: &mut dyn Write,
    graph: &Csr<W>,
    ids: &Ids,
    format: Format,
) -> io::Result<()> {
    let delimiter = match format {
        Format::Csv => b',',
        Format::Tsv => b'\t',
        _ => b' ',
    };
    if delimiter != b' ' {
        out.write_all(&[b"source", b"target", b"weight"].map(|name| &name[..]).join(&delimiter))?;
        out.write_all(b"\n")?;
    }
    write_arcs(out, graph, |line, source, destination, weight| {
        push_name(line, ids.name(source), delimiter);
        line.push(delimiter);
        push_name(line, ids.name(destination), delimiter);
        line.push(delimiter);
        push_weight(line, weight);
        line.push(b'\n');
    })
}

/// Adds a name, in quotes if it would not be read back without them.
fn push_name(line: &mut Vec<u8>, name: Name<'_>, delimiter: u8) {
    let word = match name {
        Name::Number(number) => return push_integer(line, number),
        Name::Word(word) => word.as_bytes(),
    };
    if !word.starts_with(b"#")
        && !word.starts_with(b"%")
        && !word.contains(&b'"')
        && !word.contains(&delimiter)
    {
        return line.extend_from_slice(word);
    }
    line.push(b'"');
    for &byte in word {
        line.extend(std::iter::repeat_n(byte, if byte == b'"' { 2 } else { 1 }));
    }
    line.push(b'"');
}

#[cfg(test)]
mod tests {
    use super::super::blocks::BLOCK_BYTES;
    use super::super::source::Source;
    use super::*;

    #[test]
    fn lists_are_the_same_however_they_are_cut() {
        let notes_and_all = |text: &str, format, block_bytes| {
            let text = Text::new(Source::memory(text.as_bytes()), block_bytes)?;
            read(text, format, &EdgeListOptions::default())
        };
        for (format, text) in [
            (Format::El, "# x\n\n3 2\n# y\n0 1\n\n 1 2\n# z\n"),
            (Format::El, "3 3\n0 1\n1 2\n"),
            (Format::Wel, "3 2\n0 1 7\n1 2 8\n"),
            (Format::Wel, "3 9\n0 1 7\n1 2 8\n"),
            (Format::Csv, "n,from,to\n1,a,b\n2,\"b\",c\n3,c,a\n"),
            (Format::Tsv, "\n\tsource\ttarget\n0\t5\t6\n1\t6\t7\n"),
            (Format::Csv, "1,2\n2,3\n3,x\n"),
            (Format::Csv, "1,2,3\n2,3,4\n3,4\n"),
        ] {
            let describe = |block_bytes| {
                let found = notes_and_all(text, format, block_bytes);
                found.map_err(|error| error.to_string())
            };
            let whole = describe(BLOCK_BYTES);
            for block_bytes in 1..text.len() + 2 {
                assert_eq!(describe(block_bytes), whole, "{text:?} in blocks of {block_bytes}");
            }
        }
    }
}
