//! What solvers on a GPU take of its memory and of the host's, and what they do where it is little.

use apsp::{Algorithm, ApspError, Config, Number};
use gpu_runtime::GpuError;
use paths::oracle;
use published::pairs::Form;

use crate::gpu::{agree, by_gpu, gpu, in_32_bits, in_64_bits, light, slope};

/// The bulk is in strips: of the sizes that fit, of ones that end in a shorter block.
#[test]
fn strips_where_memory_is_little() {
    let Some(gpu) = gpu() else { return };
    let config = Config::default();
    for (n, memory) in [(1500, 7 << 20), (1500, 9 << 20), (2100, 12 << 20)] {
        let (gpu, twice) = (gpu.with_memory_cap(memory), gpu.with_memory_cap(2 * memory));
        let heavy = in_32_bits(n, 4 * n as usize, 50_000);
        let pairs = agree(&gpu, "i32 in strips", &heavy, &config).unwrap();
        assert!(pairs.report.strips > 0, "{n} in {memory}");
        let floats = heavy.convert_weights::<f32>().unwrap();
        assert!(agree(&gpu, "f32 in strips", &floats, &config).unwrap().report.strips > 0);
        agree(&gpu, "negative in strips", &slope(n), &config).unwrap();
        let wide = agree(&twice, "i64 in strips", &in_64_bits(&slope(n)), &config).unwrap();
        assert!(wide.report.strips > 0, "{n} in {memory}");
        let doubles = slope(n).convert_weights::<f64>().unwrap();
        assert!(agree(&twice, "f64 in strips", &doubles, &config).unwrap().report.strips > 0);
        agree(&gpu, "narrow, perhaps in strips", &light(n, 4 * n as usize), &config);
    }
    let graph = in_32_bits(1500, 3000, 255);
    let refused = by_gpu(&gpu.with_memory_cap(1 << 20), &graph, &config);
    assert!(matches!(refused, Err(ApspError::Gpu(_))), "{:?}", refused.err());
}

/// As many vertices as the network of neurons of the origin text, in less memory than its
/// matrix has.
#[test]
fn a_network_of_12529_vertices_in_little_memory() {
    let Some(gpu) = gpu() else { return };
    let graph = in_32_bits(12_529, 90_000, 8192);
    let mut tables = Vec::new();
    for memory in [512u64 << 20, 64 << 20] {
        let gpu = gpu.with_memory_cap(memory);
        let pairs = by_gpu(&gpu, &graph, &Config::default()).unwrap();
        assert!(pairs.report.strips > 0, "in {memory} bytes");
        println!("{memory} bytes: {} strips, {:.0} ms", pairs.report.strips, pairs.report.solve_ms);
        tables.push(pairs.into_distances().unwrap());
    }
    assert!(tables[0] == tables[1]);
    for source in [0, 777, 12_528] {
        let expected = oracle::dijkstra(&graph, source).unwrap();
        assert!(tables[0].row(source as usize).eq((0..12_529).map(|v| expected.get(v))));
    }
}

/// The matrix is closed on the GPU where it fits; its next hops, which do not fit beside it,
/// are found by strips of columns.
#[test]
fn a_matrix_may_fit_without_its_next_hops() {
    let Some(gpu) = gpu() else { return };
    // 9.4 MB of matrix, 3.1 MB beside it, and 4.5 MB of hops
    let graph = in_32_bits(1500, 6000, 50_000);
    let pairs = agree(&gpu.with_memory_cap(13 << 20), "hops", &graph, &Config::default()).unwrap();
    assert_eq!((pairs.report.strips, pairs.plan.number), (0, Some(Number::I32)));
    assert_eq!(pairs.report.hop_strips, 2);
}

/// The second matrix of a published form counts before anything is taken.
#[test]
fn published_forms_ask_for_all_they_take() {
    let Some(gpu) = gpu() else { return };
    let graph = slope(1500);
    let matrix = 1536 * 1536 * 4;
    let small = gpu.with_memory_cap(matrix * 3 / 2);
    for algorithm in [Form::Recursive, Form::BlockedTwoLevel].map(Algorithm::Published) {
        match by_gpu(&small, &graph, &Config::with(algorithm)) {
            Err(ApspError::Gpu(error)) => match *error {
                GpuError::OutOfMemory { what, required, .. } => {
                    assert_eq!(what, "the matrix of all pairs");
                    assert!(required > 2 * matrix, "{required}");
                }
                other => panic!("{algorithm}: {other}"),
            },
            other => panic!("{algorithm}: {:?}", other.err()),
        }
    }
    let config = Config::with(Algorithm::Published(Form::BlockedProduct));
    by_gpu(&small, &graph, &config).unwrap();
}

/// Two panels of 32 rows are all that a matrix of the host takes there.
#[test]
fn out_of_core_takes_two_panels() {
    let Some(gpu) = gpu() else { return };
    let config = Config::with(Algorithm::Published(Form::BlockedOutOfCore));
    let panels = 2 * 32 * 1536 * 4;
    agree(&gpu.with_memory_cap(panels), "out of core", &slope(1500), &config).unwrap();
    match by_gpu(&gpu.with_memory_cap(panels - 1), &slope(1500), &config) {
        Err(ApspError::Gpu(error)) => match *error {
            GpuError::OutOfMemory { required, .. } => assert_eq!(required, panels),
            other => panic!("{other}"),
        },
        other => panic!("{:?}", other.err()),
    }
}

/// The memory allowed bounds the host too, which holds the table.
#[test]
fn memory_is_not_exceeded_on_the_host() {
    let Some(gpu) = gpu() else { return };
    let graph = in_32_bits(1500, 6000, 50_000);
    let config = |memory| Config { memory: Some(memory), ..Config::default() };
    let Err(ApspError::OverMemory { bytes, .. }) = by_gpu(&gpu, &graph, &config(12 << 20)) else {
        panic!("the table alone takes 18 MB")
    };
    let bytes = u64::try_from(u128::from(bytes)).unwrap();
    assert_eq!(bytes, 1500 * 1500 * 8 + 1536 * 1536 * 4);
    by_gpu(&gpu, &graph, &config(bytes)).unwrap();
}
