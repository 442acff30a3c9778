//! Every form with every parameter against the three loops of the definition. Where there
//! is no GPU they say `SKIPPED`; the counts of launches are tested anywhere.

use super::super::tests::gpu;
use super::{
    Element, Layout, Parameters, Phase, Published, SIDE_STEP, path_of_last_vertices, solve,
};
use crate::{Algorithm, ApspError};

/// Around every side of a tile, and some between.
pub(super) const SIZES: [usize; 24] = [
    0, 1, 2, 3, 7, 15, 16, 17, 24, 31, 32, 33, 47, 49, 63, 64, 65, 80, 97, 127, 128, 129, 130, 200,
];

/// Elements of tests: small integers in both types.
pub(super) trait Number: Element {
    fn number(value: i32) -> Self;
}

impl Number for i32 {
    fn number(value: i32) -> Self {
        value
    }
}

impl Number for f32 {
    fn number(value: i32) -> Self {
        value as Self
    }
}

const FORMS: [Algorithm; 4] = [
    Algorithm::FloydWarshall,
    Algorithm::BlockedProduct,
    Algorithm::BlockedTwoLevel,
    Algorithm::Recursive,
];

pub(super) fn side_of(n: usize) -> usize {
    n.next_multiple_of(SIDE_STEP)
}

/// Arcs of both signs among `n` vertices, and no negative cycle: each goes up or down a slope,
/// and costs at least nothing beside it. Not everybody reaches everybody.
pub(super) fn slope<E: Number>(n: usize) -> Vec<E> {
    let side = side_of(n);
    let mut matrix = vec![E::NO_PATH; side * side];
    let height = |v: usize| (v * v % 101) as i32;
    for u in 0..n {
        for (v, seed) in [((u * 5 + 1) % n, 3), ((u + 7) % n, 5), ((u * u + 3) % n, 11)] {
            if u % 13 != 12 {
                let cost = ((u * 31 + v * 17) % (19 + seed)) as i32;
                matrix[u * side + v] = E::number(cost + height(v) - height(u));
            }
        }
    }
    (0..side).for_each(|v| matrix[v * side + v] = E::number(0));
    matrix
}

/// The distances, by the definition.
pub(super) fn distances<E: Number>(n: usize) -> Vec<E> {
    let side = side_of(n);
    let mut matrix = slope::<E>(n);
    for k in 0..n {
        for i in 0..n {
            let first = matrix[i * side + k];
            for j in 0..n {
                let sum = first.sum(matrix[k * side + j]);
                if sum < matrix[i * side + j] {
                    matrix[i * side + j] = sum;
                }
            }
        }
    }
    matrix
}

/// All that there are kernels for, with and without what can be left out.
fn all_parameters() -> Vec<(Algorithm, Parameters)> {
    let mut all = Vec::new();
    for last_vertices in [false, true] {
        let parameters = Parameters { last_vertices, ..Parameters::default() };
        all.push((Algorithm::FloydWarshall, parameters));
    }
    for tile in [16, 32, 64] {
        for step_rows in [1, 2, 4, 8, 16] {
            let rows = Parameters { step_rows, ..Parameters::of_tile(tile) };
            for fused in [true, false] {
                all.push((Algorithm::Recursive, Parameters { fused, ..rows }));
            }
            for per_block in [1, 2, 128] {
                all.push((Algorithm::BlockedProduct, Parameters { per_block, ..rows }));
            }
        }
        for small_tile in [1, 2, 4, 8, 16] {
            for layout in [Layout::Blocked, Layout::RowMajor] {
                for per_block in [1, 3] {
                    let levels =
                        Parameters { small_tile, layout, per_block, ..Parameters::of_tile(tile) };
                    all.push((Algorithm::BlockedTwoLevel, levels));
                }
            }
        }
    }
    let sequential = Parameters { sequential: true, ..Parameters::of_tile(16) };
    all.push((Algorithm::Recursive, sequential));
    all
}

fn every_form_agrees<E: Number>() {
    let Some(gpu) = gpu() else { return };
    let expected: Vec<(usize, Vec<E>)> = SIZES.iter().map(|&n| (n, distances(n))).collect();
    for (algorithm, parameters) in all_parameters() {
        let new = |side| Published::<E>::new(&gpu, algorithm, parameters, side).unwrap();
        let mut solvers = [new(0), new(SIDE_STEP), new(2 * SIDE_STEP)];
        for (n, expected) in &expected {
            let side = side_of(*n);
            let mut matrix = gpu.upload(&slope::<E>(*n)).unwrap();
            let n_launches = solvers[side / SIDE_STEP].solve(&mut matrix, *n).unwrap();
            assert_eq!(n_launches, parameters.n_launches(algorithm, *n));
            let found = matrix.download().unwrap();
            let differs = |(a, b): (&E, &E)| a != b && (a.is_path() || b.is_path());
            let place = found.iter().zip(expected).position(differs);
            let place = place.map(|place| (place / side, place % side));
            assert_eq!(place, None, "{algorithm} of {n} in {} with {parameters:?}", E::NAME);
        }
    }
}

#[test]
fn every_form_agrees_on_integers() {
    every_form_agrees::<i32>();
}

#[test]
fn every_form_agrees_on_floats() {
    every_form_agrees::<f32>();
}

/// Floats that are not whole: whoever runs first, the last bits are the same.
#[test]
fn floats_are_the_same_every_time() {
    let Some(gpu) = gpu() else { return };
    let n = 200;
    let weights: Vec<f32> = slope::<f32>(n).into_iter().map(|w| w.abs() / 3.0).collect();
    for (algorithm, parameters) in all_parameters() {
        let mut runs = (0..3).map(|_| {
            let mut matrix = gpu.upload(&weights).unwrap();
            solve(&gpu, algorithm, parameters, &mut matrix, n).unwrap();
            matrix.download().unwrap()
        });
        let first = runs.next().unwrap();
        assert!(runs.all(|run| run == first), "{algorithm} with {parameters:?}");
    }
}

#[test]
fn last_vertices_are_paths_of_these_lengths() {
    let Some(gpu) = gpu() else { return };
    let n = 130;
    let (arcs, side) = (slope::<i32>(n), side_of(n));
    let parameters = Parameters { last_vertices: true, ..Parameters::default() };
    let mut solver = Published::new(&gpu, Algorithm::FloydWarshall, parameters, side).unwrap();
    let mut matrix = gpu.upload(&arcs).unwrap();
    // the second time over what the first one left
    for _ in 0..2 {
        matrix.upload(&arcs).unwrap();
        solver.solve(&mut matrix, n).unwrap();
    }
    let (found, last) = (matrix.download().unwrap(), solver.last_vertices().unwrap());
    let last = last.download().unwrap();
    let mut n_paths = 0;
    for (u, v) in (0..n).flat_map(|u| (0..n).map(move |v| (u, v))) {
        let distance = found[u * side + v];
        if u == v || !distance.is_path() {
            continue;
        }
        let path = path_of_last_vertices(&last, side, u as u32, v as u32).unwrap();
        let weights = path.windows(2).map(|w| arcs[w[0] as usize * side + w[1] as usize]);
        assert_eq!((path[0], path.last(), weights.sum()), (u as u32, Some(&(v as u32)), distance));
        n_paths += 1;
    }
    assert!(n_paths > n * n / 2, "{n_paths} paths are few");
}

#[test]
fn launches_are_as_many_as_the_paper_counts() {
    for tile in [16, 32, 64] {
        let fused = Parameters::of_tile(tile);
        let as_measured = Parameters { fused: false, ..fused };
        for n in [128usize, 1000, 4096, 8192] {
            let n_tiles = n.div_ceil(tile as usize) as u64;
            for algorithm in [Algorithm::BlockedProduct, Algorithm::BlockedTwoLevel] {
                assert_eq!(fused.n_launches(algorithm, n), 3 * n_tiles);
            }
            assert_eq!(fused.n_launches(Algorithm::Recursive, n), 5 * n_tiles - 4);
            assert_eq!(as_measured.n_launches(Algorithm::Recursive, n), 7 * n_tiles - 6);
            assert_eq!(fused.n_launches(Algorithm::FloydWarshall, n), n as u64);
        }
        for (algorithm, n) in FORMS.into_iter().flat_map(|form| SIZES.map(|n| (form, n))) {
            let side = match algorithm {
                Algorithm::FloydWarshall => n,
                _ => n.next_multiple_of(tile as usize),
            };
            for parameters in [fused, as_measured] {
                let launches = parameters.launches(algorithm, n);
                assert_eq!(launches.len() as u64, parameters.n_launches(algorithm, n));
                let all: u64 = launches.iter().map(|launch| launch.relaxations).sum();
                assert_eq!(all, (side as u64).pow(3), "{algorithm} of {n} by {tile}");
            }
        }
    }
    let parameters = Parameters { fused: false, ..Parameters::of_tile(32) };
    assert_eq!(parameters.n_launches(Algorithm::Recursive, 8192), 1786);
    assert_eq!(parameters.n_launches(Algorithm::BlockedProduct, 5), 1);
    assert_eq!(parameters.n_launches(Algorithm::BlockedTwoLevel, 0), 0);
}

/// The numbers of blocks of the paper's table 2.
#[test]
fn launches_have_as_many_blocks_as_the_paper_says() {
    let Some(gpu) = gpu() else { return };
    let blocks = |algorithm, tile, small_tile, per_block| {
        let parameters = Parameters { small_tile, per_block, ..Parameters::of_tile(tile) };
        let layout = Parameters { layout: Layout::RowMajor, ..parameters };
        let bulk = Published::<i32>::new(&gpu, algorithm, layout, 8192).unwrap().bulk(8192);
        let bulk = bulk.unwrap();
        assert!(
            bulk.resident > 0 && bulk.attributes.registers > 0 && bulk.attributes.local_bytes == 0
        );
        (bulk.threads, bulk.blocks)
    };
    assert_eq!(blocks(Algorithm::BlockedProduct, 16, 4, 16), (64, 4088));
    assert_eq!(blocks(Algorithm::BlockedProduct, 32, 4, 128), (64, 510));
    assert_eq!(blocks(Algorithm::BlockedProduct, 64, 4, 8), (64, 8128));
    assert_eq!(blocks(Algorithm::BlockedTwoLevel, 16, 4, 16), (64, 16_352));
    assert_eq!(blocks(Algorithm::BlockedTwoLevel, 32, 2, 16), (64, 4080));
    assert_eq!(blocks(Algorithm::BlockedTwoLevel, 64, 4, 1), (256, 16_256));
}

#[test]
fn phases_are_timed_and_the_answer_is_the_same() {
    let Some(gpu) = gpu() else { return };
    for algorithm in [Algorithm::BlockedProduct, Algorithm::BlockedTwoLevel, Algorithm::Recursive] {
        let mut solver =
            Published::<i32>::new(&gpu, algorithm, Parameters::default(), 256).unwrap();
        let mut matrix = gpu.upload(&slope::<i32>(200)).unwrap();
        let times = solver.solve_timed(&mut matrix, 200).unwrap();
        let launches: Vec<_> = times.each().iter().map(|each| each.0).collect();
        assert_eq!(launches, Parameters::default().launches(algorithm, 200));
        assert!(times.ms(Phase::Pivot) > 0.0 && times.ms(Phase::Bulk) > 0.0);
        assert_eq!(times.ms(Phase::Panels) > 0.0, algorithm != Algorithm::Recursive);
        let found = matrix.download().unwrap();
        let pairs = found.iter().zip(distances::<i32>(200));
        assert!(pairs.into_iter().all(|(a, b)| *a == b || !a.is_path() && !b.is_path()));
    }
}

#[test]
fn parameters_that_nobody_compiled_are_named() {
    let check = |algorithm, parameters: Parameters| {
        parameters.check(algorithm).err().map(|error| error.to_string()).unwrap_or_default()
    };
    let default = Parameters::default();
    for (algorithm, parameters) in all_parameters() {
        assert_eq!(check(algorithm, parameters), "");
    }
    let product = Algorithm::BlockedProduct;
    let says = check(product, Parameters { tile: 24, ..default });
    assert_eq!(says, "the side of a tile is 24, but it has to be 16, 32 or 64");
    assert!(check(product, Parameters { step_rows: 32, ..default }).contains("rows per step"));
    assert!(check(product, Parameters { per_block: 0, ..default }).contains("per block is 0"));
    let sequential = Parameters { sequential: true, ..default };
    assert!(check(Algorithm::Recursive, sequential).contains("16 where one thread closes it"));
    assert_eq!(check(product, sequential), "", "looks at its own only");
    assert_eq!(check(product, Parameters { small_tile: 3, ..default }), "");
    let levels = Algorithm::BlockedTwoLevel;
    assert!(check(levels, Parameters { small_tile: 3, ..default }).contains("small tile is 3"));
    assert!(check(Algorithm::Johnson, default).contains("johnson is not"));
}

#[test]
fn matrices_of_other_sides_are_refused() {
    let Some(gpu) = gpu() else { return };
    let new = |side| Published::<i32>::new(&gpu, Algorithm::Recursive, Parameters::default(), side);
    assert!(matches!(new(100), Err(ApspError::Parameter { .. })));
    let mut matrix = gpu.buffer(128 * 128).unwrap();
    assert!(matches!(new(256).unwrap().solve(&mut matrix, 5), Err(ApspError::Gpu(_))));
    assert!(matches!(new(128).unwrap().solve(&mut matrix, 129), Err(ApspError::Gpu(_))));
}
