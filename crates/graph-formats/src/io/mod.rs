//! Graphs from files and to files: the suffix says the format, `.gz` after it says
//! that it is compressed.
//!
//! A text file is read in blocks, which are cut at line ends and parsed in parallel; a count in a
//! header is compared with the size of the file before it is used. A new file is written beside its
//! target and renamed when it is complete.

mod assemble;
mod atomic;
mod blocks;
mod compression;
mod coordinates;
mod dimacs;
mod direction;
mod edge_list;
mod error;
mod format;
mod gapbs;
mod graphml;
mod line_index;
mod loaded;
mod matrix_market;
mod memory;
mod metis;
mod names;
mod note;
mod numbering;
mod options;
mod pages;
mod pajek;
mod placed;
mod scan;
mod source;
mod spg;
mod text;
mod weights;
#[cfg(feature = "compression")]
mod zstd;

use std::io::{self, Write};
use std::path::Path;

use flate2::write::GzEncoder;

pub use atomic::AtomicFile;
use blocks::{BLOCK_BYTES, Text};
pub use coordinates::{read_coordinates, write_coordinates};
use error::{malformed, unrepresentable};
pub use format::Format;
pub use loaded::{Attachment, LoadedGraph};
pub use names::{NamesLost, id_line, id_of_line, names_lost, write_ids};
pub use note::Note;
pub use options::{Base, Column, Columns, Comment, EdgeListOptions, Header, IdKind, ReadOptions};
use source::{Source, ignore_progress};
pub use spg::{RowRange, SpgParts, SpgRows, SpgShape, SpgSums};

use crate::{AnyCsr, Csr, Direction, GraphError, Ids, Progress, Weight, with_csr};

#[cfg(target_endian = "big")]
compile_error!("the binary formats are little-endian and are read and written as they are");

/// Reads a graph; the suffix of `path` says in which [`Format`]. It may be compressed by
/// gzip, and with the feature `compression` by bzip2, xz or zstd, as the suffix after that or the
/// first bytes of the file say.
///
/// O(n + m log d) with d the largest out-degree, in parallel; `.spg` is only checked, O(n + m). At
/// most 12 bytes per arc and 8 per vertex are in use at once for an unweighted text file, 20 per
/// arc for one with 32-bit weights, whatever its size as a text. The weights of a text file get the
/// smallest of `u32`, `i32`, `u64`, `i64` that holds them all, or `f64` where one has a fraction or
/// an exponent.
///
/// # Errors
/// An error in the file, with its line for a text format. A file that does not exist, may not be
/// read, or is a folder; a suffix that names no format. [`GraphError::CompressionLeftOut`];
/// [`GraphError::OutOfMemory`] as soon as it is certain that the graph does not fit the memory.
///
/// ```
/// use graph_formats::{Ids, read};
///
/// let folder = tempfile::tempdir()?;
/// let path = folder.path().join("two.gr");
/// std::fs::write(&path, "p sp 2 1\na 1 2 7\n")?;
/// let graph = read(&path)?;
/// assert_eq!((graph.csr.n_vertices(), graph.ids), (2, Ids::FromOne));
///
/// std::fs::write(&path, "p sp 2 1\na 1 3 7\n")?;
/// let error = read(&path).unwrap_err().to_string();
/// assert!(error.ends_with("two.gr:2: expected a vertex from 1 to 2, found `3`"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn read(path: impl AsRef<Path>) -> Result<LoadedGraph, GraphError> {
    read_with(path, &ReadOptions::default(), &ignore_progress)
}

/// As [`read`], with `options` for what the file does not say, and with `progress(bytes_done,
/// bytes_total)` called a few times a megabyte from any thread. For a compressed file the
/// compressed bytes are counted. A total of 0 is unknown.
///
/// The path `-` is standard input, for which `options.format` must be given.
///
/// # Errors
/// As [`read`]; [`GraphError::FormatNeeded`]; [`GraphError::Interrupted`] where `progress` ends it.
pub fn read_with(
    path: impl AsRef<Path>,
    options: &ReadOptions,
    progress: Progress<'_>,
) -> Result<LoadedGraph, GraphError> {
    let path = path.as_ref();
    let format = options.format.map_or_else(|| Format::of(path), Ok)?;
    decode(format, options, Source::open(path, progress)?, BLOCK_BYTES)
}

/// Maps an `.spg` file, which is then used in place in the system's page cache: its arrays take no
/// memory of this process, and processes that map the same file share it. The content is checked as
/// when it is [read](read()), so this saves only the copying.
///
/// # Safety
/// The file must not be changed, neither written to nor truncated, by this or any other process, as
/// long as the graph or anything that was cloned from it is in use. Otherwise arrays change after
/// they have been checked, although solvers index memory by them, or a signal ends the process. No
/// lock of the system prevents that: use this only for files whose writers you control. This crate
/// replaces files and never writes into one.
///
/// # Errors
/// As [`read`]; also for a compressed file.
///
/// ```
/// use graph_formats::{Csr, Ids, LoadedGraph, map_spg, read, write};
///
/// let folder = tempfile::tempdir()?;
/// let path = folder.path().join("path.spg");
/// write(&path, &LoadedGraph::new(Csr::from_arcs(2, &[(0, 1, 5u32)])?, Ids::FromOne))?;
/// // SAFETY: no other process uses this file.
/// let mapped = unsafe { map_spg(&path) }?;
/// assert_eq!(mapped, read(&path)?);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub unsafe fn map_spg(path: impl AsRef<Path>) -> Result<LoadedGraph, GraphError> {
    // SAFETY: the caller makes the same promise.
    unsafe { spg::map(path.as_ref()) }
}

/// Reads a graph from memory. Errors name `<memory>` as the file.
///
/// # Errors
/// An error in the content.
///
/// ```
/// use graph_formats::{Format, parse};
///
/// let triangle = parse(Format::Graph, b"3 3\n2 3\n1 3\n1 2\n")?;
/// assert_eq!(triangle.csr.n_arcs(), 6);
/// # Ok::<(), graph_formats::GraphError>(())
/// ```
pub fn parse(format: Format, bytes: &[u8]) -> Result<LoadedGraph, GraphError> {
    parse_with(bytes, &ReadOptions { format: Some(format), ..ReadOptions::default() })
}

/// As [`parse`], with `options` for what the text does not say.
///
/// # Errors
/// As [`parse`]; [`GraphError::FormatNeeded`].
pub fn parse_with(bytes: &[u8], options: &ReadOptions) -> Result<LoadedGraph, GraphError> {
    let format = options.format.ok_or(GraphError::FormatNeeded)?;
    decode(format, options, Source::memory(bytes), BLOCK_BYTES)
}

fn decode(
    format: Format,
    options: &ReadOptions,
    source: Source<'_>,
    block_bytes: usize,
) -> Result<LoadedGraph, GraphError> {
    let path = source.path().to_path_buf();
    let list = &options.edge_list;
    let taken = match format {
        Format::Matrix => EdgeListOptions { header: list.header, ..Default::default() },
        format if format.is_edge_list() => list.clone(),
        _ => EdgeListOptions::default(),
    };
    if *list != taken {
        let message = format!(
            "header, base, columns, vertices, comment and ids are of edge lists, not of .{}",
            format.suffix()
        );
        return Err(malformed(&path, message));
    }
    let text = |source| Text::new(source, block_bytes);
    let loaded = match format {
        Format::Gr => dimacs::read(text(source)?),
        Format::Mtx => matrix_market::read(text(source)?),
        Format::Graph => metis::read(text(source)?),
        Format::El | Format::Wel | Format::Txt | Format::Csv | Format::Tsv => {
            edge_list::read(text(source)?, format, list)
        }
        Format::Matrix => edge_list::matrix::read(text(source)?, list.header),
        Format::Net => pajek::read(text(source)?),
        Format::Graphml => graphml::read(source),
        Format::Sg => gapbs::read(source, false),
        Format::Wsg => gapbs::read(source, true),
        Format::Spg => spg::read(source),
    }?;
    match options.direction {
        Direction::Directed => Ok(loaded),
        Direction::Undirected => loaded.with_edges(&path, format.is_edge_list()),
    }
}

/// Writes a graph; the suffix of `path` says in which [`Format`]. The path `-` is standard output,
/// which gets `.spg`.
///
/// Only `.spg` keeps everything. `.gr`, `.mtx` and `.graph` count vertices from 1 and `.sg` and
/// `.wsg` from 0, whatever their names (see [`names_lost`]); `.wel`, `.csv` and `.tsv` keep names,
/// but lose vertices without arcs. An undirected graph is written as a symmetric `.mtx`, and as
/// undirected to `.sg` and `.wsg`; `.gr` and `.wel` hold both arcs of each edge.
///
/// # Errors
/// [`GraphError::NotRepresentable`] when the format cannot hold the graph:
///
/// * `.gr`: floats;
/// * `.sg`: weights other than 1;
/// * `.wsg`: weights beyond `i32`;
/// * `.wel`, `.csv` and `.tsv`: a graph without arcs;
/// * `.wel`: names that are words;
/// * `.graph`: directed graphs, loops, and weights that are not positive integers;
/// * `.mtx`: parallel arcs.
///
/// [`GraphError::UnknownFormat`] for formats that are only read; [`GraphError::Io`]. In no case is
/// a file left half-written.
///
/// ```
/// use graph_formats::{Csr, Ids, LoadedGraph, read, write};
///
/// let folder = tempfile::tempdir()?;
/// let path = folder.path().join("path.spg");
/// let graph = Csr::from_edges(3, &[(0, 1, 5i64), (1, 2, -1)])?;
/// let graph = LoadedGraph::new(graph, Ids::FromOne);
/// write(&path, &graph)?;
/// assert_eq!(read(&path)?, graph);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn write(path: impl AsRef<Path>, graph: &LoadedGraph) -> Result<(), GraphError> {
    graph.csr.write(path, &graph.ids)
}

/// As [`write`](fn@write), for a graph whose weight type is known.
///
/// # Errors
/// As [`write`](fn@write); [`GraphError::LengthMismatch`] when `ids` does not list one name per
/// vertex.
pub fn write_csr<W: Weight>(
    path: impl AsRef<Path>,
    graph: &Csr<W>,
    ids: &Ids,
) -> Result<(), GraphError> {
    let path = path.as_ref();
    let format = Format::of_writable(path)?;
    check_names(graph.n_vertices(), ids)?;
    match format {
        Format::Gr if W::ZERO.to_i128().is_none() => {
            let weight = graph.weights().first().map(|w| format!("weight {w:?} is a float"));
            let floats = weight.unwrap_or_else(|| "weights are floats".to_owned());
            let message = format!("{floats}, .gr holds integers; write .mtx, .wel or .spg");
            return Err(unrepresentable(path, message));
        }
        Format::Wel if matches!(ids, Ids::Words(_)) => {
            let message = "names are words, and .wel has numbers; write .csv, .tsv or .spg";
            return Err(unrepresentable(path, message));
        }
        Format::Wel | Format::Csv | Format::Tsv if graph.n_arcs() == 0 => {
            let message = "an edge list cannot say how many vertices there are but by its edges";
            return Err(unrepresentable(path, message));
        }
        Format::Sg | Format::Wsg => gapbs::check(path, graph, format == Format::Wsg)?,
        Format::Graph => metis::check(path, graph)?,
        Format::Mtx => matrix_market::check(path, graph)?,
        _ => {}
    }
    let encode = |out: &mut dyn Write| match format {
        Format::Gr => dimacs::write(out, graph),
        Format::Mtx => matrix_market::write(out, graph),
        Format::Graph => metis::write(out, graph),
        Format::Wel | Format::Csv | Format::Tsv => edge_list::write(out, graph, ids, format),
        Format::Sg => gapbs::write(out, graph, false),
        Format::Wsg => gapbs::write(out, graph, true),
        Format::Spg => spg::write(out, graph, ids, None),
        _ => unreachable!("of_writable names no other"),
    };
    let mut file = AtomicFile::create(path)?;
    let written: io::Result<()> = if format::is_gzip(path) {
        // a third larger than at the default level, in a sixth of the time
        let mut encoder = GzEncoder::new(&mut file, flate2::Compression::fast());
        encode(&mut encoder).and_then(|()| encoder.finish().map(drop))
    } else {
        encode(&mut file)
    };
    written.map_err(|error| file.error(error))?;
    file.commit()
}

impl AnyCsr {
    /// Writes the graph, whose vertices have these names, to a file.
    ///
    /// # Errors
    /// As [`write_csr`].
    pub fn write(&self, path: impl AsRef<Path>, ids: &Ids) -> Result<(), GraphError> {
        with_csr!(self, |graph| write_csr(path, graph, ids))
    }
}

/// Writes a graph as `.spg`, whatever the suffix of `path`, and after it an
/// [attachment](Attachment) of this kind: the bytes of `pieces`, one after the other. The
/// file is read as any other graph.
///
/// # Errors
/// As [`write_csr`].
///
/// ```
/// use graph_formats::{Csr, Ids, read, write_attached};
///
/// let folder = tempfile::tempdir()?;
/// let path = folder.path().join("path.spg");
/// let graph = Csr::from_edges(3, &[(0, 1, 5u32), (1, 2, 7)])?;
/// write_attached(&path, &graph, &Ids::FromOne, *b"COLOURS1", &[&[0, 1], &[0]])?;
/// let found = read(&path)?.attachment.expect("one was written");
/// assert_eq!((found.kind, &*found.bytes), (*b"COLOURS1", &[0, 1, 0][..]));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn write_attached<W: Weight>(
    path: impl AsRef<Path>,
    graph: &Csr<W>,
    ids: &Ids,
    kind: [u8; 8],
    pieces: &[&[u8]],
) -> Result<(), GraphError> {
    let path = path.as_ref();
    check_names(graph.n_vertices(), ids)?;
    let mut file = AtomicFile::create(path)?;
    spg::write(&mut file, graph, ids, Some((kind, pieces))).map_err(|error| file.error(error))?;
    file.commit()
}

/// Refuses a list of names that has not one per vertex or does not ascend.
fn check_names(n_vertices: usize, ids: &Ids) -> Result<(), GraphError> {
    let found = match ids {
        Ids::FromZero | Ids::FromOne => return Ok(()),
        Ids::Listed(names) => names.len(),
        Ids::Words(words) => words.len(),
    };
    if found != n_vertices {
        return Err(GraphError::LengthMismatch { what: "names", expected: n_vertices, found });
    }
    let Ids::Listed(names) = ids else { return Ok(()) };
    match names.windows(2).find(|pair| pair[0] >= pair[1]) {
        Some(pair) => Err(GraphError::BadParameter {
            name: "name",
            value: pair[1].to_string(),
            expected: format!("a number above the name {} before it", pair[0]),
        }),
        None => Ok(()),
    }
}
