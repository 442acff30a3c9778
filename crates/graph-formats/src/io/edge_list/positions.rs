//! Tables of positions: on each line a vertex, x and y, or columns that the first line names, as
//! GMNS, OSMnx and others do. No line is a comment.

use super::super::Format;
use super::super::blocks::Text;
use super::super::placed::{COORDINATE, Known, Placed, coordinate};
use super::super::scan::{Fault, Scanner};
use super::columns::plain_name;
use super::fields::{Comments, Delimiter, Field, Fields};
use crate::{GraphError, Name};

/// Names of the columns of x and y, as [`plain_name`] gives them; the first pair that a table has
/// counts.
const POSITION_NAMES: [[&str; 2]; 6] = [
    ["x", "y"],
    ["xcoord", "ycoord"],
    ["lon", "lat"],
    ["longitude", "latitude"],
    ["lng", "lat"],
    ["long", "lat"],
];
/// Names of the column of vertices, as [`plain_name`] gives them; the last is that of `node_id`,
/// `vertex` and `id`.
const VERTEX_NAMES: [&str; 4] = ["osm", "name", "label", ""];

/// The columns of a line, counted from 0, and how to read them.
#[derive(Clone, Copy)]
pub(in super::super) struct PositionColumns {
    delimiter: Delimiter,
    vertex: usize,
    position: [usize; 2],
    /// Fields of every line.
    width: usize,
}

/// Looks at the first line, and steps over it if it is a heading.
pub(in super::super) fn start(
    text: &mut Text<'_>,
    format: Format,
) -> Result<PositionColumns, GraphError> {
    let plain = |delimiter| PositionColumns { delimiter, vertex: 0, position: [1, 2], width: 3 };
    let Some(line) = text.line()? else { return Ok(plain(Delimiter::Blanks)) };
    let delimiter = Delimiter::of(format, &line);
    let heading = heading(line, delimiter).map_err(|fault| text.error(fault))?;
    if heading.is_some() {
        text.skip_line();
    }
    Ok(heading.flatten().unwrap_or(plain(delimiter)))
}

/// The columns of the first line: `None` if it is no heading, and `Some(None)` if they have other
/// names and are in the usual order.
fn heading(
    mut line: Scanner<'_>,
    delimiter: Delimiter,
) -> Result<Option<Option<PositionColumns>>, Fault> {
    let fields = Fields::new(&mut line, delimiter).collect()?;
    let names: Vec<_> = fields.iter().map(plain_name).collect();
    let place = |known: &str| names.iter().position(|name| name == known);
    let pair = POSITION_NAMES.iter().find_map(|[x, y]| Some([place(x)?, place(y)?]));
    let Some(position @ [x, y]) = pair else {
        let is_word = |field: &Field<'_>| fast_float2::parse::<f64, _>(&field.text).is_err();
        let is_heading = fields.len() > 1 && fields[1..].iter().all(is_word);
        return match fields.get(1) {
            Some(second) if is_heading && fields.len() == 3 => {
                let first = second.text.to_ascii_lowercase();
                if first.starts_with(b"lat") || first == b"y" {
                    return Err(second.expected("x, or the longitude, before y, or the latitude"));
                }
                Ok(Some(None))
            }
            Some(_) if is_heading => Err(fields[0]
                .expected("columns `x` and `y`, `x_coord` and `y_coord`, or `lon` and `lat`")),
            _ => Ok(None),
        };
    };
    let is_known = |column: &usize| VERTEX_NAMES.contains(&&*names[*column]);
    let mut others = (0..fields.len()).filter(|column| ![x, y].contains(column));
    let vertex = match fields.len() {
        3 => others.next(),
        // a column without a name numbers the rows
        _ => others.clone().filter(|&column| !fields[column].text.is_empty()).find(is_known),
    };
    let vertex = vertex.ok_or_else(|| {
        fields[0].expected("a column of vertices, such as `node_id`, `osmid`, `vertex` or `name`")
    })?;
    Ok(Some(Some(PositionColumns { delimiter, vertex, position, width: fields.len() })))
}

/// The positions in a piece of the table.
pub(in super::super) fn read(
    mut scanner: Scanner<'_>,
    columns: PositionColumns,
    known: Known<'_>,
) -> Result<Vec<Placed>, Fault> {
    let mut placed = Vec::new();
    while Comments::NONE.next_line(&mut scanner) {
        let at = scanner.at();
        let fields = Fields::new(&mut scanner, columns.delimiter).collect()?;
        if fields.len() != columns.width {
            let message = match (columns.width, fields.len()) {
                (3, found) => format!("expected three fields, a vertex, x and y, found {found}"),
                (width, found) => format!("expected {width} columns, found {found}"),
            };
            return Err(Fault::new(at, message));
        }
        let vertex = known.vertex(Name::Word(fields[columns.vertex].name()?), at)?;
        let [x, y] = columns.position;
        let position = [value(&fields[x])?, value(&fields[y])?];
        scanner.end_line()?;
        placed.push(Placed { vertex, position, at });
    }
    Ok(placed)
}

fn value(field: &Field<'_>) -> Result<f64, Fault> {
    coordinate(&field.text).ok_or_else(|| field.expected(COORDINATE))
}
