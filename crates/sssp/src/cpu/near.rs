//! A search that costs what lies near its source: no pass over all vertices, before or after.
//!
//! Dijkstra's algorithm with a hash table of the vertices it has reached, where other searches have
//! arrays of all vertices. Vertices beyond the limit are not reached, and need no place in the
//! table or the queue. A search that takes more steps than it is allowed is given up: for a large
//! part of a graph, arrays are faster than a table.
//!
//! Predecessors are chosen on the way by the [rule of all searches](crate::predecessors). Tails
//! are settled in the order of their distance, so each strictly nearer tail of a tight arc has
//! relaxed it in the end. O(r log r) for r vertices and arcs within the limit.
//!
//! Reference: dijkstra-1959

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use graph_formats::{Csr, Distance, DistanceKey, VertexId, Weight};
use paths::{Distances, Within};
use rustc_hash::FxBuildHasher;
use search_parts::Query;

use super::queue::{MonotoneQueue, QuaternaryHeap};
use crate::key::{FullKey, FullKeys, KeyArithmetic};
use crate::{Algorithm, Plan, Queue, SsspError, Work, predecessors};

/// The code for "no predecessor"; no graph has this many vertices.
const NO_VERTEX: VertexId = VertexId::MAX;
/// Vertices settled between two calls of the progress callback.
const SETTLED_PER_REPORT: u64 = 1 << 16;

/// A search is given up after this part of the vertices and arcs of its graph, which costs little
/// beside the search that follows. Breadth-first search sees but few of the arcs: there it is this
/// part of the vertices.
const STEPS_OF_ALL: u64 = 128;
/// No search is given up sooner.
const LEAST_STEPS: u64 = 256;

/// A reached vertex.
#[derive(Clone)]
struct Reached<K> {
    key: K,
    /// The smallest strictly nearer vertex before it.
    tail: VertexId,
}

/// A search after another, each given up after some steps, in one work space.
#[derive(Clone)]
pub(crate) struct NearSearch<'g, W: Weight> {
    graph: &'g Csr<W>,
    most_steps: u64,
    /// Empty between searches, and so is the queue.
    table: HashMap<VertexId, Reached<FullKey<W>>, FxBuildHasher>,
    queue: QuaternaryHeap<FullKey<W>>,
}

impl<'g, W: Weight> NearSearch<'g, W> {
    /// Searches of a graph that [breadth-first search](super::breadth_first) or another algorithm
    /// searches if they are given up.
    pub(crate) fn of(graph: &'g Csr<W>, by_levels: bool) -> Self {
        let n_arcs = if by_levels { 0 } else { graph.n_arcs() };
        let steps = (graph.n_vertices() + n_arcs) as u64 / STEPS_OF_ALL;
        let (table, queue) = (HashMap::default(), QuaternaryHeap::default());
        Self { graph, most_steps: steps.max(LEAST_STEPS), table, queue }
    }

    /// The plan of these searches, beside that of the others.
    pub(crate) fn plan(&self, others: &Plan) -> Plan {
        Plan {
            algorithm: Algorithm::Dijkstra(None).name(),
            reason: "few vertices lie within the limit".to_owned(),
            delta: None,
            queue: Some(Queue::QuaternaryHeap),
            threads: 1,
            narrow: false,
            ..others.clone()
        }
    }

    /// Finds the vertices within the limit of `query`, and no farther than its one target. `None`
    /// for a query without either, if it takes too many steps, or if the target is not found. No
    /// weight is negative, and the limit is not negative.
    pub(crate) fn search(
        &mut self,
        query: &Query<'_, W::Distance>,
    ) -> Result<Option<(Within<W>, Work)>, SsspError> {
        let is_bounded = query.limit < W::Distance::UNREACHED || query.target().is_some();
        if !is_bounded {
            return Ok(None);
        }
        let reached = self.reached(query);
        self.table.clear();
        self.queue.clear();
        let Some((limit, reached, work)) = reached? else { return Ok(None) };
        Ok(within(self.graph, query.source, limit, &reached).map(|within| (within, work)))
    }

    /// The vertices within the limit of `query`, ascending, with that limit or the distance of the
    /// target.
    fn reached(&mut self, query: &Query<'_, W::Distance>) -> Result<Option<Found<W>>, SsspError> {
        let Self { graph, most_steps, table, queue } = self;
        let mut limit = query.limit.to_key();
        let mut work = Work::default();
        table.insert(query.source, Reached { key: FullKey::<W>::LEAST, tail: NO_VERTEX });
        queue.push(FullKey::<W>::LEAST, query.source);
        while let Some((key, vertex)) = queue.pop() {
            if key > limit {
                break;
            }
            if table[&vertex].key != key {
                continue;
            }
            if query.target() == Some(vertex) {
                limit = key;
            }
            let arcs = graph.arcs_from(vertex);
            work.settled += 1;
            work.relaxations += arcs.len() as u64;
            if work.settled + work.relaxations > *most_steps {
                return Ok(None);
            }
            if work.settled.is_multiple_of(SETTLED_PER_REPORT) {
                query.report(work.settled, 0)?;
            }
            for (to, weight) in arcs {
                let through = <FullKeys as KeyArithmetic<W>>::after(key, weight);
                // a sum that overflows has the greatest key
                if through > limit || through == FullKey::<W>::GREATEST {
                    continue;
                }
                let tail = if key < through { vertex } else { NO_VERTEX };
                match table.entry(to) {
                    Entry::Occupied(mut reached) if through < reached.get().key => {
                        reached.insert(Reached { key: through, tail });
                    }
                    Entry::Occupied(reached) => {
                        let reached = reached.into_mut();
                        if through == reached.key && tail < reached.tail && to != query.source {
                            reached.tail = tail;
                        }
                        continue;
                    }
                    Entry::Vacant(place) => {
                        place.insert(Reached { key: through, tail });
                    }
                }
                work.improvements += 1;
                queue.push(through, to);
            }
        }
        if query.target().is_some_and(|target| !table.contains_key(&target)) {
            return Ok(None);
        }
        let within = table.drain().filter(|(_, reached)| reached.key <= limit);
        let mut reached: Vec<_> = within.collect();
        reached.sort_unstable_by_key(|&(vertex, _)| vertex);
        Ok(Some((W::Distance::from_key(limit), reached, work)))
    }
}

/// What a search found: its limit, and the vertices reached within, ascending.
type Found<W> = (<W as Weight>::Distance, Vec<(VertexId, Reached<FullKey<W>>)>, Work);

/// The same as a result. `None` without the memory for it.
fn within<W: Weight>(
    graph: &Csr<W>,
    source: VertexId,
    limit: W::Distance,
    reached: &[(VertexId, Reached<FullKey<W>>)],
) -> Option<Within<W>> {
    let vertices = reached.iter().map(|&(vertex, _)| vertex).collect();
    let distances = reached.iter().map(|(_, reached)| W::Distance::from_key(reached.key)).collect();
    let tails = reached.iter().map(|(_, reached)| reached.tail).collect();
    let within = Within::from_storage(source, limit, vertices, distances, tails);
    let is_left =
        |(vertex, reached): &(VertexId, Reached<_>)| reached.tail == NO_VERTEX && *vertex != source;
    let has_left = reached.iter().any(is_left);
    if has_left { on_plateaus(graph, within) } else { Some(within) }
}

/// The same with the predecessors of vertices that no strictly nearer vertex leads to. They are
/// found in the subgraph of the vertices within, numbered in their order. `None` without the memory
/// for it.
fn on_plateaus<W: Weight>(graph: &Csr<W>, within: Within<W>) -> Option<Within<W>> {
    let (source, limit) = (within.source, within.limit);
    let (vertices, distances, _) = within.into_storage();
    let number = |vertex| vertices.binary_search(&vertex).ok().map(|at| at as VertexId);
    let arcs = vertices.iter().enumerate().flat_map(|(from, &vertex)| {
        let arcs = graph.arcs_from(vertex);
        arcs.filter_map(move |(to, weight)| Some((from as VertexId, number(to)?, weight)))
    });
    let subgraph = Csr::from_arcs(vertices.len(), &arcs.collect::<Vec<_>>()).ok()?;
    let all = Distances::from_storage(distances);
    let start = number(source).unwrap_or(NO_VERTEX);
    let mut tails = predecessors::from_distances(&subgraph, start, &all).into_storage();
    for tail in tails.iter_mut().filter(|tail| **tail != NO_VERTEX) {
        *tail = vertices[*tail as usize];
    }
    Some(Within::from_storage(source, limit, vertices, all.into_storage(), tails))
}
