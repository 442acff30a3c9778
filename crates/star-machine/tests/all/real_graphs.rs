//! The graph algorithms on real graphs: the streets of Rome, the connectome of a larva and the
//! roads of New York, against oracles and by certificate.
//!
//! The first two are taken whole where that ends within seconds. New York is not: for a matrix of
//! weights it would take 250 GB. A spanning tree of all its 264,346 vertices takes minutes, because
//! each of its edges is searched among all. Of what is too large a connected piece is taken.
//! Floyd's algorithm is n² passes over n rows, and a closure is one pass for each pair of vertices.
//! For the programs that change the graph everything is looked at after each change. So these have
//! small pieces.
//!
//! The programs for undirected graphs take each arc as an edge, as `--undirected` does for the
//! lines of a list.

use graph_formats::{Csr, VertexId};
use paths::Total;
use paths::spanning::{Degree, minimum_spanning_forest};
use star_machine::algorithms::{
    BELLMAN_FORD, DIJKSTRA, EdgeList, FLOYD, FLOYD_SIGNED, Room, WeightMatrix, gabow, kruskal,
};
use test_support::data;

use crate::changing::drive;
use crate::common::arcs;
use crate::random::Random;
use crate::{
    bellman_ford, dijkstra, dynamic_closure, dynamic_mst, dynamic_paths, edmonds, floyd,
    floyd_signed, spanning_trees,
};

const ROME: &str = "dimacs/rome99.gr";
const LARVA: &str = "connectome/larva_unmatched_full.csv.gz";
const NEW_YORK: &str = "dimacs/USA-road-d.NY.gr.gz";

/// A graph, if it is there.
fn real(name: &str) -> Option<Csr<u32>> {
    let path = data(name)?;
    Some(graph_formats::read(&path).unwrap().csr.into_csr().unwrap())
}

/// The graphs that are there, of each at most so many vertices.
fn pieces(n_vertices: usize) -> Vec<(&'static str, Csr<u32>)> {
    let names = [ROME, LARVA, NEW_YORK].into_iter();
    names.filter_map(|name| Some((name, piece(&real(name)?, n_vertices)))).collect()
}

/// The vertices that arcs in either direction join first with vertex 0, and the arcs between them.
fn piece(graph: &Csr<u32>, n_vertices: usize) -> Csr<u32> {
    if graph.n_vertices() <= n_vertices {
        return graph.clone();
    }
    let into = graph.transposed();
    let (mut met, mut numbers) = (vec![0], vec![None; graph.n_vertices()]);
    numbers[0] = Some(0);
    let mut next = 0;
    while next < met.len() && met.len() < n_vertices {
        let u = met[next];
        next += 1;
        for (v, _) in graph.arcs_from(u).chain(into.arcs_from(u)) {
            if met.len() < n_vertices && numbers[v as usize].is_none() {
                numbers[v as usize] = Some(met.len() as VertexId);
                met.push(v);
            }
        }
    }
    assert_eq!(met.len(), n_vertices, "it is connected");
    let number = |v: VertexId| numbers[v as usize];
    let arcs = graph.arcs().filter_map(|(u, v, w)| Some((number(u)?, number(v)?, w)));
    Csr::from_arcs(n_vertices, &arcs.collect::<Vec<_>>()).unwrap()
}

/// Some weights below zero, and no cycle that is.
fn with_potentials(graph: &Csr<u32>) -> Csr<i64> {
    let at = |v: VertexId| i64::from(v * 7919 % 101);
    let arcs: Vec<_> = arcs(graph).iter().map(|&(u, v, w)| (u, v, w + at(u) - at(v))).collect();
    Csr::from_arcs(graph.n_vertices(), &arcs).unwrap()
}

#[test]
fn distances_from_a_vertex() {
    for (name, graph) in pieces(3400) {
        assert!(dijkstra::is_right(&graph, 0, DIJKSTRA), "{name}");
        assert!(bellman_ford::is_right(&with_potentials(&graph), 0, BELLMAN_FORD), "{name}");
    }
    // vertices of each and the sum of their distances, as other programs find them
    for (name, n_reached, sum) in [(ROME, 3353, 116_006_476), (LARVA, 2924, 10_140)] {
        let Some(graph) = real(name) else { continue };
        let distances = dijkstra::run(&graph, 0, DIJKSTRA).0.distances;
        let expected = (n_reached, Total::Integer(sum));
        assert_eq!((distances.n_reached(), distances.sum()), expected, "{name}");
    }
}

#[test]
fn distances_between_all_vertices() {
    for (name, graph) in pieces(250) {
        assert!(floyd::is_right(&graph, FLOYD), "{name}");
        let signed = with_potentials(&graph);
        assert!(floyd_signed::is_right(&signed, FLOYD_SIGNED), "{name}");
        // an arc back that weighs less than nothing
        let (u, v, w) = signed.arcs().next().unwrap();
        let arcs: Vec<_> = signed.arcs().chain([(v, u, -w - 1)]).collect();
        let cyclic = Csr::from_arcs(graph.n_vertices(), &arcs).unwrap();
        assert!(floyd_signed::is_right(&cyclic, FLOYD_SIGNED), "{name}");
    }
}

#[test]
fn spanning_trees() {
    for (name, graph) in pieces(6000) {
        let (n, edges) = (graph.n_vertices(), arcs(&graph));
        spanning_trees::check(n, &edges);
        let task = kruskal(&EdgeList::new(n, &edges).unwrap()).unwrap();
        let forest = spanning_trees::marked(&task).unwrap();
        let weight: i64 = forest.iter().map(|&at| edges[at].2).sum();
        let expected = minimum_spanning_forest(&graph).total;
        assert_eq!(Total::Integer(weight.into()), expected, "{name}");
    }
}

#[test]
fn spanning_trees_of_a_degree() {
    for (name, graph) in pieces(3400) {
        let (n, edges) = (graph.n_vertices(), arcs(&graph));
        let matrix = WeightMatrix::symmetric(n, &edges).unwrap();
        for degree in [1, 2] {
            let task = gabow(&matrix, 0, degree..=degree).unwrap();
            let degree = Degree::Exactly(degree);
            crate::gabow::is_cheapest(&task, n, &edges, 0, degree).expect(name);
        }
    }
}

#[test]
fn branchings() {
    for (name, graph) in pieces(3400) {
        println!("{name}");
        edmonds::check(graph.n_vertices(), &arcs(&graph));
    }
}

#[test]
fn changes() {
    for (name, graph) in pieces(250) {
        let (n, arcs) = (graph.n_vertices(), arcs(&graph));
        let greatest = arcs.iter().map(|arc| arc.2).max().unwrap();
        let room = Room { n_vertices: n + 1, n_edges: arcs.len() + 4, weights: 0..=greatest };
        let case = dynamic_mst::Graph::new(n, &arcs, room);
        drive(case, 10, Random(1)).expect(name);
        let case = dynamic_paths::Graph::new(n, &arcs, 0, greatest);
        drive(case, 10, Random(2)).expect(name);
    }
    for (name, graph) in pieces(70) {
        let arcs = arcs(&graph);
        let case = dynamic_closure::Graph::new(graph.n_vertices(), &arcs, arcs.len() + 4);
        drive(case, 10, Random(3)).expect(name);
    }
}
