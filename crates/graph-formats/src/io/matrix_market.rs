//! Matrix Market, `.mtx`: a square sparse matrix, whose entry (i, j) is an arc from i
//! to j; vertices count from 1.
//!
//! `coordinate` matrices of `pattern`, `integer`, `unsigned-integer` or `real` values are read,
//! `general`, `symmetric` (each entry off the diagonal is an undirected edge) or `skew-symmetric`
//! (mirrored and negated). Values of an `integer` matrix take the smallest type that holds them;
//! those of a `real` one are `f64`. The structured comment `%%GraphBLAS type T` names a C type T
//! instead. Then every value must be one of T, and those of an integer type are kept exactly, `7.0`
//! as 7.
//!
//! A matrix has one value at each place, and the format gives no rule for two: an entry that occurs
//! twice is refused, and so are parallel arcs when a graph is written. Other lines that begin with
//! `%` are comments, and so is `%%GraphBLAS` without `type`.
//!
//! Format: R. F. Boisvert, R. Pozo, K. A. Remington, *The Matrix Market exchange
//! formats*, NISTIR 5935, 1996; the comment is SuiteSparse's.

use std::io::{self, Write};
use std::path::Path;

use super::assemble::{self, ArcList, Arcs, Parallel};
use super::blocks::Text;
use super::error::unrepresentable;
use super::line_index::LineIndex;
use super::scan::{Fault, Scanner, vertex_count};
use super::text::{push_arc, write_arcs};
use super::weights::Number;
use crate::{Csr, Direction, GraphError, Ids, LoadedGraph, VertexId, Weight, WeightKind};

#[derive(Clone, Copy, PartialEq)]
enum Field {
    Pattern,
    Integer,
    Unsigned,
    Real,
}

#[derive(Clone, Copy, PartialEq)]
enum Symmetry {
    General,
    Symmetric,
    SkewSymmetric,
}

/// A C type of the structured comment: its name, the type that keeps its values here,
/// and the integers that it admits (floats admit all).
struct ValueType {
    name: &'static str,
    kind: WeightKind,
    least: i128,
    greatest: i128,
}

macro_rules! value_types {
    ($($name:literal $kind:ident $least:expr, $greatest:expr;)*) => {
        [$(ValueType {
            name: $name,
            kind: WeightKind::$kind,
            least: $least as i128,
            greatest: $greatest as i128,
        }),*]
    };
}

static VALUE_TYPES: [ValueType; 11] = value_types! {
    "bool" U32 0, 1;
    "int8_t" I32 i8::MIN, i8::MAX;
    "int16_t" I32 i16::MIN, i16::MAX;
    "int32_t" I32 i32::MIN, i32::MAX;
    "int64_t" I64 i64::MIN, i64::MAX;
    "uint8_t" U32 0, u8::MAX;
    "uint16_t" U32 0, u16::MAX;
    "uint32_t" U32 0, u32::MAX;
    "uint64_t" U64 0, u64::MAX;
    "float" F32 0, 0;
    "double" F64 0, 0;
};

impl ValueType {
    fn is_integer(&self) -> bool {
        !matches!(self.kind, WeightKind::F32 | WeightKind::F64)
    }

    fn admits(&self, number: Number) -> bool {
        match self.kind {
            WeightKind::F32 => (number.to_f64() as f32).is_finite(),
            WeightKind::F64 => true,
            _ => {
                number.to_i128().is_some_and(|value| (self.least..=self.greatest).contains(&value))
            }
        }
    }

    /// The type that the writer names for weights of `kind`.
    fn of(kind: WeightKind) -> &'static str {
        match kind {
            WeightKind::U32 => "uint32_t",
            WeightKind::I32 => "int32_t",
            WeightKind::U64 => "uint64_t",
            WeightKind::I64 => "int64_t",
            WeightKind::F32 => "float",
            WeightKind::F64 => "double",
        }
    }
}

struct Header {
    field: Field,
    symmetry: Symmetry,
    value_type: Option<&'static ValueType>,
    n_vertices: u64,
    n_entries: u64,
    /// The line of the sizes.
    line: u64,
}

impl Header {
    /// Reads a value. A value of an integer type is an exact integer, even if it is written with a
    /// fraction that is zero.
    fn value(&self, scanner: &mut Scanner<'_>) -> Result<Number, Fault> {
        let place = scanner.clone();
        let mut value = scanner.weight()?;
        if matches!(value, Number::Real(_)) && self.value_type.is_some_and(ValueType::is_integer) {
            value = Number::whole(place.clone().word()).unwrap_or(value);
        }
        self.check_value(value, &place)?;
        Ok(value)
    }

    /// Refuses a value that the header's field or type does not admit.
    fn check_value(&self, value: Number, place: &Scanner<'_>) -> Result<(), Fault> {
        match (self.field, value) {
            (Field::Integer | Field::Unsigned, Number::Real(_)) => {
                return Err(place.expected("an integer"));
            }
            (Field::Unsigned, Number::Negative(_)) => {
                return Err(place.expected("an integer without a sign"));
            }
            _ => {}
        }
        match self.value_type {
            Some(value_type) if !value_type.admits(value) => {
                Err(place.expected(&format!("a value of type {}", value_type.name)))
            }
            _ => Ok(()),
        }
    }
}

pub(super) fn read(mut text: Text<'_>) -> Result<LoadedGraph, GraphError> {
    let header = read_header(&mut text)?;
    let mut list = ArcList::new();
    let mut lines = LineIndex::default();
    text.for_each_block(|block| {
        let parts = block.parse(|_, piece| read_entries(piece, &header))?;
        let n_entries = parts.iter().map(|(_, n_entries)| n_entries).sum();
        if n_entries == block.n_lines() {
            lines.add_rows_only(block, n_entries);
        } else {
            lines.add(block, is_entry)?;
        }
        list.add(block, parts.into_iter().map(|(arcs, _)| arcs).collect())
    })?;
    let n_vertices = text.check_vertices(header.n_vertices, header.line)?;
    text.check_count("entries", header.n_entries, lines.n_rows(), header.line)?;
    let kind = match (header.value_type, header.field) {
        (Some(value_type), _) => value_type.kind,
        (None, Field::Real) => WeightKind::F64,
        (None, _) => list.smallest_kind(&text)?,
    };
    let direction = match header.symmetry {
        Symmetry::Symmetric => Direction::Undirected,
        _ => Direction::Directed,
    };
    let twice = |parts: &[Arcs<VertexId>], (row, column)| {
        let (first, second) = two_entries(parts, header.symmetry, (row, column));
        let (first, line) = (lines.line_of(first), lines.line_of(second));
        let (row, column) = (u64::from(row) + 1, u64::from(column) + 1);
        let message = format!("the entry ({row}, {column}) is already on line {first}");
        text.error_at(line, message)
    };
    let parallel = Parallel::Refused(&twice);
    let parts = list.into_parts();
    let csr = assemble::graph(text.path(), n_vertices, parts, kind, Some(direction), parallel)?;
    Ok(LoadedGraph::new(csr, Ids::FromOne))
}

fn read_header(text: &mut Text<'_>) -> Result<Header, GraphError> {
    let (field, symmetry) = read_banner(text.here()).map_err(|fault| text.error(fault))?;
    text.skip_line();

    let mut value_type = None;
    while let Some(mut line) = text.line()?.filter(|line| line.peek() == Some(b'%')) {
        if line.word().eq_ignore_ascii_case(b"%%GraphBLAS")
            && line.word().eq_ignore_ascii_case(b"type")
        {
            let found = read_value_type(&mut line, symmetry);
            value_type = Some(found.map_err(|fault| text.error(fault))?);
        }
        text.skip_line();
    }

    let line = text.line_number();
    let (n_vertices, n_entries) = read_sizes(text.here()).map_err(|fault| text.error(fault))?;
    text.skip_line();
    Ok(Header { field, symmetry, value_type, n_vertices, n_entries, line })
}

fn read_banner(mut scanner: Scanner<'_>) -> Result<(Field, Symmetry), Fault> {
    let banner = scanner.clone();
    // some tools write one %
    let word = scanner.word();
    if ![&b"%%MatrixMarket"[..], b"%MatrixMarket"].iter().any(|b| word.eq_ignore_ascii_case(b)) {
        return Err(banner.expected("`%%MatrixMarket`, which opens every such file"));
    }
    choose(&mut scanner, "`matrix`", &[("matrix", ())])?;
    let expected = "`coordinate`, a sparse matrix";
    choose(&mut scanner, expected, &[("coordinate", ())])?;
    let fields = [
        ("pattern", Field::Pattern),
        ("integer", Field::Integer),
        ("unsigned-integer", Field::Unsigned),
        ("real", Field::Real),
    ];
    let expected = "`pattern`, `integer` or `real`";
    let field = choose(&mut scanner, expected, &fields)?;
    let symmetries = [
        ("general", Symmetry::General),
        ("symmetric", Symmetry::Symmetric),
        ("skew-symmetric", Symmetry::SkewSymmetric),
    ];
    let place = scanner.clone();
    let expected = "`general`, `symmetric` or `skew-symmetric`";
    let symmetry = choose(&mut scanner, expected, &symmetries)?;
    if symmetry == Symmetry::SkewSymmetric && matches!(field, Field::Pattern | Field::Unsigned) {
        return Err(place.expected("`general` or `symmetric` where values have no signs"));
    }
    scanner.end_line()?;
    Ok((field, symmetry))
}

/// The number of vertices, which is that of rows and of columns, and the number of entries.
fn read_sizes(mut scanner: Scanner<'_>) -> Result<(u64, u64), Fault> {
    let at = scanner.at();
    let rows = scanner.natural("the number of rows")?;
    let columns = scanner.natural("the number of columns")?;
    let n_entries = scanner.natural("the number of entries")?;
    scanner.end_line()?;
    if rows != columns {
        let message = format!("expected a square matrix, found {rows} rows and {columns} columns");
        return Err(Fault::new(at, message));
    }
    Ok((vertex_count(rows, at)?, n_entries))
}

/// The value of the next word, compared without case.
fn choose<T: Copy>(
    scanner: &mut Scanner<'_>,
    expected: &str,
    choices: &[(&str, T)],
) -> Result<T, Fault> {
    let place = scanner.clone();
    let word = scanner.word();
    let choice = choices.iter().find(|choice| word.eq_ignore_ascii_case(choice.0.as_bytes()));
    choice.map(|choice| choice.1).ok_or_else(|| place.expected(expected))
}

fn read_value_type(
    line: &mut Scanner<'_>,
    symmetry: Symmetry,
) -> Result<&'static ValueType, Fault> {
    let place = line.clone();
    let word = line.word();
    let value_type =
        VALUE_TYPES.iter().find(|value_type| value_type.name.as_bytes() == word).ok_or_else(
            || place.expected("bool, a type such as int32_t or uint8_t, float or double"),
        )?;
    line.end_line()?;
    if symmetry == Symmetry::SkewSymmetric && value_type.is_integer() && value_type.least == 0 {
        let message = "a type with negative values, as the matrix is skew-symmetric";
        return Err(place.expected(message));
    }
    Ok(value_type)
}

/// Whether a line is an entry: neither blank nor a comment.
fn is_entry(mut line: Scanner<'_>) -> bool {
    line.blanks();
    !matches!(line.peek(), None | Some(b'\n' | b'%'))
}

/// The numbers of the first two entries that give the arc between `ends`.
fn two_entries(
    parts: &[Arcs<VertexId>],
    symmetry: Symmetry,
    ends: (VertexId, VertexId),
) -> (u64, u64) {
    let mirrored = symmetry != Symmetry::General;
    let (mut found, mut number) = (Vec::new(), 0);
    let mut arcs = parts.iter().flat_map(|part| part.ends().iter().copied());
    while let Some((row, column)) = arcs.next() {
        let mirror = if mirrored && row != column { arcs.next() } else { None };
        if (row, column) == ends || mirror == Some(ends) {
            found.push(number);
        }
        if let [first, second] = found[..] {
            return (first, second);
        }
        number += 1;
    }
    unreachable!("two arcs have these ends")
}

/// The arcs of a piece, and the number of its entries.
fn read_entries(mut scanner: Scanner<'_>, header: &Header) -> Result<(Arcs<VertexId>, u64), Fault> {
    let mut arcs = Arcs::with_capacity(scanner.n_lines());
    let mut n_entries = 0;
    while let Some(first) = scanner.line_start() {
        if first == b'%' {
            scanner.skip_line();
            continue;
        }
        let place = scanner.clone();
        let row = scanner.vertex(1, header.n_vertices)?;
        let column = scanner.vertex(1, header.n_vertices)?;
        n_entries += 1;
        let mirrored = row != column && header.symmetry != Symmetry::General;
        if header.field == Field::Pattern {
            scanner.end_line()?;
            arcs.push(row, column, None);
            if mirrored {
                arcs.push(column, row, None);
            }
            continue;
        }
        if row == column && header.symmetry == Symmetry::SkewSymmetric {
            let message = "an entry off the diagonal, as the matrix is skew-symmetric";
            return Err(place.expected(message));
        }
        let value_place = scanner.clone();
        let at = scanner.at();
        let value = header.value(&mut scanner)?;
        arcs.push(row, column, Some((value, at)));
        if mirrored {
            let mut mirror = value;
            if header.symmetry == Symmetry::SkewSymmetric {
                let message = "a value whose negation fits the type";
                mirror = value.negated().ok_or_else(|| value_place.expected(message))?;
                header.check_value(mirror, &value_place)?;
            }
            arcs.push(column, row, Some((mirror, at)));
        }
        scanner.end_line()?;
    }
    Ok((arcs, n_entries))
}

/// Refuses a graph with parallel arcs.
pub(super) fn check<W: Weight>(path: &Path, graph: &Csr<W>) -> Result<(), GraphError> {
    let twice = |&v: &VertexId| {
        let mut row = graph.ends_from(v).to_vec();
        row.sort_unstable();
        row.windows(2).any(|pair| pair[0] == pair[1])
    };
    graph.vertices().find(twice).map_or(Ok(()), |v| {
        let message = format!(
            "vertex {v}, counted from 0, has several arcs to one vertex; .mtx has one value at \
             each place, write .gr, .wel or .spg"
        );
        Err(unrepresentable(path, message))
    })
}

/// Writes the matrix of the graph, or the lower triangle if it is undirected; vertices count from
/// 1, whatever their names. The structured comment keeps the weight type.
pub(super) fn write<W: Weight>(out: &mut dyn Write, graph: &Csr<W>) -> io::Result<()> {
    let undirected = graph.direction() == Direction::Undirected;
    let field =
        if matches!(W::KIND, WeightKind::F32 | WeightKind::F64) { "real" } else { "integer" };
    let symmetry = if undirected { "symmetric" } else { "general" };
    let stands = |row: VertexId, column: VertexId| !undirected || row >= column;
    let n_entries = graph.arcs().filter(|arc| stands(arc.0, arc.1)).count();
    let n = graph.n_vertices();
    writeln!(out, "%%MatrixMarket matrix coordinate {field} {symmetry}")?;
    writeln!(out, "%%GraphBLAS type {}", ValueType::of(W::KIND))?;
    writeln!(out, "{n} {n} {n_entries}")?;
    write_arcs(out, graph, |line, row, column, weight| {
        if stands(row, column) {
            push_arc(line, row, column, weight);
        }
    })
}
