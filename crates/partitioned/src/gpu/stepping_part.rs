//! What a GPU has of a search by Δ-stepping.

use bytemuck::{Pod, Zeroable};
use gpu_runtime::{Buffer, Gpu, GpuError, Kernel};
use search_parts::device::KeyKind;
use search_parts::{Kernels, NO_VERTEX, SearchError, buckets};

use super::apart::Apart;
use super::dealt::{MAX_PARTS, Shape};
use super::rows::PlacedRows;
use super::sources::Sources;
use super::together::{Together, words_of_room};

/// Threads of a block.
pub(super) const BLOCK: u32 = 512;
/// Words that a GPU tells the host: relaxations and improvements, each in two, steps, and trouble.
pub(super) const WORDS: usize = 6;
/// Words of 64 bits of `Told` of `stepping.cu`.
pub(super) const TOLD_WORDS: usize = 8;
/// `piece_length` of `stepping.cu`, halved: a row that is cut has pieces of at least that mean length.
const MIN_PIECE: u64 = 128;
/// The part of a GPU's vertices that it can be sent in a step; beyond, all keys are read.
pub(super) const SENT_PART: usize = 16;
/// Pushes of deferred arcs after which none are deferred.
const MAX_PUSHES: u32 = 8;
/// Warps of a multiprocessor at work.
const WARPS: u32 = 16;
/// The most buckets between two settled bounds.
const MAX_BUCKETS_PER_BOUND: f64 = 6.0;
/// Places that lists have in any case.
const PLACES: usize = 4096;

/// `Search` of `stepping.cu`.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
pub(super) struct Search {
    rows: [[u64; 2]; 2],
    near: [u64; 2],
    far: [u64; 2],
    visited: u64,
    pieces: u64,
    sources: u64,
    inbox: u64,
    control: u64,
    step: u64,
    host: u64,
    rooms: [u64; MAX_PARTS],
    inboxes: [u64; MAX_PARTS],
    keys: [u64; MAX_PARTS],
    delta: u64,
    short_limit: u64,
    greatest: u64,
    limit: u64,
    n_arcs: u64,
    capacity: u32,
    piece_capacity: u32,
    sent_capacity: u32,
    part: u32,
    n_parts: u32,
    stride: u32,
    n_rows: u32,
    n_warps: u32,
    source: u32,
    n_sources: u32,
    target: u32,
    number: u32,
    may_pull: u32,
    max_pushes: u32,
    is_apart: u32,
    unused: u32,
}

/// `Control` of `stepping.cu`.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
struct Control {
    least: [u64; 2],
    visited_arcs: [u64; 2],
    relaxations: u64,
    improvements: u64,
    near: u32,
    trouble: u32,
    pieces: [u32; 2],
    far: [u32; 2],
    visited: [u32; 2],
    sent: [u32; MAX_PARTS],
    taken: [u32; 4],
    arrived: u32,
    unused: u32,
}

/// What is decided by the weights and degrees of the whole graph.
#[derive(Clone, Copy)]
pub(super) struct Rules {
    /// The width of buckets, and the limit of short arcs, 0 where none are deferred.
    pub(super) delta: u64,
    pub(super) short_limit: u64,
    /// The greatest weight.
    pub(super) greatest: u64,
    pub(super) n_arcs: u64,
    /// Warps of all GPUs at work.
    pub(super) n_warps: u32,
    /// Whether arcs lead both ways, so that vertices can look for their neighbours.
    pub(super) may_pull: bool,
    /// Whether arcs are in host memory.
    pub(super) uses_host: bool,
}

/// The keys and lists of a GPU.
pub(super) struct Part {
    pub(super) keys: Buffer<u32>,
    kind: KeyKind,
    pub(super) inbox: Buffer<u32>,
    control: Buffer<Control>,
    sources: Sources,
    search: Search,
    /// The other buffers whose addresses `search` has.
    lists: [Buffer<u32>; 6],
}

impl Rules {
    /// The width of buckets: `by_weights` or, if arcs of at least `ahead` are deferred, more, so that few
    /// lie between two settled bounds.
    pub(super) fn delta(kind: KeyKind, by_weights: f64, ahead: Option<f64>, greatest: f64) -> u64 {
        let width_of_bound =
            |ahead: f64| ahead.min(greatest / buckets::LIMITS_PER_WEIGHT) / MAX_BUCKETS_PER_BOUND;
        kind.key(by_weights.max(ahead.map_or(0.0, width_of_bound))).max(1)
    }
}

/// Warps of a GPU at work.
pub(super) fn n_warps(gpu: &Gpu) -> u32 {
    WARPS * gpu.properties().multiprocessors
}

/// The kernel for keys of this kind.
pub(super) fn kernel(gpu: &Gpu, kind: KeyKind) -> Result<Kernel, SearchError> {
    Ok(Kernels::of(gpu, &kernels::partitioned::STEPPING, kind)?.get("stepping")?)
}

impl Search {
    /// The argument of the search with this number.
    pub(super) fn numbered(self, number: u32) -> Self {
        Self { number, ..self }
    }
}

/// The most pieces of rows of so long together.
fn max_pieces(n_arcs: u64) -> usize {
    (n_arcs / MIN_PIECE) as usize + 1
}

/// How many entries and words the buffers of a part have.
struct Sizes {
    /// Places of a list.
    capacity: usize,
    /// Words of all keys.
    keys: usize,
    sent_capacity: usize,
    /// Words of the inbox.
    sent: usize,
    /// Words of an entry and of a piece.
    of_entry: usize,
    of_piece: usize,
}

impl Sizes {
    fn new(shape: Shape, kind: KeyKind, sent_part: usize) -> Self {
        let (stride, words) = (shape.stride as usize, kind.words_of_key());
        let (n_parts, of_entry, of_piece) = (shape.n_parts, 2 * words, 4 * words);
        let sent_capacity = stride / sent_part + PLACES;
        Self {
            capacity: shape.n_rows + PLACES,
            keys: n_parts * stride * words,
            sent_capacity,
            sent: if n_parts == 1 { 1 } else { n_parts * sent_capacity * of_entry },
            of_entry,
            of_piece,
        }
    }
}

impl Part {
    /// Bytes on the GPU for a search of `n_arcs` arcs, beside the rows.
    pub(super) fn bytes(shape: Shape, n_arcs: u64, kind: KeyKind, sent_part: usize) -> u64 {
        let sizes = Sizes::new(shape, kind, sent_part);
        let pieces = max_pieces(n_arcs) + 1;
        let lists = 5 * sizes.capacity * sizes.of_entry + pieces * sizes.of_piece;
        // those of a check
        let marks = shape.n_parts * shape.stride as usize / 8 + size_of::<u64>();
        let beside = marks + size_of::<Control>() + 8 * words_of_room(TOLD_WORDS);
        (4 * (sizes.keys + sizes.sent + lists) + beside) as u64
    }

    /// Words of the inbox.
    pub(super) fn inbox_words(shape: Shape, kind: KeyKind, sent_part: usize) -> usize {
        Sizes::new(shape, kind, sent_part).sent
    }

    /// Bytes that it has on the GPU.
    pub(super) fn bytes_taken(&self) -> u64 {
        let lists: u64 = self.lists.iter().map(Buffer::bytes).sum();
        lists + self.keys.bytes() + self.inbox.bytes() + self.control.bytes()
    }

    /// `sent_part` is the part of its vertices that it can be sent in a step.
    pub(super) fn new(
        gpu: &Gpu,
        shape: Shape,
        rows: &[PlacedRows; 2],
        rules: &Rules,
        kind: KeyKind,
        sent_part: usize,
    ) -> Result<Self, SearchError> {
        let Sizes { capacity, keys, sent_capacity, sent, of_entry: entry, of_piece: piece } =
            Sizes::new(shape, kind, sent_part);
        let Shape { part, n_rows, n_parts, stride } = shape;
        // pieces of long arcs follow those of short ones
        let [piece_capacity, of_long] = rows.each_ref().map(|rows| max_pieces(rows.n_arcs));
        let list = || gpu.buffer::<u32>(capacity * entry);
        let pieces = gpu.buffer((piece_capacity + of_long) * piece)?;
        let lists = [list()?, list()?, list()?, list()?, list()?, pieces];
        let (keys, inbox) = (gpu.buffer(keys)?, gpu.buffer(sent)?);
        let control = gpu.buffer(1)?;
        let [near, next_near, far, next_far, visited, pieces] =
            lists.each_ref().map(Buffer::address);
        let search = Search {
            rows: rows.each_ref().map(|rows| [rows.offsets.address(), rows.arcs.address()]),
            near: [near, next_near],
            far: [far, next_far],
            visited,
            pieces,
            inbox: inbox.address(),
            control: control.address(),
            capacity: capacity as u32,
            piece_capacity: piece_capacity as u32,
            sent_capacity: sent_capacity as u32,
            part: part as u32,
            n_parts: n_parts as u32,
            stride,
            n_rows: n_rows as u32,
            delta: rules.delta,
            short_limit: rules.short_limit,
            greatest: rules.greatest,
            n_arcs: rules.n_arcs,
            n_warps: rules.n_warps,
            may_pull: rules.may_pull.into(),
            // arcs in host memory are read once
            max_pushes: if rules.uses_host { u32::MAX } else { MAX_PUSHES },
            ..Search::zeroed()
        };
        let sources = Sources::new(gpu)?;
        Ok(Self { keys, kind, inbox, control, sources, search, lists })
    }

    /// Tells each part where the others take what is for them.
    pub(super) fn connect(parts: &mut [Self], together: &Together) -> Result<(), GpuError> {
        for other in 0..parts.len() {
            let (inbox, keys) = (parts[other].inbox.address(), parts[other].keys.address());
            for Self { search, .. } in &mut *parts {
                search.rooms[other] = together.room(other);
                search.inboxes[other] = inbox;
                search.keys[other] = keys;
            }
            parts[other].search.host = together.host(other)?;
        }
        Ok(())
    }

    /// Tells the part that a host takes what is for others from these places. Keys of others come to the
    /// places of their entries.
    pub(super) fn set_apart(&mut self, apart: &Apart) -> Result<(), GpuError> {
        let search = &mut self.search;
        (search.host, search.step, search.is_apart) = (apart.host()?, apart.state(), 1);
        let bytes = (8 * self.kind.words_of_key()) as u64 * u64::from(search.sent_capacity);
        let of_keys = (4 * self.kind.words_of_key()) as u64 * u64::from(search.stride);
        for other in 0..search.n_parts as usize {
            search.rooms[other] = apart.room();
            search.inboxes[other] = apart.outbox_of(other, search.part, bytes);
            let first = search.inbox + other as u64 * bytes;
            search.keys[other] = first.wrapping_sub(u64::from(search.part) * of_keys);
        }
        search.keys[search.part as usize] = self.keys.address();
        Ok(())
    }

    pub(super) fn search(&self) -> Search {
        self.search
    }

    /// Entries that another part can be sent.
    pub(super) fn sent_capacity(&self) -> usize {
        self.search.sent_capacity as usize
    }

    /// The state before a search.
    pub(super) fn begin(
        &mut self,
        sources: &[u32],
        target: Option<u32>,
        limit: u64,
    ) -> Result<(), SearchError> {
        self.control.fill_bytes(0)?;
        self.sources.set(sources)?;
        let search = &mut self.search;
        (search.source, search.n_sources, search.sources) = self.sources.at();
        let own = |vertex: &u32| vertex / search.stride == search.part;
        (search.target, search.limit) = (target.filter(own).unwrap_or(NO_VERTEX), limit);
        Ok(())
    }

    /// The keys of its own vertices, `u64::MAX` where one is not reached.
    pub(super) fn download(&self) -> Result<Vec<u64>, SearchError> {
        let words = self.kind.words_of_key();
        let first = (self.search.part * self.search.stride) as usize * words;
        let own = first..first + self.search.n_rows as usize * words;
        let unreached = if words == 1 { u32::MAX.into() } else { u64::MAX };
        let key =
            |words: &[u32]| match words.iter().rev().fold(0, |key, &w| key << 32 | u64::from(w)) {
                key if key == unreached => u64::MAX,
                key => key,
            };
        Ok(self.keys.download_range(own)?.chunks(words).map(key).collect())
    }
}

#[cfg(test)]
test_support::layout_test! {
    Search as "Search" of ["partitioned/stepping.cu"]:
        rows, near, far, visited, pieces, sources, inbox, control, step, host, rooms, inboxes, keys, delta,
        short_limit, greatest, limit, n_arcs, capacity, piece_capacity, sent_capacity, part, n_parts,
        stride, n_rows, n_warps, source, n_sources, target, number, may_pull,
        max_pushes, is_apart, unused;
    Control as "Control" of ["partitioned/stepping.cu"]:
        least, visited_arcs, relaxations, improvements, near, trouble, pieces, far, visited, sent,
        taken, arrived, unused;
}
