//! A minimum spanning forest while edges come and go, beside making it from scratch.

use std::time::Instant;

use anyhow::{Context, Result, ensure};
use graph_formats::{Coo, VertexId};
use paths::certificate;
use star_machine::algorithms::{Change, EdgeList, Room, Runner, dynamic_mst, kruskal};
use star_machine::{Host, Slice, StarError};

use super::forests::{by_sorting, marked, random};
use super::{By, Line, Problem, Race};
use crate::draws::Draws;
use crate::star::measure::ms_since;
use crate::star::pool;

type Edge = (VertexId, VertexId, i64);

/// What a change did.
const KINDS: [&str; 3] =
    ["an edge comes into the forest", "an edge of the forest goes", "the forest stays"];

/// Edges come and go in turn, those that go drawn from all. The time of a change has in it that
/// the machine is told of it, and asked for its row.
pub(super) fn forest(race: &mut Race<'_>, n: usize, m: usize, n_changes: usize) -> Result<()> {
    let edges = random(n, m)?;
    let list: Vec<Edge> = edges.arcs().map(|(u, v, w)| (u, v, i64::from(w))).collect();
    let changes = changes(n, &list, n_changes)?;
    let scratch = EdgeList::new(n, &list)?;
    let problem = Problem {
        algorithm: "Changing forest",
        n_vertices: n,
        n_edges: m,
        bits: scratch.weight_bits(),
        unit: "change",
    };
    let is_forest = |found: &[usize]| certificate::check_spanning_forest(&edges, found);
    race.times(problem, By::Thread, "sorted edges, from scratch", || {
        let start = Instant::now();
        let found = by_sorting(&edges);
        let ms = ms_since(start);
        is_forest(&found)?;
        Ok((ms, 1))
    })?;
    race.program(problem, "KRUSKAL, from scratch", &kruskal(&scratch)?, |run| {
        is_forest(&marked(run)?)?;
        Ok(1)
    })?;

    let room = Room::for_changes(n, &list, &changes);
    let dynamic = dynamic_mst(n, &list, &room)?;
    let (mut host, one, mut forests) = (Host::new(), pool(1)?, Vec::new());
    let mut run = dynamic.task().on(&mut host)?;
    one.install(|| dynamic.build(&mut run))?;
    let mut rows: Vec<Option<Edge>> = list.into_iter().map(Some).collect();
    rows.resize(room.n_edges, None);
    let ms = timed(
        &mut run,
        &changes,
        |run, change| one.install(|| dynamic.apply(run, change)),
        |change, row, forest| {
            rows[row] = match change {
                Change::Insert { u, v, w } => Some((u, v, w)),
                _ => None,
            };
            certify(n, &rows, forest)?;
            forests.push(forest.clone());
            Ok(())
        },
    )?;
    race.push(problem, By::StarThread, ms);
    let Some(gpu) = race.gpu else { return Ok(()) };
    let mut run = dynamic.task().load(gpu)?;
    dynamic.build(&mut run)?;
    let mut certified = forests.iter();
    let ms = timed(
        &mut run,
        &changes,
        |run, change| dynamic.apply(run, change),
        |change, _, forest| {
            let is_right = certified.next() == Some(forest);
            ensure!(is_right, "{change} leaves another forest than on the host");
            Ok(())
        },
    )?;
    race.push(problem, By::StarGpu, ms);
    Ok(())
}

impl Race<'_> {
    fn push(&mut self, problem: Problem, by: By, ms: [Vec<f64>; 3]) {
        for (form, ms) in KINDS.into_iter().zip(ms) {
            eprintln!("{} on {}: {form}: {} changes", problem.algorithm, by.name(), ms.len());
            self.lines.push(Line { problem, by, form, units: 1, ms });
        }
    }
}

/// Milliseconds of each change, by what it did.
fn timed<R: Runner>(
    run: &mut R,
    changes: &[Change],
    mut apply: impl FnMut(&mut R, Change) -> Result<usize, StarError>,
    mut check: impl FnMut(Change, usize, &Slice) -> Result<()>,
) -> Result<[Vec<f64>; 3]> {
    let mut all = [const { Vec::new() }; 3];
    let mut forest = run.slice("T")?;
    for &change in changes {
        let start = Instant::now();
        let row = apply(run, change)?;
        let ms = ms_since(start);
        let before = std::mem::replace(&mut forest, run.slice("T")?);
        check(change, row, &forest).with_context(|| format!("after {change}"))?;
        let kind = match change {
            _ if before == forest => 2,
            Change::Delete { .. } => 1,
            _ => 0,
        };
        all[kind].push(ms);
    }
    Ok(all)
}

/// That these rows are a minimum spanning forest of the edges that are there.
fn certify(n: usize, rows: &[Option<Edge>], forest: &Slice) -> Result<()> {
    let there = || rows.iter().zip(forest.iter()).filter_map(|(edge, bit)| Some(((*edge)?, bit)));
    ensure!(there().filter(|(_, bit)| *bit).count() == forest.positions().count(), "a row is free");
    let edges = Coo::new(
        n,
        there().map(|(edge, _)| edge.0).collect(),
        there().map(|(edge, _)| edge.1).collect(),
        there().map(|(edge, _)| edge.2).collect(),
    )?;
    let found = there().enumerate().filter(|(_, (_, bit))| *bit);
    let found: Vec<usize> = found.map(|(position, _)| position).collect();
    Ok(certificate::check_spanning_forest(&edges, &found)?)
}

fn changes(n: usize, edges: &[Edge], n_changes: usize) -> Result<Vec<Change>> {
    let mut draws = Draws::new(n_changes as u64);
    let mut there = edges.to_vec();
    let mut come = random(n, n_changes)?.arcs().collect::<Vec<_>>().into_iter();
    let mut change = |turn: usize| match there.len() {
        len if turn % 2 == 1 && len > 0 => {
            let (u, v, w) = there.swap_remove(draws.below(len));
            Some(Change::Delete { u, v, w: Some(w) })
        }
        _ => {
            let (u, v, w) = come.next()?;
            there.push((u, v, w.into()));
            Some(Change::Insert { u, v, w: w.into() })
        }
    };
    Ok((0..n_changes).map_while(&mut change).collect())
}
