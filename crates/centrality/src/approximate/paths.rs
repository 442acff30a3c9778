//! A random shortest path of a random pair, on the CPU.
//!
//! Searches go out of the first vertex of a pair and against the arcs from the last. Each step takes
//! the side whose last level has fewer arcs. The arcs are first searched for ends on the last level
//! of the other side; if there is one, all shortest paths have such an arc in the middle. Only
//! otherwise is the next level found, whose vertices get their numbers of paths. Most of what is
//! read so is ends of arcs in the order of memory: a [filter](Filter) of some bits excludes nearly
//! all of them, before anything is read at a random place.
//!
//! The arc in the middle is chosen with the product of the numbers of paths of its ends as its
//! weight, and each step to either end with that of the vertex before. So each shortest path is as
//! likely as another. Several paths of a pair would share its searches, but they are much alike: on
//! R-MAT 20 four paths save a quarter of the pairs, and no time.
//!
//! How it differs from the paper: the levels of both sides never overlap, and candidates run a race
//! instead of being numbered.
//!
//! O(n + m) a pair at worst, on many graphs far less. 24 bytes a vertex for each thread.
//!
//! Reference: borassi-natale-2019

use graph_formats::{Csr, VertexId};
use search_parts::prefetch;

use super::draws::{Draws, Race};
use crate::betweenness::single::Vertex;

/// Arcs between the one that is read and the one whose end is prefetched.
const AHEAD: usize = 16;
/// Arcs of a level from which on a filter pays.
const MIN_ARCS_TO_FILTER: usize = 512;

/// The graph, and its arcs the other way round.
pub(super) struct Sampler<'g> {
    pub(super) out: &'g Csr<u32>,
    pub(super) into: &'g Csr<u32>,
    pub(super) seed: u64,
}

/// The work space of a pair after another. Its arrays take no memory until they are written.
pub(super) struct Space {
    /// Zero between two pairs. A mark is twice the level, plus 2 on the side of the first vertex and
    /// 3 on that of the last.
    of: Vec<Vertex>,
    sides: [Side; 2],
    filter: Filter,
}

/// The vertices that a side has found.
struct Side {
    found: Vec<VertexId>,
    /// Where the last level begins,
    begin: usize,
    /// which it is,
    level: u32,
    /// and how many arcs it has.
    n_arcs: usize,
}

impl Side {
    fn last(&self) -> &[VertexId] {
        &self.found[self.begin..]
    }
}

/// Who has won a race so far.
#[derive(Clone, Copy)]
struct Winner {
    time: f64,
    arc: usize,
    ends: [VertexId; 2],
}

impl Winner {
    const NONE: Self = Self { time: f64::INFINITY, arc: usize::MAX, ends: [0; 2] };

    fn race(&mut self, other: Self) {
        if (other.time, other.arc) < (self.time, self.arc) {
            *self = other;
        }
    }
}

impl Space {
    pub(super) fn new(n_vertices: usize) -> Self {
        let side = || Side { found: Vec::new(), begin: 0, level: 0, n_arcs: 0 };
        Self {
            of: vec![Vertex::default(); n_vertices],
            sides: [side(), side()],
            filter: Filter(vec![0; Filter::WORDS]),
        }
    }

    fn mark(&self, side: usize) -> u32 {
        2 * self.sides[side].level + 2 + side as u32
    }

    fn start(&mut self, graph: &Csr<u32>, side: usize, vertex: VertexId) {
        let found = &mut self.sides[side];
        found.found.clear();
        found.found.push(vertex);
        (found.begin, found.level, found.n_arcs) = (0, 0, graph.out_degree(vertex));
        self.of[vertex as usize] = Vertex { paths: 1.0, scale: 0, mark: self.mark(side) };
    }

    /// Ends a pair.
    fn clear(&mut self) {
        let found = self.sides.iter().flat_map(|side| &side.found);
        found.for_each(|&vertex| self.of[vertex as usize] = Vertex::default());
    }
}

impl Sampler<'_> {
    /// Calls `inside` with each vertex inside the path of a pair, and returns how many there are.
    pub(super) fn sample(&self, sample: u64, space: &mut Space, inside: &dyn Fn(VertexId)) -> u32 {
        let draws = Draws::new(self.seed, sample);
        let [first, last] = draws.pair(self.out.n_vertices());
        space.start(self.out, 0, first);
        space.start(self.into, 1, last);
        let middle = loop {
            let side = usize::from(space.sides[1].n_arcs < space.sides[0].n_arcs);
            if space.sides[side].n_arcs == 0 {
                break None;
            }
            let graph = [self.out, self.into][side];
            if let Some(arc) = meet(graph, space, side, draws) {
                break Some(arc);
            }
            expand(graph, space, side);
        };
        let n_inside = middle.map_or(0, |[before, after]| {
            self.walk(space, before, draws.of_race(Race::Back), inside);
            self.walk(space, after, draws.of_race(Race::On), inside);
            space.sides.iter().map(|side| side.level).sum()
        });
        space.clear();
        n_inside
    }

    /// Calls `inside` with the vertices of a random shortest path from here to the end of its side,
    /// which is left out.
    fn walk(&self, space: &Space, mut vertex: VertexId, draws: Draws, inside: &dyn Fn(VertexId)) {
        let mut mark = space.of[vertex as usize].mark;
        let graph = [self.into, self.out][mark as usize % 2];
        while mark > 3 {
            inside(vertex);
            mark -= 2;
            if mark <= 3 {
                break;
            }
            let mut winner = Winner::NONE;
            for (arc, &before) in graph.row(vertex).zip(graph.ends_from(vertex)) {
                let of = space.of[before as usize];
                if of.mark == mark {
                    let time = draws.time(arc, of.ln_paths());
                    winner.race(Winner { time, arc, ends: [before; 2] });
                }
            }
            vertex = winner.ends[0];
        }
    }
}

/// Looks for arcs from the last level of a side to that of the other. The ends of the arc in the
/// middle of the path, that on the side of the first vertex first.
fn meet(graph: &Csr<u32>, space: &mut Space, side: usize, draws: Draws) -> Option<[VertexId; 2]> {
    let wanted = space.mark(1 - side);
    let Space { of, sides, filter } = space;
    let draws = draws.of_race(Race::Middle);
    let mut winner = Winner::NONE;
    let others = sides[1 - side].last();
    let is_filtered = sides[side].n_arcs >= MIN_ARCS_TO_FILTER;
    if is_filtered {
        others.iter().for_each(|&vertex| filter.insert(vertex));
    }
    for &tail in sides[side].last() {
        for (arc, &head) in graph.row(tail).zip(graph.ends_from(tail)) {
            if is_filtered && !filter.may_have(head) {
                continue;
            }
            let (from, to) = (of[tail as usize], of[head as usize]);
            if to.mark == wanted {
                let time = draws.time(arc, from.ln_paths() + to.ln_paths());
                winner.race(Winner { time, arc, ends: [tail, head] });
            }
        }
    }
    if is_filtered {
        others.iter().for_each(|&vertex| filter.remove(vertex));
    }
    let [tail, head] = winner.ends;
    (winner.arc != usize::MAX).then_some(if side == 0 { [tail, head] } else { [head, tail] })
}

/// Finds the next level of a side, which has no arc to the other side.
fn expand(graph: &Csr<u32>, space: &mut Space, side: usize) {
    let Space { of, sides, .. } = space;
    let Side { found, begin, level, n_arcs } = &mut sides[side];
    *level += 1;
    *n_arcs = 0;
    let mark = 2 * *level + 2 + side as u32;
    let end = found.len();
    for at in *begin..end {
        let tail = found[at];
        let from = of[tail as usize].scaled();
        let heads = graph.ends_from(tail);
        for (at, &head) in heads.iter().enumerate() {
            if let Some(&ahead) = heads.get(at + AHEAD) {
                prefetch(of, ahead as usize);
            }
            let vertex = &mut of[head as usize];
            if vertex.mark == 0 {
                *vertex = Vertex { mark, ..from };
                found.push(head);
                *n_arcs += graph.out_degree(head);
            } else if vertex.mark == mark {
                vertex.add(from);
            }
        }
    }
    *begin = end;
}

/// A set of vertices by some of their bits: it may have others too.
struct Filter(Vec<u64>);

impl Filter {
    const WORDS: usize = 1 << 11;

    #[inline(always)]
    fn place(vertex: VertexId) -> (usize, u64) {
        let hash = vertex.wrapping_mul(0x9e37_79b1) >> 15;
        (hash as usize / 64, 1 << (hash % 64))
    }

    fn insert(&mut self, vertex: VertexId) {
        let (word, bit) = Self::place(vertex);
        self.0[word] |= bit;
    }

    fn remove(&mut self, vertex: VertexId) {
        self.0[Self::place(vertex).0] = 0;
    }

    #[inline(always)]
    fn may_have(&self, vertex: VertexId) -> bool {
        let (word, bit) = Self::place(vertex);
        self.0[word] & bit != 0
    }
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;

    use sssp::{Goal, Solver};
    use test_support::{scattered, undirected};

    use super::*;

    /// The pair of a sample, the vertices inside its path, and how many it says there are.
    fn draw(
        graph: &Csr<u32>,
        sample: u64,
        space: &mut Space,
    ) -> ([VertexId; 2], Vec<VertexId>, u32) {
        let transposed = graph.transposed();
        let sampler = Sampler { out: graph, into: &transposed, seed: 7 };
        let inside = RefCell::new(Vec::new());
        let n = sampler.sample(sample, space, &|vertex| inside.borrow_mut().push(vertex));
        (Draws::new(7, sample).pair(graph.n_vertices()), inside.into_inner(), n)
    }

    /// The vertices inside are one for each distance between the ends.
    #[test]
    fn paths_are_shortest() {
        for graph in [scattered(60, 2), scattered(60, 5), undirected(&scattered(60, 2))] {
            let graph = graph.unweighted();
            let mut solver = Solver::new(&graph, &sssp::Config::default()).unwrap();
            let mut row = |source| solver.distances(source, Goal::All).unwrap().answer;
            let rows: Vec<_> = graph.vertices().map(&mut row).collect();
            let mut space = Space::new(60);
            for sample in 0..1000 {
                let ([first, last], mut inside, n) = draw(&graph, sample, &mut space);
                let length = rows[first as usize].get(last).unwrap_or(1);
                assert_eq!((inside.len() as u64, u64::from(n)), (length - 1, length - 1));
                inside.sort_unstable_by_key(|&vertex| rows[first as usize].get(vertex));
                for (at, &vertex) in (1..).zip(&inside) {
                    assert_eq!(rows[first as usize].get(vertex), Some(at));
                    assert_eq!(rows[vertex as usize].get(last), Some(length - at));
                }
            }
            assert!(space.of.iter().all(|vertex| vertex.mark == 0));
        }
    }

    /// Of three paths, two are parallel at first, and meet the third at the end.
    #[test]
    fn paths_are_equally_likely() {
        let arcs = [(0, 1, 1), (0, 1, 1), (0, 2, 1), (1, 3, 1), (2, 3, 1), (3, 4, 1), (4, 5, 1)];
        let graph = Csr::from_arcs(6, &arcs).unwrap();
        let mut space = Space::new(6);
        let drawn = (0..30_000).map(|sample| draw(&graph, sample, &mut space));
        let drawn: Vec<_> = drawn.filter(|(pair, ..)| *pair == [0, 5]).collect();
        let first = drawn.iter().filter(|(_, inside, _)| inside.contains(&1)).count();
        // 1000 are expected, and two thirds of them; five standard deviations are 75
        assert!((850..1150).contains(&drawn.len()), "{}", drawn.len());
        let expected = drawn.len() * 2 / 3;
        assert!((expected - 75..expected + 75).contains(&first), "{first} of {}", drawn.len());
    }
}
