//! Pajek networks, `.net`: `*Vertices n`, a line for each vertex that has a label, then sections of
//! lines. `*Arcs` and `*Edges` have two vertices and perhaps a weight, `*Arcslist` and `*Edgeslist`
//! a vertex and all its neighbours. Vertices count from 1. What follows is skipped, and so are lines
//! that start with `%`.
//!
//! Labels, in quotes or one word, are names if each vertex has one and all differ. An arc without a
//! weight weighs 1.
//!
//! Lines are parsed in parallel: a first pass over a block finds the sections in which its pieces
//! begin. O(bytes).
//!
//! Format: V. Batagelj, A. Mrvar, *Pajek: Reference Manual*, section 5.3.

use std::collections::HashMap;

use super::assemble::{self, ArcList, Arcs, Parallel};
use super::blocks::Text;
use super::scan::{Fault, Scanner, quoted, vertex_count};
use super::weights::Number;
use crate::{Direction, GraphError, Ids, LoadedGraph, Note, Numbering, VertexId};

#[derive(Clone, Copy, PartialEq)]
enum Section {
    Vertices,
    Arcs,
    Edges,
    ArcsList,
    EdgesList,
}

impl Section {
    fn has_arcs(self) -> bool {
        matches!(self, Self::Arcs | Self::ArcsList)
    }
}

/// The content of some lines.
struct Lines<'b> {
    arcs: Arcs<VertexId>,
    has_arcs: bool,
    /// The labels of vertices, each with the byte where its line starts.
    labels: Vec<(VertexId, &'b str, usize)>,
}

pub(super) fn read(mut text: Text<'_>) -> Result<LoadedGraph, GraphError> {
    let (n_vertices, line) = read_header(&mut text)?;
    let mut section = Section::Vertices;
    let mut list = ArcList::new();
    let (mut labels, mut has_arcs) = (Labels::default(), false);
    text.for_each_block(|block| {
        let mut starts = Vec::new();
        for last in block.parse(|_, piece| last_section(piece))? {
            starts.push(section);
            section = last.unwrap_or(section);
        }
        let parts = block.parse(|i, piece| read_lines(piece, starts[i], n_vertices))?;
        let mut arcs = Vec::with_capacity(parts.len());
        for part in parts {
            has_arcs |= part.has_arcs;
            for (vertex, label, at) in part.labels {
                if !labels.add(vertex, label)? {
                    let message = format!("vertex {} has a line already", u64::from(vertex) + 1);
                    return Err(block.error(Fault::new(at, message)));
                }
            }
            arcs.push(part.arcs);
        }
        list.add(block, arcs)
    })?;
    let n_vertices = text.check_vertices(n_vertices, line)?;
    let kind = list.smallest_kind(&text)?;
    let mut notes = Vec::new();
    let (ids, parts) = match labels.into_ids(n_vertices, &mut notes) {
        Some((ids, vertices)) => {
            let parts = list.into_parts().into_iter();
            (ids, parts.map(|part| part.map(|v| vertices[v as usize])).collect())
        }
        None => (Ids::FromOne, list.into_parts()),
    };
    let direction = if has_arcs { None } else { Some(Direction::Undirected) };
    let csr = assemble::graph(text.path(), n_vertices, parts, kind, direction, Parallel::Allowed)?;
    Ok(LoadedGraph { notes, ..LoadedGraph::new(csr, ids) })
}

/// Reads past the line of vertices: their number, and the line's.
fn read_header(text: &mut Text<'_>) -> Result<(u64, u64), GraphError> {
    while let Some(line) = text.line()? {
        let is_name = line.clone().word().eq_ignore_ascii_case(b"*network");
        if line.peek() != Some(b'%') && !is_name {
            break;
        }
        text.skip_line();
    }
    let read = |mut line: Scanner<'_>| {
        let start = line.clone();
        if !line.word().eq_ignore_ascii_case(b"*vertices") {
            return Err(start.expected("a line `*Vertices <vertices>`"));
        }
        vertex_count(line.natural("the number of vertices")?, start.at())
    };
    let n_vertices = read(text.here()).map_err(|fault| text.error(fault))?;
    let line = text.line_number();
    text.skip_line();
    Ok((n_vertices, line))
}

/// The section of a line that starts with `*`; steps over the line.
fn section_of(scanner: &mut Scanner<'_>) -> Result<Section, Fault> {
    let line = scanner.clone();
    // the number of a relation may follow: `*Arcs :2 "name"`
    let word = scanner.word().split(|&byte| byte == b':').next().unwrap_or_default();
    let section = match &*word.to_ascii_lowercase() {
        b"*arcs" => Section::Arcs,
        b"*edges" => Section::Edges,
        b"*arcslist" => Section::ArcsList,
        b"*edgeslist" => Section::EdgesList,
        _ => return Err(line.expected("*Arcs, *Edges, *Arcslist or *Edgeslist")),
    };
    scanner.skip_line();
    Ok(section)
}

/// The section at the end of a piece, if one begins in it.
fn last_section(mut scanner: Scanner<'_>) -> Result<Option<Section>, Fault> {
    let mut last = None;
    while let Some(first) = scanner.line_start() {
        if first == b'*' {
            last = Some(section_of(&mut scanner)?);
        } else {
            scanner.skip_line();
        }
    }
    Ok(last)
}

fn read_lines(
    mut scanner: Scanner<'_>,
    mut section: Section,
    n_vertices: u64,
) -> Result<Lines<'_>, Fault> {
    let arcs = Arcs::with_capacity(scanner.n_lines());
    let mut lines = Lines { arcs, has_arcs: false, labels: Vec::new() };
    while let Some(first) = scanner.line_start() {
        match first {
            b'%' => scanner.skip_line(),
            b'*' => section = section_of(&mut scanner)?,
            _ => lines.add(&mut scanner, section, n_vertices)?,
        }
    }
    Ok(lines)
}

impl<'b> Lines<'b> {
    /// Reads a line of a section.
    fn add(
        &mut self,
        scanner: &mut Scanner<'b>,
        section: Section,
        n_vertices: u64,
    ) -> Result<(), Fault> {
        let start = scanner.at();
        let source = scanner.vertex(1, n_vertices)?;
        self.has_arcs |= section.has_arcs();
        match section {
            Section::Vertices => {
                if let Some(label) = label(scanner)? {
                    self.labels.push((source, label, start));
                }
            }
            Section::Arcs | Section::Edges => {
                let target = scanner.vertex(1, n_vertices)?;
                let (at, weight) = (scanner.at(), weight(scanner)?);
                self.push(section, source, target, weight, at);
            }
            Section::ArcsList | Section::EdgesList => {
                while !scanner.at_line_end() {
                    let target = scanner.vertex(1, n_vertices)?;
                    self.push(section, source, target, Number::Natural(1), scanner.at());
                }
            }
        }
        scanner.skip_line();
        Ok(())
    }

    fn push(&mut self, section: Section, u: VertexId, v: VertexId, weight: Number, at: usize) {
        self.arcs.push(u, v, Some((weight, at)));
        if !section.has_arcs() && u != v {
            self.arcs.push(v, u, Some((weight, at)));
        }
    }
}

/// The weight of an arc: 1 if there is none before the end of the line or a word, which begins
/// attributes such as `c Blue`.
fn weight(scanner: &mut Scanner<'_>) -> Result<Number, Fault> {
    let is_attribute = |mut scanner: Scanner<'_>| {
        let is_letter = scanner.peek().is_some_and(|byte| byte.is_ascii_alphabetic());
        is_letter && fast_float2::parse::<f64, _>(scanner.word()).is_err()
    };
    if scanner.at_line_end() || is_attribute(scanner.clone()) {
        return Ok(Number::Natural(1));
    }
    scanner.weight()
}

/// The label of a vertex: a text in quotes, or a word.
fn label<'b>(scanner: &mut Scanner<'b>) -> Result<Option<&'b str>, Fault> {
    if scanner.at_line_end() {
        return Ok(None);
    }
    let start = scanner.clone();
    let label = if start.peek() == Some(b'"') {
        scanner.bump();
        let label = scanner.until(|byte| matches!(byte, b'"' | b'\n'));
        if scanner.peek() != Some(b'"') {
            return Err(start.expected("the quote that closes this label"));
        }
        label
    } else {
        scanner.until(|byte| byte.is_ascii_whitespace())
    };
    let label = str::from_utf8(label).map_err(|_| {
        Fault::new(start.at(), format!("expected a label in UTF-8, found `{}`", quoted(label)))
    })?;
    let label = label.trim();
    Ok(Some(label).filter(|label| !label.is_empty() && !label.contains(char::is_control)))
}

/// The labels of vertices.
#[derive(Default)]
struct Labels {
    names: Numbering,
    /// The number of the label of each vertex that has one.
    numbers: HashMap<VertexId, u32>,
    /// The first vertex with the label of another.
    repeated: Option<VertexId>,
}

impl Labels {
    /// Adds the label of a vertex; returns false if the vertex has one already.
    fn add(&mut self, vertex: VertexId, label: &str) -> Result<bool, GraphError> {
        let n_names = self.names.len();
        let number = self.names.number(label)?;
        if self.names.len() == n_names {
            self.repeated.get_or_insert(vertex);
        }
        Ok(self.numbers.insert(vertex, number).is_none())
    }

    /// The names of the vertices and, for each vertex of the file, that of the graph, if the labels
    /// are names; a note if they are not.
    fn into_ids(self, n_vertices: usize, notes: &mut Vec<Note>) -> Option<(Ids, Vec<VertexId>)> {
        if self.numbers.is_empty() {
            return None;
        }
        let mut all = 0..n_vertices as VertexId;
        let unnamed = all.find(|vertex| !self.numbers.contains_key(vertex)).or(self.repeated);
        if let Some(vertex) = unnamed {
            notes.push(Note::Labels { vertex: u64::from(vertex) + 1 });
            return None;
        }
        let (ids, vertices) = self.names.into_ids();
        let all = 0..n_vertices as VertexId;
        Some((ids, all.map(|vertex| vertices[self.numbers[&vertex] as usize]).collect()))
    }
}
