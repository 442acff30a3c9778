//! Dijkstra's algorithm of the Boost Graph Library, in a process of its own.
//!
//! It takes its runs one after the other, not in turns. The distances of its first run are
//! compared with the certified ones, and those of all others with the first.

use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail, ensure};
use graph_formats::{Csr, Weight};

use super::compile::{Peer, Scratch, program};
use super::race::{Line, Sample, Task, Terms};

const NAME: &str = "boost/dijkstra";

const PEER: Peer = Peer {
    name: "boost_dijkstra",
    file: "boost_dijkstra.cpp",
    source: include_str!("../../peers/boost_dijkstra.cpp"),
    compiler: "c++",
    flags: &["-std=c++17", "-O3", "-DNDEBUG"],
    needs: "install g++ and libboost-graph-dev, or give a program with --boost",
};

/// The program.
pub(super) struct Boost(PathBuf);

impl Boost {
    /// The program that is given, or one that is built now.
    ///
    /// # Errors
    /// Why there is none, and what to install.
    pub(super) fn find(given: Option<&Path>) -> Result<Self, String> {
        program(&PEER, given).map(Self)
    }

    /// Its times on a graph of integers of 32 bits, none negative.
    pub(super) fn line<W: Weight>(&self, task: &Task<'_, W>, terms: &Terms) -> Result<Line> {
        let scratch = Scratch::new()?;
        let (graph, distances) = (scratch.file("graph"), scratch.file("distances"));
        write(task.graph, task.source, &graph).context("cannot write a graph for Boost")?;
        let output = Command::new(&self.0)
            .arg(&graph)
            .arg(terms.runs.to_string())
            .arg(terms.patience.as_secs_f64().to_string())
            .arg(&distances)
            .output()
            .with_context(|| format!("cannot start {}", self.0.display()))?;
        let said = String::from_utf8_lossy(&output.stderr);
        ensure!(output.status.success(), "{NAME} failed: {}", said.trim());
        check(task, &fs::read(&distances)?)?;
        let times = String::from_utf8(output.stdout)?;
        let times: Vec<f64> = times.lines().map(str::parse).collect::<Result<_, _>>()?;
        let samples: Vec<Sample> =
            times.iter().skip(1).map(|&ms| Sample { ms, work: None }).collect();
        let slow = || format!("more than {} s", terms.patience.as_secs_f64());
        Ok(Line {
            solver: NAME.to_owned(),
            on_gpu: false,
            prepare_ms: 0.0,
            plan: None,
            skipped: samples.is_empty().then(slow),
            samples,
        })
    }
}

/// The graph as the program reads it.
fn write<W: Weight>(graph: &Csr<W>, source: u32, path: &Path) -> Result<()> {
    let mut file = BufWriter::with_capacity(1 << 20, File::create(path)?);
    for number in [graph.n_vertices() as u64, graph.n_arcs() as u64, u64::from(source)] {
        file.write_all(&number.to_le_bytes())?;
    }
    for offset in graph.row_offsets() {
        file.write_all(&offset.to_le_bytes())?;
    }
    for end in graph.column_indices() {
        file.write_all(&end.to_le_bytes())?;
    }
    for weight in graph.weights() {
        let weight = weight.to_i128().and_then(|weight| u32::try_from(weight).ok());
        let weight = weight.context("it takes integers of 32 bits")?;
        file.write_all(&weight.to_le_bytes())?;
    }
    Ok(file.flush()?)
}

/// That the program wrote the certified distances.
fn check<W: Weight>(task: &Task<'_, W>, bytes: &[u8]) -> Result<()> {
    let (found, rest) = bytes.as_chunks::<8>();
    let n = task.graph.n_vertices();
    ensure!(found.len() == n && rest.is_empty(), "{NAME} wrote no {n} distances");
    for (vertex, (found, expected)) in found.iter().zip(task.certified.iter()).enumerate() {
        let found = u64::from_le_bytes(*found);
        let expected = expected.and_then(Weight::to_i128);
        if expected != (found != u64::MAX).then_some(i128::from(found)) {
            bail!("{NAME} is wrong: vertex {vertex} is {found} instead of {expected:?}");
        }
    }
    Ok(())
}
