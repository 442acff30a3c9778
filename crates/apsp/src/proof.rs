//! How large distances can be, before any of them is known: so that a matrix may be of
//! numbers that are narrower than the sums of weights.
//!
//! In a strongly connected component any two vertices are joined through its first one: no
//! distance between them is more than the greatest one out of it and the greatest one into
//! it. A path leaves a component once: after all components that it leads to, the bound of one
//! is that, and the most that an arc out of it and what follows can add. Two searches in each
//! component, O((n + m) log n).
//!
//! What the searches find are distances, so that the greatest is at least that. Where a limit lies
//! between the bounds, two more searches raise the lower one. One starts where the paths may be
//! longest, and one goes back from the vertex that is farthest there. What they find is the
//! greatest distance of most graphs, or little less.

use std::num::NonZeroUsize;
use std::ops::ControlFlow;

use graph_formats::{Components, Csr, VertexId, Weight, tell};
use sssp::{Config, Goal, Progress, SearchWeight, Solver, SsspError};

/// Bounds on the greatest distance between vertices.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Bounds {
    pub(crate) at_least: f64,
    pub(crate) at_most: f64,
}

/// A distance that there is in `graph`, whose weights are not negative: from some vertex along the
/// lightest of its arcs. O(m).
pub(crate) fn some_distance<W: Weight>(graph: &Csr<W>) -> f64 {
    let lightest = |from| {
        let others = graph.arcs_from(from).filter(|&(to, _)| to != from);
        others.map(|(_, weight)| weight.to_f64()).reduce(f64::min).unwrap_or_default()
    };
    graph.vertices().map(lightest).fold(0.0, f64::max)
}

/// Bounds on the greatest distance of `graph`, whose weights are not negative. They are made
/// tighter only until it is clear on which side of `limit` that distance is. A search that fails
/// gives infinity; the only error is that `progress` ends the work.
pub(crate) fn greatest_distance<W: SearchWeight>(
    graph: &Csr<W>,
    limit: f64,
    threads: Option<NonZeroUsize>,
    progress: Option<Progress<'_>>,
) -> Result<Bounds, SsspError> {
    // the length of the proof is not known, so 0 of 0 is reported
    let ask = |_, _| progress.map_or(ControlFlow::Continue(()), |tell| tell(0, 0));
    let config = Config { threads, ..Config::default() };
    let farthest = |graph: &Csr<W>, from| farthest(graph, from, &config, &ask);
    let components = Components::of(graph);
    // of all paths that start in a component
    let mut bounds = vec![0f64; components.n_components()];
    let mut position = vec![0 as VertexId; graph.n_vertices()];
    let mut found = Bounds { at_least: 0.0, at_most: 0.0 };
    // where the longest paths may start
    let mut start = 0;
    for component in 0..components.n_components() {
        let members = components.members(component);
        let mut beyond = 0f64;
        for &from in members {
            for (to, weight) in graph.arcs_from(from) {
                let next = components.component_of(to);
                if next != component {
                    beyond = beyond.max(weight.to_f64() + bounds[next]);
                }
            }
        }
        bounds[component] = beyond;
        let mut first = members[0];
        if members.len() > 1 {
            let inside = within(graph, &components, component, &mut position);
            let (out, _) = farthest(&inside, 0)?;
            let (into, from) = farthest(&inside.transposed(), 0)?;
            bounds[component] += out + into;
            found.at_least = found.at_least.max(out).max(into);
            first = members[from as usize];
        }
        if bounds[component] > found.at_most {
            (found.at_most, start) = (bounds[component], first);
        }
    }
    // sums of floats may round
    found.at_most *= 1.0 + 1e-9;
    if found.at_least < limit && limit <= found.at_most {
        let (out, end) = farthest(graph, start)?;
        let (into, _) = farthest(&graph.transposed(), end)?;
        found.at_least = found.at_least.max(out).max(into);
    }
    Ok(found)
}

/// The graph of a component, whose members are numbered in their order. `position` is room for a
/// number a vertex.
fn within<W: Weight>(
    graph: &Csr<W>,
    components: &Components,
    component: usize,
    position: &mut [VertexId],
) -> Csr<W> {
    let members = components.members(component);
    for (at, &member) in (0..).zip(members) {
        position[member as usize] = at;
    }
    let arcs: Vec<_> = members
        .iter()
        .flat_map(|&from| graph.arcs_from(from).map(move |(to, weight)| (from, to, weight)))
        .filter(|arc| components.component_of(arc.1) == component)
        .map(|(from, to, weight)| (position[from as usize], position[to as usize], weight))
        .collect();
    Csr::from_arcs(members.len(), &arcs).expect("a part of a graph")
}

/// How far the vertex is that is farthest from this one, and which; infinite where a search fails.
fn farthest<W: SearchWeight>(
    graph: &Csr<W>,
    from: VertexId,
    config: &Config,
    ask: Progress<'_>,
) -> Result<(f64, VertexId), SsspError> {
    // small searches do not call the callback
    tell(Some(ask), 0, 0)?;
    let found = Solver::new(graph, config)
        .and_then(|solver| solver.with_progress(ask).distances(from, Goal::All));
    match found {
        Ok(distances) => {
            let last = distances.reached().max_by(|a, b| a.1.order(b.1));
            Ok(last.map_or((0.0, from), |(vertex, distance)| (distance.to_f64(), vertex)))
        }
        Err(SsspError::Interrupted(interrupted)) => Err(interrupted.into()),
        Err(_) => Ok((f64::INFINITY, from)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A cycle around which it is `length` times two.
    fn cycle(length: u32) -> Vec<(VertexId, VertexId, u32)> {
        vec![(0, 1, length), (1, 2, length - 1), (2, 0, 1)]
    }

    fn bound(n: usize, arcs: &[(VertexId, VertexId, u32)]) -> f64 {
        let graph = Csr::from_arcs(n, arcs).unwrap();
        greatest_distance(&graph, 0.0, None, None).unwrap().at_most.round()
    }

    #[test]
    fn within_a_component_it_is_by_way_of_one_vertex() {
        // from vertex 0 it is 199 at most, and to it 200; from any other no more
        let all = [bound(3, &cycle(100)), bound(4, &cycle(100))];
        assert!(all[0] == all[1] && (199.0..=400.0).contains(&all[0]), "{all:?}");
    }

    #[test]
    fn between_components_arcs_and_what_follows_add_up() {
        let mut arcs = cycle(100);
        let within = bound(3, &arcs);
        arcs.extend([(2, 3, 50), (3, 4, 7), (5, 0, 1000), (0, 4, 51)]);
        assert_eq!(bound(6, &arcs), 1000.0 + within + 57.0);
        // an arc that no shortest path has, within a component, does not count
        arcs.push((0, 2, 4_000_000_000));
        assert_eq!(bound(6, &arcs), 1000.0 + within + 57.0);
        assert_eq!(bound(0, &[]), 0.0);
    }
}
