//! Every form with every parameter against the three loops of the definition. Where there
//! is no GPU they say `SKIPPED`; the counts of launches are tested anywhere.

use std::ops::Add;

use gpu_runtime::{Buffer, Gpu};
use graph_formats::WeightKind;
use kernels::{Module, apsp};
use search_parts::SearchError;

use super::{Element, Form, Parameters, Phase, SIDE_STEP, Solver, launches, path_of_last_vertices};

/// Around every side of a tile, and some between.
pub(super) const SIZES: [usize; 24] = [
    0, 1, 2, 3, 7, 15, 16, 17, 24, 31, 32, 33, 47, 49, 63, 64, 65, 80, 97, 127, 128, 129, 130, 200,
];

/// Elements of tests: small integers in both types.
pub(super) trait Number: Element + Add<Output = Self> {
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

const FORMS: [Form; 4] =
    [Form::FloydWarshall, Form::BlockedProduct, Form::BlockedTwoLevel, Form::Recursive];

pub(super) fn gpu() -> Option<Gpu> {
    test_support::gpu(Gpu::open())
}

pub(super) fn side_of(n: usize) -> usize {
    n.next_multiple_of(SIDE_STEP)
}

/// Arcs of both signs among `n` vertices, and no negative cycle: each goes up or down a slope,
/// and costs at least nothing beside it. Not all vertices reach all others.
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
                let sum = first + matrix[k * side + j];
                if sum < matrix[i * side + j] {
                    matrix[i * side + j] = sum;
                }
            }
        }
    }
    matrix
}

/// All that there are kernels for, with and without what can be left out.
fn all_parameters() -> Vec<(Form, Parameters)> {
    let mut all = Vec::new();
    for last_vertices in [false, true] {
        let parameters = Parameters { last_vertices, ..Parameters::default() };
        all.push((Form::FloydWarshall, parameters));
    }
    for tile in [16, 32, 64] {
        for step_rows in [1, 2, 4, 8, 16] {
            let rows = Parameters { step_rows, ..Parameters::of_tile(tile) };
            for fused in [true, false] {
                all.push((Form::Recursive, Parameters { fused, ..rows }));
            }
            for per_block in [1, 2, 128] {
                all.push((Form::BlockedProduct, Parameters { per_block, ..rows }));
            }
        }
        for small_tile in [1, 2, 4, 8, 16] {
            for row_major in [false, true] {
                for per_block in [1, 3] {
                    let of_tile = Parameters::of_tile(tile);
                    let levels = Parameters { small_tile, row_major, per_block, ..of_tile };
                    all.push((Form::BlockedTwoLevel, levels));
                }
            }
        }
    }
    let sequential = Parameters { sequential: true, ..Parameters::of_tile(16) };
    all.push((Form::Recursive, sequential));
    all
}

fn every_form_agrees<E: Number>() {
    let Some(gpu) = gpu() else { return };
    let expected: Vec<(usize, Vec<E>)> = SIZES.iter().map(|&n| (n, distances(n))).collect();
    for (form, parameters) in all_parameters() {
        let new = |side| Solver::new(&gpu, form, parameters, E::KIND, side).unwrap();
        let mut solvers = [new(0), new(SIDE_STEP), new(2 * SIDE_STEP)];
        for (n, expected) in &expected {
            let side = side_of(*n);
            let mut matrix = gpu.upload(&slope::<E>(*n)).unwrap().cast();
            let n_launches = solvers[side / SIDE_STEP].solve(&mut matrix, *n).unwrap();
            assert_eq!(n_launches, launches(form, &parameters, *n).len() as u64);
            let found = matrix.cast::<E>().download().unwrap();
            let differs = |(a, b): (&E, &E)| a != b && (a.is_path() || b.is_path());
            let place = found.iter().zip(expected).position(differs);
            let place = place.map(|place| (place / side, place % side));
            assert_eq!(place, None, "{form:?} of {n} in {} with {parameters:?}", E::KIND);
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

/// Floats that are not whole: whatever thread runs first, the last bits are the same.
#[test]
fn floats_are_the_same_every_time() {
    let Some(gpu) = gpu() else { return };
    let n = 200;
    let weights: Vec<f32> = slope::<f32>(n).into_iter().map(|w| w.abs() / 3.0).collect();
    for (form, parameters) in all_parameters() {
        let mut runs = (0..3).map(|_| {
            let mut matrix = gpu.upload(&weights).unwrap().cast();
            let new = Solver::new(&gpu, form, parameters, WeightKind::F32, side_of(n));
            new.unwrap().solve(&mut matrix, n).unwrap();
            matrix.download().unwrap()
        });
        let first = runs.next().unwrap();
        assert!(runs.all(|run| run == first), "{form:?} with {parameters:?}");
    }
}

#[test]
fn last_vertices_are_paths_of_these_lengths() {
    let Some(gpu) = gpu() else { return };
    let n = 130;
    let (arcs, side) = (slope::<i32>(n), side_of(n));
    let parameters = Parameters { last_vertices: true, ..Parameters::default() };
    let new = Solver::new(&gpu, Form::FloydWarshall, parameters, WeightKind::I32, side);
    let (mut solver, mut matrix) = (new.unwrap(), gpu.buffer::<i32>(side * side).unwrap());
    // the second time over what the first one left
    for _ in 0..2 {
        matrix.upload(&arcs).unwrap();
        let mut words = matrix.cast();
        solver.solve(&mut words, n).unwrap();
        matrix = words.cast();
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
    let count = |form, parameters, n| launches(form, &parameters, n).len();
    for tile in [16, 32, 64] {
        let fused = Parameters::of_tile(tile);
        let as_measured = Parameters { fused: false, ..fused };
        for n in [128usize, 1000, 4096, 8192] {
            let n_tiles = n.div_ceil(tile as usize);
            for form in [Form::BlockedProduct, Form::BlockedTwoLevel] {
                assert_eq!(count(form, fused, n), 3 * n_tiles);
            }
            assert_eq!(count(Form::Recursive, fused, n), 5 * n_tiles - 4);
            assert_eq!(count(Form::Recursive, as_measured, n), 7 * n_tiles - 6);
            assert_eq!(count(Form::FloydWarshall, fused, n), n);
        }
        for (form, n) in FORMS.into_iter().flat_map(|form| SIZES.map(|n| (form, n))) {
            let side = match form {
                Form::FloydWarshall => n,
                _ => n.next_multiple_of(tile as usize),
            };
            for parameters in [fused, as_measured] {
                let launches = launches(form, &parameters, n);
                let all: u64 = launches.iter().map(|launch| launch.relaxations).sum();
                assert_eq!(all, (side as u64).pow(3), "{form:?} of {n} by {tile}");
            }
        }
    }
    let parameters = Parameters { fused: false, ..Parameters::of_tile(32) };
    assert_eq!(count(Form::Recursive, parameters, 8192), 1786);
    assert_eq!(count(Form::BlockedProduct, parameters, 5), 1);
    assert_eq!(count(Form::BlockedTwoLevel, parameters, 0), 0);
}

/// The numbers of blocks of the paper's table 2.
#[test]
fn launches_have_as_many_blocks_as_the_paper_says() {
    let Some(gpu) = gpu() else { return };
    let blocks = |form, tile, small_tile, per_block| {
        let of_tile = Parameters::of_tile(tile);
        let parameters = Parameters { small_tile, per_block, row_major: true, ..of_tile };
        let solver = Solver::new(&gpu, form, parameters, WeightKind::I32, 8192).unwrap();
        let (kernel, shape) = solver.bulk(8192);
        let attributes = kernel.attributes().unwrap();
        assert!(attributes.registers > 0 && attributes.local_bytes == 0);
        assert!(kernel.occupancy(shape.block, shape.shared_bytes).unwrap() > 0);
        (shape.block, shape.grid.0 * shape.grid.1)
    };
    assert_eq!(blocks(Form::BlockedProduct, 16, 4, 16), (64, 4088));
    assert_eq!(blocks(Form::BlockedProduct, 32, 4, 128), (64, 510));
    assert_eq!(blocks(Form::BlockedProduct, 64, 4, 8), (64, 8128));
    assert_eq!(blocks(Form::BlockedTwoLevel, 16, 4, 16), (64, 16_352));
    assert_eq!(blocks(Form::BlockedTwoLevel, 32, 2, 16), (64, 4080));
    assert_eq!(blocks(Form::BlockedTwoLevel, 64, 4, 1), (256, 16_256));
}

#[test]
fn launches_are_timed_and_the_answer_is_the_same() {
    let Some(gpu) = gpu() else { return };
    let (n, parameters) = (200, Parameters::default());
    for form in [Form::BlockedProduct, Form::BlockedTwoLevel, Form::Recursive] {
        let mut solver = Solver::new(&gpu, form, parameters, WeightKind::I32, side_of(n)).unwrap();
        let right = |matrix: Buffer<u32>| {
            let found = matrix.cast::<i32>().download().unwrap();
            let mut pairs = found.iter().zip(distances::<i32>(n));
            pairs.all(|(a, b)| *a == b || !a.is_path() && !b.is_path())
        };
        let mut matrix = gpu.upload(&slope::<i32>(n)).unwrap().cast();
        let times = solver.solve_timed(&mut matrix, n).unwrap();
        let launches = launches(form, &parameters, n);
        assert_eq!(times.len(), launches.len());
        let ms = |phase| {
            let of_phase = launches.iter().zip(&times).filter(|timed| timed.0.phase == phase);
            of_phase.map(|timed| timed.1).sum::<f64>()
        };
        assert!(ms(Phase::Pivot) > 0.0 && ms(Phase::Bulk) > 0.0);
        assert_eq!(ms(Phase::Panels) > 0.0, form != Form::Recursive);
        assert!(right(matrix), "{form:?}");
        let mut matrix = gpu.upload(&slope::<i32>(n)).unwrap().cast();
        assert!(solver.solve_ms(&mut matrix, n).unwrap() > 0.0 && right(matrix), "{form:?}");
    }
}

#[test]
fn parameters_without_a_kernel_are_named() {
    let check = |form, parameters: Parameters| {
        parameters.check(form).err().map(|error| error.to_string()).unwrap_or_default()
    };
    let default = Parameters::default();
    for (form, parameters) in all_parameters() {
        assert_eq!(check(form, parameters), "");
    }
    let product = Form::BlockedProduct;
    let says = check(product, Parameters { tile: 24, ..default });
    assert_eq!(says, "unknown side of a tile '24'; known are 16, 32, 64");
    assert!(check(product, Parameters { step_rows: 32, ..default }).contains("rows per step"));
    assert!(check(product, Parameters { per_block: 0, ..default }).contains("per block '0'"));
    let sequential = Parameters { sequential: true, ..default };
    assert!(check(Form::Recursive, sequential).contains("one thread closes '32'; known are 16"));
    assert_eq!(check(product, sequential), "", "uses its own only");
    assert_eq!(check(product, Parameters { small_tile: 3, ..default }), "");
    let levels = Form::BlockedTwoLevel;
    assert!(check(levels, Parameters { small_tile: 3, ..default }).contains("small tile '3'"));
}

#[test]
fn what_no_kernel_takes_is_refused() {
    let Some(gpu) = gpu() else { return };
    let of = |form, kind, side| Solver::new(&gpu, form, Parameters::default(), kind, side);
    let out_of_core = of(Form::BlockedOutOfCore, WeightKind::I32, 128);
    assert!(matches!(out_of_core, Err(SearchError::NotOnGpu { .. })));
    let doubles = of(Form::Recursive, WeightKind::F64, 128);
    assert!(matches!(doubles, Err(SearchError::NotOnGpu { .. })));
    let new = |side| of(Form::Recursive, WeightKind::I32, side);
    assert!(matches!(new(100), Err(SearchError::UnknownName(_))));
    let mut matrix = gpu.buffer(128 * 128).unwrap();
    assert!(new(256).unwrap().solve(&mut matrix, 5).is_err());
    assert!(new(128).unwrap().solve(&mut matrix, 129).is_err());
}

#[test]
fn every_kernel_is_an_entry_of_its_module() {
    let has = |modules: [Module; 2], names: &[&str]| {
        for (module, kind) in modules.iter().zip([WeightKind::I32, WeightKind::F32]) {
            for name in names.iter().map(|name| format!("{name}_{kind}")) {
                assert!(module.ptx.contains(&format!(".entry {name}(")), "{name}");
            }
        }
    };
    let plain = [apsp::PUBLISHED_PLAIN_I32, apsp::PUBLISHED_PLAIN_F32];
    let out_of_core = [apsp::PUBLISHED_OUT_OF_CORE_I32, apsp::PUBLISHED_OUT_OF_CORE_F32];
    let tiles = [apsp::PUBLISHED_TILES_I32, apsp::PUBLISHED_TILES_F32];
    let product = [apsp::PUBLISHED_PRODUCT_I32, apsp::PUBLISHED_PRODUCT_F32];
    let two_level = [apsp::PUBLISHED_TWO_LEVEL_I32, apsp::PUBLISHED_TWO_LEVEL_F32];
    has(plain, &["plain", "plain_last"]);
    has(out_of_core, &["out_of_core"]);
    has(tiles, &["pivot_sequential"]);
    has(product, &["multiply_sides", "multiply_corner"]);
    has(two_level, &["to_tiles", "from_tiles"]);
    for (_, Parameters { tile, step_rows, small_tile, .. }) in all_parameters() {
        let closing = ["pivot", "panels"].map(|name| format!("{name}_t{tile}_h{step_rows}"));
        has(tiles, &closing.each_ref().map(String::as_str));
        has(product, &[&format!("bulk_t{tile}")]);
        has(two_level, &[&format!("two_level_t{tile}_u{small_tile}")]);
    }
}
