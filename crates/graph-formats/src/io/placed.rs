//! A line of a file of positions, of any format.

use super::scan::Fault;
use crate::{Ids, Name, VertexId};

/// The content of a line.
pub(super) struct Placed {
    pub(super) vertex: VertexId,
    pub(super) position: [f64; 2],
    /// The byte of the block where the content stands.
    pub(super) at: usize,
}

/// The vertices that a file may name.
#[derive(Clone, Copy)]
pub(super) struct Known<'a> {
    pub(super) ids: &'a Ids,
    pub(super) n_vertices: usize,
}

impl Known<'_> {
    /// The vertex that byte `at` names.
    pub(super) fn vertex(self, name: Name<'_>, at: usize) -> Result<VertexId, Fault> {
        self.ids.vertex(name, self.n_vertices).ok_or_else(|| {
            let message = format!("the graph has no vertex `{name}` among its {}", self.n_vertices);
            Fault::new(at, message)
        })
    }
}

pub(super) const COORDINATE: &str = "a coordinate, which is a finite number";

/// The value of a word that is a finite number.
pub(super) fn coordinate(word: &[u8]) -> Option<f64> {
    fast_float2::parse(word).ok().filter(|value: &f64| value.is_finite())
}
