//! One search over all ranks, of which each rank gets the results of its vertices.
//!
//! Where all arcs have the same weight it is [breadth first](crate::levels), which finds the tree
//! too. Else it is [Δ-stepping](crate::stepping). Then all ranks get all keys, and each finds the
//! [predecessors](crate::predecessors) or the [nearest sources](crate::nearest) of its own vertices.

use std::time::{Duration, Instant};

use collectives::Communicator;
use graph_formats::{
    Distance, DistanceKey, NoMemory, Progress, VertexId, Weight, WeightKind, WeightSummary,
    ensure_granted,
};
use paths::{AnyDistances, AnyTree, Distances, Number};
use sssp::over_parts::{FullKeys, KeyArithmetic, U32Keys, distance_bound};
use sssp::{Goal, SsspError};

use crate::gpu::OnGpu;
use crate::level_keys::LevelKeys;
use crate::levels::{self, UNREACHED};
use crate::messages::{Mail, agree};
use crate::part::{Part, Rows, Shared, Weights, with_rows};
use crate::stepping::{Outcome, Stepping, share};
use crate::{PartitionedError, nearest, predecessors};

/// Bytes that a tree or a row of a table takes at most for each vertex of the graph, on each rank.
pub const SEARCH_BYTES: u64 = 24;

/// What a search is for: slots, and keys of type `K`.
#[derive(Clone, Copy)]
pub(crate) struct Query<'a, K> {
    pub(crate) sources: &'a [u32],
    /// If there are any, keys beyond the greatest of theirs are not needed.
    pub(crate) targets: &'a [u32],
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

/// What is found beside distances.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Beside {
    Nothing,
    /// Of a search from one source.
    Predecessors,
    /// The nearest source of each vertex.
    Sources,
}

/// What a search is asked.
pub(crate) struct Question<'q> {
    pub(crate) sources: &'q [VertexId],
    /// All vertices, if there are none.
    pub(crate) targets: &'q [VertexId],
    pub(crate) cutoff: Option<Number>,
    pub(crate) beside: Beside,
}

/// The results of a rank's vertices, by place.
pub(crate) struct Own {
    pub(crate) distances: AnyDistances,
    /// The vertices that were to be found beside, or `VertexId::MAX`.
    pub(crate) beside: Vec<VertexId>,
    /// The greatest distance of the search, if it did not search for all.
    pub(crate) limit: Option<Number>,
}

/// The result of a search: at rank 0, or in parts.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Found<T = Option<AnyTree>> {
    /// Distances and predecessors, or what else was asked for.
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
    /// The time of the predecessors, and until rank 0 had the result.
    pub predecessors_time: Duration,
}

impl Found<()> {
    /// No search yet, to which others are added.
    pub(crate) fn nothing() -> Self {
        Self {
            tree: (),
            algorithm: "delta-stepping",
            relaxations: 0,
            settled: 0,
            exchanges: 0,
            search_time: Duration::ZERO,
            predecessors_time: Duration::ZERO,
        }
    }

    /// Adds the work of another search, by the same algorithm as all.
    pub(crate) fn add(&mut self, other: &Self) {
        self.algorithm = other.algorithm;
        self.relaxations += other.relaxations;
        self.settled += other.settled;
        self.exchanges += other.exchanges;
        self.search_time += other.search_time;
        self.predecessors_time += other.predecessors_time;
    }
}

impl<T> Found<T> {
    /// The same search with another result, which took `time` more.
    pub(crate) fn with<U>(self, time: Duration, tree: impl FnOnce(T) -> U) -> Found<U> {
        Found {
            tree: tree(self.tree),
            algorithm: self.algorithm,
            relaxations: self.relaxations,
            settled: self.settled,
            exchanges: self.exchanges,
            search_time: self.search_time,
            predecessors_time: self.predecessors_time + time,
        }
    }
}

/// Answers a question on all ranks, which call this with the same one.
pub(crate) fn search(
    ranks: &dyn Communicator,
    part: &Part,
    question: &Question<'_>,
    progress: Option<Progress<'_>>,
) -> Result<Found<Own>, PartitionedError> {
    let deal = part.deal();
    let slots = |role, vertices: &[VertexId]| -> Result<Vec<u32>, SsspError> {
        let slot = |&vertex: &VertexId| match (vertex as usize) < deal.n_vertices() {
            true => Ok(deal.slot_of(vertex) as u32),
            false => Err(SsspError::NoSuchVertex { role, vertex, n_vertices: deal.n_vertices() }),
        };
        vertices.iter().map(slot).collect()
    };
    let sources = slots("source", question.sources)?;
    let targets = slots("target", question.targets)?;
    let cutoff = question.cutoff.map(|cutoff| limit_of(cutoff, part.kind()));
    let limit = cutoff.transpose()?.flatten();
    let granted = ensure_granted(SEARCH_BYTES as usize * deal.n_slots());
    agree(ranks, granted.map_err(NoMemory::into))?;
    let limit_key = limit.map_or(u64::MAX, |(_, key)| key);
    let search = Search {
        ranks,
        part,
        limit: limit.map(|(limit, _)| limit),
        beside: question.beside,
        query: Query { sources: &sources, targets: &targets, limit: limit_key, progress },
    };
    match part.weights() {
        Weights::U32(weights) if part.on_gpu().is_none() && search.is_narrow() => {
            search.step::<u32, U32Keys>(part.rows(weights))
        }
        _ => with_rows!(part, |rows| search.by_weights(rows)),
    }
}

/// A cutoff as a distance, and its key; `None` if no distance is greater.
fn limit_of(cutoff: Number, kind: WeightKind) -> Result<Option<(Number, u64)>, SsspError> {
    fn of<D: Distance>(cutoff: Number) -> Result<Option<(Number, u64)>, SsspError> {
        Ok(match Goal::Within(cutoff).typed::<D>()? {
            // one below zero reaches not even the source
            Goal::Within(limit) if limit <= D::ZERO => Some((Number::of(limit), 0)),
            Goal::Within(limit) => Some((Number::of(limit), limit.to_key().to_u64())),
            _ => None,
        })
    }
    match kind.distance() {
        WeightKind::U64 => of::<u64>(cutoff),
        WeightKind::I64 => of::<i64>(cutoff),
        WeightKind::F32 => of::<f32>(cutoff),
        _ => of::<f64>(cutoff),
    }
}

/// A search of a part.
struct Search<'a> {
    ranks: &'a dyn Communicator,
    part: &'a Part,
    limit: Option<Number>,
    beside: Beside,
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
    fn by_weights<W: Weight>(&self, rows: Rows<'a, W>) -> Result<Found<Own>, PartitionedError> {
        if !self.part.totals().is_common {
            return match self.part.on_gpu() {
                Some(on_gpu) => self.step_on_gpus(rows, on_gpu),
                None => self.step::<W, FullKeys>(rows),
            };
        }
        let start = Instant::now();
        let mut mail = Mail::new(self.ranks, self.part.deal());
        let Query { limit, .. } = self.query;
        let weight = self.part.totals().weight(&self.part.totals().greatest);
        let mut table = LevelKeys::<W>::new(weight);
        let last = match limit {
            u64::MAX => UNREACHED,
            limit => table.last_within(limit, self.part.deal().n_vertices()),
        };
        if let Some(on_gpu) = self.part.on_gpu() {
            let (levels, counts) = on_gpu.lock().levels(self.ranks, &self.query, last)?;
            let deepest = levels.iter().filter(|&&level| level != UNREACHED).max().copied();
            let table = table.up_to(self.ranks.max(deepest.unwrap_or(0))?);
            let levels = levels.into_iter();
            let outcome = self.outcome_of_levels(&mut mail, &table, levels, counts)?;
            return self.finish::<W, FullKeys>(rows, &mut mail, outcome, "breadth-first", start);
        }
        let found = levels::search(self.part, &mut mail, &self.query, last)?;
        let table = table.up_to(found.deepest);
        let keys = &table[..table.len() - 1];
        let are_distances = keys.iter().all(|&k| is_distance::<W, FullKeys>(self.part.kind(), k));
        // where sums of floats stop growing, or sums overflow, keys decide
        if self.beside != Beside::Sources && are_distances && keys.is_sorted_by(|a, b| a < b) {
            return self.of_levels(&found, &table, &mut mail, start);
        }
        let levels = found.labels.iter().map(|label| label.level());
        let outcome = self.outcome_of_levels(&mut mail, &table, levels, found.counts)?;
        self.finish::<W, FullKeys>(rows, &mut mail, outcome, "breadth-first", start)
    }

    /// The keys of all slots, by the levels of this rank's vertices and the keys of levels, followed by
    /// that of unreached vertices.
    fn outcome_of_levels<K: DistanceKey>(
        &self,
        mail: &mut Mail<'_>,
        table: &[K],
        levels: impl Iterator<Item = u32>,
        counts: Counts,
    ) -> Result<Outcome<K>, PartitionedError> {
        let deal = self.part.deal();
        let unreached = table[table.len() - 1];
        let mut keys = vec![unreached; deal.n_slots()];
        let own = &mut keys[deal.slots(self.part.rank())];
        for (own, level) in own.iter_mut().zip(levels) {
            *own = table.get(level as usize).copied().unwrap_or(unreached);
        }
        share(self.part, mail, &mut keys)?;
        Ok(Outcome { keys, counts })
    }

    /// The tree of the levels, whose keys are given, followed by that of unreached vertices.
    fn of_levels<K: DistanceKey>(
        &self,
        found: &levels::Found,
        table: &[K],
        mail: &mut Mail<'_>,
        start: Instant,
    ) -> Result<Found<Own>, PartitionedError> {
        let own = self.part.deal().slots(self.part.rank());
        let label = |&slot: &u32| found.labels.get((slot as usize).wrapping_sub(own.start));
        let of_targets = self.query.targets.iter().filter_map(label).map(|label| label.level());
        // one more than the last level of a target, and more than any if one is not reached
        let of_targets = of_targets.map(|level| u64::from(level) + 1).max().unwrap_or(0);
        let counts = found.counts;
        let all = mail.exchange([of_targets, counts.settled, counts.relaxed])?;
        let of_targets = all.headers().map(|[level, ..]| level).max().unwrap_or(0);
        let [_, settled, relaxations] = all.sums();
        let search_time = start.elapsed();
        let start = Instant::now();
        let unreached = table.len() - 1;
        let n_within = match self.limit {
            Some(limit) if limit.to_f64() < 0.0 => 0,
            Some(_) => table[..unreached].partition_point(|key| key.to_u64() <= self.query.limit),
            None => unreached,
        };
        let is_to_target = (1..=unreached as u64).contains(&of_targets);
        let n_levels = if is_to_target { n_within.min(of_targets as usize) } else { n_within };
        let mut keys: Vec<_> = table[..n_levels].iter().map(|key| key.to_u64()).collect();
        let of_target = keys.last().filter(|_| is_to_target).copied();
        keys.push(u64::MAX);
        // without a branch, which would be unpredictable
        let key = |label: &levels::Label| keys[(label.level() as usize).min(n_levels)];
        let distances = distances(self.part.kind(), found.labels.iter().map(key));
        let predecessor = |label: &levels::Label| match (label.level() as usize) < n_levels {
            true => label.predecessor(),
            false => VertexId::MAX,
        };
        let own = Own {
            distances,
            beside: found.labels.iter().map(predecessor).collect(),
            limit: of_target.and_then(|key| number(self.part.kind(), key)).or(self.limit),
        };
        Ok(Found {
            tree: own,
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
    ) -> Result<Found<Own>, PartitionedError> {
        let start = Instant::now();
        let mut mail = Mail::new(self.ranks, self.part.deal());
        let Query { sources, targets, limit, progress } = self.query;
        let greatest = L::Key::GREATEST.to_u64();
        let limit = L::Key::from_u64(limit.min(greatest));
        let query = Query { sources, targets, limit, progress };
        let outcome = Stepping::<W, L>::search(self.part, rows, &mut mail, &query)?;
        self.finish::<W, L>(rows, &mut mail, outcome, "delta-stepping", start)
    }

    /// As [`step`](Self::step), by the GPUs of all ranks.
    fn step_on_gpus<W: Weight>(
        &self,
        rows: Rows<'a, W>,
        on_gpu: &Shared<OnGpu>,
    ) -> Result<Found<Own>, PartitionedError> {
        let start = Instant::now();
        let mut mail = Mail::new(self.ranks, self.part.deal());
        let (own, counts) = on_gpu.lock().keys(self.ranks, &self.query)?;
        let deal = self.part.deal();
        let unreached = <W::Distance as Distance>::Key::GREATEST;
        let mut keys = vec![unreached; deal.n_slots()];
        for (key, &found) in keys[deal.slots(self.part.rank())].iter_mut().zip(&own) {
            *key = DistanceKey::from_u64(found.min(unreached.to_u64()));
        }
        share(self.part, &mut mail, &mut keys)?;
        let outcome = Outcome { keys, counts };
        self.finish::<W, FullKeys>(rows, &mut mail, outcome, "delta-stepping", start)
    }

    /// From the keys of all slots to the results.
    fn finish<W: Weight, L: KeyArithmetic<W>>(
        &self,
        rows: Rows<'a, W>,
        mail: &mut Mail<'_>,
        outcome: Outcome<L::Key>,
        algorithm: &'static str,
        start: Instant,
    ) -> Result<Found<Own>, PartitionedError> {
        let (part, deal) = (self.part, self.part.deal());
        let Outcome { mut keys, counts } = outcome;
        let own = deal.slots(part.rank());
        let target_key = self.query.targets.iter().map(|&target| keys[target as usize]).max();
        let target_key = target_key.filter(|&key| is_distance::<W, L>(part.kind(), key));
        let mut limit = L::Key::from_u64(self.query.limit.min(L::Key::GREATEST.to_u64()));
        limit = target_key.map_or(limit, |key| key.min(limit));
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
        let sources = self.query.sources;
        let beside = match self.beside {
            Beside::Nothing => Vec::new(),
            Beside::Sources => nearest::owners::<W, L>(part, rows, mail, &keys, sources)?,
            Beside::Predecessors => {
                predecessors::find::<W, L>(part, rows, mail, &keys, sources[0] as usize)?
            }
        };
        let [settled, relaxations, _] = mail.sums([counts.settled, counts.relaxed, 0])?;
        let full = |key: L::Key| match key == L::Key::GREATEST {
            true => u64::MAX,
            false => L::full(key).to_u64(),
        };
        let of_target = target_key.and_then(|key| number(part.kind(), full(key)));
        let tree = Own {
            limit: of_target.or(self.limit),
            distances: distances(part.kind(), keys[own.clone()].iter().map(|&key| full(key))),
            beside: beside.get(own).map(<[_]>::to_vec).unwrap_or_default(),
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
        let targets = self.query.targets;
        if !targets.is_empty() {
            let found = levels::search(self.part, mail, &self.query, UNREACHED)?;
            let has_path = targets.iter().any(|&target| {
                let label = found.labels.get((target as usize).wrapping_sub(own.start));
                keys[target as usize] == L::Key::GREATEST
                    && label.is_some_and(|label| label.level() != UNREACHED)
            });
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
