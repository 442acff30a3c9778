//! Translates between the names that a file gives its vertices and the numbers of solvers.
//!
//! Ids on the command line, in lists, in results and in error messages are the file's names.

use std::borrow::Cow;
use std::fmt;
use std::path::{Path, PathBuf};

use anyhow::anyhow;
use graph_formats::{IdKind, Ids, Name, VertexId, id_of_line};
use serde::Serialize;

use crate::numbers::read_entries;

/// The names of the vertices of one graph file.
#[derive(Clone, Copy)]
pub(crate) struct Names<'a> {
    pub(crate) path: &'a Path,
    pub(crate) ids: &'a Ids,
    /// The option `--ids`: with `numbers`, ids may have leading zeros.
    pub(crate) id_kind: IdKind,
    pub(crate) n_vertices: usize,
    /// The names of the last of the vertices, which `ids` does not have.
    pub(crate) new: &'a [String],
}

impl<'a> Names<'a> {
    /// The numbers 0, 1, 2 and so on as names.
    pub(crate) fn numbers(n_vertices: usize) -> Self {
        Self {
            path: Path::new("-"),
            ids: &Ids::FromZero,
            id_kind: IdKind::Auto,
            n_vertices,
            new: &[],
        }
    }

    /// These names and those of new vertices, of which these have none.
    pub(crate) fn with<'b>(&self, new: &'b [String]) -> Names<'b>
    where
        'a: 'b,
    {
        Names { n_vertices: self.n_vertices + new.len(), new, ..*self }
    }

    /// The number of vertices whose names are in `ids`.
    fn n_old(&self) -> usize {
        self.n_vertices - self.new.len()
    }

    /// The name of `vertex` in the file.
    pub(crate) fn name(&self, vertex: VertexId) -> Name<'a> {
        match (vertex as usize).checked_sub(self.n_old()) {
            None => self.ids.name(vertex),
            Some(place) => name_of(&self.new[place]),
        }
    }

    /// The vertex of this name; `role` is what the error calls it.
    pub(crate) fn vertex(&self, role: &str, id: &str) -> anyhow::Result<VertexId> {
        let name = match (self.id_kind, id.trim_start_matches('0')) {
            (IdKind::Numbers, "") if !id.is_empty() => "0",
            (IdKind::Numbers, digits) => digits,
            (IdKind::Auto | IdKind::Names, _) => id,
        };
        let new = || self.new.iter().position(|new| new == name).map(|at| self.n_old() + at);
        let found = self.ids.vertex(name, self.n_old());
        let found = found.or_else(|| new().and_then(|at| VertexId::try_from(at).ok()));
        found.ok_or_else(|| self.absent(role, &id))
    }

    /// The error for a name that no vertex has.
    pub(crate) fn absent(&self, role: &str, id: &dyn fmt::Display) -> anyhow::Error {
        anyhow!("{role} {id} is not in {}: {}", shown(self.path), self.range())
    }

    /// Describes the names, for the error.
    fn range(&self) -> String {
        let Some(last) = (self.n_old() as VertexId).checked_sub(1) else {
            return "the graph is empty".to_owned();
        };
        let (n, first, last) = (self.n_old(), self.name(0), self.name(last));
        let new = if self.new.is_empty() { "" } else { ", and changes have added others" };
        let of_file = match self.ids {
            Ids::Listed(_) => {
                format!(
                    "its {n} vertices have ids between {first} and {last}, and some of these \
                         are not used"
                )
            }
            Ids::Words(_) => {
                format!(
                    "its {n} vertices have words as names; the first is {first}, the last {last}"
                )
            }
            _ => format!("its vertices are numbered from {first} to {last}"),
        };
        of_file + new
    }
}

/// A word as a name: a number if it is one.
fn name_of(word: &str) -> Name<'_> {
    match word.parse::<u64>().ok().filter(|number| number.to_string() == *word) {
        Some(number) => Name::Number(number),
        None => Name::Word(word),
    }
}

/// A name in a report.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub(crate) enum Id {
    Number(u64),
    Word(String),
}

impl From<Name<'_>> for Id {
    fn from(name: Name<'_>) -> Self {
        match name {
            Name::Number(number) => Self::Number(number),
            Name::Word(word) => Self::Word(word.to_owned()),
        }
    }
}

impl fmt::Display for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(number) => number.fmt(f),
            Self::Word(word) => word.fmt(f),
        }
    }
}

/// A file of ids, one a line.
pub(crate) struct IdList {
    path: PathBuf,
    /// Each id with its line.
    entries: Vec<(usize, String)>,
}

impl IdList {
    /// Reads ids, one a line, plain or in quotes.
    pub(crate) fn read(path: &Path) -> anyhow::Result<Self> {
        let entries = read_entries(path, "vertex id")?;
        let id = |(line, entry): (usize, String)| (line, id_of_line(&entry).into_owned());
        Ok(Self { path: path.to_owned(), entries: entries.into_iter().map(id).collect() })
    }

    /// The vertices of these ids, in the order of the file.
    pub(crate) fn vertices(&self, names: &Names<'_>) -> anyhow::Result<Vec<VertexId>> {
        let vertex = |(line, id): &(usize, String)| {
            names.vertex("vertex", id).map_err(|error| {
                let hint = if id.starts_with('#') { "; a file of ids has no comments" } else { "" };
                anyhow!("{}:{line}: {error}{hint}", self.path.display())
            })
        };
        self.entries.iter().map(vertex).collect()
    }
}

/// The ids and other entries on a line, separated by tabs or, if it has none, by blanks and commas. Between quotes,
/// blanks and commas belong to the entry.
pub(crate) fn fields(line: &str) -> Vec<Cow<'_, str>> {
    let is_separator = |c: char| matches!(c, ' ' | ',');
    let is_end = |rest: &str| rest.is_empty() || rest.starts_with(is_separator);
    let mut fields: Vec<_> = line.split('\t').collect();
    if let [line] = fields[..] {
        fields.clear();
        let mut rest = line.trim_start_matches(is_separator);
        while !rest.is_empty() {
            // inside quotes two quotes stand for one, so every second quote may be the closing one
            let quotes = rest.match_indices('"').map(|(at, _)| at + 1).skip(1).step_by(2);
            let quoted = quotes.filter(|_| rest.starts_with('"')).find(|&end| is_end(&rest[end..]));
            let end = quoted.or_else(|| rest.find(is_separator)).unwrap_or(rest.len());
            fields.push(&rest[..end]);
            rest = rest[end..].trim_start_matches(is_separator);
        }
    }
    fields.into_iter().map(id_of_line).filter(|field| !field.is_empty()).collect()
}

/// A graph's file in messages.
pub(crate) fn shown(path: &Path) -> String {
    if path == Path::new("-") { "standard input".to_owned() } else { path.display().to_string() }
}
