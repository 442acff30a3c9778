//! What was measured, and the figures that are made of it.
//!
//! The figure is the paper's: all arcs of the graph, each counted once, by the time of one
//! solve; so a solver that relaxes arcs several times is not credited for it.

use std::fmt;

use graph_formats::{VertexId, WeightKind};
use sssp::Queue;
use sssp::gpu::{EdgeOrder, Loads};

/// A solver under study.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Who {
    /// Edge-parallel Bellman-Ford on the GPU.
    BellmanFord { order: EdgeOrder, reads: Loads },
    /// Δ-stepping on the GPU.
    DeltaStepping,
    /// The fastest Dijkstra on one thread of the host.
    HostDijkstra,
    /// Δ-stepping on all threads of the host.
    HostDeltaStepping,
}

impl Who {
    /// The four variants, where segments are `segments`.
    pub(super) fn variants(segments: EdgeOrder) -> [Self; 4] {
        let variant = |order, reads| Self::BellmanFord { order, reads };
        [
            variant(segments, Loads::ReadOnly),
            variant(EdgeOrder::AsStored, Loads::ReadOnly),
            variant(segments, Loads::Plain),
            variant(EdgeOrder::AsStored, Loads::Plain),
        ]
    }

    /// Everybody, in the order of the tables.
    pub(super) fn all(segments: EdgeOrder) -> [Self; 7] {
        let [a, b, c, d] = Self::variants(segments);
        [a, b, c, d, Self::DeltaStepping, Self::HostDijkstra, Self::HostDeltaStepping]
    }

    /// Its name where there is one size of segments only.
    pub(super) fn heading(self) -> String {
        match self {
            Self::BellmanFord { order: EdgeOrder::AsStored, reads } => {
                format!("stored, {}", name_of_reads(reads))
            }
            Self::BellmanFord { reads, .. } => format!("segments, {}", name_of_reads(reads)),
            Self::DeltaStepping => "GPU delta-stepping".to_owned(),
            Self::HostDijkstra => "host Dijkstra".to_owned(),
            Self::HostDeltaStepping => "host delta-stepping".to_owned(),
        }
    }
}

impl fmt::Display for Who {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::BellmanFord { order: EdgeOrder::Segments { vertices }, reads } => {
                let reads = name_of_reads(*reads);
                write!(f, "GPU Bellman-Ford, segments of {vertices}, {reads}")
            }
            Self::BellmanFord { .. } => write!(f, "GPU Bellman-Ford, {}", self.heading()),
            _ => f.write_str(&self.heading()),
        }
    }
}

/// The order as stored, or the size of segments.
fn name_of_order(order: EdgeOrder, n_vertices: usize) -> String {
    order.segment(n_vertices).map_or_else(|| "stored".to_owned(), |size| size.to_string())
}

fn name_of_reads(reads: Loads) -> &'static str {
    match reads {
        Loads::ReadOnly => "read-only",
        _ => "plain",
    }
}

/// One timed solve.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Sample {
    pub(super) source: VertexId,
    pub(super) ms: f64,
    pub(super) rounds: u64,
}

/// The timed solves of a solver on a graph with weights of a type.
#[derive(Clone, Debug)]
pub(super) struct Line {
    pub(super) kind: WeightKind,
    pub(super) who: Who,
    /// Dijkstra's.
    pub(super) queue: Option<Queue>,
    /// By source, ascending; at least one.
    pub(super) samples: Vec<Sample>,
}

impl Line {
    /// Solver, order and way to read, as raw.csv has them, on a graph of `n_vertices`.
    pub(super) fn fields(&self, n_vertices: usize) -> [String; 3] {
        let other = |solver: &str| [solver.to_owned(), String::new(), String::new()];
        match self.who {
            Who::BellmanFord { order, reads } => {
                let reads = name_of_reads(reads).to_owned();
                ["gpu/bellman-ford".to_owned(), name_of_order(order, n_vertices), reads]
            }
            Who::DeltaStepping => other("gpu/delta-stepping"),
            Who::HostDijkstra => other(&format!("host/dijkstra/{}", self.queue_name())),
            Who::HostDeltaStepping => other("host/delta-stepping"),
        }
    }

    /// The name of Dijkstra's queue.
    pub(super) fn queue_name(&self) -> &'static str {
        let named = Queue::ALL.iter().find(|(_, queue)| Some(*queue) == self.queue);
        named.map_or("", |(name, _)| name)
    }

    /// Milliseconds from the first `n` sources, on average.
    pub(super) fn mean_ms(&self, n: usize) -> f64 {
        mean(self.samples.iter().take(n).map(|sample| sample.ms))
    }

    /// Iterations, or buckets, on average.
    pub(super) fn mean_rounds(&self) -> f64 {
        mean(self.samples.iter().map(|sample| sample.rounds as f64))
    }

    /// Millions of arcs a second, on a graph of `n_arcs`.
    pub(super) fn rate(&self, n_arcs: usize) -> Spread {
        // arcs a millisecond are thousands a second
        Spread::of(self.samples.iter().map(|sample| n_arcs as f64 / sample.ms / 1e3))
    }
}

/// The least, the mean and the greatest over the sources.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Spread {
    pub(super) min: f64,
    pub(super) mean: f64,
    pub(super) max: f64,
}

impl Spread {
    fn of(values: impl Iterator<Item = f64> + Clone) -> Self {
        Self {
            min: values.clone().fold(f64::INFINITY, f64::min),
            mean: mean(values.clone()),
            max: values.fold(0.0, f64::max),
        }
    }

    fn over(self, unit: f64) -> Self {
        Self { min: self.min / unit, mean: self.mean / unit, max: self.max / unit }
    }
}

fn mean(values: impl Iterator<Item = f64> + Clone) -> f64 {
    values.clone().sum::<f64>() / values.count() as f64
}

/// What was measured on the graph of one scale.
#[derive(Debug)]
pub(super) struct ScaleReport {
    pub(super) scale: u32,
    pub(super) n_vertices: usize,
    pub(super) n_arcs: usize,
    pub(super) n_sources: usize,
    pub(super) lines: Vec<Line>,
}

impl ScaleReport {
    pub(super) fn find(&self, kind: WeightKind, who: Who) -> Option<&Line> {
        self.lines.iter().find(|line| line.kind == kind && line.who == who)
    }

    /// Millions of arcs a second.
    pub(super) fn rate(&self, kind: WeightKind, who: Who) -> Option<Spread> {
        Some(self.find(kind, who)?.rate(self.n_arcs))
    }

    /// The same in parts of the mean of the host's Dijkstra.
    pub(super) fn speed_up(&self, kind: WeightKind, who: Who) -> Option<Spread> {
        let host = self.rate(kind, Who::HostDijkstra)?;
        Some(self.rate(kind, who)?.over(host.mean))
    }

    /// Vertices of a segment and mean milliseconds, for each size that was measured with
    /// plain loads, from the first `n` sources; by size.
    pub(super) fn by_size(&self, kind: WeightKind, n: usize) -> Vec<(u32, f64)> {
        let size_of = |line: &Line| match line.who {
            Who::BellmanFord { order, reads: Loads::Plain } if line.kind == kind => {
                Some((order.segment(self.n_vertices)?.get(), line.mean_ms(n)))
            }
            _ => None,
        };
        let mut sizes: Vec<_> = self.lines.iter().filter_map(size_of).collect();
        sizes.sort_unstable_by_key(|size| size.0);
        sizes
    }
}

#[cfg(test)]
pub(super) mod tests {
    use std::num::NonZeroU32;

    use super::*;

    fn segments(vertices: u32) -> EdgeOrder {
        EdgeOrder::Segments { vertices: NonZeroU32::new(vertices).unwrap() }
    }

    fn line(who: Who, ms: &[f64]) -> Line {
        let samples = (0..).zip(ms).map(|(source, &ms)| Sample { source, ms, rounds: 4 });
        let queue = (who == Who::HostDijkstra).then_some(Queue::Radix);
        Line { kind: WeightKind::U32, who, queue, samples: samples.collect() }
    }

    /// 1000 arcs, default segments, two sources.
    pub(in crate::segments) fn report() -> ScaleReport {
        let plain = |order| Who::BellmanFord { order, reads: Loads::Plain };
        ScaleReport {
            scale: 8,
            n_vertices: 256,
            n_arcs: 1000,
            n_sources: 2,
            lines: vec![
                line(plain(EdgeOrder::AsStored), &[0.5, 0.25]),
                line(plain(EdgeOrder::default()), &[0.25, 1.0]),
                line(plain(segments(16)), &[0.125]),
                line(Who::HostDijkstra, &[2.0, 2.0]),
            ],
        }
    }

    #[test]
    fn rates_are_arcs_by_time_and_means_are_of_rates() {
        let report = report();
        let stored = Who::BellmanFord { order: EdgeOrder::AsStored, reads: Loads::Plain };
        // 1000 arcs in half a millisecond are two million a second
        let expected = Spread { min: 2.0, mean: 3.0, max: 4.0 };
        assert_eq!(report.rate(WeightKind::U32, stored), Some(expected));
        let expected = Spread { min: 4.0, mean: 6.0, max: 8.0 };
        assert_eq!(report.speed_up(WeightKind::U32, stored), Some(expected));
        assert_eq!(report.rate(WeightKind::F64, stored), None);
        assert_eq!(report.rate(WeightKind::U32, Who::DeltaStepping), None);
        assert_eq!(report.lines[0].mean_ms(9), 0.375);
        assert_eq!(report.lines[0].mean_rounds(), 4.0);
    }

    #[test]
    fn sizes_are_compared_over_the_same_sources() {
        let report = report();
        assert_eq!(report.by_size(WeightKind::U32, 1), [(16, 0.125), (65_536, 0.25)]);
        assert_eq!(report.by_size(WeightKind::U32, 2), [(16, 0.125), (65_536, 0.625)]);
        assert!(report.by_size(WeightKind::F64, 1).is_empty());
    }

    #[test]
    fn names_tell_solvers_apart() {
        let all = Who::all(segments(64));
        let headings: std::collections::BTreeSet<_> = all.iter().map(|w| w.heading()).collect();
        assert_eq!(headings.len(), all.len());
        assert_eq!(all[0].to_string(), "GPU Bellman-Ford, segments of 64, read-only");
        let fields = |who| line(who, &[1.0]).fields(256);
        assert_eq!(fields(all[0]), ["gpu/bellman-ford", "64", "read-only"]);
        assert_eq!(fields(all[3]), ["gpu/bellman-ford", "stored", "plain"]);
        assert_eq!(fields(Who::HostDijkstra), ["host/dijkstra/radix", "", ""]);
    }
}
