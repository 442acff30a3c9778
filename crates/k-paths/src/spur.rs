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

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::rc::Rc;

use graph_formats::{
    Csr, Distance, DistanceKey, NoMemory, VertexId, Weight, WeightKind, ensure_granted,
};
use search_parts::Work;

use crate::candidate::Candidate;

type Key<W> = <<W as Weight>::Distance as Distance>::Key;
type Class<W> = Candidate<Key<W>>;

/// The distance of a vertex to the target, if it has one.
pub(crate) type ToTarget<'a, W> = &'a mut dyn FnMut(VertexId) -> Option<<W as Weight>::Distance>;

/// The most that rounding changes a sum of two, in parts of it; `None` where nothing is rounded.
pub(crate) fn rounding<W: Weight>() -> Option<f64> {
    match W::KIND {
        WeightKind::F32 => Some(f64::from(f32::EPSILON)),
        WeightKind::F64 => Some(f64::EPSILON),
        _ => None,
    }
}

/// The key of a path with key `key` followed by an arc of weight `weight`; the greatest where the
/// sum cannot be held.
#[inline(always)]
fn after<W: Weight>(key: Key<W>, weight: W) -> Key<W> {
    weight.after(W::Distance::from_key(key)).map_or(Key::<W>::GREATEST, Distance::to_key)
}

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
pub(crate) struct SpurSearches<'a, W: Weight> {
    graph: &'a Csr<W>,
    to_target: ToTarget<'a, W>,
    target: VertexId,
    /// The part of a sum that rounding is sure to leave; `None` where there is no rounding.
    share: Option<f64>,
    /// How far each vertex is from the source, if its mark is of this search.
    keys: Vec<Key<W>>,
    /// The search that the key is of, and the role of the vertex in it.
    marks: Vec<u32>,
    search: u32,
    queue: BinaryHeap<Reverse<(Key<W>, VertexId)>>,
    /// Whether the distances to the target were seen to be no distances of this graph.
    pub(crate) is_misled: bool,
    pub(crate) work: Work,
}

impl<'a, W: Weight> SpurSearches<'a, W> {
    pub(crate) fn new(
        graph: &'a Csr<W>,
        target: VertexId,
        to_target: ToTarget<'a, W>,
    ) -> Result<Self, NoMemory> {
        // n - 1 additions either way round by half a unit each; the rest is for the bound's own
        let share =
            rounding::<W>().map(|unit| (1.0 - (graph.n_vertices() as f64 + 4.0) * unit).max(0.0));
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
            queue: BinaryHeap::new(),
            is_misled: false,
            work: Work::default(),
        })
    }

    /// The class of all paths from `source`, if there are any.
    pub(crate) fn all_from(&mut self, source: VertexId) -> Option<Class<W>> {
        let to_spur = Key::<W>::LEAST;
        self.is_misled = (self.to_target)(self.target) != Some(W::Distance::ZERO);
        let key = self.bound(to_spur, source)?;
        let path = Rc::from([source]);
        Some(Candidate { key, path, spur: 0, to_spur, banned: Vec::new(), next: Some(source) })
    }

    /// The class by its shortest path, if it has one that is no longer than `longest`.
    pub(crate) fn shortest(&mut self, class: Class<W>, longest: Key<W>) -> Option<Class<W>> {
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
        self.queue.push(Reverse((bound, spur)));
        while let Some(Reverse((bound, vertex))) = self.queue.pop() {
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
                if self.has_role(to, Role::Before)
                    || vertex == spur && banned.binary_search(&to).is_ok()
                {
                    continue;
                }
                let through = after(key, weight);
                if self.key(to).is_some_and(|key| key <= through) {
                    continue;
                }
                let Some(next) = self.bound(through, to) else { continue };
                // no distance exceeds an arc's weight and its head's distance; floats are rounded
                self.is_misled |= next < bound && self.share.is_none();
                if next <= longest {
                    self.work.improvements += 1;
                    self.set(to, through, Role::Reached);
                    self.queue.push(Reverse((next, to)));
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
            let ahead = graph.arcs_from(last).filter(|&(to, weight)| {
                self.has_role(to, Role::Reached)
                    && after(self.keys[last as usize], weight) == self.keys[to as usize]
                    && banned.binary_search(&to).is_err()
                    && self.bound(self.keys[to as usize], to).is_some_and(|bound| bound <= length)
            });
            let Some(next) = ahead.map(|(to, _)| to).min() else {
                path.pop();
                continue;
            };
            self.set(next, self.keys[next as usize], Role::Entered);
            path.push(next);
        }
        path.into()
    }

    /// What is left of the class of a path that is found: a class for each vertex of it, from the
    /// spur vertex on, that others leave it from.
    pub(crate) fn divide(&mut self, found: &Class<W>) -> Vec<Class<W>> {
        let Candidate { path, spur: first, to_spur, banned, .. } = found;
        let graph = self.graph;
        let (mut to_spur, mut classes) = (*to_spur, Vec::new());
        self.begin(&path[..*first]);
        for spur in *first..path.len() - 1 {
            let (vertex, next) = (path[spur], path[spur + 1]);
            let banned = if spur == *first { &banned[..] } else { &[] };
            self.set(vertex, to_spur, Role::Before);
            let (mut to_next, mut least) = (Key::<W>::GREATEST, None);
            for (to, weight) in graph.arcs_from(vertex) {
                let through = after(to_spur, weight);
                if to == next {
                    to_next = to_next.min(through);
                } else if !self.has_role(to, Role::Before)
                    && banned.binary_search(&to).is_err()
                    && let Some(bound) = self.bound(through, to)
                    && least.is_none_or(|least| (bound, to) < least)
                {
                    least = Some((bound, to));
                }
            }
            if let Some((key, to)) = least {
                let (path, banned) = (Rc::clone(path), banned.to_vec());
                classes.push(Candidate { key, path, spur, to_spur, banned, next: Some(to) });
            }
            to_spur = to_next;
        }
        classes
    }

    /// A length that no path is below which comes to `vertex` by one of length `key`; `None` where
    /// there is none, or none that can be held.
    #[inline(always)]
    fn bound(&mut self, key: Key<W>, vertex: VertexId) -> Option<Key<W>> {
        let ahead = (self.to_target)(vertex)?;
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

    fn mark(&self, role: Role) -> u32 {
        self.search * N_ROLES + role as u32
    }

    fn set(&mut self, vertex: VertexId, key: Key<W>, role: Role) {
        self.keys[vertex as usize] = key;
        self.marks[vertex as usize] = self.mark(role);
    }

    fn key(&self, vertex: VertexId) -> Option<Key<W>> {
        let is_known = self.marks[vertex as usize] / N_ROLES == self.search;
        is_known.then(|| self.keys[vertex as usize])
    }

    fn has_role(&self, vertex: VertexId, role: Role) -> bool {
        self.marks[vertex as usize] == self.mark(role)
    }
}
