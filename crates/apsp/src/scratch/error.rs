//! The errors of a scratch folder.

use std::io;
use std::path::{Path, PathBuf};

use graph_formats::Large;

/// Why a scratch folder cannot be used. Nothing in it has been overwritten.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ScratchError {
    /// A file or the folder cannot be opened or read.
    #[error("{}: {source}", path.display())]
    Open {
        /// The file or folder.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// A file cannot be written: the disk is full or broken.
    #[error(
        "{}: cannot write: {source}; the work done so far is kept: remove the cause, then resume \
         the run",
        path.display()
    )]
    Write {
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// The disk has less space than the run needs.
    #[error(
        "{}: the run needs {needed} bytes on the disk, and {free} are free; name a folder on a \
         larger disk",
        folder.display()
    )]
    NoRoom {
        /// The folder.
        folder: PathBuf,
        /// Bytes of its files.
        needed: Large,
        /// Free bytes of the disk.
        free: u64,
    },
    /// Another process holds the folder.
    #[error(
        "{}: another process uses this folder; wait until it ends, or name another folder",
        folder.display()
    )]
    Locked {
        /// The folder.
        folder: PathBuf,
    },
    /// The folder of this name is not the one that rank 0 works in.
    #[error(
        "{}: rank 0 has another folder of this name; name a folder that all ranks see",
        folder.display()
    )]
    NotSeen {
        /// The folder.
        folder: PathBuf,
    },
    /// The folder is not empty and is not a scratch folder.
    #[error(
        "{} is not a scratch folder, because it holds '{file}'; name an empty folder or a new one",
        folder.display()
    )]
    Foreign {
        /// The folder.
        folder: PathBuf,
        /// A file in it.
        file: String,
    },
    /// The folder holds a run on this graph, and the caller did not ask to resume it.
    #[error(
        "{} holds a run on this graph, {state}; resume it, or name another folder",
        folder.display()
    )]
    Started {
        /// The folder.
        folder: PathBuf,
        /// How far it is.
        state: String,
    },
    /// The folder holds another run.
    #[error(
        "{} holds a run on {what}; name another folder, or delete this one", folder.display()
    )]
    OtherRun {
        /// The folder.
        folder: PathBuf,
        /// What differs.
        what: String,
    },
    /// A file of the folder is not as this program left it.
    #[error(
        "{} {problem}, so the run cannot continue; delete the folder and start again",
        path.display()
    )]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        problem: String,
    },
}

impl ScratchError {
    /// A file or folder cannot be opened or read.
    pub(super) fn open(path: &Path) -> impl FnOnce(io::Error) -> Self {
        move |source| Self::Open { path: path.to_owned(), source }
    }

    /// A file cannot be written.
    pub(super) fn write(path: &Path) -> impl FnOnce(io::Error) -> Self {
        move |source| Self::Write { path: path.to_owned(), source }
    }

    /// A file is not as this program left it.
    pub(super) fn damaged(path: &Path, problem: impl Into<String>) -> Self {
        Self::Damaged { path: path.to_owned(), problem: problem.into() }
    }

    /// A row of a file is not as it was written.
    pub(super) fn of_row(path: &Path, row: usize) -> Self {
        Self::damaged(path, format!("is damaged: row {row} is not as it was written"))
    }
}
