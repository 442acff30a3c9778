//! The file that `--changes` names.

use std::path::{Path, PathBuf};

use anyhow::anyhow;
use graph_formats::{Change, ChangeError, ChangeProblem, ReadChanges, WeightKind};
use paths::Number;

use crate::ids::Names;
use crate::numbers::read_text;

/// Changes of a graph, each with its line in a file.
pub(crate) struct Changes {
    pub(crate) path: PathBuf,
    read: ReadChanges<Number>,
}

impl Changes {
    /// Reads a file of changes of a graph with these names and weights.
    pub(crate) fn read(path: &Path, names: &Names<'_>, kind: WeightKind) -> anyhow::Result<Self> {
        let shown = path.display();
        let text = read_text(path).map_err(|error| anyhow!("{shown}: {error}"))?;
        let vertex = |name: &str| names.vertex("vertex", name).ok();
        let weight = |word: &str| Number::parse(word, kind);
        let read = Change::read(&text, names.n_vertices, &vertex, &weight);
        let read = read.map_err(|error| anyhow!("{shown}: {error}"))?;
        Ok(Self { path: path.to_owned(), read })
    }

    /// The changes, in the order of the file.
    pub(crate) fn list(&self) -> &[Change<Number>] {
        &self.read.list
    }

    /// The names of new vertices.
    pub(crate) fn new_names(&self) -> &[String] {
        &self.read.new
    }

    /// The file and the line of a change.
    pub(crate) fn place(&self, position: usize) -> String {
        format!("{}:{}", self.path.display(), self.read.lines.get(position).unwrap_or(&0))
    }

    /// The error with the line of its change.
    pub(crate) fn explain(&self, error: &ChangeError) -> anyhow::Error {
        let place = self.place(error.position);
        match &error.problem {
            ChangeProblem::NoSuchArc { weight: None, .. } => {
                anyhow!("{place}: there is no such arc")
            }
            ChangeProblem::NoSuchArc { weight: Some(weight), .. } => {
                anyhow!("{place}: there is no such arc of weight {weight}")
            }
            ChangeProblem::Twice { .. } => {
                anyhow!("{place}: an earlier line changes the same arc or vertex; leave one out")
            }
            problem => anyhow!("{place}: {problem}"),
        }
    }
}
