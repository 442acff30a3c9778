//! The graph algorithms: a graph is put into tables, a program runs on them, and the result is read
//! from them.

mod answers;
mod changes;

use std::fmt;
use std::path::Path;

use anyhow::anyhow;
use graph_formats::{Direction, GraphError};
use serde::Serialize;
use star_machine::StarError;
use star_machine::algorithms::{
    EdgeList, SignedMatrix, Task, WeightMatrix, arborescence, bellman_ford, dijkstra, edmonds,
    floyd, floyd_signed, gabow, kruskal, prim,
};

use self::answers::{Answer, Arcs, Asked};
use self::changes::{Changes, Kept};
use super::execution::{Done, execute};
use super::operations::Operations;
use crate::cli::{Common, GraphAlgorithm};
use crate::load::{Loaded, load};
use crate::output::ResultFile;
use crate::report::{Head, Ms};

#[derive(Serialize)]
struct Report {
    #[serde(flatten)]
    head: Head,
    #[serde(skip_serializing_if = "Option::is_none")]
    device: Option<String>,
    /// Time to make the tables and to copy them to the machine.
    prepare_ms: Ms,
    #[serde(flatten)]
    answer: Answer,
    #[serde(skip_serializing_if = "Option::is_none")]
    operations: Option<Operations>,
    #[serde(flatten)]
    changes: Option<Changes>,
}

pub(super) fn run(algorithm: &GraphAlgorithm, common: &Common) -> anyhow::Result<()> {
    let (name, on) = algorithm.parts();
    let mut inputs: Vec<&Path> = on.graph.inputs().collect();
    inputs.extend(algorithm.changes());
    let output = match algorithm {
        GraphAlgorithm::DynamicClosure(_) => ResultFile::check(&on.output, &inputs),
        _ => ResultFile::check_columns(&on.output, &inputs, "this result"),
    }?;
    let loaded = load(&on.graph, common)?;
    let names = loaded.names();
    let solved = match algorithm {
        GraphAlgorithm::DynamicMst(args) => {
            changes::run(args, Kept::Forest, &edges(&loaded)?, &names, common)
        }
        GraphAlgorithm::DynamicClosure(args) => {
            changes::run(args, Kept::Closure, &arcs(&loaded)?, &names, common)
        }
        GraphAlgorithm::DynamicPaths { changes, sink } => {
            let sink = names.vertex("the sink", sink)?;
            changes::run(changes, Kept::Paths { sink }, &arcs(&loaded)?, &names, common)
        }
        _ => task(algorithm, &loaded).and_then(|(task, asked)| {
            let done = execute(&task, on.cost, common, |run| asked.answer(run, &names))?;
            Ok((done, None))
        }),
    };
    let (done, changes) = solved.map_err(explain)?;
    let Done { found: answer, times, prepare_ms, device, operations } = done;
    if let Some(output) = output {
        answer.write(&output, &names)?;
    }
    let head = loaded.head("star").solved(name, &times, common);
    let report = Report {
        head: match device {
            Some(_) => Head { backend: "cuda", threads: 1, ..head },
            None => head,
        },
        device,
        prepare_ms,
        answer,
        operations,
        changes,
    };
    loaded.print(Ok(report), common)
}

/// The task, and how to read its tables.
fn task(algorithm: &GraphAlgorithm, loaded: &Loaded) -> anyhow::Result<(Task, Asked)> {
    let (n, names) = (loaded.csr.n_vertices(), loaded.names());
    let source_of = |id: &str| names.vertex("the source", id);
    let root_of = |id: &str| names.vertex("the root", id);
    Ok(match algorithm {
        GraphAlgorithm::Dijkstra(from) => {
            let source = source_of(&from.source)?;
            let out = WeightMatrix::leaving(n, &arcs(loaded)?)?;
            (dijkstra(&out, source)?, Asked::Search { source })
        }
        GraphAlgorithm::BellmanFord(from) => {
            let source = source_of(&from.source)?;
            let out = SignedMatrix::leaving(n, &arcs(loaded)?)?;
            let task = bellman_ford(&out, source)?;
            (task, Asked::SignedSearch { source, matrix: out })
        }
        GraphAlgorithm::Floyd(_) => {
            let arcs = arcs(loaded)?;
            if arcs.iter().any(|arc| arc.2 < 0) {
                let into = SignedMatrix::entering(n, &arcs)?;
                return Ok((floyd_signed(&into)?, Asked::SignedPairs { matrix: into }));
            }
            let into = WeightMatrix::entering(n, &arcs)?;
            (floyd(&into)?, Asked::Pairs { bits: into.bits() })
        }
        GraphAlgorithm::Kruskal(_) => {
            let edges = edges(loaded)?;
            (kruskal(&EdgeList::new(n, &edges)?)?, Asked::Marked { arcs: edges, trees_of: Some(n) })
        }
        GraphAlgorithm::Prim { root, .. } => {
            let (root, edges) = (root_of(root)?, edges(loaded)?);
            let task = prim(&EdgeList::new(n, &edges)?, root)?;
            (task, Asked::Marked { arcs: edges, trees_of: None })
        }
        GraphAlgorithm::Edmonds { root: None, .. } => {
            let arcs = arcs(loaded)?;
            (edmonds(n, &arcs)?, Asked::Marked { arcs, trees_of: Some(n) })
        }
        GraphAlgorithm::Edmonds { root: Some(root), .. } => {
            let (root, arcs) = (root_of(root)?, arcs(loaded)?);
            (arborescence(n, &arcs, root)?, Asked::Arborescence { arcs, n_vertices: n })
        }
        GraphAlgorithm::Gabow { root, degree, at_most, .. } => {
            let root = root_of(root)?;
            let matrix = WeightMatrix::symmetric(n, &edges(loaded)?)?;
            let least = if *at_most { 0 } else { *degree };
            let task = gabow(&matrix, root, least..=*degree)?;
            (task, Asked::Tree { root, n_vertices: n, least: matrix.least() })
        }
        GraphAlgorithm::DynamicMst(_)
        | GraphAlgorithm::DynamicClosure(_)
        | GraphAlgorithm::DynamicPaths { .. } => {
            return Err(anyhow!("these algorithms run change by change"));
        }
    })
}

/// The arcs of a graph whose weights are whole numbers, floats too.
fn arcs(loaded: &Loaded) -> anyhow::Result<Arcs> {
    match loaded.csr.clone().into_csr::<i64>() {
        Ok(graph) => Ok(graph.arcs().collect()),
        Err(GraphError::WeightOutOfRange { arc, weight, .. }) => {
            let (from, to) = loaded.csr.unweighted().ends(arc);
            let (shown, names) = (loaded.path.display(), loaded.names());
            let (from, to) = (names.name(from), names.name(to));
            Err(anyhow!(
                "{shown}: the arc {from} -> {to} weighs {weight}, but the STAR-machine needs whole \
                 numbers of up to 63 bits; scale and round the weights of the file"
            ))
        }
        Err(error) => Err(error.into()),
    }
}

/// The edges of an undirected graph, each once.
fn edges(loaded: &Loaded) -> anyhow::Result<Arcs> {
    let checked = match loaded.csr.direction() {
        Direction::Undirected => Ok(()),
        Direction::Directed => loaded.csr.clone().into_undirected().map(drop),
    };
    checked.map_err(|error| {
        let shown = loaded.path.display();
        let GraphError::NotUndirected { from, to, weight } = error else {
            return anyhow!("{shown}: {error}");
        };
        let (from, to) = (loaded.names().name(from), loaded.names().name(to));
        anyhow!(
            "{shown}: the algorithm is for undirected graphs, but no arc of weight {weight} leads \
             back from {to} to {from}; to make an edge of each arc, read the file with --undirected"
        )
    })?;
    Ok(arcs(loaded)?.into_iter().filter(|&(u, v, _)| u <= v).collect())
}

/// The error as the program reports it.
fn explain(error: anyhow::Error) -> anyhow::Error {
    match error.downcast_ref() {
        Some(StarError::TooLarge { what, rows, columns }) => anyhow!(
            "{what} of {rows} by {columns} bits does not fit into memory; use a smaller graph"
        ),
        _ => error,
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.head)?;
        writeln!(f, "{}", self.answer)?;
        self.changes.iter().try_for_each(|changes| writeln!(f, "{changes}"))?;
        self.operations.iter().try_for_each(|operations| writeln!(f, "{operations}"))
    }
}
