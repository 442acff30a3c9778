//! What reading decided that a user should know.

use std::fmt;

/// Something that a file does not say and that reading decided, in a sentence.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Note {
    /// The first line of an edge list is a header.
    Header {
        /// Its number of vertices.
        n_vertices: u64,
        /// Its number of lines.
        n_lines: u64,
    },
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Header { n_vertices, n_lines } => write!(
                f,
                "the first line is read as a header: {n_vertices} vertices, {n_lines} lines"
            ),
        }
    }
}
