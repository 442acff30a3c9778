//! How far `auto` is from the best single choice. On each graph it takes turns with every algorithm
//! at its defaults; the fastest of those is the best choice.
//!
//! An algorithm that takes four times as long as the fastest in its first search cannot be the
//! best, and is not timed any further. [`commands`] times a program's choice of a backend.

mod commands;

use graph_formats::with_csr;

use super::*;
use crate::graphs::{SIZES, named};

/// An algorithm that is this many times slower than the fastest cannot be the best.
const HOPELESS: f64 = 4.0;
/// How long a turn of a short search lasts.
const TURN: Duration = Duration::from_millis(10);

/// The solver's own choice, auto, beside the best single one
#[derive(Args, Clone, Debug)]
#[command(after_help = "Examples:\n  cargo xtask bench auto --backend cpu --sets held-out\n  \
                        cargo xtask bench auto --graphs rmat-17+zeros+seed-5,my/roads.gr.gz\n  \
                        cargo xtask bench auto --graphs rmat-20,rome99 --program \
                        target/release/starpath")]
pub(super) struct Auto {
    /// Graphs in place of the sets, by name or file, such as rmat-17, torus-300+to-65536+seed-5 or
    /// new-york+squared (a wrong name lists them all)
    #[arg(long, value_name = "GRAPH")]
    graphs: Vec<Graph>,
    /// Sets of graphs: those of the other studies and what the choices of auto were tuned on; other
    /// seeds, sizes, weights and families, which no choice was made by
    #[arg(long, value_name = "SET", default_value = "tuned,held-out", value_parser = SETS)]
    sets: Vec<String>,
    /// The first seed of the graphs that are held out; another one, other graphs
    #[arg(long, default_value = "1000")]
    seed: u64,
    /// Leave out graphs of more arcs, about: it is to be over in a few minutes
    #[arg(long, value_name = "N", default_value = "10000000")]
    most_arcs: u64,
    /// Time whole commands of this program, by each backend, in place of searches
    #[arg(long, value_name = "FILE")]
    program: Option<PathBuf>,
    /// Sources of a command: one asks for a tree, more for a table
    #[arg(long, value_name = "N", default_value = "1,8,64", requires = "program")]
    sources: Vec<NonZeroUsize>,
}

impl Study for Auto {
    const NAME: &'static str = "auto";

    fn measure(&self, bench: &Bench) -> Result<()> {
        let on = |set: &str, graphs| -> Result<()> {
            for graph in at_hand(bench, graphs, self.most_arcs)? {
                if let Some(program) = &self.program {
                    commands::race(bench, program, &graph, &self.sources)?;
                    continue;
                }
                let (ms, csr) = timed(|| graph.load());
                with_csr!(&csr?, |csr| on_field(bench, &graph, (ms, csr), |field| {
                    race(field, set, &graph)
                }))?;
            }
            Ok(())
        };
        if !self.graphs.is_empty() {
            return on("named", self.graphs.clone());
        }
        self.sets.iter().try_for_each(|set| on(set, graphs(set, self.seed)?))
    }

    fn page(records: &Records) -> Page {
        let mut page = Page::new("Auto beside the best single choice");
        page.text(
            "One answer for each graph is certified; every search of every solver, timed or not, \
             found the same distances. Times are the least of all turns; the last column has the \
             ratio of the medians. Worst first. Where the best is what auto chose, the ratio is \
             the clock's.",
        );
        for (backend, of) in records.by("backend") {
            let of = of.by("graph");
            let mut rows: Vec<Record> =
                of.iter().filter_map(|(_, of)| beside(records, of)).collect();
            let ratio = |record: &Record| record.least("auto / best").unwrap_or(f64::NAN);
            rows.sort_by(|a, b| ratio(b).total_cmp(&ratio(a)));
            let beyond = |limit: f64| rows.iter().filter(|row| ratio(row) > limit).count();
            page.heading(&format!("On the {backend}"));
            page.text(&format!(
                "A single choice is an algorithm at its defaults; on the CPU also dijkstra with \
                 each queue, and delta-stepping on one thread and on all of them. Of {} graphs, \
                 auto is more than 10 % slower than the best on {}, more than 30 % on {}.",
                rows.len(),
                beyond(1.1),
                beyond(1.3)
            ));
            page.records(&rows.into_iter().collect());
        }
        commands::section(&mut page, records);
        page
    }
}

/// `auto` beside the best on a graph.
fn beside(records: &Records, of: &Records) -> Option<Record> {
    let auto = of.find(&[("solver", "auto")])?;
    let singles = of.filtered(|record| record.label("solver") != "auto");
    let best = singles.best(least("ms"))?;
    let same = if settings(auto) == settings(best) { " (auto's own)" } else { "" };
    let name = format!("{}{same}", best.label("solver"));
    let [graph, set, chose] = ["graph", "set", "chose"].map(|label| auto.label(label));
    let labels = [("graph", graph), ("set", set), ("best", &name), ("auto chose", chose)];
    let row = labels.iter().fold(Record::default(), |row, (name, it)| row.with(&[(name, it)]));
    let [auto_ms, best_ms] = [auto.least("ms")?, best.least("ms")?];
    let by_medians = auto.median("ms")? / best.median("ms")?;
    let ratios = [("auto / best", auto_ms / best_ms), ("by medians", by_medians)];
    let arcs = of_graph(records, auto, "arcs").map(|arcs| ("arcs", arcs));
    let times = [("auto ms", auto_ms), ("best ms", best_ms)];
    Some(row.ran(arcs.into_iter().chain(times).chain(ratios).collect()))
}

/// The algorithm of a plan, its width, queue and threads, without the reason.
fn settings(record: &Record) -> (&str, Vec<&str>) {
    let plan = record.label("chose");
    let is_setting = |part: &&str| {
        part.starts_with("delta ") || part.starts_with("queue ") || part.contains(" thread")
    };
    let algorithm = plan.split(':').next().unwrap_or_default();
    (algorithm, plan.split("; ").skip(1).filter(is_setting).collect())
}

/// Every single choice, `auto` first, on each backend.
fn race<W: SearchWeight>(field: &Field<'_, W>, set: &str, graph: &Graph) -> Result<()> {
    let bench = field.bench;
    let terms = Terms { turn: TURN, hopeless: Some(HOPELESS), ..bench.terms() };
    let of_cpu = if bench.on_cpu() { on_cpu(bench.threads()) } else { Vec::new() };
    let of_gpu = [None].into_iter().chain(gpu::Algorithm::ALL.map(Some)).map(|algorithm| {
        let name = algorithm.map_or("auto", gpu::Algorithm::name);
        (name.to_owned(), Asked::on_gpu(algorithm))
    });
    for (backend, choices) in [("cpu", of_cpu), ("gpu", of_gpu.collect())] {
        let record = |name: &str| {
            let record = Record::of(&[("backend", &backend), ("set", &set), ("graph", graph)]);
            Some(record.with(&[("solver", &name)]))
        };
        bench.race_by(&terms, field.contenders(&choices, &record))?;
    }
    Ok(())
}

/// Graphs that are asked for together.
///
/// The choices of `auto` were made on `tuned`. Its graphs with seeds from 1000 on and the squared
/// roads were held out at first, but were looked at while choices were still made. `held-out` is
/// only measured: if a choice is made because of a graph in it, the graph moves to `tuned`, with
/// its seed. One choice was made by all of it together: from how many arcs on many threads are
/// worth their starting.
const SETS: [&str; 2] = ["tuned", "held-out"];

/// What else choices are tuned on,
const TUNED: &str = "\
    rmat-8 rmat-10 rmat-12 rmat-14 grid-16 grid-64 grid-128 geometric-8 geometric-12 \
    uniform-65536-4 uniform-65536-16 rmat-16+to-1 rmat-16+to-65536 rmat-16+reals grid-512+to-1 \
    grid-512+to-65536 grid-512+reals path-10000 star-100000 complete-1000 rome99+squared \
    delaware+squared new-york+squared";

/// and with seeds from 1000 on.
const SEEDED: &str = "\
    rmat-9 rmat-11+to-10 rmat-13+to-16777216 rmat-15 rmat-15+heavy rmat-17 rmat-17+to-1 \
    rmat-17+to-65536 rmat-17+zeros rmat-17+reals rmat-14+negative uniform-1000-2 \
    uniform-200-64+to-10 uniform-10000-8+to-65536 uniform-100000-2 uniform-100000-8 \
    uniform-50000-64 uniform-200000-8+to-1 uniform-200000-8+heavy uniform-100000-8+reals \
    uniform-300000-16+to-16777216 uniform-20000-8+negative complete-12 complete-300+to-65536 \
    complete-1500 complete-1500+to-1 star-1000 star-1000000 path-100 path-30000 path-1000000+to-10 \
    tree-5000 tree-1000000 tree-1000000+to-65536 caterpillar-40000 caterpillar-1000000+heavy \
    small-world-10000 small-world-500000 small-world-500000+to-1 torus-20 torus-150+to-65536 \
    torus-400 torus-700+zeros torus-700+reals layered-3000 layered-200000 \
    layered-1000000+to-16777216 grid-90 grid-333+to-10 grid-777 grid-777+to-16777216 \
    grid-777+zeros grid-1300+heavy geometric-11 geometric-15+to-1 geometric-17 geometric-19 \
    geometric-17+reals";

/// Each is given a seed of its own, where it is drawn.
const HELD_OUT: &str = "\
    rmat-4 rmat-7+to-1000 rmat-13+zeros rmat-16+heavy rmat-18+to-1000 rmat-17+negative \
    grid-7+to-65536 grid-40+heavy grid-200+heavy grid-450+to-1000 grid-1500 geometric-9+reals \
    geometric-13+heavy geometric-16+to-65536 geometric-18+zeros uniform-50-4 \
    uniform-3000-32+reals uniform-30000-5+to-1000 uniform-150000-24 uniform-100000-6+negative \
    uniform-1000000-3 torus-60+heavy torus-500+to-1 torus-1000+to-1000 \
    small-world-3000+to-16777216 small-world-80000+to-16777216 small-world-1200000+zeros \
    layered-1500+to-1 layered-60000+to-1 layered-60000+negative complete-30+to-1 \
    complete-700+to-10 complete-2500+to-65536 path-5000+reals path-400000 star-30000+to-65536 \
    tree-60+zeros tree-300000+to-10 caterpillar-200000 caterpillar-3000+to-1 hypercube-6 \
    hypercube-12 hypercube-15+heavy hypercube-17+to-1 hypercube-18+reals attachment-500-3 \
    attachment-20000-16+reals attachment-100000-4 attachment-400000-8+to-65536 \
    attachment-50000-1+to-1000 attachment-100000-4+negative bipartite-2000-8+to-10 \
    bipartite-60000-20 bipartite-800000-5+heavy ladder-200 ladder-50000+to-1000 ladder-2000000 \
    rome99+zeros delaware+heavy new-york+to-1";

/// The graphs of a set; seeds of what is held out start from `seed`.
fn graphs(set: &str, seed: u64) -> Result<Vec<Graph>> {
    let seeded = |names: &str, seed: u64| -> Result<Vec<Graph>> {
        let drawn = (seed..).zip(names.split(' '));
        drawn.map(|(seed, name)| format!("{name}+seed-{seed}").parse()).collect()
    };
    if set == SETS[1] {
        return seeded(HELD_OUT, seed);
    }
    Ok([named(SIZES)?, named(TUNED)?, seeded(SEEDED, 1000)?].concat())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_best_may_be_what_auto_chose() {
        let mut records = Records::default();
        for (solver, ms, chose) in [
            ("auto", 3.0, "dijkstra: few arcs; queue dial; 1 thread; 32-bit keys"),
            ("dijkstra/dial", 2.0, "dijkstra: it was asked for; queue dial; 1 thread; 32-bit keys"),
            ("dijkstra/radix", 4.0, "dijkstra: it was asked for; queue radix; 1 thread"),
        ] {
            let record = Record::of(&[("solver", &solver), ("chose", &chose)]);
            records.push(record.ran(vec![("ms", ms)]));
        }
        let row = beside(&records, &records).unwrap();
        assert_eq!(row.label("best"), "dijkstra/dial (auto's own)");
        assert_eq!(row.least("auto / best"), Some(1.5));
    }

    #[test]
    fn the_sets_share_no_graph() {
        let sets = SETS.map(|set| graphs(set, 1000).unwrap());
        let unseeded = |graph: &Graph| graph.to_string().split("+seed").next().unwrap().to_owned();
        let tuned: Vec<String> = sets[0].iter().map(unseeded).collect();
        for graph in &sets[1] {
            assert!(!tuned.contains(&unseeded(graph)), "{graph}");
            assert!(graph.about_arcs() <= 10_000_000, "{graph} is left out by default");
        }
        assert_eq!(sets.map(|set| set.len()), [96, 60]);
    }
}
