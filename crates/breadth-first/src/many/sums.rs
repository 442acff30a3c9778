//! The sums of hops of every vertex.

use graph_formats::VertexId;
use paths::HopSums;
use rayon::prelude::*;
use search_parts::SearchError;

use super::bits::{Bits, count, is_empty};
use super::processor::{Loop, run};
use super::search::{Found, GoesOn};

/// Vertices whose sums a task adds up.
const SUMMED_PER_TASK: usize = 1 << 12;

/// The sums of one vertex. They lie side by side, since levels have vertices in any order.
#[derive(Clone, Copy, Default)]
struct Sum {
    reciprocals: u128,
    hops: u64,
    n_sources: u32,
    greatest: u32,
}

/// The sums of the batches of one thread or one team; calls `goes_on` at every level.
pub(super) struct Sums<'a> {
    of: Vec<Sum>,
    by_hop: Vec<u64>,
    is_team: bool,
    goes_on: GoesOn<'a>,
}

impl<'a> Sums<'a> {
    pub(super) fn new(n_vertices: usize, is_team: bool, goes_on: GoesOn<'a>) -> Self {
        Self { of: vec![Sum::default(); n_vertices], by_hop: Vec::new(), is_team, goes_on }
    }

    /// Adds these sums to `sums`.
    pub(super) fn add_to(&self, sums: &mut HopSums) {
        for (v, sum) in self.of.iter().enumerate() {
            sums.n_sources[v] += sum.n_sources;
            sums.sums[v] += sum.hops;
            sums.greatest[v] = sums.greatest[v].max(sum.greatest);
            sums.reciprocals[v] += sum.reciprocals;
        }
        sums.add_pairs(&self.by_hop);
    }
}

impl<const N: usize> Found<N> for Sums<'_> {
    fn level(
        &mut self,
        hops: u32,
        vertices: &[VertexId],
        bits: &[Bits<N>],
    ) -> Result<(), SearchError> {
        (self.goes_on)()?;
        let level = Level { hops, reciprocal: HopSums::reciprocal(hops) };
        let pairs = if self.is_team && vertices.len() > SUMMED_PER_TASK {
            let tasks =
                self.of.par_chunks_mut(SUMMED_PER_TASK).zip(bits.par_chunks(SUMMED_PER_TASK));
            tasks.map(|(of, bits)| run(AddAll { level, bits, of })).sum()
        } else {
            run(AddSome { level, vertices, bits, of: &mut self.of })
        };
        if pairs > 0 {
            let hops = hops as usize;
            self.by_hop.resize(self.by_hop.len().max(hops + 1), 0);
            self.by_hop[hops] += pairs;
        }
        Ok(())
    }
}

/// The summands of one source on this level.
#[derive(Clone, Copy)]
struct Level {
    hops: u32,
    reciprocal: u128,
}

impl Level {
    #[inline(always)]
    fn add<const N: usize>(self, bits: &Bits<N>, sum: &mut Sum) -> u64 {
        let n = count(bits);
        sum.n_sources += n;
        sum.hops += u64::from(n) * u64::from(self.hops);
        sum.greatest = sum.greatest.max(self.hops);
        sum.reciprocals += u128::from(n) * self.reciprocal;
        u64::from(n)
    }
}

/// Adds to the sums of the listed vertices.
struct AddSome<'a, const N: usize> {
    level: Level,
    vertices: &'a [VertexId],
    bits: &'a [Bits<N>],
    of: &'a mut [Sum],
}

impl<const N: usize> Loop for AddSome<'_, N> {
    type Result = u64;

    #[inline(always)]
    fn run(self) -> u64 {
        let mut pairs = 0;
        for &vertex in self.vertices {
            let vertex = vertex as usize;
            pairs += self.level.add(&self.bits[vertex], &mut self.of[vertex]);
        }
        pairs
    }
}

/// Adds to the sums of a range of vertices, most of which have bits.
struct AddAll<'a, const N: usize> {
    level: Level,
    bits: &'a [Bits<N>],
    of: &'a mut [Sum],
}

impl<const N: usize> Loop for AddAll<'_, N> {
    type Result = u64;

    #[inline(always)]
    fn run(self) -> u64 {
        let mut pairs = 0;
        for i in 0..self.of.len() {
            if !is_empty(&self.bits[i]) {
                pairs += self.level.add(&self.bits[i], &mut self.of[i]);
            }
        }
        pairs
    }
}
