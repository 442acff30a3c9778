//! Decisions of the reader that a user should see.

use std::fmt;
use std::path::PathBuf;

/// A decision of the reader that the file does not say, displayed as a sentence.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Note {
    /// The first line of an edge list is a header `n m`.
    Header {
        /// Its number of vertices.
        n_vertices: u64,
        /// Its number of lines.
        n_lines: u64,
        /// The least id: 0 or 1.
        first: u64,
    },
    /// The first line of a table names its columns, by names that are not known here.
    Heading {
        /// The names.
        names: Vec<String>,
    },
    /// The first line of a table is 0, 1 and so on, as pandas names columns, and is an arc.
    MaybeHeading,
    /// A column is read as the weight because of its place.
    WeightColumn {
        /// Which column, from 1.
        number: usize,
        /// Its name, if the columns have names.
        name: Option<String>,
    },
    /// Columns beside source, target and weight are not read.
    UnreadColumns {
        /// Their names.
        names: Vec<String>,
        /// Whether another column is the weight; else all arcs weigh 1.
        weighted: bool,
    },
    /// Ids are read as names, because one of them is not spelled as a natural number.
    Words {
        /// That id.
        word: String,
    },
    /// The vertices are those of a file beside the edge list.
    VertexFile {
        /// The file.
        path: PathBuf,
        /// How many vertices it has.
        n_vertices: usize,
    },
    /// The first line of a table starts like the comments of lists, but is not a comment.
    NoComment {
        /// How it starts: `#` or `%`.
        mark: char,
    },
    /// Lines that are comments, of the list and of its file of vertices.
    Comments {
        /// How many.
        n_lines: u64,
    },
    /// Arcs that repeat an edge from its other end are not counted.
    EdgesFromBothEnds {
        /// How many.
        n_arcs: u64,
    },
    /// No edge of a GraphML file has a weight; all arcs weigh 1.
    NoWeight,
    /// The weights of a GraphML file have another name than `weight`.
    WeightKey {
        /// The name.
        name: String,
    },
    /// Labels of vertices are not their names, because they do not tell them apart.
    Labels {
        /// The number of a vertex that has no label, or that of another vertex.
        vertex: u64,
    },
    /// The first line of a matrix names its vertices, although the names are numbers.
    NamedRows,
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Header { n_vertices, n_lines, first } => write!(
                f,
                "the first line is read as a header: {n_vertices} vertices, counted from {first}, \
                 on {n_lines} lines"
            ),
            Self::Heading { names } => {
                write!(f, "the first line is read as names of columns: {}", names.join(", "))
            }
            Self::MaybeHeading => f.write_str(
                "the first line is read as an arc; use --header yes if it names the columns 0, 1 \
                 and so on, as pandas does, otherwise --header no",
            ),
            Self::WeightColumn { number, name: None } => {
                write!(f, "column {number} is read as the weight")
            }
            Self::WeightColumn { number, name: Some(name) } => {
                write!(f, "column {number}, `{name}`, is read as the weight")
            }
            Self::UnreadColumns { names, weighted } => {
                let names = names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>();
                write!(f, "columns not read: {}", names.join(", "))?;
                if *weighted { Ok(()) } else { f.write_str("; without a weight, all arcs weigh 1") }
            }
            Self::Words { word } => {
                let zeros = word.len() > 1 && word.bytes().all(|byte| byte.is_ascii_digit());
                let reason = if zeros { "has leading zeros" } else { "is not a natural number" };
                write!(f, "ids are read as names, because `{word}` {reason}")?;
                if zeros { f.write_str("; --ids numbers ignores leading zeros") } else { Ok(()) }
            }
            Self::VertexFile { path, n_vertices } => {
                write!(f, "{n_vertices} vertices are declared by {}", path.display())
            }
            Self::NoComment { mark } => write!(
                f,
                "the first line starts with {mark} and is not a comment; --comment '{mark}' skips \
                 such lines"
            ),
            Self::Comments { n_lines: 1 } => write!(f, "1 line is a comment"),
            Self::Comments { n_lines } => {
                write!(f, "{n_lines} lines are comments")
            }
            Self::EdgesFromBothEnds { n_arcs } => {
                write!(f, "{n_arcs} arcs repeat an edge from its other end, and are not counted")
            }
            Self::NoWeight => f.write_str("no edge has a `weight` or a `length`; all arcs weigh 1"),
            Self::WeightKey { name } => write!(f, "`{name}` is read as the weight"),
            Self::Labels { vertex } => write!(
                f,
                "labels are not read as names, because vertex {vertex} has none or that of another \
                 vertex"
            ),
            Self::NamedRows => f.write_str(
                "the first line and column are read as names of vertices; --header no reads them \
                 as weights",
            ),
        }
    }
}
