//! A scratch folder: made where there is none, ours alone while a run lasts.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

use super::ScratchError;
use super::journal::{self, Journal};
use crate::Number;

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
        let lock = path.join(LOCK);
        // The lock is the first file of a run. A folder that has others and no lock after
        // they were seen is none of ours, and gets none.
        let foreign = foreign_file(path).map_err(fail)?;
        if let Some(file) = foreign.filter(|_| !lock.exists()) {
            return Err(ScratchError::Foreign { folder: path.to_owned(), file });
        }
        let fail_lock = |source| ScratchError::Open { path: lock.clone(), source };
        let file = OpenOptions::new().create(true).append(true).open(&lock).map_err(fail_lock)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                return Err(ScratchError::Locked { folder: path.to_owned() });
            }
            Err(TryLockError::Error(source)) => return Err(fail_lock(source)),
        }
        // from here on nobody else changes what is seen
        match foreign_file(path).map_err(fail)? {
            Some(file) => Err(ScratchError::Foreign { folder: path.to_owned(), file }),
            None => Ok(Self { path: path.to_owned(), _lock: file }),
        }
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// The journal of the run on this graph, in these numbers or wider ones; `None` where none
    /// has begun.
    pub(crate) fn journal(
        &self,
        graph: &str,
        n_vertices: usize,
        numbers: Number,
        resume: bool,
    ) -> Result<Option<Journal>, ScratchError> {
        let Some(found) = Journal::read(&self.path)? else { return Ok(None) };
        let folder = self.path.clone();
        if found.graph != graph {
            return Err(ScratchError::OtherRun { folder, what: "another graph".to_owned() });
        }
        if !found.is_of(n_vertices) {
            let path = folder.join(journal::NAME);
            let problem = "does not belong to this graph".to_owned();
            return Err(ScratchError::Damaged { path, problem });
        }
        if !found.numbers.hold(numbers) {
            let what = format!("this graph in {}, which do not do for {numbers}", found.numbers);
            return Err(ScratchError::OtherRun { folder, what });
        }
        if !resume {
            return Err(ScratchError::Started { folder, state: found.state() });
        }
        Ok(Some(found))
    }
}

/// A file of a folder that has no journal, and that is not of a run which was ended before its
/// first.
fn foreign_file(path: &Path) -> io::Result<Option<String>> {
    if path.join(journal::NAME).exists() {
        return Ok(None);
    }
    for entry in fs::read_dir(path)? {
        let name = entry?.file_name();
        if name != LOCK && name != journal::NEXT {
            return Ok(Some(name.to_string_lossy().into_owned()));
        }
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Another run may have begun between two looks at a folder.
    #[test]
    fn a_locked_folder_is_locked_whatever_is_in_it() {
        let folder = tempfile::tempdir().unwrap();
        let lock = Folder::lock(folder.path()).unwrap();
        fs::write(folder.path().join("matrix.bin"), "").unwrap();
        let refused = Folder::lock(folder.path()).unwrap_err();
        assert!(matches!(refused, ScratchError::Locked { .. }), "{refused}");
        drop(lock);
        let refused = Folder::lock(folder.path()).unwrap_err();
        assert!(matches!(refused, ScratchError::Foreign { .. }), "{refused}");
    }

    #[test]
    fn a_foreign_folder_gets_no_lock() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("letter"), "").unwrap();
        let refused = Folder::lock(folder.path()).unwrap_err();
        assert!(matches!(refused, ScratchError::Foreign { .. }), "{refused}");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }
}
