//! All pairs of a graph of any weight type are those of the typed solver.

use apsp::any::SavedMatrix;
use apsp::{ApspError, Config, PairsWeight, ScratchFolder, Solver};
use collectives::Alone;
use graph_formats::npy::Dtype;
use graph_formats::{AnyCsr, Csr};
use paths::{AnyTable, Distances, Number};
use test_support::corner_cases;

fn check<W: PairsWeight>()
where
    AnyCsr: From<Csr<W>>,
{
    let config = Config { next_hops: true, ..Config::default() };
    // a folder for each is written to the disk, which takes longer than all else
    for (name, graph) in corner_cases::<W>().into_iter().filter(|(_, g)| g.n_vertices() < 12) {
        let any_graph = AnyCsr::from(graph.clone());
        let expected = Solver::new(&graph, &config).solve(None).unwrap();
        let found = Solver::new(&any_graph, &config).solve(None).unwrap();
        let ranks = Solver::new(&any_graph, &config).solve_over(&Alone, None).unwrap();
        let folder = tempfile::tempdir().unwrap();
        let scratch = ScratchFolder::new(folder.path());
        let kept = match Solver::new(&any_graph, &config).in_folder(&scratch).solve(None) {
            // numbers in a folder have room to spare, or it refuses them
            Err(ApspError::TooHeavy { .. }) => continue,
            kept => kept.unwrap(),
        };
        let n = graph.n_vertices();
        assert_eq!((found.n_vertices(), ranks.sources().len()), (n, n), "{name}");
        assert_eq!(found.plan(), &expected.plan, "{name}");
        for source in graph.vertices() {
            let row: Distances<_> = expected.row(source).collect();
            for target in graph.vertices() {
                let distance = row.get(target).map(Number::of);
                assert_eq!(found.distance(source, target), distance, "{name}");
                assert_eq!(kept.distance(source, target), distance, "{name}");
                assert_eq!(found.path(source, target), expected.path(source, target), "{name}");
            }
            let row = row.into();
            assert_eq!((found.row(source), kept.row(source)), (row, found.row(source)), "{name}");
            assert_eq!(ranks.row(source as usize), found.row(source), "{name}");
            assert_eq!(found.hops(source), expected.hops(source), "{name}");
        }
        let summary = expected.summary(None).unwrap();
        for found in [found.summary(None).unwrap(), ranks.summary(&Alone).unwrap()] {
            assert_eq!(found.n_reachable_pairs, summary.n_reachable_pairs, "{name}");
            assert_eq!(
                (found.sum, found.max),
                (summary.sum, summary.max.map(Number::of)),
                "{name}"
            );
        }
        let (mut files, mut hops) = ([vec![], vec![], vec![]], [vec![], vec![], vec![]]);
        expected.write_npy(&mut files[0], None).unwrap();
        found.write_npy(&mut files[1], None).unwrap();
        ranks.write_npy(&Alone, Some(&mut files[2]), None).unwrap();
        expected.write_next_hops_npy(&mut hops[0], None).unwrap();
        found.write_next_hops_npy(&mut hops[1], None).unwrap();
        ranks.write_next_hops_npy(&Alone, Some(&mut hops[2]), None).unwrap();
        for [expected, found, of_ranks] in [files, hops] {
            assert!(expected == found && expected == of_ranks, "{name}");
        }
        assert_eq!(found.next_hops(), expected.next_hops(), "{name}");
        let table = expected.into_distances().map(AnyTable::from);
        assert_eq!(found.into_distances(), table, "{name}");
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

#[test]
fn a_saved_matrix_refuses_vertices_that_it_has_not() {
    let graph = Csr::from_arcs(3, &[(0, 1, 4u32), (1, 2, 3)]).unwrap();
    let pairs = Solver::new(&graph, &Config::default()).solve(None).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("pairs.npy");
    pairs.write_npy(&mut std::fs::File::create(&path).unwrap(), None).unwrap();
    let mut saved = SavedMatrix::open(&path, &[Dtype::U64]).unwrap();
    assert_eq!(saved.distance(0, 2).unwrap(), Some(Number::U64(7)));
    for error in [saved.distance(0, 3).unwrap_err(), saved.distance(3, 0).unwrap_err()] {
        assert!(error.to_string().contains("vertex 3"), "{error}");
    }
    assert!(saved.row(3).is_err());
}
