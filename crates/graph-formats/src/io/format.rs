//! Which suffix is which format.

use std::path::Path;

use crate::GraphError;

/// A file format, named by its suffix.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Format {
    /// DIMACS shortest paths.
    Gr,
    /// Matrix Market, a sparse matrix.
    Mtx,
    /// METIS, undirected. Read only.
    Graph,
    /// Edge list without weights. Read only.
    El,
    /// Edge list with weights.
    Wel,
    /// Table of edges, with commas.
    Csv,
    /// Table of edges, with tabs.
    Tsv,
    /// Edge list. Read only.
    Txt,
    /// GAPBS, serialised, without weights.
    Sg,
    /// GAPBS, serialised, with weights.
    Wsg,
    /// This project's own: binary, mapped.
    Spg,
}

const READABLE: &str = ".gr, .mtx, .graph, .el, .wel, .csv, .tsv, .txt, .sg, .wsg or .spg, \
                        each also with .gz after it";
const WRITABLE: &str =
    ".gr, .mtx, .wel, .csv, .tsv, .sg, .wsg or .spg, each also with .gz after it";

impl Format {
    /// Every format.
    pub const ALL: [Self; 11] = [
        Self::Gr,
        Self::Mtx,
        Self::Graph,
        Self::El,
        Self::Wel,
        Self::Csv,
        Self::Tsv,
        Self::Txt,
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
            Self::Sg => "sg",
            Self::Wsg => "wsg",
            Self::Spg => "spg",
        }
    }

    /// Whether graphs can be written in it, not only read.
    pub fn is_writable(self) -> bool {
        !matches!(self, Self::Graph | Self::El | Self::Txt)
    }

    /// Whether it is one of the edge lists, which
    /// [`EdgeListOptions`](crate::EdgeListOptions) are for.
    pub fn is_edge_list(self) -> bool {
        matches!(self, Self::El | Self::Wel | Self::Csv | Self::Tsv | Self::Txt)
    }

    /// The format that the suffix of `path` names, `.gz` at the end left out.
    ///
    /// # Errors
    /// [`GraphError::UnknownFormat`] lists the suffixes that would do.
    ///
    /// ```
    /// use graph_formats::Format;
    ///
    /// assert_eq!(Format::of("roads/NY.gr.gz")?, Format::Gr);
    /// assert!(Format::of("NY.gz").is_err());
    /// # Ok::<(), graph_formats::GraphError>(())
    /// ```
    pub fn of(path: impl AsRef<Path>) -> Result<Self, GraphError> {
        Self::named_by(path.as_ref(), READABLE)
    }

    /// As [`Format::of`], for a file that is to be written.
    pub(super) fn of_writable(path: &Path) -> Result<Self, GraphError> {
        let format = Self::named_by(path, WRITABLE)?;
        if format.is_writable() { Ok(format) } else { Err(unknown(path, WRITABLE)) }
    }

    fn named_by(path: &Path, expected: &'static str) -> Result<Self, GraphError> {
        let inner = if is_gzip(path) { path.with_extension("") } else { path.to_path_buf() };
        let suffix = inner.extension().and_then(|suffix| suffix.to_str()).unwrap_or_default();
        let format = Self::ALL.into_iter().find(|f| suffix.eq_ignore_ascii_case(f.suffix()));
        format.ok_or_else(|| unknown(path, expected))
    }
}

/// Whether the file's suffix is `.gz`.
pub(super) fn is_gzip(path: &Path) -> bool {
    path.extension().is_some_and(|suffix| suffix.eq_ignore_ascii_case("gz"))
}

fn unknown(path: &Path, expected: &'static str) -> GraphError {
    GraphError::UnknownFormat { path: path.to_path_buf(), expected }
}
