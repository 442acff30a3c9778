//! Several GPUs find what one does, and what the processor does.

use apsp::{Algorithm, ApspError, Config, Number, Pairs, PairsWeight, Phases, Solver};
use gpu_runtime::Gpu;
use graph_formats::{Csr, VertexId, Weight};
use published::pairs::Form;
use test_support::corner_cases;

use crate::common::{identical, same};
use crate::gpu::{
    MOST_VERTICES, by_gpu, in_32_bits, in_64_bits, light, plateaus, slope, some_gpus,
};

/// Two and three GPUs find what one does, with their rows there and passing through.
#[test]
fn several_gpus_share_a_matrix() {
    let Some(all) = some_gpus(3) else { return };
    let first = &all[0];
    fn check<W: PairsWeight>(first: &Gpu, all: &[Gpu], graph: &Csr<W>, config: &Config) {
        let expected = by_gpu(first, graph, config).unwrap();
        let n = graph.n_vertices() as u64;
        for n_gpus in [2, 3] {
            // the second is less than a share takes, with the rows that come from others
            for memory in [u64::MAX, n * n * 9 / 5] {
                let gpus = all[..n_gpus].iter();
                let gpus: Vec<_> = gpus.map(|gpu| gpu.with_memory_cap(memory)).collect();
                let pairs = Solver::new(graph, config).on(&gpus).solve(None).unwrap();
                assert!(same(pairs.distances().unwrap(), expected.distances().unwrap()));
                assert!(pairs.next_hops() == expected.next_hops());
                assert_eq!(pairs.report.hop_strips > 0, config.next_hops, "{n_gpus} in {memory}");
                assert_eq!(pairs.report.strips > 0, memory < u64::MAX, "{n_gpus} in {memory}");
            }
        }
    }
    let config = Config::default();
    let heavy = in_32_bits(5000, 20_000, 50_000);
    check(first, &all, &heavy, &config);
    check(first, &all, &heavy.clone().convert_weights::<f32>().unwrap(), &config);
    check(first, &all, &slope(2500), &Config { next_hops: true, ..config.clone() });
    check(first, &all, &heavy.clone().convert_weights::<f64>().unwrap(), &config);
    check(first, &all, &light(3000, 9000), &config);
    // next hops by one pass and by levels, of all numbers that do not round
    let hops = Config { next_hops: true, ..config.clone() };
    check(first, &all, &light(3000, 9000), &hops);
    check(first, &all, &heavy, &hops);
    check(first, &all, &in_64_bits(&slope(5000)), &hops);
    check(first, &all, &slope(2500).convert_weights::<f32>().unwrap(), &hops);
    check(first, &all, &plateaus(2600), &hops);
    let recursive = Config::with(Algorithm::Published(Form::Recursive));
    let refused = Solver::new(&heavy, &recursive).on(&all).solve(None);
    assert!(matches!(refused, Err(ApspError::NotOnGpu { .. })));
    let refused = Solver::new(&heavy, &config).on(&[]).solve(None);
    assert!(matches!(refused, Err(ApspError::NotOnGpu { .. })));
}

/// What stays on one GPU or three is what is brought back from one, and so is what closing it took.
#[test]
fn rows_stay_on_gpus() {
    let Some(all) = some_gpus(3) else { return };
    fn check<W: PairsWeight>(all: &[Gpu], graph: &Csr<W>, number: Option<Number>) {
        let config = Config::default();
        let expected = by_gpu(&all[0], graph, &config).unwrap();
        for gpus in [&all[..1], &all[..2], all] {
            let found = Solver::new(graph, &config).on(gpus).solve_on_gpus(None).unwrap();
            assert_eq!(found.n_vertices(), graph.n_vertices());
            assert!(number.is_none_or(|number| found.plan.number == Some(number)));
            for source in graph.vertices() {
                let (found, expected) = (found.row(source).unwrap(), expected.row(source));
                let is_same = |(found, expected): (&Option<W::Distance>, Option<W::Distance>)| {
                    let [a, b] =
                        [*found, expected].map(|d| d.map_or(f64::INFINITY, |d| d.to_f64()));
                    a == b || W::ZERO.to_i128().is_none() && (a - b).abs() <= 1e-5 * a.abs()
                };
                assert!(found.iter().zip(expected).all(is_same), "{number:?} from {source}");
            }
            assert!(found.row(graph.n_vertices() as VertexId).unwrap().is_empty());
            let (report, n_blocks) = (found.report, graph.n_vertices() / 1024);
            let phases = report.phases;
            let all_ms = [phases.closing_ms, phases.updating_ms, phases.waiting_ms];
            let sent = phases.sending_ms;
            if n_blocks > 4 {
                assert!(all_ms.iter().all(|ms| (0.0..=report.solve_ms).contains(ms)), "{report:?}");
                assert!(phases.closing_ms > 0.0 && phases.updating_ms > 0.0, "{report:?}");
                assert_eq!(sent > 0.0, gpus.len() > 1, "{report:?}");
            } else if gpus.len() == 1 {
                // one block, of which nothing is to be told
                assert_eq!(phases, Phases::default());
            }
        }
    }
    let heavy = in_32_bits(5200, 20_000, 50_000);
    check(&all, &heavy, Some(Number::I32));
    check(&all, &heavy.clone().convert_weights::<f32>().unwrap(), Some(Number::F32));
    check(&all, &light(3000, 9000), None);
    check(&all, &in_64_bits(&slope(2100)), Some(Number::I64));
    check(&all, &slope(1500).convert_weights::<f64>().unwrap(), Some(Number::F64));
    for n in [0, 1, 100] {
        check(&all, &Csr::<u32>::from_arcs(n, &[]).unwrap(), None);
    }
    let graph = light(500, 900);
    let refused = |config: &Config, gpus: &[Gpu]| {
        let found = Solver::new(&graph, config).on(gpus).solve_on_gpus(None);
        assert!(matches!(found, Err(ApspError::NotOnGpu { .. })), "{found:?}");
    };
    refused(&Config::default(), &[]);
    refused(&Config::with(Algorithm::Johnson), &all);
    refused(&Config::with(Algorithm::Published(Form::Recursive)), &all[..1]);
    refused(&Config { next_hops: true, ..Config::default() }, &all);
    let small: Vec<_> = all.iter().map(|gpu| gpu.with_memory_cap(1 << 20)).collect();
    let large = in_32_bits(2500, 9000, 50_000);
    let found = Solver::new(&large, &Config::default()).on(&small).solve_on_gpus(None);
    assert!(matches!(found, Err(ApspError::Gpu(_))), "{found:?}");
}

/// Johnson's searches on one GPU and on three find what the processor's do, floats to the last bit.
#[test]
fn johnson_is_that_of_the_processor() {
    let Some(all) = some_gpus(3) else { return };
    fn check<W: PairsWeight>(all: &[Gpu], graph: &Csr<W>, next_hops: bool) {
        let config = Config { next_hops, ..Config::with(Algorithm::Johnson) };
        let expected = Solver::new(graph, &config).solve(None);
        for gpus in [&all[..1], all] {
            let found = Solver::new(graph, &config).on(gpus).solve(None);
            match (&found, &expected) {
                (Ok(found), Ok(expected)) => {
                    assert_eq!(found.plan.algorithm, Algorithm::Johnson);
                    let of = |pairs: &Pairs<W>| pairs.distances().unwrap().clone();
                    assert!(identical(&of(found), &of(expected)), "{}", W::KIND);
                    assert!(found.next_hops() == expected.next_hops(), "{}", W::KIND);
                }
                (Err(found), Err(expected)) => {
                    assert_eq!(found.to_string(), expected.to_string());
                }
                (found, _) => panic!("{:?} on GPUs", found.as_ref().err()),
            }
        }
    }
    fn corner_cases_agree<W: PairsWeight>(all: &[Gpu]) {
        for (_, graph) in corner_cases::<W>() {
            if graph.n_vertices() <= MOST_VERTICES {
                check(all, &graph, false);
            }
        }
    }
    corner_cases_agree::<u32>(&all);
    corner_cases_agree::<i32>(&all);
    corner_cases_agree::<f32>(&all);
    corner_cases_agree::<u64>(&all);
    corner_cases_agree::<i64>(&all);
    corner_cases_agree::<f64>(&all);
    let large = in_32_bits(2500, 10_000, 50_000);
    check(&all, &large, true);
    check(&all, &slope(2500), true);
    check(&all, &in_64_bits(&slope(700)), true);
    let sevenths: Vec<_> = large.arcs().map(|(u, v, w)| (u, v, w as f32 / 7.0)).collect();
    check(&all, &Csr::from_arcs(2500, &sevenths).unwrap(), false);
    // a table that is more than the memory allowed, and one that is not
    let config = Config { memory: Some(2500 * 2500 * 8), ..Config::with(Algorithm::Johnson) };
    assert!(by_gpu(&all[0], &large, &config).is_ok());
    let config = Config { memory: Some(2500 * 2500 * 8 - 1), ..config };
    let refused = by_gpu(&all[0], &large, &config);
    assert!(matches!(refused, Err(ApspError::OverMemory { .. })));
}
