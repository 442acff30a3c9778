//! The file of vertices beside an edge list: an id on each line.

use std::path::{Path, PathBuf};

use super::super::blocks::{BLOCK_BYTES, Text};
use super::super::compression::Compression;
use super::super::format;
use super::super::numbering::names_of;
use super::super::scan::{Fault, Scanner};
use super::super::source::{Source, untold};
use super::fields::{Delimiter, Field, Fields, is_comment};
use crate::{GraphError, Ids, Name, VertexId, Words};

/// The vertices that a file declares.
pub(super) struct Vertices {
    pub(super) path: PathBuf,
    pub(super) ids: Ids,
    pub(super) n_vertices: usize,
}

impl Vertices {
    /// The vertex of this name, on a line of the edge list that starts at `at`.
    #[inline]
    pub(super) fn find(&self, name: Name<'_>, at: usize) -> Result<VertexId, Fault> {
        self.ids.vertex(name, self.n_vertices).ok_or_else(|| {
            let message = format!("vertex `{name}` is not in {}", self.path.display());
            Fault::new(at, message)
        })
    }

    /// Reads a file of vertices: natural numbers, or, where one of them is none, names. An
    /// id that is given twice counts once.
    pub(super) fn read(path: &Path) -> Result<Self, GraphError> {
        let (mut listed, mut is_number) = (Vec::new(), true);
        for_each_name(path, |field| {
            match field.natural() {
                Some(number) => listed.push(number),
                None => is_number = false,
            }
            Ok(is_number)
        })?;
        if is_number {
            listed.sort_unstable();
            listed.dedup();
            let n_vertices = listed.len();
            crate::checks::validate_vertex_count(n_vertices)?;
            return Ok(Self { path: path.to_owned(), ids: names_of(listed), n_vertices });
        }
        drop(listed);
        let mut words = Vec::new();
        for_each_name(path, |field| {
            words.push(field.name()?.to_owned());
            Ok(true)
        })?;
        let words: Words = words.iter().map(String::as_str).collect();
        let n_vertices = words.len();
        crate::checks::validate_vertex_count(n_vertices)?;
        Ok(Self { path: path.to_owned(), ids: Ids::Words(words), n_vertices })
    }
}

/// Visits the names, one a line, as long as `visit` says so.
fn for_each_name(
    path: &Path,
    mut visit: impl FnMut(&Field<'_>) -> Result<bool, Fault>,
) -> Result<(), GraphError> {
    let mut text = Text::new(Source::open(path, &untold)?, BLOCK_BYTES)?;
    while let Some(mut line) = text.line()? {
        let go_on = is_comment(line.peek()) || {
            let visited = only_field(&mut line).and_then(|field| visit(&field));
            visited.map_err(|fault| text.error(fault))?
        };
        if !go_on {
            break;
        }
        text.skip_line();
    }
    Ok(())
}

fn only_field<'a>(line: &mut Scanner<'a>) -> Result<Field<'a>, Fault> {
    let field = Fields::new(line, Delimiter::Byte(b',')).next()?;
    let field = field.ok_or_else(|| line.expected("a vertex"))?;
    line.end_line()?;
    Ok(field)
}

/// The file of vertices that belongs to an edge list `x.e`: `x.v`, if there is one.
pub(super) fn beside(list: &Path) -> Option<PathBuf> {
    let is = |path: &Path, suffix: &str| {
        path.extension().is_some_and(|found| found.eq_ignore_ascii_case(suffix))
    };
    let inner = format::without_compression(list);
    if !is(&inner, "e") {
        return None;
    }
    let suffixes = Compression::ALL.map(|kind| format!("v.{}", kind.names().1));
    let names = std::iter::once("v".to_owned()).chain(suffixes);
    names.map(|suffix| inner.with_extension(suffix)).find(|path| path.is_file())
}
