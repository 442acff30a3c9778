//! Δ-stepping over several GPUs.
//!
//! The method is in `kernels/partitioned/stepping.cu`. Each GPU
//! has the arcs of its vertices, 8 bytes each, and a key of every vertex. With keys of 32 bits, one of
//! its own takes some 50 bytes beside. Weights of 64 bits take twice as much. Arcs are deferred as on
//! one GPU. Arcs that do not fit are in host memory; see `placing.rs`.
//!
//! O(n + m) where no vertex falls often.
//!
//! Reference: meyer-sanders-2003, davidson-2014, chakaravarthy-2014

use std::time::Instant;

use gpu_runtime::{Gpu, Kernel};
use graph_formats::generate::EdgeDraws;
use graph_formats::{Csr, Distance, DistanceKey, VertexId, Weight};
use paths::Distances;
use rayon::prelude::*;
use search_parts::device::KeyKind;
use search_parts::{
    NO_VERTEX, Query, SearchError, Work, check_not_negative, check_vertices, milliseconds,
};

use super::check::Check;
use super::dealt::{Dealt, check_reach, each_part};
use super::rows::Memory;
use super::stepping_part::{self, BLOCK, Part, SENT_PART, TOLD_WORDS, WORDS};
use super::together::{Together, number};
use super::weighted::WeightedGraph;

/// Searches by Δ-stepping of a graph that is dealt to several GPUs.
pub struct DistancesOnGpus {
    gpus: Vec<Gpu>,
    graph: WeightedGraph,
    parts: Vec<Part>,
    /// The kernel on each GPU.
    kernels: Vec<Kernel>,
    together: Together,
    /// The kind of keys, which may be wider than the graph's.
    kind: KeyKind,
    /// The sources of the last search.
    sources: Vec<VertexId>,
    /// The time of the last search in milliseconds, with its launches.
    pub solve_ms: f64,
    /// Of this the time for which a GPU has waited for the others, the mean of all.
    pub waiting_ms: f64,
}

impl DistancesOnGpus {
    /// Deals the arcs of `graph` to these GPUs, 1 to 32. O(n + m).
    ///
    /// If they do not fit what the GPUs may use, as by [`with_memory_cap`](Gpu::with_memory_cap), the long
    /// ones are put into host memory. Rows are then made in pieces, which takes longer.
    ///
    /// # Errors
    /// [`SearchError::NegativeWeight`]. [`SearchError::NotOnGpu`] where GPUs cannot read each other's
    /// memory, the host has too little of it, or a row is too long. [`SearchError::Gpu`] where one fails, or
    /// has too little memory even if all arcs are in that of the host.
    pub fn new<W: Weight>(gpus: &[Gpu], graph: &Csr<W>) -> Result<Self, SearchError> {
        check_reach(gpus)?;
        check_not_negative(graph, "a search over several GPUs", "use bellman-ford on one machine")?;
        Self::of_graph(gpus, WeightedGraph::new(gpus, graph)?)
    }

    /// The same of the graph that is drawn, which is made on the GPUs.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn drawn(gpus: &[Gpu], draws: &EdgeDraws) -> Result<Self, SearchError> {
        check_reach(gpus)?;
        Self::of_graph(gpus, WeightedGraph::drawn(gpus, draws)?)
    }

    fn of_graph(gpus: &[Gpu], graph: WeightedGraph) -> Result<Self, SearchError> {
        let kind = graph.kind;
        let mut searches = Self {
            gpus: gpus.to_vec(),
            graph,
            parts: Vec::new(),
            kernels: Vec::new(),
            together: Together::new(gpus, WORDS, TOLD_WORDS)?,
            kind,
            sources: Vec::new(),
            solve_ms: 0.0,
            waiting_ms: 0.0,
        };
        searches.set_kind(kind)?;
        Ok(searches)
    }

    /// Takes the work space for keys of this kind.
    fn set_kind(&mut self, kind: KeyKind) -> Result<(), SearchError> {
        let kernel = |gpu| stepping_part::kernel(gpu, kind);
        let kernels = self.gpus.iter().map(kernel).collect::<Result<_, _>>()?;
        self.parts.clear();
        for (part, gpu) in self.gpus.iter().enumerate() {
            self.graph.make_room(gpu, part, kind)?;
        }
        // all know now whether arcs are in host memory
        for (part, gpu) in self.gpus.iter().enumerate() {
            let WeightedGraph { dealt, rows, rules, .. } = &self.graph;
            let made = Part::new(gpu, dealt.shape(part), &rows[part], rules, kind, SENT_PART)?;
            self.parts.push(made);
        }
        Part::connect(&mut self.parts, &self.together)?;
        (self.kernels, self.kind) = (kernels, kind);
        Ok(self.gpus.iter().try_for_each(Gpu::synchronize)?)
    }

    /// Arcs of the graph.
    pub fn n_arcs(&self) -> u64 {
        self.graph.rules.n_arcs
    }

    /// What the graph and its searches take of each GPU, and of host memory for it.
    pub fn memory(&self) -> Vec<Memory> {
        let memory = self.parts.iter().zip(&self.graph.rows).map(|(part, rows)| {
            let Memory { gpu, host } = Memory::of_rows(rows);
            Memory { gpu: gpu + part.bytes_taken(), host }
        });
        memory.collect()
    }

    /// How the vertices are dealt.
    pub fn dealt(&self) -> &Dealt {
        &self.graph.dealt
    }

    /// Finds the keys of the vertices that `query` asks for, and perhaps of others; they stay on the GPUs.
    /// The limit is a key. [`Work::rounds`] is the number of steps. Keys of 32 bits become keys of 64
    /// where a sum does not fit them.
    ///
    /// # Errors
    /// [`SearchError::Interrupted`] where the callback ends it, [`SearchError::NotOnGpu`] where a sum
    /// fits neither 64 bits nor the weights' float, and [`SearchError::Gpu`].
    pub fn search(&mut self, query: &Query<'_, u64>) -> Result<Work, SearchError> {
        self.search_from(&[query.source], query)
    }

    /// The same from the nearest of `sources`, in place of that of `query`.
    ///
    /// # Errors
    /// As [`search`](Self::search).
    pub fn search_from(
        &mut self,
        sources: &[VertexId],
        query: &Query<'_, u64>,
    ) -> Result<Work, SearchError> {
        check_vertices(self.graph.dealt.n_vertices(), "source", sources)?;
        check_vertices(self.graph.dealt.n_vertices(), "target", query.targets)?;
        if self.parts.len() < self.gpus.len() {
            // there was no memory for wider keys
            self.set_kind(self.kind)?;
        }
        self.sources = sources.to_vec();
        let start = Instant::now();
        let mut found = self.run(query)?;
        if found.is_none() && self.kind == KeyKind::U32 {
            self.set_kind(KeyKind::U32Wide)?;
            found = self.run(query)?;
        }
        self.solve_ms = milliseconds(start);
        self.waiting_ms = self.together.waiting_ms;
        found.ok_or_else(too_great)
    }

    /// Searches; `None` where a sum does not fit the keys.
    fn run(&mut self, query: &Query<'_, u64>) -> Result<Option<Work>, SearchError> {
        let numbers = self.graph.dealt.numbers(&self.sources);
        let target = query.target().and_then(|target| self.graph.dealt.number(target));
        let limit = self.kind.at_most(query.limit);
        for part in &mut self.parts {
            part.begin(&numbers, target, limit)?;
        }
        let argument = |part: usize, number| self.parts[part].search().numbered(number);
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
        self.gathered::<W>(None)
    }

    /// As [`distances`](Self::distances), of these vertices.
    ///
    /// # Errors
    /// Also [`SearchError::NoSuchVertex`].
    pub fn distances_of<W: Weight>(
        &self,
        vertices: &[VertexId],
    ) -> Result<Distances<W::Distance>, SearchError> {
        check_vertices(self.graph.dealt.n_vertices(), "target", vertices)?;
        self.gathered::<W>(Some(vertices))
    }

    fn gathered<W: Weight>(
        &self,
        of: Option<&[VertexId]>,
    ) -> Result<Distances<W::Distance>, SearchError> {
        let parts = each_part(&self.gpus, |part, _| self.parts[part].download())?;
        let keys = self.graph.dealt.gather(&parts, of, &self.sources, [0, u64::MAX]);
        let unreached = W::Distance::UNREACHED.to_key().to_u64();
        let overflows = |&key: &u64| key >= unreached && key != u64::MAX;
        if let Some(at) = keys.par_iter().position_first(overflows) {
            let vertex = of.map_or(at as VertexId, |vertices| vertices[at]);
            return Err(SearchError::Overflow {
                vertex,
                kind: std::any::type_name::<W::Distance>(),
            });
        }
        let distance = |key| match key {
            u64::MAX => W::Distance::UNREACHED,
            key => W::Distance::from_key(DistanceKey::from_u64(key)),
        };
        Ok(Distances::from_storage(keys.into_par_iter().map(distance).collect()))
    }

    /// How many arcs and vertices show that the keys of the last search, from one source and without target or
    /// limit, are wrong. Reads all arcs. O(n + m).
    ///
    /// # Errors
    /// [`SearchError::Gpu`].
    pub fn wrong(&mut self) -> Result<u64, SearchError> {
        self.send_keys()?;
        self.gpus.iter().try_for_each(Gpu::synchronize)?;
        let source = self.graph.dealt.numbers(&self.sources).first().copied();
        let check = Check::new(&self.gpus, &self.graph.dealt, &self.kind.to_string())?;
        let keys: Vec<_> = self.parts.iter().map(|part| part.keys.address()).collect();
        for (part, rows) in self.graph.rows.iter().enumerate() {
            for rows in rows {
                // SAFETY: heads are numbers of vertices, each with a key.
                unsafe { check.mark(part, &rows.offsets, rows.arcs.address(), keys[part])? };
            }
        }
        // SAFETY: they are the keys of all vertices.
        Ok(unsafe { check.count(&keys, source.unwrap_or(NO_VERTEX))? })
    }

    /// Sends all others the keys of each GPU's own vertices.
    fn send_keys(&mut self) -> Result<(), SearchError> {
        let words = self.graph.dealt.stride() as usize * self.kind.words_of_key();
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

/// That a sum fits no keys.
pub(super) fn too_great() -> SearchError {
    let reason = "a sum of weights is too great for its numbers; scale the weights down, or search on \
                  the CPU";
    SearchError::NotOnGpu { reason: reason.to_owned() }
}
