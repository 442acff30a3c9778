//! Everything that can be wrong with a graph, its file, or a request for one.

use std::io;
use std::path::PathBuf;

use crate::{Interrupted, Large, NoMemory};

/// Why a graph could not be built, read, written or generated.
///
/// A variant has the place and the violated bound; its message says what was expected.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum GraphError {
    /// A row offset is smaller than the one before it.
    #[error("row offset {index} is {value}, below the offset {previous} before it")]
    OffsetsNotMonotone {
        /// Position in the offsets.
        index: usize,
        /// The offset found.
        value: u64,
        /// The offset before it.
        previous: u64,
    },
    /// The offsets do not start at 0 or do not end at the number of arcs.
    #[error(
        "row offsets must run from 0 to the number of arcs {n_arcs}, but run from {first} to {last}"
    )]
    OffsetsEnds {
        /// First offset.
        first: u64,
        /// Last offset.
        last: u64,
        /// Arcs stored.
        n_arcs: usize,
    },
    /// Two arrays that must be equally long are not.
    #[error("{what}: expected {expected} entries, found {found}")]
    LengthMismatch {
        /// Which array.
        what: &'static str,
        /// Its right length.
        expected: usize,
        /// Its length.
        found: usize,
    },
    /// An arc names a vertex that the graph does not have.
    #[error(
        "arc {arc} names vertex {vertex}, but the graph has only {n_vertices} vertices, numbered from 0"
    )]
    VertexOutOfRange {
        /// Position of the arc.
        arc: usize,
        /// The vertex named.
        vertex: u64,
        /// How many there are.
        n_vertices: usize,
    },
    /// A weight is NaN or infinite.
    #[error("arc {arc} has weight {weight}; weights must be finite")]
    WeightNotFinite {
        /// Position of the arc.
        arc: usize,
        /// The weight as written.
        weight: String,
    },
    /// A weight does not fit the type asked for.
    #[error("arc {arc} has weight {weight}, which {kind} cannot hold exactly")]
    WeightOutOfRange {
        /// Position of the arc.
        arc: usize,
        /// The weight as written.
        weight: String,
        /// The type asked for.
        kind: crate::WeightKind,
    },
    /// More vertices than 32-bit ids can number.
    #[error("{n_vertices} vertices are more than 32-bit ids can number (at most {max})", max = u32::MAX)]
    TooManyVertices {
        /// How many were asked for.
        n_vertices: u64,
    },
    /// An arc of a graph that should be undirected has no reverse.
    #[error(
        "the graph is not undirected: arc {from} -> {to} of weight {weight} has no arc back of that weight"
    )]
    NotUndirected {
        /// Tail of the arc.
        from: u32,
        /// Head of the arc.
        to: u32,
        /// Its weight.
        weight: String,
    },
    /// ELL storage would take more slots than the limit.
    #[error(
        "ELL storage would take {slots} slots for {n_arcs} arcs (row {row} has {width}); keep the CSR form or raise the limit"
    )]
    EllTooWide {
        /// Slots needed.
        slots: Large,
        /// Arcs stored.
        n_arcs: usize,
        /// The longest row.
        row: usize,
        /// Its length.
        width: usize,
    },
    /// A parameter of a generator or a conversion is out of its range.
    #[error("{name} is {value}; expected {expected}")]
    BadParameter {
        /// Its name as the program spells it.
        name: &'static str,
        /// Its value.
        value: String,
        /// What is expected.
        expected: String,
    },
    /// A malformed line of a text file.
    #[error("{}:{line}: {message}", path.display())]
    Syntax {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: u64,
        /// What is wrong and what was expected.
        message: String,
    },
    /// A malformed file, where the error is not that of a line.
    #[error("{}: {message}", path.display())]
    Malformed {
        /// The file.
        path: PathBuf,
        /// What is wrong and what was expected.
        message: String,
    },
    /// The graph of the file does not fit the memory.
    #[error(
        "{}: reading it takes at least {} GB of memory, and {} GB are available",
        path.display(), gigabytes(*needed), gigabytes(*available)
    )]
    OutOfMemory {
        /// The file.
        path: PathBuf,
        /// Bytes that reading it takes at least.
        needed: u64,
        /// Bytes that are free or hold what has been read.
        available: u64,
    },
    /// A graph that is made from arrays or from another graph does not fit the memory.
    #[error(transparent)]
    NoMemory(#[from] NoMemory),
    /// The file's suffix names no format that can be read or written here.
    #[error("{}: unknown graph format; expected one of {expected}", path.display())]
    UnknownFormat {
        /// The file.
        path: PathBuf,
        /// The suffixes of the supported formats.
        expected: &'static str,
    },
    /// The file is compressed, and this build has no decoder for it.
    #[error(
        "{}: {tool} files are read by builds with the feature `compression`, which this one \
         lacks: build with --features compression, or decompress the file first",
        path.display()
    )]
    CompressionLeftOut {
        /// The file.
        path: PathBuf,
        /// The tool that made it.
        tool: &'static str,
    },
    /// Standard input should be read, but no format is given.
    #[error("standard input has no suffix that says its format")]
    FormatNeeded,
    /// The format of the file cannot hold the graph.
    #[error("{}: {message}", path.display())]
    NotRepresentable {
        /// The file that should be written.
        path: PathBuf,
        /// What it cannot hold.
        message: String,
    },
    /// The progress callback ended the reading.
    #[error("interrupted")]
    Interrupted(#[from] Interrupted),
    /// The operating system refused.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// Its reason.
        source: io::Error,
    },
}

/// Gigabytes with three decimal places, or six if there are less than 0.1.
fn gigabytes(bytes: u64) -> String {
    let value = bytes as f64 / 1e9;
    if value < 0.1 { format!("{value:.6}") } else { format!("{value:.3}") }
}
