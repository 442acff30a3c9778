//! Random numbers, and a digraph of them: the same on every machine, for figures that are to be
//! measured again.

use std::ops::RangeInclusive;

use anyhow::Result;
use graph_formats::{Csr, VertexId};

/// SplitMix64.
pub(crate) struct Draws(u64);

impl Draws {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub(crate) fn word(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ mixed >> 31
    }

    /// At least 0 and below 1.
    pub(crate) fn fraction(&mut self) -> f64 {
        (self.word() >> 11) as f64 / (1u64 << 53) as f64
    }

    pub(crate) fn below(&mut self, n: usize) -> usize {
        (self.fraction() * n as f64) as usize
    }
}

/// A cycle through all vertices in random order, so that all are reached, and arcs drawn at random,
/// none a loop: `degree` arcs a vertex, their weights drawn from a range.
pub(crate) fn connected(n: usize, degree: usize, weights: RangeInclusive<u32>) -> Result<Csr<u32>> {
    let mut draws = Draws::new(1);
    let mut order: Vec<VertexId> = (0..n as VertexId).collect();
    (1..n).rev().for_each(|i| order.swap(i, draws.below(i + 1)));
    let (least, (n_weights, _)) = (*weights.start(), weights.size_hint());
    let arc = |i| {
        // another vertex, by the steps to it
        let (from, steps) =
            if i < n { (i, 1) } else { (draws.below(n), 1 + draws.below((n - 1).max(1))) };
        (order[from], order[(from + steps) % n], least + draws.below(n_weights) as u32)
    };
    Ok(Csr::from_arcs(n, &(0..degree * n).map(arc).collect::<Vec<_>>())?)
}
