//! The file of vertices beside an edge list: an id on each line.

use std::path::{Path, PathBuf};

use super::super::format;
use super::super::numbering::names_of;
use super::super::scan::{Fault, Text};
use super::super::source::Source;
use super::fields::{Delimiter, Fields, next_line};
use super::lines::name_of;
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
        let mut source = Source::open(path)?;
        if format::is_gzip(path) {
            source = source.inflate(path, &|_, _| ())?;
        }
        let text = Text { path, bytes: &source, progress: &|_, _| () };
        let mut listed = Vec::new();
        let numbers = for_each(&text, false, |name| {
            if let Name::Number(number) = name {
                listed.push(number);
            }
        });
        if numbers.is_ok() {
            listed.sort_unstable();
            listed.dedup();
            let n_vertices = listed.len();
            crate::csr::validate_vertex_count(n_vertices)?;
            return Ok(Self { path: path.to_owned(), ids: names_of(listed), n_vertices });
        }
        let mut words = Vec::new();
        for_each(&text, true, |name| words.push(name.to_string()))
            .map_err(|fault| text.error(fault))?;
        let words: Words = words.iter().map(String::as_str).collect();
        let n_vertices = words.len();
        crate::csr::validate_vertex_count(n_vertices)?;
        Ok(Self { path: path.to_owned(), ids: Ids::Words(words), n_vertices })
    }
}

fn for_each(
    text: &Text<'_>,
    are_words: bool,
    mut visit: impl FnMut(Name<'_>),
) -> Result<(), Fault> {
    let mut scanner = text.scanner();
    while next_line(&mut scanner) {
        let mut fields = Fields::new(&mut scanner, Delimiter::Byte(b','));
        if let Some(field) = fields.next()? {
            visit(name_of(&field, are_words)?);
        }
        scanner.end_line()?;
    }
    Ok(())
}

/// The file of vertices that belongs to an edge list `x.e`: `x.v`, if there is one.
pub(super) fn beside(list: &Path) -> Option<PathBuf> {
    let is = |path: &Path, suffix: &str| {
        path.extension().is_some_and(|found| found.eq_ignore_ascii_case(suffix))
    };
    let inner = if format::is_gzip(list) { list.with_extension("") } else { list.to_owned() };
    if !is(&inner, "e") {
        return None;
    }
    let vertices = inner.with_extension("v");
    let packed = inner.with_extension("v.gz");
    [vertices, packed].into_iter().find(|path| path.is_file())
}
