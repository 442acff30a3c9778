//! The dependencies of eight sources at once, in hops.
//!
//! Where levels are few and large, most vertices are on the same level from many sources. An arc is
//! then read once for all of these sources, and the numbers of a vertex, one for each source, fill
//! one cache line. In the forward pass, a bit for each source says whether its search found the
//! vertex before the current level. In the backward pass, the bit says whether the dependency of
//! the source is already known. An arc from a level to a vertex with a known dependency leads to
//! the next level. O(l·m) for all eight, where a vertex is on l different levels; 66 bytes a
//! vertex, and 8 for each level that it is on.
//!
//! Reference: then-2015

use graph_formats::{Csr, VertexId};
use sssp::SsspError;

use super::single::GoesOn;

/// Sources of a batch.
pub(super) const LANES: usize = 8;
/// A sum of numbers of paths from which on they are left to single searches.
const MAX_PATHS: f64 = (1u128 << 127) as f64;

/// Arcs that are sorted out at a time.
const CHUNK: usize = 256;

/// A number for each source.
#[derive(Clone, Copy)]
#[repr(align(64))]
struct Lanes([f64; LANES]);

/// All bits for each source that has one in the index.
const MASKS: [[u64; LANES]; 1 << LANES] = {
    let mut masks = [[0; LANES]; 1 << LANES];
    let mut i = 0;
    while i < LANES << LANES {
        let (bits, lane) = (i / LANES, i % LANES);
        masks[bits][lane] = if bits >> lane & 1 == 1 { u64::MAX } else { 0 };
        i += 1;
    }
    masks
};

impl Lanes {
    const ZERO: Self = Self([0.0; LANES]);

    /// Adds the numbers of the sources that have a bit.
    #[inline(always)]
    fn add(&mut self, other: &Self, bits: u8) {
        let numbers = other.0.iter().zip(&MASKS[bits as usize]);
        for (sum, (number, mask)) in self.0.iter_mut().zip(numbers) {
            *sum += f64::from_bits(number.to_bits() & mask);
        }
    }

    fn sum(&self) -> f64 {
        self.0.iter().sum()
    }
}

/// The work space of a batch after another.
pub(super) struct Batch {
    /// The numbers of shortest paths; on the way back, one more than the dependency, divided by
    /// this number.
    of: Vec<Lanes>,
    /// Which sources have found a vertex on the levels so far,
    seen: Vec<u8>,
    /// and which on the next.
    new: Vec<u8>,
    /// Vertices, and the sources that have found them, level by level,
    found: Vec<(VertexId, u8)>,
    /// and where each level ends.
    ends: Vec<usize>,
    hits: Hits,
}

/// Arcs that matter, sorted out before their heads are read, so that a mispredicted branch
/// does not wait for memory.
struct Hits([(VertexId, u8); CHUNK]);

impl Hits {
    /// Those of up to CHUNK heads to which `bits` gives some.
    #[inline(always)]
    fn among(&mut self, heads: &[VertexId], bits: impl Fn(usize) -> u8) -> &[(VertexId, u8)] {
        let mut n = 0;
        for &head in heads {
            let bits = bits(head as usize);
            self.0[n] = (head, bits);
            n += usize::from(bits != 0);
        }
        &self.0[..n]
    }
}

impl Batch {
    pub(super) fn new(n_vertices: usize) -> Self {
        Self {
            of: vec![Lanes::ZERO; n_vertices],
            seen: vec![0; n_vertices],
            new: vec![0; n_vertices],
            found: Vec::new(),
            ends: Vec::new(),
            hits: Hits([(0, 0); CHUNK]),
        }
    }

    /// Adds the dependencies of `sources`, different vertices, on all others to `sums`; false, and
    /// nothing is added, where there are too many paths.
    pub(super) fn add_dependencies(
        &mut self,
        graph: &Csr<u32>,
        sources: &[VertexId],
        sums: &mut [f64],
        goes_on: GoesOn<'_>,
    ) -> Result<bool, SsspError> {
        self.of.fill(Lanes::ZERO);
        self.seen.fill(0);
        self.found.clear();
        self.ends.clear();
        for (lane, &source) in sources.iter().enumerate() {
            self.of[source as usize].0[lane] = 1.0;
            self.seen[source as usize] = 1 << lane;
            self.found.push((source, 1 << lane));
        }
        self.ends.extend([0, self.found.len()]);
        while self.ends[self.ends.len() - 2] < self.found.len() {
            goes_on()?;
            if !self.next_level(graph) {
                self.new.fill(0);
                return Ok(false);
            }
        }
        self.seen.fill(0);
        for level in (1..self.ends.len() - 1).rev() {
            goes_on()?;
            self.level_before(graph, self.ends[level]..self.ends[level + 1], sums);
        }
        Ok(true)
    }

    /// Finds the vertices after the last level; false where there are too many paths.
    fn next_level(&mut self, graph: &Csr<u32>) -> bool {
        let Self { of, seen, new, found, ends, hits } = self;
        let (start, end) = (ends[ends.len() - 2], ends[ends.len() - 1]);
        for at in start..end {
            let (vertex, sources) = found[at];
            let paths = of[vertex as usize];
            for heads in graph.ends_from(vertex).chunks(CHUNK) {
                for &(head, finds) in hits.among(heads, |head| sources & !seen[head]) {
                    let head_of = head as usize;
                    if new[head_of] == 0 {
                        found.push((head, 0));
                    }
                    new[head_of] |= finds;
                    of[head_of].add(&paths, finds);
                }
            }
        }
        ends.push(found.len());
        for (vertex, sources) in &mut found[end..] {
            let vertex = *vertex as usize;
            *sources = std::mem::take(&mut new[vertex]);
            seen[vertex] |= *sources;
            if of[vertex].sum() > MAX_PATHS {
                return false;
            }
        }
        true
    }

    /// Finds the dependencies on the vertices of a level from those of the next.
    fn level_before(&mut self, graph: &Csr<u32>, level: std::ops::Range<usize>, sums: &mut [f64]) {
        let Self { of, seen, found, hits, .. } = self;
        for &(vertex, sources) in &found[level.clone()] {
            let mut shares = Lanes::ZERO;
            for heads in graph.ends_from(vertex).chunks(CHUNK) {
                for &(head, next) in hits.among(heads, |head| sources & seen[head]) {
                    shares.add(&of[head as usize], next);
                }
            }
            let vertex = vertex as usize;
            for lane in (0..LANES).filter(|lane| sources >> lane & 1 == 1) {
                let paths = of[vertex].0[lane];
                let dependency = paths * shares.0[lane];
                sums[vertex] += dependency;
                of[vertex].0[lane] = (1.0 + dependency) / paths;
            }
        }
        for &(vertex, sources) in &found[level] {
            seen[vertex as usize] |= sources;
        }
    }
}
