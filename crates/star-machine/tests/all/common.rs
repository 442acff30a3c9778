//! What several of them need.

use std::path::PathBuf;

/// A file of the folder of real graphs, if it is there.
pub(crate) fn data(name: &str) -> Option<PathBuf> {
    let folder = std::env::var_os("STARPATH_DATA").map_or_else(
        || concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data").into(),
        PathBuf::from,
    );
    let path = folder.join(name);
    if !path.is_file() {
        println!("SKIPPED: there is no {}", path.display());
        return None;
    }
    Some(path)
}
