//! A graph that changes: what each change takes, beside making everything from scratch.

use std::fmt;
use std::fs;
use std::time::Instant;

use anyhow::anyhow;
use graph_formats::VertexId;
use serde::Serialize;
use star_machine::algorithms::{Change, Dynamic, Room, Runner, dynamic_mst};
use star_machine::{Counting, Host, StarError};

use super::answers::Answer;
use super::{Arcs, Solved};
use crate::backend;
use crate::cli::{Common, OnChanges};
use crate::ids::Names;
use crate::progress::EndAtOnce;
use crate::report::{Ms, grouped, milliseconds};

/// What changes took.
#[derive(Serialize)]
pub(super) struct Changes {
    changes: Vec<Made>,
    /// All that is kept, from scratch, for the graph after the last change.
    recompute_ms: Ms,
    #[serde(skip_serializing_if = "Option::is_none")]
    recompute_operations: Option<u64>,
}

#[derive(Serialize)]
struct Made {
    /// As its line says.
    change: String,
    solve_ms: Ms,
    /// Slice operations on the abstract machine.
    #[serde(skip_serializing_if = "Option::is_none")]
    operations: Option<u64>,
}

pub(super) fn run(
    args: &OnChanges,
    edges: &Arcs,
    names: &Names<'_>,
    common: &Common,
) -> anyhow::Result<Solved> {
    let Read { lines, changes, new } = read(args, names)?;
    let n = names.n_vertices;
    let room = Room::for_changes(n, edges, &changes);
    let forest = dynamic_mst(n, edges, &room)?;
    // a program reports nothing while it runs
    let _interrupt = EndAtOnce::new();
    let gpu = backend::gpu_on_request(common)?;
    let start = Instant::now();
    let mut host = Host::new();
    let mut run: Box<dyn Runner> = match &gpu {
        Some(gpu) => Box::new(forest.task().load(gpu)?),
        None => Box::new(forest.task().on(&mut host)?),
    };
    let prepare_ms = milliseconds(start.elapsed());
    let build = timed(|| forest.build(&mut *run))?;
    let mut made = Vec::new();
    for (line, &change) in lines.iter().zip(&changes) {
        let time = timed(|| forest.apply(&mut *run, change).map(drop));
        let solve_ms = time.map_err(|error| explain(args, line, &error))?;
        made.push(Made { change: line.clone(), solve_ms, operations: None });
    }
    let mut answer = answer(&mut *run, &room)?;
    if let Answer::Forest { new: names, .. } = &mut answer {
        *names = new;
    }
    let recompute_ms = timed(|| forest.build(&mut *run))?;
    let mut recompute_operations = None;
    if args.on.cost {
        let (each, all) = costs(&forest, &changes)?;
        recompute_operations = Some(all);
        made.iter_mut().zip(each).for_each(|(made, cost)| made.operations = Some(cost));
    }
    Ok(Solved {
        answer,
        times: vec![build.0],
        prepare_ms,
        device: gpu.map(|gpu| gpu.properties().name.clone()),
        operations: None,
        changes: Some(Changes { changes: made, recompute_ms, recompute_operations }),
    })
}

/// The changes of a file.
struct Read {
    lines: Vec<String>,
    changes: Vec<Change>,
    /// What new vertices are called.
    new: Vec<String>,
}

/// Reads changes. Vertices have the graph's names; a new one has whatever name it comes with.
fn read(args: &OnChanges, names: &Names<'_>) -> anyhow::Result<Read> {
    let shown = args.changes.display();
    let text = fs::read_to_string(&args.changes).map_err(|error| anyhow!("{shown}: {error}"))?;
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
                "{shown}:{number}: '{line}' is no change; a change is insert u v [w], delete u v \
                 [w], insert-vertex x or delete-vertex x"
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

/// The forest as it has become.
fn answer(run: &mut dyn Runner, room: &Room) -> anyhow::Result<Answer> {
    let mut numbers = |name| Ok::<_, StarError>(run.table(name)?.to_values()?);
    let (tails, heads, weights) = (numbers("L")?, numbers("R")?, numbers("W")?);
    let edge = |row: usize| {
        let weight = room.weights.start() + weights[row] as i64;
        (tails[row] as VertexId, heads[row] as VertexId, weight)
    };
    let edges: Arcs = run.slice("T")?.positions().map(edge).collect();
    Ok(Answer::of_edges(edges, Some(run.slice("V")?.numb())))
}

/// Slice operations of each change, and of making everything from scratch after the last.
fn costs(forest: &Dynamic, changes: &[Change]) -> Result<(Vec<u64>, u64), StarError> {
    let mut machine = Counting::new(Host::new());
    let mut run = forest.task().on(&mut machine)?;
    forest.build(&mut run)?;
    let mut each = Vec::new();
    for &change in changes {
        run.machine().reset();
        forest.apply(&mut run, change)?;
        each.push(run.machine().cost().total());
    }
    run.machine().reset();
    forest.build(&mut run)?;
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
