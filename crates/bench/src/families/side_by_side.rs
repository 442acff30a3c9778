//! All families on the same graphs, the GPU's and the host's in turns.
//!
//! Dijkstra's algorithm on the GPU takes a step over the whole grid for each vertex, so its
//! four blocks are tried on small graphs only; larger ones have the block that was quickest
//! there.

use std::time::Duration;

use anyhow::{Context, Result};
use gpu_runtime::Gpu;
use graph_formats::{Csr, Weight};
use sssp::gpu::BlockSize;

use super::boost::Boost;
use super::graphs::{Made, Named};
use super::race::{Line, Pools, Terms, race};
use super::roster::{self, DEFAULT_ON_GPU, DEFAULT_ON_HOST, HOST_DIJKSTRA, dijkstra_on_gpu};
use super::sets::{is_at_hand, sizes};
use super::{Backend, Options, Raw};
use crate::table::{number, table};

/// Most vertices of a graph on which every block is tried.
const SMALL: usize = 1 << 16;

/// What was measured on one graph.
#[derive(Debug)]
pub(super) struct OnGraph {
    pub(super) graph: Named,
    pub(super) n_vertices: usize,
    pub(super) n_arcs: usize,
    n_reached: usize,
    pub(super) lines: Vec<Line>,
}

impl OnGraph {
    fn median_of(&self, name: &str) -> Option<f64> {
        self.lines.iter().find(|line| line.solver == name)?.median_ms()
    }
}

/// Which block is quickest, as far as is known: the total of its medians on small graphs.
#[derive(Default)]
struct Blocks([f64; 4]);

impl Blocks {
    fn add(&mut self, found: &OnGraph) {
        for (total, (_, block)) in self.0.iter_mut().zip(BlockSize::ALL) {
            let name = format!("gpu/{}", dijkstra_on_gpu(block));
            *total += found.median_of(&name).unwrap_or(0.0);
        }
    }

    fn best(&self) -> BlockSize {
        let known = self.0.iter().zip(BlockSize::ALL).filter(|(total, _)| **total > 0.0);
        let best = known.min_by(|a, b| a.0.total_cmp(b.0));
        best.map_or_else(BlockSize::default, |(_, block)| block.1)
    }
}

/// Measures graphs of several sizes, or those that were named.
pub(super) fn measure(
    options: &Options,
    gpu: Option<&Gpu>,
    boost: Option<&Boost>,
    pools: &Pools,
    raw: &mut Raw,
) -> Result<Vec<OnGraph>> {
    let graphs = match options.graphs.as_slice() {
        [] => sizes().collect(),
        named => named.to_vec(),
    };
    let mut blocks = Blocks::default();
    let mut all = Vec::new();
    let most_arcs = options.most_arcs.unwrap_or(u64::MAX);
    for graph in graphs.into_iter().filter(|graph| is_at_hand(graph, most_arcs)) {
        let field = Field { options, gpu, pools, block: blocks.best() };
        let found = match graph.make()? {
            Made::U32(csr) => field.on_graph(graph, &csr, boost),
            Made::I32(csr) => field.on_graph(graph, &csr, None),
            Made::F32(csr) => field.on_graph(graph, &csr, None),
        };
        let found = found.with_context(|| format!("on {graph}"))?;
        raw.push("families", &graph, found.n_vertices, found.n_arcs, &found.lines);
        if found.n_vertices <= SMALL {
            blocks.add(&found);
        }
        all.push(found);
    }
    Ok(all)
}

/// Where all run.
struct Field<'a> {
    options: &'a Options,
    gpu: Option<&'a Gpu>,
    pools: &'a Pools,
    block: BlockSize,
}

impl Field<'_> {
    fn on_graph<W: Weight>(
        &self,
        named: Named,
        graph: &Csr<W>,
        boost: Option<&Boost>,
    ) -> Result<OnGraph> {
        let options = self.options;
        let (n_vertices, n_arcs) = (graph.n_vertices(), graph.n_arcs());
        eprintln!("{named}: {n_vertices} vertices, {n_arcs} arcs");
        let task = self.pools.task(graph)?;
        let terms = Terms {
            runs: options.runs.get(),
            patience: options.patience()?,
            turn: Duration::ZERO,
            hopeless: None,
        };
        let mut entries = Vec::new();
        if self.gpu.is_some() {
            let all = BlockSize::ALL.map(|block| block.1);
            let blocks = if n_vertices <= SMALL { all.as_slice() } else { &[self.block] };
            entries.extend(roster::on_gpu(blocks));
        }
        let on_host = options.backend.contains(&Backend::Cpu);
        if on_host {
            entries.extend(roster::on_host(options.threads()));
        }
        let mut lines = race(&task, &entries, self.gpu, self.pools, &terms)?;
        if let Some(boost) = boost.filter(|_| on_host) {
            lines.push(boost.line(&task, &terms)?);
        }
        for line in &lines {
            let said =
                line.skipped.clone().unwrap_or_else(|| format!("{} ms", number(line.median_ms())));
            eprintln!("{named}: {}: {said}", line.solver);
        }
        let n_reached = task.certified.n_reached();
        Ok(OnGraph { graph: named, n_vertices, n_arcs, n_reached, lines })
    }
}

/// The part in words: a table for each graph, and the times of each family of graphs by size.
pub(super) fn section(all: &[OnGraph]) -> String {
    let mut text = String::from(
        "\n## All families side by side\n\n\"Visits\" are vertices taken from a queue or settled, \
         for each vertex reached; \"again\" is what of the visits and relaxations was done \
         another time, where it is counted. \"/ default\" compares with auto on the GPU, or on \
         the host where there is no GPU; \"/ Dijkstra\" with Dijkstra's algorithm on the host.\n",
    );
    for found in all {
        text += &table_of(found);
    }
    for family in families(all) {
        text += &times_of(family, all);
    }
    text
}

fn table_of(found: &OnGraph) -> String {
    let default = found.median_of(DEFAULT_ON_GPU).or_else(|| found.median_of(DEFAULT_ON_HOST));
    let dijkstra = found.median_of(HOST_DIJKSTRA);
    let (n_arcs, n_reached) = (found.n_arcs as f64, found.n_reached as f64);
    let rows = found.lines.iter().map(|line| {
        let ms = line.median_ms();
        let over = |below: Option<f64>| number(ms.zip(below).map(|(ms, below)| ms / below));
        let per = |count: Option<u64>, total: f64| number(count.map(|count| count as f64 / total));
        let work = line.samples.first().and_then(|sample| sample.work);
        let again = work.and_then(|work| work.again);
        vec![
            line.solver.clone(),
            line.samples.len().to_string(),
            line.skipped.as_ref().map_or_else(|| number(ms), |why| shortened(why)),
            work.map_or_else(|| "-".to_owned(), |work| work.rounds.to_string()),
            per(work.map(|work| work.relaxations), n_arcs),
            per(work.map(|work| work.settled), n_reached),
            per(again.map(|again| again.insertions), n_reached),
            per(again.map(|again| again.relaxations), n_arcs),
            over(default),
            over(dijkstra),
        ]
    });
    let headings = [
        "solver",
        "runs",
        "median ms",
        "rounds",
        "relaxations / arc",
        "visits / reached",
        "visits again / reached",
        "relaxations again / arc",
        "/ default",
        "/ Dijkstra",
    ];
    let mut text = format!(
        "\n### {}\n\n{} vertices, {} arcs, {} reached.\n\n{}",
        found.graph,
        found.n_vertices,
        found.n_arcs,
        found.n_reached,
        table(1, &headings, &rows.collect::<Vec<_>>())
    );
    let refusals: Vec<String> = found
        .lines
        .iter()
        .filter_map(|line| Some((line, line.skipped.as_ref()?)))
        .filter(|(_, why)| shortened(why) != **why)
        .map(|(line, why)| format!("- {}: {why}\n", line.solver))
        .collect();
    if !refusals.is_empty() {
        text += "\nRefused:\n\n";
        text += &refusals.concat();
    }
    text
}

/// What a cell has room for.
fn shortened(why: &str) -> String {
    if why.starts_with("more than") { why.to_owned() } else { "refused".to_owned() }
}

/// The families of graphs, in the order of their first graph.
pub(super) fn families(all: &[OnGraph]) -> Vec<&'static str> {
    let mut families: Vec<&str> = Vec::new();
    for found in all {
        let family = found.graph.shape.family();
        if !families.contains(&family) {
            families.push(family);
        }
    }
    families
}

/// The graphs of a family, the smallest first.
pub(super) fn of_family<'a>(family: &str, all: &'a [OnGraph]) -> Vec<&'a OnGraph> {
    let mut of: Vec<_> = all.iter().filter(|found| found.graph.shape.family() == family).collect();
    of.sort_by_key(|found| found.n_vertices);
    of
}

/// The solvers of some graphs, in the order in which they first took part.
pub(super) fn solvers<'a>(of: &[&'a OnGraph]) -> Vec<&'a str> {
    let mut solvers: Vec<&str> = Vec::new();
    for line in of.iter().flat_map(|found| &found.lines) {
        if !solvers.contains(&line.solver.as_str()) {
            solvers.push(&line.solver);
        }
    }
    solvers
}

fn times_of(family: &str, all: &[OnGraph]) -> String {
    let of = of_family(family, all);
    let names: Vec<String> = of.iter().map(|found| found.graph.to_string()).collect();
    let headings: Vec<&str> =
        std::iter::once("solver").chain(names.iter().map(String::as_str)).collect();
    let cell = |found: &&OnGraph, solver: &str| {
        let line = found.lines.iter().find(|line| line.solver == solver);
        line.map_or_else(
            || "-".to_owned(),
            |line| line.skipped.as_ref().map_or_else(|| number(line.median_ms()), |w| shortened(w)),
        )
    };
    let rows: Vec<Vec<String>> = solvers(&of)
        .into_iter()
        .map(|solver| {
            let cells = of.iter().map(|found| cell(found, solver));
            std::iter::once(solver.to_owned()).chain(cells).collect()
        })
        .collect();
    format!("\n### Milliseconds by size: {family}\n\n{}", table(1, &headings, &rows))
}
