//! A small file beside an array of all pairs that names its graph, so that distances are not
//! combined with the paths of another graph.
//!
//! `OUT.npy.graph` has two lines: `sha256` and the digest of the graph's arrays, `graph` and the
//! name of its file. Results of one graph have the same digest, for any name of the file and any
//! algorithm. If the file is missing, nothing is checked.

use std::fmt;
use std::fs::File;
use std::io::{ErrorKind, Read, Write};
use std::ops::ControlFlow;
use std::path::Path;

use anyhow::{anyhow, bail};
use apsp::any::digest;
use graph_formats::{AnyCsr, AtomicFile, Interrupted};

use super::beside::graph_path;
use crate::progress::check_interrupt;

/// More bytes than any such file has.
const MAX_BYTES: u64 = 1 << 16;

/// A graph, by its digest and the name of its file.
pub(crate) struct Mark {
    digest: String,
    name: String,
}

impl Mark {
    /// The mark of a graph that this file has, or had before changes.
    pub(crate) fn of(graph: &AnyCsr, path: &Path) -> anyhow::Result<Self> {
        let stop = |_, _| match check_interrupt() {
            Ok(()) => ControlFlow::Continue(()),
            Err(_) => ControlFlow::Break(()),
        };
        let digest = digest(graph, Some(&stop)).map_err(|_| Interrupted)?;
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        // a name with a line feed must not take two lines
        let name = name.escape_debug().to_string();
        Ok(Self { digest, name })
    }

    pub(super) fn write(&self, path: &Path) -> anyhow::Result<AtomicFile> {
        let mut file = AtomicFile::create(path)?;
        writeln!(file, "sha256 {}\ngraph {}", self.digest, self.name)
            .and_then(|()| file.flush())
            .map_err(|error| anyhow!("{}: {error}", path.display()))?;
        Ok(file)
    }

    /// Whether it is the mark of the same graph.
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        self.digest == other.digest
    }

    /// The mark beside an array, if there is one.
    pub(crate) fn beside(array: &Path) -> anyhow::Result<Option<Self>> {
        let path = graph_path(array);
        let shown = path.display();
        let mut text = String::new();
        let read = File::open(&path).and_then(|f| f.take(MAX_BYTES).read_to_string(&mut text));
        match read {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            Err(error) => bail!("{shown}: {error}"),
            Ok(_) => {}
        }
        let mut lines = text.lines();
        let mut field = |name| lines.next()?.strip_prefix(name)?.strip_prefix(' ');
        match (field("sha256"), field("graph")) {
            (Some(digest), Some(name)) => {
                Ok(Some(Self { digest: digest.to_owned(), name: name.to_owned() }))
            }
            _ => bail!(
                "{shown}: expected the lines 'sha256 DIGEST' and 'graph NAME'; delete it if \
                 starpath has not written it"
            ),
        }
    }
}

impl fmt::Display for Mark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let digest: String = self.digest.chars().take(8).collect();
        write!(f, "{} (sha256 {digest}…)", self.name)
    }
}

/// An error where two arrays say that they are of different graphs.
pub(crate) fn check_same_graph(array: &Path, other: &Path) -> anyhow::Result<()> {
    let (Some(mark), Some(other_mark)) = (Mark::beside(array)?, Mark::beside(other)?) else {
        return Ok(());
    };
    if !mark.is_same(&other_mark) {
        bail!(
            "{} is for {mark} and {} for {other_mark}; give two files of one run, or delete the \
             .graph file beside an array that another program has replaced",
            array.display(),
            other.display()
        );
    }
    Ok(())
}
