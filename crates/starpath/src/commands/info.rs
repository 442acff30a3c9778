//! `starpath info`: sizes, weights and degrees of a graph, and what `auto` would run on it.

use std::fmt;
use std::time::Instant;

use graph_formats::{AnyCsr, ArcCounts, Direction, VertexId, with_csr};
use paths::Total;
use serde::Serialize;
use sssp::any;

use crate::backend;
use crate::cli::{Common, InfoArgs};
use crate::ids::Id;
use crate::load::{Loaded, load_silently};
use crate::report::{Amount, Head, grouped, milliseconds};

#[derive(Serialize)]
struct Report {
    #[serde(flatten)]
    head: Head,
    direction: &'static str,
    weights: String,
    min_weight: Option<Amount>,
    max_weight: Option<Amount>,
    /// Whether all weights are equal, and so stored once.
    equal_weights: bool,
    weight_sum: Amount,
    self_loops: usize,
    /// Arcs beyond the first between the same two vertices, in the same direction.
    parallel_arcs: usize,
    min_degree: usize,
    mean_degree: f64,
    max_degree: usize,
    /// Vertices that no arc touches, loops aside.
    isolated: usize,
    components: usize,
    largest_component: usize,
    first_id: Option<Id>,
    last_id: Option<Id>,
    /// What `--algorithm auto` runs, and why.
    auto: String,
    /// What reading decided; the JSON of every report on a graph has these notes.
    #[serde(skip)]
    notes: Vec<String>,
}

pub(crate) fn run(args: &InfoArgs, common: &Common) -> anyhow::Result<()> {
    backend::cpu("info", common)?;
    let loaded = load_silently(&args.graph, common)?;
    loaded.print(survey(&loaded, common), common)
}

fn survey(loaded: &Loaded, common: &Common) -> anyhow::Result<Report> {
    let (names, arcs) = (loaded.names(), loaded.csr.unweighted());
    let config = sssp::Config { threads: common.threads, ..Default::default() };
    let solver = any::solver(&loaded.csr, &config, None)?;
    let plan = solver.plan();
    let start = Instant::now();
    let [least, greatest, sum] = weights(&loaded.csr);
    let has_arcs = arcs.n_arcs() > 0;
    let counts = ArcCounts::of(&arcs);
    let last = (arcs.n_vertices() as VertexId).checked_sub(1);
    let head = loaded.head("info");
    let mut report = Report {
        head: Head { algorithm: Some(plan.algorithm), threads: plan.threads, ..head },
        direction: match arcs.direction() {
            Direction::Directed => "directed",
            Direction::Undirected => "undirected",
        },
        weights: loaded.csr.kind().to_string(),
        min_weight: has_arcs.then(|| least.into()),
        max_weight: has_arcs.then(|| greatest.into()),
        equal_weights: loaded.csr.common_weight().is_some(),
        weight_sum: sum.into(),
        self_loops: counts.self_loops,
        parallel_arcs: counts.parallel,
        min_degree: counts.least_degree,
        mean_degree: arcs.n_arcs() as f64 / arcs.n_vertices().max(1) as f64,
        max_degree: counts.greatest_degree,
        isolated: counts.isolated,
        components: counts.components,
        largest_component: counts.largest_component,
        first_id: last.map(|_| names.name(0).into()),
        last_id: last.map(|last| names.name(last).into()),
        auto: plan.to_string(),
        notes: loaded.notes.clone(),
    };
    report.head.solve_ms = Some(milliseconds(start.elapsed()));
    Ok(report)
}

/// The least, the greatest and the sum of the weights.
fn weights(graph: &AnyCsr) -> [Total; 3] {
    with_csr!(graph, |graph| {
        let summary = graph.weight_summary();
        let [least, greatest] = [summary.least, summary.greatest].map(|weight| Total::of([weight]));
        [least, greatest, Total::of(graph.arcs().map(|arc| arc.2))]
    })
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let count = |n: usize| grouped(n as u64);
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
