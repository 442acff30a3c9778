//! The file of vertices beside an edge list: an id on each line.

use std::path::{Path, PathBuf};

use super::super::blocks::{BLOCK_BYTES, Text};
use super::super::compression::Compression;
use super::super::format;
use super::super::options::IdKind;
use super::super::scan::Fault;
use super::super::source::{Source, ignore_progress};
use super::fields::{Comments, Field};
use crate::{GraphError, Ids, Name, VertexId, Words};

/// The vertices that a file declares.
pub(super) struct Vertices {
    pub(super) path: PathBuf,
    pub(super) ids: Ids,
    pub(super) n_vertices: usize,
    /// The number of its comment lines.
    pub(super) n_comments: u64,
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

    /// Reads a file of vertices: natural numbers, or names if one of them is no number. An id that
    /// is given twice counts once.
    pub(super) fn read(path: &Path, comments: Comments, ids: IdKind) -> Result<Self, GraphError> {
        let (mut listed, mut is_number) = (Vec::new(), true);
        let n_comments = for_each_name(path, comments, |field| {
            match field.id_number(ids) {
                Some(number) => listed.push(number),
                None if ids == IdKind::Numbers => return Err(field.expected("a number")),
                None => is_number = false,
            }
            Ok(is_number)
        })?;
        if is_number {
            listed.sort_unstable();
            listed.dedup();
            let n_vertices = listed.len();
            crate::checks::validate_vertex_count(n_vertices)?;
            let ids = Ids::of_ascending(listed);
            return Ok(Self { path: path.to_owned(), ids, n_vertices, n_comments });
        }
        drop(listed);
        let mut words = Vec::new();
        let n_comments = for_each_name(path, comments, |field| {
            words.push(field.name()?.to_owned());
            Ok(true)
        })?;
        let words: Words = words.iter().map(String::as_str).collect();
        let n_vertices = words.len();
        crate::checks::validate_vertex_count(n_vertices)?;
        Ok(Self { path: path.to_owned(), ids: Ids::Words(words), n_vertices, n_comments })
    }
}

/// Visits the names, one per line, as long as `visit` returns true; returns the number of comment
/// lines.
fn for_each_name(
    path: &Path,
    comments: Comments,
    mut visit: impl FnMut(&Field<'_>) -> Result<bool, Fault>,
) -> Result<u64, GraphError> {
    let mut text = Text::new(Source::open(path, &ignore_progress)?, BLOCK_BYTES)?;
    let mut n_comments = 0;
    while let Some(line) = text.line()? {
        if comments.start_with(line.peek()) {
            n_comments += 1;
        } else if !visit(&Field::of_line(line)).map_err(|fault| text.error(fault))? {
            break;
        }
        text.skip_line();
    }
    Ok(n_comments)
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
