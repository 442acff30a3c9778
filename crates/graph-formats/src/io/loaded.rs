//! What a file holds: a graph, the names of its vertices, and what else is there.

use std::fmt;

use super::Note;
use crate::{AnyCsr, Buffer, Ids};

/// A graph as its file has it: arcs, weights, and the names of the vertices.
#[derive(Clone, Debug, PartialEq)]
pub struct LoadedGraph {
    /// The arcs, with vertices numbered from 0.
    pub csr: AnyCsr,
    /// What the file calls each vertex.
    pub ids: Ids,
    /// What reading decided that the file does not say.
    pub notes: Vec<Note>,
    /// What else the file holds.
    pub attachment: Option<Attachment>,
}

/// What a program has made of a graph and keeps [with it](crate::write_attached).
#[derive(Clone, PartialEq)]
pub struct Attachment {
    /// Whose it is, and in which form.
    pub kind: [u8; 8],
    /// It begins at a multiple of 64 bytes.
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
