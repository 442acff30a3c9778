//! The files beside an array.

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};

use anyhow::anyhow;

/// What follows the name of an array in that of a file with names,
const SUFFIXES: [&str; 3] = [".ids", ".rows.ids", ".columns.ids"];
/// and in that of the file that says which graph it is of.
const GRAPH_SUFFIX: &str = ".graph";

/// The file beside an array that names the vertices it is indexed by.
pub(crate) fn ids_path(array: &Path) -> PathBuf {
    beside(array, SUFFIXES[0])
}

/// The file beside an array that says which graph it is of.
pub(crate) fn graph_path(array: &Path) -> PathBuf {
    beside(array, GRAPH_SUFFIX)
}

/// The files that may come to stand beside an array.
pub(super) fn all_beside(array: &Path) -> impl Iterator<Item = PathBuf> {
    names_beside(array).chain([graph_path(array)])
}

/// Those of names.
pub(super) fn names_beside(array: &Path) -> impl Iterator<Item = PathBuf> {
    SUFFIXES.iter().map(|suffix| beside(array, suffix))
}

fn beside(array: &Path, suffix: &str) -> PathBuf {
    let mut path = OsString::from(array);
    path.push(suffix);
    path.into()
}

/// Removes a file that an earlier run may have left.
pub(crate) fn remove(path: &Path) -> anyhow::Result<()> {
    match std::fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            Err(anyhow!("{}: {error}", path.display()))
        }
        _ => Ok(()),
    }
}
