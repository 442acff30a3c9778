//! All arcs of an edge list, its header, and its vertices.

use super::super::assemble::{ArcList, Arcs};
use super::super::blocks::{Block, Text};
use super::super::numbering::{IdArcs, by_occurrence, counted_from, range};
use super::super::options::{Base, Header, IdKind};
use super::columns::Layout;
use super::lines::{declared, numbers};
use super::vertices::Vertices;
use super::words::{AllWords, WordArcs};
use crate::{GraphError, Ids, VertexId, WeightKind};

/// The number of vertices, their names, and the arcs between them.
pub(super) type Numbered = (usize, Ids, Vec<Arcs<VertexId>>);

/// The arcs of an edge list, in parts.
pub(super) enum List<'v> {
    Numbers(ArcList<IdArcs>),
    Words(AllWords, ArcList<Arcs<u32>>),
    /// Arcs between vertices that a file declares.
    Declared(&'v Vertices, ArcList<Arcs<VertexId>>),
}

impl<'v> List<'v> {
    /// No arcs yet.
    pub(super) fn new(layout: &Layout, vertices: Option<&'v Vertices>) -> Self {
        match vertices {
            Some(vertices) => Self::Declared(vertices, ArcList::new()),
            None if layout.ids == IdKind::Names => Self::Words(AllWords::default(), ArcList::new()),
            None => Self::Numbers(ArcList::new()),
        }
    }

    /// Adds the arcs of these lines.
    pub(super) fn add(&mut self, block: &Block, layout: &Layout) -> Result<(), GraphError> {
        match self {
            Self::Numbers(list) => {
                let least = layout.base.map_or(0, Base::first);
                list.add(block, block.parse(|_, piece| numbers(piece, layout, least))?)
            }
            Self::Words(words, list) => {
                let parts = block.parse(|_, piece| WordArcs::read(piece, layout))?;
                let parts = parts.into_iter().map(|part| words.unite(part));
                list.add(block, parts.collect::<Result<_, _>>()?)
            }
            Self::Declared(vertices, list) => {
                list.add(block, block.parse(|_, piece| declared(piece, layout, vertices))?)
            }
        }
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

    /// The number of vertices and the least id, if a first line of these sizes is a header of the
    /// lines after it; `None` if it is an arc.
    ///
    /// # Errors
    /// When it is neither, or must be a header and is not.
    pub(super) fn header(
        &self,
        sizes: (u64, u64),
        line: u64,
        choice: Header,
        text: &Text<'_>,
        layout: &Layout,
    ) -> Result<Option<(usize, u64)>, GraphError> {
        let is_forced = choice == Header::Yes;
        let fits = self.fits(sizes, is_forced, layout.base).map_err(|message| {
            let start = format!(
                "the first line has two numbers, the lines after it {}; read as a header of \
                 vertices and lines it does not fit: ",
                layout.width
            );
            text.error_at(line, if is_forced { message } else { start + &message })
        });
        match fits.and_then(|first| Ok((text.check_vertices(sizes.0, line)?, first))) {
            Err(_) if !is_forced && layout.width == 2 => Ok(None),
            header => header.map(Some),
        }
    }

    /// The least id, if a header of these sizes fits the lines; otherwise the reason why not.
    fn fits(
        &self,
        (n_vertices, n_lines): (u64, u64),
        is_forced: bool,
        base: Option<Base>,
    ) -> Result<u64, String> {
        let found = self.n_lines();
        if n_lines != found {
            return Err(format!("the header promises {n_lines} lines, the file has {found}"));
        }
        if found == 0 && !is_forced {
            return Err("no line follows the first".to_owned());
        }
        let (first, fits, found) = match self {
            Self::Numbers(list) => {
                let (least, greatest) = range(list.parts()).unwrap_or((1, 0));
                let first = base.map_or(u64::from(least > 0), Base::first);
                let fits = greatest < n_vertices.saturating_add(first);
                (first, fits, format!("is an id {greatest}"))
            }
            Self::Words(words, _) => {
                (0, words.len() as u64 == n_vertices, format!("are {}", words.len()))
            }
            Self::Declared(Vertices { n_vertices: n, .. }, _) => {
                (0, *n as u64 == n_vertices, format!("are {n}"))
            }
        };
        let message = || format!("the header promises {n_vertices} vertices, but there {found}");
        fits.then_some(first).ok_or_else(message)
    }

    /// Numbers the vertices; `header` is the number of vertices that a header declares, and the
    /// least id.
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

/// The error for a list without a line, header or file of vertices.
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
