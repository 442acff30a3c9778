//! Changes of a graph, and files of them.

use std::fmt;
use std::str::FromStr;

use graph_formats::VertexId;

/// A change of a graph: one arc, which may be an edge, or one vertex.
///
/// ```
/// use star_machine::algorithms::Change;
///
/// let changes = Change::read("# two roads\ninsert 0 1 5\ninsert 1 2\n\ndelete 0 1\n")?;
/// assert_eq!(changes[1], Change::Insert { u: 1, v: 2, w: 1 });
/// assert_eq!(changes[2].to_string(), "delete 0 1");
/// let error = Change::read("insert 0 1\ninsert-vertex -3").unwrap_err().to_string();
/// assert!(error.starts_with("line 2: 'insert-vertex -3' is no change"));
/// # Ok::<(), star_machine::algorithms::NoChange>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// Inserts an arc from u to v of weight w.
    Insert {
        /// Its tail, or an end.
        u: VertexId,
        /// Its head, or the other end.
        v: VertexId,
        /// Its weight.
        w: i64,
    },
    /// Deletes one arc from u to v.
    Delete {
        /// Its tail, or an end.
        u: VertexId,
        /// Its head, or the other end.
        v: VertexId,
        /// Its weight; any, if none is given.
        w: Option<i64>,
    },
    /// Inserts a vertex without arcs.
    InsertVertex(VertexId),
    /// Deletes a vertex and its arcs.
    DeleteVertex(VertexId),
}

impl Change {
    /// The changes of a file, one a line: `insert u v [w]`, `delete u v [w]`, `insert-vertex x`,
    /// `delete-vertex x`. Without a weight, an inserted arc weighs 1, and a
    /// deleted one may have any weight. Blank lines and those that begin with `#` are skipped.
    ///
    /// # Errors
    /// [`NoChange`] for the first line that is something else.
    pub fn read(text: &str) -> Result<Vec<Self>, NoChange> {
        let is_change = |line: &str| !line.is_empty() && !line.starts_with('#');
        let lines = text.lines().map(str::trim).zip(1..).filter(|(line, _)| is_change(line));
        lines.map(|(text, line)| change(text).ok_or_else(|| NoChange::new(line, text))).collect()
    }
}

/// A line of a file of changes is not a change.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "line {line}: '{text}' is no change; write insert u v [w], delete u v [w], insert-vertex x or \
     delete-vertex x"
)]
pub struct NoChange {
    /// The number of the line, from 1.
    pub line: usize,
    /// The beginning of the line.
    pub text: String,
}

impl NoChange {
    fn new(line: usize, text: &str) -> Self {
        Self { line, text: text.chars().take(60).collect() }
    }
}

impl FromStr for Change {
    type Err = NoChange;

    fn from_str(line: &str) -> Result<Self, NoChange> {
        change(line).ok_or_else(|| NoChange::new(1, line))
    }
}

fn change(line: &str) -> Option<Change> {
    let words: Vec<_> = line.split_whitespace().collect();
    Some(match words[..] {
        ["insert", u, v] => Change::Insert { u: number(u)?, v: number(v)?, w: 1 },
        ["insert", u, v, w] => Change::Insert { u: number(u)?, v: number(v)?, w: number(w)? },
        ["delete", u, v] => Change::Delete { u: number(u)?, v: number(v)?, w: None },
        ["delete", u, v, w] => Change::Delete { u: number(u)?, v: number(v)?, w: Some(number(w)?) },
        ["insert-vertex", x] => Change::InsertVertex(number(x)?),
        ["delete-vertex", x] => Change::DeleteVertex(number(x)?),
        _ => return None,
    })
}

fn number<N: FromStr>(word: &str) -> Option<N> {
    word.parse().ok()
}

impl fmt::Display for Change {
    /// As in a file.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Insert { u, v, w } => write!(f, "insert {u} {v} {w}"),
            Self::Delete { u, v, w: None } => write!(f, "delete {u} {v}"),
            Self::Delete { u, v, w: Some(w) } => write!(f, "delete {u} {v} {w}"),
            Self::InsertVertex(x) => write!(f, "insert-vertex {x}"),
            Self::DeleteVertex(x) => write!(f, "delete-vertex {x}"),
        }
    }
}
