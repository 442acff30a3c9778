//! One search over all ranks, from the source to the tree, of which each rank has its vertices.
//!
//! Where all arcs have the same weight it is [breadth first](crate::levels), which finds the tree
//! too. Else it is [Δ-stepping](crate::stepping). Then all ranks get all keys, and each finds the
//! [predecessors](crate::predecessors) of its own vertices.

use std::time::{Duration, Instant};

use collectives::Communicator;
use graph_formats::{
    Distance, DistanceKey, NoMemory, Progress, VertexId, Weight, WeightKind, WeightSummary,
    ensure_granted,
};
use paths::{AnyDistances, AnyTree, Distances, Number, Predecessors};
use sssp::over_parts::{FullKey, FullKeys, KeyArithmetic, U32Keys, distance_bound};
use sssp::{Goal, SsspError};

use crate::levels::{self, UNREACHED};
use crate::messages::{Mail, agree};
use crate::part::{Part, Rows, Weights, with_rows};
use crate::stepping::{Outcome, Stepping, share};
use crate::{PartitionedError, TreePart, predecessors};

/// Bytes that a search takes at most for each slot, on each rank.
const BYTES_PER_SLOT: usize = 24;

/// What a search is for: slots, and keys of type `K`.
#[derive(Clone, Copy)]
pub(crate) struct Query<'a, K> {
    pub(crate) source: u32,
    /// Keys beyond its are not needed.
    pub(crate) target: Option<u32>,
    /// Keys beyond this one are not needed.
    pub(crate) limit: K,
    pub(crate) progress: Option<Progress<'a>>,
}

/// Work of one rank.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Counts {
    /// Vertices settled, again included.
    pub(crate) settled: u64,
    pub(crate) relaxed: u64,
}

/// The result of a search: a tree, at rank 0 or in parts.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Found<T = Option<AnyTree>> {
    /// Distances and predecessors: of all vertices, at rank 0, or as [`TreePart`] of those of each
    /// rank.
    pub tree: T,
    /// "breadth-first" or "delta-stepping".
    pub algorithm: &'static str,
    /// Arcs relaxed by all ranks.
    pub relaxations: u64,
    /// Vertices settled by all ranks, again included.
    pub settled: u64,
    /// How often the ranks sent each other messages.
    pub exchanges: u64,
    /// The time until the keys were known.
    pub search_time: Duration,
    /// The time of the predecessors, and until rank 0 had the tree.
    pub predecessors_time: Duration,
}

/// The shortest-path tree from `source` within `goal`: the same as from every other solver of the
/// workspace. To be called by all ranks, with the same arguments; rank 0 gets the tree. `progress`
/// gets the number of vertices that this rank has settled.
///
/// A rank takes up to 24 bytes for each vertex of the graph, beside its part.
///
/// ```
/// use collectives::{Communicator, Threads};
/// use graph_formats::{AnyCsr, Csr};
/// use partitioned::{Part, PartitionedError, tree};
/// use paths::Number;
/// use sssp::Goal;
///
/// let graph = AnyCsr::from(Csr::from_edges(4, &[(0, 1, 7u32), (1, 2, 1), (0, 2, 3)])?);
/// let found = Threads::run(2, |ranks| {
///     let part = Part::of_graph(ranks, (ranks.rank() == 0).then_some(&graph))?;
///     Ok::<_, PartitionedError>(tree(ranks, &part, 0, Goal::All, None)?.tree)
/// })?;
/// let tree = found[0].as_ref().expect("rank 0 has it");
/// assert_eq!(tree.distance(1), Some(Number::U64(4)));
/// assert_eq!(tree.path_to(1), Some(vec![0, 2, 1]));
/// assert_eq!(found[1], None);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// If a vertex does not exist, a distance overflows its type, the system refuses the memory of a
/// rank, the callback of a rank ended the search, or a rank has ended.
pub fn tree(
    ranks: &dyn Communicator,
    part: &Part,
    source: VertexId,
    goal: Goal<Number>,
    progress: Option<Progress<'_>>,
) -> Result<Found, PartitionedError> {
    let found = tree_part(ranks, part, source, goal, progress)?;
    let start = Instant::now();
    let tree = found.tree.gather(ranks, part)?;
    Ok(Found {
        tree,
        algorithm: found.algorithm,
        relaxations: found.relaxations,
        settled: found.settled,
        exchanges: found.exchanges,
        search_time: found.search_time,
        predecessors_time: found.predecessors_time + start.elapsed(),
    })
}

/// The same tree, of which each rank gets what belongs to its vertices: no rank needs room for all
/// results.
///
/// ```
/// use collectives::Threads;
/// use graph_formats::{AnyCsr, Csr};
/// use partitioned::{Part, PartitionedError, tree_part};
/// use sssp::Goal;
///
/// let graph = AnyCsr::from(Csr::from_edges(4, &[(0, 1, 7u32), (1, 2, 1), (0, 2, 3)])?);
/// let n_reached = Threads::run(2, |ranks| {
///     let part = Part::of_graph(ranks, Some(&graph))?;
///     let found = tree_part(ranks, &part, 0, Goal::All, None)?;
///     Ok::<_, PartitionedError>(found.tree.distances.n_reached())
/// })?;
/// assert_eq!(n_reached.iter().sum::<usize>(), 3);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// As [`tree`].
pub fn tree_part(
    ranks: &dyn Communicator,
    part: &Part,
    source: VertexId,
    goal: Goal<Number>,
    progress: Option<Progress<'_>>,
) -> Result<Found<TreePart>, PartitionedError> {
    let deal = part.deal();
    let check = |role, vertex: VertexId| match (vertex as usize) < deal.n_vertices() {
        true => Ok(deal.slot_of(vertex) as u32),
        false => Err(SsspError::NoSuchVertex { role, vertex, n_vertices: deal.n_vertices() }),
    };
    let source_slot = check("source", source)?;
    let (target, limit) = match goal {
        Goal::Target(target) => (Some(check("target", target)?), None),
        goal => (None, limit_of(goal, part.kind())?),
    };
    let granted = ensure_granted(BYTES_PER_SLOT * deal.n_slots());
    agree(ranks, granted.map_err(NoMemory::into))?;
    let limit_key = limit.map_or(u64::MAX, |(_, key)| key);
    let search = Search {
        ranks,
        part,
        source,
        limit: limit.map(|(limit, _)| limit),
        query: Query { source: source_slot, target, limit: limit_key, progress },
    };
    match part.weights() {
        Weights::U32(weights) if search.is_narrow() => {
            search.step::<u32, U32Keys>(part.rows(weights))
        }
        _ => with_rows!(part, |rows| search.by_weights(rows)),
    }
}

/// The limit of a goal and its key; `None` for all vertices.
fn limit_of(goal: Goal<Number>, kind: WeightKind) -> Result<Option<(Number, u64)>, SsspError> {
    fn of<D: Distance>(goal: Goal<Number>) -> Result<Option<(Number, u64)>, SsspError> {
        Ok(match goal.typed::<D>()? {
            // one below zero reaches not even the source
            Goal::Within(limit) if limit <= D::ZERO => Some((Number::of(limit), 0)),
            Goal::Within(limit) => Some((Number::of(limit), limit.to_key().to_u64())),
            _ => None,
        })
    }
    match kind.distance() {
        WeightKind::U64 => of::<u64>(goal),
        WeightKind::I64 => of::<i64>(goal),
        WeightKind::F32 => of::<f32>(goal),
        _ => of::<f64>(goal),
    }
}

/// A search of a part.
struct Search<'a> {
    ranks: &'a dyn Communicator,
    part: &'a Part,
    source: VertexId,
    limit: Option<Number>,
    query: Query<'a, u64>,
}

impl<'a> Search<'a> {
    /// Whether all keys of integers fit 32 bits.
    fn is_narrow(&self) -> bool {
        let totals = self.part.totals();
        let greatest = totals.weight::<u32>(&totals.greatest);
        let n = self.part.deal().n_vertices();
        let (least, sum_of_sizes, first_negative) = (0, totals.sum, None);
        let summary = WeightSummary { least, greatest, sum_of_sizes, first_negative };
        let bound = distance_bound(n, &summary);
        !totals.is_common && bound.is_some_and(|bound| bound < f64::from(u32::MAX))
    }

    /// The search by levels, or by full keys.
    fn by_weights<W: Weight>(
        &self,
        rows: Rows<'a, W>,
    ) -> Result<Found<TreePart>, PartitionedError> {
        if !self.part.totals().is_common {
            return self.step::<W, FullKeys>(rows);
        }
        let start = Instant::now();
        let mut mail = Mail::new(self.ranks, self.part.deal());
        let Query { source, target, limit, progress } = self.query;
        let weight = self.part.totals().weight(&self.part.totals().greatest);
        let mut table = LevelKeys::<W>::new(weight);
        let last = match limit {
            u64::MAX => UNREACHED,
            limit => table.last_within(limit, self.part.deal().n_vertices()),
        };
        let found = levels::search(self.part, &mut mail, (source, target), last, progress)?;
        let table = table.up_to(found.deepest);
        let (keys, unreached) = table.split_at(table.len() - 1);
        let are_distances = keys.iter().all(|&k| is_distance::<W, FullKeys>(self.part.kind(), k));
        // where sums of floats stop growing, or sums overflow, keys decide
        if are_distances && keys.is_sorted_by(|a, b| a < b) {
            return self.of_levels(&found, &table, &mut mail, start);
        }
        let key = |level: u32| keys.get(level as usize).copied().unwrap_or(unreached[0]);
        let deal = self.part.deal();
        let mut keys = vec![unreached[0]; deal.n_slots()];
        let own = &mut keys[deal.slots(self.part.rank())];
        own.iter_mut().zip(&found.labels).for_each(|(own, label)| *own = key(label.level()));
        share(self.part, &mut mail, &mut keys)?;
        let outcome = Outcome { keys, counts: found.counts };
        self.finish::<W, FullKeys>(rows, &mut mail, outcome, "breadth-first", start)
    }

    /// The tree of the levels, whose keys are given, followed by that of unreached vertices.
    fn of_levels<K: DistanceKey>(
        &self,
        found: &levels::Found,
        table: &[K],
        mail: &mut Mail<'_>,
        start: Instant,
    ) -> Result<Found<TreePart>, PartitionedError> {
        let own = self.part.deal().slots(self.part.rank());
        let target = self.query.target.filter(|&target| own.contains(&(target as usize)));
        let level =
            target.map_or(UNREACHED, |slot| found.labels[slot as usize - own.start].level());
        let counts = found.counts;
        // one more than the level of the target, if that is reached
        let [of_target, settled, relaxations] =
            mail.sums([u64::from(level.wrapping_add(1)), counts.settled, counts.relaxed])?;
        let search_time = start.elapsed();
        let start = Instant::now();
        let unreached = table.len() - 1;
        let n_levels = match (of_target, self.limit) {
            (1.., _) => of_target as usize,
            (_, Some(limit)) if limit.to_f64() < 0.0 => 0,
            _ => table[..unreached].partition_point(|key| key.to_u64() <= self.query.limit),
        };
        let mut keys: Vec<_> = table[..n_levels].iter().map(|key| key.to_u64()).collect();
        let of_target = keys.last().filter(|_| of_target > 0).copied();
        keys.push(u64::MAX);
        // without a branch, which would be unpredictable
        let key = |label: &levels::Label| keys[(label.level() as usize).min(n_levels)];
        let distances = distances(self.part.kind(), found.labels.iter().map(key));
        let predecessor = |label: &levels::Label| match (label.level() as usize) < n_levels {
            true => label.predecessor(),
            false => VertexId::MAX,
        };
        let predecessors = found.labels.iter().map(predecessor).collect();
        let tree = TreePart {
            source: self.source,
            limit: of_target.and_then(|key| number(self.part.kind(), key)).or(self.limit),
            distances,
            predecessors: Predecessors::from_storage(predecessors),
        };
        Ok(Found {
            tree,
            algorithm: "breadth-first",
            relaxations,
            settled,
            exchanges: mail.n_exchanges,
            search_time,
            predecessors_time: start.elapsed(),
        })
    }

    fn step<W: Weight, L: KeyArithmetic<W>>(
        &self,
        rows: Rows<'a, W>,
    ) -> Result<Found<TreePart>, PartitionedError> {
        let start = Instant::now();
        let mut mail = Mail::new(self.ranks, self.part.deal());
        let Query { source, target, limit, progress } = self.query;
        let greatest = L::Key::GREATEST.to_u64();
        let limit = L::Key::from_u64(limit.min(greatest));
        let query = Query { source, target, limit, progress };
        let outcome = Stepping::<W, L>::search(self.part, rows, &mut mail, &query)?;
        self.finish::<W, L>(rows, &mut mail, outcome, "delta-stepping", start)
    }

    /// From the keys of all slots to the tree.
    fn finish<W: Weight, L: KeyArithmetic<W>>(
        &self,
        rows: Rows<'a, W>,
        mail: &mut Mail<'_>,
        outcome: Outcome<L::Key>,
        algorithm: &'static str,
        start: Instant,
    ) -> Result<Found<TreePart>, PartitionedError> {
        let (part, deal) = (self.part, self.part.deal());
        let Outcome { mut keys, counts } = outcome;
        let own = deal.slots(part.rank());
        let target_key = self.query.target.map(|target| keys[target as usize]);
        let target_key = target_key.filter(|&key| is_distance::<W, L>(part.kind(), key));
        let mut limit = L::Key::from_u64(self.query.limit.min(L::Key::GREATEST.to_u64()));
        limit = target_key.unwrap_or(limit);
        // where no key is beyond the limit, this pass is left out
        if limit < L::Key::GREATEST || part.kind().distance() == WeightKind::I64 {
            for key in &mut keys {
                if *key > limit || !is_distance::<W, L>(part.kind(), *key) {
                    *key = L::Key::GREATEST;
                }
            }
        }
        if self.limit.is_some_and(|limit| limit.to_f64() < 0.0) {
            keys.fill(L::Key::GREATEST);
        }
        let is_limited = self.limit.is_some() || target_key.is_some();
        if !is_limited {
            self.check_overflow::<W, L>(rows, mail, &keys)?;
        }
        let search_time = start.elapsed();
        let start = Instant::now();
        let found =
            predecessors::find::<W, L>(part, rows, mail, &keys, self.query.source as usize)?;
        let [settled, relaxations, _] = mail.sums([counts.settled, counts.relaxed, 0])?;
        let full = |key: L::Key| match key == L::Key::GREATEST {
            true => u64::MAX,
            false => L::full(key).to_u64(),
        };
        let of_target = target_key.and_then(|key| number(part.kind(), full(key)));
        let tree = TreePart {
            source: self.source,
            limit: of_target.or(self.limit),
            distances: distances(part.kind(), keys[own.clone()].iter().map(|&key| full(key))),
            predecessors: Predecessors::from_storage(found[own].to_vec()),
        };
        Ok(Found {
            tree,
            algorithm,
            relaxations,
            settled,
            exchanges: mail.n_exchanges,
            search_time,
            predecessors_time: start.elapsed(),
        })
    }

    /// An error on all ranks if a vertex has a path but its distance overflows; with a target, only
    /// if that has a path.
    fn check_overflow<W: Weight, L: KeyArithmetic<W>>(
        &self,
        rows: Rows<'_, W>,
        mail: &mut Mail<'_>,
        keys: &[L::Key],
    ) -> Result<(), PartitionedError> {
        let kind = self.part.kind();
        if kind.size() < kind.distance().size() {
            return Ok(());
        }
        let (deal, own) = (self.part.deal(), self.part.deal().slots(self.part.rank()));
        let overflowing = |place: usize| {
            let key = keys[own.start + place];
            let mut arcs = rows.arcs(rows.row(place));
            let found = arcs.find(|&(head, weight)| {
                keys[head as usize] == L::Key::GREATEST
                    && !is_distance::<W, L>(kind, L::after(key, weight))
            });
            found.filter(|_| key < L::Key::GREATEST).map(|(head, _)| head as usize)
        };
        let first = (0..rows.n_rows()).find_map(overflowing).map(|slot| deal.vertex_of_slot(slot));
        let own_first = first.map_or(u64::MAX, u64::from);
        let all = mail.exchange([own_first, 0, 0])?;
        let Some(vertex) = all.headers().map(|[first, ..]| first).find(|&v| v < u64::MAX) else {
            return Ok(());
        };
        if let Some(target) = self.query.target {
            let query = (self.query.source, Some(target));
            let progress = self.query.progress;
            let found = levels::search(self.part, mail, query, UNREACHED, progress)?;
            let label = found.labels.get((target as usize).wrapping_sub(own.start));
            let has_path = label.is_some_and(|label| label.level() != UNREACHED);
            if mail.sums([has_path.into(), 0, 0])?[0] == 0 {
                return Ok(());
            }
        }
        let kind = match kind.distance() {
            WeightKind::U64 => "u64",
            WeightKind::I64 => "i64",
            WeightKind::F32 => "f32",
            _ => "f64",
        };
        Err(SsspError::Overflow { vertex: vertex as VertexId, kind }.into())
    }
}

/// The distances with these keys, of which `u64::MAX` stands for none.
fn distances(kind: WeightKind, keys: impl Iterator<Item = u64>) -> AnyDistances {
    fn of<D: Distance>(keys: impl Iterator<Item = u64>) -> AnyDistances {
        let distance = |key| match key {
            u64::MAX => D::UNREACHED,
            key => D::from_key(D::Key::from_u64(key)),
        };
        Distances::from_storage(keys.map(distance).collect()).into()
    }
    match kind.distance() {
        WeightKind::U64 => of::<u64>(keys),
        WeightKind::I64 => of::<i64>(keys),
        WeightKind::F32 => of::<f32>(keys),
        _ => of::<f64>(keys),
    }
}

/// The distance with this key.
fn number(kind: WeightKind, key: u64) -> Option<Number> {
    distances(kind, std::iter::once(key)).get(0)
}

/// Whether a key stands for a distance of weights of this kind: those of `i64` end at half of
/// what keys can hold.
fn is_distance<W: Weight, L: KeyArithmetic<W>>(kind: WeightKind, key: L::Key) -> bool {
    let is_signed = kind.distance() == WeightKind::I64;
    key < L::Key::GREATEST && !(is_signed && L::full(key).to_u64() >= i64::MAX as u64)
}

/// The keys of levels: multiples of one weight, as repeated sums.
struct LevelKeys<W: Weight> {
    weight: W,
    keys: Vec<FullKey<W>>,
}

impl<W: Weight> LevelKeys<W> {
    fn new(weight: W) -> Self {
        Self { weight, keys: vec![FullKey::<W>::LEAST] }
    }

    /// The key of a level; the greatest if it does not fit.
    fn get(&mut self, level: u32) -> FullKey<W> {
        while self.keys.len() <= level as usize {
            let last = self.keys[self.keys.len() - 1];
            let next = match last == FullKey::<W>::GREATEST {
                true => last,
                false => <FullKeys as KeyArithmetic<W>>::after(last, self.weight),
            };
            self.keys.push(next);
        }
        self.keys[level as usize]
    }

    /// The keys of the levels up to `deepest`, and that of unreached vertices.
    fn up_to(&mut self, deepest: u32) -> Vec<FullKey<W>> {
        self.get(deepest);
        let mut keys = self.keys[..=deepest as usize].to_vec();
        keys.push(FullKey::<W>::GREATEST);
        keys
    }

    /// The last level within a limit, of a graph of this many vertices.
    fn last_within(&mut self, limit: u64, n_vertices: usize) -> u32 {
        let beyond = (1..n_vertices as u32).find(|&level| self.get(level).to_u64() > limit);
        beyond.map_or(UNREACHED, |level| level - 1)
    }
}
