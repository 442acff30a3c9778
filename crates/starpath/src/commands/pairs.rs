//! `starpath path --pairs`: many pairs of vertices, from a hierarchy or by searches.

mod searched;

use std::fmt;
use std::ops::Add;
use std::path::Path;
use std::time::Instant;

use anyhow::{anyhow, bail};
use graph_formats::{Name, VertexId, id_line};
use hierarchy::Prepared;
use hierarchy::any::{self, AnyQuery};
use paths::{Number, Total};
use rayon::prelude::*;
use serde::Serialize;

use crate::backend;
use crate::cli::{Common, PathArgs};
use crate::ids::{Names, fields};
use crate::load::{Loaded, load};
use crate::numbers::read_entries;
use crate::output::ResultFile;
use crate::progress::check_interrupt;
use crate::report::{Head, SEARCHES, Sums, counted, grouped};
use crate::search::repeated;

/// Pairs of a task; a thread checks for Ctrl-C between two tasks.
const PAIRS_PER_TASK: usize = 256;

#[derive(Serialize)]
struct Report {
    #[serde(flatten)]
    head: Head,
    pairs: usize,
    /// Pairs that have a path.
    reached: usize,
    #[serde(flatten)]
    sums: Sums,
    /// The number of searches, one for each source; `None` if the graph is prepared.
    #[serde(skip_serializing_if = "Option::is_none")]
    searches: Option<usize>,
    /// `None` if the graph is not prepared.
    #[serde(skip_serializing_if = "Option::is_none")]
    query_us: Option<Microseconds>,
}

/// Time of one pair on one thread, in microseconds.
#[derive(Serialize)]
struct Microseconds {
    mean: f64,
    p99: f64,
}

/// A pair's distance, if it has a path, and with `--paths` its vertices.
#[derive(Clone)]
struct Answer {
    distance: Option<Number>,
    path: Vec<VertexId>,
}

/// The answers to all pairs, in their order.
struct Answered {
    head: Head,
    answers: Vec<Answer>,
    searches: Option<usize>,
    query_us: Option<Microseconds>,
}

pub(crate) fn run(args: &PathArgs, file: &Path, common: &Common) -> anyhow::Result<()> {
    backend::cpu("path --pairs", common)?;
    let inputs: Vec<&Path> = args.graph.inputs().chain([file]).collect();
    let output = ResultFile::check_columns(&args.output, &inputs, "pairs")?;
    let entries = read_entries(file, "pair of vertex ids")?;
    let loaded = load(&args.graph, common)?;
    let pairs = pairs(file, &entries, &loaded.names())?;
    loaded.print(solve(&loaded, &pairs, args.paths, output.as_ref(), common), common)
}

/// The two vertices that each line names.
fn pairs(
    file: &Path,
    entries: &[(usize, String)],
    names: &Names<'_>,
) -> anyhow::Result<Vec<(VertexId, VertexId)>> {
    let pair = |(line, text): &(usize, String)| {
        let place = format!("{}:{line}", file.display());
        let fields = fields(text);
        let [source, target] = &fields[..] else {
            bail!(
                "{place}: expected two vertex ids, found `{text}`; an id with blanks or commas \
                 needs double quotes, or a tab between the two ids"
            );
        };
        let vertex = |role, id| names.vertex(role, id).map_err(|error| anyhow!("{place}: {error}"));
        Ok((vertex("source", source)?, vertex("target", target)?))
    };
    entries.iter().map(pair).collect()
}

fn solve(
    loaded: &Loaded,
    pairs: &[(VertexId, VertexId)],
    with_paths: bool,
    output: Option<&ResultFile>,
    common: &Common,
) -> anyhow::Result<Report> {
    let Answered { head, answers, searches, query_us } = match &loaded.prepared {
        Some(prepared) => ask(loaded, prepared, pairs, with_paths, common),
        None => searched::find(loaded, pairs, with_paths, common),
    }?;
    if let Some(output) = output {
        write(output, &loaded.names(), pairs, &answers, with_paths)?;
    }
    let distances = || answers.iter().filter_map(|answer| answer.distance);
    Ok(Report {
        head,
        pairs: pairs.len(),
        reached: distances().count(),
        sums: Sums::of(
            distances().fold(Total::Integer(0), Total::add),
            distances().reduce(|a, b| if a < b { b } else { a }),
        ),
        searches,
        query_us,
    })
}

/// Answers each pair from the hierarchy.
fn ask(
    loaded: &Loaded,
    prepared: &Prepared,
    pairs: &[(VertexId, VertexId)],
    with_paths: bool,
    common: &Common,
) -> anyhow::Result<Answered> {
    let metric = any::metric(prepared, &loaded.csr)?;
    let answer = |query: &mut dyn AnyQuery, &(source, target): &(VertexId, VertexId)| {
        let start = Instant::now();
        let (distance, path) = if with_paths {
            match query.path(source, target)? {
                Some(path) => (Some(path.length), path.vertices),
                None => (None, Vec::new()),
            }
        } else {
            (query.distance(source, target)?, Vec::new())
        };
        Ok((Answer { distance, path }, start.elapsed().as_secs_f64()))
    };
    let task = |query: &mut Box<dyn AnyQuery + '_>, pairs: &[(VertexId, VertexId)]| {
        check_interrupt()?;
        pairs.iter().map(|pair| answer(&mut **query, pair)).collect::<anyhow::Result<Vec<_>>>()
    };
    let (answers, times) = repeated(common, || {
        let tasks = pairs.par_chunks(PAIRS_PER_TASK);
        let answers =
            tasks.map_init(|| metric.query(), task).collect::<anyhow::Result<Vec<_>>>()?;
        Ok(answers.concat())
    })?;
    let (answers, seconds): (_, Vec<_>) = answers.into_iter().unzip();
    let head = loaded.head("path").solved("hierarchy", &times, common);
    Ok(Answered { head, answers, searches: None, query_us: Some(Microseconds::of(seconds)) })
}

fn write(
    output: &ResultFile,
    names: &Names<'_>,
    pairs: &[(VertexId, VertexId)],
    answers: &[Answer],
    with_paths: bool,
) -> anyhow::Result<()> {
    let header =
        if with_paths { "source\ttarget\tdistance\tpath" } else { "source\ttarget\tdistance" };
    let rows: Vec<_> = pairs.iter().zip(answers).collect();
    output.write_rows(header, &rows, |((source, target), answer)| {
        let distance = answer.distance.map(|distance| distance.to_string()).unwrap_or_default();
        let mut line = format!("{}\t{}\t{distance}", names.name(*source), names.name(*target));
        if with_paths {
            let path: Vec<_> = answer.path.iter().map(|&v| field(names.name(v))).collect();
            line = format!("{line}\t{}", path.join(" "));
        }
        line
    })
}

/// A name among others that blanks set apart: in double quotes if it has a blank or a comma, or
/// begins with a quote. [`fields`] reads it.
fn field(name: Name<'_>) -> String {
    let line = id_line(name);
    let is_plain = line.starts_with('"') || !line.contains([' ', ',']);
    if is_plain { line } else { format!("\"{}\"", line.replace('"', "\"\"")) }
}

impl Microseconds {
    /// The mean and the 99th percentile of at least one time in seconds.
    fn of(mut seconds: Vec<f64>) -> Self {
        seconds.sort_unstable_by(f64::total_cmp);
        let mean = seconds.iter().sum::<f64>() / seconds.len() as f64;
        let p99 = seconds[(seconds.len() * 99).div_ceil(100) - 1];
        Self { mean: (mean * 1e9).round() / 1e3, p99: (p99 * 1e9).round() / 1e3 }
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.head)?;
        let [pairs, reached] = [self.pairs, self.reached].map(|n| grouped(n as u64));
        write!(f, "{reached} of {pairs} pairs have a path")?;
        if self.sums.max_distance.is_some() {
            write!(f, "; {}", self.sums)?;
        }
        match &self.query_us {
            Some(Microseconds { mean, p99 }) => {
                writeln!(f, "\na pair took {mean} us in the mean; 99 of 100 took at most {p99} us")
            }
            None => writeln!(f),
        }?;
        match self.searches {
            Some(searches) => {
                writeln!(f, "by {}, one for each source", counted(searches, SEARCHES))
            }
            None => Ok(()),
        }
    }
}
