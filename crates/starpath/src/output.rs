//! Files of results. They are checked before the work, and put in place only when complete.

mod arrays;
mod beside;
mod closure;
mod mark;
mod measures;
mod tables;
mod written;

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use anyhow::bail;
use graph_formats::{AtomicFile, Format as GraphFormat};

pub(crate) use self::arrays::write_names;
use self::beside::all_beside;
pub(crate) use self::beside::{ids_path, remove};
pub(crate) use self::mark::{Mark, check_same_graph};
pub(crate) use self::tables::TreeFile;
pub(crate) use self::written::Written;
use crate::failure::WrongUse;
use crate::progress::check_interrupt;
use crate::report::take_standard_output;

/// Lines between two checks for Ctrl-C.
const LINES_PER_CHECK: usize = 1 << 16;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Format {
    Tsv,
    Npy,
}

/// A file for results.
pub(crate) struct ResultFile {
    path: PathBuf,
    format: Format,
}

impl ResultFile {
    /// An error, before the work, if the file cannot be written, or if it is a file that the
    /// command reads. `None` if there is no path.
    pub(crate) fn check(path: &Option<PathBuf>, inputs: &[&Path]) -> anyhow::Result<Option<Self>> {
        let Some(path) = path else { return Ok(None) };
        let format = match path.extension().and_then(|suffix| suffix.to_str()) {
            _ if is_standard_output(path) => Format::Tsv,
            Some("tsv") => Format::Tsv,
            Some("npy") => Format::Npy,
            _ => {
                let shown = path.display();
                let message = format!(
                    "{shown}: unknown result format; expected .tsv or .npy, or - for .tsv to \
                     standard output"
                );
                return Err(WrongUse(message).into());
            }
        };
        check_file(path, inputs)?;
        if format == Format::Npy {
            all_beside(path).try_for_each(|path| check_file(&path, inputs))?;
        }
        Ok(Some(Self { path: path.to_owned(), format }))
    }

    /// As [`check`](Self::check), but refuses `.npy`, which holds one array and so not `what`.
    pub(crate) fn check_columns(
        path: &Option<PathBuf>,
        inputs: &[&Path],
        what: &str,
    ) -> anyhow::Result<Option<Self>> {
        let file = Self::check(path, inputs)?;
        file.map(|file| file.needs_columns(what)).transpose()
    }

    /// Refuses `.npy`, which holds one array and so not `what`.
    pub(crate) fn needs_columns(self, what: &str) -> anyhow::Result<Self> {
        if self.format == Format::Npy {
            let shown = self.path.display();
            let message = format!("{shown}: .npy cannot hold {what}; write a .tsv file");
            return Err(WrongUse(message).into());
        }
        Ok(self)
    }

    /// Refuses `.tsv`, because `what` is written as an array only.
    pub(crate) fn needs_array(self, what: &str) -> anyhow::Result<Self> {
        if self.format != Format::Npy {
            let shown = shown_output(&self.path);
            let message =
                format!("{shown}: {what} are written as .npy only; name a file that ends in .npy");
            return Err(WrongUse(message).into());
        }
        Ok(self)
    }

    /// Refuses to write two results to one file.
    pub(crate) fn refuse_same(&self, other: &Self) -> anyhow::Result<()> {
        refuse_same(&self.path, &other.path)
    }

    /// Creates the file, which is put in place when it is complete.
    pub(crate) fn create(&self) -> anyhow::Result<AtomicFile> {
        Ok(AtomicFile::create(&self.path)?)
    }

    /// Writes a line for each of these.
    pub(crate) fn write_rows<T>(
        &self,
        header: &str,
        rows: &[T],
        line: impl Fn(&T) -> String,
    ) -> anyhow::Result<()> {
        self.write_lines(header, rows.iter(), |out, row| writeln!(out, "{}", line(row)))
    }

    fn write_lines<T>(
        &self,
        header: &str,
        lines: impl Iterator<Item = T>,
        write_line: impl FnMut(&mut AtomicFile, T) -> io::Result<()>,
    ) -> anyhow::Result<()> {
        Ok(self.lines(header, lines, write_line)?.commit()?)
    }

    /// The file with these lines, which is not in place yet.
    fn lines<T>(
        &self,
        header: &str,
        lines: impl Iterator<Item = T>,
        mut write_line: impl FnMut(&mut AtomicFile, T) -> io::Result<()>,
    ) -> anyhow::Result<AtomicFile> {
        let mut file = self.create()?;
        writeln!(file, "{header}").map_err(|error| file.error(error))?;
        for (written, line) in lines.enumerate() {
            if written % LINES_PER_CHECK == 0 {
                check_interrupt()?;
            }
            write_line(&mut file, line).map_err(|error| file.error(error))?;
        }
        check_interrupt()?;
        Ok(file)
    }
}

/// Refuses to write two results to one file.
pub(crate) fn refuse_same(path: &Path, other: &Path) -> anyhow::Result<()> {
    if place(path) == place(other) {
        let shown = shown_output(path);
        let message = format!("{shown} is named for two results; name two files");
        return Err(WrongUse(message).into());
    }
    Ok(())
}

/// The file that a path leads to, whether it exists or not.
fn place(path: &Path) -> PathBuf {
    let folder = |path: &Path| match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder.to_owned(),
        _ => PathBuf::from("."),
    };
    let mut path = path.to_owned();
    // Linux follows as many links
    for _ in 0..40 {
        let Ok(next) = std::fs::read_link(&path) else { break };
        path = folder(&path).join(next);
    }
    let in_folder = || {
        let folder = std::fs::canonicalize(folder(&path)).ok()?;
        path.file_name().map(|name| folder.join(name))
    };
    std::fs::canonicalize(&path).ok().or_else(in_folder).unwrap_or(path)
}

/// Whether the path is `-`, which is standard output.
pub(crate) fn is_standard_output(path: &Path) -> bool {
    path == Path::new("-")
}

/// The name of a result's file in messages.
pub(crate) fn shown_output(path: &Path) -> String {
    match is_standard_output(path) {
        true => "standard output".to_owned(),
        false => path.display().to_string(),
    }
}

/// An error, before the work, if a file cannot be written, or if it is one that the command reads.
/// If it is standard output, reports go to standard error from here on.
pub(crate) fn check_file(path: &Path, inputs: &[&Path]) -> anyhow::Result<()> {
    if is_standard_output(path) {
        return check_writable(path);
    }
    let file = std::fs::canonicalize(path).ok();
    let is_file = |input: &Path| file.is_some() && std::fs::canonicalize(input).ok() == file;
    if inputs.iter().any(|input| is_file(input)) {
        let shown = path.display();
        let message =
            format!("{shown} is an input of this command; write the results to another file");
        return Err(WrongUse(message).into());
    }
    check_writable(path)
}

/// An error, before the work, if a graph cannot be written to this file.
pub(crate) fn check_graph_file(path: &Path) -> anyhow::Result<()> {
    if GraphFormat::of_writable(path).is_err() {
        let writable = GraphFormat::ALL.into_iter().filter(|format| format.is_writable());
        let suffixes: Vec<_> = writable.map(|format| format!(".{}", format.suffix())).collect();
        let message = format!(
            "{}: graphs cannot be written in this format; expected one of {}, each also with .gz \
             after it, or - for .spg to standard output",
            path.display(),
            suffixes.join(", ")
        );
        return Err(WrongUse(message).into());
    }
    check_writable(path)
}

/// Opens the file for writing, and leaves it as it was.
fn check_writable(path: &Path) -> anyhow::Result<()> {
    if is_standard_output(path) {
        take_standard_output();
        return Ok(());
    }
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    if let Some(folder) = folder.filter(|folder| !folder.is_dir()) {
        bail!(
            "{}: the folder {} does not exist; create it first",
            path.display(),
            folder.display()
        );
    }
    if path.is_dir() {
        bail!("{}: this is a folder; name a file", path.display());
    }
    // opening and closing a pipe would end its reader's input, so only regular files are tried here
    if std::fs::metadata(path).is_ok_and(|found| !found.is_file()) {
        return Ok(());
    }
    AtomicFile::create(path)?;
    Ok(())
}
