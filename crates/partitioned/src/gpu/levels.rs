//! Breadth-first search over several GPUs.
//!
//! The method is in `kernels/partitioned/levels.cu`. Each GPU has the rows of its vertices, 4 bytes an
//! arc, sorted so that hubs come first. It has 16 bytes for each of its vertices, 4 for each of the
//! others', and two bits for each vertex of all. O(n + m), and some 30 µs a level.
//!
//! Reference: beamer-2012

use std::mem;
use std::time::Instant;

use bytemuck::{Pod, Zeroable};
use gpu_runtime::{Buffer, Gpu, Kernel, Ptx};
use graph_formats::generate::EdgeDraws;
use graph_formats::{Csr, Direction, Weight};
use search_parts::device::RankedArcs;
use search_parts::{NO_VERTEX, Query, SearchError, Work, milliseconds};

use super::check::Check;
use super::crew::{Crew, with_crew};
use super::dealt::{Dealt, MAX_PARTS, check_reach, each_part};
use super::rows::number_heads;
use super::turns::{Role, Turns, launches, number};

static KERNELS: Ptx = Ptx::new(kernels::partitioned::LEVELS.name, kernels::partitioned::LEVELS.ptx);

/// `piece_length` of `levels.cu`, halved: a row that is cut has pieces of at least that mean length.
const MIN_PIECE: usize = 128;
/// Pulls begin where the frontier has more than this part of all arcs, and end where a level has found
/// less than this part of all vertices.
const ARCS_TO_PULL: u64 = 60;
const VERTICES_TO_PUSH: u64 = 64;
/// The least mean degree at which levels are pulled.
const MIN_DEGREE_TO_PULL: u64 = 5;
/// Words that a GPU tells the host: those of `tell`.
const WORDS: usize = 9;

/// `Search` of `levels.cu`.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
struct LevelTurn {
    offsets: u64,
    ends: u64,
    levels: u64,
    seen: u64,
    seen_next: u64,
    list: u64,
    pieces: u64,
    outbox: u64,
    control: u64,
    host: u64,
    controls: [u64; MAX_PARTS],
    outboxes: [u64; MAX_PARTS],
    begin: u32,
    count: u32,
    level: u32,
    part: u32,
    n_parts: u32,
    stride: u32,
    n_rows: u32,
    source: u32,
    target: u32,
    turn: u32,
    meeting: u32,
    tells: u32,
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
    ended: u32,
    sent: [[u32; MAX_PARTS]; 2],
    met: u32,
    unused: u32,
}

/// What a GPU has of the graph and of a search.
struct Part {
    rows: RankedArcs,
    levels: Buffer<u32>,
    seen: [Buffer<u32>; 2],
    _list: Buffer<u32>,
    _pieces: Buffer<u64>,
    outbox: Buffer<u32>,
    control: Buffer<LevelControl>,
    turn: LevelTurn,
}

/// The kernels, by the places in this list.
const NAMES: [&str; 7] = ["start", "push", "push_pieces", "receive", "meet", "pull", "list_pulled"];
const START: usize = 0;
const PUSH: usize = 1;
const PUSH_PIECES: usize = 2;
const RECEIVE: usize = 3;
const MEET: usize = 4;
const PULL: usize = 5;
const LIST_PULLED: usize = 6;

/// What all GPUs have found in a level.
struct Found {
    /// Entries of the frontier's list, on each GPU.
    listed: Vec<u32>,
    vertices: u64,
    arcs: u64,
    looked: u64,
    has_target: bool,
}

/// Breadth-first searches of a graph that is dealt to several GPUs.
///
/// ```no_run
/// use gpu_runtime::Gpu;
/// use graph_formats::generate::{RmatConfig, rmat};
/// use partitioned::gpu::LevelsOnGpus;
/// use search_parts::Query;
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
    /// The kernels on each GPU.
    kernels: Vec<Vec<Kernel>>,
    turns: Turns,
    n_arcs: u64,
    may_pull: bool,
    /// The source of the last search.
    source: u32,
    /// The time of the last search in milliseconds, from its first launch to the last report.
    pub solve_ms: f64,
}

impl LevelsOnGpus {
    /// Deals the arcs of `graph` to these GPUs, 1 to 8. O(n + m).
    ///
    /// # Errors
    /// [`SearchError::NotOnGpu`] where GPUs cannot read each other's memory or a row is too long, and
    /// [`SearchError::Gpu`] where one fails or has too little memory.
    pub fn new<W: Weight>(gpus: &[Gpu], graph: &Csr<W>) -> Result<Self, SearchError> {
        check_reach(gpus)?;
        let dealt = Dealt::of_graph(gpus, graph);
        let both_ways = graph.direction() == Direction::Undirected;
        let rows = each_part(gpus, |part, gpu| dealt.sorted_rows(gpu, graph, part))?;
        Self::of_rows(gpus, dealt, rows, both_ways)
    }

    /// The same of the graph that is drawn, which is made on the GPUs.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn drawn(gpus: &[Gpu], draws: &EdgeDraws) -> Result<Self, SearchError> {
        check_reach(gpus)?;
        let (dealt, lengths) = Dealt::of_draws(gpus, draws)?;
        let ranks = dealt.ranks();
        let rows = each_part(gpus, |part, gpu| {
            RankedArcs::drawn_part(gpu, draws, &lengths, ranks, part, gpus.len())
        })?;
        Self::of_rows(gpus, dealt, rows, draws.direction() == Direction::Undirected)
    }

    fn of_rows(
        gpus: &[Gpu],
        dealt: Dealt,
        rows: Vec<RankedArcs>,
        both_ways: bool,
    ) -> Result<Self, SearchError> {
        let turns = Turns::new(gpus, WORDS)?;
        let n_arcs = rows.iter().map(|rows| rows.ends.len() as u64).sum();
        let n: usize = (0..gpus.len()).map(|part| dealt.len(part)).sum();
        let mut parts = Vec::with_capacity(gpus.len());
        for (part, (gpu, rows)) in gpus.iter().zip(rows).enumerate() {
            number_heads(gpu, &dealt, part, &rows)?;
            parts.push(Part::new(gpu, &dealt, part, rows, turns.mailbox(part).address()?)?);
        }
        for part in 0..parts.len() {
            for other in 0..parts.len() {
                let (control, outbox) =
                    (parts[other].control.address(), parts[other].outbox.address());
                parts[part].turn.controls[other] = control;
                parts[part].turn.outboxes[other] = outbox;
            }
        }
        gpus.iter().try_for_each(Gpu::synchronize)?;
        let may_pull = both_ways && n_arcs >= MIN_DEGREE_TO_PULL * n as u64;
        let load = |gpu: &Gpu| NAMES.iter().map(|name| gpu.kernel(&KERNELS, name)).collect();
        let kernels = gpus.iter().map(load).collect::<Result<_, _>>()?;
        let (gpus, source) = (gpus.to_vec(), NO_VERTEX);
        Ok(Self { gpus, dealt, parts, kernels, turns, n_arcs, may_pull, source, solve_ms: 0.0 })
    }

    /// Arcs of the graph.
    pub fn n_arcs(&self) -> u64 {
        self.n_arcs
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
        query.check(self.dealt.ranks().ranks.len())?;
        self.source = query.source;
        let start = Instant::now();
        let (gpus, kernels) = (self.gpus.clone(), mem::take(&mut self.kernels));
        // SAFETY: each part owns the buffers of its GPU in its arguments, of the lengths that the kernels
        // require, and reads those of others when these have met; heads are numbers of vertices.
        let work =
            unsafe { with_crew(&gpus, &kernels, |crew| Leveling { on: self, crew }.run(query)) };
        self.kernels = kernels;
        self.solve_ms = milliseconds(start);
        if work.is_err() {
            self.turns.stop(&self.gpus);
        }
        work
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
            // SAFETY: heads are numbers of vertices, each with a level.
            unsafe {
                check.mark(part, &own.rows.offsets, own.rows.ends.address(), levels.address())?
            };
        }
        let addresses: Vec<_> = all.iter().map(Buffer::address).collect();
        // SAFETY: they are the levels of all vertices.
        Ok(unsafe { check.count(&addresses, source)? })
    }
}

/// A search, a level after the other.
struct Leveling<'a> {
    on: &'a mut LevelsOnGpus,
    crew: &'a Crew<'a, LevelTurn>,
}

impl Leveling<'_> {
    fn run(mut self, query: &Query<'_, u32>) -> Result<Work, SearchError> {
        let n = self.on.dealt.order().len() as u64;
        self.begin(query)?;
        let mut found = self.end_turn(0)?;
        let (mut level, mut is_pulled) = (0, false);
        while found.vertices > 0 && level < query.limit && !found.has_target {
            query.report(level.into(), 0)?;
            level += 1;
            self.on.parts.iter_mut().for_each(|part| part.turn.level = level);
            let pulls = self.on.may_pull
                && match is_pulled {
                    true => found.vertices >= n / VERTICES_TO_PUSH,
                    false => found.arcs > self.on.n_arcs / ARCS_TO_PULL,
                };
            if pulls {
                if !is_pulled {
                    self.send_bits(0)?;
                }
                self.launch(&[(MEET, Role::Meets), (PULL, Role::Works)])?;
                found = self.end_turn(level)?;
                self.send_bits(1)?;
                self.swap_bits();
            } else {
                if is_pulled {
                    found.listed = self.list_pulled()?;
                }
                self.push(&found.listed)?;
                found = self.end_turn(level)?;
            }
            is_pulled = pulls;
        }
        Ok(Work { relaxations: found.looked, rounds: level.into(), ..Work::default() })
    }

    /// The state before the first level.
    fn begin(&mut self, query: &Query<'_, u32>) -> Result<(), SearchError> {
        let source = self.on.dealt.number(query.source).unwrap_or(NO_VERTEX);
        let target = query.target().and_then(|target| self.on.dealt.number(target));
        for part in &mut self.on.parts {
            part.control.fill_bytes(0)?;
            let turn = &mut part.turn;
            let own =
                |vertex: u32| (vertex / turn.stride == turn.part).then(|| vertex % turn.stride);
            turn.target = target.and_then(own).unwrap_or(NO_VERTEX);
            (turn.source, turn.begin, turn.count, turn.level) = (source, 0, 0, 0);
        }
        self.next_turn();
        self.launch(&[(START, Role::Works)])
    }

    /// Pushes the level from the frontier, of which the parts have so many entries.
    fn push(&mut self, listed: &[u32]) -> Result<(), SearchError> {
        for (part, &count) in self.on.parts.iter_mut().zip(listed) {
            part.turn.begin += part.turn.count;
            part.turn.count = count;
        }
        self.launch(&[
            (PUSH, Role::Works),
            (PUSH_PIECES, Role::Works),
            (MEET, Role::Meets),
            (RECEIVE, Role::Receives),
        ])
    }

    /// Lists what the last pull has found.
    fn list_pulled(&mut self) -> Result<Vec<u32>, SearchError> {
        for part in &mut self.on.parts {
            (part.turn.begin, part.turn.count) = (0, 0);
        }
        self.launch(&[(LIST_PULLED, Role::Works)])?;
        Ok(self.end_turn(0)?.listed)
    }

    /// Sends all others the bits of each GPU's own vertices: of `seen`, or of `seen_next`.
    fn send_bits(&self, which: usize) -> Result<(), SearchError> {
        let words = self.on.dealt.stride() as usize / 32;
        for (at, from) in self.on.parts.iter().enumerate() {
            let range = at * words..(at + 1) * words;
            for (_, to) in self.on.parts.iter().enumerate().filter(|&(other, _)| other != at) {
                let (source, target) = (&from.seen[which], &to.seen[which]);
                // SAFETY: the words of a part are written on its GPU alone, and others read them after
                // all have met.
                unsafe { self.on.gpus[at].queue_copy(source, range.clone(), target, range.start)? };
            }
        }
        Ok(())
    }

    fn swap_bits(&mut self) {
        for part in &mut self.on.parts {
            part.seen.swap(0, 1);
            mem::swap(&mut part.turn.seen, &mut part.turn.seen_next);
        }
    }

    /// Queues these kernels on all GPUs, as a turn.
    fn launch(&mut self, steps: &[(usize, Role)]) -> Result<(), SearchError> {
        let on = &mut *self.on;
        on.turns.meeting += 1;
        let (meeting, is_alone) = (on.turns.meeting, on.gpus.len() == 1);
        let of_part = |(gpu, part): (&Gpu, &Part)| {
            launches(gpu, steps, is_alone, |is_last| LevelTurn {
                meeting,
                tells: is_last.into(),
                ..part.turn
            })
        };
        Ok(self.crew.queue(on.gpus.iter().zip(&on.parts).map(of_part).collect())?)
    }

    /// Ends a turn, in which vertices of this level were found.
    fn end_turn(&mut self, level: u32) -> Result<Found, SearchError> {
        let words = self.on.turns.wait::<WORDS>(&self.on.gpus, || self.crew.check())?;
        self.next_turn();
        let sum = |first: usize| words.iter().map(|words| number(&words[first..])).sum();
        Ok(Found {
            listed: words.iter().map(|words| words[2]).collect(),
            vertices: words.iter().map(|words| u64::from(words[3])).sum(),
            arcs: sum(4),
            looked: sum(6),
            has_target: words.iter().any(|words| words[8] <= level),
        })
    }

    fn next_turn(&mut self) {
        self.on.turns.number += 1;
        for part in &mut self.on.parts {
            part.turn.turn = self.on.turns.number;
        }
    }
}

impl Part {
    fn new(
        gpu: &Gpu,
        dealt: &Dealt,
        part: usize,
        rows: RankedArcs,
        host: u64,
    ) -> Result<Self, SearchError> {
        let (n_rows, stride, n_parts) = (dealt.len(part), dealt.stride(), dealt.n_parts());
        let words = n_parts * stride as usize / 32;
        let most_pieces = rows.ends.len() / MIN_PIECE + 1;
        let sent = if n_parts == 1 { 1 } else { n_parts * stride as usize };
        let required = 8 * most_pieces + 4 * (n_rows + sent + stride as usize + 2 * words);
        gpu.check_fits("a breadth-first search", required as u64)?;
        let (list, pieces) = (gpu.buffer(n_rows)?, gpu.buffer(most_pieces)?);
        let outbox = gpu.buffer(sent)?;
        let levels = gpu.buffer(stride as usize)?;
        let seen = [gpu.buffer(words)?, gpu.buffer(words)?];
        let control = gpu.buffer(1)?;
        let turn = LevelTurn {
            offsets: rows.offsets.address(),
            ends: rows.ends.address(),
            levels: levels.address(),
            seen: seen[0].address(),
            seen_next: seen[1].address(),
            list: list.address(),
            pieces: pieces.address(),
            outbox: outbox.address(),
            control: control.address(),
            host,
            part: part as u32,
            n_parts: n_parts as u32,
            stride,
            n_rows: n_rows as u32,
            ..LevelTurn::zeroed()
        };
        Ok(Self { rows, levels, seen, _list: list, _pieces: pieces, outbox, control, turn })
    }
}

#[cfg(test)]
test_support::layout_test! {
    LevelTurn as "Search" of ["partitioned/levels.cu"]:
        offsets, ends, levels, seen, seen_next, list, pieces, outbox, control, host, controls,
        outboxes, begin, count, level, part, n_parts, stride, n_rows, source, target, turn, meeting,
        tells;
    LevelControl as "Control" of ["partitioned/levels.cu"]: arcs, looked, listed, found, pieces,
        ended, sent, met, unused;
}
