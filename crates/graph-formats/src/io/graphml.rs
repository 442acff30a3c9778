//! GraphML, `.graphml`, as NetworkX, OSMnx, igraph and others write it. The ids of nodes are the
//! names of vertices; an edge is an arc or both, as `edgedefault` or its own `directed` says.
//!
//! Weights are the data of the keys named `weight`, or else `length`; all edges have them, by
//! themselves or by the key's default, or none does. Other data are skipped. Hyperedges and graphs
//! inside nodes are refused.
//!
//! The file is read once, element by element. Only the names and the arcs stay in memory. O(bytes).
//!
//! Format: U. Brandes et al., *GraphML Progress Report*, Graph Drawing 2001.

use std::borrow::Cow;
use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use quick_xml::events::{BytesStart, Event};
use quick_xml::{Reader, XmlVersion};

use super::assemble::{self, ArcList, Arcs, Parallel};
use super::scan::Scanner;
use super::source::{Source, refuse_utf16};
use super::weights::Number;
use crate::{Direction, GraphError, LoadedGraph, Note, Numbering};

/// Bytes that are read at once.
const BUFFER_BYTES: usize = 256 << 10;
/// The longest tag or text between tags, in bytes, approximately.
const MAX_ELEMENT_BYTES: usize = 16 << 20;
/// Arcs that are collected before they join the others.
const ARCS_AT_ONCE: usize = 1 << 16;

/// The names that the key of weights may have; the first that a file has counts.
const WEIGHT_NAMES: [&str; 2] = ["weight", "length"];

pub(super) fn read(mut source: Source<'_>) -> Result<LoadedGraph, GraphError> {
    let path = source.path().to_path_buf();
    let buffered = BufReader::with_capacity(BUFFER_BYTES, source.reader());
    let mut lines = Lines { reader: buffered, line: 1, since_tag: 0 };
    let read = match lines.fill_buf() {
        Ok(start) => refuse_utf16(&path, start).map_err(Failure::from).and_then(|()| {
            let mut reader = Reader::from_reader(lines);
            reader.config_mut().expand_empty_elements = true;
            GraphReader::of(&path).read(&mut reader)
        }),
        Err(error) => Err(Failure::Io(error, 1)),
    };
    read.map_err(|failure| match failure {
        Failure::Graph(error) => error,
        Failure::Io(error, line) if error.get_ref().is_some_and(|e| e.is::<TooLong>()) => {
            GraphError::Syntax { path, line, message: error.to_string() }
        }
        Failure::Io(error, _) => source.error(error),
    })
}

/// Why reading failed: what the file says, or that its bytes cannot be read, near a line.
enum Failure {
    Graph(GraphError),
    Io(io::Error, u64),
}

impl From<GraphError> for Failure {
    fn from(error: GraphError) -> Self {
        Self::Graph(error)
    }
}

/// A tag, or a text between tags, is too long.
#[derive(Debug, thiserror::Error)]
#[error("a tag or a text is longer than {MAX_ELEMENT_BYTES} bytes")]
struct TooLong;

/// Bytes whose lines are counted.
struct Lines<R> {
    reader: BufReader<R>,
    /// The line of the next byte.
    line: u64,
    /// Bytes since the last tag or text began.
    since_tag: usize,
}

impl<R: Read> Read for Lines<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let n_read = self.fill_buf()?.read(buffer)?;
        self.consume(n_read);
        Ok(n_read)
    }
}

impl<R: Read> BufRead for Lines<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        if self.since_tag > MAX_ELEMENT_BYTES {
            return Err(io::Error::other(TooLong));
        }
        self.reader.fill_buf()
    }

    fn consume(&mut self, n_bytes: usize) {
        let bytes = &self.reader.buffer()[..n_bytes];
        self.line += memchr::memchr_iter(b'\n', bytes).count() as u64;
        self.since_tag += n_bytes;
        self.reader.consume(n_bytes);
    }
}

/// A `key` of edges that is named as weights may be.
struct Key {
    id: String,
    /// Its place among [`WEIGHT_NAMES`].
    rank: usize,
    default: Option<Number>,
}

/// An `edge` whose end has not been read.
struct Edge {
    ends: (u32, u32),
    is_directed: bool,
    weight: Option<Number>,
    line: u64,
}

/// The weight that a text gives.
#[derive(Clone, Copy)]
enum Target {
    /// Of the last key, as its default.
    Default,
    /// Of the edge.
    Edge,
}

/// The graph as far as it has been read.
struct GraphReader<'p> {
    path: &'p Path,
    keys: Vec<Key>,
    /// Whether the last key has not ended.
    in_key: bool,
    /// Whether edges are arcs, unless they say otherwise; `None` before the graph.
    is_directed: Option<bool>,
    names: Numbering,
    /// The line where an edge first names a vertex; 0 once a node declares it.
    first_uses: Vec<u64>,
    edge: Option<Edge>,
    /// The text of a weight, and the line where it begins.
    text: Option<(Target, String, u64)>,
    arcs: Arcs<u32>,
    list: ArcList<Arcs<u32>>,
    has_arcs: bool,
    /// The lines of the first edge with a weight, and of the first without; 0 if there is none.
    first_weighted: u64,
    first_unweighted: u64,
}

impl<'p> GraphReader<'p> {
    fn of(path: &'p Path) -> Self {
        Self {
            path,
            keys: Vec::new(),
            in_key: false,
            is_directed: None,
            names: Numbering::default(),
            first_uses: Vec::new(),
            edge: None,
            text: None,
            arcs: Arcs::default(),
            list: ArcList::new(),
            has_arcs: false,
            first_weighted: 0,
            first_unweighted: 0,
        }
    }

    fn error(&self, line: u64, message: impl Into<String>) -> GraphError {
        GraphError::Syntax { path: PathBuf::from(self.path), line, message: message.into() }
    }

    fn read<R: Read>(mut self, reader: &mut Reader<Lines<R>>) -> Result<LoadedGraph, Failure> {
        let (mut bytes, mut depth, mut version) = (Vec::new(), 0, XmlVersion::Implicit1_0);
        loop {
            let lines = reader.get_mut();
            lines.since_tag = 0;
            let line = lines.line;
            bytes.clear();
            let event = match reader.read_event_into(&mut bytes) {
                Ok(event) => event,
                Err(quick_xml::Error::Io(error)) => {
                    let error = Arc::try_unwrap(error).unwrap_or_else(|e| e.kind().into());
                    return Err(Failure::Io(error, line));
                }
                Err(error) => return Err(self.error(line, not_xml(&error)).into()),
            };
            match event {
                Event::Decl(declaration) => {
                    version = declaration.xml_version().unwrap_or(version);
                    let encoding = declaration.encoding().and_then(Result::ok);
                    if let Some(other) = encoding.filter(|name| !is_utf8(name)) {
                        let message =
                            format!("expected a text in UTF-8, found the encoding {other}");
                        return Err(self.error(line, message).into());
                    }
                }
                Event::Start(tag) => {
                    self.begin(depth, &Tag { tag, version, line })?;
                    depth += 1;
                }
                Event::End(tag) => {
                    depth -= 1;
                    self.end(depth, tag.local_name().as_ref())?;
                }
                Event::Text(text) => self.add_text(&text),
                Event::CData(text) => self.add_text(&text),
                Event::GeneralRef(name) => self.add_text(&name),
                Event::Eof if depth > 0 => {
                    return Err(self.error(line, "the file ends before its last tag").into());
                }
                Event::Eof if self.is_directed.is_none() => {
                    return Err(self.error(line, "expected a <graph>, found the end").into());
                }
                Event::Eof => return Ok(self.finish()?),
                // empty elements are expanded
                Event::Comment(_) | Event::PI(_) | Event::DocType(_) | Event::Empty(_) => {}
            }
        }
    }

    /// Begins an element inside `depth` others.
    fn begin(&mut self, depth: usize, tag: &Tag<'_>) -> Result<(), GraphError> {
        let name = tag.tag.local_name();
        let in_graph = self.is_directed.is_some();
        if self.text.is_some() {
            let message = format!("expected a weight, found <{}>", name.as_ref());
            return Err(self.error(tag.line, message));
        }
        match (depth, name.as_ref()) {
            (0, "graphml") => {}
            (0, other) => {
                let message = format!("expected <graphml>, found <{other}>");
                return Err(self.error(tag.line, message));
            }
            (1, "key") if in_graph => {
                return Err(self.error(tag.line, "expected every <key> before the <graph>"));
            }
            (1, "key") => self.add_key(tag)?,
            (2, "default") if self.in_key => {
                self.text = Some((Target::Default, String::new(), tag.line));
            }
            (1, "graph") if !in_graph => {
                self.is_directed = Some(match &*tag.needed(self, "edgedefault")? {
                    "directed" => true,
                    "undirected" => false,
                    other => {
                        let message = format!("expected directed or undirected, found `{other}`");
                        return Err(self.error(tag.line, message));
                    }
                });
                // keys of weights in order of their names; the first name counts
                let least = self.keys.iter().map(|key| key.rank).min();
                self.keys.retain(|key| Some(key.rank) == least);
            }
            (_, "graph") if depth <= 3 => {
                let message = "expected one <graph>, and none inside another";
                return Err(self.error(tag.line, message));
            }
            (2, "hyperedge") => return Err(self.error(tag.line, "expected no <hyperedge>")),
            (2, "node") if in_graph => {
                let number = self.number(&tag.needed(self, "id")?, tag.line)? as usize;
                match self.first_uses.get_mut(number) {
                    None => self.first_uses.push(0),
                    Some(line @ 1..) => *line = 0,
                    Some(0) => {
                        let id = tag.needed(self, "id")?;
                        return Err(self.error(tag.line, format!("there are two nodes `{id}`")));
                    }
                }
            }
            (2, "edge") if in_graph => self.edge = Some(self.begin_edge(tag)?),
            (3, "data") if self.edge.is_some() => {
                let key = tag.needed(self, "key")?;
                if self.keys.iter().any(|known| known.id == *key) {
                    self.text = Some((Target::Edge, String::new(), tag.line));
                }
            }
            _ => {}
        }
        Ok(())
    }

    fn add_key(&mut self, tag: &Tag<'_>) -> Result<(), GraphError> {
        let of = tag.attribute(self, "for")?;
        let name = tag.attribute(self, "attr.name")?;
        let rank = WEIGHT_NAMES.iter().position(|known| name.as_deref() == Some(known));
        if let (Some(rank), None | Some("edge" | "all")) = (rank, of.as_deref()) {
            let id = tag.needed(self, "id")?.into_owned();
            self.keys.push(Key { id, rank, default: None });
            self.in_key = true;
        }
        Ok(())
    }

    fn begin_edge(&mut self, tag: &Tag<'_>) -> Result<Edge, GraphError> {
        let mut end = |name| {
            let id = tag.needed(self, name)?;
            let number = self.number(&id, tag.line)?;
            if number as usize == self.first_uses.len() {
                self.first_uses.push(tag.line);
            }
            Ok::<_, GraphError>(number)
        };
        let ends = (end("source")?, end("target")?);
        let is_directed = match tag.attribute(self, "directed")?.as_deref() {
            Some("true") => true,
            Some("false") => false,
            _ => self.is_directed == Some(true),
        };
        Ok(Edge { ends, is_directed, weight: None, line: tag.line })
    }

    /// The number of a vertex.
    fn number(&mut self, id: &str, line: u64) -> Result<u32, GraphError> {
        let id = id.trim();
        if id.is_empty() || id.contains(char::is_control) {
            let message = format!("expected a name, found `{}`", id.escape_debug());
            return Err(self.error(line, message));
        }
        self.names.number(id)
    }

    fn add_text(&mut self, more: &str) {
        if let Some((_, text, _)) = &mut self.text {
            text.push_str(more);
        }
    }

    /// Ends an element inside `depth` others.
    fn end(&mut self, depth: usize, name: &str) -> Result<(), GraphError> {
        match (depth, name) {
            (3, "data") | (2, "default") => {
                let Some((target, text, line)) = self.text.take() else { return Ok(()) };
                let weight = weight(&text).map_err(|message| self.error(line, message))?;
                match target {
                    Target::Edge => {
                        self.edge.as_mut().expect("data of an edge").weight = Some(weight);
                    }
                    Target::Default => {
                        self.keys.last_mut().expect("a default of a key").default = Some(weight);
                    }
                }
            }
            (1, "key") => self.in_key = false,
            (2, "edge") => {
                if let Some(edge) = self.edge.take() {
                    self.add_edge(edge)?;
                }
            }
            _ => {}
        }
        Ok(())
    }

    fn add_edge(&mut self, edge: Edge) -> Result<(), GraphError> {
        let Edge { ends: (source, target), is_directed, weight, line } = edge;
        let weight = weight.or_else(|| self.keys.iter().find_map(|key| key.default));
        let first = match weight {
            Some(_) => &mut self.first_weighted,
            None => &mut self.first_unweighted,
        };
        if *first == 0 {
            *first = line;
        }
        if self.first_weighted.min(self.first_unweighted) > 0 {
            let name = WEIGHT_NAMES[self.keys[0].rank];
            let (with, without) = (self.first_weighted, self.first_unweighted);
            let message = format!(
                "the edge on line {with} has a `{name}`, the one on line {without} has none"
            );
            return Err(self.error(line, message));
        }
        let weight = weight.map(|weight| (weight, line as usize));
        self.arcs.push(source, target, weight);
        self.has_arcs |= is_directed;
        if !is_directed && source != target {
            self.arcs.push(target, source, weight);
        }
        if self.arcs.len() >= ARCS_AT_ONCE { self.flush() } else { Ok(()) }
    }

    fn flush(&mut self) -> Result<(), GraphError> {
        let arcs = std::mem::take(&mut self.arcs);
        self.list.add_of(self.path, vec![arcs], |line| line as u64)
    }

    fn finish(mut self) -> Result<LoadedGraph, GraphError> {
        self.flush()?;
        let kind = self.list.smallest_kind_of(self.path)?;
        let unknown = self.first_uses.iter().position(|&line| line > 0);
        let unknown = unknown.map(|number| (number, self.first_uses[number]));
        let (ids, vertices) = std::mem::take(&mut self.names).into_ids();
        if let Some((number, line)) = unknown {
            let message = format!("the file has no node `{}`", ids.name(vertices[number]));
            return Err(self.error(line, message));
        }
        let parts = std::mem::replace(&mut self.list, ArcList::new()).into_parts();
        let parts = parts.into_iter().map(|part| part.map(|number| vertices[number as usize]));
        let direction = if self.has_arcs { None } else { Some(Direction::Undirected) };
        let csr = assemble::graph(
            self.path,
            vertices.len(),
            parts.collect(),
            kind,
            direction,
            Parallel::Allowed,
        )?;
        let mut loaded = LoadedGraph::new(csr, ids);
        match self.keys.first() {
            Some(key) if self.first_weighted > 0 && key.rank > 0 => {
                loaded.notes.push(Note::WeightKey { name: WEIGHT_NAMES[key.rank].to_owned() });
            }
            _ if self.first_unweighted > 0 => loaded.notes.push(Note::NoWeight),
            _ => {}
        }
        Ok(loaded)
    }
}

/// An opening tag.
struct Tag<'e> {
    tag: BytesStart<'e>,
    version: XmlVersion,
    line: u64,
}

impl Tag<'_> {
    /// The value of an attribute, if the tag has it.
    fn attribute(
        &self,
        reader: &GraphReader<'_>,
        name: &str,
    ) -> Result<Option<Cow<'_, str>>, GraphError> {
        let wrong = |error: &quick_xml::Error| reader.error(self.line, not_xml(error));
        for attribute in self.tag.attributes() {
            let attribute = attribute.map_err(|error| wrong(&error.into()))?;
            if attribute.key.0 == name {
                let value = attribute.normalized_value(self.version);
                return value.map(Some).map_err(|error| wrong(&error));
            }
        }
        Ok(None)
    }

    /// The value of an attribute that the tag must have.
    fn needed(&self, reader: &GraphReader<'_>, name: &str) -> Result<Cow<'_, str>, GraphError> {
        self.attribute(reader, name)?.ok_or_else(|| {
            let tag = self.tag.local_name();
            let message = format!("expected an attribute {name} of <{}>", tag.as_ref());
            reader.error(self.line, message)
        })
    }
}

fn is_utf8(encoding: &str) -> bool {
    ["utf-8", "utf8", "us-ascii", "ascii"].iter().any(|name| encoding.eq_ignore_ascii_case(name))
}

fn not_xml(error: &quick_xml::Error) -> String {
    format!("this is not XML: {error}")
}

/// The weight that a text is.
fn weight(text: &str) -> Result<Number, String> {
    let mut scanner = Scanner::new(text.trim().as_bytes(), 0);
    let whole = scanner.clone();
    let number = scanner.weight().map_err(|fault| fault.message)?;
    let is_whole = scanner.at_line_end() && scanner.remaining() == 0;
    if is_whole { Ok(number) } else { Err(whole.expected("a weight").message) }
}
