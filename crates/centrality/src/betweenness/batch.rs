//! The dependencies of eight sources at once, in hops.
//!
//! Where levels are few and large, most vertices are on the same level from many sources. An arc is
//! then read once for all of these sources, and the numbers of a vertex, one for each source, fill
//! one cache line. A bit for each source says whether its search found the vertex before the current
//! level, and on the way back, whether its dependency is already known. An arc from a level to a
//! vertex with a known dependency leads to the next level.
//!
//! In an undirected graph both ways go along the arcs of the side that has fewer. Out, these are the
//! arcs of the level, or of all vertices that some source has not found. Back, they are those of the
//! level, or of the next one. R-MAT graphs have most arcs on levels in the middle, and most vertices
//! on those after them. Scores of arcs are terms of what a vertex gets back along its own arcs, so
//! these are always those of the level.
//!
//! O(l·m) for all eight, where a vertex is on l different levels; 131 bytes a vertex, and 8 for each
//! level that it is on.
//!
//! Reference: then-2015, beamer-2012

use std::ops::Range;

use graph_formats::{Csr, Direction, VertexId};
use sssp::SsspError;

use super::Scored;
use super::single::GoesOn;
use super::trees::Standing;

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

    /// The products with the numbers of `other`.
    fn times(&self, other: &Self) -> Self {
        Self(std::array::from_fn(|lane| self.0[lane] * other.0[lane]))
    }

    /// The sum of the products with the numbers of `other` that have a bit.
    #[inline(always)]
    fn products(&self, other: &Self, bits: u8) -> f64 {
        let mut those = Self::ZERO;
        those.add(other, bits);
        self.times(&those).sum()
    }
}

/// The work space of a batch after another.
pub(super) struct Batch {
    /// The numbers of shortest paths; on the way back, what targets the vertex stands for and the
    /// dependency, divided by this number.
    of: Vec<Lanes>,
    /// What vertices of a level pass back.
    passed: Vec<Lanes>,
    /// Which sources have found a vertex on the levels so far,
    seen: Vec<u8>,
    /// and which on the next, or on this one.
    marks: Vec<u8>,
    /// Vertices, and the sources that have found them, level by level,
    found: Vec<(VertexId, u8)>,
    /// and where each level ends, and how many arcs it has.
    levels: Vec<Level>,
    /// Vertices that some source has not found, once these are looked at.
    left: Option<Vec<VertexId>>,
    hits: Hits,
}

/// The end of a level in the list, and the arcs of its vertices.
#[derive(Clone, Copy)]
struct Level {
    end: usize,
    n_arcs: usize,
}

/// Arcs that matter, their bits and places, sorted out before their heads are read, so that a
/// mispredicted branch does not wait for memory.
struct Hits([(VertexId, u8, u8); CHUNK]);

impl Hits {
    /// Those of up to CHUNK heads to which `bits` gives some.
    #[inline(always)]
    fn among(&mut self, heads: &[VertexId], bits: impl Fn(usize) -> u8) -> &[(VertexId, u8, u8)] {
        let mut n = 0;
        for (at, &head) in (0..=u8::MAX).zip(heads) {
            let bits = bits(head as usize);
            self.0[n] = (head, bits, at);
            n += usize::from(bits != 0);
        }
        &self.0[..n]
    }
}

impl Batch {
    pub(super) fn new(n_vertices: usize) -> Self {
        Self {
            of: vec![Lanes::ZERO; n_vertices],
            passed: vec![Lanes::ZERO; n_vertices],
            seen: vec![0; n_vertices],
            marks: vec![0; n_vertices],
            found: Vec::new(),
            levels: Vec::new(),
            left: None,
            hits: Hits([(0, 0, 0); CHUNK]),
        }
    }

    /// Adds the dependencies of `sources`, different vertices, on all others or on arcs to `sums`;
    /// false, and nothing is added, where there are too many paths.
    pub(super) fn add_dependencies(
        &mut self,
        graph: &Csr<u32>,
        standing: &Standing,
        scored: Scored,
        sources: &[VertexId],
        sums: &mut [f64],
        goes_on: GoesOn<'_>,
    ) -> Result<bool, SsspError> {
        self.of.fill(Lanes::ZERO);
        self.seen.fill(0);
        self.found.clear();
        self.levels.clear();
        self.left = None;
        for (lane, &source) in sources.iter().enumerate() {
            self.of[source as usize].0[lane] = 1.0;
            self.seen[source as usize] = 1 << lane;
            self.found.push((source, 1 << lane));
        }
        let all = u8::MAX >> (LANES - sources.len());
        let both_ways = graph.direction() == Direction::Undirected;
        let mut arcs_left = graph.n_arcs();
        let mut start = 0;
        while start < self.found.len() {
            goes_on()?;
            let level = self.end_level(graph, start);
            let of_level = &self.found[start..level.end];
            let ended = of_level.iter().filter(|&&(vertex, _)| self.seen[vertex as usize] == all);
            arcs_left -= ended.map(|&(vertex, _)| graph.out_degree(vertex)).sum::<usize>();
            let is_counted = match both_ways && arcs_left < level.n_arcs {
                true => self.pull_next(graph, start..level.end, all),
                false => self.push_next(graph, start..level.end),
            };
            if !is_counted {
                self.marks.fill(0);
                return Ok(false);
            }
            start = level.end;
        }
        self.seen.fill(0);
        let mut of_sources = Lanes::ZERO;
        for (share, &source) in of_sources.0.iter_mut().zip(sources) {
            *share = standing.sources[source as usize];
        }
        for level in (1..self.levels.len()).rev() {
            goes_on()?;
            let of_level = self.levels[level - 1].end..self.levels[level].end;
            match (scored, self.levels.get(level + 1)) {
                (Scored::Arcs, _) => {
                    self.pull_back_to_arcs(graph, of_level.clone(), &of_sources, sums);
                }
                (Scored::Vertices, Some(next))
                    if both_ways && next.n_arcs < self.levels[level].n_arcs =>
                {
                    self.push_back(graph, of_level.clone(), of_level.end..next.end);
                }
                (Scored::Vertices, _) => self.pull_back(graph, of_level.clone()),
            }
            let add = |vertex: usize, dependency| match scored {
                Scored::Vertices => sums[vertex] += dependency,
                Scored::Arcs => {}
            };
            self.end_way_back(&standing.targets, &of_sources, of_level, add);
        }
        if scored == Scored::Arcs {
            self.pull_back_to_arcs(graph, 0..self.levels[0].end, &of_sources, sums);
        }
        Ok(true)
    }

    /// Ends the last level, which has that start.
    fn end_level(&mut self, graph: &Csr<u32>, start: usize) -> Level {
        let n_arcs = self.found[start..].iter().map(|&(vertex, _)| graph.out_degree(vertex)).sum();
        let level = Level { end: self.found.len(), n_arcs };
        self.levels.push(level);
        level
    }

    /// Finds the vertices after a level along its arcs; false where there are too many paths.
    fn push_next(&mut self, graph: &Csr<u32>, level: Range<usize>) -> bool {
        let Self { of, seen, marks, found, hits, .. } = self;
        let end = level.end;
        for at in level {
            let (vertex, sources) = found[at];
            let paths = of[vertex as usize];
            for heads in graph.ends_from(vertex).chunks(CHUNK) {
                for &(head, finds, _) in hits.among(heads, |head| sources & !seen[head]) {
                    let head_of = head as usize;
                    if marks[head_of] == 0 {
                        found.push((head, 0));
                    }
                    marks[head_of] |= finds;
                    of[head_of].add(&paths, finds);
                }
            }
        }
        for (vertex, sources) in &mut found[end..] {
            let vertex = *vertex as usize;
            *sources = std::mem::take(&mut marks[vertex]);
            seen[vertex] |= *sources;
            if of[vertex].sum() > MAX_PATHS {
                return false;
            }
        }
        true
    }

    /// The same along the arcs of the vertices that some of `all` sources have not found.
    fn pull_next(&mut self, graph: &Csr<u32>, level: Range<usize>, all: u8) -> bool {
        let Self { of, seen, marks, found, left, hits, .. } = self;
        let left = left.get_or_insert_with(|| graph.vertices().collect());
        left.retain(|&vertex| seen[vertex as usize] != all && graph.out_degree(vertex) > 0);
        found[level.clone()].iter().for_each(|&(vertex, bits)| marks[vertex as usize] = bits);
        let mut fit = true;
        for &vertex in &*left {
            let wanted = all & !seen[vertex as usize];
            let (mut paths, mut finds) = (Lanes::ZERO, 0);
            for tails in graph.ends_from(vertex).chunks(CHUNK) {
                for &(tail, bits, _) in hits.among(tails, |tail| marks[tail] & wanted) {
                    paths.add(&of[tail as usize], bits);
                    finds |= bits;
                }
            }
            if finds != 0 {
                let of = &mut of[vertex as usize];
                of.add(&paths, finds);
                fit &= of.sum() <= MAX_PATHS;
                seen[vertex as usize] |= finds;
                found.push((vertex, finds));
            }
        }
        found[level].iter().for_each(|&(vertex, _)| marks[vertex as usize] = 0);
        fit
    }

    /// Finds what the vertices of a level get back, along their arcs.
    fn pull_back(&mut self, graph: &Csr<u32>, level: Range<usize>) {
        let Self { of, passed, seen, found, hits, .. } = self;
        for &(vertex, sources) in &found[level] {
            let mut sum = Lanes::ZERO;
            for heads in graph.ends_from(vertex).chunks(CHUNK) {
                for &(head, next, _) in hits.among(heads, |head| sources & seen[head]) {
                    sum.add(&of[head as usize], next);
                }
            }
            passed[vertex as usize] = sum;
        }
    }

    /// The same, with the dependencies on these arcs.
    fn pull_back_to_arcs(
        &mut self,
        graph: &Csr<u32>,
        level: Range<usize>,
        of_sources: &Lanes,
        sums: &mut [f64],
    ) {
        let Self { of, passed, seen, found, hits, .. } = self;
        for &(vertex, sources) in &found[level] {
            let paths = of[vertex as usize].times(of_sources);
            let mut sum = Lanes::ZERO;
            let rows = graph.ends_from(vertex).chunks(CHUNK);
            for (heads, sums) in rows.zip(sums[graph.row(vertex)].chunks_mut(CHUNK)) {
                for &(head, next, at) in hits.among(heads, |head| sources & seen[head]) {
                    sum.add(&of[head as usize], next);
                    sums[usize::from(at)] += paths.products(&of[head as usize], next);
                }
            }
            passed[vertex as usize] = sum;
        }
    }

    /// The same along the arcs of the next level.
    fn push_back(&mut self, graph: &Csr<u32>, level: Range<usize>, next: Range<usize>) {
        let Self { of, passed, marks, found, hits, .. } = self;
        for &(vertex, bits) in &found[level.clone()] {
            marks[vertex as usize] = bits;
            passed[vertex as usize] = Lanes::ZERO;
        }
        for &(vertex, sources) in &found[next] {
            let back = of[vertex as usize];
            for tails in graph.ends_from(vertex).chunks(CHUNK) {
                for &(tail, bits, _) in hits.among(tails, |tail| sources & marks[tail]) {
                    passed[tail as usize].add(&back, bits);
                }
            }
        }
        found[level].iter().for_each(|&(vertex, _)| marks[vertex as usize] = 0);
    }

    /// Calls `add` with the dependencies on the vertices of a level, from what they got back.
    fn end_way_back(
        &mut self,
        targets: &[f64],
        of_sources: &Lanes,
        level: Range<usize>,
        mut add: impl FnMut(usize, f64),
    ) {
        let Self { of, passed, seen, found, .. } = self;
        for &(vertex, sources) in &found[level] {
            let vertex = vertex as usize;
            seen[vertex] |= sources;
            for lane in (0..LANES).filter(|lane| sources >> lane & 1 == 1) {
                let paths = of[vertex].0[lane];
                let dependency = paths * passed[vertex].0[lane];
                add(vertex, of_sources.0[lane] * dependency);
                of[vertex].0[lane] = (targets[vertex] + dependency) / paths;
            }
        }
    }
}
