//! The report of `path` and `query`: a shortest path, or that there is none.

use std::fmt;

use graph_formats::VertexId;
use paths::Number;
use serde::Serialize;

use crate::ids::{Id, Names};
use crate::report::{ARCS, Amount, counted};

/// A path between two vertices, or that there is none.
#[derive(Serialize)]
pub(crate) struct Route {
    pub(crate) source: Id,
    pub(crate) target: Id,
    /// `None` if there is no path.
    pub(crate) distance: Option<Amount>,
    /// The vertices on the way, both ends included.
    pub(crate) path: Option<Vec<Id>>,
}

impl Route {
    /// The report of a distance and the vertices of a path, if there is one.
    pub(crate) fn of(
        names: &Names<'_>,
        (source, target): (VertexId, VertexId),
        path: Option<(Number, Vec<VertexId>)>,
    ) -> Self {
        let id = |vertex| names.name(vertex).into();
        let (distance, path) = path.unzip();
        let (distance, path) =
            (distance.map(Amount::from), path.map(|path| path.into_iter().map(id).collect()));
        Self { source: id(source), target: id(target), distance, path }
    }
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
