//! Files of changes.

use std::collections::HashMap;

use super::{Change, NoChange};
use crate::VertexId;

/// Characters of a line that an error shows.
const SHOWN: usize = 60;

/// The changes in a file.
#[derive(Clone, Debug, PartialEq)]
pub struct ReadChanges<W> {
    /// The changes, in the order of the file.
    pub list: Vec<Change<W>>,
    /// The line of each, counted from 1.
    pub lines: Vec<usize>,
    /// The names of new vertices, in the order of their numbers.
    pub new: Vec<String>,
}

impl<W> Change<W> {
    /// The changes of a file, one a line: `insert u v [w]`, `delete u v [w]`, `reweight u v w`,
    /// `insert-vertex u`, `delete-vertex u`. Without a weight, an inserted arc weighs 1, and of
    /// parallel arcs the lightest is deleted. Blank lines and those that begin with `#` are skipped.
    ///
    /// A new vertex has a name that no vertex of the graph has, and the lines after it may have that
    /// name. `vertex` returns the vertex of a name in a graph of `n_vertices`, and `weight` the weight
    /// that a word is.
    ///
    /// ```
    /// use graph_formats::Change;
    ///
    /// let (vertex, weight) =
    ///     (|name: &str| name.parse().ok().filter(|&v| v < 3), |word: &str| word.parse().ok());
    /// let text = "# a road\ninsert 0 1 2.5\n\ninsert-vertex port\ninsert 2 port 4\n";
    /// let read = Change::<f32>::read(text, 3, &vertex, &weight)?;
    /// assert_eq!((&read.lines[..], &read.new[..]), (&[2, 4, 5][..], &["port".to_owned()][..]));
    /// assert_eq!(read.list[0], Change::Insert { from: 0, to: 1, weight: 2.5 });
    /// assert_eq!(read.list[2], Change::Insert { from: 2, to: 3, weight: 4.0 });
    /// let error = Change::<f32>::read("insert 0 1 far", 3, &vertex, &weight).unwrap_err();
    /// assert!(error.to_string().contains("'far' is no weight of this graph"));
    /// # Ok::<(), graph_formats::NoChange>(())
    /// ```
    ///
    /// # Errors
    /// [`NoChange`] for the first line that is something else.
    pub fn read(
        text: &str,
        n_vertices: usize,
        vertex: &dyn Fn(&str) -> Option<VertexId>,
        weight: &dyn Fn(&str) -> Option<W>,
    ) -> Result<ReadChanges<W>, NoChange> {
        let is_change = |line: &str| !line.is_empty() && !line.starts_with('#');
        let mut read = ReadChanges { list: Vec::new(), lines: Vec::new(), new: Vec::new() };
        let mut numbers = HashMap::new();
        for (line, number) in text.lines().map(str::trim).zip(1..) {
            if !is_change(line) {
                continue;
            }
            let known = |name: &str| vertex(name).or_else(|| numbers.get(name).copied());
            let change = change(line, &known, weight).map_err(|reason| {
                let text = line.chars().take(SHOWN).collect();
                NoChange { line: number, text, reason }
            })?;
            if let (Change::InsertVertex, Some(name)) = (&change, line.split_whitespace().nth(1)) {
                // a graph that has no number left for it refuses the change
                let next = VertexId::try_from(n_vertices + read.new.len());
                numbers.insert(name.to_owned(), next.unwrap_or(VertexId::MAX));
                read.new.push(name.to_owned());
            }
            read.list.push(change);
            read.lines.push(number);
        }
        Ok(read)
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
        ["insert-vertex", u] if vertex(u).is_some() => {
            return Err(format!("'{u}' is a vertex already"));
        }
        ["insert-vertex", _] => Change::InsertVertex,
        ["delete-vertex", u] => Change::DeleteVertex(of(u)?),
        _ => {
            let forms = "write insert u v [w], delete u v [w], reweight u v w, insert-vertex u or \
                         delete-vertex u";
            return Err(forms.to_owned());
        }
    })
}
