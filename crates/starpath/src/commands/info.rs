//! `starpath info`: what a graph is like, and what `auto` would run on it.

use std::fmt;
use std::time::Instant;

use graph_formats::{Csr, Direction, VertexId, Weight, with_csr};
use serde::Serialize;
use sssp::{SearchWeight, Solver};

use crate::backend;
use crate::cli::{Common, InfoArgs};
use crate::components::components;
use crate::ids::Id;
use crate::load::{Loaded, load_silently};
use crate::report::{Head, Number, grouped, milliseconds};

#[derive(Serialize)]
struct Report {
    #[serde(flatten)]
    head: Head,
    direction: &'static str,
    weights: String,
    min_weight: Option<Number>,
    max_weight: Option<Number>,
    /// Whether all weights are the same, and stored once.
    equal_weights: bool,
    weight_sum: Number,
    self_loops: usize,
    /// Arcs beyond the first between the same two vertices, in the same direction.
    parallel_arcs: usize,
    min_degree: usize,
    mean_degree: f64,
    max_degree: usize,
    /// Vertices that no arc touches, but for loops.
    isolated: usize,
    components: usize,
    largest_component: usize,
    first_id: Option<Id>,
    last_id: Option<Id>,
    /// What `--algorithm auto` runs, and why.
    auto: String,
    /// What reading decided; in JSON every report on a graph has that.
    #[serde(skip)]
    notes: Vec<String>,
}

pub(crate) fn run(args: &InfoArgs, common: &Common) -> anyhow::Result<()> {
    let backend = backend::cpu("info", common)?;
    let loaded = load_silently(&args.graph, common)?;
    let report = with_csr!(&loaded.csr, |graph| survey(graph, &loaded, backend, common))?;
    loaded.print(&report, common)
}

fn survey<W: SearchWeight>(
    graph: &Csr<W>,
    loaded: &Loaded,
    backend: &'static str,
    common: &Common,
) -> anyhow::Result<Report> {
    let names = loaded.names();
    let config = sssp::Config { threads: common.threads, ..Default::default() };
    let solver = Solver::new(graph, &config).map_err(|error| names.explain(error))?;
    let plan = solver.plan();
    let start = Instant::now();
    let summary = (graph.n_arcs() > 0).then(|| graph.weight_summary());
    let degrees = || graph.vertices().map(|v| graph.out_degree(v));
    let (components, largest_component) = components(graph);
    let last = (graph.n_vertices() as VertexId).checked_sub(1);
    let mut report = Report {
        head: Head {
            command: "info",
            algorithm: Some(plan.algorithm),
            backend,
            threads: plan.threads,
            vertices: graph.n_vertices(),
            edges: graph.n_arcs(),
            load_ms: Some(loaded.load_ms),
            solve_ms: None,
            solve_min_ms: None,
        },
        direction: match graph.direction() {
            Direction::Directed => "directed",
            Direction::Undirected => "undirected",
        },
        weights: W::KIND.to_string(),
        min_weight: summary.map(|weights| number(weights.least)),
        max_weight: summary.map(|weights| number(weights.greatest)),
        equal_weights: graph.weight_summary().common().is_some(),
        weight_sum: sum(graph),
        self_loops: graph.arcs().filter(|&(u, v, _)| u == v).count(),
        parallel_arcs: parallel_arcs(graph),
        min_degree: degrees().min().unwrap_or(0),
        mean_degree: graph.n_arcs() as f64 / graph.n_vertices().max(1) as f64,
        max_degree: degrees().max().unwrap_or(0),
        isolated: isolated(graph),
        components,
        largest_component,
        first_id: last.map(|_| names.name(0).into()),
        last_id: last.map(|last| names.name(last).into()),
        auto: plan.to_string(),
        notes: loaded.notes.clone(),
    };
    report.head.solve_ms = Some(milliseconds(start.elapsed()));
    Ok(report)
}

fn number<W: Weight>(weight: W) -> Number {
    weight.to_i128().map_or(Number::Float(weight.to_f64()), Number::Integer)
}

/// Exact for integers: 2^64 of them fit an `i128` twice over.
fn sum<W: Weight>(graph: &Csr<W>) -> Number {
    let weights = graph.arcs().map(|arc| arc.2);
    if W::ZERO.to_i128().is_some() {
        Number::Integer(weights.filter_map(W::to_i128).sum())
    } else {
        Number::Float(weights.map(W::to_f64).sum())
    }
}

/// Arcs that another arc of their row, with the same end, stands before. O(n + m).
fn parallel_arcs<W: Weight>(graph: &Csr<W>) -> usize {
    // the vertex that last had an arc to each vertex
    let mut tails = vec![VertexId::MAX; graph.n_vertices()];
    graph.arcs().filter(|&(u, v, _)| std::mem::replace(&mut tails[v as usize], u) == u).count()
}

/// Vertices without an arc to or from another. O(n + m).
fn isolated<W: Weight>(graph: &Csr<W>) -> usize {
    let mut touched = vec![false; graph.n_vertices()];
    for (u, v, _) in graph.arcs().filter(|&(u, v, _)| u != v) {
        touched[u as usize] = true;
        touched[v as usize] = true;
    }
    touched.iter().filter(|&&touched| !touched).count()
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let count = |n: usize| grouped(n as u128);
        let ids = match (&self.first_id, &self.last_id) {
            (Some(first), Some(last)) => format!(", named {first} to {last}"),
            _ => String::new(),
        };
        let range = match (self.min_weight, self.max_weight) {
            (Some(min), Some(_)) if self.equal_weights => format!(", all {min}: stored once"),
            (Some(min), Some(max)) => format!(", {min} to {max}, sum {}", self.weight_sum),
            _ => String::new(),
        };
        writeln!(f, "vertices     {}{ids}", count(self.head.vertices))?;
        writeln!(f, "arcs         {}, {}", count(self.head.edges), self.direction)?;
        writeln!(f, "weights      {}{range}", self.weights)?;
        writeln!(
            f,
            "out-degrees  {} to {}, mean {:.2}",
            count(self.min_degree),
            count(self.max_degree),
            self.mean_degree
        )?;
        writeln!(f, "self-loops   {}", count(self.self_loops))?;
        writeln!(f, "parallel     {}", count(self.parallel_arcs))?;
        writeln!(f, "isolated     {}", count(self.isolated))?;
        writeln!(
            f,
            "components   {}, the largest of {} vertices",
            count(self.components),
            count(self.largest_component)
        )?;
        writeln!(f, "auto runs    {}", self.auto)?;
        self.notes.iter().try_for_each(|note| writeln!(f, "note         {note}"))
    }
}
