//! Which columns of an edge list hold the ends of an arc and its weight.

use std::sync::atomic::AtomicU64;

use super::super::blocks::Text;
use super::super::options::{Base, Column, Columns, Comment, EdgeListOptions, Header, IdKind};
use super::super::scan::{Fault, Scanner};
use super::super::{Format, Note};
use super::fields::{Comments, Delimiter, Field, Fields};
use crate::GraphError;

/// Bytes at the start of a table that are searched for ids that are words.
const SAMPLE_BYTES: usize = 256 << 10;

/// Names of source columns, as [`plain_name`] gives them.
const SOURCE_NAMES: [&str; 6] = ["source", "src", "from", "tail", "pre", "u"];
/// Names of destination columns, as [`plain_name`] gives them.
const DESTINATION_NAMES: [&str; 8] =
    ["target", "destination", "dest", "dst", "to", "head", "post", "v"];
/// Names of weight columns, as [`plain_name`] gives them; the first that a table has is its weight.
const WEIGHT_NAMES: [&str; 5] = ["weight", "w", "length", "cost", "distance"];

/// The columns of a line, counted from 0, and how to read them.
#[derive(Debug)]
pub(super) struct Layout {
    pub(super) comments: Comments,
    /// The number of comment lines so far.
    pub(super) n_comments: AtomicU64,
    pub(super) delimiter: Delimiter,
    pub(super) source: usize,
    pub(super) destination: usize,
    pub(super) weight: Option<usize>,
    /// Fields of every line.
    pub(super) width: usize,
    /// Whether fields may be quoted.
    pub(super) is_table: bool,
    /// Whether ids are names or numbers.
    pub(super) ids: IdKind,
    /// The least id, if it is given.
    pub(super) base: Option<Base>,
}

impl Layout {
    /// Whether lines are source, destination and weight, and nothing else.
    pub(super) fn is_plain(&self) -> bool {
        let used = 2 + usize::from(self.weight.is_some());
        let in_order = (self.source, self.destination) == (0, 1);
        in_order && self.weight.is_none_or(|weight| weight == 2) && self.width == used
    }
}

/// The beginning of an edge list.
pub(super) struct Start {
    pub(super) layout: Layout,
    /// A first line of two numbers, which may be a header: of vertices and of lines.
    pub(super) sizes: Option<(u64, u64)>,
    /// The byte where the first line starts that is certainly an arc.
    pub(super) body: usize,
    pub(super) notes: Vec<Note>,
}

/// Reads the first lines, which are no comments; `None` where there are none.
pub(super) fn read_start(
    text: &mut Text<'_>,
    format: Format,
    options: &EdgeListOptions,
) -> Result<Option<Start>, GraphError> {
    // the first two lines, and enough to see what ids are
    let comments = Comments::of(format, options.comment);
    let head = text.look_ahead(|mut scanner| {
        comments.next_line(&mut scanner);
        scanner.skip_line();
        comments.next_line(&mut scanner) && scanner.remaining() >= SAMPLE_BYTES
    })?;
    look_at(head, format, options).map_err(|fault| text.error(fault))
}

fn look_at(
    mut scanner: Scanner<'_>,
    format: Format,
    options: &EdgeListOptions,
) -> Result<Option<Start>, Fault> {
    let comments = Comments::of(format, options.comment);
    if !comments.next_line(&mut scanner) {
        return Ok(None);
    }
    let is_table = matches!(format, Format::Csv | Format::Tsv);
    let delimiter = Delimiter::of(format, &scanner);
    let first_at = scanner.at();
    let mark = scanner.peek().filter(|mark| b"#%".contains(mark)).map(char::from);
    let first = line(&mut scanner, delimiter)?;
    let after_first = scanner.at();
    let second = if comments.next_line(&mut scanner) { Some(scanner.clone()) } else { None };
    let second = second.map(|mut second| line(&mut second, delimiter)).transpose()?;
    let mut notes = Vec::new();
    if let Some(mark) = mark.filter(|_| is_table && options.comment == Comment::Auto) {
        if second.as_ref().is_some_and(|second| second.len() != first.len()) {
            let message = format!(
                "the first line starts with {mark} and has other fields than the next; --comment \
                 '{mark}' skips such lines"
            );
            return Err(Fault::new(first_at, message));
        }
        notes.push(Note::NoComment { mark });
    }

    let by_name = options.columns.as_ref().is_some_and(Columns::has_names);
    let numbers = match &first[..] {
        [n, m] => n.natural().zip(m.natural()),
        _ => None,
    };
    let counts_columns = is_count(&first);
    let is_heading = by_name
        || is_table
            && match options.header {
                Header::Yes => true,
                Header::No => false,
                Header::Auto => {
                    numbers.is_none() && recognised(&first).is_some()
                        || second.as_ref().is_some_and(|second| is_above(&first, second))
                        || counts_columns && first[0].text.is_empty()
                }
            };
    if is_table && counts_columns && !is_heading && options.header == Header::Auto {
        notes.push(Note::MaybeHeading);
    }
    let sizes = numbers.filter(|_| options.header != Header::No && !is_heading);
    if options.header == Header::Yes && sizes.is_none() && !is_heading {
        return Err(first[0].expected("a header `<vertices> <lines>`"));
    }

    // the line that shows the number of columns
    let model = match &second {
        None if is_heading => return Ok(None),
        Some(second) if is_heading => second,
        Some(second) if sizes.is_some() && (second.len() <= 3 || options.columns.is_some()) => {
            second
        }
        _ => &first,
    };
    if model.len() < 2 {
        return Err(match model[0].natural() {
            Some(_) => Fault::new(model[0].at(), "expected a vertex, found the end of the line"),
            None => model[0].expected("a vertex"),
        });
    }
    let heading = is_heading.then_some(&first[..]);
    if let Some(heading) = heading.filter(|heading| heading.len() != model.len()) {
        let (named, found) = (heading.len(), model.len());
        let message = format!("expected {named} columns, as the first line names; found {found}");
        return Err(Fault::new(model[0].at(), message));
    }
    let (source, destination, weight) = match &options.columns {
        Some(columns) => columns.resolve(heading, model)?,
        None => guess(format, heading, model, &mut notes)?,
    };
    let mut layout = Layout {
        comments,
        n_comments: AtomicU64::new(0),
        delimiter,
        source,
        destination,
        weight,
        width: model.len(),
        is_table,
        ids: options.ids,
        base: options.base,
    };
    let body = if is_heading || sizes.is_some() { after_first } else { first_at };
    if is_table && options.ids == IdKind::Auto {
        scanner.go_to(if is_heading { body } else { first_at });
        if find_words(scanner, &layout, &mut notes) {
            layout.ids = IdKind::Names;
        }
    }
    Ok(Some(Start { layout, sizes, body, notes }))
}

/// The fields of a line; steps over it.
fn line<'a>(scanner: &mut Scanner<'a>, delimiter: Delimiter) -> Result<Vec<Field<'a>>, Fault> {
    let fields = Fields::new(scanner, delimiter).collect()?;
    scanner.skip_line();
    Ok(fields)
}

/// Whether `first` is a heading above `second`: words, at least one above a number; or numbers of
/// columns, at least one above a word.
fn is_above(first: &[Field<'_>], second: &[Field<'_>]) -> bool {
    let is_number = |field: &Field<'_>| field.weight().is_ok();
    let mut pairs = first.iter().zip(second);
    if is_count(first) {
        return second.iter().any(|field| !field.text.is_empty() && !is_number(field));
    }
    !first.iter().any(is_number)
        && pairs.any(|(name, field)| !name.text.is_empty() && is_number(field))
}

/// Whether a line is 0, 1 and so on, as pandas names columns, maybe after an empty field.
fn is_count(first: &[Field<'_>]) -> bool {
    let columns = &first[usize::from(first[0].text.is_empty())..];
    columns.len() > 1 && (0..).zip(columns).all(|(i, field)| field.natural() == Some(i))
}

/// The name of a column in lower case, without `_`, `-`, `.` and blanks, and without a last
/// `id`, `node` or `vertex`.
pub(super) fn plain_name(field: &Field<'_>) -> String {
    let name = String::from_utf8_lossy(&field.text).to_lowercase();
    let mut name = name.replace(['_', '-', '.', ' '], "");
    for ending in ["id", "node", "vertex"] {
        if let Some(start) = name.strip_suffix(ending) {
            name.truncate(start.len());
        }
    }
    name
}

/// Source, destination and, if there is one, weight, by the known names of columns.
fn recognised(heading: &[Field<'_>]) -> Option<(usize, usize, Option<usize>)> {
    let names: Vec<_> = heading.iter().map(plain_name).collect();
    let find = |known: &[&str]| names.iter().position(|name| known.contains(&&name[..]));
    // a table may have both a length and a weight; the weight counts
    let weight = WEIGHT_NAMES.iter().find_map(|known| names.iter().position(|name| name == known));
    Some((find(&SOURCE_NAMES)?, find(&DESTINATION_NAMES)?, weight))
}

/// The columns by their names, or by how many there are.
fn guess(
    format: Format,
    heading: Option<&[Field<'_>]>,
    model: &[Field<'_>],
    notes: &mut Vec<Note>,
) -> Result<(usize, usize, Option<usize>), Fault> {
    let name = |number: usize| {
        let field = heading.and_then(|heading| heading.get(number));
        field.map(|field| String::from_utf8_lossy(&field.text).into_owned())
    };
    if let Some(columns) = heading.and_then(recognised) {
        let (source, destination, weight) = columns;
        let used = [Some(source), Some(destination), weight];
        let unread: Vec<_> =
            (0..model.len()).filter(|&column| !used.contains(&Some(column))).collect();
        if !unread.is_empty() {
            let names = unread.into_iter().map(|column| name(column).unwrap_or_default());
            notes.push(Note::UnreadColumns { names: names.collect(), weighted: weight.is_some() });
        }
        return Ok(columns);
    }
    if heading.is_some() {
        notes.push(Note::Heading { names: (0..model.len()).filter_map(name).collect() });
    }
    // a first column without a name, before columns with names, numbers the rows
    let first = usize::from(name(0).is_some_and(|name| name.is_empty()) && model.len() > 2);
    if first > 0 {
        let weighted = model.len() > 3;
        notes.push(Note::UnreadColumns { names: vec![String::new()], weighted });
    }
    match model.len() - first {
        2 => Ok((first, first + 1, None)),
        3 => {
            let weight = first + 2;
            if format != Format::Wel {
                notes.push(Note::WeightColumn { number: weight + 1, name: name(weight) });
            }
            Ok((first, first + 1, Some(weight)))
        }
        width => Err(Fault::new(
            model[0].at(),
            format!(
                "there are {width} columns; name those of source, target and weight (--columns \
                 SOURCE,TARGET,WEIGHT, by name or by number from 1)"
            ),
        )),
    }
}

impl Columns {
    fn has_names(&self) -> bool {
        let all = [Some(&self.source), Some(&self.destination), self.weight.as_ref()];
        all.into_iter().flatten().any(|column| matches!(column, Column::Name(_)))
    }

    /// The places of these columns on a line such as `model`.
    fn resolve(
        &self,
        heading: Option<&[Field<'_>]>,
        model: &[Field<'_>],
    ) -> Result<(usize, usize, Option<usize>), Fault> {
        let place = |column: &Column| match column {
            Column::Number(number) => {
                let place = number.checked_sub(1).filter(|&place| place < model.len());
                place.ok_or_else(|| {
                    let message = format!(
                        "there is no column {number}; there are {}, counted from 1",
                        model.len()
                    );
                    Fault::new(model[0].at(), message)
                })
            }
            Column::Name(name) => {
                let heading =
                    heading.expect("columns given by name need a first line with their names");
                let same = |field: &Field<'_>| field.text.eq_ignore_ascii_case(name.as_bytes());
                let exact = heading.iter().position(|field| *field.text == *name.as_bytes());
                exact.or_else(|| heading.iter().position(same)).ok_or_else(|| {
                    let names = heading.iter().map(|field| String::from_utf8_lossy(&field.text));
                    let names = names.collect::<Vec<_>>().join(", ");
                    Fault::new(
                        heading[0].at(),
                        format!("no column is called `{name}`; the columns are {names}"),
                    )
                })
            }
        };
        let (source, destination) = (place(&self.source)?, place(&self.destination)?);
        let weight = self.weight.as_ref().map(place).transpose()?;
        if source == destination || weight.is_some_and(|w| w == source || w == destination) {
            let message = "source, target and weight must be different columns";
            return Err(Fault::new(model[0].at(), message));
        }
        Ok((source, destination, weight))
    }
}

/// Whether some id near the start of a table is not spelled as a natural number; with a note if
/// that may surprise.
fn find_words(mut scanner: Scanner<'_>, layout: &Layout, notes: &mut Vec<Note>) -> bool {
    let end = scanner.at() + SAMPLE_BYTES;
    let mut is_first = true;
    while scanner.at() < end && layout.comments.next_line(&mut scanner) {
        let Ok(fields) = line(&mut scanner, layout.delimiter) else { return false };
        for column in [layout.source, layout.destination] {
            let Some(field) = fields.get(column) else { return false };
            let is_padded = field.text.len() > 1 && field.text.starts_with(b"0");
            let is_number = field.text.iter().all(u8::is_ascii_digit) && !is_padded;
            if !is_number && field.name().is_ok() {
                if !is_first || field.weight().is_ok() {
                    let word = String::from_utf8_lossy(&field.text).into_owned();
                    notes.push(Note::Words { word });
                }
                return true;
            }
        }
        is_first = false;
    }
    false
}
