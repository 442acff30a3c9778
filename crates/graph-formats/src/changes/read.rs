//! Files of changes.

use super::{Change, NoChange};
use crate::VertexId;

/// Characters of a line that an error shows.
const SHOWN: usize = 60;

impl<W> Change<W> {
    /// The changes of a file, each with its line: `insert u v [w]`, `delete u v [w]`,
    /// `reweight u v w`, `delete-vertex u`. Without a weight, an inserted arc weighs 1, and of
    /// parallel arcs the lightest is deleted. Blank lines and those that begin with `#` are skipped.
    /// `vertex` returns the vertex of a name, and `weight` the weight that a word is.
    ///
    /// ```
    /// use graph_formats::Change;
    ///
    /// let (vertex, weight) = (|name: &str| name.parse().ok(), |word: &str| word.parse().ok());
    /// let text = "# a road\ninsert 0 1 2.5\n\ndelete 1 2\n";
    /// let changes = Change::<f32>::read(text, &vertex, &weight)?;
    /// assert_eq!(changes[0], (2, Change::Insert { from: 0, to: 1, weight: 2.5 }));
    /// assert_eq!(changes[1], (4, Change::Delete { from: 1, to: 2, weight: None }));
    /// let error = Change::<f32>::read("insert 0 1 far", &vertex, &weight).unwrap_err();
    /// assert!(error.to_string().contains("'far' is no weight of this graph"));
    /// # Ok::<(), graph_formats::NoChange>(())
    /// ```
    ///
    /// # Errors
    /// [`NoChange`] for the first line that is something else.
    pub fn read(
        text: &str,
        vertex: &dyn Fn(&str) -> Option<VertexId>,
        weight: &dyn Fn(&str) -> Option<W>,
    ) -> Result<Vec<(usize, Self)>, NoChange> {
        let is_change = |line: &str| !line.is_empty() && !line.starts_with('#');
        let lines = text.lines().map(str::trim).zip(1..).filter(|(line, _)| is_change(line));
        let change = |(text, line): (&str, usize)| match change(text, vertex, weight) {
            Ok(change) => Ok((line, change)),
            Err(reason) => {
                let text = text.chars().take(SHOWN).collect();
                Err(NoChange { line, text, reason })
            }
        };
        lines.map(change).collect()
    }

    /// The same change with a weight of another type; `None` if that has none like it.
    pub fn try_map<V>(self, weight: impl Fn(W) -> Option<V>) -> Option<Change<V>> {
        Some(match self {
            Self::Insert { from, to, weight: own } => {
                Change::Insert { from, to, weight: weight(own)? }
            }
            Self::Delete { from, to, weight: None } => Change::Delete { from, to, weight: None },
            Self::Delete { from, to, weight: Some(own) } => {
                Change::Delete { from, to, weight: Some(weight(own)?) }
            }
            Self::Reweight { from, to, weight: own } => {
                Change::Reweight { from, to, weight: weight(own)? }
            }
            Self::InsertVertex => Change::InsertVertex,
            Self::DeleteVertex(vertex) => Change::DeleteVertex(vertex),
        })
    }
}

fn change<W>(
    line: &str,
    vertex: &dyn Fn(&str) -> Option<VertexId>,
    weight: &dyn Fn(&str) -> Option<W>,
) -> Result<Change<W>, String> {
    let words: Vec<_> = line.split_whitespace().collect();
    let of = |name: &str| vertex(name).ok_or_else(|| format!("'{name}' is no vertex"));
    let number =
        |word: &str| weight(word).ok_or_else(|| format!("'{word}' is no weight of this graph"));
    Ok(match words[..] {
        ["insert", u, v] => Change::Insert { from: of(u)?, to: of(v)?, weight: number("1")? },
        ["insert", u, v, w] => Change::Insert { from: of(u)?, to: of(v)?, weight: number(w)? },
        ["delete", u, v] => Change::Delete { from: of(u)?, to: of(v)?, weight: None },
        ["delete", u, v, w] => {
            Change::Delete { from: of(u)?, to: of(v)?, weight: Some(number(w)?) }
        }
        ["reweight", u, v, w] => Change::Reweight { from: of(u)?, to: of(v)?, weight: number(w)? },
        ["delete-vertex", u] => Change::DeleteVertex(of(u)?),
        _ => {
            let forms = "write insert u v [w], delete u v [w], reweight u v w or delete-vertex u";
            return Err(forms.to_owned());
        }
    })
}
