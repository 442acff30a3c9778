//! The measures of a whole graph: `centrality`.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::{Common, GpuCount, GraphArgs};
use crate::failure::WrongUse;

/// How close each vertex is to all others, and how far apart the farthest are
#[derive(Debug, Args)]
#[command(after_help = "\
Measures of vertices (--measure), one column each in OUT.tsv:
  closeness     one part in the mean distance, times the share of the vertices that have a path
                (Wasserman and Faust; --uncorrected leaves that out)
  harmonic      one part in each distance, added up
  eccentricity  the greatest distance
  betweenness   the share of the shortest paths between two others that go through it, in the mean
                of all ordered pairs of others; alone, for it counts paths
The report has radius, diameter, mean distance and Wiener index besides, and the hop plot: how
many ordered pairs of vertices are at most 0, 1, 2 and so on hops apart. Where not all pairs have
a path, eccentricities, and what is made of them, are of those that have one.

Distances go out of each vertex; --side in has those into it, as closeness in NetworkX. They add
weights up, unless all are 1 or --hops counts arcs: hundreds of searches then share the work.

Betweenness counts parallel arcs as paths of their own, and --side says whether the paths of a
sample begin at its vertices or end there; without --sample that is the same.

--measure diameter alone finds no more than that, by bounds: a few searches instead of one from
every vertex.

With --sample, distances are measured from N vertices only: closeness and harmonic are estimates,
and eccentricity, radius and diameter are lower bounds. The report says by how many parts of the
diameter the mean distance of any vertex may be off in 99 samples of 100, or by how much its
betweenness.

Example:
  starpath centrality wiki-Vote.txt --hops -o centrality.tsv
  starpath centrality wiki-Vote.txt --hops --measure diameter
  starpath centrality wiki-Vote.txt --hops --measure betweenness -o betweenness.tsv
  starpath centrality large.spg --hops --resume state -o centrality.tsv
  starpath centrality roads.gr --measure closeness --sample 1000 --seed 1 -o closeness.tsv")]
pub(crate) struct CentralityArgs {
    #[command(flatten)]
    pub(crate) graph: GraphArgs,
    /// What is written for each vertex
    #[arg(
        long, value_name = "M,…", value_enum, value_delimiter = ',',
        default_values_t = [Measure::Closeness, Measure::Harmonic, Measure::Eccentricity]
    )]
    pub(crate) measure: Vec<Measure>,
    /// Count arcs, whatever they weigh
    #[arg(long)]
    pub(crate) hops: bool,
    /// Which way distances go where arcs have a direction
    #[arg(long, value_enum, default_value_t = Side::Out)]
    pub(crate) side: Side,
    /// Leave vertices without a path out of closeness altogether, as igraph does
    #[arg(long)]
    pub(crate) uncorrected: bool,
    /// Estimate from so many vertices, drawn at random
    #[arg(long, value_name = "N")]
    pub(crate) sample: Option<NonZeroUsize>,
    /// Another seed, another sample [default: 1]
    #[arg(long, requires = "sample")]
    pub(crate) seed: Option<u64>,
    /// GPUs of this machine that share the searches, a number of them or all [default: 1]
    #[arg(long, value_name = "N|all")]
    pub(crate) gpus: Option<GpuCount>,
    /// Keep the state in FILE now and then and on Ctrl-C, and go on from it where it is there; it
    /// stays
    #[arg(long, value_name = "FILE")]
    pub(crate) resume: Option<PathBuf>,
    /// Write the measures of every vertex: OUT.tsv
    #[arg(short, long, value_name = "OUT.tsv")]
    pub(crate) output: Option<PathBuf>,
}

/// A measure of a vertex.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Measure {
    Closeness,
    Harmonic,
    Eccentricity,
    Betweenness,
    Diameter,
}

/// Which way distances go.
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
        let again = self.measure.iter().enumerate().find(|(i, m)| self.measure[..*i].contains(m));
        if let Some((_, measure)) = again {
            return Err(WrongUse(format!("--measure names {} twice", measure.name())));
        }
        if self.measure.len() > 1 && self.measure.contains(&Measure::Betweenness) {
            let text = "--measure betweenness stands alone: it counts paths, which the others do \
                        not; run the command twice";
            return Err(WrongUse(text.to_owned()));
        }
        if self.measure.contains(&Measure::Diameter) {
            if self.measure.len() > 1 {
                let text = "--measure diameter stands alone; with the others the report has it too";
                return Err(WrongUse(text.to_owned()));
            }
            if self.output.is_some() || self.sample.is_some() || self.resume.is_some() {
                let text = "--measure diameter has no value for each vertex, is exact, and takes a \
                            few searches; leave out --output, --sample and --resume";
                return Err(WrongUse(text.to_owned()));
            }
        }
        if self.resume.is_some() && common.repeat.is_some() {
            let text = "--repeat would go on from what --resume has kept; use one of them";
            return Err(WrongUse(text.to_owned()));
        }
        GpuCount::check(self.gpus, common)
    }
}
