//! What a run leaves: a new folder with `raw.csv`, `run.json`, `index.html`, `summary.md` and the
//! plots, whole or not at all. All but the first two are made of these.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use graph_formats::AtomicFile;
use serde::{Deserialize, Serialize};

use crate::records::Records;
use crate::studies;
use crate::study::Entry;

/// Which study measured, with which options, and on which machine.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub(crate) struct About {
    pub(crate) study: String,
    pub(crate) arguments: Vec<String>,
    /// In Markdown.
    pub(crate) machine: String,
}

/// Makes the folder `name` in `out`, and lets `measure` say what goes into it; gives the folder,
/// and what stands in `summary.md`.
pub(crate) fn new_folder(
    out: &Path,
    name: &str,
    entry: &Entry,
    measure: impl FnOnce() -> Result<(About, Records)>,
) -> Result<(PathBuf, String)> {
    let folder = out.join(name);
    let cannot = || format!("cannot make the folder {}", folder.display());
    fs::create_dir_all(out).with_context(cannot)?;
    fs::create_dir(&folder).with_context(cannot)?;
    let filled = measure().and_then(|(about, records)| fill(&folder, entry, &about, &records));
    match filled {
        Ok(summary) => Ok((folder, summary)),
        Err(error) => {
            // the first error is the one to be told
            let _ = fs::remove_dir_all(&folder);
            Err(error)
        }
    }
}

fn fill(folder: &Path, entry: &Entry, about: &About, records: &Records) -> Result<String> {
    write(&folder.join("raw.csv"), &records.to_csv()?)?;
    write(&folder.join("run.json"), &serde_json::to_string_pretty(about)?)?;
    let mut page = (entry.page)(records);
    page.skipped(records);
    for (name, text) in page.files(&about.machine) {
        write(&folder.join(&name), &text)?;
    }
    Ok(page.summary(&about.machine))
}

fn write(path: &Path, text: &str) -> Result<()> {
    let mut file = AtomicFile::create(path)?;
    file.write_all(text.as_bytes()).with_context(|| format!("cannot write {}", path.display()))?;
    Ok(file.commit()?)
}

/// What stands in the folder of a run.
pub(crate) fn read(folder: &Path) -> Result<(About, Records)> {
    let file = |name: &str| {
        let path = folder.join(name);
        fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))
    };
    let is_none = || format!("{} is no folder of a run", folder.display());
    let about = serde_json::from_str(&file("run.json")?).with_context(is_none)?;
    Ok((about, Records::from_csv(&file("raw.csv")?).with_context(is_none)?))
}

/// The runs of some folders as one; they are of the same study.
pub(crate) fn merged(folders: &[PathBuf]) -> Result<(Entry, About, Records)> {
    let (first, rest) = folders.split_first().context("no folder is named")?;
    let (mut about, mut records) = read(first)?;
    for folder in rest {
        let (other, more) = read(folder)?;
        let (study, expected) = (&other.study, &about.study);
        ensure!(study == expected, "{}: its study is {study}, not {expected}", folder.display());
        about.machine += &format!("\nand\n\n{}", other.machine);
        records.extend(more.iter().cloned());
    }
    let unknown = || format!("there is no study {:?} any more", about.study);
    let entry = studies::find(&about.study).with_context(unknown)?;
    Ok((entry, about, records))
}
