//! Δ-stepping over several GPUs.
//!
//! The method is in `kernels/partitioned/stepping.cu`. Each GPU
//! has the arcs of its vertices, 8 bytes each, and a key of every vertex. With keys of 32 bits, one of
//! its own takes some 50 bytes beside. Weights of 64 bits take twice as much. Arcs are deferred as on
//! one GPU.
//!
//! O(n + m) where no vertex falls often.
//!
//! Reference: meyer-sanders-2003, davidson-2014, chakaravarthy-2014

use std::time::Instant;

use gpu_runtime::{Gpu, Kernel};
use graph_formats::generate::EdgeDraws;
use graph_formats::{Csr, Direction, Distance, DistanceKey, VertexId, Weight};
use paths::Distances;
use rayon::prelude::*;
use search_parts::device::{KeyKind, RankedArcs};
use search_parts::{
    Kernels, NO_VERTEX, Query, SearchError, Work, buckets, check_not_negative, milliseconds,
};

use super::check::Check;
use super::dealt::{Dealt, check_reach, each_part};
use super::rows::{WeightedRows, drawn_weights, number_heads, split};
use super::stepping_part::{BLOCK, Part, TOLD_WORDS, WORDS};
use super::together::{Together, number};

/// The most buckets between two settled bounds.
const MAX_BUCKETS_PER_BOUND: f64 = 6.0;
/// Warps of a multiprocessor at work.
const WARPS: u32 = 16;

/// Searches by Δ-stepping of a graph that is dealt to several GPUs.
pub struct DistancesOnGpus {
    gpus: Vec<Gpu>,
    dealt: Dealt,
    rows: Vec<[WeightedRows; 2]>,
    parts: Vec<Part>,
    /// The kernel on each GPU.
    kernels: Vec<Kernel>,
    together: Together,
    kind: KeyKind,
    n_arcs: u64,
    /// The width of buckets, and the limit of short arcs, 0 where none are deferred.
    delta: u64,
    short_limit: u64,
    /// The greatest weight.
    greatest: u64,
    source: u32,
    /// The time of the last search in milliseconds, with its launches.
    pub solve_ms: f64,
    /// Of this the time for which a GPU has waited for the others, the mean of all.
    pub waiting_ms: f64,
}

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
            together: Together::new(gpus, WORDS, TOLD_WORDS)?,
            kind,
            n_arcs,
            delta: kind.key(delta).max(1),
            short_limit: if defers { rules.short_limit() } else { 0 },
            greatest: kind.key(rules.greatest).max(1),
            source: NO_VERTEX,
            solve_ms: 0.0,
            waiting_ms: 0.0,
        };
        searches.set_kind(kind)?;
        Ok(searches)
    }

    /// Takes the work space for keys of this kind.
    fn set_kind(&mut self, kind: KeyKind) -> Result<(), SearchError> {
        let load = |gpu: &Gpu| -> Result<Kernel, SearchError> {
            Ok(Kernels::of(gpu, &kernels::partitioned::STEPPING, kind)?.get("stepping")?)
        };
        let kernels = self.gpus.iter().map(load).collect::<Result<_, _>>()?;
        self.parts.clear();
        for (part, gpu) in self.gpus.iter().enumerate() {
            self.parts.push(Part::new(gpu, &self.dealt, part, &self.rows[part], kind)?);
        }
        let of_gpu = |gpu: &Gpu| gpu.properties().multiprocessors;
        let n_warps = WARPS * self.gpus.iter().map(of_gpu).sum::<u32>();
        for (part, made) in self.parts.iter_mut().enumerate() {
            let search = &mut made.search;
            search.host = self.together.host(part)?;
            (search.delta, search.short_limit) = (self.delta, self.short_limit);
            (search.greatest, search.n_arcs, search.n_warps) =
                (self.greatest, self.n_arcs, n_warps);
        }
        Part::connect(&mut self.parts, &self.together);
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
    /// The limit is a key. [`Work::rounds`] is the number of steps. Keys of 32 bits become keys of 64
    /// where a sum does not fit them.
    ///
    /// # Errors
    /// [`SearchError::Interrupted`] where the callback ends it, [`SearchError::NotOnGpu`] where a sum
    /// fits neither 64 bits nor the weights' float, and [`SearchError::Gpu`].
    pub fn search(&mut self, query: &Query<'_, u64>) -> Result<Work, SearchError> {
        query.check(self.dealt.n_vertices())?;
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
        self.waiting_ms = self.together.waiting_ms;
        found.ok_or_else(|| SearchError::NotOnGpu {
            reason: "a sum of weights is too great for its numbers; scale the weights down, or \
                     search on the CPU"
                .to_owned(),
        })
    }

    /// Searches; `None` where a sum does not fit the keys.
    fn run(&mut self, query: &Query<'_, u64>) -> Result<Option<Work>, SearchError> {
        let source = self.dealt.number(query.source).unwrap_or(NO_VERTEX);
        let target = query.target().and_then(|target| self.dealt.number(target));
        let limit = self.kind.at_most(query.limit);
        for part in &mut self.parts {
            part.begin(source, target.unwrap_or(NO_VERTEX), limit)?;
        }
        let argument = |part: usize, number| self.parts[part].search.numbered(number);
        let report = |steps: u32| Ok(query.report(steps.into(), 0)?);
        // SAFETY: each part owns the buffers in its argument, of the lengths that the kernel
        // requires, and `self` the rows; those of others lie on GPUs that it reaches; heads are numbers.
        let words = unsafe { self.together.search(&self.kernels, BLOCK, argument, report)? };
        let sum = |first: usize| words.iter().map(|words| number(&words[first..])).sum();
        let has_trouble = words.iter().any(|words| words[5] != 0);
        let work = Work {
            relaxations: sum(0),
            improvements: sum(2),
            rounds: words[0][4].into(),
            ..Work::default()
        };
        Ok((!has_trouble).then_some(work))
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
