//! All arcs of an edge list, whether its first line is one of them, and which vertices
//! there are.

use std::collections::HashMap;

use rayon::prelude::*;

use super::super::assemble::{self, Arcs};
use super::super::numbering::{Part, by_occurrence, counted_from, range};
use super::super::options::{Base, Header};
use super::super::scan::{Fault, Text};
use super::columns::{Candidate, Layout};
use super::lines::{WordPart, declared, numbers};
use super::vertices::Vertices;
use crate::{GraphError, Ids, Name, VertexId, Words};

/// How many vertices there are, their names, and the arcs between them.
pub(super) type Numbered = (usize, Ids, Vec<Arcs<VertexId>>);

/// The arcs of an edge list, in parts.
pub(super) enum List<'v> {
    Numbers(Vec<Part>),
    Words(Vec<WordPart>),
    /// Arcs between vertices that a file declares.
    Declared(&'v Vertices, Vec<Arcs<VertexId>>),
}

impl<'v> List<'v> {
    /// Reads the lines from byte `body` on.
    pub(super) fn read(
        text: &Text<'_>,
        body: usize,
        layout: &Layout,
        base: Option<Base>,
        vertices: Option<&'v Vertices>,
    ) -> Result<Self, GraphError> {
        let pieces = text.pieces(body);
        Ok(if let Some(vertices) = vertices {
            let parts = text.parse(&pieces, |_, piece| declared(piece, layout, vertices))?;
            Self::Declared(vertices, parts)
        } else if layout.has_words {
            Self::Words(text.parse(&pieces, |_, piece| WordPart::read(piece, layout))?)
        } else {
            let least = base.map_or(0, Base::first);
            Self::Numbers(text.parse(&pieces, |_, piece| numbers(piece, layout, least))?)
        })
    }

    fn n_lines(&self) -> u64 {
        let n_lines = match self {
            Self::Numbers(parts) => parts.iter().map(Part::len).sum(),
            Self::Words(parts) => parts.iter().map(|part| part.arcs.len()).sum(),
            Self::Declared(_, parts) => assemble::count(parts),
        };
        n_lines as u64
    }

    /// Decides whether the first line is a header. If so, the number of vertices and the
    /// least id follow; if not, it is an arc.
    pub(super) fn settle_header(
        &mut self,
        candidate: &Candidate,
        choice: Header,
        text: &Text<'_>,
        layout: &Layout,
        base: Option<Base>,
    ) -> Result<Option<(usize, u64)>, Fault> {
        match self.header(candidate, choice, text, base) {
            Ok(header) => Ok(Some(header)),
            Err(fault) if choice == Header::Yes => Err(fault),
            Err(fault) if layout.width != 2 => {
                let message = format!(
                    "the first line has two numbers, the lines after it {}; read as a header of \
                     vertices and lines it does not fit: {}",
                    layout.width, fault.message
                );
                Err(Fault::new(candidate.at, message))
            }
            Err(_) => self.push_front(candidate, layout, base).map(|()| None),
        }
    }

    fn header(
        &self,
        candidate: &Candidate,
        choice: Header,
        text: &Text<'_>,
        base: Option<Base>,
    ) -> Result<(usize, u64), Fault> {
        let Candidate { at, n_vertices, n_lines } = *candidate;
        let wrong = |message: String| Err(Fault::new(at, message));
        let found = self.n_lines();
        if n_lines != found {
            return wrong(format!("the header promises {n_lines} lines, the file has {found}"));
        }
        if found == 0 && choice == Header::Auto {
            return wrong("no line follows the first".to_owned());
        }
        let (first, n_known) = match self {
            Self::Declared(vertices, _) => (0, Some(vertices.n_vertices)),
            Self::Words(parts) => (0, Some(words_of(parts).len())),
            Self::Numbers(parts) => {
                let (least, greatest) = range(parts).unwrap_or((1, 0));
                let first = base.map_or(u64::from(least > 0), Base::first);
                if greatest >= n_vertices.saturating_add(first) {
                    let message = "the header promises";
                    return wrong(format!(
                        "{message} {n_vertices} vertices, but there is an id {greatest}"
                    ));
                }
                (first, None)
            }
        };
        if let Some(known) = n_known.filter(|&known| known as u64 != n_vertices) {
            return wrong(format!(
                "the header promises {n_vertices} vertices, but there are {known}"
            ));
        }
        Ok((text.check_vertices(n_vertices, at)?, first))
    }

    /// Adds the first line as an arc.
    fn push_front(
        &mut self,
        candidate: &Candidate,
        layout: &Layout,
        base: Option<Base>,
    ) -> Result<(), Fault> {
        let (mut source, mut destination) = (candidate.n_vertices, candidate.n_lines);
        if layout.source > layout.destination {
            std::mem::swap(&mut source, &mut destination);
        }
        match self {
            Self::Numbers(parts) => {
                let least = base.map_or(0, Base::first);
                if source < least || destination < least {
                    let message = format!("expected a vertex from {least} on, found `0`");
                    return Err(Fault::new(candidate.at, message));
                }
                let mut part = Part::with_capacity(1);
                part.push(source, destination, None);
                parts.insert(0, part);
            }
            Self::Words(parts) => {
                let mut part = WordPart::default();
                part.push(Name::Number(source), Name::Number(destination), None);
                parts.insert(0, part);
            }
            Self::Declared(vertices, parts) => {
                let vertex = |id| vertices.find(Name::Number(id), candidate.at);
                let mut part = Arcs::with_capacity(1);
                part.push(vertex(source)?, vertex(destination)?);
                parts.insert(0, part);
            }
        }
        Ok(())
    }

    /// Numbers the vertices; `header` is how many a header declares, and the least id.
    pub(super) fn number(
        self,
        header: Option<(usize, u64)>,
        text: &Text<'_>,
        body: usize,
        base: Option<Base>,
    ) -> Result<Numbered, GraphError> {
        if self.n_lines() == 0 && header.is_none() && !matches!(self, Self::Declared(..)) {
            return Err(text.error(no_arcs(body)));
        }
        match (self, header, base) {
            (Self::Declared(vertices, parts), _, _) => {
                Ok((vertices.n_vertices, vertices.ids.clone(), parts))
            }
            (Self::Words(_), _, Some(_)) => {
                let message = "ids are names, which do not count from 0 or 1";
                Err(text.error(Fault::new(body, message)))
            }
            (Self::Words(parts), _, None) => number_words(parts),
            (Self::Numbers(parts), None, None) => by_occurrence(parts),
            (Self::Numbers(parts), Some((n, first)), _) => {
                Ok((n, counting_ids(first), counted_from(first, parts)))
            }
            (Self::Numbers(parts), None, Some(base)) => {
                let (first, (_, greatest)) = (base.first(), range(&parts).unwrap_or_default());
                let n_vertices = (greatest - first).saturating_add(1);
                let n = text.check_vertices(n_vertices, body).map_err(|fault| text.error(fault))?;
                Ok((n, counting_ids(first), counted_from(first, parts)))
            }
        }
    }
}

/// What is wrong with a list without a line, header or file of vertices.
pub(super) fn no_arcs(at: usize) -> Fault {
    Fault::new(at, "expected an arc `<source> <destination> [<weight>]`, found none")
}

fn counting_ids(first: u64) -> Ids {
    if first == 0 { Ids::FromZero } else { Ids::FromOne }
}

impl Base {
    fn first(self) -> u64 {
        match self {
            Self::Zero => 0,
            Self::One => 1,
        }
    }
}

fn words_of(parts: &[WordPart]) -> Words {
    parts.iter().flat_map(|part| part.words.keys()).map(|word| &**word).collect()
}

fn number_words(parts: Vec<WordPart>) -> Result<Numbered, GraphError> {
    let words = words_of(&parts);
    crate::csr::validate_vertex_count(words.len())?;
    let vertices_of = |numbers: &HashMap<Box<str>, u32>| {
        let mut vertices = vec![0; numbers.len()];
        for (word, &number) in numbers {
            let vertex = words.position(word).expect("a word of the list");
            vertices[number as usize] = vertex as VertexId;
        }
        vertices
    };
    let parts = parts.into_par_iter().map(|part| {
        let vertices = vertices_of(&part.words);
        part.arcs.map(|number| vertices[number as usize])
    });
    let parts = parts.collect();
    Ok((words.len(), Ids::Words(words), parts))
}
