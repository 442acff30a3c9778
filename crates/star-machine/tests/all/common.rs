//! What several of them need.

use graph_formats::{Coo, Csr, VertexId, Weight};
use proptest::prelude::ProptestConfig;
use star_machine::algorithms::{Edge, OnMachine, Runner, Task};
use star_machine::{CountFrom, Counting, Host, Machine, Relation, StarError};

/// What a check finds.
pub(crate) type Checked<T = ()> = Result<T, Box<dyn std::error::Error>>;

/// All relations.
pub(crate) const RELATIONS: [Relation; 6] = [
    Relation::Equal,
    Relation::NotEqual,
    Relation::Less,
    Relation::LessOrEqual,
    Relation::Greater,
    Relation::GreaterOrEqual,
];

/// The arcs of a graph with whole weights.
pub(crate) fn arcs<W: Weight>(graph: &Csr<W>) -> Vec<Edge> {
    let whole = |w: W| w.to_i128().and_then(|w| i64::try_from(w).ok()).expect("a whole weight");
    graph.arcs().map(|(u, v, w)| (u, v, whole(w))).collect()
}

/// Arcs as a list for oracles.
pub(crate) fn coo(n: usize, arcs: &[Edge]) -> Coo<i64> {
    let column = |of: fn(&Edge) -> VertexId| arcs.iter().map(of).collect();
    let weights = arcs.iter().map(|arc| arc.2).collect();
    Coo::new(n, column(|arc| arc.0), column(|arc| arc.1), weights).unwrap()
}

/// The text with something else in one place.
pub(crate) fn replaced(text: &str, [from, to]: [&str; 2]) -> String {
    assert!(text.contains(from), "{from}");
    text.replacen(from, to, 1)
}

/// A task like this one, of another text.
pub(crate) fn of_text(task: &Task, text: &str) -> Task {
    let values = task.arguments().map(|(_, value)| value.clone());
    Task::new(text, values, CountFrom::Zero).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

/// A task like this one, of its text with something else in one place. It has an end.
pub(crate) fn flawed(task: &Task, text: &str, flaw: [&str; 2]) -> Task {
    of_text(task, &replaced(text, flaw)).with_most_turns(20_000)
}

/// A task after a run on a machine.
pub(crate) fn ran<'a, M: Machine>(
    task: &'a Task,
    machine: &'a mut M,
) -> Result<OnMachine<'a, M>, StarError> {
    let mut run = task.on(machine)?;
    run.run()?;
    Ok(run)
}

/// The operations that a run takes.
pub(crate) fn cost(task: &Task) -> u64 {
    ran(task, &mut Counting::new(Host::new())).unwrap().machine().cost().total()
}

/// So many cases of a law.
pub(crate) fn proptests(cases: u32) -> ProptestConfig {
    ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() }
}
