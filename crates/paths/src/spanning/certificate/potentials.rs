//! A lower bound on the cost of spanning arborescences, proved by potentials of sets of vertices.
//!
//! A set without the root is entered by every spanning arborescence. So if each set has a
//! potential, and no arc costs less than the potentials of the sets that it enters add up
//! to, then no spanning arborescence costs less than all potentials together. A potential
//! must not be negative, but that of a single vertex may, which is entered exactly once.
//!
//! The sets and potentials are those of Edmonds' proof, found by growing paths. The set at the end
//! of a path takes as its potential the least cost of an arc into it, less the potentials of the
//! sets within. The arc extends the path backwards to another set. If that set lies on the path,
//! all sets from there on become one. Priority queues of the arcs into each set are merged, the
//! smaller into the larger: O(m log² m) time.
//!
//! Reference: edmonds-1967, gabow-1986

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::merges::Merges;

/// An arc and what it costs.
#[derive(Clone, Copy, Debug)]
pub(super) struct Arc {
    pub(super) tail: usize,
    pub(super) head: usize,
    pub(super) cost: i128,
}

/// The cost of the cheapest spanning arborescence at `root`, which is the bound; `None` if there is
/// none.
pub(super) fn least_cost(n: usize, root: usize, arcs: &[Arc]) -> Option<i128> {
    let (sets, merges) = grow(n, root, arcs)?;
    assert!(is_feasible(n, root, arcs, &sets, &merges), "no arc costs less than its potentials");
    Some(sets.iter().map(|set| set.potential).sum())
}

/// A vertex, or the union of sets.
#[derive(Clone, Copy, Default)]
struct Set {
    potential: i128,
    /// The set that it is part of, which has a greater number.
    within: Option<usize>,
}

/// The arcs into a set, by their cost above `lowered`, with their positions.
#[derive(Default)]
struct Entering {
    queue: BinaryHeap<Reverse<(i128, usize)>>,
    lowered: i128,
}

impl Entering {
    fn absorb(&mut self, mut other: Self) {
        if self.queue.len() < other.queue.len() {
            std::mem::swap(self, &mut other);
        }
        let shift = self.lowered - other.lowered;
        self.queue.extend(other.queue.into_iter().map(|Reverse((c, at))| Reverse((c + shift, at))));
    }
}

/// The state of a set that is not part of another.
#[derive(Clone, Copy, PartialEq)]
enum State {
    New,
    OnPath,
    /// Arcs that were chosen lead to it from the root.
    Settled,
}

/// The sets, single vertices first, and the steps at which their vertices came together; `None` if
/// the root does not reach all vertices.
fn grow(n: usize, root: usize, arcs: &[Arc]) -> Option<(Vec<Set>, Merges)> {
    let mut sets = vec![Set::default(); n];
    let mut merges = Merges::new(n);
    // these are indexed by the root of a set
    let mut set_of: Vec<usize> = (0..n).collect();
    let mut entering: Vec<Entering> = (0..n).map(|_| Entering::default()).collect();
    for (at, arc) in arcs.iter().enumerate() {
        entering[arc.head].queue.push(Reverse((arc.cost, at)));
    }
    let mut states = vec![State::New; n];
    states[root] = State::Settled;
    for start in 0..n {
        let mut path = Vec::new();
        let mut v = merges.root(start);
        while states[v] != State::Settled {
            let Reverse((cost, at)) = entering[v].queue.pop()?;
            let tail = merges.root(arcs[at].tail);
            if tail == v {
                continue;
            }
            let cost = cost - entering[v].lowered;
            sets[set_of[v]].potential = cost;
            entering[v].lowered += cost;
            path.push(v);
            states[v] = State::OnPath;
            v = tail;
            if states[tail] != State::OnPath {
                continue;
            }
            let union = sets.len();
            sets.push(Set::default());
            let mut arcs_into = Entering::default();
            while states[tail] == State::OnPath {
                let member = path.pop().expect("the tail lies on the path");
                states[member] = State::New;
                sets[set_of[member]].within = Some(union);
                arcs_into.absorb(std::mem::take(&mut entering[member]));
                merges.merge(tail, member, union);
            }
            v = merges.root(tail);
            (set_of[v], entering[v]) = (union, arcs_into);
        }
        path.into_iter().for_each(|v| states[v] = State::Settled);
    }
    Some((sets, merges))
}

/// Whether no potential of several vertices is negative, and no arc costs less than the
/// potentials of the sets that it enters. O(m log n).
fn is_feasible(n: usize, root: usize, arcs: &[Arc], sets: &[Set], merges: &Merges) -> bool {
    // the potentials of a set and of all that it is part of
    let mut sums = vec![0; sets.len()];
    for at in (0..sets.len()).rev() {
        sums[at] = sets[at].potential + sets[at].within.map_or(0, |union| sums[union]);
    }
    sets[n..].iter().all(|set| set.potential >= 0)
        && arcs.iter().filter(|arc| arc.head != root && arc.tail != arc.head).all(|arc| {
            let both = merges.merged_at(arc.tail, arc.head).map_or(0, |union| sums[union]);
            sums[arc.head] - both <= arc.cost
        })
}
