//! Matrices of weights as tables: the entry in row i and column j is an arc from i to j; 0 or
//! nothing is no arc. Fields are separated as in tables, or by blanks; lines that start with `#` or
//! `%` are comments.
//!
//! The first line may name the vertices, and then the first column may too. By itself it does if it
//! has a field that is no number, or an empty first field before the name that begins the next line,
//! as pandas and R write matrices. Else vertices count from 0.
//!
//! A line is a row, so a piece of a block needs the number of rows before it, as in METIS's files.
//! O(bytes).

use super::super::assemble::{self, ArcList, Arcs, Parallel};
use super::super::blocks::Text;
use super::super::line_index::LineIndex;
use super::super::options::Header;
use super::super::scan::{Fault, Scanner, quoted};
use super::super::weights::Number;
use super::super::{Format, Note};
use super::fields::{Delimiter, Field, Fields};
use crate::{GraphError, Ids, LoadedGraph, Numbering, VertexId};

/// The longest line, in bytes: a vertex may have a hundred million neighbours.
const MAX_LINE_BYTES: usize = 1 << 30;

/// How rows are read.
struct Rows {
    delimiter: Delimiter,
    /// The number of columns with weights.
    n_columns: usize,
    /// The names of the vertices, if the first line has them.
    names: Vec<String>,
    /// Whether a row begins with its name.
    are_named: bool,
}

/// The beginning of a matrix.
struct Start {
    rows: Rows,
    /// The byte where the first row starts.
    body: usize,
    note: Option<Note>,
}

/// Reads a matrix; `header` says whether its first line names the vertices.
pub(in super::super) fn read(
    mut text: Text<'_>,
    header: Header,
) -> Result<LoadedGraph, GraphError> {
    text.allow_lines_of(MAX_LINE_BYTES);
    let head = text.look_ahead(|mut scanner| {
        let mut n_lines = 0;
        while scanner.line_start().is_some() && n_lines < 2 {
            n_lines += usize::from(!scanner.peek().is_some_and(|byte| b"#%".contains(&byte)));
            scanner.skip_line();
        }
        n_lines == 2
    })?;
    let Start { rows, body, note } = look_at(head, header).map_err(|fault| text.error(fault))?;
    drop(text.split_off(body));
    let n = rows.n_columns as u64;
    let (mut list, mut lines) = (ArcList::new(), LineIndex::default());
    text.for_each_block(|block| {
        let first = lines.n_rows();
        let before = lines.add(block, |line| rows.is_row(line))?;
        let parts = block.parse(|i, piece| rows.read(piece, first + before[i]))?;
        list.add(block, parts)
    })?;
    if lines.n_rows() < n {
        let found = lines.n_rows();
        let message = format!("expected {n} rows, as many as columns, found {found}");
        return Err(text.error_at(text.line_number(), message));
    }
    let kind = list.smallest_kind(&text)?;
    let (mut ids, mut parts) = (Ids::FromZero, list.into_parts());
    if !rows.names.is_empty() {
        let (names, vertices) = rows.numbering()?.into_ids();
        ids = names;
        parts = parts.into_iter().map(|part| part.map(|v| vertices[v as usize])).collect();
    }
    let (path, n) = (text.path(), rows.n_columns);
    let csr = assemble::graph(path, n, parts, kind, None, Parallel::Allowed)?;
    Ok(LoadedGraph { notes: note.into_iter().collect(), ..LoadedGraph::new(csr, ids) })
}

fn look_at(mut scanner: Scanner<'_>, header: Header) -> Result<Start, Fault> {
    // the first line that is not blank shows the delimiter
    let mut model = scanner.clone();
    while model.line_start().is_some_and(|first| b"#%".contains(&first)) {
        model.skip_line();
    }
    let delimiter = Delimiter::of(Format::Csv, &model.clone().only_this_line());
    let mut rows = Rows { delimiter, n_columns: 0, names: Vec::new(), are_named: false };
    if !rows.next(&mut scanner) {
        return Err(scanner.expected("a row of a matrix"));
    }
    let start = scanner.at();
    let first = rows.fields(&mut scanner)?;
    let after_first = scanner.at();
    let second = if rows.next(&mut scanner) { Some(rows.fields(&mut scanner)?) } else { None };

    let is_number = |field: &Field<'_>| {
        field.text.is_empty() || fast_float2::parse::<f64, _>(&field.text).is_ok()
    };
    let all_numbers = first.iter().all(is_number);
    let begins_next = |place: usize| match (first.get(place), &second) {
        (Some(name), Some(next)) => !name.text.is_empty() && name.text == next[0].text,
        _ => false,
    };
    let is_heading = match header {
        Header::Yes => true,
        Header::No => false,
        Header::Auto => !all_numbers || first[0].text.is_empty() && begins_next(1),
    };
    if !is_heading {
        rows.n_columns = first.len();
        return Ok(Start { rows, body: start, note: None });
    }
    let width = second.as_ref().map_or(first.len(), Vec::len);
    let names = match width.checked_sub(first.len()) {
        Some(0) if first[0].text.is_empty() || begins_next(1) => &first[1..],
        Some(0 | 1) => &first[..],
        _ => {
            let at = second.as_ref().map_or(start, |next| next[0].at());
            let named = first.len();
            let message =
                format!("expected {named} columns, as the first line names; found {width}");
            return Err(Fault::new(at, message));
        }
    };
    rows.are_named = width > names.len();
    rows.n_columns = names.len();
    let mut numbering = Numbering::default();
    for name in names {
        let text = name.name()?;
        let number = numbering.number(text).map_err(|e| Fault::new(name.at(), e.to_string()))?;
        if (number as usize) < rows.names.len() {
            return Err(Fault::new(name.at(), format!("two columns are named `{text}`")));
        }
        rows.names.push(text.to_owned());
    }
    if names.is_empty() {
        return Err(first[0].expected("names of vertices"));
    }
    let note = (all_numbers && header == Header::Auto).then_some(Note::NamedRows);
    Ok(Start { rows, body: after_first, note })
}

impl Rows {
    /// Whether a line is a row. One that has only tabs may be.
    fn is_row(&self, mut line: Scanner<'_>) -> bool {
        let bytes = line.until(|byte| byte == b'\n');
        let content = bytes.trim_ascii_start().first();
        match content {
            Some(first) => !b"#%".contains(first),
            None => self.delimiter == Delimiter::Byte(b'\t') && bytes.contains(&b'\t'),
        }
    }

    /// Steps to the start of the next row.
    fn next(&self, scanner: &mut Scanner<'_>) -> bool {
        while scanner.remaining() > 0 {
            if self.is_row(scanner.clone()) {
                return true;
            }
            scanner.skip_line();
        }
        false
    }

    /// The fields of a row; steps over it.
    fn fields<'a>(&self, scanner: &mut Scanner<'a>) -> Result<Vec<Field<'a>>, Fault> {
        let fields = Fields::new(scanner, self.delimiter).collect()?;
        scanner.end_line()?;
        Ok(fields)
    }

    /// The names, numbered in their order.
    fn numbering(&self) -> Result<Numbering, GraphError> {
        let mut numbering = Numbering::default();
        self.names.iter().try_for_each(|name| numbering.number(&**name).map(drop))?;
        Ok(numbering)
    }

    /// The arcs of a piece that starts with row number `row`.
    fn read(&self, mut scanner: Scanner<'_>, mut row: u64) -> Result<Arcs<VertexId>, Fault> {
        let mut arcs = Arcs::default();
        while self.next(&mut scanner) {
            let at = scanner.at();
            let n = self.n_columns;
            if row >= n as u64 {
                let message = format!("expected no more than {n} rows, as many as columns");
                return Err(Fault::new(at, message));
            }
            let mut fields = Fields::new(&mut scanner, self.delimiter);
            if self.are_named {
                let name = &self.names[row as usize];
                let found = fields.next()?.map(|field| field.text).unwrap_or_default();
                if *found != *name.as_bytes() {
                    let message = format!(
                        "expected the row of `{name}`, as the first line names it, found `{}`",
                        quoted(&found)
                    );
                    return Err(Fault::new(at, message));
                }
            }
            let mut column = 0;
            while let Some(field) = fields.next()? {
                if column < n && !field.text.is_empty() {
                    let weight = field.weight()?;
                    if !matches!(weight, Number::Natural(0) | Number::Real(0.0)) {
                        arcs.push(row as VertexId, column as VertexId, Some((weight, field.at())));
                    }
                }
                column += 1;
            }
            if column != n {
                return Err(Fault::new(at, format!("expected {n} weights, found {column}")));
            }
            scanner.end_line()?;
            row += 1;
        }
        Ok(arcs)
    }
}
