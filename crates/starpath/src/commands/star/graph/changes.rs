//! A graph that changes: the time of each change, and that of computing everything from scratch.

use std::fmt;
use std::time::Instant;

use anyhow::anyhow;
use graph_formats::VertexId;
use paths::Closure;
use paths::Total;
use serde::Serialize;
use star_machine::algorithms::{
    Change, Dynamic, Room, Runner, dynamic_closure, dynamic_mst, dynamic_paths,
};
use star_machine::{Counting, Host, StarError};

use super::answers::{Answer, Arcs, Line};
use crate::backend;
use crate::cli::{Common, OnChanges};
use crate::commands::star::execution::Done;
use crate::ids::Names;
use crate::numbers::read_text;
use crate::progress::EndAtOnce;
use crate::report::{Ms, grouped, milliseconds};

/// The times of changes.
#[derive(Serialize)]
pub(super) struct Changes {
    changes: Vec<Made>,
    /// Time to compute everything from scratch for the graph after the last change.
    recompute_ms: Ms,
    #[serde(skip_serializing_if = "Option::is_none")]
    recompute_operations: Option<u64>,
}

#[derive(Serialize)]
struct Made {
    /// Its line in the file of changes.
    change: String,
    solve_ms: Ms,
    /// Slice operations on the abstract machine.
    #[serde(skip_serializing_if = "Option::is_none")]
    operations: Option<u64>,
}

/// The structure that is kept up to date.
#[derive(Clone, Copy)]
pub(super) enum Kept {
    Forest,
    Closure,
    Paths { sink: VertexId },
}

impl Kept {
    /// The structure for a graph with these arcs, with room for the changes.
    fn of(self, n: usize, arcs: &Arcs, room: &Room) -> Result<Dynamic, StarError> {
        match self {
            Self::Forest => dynamic_mst(n, arcs, room),
            Self::Closure => dynamic_closure(n, arcs, room.n_edges),
            Self::Paths { sink } => dynamic_paths(n, arcs, sink, (*room.weights.end()).max(0)),
        }
    }

    /// The result for the graph after the changes.
    fn answer(self, run: &mut dyn Runner, room: &Room, new: Vec<String>) -> anyhow::Result<Answer> {
        match self {
            Self::Forest => forest(run, room, new),
            Self::Closure => closure(run),
            Self::Paths { sink } => paths(run, sink),
        }
    }
}

pub(super) fn run(
    args: &OnChanges,
    kept: Kept,
    arcs: &Arcs,
    names: &Names<'_>,
    common: &Common,
) -> anyhow::Result<(Done<Answer>, Option<Changes>)> {
    let Read { lines, changes, new } = read(args, names)?;
    let n = names.n_vertices;
    let room = Room::for_changes(n, arcs, &changes);
    let dynamic = kept.of(n, arcs, &room)?;
    // a program reports nothing while it runs
    let _interrupt = EndAtOnce::new();
    let gpu = backend::gpu_on_request(common)?;
    let start = Instant::now();
    let mut host = Host::new();
    let mut run: Box<dyn Runner> = match &gpu {
        Some(gpu) => Box::new(dynamic.task().load(gpu)?),
        None => Box::new(dynamic.task().on(&mut host)?),
    };
    let prepare_ms = milliseconds(start.elapsed());
    let build = timed(|| dynamic.build(&mut *run))?;
    let mut made = Vec::new();
    for (line, &change) in lines.iter().zip(&changes) {
        let time = timed(|| dynamic.apply(&mut *run, change).map(drop));
        let solve_ms = time.map_err(|error| explain(args, line, &error))?;
        made.push(Made { change: line.clone(), solve_ms, operations: None });
    }
    let answer = kept.answer(&mut *run, &room, new)?;
    let recompute_ms = timed(|| dynamic.build(&mut *run))?;
    let mut recompute_operations = None;
    if args.on.cost {
        let (each, all) = costs(&dynamic, &changes)?;
        recompute_operations = Some(all);
        made.iter_mut().zip(each).for_each(|(made, cost)| made.operations = Some(cost));
    }
    let done = Done {
        found: answer,
        times: vec![build.0],
        prepare_ms,
        device: gpu.map(|gpu| gpu.properties().name.clone()),
        operations: None,
    };
    Ok((done, Some(Changes { changes: made, recompute_ms, recompute_operations })))
}

/// The changes in a file.
struct Read {
    lines: Vec<String>,
    changes: Vec<Change>,
    /// The names of new vertices.
    new: Vec<String>,
}

/// Reads changes. Vertices have the graph's names; a new vertex has the name of its line.
fn read(args: &OnChanges, names: &Names<'_>) -> anyhow::Result<Read> {
    let shown = args.changes.display();
    let text = read_text(&args.changes).map_err(|error| anyhow!("{shown}: {error}"))?;
    let (mut lines, mut changes, mut new) = (Vec::new(), Vec::new(), Vec::<String>::new());
    for (number, line) in (1..).zip(text.lines().map(str::trim)) {
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let words: Vec<_> = line.split_whitespace().collect();
        let n_vertices = if words[0].ends_with("-vertex") { 1 } else { 2 };
        let mut numbered = vec![words[0].to_owned()];
        for (i, &word) in words[1..].iter().enumerate() {
            if i >= n_vertices {
                numbered.push(word.to_owned());
                continue;
            }
            let is_new = new.iter().position(|other| other == word);
            let vertex = match (names.vertex("the vertex", word), is_new) {
                (Ok(vertex), _) => vertex as usize,
                (Err(_), Some(place)) => names.n_vertices + place,
                (Err(_), None) if words[0] == "insert-vertex" => {
                    new.push(word.to_owned());
                    names.n_vertices + new.len() - 1
                }
                (Err(error), None) => return Err(anyhow!("{shown}:{number}: {error}")),
            };
            numbered.push(vertex.to_string());
        }
        let change = Change::read(&numbered.join(" ")).ok().and_then(|read| read.first().copied());
        let Some(change) = change else {
            return Err(anyhow!(
                "{shown}:{number}: '{line}' is not a change; expected insert u v [w], delete u v \
                 [w], insert-vertex x or delete-vertex x, where w is a whole number"
            ));
        };
        lines.push(line.to_owned());
        changes.push(change);
    }
    Ok(Read { lines, changes, new })
}

fn timed(work: impl FnOnce() -> Result<(), StarError>) -> Result<Ms, StarError> {
    let start = Instant::now();
    work()?;
    Ok(milliseconds(start.elapsed()))
}

fn forest(run: &mut dyn Runner, room: &Room, new: Vec<String>) -> anyhow::Result<Answer> {
    let mut numbers = |name: &str| run.table(name)?.to_values();
    let (tails, heads, weights) = (numbers("L")?, numbers("R")?, numbers("W")?);
    let edge = |row: usize| {
        let weight = room.weights.start().wrapping_add_unsigned(weights[row]);
        (tails[row] as VertexId, heads[row] as VertexId, weight)
    };
    let edges: Arcs = run.slice("T")?.positions().map(edge).collect();
    let n_vertices = run.slice("V")?.numb();
    Ok(Answer::of_edges(edges, Some(n_vertices)).with_names(new))
}

fn closure(run: &mut dyn Runner) -> anyhow::Result<Answer> {
    let reaches = run.table("TC")?;
    let mut closure = Closure::without_pairs(reaches.rows());
    for v in 0..reaches.columns() {
        let others = reaches.col(v)?;
        let others = others.positions().filter(|&u| u != v);
        others.for_each(|u| closure.insert(u as VertexId, v as VertexId));
    }
    // in the table every vertex reaches itself; in the result only one on a cycle does
    let (tails, heads) = (run.table("L")?.to_values()?, run.table("R")?.to_values()?);
    for row in run.slice("X")?.positions() {
        let (u, v) = (tails[row], heads[row]);
        if reaches.get(v as usize, u as usize)? {
            closure.insert(v as VertexId, v as VertexId);
        }
    }
    Ok(Answer::Closure { reachable_pairs: closure.n_pairs(), closure })
}

fn paths(run: &mut dyn Runner, sink: VertexId) -> anyhow::Result<Answer> {
    let (distances, paths) = (run.table("D")?, run.table("SP")?);
    let none = u64::MAX >> (64 - distances.columns());
    let (mut reached, mut sum, mut steps) = (0, 0, Vec::new());
    for (vertex, distance) in (0..).zip(distances.to_values()?).filter(|&(_, d)| d != none) {
        let distance = i128::from(distance);
        reached += 1;
        sum += distance;
        if vertex == sink {
            steps.push(Line { vertex, distance, beside: None });
        }
        let next = paths.row(vertex as usize)?.into_slice();
        let next = next.positions().map(|v| Some(v as VertexId));
        steps.extend(next.map(|beside| Line { vertex, distance, beside }));
    }
    // all lines but that of the sink are arcs
    let arcs = Some(steps.len() - 1);
    let distance_sum = Total::Integer(sum).into();
    Ok(Answer::Search { reached, distance_sum, arcs, lines: steps })
}

/// Slice operations of each change, and of computing everything from scratch after the last.
fn costs(dynamic: &Dynamic, changes: &[Change]) -> Result<(Vec<u64>, u64), StarError> {
    let mut machine = Counting::new(Host::new());
    let mut run = dynamic.task().on(&mut machine)?;
    dynamic.build(&mut run)?;
    let mut each = Vec::new();
    for &change in changes {
        run.machine().reset();
        dynamic.apply(&mut run, change)?;
        each.push(run.machine().cost().total());
    }
    run.machine().reset();
    dynamic.build(&mut run)?;
    let all = run.machine().cost().total();
    Ok((each, all))
}

fn explain(args: &OnChanges, line: &str, error: &StarError) -> anyhow::Error {
    let shown = args.changes.display();
    match error {
        StarError::Refused { why, .. } => anyhow!("{shown}: {line}: {why}"),
        error => anyhow!("{shown}: {line}: {error}"),
    }
}

impl fmt::Display for Changes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let cost = |operations: Option<u64>| match operations {
            Some(n) => format!(", {} operations", grouped(n)),
            None => String::new(),
        };
        for Made { change, solve_ms, operations } in &self.changes {
            writeln!(f, "{change}: {solve_ms} ms{}", cost(*operations))?;
        }
        write!(f, "from scratch: {} ms{}", self.recompute_ms, cost(self.recompute_operations))
    }
}
