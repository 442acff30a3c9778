//! Files of hierarchies: what is read answers as what was written, and damage is found out.

use std::path::Path;

use graph_formats::generate::{GridConfig, grid};
use graph_formats::{Csr, Ids, LoadedGraph, map_spg, read, write_attached};
use hierarchy::{HierarchyError, MetricWeight, Prepared};

use crate::common::hierarchy_of;

const KIND: [u8; 8] = *b"HIERAR01";

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
    // SAFETY: nobody else has heard of the file
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

#[test]
fn whatever_is_attached_is_refused_or_answers() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("grid.prepared");
    let graph = square(5);
    prepare(&graph, &path);
    let bytes = read(&path).unwrap().attachment.unwrap().bytes;
    let attach = |kind, bytes: &[u8]| {
        write_attached(&path, &graph, &Ids::FromOne, kind, &[bytes]).unwrap();
        Prepared::of(&read(&path).unwrap())
    };
    let kind = "HIERAR99".to_owned();
    let found = attach(*b"HIERAR99", &bytes).err();
    assert_eq!(found, Some(HierarchyError::AnotherAttachment { kind }));
    assert_eq!(attach(KIND, &[]).err(), Some(HierarchyError::Damaged));
    assert_eq!(attach(KIND, &bytes[..bytes.len() - 1]).err(), Some(HierarchyError::Damaged));
    let mut refused = 0;
    for at in 0..bytes.len() {
        for byte in [0, 1, 255] {
            let mut changed = bytes.to_vec();
            changed[at] = byte;
            let Ok(prepared) = attach(KIND, &changed).map(Option::unwrap) else {
                refused += 1;
                continue;
            };
            let Ok(metric) = prepared.metric(&graph) else { continue };
            let mut query = metric.query();
            for (source, target) in [(0, 24), (24, 0), (12, 3)] {
                let _ = query.path(source, target);
            }
            let _ = metric.table(&[0, 5], &[24, 1]);
        }
    }
    assert!(refused > bytes.len() / 4, "{refused}");
}
