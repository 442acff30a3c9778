//! Ranks with a GPU each, and what one process does with the same GPUs: runs of the program.

use graph_formats::{Ids, LoadedGraph};
use serde_json::Value;

use super::super::*;
use super::{CHECKED, PROCESS, RANKS};

const BY_WEIGHTS: &str = "weighted";
const BY_HOPS: &str = "breadth first";

/// The program over this number of ranks, on this machine.
fn over_ranks(program: &Path, n_ranks: usize) -> Command {
    let mut command = Command::new("mpirun");
    command.args(["-n", &n_ranks.to_string(), "--bind-to", "none"]).arg(program);
    command
}

/// What a run reports, and its words.
fn report(bench: &Bench, command: &mut Command) -> Result<(Value, String)> {
    let ask = bench.progress();
    let (said, _) = output(command, || ask(0, 0))?;
    Ok((serde_json::from_str(&said)?, said))
}

/// These fields of a report as figures.
fn figures(
    (report, said): &(Value, String),
    fields: impl IntoIterator<Item = (&'static str, &'static str)>,
) -> Result<Run> {
    let figure = |(name, field)| -> Result<_> {
        let value = report[field].as_f64();
        Ok((name, value.with_context(|| format!("no {field} in {said}"))?))
    };
    fields.into_iter().map(figure).collect()
}

/// All pairs by ranks.
pub(super) fn all_pairs(
    bench: &Bench,
    program: &Path,
    graph: &Path,
    n_ranks: usize,
    numbers: &str,
) -> Result<Run> {
    let (runs, checked) = (bench.terms().runs.to_string(), CHECKED.to_string());
    let mut command = over_ranks(program, n_ranks);
    command.arg("apsp").arg(graph).args(["--backend", "cuda", "--json"]);
    let said = report(bench, command.args(["--repeat", &runs, "--check", &checked]))?;
    let is_right = said.0["numbers"] == numbers && said.0["ranks"] == n_ranks;
    ensure!(is_right && said.0["checked_rows"] == CHECKED, "ranks say {}", said.1);
    let phases = ["closing_ms", "sending_ms", "updating_ms", "waiting_ms", "prepare_ms"];
    figures(&said, [("ms", "solve_ms")].into_iter().chain(phases.map(|name| (name, name))))
}

/// Times one search of these graphs, by one process and by ranks, on each number of GPUs.
pub(super) fn searches(
    bench: &Bench,
    program: &Path,
    counts: &[usize],
    graphs: Vec<Graph>,
) -> Result<()> {
    let folder = tempfile::tempdir()?;
    for name in at_hand(bench, graphs, u64::MAX)? {
        let graph = name.load_u32()?;
        let source = graph.vertices().max_by_key(|&vertex| graph.out_degree(vertex));
        let source = source.context("a graph without vertices has no source")?;
        let file = folder.path().join("graph.spg");
        let ones = graph.map_weights(|_| 1u32)?;
        let right = [(BY_HOPS, right(&ones, source)?), (BY_WEIGHTS, right(&graph, source)?)];
        graph_formats::write(&file, &LoadedGraph::new(graph, Ids::FromZero))?;
        for (search, right) in right {
            let counts = counts.iter().flat_map(|&count| [(count, PROCESS), (count, RANKS)]);
            for (count, by) in counts.filter(|&(count, by)| count > 1 || by == PROCESS) {
                let run = || run(bench, program, &file, source, (search, count, by), right);
                let record = Record::of(&[("searched", &name), ("search", &search)])
                    .with(&[("gpus", &count), ("by", &by)]);
                // the program takes the median of as many runs
                let once = Terms { runs: 1, warm_up: false, ..bench.terms() };
                bench.race_by(&once, vec![Contender::new(record, run)])?;
            }
        }
    }
    Ok(())
}

/// A search from this vertex of the file, which is to reach as many vertices as `right` says, with that
/// sum of their distances.
fn run(
    bench: &Bench,
    program: &Path,
    file: &Path,
    source: VertexId,
    (search, n_gpus, by): (&str, usize, &str),
    right: [u64; 2],
) -> Result<Run> {
    let (source, runs) = (source.to_string(), bench.terms().runs.to_string());
    let mut command = if by == RANKS { over_ranks(program, n_gpus) } else { Command::new(program) };
    command.arg("sssp").arg(file).args(["--source", &source, "--partitioned"]);
    command.args(["--backend", "cuda", "--json", "--repeat", &runs]);
    if search == BY_HOPS {
        command.arg("--unweighted");
    }
    if by == PROCESS {
        command.args(["--gpus", &n_gpus.to_string()]);
    }
    let said = report(bench, &mut command)?;
    let found = [&said.0["reached"], &said.0["distance_sum"]].map(Value::as_u64);
    ensure!(found == right.map(Some), "it says {}", said.1);
    figures(&said, [("ms", "solve_ms"), ("prepare_ms", "prepare_ms")])
}

/// How many vertices paths from the source reach, and the sum of their distances, by a CPU.
fn right(graph: &Csr<u32>, source: VertexId) -> Result<[u64; 2]> {
    let found = Solver::new(graph, &Config::default())?.distances(source, Goal::All)?.answer;
    let reached: Vec<u64> = found.iter().flatten().collect();
    Ok([reached.len() as u64, reached.iter().sum()])
}

/// What is said of them.
pub(super) fn page(page: &mut Page, records: &Records) {
    let records = records.having("searched");
    if records.is_empty() {
        return;
    }
    let beside = |r: &Record| {
        let process = ["searched", "search", "gpus"].map(|label| (label, r.label(label)));
        let ratio = records.over(r, "ms", &[&process[..], &[("by", PROCESS)]].concat())?;
        (r.label("by") == RANKS).then_some((ratio - 1.0) * 100.0)
    };
    page.heading("One search by ranks");
    page.text(
        "Runs of the program. The time of one process is that of its GPUs; the time of ranks includes \
         that in which their hosts copy all distances. As many vertices were reached as by a CPU, \
         and the sums of their distances are the same.",
    );
    let columns: [(&str, Figure<'_>); 3] = [
        ("ms", &median("ms")),
        ("% more than one process", &beside),
        ("prepare", &median("prepare_ms")),
    ];
    page.list(&records, &["searched", "search", "gpus", "by"], &columns);
}
