//! Which numbers a matrix is to be of: the narrowest that are proven to hold all distances, or
//! 16 bits where they are likely to, and are looked at afterwards.
//!
//! First what costs nothing: a bound on all sums, and a distance that there is. Then two searches
//! in each component, where they cost less than narrow numbers save; where a bound is above the
//! limit of 16 bits and all distances found are below it, these are tried. In a graph of many arcs
//! the searches are dear and paths have few arcs, so that 16 bits are tried without them: a
//! shortest path of an undirected connected graph whose vertices have d neighbours has fewer than
//! 3 n / (d + 1) arcs.
//!
//! What is tried in vain costs as much as it would have saved.

use std::fmt;

use graph_formats::{Csr, Weight, WeightKind};
use sssp::{Progress, SsspError};

use crate::element::Element;
use crate::number::is_float;
use crate::potentials::RaisedWeight;
use crate::proof::{greatest_distance, some_distance};
use crate::{Config, Number};

/// A search takes as long for a vertex as the matrix does for so many entries of 32 bits,
const ENTRIES_A_VERTEX: f64 = 1000.0;
/// and for an arc as for so many: on two cores with AVX2, where the matrix does some 70 G
/// entries a second.
const ENTRIES_AN_ARC: f64 = 200.0;

/// Proving takes as long as so many searches, most of it to get them ready.
const SEARCHES_OF_A_PROOF: f64 = 40.0;

/// How it is known that the numbers of a matrix hold all distances.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Certainty {
    /// By a bound that was there before.
    #[default]
    Proven,
    /// By a look at the finished matrix, of 16 bits: where it has no distance, there is no path.
    Checked,
    /// By a bound, after 16 bits were tried and did not hold all.
    Retried,
}

impl Certainty {
    /// All of them.
    pub(crate) const ALL: [Self; 3] = [Self::Proven, Self::Checked, Self::Retried];
}

impl fmt::Display for Certainty {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Proven => "proven",
            Self::Checked => "checked",
            Self::Retried => "retried",
        })
    }
}

/// Where numbers of 16 bits are taken.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Narrow {
    /// Nowhere.
    Never,
    /// Where they are proven to do.
    Proven,
    /// Where they are likely to do, for a matrix that is so many times as fast as by a processor.
    Tried { speed: f64 },
}

/// Numbers, how it is known that they do, and a bound on all sums.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Width {
    /// `None` where no width is sure to hold all sums.
    pub(crate) number: Option<Number>,
    pub(crate) certainty: Certainty,
    pub(crate) bound: f64,
}

impl Width {
    /// By a bound on all sums, of 32 bits at least. O(1).
    pub(crate) fn of_sums<W: Weight>(graph: &Csr<W>) -> Self {
        let weights = graph.weight_summary();
        let along_a_path = graph.n_vertices() as f64 * weights.greatest_size();
        Self::proven(W::KIND, along_a_path.min(weights.sum_of_sizes) * (1.0 + 1e-9))
    }

    /// The least. O(m), and searches where they pay. `progress` is only asked whether to go on.
    pub(crate) fn least<W: RaisedWeight>(
        graph: &Csr<W>,
        config: &Config,
        narrow: Narrow,
        progress: Option<Progress<'_>>,
    ) -> Result<Self, SsspError> {
        let sums = Self::of_sums(graph);
        if is_float(W::KIND) || graph.first_negative().is_some() {
            return Ok(sums);
        }
        let limit = f64::from(u16::INFINITE);
        let of_16_bits = |certainty| Self { number: Some(Number::U16), certainty, ..sums };
        if sums.bound < limit && narrow != Narrow::Never {
            return Ok(of_16_bits(Certainty::Proven));
        }
        if sums.number == Some(Number::I32) {
            match narrow {
                Narrow::Never => return Ok(sums),
                _ if some_distance(graph) >= limit => return Ok(sums),
                Narrow::Tried { .. } if likely_bound(graph) < limit => {
                    return Ok(of_16_bits(Certainty::Checked));
                }
                Narrow::Tried { speed } if !pays(graph, speed) => return Ok(sums),
                Narrow::Proven | Narrow::Tried { .. } => {}
            }
        }
        let greatest = greatest_distance(graph, limit, config.threads, progress)?;
        let proven = Self::proven(W::KIND, sums.bound.min(greatest.at_most));
        Ok(match narrow {
            Narrow::Proven | Narrow::Tried { .. } if greatest.at_most < limit => {
                of_16_bits(Certainty::Proven)
            }
            Narrow::Tried { .. }
                if greatest.at_least < limit && proven.number == Some(Number::I32) =>
            {
                of_16_bits(Certainty::Checked)
            }
            _ => proven,
        })
    }

    /// By a bound, of 32 bits at least.
    fn proven(kind: WeightKind, bound: f64) -> Self {
        let number = match kind {
            WeightKind::F32 => (bound < f64::from(f32::MAX) / 1e3).then_some(Number::F32),
            WeightKind::F64 => (bound < f64::MAX / 1e3).then_some(Number::F64),
            // sums with what stands for infinity stay far from it
            _ if bound < f64::from(i32::MAX) / 16.0 => Some(Number::I32),
            _ => (bound < i64::MAX as f64 / 16.0).then_some(Number::I64),
        };
        Self { number, certainty: Certainty::Proven, bound }
    }
}

/// How many arcs a vertex has.
pub(crate) fn degree<W: Weight>(graph: &Csr<W>) -> f64 {
    graph.n_arcs() as f64 / graph.n_vertices().max(1) as f64
}

/// What a search from a vertex takes, in entries of 32 bits for each vertex.
pub(crate) fn search<W: Weight>(graph: &Csr<W>) -> f64 {
    ENTRIES_A_VERTEX + degree(graph) * ENTRIES_AN_ARC
}

/// What distances are likely not to exceed.
fn likely_bound<W: Weight>(graph: &Csr<W>) -> f64 {
    let (n, m) = (graph.n_vertices() as f64, graph.n_arcs() as f64);
    3.0 * n / (m / n + 1.0) * graph.weight_summary().greatest_size()
}

/// Whether a proof takes less time than 16 bits save.
fn pays<W: Weight>(graph: &Csr<W>, speed: f64) -> bool {
    let n = graph.n_vertices() as f64;
    let saved = (Number::I32.cost() - Number::U16.cost()) * n * n / speed;
    SEARCHES_OF_A_PROOF * search(graph) < saved
}
