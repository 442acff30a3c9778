//! A scratch folder: made where there is none, ours alone while a run lasts.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::path::{Path, PathBuf};

use super::ScratchError;
use super::journal::{self, Journal};

/// The file that is locked.
const LOCK: &str = "lock";

/// A folder that no other process works in as long as this lives.
#[derive(Debug)]
pub(crate) struct Folder {
    path: PathBuf,
    /// Its lock ends with it, whatever ends the process.
    _lock: File,
}

impl Folder {
    /// Makes the folder if need be, and locks it.
    pub(crate) fn lock(path: &Path) -> Result<Self, ScratchError> {
        let fail = |source| ScratchError::Open { path: path.to_owned(), source };
        fs::create_dir_all(path).map_err(fail)?;
        if !path.join(journal::NAME).exists() {
            for entry in fs::read_dir(path).map_err(fail)? {
                let name = entry.map_err(fail)?.file_name();
                // what a run leaves that was ended before its first journal
                if name != LOCK && name != journal::NEXT {
                    let file = name.to_string_lossy().into_owned();
                    return Err(ScratchError::Foreign { folder: path.to_owned(), file });
                }
            }
        }
        let lock = path.join(LOCK);
        let fail = |source| ScratchError::Open { path: lock.clone(), source };
        let file = OpenOptions::new().create(true).append(true).open(&lock).map_err(fail)?;
        match file.try_lock() {
            Ok(()) => Ok(Self { path: path.to_owned(), _lock: file }),
            Err(TryLockError::WouldBlock) => Err(ScratchError::Locked { folder: path.to_owned() }),
            Err(TryLockError::Error(source)) => Err(fail(source)),
        }
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// The journal of the run on this graph, in these numbers; `None` where none has begun.
    pub(crate) fn journal(
        &self,
        graph: &str,
        numbers: &str,
        resume: bool,
    ) -> Result<Option<Journal>, ScratchError> {
        let Some(found) = Journal::read(&self.path)? else { return Ok(None) };
        let folder = self.path.clone();
        if found.graph != graph {
            return Err(ScratchError::OtherRun { folder, what: "another graph".to_owned() });
        }
        if found.numbers != numbers {
            let what = format!("this graph in {}, not {numbers}", found.numbers);
            return Err(ScratchError::OtherRun { folder, what });
        }
        if !resume {
            return Err(ScratchError::Started { folder, state: found.state() });
        }
        Ok(Some(found))
    }
}
