//! The state of a folder after a batch of changes: it takes the place of the one before as a whole.
//!
//! Its files are written into a folder of their own, `next`, and forced to the disk; then its journal
//! is written there. From that moment on the state is the next one. The files are moved up, over those
//! before, and the journal last. A run that has ended before that moment has left the state before, and
//! `next` is deleted. One that has ended after it has left some of the moves to be made, no matter which.
//! Either is done when the folder is locked the next time, before anything is read.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::ScratchError;
use super::hops::{HOPS, MARKS};
use super::journal::{self, Journal, sync_names};
use super::matrix::{MATRIX, PANELS};
use super::sums;

const NEXT: &str = "next";

/// The folder for the files of the next state, new and empty.
pub(super) fn begin(folder: &Path) -> Result<PathBuf, ScratchError> {
    let next = folder.join(NEXT);
    let begin = || {
        fs::create_dir(&next)?;
        sync_names(folder)
    };
    begin().map_err(ScratchError::write(&next))?;
    Ok(next)
}

/// Puts the next state in place if its journal is written; else deletes what there is of it.
pub(super) fn finish(folder: &Path) -> Result<(), ScratchError> {
    let next = folder.join(NEXT);
    if Journal::read(&next)?.is_none() {
        return discard(folder);
    }
    let finish = || {
        for name in [MATRIX, PANELS, sums::NAME] {
            there(fs::rename(next.join(name), folder.join(name)))?;
        }
        // those of the state before
        for name in [HOPS, MARKS] {
            there(fs::remove_file(folder.join(name)))?;
        }
        sync_names(folder)?;
        fs::rename(next.join(journal::NAME), folder.join(journal::NAME))?;
        sync_names(folder)
    };
    finish().map_err(ScratchError::write(folder))?;
    discard(folder)
}

/// Deletes the next state, unless it is in place.
pub(super) fn discard(folder: &Path) -> Result<(), ScratchError> {
    let next = folder.join(NEXT);
    let discard = || {
        // with its journal, files that are missing would be taken for moved
        if there(fs::remove_file(next.join(journal::NAME)))? {
            sync_names(&next)?;
        }
        there(fs::remove_dir_all(&next))
    };
    discard().map(|_| ()).map_err(ScratchError::write(&next))
}

/// Whether there was a file for what was done.
fn there(done: io::Result<()>) -> io::Result<bool> {
    match done {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        done => done.map(|()| true),
    }
}
