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

use bytemuck::{Pod, Zeroable};
use gpu_runtime::{Buffer, Gpu, Kernel, Ptx};
use graph_formats::generate::EdgeDraws;
use graph_formats::{Csr, Direction, Weight};
use search_parts::device::RankedArcs;
use search_parts::{NO_VERTEX, Query, SearchError, Work, milliseconds};

use super::check::Check;
use super::dealt::{Dealt, MAX_PARTS, check_reach, each_part};
use super::first_arcs::{FirstArcs, FirstRows};
use super::rows::Memory;
use super::together::{Together, number};

static KERNELS: Ptx = Ptx::new(kernels::partitioned::LEVELS.name, kernels::partitioned::LEVELS.ptx);

/// `piece_length` of `levels.cu`, halved: a row that is cut has pieces of at least that mean length.
const MIN_PIECE: usize = 128;
/// Pulls begin where the frontier has more than this part of all arcs, and end where a level has found
/// less than this part of all vertices.
const ARCS_TO_PULL: u64 = 60;
const VERTICES_TO_PUSH: u64 = 64;
/// The least mean degree at which levels are pulled.
const MIN_DEGREE_TO_PULL: u64 = 5;
/// Threads of a block.
const BLOCK: u32 = 512;
/// Words that a GPU tells the host: arcs that it looked at, in two, and the level.
const WORDS: usize = 3;
/// Words of 64 bits of `Told` of `levels.cu`.
const TOLD_WORDS: usize = 3;

/// `Search` of `levels.cu`.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
struct LevelSearch {
    rows: [[u64; 2]; 2],
    firsts: u64,
    levels: u64,
    list: u64,
    pieces: u64,
    inbox: u64,
    control: u64,
    host: u64,
    rooms: [u64; MAX_PARTS],
    seen: [[u64; MAX_PARTS]; 2],
    inboxes: [u64; MAX_PARTS],
    arcs_to_pull: u64,
    vertices_to_push: u32,
    part: u32,
    n_parts: u32,
    stride: u32,
    n_rows: u32,
    source: u32,
    target: u32,
    limit: u32,
    number: u32,
    unused: u32,
}

/// `Control` of `levels.cu`.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
struct LevelControl {
    arcs: u64,
    looked: u64,
    listed: u32,
    found: u32,
    pieces: u32,
    arrived: u32,
    taken: [u32; 2],
    sent: [u32; MAX_PARTS],
}

/// What a GPU has of the graph and of a search.
struct Part {
    rows: FirstRows,
    levels: Buffer<u32>,
    seen: [Buffer<u32>; 2],
    list: Buffer<u32>,
    pieces: Buffer<u64>,
    inbox: Buffer<u32>,
    control: Buffer<LevelControl>,
    search: LevelSearch,
}

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
    /// The source of the last search.
    source: u32,
    /// The time of the last search in milliseconds, with its launches.
    pub solve_ms: f64,
    /// Of this the time for which a GPU has waited for the others, the mean of all.
    pub waiting_ms: f64,
}

impl LevelsOnGpus {
    /// Deals the arcs of `graph` to these GPUs, 1 to 8. O(n + m).
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
        let dealt = Dealt::of_graph(gpus, graph);
        let both_ways = graph.direction() == Direction::Undirected;
        let length = |rank: usize| graph.out_degree(dealt.order()[rank]) as u64;
        let make =
            |part: usize, gpu: &Gpu, rows: Range<usize>| dealt.sorted_rows(gpu, graph, part, rows);
        let rows = FirstArcs {
            gpus,
            dealt: &dealt,
            length: &length,
            of_search: &|part, n_arcs| Part::bytes(&dealt, part, n_arcs),
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
            of_search: &|part, n_arcs| Part::bytes(&dealt, part, n_arcs),
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
        let may_pull = both_ways && n_arcs >= MIN_DEGREE_TO_PULL * n;
        let mut parts = Vec::with_capacity(gpus.len());
        for (part, (gpu, rows)) in gpus.iter().zip(rows).enumerate() {
            let mut made = Part::new(gpu, &dealt, part, rows)?;
            made.search.host = together.host(part)?;
            made.search.arcs_to_pull = if may_pull { n_arcs / ARCS_TO_PULL } else { u64::MAX };
            made.search.vertices_to_push = (n / VERTICES_TO_PUSH) as u32;
            parts.push(made);
        }
        for other in 0..parts.len() {
            let from = &parts[other];
            let [seen, next] = from.seen.each_ref().map(Buffer::address);
            let inbox = from.inbox.address();
            for Part { search, .. } in &mut parts {
                search.rooms[other] = together.room(other);
                (search.seen[0][other], search.seen[1][other]) = (seen, next);
                search.inboxes[other] = inbox;
            }
        }
        let name = if uses_host { "levels_in_host" } else { "levels" };
        let kernels =
            gpus.iter().map(|gpu| gpu.kernel(&KERNELS, name)).collect::<Result<_, _>>()?;
        gpus.iter().try_for_each(Gpu::synchronize)?;
        let (gpus, source) = (gpus.to_vec(), NO_VERTEX);
        Ok(Self {
            gpus,
            dealt,
            parts,
            kernels,
            together,
            n_arcs,
            source,
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
        query.check(self.dealt.n_vertices())?;
        self.source = query.source;
        let start = Instant::now();
        let source = self.dealt.number(query.source).unwrap_or(NO_VERTEX);
        let target = query.target().and_then(|target| self.dealt.number(target));
        for Part { control, search, .. } in &mut self.parts {
            control.fill_bytes(0)?;
            let own = |vertex: &u32| vertex / search.stride == search.part;
            let target = target.filter(own).map(|vertex| vertex % search.stride);
            (search.source, search.target) = (source, target.unwrap_or(NO_VERTEX));
            search.limit = query.limit;
        }
        let argument = |part: usize, number| LevelSearch { number, ..self.parts[part].search };
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
        let parts = each_part(&self.gpus, |part, _| Ok(self.parts[part].levels.download()?))?;
        let mut levels = self.dealt.gather(&parts, u32::MAX);
        if let Some(level) = levels.get_mut(self.source as usize) {
            *level = 0;
        }
        Ok(levels)
    }

    /// How many arcs and vertices show that the levels of the last search, which had no target or limit,
    /// are wrong. Takes 4 bytes a vertex and a bit more, and reads all arcs. O(n + m).
    ///
    /// # Errors
    /// [`SearchError::Gpu`].
    pub fn wrong(&self) -> Result<u64, SearchError> {
        let source = self.dealt.number(self.source).unwrap_or(NO_VERTEX);
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

/// The most pieces of rows of so long together.
fn max_pieces(n_arcs: u64) -> usize {
    n_arcs as usize / MIN_PIECE + 2
}

impl Part {
    /// Bytes on the GPU for a search of `n_arcs` arcs, beside the rows, and for a check.
    fn bytes(dealt: &Dealt, part: usize, n_arcs: u64) -> u64 {
        let (stride, n_parts) = (dealt.stride() as usize, dealt.n_parts());
        let words = n_parts * stride / 32;
        let sent = if n_parts == 1 { 1 } else { n_parts * stride };
        let of_search =
            8 * max_pieces(n_arcs) + 4 * (2 * dealt.len(part) + sent + stride + 2 * words);
        let of_check = 4 * (n_parts * stride + words) + size_of::<u64>();
        (of_search + of_check + size_of::<LevelControl>()) as u64
    }

    fn memory(&self) -> Memory {
        let lists = self.list.bytes() + self.pieces.bytes() + self.inbox.bytes();
        let bits: u64 = self.seen.iter().map(Buffer::bytes).sum();
        let Memory { gpu, host } = Memory::of_rows(&self.rows.of);
        let lists = lists + self.rows.firsts.bytes();
        Memory { gpu: gpu + lists + bits + self.levels.bytes() + self.control.bytes(), host }
    }

    fn new(gpu: &Gpu, dealt: &Dealt, part: usize, rows: FirstRows) -> Result<Self, SearchError> {
        let (n_rows, stride, n_parts) = (dealt.len(part), dealt.stride(), dealt.n_parts());
        let words = n_parts * stride as usize / 32;
        let most_pieces = max_pieces(rows.n_arcs());
        let sent = if n_parts == 1 { 1 } else { n_parts * stride as usize };
        let (list, pieces) = (gpu.buffer(n_rows)?, gpu.buffer(most_pieces)?);
        let inbox = gpu.buffer(sent)?;
        let levels = gpu.buffer(stride as usize)?;
        let seen = [gpu.buffer(words)?, gpu.buffer(words)?];
        let control = gpu.buffer(1)?;
        let search = LevelSearch {
            rows: rows.of.each_ref().map(|rows| [rows.offsets.address(), rows.arcs.address()]),
            firsts: rows.firsts.address(),
            levels: levels.address(),
            list: list.address(),
            pieces: pieces.address(),
            inbox: inbox.address(),
            control: control.address(),
            part: part as u32,
            n_parts: n_parts as u32,
            stride,
            n_rows: n_rows as u32,
            ..LevelSearch::zeroed()
        };
        Ok(Self { rows, levels, seen, list, pieces, inbox, control, search })
    }
}

#[cfg(test)]
test_support::layout_test! {
    LevelSearch as "Search" of ["partitioned/levels.cu"]:
        rows, firsts, levels, list, pieces, inbox, control, host, rooms, seen, inboxes, arcs_to_pull,
        vertices_to_push, part, n_parts, stride, n_rows, source, target, limit, number, unused;
    LevelControl as "Control" of ["partitioned/levels.cu"]:
        arcs, looked, listed, found, pieces, arrived, taken, sent;
}
