//! Coordinates of vertices: DIMACS `.co` files, and tables of vertex, x and y.
//!
//! A `.co` file has `c` comments, at most one `p aux sp co n`, and a `v vertex x y` for each
//! vertex; the numbers may be real. A table (`.csv`, `.tsv`) has a vertex, x and y on each line, or
//! columns that its first line names. Known are `x` and `y`, `x_coord` and `y_coord` (GMNS), `lon`
//! and `lat`, beside `node_id`, `osmid`, `vertex` or `name`. Both name vertices as the graph's file
//! does. O(n), in parallel.
//!
//! Format: 9th DIMACS Implementation Challenge, Shortest Paths, 2006.

use std::io::Write;
use std::path::Path;

use super::blocks::{BLOCK_BYTES, Text};
use super::dimacs::read_header;
use super::error::malformed;
use super::placed::{COORDINATE, Known, Placed, coordinate};
use super::scan::{Fault, Scanner};
use super::source::{Source, ignore_progress};
use super::{AtomicFile, Format, edge_list, format};
use crate::{GraphError, Ids, Name};

/// Reads x and y of every vertex of a graph with these names; the suffix of `path` says in
/// which format, `.co`, `.csv` or `.tsv`, and a compression may follow.
///
/// # Errors
/// An error in the file, with its line: an unknown vertex, a vertex that occurs twice, a malformed
/// or infinite number, a count that differs from the header's; a vertex without coordinates.
///
/// ```
/// use graph_formats::{Ids, read_coordinates};
///
/// let folder = tempfile::tempdir()?;
/// let path = folder.path().join("two.co");
/// std::fs::write(&path, "p aux sp co 2\nv 2 -73530767 41085396\nv 1 -73530538 41086098\n")?;
/// let positions = read_coordinates(&path, &Ids::FromOne, 2)?;
/// assert_eq!(positions[1], [-73530767.0, 41085396.0]);
///
/// let error = read_coordinates(&path, &Ids::FromOne, 3).unwrap_err().to_string();
/// assert!(error.ends_with("two.co: no coordinates for vertex 3"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn read_coordinates(
    path: impl AsRef<Path>,
    ids: &Ids,
    n_vertices: usize,
) -> Result<Vec<[f64; 2]>, GraphError> {
    let path = path.as_ref();
    let known = Known { ids, n_vertices };
    let suffix = format::without_compression(path);
    let suffix = suffix.extension().and_then(|suffix| suffix.to_str());
    let open = || Text::new(Source::open(path, &ignore_progress)?, BLOCK_BYTES);
    if suffix.is_some_and(|suffix| suffix.eq_ignore_ascii_case("co")) {
        let mut text = open()?;
        let promised = read_header(&mut text, read_count)?;
        let read = |piece: Scanner<'_>| read_lines(piece, known);
        let (positions, n_placed) = collect(&mut text, known, read)?;
        if let Some((claimed, line)) = promised {
            text.check_count("vertices", claimed, n_placed, line)?;
        }
        return whole(path, known, positions);
    }
    match Format::of(path) {
        Ok(format @ (Format::Csv | Format::Tsv)) => {
            let mut text = open()?;
            let columns = edge_list::positions::start(&mut text, format)?;
            let read = |piece: Scanner<'_>| edge_list::positions::read(piece, columns, known);
            let (positions, _) = collect(&mut text, known, read)?;
            whole(path, known, positions)
        }
        _ => {
            let message = "unknown format of coordinates; expected .co, .csv or .tsv";
            Err(malformed(path, message.to_owned()))
        }
    }
}

/// Writes a table with a line per vertex: its name and coordinates, under the heading `vertex,x,y`,
/// or `vertex,x,y,z` in three dimensions.
///
/// # Errors
/// [`GraphError::LengthMismatch`] when there is not one name per position; [`GraphError::Io`]. The
/// file is then unchanged.
pub fn write_coordinates<const D: usize>(
    path: impl AsRef<Path>,
    ids: &Ids,
    positions: &[[f64; D]],
) -> Result<(), GraphError> {
    let path = path.as_ref();
    super::check_names(positions.len(), ids)?;
    let mut file = AtomicFile::create(path)?;
    let mut write = || {
        write!(file, "vertex")?;
        ["x", "y", "z"].iter().take(D).try_for_each(|axis| write!(file, ",{axis}"))?;
        writeln!(file)?;
        (0..).zip(positions).try_for_each(|(vertex, position)| {
            match ids.name(vertex) {
                Name::Number(number) => write!(file, "{number}"),
                Name::Word(word) => write!(file, "\"{}\"", word.replace('"', "\"\"")),
            }?;
            position.iter().try_for_each(|along| write!(file, ",{}", shortest(*along)))?;
            writeln!(file)
        })
    };
    write().map_err(|error| file.error(error))?;
    file.commit()
}

/// The shortest decimal number that reads back the same, with an exponent or without.
fn shortest(value: f64) -> String {
    let (plain, exponent) = (value.to_string(), format!("{value:e}"));
    if exponent.len() < plain.len() { exponent } else { plain }
}

/// The positions by vertex, NaN where missing, and the number of lines with one.
fn collect(
    text: &mut Text<'_>,
    known: Known<'_>,
    read: impl Fn(Scanner<'_>) -> Result<Vec<Placed>, Fault> + Sync + Send,
) -> Result<(Vec<[f64; 2]>, u64), GraphError> {
    let mut positions = vec![[f64::NAN; 2]; known.n_vertices];
    let mut n_placed = 0;
    text.for_each_block(|block| {
        for Placed { vertex, position, at } in
            block.parse(|_, piece| read(piece))?.into_iter().flatten()
        {
            let slot = &mut positions[vertex as usize];
            if !slot[0].is_nan() {
                let name = known.ids.name(vertex);
                let message = format!("vertex {name} has coordinates already");
                return Err(block.error(Fault::new(at, message)));
            }
            *slot = position;
            n_placed += 1;
        }
        Ok(())
    })?;
    Ok((positions, n_placed))
}

/// Refuses positions if some are missing.
fn whole(
    path: &Path,
    known: Known<'_>,
    positions: Vec<[f64; 2]>,
) -> Result<Vec<[f64; 2]>, GraphError> {
    let mut missing = (0..).zip(&positions).filter(|(_, position)| position[0].is_nan());
    let Some((first, _)) = missing.next() else { return Ok(positions) };
    let others = match missing.count() {
        0 => String::new(),
        n => format!(" and {n} more"),
    };
    let name = known.ids.name(first);
    Err(malformed(path, format!("no coordinates for vertex {name}{others}")))
}

/// The number of vertices of a `p` line.
fn read_count(scanner: &mut Scanner<'_>) -> Result<u64, Fault> {
    let line = scanner.clone();
    if ["p", "aux", "sp", "co"].iter().any(|word| scanner.word() != word.as_bytes()) {
        return Err(line.expected("a line `p aux sp co <vertices>`"));
    }
    let n_vertices = scanner.natural("the number of vertices")?;
    scanner.end_line()?;
    Ok(n_vertices)
}

fn read_lines(mut scanner: Scanner<'_>, known: Known<'_>) -> Result<Vec<Placed>, Fault> {
    let mut placed = Vec::new();
    while let Some(first) = scanner.line_start() {
        if first == b'c' {
            scanner.skip_line();
            continue;
        }
        let at = scanner.at();
        let line = scanner.clone();
        if scanner.word() != b"v" {
            return Err(line.expected("a line `v <vertex> <x> <y>`"));
        }
        // digits may have leading zeros, unless vertices are named by words, where zeros are
        // significant
        let name = match known.ids {
            Ids::Words(_) => Name::Word(
                str::from_utf8(scanner.word()).map_err(|_| line.expected("a vertex in UTF-8"))?,
            ),
            _ => Name::Number(scanner.natural("a vertex")?),
        };
        let vertex = known.vertex(name, at)?;
        let mut coordinate = || {
            let start = scanner.clone();
            coordinate(scanner.word()).ok_or_else(|| start.expected(COORDINATE))
        };
        let position = [coordinate()?, coordinate()?];
        scanner.end_line()?;
        placed.push(Placed { vertex, position, at });
    }
    Ok(placed)
}
