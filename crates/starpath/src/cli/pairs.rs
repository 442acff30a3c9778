//! The commands on all pairs of vertices: `apsp`, `query` and `closure`.

use std::num::{NonZeroU32, NonZeroUsize};
use std::path::PathBuf;
use std::str::FromStr;

use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use star_machine::Warshall;

use super::{Backend, Common, GraphArgs};
use crate::failure::WrongUse;
use crate::size::parse_size;

/// Distances between all pairs of vertices
#[derive(Debug, Args)]
#[command(after_help = "\
Results (--distances):
  .npy  a square array, a row for each source, of type u64, i64, f32 or f64 by the type of the
        weights; no path is infinity, or in integers the greatest value of the type
  .tsv  a header line with the targets, then a row for every source; an empty field is no path

Paths (--next-hops):
  .npy  a square array: row u, column v has the vertex after u on a shortest path to v, as u16, or
        as u32 from 65535 vertices on. No path, and u = v, is the greatest value of the type.
        `starpath query` finds paths from the two arrays.

An array counts from 0. If the vertices are not named 0, 1, 2 and so on, the file OUT.npy.ids has
their names, one a line; if names are not needed, that file of an earlier run is removed. The file
OUT.npy.graph has the name and a hash of the graph, by which `starpath query` refuses arrays of
different graphs.

A matrix that is larger than memory is kept in the folder of --scratch, as n x n numbers of 2 to 8
bytes; --memory limits what else is used. A run that was stopped, at whatever moment, is continued
with --resume. All rows have checksums there, and damage is an error: then delete the folder and
start again. Under mpirun every rank must see the folder.

Changes (--changes): a line for each, see `starpath sssp --help`. All files are read before the work.
With --backend cuda one GPU follows them, in whose memory the matrix stays; auto is the CPU.
With --saved DIST.npy the distances there are read and follow the changes. They are compared with the
graph: all distances must be right, or nothing is written. DIST.npy may be the file of --distances too;
a run that is ended leaves its old distances or the new ones. They may also be those after some of the
files. So the same command can be run again after it was ended, and with one more file at its end.
With --scratch DIR the matrix in the folder follows the changes, on the CPU. It may be that of the graph
before them or after some of the files. What is not closed yet is closed first, in an empty folder with
all changes made. A run that is ended has followed a file as a whole or not at all. The disk needs room
for two matrices.

Example:
  starpath apsp rome99.gr --distances rome99.npy
  starpath apsp rome99.gr --changes monday.txt --saved rome99.npy --distances rome99.npy
  starpath apsp rome99.gr --distances rome99.npy --next-hops hops.npy
  starpath apsp brain.mtx --backend cuda --gpus all --distances brain.npy
  starpath apsp brain.mtx --scratch work --memory 512M --distances brain.npy
  starpath apsp brain.mtx --scratch work --memory 512M --distances brain.npy --resume
  starpath apsp brain.mtx --scratch work --memory 512M --changes new.txt --distances brain.npy")]
pub(crate) struct ApspArgs {
    #[command(flatten)]
    pub(crate) graph: GraphArgs,
    /// The algorithm; auto chooses by size, density and weights
    #[arg(long, value_name = "A", default_value = "auto", value_parser = apsp_parser())]
    pub(crate) algorithm: apsp::Algorithm,
    /// Side of a tile of blocked-product, blocked-two-level or recursive on a GPU: 16, 32 or 64
    /// [default: 32]
    #[arg(long, value_name = "T")]
    pub(crate) tile: Option<u32>,
    /// Bytes that the solver may use beside the graph, in the host's memory and, separately, in
    /// each GPU's: 1000000, 512M (512 MiB), 2G [default: what the system grants]
    #[arg(long, value_name = "SIZE", value_parser = parse_size)]
    pub(crate) memory: Option<u64>,
    /// Number of GPUs of this machine that share the matrix or the searches, or all [default: 1]
    #[arg(long, value_name = "N|all")]
    pub(crate) gpus: Option<GpuCount>,
    /// Keep the matrix in this folder instead of in memory
    #[arg(long, value_name = "DIR")]
    pub(crate) scratch: Option<PathBuf>,
    /// Resume the run in the folder of --scratch
    #[arg(long, requires = "scratch")]
    pub(crate) resume: bool,
    /// Make these changes of the graph, see below; the results are those after them. Of several
    /// files, each is made after the one before
    #[arg(long, value_name = "FILE", conflicts_with = "tile")]
    pub(crate) changes: Vec<PathBuf>,
    /// Start with these distances, which apsp has written for the graph, in place of solving: they
    /// follow the changes
    #[arg(long, value_name = "DIST.npy", requires = "changes", conflicts_with = "scratch")]
    pub(crate) saved: Option<PathBuf>,
    /// Compare N rows, evenly spaced, with searches by the CPU before anything is written
    #[arg(long, value_name = "N")]
    pub(crate) check: Option<NonZeroUsize>,
    /// Write the distances: OUT.npy or OUT.tsv, see below
    #[arg(long, value_name = "OUT")]
    pub(crate) distances: Option<PathBuf>,
    /// Find paths too, and write the next hops: OUT.npy, see below
    #[arg(long, value_name = "OUT.npy")]
    pub(crate) next_hops: Option<PathBuf>,
}

impl ApspArgs {
    /// An error for options that contradict each other.
    pub(crate) fn check(&self, common: &Common) -> Result<(), WrongUse> {
        if self.scratch.is_some() && common.repeat.is_some() {
            let text = "--repeat is for matrices in memory; a folder holds one run";
            return Err(WrongUse(text.to_owned()));
        }
        common.refuse_repeat(&self.changes)?;
        if self.saved.is_some() && common.backend == Backend::Cuda {
            let text = "--saved is for the CPU: with --backend cuda all pairs are found anew; leave one \
                        of them out";
            return Err(WrongUse(text.to_owned()));
        }
        if self.tile.is_some() && !(self.algorithm.has_tiles() && common.backend == Backend::Cuda) {
            let text = "--tile is for --algorithm blocked-product, blocked-two-level or recursive \
                        with --backend cuda";
            return Err(WrongUse(text.to_owned()));
        }
        GpuCount::check(self.gpus, common)
    }
}

/// How many GPUs the command line asks for.
#[derive(Clone, Copy, Debug)]
pub(crate) enum GpuCount {
    All,
    Of(NonZeroU32),
}

impl GpuCount {
    /// An error for `--gpus` without `--backend cuda`.
    pub(crate) fn check(count: Option<Self>, common: &Common) -> Result<(), WrongUse> {
        match count {
            Some(_) if common.backend != Backend::Cuda => {
                Err(WrongUse("--gpus is for --backend cuda".to_owned()))
            }
            _ => Ok(()),
        }
    }
}

impl FromStr for GpuCount {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "all" => Ok(Self::All),
            number => {
                number.parse().map(Self::Of).map_err(|_| "expected 1, 2, … or all".to_owned())
            }
        }
    }
}

/// A shortest path between two vertices, from the arrays that apsp wrote
#[derive(Debug, Args)]
#[command(after_help = "\
Both files must come from one run of `starpath apsp --distances DIST.npy --next-hops HOPS.npy`.
Only the entries of the path are read. If HOPS.npy.ids or DIST.npy.ids exists, it names the vertices;
if both exist, they must be equal. If HOPS.npy.graph and DIST.npy.graph both exist, they must have the
same hash of a graph. If there is no path, the exit code is still 0 and the JSON fields are null.

Example:
  starpath apsp rome99.gr --distances rome99.npy --next-hops hops.npy
  starpath query rome99.npy hops.npy 1 3353")]
pub(crate) struct QueryArgs {
    /// The distances of all pairs, written by apsp --distances
    #[arg(value_name = "DIST.npy")]
    pub(crate) distances: PathBuf,
    /// The next hops of all pairs, written by apsp --next-hops
    #[arg(value_name = "HOPS.npy")]
    pub(crate) next_hops: PathBuf,
    /// The first vertex of the path
    #[arg(value_name = "FROM")]
    pub(crate) source: String,
    /// The last vertex of the path
    #[arg(value_name = "TO")]
    pub(crate) target: String,
}

/// Which vertices reach which, by at least one arc
#[derive(Debug, Args)]
#[command(after_help = "\
Weights do not matter. A vertex reaches itself only along a cycle.

Results (-o):
  .npy  a square array of booleans, a row for each first vertex; with --packed of bytes, each with
        eight vertices, lowest bit first: numpy.unpackbits(a, axis=1, bitorder=\"little\", count=n)
  .tsv  a header line, then the first and the last vertex, a line for every pair
An array counts from 0. If the vertices are not named 0, 1, 2 and so on, the file OUT.npy.ids has
their names, one a line.

Counts (--counts):
  .tsv  a header line, then vertex, how many it reaches, and how many reach it
        With auto and without -o, counts take memory for the graph, not for all pairs.

Algorithms:
  components     unites rows of strongly connected components, in topological order; best for sparse
                 graphs; always on the CPU
  blocked        Warshall's algorithm, 256 vertices at a time, 64 bits a word; on a GPU the fastest
                 of the next three
  four-russians, lop3, matrix-units
                 blocked on a GPU by tables, by functions of three bits, by binary matrix products
  warshall, warshall-c, warshall-adapt
                 as published for the STAR-machine: by rows, by columns, by all columns at once

With --changes and --backend cuda one GPU follows the changes; auto is the CPU.

Example:
  starpath closure rome99.gr -o closure.npy
  starpath closure rome99.gr --counts counts.tsv
  starpath closure rome99.gr --changes monday.txt --changes tuesday.txt --counts counts.tsv
  starpath closure brain.csv --algorithm blocked -o closure.npy --packed")]
pub(crate) struct ClosureArgs {
    #[command(flatten)]
    pub(crate) graph: GraphArgs,
    /// The algorithm; auto takes components, or blocked if that is faster
    #[arg(long, value_name = "A", default_value = "auto", value_parser = closure_parser())]
    pub(crate) algorithm: ClosureAlgorithm,
    /// With auto: do not condense strongly connected components first
    #[arg(long)]
    pub(crate) no_condense: bool,
    /// Number of GPUs of this machine that share the rows, or all [default: 1]
    #[arg(long, value_name = "N|all")]
    pub(crate) gpus: Option<GpuCount>,
    /// Make these changes of the graph, one a line, as sssp has them; the result is that after
    /// them. Of several files, each is made after the one before
    #[arg(long, value_name = "FILE", conflicts_with_all = ["algorithm", "no_condense", "gpus"])]
    pub(crate) changes: Vec<PathBuf>,
    /// Write the pairs: OUT.npy or OUT.tsv, see below; - is standard output, as .tsv
    #[arg(short, long, value_name = "OUT")]
    pub(crate) output: Option<PathBuf>,
    /// Write OUT.npy with eight vertices a byte
    #[arg(long, requires = "output")]
    pub(crate) packed: bool,
    /// Write how many vertices each reaches, and how many reach it: OUT.tsv, see below
    #[arg(long, value_name = "OUT.tsv")]
    pub(crate) counts: Option<PathBuf>,
}

impl ClosureArgs {
    /// An error for options that contradict each other.
    pub(crate) fn check(&self, common: &Common) -> Result<(), WrongUse> {
        if self.no_condense && self.algorithm != ClosureAlgorithm::Plain(closure::Algorithm::Auto) {
            let text = format!(
                "--no-condense is for --algorithm auto; leave it out with {}",
                self.algorithm.name()
            );
            return Err(WrongUse(text));
        }
        common.refuse_repeat(&self.changes)?;
        GpuCount::check(self.gpus, common)
    }
}

fn apsp_parser() -> impl TypedValueParser<Value = apsp::Algorithm> {
    PossibleValuesParser::new(apsp::Algorithm::ALL.map(apsp::Algorithm::name))
        .try_map(|name| name.parse())
}

/// A method of closure, or one that was published for the STAR-machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ClosureAlgorithm {
    Plain(closure::Algorithm),
    Star(Warshall),
}

impl ClosureAlgorithm {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Plain(algorithm) => algorithm.name(),
            Self::Star(form) => form.name(),
        }
    }
}

fn closure_parser() -> impl TypedValueParser<Value = ClosureAlgorithm> {
    let plain = closure::Algorithm::ALL.map(closure::Algorithm::name);
    PossibleValuesParser::new(plain.into_iter().chain(Warshall::ALL.map(Warshall::name))).try_map(
        |name| match Warshall::ALL.into_iter().find(|form| form.name() == name) {
            Some(form) => Ok(ClosureAlgorithm::Star(form)),
            None => name.parse().map(ClosureAlgorithm::Plain),
        },
    )
}
