//! Minimum spanning forests and trees.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::time::Instant;

use anyhow::{Result, ensure};
use graph_formats::{Coo, Csr, VertexId};
use paths::certificate;
use star_machine::algorithms::{EdgeList, Runner, kruskal, prim};

use super::{By, Problem, Race};
use crate::draws::Draws;
use crate::star::measure::ms_since;

/// Bits of a weight.
const BITS: usize = 16;
/// Where Prim's tree starts.
const ROOT: VertexId = 0;

/// Both, beside the usual forms with a sorted list and with a heap.
pub(super) fn kruskal_and_prim(race: &mut Race<'_>, n: usize, m: usize) -> Result<()> {
    let edges = random(n, m)?;
    let list: Vec<_> = edges.arcs().map(|(u, v, w)| (u, v, i64::from(w))).collect();
    let list = EdgeList::new(n, &list)?;
    let problem = |algorithm| Problem {
        algorithm,
        n_vertices: n,
        n_edges: m,
        bits: list.weight_bits(),
        unit: "tree edge",
    };
    let is_forest = |found: &[usize]| {
        certificate::check_spanning_forest(&edges, found)?;
        Ok(found.len() as u64)
    };
    let is_tree = |found: &[usize]| {
        certificate::check_spanning_tree(&edges, ROOT, found)?;
        Ok(found.len() as u64)
    };
    race.times(problem("Kruskal"), By::Thread, "sorted edges", || {
        let start = Instant::now();
        let found = by_sorting(&edges);
        Ok((ms_since(start), is_forest(&found)?))
    })?;
    race.program(problem("Kruskal"), "KRUSKAL", &kruskal(&list)?, |run| is_forest(&marked(run)?))?;
    // the weight of an arc is the number of its edge
    let numbered: Vec<_> = (0..).zip(edges.arcs()).map(|(e, (u, v, _))| (u, v, e)).collect();
    let graph = Csr::from_edges(n, &numbered)?;
    race.times(problem("Prim"), By::Thread, "binary heap", || {
        let start = Instant::now();
        let found = by_heap(&graph, edges.weights());
        Ok((ms_since(start), is_tree(&found)?))
    })?;
    race.program(problem("Prim"), "PRIM", &prim(&list, ROOT)?, |run| is_tree(&marked(run)?))
}

/// Which edges `T` marks.
pub(super) fn marked(run: &mut dyn Runner) -> Result<Vec<usize>> {
    Ok(run.slice("T")?.positions().collect())
}

/// The lightest edge first, unless its ends are joined already.
pub(super) fn by_sorting(edges: &Coo<u32>) -> Vec<usize> {
    let mut order: Vec<usize> = (0..edges.n_arcs()).collect();
    order.sort_unstable_by_key(|&e| edges.weights()[e]);
    let mut parents: Vec<VertexId> = (0..edges.n_vertices() as VertexId).collect();
    order.retain(|&e| {
        let [u, v] = [edges.sources()[e], edges.destinations()[e]].map(|v| root(&mut parents, v));
        parents[u as usize] = v;
        u != v
    });
    order
}

/// The vertex that stands for the tree of another. Halves the way there as it goes.
fn root(parents: &mut [VertexId], mut v: VertexId) -> VertexId {
    while parents[v as usize] != v {
        parents[v as usize] = parents[parents[v as usize] as usize];
        v = parents[v as usize];
    }
    v
}

/// The lightest edge out of the tree first; an edge stays in the heap until it is taken.
fn by_heap(graph: &Csr<u32>, weights: &[u32]) -> Vec<usize> {
    let mut is_in = vec![false; graph.n_vertices()];
    let (mut tree, mut heap) = (Vec::new(), BinaryHeap::new());
    let mut next = Some((ROOT, None));
    while let Some((u, by)) = next {
        if !std::mem::replace(&mut is_in[u as usize], true) {
            tree.extend(by);
            let row = graph.row(u);
            let arcs = graph.column_indices()[row.clone()].iter().zip(&graph.weights()[row]);
            let out = arcs.filter(|&(&v, _)| !is_in[v as usize]);
            heap.extend(out.map(|(&v, &e)| Reverse((weights[e as usize], e, v))));
        }
        next = heap.pop().map(|Reverse((_, e, v))| (v, Some(e as usize)));
    }
    tree
}

/// Edges between vertices in no order, with weights of so many bits.
pub(super) fn random(n: usize, m: usize) -> Result<Coo<u32>> {
    ensure!(n > 1, "a graph needs two vertices to have edges");
    let mut draws = Draws::new(m as u64);
    let (mut tails, mut heads, mut weights) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..m {
        let u = draws.below(n);
        tails.push(u as VertexId);
        heads.push(((u + 1 + draws.below(n - 1)) % n) as VertexId);
        weights.push(draws.below(1 << BITS) as u32);
    }
    Ok(Coo::new(n, tails, heads, weights)?)
}
