//! Matrices in a folder on a GPU: the bytes that the CPU leaves there, whichever of the two
//! began and whichever ended.

use std::fs;
use std::ops::ControlFlow;
use std::path::Path;
use std::slice;

use apsp::{ApspError, Config, Number, PairsWeight, ScratchFolder, Solver};
use gpu_runtime::Gpu;
use graph_formats::Csr;

use crate::common::minus_zeros;
use crate::gpu::{connected, gpu, in_32_bits, in_64_bits, slope, some_gpus};

pub(crate) fn resumed(path: &Path) -> ScratchFolder {
    ScratchFolder { resume: true, ..ScratchFolder::new(path) }
}

pub(crate) fn matrix(path: &Path) -> Vec<u8> {
    fs::read(path.join("matrix.bin")).unwrap()
}

/// Whether the work ended because it was asked to.
fn is_ended<T>(found: &Result<T, ApspError>) -> bool {
    matches!(found, Err(ApspError::Interrupted(_)))
}

/// With next hops.
fn with_hops() -> Config {
    Config { next_hops: true, ..Config::default() }
}

/// Begun by one GPU, it goes on with one and with three.
#[test]
fn a_matrix_in_a_folder_passes_through() {
    let Some(gpus) = some_gpus(3) else { return };
    let folder = tempfile::tempdir().unwrap();
    let graphs = [in_32_bits(700, 2100, 50_000), in_32_bits(1500, 6000, 50_000)];
    for (case, (graph, n_gpus)) in graphs.iter().zip([1, 3]).enumerate() {
        let config = Config { memory: Some(24 << 20), ..with_hops() };
        let by_gpu = ScratchFolder::new(folder.path().join(format!("gpu{case}")));
        let by_cpu = ScratchFolder::new(folder.path().join(format!("cpu{case}")));
        begin_on_gpu(&gpus[0], graph, &by_gpu.path, &config, 1500);
        let again = ScratchFolder { resume: true, ..by_gpu };
        let found =
            Solver::new(graph, &config).on(&gpus[..n_gpus]).in_folder(&again).solve(None).unwrap();
        let expected = Solver::new(graph, &config).in_folder(&by_cpu).solve(None).unwrap();
        assert_eq!(found.summary(None).unwrap(), expected.summary(None).unwrap());
        assert!(matrix(&again.path) == matrix(&by_cpu.path), "the matrices differ");
        for u in [0, 5, 699] {
            assert!(found.row(u).eq(expected.row(u)));
        }
    }
}

/// Counts closed rows, and ends the work when they are more than a share of the matrix, some of
/// them twice.
fn stop_after(n: usize, rows: u64) -> impl Fn(u64, u64) -> ControlFlow<()> + Sync {
    let side = n.next_multiple_of(128) as u64;
    move |done, total| {
        // filling the matrix, and reading the graph, has other totals
        let is_closing = total > side && total % side == 0;
        if is_closing && done > rows { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}

/// Begins a run on the CPU that ends after `rows` rows.
fn begin_on_cpu<W: PairsWeight>(graph: &Csr<W>, path: &Path, config: &Config, rows: u64) {
    let stop = stop_after(graph.n_vertices(), rows);
    let ended = Solver::new(graph, config).in_folder(&ScratchFolder::new(path)).solve(Some(&stop));
    assert!(is_ended(&ended), "{:?}", ended.err());
}

/// The same on a GPU.
fn begin_on_gpu<W: PairsWeight>(
    gpu: &Gpu,
    graph: &Csr<W>,
    path: &Path,
    config: &Config,
    rows: u64,
) {
    let (gpu, stop) = (slice::from_ref(gpu), stop_after(graph.n_vertices(), rows));
    let ended =
        Solver::new(graph, config).on(gpu).in_folder(&ScratchFolder::new(path)).solve(Some(&stop));
    assert!(is_ended(&ended), "{:?}", ended.err());
}

/// Small weights are kept in 16 bits by both, and large ones and doubles in 64.
#[test]
fn a_run_goes_on_on_the_other_device() {
    goes_on_on_the_other_device(&connected(1100, 4400, 50), Number::U16);
    goes_on_on_the_other_device(&in_64_bits(&slope(1100)), Number::I64);
    let doubles = slope(1100).convert_weights::<f64>().unwrap();
    goes_on_on_the_other_device(&doubles, Number::F64);
}

fn goes_on_on_the_other_device<W: PairsWeight>(graph: &Csr<W>, number: Number) {
    let Some(gpu) = gpu() else { return };
    let on_gpu = slice::from_ref(&gpu);
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    // with memory for blocks of 256 pivots on both, so that there are five
    let memory = (number == Number::U16).then_some(5 << 20);
    let config = Config { memory, ..with_hops() };
    let whole = Solver::new(graph, &config)
        .in_folder(&ScratchFolder::new(at("whole")))
        .solve(None)
        .unwrap();
    assert_eq!(whole.plan.number, Some(number));

    begin_on_cpu(graph, &at("cpu first"), &config, 2500);
    let by_gpu = Solver::new(graph, &config)
        .on(on_gpu)
        .in_folder(&resumed(&at("cpu first")))
        .solve(None)
        .unwrap();
    assert_eq!(by_gpu.plan.number, Some(number));
    begin_on_gpu(&gpu, graph, &at("gpu first"), &config, 2500);
    let by_cpu =
        Solver::new(graph, &config).in_folder(&resumed(&at("gpu first"))).solve(None).unwrap();
    let only_gpu = Solver::new(graph, &config)
        .on(on_gpu)
        .in_folder(&ScratchFolder::new(at("gpu")))
        .solve(None)
        .unwrap();
    for (name, found) in [("cpu first", by_gpu), ("gpu first", by_cpu), ("gpu", only_gpu)] {
        assert!(matrix(&at(name)) == matrix(&at("whole")), "{name}");
        for u in [0, 5, 700, 1099] {
            assert!(found.row(u).eq(whole.row(u)), "{name}, {u}");
            assert!(found.hops(u) == whole.hops(u), "{name}, {u}");
        }
    }
}

/// Arcs of −0.0 are arcs of 0 in a folder that a GPU filled, and in one that the processor did.
#[test]
fn zeros_have_no_sign_in_a_folder() {
    let Some(gpu) = gpu() else { return };
    let on_gpu = slice::from_ref(&gpu);
    for graph in minus_zeros() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        let config = Config::default();
        let expected = Solver::new(&graph, &config).solve(None).unwrap().into_distances().unwrap();
        drop(
            Solver::new(&graph, &config)
                .in_folder(&ScratchFolder::new(at("cpu")))
                .solve(None)
                .unwrap(),
        );
        // ended as the arcs are there and nothing else
        let rows = graph.n_vertices().next_multiple_of(128) as u64;
        let heard = std::sync::atomic::AtomicU64::new(0);
        let stop = |_, total| {
            let of_rows = u64::from(total % rows == 0 && total > 0);
            if heard.fetch_add(of_rows, std::sync::atomic::Ordering::Relaxed) >= rows {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            }
        };
        let begun = Solver::new(&graph, &config)
            .in_folder(&ScratchFolder::new(at("both")))
            .solve(Some(&stop));
        assert!(is_ended(&begun), "{:?}", begun.err());
        let both = Solver::new(&graph, &config)
            .on(on_gpu)
            .in_folder(&resumed(&at("both")))
            .solve(None)
            .unwrap();
        let new = Solver::new(&graph, &config)
            .on(on_gpu)
            .in_folder(&ScratchFolder::new(at("gpu")))
            .solve(None)
            .unwrap();
        let bits = |d: Option<f32>| d.map(f32::to_bits);
        for (name, found) in [("both", both), ("gpu", new)] {
            assert!(matrix(&at(name)) == matrix(&at("cpu")), "{name}");
            for u in graph.vertices() {
                let expected = expected.row(u as usize).map(bits);
                assert!(found.row(u).map(bits).eq(expected), "{name}, row {u}");
            }
        }
    }
}

/// A block of pivots is as wide as the GPU's memory allows, not as the processor's would;
/// memory that is too little for any is found out before there is a folder.
#[test]
fn blocks_fit_the_memory_of_the_gpu() {
    let Some(gpu) = gpu() else { return };
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let graph = in_32_bits(1500, 6000, 50_000);
    let threads = std::num::NonZeroUsize::new(2);
    let config = |memory| Config { memory: Some(memory), threads, ..Config::default() };
    let solve = |name: &str, memory| {
        let gpu = [gpu.with_memory_cap(memory)];
        Solver::new(&graph, &config(memory)).on(&gpu).in_folder(&resumed(&at(name))).solve(None)
    };
    let refused = solve("new", 3 << 20);
    assert!(matches!(refused, Err(ApspError::Gpu(_))), "{:?}", refused.err());
    assert!(!at("new").exists(), "nothing is made in vain");
    // 5.2 MB with blocks of 128 pivots, 6.6 MB with 256, which the processor would take
    let found = solve("new", 6 << 20).unwrap();
    let journal = fs::read_to_string(at("new").join("journal")).unwrap();
    assert!(journal.contains("\nblock 128\n"), "{journal}");
    let expected =
        Solver::new(&graph, &Config::default()).solve(None).unwrap().into_distances().unwrap();
    assert!(graph.vertices().all(|u| found.row(u).eq(expected.row(u as usize))));

    // begun with wide blocks, too wide for this GPU: it says so before it begins, and the
    // processor goes on
    begin_on_cpu(&graph, &at("wide"), &Config::default(), 2500);
    let before = matrix(&at("wide"));
    let refused = solve("wide", 6 << 20).err().map(|error| error.to_string());
    let refused = refused.expect("256 pivots are too many");
    assert!(refused.contains("6553608 bytes of GPU memory"), "{refused}");
    assert!(matrix(&at("wide")) == before);
    let found =
        Solver::new(&graph, &config(4 << 20)).in_folder(&resumed(&at("wide"))).solve(None).unwrap();
    assert!(graph.vertices().all(|u| found.row(u).eq(expected.row(u as usize))));
}
