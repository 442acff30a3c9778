//! The folder of a run that was ended, some of whose bytes are others: going on ends with an error, or
//! with the right answer.
#![no_main]

use std::fs;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

use apsp::{Algorithm, Config, Pairs, ScratchFolder, Solver};
use graph_formats::Csr;
use libfuzzer_sys::fuzz_target;

const FILES: [&str; 5] = ["journal", "matrix.bin", "panels.bin", "sums.bin", "hops.bin"];

/// Two blocks of pivots.
fn graph() -> &'static Csr<u32> {
    static GRAPH: OnceLock<Csr<u32>> = OnceLock::new();
    GRAPH.get_or_init(|| {
        let arcs: Vec<_> = (0..140u32)
            .flat_map(|u| [(u, (u * 7 + 1) % 140, 1 + u % 50), (u, (u * u + 5) % 140, 1 + u % 31)])
            .collect();
        Csr::from_arcs(140, &arcs).unwrap()
    })
}

fn folder(name: &str) -> PathBuf {
    std::env::temp_dir().join(format!("fuzz-folder-{}-{name}", std::process::id()))
}

/// What goes on with the run in a folder, and is ended after so many reports of progress.
fn go_on(path: &Path, n_reports: u64) -> Option<Pairs<u32>> {
    let config = Config { next_hops: true, ..Config::with(Algorithm::Blocked) };
    let scratch = ScratchFolder { resume: true, ..ScratchFolder::new(path) };
    let heard = AtomicU64::new(0);
    let stop = |_, _| match heard.fetch_add(1, Ordering::Relaxed) {
        count if count >= n_reports => ControlFlow::Break(()),
        _ => ControlFlow::Continue(()),
    };
    Solver::new(graph(), &config).in_folder(&scratch).solve(Some(&stop)).ok()
}

/// Names of files, and what they hold.
type Files = Vec<(&'static str, Vec<u8>)>;

/// The files of runs that were ended at one report after another.
fn ended() -> &'static Vec<Files> {
    static ENDED: OnceLock<Vec<Files>> = OnceLock::new();
    ENDED.get_or_init(|| {
        let path = folder("ended");
        let mut all = Vec::new();
        for n_reports in 0.. {
            let is_done = go_on(&path, n_reports).is_some();
            let read = |name| Some((name, fs::read(path.join(name)).ok()?));
            let files: Vec<_> = FILES.into_iter().filter_map(read).collect();
            // the first end comes before there are any
            all.extend((!files.is_empty()).then_some(files));
            fs::remove_dir_all(&path).unwrap();
            if is_done {
                break;
            }
        }
        all
    })
}

fuzz_target!(|bytes: &[u8]| {
    let [first, second, edits @ ..] = bytes else { return };
    let states = ended();
    let state = usize::from(u16::from_le_bytes([*first, *second])) % states.len();
    let path = folder("mutated");
    fs::create_dir_all(&path).unwrap();
    let mut files = states[state].clone();
    for edit in edits.chunks_exact(6) {
        let n_files = files.len();
        let (name, file) = &mut files[usize::from(edit[0]) % n_files];
        match edit[1] % 4 {
            // the same file of another moment
            0 => {
                let other =
                    &states[usize::from(u16::from_le_bytes([edit[2], edit[3]])) % states.len()];
                if let Some((_, bytes)) = other.iter().find(|(other, _)| other == name) {
                    file.clone_from(bytes);
                }
            }
            1 => file.truncate(usize::from(u16::from_le_bytes([edit[2], edit[3]]))),
            // words change places, or bits change
            2 if file.len() > 8 => {
                let place =
                    |at: usize| 4 * usize::from(u16::from_le_bytes([edit[at], edit[at + 1]]));
                let (a, b) = (place(2) % (file.len() / 4 * 4), place(4) % (file.len() / 4 * 4));
                (0..4).for_each(|byte| file.swap(a + byte, b + byte));
            }
            _ if !file.is_empty() => {
                let place = u32::from_le_bytes([edit[2], edit[3], edit[4], 0]) as usize;
                let length = file.len();
                file[place % length] ^= edit[5];
            }
            _ => {}
        }
    }
    files.iter().for_each(|(name, bytes)| fs::write(path.join(name), bytes).unwrap());
    if let Some(found) = go_on(&path, u64::MAX) {
        static RIGHT: OnceLock<Pairs<u32>> = OnceLock::new();
        let config = Config { next_hops: true, ..Config::with(Algorithm::Johnson) };
        let right = RIGHT.get_or_init(|| Solver::new(graph(), &config).solve(None).unwrap());
        for u in graph().vertices() {
            assert!(found.row(u).eq(right.row(u)) && found.hops(u) == right.hops(u), "{u}");
        }
    }
    fs::remove_dir_all(&path).unwrap();
});
