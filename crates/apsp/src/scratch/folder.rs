//! A scratch folder: made where there is none, and locked while a run lasts.
//!
//! Rank 0 locks it alone, so that no other process uses it while its files are checked. Then all
//! ranks hold the lock together: the folder is in use until the last of them has ended, whatever
//! became of the others.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::process;
use std::time::{SystemTime, UNIX_EPOCH};

use collectives::Communicator;

use super::{ScratchError, journal, next};
use crate::ApspError;
use crate::error::agree;

/// The file that is locked.
const LOCK: &str = "lock";

/// A folder that no other run works in as long as this lives.
#[derive(Debug)]
pub(super) struct Folder {
    path: PathBuf,
    /// Its lock ends with it, whatever ends the process.
    lock: File,
}

impl Folder {
    /// Makes the folder if need be, and locks it. What a run before has left of a
    /// [next state](next) is put in place, or deleted.
    pub(super) fn lock(path: &Path) -> Result<Self, ScratchError> {
        fs::create_dir_all(path).map_err(ScratchError::open(path))?;
        let lock = path.join(LOCK);
        // The lock is the first file of a run. A folder that has others, and no lock after they
        // were seen, is no scratch folder, and gets none.
        let foreign = foreign_file(path).map_err(ScratchError::open(path))?;
        if let Some(file) = foreign.filter(|_| !lock.exists()) {
            return Err(ScratchError::Foreign { folder: path.to_owned(), file });
        }
        let file = OpenOptions::new().create(true).append(true).read(true).open(&lock);
        let file = file.map_err(ScratchError::open(&lock))?;
        file.try_lock().map_err(|error| not_locked(path, error))?;
        // from here on no other process changes what is seen
        match foreign_file(path).map_err(ScratchError::open(path))? {
            Some(file) => Err(ScratchError::Foreign { folder: path.to_owned(), file }),
            None => {
                next::finish(path)?;
                Ok(Self { path: path.to_owned(), lock: file })
            }
        }
    }

    /// The folder of rank 0 on all ranks, which name it so.
    pub(super) fn shared(
        own: Option<Self>,
        path: &Path,
        ranks: &dyn Communicator,
    ) -> Result<Self, ApspError> {
        let mark = own.as_ref().map(Self::mark).transpose();
        let mark = agree(ranks, mark.map_err(ApspError::from))?;
        let mark = ranks.broadcast_vec(0, mark.unwrap_or_default())?;
        let folder = own.map_or_else(|| Self::with_mark(path, &mark), Ok);
        agree(ranks, folder.map_err(ApspError::from))
    }

    /// Lets other ranks lock the folder too; returns how they know that it is this one.
    fn mark(&self) -> Result<Vec<u8>, ScratchError> {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let mark = format!("process {} at {} ns\n", process::id(), since.as_nanos()).into_bytes();
        let write = || {
            self.lock.set_len(0)?;
            (&self.lock).write_all(&mark)?;
            self.lock.sync_all()
        };
        write().map_err(ScratchError::write(&self.path.join(LOCK)))?;
        self.lock.try_lock_shared().map_err(|error| not_locked(&self.path, error))?;
        Ok(mark)
    }

    /// The folder that rank 0 has marked so.
    fn with_mark(path: &Path, mark: &[u8]) -> Result<Self, ScratchError> {
        let other = || ScratchError::NotSeen { folder: path.to_owned() };
        let lock = OpenOptions::new().append(true).read(true).open(path.join(LOCK));
        let lock = lock.map_err(|_| other())?;
        let mut found = Vec::new();
        let read = (&lock).take(mark.len() as u64 + 1).read_to_end(&mut found);
        if read.is_err() || found != mark {
            return Err(other());
        }
        lock.try_lock_shared().map_err(|error| not_locked(path, error))?;
        Ok(Self { path: path.to_owned(), lock })
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }
}

fn not_locked(path: &Path, error: TryLockError) -> ScratchError {
    match error {
        TryLockError::WouldBlock => ScratchError::Locked { folder: path.to_owned() },
        TryLockError::Error(source) => ScratchError::Open { path: path.join(LOCK), source },
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

    /// The ranks of a run hold a folder together, and it is in use as long as one of them does.
    #[test]
    fn ranks_share_a_lock() {
        let folder = tempfile::tempdir().unwrap();
        let of_rank_0 = Folder::lock(folder.path()).unwrap();
        let mark = of_rank_0.mark().unwrap();
        let other = Folder::with_mark(folder.path(), &mark).unwrap();
        drop(of_rank_0);
        let refused = Folder::lock(folder.path()).unwrap_err();
        assert!(matches!(refused, ScratchError::Locked { .. }), "{refused}");
        drop(other);
        let begun_again = Folder::lock(folder.path()).unwrap();
        begun_again.mark().unwrap();
        let elsewhere = tempfile::tempdir().unwrap();
        for path in [folder.path(), elsewhere.path(), &elsewhere.path().join("none")] {
            let refused = Folder::with_mark(path, &mark).unwrap_err();
            assert!(matches!(refused, ScratchError::NotSeen { .. }), "{refused}");
        }
        assert_eq!(fs::read_dir(elsewhere.path()).unwrap().count(), 0);
    }
}
