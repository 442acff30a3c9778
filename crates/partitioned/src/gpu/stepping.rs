//! Δ-stepping over several GPUs.
//!
//! The method is in `kernels/partitioned/stepping.cu`; this side decides what each turn does. Each GPU
//! has the arcs of its vertices, 8 bytes each, and a key of every vertex. With keys of 32 bits, one of
//! its own takes some 50 bytes beside. Weights of 64 bits take twice as much. Arcs are deferred as on
//! one GPU.
//!
//! O(n + m) where no vertex falls often, and some 40 µs a turn.
//!
//! Reference: meyer-sanders-2003, davidson-2014, chakaravarthy-2014

use std::mem;
use std::time::Instant;

use gpu_runtime::{Gpu, Kernel};
use graph_formats::generate::EdgeDraws;
use graph_formats::{Csr, Direction, Distance, DistanceKey, VertexId, Weight};
use paths::Distances;
use rayon::prelude::*;
use search_parts::device::{KeyKind, RankedArcs};
use search_parts::{
    NO_VERTEX, Query, SearchError, Work, buckets, check_not_negative, milliseconds,
};

use super::check::Check;
use super::crew::{Crew, with_crew};
use super::dealt::{Dealt, check_reach, each_part};
use super::keys::{beyond, doubled, unreached};
use super::rows::{WeightedRows, drawn_weights, number_heads, split};
use super::stepping_part::{
    MEET, PULL, Part, RECEIVE, RELAX_NEAR, RELAX_PIECES, SPLIT_FAR, START, Told, Turn, WORDS, load,
};
use super::turns::{Role, Turns, launches};

/// The most times that the width may be doubled for a bucket.
const MAX_DOUBLINGS: u32 = 5;
/// The most buckets between two settled bounds.
const MAX_BUCKETS_PER_BOUND: f64 = 6.0;
/// Entries for each warp below which a bucket is thin, and above which it is thick.
const THIN: u64 = 2;
const THICK: u64 = 16;
/// Near vertices that do not keep the next bucket waiting are fewer than this part of the far ones.
const REST: u64 = 256;
/// Warps of a multiprocessor at work.
const WARPS: u64 = 16;
/// Pushes of deferred arcs after which none are deferred.
const MAX_PUSHES: u32 = 8;
/// No more arcs are deferred either where a pull has left less than this part of all arcs.
const FEW_ARCS: u64 = 16;

/// Searches by Δ-stepping of a graph that is dealt to several GPUs.
pub struct DistancesOnGpus {
    gpus: Vec<Gpu>,
    dealt: Dealt,
    rows: Vec<[WeightedRows; 2]>,
    parts: Vec<Part>,
    /// The kernels on each GPU.
    kernels: Vec<Vec<Kernel>>,
    turns: Turns,
    kind: KeyKind,
    n_arcs: u64,
    /// The width of buckets, and the limit of short arcs, 0 where none are deferred.
    delta: u64,
    short_limit: u64,
    /// The greatest weight.
    greatest: u64,
    source: u32,
    /// The time of the last search in milliseconds, from its first launch to the last report.
    pub solve_ms: f64,
}

/// A kernel of a turn, and what it does beside.
type Step = (usize, Role);

/// The near vertices' arcs are relaxed, or late those of the visited ones, and what falls is sent.
const RELAX: [Step; 4] = [
    (RELAX_NEAR, Role::Works),
    (RELAX_PIECES, Role::Works),
    (MEET, Role::Meets),
    (RECEIVE, Role::Receives),
];
/// The far list is divided.
const SPLIT: Step = (SPLIT_FAR, Role::Works);

/// What is known of the weights and degrees before the arcs are split.
struct Rules {
    kind: KeyKind,
    greatest: f64,
    delta: f64,
    /// The limit of short arcs.
    ahead: Option<f64>,
}

impl Rules {
    fn new<W: Weight>(greatest: W, typical: f64, degree_at_arc_end: f64, is_dense: bool) -> Self {
        let ahead = if is_dense { buckets::limit_below(greatest) } else { None };
        let delta = buckets::auto(typical, degree_at_arc_end, 1);
        let delta = buckets::usable::<W>(delta, greatest.to_f64());
        let (kind, greatest) = (KeyKind::of(greatest), greatest.to_f64());
        Self { kind, greatest, delta, ahead: ahead.map(Weight::to_f64) }
    }

    fn short_limit(&self) -> u64 {
        self.ahead.map_or(u64::MAX, |ahead| self.kind.key(ahead))
    }
}

impl DistancesOnGpus {
    /// Deals the arcs of `graph` to these GPUs, 1 to 8. O(n + m).
    ///
    /// # Errors
    /// [`SearchError::NegativeWeight`], [`SearchError::NotOnGpu`] where GPUs cannot read each other's
    /// memory or a row is too long, and [`SearchError::Gpu`] where one fails or has too little memory.
    pub fn new<W: Weight>(gpus: &[Gpu], graph: &Csr<W>) -> Result<Self, SearchError> {
        check_reach(gpus)?;
        check_not_negative(graph, "a search over several GPUs", "use bellman-ford on one machine")?;
        let (summary, m) = (graph.weight_summary(), graph.n_arcs());
        let degrees = graph.row_offsets().par_windows(2).map(|row| row[1] - row[0]);
        let squares: f64 = degrees.clone().map(|degree| (degree as f64).powi(2)).sum();
        let n_linked = degrees.filter(|&degree| degree > 0).count();
        let is_dense =
            graph.direction() == Direction::Undirected && buckets::has_many_arcs(m, n_linked);
        let mean = summary.sum_of_sizes / m.max(1) as f64;
        let rules = Rules::new(summary.greatest, mean, squares / m.max(1) as f64, is_dense);
        let dealt = Dealt::of_graph(gpus, graph);
        let rows = each_part(gpus, |part, gpu| {
            let (offsets, arcs) = dealt.rows_of(graph, part)?;
            let weights: Vec<_> = arcs.iter().map(|&arc| graph.weights()[arc]).collect();
            let weights = gpu.upload(&rules.kind.of_weights(&weights))?;
            let rows = RankedArcs::unsorted(gpu, offsets, &dealt.heads(graph, &arcs))?;
            number_heads(gpu, &dealt, part, &rows)?;
            split(gpu, &dealt, part, &rows, &weights, rules.kind, rules.short_limit())
        })?;
        Self::of_rows(gpus, dealt, rows, rules)
    }

    /// The same of the graph that is drawn, which is made on the GPUs.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn drawn(gpus: &[Gpu], draws: &EdgeDraws) -> Result<Self, SearchError> {
        check_reach(gpus)?;
        let (dealt, lengths) = Dealt::of_draws(gpus, draws)?;
        let (_, weights) = draws.weights();
        let m: f64 = lengths.par_iter().map(|&n| f64::from(n)).sum();
        let squares: f64 = lengths.par_iter().map(|&n| f64::from(n).powi(2)).sum();
        let n_linked = lengths.par_iter().filter(|&&n| n > 0).count();
        let is_dense = draws.direction() == Direction::Undirected
            && buckets::has_many_arcs(m as usize, n_linked);
        let mean = f64::midpoint((*weights.start()).into(), (*weights.end()).into());
        let rules = Rules::new(*weights.end(), mean, squares / m.max(1.0), is_dense);
        let rows = each_part(gpus, |part, gpu| {
            let rows =
                RankedArcs::drawn_part(gpu, draws, &lengths, dealt.ranks(), part, gpus.len())?;
            let weights = drawn_weights(gpu, &dealt, part, &rows, draws)?;
            number_heads(gpu, &dealt, part, &rows)?;
            split(gpu, &dealt, part, &rows, &weights, rules.kind, rules.short_limit())
        })?;
        Self::of_rows(gpus, dealt, rows, rules)
    }

    fn of_rows(
        gpus: &[Gpu],
        dealt: Dealt,
        rows: Vec<[WeightedRows; 2]>,
        rules: Rules,
    ) -> Result<Self, SearchError> {
        let sum = |which: usize| rows.iter().map(|rows| rows[which].n_arcs).sum::<u64>();
        let (n_short, n_arcs) = (sum(0), sum(0) + sum(1));
        let kind = rules.kind;
        let defers =
            rules.ahead.is_some() && buckets::defers_enough(n_short as usize, n_arcs as usize);
        let delta = match rules.ahead {
            Some(ahead) if defers => rules.delta.max(ahead / MAX_BUCKETS_PER_BOUND),
            _ => rules.delta,
        };
        let mut searches = Self {
            gpus: gpus.to_vec(),
            dealt,
            rows,
            parts: Vec::new(),
            kernels: Vec::new(),
            turns: Turns::new(gpus, WORDS)?,
            kind,
            n_arcs,
            delta: kind.key(delta).max(1),
            short_limit: if defers { rules.short_limit() } else { 0 },
            greatest: kind.key(rules.greatest).max(1),
            source: NO_VERTEX,
            solve_ms: 0.0,
        };
        searches.set_kind(kind)?;
        Ok(searches)
    }

    /// Takes the work space for keys of this kind.
    fn set_kind(&mut self, kind: KeyKind) -> Result<(), SearchError> {
        let kernels = self.gpus.iter().map(|gpu| load(gpu, kind)).collect::<Result<_, _>>()?;
        self.parts.clear();
        for (part, gpu) in self.gpus.iter().enumerate() {
            let host = self.turns.mailbox(part).address()?;
            self.parts.push(Part::new(gpu, &self.dealt, part, &self.rows[part], kind, host)?);
        }
        Part::connect(&mut self.parts);
        (self.kernels, self.kind) = (kernels, kind);
        Ok(self.gpus.iter().try_for_each(Gpu::synchronize)?)
    }

    /// Arcs of the graph.
    pub fn n_arcs(&self) -> u64 {
        self.n_arcs
    }

    /// How the vertices are dealt.
    pub fn dealt(&self) -> &Dealt {
        &self.dealt
    }

    /// Finds the keys of the vertices that `query` asks for, and perhaps of others; they stay on the GPUs.
    /// The limit is a key. [`Work::rounds`] is the number of turns. Keys of 32 bits become keys of 64
    /// where a sum does not fit them.
    ///
    /// # Errors
    /// [`SearchError::Interrupted`] where the callback ends it, [`SearchError::NotOnGpu`] where a sum
    /// fits neither 64 bits nor the weights' float, and [`SearchError::Gpu`].
    pub fn search(&mut self, query: &Query<'_, u64>) -> Result<Work, SearchError> {
        query.check(self.dealt.ranks().ranks.len())?;
        if self.parts.len() < self.gpus.len() {
            // there was no memory for wider keys
            self.set_kind(self.kind)?;
        }
        self.source = query.source;
        let start = Instant::now();
        let mut found = self.run(query)?;
        if found.is_none() && self.kind == KeyKind::U32 {
            self.set_kind(KeyKind::U32Wide)?;
            found = self.run(query)?;
        }
        self.solve_ms = milliseconds(start);
        found.ok_or_else(|| SearchError::NotOnGpu {
            reason: "a sum of weights is too great for its numbers; scale the weights down, or \
                     search on the CPU"
                .to_owned(),
        })
    }

    fn run(&mut self, query: &Query<'_, u64>) -> Result<Option<Work>, SearchError> {
        let (gpus, kernels) = (self.gpus.clone(), mem::take(&mut self.kernels));
        // SAFETY: each part owns the buffers of its GPU in its arguments, and `self` the rows; those of
        // others are read when all have met; heads are numbers of vertices.
        let found =
            unsafe { with_crew(&gpus, &kernels, |crew| Stepping::new(self, query, crew).run()) };
        self.kernels = kernels;
        if found.is_err() {
            self.turns.stop(&self.gpus);
        }
        found
    }

    /// The distance of each vertex by the last search, in the graph's numbering. O(n).
    ///
    /// # Errors
    /// [`SearchError::Overflow`] where one is too great for its type, and [`SearchError::Gpu`].
    pub fn distances<W: Weight>(&self) -> Result<Distances<W::Distance>, SearchError> {
        let parts = each_part(&self.gpus, |part, _| self.parts[part].download())?;
        let mut keys = self.dealt.gather(&parts, u64::MAX);
        if let Some(key) = keys.get_mut(self.source as usize) {
            *key = 0;
        }
        let unreached = W::Distance::UNREACHED.to_key().to_u64();
        let overflows = |&key: &u64| key >= unreached && key != u64::MAX;
        if let Some(vertex) = keys.par_iter().position_first(overflows) {
            let (vertex, kind) = (vertex as VertexId, std::any::type_name::<W::Distance>());
            return Err(SearchError::Overflow { vertex, kind });
        }
        let distance = |key| match key {
            u64::MAX => W::Distance::UNREACHED,
            key => W::Distance::from_key(DistanceKey::from_u64(key)),
        };
        Ok(Distances::from_storage(keys.into_par_iter().map(distance).collect()))
    }

    /// How many arcs and vertices show that the keys of the last search, which had no target or limit,
    /// are wrong. Reads all arcs. O(n + m).
    ///
    /// # Errors
    /// [`SearchError::Gpu`].
    pub fn wrong(&mut self) -> Result<u64, SearchError> {
        self.send_keys()?;
        self.gpus.iter().try_for_each(Gpu::synchronize)?;
        let source = self.dealt.number(self.source).unwrap_or(NO_VERTEX);
        let check = Check::new(&self.gpus, &self.dealt, &self.kind.to_string())?;
        let keys: Vec<_> = self.parts.iter().map(|part| part.keys.address()).collect();
        for (part, rows) in self.rows.iter().enumerate() {
            for rows in rows {
                // SAFETY: heads are numbers of vertices, each with a key.
                unsafe { check.mark(part, &rows.offsets, rows.arcs.address(), keys[part])? };
            }
        }
        // SAFETY: they are the keys of all vertices.
        Ok(unsafe { check.count(&keys, source)? })
    }

    /// Sends all others the keys of each GPU's own vertices.
    fn send_keys(&mut self) -> Result<(), SearchError> {
        let words = self.dealt.stride() as usize * self.kind.words_of_key();
        for (at, from) in self.parts.iter().enumerate() {
            let range = at * words..(at + 1) * words;
            for (_, to) in self.parts.iter().enumerate().filter(|&(other, _)| other != at) {
                // SAFETY: the owner alone writes these keys meanwhile, in no launch; others read them
                // after all have met.
                unsafe {
                    self.gpus[at].queue_copy(&from.keys, range.clone(), &to.keys, range.start)?;
                }
            }
        }
        Ok(())
    }
}

/// A search: where it stands between two turns.
struct Stepping<'a, 'q> {
    on: &'a mut DistancesOnGpus,
    query: &'a Query<'q, u64>,
    crew: &'a Crew<'a, Turn>,
    told: Told,
    low: u64,
    threshold: u64,
    settled_bound: u64,
    width: u64,
    doublings: u32,
    defers: bool,
    /// Whether a list since the last settled bound was too short, so that vertices may have been
    /// visited twice with the same key.
    has_lost: bool,
    turns: u64,
}

impl<'a, 'q> Stepping<'a, 'q> {
    fn new(
        on: &'a mut DistancesOnGpus,
        query: &'a Query<'q, u64>,
        crew: &'a Crew<'a, Turn>,
    ) -> Self {
        let (kind, width) = (on.kind, on.delta);
        let defers = on.short_limit != 0;
        let settled_bound = if defers { beyond(kind, 0, on.short_limit) } else { unreached(kind) };
        let threshold = beyond(kind, 0, width).min(settled_bound);
        let (doublings, turns, low) = (0, 0, 0);
        let told = Told::default();
        Self {
            on,
            query,
            crew,
            told,
            low,
            threshold,
            settled_bound,
            width,
            doublings,
            defers,
            has_lost: false,
            turns,
        }
    }

    /// Searches; `None` where a sum does not fit the keys.
    fn run(mut self) -> Result<Option<Work>, SearchError> {
        self.begin()?;
        let (mut settled_arcs, mut pushes) = (0, 0);
        while !self.settle()? && self.defers && !self.told.trouble {
            let pushed = self.told.visited_arcs;
            settled_arcs += pushed;
            let left = self.on.n_arcs.saturating_sub(settled_arcs);
            let pulls = pushed > left || self.has_lost;
            let least = if pulls { self.pull()? } else { self.push_deferred()? };
            if least == unreached(self.on.kind) {
                break;
            }
            self.low = self.settled_bound.max(least);
            self.threshold = self.low;
            self.settled_bound = beyond(self.on.kind, self.low, self.on.short_limit);
            self.on.parts.iter_mut().for_each(Part::next_phase);
            self.has_lost = false;
            pushes += u32::from(!pulls);
            if pushes == MAX_PUSHES || pulls && left < self.on.n_arcs / FEW_ARCS {
                self.defer_no_more();
            }
        }
        let Told { relaxations, improvements, trouble, .. } = self.told;
        let work = Work { relaxations, improvements, rounds: self.turns, ..Work::default() };
        Ok((!trouble).then_some(work))
    }

    /// All below the settled bound is done; from here on no arc is deferred, and buckets are as wide as
    /// the greatest weight.
    fn defer_no_more(&mut self) {
        self.defers = false;
        self.settled_bound = unreached(self.on.kind);
        (self.width, self.doublings) = (self.on.greatest, MAX_DOUBLINGS);
    }

    fn begin(&mut self) -> Result<(), SearchError> {
        let on = &mut *self.on;
        let source = on.dealt.number(self.query.source).unwrap_or(NO_VERTEX);
        let target = self.query.target().and_then(|target| on.dealt.number(target));
        let limit = on.kind.at_most(self.query.limit);
        on.turns.number += 1;
        for part in &mut on.parts {
            part.begin(on.turns.number, source, target.unwrap_or(NO_VERTEX), limit)?;
        }
        self.launch(&[(START, Role::Works)])?;
        self.end_turn()
    }

    /// Relaxes until nothing is left below the settled bound; whether the target is settled. Few near
    /// vertices do not keep the next bucket waiting.
    fn settle(&mut self) -> Result<bool, SearchError> {
        while !self.told.trouble {
            self.query.report(self.turns, 0)?;
            let is_last = self.told.far == 0 || self.threshold >= self.settled_bound;
            let near = self.told.near;
            if near == 0 && self.told.target < self.threshold {
                return Ok(true);
            }
            let is_rest =
                near < self.warps() * THIN && near < self.told.far / REST && !self.told.has_lost;
            match is_last {
                true if near == 0 => break,
                false if near == 0 || is_rest => self.next_bucket()?,
                _ => self.relax()?,
            }
        }
        Ok(false)
    }

    /// Relaxes the near vertices' arcs.
    fn relax(&mut self) -> Result<(), SearchError> {
        self.set(false);
        self.launch(&RELAX)?;
        self.end_turn()
    }

    /// Raises the threshold and divides the far list there, while what is near is relaxed.
    fn next_bucket(&mut self) -> Result<(), SearchError> {
        if self.told.near == 0 {
            self.low = self.threshold;
        }
        self.threshold = beyond(self.on.kind, self.threshold, self.width).min(self.settled_bound);
        self.on.parts.iter_mut().for_each(Part::turn_far);
        self.set(false);
        match self.told.near {
            0 => self.launch(&[SPLIT])?,
            _ => self.launch(&[&[SPLIT][..], &RELAX].concat())?,
        }
        self.end_turn()?;
        self.widen();
        if self.told.near == 0 {
            // on to the next bucket that holds anything
            self.threshold = self.threshold.max(self.told.least);
        }
        Ok(())
    }

    fn split_far(&mut self) -> Result<(), SearchError> {
        self.on.parts.iter_mut().for_each(Part::turn_far);
        self.set(false);
        self.launch(&[SPLIT])?;
        self.end_turn()
    }

    /// Warps of all GPUs at work.
    fn warps(&self) -> u64 {
        let of_gpu = |gpu: &Gpu| u64::from(gpu.properties().multiprocessors);
        WARPS * self.on.gpus.iter().map(of_gpu).sum::<u64>()
    }

    /// Makes buckets as wide as it takes to keep the GPUs busy, and no wider.
    fn widen(&mut self) {
        if self.settled_bound == unreached(self.on.kind) && self.on.short_limit != 0 {
            return;
        }
        let warps = self.warps();
        if self.told.near < warps * THIN && self.doublings < MAX_DOUBLINGS {
            self.width = doubled(self.on.kind, self.width);
            self.doublings += 1;
        } else if self.told.near > warps * THICK && self.doublings > 0 {
            (self.width, self.doublings) = (self.on.delta, 0);
        }
    }

    /// The visited vertices relax their arcs that lead beyond the settled bound. The least far key.
    fn push_deferred(&mut self) -> Result<u64, SearchError> {
        (self.low, self.threshold) = (self.settled_bound, self.settled_bound);
        self.set(true);
        self.launch(&RELAX)?;
        self.end_turn()?;
        // all stay far, and the least is found
        self.split_far()?;
        Ok(self.told.least)
    }

    /// All vertices beyond the settled bound look for neighbours before it. The least far key.
    fn pull(&mut self) -> Result<u64, SearchError> {
        self.on.send_keys()?;
        self.on.parts.iter_mut().for_each(Part::turn_far);
        self.set(false);
        self.launch(&[(MEET, Role::Meets), (PULL, Role::Works)])?;
        self.end_turn()?;
        Ok(self.told.least)
    }

    /// Tells the kernels of the bucket.
    fn set(&mut self, late: bool) {
        for part in &mut self.on.parts {
            let turn = &mut part.turn;
            (turn.low, turn.threshold) = (self.low, self.threshold);
            turn.settled_bound = self.settled_bound;
            turn.late = late.into();
            turn.defers = self.defers.into();
            turn.all_arcs = (late || !self.defers).into();
        }
    }

    /// Queues these kernels on all GPUs, as a turn.
    fn launch(&mut self, steps: &[Step]) -> Result<(), SearchError> {
        let on = &mut *self.on;
        on.turns.meeting += 1;
        let (meeting, is_alone) = (on.turns.meeting, on.gpus.len() == 1);
        let of_part = |(gpu, part): (&Gpu, &Part)| {
            launches(gpu, steps, is_alone, |is_last| part.turn.of_launch(meeting, is_last))
        };
        Ok(self.crew.queue(on.gpus.iter().zip(&on.parts).map(of_part).collect())?)
    }

    fn end_turn(&mut self) -> Result<(), SearchError> {
        let on = &mut *self.on;
        let words = on.turns.wait::<WORDS>(&on.gpus, || self.crew.check())?;
        on.turns.number += 1;
        let number = on.turns.number;
        let told = on.parts.iter_mut().zip(&words).map(|(part, words)| part.read(words, number));
        self.told = told.reduce(Told::and).unwrap_or_default();
        self.has_lost |= self.told.has_lost;
        self.turns += 1;
        Ok(())
    }
}
