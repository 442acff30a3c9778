//! Tables of positions: a vertex, x and y on each line. No line is a comment.

use super::super::Format;
use super::super::blocks::Text;
use super::super::placed::{COORDINATE, Known, Placed, coordinate};
use super::super::scan::{Fault, Scanner};
use super::fields::{Comments, Delimiter, Field, Fields};
use crate::{GraphError, Name};

/// The delimiter between fields; steps over a heading.
pub(in super::super) fn start(
    text: &mut Text<'_>,
    format: Format,
) -> Result<Delimiter, GraphError> {
    let Some(line) = text.line()? else { return Ok(Delimiter::Blanks) };
    let (delimiter, is_heading) = first_line(line, format).map_err(|fault| text.error(fault))?;
    if is_heading {
        text.skip_line();
    }
    Ok(delimiter)
}

/// The delimiter of the first line, and whether it is a heading: words in place of numbers.
fn first_line(mut line: Scanner<'_>, format: Format) -> Result<(Delimiter, bool), Fault> {
    let delimiter = Delimiter::of(format, &line);
    let fields = Fields::new(&mut line, delimiter).collect()?;
    let is_word = |field: &Field<'_>| fast_float2::parse::<f64, _>(&field.text).is_err();
    let is_heading = fields.len() > 1 && fields[1..].iter().all(is_word);
    if is_heading {
        let first = fields[1].text.to_ascii_lowercase();
        if first.starts_with(b"lat") || first == b"y" {
            return Err(fields[1].expected("x, or the longitude, before y, or the latitude"));
        }
    }
    Ok((delimiter, is_heading))
}

/// The positions in a piece of the table.
pub(in super::super) fn read(
    mut scanner: Scanner<'_>,
    delimiter: Delimiter,
    known: Known<'_>,
) -> Result<Vec<Placed>, Fault> {
    let mut placed = Vec::new();
    while Comments::NONE.next_line(&mut scanner) {
        let at = scanner.at();
        let fields = Fields::new(&mut scanner, delimiter).collect()?;
        let [name, x, y] = fields.as_slice() else {
            let found = fields.len();
            let message = format!("expected three fields, a vertex, x and y, found {found}");
            return Err(Fault::new(at, message));
        };
        let vertex = known.vertex(Name::Word(name.name()?), at)?;
        let position = [value(x)?, value(y)?];
        scanner.end_line()?;
        placed.push(Placed { vertex, position, at });
    }
    Ok(placed)
}

fn value(field: &Field<'_>) -> Result<f64, Fault> {
    coordinate(&field.text).ok_or_else(|| field.expected(COORDINATE))
}
