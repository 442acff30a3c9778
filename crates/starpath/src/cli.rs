//! The command line: every command, flag and default, and the help that explains them.

mod centrality;
mod graph;
mod pairs;
#[cfg(feature = "plot")]
mod plot;
mod roads;
mod solver;
mod star;

use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{ArgGroup, Args, Parser, Subcommand, ValueEnum};
use graph_formats::by_name;

pub(crate) use centrality::{CentralityArgs, Measure, Side};
pub(crate) use graph::GraphArgs;
pub(crate) use pairs::{ApspArgs, ClosureAlgorithm, ClosureArgs, GpuCount, QueryArgs};
#[cfg(feature = "plot")]
pub(crate) use plot::{DegreesArgs, DistancesArgs, MapArgs, MatrixArgs, PlotArgs, PlotCommand};
pub(crate) use roads::{CustomizeArgs, PathArgs, PrepareArgs};
pub(crate) use solver::{Configs, SOLVER_OPTIONS, SolverArgs};
pub(crate) use star::{
    GraphAlgorithm, Named, OnChanges, Procedure, RunArgs, StarArgs, StarCommand,
};

/// Shortest paths in graph files.
#[derive(Debug, Parser)]
#[command(
    name = "starpath",
    version,
    arg_required_else_help = true,
    after_help = "\
Files are recognised by their suffix: .gr .mtx .graph .metis .mgraph .el .wel .e .edges .edgelist
.csv .tsv .txt .spg .prepared .sg .wsg, and .gz may follow, or .bz2, .xz or .zst where the program
was built with the feature compression; --format reads a file whatever its suffix, and - is standard
input. A result may go to - too, standard output: as .tsv, .spg, .prepared, .svg or .csv, and the
report goes to standard error then, with --json as an object. Lines of an edge list are arcs, unless --undirected makes them edges. Vertices are named as
the file names them, by numbers or words. Notes on how a file was read go to standard error, with
--json into the object.

Exit codes: 0 done, 1 the run failed, 2 wrong use, 130 stopped by Ctrl-C, SIGTERM or SIGHUP (a second
one stops at once). No file is ever left half-written.

Example:
  starpath generate grid --side 1000 -o grid.spg
  starpath sssp grid.spg --source 0"
)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
    #[command(flatten)]
    pub(crate) common: Common,
}

/// What every command takes.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Common options")]
pub(crate) struct Common {
    /// Where to solve; auto takes a GPU where that should be done sooner, its opening counted, but
    /// for star only cuda does
    #[arg(long, global = true, value_enum, default_value_t = Backend::Auto)]
    pub(crate) backend: Backend,
    /// Threads to use [default: all processors]
    #[arg(long, global = true, value_name = "N", value_parser = threads_parser())]
    pub(crate) threads: Option<NonZeroUsize>,
    /// Solve N times; report the median time and the least
    #[arg(long, global = true, value_name = "N")]
    pub(crate) repeat: Option<NonZeroUsize>,
    /// Say on standard error what was chosen and why, and count the work
    #[arg(long, global = true)]
    pub(crate) explain: bool,
    /// Print one JSON object and nothing else; on standard error where -o - writes a result
    #[arg(long, global = true)]
    pub(crate) json: bool,
    /// Show no progress bars
    #[arg(long, global = true)]
    pub(crate) quiet: bool,
}

/// Where to solve.
impl Common {
    /// How the CPU searches, whatever algorithm it takes.
    pub(crate) fn config(&self) -> sssp::Config {
        sssp::Config {
            threads: self.threads,
            expected_searches: self.repeat,
            ..sssp::Config::default()
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Backend {
    Auto,
    Cpu,
    Cuda,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Info(InfoArgs),
    Generate(GenerateArgs),
    Convert(ConvertArgs),
    Sssp(SsspArgs),
    Path(PathArgs),
    Prepare(PrepareArgs),
    Customize(CustomizeArgs),
    Apsp(ApspArgs),
    Query(QueryArgs),
    Closure(ClosureArgs),
    Centrality(CentralityArgs),
    Plot(PlotArgs),
    Star(StarArgs),
    Completions(CompletionsArgs),
}

/// Describe a graph: size, weights, degrees, components
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  starpath info rome99.gr")]
pub(crate) struct InfoArgs {
    #[command(flatten)]
    pub(crate) graph: GraphArgs,
}

/// Make a synthetic graph; the same seed gives the same graph
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  starpath generate rmat --scale 16 --edge-factor 16 -o rmat16.spg"
)]
pub(crate) struct GenerateArgs {
    #[command(subcommand)]
    pub(crate) shape: Shape,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Shape {
    /// Skewed degrees, as social networks and the web have (R-MAT, Graph500's defaults)
    #[command(
        after_help = "Example:\n  starpath generate rmat --scale 16 --edge-factor 16 -o rmat16.spg"
    )]
    Rmat {
        /// The graph has 2^S vertices
        #[arg(long, value_name = "S")]
        scale: u32,
        /// Edges drawn for each vertex
        #[arg(long, value_name = "K", default_value_t = 16)]
        edge_factor: u32,
        #[command(flatten)]
        options: GenerateOptions,
    },
    /// A square of streets, or a cube: each vertex is joined to its four neighbours, or six
    #[command(after_help = "\
Example:
  starpath generate grid --side 1024 -o grid.gr.gz
  starpath generate grid --side 40 --dimensions 3 -o cube.spg")]
    Grid {
        /// Vertices along a side
        #[arg(long, value_name = "K")]
        side: u32,
        /// 2 for a square, 3 for a cube
        #[arg(long, value_name = "D", default_value_t = 2, value_parser = clap::value_parser!(u32).range(2..=3))]
        dimensions: u32,
        /// Write where the vertices lie: OUT.csv, with a line of vertex, column and row for each,
        /// and in a cube layer
        #[arg(long, value_name = "OUT.csv")]
        coordinates: Option<PathBuf>,
        #[command(flatten)]
        options: GenerateOptions,
    },
    /// Both ends of every edge drawn uniformly
    #[command(
        after_help = "Example:\n  starpath generate uniform --vertices 100000 --edges 1000000 -o uniform.mtx"
    )]
    Uniform {
        /// Vertices
        #[arg(long, value_name = "N")]
        vertices: usize,
        /// Edges drawn
        #[arg(long, value_name = "M")]
        edges: u64,
        #[command(flatten)]
        options: GenerateOptions,
    },
    /// Points in the unit square, joined where they are near; weights grow with length
    #[command(
        after_help = "Example:\n  starpath generate geometric --vertices 100000 --radius 0.007 -o geometric.wel"
    )]
    Geometric {
        /// Points
        #[arg(long, value_name = "N")]
        vertices: usize,
        /// The greatest distance that is joined
        #[arg(long, value_name = "R")]
        radius: f64,
        /// Write where the points lie: OUT.csv, with a line of vertex, x and y for each
        #[arg(long, value_name = "OUT.csv")]
        coordinates: Option<PathBuf>,
        #[command(flatten)]
        options: GenerateOptions,
    },
}

#[derive(Debug, Args)]
pub(crate) struct GenerateOptions {
    /// The least weight
    #[arg(long, value_name = "W", default_value_t = 1)]
    pub(crate) min_weight: u32,
    /// The greatest weight
    #[arg(long, value_name = "W", default_value_t = 255)]
    pub(crate) max_weight: u32,
    /// Another seed, another graph of the same kind
    #[arg(long, default_value_t = 1)]
    pub(crate) seed: u64,
    /// Arcs one way [default: every edge both ways]
    #[arg(long)]
    pub(crate) directed: bool,
    /// Keep self-loops and parallel edges [default: drop them]
    #[arg(long)]
    pub(crate) keep_duplicates: bool,
    /// The file to write, in the format of its suffix; - is standard output, as .spg
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: PathBuf,
}

/// Write a graph in another format, by suffix
#[derive(Debug, Args)]
#[command(after_help = "\
Only .spg keeps everything. Where a format numbers the vertices otherwise than the graph names
them, a note says how: by a shift of one, or in order, and then OUT.ids has the names, one a line.
A file of that name from an earlier run is replaced, or removed where no names are needed.

Example:
  starpath convert rome99.gr rome99.spg
  starpath convert roads.csv roads.spg --undirected --columns from,to,length
  zcat links.txt.gz | starpath convert - links.spg --format txt")]
pub(crate) struct ConvertArgs {
    #[command(flatten)]
    pub(crate) graph: GraphArgs,
    /// The graph file to write; - is standard output, as .spg
    #[arg(value_name = "OUT")]
    pub(crate) output: PathBuf,
}

/// More threads than any machine has would exhaust what the system grants.
/// One of these values, by its name.
fn one_of<T: Copy + Send + Sync>(
    values: &'static [(&'static str, T)],
) -> impl TypedValueParser<Value = T> {
    PossibleValuesParser::new(values.iter().map(|value| value.0))
        .try_map(move |name| by_name("value", &name, values))
}

fn threads_parser() -> impl TypedValueParser<Value = NonZeroUsize> {
    clap::value_parser!(u16).range(1..=1024).try_map(|n| NonZeroUsize::try_from(usize::from(n)))
}

/// Distances from one vertex, between many, or from the nearest of many
#[derive(Debug, Args)]
#[command(
    group = ArgGroup::new("from").required(true).args(["source", "sources"]),
    group = ArgGroup::new("many").args(["targets", "nearest"]),
    after_help = "\
Results (-o):
  .tsv  a header line, then for --source: vertex, distance, predecessor, a line for every
        vertex reached; for --targets: a row for every source, a column for every target,
        empty where there is no path; for --nearest: vertex, source, distance.
  .npy  distances alone, by vertex or as sources x targets: u64, i64, f32 or f64, as the
        weights ask for; without a path inf, or for integers the greatest value of the type.
        So are vertices that --target or --cutoff leaves out.

An array counts from 0. Where vertices are not named 0, 1, 2 and so on, OUT.npy.ids has their
names, one a line; for a table OUT.npy.rows.ids has the sources, OUT.npy.columns.ids the targets.
Files of these names from an earlier run are replaced, or removed where no names are needed.

Example:
  starpath sssp rome99.gr --source 1 -o distances.tsv
  starpath sssp rome99.gr --source 1 -o - | sort -n -k 2 | head
  starpath sssp rome99.gr --source 1 --target 3353
  starpath sssp neurons.csv --columns pre,post,length --source AVAL
  starpath sssp rome99.gr --sources depots.txt --targets shops.txt -o table.tsv
  starpath sssp roads.spg --sources all.txt --targets all.txt --backend cuda --gpus all
  starpath sssp rome99.gr --sources depots.txt --nearest -o nearest.tsv"
)]
pub(crate) struct SsspArgs {
    #[command(flatten)]
    pub(crate) graph: GraphArgs,
    /// The vertex to start from
    #[arg(long, value_name = "ID")]
    pub(crate) source: Option<String>,
    /// Stop when this vertex is settled; vertices farther away are left out, but not where
    /// weights are negative
    #[arg(long, value_name = "ID", conflicts_with_all = ["cutoff", "sources"])]
    pub(crate) target: Option<String>,
    /// Leave out vertices farther away than this
    #[arg(long, value_name = "D", conflicts_with = "sources", allow_negative_numbers = true)]
    pub(crate) cutoff: Option<String>,
    /// Many sources: a file with one id a line, as it stands or in double quotes
    #[arg(long, value_name = "FILE", requires = "many")]
    pub(crate) sources: Option<PathBuf>,
    /// A table of distances from every source to these: a file with one id a line
    #[arg(long, value_name = "FILE", conflicts_with = "source")]
    pub(crate) targets: Option<PathBuf>,
    /// For every vertex, which source is nearest and how far: one search from all of them
    #[arg(long, conflicts_with = "source", conflicts_with_all = SOLVER_OPTIONS)]
    pub(crate) nearest: bool,
    #[command(flatten)]
    pub(crate) solver: SolverArgs,
    /// GPUs of this machine that share the sources of a table, a number of them or all
    /// [default: 1]
    #[arg(long, value_name = "N|all", conflicts_with_all = ["source", "nearest"])]
    pub(crate) gpus: Option<GpuCount>,
    /// Write the results: OUT.tsv or OUT.npy, see below; - is standard output, as .tsv
    #[arg(short, long, value_name = "OUT")]
    pub(crate) output: Option<PathBuf>,
}

/// Draw distances, degrees or a matrix; only with the feature plot, which this build lacks
#[cfg(not(feature = "plot"))]
#[derive(Debug, Args)]
#[command(disable_help_flag = true)]
pub(crate) struct PlotArgs {
    #[arg(hide = true, trailing_var_arg = true, allow_hyphen_values = true)]
    _any: Vec<std::ffi::OsString>,
}

/// Print a completion script for a shell
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  starpath completions bash > ~/.local/share/bash-completion/completions/starpath"
)]
pub(crate) struct CompletionsArgs {
    /// The shell
    pub(crate) shell: clap_complete::Shell,
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    #[test]
    fn definitions_are_consistent() {
        super::Cli::command().debug_assert();
    }
}
