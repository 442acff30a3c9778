//! The names of the vertices of matrices that `starpath apsp` or `closure` wrote.

use std::borrow::Cow;
use std::collections::HashSet;
use std::io::ErrorKind;
use std::path::Path;

use anyhow::{anyhow, bail};
use graph_formats::{IdKind, Ids, id_of_line};

use crate::ids::Names;
use crate::numbers::read_text;
use crate::output::ids_path;

/// The names of vertices: those of the graph, and those that changes have added.
#[derive(PartialEq)]
pub(crate) struct SavedIds {
    ids: Ids,
    new: Vec<String>,
}

impl From<Ids> for SavedIds {
    fn from(ids: Ids) -> Self {
        Self { ids, new: Vec::new() }
    }
}

impl SavedIds {
    /// As names of vertices in this file.
    pub(crate) fn names<'a>(
        &'a self,
        path: &'a Path,
        id_kind: IdKind,
        n_vertices: usize,
    ) -> Names<'a> {
        Names { path, ids: &self.ids, id_kind, n_vertices, new: &self.new }
    }
}

/// The names of the vertices of saved distances and next hops, from the files beside them; an error
/// if these differ.
pub(crate) fn saved_ids(
    distances: &Path,
    hops: &Path,
    n_vertices: usize,
) -> anyhow::Result<SavedIds> {
    let ids = ids_beside(hops, n_vertices)?;
    let of_distances = ids_path(distances);
    if of_distances.exists() && ids_beside(distances, n_vertices)? != ids {
        let (distances, hops) = (of_distances.display(), ids_path(hops));
        bail!(
            "{distances} and {} name different vertices; give two files of one run",
            hops.display()
        );
    }
    Ok(ids)
}

/// The names of the vertices of one saved matrix, from the file beside it, else numbers.
pub(crate) fn ids_beside(matrix: &Path, n_vertices: usize) -> anyhow::Result<SavedIds> {
    let path = ids_path(matrix);
    match read_text(&path) {
        Ok(text) => parse_ids(&path, &text, n_vertices),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(Ids::FromZero.into()),
        Err(error) => Err(anyhow!("{}: {error}", path.display())),
    }
}

/// Reads names, one a line: first numbers or words that ascend, then those of vertices that changes
/// have added, in any order.
fn parse_ids(path: &Path, text: &str, n_vertices: usize) -> anyhow::Result<SavedIds> {
    let shown = path.display();
    let lines: Vec<_> = text.lines().map(id_of_line).collect();
    if lines.len() != n_vertices {
        let found = lines.len();
        bail!(
            "{shown}: it has {found} ids, and the matrix {n_vertices} vertices; both files must \
               be of one run"
        );
    }
    let mut seen = HashSet::new();
    for (line, id) in (1..).zip(&lines) {
        if id.is_empty() {
            bail!("{shown}:{line}: expected an id, found an empty line");
        }
        if !seen.insert(id) {
            bail!("{shown}:{line}: {id} is on a line before; each vertex has an id of its own");
        }
    }
    let number = |line: &Cow<'_, str>| line.parse().ok().filter(|n: &u64| n.to_string() == *line);
    let numbers = ascending(lines.iter().map_while(number));
    let words = ascending(lines.iter().map(|line| &**line));
    let (ids, n_old) = match numbers.len() {
        n if n < words.len() => (Ids::Words(words.iter().copied().collect()), words.len()),
        n if numbers.iter().copied().eq(1..=n as u64) => (Ids::FromOne, n),
        n => (Ids::Listed(numbers), n),
    };
    let new = lines[n_old..].iter().map(|line| line.clone().into_owned()).collect();
    Ok(SavedIds { ids, new })
}

/// The first of them, as far as they ascend.
fn ascending<T: PartialOrd + Copy>(all: impl Iterator<Item = T>) -> Vec<T> {
    let next = |before: &mut Option<T>, next: T| {
        let is_more = before.is_none_or(|before| before < next);
        *before = Some(next);
        is_more.then_some(next)
    };
    all.scan(None, next).collect()
}
