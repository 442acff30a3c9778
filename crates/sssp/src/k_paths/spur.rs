//! The search for the shortest path of a class, and the classes that it leaves.
//!
//! A*: from the spur vertex, vertices in the order of their distance from the source plus that to
//! the target, which no path through them can be below. Where nothing is in the way it goes
//! straight along a shortest path; keys have the number of the search that set them, so that it
//! costs what it reaches. It ends when no path as short as the one found is left, so that of those
//! of equal length the first can be taken: arcs of shortest paths are followed from the spur vertex
//! depth first, to the smallest vertex each time. That may end where all is passed already, or what
//! the distance to the target leads through is not to be passed; such a vertex leads nowhere, and is
//! not entered again.
//!
//! Floats are summed in another order from the target than from the source. Bounds are lowered by
//! as much as all rounding can amount to, so that lengths are exact.
//!
//! Reference: hart-1968

use std::rc::Rc;

use graph_formats::{
    Csr, Distance, DistanceKey, NoMemory, VertexId, Weight, WeightKind, ensure_granted,
};

use super::candidate::Candidate;
use crate::Work;
use crate::cpu::queue::{MonotoneQueue, QuaternaryHeap};
use crate::key::{FullKeys, KeyArithmetic};

type Key<W> = <<W as Weight>::Distance as Distance>::Key;

/// What a vertex is to a search that has a key of it.
#[derive(Clone, Copy, PartialEq)]
enum Role {
    /// Not to be passed again: it is before the spur vertex, or that itself.
    Before,
    Reached,
    /// Entered on the way to the first of the shortest paths.
    Entered,
}

/// How many there are.
const N_ROLES: u32 = 3;

/// Searches from spur vertices to one target, in the same work space.
pub(crate) struct SpurSearches<'a, W: Weight, F> {
    graph: &'a Csr<W>,
    /// The distance of a vertex to the target.
    to_target: F,
    target: VertexId,
    /// The part of a sum that rounding is sure to leave; `None` where there is no rounding.
    share: Option<f64>,
    /// How far each vertex is from the source, if its mark is of this search.
    keys: Vec<Key<W>>,
    /// The search that the key is of, and the role of the vertex in it.
    marks: Vec<u32>,
    search: u32,
    queue: QuaternaryHeap<Key<W>>,
    /// Whether the distances to the target were seen to be no distances of this graph.
    pub(crate) is_misled: bool,
    pub(crate) work: Work,
}

impl<'a, W: Weight, F: FnMut(VertexId) -> W::Distance> SpurSearches<'a, W, F> {
    pub(crate) fn new(graph: &'a Csr<W>, target: VertexId, to_target: F) -> Result<Self, NoMemory> {
        let unit = match W::Distance::KIND {
            WeightKind::F32 => Some(f64::from(f32::EPSILON)),
            WeightKind::F64 => Some(f64::EPSILON),
            _ => None,
        };
        // n - 1 additions either way round by half a unit each; the rest is for the bound's own
        let share = unit.map(|unit| (1.0 - (graph.n_vertices() as f64 + 4.0) * unit).max(0.0));
        ensure_granted((size_of::<Key<W>>() + size_of::<u32>()) * graph.n_vertices())?;
        Ok(Self {
            graph,
            to_target,
            target,
            share,
            // zeros, which take no time until they are written
            keys: vec![Key::<W>::LEAST; graph.n_vertices()],
            marks: vec![0; graph.n_vertices()],
            search: 0,
            queue: QuaternaryHeap::default(),
            is_misled: false,
            work: Work::default(),
        })
    }

    /// The class of all paths from `source`, if there are any.
    pub(super) fn all_from(&mut self, source: VertexId) -> Option<Candidate<Key<W>>> {
        let to_spur = Key::<W>::LEAST;
        self.is_misled = (self.to_target)(self.target) != W::Distance::ZERO;
        let key = self.bound(to_spur, source)?;
        let path = Rc::from([source]);
        Some(Candidate { key, path, spur: 0, to_spur, banned: Vec::new(), next: Some(source) })
    }

    /// The class by its shortest path, if it has one that is no longer than `longest`.
    pub(super) fn shortest(
        &mut self,
        class: Candidate<Key<W>>,
        longest: Key<W>,
    ) -> Option<Candidate<Key<W>>> {
        let Candidate { path, spur, to_spur, mut banned, .. } = class;
        if let Some(&next) = path.get(spur + 1) {
            let place = banned.partition_point(|&vertex| vertex < next);
            banned.insert(place, next);
        }
        self.begin(&path[..spur]);
        let key = self.reach(path[spur], to_spur, &banned, longest)?;
        let path = self.first_of_shortest(&path[..=spur], &banned, key);
        // with true distances there is always a path
        self.is_misled |= path.is_empty();
        if self.is_misled {
            return None;
        }
        Some(Candidate { key, path, spur, to_spur, banned, next: None })
    }

    /// Has a key for every vertex on a shortest path from `spur`, and perhaps others; that of the
    /// target.
    fn reach(
        &mut self,
        spur: VertexId,
        to_spur: Key<W>,
        banned: &[VertexId],
        mut longest: Key<W>,
    ) -> Option<Key<W>> {
        let graph = self.graph;
        self.set(spur, to_spur, Role::Before);
        self.queue.clear();
        let bound = self.bound(to_spur, spur)?;
        self.queue.push(bound, spur);
        while let Some((bound, vertex)) = self.queue.pop() {
            if bound > longest {
                break;
            }
            let key = self.keys[vertex as usize];
            // the target ends all paths
            if vertex == self.target || self.bound(key, vertex) != Some(bound) {
                continue;
            }
            self.work.settled += 1;
            for (to, weight) in graph.arcs_from(vertex) {
                self.work.relaxations += 1;
                if self.is_before(to) || vertex == spur && banned.binary_search(&to).is_ok() {
                    continue;
                }
                let through = <FullKeys as KeyArithmetic<W>>::after(key, weight);
                if self.key(to).is_some_and(|key| key <= through) {
                    continue;
                }
                let Some(next) = self.bound(through, to) else { continue };
                // no distance exceeds an arc's weight and its head's distance; floats are rounded
                self.is_misled |= next < bound && self.share.is_none();
                if next <= longest {
                    self.work.improvements += 1;
                    self.set(to, through, Role::Reached);
                    self.queue.push(next, to);
                    if to == self.target {
                        longest = through;
                    }
                }
            }
        }
        self.key(self.target)
    }

    /// After a search, the first of the shortest paths in the order of their vertices, of which
    /// `begin` has those up to the spur vertex, and which are as long as `length`.
    fn first_of_shortest(
        &mut self,
        begin: &[VertexId],
        banned: &[VertexId],
        length: Key<W>,
    ) -> Rc<[VertexId]> {
        let graph = self.graph;
        let mut path = begin.to_vec();
        while let Some(&last) = path.last()
            && last != self.target
        {
            let banned = if path.len() == begin.len() { banned } else { &[] };
            let mut next: Option<VertexId> = None;
            for (to, weight) in graph.arcs_from(last) {
                if next.is_none_or(|next| to < next)
                    && self.has_role(to, Role::Reached)
                    && self.is_tight(last, weight, to)
                    && banned.binary_search(&to).is_err()
                    && self.bound(self.keys[to as usize], to).is_some_and(|bound| bound <= length)
                {
                    next = Some(to);
                }
            }
            match next {
                Some(next) => {
                    self.set(next, self.keys[next as usize], Role::Entered);
                    path.push(next);
                }
                None => {
                    path.pop();
                }
            }
        }
        path.into()
    }

    /// Hands over what is left of the class of a path that is found: a class for each vertex of it,
    /// from the spur vertex on, that others leave it from.
    pub(super) fn divide(
        &mut self,
        found: &Candidate<Key<W>>,
        mut hand_over: impl FnMut(Candidate<Key<W>>),
    ) {
        let Candidate { path, spur: first, to_spur, banned, .. } = found;
        let graph = self.graph;
        let mut to_spur = *to_spur;
        self.begin(&path[..*first]);
        for spur in *first..path.len() - 1 {
            let (vertex, next) = (path[spur], path[spur + 1]);
            let banned = if spur == *first { &banned[..] } else { &[] };
            self.set(vertex, to_spur, Role::Before);
            let (mut to_next, mut least) = (Key::<W>::GREATEST, None);
            for (to, weight) in graph.arcs_from(vertex) {
                let through = <FullKeys as KeyArithmetic<W>>::after(to_spur, weight);
                if to == next {
                    to_next = to_next.min(through);
                } else if !self.is_before(to)
                    && banned.binary_search(&to).is_err()
                    && let Some(bound) = self.bound(through, to)
                    && least.is_none_or(|least| (bound, to) < least)
                {
                    least = Some((bound, to));
                }
            }
            if let Some((key, to)) = least {
                let (path, banned) = (Rc::clone(path), banned.to_vec());
                hand_over(Candidate { key, path, spur, to_spur, banned, next: Some(to) });
            }
            to_spur = to_next;
        }
    }

    /// A length that no path is below which comes to `vertex` by one of length `key`; `None` where
    /// there is none, or none that can be held.
    #[inline(always)]
    fn bound(&mut self, key: Key<W>, vertex: VertexId) -> Option<Key<W>> {
        let ahead = (self.to_target)(vertex);
        if ahead == W::Distance::UNREACHED {
            return None;
        }
        let sum = ahead.after(W::Distance::from_key(key))?;
        match self.share {
            None => Some(sum.to_key()),
            Some(share) => {
                let bound = W::Distance::from_f64(sum.to_f64() * share);
                Some(key.max(bound.map_or(Key::<W>::LEAST, Distance::to_key)))
            }
        }
    }

    /// Forgets all keys, and sets one for each of these vertices.
    fn begin(&mut self, before: &[VertexId]) {
        if self.search == u32::MAX / N_ROLES - 1 {
            self.marks.fill(0);
            self.search = 0;
        }
        self.search += 1;
        for &vertex in before {
            self.set(vertex, Key::<W>::LEAST, Role::Before);
        }
    }

    #[inline(always)]
    fn mark(&self, role: Role) -> u32 {
        self.search * N_ROLES + role as u32
    }

    #[inline(always)]
    fn set(&mut self, vertex: VertexId, key: Key<W>, role: Role) {
        self.keys[vertex as usize] = key;
        self.marks[vertex as usize] = self.mark(role);
    }

    #[inline(always)]
    fn key(&self, vertex: VertexId) -> Option<Key<W>> {
        let is_known = self.marks[vertex as usize] / N_ROLES == self.search;
        is_known.then(|| self.keys[vertex as usize])
    }

    #[inline(always)]
    fn has_role(&self, vertex: VertexId, role: Role) -> bool {
        self.marks[vertex as usize] == self.mark(role)
    }

    #[inline(always)]
    fn is_before(&self, vertex: VertexId) -> bool {
        self.has_role(vertex, Role::Before)
    }

    /// Whether the key of `to` is that of `from` and this arc's weight.
    #[inline(always)]
    fn is_tight(&self, from: VertexId, weight: W, to: VertexId) -> bool {
        let through = <FullKeys as KeyArithmetic<W>>::after(self.keys[from as usize], weight);
        through == self.keys[to as usize]
    }
}
