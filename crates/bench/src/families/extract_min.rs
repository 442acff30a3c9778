//! The paper's Table 1 again: how long it takes to find the least of n labels.
//!
//! By our two-level reduction with four sizes of blocks, by CUB and Thrust, by a loop on the
//! host, and by a heap that gives its least element away and takes it back. Labels are random;
//! every method is asked for the least label and the place where it stands, and what it says
//! is looked up there. The paper has a loop that was compiled without optimisation too, which
//! is left out here.
//!
//! Reference: origin-four-families

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::fs;
use std::hint::black_box;
use std::num::NonZeroU32;
use std::path::PathBuf;
use std::process::Command;
use std::time::Instant;

use anyhow::{Context, Result, ensure};
use gpu_runtime::Gpu;
use sssp::gpu::{BlockSize, ExtractMin};

use super::compile::{Peer, Scratch, program};
use super::{Backend, Options, paper};
use crate::draws::Draws;
use crate::table::{number, table};

/// Labels that a method on the host looks at in all, about: what bounds its extractions.
const MOST_LOOKS: usize = 2_000_000_000;

const PEER: Peer = Peer {
    name: "extract_min",
    file: "extract_min.cu",
    source: include_str!("../../peers/extract_min.cu"),
    compiler: "nvcc",
    flags: &["-std=c++17", "-O3", "-arch=native"],
    needs: "install the CUDA toolkit, whose bin folder belongs to PATH, or give a program with \
            --cub",
};

/// Who found the least of how many labels, and how long it took.
#[derive(Debug)]
pub(super) struct Extraction {
    pub(super) n: usize,
    pub(super) method: String,
    pub(super) on_gpu: bool,
    /// The mean of so many.
    pub(super) times: u32,
    pub(super) us: f64,
}

/// What was measured, and why something was not.
#[derive(Default)]
pub(super) struct Extractions {
    pub(super) all: Vec<Extraction>,
    skipped: Option<String>,
}

/// Labels, and which is the least.
struct Task {
    labels: Vec<u32>,
    least: u32,
}

impl Task {
    fn new(n: usize) -> Self {
        let mut draws = Draws::new(n as u64);
        // none is the greatest number, which stands for a vertex that is not reached
        let labels: Vec<u32> = (0..n).map(|_| (draws.word() >> 33) as u32).collect();
        let least = labels.iter().copied().min().unwrap_or(0);
        Self { labels, least }
    }

    /// That this is the least label and stands there.
    fn check(&self, method: &str, label: u32, place: usize) -> Result<()> {
        let there = self.labels.get(place).copied();
        ensure!(
            label == self.least && there == Some(label),
            "{method} is wrong: label {label} at {place}, where {there:?} stands; the least is {}",
            self.least
        );
        Ok(())
    }
}

/// Measures every size, on the host and the GPU.
pub(super) fn measure(options: &Options, gpu: Option<&Gpu>) -> Result<Extractions> {
    let mut found = Extractions::default();
    let peer = match gpu {
        Some(_) => program(&PEER, options.cub.as_deref()),
        None => Err(format!("{}: there is no GPU", PEER.name)),
    };
    if let Err(reason) = &peer {
        eprintln!("SKIPPED: {reason}");
        found.skipped = Some(reason.clone());
    }
    for &n in &options.labels {
        let task = Task::new(n.get());
        let before = found.all.len();
        if let Some(gpu) = gpu {
            found.all.extend(by_reduction(gpu, &task, options.extractions)?);
            if let Ok(peer) = &peer {
                found.all.extend(by_peers(peer, &task, options.extractions)?);
            }
        }
        if options.backend.contains(&Backend::Cpu) {
            let affordable = u32::try_from(MOST_LOOKS / n).unwrap_or(u32::MAX);
            let times = NonZeroU32::new(affordable).unwrap_or(NonZeroU32::MIN);
            found.all.push(by_loop(&task, times.min(options.extractions))?);
            found.all.push(by_heap(&task, options.extractions)?);
        }
        for Extraction { method, us, .. } in &found.all[before..] {
            eprintln!("the least of {n} labels: {method}: {us:.3} us");
        }
    }
    Ok(found)
}

fn by_reduction(gpu: &Gpu, task: &Task, times: NonZeroU32) -> Result<Vec<Extraction>> {
    let blocks = BlockSize::ALL.into_iter().map(|(name, block)| {
        let method = format!("{}{name}", paper::REDUCTION);
        let mut extraction = ExtractMin::new(gpu, block, &task.labels)?;
        let (label, place) = extraction.run()?.context("no label is there")?;
        task.check(&method, label, place)?;
        let us = extraction.mean_us(times)?;
        let (label, place) = extraction.run()?.context("no label is there any more")?;
        task.check(&method, label, place)?;
        Ok(Extraction { n: task.labels.len(), method, on_gpu: true, times: times.get(), us })
    });
    blocks.collect()
}

/// What the program says of CUB and Thrust.
fn by_peers(program: &PathBuf, task: &Task, times: NonZeroU32) -> Result<Vec<Extraction>> {
    let scratch = Scratch::new()?;
    let file = scratch.file("labels");
    let bytes: Vec<u8> = task.labels.iter().flat_map(|label| label.to_le_bytes()).collect();
    fs::write(&file, bytes).context("cannot write labels for CUB")?;
    let n = task.labels.len();
    let output = Command::new(program)
        .arg(&file)
        .args([n.to_string(), times.to_string()])
        .output()
        .with_context(|| format!("cannot start {}", program.display()))?;
    let said = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "{} failed: {}", program.display(), said.trim());
    let lines = String::from_utf8(output.stdout)?;
    let extraction = |line: &str| {
        let fields: Vec<&str> = line.split(' ').collect();
        let &[method, us, label, place] = fields.as_slice() else {
            anyhow::bail!("{} said {line:?}", program.display());
        };
        task.check(method, label.parse()?, place.parse()?)?;
        let (method, us) = (method.to_owned(), us.parse()?);
        Ok(Extraction { n, method, on_gpu: true, times: times.get(), us })
    };
    lines.lines().map(extraction).collect()
}

/// One pass for the least label, and another that stops where it stands.
fn by_loop(task: &Task, times: NonZeroU32) -> Result<Extraction> {
    let extract = || {
        let labels = black_box(task.labels.as_slice());
        let least = labels.iter().copied().min().unwrap_or(u32::MAX);
        let place = labels.iter().position(|&label| label == least).unwrap_or(0);
        (least, place)
    };
    let (label, place) = extract();
    task.check(paper::LOOP, label, place)?;
    let start = Instant::now();
    for _ in 0..times.get() {
        black_box(extract());
    }
    let us = start.elapsed().as_secs_f64() * 1e6 / f64::from(times.get());
    let method = paper::LOOP.to_owned();
    Ok(Extraction { n: task.labels.len(), method, on_gpu: false, times: times.get(), us })
}

/// The least element of a binary heap, which is put back.
fn by_heap(task: &Task, times: NonZeroU32) -> Result<Extraction> {
    let entries = task.labels.iter().zip(0_u32..).map(|(&label, place)| Reverse((label, place)));
    let mut heap: BinaryHeap<_> = entries.collect();
    let mut last = None;
    let start = Instant::now();
    for _ in 0..times.get() {
        last = heap.pop();
        heap.extend(black_box(last));
    }
    let us = start.elapsed().as_secs_f64() * 1e6 / f64::from(times.get());
    let Reverse((label, place)) = last.context("no label is there")?;
    task.check(paper::HEAP, label, place as usize)?;
    let method = paper::HEAP.to_owned();
    Ok(Extraction { n: task.labels.len(), method, on_gpu: false, times: times.get(), us })
}

/// The part in words: microseconds, ours above the paper's.
pub(super) fn section(found: &Extractions) -> String {
    let mut sizes: Vec<usize> = found.all.iter().map(|extraction| extraction.n).collect();
    sizes.sort_unstable();
    sizes.dedup();
    let names: Vec<String> = sizes.iter().map(usize::to_string).collect();
    let headings: Vec<&str> =
        ["method", "whose"].into_iter().chain(names.iter().map(String::as_str)).collect();
    let mut methods: Vec<&str> = Vec::new();
    for extraction in &found.all {
        if !methods.contains(&extraction.method.as_str()) {
            methods.push(&extraction.method);
        }
    }
    let row = |method: &str, whose: &str, us: &dyn Fn(usize) -> Option<f64>| {
        let cells = sizes.iter().map(|&n| match us(n) {
            Some(us) if us < 1.0 => format!("{us:.4}"),
            us => number(us),
        });
        [method.to_owned(), whose.to_owned()].into_iter().chain(cells).collect::<Vec<String>>()
    };
    let mut rows = Vec::new();
    for method in methods {
        let ours = |n: usize| {
            let mut all = found.all.iter();
            all.find(|e| e.n == n && e.method == method).map(|extraction| extraction.us)
        };
        rows.push(row(method, "here", &ours));
        if paper::has(method) {
            rows.push(row(method, "the paper", &|n| paper::us(method, n)));
        }
    }
    let mut text = format!(
        "\n## Extract-min\n\nMicroseconds to find the least of n random labels, the mean of {} \
         extractions (fewer of long loops on the host). Reductions are in two levels, by blocks of \
         so many threads. Every method said where the least label \
         stands, and was right. On the GPU the labels are resident and the time is the device's, \
         of launches one after the other; Thrust also waits for each answer, and asks for memory. \
         A heap gives its least element away and takes it back.\n\n{}\n\n{}",
        found.all.iter().map(|extraction| extraction.times).max().unwrap_or(0),
        paper::NOTE,
        table(2, &headings, &rows)
    );
    if let Some(reason) = &found.skipped {
        text += &format!("\nSKIPPED: {reason}.\n");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wrong_label_or_place_is_caught() {
        let task = Task::new(1000);
        let place = task.labels.iter().position(|&label| label == task.least).unwrap();
        task.check("right", task.least, place).unwrap();
        assert!(task.check("wrong", task.least + 1, place).is_err());
        assert!(task.check("wrong", task.least, (place + 1) % 1000).is_err());
        assert!(task.check("wrong", task.least, 1000).is_err());
    }
}
