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
use std::path::PathBuf;

use anyhow::Result;
use clap::Args;
use graph_formats::{Csr, VertexId, Weight, WeightKind, with_csr};
use sssp::gpu::{self, BlockSize, DijkstraByLaunches, Layout};
use sssp::{Algorithm, Bounds, Config, Delta, delta};

use crate::clock::{Contender, timed};
use crate::draws::Draws;
use crate::field::{Asked, described, of_graph, on_field};
use crate::graphs::{Graph, SIZES, at_hand, family, named};
use crate::page::{Figure, Page, median};
use crate::peers::Peer;
use crate::plot::{Axis, Line, Marks, Plot, Whose};
use crate::programs::Source;
use crate::records::{Record, Records};
use crate::study::{Bench, Study};
use crate::verify::Words;

/// Most vertices of a graph on which every block is tried.
const SMALL: usize = 1 << 16;
const BOOST: Source = Source {
    name: "boost_dijkstra",
    file: "boost_dijkstra.cpp",
    text: include_str!("../../peers/boost_dijkstra.cpp"),
    compiler: "c++",
    flags: &["-std=c++17", "-O3", "-DNDEBUG"],
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
    #[arg(long, value_delimiter = ',', value_name = "GRAPH")]
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
        let boost = match bench.on_cpu().then(|| BOOST.program(self.boost.as_deref())) {
            Some(Ok(program)) => Some(Peer::new(program, BOOST_IS_CALLED)?),
            Some(Err(reason)) => {
                bench.skip(&[("solver", &"boost/dijkstra")], &reason);
                None
            }
            None => None,
        };
        let graphs = if self.graphs.is_empty() { named(SIZES)? } else { self.graphs.clone() };
        for graph in at_hand(bench, graphs, self.most_arcs.unwrap_or(u64::MAX))? {
            let (ms, csr) = timed(|| graph.load());
            let boost = boost.as_ref();
            with_csr!(&csr?, |csr| on_graph(bench, &graph, (ms, csr), boost))?;
        }
        Ok(())
    }

    fn page(records: &Records) -> Page {
        let mut page = Page::new("The families of shortest paths");
        page.text(
            "One answer for each graph is certified; every search of every solver, timed or not, \
             found the same distances. \"Visits\" are vertices taken from a queue or settled, for \
             each vertex reached; \"again\" is what of the visits and relaxations was done another \
             time, where it is counted; of graphs up to 65,536 vertices a second table has the \
             bounds on it for the buckets as published, estimated from 64 vertices. \"/ default\" \
             compares with auto on the GPU, or on the host where there is no GPU; \"/ Dijkstra\" with Dijkstra's algorithm on the host.",
        );
        let solvers = records.having("solver");
        for (graph, of) in solvers.by("graph") {
            section(&mut page, graph, &records.of(&[("graph", graph)]), &of);
        }
        // the smallest first
        let mut by_size: Vec<_> = solvers
            .by("graph")
            .into_iter()
            .filter_map(|(graph, of)| {
                Some((of_graph(&records.of(&[("graph", graph)]), "vertices")?, family(graph), of))
            })
            .collect();
        by_size.sort_by(|a, b| a.0.total_cmp(&b.0));
        let names: BTreeSet<&str> = by_size.iter().map(|graph| graph.1).collect();
        for name in names {
            let of: Vec<_> = by_size.iter().filter(|graph| graph.1 == name).collect();
            let mut all = Records::default();
            of.iter().for_each(|graph| all.extend(graph.2.iter().cloned()));
            page.heading(&format!("Milliseconds by size: {name}"));
            page.across(&all, &["solver"], "graph", &median("ms"));
            let line = |solver: &&str| Line {
                name: (*solver).to_owned(),
                points: of
                    .iter()
                    .filter_map(|(n, _, of)| {
                        Some((*n, of.find(&[("solver", solver)])?.median("ms")?))
                    })
                    .collect(),
                ranges: Vec::new(),
            };
            let lines = all.values("solver").iter().map(line).collect();
            let title = format!("{name} graphs: milliseconds, median, by vertices");
            let axis = |name| Axis { name, log: true };
            let marks = Marks::Lines { x: axis("vertices"), y: axis("ms"), lines };
            if of.len() > 1 {
                page.plot(&format!("{name}-by-size"), Plot { title, marks });
            }
        }
        page
    }
}

/// Everybody on one graph.
fn on_graph<W: Weight>(
    bench: &Bench,
    graph: &Graph,
    (load_ms, csr): (f64, &Csr<W>),
    boost: Option<&Peer>,
) -> Result<()> {
    let mut all = Vec::new();
    if bench.gpu_if_any().is_some() {
        let blocks = match csr.n_vertices() <= SMALL {
            true => BlockSize::ALL.map(|block| block.1).to_vec(),
            false => vec![quickest(&bench.records())],
        };
        all = on_gpu(&blocks);
    }
    if bench.on_cpu() {
        let ours = [None].into_iter().chain(Algorithm::ALL.map(Some)).map(|algorithm| {
            let threads = Some(bench.threads());
            let config = Config { algorithm, threads, ..Config::default() };
            (format!("host/{}", algorithm.map_or("auto", Algorithm::name)), Asked::OnCpu(config))
        });
        all.extend(ours);
    }
    let scratch = tempfile::tempdir()?;
    on_field(bench, graph, (load_ms, csr), |field| {
        let record = |name: &str| Record::of(&[("graph", graph), ("solver", &name)]);
        let solver =
            |(name, asked): &(String, Asked)| field.solver(bench.gpu_if_any(), record(name), asked);
        let mut contenders: Vec<_> = all.iter().filter_map(solver).collect();
        // it takes integers of 32 bits, none negative
        if let Some(boost) = boost.filter(|_| W::KIND == WeightKind::U32) {
            contenders.extend(boost.contenders(field, scratch.path(), |name| Some(record(name))));
        }
        // the published loop, a launch a step, which the host drives
        let is_small = csr.n_vertices() <= SMALL && W::KIND == WeightKind::U32;
        if let Some(gpu) = bench.gpu_if_any().filter(|_| is_small) {
            let right = field.task.certified.iter().map(|d| d.map(|d| d.to_f64() as u64));
            let (own, words) = (csr.clone().convert_weights()?, Words::of(&right.collect())?);
            let mut solver = DijkstraByLaunches::new(gpu, &own, BlockSize::default())?;
            let source = field.task.source;
            contenders.push(Contender::new(record("gpu/dijkstra by launches"), move || {
                let (ms, found) = timed(|| solver.distances(source));
                let (distances, settled) = found?;
                words.check(&distances)?;
                Ok(vec![("ms", ms), ("rounds", settled as f64), ("settled", settled as f64)])
            }));
        }
        bench.race(contenders)?;
        if csr.n_vertices() <= SMALL && csr.first_negative().is_none() {
            let (mut draws, n) = (Draws::new(1), csr.n_vertices());
            let from: Vec<_> = (0..64).map(|_| draws.below(n) as VertexId).collect();
            let farthest = field.task.certified.max().map_or(0.0, |distance| distance.to_f64());
            for (name, asked) in &all {
                if let Asked::OnGpu(config) = asked
                    && let Some(gpu::Algorithm::DeltaSteppingBuckets(rule)) = config.algorithm
                {
                    let most = Bounds::of(csr, delta::width(csr, rule)?, farthest, &from);
                    let record = Record::of(&[("graph", graph), ("at most", name)]);
                    bench.records().push(record.ran(vec![
                        ("rounds", most.phases),
                        ("again_insertions", most.insertions),
                        ("again_relaxations", most.relaxations),
                    ]));
                }
            }
        }
        Ok(())
    })
}

/// Which block is quickest, as far as is known: the total of its medians where all were tried.
fn quickest(records: &Records) -> BlockSize {
    let mut totals = BlockSize::ALL.map(|block| (block.1, 0.0));
    for (_, of) in records.by("graph") {
        let median =
            |threads| of.find(&[("solver", &format!("gpu/dijkstra/{threads}"))])?.median("ms");
        let times: Option<Vec<f64>> = BlockSize::ALL.iter().map(|block| median(block.0)).collect();
        totals.iter_mut().zip(times.into_iter().flatten()).for_each(|(total, ms)| total.1 += ms);
    }
    let known = totals.into_iter().filter(|total| total.1 > 0.0);
    known.min_by(|a, b| a.1.total_cmp(&b.1)).map_or_else(BlockSize::default, |total| total.0)
}

/// Every algorithm on the GPU with its variants; Dijkstra's with each of these blocks.
fn on_gpu(blocks: &[BlockSize]) -> Vec<(String, Asked)> {
    let mut entries = Vec::new();
    let mut enter = |name: String, algorithm: Option<gpu::Algorithm>| {
        let asked = Asked::OnGpu(gpu::Config { algorithm, ..gpu::Config::default() });
        entries.push((format!("gpu/{name}"), asked));
    };
    enter("auto".to_owned(), None);
    for algorithm in gpu::Algorithm::ALL {
        let name = algorithm.name();
        match algorithm {
            gpu::Algorithm::Dijkstra(_) => {
                for &block in blocks {
                    let with_block = gpu::Algorithm::Dijkstra(block);
                    enter(format!("{name}/{}", block.threads()), Some(with_block));
                }
            }
            gpu::Algorithm::DeltaSteppingBuckets(_) => {
                for (rule, delta) in Delta::RULES {
                    let with_rule = gpu::Algorithm::DeltaSteppingBuckets(delta);
                    enter(format!("{name}/{rule}"), Some(with_rule));
                }
            }
            gpu::Algorithm::BellmanFordSpmv(_) => {
                for (layout_name, layout) in Layout::ALL {
                    let with_layout = gpu::Algorithm::BellmanFordSpmv(layout);
                    enter(format!("{name}/{layout_name}"), Some(with_layout));
                }
            }
            _ => enter(name.to_owned(), Some(algorithm)),
        }
    }
    entries
}

fn section(page: &mut Page, graph: &str, all: &Records, of: &Records) {
    page.heading(graph);
    page.text(&described(all));
    let ms = |solver: &str| of.find(&[("solver", solver)])?.median("ms");
    let default = ms("gpu/auto").or_else(|| ms("host/auto"));
    let per =
        |record: &Record, figure: &str, of: &str| Some(record.median(figure)? / of_graph(all, of)?);
    let columns: [(&str, Figure<'_>); 9] = [
        ("runs", &|record| Some(record.n_runs() as f64)),
        ("median ms", &median("ms")),
        ("rounds", &median("rounds")),
        ("relaxations / arc", &|record| per(record, "relaxations", "arcs")),
        ("visits / reached", &|record| per(record, "settled", "reached")),
        ("visits again / reached", &|record| per(record, "again_insertions", "reached")),
        ("relaxations again / arc", &|record| per(record, "again_relaxations", "arcs")),
        ("/ default", &|record| Some(record.median("ms")? / default?)),
        ("/ Dijkstra", &|record| Some(record.median("ms")? / ms("host/dijkstra")?)),
    ];
    page.list(of, &["solver"], &columns);
    page.list(&all.having("at most"), &["at most"], &columns[1..]);
    page.bars(graph, of, |solver| match solver.split('/').next() {
        Some("gpu") => Whose::Gpu,
        Some("host") => Whose::Cpu,
        _ => Whose::Other,
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::measured_by;

    #[test]
    fn families_are_measured_side_by_side() {
        let graphs = "rmat-6,grid-9,grid-12+seed-3,layered-90+reals,torus-6+negative";
        let line = format!("families --graphs {graphs} --backend cpu --threads 2 --runs 2");
        let (records, summary) = measured_by(&line).unwrap();
        let runs = |graph: &str, solver: &str| {
            records.find(&[("graph", graph), ("solver", solver)]).map(Record::n_runs)
        };
        for graph in graphs.split(',') {
            assert_eq!(runs(graph, "host/auto"), Some(2), "{graph}");
            assert_eq!(runs(graph, "host/bellman-ford-slf-lll"), Some(2), "{graph}");
            let is_negative = graph.contains("negative");
            assert_eq!(runs(graph, "host/dijkstra") == Some(0), is_negative, "{graph}");
        }
        // where Boost is, it takes part on graphs of u32
        let has_boost = runs("grid-9", "boost/dijkstra") == Some(2);
        assert_ne!(has_boost, summary.contains("SKIPPED: boost"));
        assert_eq!(runs("layered-90+reals", "boost/dijkstra"), None);
        assert!(
            summary.contains("(grid-12-seed-3.svg)") || summary.contains("(grid-12+seed-3.svg)")
        );
        assert!(summary.contains("(grid-by-size.svg)") && !summary.contains("(rmat-by-size.svg)"));
        for expected in ["## torus-6+negative", "needs weights of at least zero", "by size: grid"] {
            assert!(summary.contains(expected), "{expected} in {summary}");
        }
    }

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
        let files = Families::page(&records).files("").unwrap();
        let summary = &files.iter().find(|file| file.0 == "summary.md").unwrap().1;
        let counted = summary.find("| 3 ").or(summary.find(" 3 |")).unwrap();
        assert!(summary[counted..].contains("| at most "), "{summary}");
        assert!(summary[counted..].contains(" 4.5"), "{summary}");
    }

    #[test]
    fn larger_graphs_have_the_quickest_block_of_small_ones() {
        let mut records = Records::default();
        assert_eq!(quickest(&records), BlockSize::default());
        for (graph, times) in
            [("a", &[9.0, 4.0, 5.0, 7.0][..]), ("b", &[9.0, 7.0, 5.0, 7.0]), ("c", &[1.0])]
        {
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
            let asked = Asked::OnGpu(gpu::Config::with(algorithm));
            assert!(entries.iter().any(|entry| entry.1 == asked), "{algorithm}");
        }
        let of = |prefix: &str| names.iter().filter(|name| name.starts_with(prefix)).count();
        let counts = ["gpu/dijkstra/", "gpu/delta-stepping-buckets/", "gpu/bellman-ford-spmv/"];
        assert_eq!(counts.map(of), [4, Delta::RULES.len(), Layout::ALL.len()]);
    }
}
