//! Floyd-Warshall on the CPU: how near does it come to what registers alone can do?
//!
//! An addition and a comparison are all that the innermost loop of Floyd-Warshall does to a
//! number; [`Number::relax_registers`] does the same with no memory at all, which is the peak.
//! Peak and solver take turns in one process, on the same threads, for the clock of a machine
//! drifts and other programs disturb it: the ratio within a run is what counts. Graphs are
//! random, of sixteen arcs a vertex, weights 1 to 255; how many there are makes no difference
//! to the time. Rows of each answer are compared with searches.

use apsp::{Algorithm, Config, Number, PairsWeight};

use super::*;

/// Rounds of the innermost loop in registers: some tens of milliseconds, which no test needs.
const ROUNDS: usize = if cfg!(test) { 1 << 12 } else { 1 << 24 };
const ARCS_A_VERTEX: usize = 16;
/// Rows of each answer that are compared with searches.
const CHECKED_ROWS: usize = 4;

/// Floyd-Warshall on the CPU: how near it comes to the peak of registers
#[derive(Args, Clone, Debug)]
#[command(after_help = "Example:\n  cargo xtask bench min-plus --sizes 1024 --algorithms \
                        floyd-warshall,blocked,recursive")]
pub(super) struct MinPlus {
    /// Vertices
    #[arg(long, value_name = "N", default_value = "1024,2048,4096")]
    sizes: Vec<NonZeroUsize>,
    /// Forms of Floyd-Warshall
    #[arg(long, value_name = "A", default_value = "blocked")]
    algorithms: Vec<Algorithm>,
}

impl Study for MinPlus {
    const NAME: &'static str = "min-plus";

    fn measure(&self, bench: &Bench) -> Result<()> {
        for &n in &self.sizes {
            for &algorithm in &self.algorithms {
                let config = Config { threads: Some(bench.threads()), ..Config::with(algorithm) };
                for number in Number::ALL {
                    in_numbers(bench, n.get(), number, &config)?;
                }
            }
        }
        Ok(())
    }

    fn page(records: &Records) -> Page {
        let mut page = Page::new("Floyd-Warshall and the peak of registers");
        page.text(
            "The best of each over the runs, and the median of what the runs reach of their own \
             peak, which is measured before and after them; the whole includes making the matrix \
             and the table.",
        );
        let most = |figure| move |r: &Record| r.all(figure).into_iter().reduce(f64::max);
        let (peak, rate) = (most("peak_gops"), most("gops"));
        page.list(
            records,
            &["n", "algorithm", "numbers", "instructions", "threads"],
            &[
                ("peak, Gop/s", &peak),
                ("solver, Gop/s", &rate),
                ("of the peak", &|record| Some(rate(record)? / peak(record)?)),
                ("median of runs", &median("of_peak")),
                ("whole, ms", &least("whole_ms")),
            ],
        );
        page
    }
}

/// A graph for which the solver adds in these numbers.
fn in_numbers(bench: &Bench, n: usize, number: Number, config: &Config) -> Result<()> {
    // as long on every cycle, but with negative arcs, which 16 bits do not take
    let height = |v| if v == 0 { 300 } else { 0 };
    let slope = |u, v, weight| weight as i32 + height(v) - height(u);
    match number {
        Number::U16 => race(bench, &graph(n, |_, _, weight| weight as u32)?, number, config),
        Number::I32 => race(bench, &graph(n, slope)?, number, config),
        // more than 32 bits hold
        Number::I64 => race(bench, &graph(n, |_, _, weight| weight << 32)?, number, config),
        Number::F32 => race(bench, &graph(n, |_, _, weight| weight as f32)?, number, config),
        Number::F64 => race(bench, &graph(n, |_, _, weight| weight as f64)?, number, config),
    }
}

/// A random graph, connected, with weights made of those from 1 to 255.
fn graph<W: Weight>(n: usize, weight: impl Fn(VertexId, VertexId, u64) -> W) -> Result<Csr<W>> {
    let graph = connected(n, ARCS_A_VERTEX, 1..=255)?;
    let arcs: Vec<_> = graph.arcs().map(|(u, v, w)| (u, v, weight(u, v, w.into()))).collect();
    Ok(Csr::from_arcs(n, &arcs)?)
}

fn race<W: PairsWeight>(
    bench: &Bench,
    graph: &Csr<W>,
    number: Number,
    config: &Config,
) -> Result<()> {
    let n = graph.n_vertices();
    let rows = Rows::of(graph, CHECKED_ROWS)?;
    let peak = || {
        let (ms, sums) = timed(|| bench.all.broadcast(|_| number.relax_registers(ROUNDS)));
        sums.into_iter().sum::<u64>() as f64 / ms / 1e6
    };
    let mut peak_before = peak();
    let run = || -> Result<Run> {
        let (whole_ms, pairs) = timed(|| apsp::Solver::new(graph, config).solve(None));
        let pairs = pairs?;
        ensure!(pairs.plan.number == Some(number), "it was solved in {:?}", pairs.plan.number);
        rows.check(&pairs)?;
        let peak_after = peak();
        let (ms, peak) = (pairs.report.solve_ms, peak_before.max(peak_after));
        peak_before = peak_after;
        let gops = (n as f64).powi(3) / ms / 1e6;
        Ok(vec![
            ("ms", ms),
            ("peak_gops", peak),
            ("gops", gops),
            ("of_peak", gops / peak),
            ("whole_ms", whole_ms),
        ])
    };
    let record = Record::of(&[
        ("n", &n),
        ("algorithm", &config.algorithm),
        ("numbers", &number),
        ("instructions", &number.instructions()),
        ("threads", &bench.threads()),
    ]);
    bench.race(vec![Contender::new(record, run)]).map(drop)
}
