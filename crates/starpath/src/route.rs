//! A shortest path as `path` and `query` report it: that there is none is an answer too.

use std::fmt;

use serde::Serialize;

use crate::ids::Id;
use crate::report::{ARCS, Number, counted};

/// A path between two vertices, or that there is none.
#[derive(Serialize)]
pub(crate) struct Route {
    pub(crate) source: Id,
    pub(crate) target: Id,
    /// `None` when no path leads from the one to the other.
    pub(crate) distance: Option<Number>,
    /// The vertices on the way, both ends included.
    pub(crate) path: Option<Vec<Id>>,
}

impl fmt::Display for Route {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { source, target, distance, path } = self;
        match distance.as_ref().zip(path.as_ref()) {
            None => writeln!(f, "no path leads from {source} to {target}"),
            Some((distance, path)) => {
                let arcs = counted(path.len() - 1, ARCS);
                writeln!(f, "{source} to {target}: {distance}, {arcs}")?;
                let path: Vec<_> = path.iter().map(Id::to_string).collect();
                writeln!(f, "{}", path.join(" "))
            }
        }
    }
}
