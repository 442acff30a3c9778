//! The command line: every command, flag and default, and the help that explains them.

mod aggregate;
mod centrality;
mod components;
mod graph;
mod graph500;
mod pairs;
#[cfg(feature = "plot")]
mod plot;
mod roads;
mod solver;
mod star;

use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{ArgGroup, Args, Parser, Subcommand, ValueEnum};
use graph_formats::by_name;

pub(crate) use aggregate::AggregateArgs;
pub(crate) use centrality::{CentralityArgs, Convention, Measure, Side};
pub(crate) use components::ComponentsArgs;
pub(crate) use graph::GraphArgs;
pub(crate) use graph500::{Graph500Args, Kernels};
pub(crate) use pairs::{ApspArgs, ClosureAlgorithm, ClosureArgs, GpuCount, QueryArgs};
#[cfg(feature = "plot")]
pub(crate) use plot::{DegreesArgs, DistancesArgs, MapArgs, MatrixArgs, PlotArgs, PlotCommand};
pub(crate) use roads::{CustomizeArgs, PathArgs, PrepareArgs};
pub(crate) use solver::{Configs, SOLVER_OPTIONS, SolverArgs};
pub(crate) use star::{
    GraphAlgorithm, Named, OnChanges, Procedure, RunArgs, StarArgs, StarCommand,
};

use crate::failure::WrongUse;
use crate::size::parse_size;

/// Shortest paths in graph files.
#[derive(Debug, Parser)]
#[command(
    name = "starpath",
    version,
    arg_required_else_help = true,
    after_help = "\
The suffix of a file is its format: .gr .col .clq .mtx .graph .metis .mgraph .graphml .net .el .wel .e
.edges .edgelist .csv .tsv .txt .matrix .spg .prepared .sg .wsg. After it may stand .gz, and in a build
with the feature compression .bz2, .xz or .zst. --format names the format of a file with another suffix.
The file - is standard input. Each line of an edge list is an arc; with --undirected it is an edge, and
so is an arc of any file. Vertices have the names of the file, numbers or words. Notes on how a file was
read go to standard error, with --json into the JSON object.

A result goes to standard output if its file is -, as .tsv, .spg, .prepared, .svg or .csv. The report,
with --json the JSON object, then goes to standard error.

Exit codes: 0 done, 1 the run failed, 2 wrong use, 130 stopped by Ctrl-C, SIGTERM or SIGHUP. The first
of these lets the program clean up, a second one stops it at once. No file is left half-written.

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

/// Options of every command.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Common options")]
pub(crate) struct Common {
    /// Where to solve; auto takes a GPU if it is estimated to finish sooner, start-up included; for
    /// star, centrality and --changes auto is the CPU
    #[arg(long, global = true, value_enum, default_value_t = Backend::Auto)]
    pub(crate) backend: Backend,
    /// Threads to use [default: one for each CPU core]
    #[arg(long, global = true, value_name = "N", value_parser = threads_parser())]
    pub(crate) threads: Option<NonZeroUsize>,
    /// Solve N times and report the median time and the least [default: 1]
    #[arg(long, global = true, value_name = "N")]
    pub(crate) repeat: Option<NonZeroUsize>,
    /// Print on standard error which algorithm and backend were chosen and why, and count the work
    #[arg(long, global = true)]
    pub(crate) explain: bool,
    /// Print one JSON object and nothing else; on standard error where -o - writes a result
    #[arg(long, global = true)]
    pub(crate) json: bool,
    /// Show no progress bars
    #[arg(long, global = true)]
    pub(crate) quiet: bool,
}

impl Common {
    /// An error for `--repeat` with files of changes.
    pub(crate) fn refuse_repeat(&self, changes: &[PathBuf]) -> Result<(), WrongUse> {
        if changes.is_empty() || self.repeat.is_none() {
            return Ok(());
        }
        Err(WrongUse("--repeat is for one graph; changes are made once".to_owned()))
    }

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
    Components(ComponentsArgs),
    Centrality(CentralityArgs),
    Aggregate(AggregateArgs),
    Graph500(Graph500Args),
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
#[command(after_help = "\
With --backend cuda a GPU draws the edges of rmat and uniform; the file is the same. So it is with
--partitioned, by which several processes draw it on CPUs and none has the whole graph.

Example:
  mpirun -n 2 starpath generate rmat --scale 24 --partitioned -o rmat24.spg
  starpath generate rmat --scale 16 --edge-factor 16 -o rmat16.spg")]
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
        /// Let the processes that mpirun starts draw and write a share each of an .spg file
        #[arg(long)]
        partitioned: bool,
        #[command(flatten)]
        options: GenerateOptions,
    },
    /// The graph of the Graph500 benchmark, as its reference code draws it, with weights from 0 to 1
    #[command(after_help = "\
Loops are dropped, and all but the lightest of parallel edges. The command graph500 makes the same graph
itself.

Example:
  starpath generate graph500 --scale 16 -o graph500.spg")]
    Graph500 {
        /// The graph has 2^S vertices
        #[arg(long, value_name = "S")]
        scale: u32,
        /// Edges drawn for each vertex
        #[arg(long, value_name = "K", default_value_t = 16)]
        edge_factor: u32,
        /// Keep self-loops and parallel edges
        #[arg(long)]
        keep_duplicates: bool,
        /// Let the processes that mpirun starts draw and write a share each of an .spg file
        #[arg(long)]
        partitioned: bool,
        /// The file to write, in the format of its suffix; - is standard output, as .spg
        #[arg(short, long, value_name = "FILE")]
        output: PathBuf,
    },
    /// A square grid, or a cube: each vertex is joined to its four neighbours, or six
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
        /// Write the coordinates of the vertices: OUT.csv, with a line of vertex, column and row
        /// for each, and in a cube layer
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
        /// Number of vertices
        #[arg(long, value_name = "N")]
        vertices: usize,
        /// Number of edges drawn
        #[arg(long, value_name = "M")]
        edges: u64,
        /// Let the processes that mpirun starts draw and write a share each of an .spg file
        #[arg(long)]
        partitioned: bool,
        #[command(flatten)]
        options: GenerateOptions,
    },
    /// Points in the unit square, joined where they are near; weights grow with length
    #[command(
        after_help = "Example:\n  starpath generate geometric --vertices 100000 --radius 0.007 -o geometric.wel"
    )]
    Geometric {
        /// Number of points
        #[arg(long, value_name = "N")]
        vertices: usize,
        /// Two points are joined if they are at most this far apart; the square has side 1
        #[arg(long, value_name = "R")]
        radius: f64,
        /// Write the coordinates of the points: OUT.csv, with a line of vertex, x and y for each
        #[arg(long, value_name = "OUT.csv")]
        coordinates: Option<PathBuf>,
        #[command(flatten)]
        options: GenerateOptions,
    },
}

impl GenerateArgs {
    /// Whether processes share the graph.
    pub(crate) fn is_partitioned(&self) -> bool {
        match self.shape {
            Shape::Rmat { partitioned, .. }
            | Shape::Uniform { partitioned, .. }
            | Shape::Graph500 { partitioned, .. } => partitioned,
            Shape::Grid { .. } | Shape::Geometric { .. } => false,
        }
    }
}

#[derive(Debug, Args)]
pub(crate) struct GenerateOptions {
    /// The least weight of an arc
    #[arg(long, value_name = "W", default_value_t = 1)]
    pub(crate) min_weight: u32,
    /// The greatest weight of an arc
    #[arg(long, value_name = "W", default_value_t = 255)]
    pub(crate) max_weight: u32,
    /// Seed of the random numbers; another seed gives another graph of the same kind
    #[arg(long, default_value_t = 1)]
    pub(crate) seed: u64,
    /// Store each edge as one arc [default: as an arc each way]
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
Only .spg keeps all names and weights. If the format of OUT numbers the vertices differently, a note
says how: shifted by one, or in order; then the file OUT.ids has their names, one a line. If names
are not needed, OUT.ids of an earlier run is removed.

--transform gives each arc another weight, of 64 bits: minus-log turns probabilities into lengths, so
that a shortest path is a most probable one; reciprocal turns strengths or conductances into lengths.

Example:
  starpath convert rome99.gr rome99.spg
  starpath convert roads.csv roads.spg --undirected --columns from,to,length
  starpath convert rome99.gr core.spg --largest-component strong
  starpath convert links.csv lengths.spg --columns from,to,probability --transform minus-log
  zcat links.txt.gz | starpath convert - links.spg --format txt")]
pub(crate) struct ConvertArgs {
    #[command(flatten)]
    pub(crate) graph: GraphArgs,
    /// The graph file to write; - is standard output, as .spg
    #[arg(value_name = "OUT")]
    pub(crate) output: PathBuf,
    /// Keep only the largest component, and the names of its vertices. In an undirected graph both
    /// kinds are the same
    #[arg(long, value_name = "KIND", value_enum)]
    pub(crate) largest_component: Option<Connected>,
    /// Replace each weight w, which must be above zero, by a function of it
    #[arg(long, value_name = "F", value_enum)]
    pub(crate) transform: Option<Transform>,
}

/// Which vertices are in one component.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Connected {
    /// Those with a path from each to each
    Strong,
    /// Those that arcs join, whatever their direction
    Weak,
}

/// A function of weights.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Transform {
    /// 1/w
    Reciprocal,
    /// The natural logarithm of 1/w, which is negative if w is above 1
    MinusLog,
}

/// One of these values, by its name.
fn one_of<T: Copy + Send + Sync>(
    values: &'static [(&'static str, T)],
) -> impl TypedValueParser<Value = T> {
    PossibleValuesParser::new(values.iter().map(|value| value.0))
        .try_map(move |name| by_name("value", &name, values))
}

/// At most 1024 threads: starting many more would exhaust the memory that the system grants.
fn threads_parser() -> impl TypedValueParser<Value = NonZeroUsize> {
    clap::value_parser!(u16).range(1..=1024).try_map(|n| NonZeroUsize::try_from(usize::from(n)))
}

/// Distances from one vertex, between many, or from the nearest of many
#[derive(Debug, Args)]
#[command(
    group = ArgGroup::new("from").required(true).args(["source", "sources"]),
    group = ArgGroup::new("many").args(["targets", "nearest", "cutoff"]).multiple(true),
    group = ArgGroup::new("shared").args(["targets", "partitioned"]).multiple(true),
    after_help = "\
Results (-o):
  .tsv  a header line, then
          --source   vertex, distance, predecessor: a line for every vertex reached
          --targets  a row for every source, a column for every target; an empty field is no path
          --nearest  vertex, source, distance: a line for every vertex reached
          --sources with --cutoff alone  source, vertex, distance, predecessor: a line for every
                     source and vertex within
  .npy  the distances alone, by vertex or as sources x targets. Their type is u64, i64, f32 or f64,
        by the type of the weights. No path is infinity, or in integers the greatest value of the
        type; so are vertices that --target or --cutoff leaves out.

Predecessors (--predecessors):
  .npy  an array of u32: for every vertex the one before it on a shortest path, counted from 0. The
        source, and vertices without a distance, have the greatest value of the type.

A change is a line of --changes: insert u v [w], delete u v [w], reweight u v w, insert-vertex u,
delete-vertex u. An arc inserted without a weight weighs 1. Of parallel arcs the lightest is deleted or
reweighted, or that of weight w. A new vertex has a name that no vertex has yet, and lines after it may
name it; it comes after all others. A deleted one keeps its name, without arcs. All of a file are made
together, and no arc may occur twice. In an undirected graph an arc is an edge. Of several files, each is
made after the one before; all are read before the work. With --backend cuda one GPU follows them; auto
is the CPU.

An array counts from 0. If the vertices are not named 0, 1, 2 and so on, the file OUT.npy.ids has
their names, one a line. For a table OUT.npy.rows.ids has the sources and OUT.npy.columns.ids the
targets. If names are not needed, these files of an earlier run are removed.

Example:
  starpath sssp rome99.gr --source 1 -o distances.tsv
  starpath sssp rome99.gr --source 1 -o distances.npy --predecessors predecessors.npy
  starpath sssp rome99.gr --source 1 -o - | sort -n -k 2 | head
  starpath sssp rome99.gr --source 1 --target 3353
  starpath sssp rome99.gr --source 1 --changes closed.txt -o distances.tsv
  mpirun -n 2 starpath sssp roads.spg --source 1 --partitioned -o distances.npy
  mpirun -n 2 starpath sssp roads.spg --sources depots.txt --nearest --partitioned -o nearest.tsv
  starpath sssp web.spg --source 1 --partitioned --backend cuda --gpus 2 -o distances.npy
  starpath sssp web.spg --sources seeds.txt --nearest --partitioned --backend cuda --gpus 2 -o nearest.tsv
  starpath sssp neurons.csv --columns pre,post,length --source AVAL
  starpath sssp rome99.gr --sources depots.txt --targets shops.txt -o table.tsv
  starpath sssp roads.spg --sources all.txt --targets all.txt --backend cuda --gpus all
  starpath sssp rome99.gr --sources depots.txt --nearest -o nearest.tsv
  starpath sssp rome99.gr --sources depots.txt --cutoff 9000 -o within.tsv"
)]
pub(crate) struct SsspArgs {
    #[command(flatten)]
    pub(crate) graph: GraphArgs,
    /// The vertex to start from
    #[arg(long, value_name = "ID")]
    pub(crate) source: Option<String>,
    /// Stop at the distance of this vertex and leave out vertices farther away; with negative
    /// weights the search does not stop
    #[arg(long, value_name = "ID", conflicts_with_all = ["cutoff", "sources"])]
    pub(crate) target: Option<String>,
    /// Leave out what is farther away than D, in the unit of the weights; a search takes the time
    /// of what lies within
    #[arg(long, value_name = "D", allow_negative_numbers = true)]
    pub(crate) cutoff: Option<String>,
    /// Many sources: a file with one id a line, plain or in double quotes; needs --targets,
    /// --nearest or --cutoff
    #[arg(long, value_name = "FILE", requires = "many")]
    pub(crate) sources: Option<PathBuf>,
    /// Make a table of distances from every source to these vertices: a file with one id a line
    #[arg(long, value_name = "FILE", conflicts_with = "source")]
    pub(crate) targets: Option<PathBuf>,
    /// Find for every vertex which source is nearest and how far, by one search from all sources
    #[arg(long, conflicts_with_all = ["source", "targets"], conflicts_with_all = SOLVER_OPTIONS)]
    pub(crate) nearest: bool,
    /// Make these changes of the graph, one a line, see below; the result is that after them. Of
    /// several files, each is made after the one before
    #[arg(
        long, value_name = "FILE", conflicts_with_all = ["target", "cutoff", "sources"],
        conflicts_with_all = SOLVER_OPTIONS
    )]
    pub(crate) changes: Vec<PathBuf>,
    /// Write the predecessor of every vertex on its path from --source: OUT.npy, see below
    #[arg(long, value_name = "OUT", conflicts_with = "sources")]
    pub(crate) predecessors: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) solver: SolverArgs,
    /// Search a graph in parts, each on one of the processes that mpirun starts; of an .spg file
    /// each reads its part alone, so that none needs memory for the whole graph. With --backend cuda
    /// parts are on GPUs: of this machine, see --gpus, or one for each process
    #[arg(
        long, conflicts_with_all = ["changes", "map"], conflicts_with_all = SOLVER_OPTIONS
    )]
    pub(crate) partitioned: bool,
    /// Number of GPUs of this machine that share the sources of a table, or a graph with
    /// --partitioned, or all [default: 1]
    #[arg(long, value_name = "N|all", requires = "shared")]
    pub(crate) gpus: Option<GpuCount>,
    /// With --partitioned, bytes that each process may use for its part of an .spg file and the search:
    /// 1000000, 512M (512 MiB), 2G; if one needs more, all end before they read. With --backend cuda,
    /// bytes in each GPU's memory; arcs that do not fit stay in the host's [default: what is free]
    #[arg(long, value_name = "SIZE", value_parser = parse_size, requires = "partitioned")]
    pub(crate) memory: Option<u64>,
    /// Write the results: OUT.tsv or OUT.npy, see below; - is standard output, as .tsv
    #[arg(short, long, value_name = "OUT")]
    pub(crate) output: Option<PathBuf>,
}

impl SsspArgs {
    /// The files that are read.
    pub(crate) fn inputs(&self) -> Vec<&Path> {
        let lists = self.sources.iter().chain(&self.targets).chain(&self.changes);
        self.graph.inputs().chain(lists.map(PathBuf::as_path)).collect()
    }
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
