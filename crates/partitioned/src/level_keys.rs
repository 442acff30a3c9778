//! The keys of levels, for graphs whose arcs all have the same weight.

use graph_formats::{DistanceKey, Weight};
use sssp::over_parts::{FullKey, FullKeys, KeyArithmetic};

use crate::levels::UNREACHED;

/// The keys of levels: multiples of one weight, as repeated sums.
pub(crate) struct LevelKeys<W: Weight> {
    weight: W,
    keys: Vec<FullKey<W>>,
}

impl<W: Weight> LevelKeys<W> {
    pub(crate) fn new(weight: W) -> Self {
        Self { weight, keys: vec![FullKey::<W>::LEAST] }
    }

    /// The key of a level; the greatest if it does not fit.
    fn get(&mut self, level: u32) -> FullKey<W> {
        while self.keys.len() <= level as usize {
            let last = self.keys[self.keys.len() - 1];
            let next = match last == FullKey::<W>::GREATEST {
                true => last,
                false => <FullKeys as KeyArithmetic<W>>::after(last, self.weight),
            };
            self.keys.push(next);
        }
        self.keys[level as usize]
    }

    /// The keys of the levels up to `deepest`, and that of unreached vertices.
    pub(crate) fn up_to(&mut self, deepest: u32) -> Vec<FullKey<W>> {
        self.get(deepest);
        let mut keys = self.keys[..=deepest as usize].to_vec();
        keys.push(FullKey::<W>::GREATEST);
        keys
    }

    /// The last level within a limit, of a graph of this many vertices.
    pub(crate) fn last_within(&mut self, limit: u64, n_vertices: usize) -> u32 {
        let beyond = (1..n_vertices as u32).find(|&level| self.get(level).to_u64() > limit);
        beyond.map_or(UNREACHED, |level| level - 1)
    }
}
