//! Tests of runs that go on in other numbers, or on another device, than they would begin with.

use collectives::Alone;
use graph_formats::Csr;
use rayon::ThreadPoolBuilder;

use super::close::{Block, Team};
use super::digest::digest;
use super::folder::Folder;
use super::host::Host;
use super::journal::{Journal, State};
use super::{Scratch, ScratchFolder, side_of};
use crate::element::Element;
use crate::{Algorithm, Config, Number, Solver};

const N: u32 = 300;

/// Weights so small that a new run on the processor is in 16 bits.
fn graph() -> Csr<u32> {
    let arcs: Vec<_> = (0..N)
        .flat_map(|u| [(u, (u * 7 + 1) % N), (u, (u + 11) % N), (u, (u * u + 5) % N)])
        .map(|(u, v)| (u, v, 1 + (u * 31 + v * 17) % 50))
        .collect();
    Csr::from_arcs(N as usize, &arcs).unwrap()
}

/// A run that is begun on a GPU of a version that had 32 bits there, and goes on on the
/// processor: the numbers that the folder holds decide.
#[test]
fn wider_numbers_are_gone_on_with() {
    let (graph, folder) = (graph(), tempfile::tempdir().unwrap());
    let journal = Journal {
        graph: digest(&graph, None).unwrap(),
        numbers: Number::I32,
        n_vertices: N as usize,
        side: side_of(N as usize),
        block: 128,
        matrix: State::Filling,
        blocks_done: 0,
        panels_ready: false,
        hop_rows: 0,
    };
    let lock = Folder::lock(folder.path()).unwrap();
    let mut begun = Scratch::<i32>::open(lock, journal, &graph, &Alone, None).unwrap();
    // the first block is done, the panels of the second are ready
    let mut engine = Host::new(begun.journal.side, 128).unwrap();
    let pool = ThreadPoolBuilder::new().build().unwrap();
    let mut team = Team { engine: &mut engine, pool: &pool, ranks: &Alone };
    begun.write_panels(&(0..128), &mut team).unwrap();
    let block = Block { pivots: 0..128, panels_ready: false };
    begun.lower(&graph, &block, &mut team, &|_| Ok(())).unwrap();
    begun.write_panels(&(128..256), &mut team).unwrap();
    drop(begun);

    let scratch = ScratchFolder { resume: true, ..ScratchFolder::new(folder.path()) };
    assert!(scratch.holds_run());
    let config = Config { next_hops: true, ..Config::default() };
    let found = Solver::new(&graph, &config).in_folder(&scratch).solve(None).unwrap();
    assert_eq!(found.plan.number, Some(Number::I32));
    let config = Config { next_hops: true, ..Config::with(Algorithm::Johnson) };
    let expected = Solver::new(&graph, &config).solve(None).unwrap();
    let hops = expected.next_hops().unwrap();
    for u in graph.vertices() {
        assert!(found.row(u).eq(expected.distances().unwrap().row(u as usize)), "row {u}");
        let row = found.hops(u).into_iter();
        assert!(row.eq(graph.vertices().map(|v| hops.get(u, v))), "hops {u}");
    }
}

/// What a GPU does to a folder in 16 bits: sums in 32, where what stands for no path is a
/// number like any other, and after each block of pivots back to 16. The bytes are those of
/// arithmetic in 16 bits.
#[test]
fn sums_in_32_bits_are_those_in_16() {
    let n = 60;
    let arcs = graph();
    // some arcs are too heavy for 16 bits, and some vertices lead nowhere
    let weight = |u: u32, v: u32, w: u32| if (u + v).is_multiple_of(3) { w + 40_000 } else { w };
    let arcs: Vec<_> = arcs.arcs().filter(|arc| arc.0 % 5 > 0).collect();
    let arcs: Vec<_> = arcs.iter().map(|&(u, v, w)| (u % 60, v % 60, weight(u, v, w))).collect();
    let mut narrow = vec![u16::INFINITE; n * n];
    for &(u, v, w) in &arcs {
        let cell = &mut narrow[u as usize * n + v as usize];
        *cell = (*cell).min(u16::encode(w));
    }
    (0..n).for_each(|v| narrow[v * n + v] = 0);
    let mut folder = narrow.clone();
    for k in 0..n {
        for (u, v) in (0..n).flat_map(|u| (0..n).map(move |v| (u, v))) {
            let sum = narrow[u * n + k].plus(narrow[k * n + v]);
            narrow[u * n + v] = narrow[u * n + v].lesser(sum);
        }
    }
    for pivots in [0..20, 20..40, 40..n] {
        let mut wide: Vec<u32> = folder.iter().map(|&number| number.into()).collect();
        for k in pivots {
            for (u, v) in (0..n).flat_map(|u| (0..n).map(move |v| (u, v))) {
                wide[u * n + v] = wide[u * n + v].min(wide[u * n + k] + wide[k * n + v]);
            }
        }
        folder = wide.iter().map(|&word| word.min(u16::INFINITE.into()) as u16).collect();
    }
    assert!(folder == narrow);
    assert!(narrow.contains(&u16::INFINITE) && narrow.iter().any(|&d| d > 50 && d < 1000));
}
