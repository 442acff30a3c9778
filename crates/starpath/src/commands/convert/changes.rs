//! What `convert` changes in a graph on request: its vertices, and its weights.

use anyhow::ensure;
use graph_formats::{
    AnyCsr, Components, Csr, Direction, DisjointSets, Ids, Name, VertexId, Weight, ensure_granted,
    with_csr,
};
use serde::Serialize;

use crate::cli::{Connected, Transform};
use crate::ids::Names;

/// Bytes of a vertex, at most, while its component is looked for.
const BYTES_OF_VERTEX: usize = 80;

/// What [`keep_largest`] left out.
#[derive(Serialize)]
pub(super) struct Removed {
    removed_vertices: usize,
    removed_arcs: usize,
}

/// Keeps the largest component: its vertices, their names, and the arcs between them. Of several
/// that are largest it is the one of the smallest vertex. O(n + m log n).
pub(super) fn keep_largest(
    graph: &mut AnyCsr,
    ids: &mut Ids,
    connected: Connected,
) -> anyhow::Result<Removed> {
    let (n_vertices, n_arcs) = (graph.n_vertices(), graph.n_arcs());
    ensure_granted(BYTES_OF_VERTEX * n_vertices)?;
    let members = largest(&graph.unweighted(), connected);
    if members.len() < n_vertices {
        *graph = with_csr!(&*graph, |graph| graph.induced(&members)?.into());
        *ids = selected(ids, &members);
    }
    Ok(Removed {
        removed_vertices: n_vertices - members.len(),
        removed_arcs: n_arcs - graph.n_arcs(),
    })
}

/// The vertices of the largest component, in ascending order.
fn largest(graph: &Csr<u32>, connected: Connected) -> Vec<VertexId> {
    let (n_components, labels) = match connected {
        Connected::Weak => DisjointSets::joined_by(graph).labels(),
        Connected::Strong => {
            let components = Components::of(graph);
            let label = |vertex| components.component_of(vertex) as VertexId;
            (components.n_components(), graph.vertices().map(label).collect())
        }
    };
    let mut sizes = vec![0; n_components];
    labels.iter().for_each(|&label| sizes[label as usize] += 1);
    let size = sizes.iter().copied().max().unwrap_or(0);
    let label = labels.iter().copied().find(|&label| sizes[label as usize] == size);
    graph.vertices().filter(|&vertex| Some(labels[vertex as usize]) == label).collect()
}

/// The names of these vertices, which ascend.
fn selected(ids: &Ids, members: &[VertexId]) -> Ids {
    let names = || members.iter().map(|&member| ids.name(member));
    let numbers: Option<Vec<u64>> = names()
        .map(|name| match name {
            Name::Number(number) => Some(number),
            Name::Word(_) => None,
        })
        .collect();
    match numbers {
        Some(numbers) => Ids::Listed(numbers),
        None => {
            let words: Vec<String> = names().map(|name| name.to_string()).collect();
            Ids::Words(words.iter().map(|word| &**word).collect())
        }
    }
}

/// Replaces each weight w by 1/w or −ln w, as `f64`. O(m).
pub(super) fn transform(
    graph: &AnyCsr,
    names: &Names<'_>,
    transform: Transform,
) -> anyhow::Result<AnyCsr> {
    with_csr!(graph, |graph| Ok(transformed(graph, names, transform)?.into()))
}

fn transformed<W: Weight>(
    graph: &Csr<W>,
    names: &Names<'_>,
    transform: Transform,
) -> anyhow::Result<Csr<f64>> {
    let (name, value): (_, fn(f64) -> f64) = match transform {
        Transform::Reciprocal => ("reciprocal", |weight| 1.0 / weight),
        // not −0 for a weight of 1
        Transform::MinusLog => ("minus-log", |weight| 0.0 - weight.ln()),
    };
    let value = |(from, to, weight): (VertexId, VertexId, W)| {
        let shown = || {
            let (from, to) = (names.name(from), names.name(to));
            format!("--transform {name}: the arc from {from} to {to} has weight {weight}")
        };
        let found = value(weight.to_f64());
        ensure!(weight.to_f64() > 0.0, "{}; expected weights above zero", shown());
        ensure!(found.is_finite(), "{}, too small for a reciprocal in 64 bits", shown());
        Ok(found)
    };
    ensure_granted(size_of::<f64>() * graph.n_arcs())?;
    let mut weights = Vec::with_capacity(graph.n_arcs());
    for arc in graph.arcs() {
        weights.push(value(arc)?);
    }
    as_directed_as(graph.direction(), graph.with_other_weights(weights)?)
}

/// Marks the graph as undirected if the one that it was made of is.
fn as_directed_as<W: Weight>(direction: Direction, graph: Csr<W>) -> anyhow::Result<Csr<W>> {
    Ok(match direction {
        Direction::Undirected => {
            // it is transposed, to be compared
            ensure_granted(graph.bytes())?;
            graph.into_undirected()?
        }
        Direction::Directed => graph,
    })
}
