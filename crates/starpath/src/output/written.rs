//! Results that are complete, and not in place yet.

use std::path::PathBuf;

use graph_formats::AtomicFile;

use super::beside::remove;

/// A result, and the small files beside it.
pub(crate) struct Written {
    pub(super) file: AtomicFile,
    pub(super) beside: Vec<AtomicFile>,
    /// Files of an earlier result that this one has not.
    pub(super) needless: Vec<PathBuf>,
}

impl From<AtomicFile> for Written {
    /// A result without files beside it.
    fn from(file: AtomicFile) -> Self {
        Self { file, beside: Vec::new(), needless: Vec::new() }
    }
}

impl Written {
    /// Puts it in place; what is beside it comes first.
    pub(crate) fn put_in_place(self) -> anyhow::Result<()> {
        self.beside.into_iter().try_for_each(AtomicFile::commit)?;
        self.file.commit()?;
        self.needless.iter().try_for_each(|path| remove(path))
    }

    /// Puts distances and next hops in place. The mark of the hops comes first and that of the
    /// distances last, so that they differ until all is in place. A run that ends before leaves
    /// nothing that is taken for results of one graph.
    pub(crate) fn put_both_in_place(distances: Self, hops: Self) -> anyhow::Result<()> {
        hops.put_in_place()?;
        distances.file.commit()?;
        distances.beside.into_iter().try_for_each(AtomicFile::commit)?;
        distances.needless.iter().try_for_each(|path| remove(path))
    }
}
