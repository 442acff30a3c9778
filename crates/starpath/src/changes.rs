//! The files that `--changes` names, each a batch of changes.

use std::borrow::Cow;
use std::fmt;
use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::anyhow;
use apsp::ApspError;
use apsp::any::changed;
use gpu_runtime::Gpu;
use graph_formats::{AnyCsr, Change, ChangeError, ChangeProblem, ReadChanges, WeightKind};
use paths::Number;
use serde::Serialize;

use crate::ids::{Names, shown};
use crate::load::Loaded;
use crate::numbers::read_text;
use crate::progress::check_interrupt;
use crate::report::{Ms, counted, milliseconds};

/// The changes of some files, each to be made after those before.
pub(crate) struct Batches<'a> {
    pub(crate) loaded: &'a Loaded,
    pub(crate) list: Vec<Changes>,
    /// The names of new vertices, of all files.
    new: Vec<String>,
}

impl<'a> Batches<'a> {
    /// Reads the files. An error names the first line that cannot be made.
    pub(crate) fn read(loaded: &'a Loaded, files: &[PathBuf]) -> anyhow::Result<Self> {
        let mut all = Self { loaded, list: Vec::new(), new: Vec::new() };
        let mut graph = Cow::Borrowed(&loaded.csr);
        for file in files {
            let changes = Changes::read(file, &all.names(), loaded.csr.kind())?;
            graph = Cow::Owned(changes.after(&graph)?);
            all.new.extend_from_slice(changes.new_names());
            all.list.push(changes);
        }
        Ok(all)
    }

    /// The names of all vertices after the changes.
    pub(crate) fn names(&self) -> Names<'_> {
        self.loaded.names().with(&self.new)
    }

    /// The graph after the first files.
    pub(crate) fn graph(&self, n_made: usize) -> anyhow::Result<Cow<'a, AnyCsr>> {
        let mut graph = Cow::Borrowed(&self.loaded.csr);
        for changes in &self.list[..n_made] {
            graph = Cow::Owned(changes.after(&graph)?);
        }
        Ok(graph)
    }

    /// Makes the changes of all files in turn, and reports on each.
    pub(crate) fn make<T>(
        &self,
        mut update: impl FnMut(&Changes) -> anyhow::Result<T>,
    ) -> anyhow::Result<Vec<Batch<T>>> {
        let batch = |changes: &Changes| {
            // not all work on a GPU reports its progress
            check_interrupt()?;
            let start = Instant::now();
            let result = update(changes)?;
            let update_ms = milliseconds(start.elapsed());
            let (file, changes) = (shown(&changes.path), changes.list().len());
            Ok(Batch { file, changes, update_ms, result })
        };
        self.list.iter().map(batch).collect()
    }
}

/// What the changes of a file did.
#[derive(Serialize)]
pub(crate) struct Batch<T> {
    file: String,
    changes: usize,
    /// Time to change the graph and the result.
    update_ms: Ms,
    #[serde(flatten)]
    result: T,
}

impl<T: fmt::Display> fmt::Display for Batch<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { file, changes, update_ms, result } = self;
        let changes = counted(*changes, ("change", "changes"));
        write!(f, "{file}: {changes} took {update_ms} ms{result}")
    }
}

/// The GPUs in whose memory a result has followed changes.
#[derive(Serialize)]
pub(crate) struct Device {
    device: String,
    gpus: usize,
    /// Copying the result to the host.
    download_ms: Ms,
}

impl Device {
    /// Copies a result, from these GPUs if it is there.
    pub(crate) fn copy<T>(
        gpus: &[Gpu],
        result: impl FnOnce() -> anyhow::Result<T>,
    ) -> anyhow::Result<(T, Option<Self>)> {
        let start = Instant::now();
        let result = result()?;
        let download_ms = milliseconds(start.elapsed());
        let name = |gpu: &Gpu| gpu.properties().name.clone();
        let of = |gpu| Self { device: name(gpu), gpus: gpus.len(), download_ms };
        Ok((result, gpus.first().map(of)))
    }
}

/// Changes of a graph, each with its line in a file.
pub(crate) struct Changes {
    pub(crate) path: PathBuf,
    read: ReadChanges<Number>,
}

impl Changes {
    /// Reads a file of changes of a graph with these names and weights.
    fn read(path: &Path, names: &Names<'_>, kind: WeightKind) -> anyhow::Result<Self> {
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

    /// The graph after them.
    fn after(&self, graph: &AnyCsr) -> anyhow::Result<AnyCsr> {
        changed(graph, self.list()).map_err(|error| match &error {
            ApspError::BadChange(bad) => self.explain(bad),
            _ => error.into(),
        })
    }

    /// The names of new vertices.
    fn new_names(&self) -> &[String] {
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
