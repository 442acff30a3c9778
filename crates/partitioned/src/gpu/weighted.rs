//! A graph with weights on GPUs, and what is decided by its weights and degrees.

use std::ops::Range;

use gpu_runtime::Gpu;
use graph_formats::generate::EdgeDraws;
use graph_formats::{Csr, Direction, Weight};
use rayon::prelude::*;
use search_parts::device::{KeyKind, RankedArcs};
use search_parts::{SearchError, buckets};

use super::dealt::Dealt;
use super::placing::{MAX_LIMITS, Placed, Placing};
use super::rows::{PlacedRows, Unplaced, drawn_weights};
use super::stepping_part::{Part, Rules, SENT_PART, n_warps};

/// A graph that is dealt to GPUs, with weights of at least zero.
pub(super) struct WeightedGraph {
    pub(super) dealt: Dealt,
    /// Of each part the short and the long arcs.
    pub(super) rows: Vec<[PlacedRows; 2]>,
    pub(super) kind: KeyKind,
    pub(super) rules: Rules,
}

/// What is known of the weights and degrees before the arcs are split.
struct Known {
    kind: KeyKind,
    greatest: f64,
    delta: f64,
    /// The limit of short arcs where all are on GPUs.
    ahead: Option<f64>,
    may_pull: bool,
}

impl Known {
    fn new<W: Weight>(
        greatest: W,
        typical: f64,
        degree_at_arc_end: f64,
        has_many_arcs: bool,
        direction: Direction,
    ) -> Self {
        let may_pull = direction == Direction::Undirected;
        let ahead = if may_pull && has_many_arcs { buckets::limit_below(greatest) } else { None };
        let delta = buckets::auto(typical, degree_at_arc_end, 1);
        let delta = buckets::usable::<W>(delta, greatest.to_f64());
        let (kind, greatest) = (KeyKind::of(greatest), greatest.to_f64());
        Self { kind, greatest, delta, ahead: ahead.map(Weight::to_f64), may_pull }
    }

    fn short_limit(&self) -> u64 {
        self.ahead.map_or(u64::MAX, |ahead| self.kind.key(ahead))
    }
}

/// The weight of this key.
fn value(kind: KeyKind, key: u64) -> f64 {
    match kind {
        KeyKind::F32 => f32::from_bits(key as u32).into(),
        KeyKind::F64 => f64::from_bits(key),
        _ => key as f64,
    }
}

impl WeightedGraph {
    /// Of arcs in memory.
    pub(super) fn new<W: Weight>(gpus: &[Gpu], graph: &Csr<W>) -> Result<Self, SearchError> {
        let (summary, m) = (graph.weight_summary(), graph.n_arcs());
        let degrees = graph.row_offsets().par_windows(2).map(|row| row[1] - row[0]);
        let squares: f64 = degrees.clone().map(|degree| (degree as f64).powi(2)).sum();
        let n_linked = degrees.filter(|&degree| degree > 0).count();
        let many = buckets::has_many_arcs(m, n_linked);
        let mean = summary.sum_of_sizes / m.max(1) as f64;
        let squares = squares / m.max(1) as f64;
        let known = Known::new(summary.greatest, mean, squares, many, graph.direction());
        let (dealt, kind) = (Dealt::of_graph(gpus, graph)?, known.kind);
        let sample = graph.weights().iter().step_by(m / MAX_LIMITS + 1);
        let limits = sample.map(|weight| kind.key(weight.to_f64())).collect();
        let length = |rank: usize| graph.out_degree(dealt.order()[rank]) as u64;
        let make = |part: usize, gpu: &Gpu, rows: Range<usize>| {
            let (offsets, arcs) = dealt.rows_of(graph, part, rows)?;
            let weights: Vec<_> = arcs.iter().map(|&arc| graph.weights()[arc]).collect();
            let weights = gpu.upload(&kind.of_weights(&weights))?;
            let rows = RankedArcs::unsorted(gpu, offsets, &dealt.heads(graph, &arcs))?;
            Unplaced::new(gpu, &dealt, part, kind, rows, weights)
        };
        let placing = Placing {
            gpus,
            dealt: &dealt,
            kind,
            short_limit: known.short_limit(),
            limits,
            length: &length,
            beside: 0,
            make: &make,
        };
        let placed = placing.place()?;
        Ok(Self::of_parts(gpus, dealt, placed, &known))
    }

    /// Of edges that are drawn on the GPUs.
    pub(super) fn drawn(gpus: &[Gpu], draws: &EdgeDraws) -> Result<Self, SearchError> {
        let (dealt, lengths) = Dealt::of_draws(gpus, draws)?;
        let (_, weights) = draws.weights();
        let m: f64 = lengths.par_iter().map(|&n| f64::from(n)).sum();
        let squares: f64 = lengths.par_iter().map(|&n| f64::from(n).powi(2)).sum();
        let n_linked = lengths.par_iter().filter(|&&n| n > 0).count();
        let many = buckets::has_many_arcs(m as usize, n_linked);
        let (least, greatest) = (*weights.start(), *weights.end());
        let mean = f64::midpoint(least.into(), greatest.into());
        let known = Known::new(greatest, mean, squares / m.max(1.0), many, draws.direction());
        let step = (greatest - least) as usize / (MAX_LIMITS - 1) + 1;
        let limits = weights.step_by(step).map(u64::from).collect();
        let length = |rank: usize| lengths[dealt.order()[rank] as usize].into();
        let make = |part: usize, gpu: &Gpu, rows: Range<usize>| {
            let (of_parts, first) = ([part, gpus.len()], rows.start);
            let rows = RankedArcs::drawn_rows(gpu, draws, &lengths, dealt.ranks(), of_parts, rows)?;
            let weights = drawn_weights(gpu, &dealt, [part, first], &rows, draws)?;
            Unplaced::new(gpu, &dealt, part, known.kind, rows, weights)
        };
        let placing = Placing {
            gpus,
            dealt: &dealt,
            kind: known.kind,
            short_limit: known.short_limit(),
            limits,
            length: &length,
            // ranks of all vertices, and then the vertices by rank
            beside: size_of_val(&lengths[..]) as u64,
            make: &make,
        };
        let placed = placing.place()?;
        Ok(Self::of_parts(gpus, dealt, placed, &known))
    }

    fn of_parts(gpus: &[Gpu], dealt: Dealt, placed: Placed, known: &Known) -> Self {
        let Placed { rows, limit, uses_host } = placed;
        let sum = |which: usize| rows.iter().map(|rows| rows[which].n_arcs).sum::<u64>();
        let (n_short, n_arcs) = (sum(0), sum(0) + sum(1));
        let kind = known.kind;
        let ahead = match uses_host {
            false if buckets::defers_enough(n_short as usize, n_arcs as usize) => known.ahead,
            true if limit != u64::MAX => Some(value(kind, limit)),
            _ => None,
        };
        let rules = Rules {
            delta: Rules::delta(kind, known.delta, ahead, known.greatest),
            short_limit: if ahead.is_some() { limit } else { 0 },
            greatest: kind.key(known.greatest).max(1),
            n_arcs,
            n_warps: gpus.iter().map(n_warps).sum(),
            may_pull: known.may_pull,
            uses_host,
        };
        Self { dealt, rows, kind, rules }
    }

    /// Moves arcs to host memory until there is room for a search with keys of this kind.
    pub(super) fn make_room(
        &mut self,
        gpu: &Gpu,
        part: usize,
        kind: KeyKind,
    ) -> Result<(), SearchError> {
        let rows = &mut self.rows[part];
        let n_arcs = rows.iter().map(|rows| rows.n_arcs).sum();
        let required = Part::bytes(self.dealt.shape(part), n_arcs, kind, SENT_PART);
        for rows in rows.iter_mut().rev() {
            if required > gpu.available_bytes()? {
                rows.move_to_host(gpu)?;
                self.rules.uses_host = true;
            }
        }
        let what = "a search by delta-stepping (take more GPUs, or allow more of their memory)";
        Ok(gpu.check_fits(what, required)?)
    }
}
