//! `starpath centrality`: how close each vertex is to all others, and how far apart the farthest
//! are.
//!
//! Ranks share the sources. Rank 0 reads the graph, sends it to the others, and writes the results.

mod approximate;
mod betweenness;
mod diameter;

use std::fmt;
use std::path::Path;

use ::centrality::{
    Betweenness, Config, Convention, Correction, Lengths, Sources, Totals, Workers, any,
    sampling_error,
};
use collectives::Communicator;
use gpu_runtime::Gpu;
use graph_formats::AnyCsr;
use hierarchy::{Hierarchy, Prepared};
use paths::Number;
use serde::Serialize;

use self::betweenness::Greatest;
use crate::backend;
use crate::cli::{self, CentralityArgs, Common, Measure, Side};
use crate::failure::{WrongUse, say};
use crate::load::{Loaded, load};
use crate::output::{ResultFile, is_standard_output, refuse_same};
use crate::progress::progress;
use crate::ranks::{agree, refuse, share_graph, share_hierarchy};
use crate::report::{Amount, Head, VERTICES, by_ranks, counted, grouped};
use crate::search::repeated_by;

/// The share of samples whose estimates may be off by more than the reported bound.
const FAILURE: f64 = 0.01;

#[derive(Serialize)]
struct Report {
    #[serde(flatten)]
    head: Head,
    /// How paths are measured: "hops" or "weights".
    lengths: &'static str,
    /// Processes that shared the sources, each with `threads` threads.
    #[serde(skip_serializing_if = "Option::is_none")]
    ranks: Option<usize>,
    /// The number of vertices from which distances were measured.
    sources: usize,
    /// Ordered pairs of a source and another vertex that have a path.
    reachable_pairs: u64,
    /// Whether all ordered pairs have a path.
    connected: bool,
    radius: Option<Amount>,
    /// Vertices whose eccentricity is the radius.
    centre: usize,
    diameter: Option<Amount>,
    /// Vertices whose eccentricity is the diameter.
    periphery: usize,
    mean_distance: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    wiener_index: Option<Amount>,
    #[serde(skip_serializing_if = "Option::is_none")]
    hop_plot: Option<Vec<u64>>,
    #[serde(flatten)]
    betweenness: Option<Greatest>,
    /// Whether betweenness is a mean, so that the error is its bound too.
    #[serde(skip)]
    is_mean: bool,
    /// Of a sample: the bound on the error of a mean distance, as a fraction of the diameter, and
    /// of betweenness.
    #[serde(skip_serializing_if = "Option::is_none")]
    sampling_error: Option<f64>,
}

/// What only rank 0 has.
struct Root {
    loaded: Loaded,
    output: Option<ResultFile>,
}

impl Root {
    fn read(args: &CentralityArgs, common: &Common) -> anyhow::Result<Self> {
        let inputs: Vec<&Path> = args.graph.inputs().collect();
        let output = ResultFile::check_columns(&args.output, &inputs, "names of vertices")?;
        check_state(args)?;
        let loaded = load(&args.graph, common)?;
        let kind = loaded.csr.kind();
        if args.tie_tolerance.is_some() && kind.is_integer() {
            let text = format!(
                "--tie-tolerance is for weights that are floats; those of this graph are {kind}, \
                 whose sums are exact"
            );
            return Err(WrongUse(text).into());
        }
        Ok(Self { loaded, output })
    }
}

/// What to measure, and what a rank has for it.
struct Work<'a> {
    ranks: &'a dyn Communicator,
    gpus: &'a [Gpu],
    graph: &'a AnyCsr,
    lengths: Lengths,
    args: &'a CentralityArgs,
    common: &'a Common,
}

impl Work<'_> {
    fn workers(&self) -> Workers<'_> {
        Workers { ranks: self.ranks, gpus: self.gpus }
    }

    /// The start of a report.
    fn head(&self, loaded: &Loaded, algorithm: &'static str, times: &[f64]) -> Head {
        Head {
            backend: if self.gpus.is_empty() { "cpu" } else { "cuda" },
            threads: n_threads(self.common),
            ..loaded.head("centrality").solved(algorithm, times, self.common)
        }
    }

    /// The number of ranks, if there are several.
    fn n_ranks(&self) -> Option<usize> {
        Some(self.ranks.size()).filter(|&n_ranks| n_ranks > 1)
    }
}

/// To be called by all ranks.
pub(crate) fn run(
    ranks: &dyn Communicator,
    args: &CentralityArgs,
    common: &Common,
) -> anyhow::Result<()> {
    args.check(common)?;
    if ranks.size() > 1 {
        refuse("--measure diameter", args.measure == [Measure::Diameter])?;
        refuse("--error", args.error.is_some())?;
        refuse("--gpus", args.gpus.is_some())?;
    }
    if args.measure == [Measure::Diameter] {
        return diameter::run(args, common);
    }
    let root = agree(ranks, ranks.is_root().then(|| Root::read(args, common)).transpose())?;
    let graph = share_graph(ranks, root.as_ref().map(|root| &root.loaded.csr))?;
    let lengths = lengths(&graph, args, common);
    if let (Some(error), Some(Root { loaded, output })) = (args.error, &root) {
        if lengths == Lengths::Weights {
            let text = "--error estimates betweenness by hops; add --hops, or estimate it in weights \
                        with --sample N";
            return Err(WrongUse(text.to_owned()).into());
        }
        let found = approximate::find(loaded, error, args, output.as_ref(), common);
        return loaded.print(found, common);
    }
    let gpus = agree(ranks, backend::gpus_of_rank(ranks, args.gpus, args.memory, common))?;
    let work = Work { ranks, gpus: &gpus, graph: &graph, lengths, args, common };
    match args.measure[..] {
        [Measure::Betweenness | Measure::EdgeBetweenness] => {
            print(ranks, root.as_ref(), betweenness::find(&work, root.as_ref()), common)
        }
        _ => print(ranks, root.as_ref(), find(&work, root.as_ref()), common),
    }
}

/// Prints the report of rank 0.
fn print<R: Serialize + fmt::Display>(
    ranks: &dyn Communicator,
    root: Option<&Root>,
    report: anyhow::Result<Option<R>>,
    common: &Common,
) -> anyhow::Result<()> {
    let report = agree(
        ranks,
        report.map_err(|error| match root {
            Some(root) => root.loaded.names().explain(error),
            None => error,
        }),
    )?;
    match root.zip(report) {
        Some((root, report)) => root.loaded.print(Ok(report), common),
        None => Ok(()),
    }
}

fn find(work: &Work<'_>, root: Option<&Root>) -> anyhow::Result<Option<Report>> {
    let &Work { ranks, graph, lengths, args, common, .. } = work;
    let own = root.and_then(|root| root.loaded.prepared.as_ref()).map(Prepared::hierarchy);
    let received = match lengths {
        Lengths::Weights => share_hierarchy(ranks, own, graph)?,
        Lengths::Hops => None,
    };
    let hierarchy: Option<&Hierarchy> = own.or(received.as_ref());
    let config = config(lengths, args, common);
    let step = progress("searching", common);
    let with_betweenness = args.measure.contains(&Measure::Betweenness);
    let ((totals, betweenness), times) = repeated_by(ranks, common, || {
        // first, because it refuses weights that other measures take
        let betweenness = || any::betweenness(graph, work.workers(), &config, Some(&step));
        let betweenness = with_betweenness.then(betweenness).transpose()?;
        let totals = any::totals(graph, hierarchy, work.workers(), &config, Some(&step))?;
        Ok((totals, betweenness))
    })?;
    drop(step);
    let Some(Root { loaded, output }) = root else { return Ok(None) };
    let names = loaded.names();
    if let Some(output) = output {
        let values = |measure| values(&totals, betweenness.as_ref(), measure, args);
        let column = |&measure: &Measure| Some((measure.name(), values(measure)?));
        let columns: Vec<_> = args.measure.iter().filter_map(column).collect();
        output.write_measures(&names, &columns)?;
    }
    let (n_vertices, n_sources) = (totals.n_vertices(), totals.n_sources());
    let algorithm = match (lengths, with_betweenness) {
        (Lengths::Hops, false) => "bit-parallel",
        (Lengths::Hops, true) => "bit-parallel, brandes",
        (Lengths::Weights, false) if hierarchy.is_some() => "hierarchy",
        (Lengths::Weights, true) if hierarchy.is_some() => "hierarchy, brandes",
        (Lengths::Weights, false) => "rows",
        (Lengths::Weights, true) => "rows, brandes",
    };
    Ok(Some(Report {
        head: work.head(loaded, algorithm, &times),
        lengths: name_of(lengths),
        ranks: work.n_ranks(),
        sources: n_sources,
        reachable_pairs: totals.n_pairs(),
        connected: totals.is_connected(),
        radius: totals.radius().map(Amount::from),
        centre: totals.centre().len(),
        diameter: totals.diameter().map(Amount::from),
        periphery: totals.periphery().len(),
        mean_distance: totals.mean_distance(),
        wiener_index: totals.wiener_index().map(Amount::from),
        hop_plot: totals.hop_plot(),
        betweenness: betweenness.map(|found| Greatest::of(&found.stated(convention(args)), &names)),
        is_mean: convention(args) == Convention::Starpath,
        sampling_error: (!totals.is_exact() && n_sources > 1)
            .then(|| sampling_error(n_vertices, n_sources, FAILURE)),
    }))
}

/// Refuses standard input or the file of results as the file of the state.
fn check_state(args: &CentralityArgs) -> anyhow::Result<()> {
    match (&args.resume, &args.output) {
        (Some(state), _) if is_standard_output(state) => Err(WrongUse(
            "--resume -: the state is read again, so it cannot go to standard output; name a file"
                .to_owned(),
        )
        .into()),
        (Some(state), Some(output)) => refuse_same(state, output),
        _ => Ok(()),
    }
}

/// What a distance adds up: hops with `--hops` or if all weights are 1, else weights.
fn lengths(graph: &AnyCsr, args: &CentralityArgs, common: &Common) -> Lengths {
    let all_one = graph.kind().is_integer() && graph.common_weight() == Some(1.0);
    if common.explain && all_one && !args.hops {
        say(format_args!("hops are counted, because all weights are 1"));
    }
    if args.hops || all_one { Lengths::Hops } else { Lengths::Weights }
}

/// The configuration of the library.
fn config(lengths: Lengths, args: &CentralityArgs, common: &Common) -> Config {
    Config {
        lengths,
        side: match args.side {
            Side::Out => ::centrality::Side::Out,
            Side::In => ::centrality::Side::In,
        },
        sources: match args.sample {
            Some(n) => Sources::Sample { n, seed: args.seed.unwrap_or(1) },
            None => Sources::All,
        },
        tie_tolerance: args.tie_tolerance.unwrap_or_default(),
        endpoints: args.endpoints,
        threads: common.threads,
        checkpoint: args.resume.clone(),
    }
}

fn convention(args: &CentralityArgs) -> Convention {
    match args.convention {
        None | Some(cli::Convention::Starpath) => Convention::Starpath,
        Some(cli::Convention::NetworkX) => Convention::NetworkX,
        Some(cli::Convention::Igraph) => Convention::Igraph,
        Some(cli::Convention::Gapbs) => Convention::Gapbs,
    }
}

fn name_of(lengths: Lengths) -> &'static str {
    match lengths {
        Lengths::Hops => "hops",
        Lengths::Weights => "weights",
    }
}

fn n_threads(common: &Common) -> usize {
    common.threads.map_or_else(rayon::current_num_threads, |n| n.get())
}

/// A measure of every vertex; `None` if only the whole graph has this measure.
fn values(
    totals: &Totals,
    betweenness: Option<&Betweenness>,
    measure: Measure,
    args: &CentralityArgs,
) -> Option<Vec<Number>> {
    Some(match measure {
        Measure::Closeness if args.uncorrected => floats(totals.closeness(Correction::None)),
        Measure::Closeness => floats(totals.closeness(Correction::WassermanFaust)),
        Measure::Harmonic => floats(totals.harmonic()),
        Measure::Eccentricity => totals.eccentricities(),
        Measure::Betweenness => floats(betweenness?.stated(convention(args))),
        Measure::EdgeBetweenness | Measure::Diameter => return None,
    })
}

fn floats(values: Vec<f64>) -> Vec<Number> {
    values.into_iter().map(Number::F64).collect()
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", by_ranks(&self.head, self.ranks))?;
        let sources = counted(self.sources, VERTICES);
        writeln!(f, "distances in {} from {sources}", self.lengths)?;
        if let (Some(radius), Some(diameter)) = (self.radius, self.diameter) {
            let (centre, periphery) =
                (counted(self.centre, VERTICES), counted(self.periphery, VERTICES));
            write!(f, "radius {radius} of {centre}, diameter {diameter} of {periphery}")?;
            writeln!(f, "{}", if self.connected { "" } else { "; not all pairs have a path" })?;
        }
        if let Some(mean) = self.mean_distance {
            let pairs = grouped(self.reachable_pairs);
            writeln!(f, "mean distance {mean} of {pairs} pairs")?;
        }
        if let Some(wiener) = self.wiener_index {
            writeln!(f, "Wiener index {wiener}")?;
        }
        if let Some(betweenness) = &self.betweenness {
            betweenness.fmt(f)?;
        }
        match self.sampling_error {
            Some(error) => writeln!(
                f,
                "estimates: radius and diameter are lower bounds; mean distances of vertices are \
                 off by at most {error:.4} times the diameter in 99 samples of 100{}",
                match &self.betweenness {
                    Some(_) if self.is_mean => ", betweenness by at most as much",
                    _ => "",
                }
            ),
            None => Ok(()),
        }
    }
}
