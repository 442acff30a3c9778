//! The measures of a whole graph: `centrality`.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::{Backend, Common, GpuCount, GraphArgs};
use crate::failure::WrongUse;
use crate::size::parse_size;

/// How close each vertex is to all others, and how far apart the farthest are
#[derive(Debug, Args)]
#[command(after_help = "\
Measures of vertices (--measure), one column each in OUT.tsv:
  closeness     the reciprocal of the mean distance, times the share of the vertices that have a
                path (Wasserman and Faust; --uncorrected leaves that factor out)
  harmonic      the sum of the reciprocals of the distances
  eccentricity  the greatest distance
  betweenness   the mean, over all ordered pairs of other vertices, of the share of their shortest
                paths that pass through the vertex
and of edges, in a file of their own:
  edge-betweenness  the mean, over all ordered pairs of vertices, of the share of their shortest paths
                that go along the edge, in a directed graph along the arc
The report has radius, diameter, mean distance and Wiener index, and the hop plot: how many ordered
pairs of vertices are at most 0, 1, 2 and so on hops apart. If some pairs have no path, the
eccentricities, the radius and the diameter are of the pairs that have one.

Distances are measured from each vertex to the others, or with --side in from the others to it, as
for closeness in NetworkX. A distance is a sum of weights. If all weights are 1, or with --hops, it is
a number of arcs, which is much faster: hundreds of searches then share their work.

Betweenness counts parallel arcs as different paths. Sums of floats are rounded, so two paths of one
length may seem to differ: with --tie-tolerance 1e-12 they count as equally long. With --sample, --side
says whether the counted paths begin or end at the vertices of the sample.

Betweenness is divided by the number of pairs. --convention states it as another program does:
networkx (or cugraph), igraph or gapbs. The reported error of a sample is that of the mean, and left
out then.

--measure diameter alone finds only the diameter, by bounds: it takes a few searches instead of one
from every vertex.

With --error, --measure betweenness --hops is estimated from random shortest paths of random pairs, as
many as it takes: then all values are within this error, with the probability that --failure leaves.

The processes that mpirun starts share the sources of all measures but diameter, and the result has
the same bytes.

With --sample, distances are measured from N vertices only: closeness and harmonic are estimates, and
eccentricity, radius and diameter are lower bounds. The report has a bound that the error keeps in 99
samples of 100: for mean distances as a fraction of the diameter, and for betweenness itself.

Example:
  starpath centrality wiki-Vote.txt --hops -o centrality.tsv
  starpath centrality wiki-Vote.txt --hops --measure diameter
  starpath centrality wiki-Vote.txt --hops --measure betweenness -o betweenness.tsv
  starpath centrality large.spg --hops --measure betweenness --error 0.001 -o betweenness.tsv
  starpath centrality wiki-Vote.txt --hops --measure closeness,betweenness -o both.tsv
  starpath centrality wiki-Vote.txt --hops --measure edge-betweenness -o edges.tsv
  starpath centrality lengths.csv --measure betweenness --tie-tolerance 1e-12 -o betweenness.tsv
  starpath centrality large.spg --hops --resume state -o centrality.tsv
  starpath centrality roads.gr --measure closeness --sample 1000 --seed 1 -o closeness.tsv")]
pub(crate) struct CentralityArgs {
    #[command(flatten)]
    pub(crate) graph: GraphArgs,
    /// The measures, separated by commas
    #[arg(
        long, value_name = "M,…", value_enum, value_delimiter = ',',
        default_values_t = [Measure::Closeness, Measure::Harmonic, Measure::Eccentricity]
    )]
    pub(crate) measure: Vec<Measure>,
    /// Count arcs: every arc has length 1
    #[arg(long)]
    pub(crate) hops: bool,
    /// Direction of the distances in a directed graph
    #[arg(long, value_enum, default_value_t = Side::Out)]
    pub(crate) side: Side,
    /// Closeness without the factor for vertices that have no path, as in igraph
    #[arg(long)]
    pub(crate) uncorrected: bool,
    /// Betweenness with weights that are floats: a path to a vertex also counts as a shortest one if
    /// it is longer by at most this share of the length [default: 0]
    #[arg(long, value_name = "T", value_parser = parse_tolerance, conflicts_with = "hops", allow_negative_numbers = true)]
    pub(crate) tie_tolerance: Option<f64>,
    /// How betweenness is stated [default: starpath]
    #[arg(long, value_name = "C", value_enum)]
    pub(crate) convention: Option<Convention>,
    /// Betweenness also counts each path for the two vertices at its ends, as in NetworkX and cuGraph
    #[arg(long)]
    pub(crate) endpoints: bool,
    /// Estimate from N vertices, drawn at random [default: all vertices, exact]
    #[arg(long, value_name = "N", group = "estimate")]
    pub(crate) sample: Option<NonZeroUsize>,
    /// Estimate betweenness from random paths, so that no value is off by more than E
    #[arg(
        long, value_name = "E", value_parser = parse_part, group = "estimate", allow_negative_numbers = true
    )]
    pub(crate) error: Option<f64>,
    /// The probability that a value is off by more than the error [default: 0.1]
    #[arg(
        long, value_name = "P", value_parser = parse_part, requires = "error", allow_negative_numbers = true
    )]
    pub(crate) failure: Option<f64>,
    /// Seed of the sample, or of the random paths [default: 1]
    #[arg(long, requires = "estimate")]
    pub(crate) seed: Option<u64>,
    /// Number of GPUs of this machine that share the searches, or all [default: 1]
    #[arg(long, value_name = "N|all")]
    pub(crate) gpus: Option<GpuCount>,
    /// Bytes that may be used in each GPU's memory: 1000000, 512M (512 MiB), 2G [default: what is free]
    #[arg(long, value_name = "SIZE", value_parser = parse_size)]
    pub(crate) memory: Option<u64>,
    /// Save the state in FILE from time to time and on Ctrl-C; continue from it if FILE exists.
    /// FILE is never deleted
    #[arg(long, value_name = "FILE")]
    pub(crate) resume: Option<PathBuf>,
    /// Write the measures of every vertex: OUT.tsv
    #[arg(short, long, value_name = "OUT.tsv")]
    pub(crate) output: Option<PathBuf>,
}

fn parse_tolerance(text: &str) -> Result<f64, String> {
    let tolerance = text.parse().ok().filter(|tolerance| (0.0..1.0).contains(tolerance));
    tolerance.ok_or_else(|| "expected a number of at least 0 and less than 1, as 1e-12".to_owned())
}

fn parse_part(text: &str) -> Result<f64, String> {
    let part = text.parse().ok().filter(|&part| part > 0.0 && part < 1.0);
    part.ok_or_else(|| "expected a number above 0 and below 1, as 0.001".to_owned())
}

/// A measure of a vertex.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Measure {
    Closeness,
    Harmonic,
    Eccentricity,
    Betweenness,
    EdgeBetweenness,
    Diameter,
}

/// How betweenness is stated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Convention {
    /// The mean over all ordered pairs
    Starpath,
    /// As NetworkX and cuGraph: in a sample no vertex is a source of the paths through itself
    #[value(name = "networkx", alias = "cugraph")]
    NetworkX,
    /// As igraph: the sum over all pairs, each of an undirected graph once
    Igraph,
    /// As GAPBS, for vertices: divided by the greatest value
    Gapbs,
}

/// Direction of the distances.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Side {
    /// From a vertex to the others
    Out,
    /// From the others to a vertex
    In,
}

impl Measure {
    /// Its name, here and in the header of a file.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Closeness => "closeness",
            Self::Harmonic => "harmonic",
            Self::Eccentricity => "eccentricity",
            Self::Betweenness => "betweenness",
            Self::EdgeBetweenness => "edge-betweenness",
            Self::Diameter => "diameter",
        }
    }
}

impl CentralityArgs {
    /// An error for options that contradict each other.
    pub(crate) fn check(&self, common: &Common) -> Result<(), WrongUse> {
        if self.uncorrected && !self.measure.contains(&Measure::Closeness) {
            return Err(WrongUse("--uncorrected is for --measure closeness".to_owned()));
        }
        let is_betweenness = self.measure.contains(&Measure::Betweenness);
        let is_of_edges = self.measure.contains(&Measure::EdgeBetweenness);
        if self.tie_tolerance.is_some() && !is_betweenness && !is_of_edges {
            let text = "--tie-tolerance is for --measure betweenness and edge-betweenness";
            return Err(WrongUse(text.to_owned()));
        }
        if let Some(convention) = self.convention {
            let text = match convention {
                _ if !is_betweenness && !is_of_edges => {
                    "--convention is for --measure betweenness and edge-betweenness"
                }
                _ if self.error.is_some() => {
                    "--error is of the mean over all pairs; leave out --convention"
                }
                Convention::Gapbs if is_of_edges => "--convention gapbs is for vertices",
                _ => "",
            };
            if !text.is_empty() {
                return Err(WrongUse(text.to_owned()));
            }
        }
        if self.endpoints {
            let text = match self.convention {
                _ if !is_betweenness => "--endpoints is for --measure betweenness",
                _ if self.error.is_some() => "--error counts no ends; leave out --endpoints",
                Some(Convention::Igraph | Convention::Gapbs) => {
                    "--endpoints is for --convention starpath, networkx and cugraph"
                }
                _ => "",
            };
            if !text.is_empty() {
                return Err(WrongUse(text.to_owned()));
            }
        }
        if is_of_edges && self.measure.len() > 1 {
            let text = "--measure edge-betweenness is of edges, and other measures are of vertices; \
                        run the command once for each";
            return Err(WrongUse(text.to_owned()));
        }
        let again = self.measure.iter().enumerate().find(|(i, m)| self.measure[..*i].contains(m));
        if let Some((_, measure)) = again {
            return Err(WrongUse(format!("--measure names {} twice", measure.name())));
        }
        if self.resume.is_some() && is_betweenness && self.measure.len() > 1 {
            let text = "--resume saves the state of betweenness or of the other measures; run the \
                        command once for it and once for the others, each with a file";
            return Err(WrongUse(text.to_owned()));
        }
        if self.error.is_some() {
            if self.measure != [Measure::Betweenness] {
                let text = "--error is for --measure betweenness alone";
                return Err(WrongUse(text.to_owned()));
            }
            if self.resume.is_some() || self.side == Side::In {
                let text = "--error takes random pairs of vertices; leave out --resume and --side";
                return Err(WrongUse(text.to_owned()));
            }
            if self.gpus.is_some() {
                return Err(WrongUse("--error takes one GPU; leave out --gpus".to_owned()));
            }
        }
        if self.measure.contains(&Measure::Diameter) {
            if self.measure.len() > 1 {
                let text = "--measure diameter cannot be combined with other measures; the report \
                            of closeness, harmonic and eccentricity has the diameter too";
                return Err(WrongUse(text.to_owned()));
            }
            if self.output.is_some() || self.sample.is_some() || self.resume.is_some() {
                let text = "--measure diameter finds one exact number by a few searches; leave out \
                            --output, --sample and --resume";
                return Err(WrongUse(text.to_owned()));
            }
        }
        if self.resume.is_some() && common.repeat.is_some() {
            let text = "--repeat and --resume exclude each other: each repetition would continue \
                        from the saved state";
            return Err(WrongUse(text.to_owned()));
        }
        if self.memory.is_some() && common.backend != Backend::Cuda {
            return Err(WrongUse("--memory is for --backend cuda".to_owned()));
        }
        GpuCount::check(self.gpus, common)
    }
}
