//! Breadth-first search over several GPUs.
//!
//! The method is in `kernels/partitioned/levels.cu`. Each GPU has the rows of its vertices, 4 bytes an
//! arc, sorted so that hubs come first. It has 20 bytes for each of its vertices, 4 for each of the
//! others', and two bits for each vertex of all. Arcs that do not fit are in host memory; see
//! `first_arcs.rs`. O(n + m).
//!
//! Reference: beamer-2012

use std::ops::Range;
use std::time::Instant;

use gpu_runtime::{Buffer, Gpu, Kernel};
use graph_formats::generate::EdgeDraws;
use graph_formats::{Csr, Direction, VertexId, Weight};
use search_parts::device::RankedArcs;
use search_parts::{NO_VERTEX, Query, SearchError, Work, check_vertices, milliseconds};

use super::check::Check;
use super::components::components;
use super::dealt::{Dealt, check_reach, each_part};
use super::first_arcs::{FirstArcs, FirstRows};
use super::levels_part::{self, BLOCK, Part, TOLD_WORDS, WORDS};
use super::rows::Memory;
use super::together::{Together, number};

/// Breadth-first searches of a graph that is dealt to several GPUs.
///
/// ```no_run
/// use gpu_runtime::Gpu;
/// use graph_formats::generate::{RmatConfig, rmat};
/// use partitioned::gpu::{LevelsOnGpus, Query};
///
/// let graph = rmat(&RmatConfig::default())?;
/// let gpus = [Gpu::open_ordinal(0)?, Gpu::open_ordinal(1)?];
/// let mut searches = LevelsOnGpus::new(&gpus, &graph)?;
/// searches.search(&Query { source: 0, targets: &[], limit: u32::MAX, progress: None })?;
/// println!("{:?}", searches.levels()?);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct LevelsOnGpus {
    gpus: Vec<Gpu>,
    dealt: Dealt,
    parts: Vec<Part>,
    /// The kernel on each GPU.
    kernels: Vec<Kernel>,
    together: Together,
    n_arcs: u64,
    /// Whether each arc is also one of its head.
    both_ways: bool,
    /// The sources of the last search.
    sources: Vec<VertexId>,
    /// The time of the last search in milliseconds, with its launches.
    pub solve_ms: f64,
    /// Of this the time for which a GPU has waited for the others, the mean of all.
    pub waiting_ms: f64,
}

impl LevelsOnGpus {
    /// Deals the arcs of `graph` to these GPUs, 1 to 32. O(n + m).
    ///
    /// In a test, parts may share a GPU that was opened for each, if the process does nothing else with it
    /// meanwhile; a debugger or sanitizer, which lets one launch wait for another, then hangs.
    ///
    /// If they do not fit what the GPUs may use, as by [`with_memory_cap`](Gpu::with_memory_cap), those
    /// beyond the first of each vertex are put into host memory. Rows are then made in pieces, which takes longer.
    ///
    /// # Errors
    /// [`SearchError::NotOnGpu`] where GPUs cannot read each other's memory, the host has too little of it,
    /// or a row is too long. [`SearchError::Gpu`] where one fails, or has too little memory even if all arcs
    /// are in that of the host.
    pub fn new<W: Weight>(gpus: &[Gpu], graph: &Csr<W>) -> Result<Self, SearchError> {
        check_reach(gpus)?;
        let dealt = Dealt::of_graph(gpus, graph)?;
        let both_ways = graph.direction() == Direction::Undirected;
        let length = |rank: usize| graph.out_degree(dealt.order()[rank]) as u64;
        let make =
            |part: usize, gpu: &Gpu, rows: Range<usize>| dealt.sorted_rows(gpu, graph, part, rows);
        let rows = FirstArcs {
            gpus,
            dealt: &dealt,
            length: &length,
            of_search: &|part, n_arcs| Part::bytes(dealt.shape(part), n_arcs),
            beside: 0,
            make: &make,
        };
        let rows = rows.place()?;
        Self::of_rows(gpus, dealt, rows, both_ways)
    }

    /// The same of the graph that is drawn, which is made on the GPUs.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn drawn(gpus: &[Gpu], draws: &EdgeDraws) -> Result<Self, SearchError> {
        check_reach(gpus)?;
        let (dealt, lengths) = Dealt::of_draws(gpus, draws)?;
        let length = |rank: usize| lengths[dealt.order()[rank] as usize].into();
        let make = |part: usize, gpu: &Gpu, rows: Range<usize>| {
            let of_parts = [part, gpus.len()];
            RankedArcs::drawn_rows(gpu, draws, &lengths, dealt.ranks(), of_parts, rows)
        };
        let rows = FirstArcs {
            gpus,
            dealt: &dealt,
            length: &length,
            of_search: &|part, n_arcs| Part::bytes(dealt.shape(part), n_arcs),
            // ranks of all vertices
            beside: size_of_val(&lengths[..]) as u64,
            make: &make,
        };
        let rows = rows.place()?;
        Self::of_rows(gpus, dealt, rows, draws.direction() == Direction::Undirected)
    }

    fn of_rows(
        gpus: &[Gpu],
        dealt: Dealt,
        rows: Vec<FirstRows>,
        both_ways: bool,
    ) -> Result<Self, SearchError> {
        let together = Together::new(gpus, WORDS, TOLD_WORDS)?;
        let n_arcs = rows.iter().map(FirstRows::n_arcs).sum();
        let uses_host = rows.iter().any(|rows| rows.of[1].n_arcs > 0);
        let n = dealt.order().len() as u64;
        let mut parts = Vec::with_capacity(gpus.len());
        for (part, (gpu, rows)) in gpus.iter().zip(rows).enumerate() {
            let mut made = Part::new(gpu, dealt.shape(part), rows)?;
            made.rules(n_arcs, n, both_ways);
            parts.push(made);
        }
        Part::connect(&mut parts, &together)?;
        let kernel = |gpu| levels_part::kernel(gpu, gpus.len(), uses_host);
        let kernels = gpus.iter().map(kernel).collect::<Result<_, _>>()?;
        gpus.iter().try_for_each(Gpu::synchronize)?;
        let (gpus, sources) = (gpus.to_vec(), Vec::new());
        Ok(Self {
            gpus,
            dealt,
            parts,
            kernels,
            together,
            n_arcs,
            both_ways,
            sources,
            solve_ms: 0.0,
            waiting_ms: 0.0,
        })
    }

    /// Arcs of the graph.
    pub fn n_arcs(&self) -> u64 {
        self.n_arcs
    }

    /// What the graph and its searches take of each GPU, and of host memory for it.
    pub fn memory(&self) -> Vec<Memory> {
        self.parts.iter().map(Part::memory).collect()
    }

    /// How the vertices are dealt.
    pub fn dealt(&self) -> &Dealt {
        &self.dealt
    }

    /// Finds the level of each vertex that `query` asks for, and perhaps of others; they stay on the
    /// GPUs. The limit is a level. [`Work::rounds`] is the number of levels.
    ///
    /// # Errors
    /// [`SearchError::Interrupted`] where the callback ends it, and [`SearchError::Gpu`].
    pub fn search(&mut self, query: &Query<'_, u32>) -> Result<Work, SearchError> {
        self.search_from(&[query.source], query)
    }

    /// The same from the nearest of `sources`, in place of that of `query`.
    ///
    /// # Errors
    /// As [`search`](Self::search).
    pub fn search_from(
        &mut self,
        sources: &[VertexId],
        query: &Query<'_, u32>,
    ) -> Result<Work, SearchError> {
        check_vertices(self.dealt.n_vertices(), "source", sources)?;
        check_vertices(self.dealt.n_vertices(), "target", query.targets)?;
        self.sources = sources.to_vec();
        let start = Instant::now();
        let numbers = self.dealt.numbers(sources);
        let target = query.target().and_then(|target| self.dealt.number(target));
        for part in &mut self.parts {
            part.begin(&numbers, target, query.limit)?;
        }
        let argument = |part: usize, number| self.parts[part].search().numbered(number);
        let report = |level: u32| Ok(query.report(level.into(), 0)?);
        // SAFETY: each part has the buffers in its argument, of the lengths that the kernel
        // requires, and those of others lie on GPUs that it reaches; heads are numbers of vertices.
        let words = unsafe { self.together.search(&self.kernels, BLOCK, argument, report)? };
        self.solve_ms = milliseconds(start);
        self.waiting_ms = self.together.waiting_ms;
        let relaxations = words.iter().map(|words| number(words)).sum();
        Ok(Work { relaxations, rounds: words[0][2].into(), ..Work::default() })
    }

    /// The level of each vertex by the last search, in the graph's numbering; `u32::MAX` for none. O(n).
    ///
    /// # Errors
    /// [`SearchError::Gpu`].
    pub fn levels(&self) -> Result<Vec<u32>, SearchError> {
        self.gathered(None)
    }

    /// As [`levels`](Self::levels), of these vertices.
    ///
    /// # Errors
    /// [`SearchError::NoSuchVertex`] and [`SearchError::Gpu`].
    pub fn levels_of(&self, vertices: &[VertexId]) -> Result<Vec<u32>, SearchError> {
        check_vertices(self.dealt.n_vertices(), "target", vertices)?;
        self.gathered(Some(vertices))
    }

    fn gathered(&self, of: Option<&[VertexId]>) -> Result<Vec<u32>, SearchError> {
        let parts = each_part(&self.gpus, |part, _| Ok(self.parts[part].levels.download()?))?;
        Ok(self.dealt.gather(&parts, of, &self.sources, [0, u32::MAX]))
    }

    /// For each vertex the smallest that arcs join with it, whatever their direction. Takes 4 bytes a vertex on
    /// each GPU, and reads all arcs. O(m/P · log n + n · log P) on P GPUs.
    ///
    /// # Errors
    /// [`SearchError::Gpu`].
    pub fn components(&self) -> Result<Vec<VertexId>, SearchError> {
        let rows = self.parts.iter().map(|part| &part.rows);
        components(&self.gpus, &self.dealt, rows, self.both_ways)
    }

    /// How many arcs and vertices show that the levels of the last search, from one source and without target
    /// or limit, are wrong. Takes 4 bytes a vertex and a bit more, and reads all arcs. O(n + m).
    ///
    /// # Errors
    /// [`SearchError::Gpu`].
    pub fn wrong(&self) -> Result<u64, SearchError> {
        let source = self.dealt.numbers(&self.sources).first().copied().unwrap_or(NO_VERTEX);
        let stride = self.dealt.stride() as usize;
        let check = Check::new(&self.gpus, &self.dealt, "levels")?;
        let mut all = Vec::with_capacity(self.gpus.len());
        for gpu in &self.gpus {
            let levels = gpu.buffer::<u32>(self.gpus.len() * stride)?;
            for (part, from) in self.parts.iter().enumerate() {
                // SAFETY: nothing else uses the new buffer yet, and the levels are finished.
                unsafe { gpu.queue_copy(&from.levels, 0..stride, &levels, part * stride)? };
            }
            all.push(levels);
        }
        for (part, (own, levels)) in self.parts.iter().zip(&all).enumerate() {
            for rows in own.rows.of.iter().filter(|rows| rows.n_arcs > 0) {
                // SAFETY: heads are numbers of vertices, each with a level.
                unsafe {
                    check.mark(part, &rows.offsets, rows.arcs.address(), levels.address())?;
                }
            }
        }
        let addresses: Vec<_> = all.iter().map(Buffer::address).collect();
        // SAFETY: they are the levels of all vertices.
        Ok(unsafe { check.count(&addresses, source)? })
    }
}
