//! What lies within a cutoff of every vertex: `aggregate`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::{GraphArgs, Side};
use crate::failure::WrongUse;

/// How many points lie within a distance of each vertex, or the sum, mean or minimum of their values
#[derive(Debug, Args)]
#[command(after_help = "\
A line of POINTS has the id of a point's vertex; after it may stand the point's value, and after this
its category. They are separated by a tab, blanks or a comma; an id that contains these is in double
quotes. A vertex that is there twice has two points. Each category is aggregated alone.

Statistics (--statistic):
  count    the number of points within the cutoff
  sum      the sum of their values, each multiplied by its decay; a point without a value has 1
  mean     that sum divided by the number of points
  minimum  the least of their values

Decays (--decay) of a point at distance d, for a sum or a mean:
  flat         1
  linear       1 - d / cutoff
  exponential  e to the power of -d / cutoff
  gravity      e to the power of -BETA * d

Results (-o):
  .tsv  a line for every vertex: its name, and the statistic, or a column for each category, in the
        order of their names. A mean and a minimum of no points are empty fields.
  .npy  an array of f64 by vertex, counted from 0, without categories; of no points NaN. If the
        vertices are not named 0, 1, 2 and so on, the file OUT.npy.ids has their names.

A search starts at each vertex that has points, and takes the time of what lies within; other vertices
cost nothing.

Example:
  starpath aggregate rome99.gr --points shops.txt --cutoff 9000 -o shops-near.tsv
  starpath aggregate rome99.gr --points jobs.txt --cutoff 9000 --statistic sum --decay linear -o jobs.npy")]
pub(crate) struct AggregateArgs {
    #[command(flatten)]
    pub(crate) graph: GraphArgs,
    /// The points: a file with one a line, see below
    #[arg(long, value_name = "POINTS")]
    pub(crate) points: PathBuf,
    /// The greatest distance, in the unit of the weights
    #[arg(long, value_name = "D", value_parser = at_least_zero, allow_negative_numbers = true)]
    pub(crate) cutoff: f64,
    /// What to find of the points within the cutoff
    #[arg(long, value_name = "S", value_enum, default_value_t = Statistic::Count)]
    pub(crate) statistic: Statistic,
    /// How much less a point counts that is farther
    #[arg(long, value_name = "F", value_enum, default_value_t = Decay::Flat)]
    pub(crate) decay: Decay,
    /// That of gravity
    #[arg(long, value_name = "BETA", value_parser = at_least_zero, allow_negative_numbers = true)]
    pub(crate) beta: Option<f64>,
    /// Direction of the distances in a directed graph
    #[arg(long, value_enum, default_value_t = Side::Out)]
    pub(crate) side: Side,
    /// Write the results: OUT.tsv or OUT.npy, see below; - is standard output, as .tsv
    #[arg(short, long, value_name = "OUT")]
    pub(crate) output: Option<PathBuf>,
}

fn at_least_zero(text: &str) -> Result<f64, String> {
    let number = text.parse().ok().filter(|number: &f64| *number >= 0.0 && number.is_finite());
    number.ok_or_else(|| "expected a number of at least 0".to_owned())
}

/// What is found of the points within a cutoff.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Statistic {
    Count,
    Sum,
    Mean,
    Minimum,
}

/// How much less a point counts that is farther.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Decay {
    Flat,
    Linear,
    Exponential,
    Gravity,
}

impl Statistic {
    /// Its name, here and in the header of a file.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Count => "count",
            Self::Sum => "sum",
            Self::Mean => "mean",
            Self::Minimum => "minimum",
        }
    }
}

impl AggregateArgs {
    /// What the library is asked for; an error for options that contradict each other.
    pub(crate) fn aggregate(&self) -> Result<sssp::Aggregate, WrongUse> {
        let statistic = match self.statistic {
            Statistic::Count => sssp::Statistic::Count,
            Statistic::Sum => sssp::Statistic::Sum,
            Statistic::Mean => sssp::Statistic::Mean,
            Statistic::Minimum => sssp::Statistic::Minimum,
        };
        if matches!(self.statistic, Statistic::Count | Statistic::Minimum)
            && self.decay != Decay::Flat
        {
            return Err(WrongUse("--decay is for --statistic sum and mean".to_owned()));
        }
        let decay = match (self.decay, self.beta) {
            (Decay::Gravity, Some(beta)) => sssp::Decay::Gravity(beta),
            (Decay::Gravity, None) => {
                return Err(WrongUse("--decay gravity needs --beta BETA".to_owned()));
            }
            (_, Some(_)) => return Err(WrongUse("--beta is for --decay gravity".to_owned())),
            (Decay::Flat, None) => sssp::Decay::Flat,
            (Decay::Linear, None) => sssp::Decay::Linear,
            (Decay::Exponential, None) => sssp::Decay::Exponential,
        };
        let way = match self.side {
            Side::Out => sssp::Way::ToPoints,
            Side::In => sssp::Way::FromPoints,
        };
        Ok(sssp::Aggregate { statistic, decay, way })
    }
}
