//! Rules for the buckets of Δ-stepping: how wide they are, and which arcs are deferred.
//!
//! Measurements behind the constants are in docs/results/2026-11-21-cpu.

use graph_formats::Weight;

/// The constant c of `Delta::Auto`.
const AUTO_FACTOR: f64 = 4.0;
/// The most buckets in use at one time with a width that the solver chooses.
const MAX_BUCKETS: f64 = 65_536.0;
/// Least mean degree, over vertices with arcs, at which arcs are deferred. In sparser graphs most
/// arcs must be relaxed anyway: with deferred arcs, random graphs of degree 16 take twice as long
/// as without, and those of degree 32 three quarters.
const MIN_DEGREE: usize = 20;
/// The largest weight divided by the limit of short arcs.
pub const LIMITS_PER_WEIGHT: f64 = 6.0;

/// The width by `Delta::Auto`, before [`usable`] corrects it.
pub fn auto(typical_weight: f64, degree_at_arc_end: f64, n_threads: usize) -> f64 {
    let width = AUTO_FACTOR * typical_weight / degree_at_arc_end;
    // near the best width the time hardly changes, so a power of two is precise enough
    width.log2().round().exp2() * f64::from(1 << (n_threads.ilog2() / 3))
}

/// The nearest positive width that makes at most 65,536 buckets for weights up to `max`.
pub fn usable<W: Weight>(width: f64, max: f64) -> f64 {
    if max == 0.0 {
        // no arcs, or all weights are zero: one bucket
        return 1.0;
    }
    let least = if W::ONE.to_i128().is_some() { 1.0 } else { f64::MIN_POSITIVE };
    // a sum of floats may be infinite
    let width = if width.is_finite() { width } else { max };
    width.max(max / MAX_BUCKETS).max(least)
}

/// The typical weight: the mean, or twice the median if that is less. If a few weights are many
/// times as great as the others, the others decide how far the frontier moves. The median is of a
/// sample, and is ignored if it is zero.
pub fn typical(median: f64, mean: f64) -> f64 {
    if median > 0.0 { mean.min(2.0 * median) } else { mean }
}

/// Whether the mean degree of `n_linked` vertices with arcs is high.
pub fn has_many_arcs(n_arcs: usize, n_linked: usize) -> bool {
    n_arcs >= MIN_DEGREE * n_linked
}

/// The limit of short arcs for this greatest weight; `None` if none lies above zero and below it.
pub fn limit_below<W: Weight>(max_weight: W) -> Option<W> {
    let limit = max_weight.to_f64() / LIMITS_PER_WEIGHT;
    // integers are rounded up
    let limit = W::from_f64(limit).or_else(|| W::from_f64(limit.ceil()))?;
    (W::ZERO < limit && limit < max_weight).then_some(limit)
}

/// Whether enough arcs are long for deferring to pay. If a few weights are many times as great as
/// the others, nearly all arcs are short.
pub fn defers_enough(n_short: usize, n_arcs: usize) -> bool {
    2 * n_short <= n_arcs
}
