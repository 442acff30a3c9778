//! Files of hierarchies: what is read answers as what was written, and damage is found out.

use std::path::Path;

use graph_formats::generate::{GridConfig, grid};
use graph_formats::{Csr, Ids, LoadedGraph, map_spg, read, write_attached};
use hierarchy::{HierarchyError, MetricWeight, Prepared};
use paths::oracle;

use crate::common::hierarchy_of;

const KIND: [u8; 8] = *b"HIERAR02";

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

/// An attachment as words of 32 bits, and where its arrays start: the vertices, the offsets, the
/// ends, the keys and the origins.
struct Words {
    words: Vec<u32>,
    starts: [usize; 5],
    n_arcs: usize,
}

impl Words {
    /// Of a graph whose keys have 32 bits.
    fn of(graph: &Csr<u32>, bytes: &[u8]) -> Self {
        let words: Vec<u32> = bytemuck::pod_collect_to_vec(&bytes[..bytes.len() / 4 * 4]);
        let (n, n_arcs) = (graph.n_vertices(), words[0] as usize);
        let next = |start: usize, len: usize| (start + len).next_multiple_of(16);
        let offsets = next(16, n);
        let ends = next(offsets, n + 1);
        let keys = next(ends, n_arcs.div_ceil(2));
        let origins = next(keys, 2 * n_arcs);
        Self { words, starts: [16, offsets, ends, keys, origins], n_arcs }
    }
}

/// Arrays that are changed with sense: what is still taken answers no less than is right, by paths
/// that there are, and mostly it is refused.
#[test]
fn what_lies_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("lie.prepared");
    let graph = square(7);
    prepare(&graph, &path);
    let bytes = read(&path).unwrap().attachment.unwrap().bytes;
    let expected = graph.vertices().map(|source| oracle::dijkstra(&graph, source).unwrap());
    let expected: Vec<_> = expected.collect();
    let is_taken = |words: &[u32], what: &str| {
        let bytes: &[u8] = bytemuck::cast_slice(words);
        write_attached(&path, &graph, &Ids::FromOne, KIND, &[bytes]).unwrap();
        let prepared = match Prepared::of(&read(&path).unwrap()) {
            Ok(prepared) => prepared.unwrap(),
            Err(error) => {
                assert_eq!(error, HierarchyError::Damaged, "{what}");
                return false;
            }
        };
        let metric = prepared.metric(&graph).unwrap();
        let mut query = metric.query();
        for (source, target) in [(0, 48), (48, 0), (24, 6), (13, 40)] {
            let found = query.path(source, target).unwrap().expect("all are joined");
            let right = expected[source as usize].get(target).unwrap();
            assert!(found.length >= right, "{what}");
            for path in metric.k_shortest_paths(source, target, 4).into_iter().flatten() {
                assert!(path.length >= right, "{what}");
            }
        }
        true
    };
    let whole = Words::of(&graph, &bytes);
    assert!(is_taken(&whole.words, "nothing"));
    let [vertices, _, _, keys, origins] = whole.starts;
    let n_ways = 2 * whole.n_arcs;
    let (mut n, mut n_taken) = (0, 0);
    let mut change = |what: String, change: &dyn Fn(&mut [u32])| {
        let mut words = whole.words.clone();
        change(&mut words);
        n += 1;
        n_taken += u32::from(words != whole.words && is_taken(&words, &what));
    };
    for way in 0..n_ways {
        for other in [way + 1, way + 2, way * 7 % n_ways, 3] {
            let other = other % n_ways;
            change(format!("origins {way} and {other}"), &|words| {
                words.swap(origins + way, origins + other);
            });
            change(format!("origin {way} as {other}"), &|words| {
                words[origins + way] = words[origins + other];
            });
            change(format!("keys {way} and {other}"), &|words| {
                words.swap(keys + way, keys + other);
            });
        }
        for key in [0, 1, u32::MAX / 2 - 1, u32::MAX / 2, u32::MAX] {
            change(format!("key {way} is {key}"), &|words| words[keys + way] = key);
        }
        // a shortcut of any arc before it
        change(format!("origin {way} before"), &|words| words[origins + way] = way as u32 / 3);
    }
    for place in 0..graph.n_vertices() - 1 {
        change(format!("vertices {place}"), &|words| {
            words.swap(vertices + place, vertices + place + 1);
        });
    }
    // shortcuts that lead through one before, all of no length, so that a path would double
    change("nested".into(), &|words| {
        words[keys..keys + n_ways].fill(0);
        (2..n_ways).for_each(|way| words[origins + way] = way as u32 / 2 - 1);
    });
    assert!(n_taken * 50 < n, "{n_taken} of {n}");
}

/// Wider keys than are needed are no lie, and narrower ones are.
#[test]
fn keys_hold_all_lengths() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("wide.prepared");
    let far = Csr::from_edges(3, &[(0, 1, 1u64 << 40), (1, 2, 1)]).unwrap();
    prepare(&far, &path);
    let bytes = read(&path).unwrap().attachment.unwrap().bytes;
    let near = Csr::from_edges(3, &[(0, 1, 0u32), (1, 2, 1)]).unwrap();
    prepare(&near, &path);
    // its header says 32 bits, in which 2^40 is 0
    let narrow = read(&path).unwrap().attachment.unwrap().bytes;
    assert_eq!((narrow[8], bytes[8]), (0, 1));
    write_attached(&path, &far, &Ids::FromOne, KIND, &[&narrow]).unwrap();
    assert_eq!(Prepared::of(&read(&path).unwrap()).err(), Some(HierarchyError::Damaged));
}
