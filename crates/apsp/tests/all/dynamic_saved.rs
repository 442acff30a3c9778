//! Pairs that follow changes from distances that were found before, in memory or in a file.

use std::fs::{self, File};

use apsp::any::{changed, saved_pairs};
use apsp::{ApspError, Config, DynamicPairs, PairsWeight, Solver};
use graph_formats::npy;
use graph_formats::{AnyCsr, Change, Csr, Distance, VertexId, Weight};
use ndarray::Array2;
use paths::{DistanceTable, Number, typed_changes};
use test_support::{corner_cases, draws};

use crate::common::same;

fn solved<W: PairsWeight>(graph: &Csr<W>, config: &Config) -> Option<apsp::Pairs<W>> {
    Solver::new(graph, config).solve(None).ok()
}

/// The distances are taken, and the same with any other number in one place are not.
fn check<W: PairsWeight>(name: &str, graph: &Csr<W>) {
    let config = Config { next_hops: true, ..Config::default() };
    let Some(expected) = solved(graph, &config) else { return };
    let table = expected.distances().unwrap();
    let all = DynamicPairs::from_distances(graph, table.clone(), &config, None).unwrap();
    assert_eq!(all.pairs().distances(), Some(table), "{name}");
    assert_eq!(all.pairs().next_hops(), expected.next_hops(), "{name}");
    let by_columns = Array2::from_shape_fn(table.as_storage().t().dim(), |(u, v)| (u, v));
    let by_columns = by_columns.mapv(|(u, v)| table.as_storage()[(v, u)]).reversed_axes();
    let by_columns = DistanceTable::from_storage(by_columns);
    assert!(DynamicPairs::from_distances(graph, by_columns, &config, None).is_ok(), "{name}");

    let one = W::ONE;
    let n = graph.n_vertices();
    for (u, v) in (0..n.min(6)).flat_map(|u| (0..n.min(6)).map(move |v| (u, v))) {
        let right = table.as_storage()[(u, v)];
        let others = [
            W::Distance::UNREACHED,
            W::Distance::ZERO,
            one.after(right).unwrap_or(W::Distance::ZERO),
        ];
        for other in others.into_iter().filter(|&other| other != right) {
            let mut cells = table.as_storage().clone();
            cells[(u, v)] = other;
            let cells = DistanceTable::from_storage(cells);
            let found = DynamicPairs::from_distances(graph, cells, &Config::default(), None);
            let Err(ApspError::OtherDistance { source_vertex, .. }) = found else {
                panic!("{name}: {u} -> {v} is {other}")
            };
            assert_eq!(source_vertex as usize, u, "{name}");
        }
    }
}

/// Graphs whose sums are exact, with cycles of weight zero and parallel arcs.
#[test]
fn a_table_is_taken_only_with_all_distances() {
    fn of<W: PairsWeight>(weight: fn(u64) -> W) {
        for seed in 0..6 {
            let mut draw = draws(seed);
            let n = 1 + draw(9);
            let arcs: Vec<_> = (0..draw(3 * n))
                .map(|_| (draw(n) as VertexId, draw(n) as VertexId, weight(draw(5))))
                .collect();
            check(&format!("seed {seed}"), &Csr::from_arcs(n as usize, &arcs).unwrap());
        }
        let cases = corner_cases::<W>().into_iter().filter(|(_, g)| g.n_vertices() < 40);
        cases.for_each(|(name, graph)| check(name, &graph));
    }
    of::<u32>(|d| d as u32 / 2);
    of::<i64>(|d| d as i64 - 1);
    of::<f32>(|d| d as f32 / 2.0);
}

/// A cycle of weight zero that nothing leads to gives its vertices no distance, whichever they share.
#[test]
fn a_cycle_of_weight_zero_proves_nothing() {
    let graph = Csr::from_arcs(3, &[(0, 0, 1u32), (1, 2, 0), (2, 1, 0)]).unwrap();
    let mut cells = Array2::from_elem((3, 3), u64::MAX);
    [(0, 0), (1, 1), (1, 2), (2, 1), (2, 2)].into_iter().for_each(|place| cells[place] = 0);
    let of = |cells: &Array2<u64>| {
        let table = DistanceTable::from_storage(cells.clone());
        DynamicPairs::from_distances(&graph, table, &Config::default(), None)
    };
    assert!(of(&cells).is_ok());
    [(0, 1), (0, 2)].into_iter().for_each(|place| cells[place] = 5);
    let error = of(&cells).unwrap_err();
    assert_eq!(error.to_string(), "the distance from 0 to 1 is not that of this graph");
}

/// Distances that follow changes from a table are those of the solver, but for rounding.
#[test]
fn what_is_taken_follows_changes() {
    let arcs = [(0, 1, 0.1), (1, 2, 0.7), (2, 3, 1.0 / 3.0), (3, 0, 0.2), (0, 2, 0.9)];
    let graph = Csr::from_arcs(5, &arcs).unwrap();
    for next_hops in [false, true] {
        let config = Config { next_hops, ..Config::default() };
        let table = solved(&graph, &config).unwrap().into_distances().unwrap();
        let mut all = DynamicPairs::from_distances(&graph, table, &config, None).unwrap();
        let changes = [Change::Insert { from: 3, to: 4, weight: 0.3 }, Change::DeleteVertex(1)];
        all.update(&changes, None).unwrap();
        let expected = solved(&all.graph().to_csr().unwrap(), &config).unwrap();
        let [found, expected_table] =
            [all.pairs(), &expected].map(|pairs| pairs.distances().unwrap());
        assert!(same(found, expected_table));
        assert_eq!(all.pairs().next_hops(), expected.next_hops());
    }
}

/// Files with something else are refused, and so are too many bytes.
#[test]
fn a_file_is_read_only_if_it_has_the_distances() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("d.npy");
    let graph = Csr::from_arcs(3, &[(0, 1, 0.5f64), (1, 2, 0.25)]).unwrap();
    let pairs = solved(&graph, &Config::default()).unwrap();
    let graph = AnyCsr::from(graph);
    pairs.write_npy(&mut File::create(&path).unwrap(), None).unwrap();
    let of = |graph: &AnyCsr, config: &Config| saved_pairs(graph, &path, config, None);
    let refused = |graph: &AnyCsr, config: &Config| match of(graph, config) {
        Ok(_) => panic!("it is taken"),
        Err(error) => error.to_string(),
    };
    let mut all = of(&graph, &Config::default()).unwrap();
    assert_eq!(all.pairs().unwrap().distance(0, 2), Some(Number::F64(0.75)));
    assert_eq!(all.graph().unwrap(), graph);

    let more = [Change::InsertVertex, Change::Insert { from: 3, to: 0, weight: Number::U64(1) }];
    let larger = changed(&graph, &more).unwrap();
    let says = "a table of 3 rows and 3 columns is not that of a graph of 4 vertices";
    assert_eq!(refused(&larger, &Config::default()), says);
    let whole = Csr::from_arcs(3, &[(0, 1, 5u32)]).unwrap().into();
    assert!(refused(&whole, &Config::default()).contains("expected u64"));
    let little = Config { memory: Some(71), ..Config::default() };
    assert!(refused(&graph, &little).contains("72 bytes of memory, and 71 are allowed"));
    let bytes = fs::read(&path).unwrap();
    fs::write(&path, &bytes[1..]).unwrap();
    assert!(refused(&graph, &Config::default()).contains("not a .npy file"));
    for wrong in [f64::NAN, f64::NEG_INFINITY, -0.5] {
        let mut cells = pairs.distances().unwrap().as_storage().clone();
        cells[(0, 2)] = wrong;
        let mut file = File::create(&path).unwrap();
        npy::write(&mut file, &[3, 3], cells.as_slice().unwrap()).unwrap();
        let says = refused(&graph, &Config::default());
        assert!(says.contains("is not that of this graph"), "{wrong}: {says}");
    }
    let half = [Change::Insert { from: 0, to: 2, weight: Number::F64(0.5) }];
    assert!(changed(&whole, &half).unwrap_err().to_string().contains("0.5 is no weight"));
    assert!(typed_changes::<f32>(&half).is_ok());
}
