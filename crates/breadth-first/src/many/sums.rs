//! The sums of hops of every vertex.

use graph_formats::VertexId;
use multiversion::multiversion;
use paths::HopSums;
use rayon::prelude::*;

use super::bits::{Bits, count, is_empty};
use super::search::Found;

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

impl Sum {
    /// Adds `n` sources that are `hops` away, a number of 32 bits. Returns their number.
    #[inline(always)]
    fn add(&mut self, n: u32, hops: u64, reciprocal: u128) -> u64 {
        self.n_sources += n;
        self.hops += u64::from(n) * hops;
        self.greatest = self.greatest.max(hops as u32);
        self.reciprocals += u128::from(n) * reciprocal;
        u64::from(n)
    }
}

/// The sums of the batches of one thread or one team.
pub(super) struct Sums {
    of: Vec<Sum>,
    by_hop: Vec<u64>,
    is_team: bool,
}

impl Sums {
    pub(super) fn new(n_vertices: usize, is_team: bool) -> Self {
        Self { of: vec![Sum::default(); n_vertices], by_hop: Vec::new(), is_team }
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

impl Found for Sums {
    fn level<const N: usize>(&mut self, hops: u32, vertices: &[VertexId], bits: &[Bits<N>]) {
        let reciprocal = HopSums::reciprocal(hops);
        let pairs = if self.is_team && vertices.len() > SUMMED_PER_TASK {
            let tasks =
                self.of.par_chunks_mut(SUMMED_PER_TASK).zip(bits.par_chunks(SUMMED_PER_TASK));
            tasks.map(|(of, bits)| add(hops.into(), reciprocal, None, bits, of)).sum()
        } else {
            add(hops.into(), reciprocal, Some(vertices), bits, &mut self.of)
        };
        if pairs > 0 {
            let hops = hops as usize;
            self.by_hop.resize(self.by_hop.len().max(hops + 1), 0);
            self.by_hop[hops] += pairs;
        }
    }
}

/// Adds the sources that are `hops` away from each vertex to its sums. Returns their number.
/// `vertices` are those with bits, unless most have some.
///
/// The hops are of 32 bits, but would take two registers of the loop if their type were `u32`.
// popcnt is no part of AVX-512
#[multiversion(targets("x86_64+avx512vpopcntdq+popcnt", "x86_64+avx2+popcnt"))]
fn add<const N: usize>(
    hops: u64,
    reciprocal: u128,
    vertices: Option<&[VertexId]>,
    bits: &[Bits<N>],
    of: &mut [Sum],
) -> u64 {
    let mut pairs = 0;
    match vertices {
        Some(vertices) => {
            for vertex in vertices.iter().map(|&vertex| vertex as usize) {
                pairs += of[vertex].add(count(&bits[vertex]), hops, reciprocal);
            }
        }
        None => {
            for (sum, bits) in of.iter_mut().zip(bits) {
                if !is_empty(bits) {
                    pairs += sum.add(count(bits), hops, reciprocal);
                }
            }
        }
    }
    pairs
}
