//! Reading the graph that a command is about.

use std::path::{Path, PathBuf};
use std::time::Instant;

use graph_formats::{AnyCsr, Ids, LoadedGraph, ReadOptions};

use crate::cli::Common;
use crate::ids::Names;
use crate::progress::{Bar, check_interrupt, leave_if_interrupted};
use crate::report::{Ms, milliseconds};

/// A graph as its file has it, and how long the reading took.
pub(crate) struct Loaded {
    pub(crate) path: PathBuf,
    pub(crate) csr: AnyCsr,
    pub(crate) ids: Ids,
    pub(crate) load_ms: Ms,
}

impl Loaded {
    pub(crate) fn names(&self) -> Names<'_> {
        Names { path: &self.path, ids: &self.ids, n_vertices: self.csr.n_vertices() }
    }
}

/// Reads a graph; to be called before any file is opened for writing.
pub(crate) fn load(path: &Path, common: &Common) -> anyhow::Result<Loaded> {
    let bar = Bar::new("reading", common);
    let start = Instant::now();
    let LoadedGraph { csr, ids, .. } =
        graph_formats::read_with(path, &ReadOptions::default(), &|done, total| {
            let _ = bar.step(done, total);
            leave_if_interrupted();
        })?;
    let load_ms = milliseconds(start.elapsed());
    check_interrupt()?;
    Ok(Loaded { path: path.to_owned(), csr, ids, load_ms })
}
