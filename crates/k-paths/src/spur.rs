//! The search for the shortest path of a class, and the division of the class by that path.
//!
//! The search is A* from the spur vertex: a vertex is ordered by its distance from the source plus
//! its distance to the target, a lower bound of all paths through it. If nothing is banned or
//! passed, it runs straight along a shortest path. Keys carry the number of their search, so a
//! search costs only what it reaches. It ends when no path as short as the one found is left; so
//! all shortest paths are known, and the first by vertices is chosen. For that, a depth-first walk
//! follows arcs of shortest paths from the spur vertex, the smallest head first. The walk may reach
//! a dead end: all heads are passed already, or the distance to the target is that of a path
//! through a passed vertex. A dead end is not entered again.
//!
//! Floats are summed in another order from the target than from the source. Bounds are lowered by
//! the largest possible rounding error, so lengths are exact.
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

/// The distance of a vertex to the target, if there is a path.
pub(crate) type ToTarget<'a, W> = &'a mut dyn FnMut(VertexId) -> Option<<W as Weight>::Distance>;

/// The largest relative rounding error of one addition; `None` for integers.
pub(crate) fn rounding<W: Weight>() -> Option<f64> {
    match W::KIND {
        WeightKind::F32 => Some(f64::from(f32::EPSILON)),
        WeightKind::F64 => Some(f64::EPSILON),
        _ => None,
    }
}

/// The key of a path of key `key` extended by an arc of `weight`; the greatest key if the sum
/// overflows.
#[inline(always)]
fn after<W: Weight>(key: Key<W>, weight: W) -> Key<W> {
    weight.after(W::Distance::from_key(key)).map_or(Key::<W>::GREATEST, Distance::to_key)
}

/// The role of a vertex that has a key in a search.
#[derive(Clone, Copy, PartialEq)]
enum Role {
    /// Before the spur vertex on the path, or the spur vertex: not to be passed again.
    Before,
    Reached,
    /// Entered by the walk along shortest paths.
    Entered,
}

/// The number of roles.
const N_ROLES: u32 = 3;

/// Searches from spur vertices to one target, in the same work space.
pub(crate) struct SpurSearches<'a, W: Weight> {
    graph: &'a Csr<W>,
    to_target: ToTarget<'a, W>,
    target: VertexId,
    /// The factor that lowers a sum below any rounding error; `None` for integers.
    share: Option<f64>,
    /// The distance of each vertex from the source; valid if its mark is of this search.
    keys: Vec<Key<W>>,
    /// The search of the vertex's key, and the vertex's role in it.
    marks: Vec<u32>,
    search: u32,
    queue: BinaryHeap<Reverse<(Key<W>, VertexId)>>,
    /// Whether the distances to the target proved wrong for this graph.
    pub(crate) has_bad_distances: bool,
    pub(crate) work: Work,
}

impl<'a, W: Weight> SpurSearches<'a, W> {
    pub(crate) fn new(
        graph: &'a Csr<W>,
        target: VertexId,
        to_target: ToTarget<'a, W>,
    ) -> Result<Self, NoMemory> {
        // n - 1 additions in each direction, half a unit each; the rest is for the bound's own
        let share =
            rounding::<W>().map(|unit| (1.0 - (graph.n_vertices() as f64 + 4.0) * unit).max(0.0));
        ensure_granted((size_of::<Key<W>>() + size_of::<u32>()) * graph.n_vertices())?;
        Ok(Self {
            graph,
            to_target,
            target,
            share,
            // zeroed pages, which cost nothing until they are written
            keys: vec![Key::<W>::LEAST; graph.n_vertices()],
            marks: vec![0; graph.n_vertices()],
            search: 0,
            queue: BinaryHeap::new(),
            has_bad_distances: false,
            work: Work::default(),
        })
    }

    /// The class of all paths from `source`, if there are any.
    pub(crate) fn all_from(&mut self, source: VertexId) -> Option<Class<W>> {
        let to_spur = Key::<W>::LEAST;
        self.has_bad_distances = (self.to_target)(self.target) != Some(W::Distance::ZERO);
        let key = self.bound(to_spur, source)?;
        let path = Rc::from([source]);
        Some(Candidate { key, path, spur: 0, to_spur, banned: Vec::new(), next: Some(source) })
    }

    /// Finds the shortest path of a class, unless it has none of length at most `longest`.
    pub(crate) fn shortest(&mut self, class: Class<W>, longest: Key<W>) -> Option<Class<W>> {
        let Candidate { path, spur, to_spur, mut banned, .. } = class;
        if let Some(&next) = path.get(spur + 1) {
            let place = banned.partition_point(|&vertex| vertex < next);
            banned.insert(place, next);
        }
        self.begin(&path[..spur]);
        let key = self.reach(path[spur], to_spur, &banned, longest)?;
        let path = self.first_of_shortest(&path[..=spur], &banned, key);
        // with correct distances there is always a path
        self.has_bad_distances |= path.is_empty();
        if self.has_bad_distances {
            return None;
        }
        Some(Candidate { key, path, spur, to_spur, banned, next: None })
    }

    /// Sets the final key of every vertex on a shortest path from `spur`, and keys of others.
    /// Returns the key of the target.
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
            // paths end at the target
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
                // a distance is at most an arc's weight plus its head's distance; floats are
                // rounded
                self.has_bad_distances |= next < bound && self.share.is_none();
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

    /// After a search, the first by vertices of the shortest paths. It begins with `begin`, up to
    /// the spur vertex, and has length `length`.
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

    /// Divides the class of a found path: one class for each vertex of the path, from the spur
    /// vertex on, at which other paths leave it.
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

    /// A lower bound of all paths that reach `vertex` with length `key`; `None` if there is no
    /// path, or none whose length the type holds.
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

    /// Begins a search: clears all keys, then marks the vertices of `before`.
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
