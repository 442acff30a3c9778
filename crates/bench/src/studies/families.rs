//! All families of algorithms that the paper on GPUs compares, the GPU's and the host's in turns
//! on the same graphs, and Dijkstra's algorithm of the Boost Graph Library.
//!
//! Dijkstra's algorithm on the GPU takes a step over the whole grid for each vertex, so its
//! four blocks are tried on small graphs only; larger ones have the block that was quickest
//! there. On a GPU the time is the device's own, with the graph resident; on the host it is that
//! of the call.
//!
//! Reference: origin-four-families

use std::collections::BTreeSet;

use ::published::{BlockSize, Bounds, DijkstraByLaunches, Form, Layout};
use graph_formats::{WeightKind, with_csr};

use super::*;
use crate::graphs::{SIZES, family, named};
use crate::peers::Peer;

/// Most vertices of a graph on which every block is tried.
const SMALL: usize = 1 << 16;
const BOOST: Source = Source {
    file: "boost_dijkstra.cpp",
    text: include_str!("../../peers/boost_dijkstra.cpp"),
    command: "c++ -std=c++17 -O3 -DNDEBUG",
    needs: "install g++ and libboost-graph-dev, or give a program with --boost",
};
const BOOST_IS_CALLED: &str = r#"
name = "boost/dijkstra"
format = "wsg"
arguments = ["{graph}", "{source}", "{runs}", "{distances}"]
time = "ms"
unit = "ms"
"#;

/// All families of algorithms side by side, on a GPU and the host
#[derive(Args, Clone, Debug)]
#[command(after_help = "Examples:\n  cargo xtask bench families --most-arcs 5000000\n  \
                        cargo xtask bench families --graphs rmat-17+zeros+seed-5,torus-300")]
pub(super) struct Families {
    /// Graphs by name or file, such as rmat-17, torus-300+to-65536+seed-5 or new-york+squared (a
    /// wrong name lists them all) [default: R-MAT, grid, geometric and road graphs of several sizes]
    #[arg(long, value_name = "GRAPH")]
    graphs: Vec<Graph>,
    /// Leave out graphs of more arcs, about
    #[arg(long, value_name = "N")]
    most_arcs: Option<u64>,
    /// Boost's Dijkstra, built before from peers/boost_dijkstra.cpp of this crate
    /// [default: it is built, where there are a compiler and Boost]
    #[arg(long, value_name = "PROGRAM")]
    boost: Option<PathBuf>,
}

impl Study for Families {
    const NAME: &'static str = "families";

    fn measure(&self, bench: &Bench) -> Result<()> {
        let scratch = tempfile::tempdir()?;
        let program = || BOOST.program(bench, self.boost.as_ref(), scratch.path());
        let boost = bench.on_cpu().then(program).flatten();
        let boost = boost.map(|program| Peer::new(program, BOOST_IS_CALLED)).transpose()?;
        let graphs = if self.graphs.is_empty() { named(SIZES)? } else { self.graphs.clone() };
        for graph in at_hand(bench, graphs, self.most_arcs.unwrap_or(u64::MAX))? {
            let (ms, csr) = timed(|| graph.load());
            with_csr!(&csr?, |csr| on_field(bench, &graph, (ms, csr), |field| {
                race(field, &graph, boost.as_ref())
            }))?;
        }
        Ok(())
    }

    fn page(records: &Records) -> Page {
        let mut page = Page::new("The families of shortest paths");
        page.text(
            "One answer for each graph is certified; every search of every solver, timed or not, \
             found the same distances. \"Visits\" are vertices taken from a queue or settled, for \
             each vertex reached; \"again\" are the visits and relaxations that were repeated, \
             where they are counted. For graphs up to 65,536 vertices a second table has the \
             bounds on them for the buckets as published, estimated from 64 vertices. \"/ default\" \
             compares with auto on the GPU, or on the host where there is no GPU; \"/ Dijkstra\" \
             with Dijkstra's algorithm on the host.",
        );
        let over = |record: &Record, solver: &str| {
            records.over(record, "ms", &[("graph", record.label("graph")), ("solver", solver)])
        };
        let per = |record: &Record, figure: &str, of: &str| {
            Some(record.median(figure)? / of_graph(records, record, of)?)
        };
        let figures: [(&str, Figure<'_>); 9] = [
            ("runs", &|r| Some(r.n_runs() as f64)),
            ("median ms", &median("ms")),
            ("rounds", &median("rounds")),
            ("relaxations / arc", &|r| per(r, "relaxations", "arcs")),
            ("visits / reached", &|r| per(r, "settled", "reached")),
            ("visits again / reached", &|r| per(r, "again_insertions", "reached")),
            ("relaxations again / arc", &|r| per(r, "again_relaxations", "arcs")),
            ("/ default", &|r| over(r, "gpu/auto").or_else(|| over(r, "host/auto"))),
            ("/ Dijkstra", &|r| over(r, "host/dijkstra")),
        ];
        let solvers = records.having("solver");
        for (graph, of) in solvers.by("graph") {
            section(&mut page, records, (graph, &of), &[], (&["solver"], &figures));
            let bounds = records.of(&[("graph", graph)]).having("at most");
            page.list(&bounds, &["at most"], &figures[1..]);
        }
        // the smallest first
        let size = |record: &Record| of_graph(records, record, "vertices");
        let mut by_size: Vec<Record> = solvers.iter().cloned().collect();
        by_size.sort_by_key(|record| size(record).map(|n| n as u64));
        let by_size: Records = by_size.into_iter().collect();
        let names: BTreeSet<&str> = by_size.values("graph").into_iter().map(family).collect();
        for name in names {
            let of = by_size.filtered(|record| family(record.label("graph")) == name);
            page.heading(&format!("Milliseconds by size: {name}"));
            page.across(&of, &["solver"], "graph", &median("ms"));
            if of.values("graph").len() > 1 {
                let point = |record: &Record| Some((size(record)?, [record.median("ms")?; 3]));
                let title = format!("{name} graphs: milliseconds, median, by vertices");
                let (file, axes) = (format!("{name}-by-size"), ["vertices", "ms"]);
                let axes = axes.map(|name| Axis { name, log: true });
                page.lines((&file, &title), axes, &of, "solver", &point);
            }
        }
        page
    }
}

/// All contenders on one graph.
fn race<W: SearchWeight>(field: &Field<'_, W>, graph: &Graph, boost: Option<&Peer>) -> Result<()> {
    let (bench, csr) = (field.bench, field.task.graph);
    let (is_small, takes) = (csr.n_vertices() <= SMALL, W::KIND == WeightKind::U32);
    let record = |name: &str| Some(Record::of(&[("graph", graph), ("solver", &name)]));
    let mut all = match is_small {
        true => on_gpu(&BlockSize::ALL.map(|block| block.1)),
        false => on_gpu(&[quickest(&bench.records())]),
    };
    if bench.on_cpu() {
        all.extend([None].into_iter().chain(Algorithm::ALL.map(Some)).map(|algorithm| {
            let name = algorithm.map_or("auto", Algorithm::name);
            (format!("host/{name}"), Asked::on_cpu(algorithm, bench.threads()))
        }));
    }
    let scratch = tempfile::tempdir()?;
    let mut contenders = field.contenders(&all, &record);
    // it takes integers of 32 bits, none negative
    if let Some(boost) = boost.filter(|_| takes) {
        contenders.extend(boost.contenders(field, scratch.path(), record));
    }
    // the published loop, a launch a step, which the host drives
    if let Some(gpu) = bench.gpu_if_any().filter(|_| is_small && takes) {
        let own = csr.clone().convert_weights()?;
        let mut solver = DijkstraByLaunches::new(gpu, &own, BlockSize::default())?;
        let record = record("gpu/dijkstra by launches").unwrap_or_default();
        contenders.push(Contender::new(record, move || {
            let (ms, found) = timed(|| solver.distances(field.task.source));
            let (distances, settled) = found?;
            check(&field.task.certified, &distances)?;
            Ok(vec![("ms", ms), ("rounds", settled as f64), ("settled", settled as f64)])
        }));
    }
    bench.race(contenders)?;
    let is_bounded = is_small && csr.first_negative().is_none() && bench.gpu_if_any().is_some();
    if is_bounded { bounds(field, graph) } else { Ok(()) }
}

/// What the buckets as published do another time, at most, by each rule.
fn bounds<W: SearchWeight>(field: &Field<'_, W>, graph: &Graph) -> Result<()> {
    let (csr, mut draws) = (field.task.graph, Draws::new(1));
    let from: Vec<_> = (0..64).map(|_| draws.below(csr.n_vertices()) as VertexId).collect();
    let farthest = field.task.certified.max().map_or(0.0, |distance| distance.to_f64());
    for (name, rule) in Delta::RULES {
        let stepping = Config::with(Algorithm::DeltaStepping(rule));
        let config = Config { threads: Some(NonZeroUsize::MIN), ..stepping };
        let width = Solver::new(csr, &config)?.plan().delta.context("it has a width")?;
        let most = Bounds::of(csr, width, farthest, &from);
        let solver = format!("gpu/{}/{name}", Form::DeltaSteppingBuckets(rule).name());
        let record = Record::of(&[("graph", graph), ("at most", &solver)]);
        field.bench.records().push(record.ran(vec![
            ("rounds", most.phases),
            ("again_insertions", most.insertions),
            ("again_relaxations", most.relaxations),
        ]));
    }
    Ok(())
}

/// Which block is quickest, as far as is known: the total of its medians where all were tried.
fn quickest(records: &Records) -> BlockSize {
    let mut totals = BlockSize::ALL.map(|(_, block)| (0.0, block));
    for (_, of) in records.by("graph") {
        let median = |(threads, _): &(&str, _)| {
            of.find(&[("solver", &format!("gpu/dijkstra/{threads}"))])?.median("ms")
        };
        let times: Option<Vec<f64>> = BlockSize::ALL.iter().map(median).collect();
        totals.iter_mut().zip(times.unwrap_or_default()).for_each(|(total, ms)| total.0 += ms);
    }
    let least = totals.into_iter().min_by(|a, b| a.0.total_cmp(&b.0));
    least.filter(|least| least.0 > 0.0).map_or_else(BlockSize::default, |least| least.1)
}

fn published(forms: impl Iterator<Item = (String, Form<Delta>)>) -> Vec<(String, gpu::Algorithm)> {
    forms.map(|(name, form)| (name, gpu::Algorithm::Published(form))).collect()
}

/// Every algorithm on the GPU with its variants; Dijkstra's with each of these blocks.
fn on_gpu(blocks: &[BlockSize]) -> Vec<(String, Asked)> {
    use gpu::Algorithm as A;
    let variants = |algorithm: A| -> Vec<(String, A)> {
        let by = |variant: &str| format!("{}/{variant}", algorithm.name());
        match algorithm {
            A::Published(Form::Dijkstra(_)) => {
                let form = |b: &BlockSize| (by(&b.threads().to_string()), Form::Dijkstra(*b));
                published(blocks.iter().map(form))
            }
            A::Published(Form::DeltaSteppingBuckets(_)) => {
                let form = |(name, rule)| (by(name), Form::DeltaSteppingBuckets(rule));
                published(Delta::RULES.into_iter().map(form))
            }
            A::Published(Form::BellmanFordSpmv(_)) => {
                let form = |(name, layout)| (by(name), Form::BellmanFordSpmv(layout));
                published(Layout::ALL.into_iter().map(form))
            }
            _ => vec![(algorithm.name().to_owned(), algorithm)],
        }
    };
    let all = A::ALL.into_iter().flat_map(variants).map(|(name, one)| (name, Some(one)));
    let all = [("auto".to_owned(), None)].into_iter().chain(all);
    all.map(|(name, one)| (format!("gpu/{name}"), Asked::on_gpu(one))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::tests::said;

    #[test]
    fn bounds_stand_below_what_they_bound() {
        let record =
            |label, name: &str, run| Record::of(&[("graph", &"a"), (label, &name)]).ran(run);
        let of_graph = vec![("arcs", 4.0), ("reached", 2.0)];
        let again = |n| vec![("ms", 1.0), ("rounds", n), ("again_insertions", n)];
        let mut records = Records::default();
        records.push(record("what", "the graph", of_graph));
        records.push(record("solver", "gpu/delta-stepping-buckets/mean", again(6.0)));
        records.push(record("at most", "gpu/delta-stepping-buckets/mean", again(9.0)));
        let summary = said(&Families::page(&records));
        let counted = summary.find(" 3 |").unwrap();
        assert!(summary[counted..].contains("| at most "), "{summary}");
        assert!(summary[counted..].contains(" 4.5"), "{summary}");
    }

    #[test]
    fn larger_graphs_have_the_quickest_block_of_small_ones() {
        let mut records = Records::default();
        assert_eq!(quickest(&records), BlockSize::default());
        let times = [("a", &[9.0, 4.0, 5.0, 7.0][..]), ("b", &[9.0, 7.0, 5.0, 7.0]), ("c", &[1.0])];
        for (graph, times) in times {
            records.extend(times.iter().zip(BlockSize::ALL).map(|(ms, (name, _))| {
                let solver = format!("gpu/dijkstra/{name}");
                Record::of(&[("graph", &graph), ("solver", &solver)]).ran(vec![("ms", *ms)])
            }));
        }
        assert_eq!(quickest(&records), BlockSize::ALL[2].1);
    }

    #[test]
    fn every_algorithm_and_variant_on_a_gpu_is_there_once() {
        let entries = on_gpu(&BlockSize::ALL.map(|block| block.1));
        let names: BTreeSet<&str> = entries.iter().map(|entry| entry.0.as_str()).collect();
        assert_eq!(names.len(), entries.len());
        for algorithm in gpu::Algorithm::ALL {
            assert!(entries.iter().any(|entry| entry.1 == Asked::on_gpu(Some(algorithm))));
        }
        let variants = BlockSize::ALL.len() + Delta::RULES.len() + Layout::ALL.len();
        assert_eq!(names.len(), 1 + gpu::Algorithm::ALL.len() - 3 + variants);
    }
}
