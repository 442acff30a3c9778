//! Reading the graph that a command is about.

use std::fmt;
use std::path::PathBuf;
use std::time::Instant;

use anyhow::anyhow;
use graph_formats::{AnyCsr, IdKind, Ids};
use hierarchy::Prepared;
use serde::Serialize;

use crate::cli::{Common, GraphArgs};
use crate::failure::{WrongUse, say};
use crate::ids::{Names, shown};
use crate::progress::{EndAtOnce, check_interrupt, progress};
use crate::report::{self, Head, Ms, milliseconds};

/// A graph as its file has it, and how long the reading took.
pub(crate) struct Loaded {
    pub(crate) path: PathBuf,
    pub(crate) csr: AnyCsr,
    pub(crate) ids: Ids,
    pub(crate) id_kind: IdKind,
    /// Its hierarchy, if `prepare` wrote the file.
    pub(crate) prepared: Option<Prepared>,
    /// What reading decided because the file does not say it.
    pub(crate) notes: Vec<String>,
    pub(crate) load_ms: Ms,
}

impl Loaded {
    pub(crate) fn names(&self) -> Names<'_> {
        Names {
            path: &self.path,
            ids: &self.ids,
            id_kind: self.id_kind,
            n_vertices: self.csr.n_vertices(),
            new: &[],
        }
    }

    /// The start of a report on the graph, before anything is solved.
    pub(crate) fn head(&self, command: &'static str) -> Head {
        self.head_of(command, &self.csr)
    }

    /// The same on the graph after changes.
    pub(crate) fn head_of(&self, command: &'static str, graph: &AnyCsr) -> Head {
        Head { load_ms: Some(self.load_ms), ..Head::of(command, graph) }
    }

    /// Prints a note on the graph, and keeps it for JSON.
    pub(crate) fn note(&mut self, note: String, common: &Common) {
        if !common.json {
            say(format_args!("starpath: note: {note}"));
        }
        self.notes.push(note);
    }

    /// Prints a report on the graph, in JSON with the notes, or explains the error.
    pub(crate) fn print<R: Serialize + fmt::Display>(
        &self,
        report: anyhow::Result<R>,
        common: &Common,
    ) -> anyhow::Result<()> {
        let report = &report.map_err(|error| self.names().explain(error))?;
        print_with_notes(report, &self.notes, common)
    }
}

/// Prints a report, in JSON with notes on its graph.
pub(crate) fn print_with_notes<R: Serialize + fmt::Display>(
    report: &R,
    notes: &[String],
    common: &Common,
) -> anyhow::Result<()> {
    report::print(&WithNotes { report, notes }, common)
}

#[derive(Serialize)]
struct WithNotes<'a, R> {
    #[serde(flatten)]
    report: &'a R,
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    notes: &'a [String],
}

impl<R: fmt::Display> fmt::Display for WithNotes<'_, R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.report.fmt(f)
    }
}

/// Reads a graph, and prints on standard error what reading decided. To be called before a file is
/// opened for writing.
pub(crate) fn load(args: &GraphArgs, common: &Common) -> anyhow::Result<Loaded> {
    let loaded = load_silently(args, common)?;
    if !common.json {
        loaded.notes.iter().for_each(|note| say(format_args!("starpath: note: {note}")));
    }
    Ok(loaded)
}

/// As [`load`], but does not print the notes, because the report has them.
pub(crate) fn load_silently(args: &GraphArgs, common: &Common) -> anyhow::Result<Loaded> {
    let options = args.options()?;
    let step = progress("reading", common);
    let start = Instant::now();
    let at_once = EndAtOnce::new();
    let read = if args.map {
        // SAFETY: the help of `--map` says that no process may write into the file meanwhile
        unsafe { graph_formats::map_spg(&args.path) }
    } else {
        graph_formats::read_with(&args.path, &options, &step)
    };
    drop(at_once);
    let load_ms = milliseconds(start.elapsed());
    check_interrupt()?;
    let read = read?;
    let path = shown(&args.path);
    let prepared = Prepared::of(&read).map_err(|error| anyhow!("{path}: {error}"))?;
    if args.unweighted && prepared.is_some() {
        let text = format!(
            "{path} is prepared for its weights; use `starpath prepare --unweighted` on the graph"
        );
        return Err(WrongUse(text).into());
    }
    let csr = if args.unweighted { read.csr.unweighted().into() } else { read.csr };
    let notes = read.notes.iter().map(|note| format!("{path}: {note}")).collect();
    let (path, id_kind) = (args.path.clone(), args.id_kind());
    Ok(Loaded { path, csr, ids: read.ids, id_kind, prepared, notes, load_ms })
}
