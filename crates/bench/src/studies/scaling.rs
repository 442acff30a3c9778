//! Several GPUs of a host beside one: Floyd-Warshall, as one process and as ranks, one search,
//! betweenness, and tables of many sources, by searches and by sweeps of a hierarchy.
//!
//! Matrices stay in the GPUs' memory, so that no run waits for the host to take them. Every run is
//! compared with searches on the host by rows, or with a table of which rows were. Beside the
//! figures stands what the [model on paper](paper) says.

mod betweenness;
mod one_search;
mod paper;
mod ranks;
mod tables;

use std::sync::Arc;
use std::time::Instant;

use graph_formats::{Ids, LoadedGraph};

use self::one_search::Drawn;
use self::paper::{Machine, seconds};
use super::all_pairs::in_32_bits;
use super::*;
use crate::plot::{Line, Marks, Plot};

/// Rows of an answer that are compared with searches.
const CHECKED: usize = 8;
/// Arcs a vertex, and their weights where sums are to fit 16 bits.
const DEGREE: usize = 4;
const LIGHT: u32 = 29;
/// Vertices of the matrix that is closed before the clock starts.
const FIRST: usize = 5000;
/// What the seconds that are left are not planned for.
const MARGIN: f64 = 8.0;
/// How much more time the largest matrix may take than its size says.
const CAUTION: f64 = 1.06;
const I32: &str = "i32";
const U16: &str = "u16";
const PROCESS: &str = "one process";
const RANKS: &str = "ranks";

/// Several GPUs of a host beside one: all pairs, one search, betweenness, and tables
#[derive(Args, Clone, Debug)]
#[command(after_help = "Example:\n  cargo xtask bench scaling --sizes 16384 --gpus 1,2 --runs 3")]
pub(super) struct Scaling {
    /// Vertices of graphs that all of these GPUs are timed with
    #[arg(long, value_name = "N", default_value = "32768,65536")]
    sizes: Vec<NonZeroUsize>,
    /// Vertices of a graph for one GPU, which grows as the square root of their number
    #[arg(long, value_name = "N", default_value = "32768")]
    weak: NonZeroUsize,
    /// Numbers of GPUs, of which one is the first [default: 1, 2, 4 and so on, and all]
    #[arg(long, value_name = "P")]
    gpus: Vec<NonZeroU32>,
    /// A program starpath that was built with the feature mpi, for ranks that mpirun starts
    #[arg(long)]
    program: Option<PathBuf>,
    /// The most vertices for ranks, but for as many as there are GPUs
    #[arg(long, value_name = "N", default_value = "32768")]
    ranks_up_to: usize,
    /// Graphs that GPUs draw, as rmat-26 or uniform-26, for one search by all of these numbers of GPUs
    #[arg(long, value_name = "G", default_value = "rmat-24")]
    drawn: Vec<Drawn>,
    /// The scale of an R-MAT graph for one GPU, and one more for twice as many
    #[arg(long, value_name = "S", default_value = "23")]
    weak_scale: u32,
    /// Graphs that ranks search, and one process beside them, if there is a program for ranks
    #[arg(long, value_name = "G", default_value = "rmat-20")]
    searched: Vec<Graph>,
    /// Graphs of which tables are made
    #[arg(long, value_name = "G", default_value = "rmat-22,new-york")]
    graphs: Vec<Graph>,
    /// Their sources
    #[arg(long, default_value = "4096")]
    sources: NonZeroUsize,
    /// Road networks whose tables come from a hierarchy
    #[arg(long, value_name = "G", default_value = "new-york")]
    roads: Vec<Graph>,
    /// Their sources and targets
    #[arg(long, default_value = "10000")]
    swept: NonZeroUsize,
    /// Graphs whose betweenness is found
    #[arg(long, value_name = "G", default_value = "rmat-18")]
    scored: Vec<Graph>,
    /// Its sources
    #[arg(long, value_name = "N", default_value = "8192")]
    scored_sources: NonZeroUsize,
    /// Seconds after its start in which the study also closes the largest matrix that it can
    #[arg(long)]
    seconds: Option<f64>,
}

impl Study for Scaling {
    const NAME: &'static str = "scaling";

    fn measure(&self, bench: &Bench) -> Result<()> {
        let start = Instant::now();
        let counts = self.counts(bench)?;
        let most = counts.iter().copied().max().unwrap_or(1);
        let gpus = (0..most as u32).map(Gpu::open_ordinal).collect::<Result<Vec<_>, _>>()?;
        let gpus = &gpus[..];
        // kernels are loaded and GPUs connected, each number of them
        let first = in_32_bits(FIRST, DEGREE)?;
        for &count in &counts {
            Matrix::new(&first, I32)?.close(&gpus[..count])?;
            Matrix::new(&connected(FIRST, DEGREE, 1..=LIGHT)?, U16)?.close(&gpus[..count])?;
        }
        for n in self.all_sizes(&counts) {
            let counts: Vec<_> = counts.iter().copied().filter(|&p| self.is_asked(n, p)).collect();
            self.close(bench, gpus, n, &counts, &in_32_bits(n, DEGREE)?, I32)?;
            self.close(bench, gpus, n, &counts, &connected(n, DEGREE, 1..=LIGHT)?, U16)?;
        }
        for &count in &counts {
            let weak = Drawn::rmat(self.weak_scale + count.ilog2());
            let strong = self.drawn.iter().filter(|&&graph| graph != weak);
            for &graph in [weak].iter().chain(strong) {
                one_search::measure(bench, &gpus[..count], graph, graph == weak)?;
            }
        }
        if let Some(program) = &self.program {
            ranks::searches(bench, program, &counts, self.searched.clone())?;
        }
        betweenness::measure(bench, gpus, &counts, self.scored.clone(), self.scored_sources)?;
        tables::searches(bench, gpus, &counts, self.graphs.clone(), self.sources.get())?;
        tables::sweeps(bench, gpus, &counts, self.roads.clone(), self.swept.get())?;
        if let Some(seconds) = self.seconds {
            largest(bench, gpus, seconds - start.elapsed().as_secs_f64())?;
        }
        Ok(())
    }

    fn page(records: &Records) -> Page {
        let mut page = Page::new("Several GPUs beside one");
        page.text(&format!(
            "Medians. {CHECKED} rows of every answer were compared with searches, of a table all \
             with those of the first, too. Matrices stay in the GPUs' memory. Pivots are \
             closed, sent and used for updates at the same time. Each figure is the time in which \
             this happens on a GPU, the mean of all GPUs. Waiting is the time in which a GPU \
             neither closes nor updates. Ranks were started by mpirun, and send by NCCL. The time \
             of a broadcast includes waiting for its sender."
        ));
        matrices(&mut page, &records.having("numbers"));
        one_search::page(&mut page, records);
        ranks::page(&mut page, records);
        let kinds = [
            ("Betweenness", "scored"),
            ("Tables by searches", "sources"),
            ("Tables by sweeps", "swept"),
        ];
        for (heading, label) in kinds {
            let records = records.having(label);
            let times = |r: &Record| times_one(&records, r, "graph", "ms");
            let share = |r: &Record| Some(times(r)? / r.number("gpus") * 100.0);
            if !records.is_empty() {
                page.heading(heading);
            }
            let columns: [(&str, Figure<'_>); 4] = [
                ("ms", &median("ms")),
                ("on the device", &median("device_ms")),
                ("times one", &times),
                ("% of linear", &share),
            ];
            page.list(&records, &["graph", label, "targets", "gpus"], &columns);
        }
        page.skipped(records);
        page
    }
}

impl Scaling {
    /// Numbers of GPUs, those that there are.
    fn counts(&self, bench: &Bench) -> Result<Vec<usize>> {
        bench.gpu()?;
        let n_gpus = Gpu::count()? as usize;
        let asked: Vec<_> = self.gpus.iter().map(|count| count.get() as usize).collect();
        if asked.is_empty() {
            let powers = (0..).map(|i| 1 << i).take_while(|&count| count < n_gpus);
            return Ok(powers.chain([n_gpus]).collect());
        }
        for count in asked.iter().filter(|&&count| count > n_gpus) {
            bench.skip(&[("gpus", count)], &format!("there are {n_gpus}"));
        }
        Ok(asked.into_iter().filter(|&count| count <= n_gpus).collect())
    }

    /// Vertices for `n_gpus` GPUs such that each has as much of the matrix as one GPU alone.
    fn weak(&self, n_gpus: usize) -> usize {
        let n = self.weak.get() as f64 * (n_gpus as f64).sqrt();
        (n as usize).next_multiple_of(128)
    }

    fn all_sizes(&self, counts: &[usize]) -> Vec<usize> {
        let strong = self.sizes.iter().map(|n| n.get());
        let mut all: Vec<_> = strong.chain(counts.iter().map(|&p| self.weak(p))).collect();
        all.sort_unstable();
        all.dedup();
        all
    }

    fn is_asked(&self, n: usize, n_gpus: usize) -> bool {
        self.sizes.iter().any(|size| size.get() == n) || self.weak(n_gpus) == n
    }

    /// Times one matrix on these numbers of GPUs, in turns, and by ranks.
    fn close(
        &self,
        bench: &Bench,
        gpus: &[Gpu],
        n: usize,
        counts: &[usize],
        graph: &Csr<u32>,
        numbers: &'static str,
    ) -> Result<()> {
        let matrix = &Arc::new(Matrix::new(graph, numbers)?);
        let record = |count: usize, by| {
            let is_weak = if self.weak(count) == n { "yes" } else { "" };
            Record::of(&[("n", &n), ("numbers", &numbers), ("gpus", &count), ("by", &by)])
                .with(&[("weak", &is_weak)])
        };
        let process = |&count: &usize| {
            Contender::new(record(count, PROCESS), move || matrix.close(&gpus[..count]))
        };
        let terms = Terms { warm_up: false, ..bench.terms() };
        bench.race_by(&terms, counts.iter().map(process).collect())?;
        let Some(program) = &self.program else { return Ok(()) };
        let folder = tempfile::tempdir()?;
        let file = folder.path().join("graph.spg");
        graph_formats::write(&file, &LoadedGraph::new(graph.clone(), Ids::FromZero))?;
        let is_for_ranks =
            |&&count: &&usize| count > 1 && (n <= self.ranks_up_to || count == gpus.len());
        // the program takes the median of as many runs
        let once = Terms { runs: 1, ..terms };
        for &count in counts.iter().filter(is_for_ranks) {
            let run = || ranks::all_pairs(bench, program, &file, count, numbers);
            bench.race_by(&once, vec![Contender::new(record(count, RANKS), run)])?;
        }
        Ok(())
    }
}

/// A graph, and rows of its distances.
struct Matrix<'g> {
    graph: &'g Csr<u32>,
    rows: Rows<u32>,
    numbers: &'static str,
}

impl<'g> Matrix<'g> {
    fn new(graph: &'g Csr<u32>, numbers: &'static str) -> Result<Self> {
        Ok(Self { graph, rows: Rows::of(graph, CHECKED)?, numbers })
    }

    fn close(&self, gpus: &[Gpu]) -> Result<Run> {
        let config = apsp::Config::default();
        let pairs = apsp::Solver::new(self.graph, &config).on(gpus).solve_on_gpus(None)?;
        let found = pairs.plan.number.map(|number| number.to_string()).unwrap_or_default();
        ensure!(found == self.numbers, "they are {found} and not {}", self.numbers);
        self.rows.check_by(|source| Ok(pairs.row(source)?), |found, right| found == right)?;
        let (report, phases) = (&pairs.report, &pairs.report.phases);
        Ok(vec![
            ("ms", report.solve_ms),
            ("closing_ms", phases.closing_ms),
            ("sending_ms", phases.sending_ms),
            ("updating_ms", phases.updating_ms),
            ("waiting_ms", phases.waiting_ms),
            ("prepare_ms", report.upload_ms + report.prepare_ms),
        ])
    }
}

/// The largest matrix of 32-bit integers that all GPUs close in `seconds` and that their memory
/// holds. Their speed is estimated from the largest matrix before.
fn largest(bench: &Bench, gpus: &[Gpu], seconds: f64) -> Result<()> {
    let all = gpus.len().to_string();
    let labels = [("numbers", I32), ("gpus", &all), ("by", PROCESS)];
    let before = bench.records().of(&labels);
    let before = before.iter().max_by_key(|record| record.number("n") as usize);
    let ms = before.and_then(|record| Some((record.number("n"), record.median("ms")?)));
    let (n, ms) = ms.context("--seconds needs a matrix of --sizes that all GPUs have closed")?;
    let rate = n.powi(3) / (ms / 1e3);
    let by_time = ((seconds - MARGIN).max(0.0) * rate / CAUTION).cbrt();
    let free = gpus.iter().map(Gpu::available_bytes).collect::<Result<Vec<_>, _>>()?;
    let free = free.into_iter().min().unwrap_or_default() as f64;
    // beside a share of the matrix there are two blocks of 1,024 rows, and some work space
    let by_memory = (free * 0.9 / 4.0 * gpus.len() as f64).sqrt() - 1024.0 * gpus.len() as f64;
    let step = 1024 * gpus.len();
    let n = by_time.min(by_memory).max(0.0) as usize / step * step;
    let bound = if by_time < by_memory { "time" } else { "memory" };
    let record = Record::of(&[("n", &n), ("numbers", &I32), ("gpus", &all), ("by", &PROCESS)])
        .with(&[("bound", &bound)]);
    if n < step {
        bench.skip(&[("what", &"the largest matrix")], "there is no time left");
        return Ok(());
    }
    let graph = in_32_bits(n, DEGREE)?;
    let matrix = Matrix::new(&graph, I32)?;
    let once = Terms { runs: 1, warm_up: false, ..bench.terms() };
    bench.race_by(&once, vec![Contender::new(record, || matrix.close(gpus))]).map(drop)
}

/// How many times as fast a record is as the one of the same by one GPU.
fn times_one(records: &Records, record: &Record, what: &str, figure: &str) -> Option<f64> {
    let numbers = record.label("numbers");
    let mut one = vec![(what, record.label(what)), ("gpus", "1")];
    if !numbers.is_empty() {
        one.push(("numbers", numbers));
    }
    Some(1.0 / records.over(record, figure, &one)?)
}

/// What is said of all pairs.
fn matrices(page: &mut Page, records: &Records) {
    let rate = |r: &Record| Some(r.number("n").powi(3) / (r.median("ms")? / 1e3));
    let tera = |r: &Record| Some(rate(r)? / 1e12);
    let times = |r: &Record| times_one(records, r, "n", "ms");
    // of what one GPU does with the matrix that it has in the weak scaling, for each
    let of_one = |r: &Record| {
        let one = [("weak", "yes"), ("gpus", "1"), ("numbers", r.label("numbers"))];
        Some(rate(r)? / r.number("gpus") / rate(records.find(&one)?)? * 100.0)
    };
    let beside = |r: &Record| {
        let process = [("n", r.label("n")), ("gpus", r.label("gpus")), ("by", PROCESS)];
        let same = [&process[..], &[("numbers", r.label("numbers"))]].concat();
        let ratio = records.over(r, "ms", &same)?;
        (r.label("by") == RANKS).then_some((ratio - 1.0) * 100.0)
    };
    let on_paper = |r: &Record| {
        let machine = machine(records, r.label("numbers"))?;
        Some(seconds(&machine, r.number("n") as usize, r.number("gpus") as usize) * 1e3)
    };
    page.heading("All pairs");
    let columns: [(&str, Figure<'_>); 11] = [
        ("ms", &median("ms")),
        ("on paper", &on_paper),
        ("T sums/s", &tera),
        ("times one", &times),
        ("% of one's rate", &of_one),
        ("% more than one process", &beside),
        ("closing ms", &median("closing_ms")),
        ("sending", &median("sending_ms")),
        ("updating", &median("updating_ms")),
        ("waiting", &median("waiting_ms")),
        ("prepare", &median("prepare_ms")),
    ];
    page.list(records, &["n", "numbers", "gpus", "by", "bound"], &columns);

    let processes = records.of(&[("by", PROCESS)]);
    let mut strong = Vec::new();
    for (n, same) in processes.by("n") {
        for (numbers, same) in same.by("numbers") {
            let point = |r: &Record| Some((r.number("gpus"), times(r)?));
            let points: Vec<_> = same.iter().filter_map(point).collect();
            if points.len() > 1 {
                let paper = paper_line(records, numbers, n);
                strong.push(Line {
                    name: format!("{numbers}, n = {n}"),
                    points,
                    ..Line::default()
                });
                strong.extend(paper);
            }
        }
    }
    let gpus = Axis { name: "GPUs", log: false };
    let speed = Axis { name: "times as fast as one", log: false };
    let title = "Strong scaling".to_owned();
    page.plot("strong", Plot { title, marks: Marks::Lines { x: gpus, y: speed, lines: strong } });

    let mut weak = Vec::new();
    for (numbers, same) in processes.of(&[("weak", "yes")]).by("numbers") {
        let measured = |r: &Record| Some((r.number("gpus"), of_one(r)?));
        let points = same.iter().filter_map(measured).collect();
        weak.push(Line { name: numbers.to_owned(), points, ..Line::default() });
        let first = same.iter().find_map(|r| (r.label("gpus") == "1").then(|| r.number("n")));
        let paper = machine(records, numbers).zip(first).map(|(machine, first)| {
            let of = |count: usize| {
                let n = first * (count as f64).sqrt();
                n.powi(3) / count as f64 / seconds(&machine, n as usize, count)
            };
            let points = PAPER_GPUS.iter().map(|&p| (p as f64, of(p) / of(1) * 100.0)).collect();
            Line { name: format!("{numbers}, on paper"), points, ..Line::default() }
        });
        weak.extend(paper);
    }
    let share = Axis { name: "% of the rate of one, each", log: false };
    let title = "Weak scaling".to_owned();
    page.plot("weak", Plot { title, marks: Marks::Lines { x: gpus, y: share, lines: weak } });
}

/// Numbers of GPUs that the model is drawn for.
const PAPER_GPUS: [usize; 4] = [1, 2, 4, 8];

/// A GPU as the largest matrix shows it that one has closed.
fn machine(records: &Records, numbers: &str) -> Option<Machine> {
    let ones = records.of(&[("gpus", "1"), ("by", PROCESS), ("numbers", numbers)]);
    let largest = ones.iter().max_by_key(|record| record.number("n") as usize)?;
    let sums_a_second = largest.number("n").powi(3) / (largest.median("ms")? / 1e3);
    Some(Machine { sums_a_second, bytes: if numbers == U16 { 2.0 } else { 4.0 } })
}

fn paper_line(records: &Records, numbers: &str, n: &str) -> Option<Line> {
    let (machine, size) = (machine(records, numbers)?, n.parse().ok()?);
    let of = |count| seconds(&machine, size, count);
    let points = PAPER_GPUS.iter().map(|&p| (p as f64, of(1) / of(p))).collect();
    Some(Line { name: format!("{numbers}, n = {n}, on paper"), points, ..Line::default() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scaling_is_told_beside_one_gpu_and_paper() {
        let mut records = Records::default();
        for (n, gpus, by, ms) in [
            (32_768, 1, PROCESS, 2300.0),
            (32_768, 8, PROCESS, 320.0),
            (32_768, 8, RANKS, 336.0),
            (92_672, 8, PROCESS, 6900.0),
        ] {
            let record = Record::of(&[("n", &n), ("numbers", &I32), ("gpus", &gpus), ("by", &by)]);
            let is_weak = if gpus == 1 || n > 65_536 { "yes" } else { "" };
            records.push(record.with(&[("weak", &is_weak)]).ran(vec![("ms", ms)]));
        }
        for (gpus, ms) in [(1, 100.0), (4, 26.0)] {
            let record = Record::of(&[("graph", &"rmat-9"), ("sources", &64), ("gpus", &gpus)]);
            records.push(record.ran(vec![("ms", ms)]));
        }
        for (gpus, by, ms) in [(2, PROCESS, 10.0), (2, RANKS, 12.5)] {
            let labels: [(&str, &dyn std::fmt::Display); 4] =
                [("searched", &"rmat-9"), ("search", &"weighted"), ("gpus", &gpus), ("by", &by)];
            records.push(Record::of(&labels).ran(vec![("ms", ms)]));
        }
        let page = Scaling::page(&records);
        let files = page.files("");
        let names: Vec<_> = files.iter().map(|file| file.0.as_str()).collect();
        assert_eq!(names, ["strong.svg", "weak.svg", "index.html", "summary.md"]);
        let summary = &files[3].1;
        let strong = "| 32768 | i32     | 8    | one process | 320 |     293 | 110 | 7.19 | 89.8 |";
        let table = "| rmat-9 | 64 | 4 | 26 | 3.85 | 96.2 |";
        let squeezed = summary.split_whitespace().collect::<Vec<_>>().join(" ");
        let ranks = "| rmat-9 | weighted | 2 | ranks | 12.5 | 25 |";
        for says in [strong, "| 5.00 |", table, ranks, "% of one's rate"] {
            let says = says.split_whitespace().collect::<Vec<_>>().join(" ");
            assert!(squeezed.contains(&says), "no {says:?} in {summary}");
        }
    }
}
