//! Files of hierarchies: what is read answers as what was written, and damage is found out.

use std::path::Path;

use graph_formats::generate::{GridConfig, grid};
use graph_formats::{Csr, Ids, LoadedGraph, map_spg, read};
use hierarchy::{HierarchyError, MetricWeight, Prepared};
use paths::oracle;

use crate::common::hierarchy_of;

fn prepare<W: MetricWeight>(graph: &Csr<W>, path: &Path) {
    hierarchy_of(graph).customize(graph).unwrap().write(path, &Ids::FromOne).unwrap();
}

fn square(side: u32) -> Csr<u32> {
    grid(&GridConfig { side, ..Default::default() }).unwrap()
}

fn of_weights<W: MetricWeight>() {
    let graph: Csr<W> = square(9).convert_weights().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("grid.prepared");
    prepare(&graph, &path);
    let hierarchy = hierarchy_of(&graph);
    let expected = hierarchy.customize(&graph).unwrap();
    // SAFETY: no other process or thread knows the file
    for loaded in [read(&path).unwrap(), unsafe { map_spg(&path) }.unwrap()] {
        assert_eq!(loaded.ids, Ids::FromOne);
        let prepared = Prepared::of(&loaded).unwrap().unwrap();
        let graph = loaded.csr.into_csr::<W>().unwrap();
        let metric = prepared.metric(&graph).unwrap();
        let (mut found, mut right) = (metric.query(), expected.query());
        for (source, target) in [(0, 80), (80, 0), (3, 4), (40, 13), (7, 7)] {
            let path = found.path(source, target).unwrap();
            assert_eq!(path, right.path(source, target).unwrap());
        }
        // what customization needs is not in the file
        let again = prepared.hierarchy().customize(&graph).unwrap();
        let sources = [0, 17, 80];
        assert_eq!(again.distances(&sources).unwrap(), metric.distances(&sources).unwrap());
    }
}

#[test]
fn weights_of_all_types_come_back() {
    of_weights::<u32>();
    of_weights::<i32>();
    of_weights::<u64>();
    of_weights::<i64>();
    of_weights::<f32>();
    of_weights::<f64>();
    // wide keys
    let far = Csr::from_edges(3, &[(0, 1, u64::MAX / 4), (1, 2, u64::MAX / 4)]).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("far.prepared");
    prepare(&far, &path);
    let prepared = Prepared::of(&read(&path).unwrap()).unwrap().unwrap();
    let distance = prepared.metric(&far).unwrap().query().distance(0, 2).unwrap();
    assert_eq!(distance, Some(u64::MAX / 4 * 2));
}

/// Other weights for what a file has, which stays as it is; and in another file.
#[test]
fn weights_of_a_file_change() {
    let folder = tempfile::tempdir().unwrap();
    let [path, other] = ["grid.prepared", "other.prepared"].map(|name| folder.path().join(name));
    let graph = square(9);
    prepare(&graph, &path);
    // SAFETY: no other process or thread knows the file
    for loaded in [read(&path).unwrap(), unsafe { map_spg(&path) }.unwrap()] {
        let prepared = Prepared::of(&loaded).unwrap().unwrap();
        let graph = loaded.csr.into_csr::<u32>().unwrap();
        let before = prepared.metric(&graph).unwrap();
        let mut metric = before.clone();
        // longer than the ways around
        metric.update(&[(0, 9_000), (1, 9_000), (5, 1)]).unwrap();
        metric.write(&other, &Ids::FromOne).unwrap();
        let loaded = read(&other).unwrap();
        let again = Prepared::of(&loaded).unwrap().unwrap();
        let again = again.metric(&loaded.csr.into_csr::<u32>().unwrap()).unwrap();
        for (metric, graph) in
            [(&metric, metric.graph()), (&again, metric.graph()), (&before, &graph)]
        {
            let expected = oracle::dijkstra(graph, 0).unwrap();
            assert_eq!(metric.distances(&[0]).unwrap(), [expected]);
        }
    }
}

#[test]
fn graphs_that_are_small_or_other_ones() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("small.prepared");
    for n in [0, 1, 5] {
        let graph = Csr::<u32>::from_arcs(n, &[]).unwrap();
        prepare(&graph, &path);
        let loaded = read(&path).unwrap();
        let prepared = Prepared::of(&loaded).unwrap().unwrap();
        assert_eq!(prepared.hierarchy().n_vertices(), n);
        assert!(prepared.metric(&graph).is_ok());
        let other = Csr::from_arcs(n + 1, &[(0, 0, 1u32)]).unwrap();
        assert_eq!(prepared.metric(&other).err(), Some(HierarchyError::AnotherGraph));
    }
    let graph = square(3);
    prepare(&graph, &path);
    let loaded = read(&path).unwrap();
    let prepared = Prepared::of(&loaded).unwrap().unwrap();
    let heavier: Vec<_> = graph.arcs().map(|(from, to, weight)| (from, to, weight + 1)).collect();
    let heavier = Csr::from_arcs(9, &heavier).unwrap();
    assert_eq!(prepared.metric(&heavier).err(), Some(HierarchyError::AnotherGraph));
    assert!(Prepared::of(&LoadedGraph::new(graph, Ids::FromZero)).unwrap().is_none());
}
