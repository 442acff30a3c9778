//! Folders in which something has changed since a run was ended: going on ends with an error or
//! with the right answer, whatever was changed, wherever the run was.

use std::fs::{self, File};
use std::io::{Read, Seek, SeekFrom, Write};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use apsp::{ApspError, Config, PairsWeight, ScratchError, Solver};
use graph_formats::{Csr, VertexId};
use tempfile::TempDir;

use crate::scratch::{resumed, streets, with_hops};

const N: u32 = 300;
/// Of the matrix.
const SIDE: u64 = 384;

fn sevenths(graph: &Csr<u32>) -> Csr<f64> {
    let arcs: Vec<_> = graph.arcs().map(|(u, v, w)| (u, v, f64::from(w) / 7.0)).collect();
    Csr::from_arcs(graph.n_vertices(), &arcs).unwrap()
}

/// Another graph of as many vertices.
fn other_streets() -> Csr<u32> {
    let arcs: Vec<_> = streets(N).arcs().map(|(u, v, w)| (v, u, w % 31 + 1)).collect();
    Csr::from_arcs(N as usize, &arcs).unwrap()
}

/// Numbers as if they were drawn.
struct Random(u64);

impl Random {
    fn below(&mut self, below: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) % below
    }
}

/// All distances, and all next hops.
type Answer<W> = Vec<(Vec<Option<<W as graph_formats::Weight>::Distance>>, Vec<Option<VertexId>>)>;

fn go_on<W: PairsWeight>(
    graph: &Csr<W>,
    config: &Config,
    folder: &Path,
) -> Result<Answer<W>, ApspError> {
    let found = Solver::new(graph, config).in_folder(&resumed(folder)).solve(None)?;
    Ok(graph.vertices().map(|u| (found.row(u).collect(), found.hops(u))).collect())
}

/// A run, and copies of its folder at moments of it, as if it had been killed then: twice for each
/// that the journal knows of, while other threads go on, and the end.
fn moments<W: PairsWeight>(graph: &Csr<W>, at: &Path) -> Vec<PathBuf> {
    let run = at.join("run");
    let copies = Mutex::new((Vec::new(), String::new(), 0));
    let look = |_, _| {
        let (folders, last, n_same) = &mut *copies.lock().unwrap();
        let now = fs::read_to_string(run.join("journal")).unwrap_or_default();
        *n_same = if *last == now { *n_same + 1 } else { 0 };
        last.clone_from(&now);
        if *n_same < 2 && !now.is_empty() && !now.contains("matrix filling") {
            let folder = at.join(folders.len().to_string());
            copy_to(&run, &folder);
            folders.push(folder);
        }
        ControlFlow::Continue(())
    };
    drop(Solver::new(graph, &with_hops()).in_folder(&resumed(&run)).solve(Some(&look)).unwrap());
    let (mut folders, ..) = copies.into_inner().unwrap();
    folders.push(run);
    folders
}

fn journal(folder: &Path) -> String {
    fs::read_to_string(folder.join("journal")).unwrap()
}

pub(crate) fn copy_to(folder: &Path, copy: &Path) {
    fs::create_dir_all(copy).unwrap();
    for entry in fs::read_dir(folder).unwrap() {
        let entry = entry.unwrap();
        fs::copy(entry.path(), copy.join(entry.file_name())).unwrap();
    }
}

pub(crate) fn copy(folder: &Path) -> TempDir {
    let copy = tempfile::tempdir().unwrap();
    copy_to(folder, copy.path());
    copy
}

pub(crate) fn flip(path: &Path, bit: u64) {
    let mut file = File::options().read(true).write(true).open(path).unwrap();
    let mut byte = [0];
    file.seek(SeekFrom::Start(bit / 8)).unwrap();
    file.read_exact(&mut byte).unwrap();
    file.seek(SeekFrom::Start(bit / 8)).unwrap();
    file.write_all(&[byte[0] ^ 1 << (bit % 8)]).unwrap();
}

/// That it is an error or the right answer; whether it is an error.
#[track_caller]
fn is_refused<W: PairsWeight>(
    graph: &Csr<W>,
    right: &Answer<W>,
    folder: &Path,
    what: &str,
) -> bool {
    match go_on(graph, &with_hops(), folder) {
        Ok(found) => {
            assert!(found == *right, "{what}: a wrong answer");
            false
        }
        Err(ApspError::Scratch(error @ ScratchError::Damaged { .. })) => {
            let error = error.to_string();
            assert!(error.contains("delete the folder and start again"), "{what}: {error}");
            true
        }
        Err(ApspError::Scratch(ScratchError::OtherRun { .. })) => true,
        Err(error) => panic!("{what}: {error}"),
    }
}

/// What a killed run has left ends with the right answer; and with an error or that one when a bit of
/// one of its files has changed.
fn flipped_bits<W: PairsWeight>(graph: &Csr<W>, states: &[&str]) {
    let at = tempfile::tempdir().unwrap();
    let folders = moments(graph, at.path());
    let right = go_on(graph, &with_hops(), copy(folders.last().unwrap()).path()).unwrap();
    let mut random = Random(5);
    let (mut seen, mut refused, mut tried) = (String::new(), 0, 0);
    for folder in &folders {
        seen += &journal(folder);
        let found = go_on(graph, &with_hops(), copy(folder).path()).unwrap();
        assert!(found == right, "a wrong answer from {}", journal(folder));
        for name in ["matrix.bin", "hops.bin", "panels.bin", "sums.bin", "marks.bin", "journal"] {
            let length = fs::metadata(folder.join(name)).map_or(0, |file| file.len());
            if length == 0 {
                continue;
            }
            let copy = copy(folder);
            let bit = random.below(length * 8);
            flip(&copy.path().join(name), bit);
            let what = format!("bit {bit} of {name} in {}", journal(folder));
            let is_refused = is_refused(graph, &right, copy.path(), &what);
            let is_sure = match name {
                "journal" => true,
                // rows that are done again
                "matrix.bin" => {
                    journal(folder).contains("panels open") && !what.contains("settling")
                }
                _ => false,
            };
            assert!(is_refused || !is_sure, "{what} was not seen");
            (tried, refused) = (tried + 1, refused + usize::from(is_refused));
        }
    }
    for state in states {
        assert!(seen.contains(state), "no run was ended while {state}");
    }
    assert!(refused > tried / 4, "{refused} of {tried}");
}

#[test]
fn a_flipped_bit_is_refused_or_does_no_harm() {
    flipped_bits(&streets(N), &["panels open", "panels ready", "blocks-done 3", "hop-rows 128"]);
}

#[test]
fn a_flipped_bit_among_floats_is_refused_or_does_no_harm() {
    let states = ["panels open", "panels ready", "matrix settling", "matrix settled"];
    flipped_bits(&sevenths(&streets(N)), &states);
}

/// Rows that change places, with their checksums or without; files cut short or made longer.
#[test]
fn rows_in_other_places_and_files_of_other_lengths() {
    let graph = streets(N);
    let at = tempfile::tempdir().unwrap();
    let folders = moments(&graph, at.path());
    let right = go_on(&graph, &with_hops(), copy(folders.last().unwrap()).path()).unwrap();
    // bytes of 128 rows, in the panels of 64
    let swapped = [
        ("matrix.bin", 128 * SIDE * 2),
        ("hops.bin", 128 * u64::from(N) * 2),
        ("sums.bin", 32 << 10),
        ("panels.bin", 64 * SIDE * 2),
    ];
    for folder in folders.iter().step_by(2) {
        for names in [&[0][..], &[0, 2], &[0, 1, 2, 3], &[1], &[3]] {
            let copy = copy(folder);
            for (name, size) in names.iter().map(|&at| swapped[at]) {
                let path = copy.path().join(name);
                let Ok(bytes) = fs::read(&path) else { continue };
                let (first, rest) = bytes.split_at((size as usize).min(bytes.len()));
                let (second, rest) = rest.split_at((size as usize).min(rest.len()));
                fs::write(path, [second, first, rest].concat()).unwrap();
            }
            let what = format!("rows of {names:?} change places in {}", journal(folder));
            is_refused(&graph, &right, copy.path(), &what);
        }
        for (name, _) in swapped {
            let length = fs::metadata(folder.join(name)).map_or(0, |file| file.len());
            if length == 0 {
                continue;
            }
            for other in [0, length / 2, length - 2, length + 2, 2 * length] {
                let copy = copy(folder);
                let file = File::options().write(true).open(copy.path().join(name)).unwrap();
                file.set_len(other).unwrap();
                let what = format!("{name} of {other} bytes in {}", journal(folder));
                let is_refused = is_refused(&graph, &right, copy.path(), &what);
                // rows beyond those of the journal are written again
                assert!(is_refused || name == "hops.bin", "{what}");
            }
        }
    }
}

/// Files of another graph's folder, and of another moment of the same run.
#[test]
fn files_of_other_folders() {
    let at = tempfile::tempdir().unwrap();
    let (graph, other) = (streets(N), other_streets());
    let folders = moments(&graph, &at.path().join("this"));
    let others = moments(&other, &at.path().join("other"));
    let right = go_on(&graph, &with_hops(), copy(folders.last().unwrap()).path()).unwrap();
    let names = ["journal", "matrix.bin", "panels.bin", "sums.bin", "hops.bin"];
    let mut random = Random(9);
    let mut refused = 0;
    for (place, folder) in folders.iter().enumerate() {
        let some = random.below(1 << 5);
        // of another graph, once without its journal; and of a moment of which there are many
        let from = random.below(others.len() as u64) as usize;
        let moment = &folders[random.below(folders.len() as u64) as usize];
        for (donor, some) in
            [(&others[from], some | 2), (&others[from], 0b01010), (moment, some), (moment, 0b01010)]
        {
            let copy = copy(folder);
            for (_, name) in names.iter().enumerate().filter(|(bit, _)| some >> bit & 1 == 1) {
                if donor.join(name).exists() {
                    fs::copy(donor.join(name), copy.path().join(name)).unwrap();
                }
            }
            let what = format!("{some:b} of {} in {place}", donor.display());
            refused += usize::from(is_refused(&graph, &right, copy.path(), &what));
        }
    }
    assert!(refused > folders.len(), "only {refused} of {}", 4 * folders.len());
}

/// The message names the file and the row.
#[test]
fn damage_is_said_where_it_is() {
    let graph = streets(N);
    let folder = tempfile::tempdir().unwrap();
    go_on(&graph, &with_hops(), folder.path()).unwrap();
    for (name, bit, row) in
        [("matrix.bin", 17 * SIDE * 16 + 3, 17), ("hops.bin", 299 * u64::from(N) * 16, 299)]
    {
        let path = folder.path().join(name);
        flip(&path, bit);
        let error = go_on(&graph, &with_hops(), folder.path()).unwrap_err().to_string();
        let expected = format!(
            "{} is damaged: row {row} is not as it was written, so the run cannot continue; delete \
             the folder and start again",
            path.display()
        );
        assert_eq!(error, expected);
        flip(&path, bit);
    }
    go_on(&graph, &with_hops(), folder.path()).unwrap();
}
