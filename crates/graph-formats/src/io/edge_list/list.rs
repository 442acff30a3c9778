//! All arcs of an edge list, whether its first line is one of them, and which vertices
//! there are.

use super::super::assemble::{ArcList, Arcs};
use super::super::blocks::Text;
use super::super::numbering::{IdArcs, by_occurrence, counted_from, range};
use super::super::options::{Base, Header, IdKind};
use super::columns::{Candidate, Layout};
use super::lines::{declared, numbers};
use super::vertices::Vertices;
use super::words::{AllWords, WordArcs};
use crate::{GraphError, Ids, Name, VertexId, WeightKind};

/// How many vertices there are, their names, and the arcs between them.
pub(super) type Numbered = (usize, Ids, Vec<Arcs<VertexId>>);

/// The arcs of an edge list, in parts.
pub(super) enum List<'v> {
    Numbers(ArcList<IdArcs>),
    Words(AllWords, ArcList<Arcs<u32>>),
    /// Arcs between vertices that a file declares.
    Declared(&'v Vertices, ArcList<Arcs<VertexId>>),
}

impl<'v> List<'v> {
    /// Reads the lines that are left.
    pub(super) fn read(
        text: &mut Text<'_>,
        layout: &Layout,
        base: Option<Base>,
        vertices: Option<&'v Vertices>,
    ) -> Result<Self, GraphError> {
        if let Some(vertices) = vertices {
            let mut list = ArcList::new();
            text.for_each_block(|block| {
                list.add(block, block.parse(|_, piece| declared(piece, layout, vertices))?)
            })?;
            return Ok(Self::Declared(vertices, list));
        }
        if layout.ids == IdKind::Names {
            let (mut words, mut list) = (AllWords::default(), ArcList::new());
            text.for_each_block(|block| {
                let parts = block.parse(|_, piece| WordArcs::read(piece, layout))?;
                let parts = parts.into_iter().map(|part| words.unite(part));
                list.add(block, parts.collect::<Result<_, _>>()?)
            })?;
            return Ok(Self::Words(words, list));
        }
        let (mut list, least) = (ArcList::new(), base.map_or(0, Base::first));
        text.for_each_block(|block| {
            list.add(block, block.parse(|_, piece| numbers(piece, layout, least))?)
        })?;
        Ok(Self::Numbers(list))
    }

    fn n_lines(&self) -> u64 {
        match self {
            Self::Numbers(list) => list.n_arcs(),
            Self::Words(_, list) => list.n_arcs(),
            Self::Declared(_, list) => list.n_arcs(),
        }
    }

    /// The smallest type that holds every weight.
    pub(super) fn smallest_kind(&self, text: &Text<'_>) -> Result<WeightKind, GraphError> {
        match self {
            Self::Numbers(list) => list.smallest_kind(text),
            Self::Words(_, list) => list.smallest_kind(text),
            Self::Declared(_, list) => list.smallest_kind(text),
        }
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
    ) -> Result<Option<(usize, u64)>, GraphError> {
        let fail = |message| text.error_at(candidate.line, message);
        match self.header(candidate, choice, base) {
            Ok((n_vertices, first)) => match text.check_vertices(n_vertices, candidate.line) {
                Ok(n_vertices) => Ok(Some((n_vertices, first))),
                Err(error) if choice == Header::Yes || layout.width != 2 => Err(error),
                Err(_) => self.push_front(candidate, layout, base).map(|()| None).map_err(fail),
            },
            Err(message) if choice == Header::Yes => Err(fail(message)),
            Err(message) if layout.width != 2 => Err(fail(format!(
                "the first line has two numbers, the lines after it {}; read as a header of \
                 vertices and lines it does not fit: {message}",
                layout.width
            ))),
            Err(_) => self.push_front(candidate, layout, base).map(|()| None).map_err(fail),
        }
    }

    /// The number of vertices and the least id, if the line fits as a header; else why
    /// it does not.
    fn header(
        &self,
        candidate: &Candidate,
        choice: Header,
        base: Option<Base>,
    ) -> Result<(u64, u64), String> {
        let Candidate { n_vertices, n_lines, .. } = *candidate;
        let found = self.n_lines();
        if n_lines != found {
            return Err(format!("the header promises {n_lines} lines, the file has {found}"));
        }
        if found == 0 && choice == Header::Auto {
            return Err("no line follows the first".to_owned());
        }
        let promise = format!("the header promises {n_vertices} vertices, but there");
        let (first, n_known) = match self {
            Self::Declared(vertices, _) => (0, Some(vertices.n_vertices)),
            Self::Words(words, _) => (0, Some(words.len())),
            Self::Numbers(parts) => {
                let (least, greatest) = range(parts.parts()).unwrap_or((1, 0));
                let first = base.map_or(u64::from(least > 0), Base::first);
                if greatest >= n_vertices.saturating_add(first) {
                    return Err(format!("{promise} is an id {greatest}"));
                }
                (first, None)
            }
        };
        if let Some(known) = n_known.filter(|&known| known as u64 != n_vertices) {
            return Err(format!("{promise} are {known}"));
        }
        Ok((n_vertices, first))
    }

    /// Adds the first line as an arc.
    fn push_front(
        &mut self,
        candidate: &Candidate,
        layout: &Layout,
        base: Option<Base>,
    ) -> Result<(), String> {
        let (mut source, mut destination) = (candidate.n_vertices, candidate.n_lines);
        if layout.source > layout.destination {
            std::mem::swap(&mut source, &mut destination);
        }
        match self {
            Self::Numbers(parts) => {
                let least = base.map_or(0, Base::first);
                if source < least || destination < least {
                    return Err(format!("expected a vertex from {least} on, found `0`"));
                }
                let mut part = IdArcs::with_capacity(1);
                part.push(source, destination, None);
                parts.push_front(part);
            }
            Self::Words(words, parts) => {
                let mut part = WordArcs::default();
                part.push(Name::Number(source), Name::Number(destination), None);
                parts.push_front(words.unite(part).map_err(|error| error.to_string())?);
            }
            Self::Declared(vertices, parts) => {
                let vertex = |id| {
                    let found = vertices.find(Name::Number(id), 0);
                    found.map_err(|fault| fault.message)
                };
                let mut part = Arcs::with_capacity(1);
                part.push(vertex(source)?, vertex(destination)?);
                parts.push_front(part);
            }
        }
        Ok(())
    }

    /// Numbers the vertices; `header` is how many a header declares, and the least id.
    pub(super) fn number(
        self,
        header: Option<(usize, u64)>,
        text: &Text<'_>,
        body: u64,
        base: Option<Base>,
    ) -> Result<Numbered, GraphError> {
        if self.n_lines() == 0 && header.is_none() && !matches!(self, Self::Declared(..)) {
            return Err(no_arcs(text, body));
        }
        match (self, header, base) {
            (Self::Declared(vertices, parts), _, _) => {
                Ok((vertices.n_vertices, vertices.ids.clone(), parts.into_parts()))
            }
            (Self::Words(..), _, Some(_)) => {
                let message = "ids are names, which do not count from 0 or 1";
                Err(text.error_at(body, message))
            }
            (Self::Words(words, parts), _, None) => {
                let (words, parts) = words.into_vertices(parts.into_parts());
                Ok((words.len(), Ids::Words(words), parts))
            }
            (Self::Numbers(parts), None, None) => by_occurrence(parts.into_parts()),
            (Self::Numbers(parts), Some((n, first)), _) => {
                Ok((n, counting_ids(first), counted_from(first, parts.into_parts())))
            }
            (Self::Numbers(parts), None, Some(base)) => {
                let (first, (_, greatest)) =
                    (base.first(), range(parts.parts()).unwrap_or_default());
                let n_vertices = (greatest - first).saturating_add(1);
                let n = text.check_vertices(n_vertices, body)?;
                Ok((n, counting_ids(first), counted_from(first, parts.into_parts())))
            }
        }
    }
}

/// What is wrong with a list without a line, header or file of vertices.
pub(super) fn no_arcs(text: &Text<'_>, line: u64) -> GraphError {
    text.error_at(line, "expected an arc `<source> <destination> [<weight>]`, found none")
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
