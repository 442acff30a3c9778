//! An undirected graph without its pendant trees, and the scores that these trees make.
//!
//! A vertex with one edge is inside no shortest path. It is folded into its neighbour, which then
//! stands for it as a source and as a target; and so on, until no such vertex is left. Searches see
//! the rest, the core.
//!
//! Paths that begin or end in a tree take one way through it, so they are counted without a search.
//! What lies beyond each neighbour of a vertex is a part, and the paths through the vertex are those
//! from part to part. O(n + m), and 64 bytes a vertex.
//!
//! How it differs from the paper: sources may be some of the vertices, and arcs have scores too.
//!
//! Reference: sariyuce-2013, sutton-2018

use graph_formats::{Csr, DisjointSets, GraphError, VertexId, Weight, ensure_granted};
use rayon::prelude::*;

/// The number of no vertex.
const NONE: VertexId = VertexId::MAX;
/// Arcs of each vertex by which nearly all vertices are joined.
const FIRST_ARCS: usize = 2;
/// Bytes of a vertex, about.
const BYTES_PER_VERTEX: usize = 64;

/// For how many sources and targets each vertex stands, itself included.
#[derive(Clone)]
pub(super) struct Standing {
    pub(super) sources: Vec<f64>,
    pub(super) targets: Vec<f64>,
}

impl Standing {
    /// Of vertices that stand for themselves, of which these are sources.
    pub(super) fn alone(n_vertices: usize, sources: &[VertexId]) -> Self {
        let mut standing = Self { sources: vec![0.0; n_vertices], targets: vec![1.0; n_vertices] };
        sources.iter().for_each(|&source| standing.sources[source as usize] = 1.0);
        standing
    }

    /// That of these vertices, in their order.
    pub(super) fn of(&self, members: &[VertexId]) -> Self {
        let of = |all: &[f64]| members.iter().map(|&member| all[member as usize]).collect();
        Self { sources: of(&self.sources), targets: of(&self.targets) }
    }
}

/// The pendant trees of an undirected graph.
pub(super) struct Trees {
    /// The vertex that each was folded into.
    into: Vec<VertexId>,
    /// The vertices in the order in which they were folded.
    folded: Vec<VertexId>,
    /// Of the whole graph.
    standing: Standing,
    is_source: Vec<bool>,
}

impl Trees {
    /// Folds all that can be folded; `None` where that is nothing.
    pub(super) fn of<W: Weight>(
        graph: &Csr<W>,
        sources: &[VertexId],
    ) -> Result<Option<Self>, GraphError> {
        let n = graph.n_vertices();
        ensure_granted(n * BYTES_PER_VERTEX)?;
        let others = |v: VertexId| graph.ends_from(v).iter().filter(move |&&to| to != v).count();
        let mut degrees: Vec<usize> = (0..n as VertexId).into_par_iter().map(others).collect();
        let mut leaves: Vec<_> = graph.vertices().filter(|&v| degrees[v as usize] == 1).collect();
        if leaves.is_empty() {
            return Ok(None);
        }
        let mut is_source = vec![false; n];
        sources.iter().for_each(|&source| is_source[source as usize] = true);
        let (mut into, mut folded) = (vec![NONE; n], Vec::new());
        let mut standing = Standing::alone(n, sources);
        while let Some(leaf) = leaves.pop() {
            let at = leaf as usize;
            // of two that have only each other, one stays
            if degrees[at] != 1 {
                continue;
            }
            let is_left = |&&to: &&VertexId| to != leaf && into[to as usize] == NONE;
            let &to = graph.ends_from(leaf).iter().find(is_left).expect("it has one edge");
            into[at] = to;
            folded.push(leaf);
            standing.sources[to as usize] += standing.sources[at];
            standing.targets[to as usize] += standing.targets[at];
            degrees[to as usize] -= 1;
            if degrees[to as usize] == 1 {
                leaves.push(to);
            }
        }
        Ok(Some(Self { into, folded, standing, is_source }))
    }

    /// Whether this vertex is left.
    pub(super) fn is_left(&self, vertex: VertexId) -> bool {
        self.into[vertex as usize] == NONE
    }

    /// For how many sources and targets each vertex of the whole graph stands.
    pub(super) fn standing(&self) -> &Standing {
        &self.standing
    }

    /// Adds the paths that begin or end at a vertex of a tree of these vertices, and pass through it.
    pub(super) fn add_to_vertices<W: Weight>(&self, graph: &Csr<W>, scores: &mut [f64]) {
        let beyond = self.beyond(graph);
        let n = scores.len();
        // of the parts on the side of the trees: sources, targets, and pairs inside a part
        let mut parts = vec![[0.0; 3]; n];
        for &vertex in &self.folded {
            let [sources, targets] = self.stands_for(vertex);
            let parts = &mut parts[self.into[vertex as usize] as usize];
            let more = [sources, targets, sources * targets];
            parts.iter_mut().zip(more).for_each(|(part, more)| *part += more);
        }
        for ((score, [sources, targets, inside]), other) in scores.iter_mut().zip(parts).zip(beyond)
        {
            *score += sources * targets - inside + sources * other[1] + other[0] * targets;
        }
    }

    /// Adds the paths along the arcs of the trees.
    pub(super) fn add_to_arcs<W: Weight>(&self, graph: &Csr<W>, scores: &mut [f64]) {
        let beyond = self.beyond(graph);
        let mut scores = scores.iter_mut();
        for from in graph.vertices() {
            for (&to, score) in graph.ends_from(from).iter().zip(&mut scores) {
                if self.into[from as usize] == to {
                    *score += self.stands_for(from)[0] * beyond[from as usize][1];
                } else if self.into[to as usize] == from {
                    *score += beyond[to as usize][0] * self.stands_for(to)[1];
                }
            }
        }
    }

    /// The sources and targets that a vertex stands for.
    fn stands_for(&self, vertex: VertexId) -> [f64; 2] {
        let Standing { sources, targets } = &self.standing;
        [sources[vertex as usize], targets[vertex as usize]]
    }

    /// The sources and targets of its component that each vertex does not stand for.
    fn beyond<W: Weight>(&self, graph: &Csr<W>) -> Vec<[f64; 2]> {
        let (n_components, component_of) = components(graph);
        let mut all = vec![[0.0; 2]; n_components];
        for (&component, &is_source) in component_of.iter().zip(&self.is_source) {
            all[component as usize][0] += f64::from(u8::from(is_source));
            all[component as usize][1] += 1.0;
        }
        let beyond = |(v, &component): (VertexId, &VertexId)| {
            let ([sources, targets], [own, to]) = (all[component as usize], self.stands_for(v));
            [sources - own, targets - to]
        };
        (0..).zip(&component_of).map(beyond).collect()
    }
}

/// The number of components of an undirected graph, and that of each vertex.
///
/// A few arcs of each vertex join most of them. The arcs of the largest set so far lead into itself,
/// or are met from their other ends, so they are left out. O(n log n) where that set is nearly all.
fn components<W: Weight>(graph: &Csr<W>) -> (usize, Vec<VertexId>) {
    let mut sets = DisjointSets::new(graph.n_vertices());
    for from in graph.vertices() {
        let first = graph.ends_from(from).iter().take(FIRST_ARCS);
        first.for_each(|&to| _ = sets.unite(from, to));
    }
    let (n_sets, labels) = sets.labels();
    let mut sizes = vec![0; n_sets];
    labels.iter().for_each(|&label| sizes[label as usize] += 1);
    let largest = (0..n_sets).max_by_key(|&set| sizes[set]);
    for from in graph.vertices().filter(|&v| Some(labels[v as usize] as usize) != largest) {
        graph.ends_from(from).iter().for_each(|&to| _ = sets.unite(from, to));
    }
    sets.labels()
}

#[cfg(test)]
mod tests {
    use graph_formats::generate::{RmatConfig, UniformConfig, rmat, uniform};

    use super::*;

    #[test]
    fn components_are_those_of_all_arcs() {
        let path: Vec<_> = (1..50).map(|v| (v, v - 1, 1u32)).chain([(60, 61, 1)]).collect();
        let mut graphs =
            vec![Csr::from_edges(70, &path).unwrap(), Csr::from_edges(0, &[]).unwrap()];
        graphs.push(rmat(&RmatConfig { scale: 10, edge_factor: 1, ..Default::default() }).unwrap());
        for n_edges in [100, 300, 500] {
            let config = UniformConfig { n_vertices: 400, n_edges, ..Default::default() };
            graphs.push(uniform(&config).unwrap());
        }
        for graph in graphs {
            assert_eq!(components(&graph), DisjointSets::joined_by(&graph).labels());
        }
    }
}
