//! The study of the edge-parallel Bellman-Ford on a GPU: do segments of vertices pay, and
//! loads through the read-only cache?
//!
//! The study of the paper is repeated with its four variants, {segments, order as stored} ×
//! {read-only, plain loads}, on R-MAT graphs that double from one to the next, from
//! vertices spread over each graph. The figure is the paper's: arcs of the graph per second,
//! each counted once however often it was relaxed; least, mean and greatest over the
//! sources. Beside them run Δ-stepping on the same GPU and, on the host, the fastest
//! sequential Dijkstra and the parallel Δ-stepping. Unlike the paper, which has f64 only,
//! weights are u32 too, the size of segments is swept, and every answer is checked.
//!
//! Reference: origin-segments

mod figures;
mod measure;
mod merge;
mod plots;
mod references;
mod scales;
mod summary;

use std::num::{NonZeroU32, NonZeroUsize};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use clap::{Args, ValueEnum};
use gpu_runtime::Gpu;
use graph_formats::WeightKind;
use sssp::gpu::EdgeOrder;

use crate::folder::{Written, new_folder, write};
use crate::machine::Machine;
use figures::ScaleReport;
pub use scales::Scales;

/// Up to this scale every source is given to the host's Dijkstra too.
const MOST_HOST_SCALE: u32 = 21;
/// Above it so many are.
const FEW_HOST_SOURCES: usize = 4;

/// What weights may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum WeightType {
    /// Integers, as the graphs are made.
    U32,
    /// The same numbers as floats.
    F64,
}

impl WeightType {
    /// In the order in which they are measured.
    const ALL: [Self; 2] = [Self::U32, Self::F64];

    fn kind(self) -> WeightKind {
        match self {
            Self::U32 => WeightKind::U32,
            Self::F64 => WeightKind::F64,
        }
    }
}

/// The first line of `raw.csv`.
const HEADER: &str = "scale,vertices,arcs,type,solver,order,reads,source,ms,rounds";

/// What to measure.
#[derive(Args, Clone, Debug)]
pub struct Options {
    /// R-MAT graphs of 2^S vertices, edge factor 16: a range, or a list like 14,16,26
    #[arg(long, value_name = "S-S", default_value = "14-18")]
    pub scales: Scales,
    /// Types of the weights
    #[arg(long, value_delimiter = ',', value_name = "TYPE", default_value = "u32,f64")]
    pub types: Vec<WeightType>,
    /// Vertices to start from, spread evenly over those of the graph
    #[arg(long, value_name = "N", default_value = "32")]
    pub sources: NonZeroUsize,
    /// Vertices of a segment [default: what the library takes]
    #[arg(long, value_name = "P")]
    pub segment: Option<NonZeroU32>,
    /// Other sizes of segments to be tried; of those above the graph's, only the least
    #[arg(
        long,
        value_delimiter = ',',
        value_name = "P",
        default_value = "4096,16384,65536,262144,1048576,4194304"
    )]
    pub sweep: Vec<NonZeroU32>,
    /// How many of the sources they are tried with; 0 for no sweep
    #[arg(long, value_name = "N", default_value = "4")]
    pub sweep_sources: usize,
    /// How many reference answers to certify on the host; the others are only compared
    /// [default: all]
    #[arg(long, value_name = "N")]
    pub certify: Option<usize>,
    /// Sources for Dijkstra on the host [default: all up to scale 21, 4 above]
    #[arg(long, value_name = "N")]
    pub host_sources: Option<NonZeroUsize>,
    /// Above this scale the host is not measured
    #[arg(long, value_name = "S", default_value = "24")]
    pub host_up_to: u32,
    /// Measure nothing, but make one report from the folders of earlier runs
    #[arg(long, value_delimiter = ',', value_name = "DIR")]
    pub merge: Vec<PathBuf>,
    /// Where the folder of this run is made [default: target/bench of the workspace]
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// The name of that folder [default: date, time and commit]
    #[arg(long)]
    pub name: Option<String>,
}

impl Options {
    /// The size of segments of the variants.
    fn segments(&self) -> EdgeOrder {
        self.segment.map_or(EdgeOrder::Auto, |vertices| EdgeOrder::Segments { vertices })
    }

    fn types(&self) -> impl Iterator<Item = WeightType> {
        WeightType::ALL.into_iter().filter(|t| self.types.contains(t))
    }

    fn host_sources(&self, scale: u32) -> usize {
        let default = if scale <= MOST_HOST_SCALE { usize::MAX } else { FEW_HOST_SOURCES };
        self.host_sources.map_or(default, NonZeroUsize::get)
    }
}

/// Measures and writes the report, `raw.csv`, `summary.md` and two drawings a type, into a
/// new folder, in `beside` unless the options name another; says on standard error what
/// was measured as soon as it was.
///
/// # Errors
/// When there is no GPU, a graph fits no memory, a solver fails or is wrong, or the folder
/// is there already or cannot be written. Then no folder is left.
pub fn run(options: &Options, beside: &Path) -> Result<Written> {
    if !options.merge.is_empty() {
        return run_on(None, options, beside);
    }
    let gpu = Gpu::open().context(
        "this study measures a GPU: run it on a machine that has one, in a build with \
         --features cuda",
    )?;
    run_on(Some(&gpu), options, beside)
}

/// The same; without a GPU the host solves in its place, so that all but the GPU's solvers
/// can be tested anywhere.
fn run_on(gpu: Option<&Gpu>, options: &Options, beside: &Path) -> Result<Written> {
    let machine = Machine::look();
    let out = options.out.as_deref().unwrap_or(beside);
    new_folder(out, options.name.as_deref(), &machine, |folder| {
        let one = |scale: u32| {
            measure::scale(gpu, options, scale).with_context(|| format!("on rmat-{scale}"))
        };
        let (machine, reports) = match options.merge.as_slice() {
            [] => (machine.markdown(), options.scales.iter().map(one).collect::<Result<_>>()?),
            folders => merge::read(folders)?,
        };
        let summary = summary::text(&machine, options, &reports);
        write(&folder.join("raw.csv"), &raw(&reports))?;
        write(&folder.join("summary.md"), &summary)?;
        for kind in options.types().map(WeightType::kind) {
            for (name, svg) in plots::of(kind, options, &reports)? {
                write(&folder.join(name), &svg)?;
            }
        }
        Ok(summary)
    })
}

/// Every timed solve; only Bellman-Ford on the GPU has an order and a way to read.
fn raw(reports: &[ScaleReport]) -> String {
    let mut csv = HEADER.to_owned() + "\n";
    for ScaleReport { scale, n_vertices, n_arcs, lines, .. } in reports {
        for line in lines {
            let (kind, [solver, order, reads]) = (line.kind, line.fields(*n_vertices));
            for sample in &line.samples {
                let figures::Sample { source, ms, rounds } = sample;
                csv += &format!(
                    "{scale},{n_vertices},{n_arcs},{kind},{solver},{order},{reads},{source},\
                     {ms},{rounds}\n"
                );
            }
        }
    }
    csv
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::fs;

    use clap::Parser;

    use super::*;

    #[derive(Parser)]
    struct Program {
        #[command(flatten)]
        options: Options,
    }

    fn options(arguments: &str) -> Options {
        let arguments = format!("bench {arguments}");
        Program::try_parse_from(arguments.split(' ')).unwrap().options
    }

    #[test]
    fn the_defaults_are_the_documented_ones() {
        let options = Program::try_parse_from(["bench"]).unwrap().options;
        assert_eq!(options.scales.iter().collect::<Vec<_>>(), [14, 15, 16, 17, 18]);
        assert_eq!(options.types().collect::<Vec<_>>(), WeightType::ALL);
        assert_eq!((options.sources.get(), options.sweep.len()), (32, 6));
        assert_eq!(options.segments(), EdgeOrder::Auto);
        assert_eq!((options.host_sources(21), options.host_sources(22)), (usize::MAX, 4));
    }

    #[test]
    fn a_report_has_every_variant_of_every_type() {
        let out = tempfile::tempdir().unwrap();
        let options = options(
            "--scales 7,8 --sources 3 --segment 64 --sweep 16,64,256,512 --sweep-sources 2 \
             --host-sources 2 --host-up-to 7 --name tiny",
        );
        let written = run_on(None, &options, out.path()).unwrap();
        assert_eq!(written.folder, out.path().join("tiny"));
        let raw = fs::read_to_string(written.folder.join("raw.csv")).unwrap();
        let mut lines = raw.lines();
        assert_eq!(lines.next(), Some(HEADER));
        let mut n_samples = BTreeMap::new();
        for line in lines {
            let fields: Vec<&str> = line.split(',').collect();
            assert_eq!(fields.len(), 10, "{line}");
            assert!(fields[8].parse::<f64>().unwrap() >= 0.0, "{line}");
            assert!(fields[9].parse::<u64>().is_ok(), "{line}");
            *n_samples.entry([0, 3, 4, 5, 6].map(|i| fields[i].to_owned())).or_insert(0) += 1;
        }
        let solver = |fields: [&str; 5]| n_samples.get(&fields.map(str::to_owned)).copied();
        for kind in ["u32", "f64"] {
            for scale in ["7", "8"] {
                for (order, reads, n) in [
                    ("64", "plain", 3),
                    ("64", "read-only", 3),
                    ("stored", "plain", 3),
                    ("stored", "read-only", 3),
                    ("16", "plain", 2),
                ] {
                    let found = solver([scale, kind, "gpu/bellman-ford", order, reads]);
                    assert_eq!(found, Some(n), "{scale} {kind} {order} {reads}");
                }
                let sizes = ["256", "512"];
                let tried = sizes.map(|p| solver([scale, kind, "gpu/bellman-ford", p, "plain"]));
                assert_eq!(tried, [Some(2), None], "one size covers the graph");
            }
            assert_eq!(solver(["7", kind, "host/delta-stepping", "", ""]), Some(3));
        }
        assert_eq!(solver(["8", "u32", "gpu/delta-stepping", "", ""]), Some(3));
        assert_eq!(solver(["8", "f64", "gpu/delta-stepping", "", ""]), None);
        let on_host = |scale: &str| {
            let mut keys = n_samples.iter().filter(|(key, _)| key[0] == scale);
            keys.any(|(key, &n)| key[2].starts_with("host/dijkstra/") && n == 2)
        };
        assert!(on_host("7") && !on_host("8"));

        for name in ["u32-arcs", "u32-speed-up", "f64-arcs", "f64-speed-up"] {
            let svg = fs::read_to_string(written.folder.join(format!("{name}.svg"))).unwrap();
            assert!(svg.starts_with("<svg") && svg.trim_end().ends_with("</svg>"), "{name}");
            assert!(svg.contains("segments, read-only"), "{name}");
        }
        assert_eq!(fs::read_to_string(written.folder.join("summary.md")).unwrap(), written.summary);

        // the same again, from what was written
        let merge = vec![written.folder];
        let again = Options { merge, name: Some("again".to_owned()), ..options };
        let merged = run(&again, out.path()).unwrap();
        assert_eq!(fs::read_to_string(merged.folder.join("raw.csv")).unwrap(), raw);
        let tables = |summary: &str| summary.split_once("## u32").unwrap().1.to_owned();
        assert_eq!(tables(&merged.summary), tables(&written.summary));
    }

    #[test]
    fn one_type_one_scale_and_no_host_leave_out_what_there_is_not() {
        let out = tempfile::tempdir().unwrap();
        let options = options(
            "--scales 8 --types f64 --sources 1 --sweep-sources 0 --host-up-to 0 --certify 0 \
             --name bare",
        );
        let written = run_on(None, &options, out.path()).unwrap();
        let file = |name: &str| fs::read_to_string(written.folder.join(name));
        assert!(file("f64-arcs.svg").unwrap().contains("stored, plain"));
        assert!(file("f64-speed-up.svg").is_err() && file("u32-arcs.svg").is_err());
        assert!(!written.summary.contains("sizes of segments"));
        let raw = file("raw.csv").unwrap();
        // the references come from a solver of integers, which is timed as well
        assert_eq!(raw.lines().count(), 1 + 1 + 4, "{raw}");
        assert!(run_on(None, &options, out.path()).is_err(), "the folder is there already");
    }

    #[test]
    fn without_a_gpu_there_is_no_study() {
        if Gpu::open().is_ok() {
            return;
        }
        let out = tempfile::tempdir().unwrap();
        let error = run(&options("--scales 7 --name none"), out.path()).unwrap_err();
        assert!(format!("{error:#}").contains("this study measures a GPU"), "{error:#}");
        assert!(!out.path().join("none").exists());
    }
}
