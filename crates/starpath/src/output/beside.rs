//! The files beside an array.

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};

use anyhow::anyhow;

/// The suffixes of files with the names of an array's vertices, after the name of the array.
const SUFFIXES: [&str; 3] = [".ids", ".rows.ids", ".columns.ids"];
/// The suffix of the file that names the graph of an array.
const GRAPH_SUFFIX: &str = ".graph";

/// The file beside an array with the names of its vertices.
pub(crate) fn ids_path(array: &Path) -> PathBuf {
    beside(array, SUFFIXES[0])
}

/// The file beside an array that names its graph.
pub(crate) fn graph_path(array: &Path) -> PathBuf {
    beside(array, GRAPH_SUFFIX)
}

/// All files that may be written beside an array.
pub(super) fn all_beside(array: &Path) -> impl Iterator<Item = PathBuf> {
    names_beside(array).chain([graph_path(array)])
}

/// The files of names that may be written beside an array.
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
