//! What a GPU has of a breadth-first search.

use bytemuck::{Pod, Zeroable};
use gpu_runtime::{Buffer, Gpu, GpuError, Kernel, Ptx};
use kernels::partitioned::LEVELS;
use search_parts::{NO_VERTEX, SearchError};

use super::apart::Apart;
use super::dealt::{MAX_PARTS, Shape};
use super::first_arcs::FirstRows;
use super::rows::Memory;
use super::sources::Sources;
use super::together::{Together, words_of_room};

static ALONE: Ptx = Ptx::new(LEVELS[0].name, LEVELS[0].ptx);
static OF_SEVERAL: Ptx = Ptx::new(LEVELS[1].name, LEVELS[1].ptx);
static IN_HOST: Ptx = Ptx::new(LEVELS[2].name, LEVELS[2].ptx);

/// `piece_length` of `levels.cu`, halved: a row that is cut has pieces of at least that mean length.
const MIN_PIECE: usize = 128;
/// Pulls begin where the frontier has more than this part of all arcs, and end where a level has found
/// less than this part of all vertices.
const ARCS_TO_PULL: u64 = 60;
const VERTICES_TO_PUSH: u64 = 64;
/// The least mean degree at which levels are pulled.
const MIN_DEGREE_TO_PULL: u64 = 5;
/// Threads of a block.
pub(super) const BLOCK: u32 = 512;
/// Words that a GPU tells the host: arcs that it looked at, in two, and the level.
pub(super) const WORDS: usize = 3;
/// Words of 64 bits of `Told` of `levels.cu`.
pub(super) const TOLD_WORDS: usize = 4;

/// `Search` of `levels.cu`.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
pub(super) struct LevelSearch {
    rows: [[u64; 2]; 2],
    firsts: u64,
    levels: u64,
    list: u64,
    pieces: u64,
    inbox: u64,
    sources: u64,
    control: u64,
    frontier: u64,
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
    n_sources: u32,
    target: u32,
    limit: u32,
    number: u32,
    is_apart: u32,
    arcs_of_sent: u32,
}

/// `Control` of `levels.cu`.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
struct LevelControl {
    arcs: u64,
    looked: u64,
    listed: u32,
    found: u32,
    sent_in_all: u32,
    pieces: u32,
    arrived: u32,
    taken: [u32; 2],
    sent: [u32; MAX_PARTS],
    told: [u32; MAX_PARTS],
    sends_target: u32,
}

/// What a GPU has of the graph and of a search.
pub(super) struct Part {
    pub(super) rows: FirstRows,
    pub(super) levels: Buffer<u32>,
    pub(super) seen: [Buffer<u32>; 2],
    list: Buffer<u32>,
    pieces: Buffer<u64>,
    pub(super) inbox: Buffer<u32>,
    control: Buffer<LevelControl>,
    sources: Sources,
    search: LevelSearch,
}

impl LevelSearch {
    /// The argument of the search with this number.
    pub(super) fn numbered(self, number: u32) -> Self {
        Self { number, ..self }
    }
}

/// The most pieces of rows of so long together.
fn max_pieces(n_arcs: u64) -> usize {
    n_arcs as usize / MIN_PIECE + 2
}

impl Part {
    /// Bytes on the GPU for a search of `n_arcs` arcs, beside the rows, and for a check.
    pub(super) fn bytes(shape: Shape, n_arcs: u64) -> u64 {
        let Shape { n_rows, n_parts, .. } = shape;
        let stride = shape.stride as usize;
        let words = n_parts * stride / 32;
        let sent = if n_parts == 1 { 1 } else { n_parts * stride };
        let of_search = 8 * max_pieces(n_arcs) + 4 * (2 * n_rows + sent + stride + 2 * words);
        let of_check = 4 * (n_parts * stride + words) + size_of::<u64>();
        (of_search + of_check + size_of::<LevelControl>() + 8 * words_of_room(TOLD_WORDS)) as u64
    }

    pub(super) fn memory(&self) -> Memory {
        let lists = self.list.bytes() + self.pieces.bytes() + self.inbox.bytes();
        let bits: u64 = self.seen.iter().map(Buffer::bytes).sum();
        let Memory { gpu, host } = Memory::of_rows(&self.rows.of);
        let lists = lists + self.rows.firsts.bytes();
        Memory { gpu: gpu + lists + bits + self.levels.bytes() + self.control.bytes(), host }
    }

    pub(super) fn new(gpu: &Gpu, shape: Shape, rows: FirstRows) -> Result<Self, SearchError> {
        let Shape { part, n_rows, n_parts, stride } = shape;
        let words = n_parts * stride as usize / 32;
        let most_pieces = max_pieces(rows.n_arcs());
        let sent = if n_parts == 1 { 1 } else { n_parts * stride as usize };
        let (list, pieces) = (gpu.buffer(n_rows)?, gpu.buffer(most_pieces)?);
        let inbox = gpu.buffer(sent)?;
        // a search labels its vertices, and not the numbers beyond them
        let mut levels = gpu.buffer(stride as usize)?;
        levels.fill_bytes(u8::MAX)?;
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
        let sources = Sources::new(gpu)?;
        Ok(Self { rows, levels, seen, list, pieces, inbox, control, sources, search })
    }

    /// When levels are pulled and pushed, in a graph of so many arcs and vertices that have some.
    pub(super) fn rules(&mut self, n_arcs: u64, n_linked: u64, both_ways: bool) {
        let may_pull = both_ways && n_arcs >= MIN_DEGREE_TO_PULL * n_linked;
        self.search.arcs_to_pull = if may_pull { n_arcs / ARCS_TO_PULL } else { u64::MAX };
        self.search.arcs_of_sent = (n_arcs / n_linked.max(1)) as u32;
        self.search.vertices_to_push = (n_linked / VERTICES_TO_PUSH) as u32;
    }

    /// Tells each part where the others take what is for them.
    pub(super) fn connect(parts: &mut [Self], together: &Together) -> Result<(), GpuError> {
        for other in 0..parts.len() {
            let from = &parts[other];
            let [seen, next] = from.seen.each_ref().map(Buffer::address);
            let inbox = from.inbox.address();
            for Self { search, .. } in &mut *parts {
                search.rooms[other] = together.room(other);
                (search.seen[0][other], search.seen[1][other]) = (seen, next);
                search.inboxes[other] = inbox;
            }
            parts[other].search.host = together.host(other)?;
        }
        Ok(())
    }

    /// Tells the part that a host takes what is for others from these places.
    pub(super) fn set_apart(&mut self, apart: &Apart) -> Result<(), GpuError> {
        let search = &mut self.search;
        (search.host, search.frontier, search.is_apart) = (apart.host()?, apart.state(), 1);
        let [seen, next] = self.seen.each_ref().map(Buffer::address);
        let bytes = size_of::<u32>() as u64 * u64::from(search.stride);
        for other in 0..search.n_parts as usize {
            search.rooms[other] = apart.room();
            (search.seen[0][other], search.seen[1][other]) = (seen, next);
            search.inboxes[other] = apart.outbox_of(other, search.part, bytes);
        }
        Ok(())
    }

    /// The state before a search.
    pub(super) fn begin(
        &mut self,
        sources: &[u32],
        target: Option<u32>,
        limit: u32,
    ) -> Result<(), SearchError> {
        self.control.fill_bytes(0)?;
        self.sources.set(sources)?;
        let search = &mut self.search;
        (search.source, search.n_sources, search.sources) = self.sources.at();
        let is_source = target.is_some_and(|target| sources.contains(&target));
        search.target = target.unwrap_or(NO_VERTEX);
        search.limit = if is_source { 0 } else { limit };
        Ok(())
    }

    pub(super) fn search(&self) -> LevelSearch {
        self.search
    }
}

/// The kernel for this number of parts, and by whether arcs are in host memory.
pub(super) fn kernel(gpu: &Gpu, n_parts: usize, uses_host: bool) -> Result<Kernel, GpuError> {
    let module = match (uses_host, n_parts) {
        (true, _) => &IN_HOST,
        (false, 1) => &ALONE,
        (false, _) => &OF_SEVERAL,
    };
    gpu.kernel(module, "levels")
}

#[cfg(test)]
test_support::layout_test! {
    LevelSearch as "Search" of ["partitioned/levels.cu"]:
        rows, firsts, levels, list, pieces, inbox, sources, control, frontier, host, rooms, seen, inboxes, arcs_to_pull,
        vertices_to_push, part, n_parts, stride, n_rows, source, n_sources, target, limit, number, is_apart, arcs_of_sent;
    LevelControl as "Control" of ["partitioned/levels.cu"]:
        arcs, looked, listed, found, sent_in_all, pieces, arrived, taken, sent, told, sends_target;
}
