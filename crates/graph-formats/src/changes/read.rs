//! Files of changes.

use super::{Change, NoChange};
use crate::{VertexId, Weight, WeightKind};

/// Bytes of a line that an error shows.
const SHOWN: usize = 60;

impl<W: Weight> Change<W> {
    /// The changes of a file, each with its line: `insert u v [w]`, `delete u v [w]`,
    /// `reweight u v w`, `delete-vertex u`. Without a weight, an inserted arc weighs 1, and a
    /// deleted one may have any weight. Blank lines and those that begin with `#` are skipped.
    /// `vertex` returns the vertex that has a name.
    ///
    /// ```
    /// use graph_formats::Change;
    ///
    /// let number = |name: &str| name.parse().ok();
    /// let changes = Change::<f32>::read("# a road\ninsert 0 1 2.5\n\ndelete 1 2\n", &number)?;
    /// assert_eq!(changes[0], (2, Change::Insert { from: 0, to: 1, weight: 2.5 }));
    /// assert_eq!(changes[1], (4, Change::Delete { from: 1, to: 2, weight: None }));
    /// let error = Change::<u32>::read("insert 0 1 2.5", &number).unwrap_err().to_string();
    /// assert!(error.starts_with("line 1: 'insert 0 1 2.5' is no change: '2.5' is no u32"));
    /// # Ok::<(), graph_formats::NoChange>(())
    /// ```
    ///
    /// # Errors
    /// [`NoChange`] for the first line that is something else.
    pub fn read(
        text: &str,
        vertex: &dyn Fn(&str) -> Option<VertexId>,
    ) -> Result<Vec<(usize, Self)>, NoChange> {
        let is_change = |line: &str| !line.is_empty() && !line.starts_with('#');
        let lines = text.lines().map(str::trim).zip(1..).filter(|(line, _)| is_change(line));
        let change = |(text, line)| match change(text, vertex) {
            Ok(change) => Ok((line, change)),
            Err(reason) => {
                let text = text.chars().take(SHOWN).collect();
                Err(NoChange { line, text, reason })
            }
        };
        lines.map(change).collect()
    }
}

fn change<W: Weight>(
    line: &str,
    vertex: &dyn Fn(&str) -> Option<VertexId>,
) -> Result<Change<W>, String> {
    let words: Vec<_> = line.split_whitespace().collect();
    let of = |name: &str| vertex(name).ok_or_else(|| format!("'{name}' is no vertex"));
    Ok(match words[..] {
        ["insert", u, v] => Change::Insert { from: of(u)?, to: of(v)?, weight: W::ONE },
        ["insert", u, v, w] => Change::Insert { from: of(u)?, to: of(v)?, weight: number(w)? },
        ["delete", u, v] => Change::Delete { from: of(u)?, to: of(v)?, weight: None },
        ["delete", u, v, w] => {
            Change::Delete { from: of(u)?, to: of(v)?, weight: Some(number(w)?) }
        }
        ["reweight", u, v, w] => Change::Reweight { from: of(u)?, to: of(v)?, weight: number(w)? },
        ["delete-vertex", u] => Change::DeleteVertex(of(u)?),
        [first, ..] => return Err(format!("'{first}' is no change of that many words")),
        [] => return Err("it is empty".to_owned()),
    })
}

/// The weight that a word is, if it has one of this type.
fn number<W: Weight>(word: &str) -> Result<W, String> {
    let kind: WeightKind = W::KIND;
    let whole = word.parse().ok().and_then(W::from_i128);
    let weight = whole.or_else(|| word.parse().ok().and_then(W::from_f64));
    let weight = weight.filter(|weight| weight.is_finite());
    weight.ok_or_else(|| format!("'{word}' is no {kind}"))
}
