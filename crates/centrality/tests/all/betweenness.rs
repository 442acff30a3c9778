//! Betweenness against its definition over all pairs, and laws.

use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use breadth_first::HopCounter;
use centrality::{
    Betweenness, CentralityError, Config, Lengths, MeasureWeight, Side, Sources, arc_betweenness,
    betweenness, sampling_error,
};
use graph_formats::generate::{GridConfig, RmatConfig, grid, rmat};
use graph_formats::permute::Relabelling;
use graph_formats::{Csr, Direction, VertexId, Weight};
use paths::{Progress, oracle};
use proptest::prelude::*;
use sssp::{Goal, Solver};
use test_support::{arbitrary_graph, corner_cases, undirected};

/// The scores of vertices and of arcs by the number of shortest paths of all pairs. A vertex is on a
/// shortest path of a pair if its two distances add up to that of the pair. The number of such paths
/// is the number of paths to the vertex times the number from it. So it is for an arc, whose weight
/// is added too.
fn by_pairs<W: MeasureWeight>(
    graph: &Csr<W>,
    lengths: Lengths,
    is_pair: impl Fn(usize, usize) -> bool,
) -> [Vec<f64>; 2] {
    let arcs = graph.arcs().map(|(from, to, weight)| match lengths {
        Lengths::Hops => (from, to, W::ONE),
        Lengths::Weights => (from, to, weight),
    });
    let n = graph.n_vertices();
    let graph = Csr::from_arcs(n, &arcs.collect::<Vec<_>>()).unwrap();
    let (mut distances, mut paths) = (Vec::new(), Vec::new());
    for source in graph.vertices() {
        let found = oracle::dijkstra(&graph, source).unwrap();
        let row: Vec<_> = graph.vertices().map(|v| found.get(v).map(Weight::to_f64)).collect();
        let mut order: Vec<_> = (0..n).filter(|&v| row[v].is_some()).collect();
        order.sort_by(|&u, &v| row[u].partial_cmp(&row[v]).unwrap());
        let mut n_paths = vec![0.0; n];
        n_paths[source as usize] = 1.0;
        for u in order {
            for (v, weight) in graph.arcs_from(u as VertexId) {
                if v as usize != u && row[v as usize] == row[u].map(|d| d + weight.to_f64()) {
                    n_paths[v as usize] += n_paths[u];
                }
            }
        }
        distances.push(row);
        paths.push(n_paths);
    }
    // of the paths from s to u, on to v, and from there
    let shares = |s: usize, (u, weight, v): (usize, f64, usize), is_end: &dyn Fn(usize) -> bool| {
        let to = distances[s][u].map(|to| to + weight);
        if to.is_none() || to != distances[s][v] {
            return 0.0;
        }
        let is_through =
            |t: usize| distances[v][t].zip(to).map(|(on, to)| to + on) == distances[s][t];
        let ends = (0..n).filter(|&t| t != s && distances[v][t].is_some() && is_through(t));
        let ends = ends.filter(|&t| is_end(t) && is_pair(s, t));
        ends.map(|t| paths[s][u] * paths[v][t] / paths[s][t]).sum()
    };
    let (mut of_vertices, mut of_arcs) = (vec![0.0; n], vec![0.0; graph.n_arcs()]);
    for s in 0..n {
        for v in (0..n).filter(|&v| v != s) {
            of_vertices[v] += shares(s, (v, 0.0, v), &|t| t != v);
        }
        for (sum, (u, v, weight)) in
            of_arcs.iter_mut().zip(graph.arcs()).filter(|(_, arc)| arc.0 != arc.1)
        {
            *sum += shares(s, (u as usize, weight.to_f64(), v as usize), &|_| true);
        }
    }
    [of_vertices, of_arcs]
}

pub(crate) fn assert_near(found: &[f64], expected: &[f64]) {
    assert_eq!(found.len(), expected.len());
    for (v, (a, b)) in found.iter().zip(expected).enumerate() {
        assert!((a - b).abs() <= 1e-9 * b.max(1.0), "{v}: {a} {b}");
    }
}

fn config(lengths: Lengths, threads: usize) -> Config {
    Config { lengths, threads: NonZeroUsize::new(threads), ..Config::default() }
}

pub(crate) fn find<W: MeasureWeight>(graph: &Csr<W>, config: &Config) -> Betweenness {
    betweenness(graph, config, None).unwrap()
}

/// Of vertices, and of arcs.
fn find_both<W: MeasureWeight>(graph: &Csr<W>, config: &Config) -> [Betweenness; 2] {
    [find(graph, config), arc_betweenness(graph, config, None).unwrap()]
}

/// As it is defined, and the same with any number of threads, and on either side.
fn check<W: MeasureWeight>(graph: &Csr<W>, lengths: Lengths) {
    let both = find_both(graph, &config(lengths, 1));
    for (found, expected) in both.iter().zip(by_pairs(graph, lengths, |_, _| true)) {
        assert_near(&found.raw(), &expected);
        assert!(found.is_exact() && found.n_sources() == graph.n_vertices());
        assert_eq!(found.n_vertices(), graph.n_vertices());
    }
    for threads in [2, 5] {
        let side = if threads == 2 { Side::In } else { Side::Out };
        assert_eq!(find_both(graph, &Config { side, ..config(lengths, threads) }), both);
    }
}

/// From the first of the vertices, and to them.
fn check_listed(graph: &Csr<u32>, lengths: Lengths, n: usize) {
    if graph.n_vertices() <= n {
        return;
    }
    let listed = Sources::Listed((0..n as VertexId).collect());
    for side in [Side::Out, Side::In] {
        let is_pair = |s, t| if side == Side::Out { s < n } else { t < n };
        let config = Config { sources: listed.clone(), side, ..config(lengths, 2) };
        let scale = graph.n_vertices() as f64 / n as f64;
        for (found, sums) in find_both(graph, &config).iter().zip(by_pairs(graph, lengths, is_pair))
        {
            assert_near(&found.raw(), &sums.iter().map(|sum| sum * scale).collect::<Vec<_>>());
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    /// Weights are whole numbers, whose sums are exact in floats too.
    #[test]
    fn it_is_what_it_is_defined_as(
        graph in arbitrary_graph::<u32>(30, 90, 1..=4),
        floats in arbitrary_graph::<f32>(30, 60, 1..=3),
        signed in arbitrary_graph::<i32>(25, 120, 1..=2),
    ) {
        for lengths in [Lengths::Hops, Lengths::Weights] {
            check(&graph, lengths);
            check(&undirected(&graph), lengths);
            check(&floats, lengths);
            check(&undirected(&floats).convert_weights::<f64>().unwrap(), lengths);
            check(&signed, lengths);
            check(&undirected(&signed).convert_weights::<u64>().unwrap(), lengths);
            check(&signed.clone().convert_weights::<i64>().unwrap(), lengths);
        }
    }

    /// Where most vertices are in trees, that hang on few others or are alone.
    #[test]
    fn trees_are_counted_as_they_are_defined(
        edges in arbitrary_graph::<u32>(50, 44, 1..=3),
        more in arbitrary_graph::<f64>(45, 50, 1..=2),
        n_listed in 32..36usize,
    ) {
        for lengths in [Lengths::Hops, Lengths::Weights] {
            check(&undirected(&edges), lengths);
            check(&undirected(&more), lengths);
            check_listed(&undirected(&edges), lengths, n_listed);
        }
    }

    /// One of each, which is some vertex.
    #[test]
    fn samples_are_of_sources_or_of_targets(graph in arbitrary_graph::<u32>(20, 60, 1..=3)) {
        let n = graph.n_vertices();
        for lengths in [Lengths::Hops, Lengths::Weights] {
            let from: Vec<_> = (0..n).map(|at| by_pairs(&graph, lengths, |s, _| s == at)).collect();
            let to: Vec<_> = (0..n).map(|at| by_pairs(&graph, lengths, |_, t| t == at)).collect();
            for (side, of) in [(Side::Out, from), (Side::In, to)] {
                let last = n as u32 - 1;
                let found = |sources, n_sources| {
                    let config = Config { sources, side, ..config(lengths, 2) };
                    find_both(&graph, &config).map(|found| {
                        assert_eq!(found.n_sources(), n_sources);
                        found.raw().iter().map(|sum| sum / n as f64).collect::<Vec<_>>()
                    })
                };
                let is_near = |found: &[Vec<f64>; 2], of: &[Vec<f64>; 2]| {
                    found.iter().flatten().zip(of.iter().flatten()).all(|(a, b)| (a - b).abs() < 1e-9)
                };
                let sums = found(Sources::Listed(vec![last, last]), 1);
                prop_assert!(is_near(&sums, &of[n - 1]), "{:?}", sums);
                let sums = found(Sources::Sample { n: NonZeroUsize::MIN, seed: 5 }, 1);
                prop_assert!(of.iter().any(|of| is_near(&sums, of)), "{:?}", sums);
            }
        }
    }
}

#[test]
fn corner_cases_are_right_or_refused() {
    for (name, graph) in corner_cases::<u32>().into_iter().filter(|(_, g)| g.n_vertices() < 300) {
        println!("{name}");
        check(&graph, Lengths::Hops);
        match betweenness(&graph, &config(Lengths::Weights, 2), None) {
            Ok(_) => check(&graph, Lengths::Weights),
            Err(CentralityError::WithoutLength { from, to, weight }) => {
                assert!(weight == "0" && graph.arcs().any(|arc| arc == (from, to, 0)));
                let of_arcs = arc_betweenness(&graph, &config(Lengths::Weights, 2), None);
                assert!(matches!(of_arcs, Err(CentralityError::WithoutLength { .. })));
            }
            Err(error) => panic!("{error}"),
        }
    }
}

/// Of few levels and of many, both large enough for vertices to be renumbered.
#[test]
fn renumbered_vertices_have_their_own() {
    for direction in [Direction::Directed, Direction::Undirected] {
        let mut config = RmatConfig { scale: 7, ..Default::default() };
        config.options.direction = direction;
        check(&rmat(&config).unwrap(), Lengths::Hops);
        let mut config = GridConfig { side: 18, ..Default::default() };
        config.options.direction = direction;
        check(&grid(&config).unwrap(), Lengths::Hops);
    }
}

/// The paths that end at some vertices, of graphs large enough for vertices to be renumbered. In an
/// undirected one, paths that end at a vertex go along an arc and not along its reverse.
#[test]
fn arcs_of_samples_of_targets_have_their_own() {
    for direction in [Direction::Directed, Direction::Undirected] {
        let mut options = RmatConfig { scale: 7, ..Default::default() };
        options.options.direction = direction;
        let graph = rmat(&options).unwrap();
        for lengths in [Lengths::Hops, Lengths::Weights] {
            let sources = Sources::Listed((0..64).collect());
            let of_targets = Config { sources, side: Side::In, ..config(lengths, 2) };
            let expected = by_pairs(&graph, lengths, |_, t| t < 64);
            for (found, expected) in find_both(&graph, &of_targets).iter().zip(expected) {
                let scale = graph.n_vertices() as f64 / 64.0;
                let expected: Vec<_> = expected.iter().map(|sum| sum * scale).collect();
                assert_near(&found.raw(), &expected);
            }
        }
    }
}

/// The inner vertices of a path are one fewer than its arcs, so that all values add up to the sum
/// of the distances less one for each pair. Those of arcs add up to the sum of the distances. Paths
/// along the arcs into a vertex go through it or end there, and those along arcs out of it go
/// through it or begin there.
fn assert_adds_up<W: MeasureWeight>(graph: &Csr<W>) {
    let sources: Vec<_> = graph.vertices().collect();
    let sums = HopCounter::new(graph, &[], None).sums(&sources, None).unwrap();
    let hops: u64 = sums.sums.iter().sum();
    let pairs: u64 =
        sums.n_sources.iter().map(|&n| u64::from(n)).sum::<u64>() - sums.sums.len() as u64;
    let both = find_both(graph, &config(Lengths::Hops, 2));
    let [of_vertices, of_arcs] = [both[0].raw(), both[1].raw()];
    for (values, expected) in [(&of_vertices, hops - pairs), (&of_arcs, hops)] {
        let (sum, expected) = (values.iter().sum::<f64>(), expected as f64);
        assert!((sum - expected).abs() <= 1e-10 * expected, "{sum} {expected}");
    }
    let ends = sums.n_sources.iter().map(|&n| f64::from(n - 1));
    let starts = HopCounter::new(&graph.transposed(), &[], None).sums(&sources, None).unwrap();
    let starts = starts.n_sources.iter().map(|&n| f64::from(n - 1));
    let (mut into, mut out) = (vec![0.0; sources.len()], vec![0.0; sources.len()]);
    for ((from, to, _), along) in graph.arcs().zip(&of_arcs) {
        out[from as usize] += along;
        into[to as usize] += along;
    }
    let through = |others: &mut dyn Iterator<Item = f64>| -> Vec<_> {
        of_vertices.iter().zip(others).map(|(through, other)| through + other).collect()
    };
    assert_near(&into, &through(&mut { ends }));
    assert_near(&out, &through(&mut { starts }));
    for threads in [1, 5] {
        assert_eq!(find_both(graph, &config(Lengths::Hops, threads)), both);
    }
}

/// Of few levels, where sources are searched from together, and of many.
#[test]
fn inner_vertices_of_all_paths_add_up() {
    assert_adds_up(&rmat(&RmatConfig { scale: 10, ..Default::default() }).unwrap());
    assert_adds_up(&grid(&GridConfig { side: 30, ..Default::default() }).unwrap());
}

/// Layers of `width` vertices, each with arcs to all of the next, so that width^(n − 1) paths lead
/// through. Of the paths of a pair before and behind it, each vertex of a layer is on one in `width`,
/// and each arc on one in `width`^2. Where the pair has a vertex of the arc, it is `width` times as
/// many.
fn assert_layers(width: usize, n_layers: usize) {
    let layer = |i: usize| (width * i) as VertexId..(width * (i + 1)) as VertexId;
    let between = |i| layer(i).flat_map(move |u| layer(i + 1).map(move |v| (u, v, 3u32)));
    let arcs: Vec<_> = (0..n_layers - 1).flat_map(between).collect();
    let graph = Csr::from_arcs(width * n_layers, &arcs).unwrap();
    let of_layer = |i| vec![(width * i * (n_layers - 1 - i)) as f64; width];
    let of_vertices: Vec<_> = (0..n_layers).flat_map(of_layer).collect();
    let of_gap = |i| vec![((i + 1) * (n_layers - 1 - i)) as f64; width * width];
    let of_arcs: Vec<_> = (0..n_layers - 1).flat_map(of_gap).collect();
    for lengths in [Lengths::Hops, Lengths::Weights] {
        let [vertices, arcs] = find_both(&graph, &config(lengths, 2)).map(|found| found.raw());
        assert_near(&vertices, &of_vertices);
        assert_near(&arcs, &of_arcs);
    }
}

/// 4^599 is beyond floats; 20^31 is beyond what batches count, and 32 levels are few.
#[test]
fn numbers_of_paths_do_not_overflow() {
    assert_layers(4, 600);
    assert_layers(20, 32);
}

/// From wherever, a corner is 550 rows and columns away at least: 2^1095 paths. The source is the
/// first of a random order, as a sample has it.
#[test]
fn a_large_grid_adds_up() {
    let graph = grid(&GridConfig { side: 1101, ..Default::default() }).unwrap();
    let n = graph.n_vertices();
    let source = Relabelling::first_of_random(n, 1, 2).unwrap()[0];
    let distances = Solver::new(&graph.clone().unweighted::<u32>(), &sssp::Config::default())
        .and_then(|mut solver| solver.distances(source, Goal::All))
        .unwrap();
    let inner: u64 = distances.iter().flatten().filter(|&d| d > 0).map(|d| d - 1).sum();
    let sources = Sources::Sample { n: NonZeroUsize::MIN, seed: 2 };
    let found = find(&graph, &Config { sources, ..config(Lengths::Hops, 1) });
    let sum = found.raw().iter().sum::<f64>() / n as f64;
    assert!((sum - inner as f64).abs() <= 1e-9 * inner as f64, "{sum} {inner}");
}

/// Each arc is a path of its own, and loops are on none. In weights, the heavier of two arcs is on
/// none.
#[test]
fn parallel_arcs_are_paths_and_loops_are_not() {
    let arcs = [(0, 1, 1u32), (0, 1, 1), (0, 2, 1), (1, 3, 1), (2, 3, 1), (1, 1, 0), (3, 3, 1)];
    let graph = Csr::from_arcs(4, &arcs).unwrap();
    let third = 1.0 / 3.0;
    for lengths in [Lengths::Hops, Lengths::Weights] {
        let [vertices, arcs] = find_both(&graph, &config(lengths, 2)).map(|found| found.raw());
        assert_near(&vertices, &[0.0, 2.0 * third, third, 0.0]);
        let half = 0.5 + third;
        assert_near(&arcs, &[half, half, 1.0 + third, 0.0, 1.0 + 2.0 * third, 1.0 + third, 0.0]);
    }
    let graph = Csr::from_arcs(3, &[(0, 1, 1u32), (0, 1, 2), (1, 2, 3)]).unwrap();
    let [_, arcs] = find_both(&graph, &config(Lengths::Weights, 1));
    assert_eq!(arcs.raw(), [2.0, 0.0, 2.0]);
    assert_eq!(arcs.normalised(), [2.0 / 6.0, 0.0, 2.0 / 6.0]);
    let [_, arcs] = find_both(&graph, &config(Lengths::Hops, 1));
    assert_eq!(arcs.raw(), [1.0, 1.0, 2.0]);
}

#[test]
fn arcs_that_make_paths_no_longer_are_refused() {
    let refused = |error: CentralityError, parts: [&str; 2]| {
        assert!(parts.iter().all(|part| error.to_string().contains(part)), "{error}");
    };
    let weights = config(Lengths::Weights, 1);
    let zero = Csr::from_arcs(3, &[(0, 1, 2u32), (1, 2, 0)]).unwrap();
    refused(betweenness(&zero, &weights, None).unwrap_err(), ["1 -> 2 has weight 0", "hops"]);
    assert_eq!(find(&zero, &config(Lengths::Hops, 1)).raw(), [0.0, 1.0, 0.0]);
    let debt = Csr::from_arcs(3, &[(0, 1, 2i32), (1, 2, -5)]).unwrap();
    refused(betweenness(&debt, &weights, None).unwrap_err(), ["1 -> 2 has weight -5", "hops"]);
    // lost when it is added to the first
    let tiny = Csr::from_edges(3, &[(0, 1, 1e20), (1, 2, 1.0)]).unwrap();
    refused(betweenness(&tiny, &weights, None).unwrap_err(), ["1 -> 2 has weight 1", "hops"]);
    let long = Csr::from_arcs(3, &[(0, 1, u64::MAX - 1), (1, 2, 5)]).unwrap();
    assert!(matches!(betweenness(&long, &weights, None), Err(CentralityError::Search(_))));
}

/// By no more than the bound, which one sample of a hundred may exceed.
#[test]
fn samples_are_as_near_as_the_bound_says() {
    let graph = rmat(&RmatConfig { scale: 10, ..Default::default() }).unwrap();
    let n = graph.n_vertices();
    let expected = find(&graph, &Config::default()).normalised();
    let (mut worst, k) = (0.0f64, 200);
    for seed in 0..5 {
        let sources = Sources::Sample { n: NonZeroUsize::new(k).unwrap(), seed };
        let found = find(&graph, &Config { sources, ..Config::default() });
        assert!(!found.is_exact() && found.n_sources() == k);
        for (found, expected) in found.normalised().iter().zip(&expected) {
            worst = worst.max((found - expected).abs());
        }
    }
    let bound = sampling_error(n, k, 0.01);
    assert!(worst > 0.0 && worst < bound, "{worst} {bound}");
}

/// Ended after a few blocks, again and again, with other numbers of threads.
#[test]
fn runs_go_on_where_others_ended() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("state");
    let graph = rmat(&RmatConfig { scale: 9, ..Default::default() }).unwrap();
    type Measure =
        fn(&Csr<u32>, &Config, Option<Progress<'_>>) -> Result<Betweenness, CentralityError>;
    let measures: [(Measure, Measure, _); 2] = [
        (betweenness, arc_betweenness, "betweenness of vertices, "),
        (arc_betweenness, betweenness, "betweenness of arcs, "),
    ];
    for (measure, another, name) in measures {
        for lengths in [Lengths::Hops, Lengths::Weights] {
            let expected = measure(&graph, &config(lengths, 1), None).unwrap();
            let mut n_runs = 0;
            let found = loop {
                let first = AtomicU64::new(u64::MAX);
                let step = |done, total| {
                    let _ = first.compare_exchange(u64::MAX, done, Relaxed, Relaxed);
                    let is_enough = done > first.load(Relaxed) + 150 && done < total;
                    if is_enough { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
                };
                n_runs += 1;
                let config = config(lengths, n_runs % 3 + 1);
                let config = Config { checkpoint: Some(file.clone()), ..config };
                match measure(&graph, &config, Some(&step)) {
                    Ok(found) => break found,
                    Err(CentralityError::Interrupted(_)) => assert!(file.exists()),
                    Err(error) => panic!("{error}"),
                }
            };
            assert!(n_runs > 1);
            assert_eq!(found, expected);
            let other = Config { checkpoint: Some(file.clone()), lengths, ..Config::default() };
            let errors = [
                centrality::totals(&graph, &other, None).unwrap_err(),
                another(&graph, &other, None).unwrap_err(),
            ];
            for error in errors.map(|error| error.to_string()) {
                assert!(error.contains(&format!("is the state of a run for {name}")), "{error}");
            }
            std::fs::remove_file(&file).unwrap();
        }
    }
}

/// Of floats whose sums differ by their rounding only, with a tolerance, as of whole numbers.
#[test]
fn ties_within_the_tolerance_are_ties() {
    for direction in [Direction::Directed, Direction::Undirected] {
        let mut options = GridConfig { side: 9, ..Default::default() };
        options.options.direction = direction;
        options.options.weights = 1..=3;
        let whole = grid(&options).unwrap();
        let expected = find_both(&whole, &config(Lengths::Weights, 2));
        // 0.1 + 0.2 is not 0.3
        let tenths: Vec<_> = whole.arcs().map(|(_, _, weight)| f64::from(weight) / 10.0).collect();
        let tenths = whole.with_other_weights(tenths).unwrap();
        let within = |tie_tolerance| Config { tie_tolerance, ..config(Lengths::Weights, 2) };
        let single = tenths.clone().convert_weights::<f32>().unwrap();
        let near = [find_both(&tenths, &within(1e-12)), find_both(&single, &within(1e-5))];
        // whole numbers have no ties that are near
        for found in near.into_iter().chain([find_both(&whole, &within(1e-12))]) {
            for (found, expected) in found.iter().zip(&expected) {
                assert_near(&found.raw(), &expected.raw());
            }
        }
        for (exact, expected) in find_both(&tenths, &within(0.0)).iter().zip(&expected) {
            let (exact, expected) = (exact.raw(), expected.raw());
            assert!(exact.iter().zip(&expected).any(|(a, b)| (a - b).abs() > 1e-3));
        }
    }
    // paths of a length of 10 and of 10.5 from 0 to 3
    let near = [(0, 1, 5.0), (1, 3, 5.0), (0, 2, 5.0), (2, 3, 5.5), (2, 1, 0.1), (1, 2, 0.1)];
    let near = Csr::from_arcs(4, &near).unwrap();
    let within =
        |tie_tolerance| find(&near, &Config { tie_tolerance, ..config(Lengths::Weights, 1) }).raw();
    assert_near(&within(0.01), &[0.0, 2.0, 0.0, 0.0]);
    assert_near(&within(0.06), &[0.0, 1.5, 0.5, 0.0]);
    for tolerance in [-1e-9, 1.0, f64::NAN, f64::INFINITY] {
        let config = Config { tie_tolerance: tolerance, ..config(Lengths::Weights, 1) };
        let error = betweenness(&near, &config, None).unwrap_err();
        assert!(matches!(error, CentralityError::BadTolerance(_)), "{error}");
    }
}
