//! What several of them need.

use graph_formats::{Coo, Csr, VertexId, Weight};
use star_machine::algorithms::{Edge, Task};
use star_machine::{CountFrom, Relation};

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

/// A task like this one, of its text with something else in one place. It has an end.
pub(crate) fn flawed(task: &Task, text: &str, [from, to]: [&str; 2]) -> Task {
    assert!(text.contains(from), "{from}");
    let (text, values) = (text.replacen(from, to, 1), task.arguments().map(|(_, value)| value));
    let flawed = Task::new(&text, values.cloned(), CountFrom::Zero);
    flawed.unwrap_or_else(|error| panic!("{to}: {error}")).with_most_turns(1_000_000)
}
