//! The new folder that a run leaves: whole, or not at all.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use graph_formats::AtomicFile;

use crate::machine::Machine;

/// Where a run was written, and its summary.
#[derive(Debug)]
pub struct Written {
    /// The new folder: `raw.csv`, `summary.md`, and the drawings.
    pub folder: PathBuf,
    /// What stands in `summary.md`.
    pub summary: String,
}

/// Makes the folder `name` in `out`, named after `machine`'s date if it has no name, and
/// lets `fill` put everything into it and tell the summary.
///
/// # Errors
/// When there is such a folder, it cannot be made, or `fill` fails: then none is left.
pub(crate) fn new_folder(
    out: &Path,
    name: Option<&str>,
    machine: &Machine,
    fill: impl FnOnce(&Path) -> Result<String>,
) -> Result<Written> {
    let folder = out.join(name.map_or_else(|| machine.stamp(), str::to_owned));
    let cannot = || format!("cannot make the folder {}", folder.display());
    fs::create_dir_all(out).with_context(cannot)?;
    fs::create_dir(&folder).with_context(cannot)?;
    match fill(&folder) {
        Ok(summary) => Ok(Written { folder, summary }),
        Err(error) => {
            // the first error is the one to be told
            let _ = fs::remove_dir_all(&folder);
            Err(error)
        }
    }
}

/// Writes a file of the folder.
pub(crate) fn write(path: &Path, text: &str) -> Result<()> {
    let mut file = AtomicFile::create(path)?;
    file.write_all(text.as_bytes()).with_context(|| format!("cannot write {}", path.display()))?;
    Ok(file.commit()?)
}
