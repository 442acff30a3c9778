//! File formats, and their suffixes.

use std::path::{Path, PathBuf};
use std::str::FromStr;

use super::compression::Compression;
use crate::GraphError;

/// A file format, named by its suffix.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Format {
    /// DIMACS shortest paths; also `.col` and `.clq`, DIMACS graphs of edges, which are read only.
    Gr,
    /// Matrix Market, a sparse matrix.
    Mtx,
    /// METIS, undirected; also `.metis` and `.mgraph`.
    Graph,
    /// Edge list without weights. Read only.
    El,
    /// Edge list with weights.
    Wel,
    /// Table of edges, with commas.
    Csv,
    /// Table of edges, with tabs.
    Tsv,
    /// Edge list; also `.e`, `.edges` and `.edgelist`. Read only.
    Txt,
    /// Matrix of weights as a table. Read only.
    Matrix,
    /// Pajek network. Read only.
    Net,
    /// GraphML. Read only.
    Graphml,
    /// GAPBS, serialised, without weights.
    Sg,
    /// GAPBS, serialised, with weights.
    Wsg,
    /// This project's own: binary, with all that a graph has; also `.prepared`, with an
    /// [attachment](crate::Attachment).
    Spg,
}

const READABLE: &str = ".gr, .col, .clq, .mtx, .graph, .metis, .mgraph, .el, .wel, .e, .edges, \
                        .edgelist, .csv, .tsv, .txt, .matrix, .net, .graphml, .sg, .wsg, .spg or .prepared, each also with .gz or, with the feature `compression`, .bz2, .xz or .zst after it";
/// Suffixes of formats that are written under another one.
const READ_ONLY: [&str; 3] = ["prepared", "col", "clq"];
const WRITABLE: &str =
    ".gr, .mtx, .graph, .wel, .csv, .tsv, .sg, .wsg or .spg, each also with .gz after it";

impl Format {
    /// Every format.
    pub const ALL: [Self; 14] = [
        Self::Gr,
        Self::Mtx,
        Self::Graph,
        Self::El,
        Self::Wel,
        Self::Csv,
        Self::Tsv,
        Self::Txt,
        Self::Matrix,
        Self::Net,
        Self::Graphml,
        Self::Sg,
        Self::Wsg,
        Self::Spg,
    ];

    /// The suffix, without its dot.
    pub fn suffix(self) -> &'static str {
        match self {
            Self::Gr => "gr",
            Self::Mtx => "mtx",
            Self::Graph => "graph",
            Self::El => "el",
            Self::Wel => "wel",
            Self::Csv => "csv",
            Self::Tsv => "tsv",
            Self::Txt => "txt",
            Self::Matrix => "matrix",
            Self::Net => "net",
            Self::Graphml => "graphml",
            Self::Sg => "sg",
            Self::Wsg => "wsg",
            Self::Spg => "spg",
        }
    }

    /// Other suffixes of the same format.
    fn other_suffixes(self) -> &'static [&'static str] {
        match self {
            Self::Gr => &["col", "clq"],
            Self::Graph => &["metis", "mgraph"],
            Self::Txt => &["e", "edges", "edgelist"],
            Self::Spg => &["prepared"],
            _ => &[],
        }
    }

    fn of_suffix(suffix: &str) -> Option<Self> {
        let is = |known: &str| suffix.eq_ignore_ascii_case(known);
        Self::ALL
            .into_iter()
            .find(|format| is(format.suffix()) || format.other_suffixes().iter().any(|s| is(s)))
    }

    /// Whether graphs can be written in it as well as read.
    pub fn is_writable(self) -> bool {
        !matches!(self, Self::El | Self::Txt | Self::Matrix | Self::Net | Self::Graphml)
    }

    /// Whether it is one of the edge lists, which
    /// [`EdgeListOptions`](crate::EdgeListOptions) are for.
    pub fn is_edge_list(self) -> bool {
        matches!(self, Self::El | Self::Wel | Self::Csv | Self::Tsv | Self::Txt)
    }

    /// The format that the suffix of `path` names, `.gz`, `.bz2`, `.xz` or `.zst` after
    /// it left out.
    ///
    /// # Errors
    /// [`GraphError::UnknownFormat`] lists the supported suffixes; [`GraphError::FormatNeeded`] for
    /// `-`, standard input.
    ///
    /// ```
    /// use graph_formats::Format;
    ///
    /// assert_eq!(Format::of("roads/NY.gr.gz")?, Format::Gr);
    /// assert_eq!(Format::of("web.edges.zst")?, Format::Txt);
    /// assert!(Format::of("NY.gz").is_err());
    /// assert_eq!("mtx".parse::<Format>()?, Format::Mtx);
    /// # Ok::<(), graph_formats::GraphError>(())
    /// ```
    pub fn of(path: impl AsRef<Path>) -> Result<Self, GraphError> {
        let path = path.as_ref();
        if path == Path::new("-") {
            return Err(GraphError::FormatNeeded);
        }
        let inner = without_compression(path);
        Self::named_by(&inner).ok_or_else(|| unknown(path, READABLE))
    }

    /// As [`Format::of`], for a file that is to be written, plain or as `.gz`. Standard output, `-`,
    /// gets `.spg`, which keeps everything.
    ///
    /// # Errors
    /// [`GraphError::UnknownFormat`] lists the supported suffixes.
    pub fn of_writable(path: &Path) -> Result<Self, GraphError> {
        if path == Path::new("-") {
            return Ok(Self::Spg);
        }
        let inner = if is_gzip(path) { path.with_extension("") } else { path.to_path_buf() };
        let is_read_only = inner
            .extension()
            .is_some_and(|suffix| READ_ONLY.iter().any(|known| suffix.eq_ignore_ascii_case(known)));
        let format = Self::named_by(&inner).filter(|format| format.is_writable() && !is_read_only);
        format.ok_or_else(|| unknown(path, WRITABLE))
    }

    fn named_by(path: &Path) -> Option<Self> {
        path.extension().and_then(|suffix| suffix.to_str()).and_then(Self::of_suffix)
    }
}

/// The format of a suffix, written without its dot.
impl FromStr for Format {
    type Err = GraphError;

    fn from_str(name: &str) -> Result<Self, GraphError> {
        Self::of_suffix(name).ok_or_else(|| {
            let names: Vec<_> = Self::ALL.into_iter().map(Self::suffix).collect();
            GraphError::BadParameter {
                name: "format",
                value: name.to_owned(),
                expected: format!("one of {}", names.join(", ")),
            }
        })
    }
}

/// The path without the suffix of a compressed file.
pub(super) fn without_compression(path: &Path) -> PathBuf {
    match Compression::of_name(path) {
        Some(_) => path.with_extension(""),
        None => path.to_path_buf(),
    }
}

/// Whether a file of this name is to be written compressed.
pub(super) fn is_gzip(path: &Path) -> bool {
    Compression::of_name(path) == Some(Compression::Gzip)
}

fn unknown(path: &Path, expected: &'static str) -> GraphError {
    GraphError::UnknownFormat { path: path.to_path_buf(), expected }
}
