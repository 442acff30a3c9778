//! The names of the vertices of matrices that `starpath apsp` or `closure` wrote.

use std::borrow::Cow;
use std::io::ErrorKind;
use std::path::Path;

use anyhow::{anyhow, bail};
use graph_formats::{Ids, id_of_line};

use crate::numbers::read_text;
use crate::output::ids_path;

/// The names of the vertices of saved distances and next hops, from the files beside them; an error
/// if these differ.
pub(crate) fn saved_ids(distances: &Path, hops: &Path, n_vertices: usize) -> anyhow::Result<Ids> {
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
pub(crate) fn ids_beside(matrix: &Path, n_vertices: usize) -> anyhow::Result<Ids> {
    let path = ids_path(matrix);
    match read_text(&path) {
        Ok(text) => parse_ids(&path, &text, n_vertices),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(Ids::FromZero),
        Err(error) => Err(anyhow!("{}: {error}", path.display())),
    }
}

/// Reads names, one a line: numbers if all of them are, else words.
fn parse_ids(path: &Path, text: &str, n_vertices: usize) -> anyhow::Result<Ids> {
    let shown = path.display();
    let lines: Vec<_> = text.lines().map(id_of_line).collect();
    if lines.len() != n_vertices {
        let found = lines.len();
        bail!(
            "{shown}: it has {found} ids, and the matrix {n_vertices} vertices; both files must \
               be of one run"
        );
    }
    let number = |line: &Cow<'_, str>| line.parse().ok().filter(|n: &u64| n.to_string() == *line);
    let numbers: Option<Vec<u64>> = lines.iter().map(number).collect();
    if let Some(numbers) = numbers.filter(|numbers| numbers.is_sorted_by(|a, b| a < b)) {
        let is_counted = numbers.iter().copied().eq(1..=n_vertices as u64);
        return Ok(if is_counted { Ids::FromOne } else { Ids::Listed(numbers) });
    }
    if let Some(at) = lines.iter().position(|line| line.is_empty()) {
        bail!("{shown}:{}: expected an id, found an empty line", at + 1);
    }
    if let Some(at) = lines.windows(2).position(|pair| pair[0] >= pair[1]) {
        let (line, id) = (at + 2, &lines[at + 1]);
        bail!(
            "{shown}:{line}: {id} is not greater than the id on the line before; numbers must \
               increase"
        );
    }
    Ok(Ids::Words(lines.iter().map(|line| &**line).collect()))
}
