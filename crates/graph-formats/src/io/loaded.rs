//! The content of a file: a graph, the names of its vertices, notes and an attachment.

use std::fmt;

use super::Note;
use crate::{AnyCsr, Buffer, Ids};

/// A graph as its file has it: arcs, weights, and the names of the vertices.
#[derive(Clone, Debug, PartialEq)]
pub struct LoadedGraph {
    /// The arcs, with vertices numbered from 0.
    pub csr: AnyCsr,
    /// The file's names of the vertices.
    pub ids: Ids,
    /// What the reader decided because the file does not say it.
    pub notes: Vec<Note>,
    /// The attachment of the file, if it has one.
    pub attachment: Option<Attachment>,
}

/// Data that a program has made from a graph and stores [with it](crate::write_attached).
#[derive(Clone, PartialEq)]
pub struct Attachment {
    /// Names the program and the form of the data.
    pub kind: [u8; 8],
    /// The data; it begins at a multiple of 64 bytes.
    pub bytes: Buffer<u8>,
}

impl fmt::Debug for Attachment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = String::from_utf8_lossy(&self.kind);
        write!(f, "Attachment({kind}, {} bytes)", self.bytes.len())
    }
}

impl LoadedGraph {
    /// A graph with the names of its vertices, without notes or an attachment.
    pub fn new(csr: impl Into<AnyCsr>, ids: Ids) -> Self {
        Self { csr: csr.into(), ids, notes: Vec::new(), attachment: None }
    }
}
