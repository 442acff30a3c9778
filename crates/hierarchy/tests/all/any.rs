//! Hierarchies of a graph of any weight type answer as those of the type.

use graph_formats::generate::{GridConfig, grid};
use graph_formats::{AnyCsr, Csr, Ids, VertexId, read};
use hierarchy::{MetricWeight, Prepared, any};
use paths::Number;

use crate::common::hierarchy_of;

fn check<W: MetricWeight>()
where
    AnyCsr: From<Csr<W>>,
{
    let graph = grid(&GridConfig { side: 9, ..Default::default() }).unwrap();
    let graph: Csr<W> = graph.convert_weights().unwrap();
    let (hierarchy, any_graph) = (hierarchy_of(&graph), AnyCsr::from(graph.clone()));
    // the order and the hierarchy hang on the arcs alone
    let of_arcs = hierarchy_of(&any_graph.unweighted());
    let expected = hierarchy.customize(&graph).unwrap();
    let customized = any::customize(&of_arcs, &any_graph).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("grid.prepared");
    customized.write(&path, &Ids::FromZero).unwrap();
    let loaded = read(&path).unwrap();
    let prepared = Prepared::of(&loaded).unwrap().unwrap();
    let read = any::metric(&prepared, &loaded.csr).unwrap();
    let mut right = expected.query();
    for metric in [&*customized, &*read] {
        let mut query = metric.query();
        for (source, target) in [(0, 80), (80, 0), (3, 4), (40, 13), (7, 7)] {
            let distance = right.distance(source, target).unwrap().map(Number::of);
            assert_eq!(query.distance(source, target).unwrap(), distance);
            let (path, found) = (right.path(source, target).unwrap(), query.path(source, target));
            let (path, found) = (path.unwrap(), found.unwrap().unwrap());
            assert_eq!((Some(found.length), found.vertices), (distance, path.vertices));
            assert_eq!(found.arcs, path.arcs);
            let paths = expected.k_shortest_paths(source, target, 3, None).unwrap().into_iter();
            let paths: Vec<_> = paths.map(k_paths::Path::any).collect();
            assert_eq!(metric.k_shortest_paths(source, target, 3, None).unwrap(), paths);
        }
        let (sources, targets): ([VertexId; 3], [VertexId; 2]) = ([5, 50, 5], [77, 0]);
        let table = expected.table(&sources, &targets).unwrap();
        assert_eq!(metric.table(&sources, &targets).unwrap(), table.into());
    }
}

#[test]
fn answers_of_any_type_are_those_of_the_type() {
    check::<u32>();
    check::<i32>();
    check::<u64>();
    check::<i64>();
    check::<f32>();
    check::<f64>();
}
