//! The graph algorithms of the STAR-machine.

use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};

use crate::cli::GraphArgs;

/// A graph algorithm.
#[derive(Debug, Subcommand)]
pub(crate) enum GraphAlgorithm {
    /// Shortest paths from --source, by Dijkstra's algorithm
    #[command(after_help = "Example:\n  starpath star dijkstra rome99.gr --source 1 -o tree.tsv")]
    Dijkstra(FromSource),
    /// Shortest paths from --source where weights may be negative, or a negative cycle
    #[command(after_help = "Example:\n  starpath star bellman-ford net.el --source 0")]
    BellmanFord(FromSource),
    /// Distances between all vertices, by Floyd's algorithm, or a negative cycle
    #[command(after_help = "Example:\n  starpath star floyd brain.mtx -o pairs.tsv --cost")]
    Floyd(OnGraph),
    /// A minimum spanning forest of an undirected graph, by Kruskal's algorithm
    #[command(after_help = "Example:\n  starpath star kruskal net.mtx -o forest.tsv")]
    Kruskal(OnGraph),
    /// A minimum spanning tree of the component of --root, by the algorithm of Prim and Dijkstra
    #[command(after_help = "Example:\n  starpath star prim net.mtx --root 1")]
    Prim {
        #[command(flatten)]
        on: OnGraph,
        /// The vertex to start from
        #[arg(long, value_name = "ID")]
        root: String,
    },
    /// A branching of maximum weight, by Edmonds' algorithm; with --root a minimum spanning
    /// arborescence
    #[command(after_help = "\
Example:\n  starpath star edmonds brain.mtx -o branching.tsv
  starpath star edmonds net.el --root 0")]
    Edmonds {
        #[command(flatten)]
        on: OnGraph,
        /// The root of the arborescence
        #[arg(long, value_name = "ID")]
        root: Option<String>,
    },
    /// A minimum spanning tree in which --root has --degree neighbours, by Gabow's algorithm
    #[command(after_help = "Example:\n  starpath star gabow net.mtx --root 1 --degree 3")]
    Gabow {
        #[command(flatten)]
        on: OnGraph,
        /// The vertex whose degree is given
        #[arg(long, value_name = "ID")]
        root: String,
        /// The number of neighbours it must have
        #[arg(long, value_name = "B")]
        degree: usize,
        /// Allow fewer neighbours
        #[arg(long)]
        at_most: bool,
    },
    /// A minimum spanning forest under insertions and deletions of edges and vertices
    #[command(after_help = "\
A change is a line of --changes: insert u v [w], delete u v [w], insert-vertex x, delete-vertex x. An
edge inserted without a weight weighs 1. delete removes one edge: the first between u and v, or the
first of weight w. The result is the forest after the last change.

Example:\n  starpath star dynamic-mst net.mtx --changes closed.txt --cost")]
    DynamicMst(OnChanges),
    /// The transitive closure under insertions and deletions of arcs, by Italiano's algorithm
    #[command(after_help = "\
A change is a line of --changes: insert u v, delete u v. delete removes one of parallel arcs. The
result is the closure after the last change, as starpath closure writes it: OUT.tsv or OUT.npy.

Example:\n  starpath star dynamic-closure brain.mtx --changes cut.txt --cost -o pairs.tsv")]
    DynamicClosure(OnChanges),
    /// All shortest paths to --sink under insertions and deletions of arcs, by the algorithm of
    /// Ramalingam and Reps
    #[command(after_help = "\
A change is a line of --changes: insert u v [w], delete u v [w]. An arc inserted without a weight
weighs 1. Of parallel arcs only the lightest is kept. The result is the distances to --sink after the
last change: a line for every next vertex on a shortest path.

Example:\n  starpath star dynamic-paths net.el --sink 0 --changes closed.txt -o paths.tsv")]
    DynamicPaths {
        #[command(flatten)]
        changes: OnChanges,
        /// The vertex at which the paths end
        #[arg(long, value_name = "ID")]
        sink: String,
    },
}

/// The options of every graph algorithm.
#[derive(Debug, Args)]
pub(crate) struct OnGraph {
    #[command(flatten)]
    pub(crate) graph: GraphArgs,
    /// Write the result: OUT.tsv
    #[arg(short, long, value_name = "OUT.tsv")]
    pub(crate) output: Option<PathBuf>,
    /// Count the operations of the abstract machine, by a second run on the CPU
    #[arg(long)]
    pub(crate) cost: bool,
}

#[derive(Debug, Args)]
pub(crate) struct FromSource {
    #[command(flatten)]
    pub(crate) on: OnGraph,
    /// The vertex to start from
    #[arg(long, value_name = "ID")]
    pub(crate) source: String,
}

#[derive(Debug, Args)]
pub(crate) struct OnChanges {
    #[command(flatten)]
    pub(crate) on: OnGraph,
    /// The changes, one a line, see below
    #[arg(long, value_name = "FILE")]
    pub(crate) changes: PathBuf,
}

impl GraphAlgorithm {
    /// The file of changes, if the algorithm has one.
    pub(crate) fn changes(&self) -> Option<&Path> {
        match self {
            Self::DynamicMst(on) | Self::DynamicClosure(on) => Some(&on.changes),
            Self::DynamicPaths { changes, .. } => Some(&changes.changes),
            _ => None,
        }
    }

    /// Its name and its common arguments.
    pub(crate) fn parts(&self) -> (&'static str, &OnGraph) {
        match self {
            Self::Dijkstra(from) => ("dijkstra", &from.on),
            Self::BellmanFord(from) => ("bellman-ford", &from.on),
            Self::Floyd(on) => ("floyd", on),
            Self::Kruskal(on) => ("kruskal", on),
            Self::Prim { on, .. } => ("prim", on),
            Self::Edmonds { on, .. } => ("edmonds", on),
            Self::Gabow { on, .. } => ("gabow", on),
            Self::DynamicMst(changes) => ("dynamic-mst", &changes.on),
            Self::DynamicClosure(changes) => ("dynamic-closure", &changes.on),
            Self::DynamicPaths { changes, .. } => ("dynamic-paths", &changes.on),
        }
    }
}
