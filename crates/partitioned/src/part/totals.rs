//! What all ranks must agree on about a graph, reduced from what each finds in its rows.

use bytemuck::{Pod, Zeroable};
use collectives::Communicator;
use graph_formats::{Direction, Weight};
use sssp::over_parts::{defers_enough, has_many_arcs, limit_below, typical};

use crate::PartitionedError;

/// The most weights of which a rank takes a median.
const SAMPLES: usize = 1 << 12;

/// Numbers of the whole graph, the same on all ranks.
#[derive(Clone, Debug)]
pub(crate) struct Totals {
    pub(crate) n_arcs: u64,
    pub(crate) max_degree: u64,
    /// The bytes of the greatest weight; zero without arcs.
    pub(crate) greatest: [u8; 8],
    /// Whether all arcs have the same positive weight.
    pub(crate) is_common: bool,
    /// The sum of the weights.
    pub(crate) sum: f64,
    /// The mean weight, or twice the median if that is less.
    pub(crate) typical: f64,
    /// Σd²/Σd over the degrees d.
    pub(crate) degree_at_arc_end: f64,
    /// The bytes of the weight from which on arcs are deferred, if they are.
    pub(crate) short_limit: Option<[u8; 8]>,
}

/// The same of the rows of a rank.
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
struct Local {
    n_arcs: u64,
    max_degree: u64,
    /// Vertices with arcs.
    n_linked: u64,
    least: [u8; 8],
    greatest: [u8; 8],
    sum: f64,
    median: f64,
    degree_squares: f64,
}

impl Totals {
    /// To be called by all ranks. `has_one`: `weights` has one weight of all arcs of the graph.
    pub(crate) fn of<W: Weight>(
        ranks: &dyn Communicator,
        offsets: &[u64],
        weights: &[W],
        (has_one, direction): (bool, Direction),
    ) -> Result<Self, PartitionedError> {
        let own = Local::of(offsets, weights);
        let own = match has_one {
            true => Local { sum: own.sum * own.n_arcs as f64, ..own },
            false => own,
        };
        let all: Vec<Local> = all(ranks, own)?;
        let total = |of: fn(&Local) -> u64| all.iter().map(of).sum::<u64>();
        let n_arcs = total(|local| local.n_arcs);
        let sum = all.iter().map(|local| local.sum).fold(0.0, |a, b| a + b);
        let per_arc = |sum: f64| if n_arcs > 0 { sum / n_arcs as f64 } else { 0.0 };
        let n_medians = all.iter().filter(|local| local.n_arcs > 0).count();
        let median = all.iter().map(|local| local.median).sum::<f64>() / n_medians.max(1) as f64;
        let squares = all.iter().map(|local| local.degree_squares).sum::<f64>();
        let with_arcs = || all.iter().filter(|local| local.n_arcs > 0);
        let weight =
            |bytes: &[u8; 8]| -> W { bytemuck::pod_read_unaligned(&bytes[..size_of::<W>()]) };
        let least = with_arcs().map(|local| weight(&local.least)).min_by(|a, b| a.order(*b));
        let greatest = with_arcs().map(|local| weight(&local.greatest));
        let greatest = greatest.max_by(|a, b| a.order(*b)).unwrap_or(W::ZERO);
        let is_common = least.is_some_and(|least| W::ZERO < least && least == greatest);
        let limit = limit_below(greatest).filter(|_| {
            let is_dense = has_many_arcs(n_arcs as usize, total(|local| local.n_linked) as usize);
            is_dense && direction == Direction::Undirected && !has_one
        });
        let n_short = limit.map_or(0, |limit| weights.iter().filter(|&&w| w < limit).count());
        let n_short = self::all(ranks, n_short as u64)?.iter().sum::<u64>();
        let limit = limit.filter(|_| defers_enough(n_short as usize, n_arcs as usize));
        Ok(Self {
            n_arcs,
            max_degree: all.iter().map(|local| local.max_degree).max().unwrap_or(0),
            greatest: bytes(greatest),
            is_common,
            sum,
            typical: typical(median, per_arc(sum)),
            degree_at_arc_end: per_arc(squares),
            short_limit: limit.map(bytes),
        })
    }
}

impl Totals {
    /// The weight that has these bytes.
    pub(crate) fn weight<W: Weight>(&self, bytes: &[u8; 8]) -> W {
        bytemuck::pod_read_unaligned(&bytes[..size_of::<W>()])
    }
}

impl Local {
    fn of<W: Weight>(offsets: &[u64], weights: &[W]) -> Self {
        let degrees = || offsets.windows(2).map(|row| row[1] - row[0]);
        let step = weights.len().div_ceil(SAMPLES).max(1);
        let mut sample: Vec<W> = weights.iter().copied().step_by(step).collect();
        let middle = sample.len() / 2;
        let median = match sample.is_empty() {
            true => W::ZERO,
            false => *sample.select_nth_unstable_by(middle, |a, b| a.order(*b)).1,
        };
        let least = weights.iter().copied().min_by(|a, b| a.order(*b)).unwrap_or(W::ZERO);
        let greatest = weights.iter().copied().max_by(|a, b| a.order(*b)).unwrap_or(W::ZERO);
        Self {
            n_arcs: offsets[offsets.len() - 1] - offsets[0],
            max_degree: degrees().max().unwrap_or(0),
            n_linked: degrees().filter(|&degree| degree > 0).count() as u64,
            least: bytes(least),
            greatest: bytes(greatest),
            sum: weights.iter().map(|weight| weight.to_f64()).sum(),
            median: median.to_f64(),
            degree_squares: degrees().map(|degree| (degree as f64).powi(2)).sum(),
        }
    }
}

fn bytes<W: Weight>(weight: W) -> [u8; 8] {
    let mut bytes = [0; 8];
    bytes[..size_of::<W>()].copy_from_slice(bytemuck::bytes_of(&weight));
    bytes
}

/// A value of each rank, by rank.
fn all<T: Pod>(ranks: &dyn Communicator, own: T) -> Result<Vec<T>, PartitionedError> {
    let received = ranks.exchange_bytes(&vec![bytemuck::bytes_of(&own); ranks.size()])?;
    Ok(received.iter().map(|bytes| bytemuck::pod_read_unaligned(bytes)).collect())
}
