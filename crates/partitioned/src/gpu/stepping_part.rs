//! What a GPU has of a search by Δ-stepping.

use bytemuck::{Pod, Zeroable};
use gpu_runtime::{Buffer, Gpu};
use search_parts::device::KeyKind;
use search_parts::{NO_VERTEX, SearchError};

use super::dealt::{Dealt, MAX_PARTS};
use super::rows::WeightedRows;
use super::together::Together;

/// Threads of a block.
pub(super) const BLOCK: u32 = 512;
/// Words that a GPU tells the host: relaxations and improvements, each in two, steps, and trouble.
pub(super) const WORDS: usize = 6;
/// Words of 64 bits of `Told` of `stepping.cu`.
pub(super) const TOLD_WORDS: usize = 8;
/// `piece_length` of `stepping.cu`, halved: a row that is cut has pieces of at least that mean length.
const MIN_PIECE: u64 = 128;
/// The part of a GPU's vertices that it can be sent in a step; beyond, all keys are read.
const SENT_PART: usize = 16;
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
    inbox: u64,
    control: u64,
    pub(super) host: u64,
    rooms: [u64; MAX_PARTS],
    inboxes: [u64; MAX_PARTS],
    keys: [u64; MAX_PARTS],
    pub(super) delta: u64,
    pub(super) short_limit: u64,
    pub(super) greatest: u64,
    limit: u64,
    pub(super) n_arcs: u64,
    capacity: u32,
    piece_capacity: u32,
    sent_capacity: u32,
    part: u32,
    n_parts: u32,
    stride: u32,
    n_rows: u32,
    pub(super) n_warps: u32,
    source: u32,
    target: u32,
    number: u32,
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

/// The keys and lists of a GPU.
pub(super) struct Part {
    pub(super) keys: Buffer<u32>,
    kind: KeyKind,
    inbox: Buffer<u32>,
    control: Buffer<Control>,
    pub(super) search: Search,
    /// The other buffers whose addresses `search` has.
    _lists: [Buffer<u32>; 6],
}

impl Search {
    /// The argument of the search with this number.
    pub(super) fn numbered(self, number: u32) -> Self {
        Self { number, ..self }
    }
}

impl Part {
    pub(super) fn new(
        gpu: &Gpu,
        dealt: &Dealt,
        part: usize,
        rows: &[WeightedRows; 2],
        kind: KeyKind,
    ) -> Result<Self, SearchError> {
        let (n_rows, stride, n_parts) = (dealt.len(part), dealt.stride(), dealt.n_parts());
        let capacity = n_rows + PLACES;
        let most_arcs = rows.iter().map(|rows| rows.n_arcs).max().unwrap_or(0);
        let piece_capacity = (most_arcs / MIN_PIECE) as usize + 1;
        let sent_capacity = stride as usize / SENT_PART + PLACES;
        // words of a key, of an entry and of a piece
        let words = kind.words_of_key();
        let (entry, piece) = (2 * words, 4 * words);
        let keys = n_parts * stride as usize * words;
        let sent = if n_parts == 1 { 1 } else { n_parts * sent_capacity * entry };
        let required = 4 * (keys + sent + 5 * capacity * entry + 2 * piece_capacity * piece);
        gpu.check_fits("a search by delta-stepping", required as u64)?;
        let list = || gpu.buffer::<u32>(capacity * entry);
        let pieces = gpu.buffer(2 * piece_capacity * piece)?;
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
            ..Search::zeroed()
        };
        Ok(Self { keys, kind, inbox, control, search, _lists: lists })
    }

    /// Tells each part where the others take what is for them.
    pub(super) fn connect(parts: &mut [Self], together: &Together) {
        for other in 0..parts.len() {
            let (inbox, keys) = (parts[other].inbox.address(), parts[other].keys.address());
            for Self { search, .. } in &mut *parts {
                search.rooms[other] = together.room(other);
                search.inboxes[other] = inbox;
                search.keys[other] = keys;
            }
        }
    }

    /// The state before a search.
    pub(super) fn begin(
        &mut self,
        source: u32,
        target: u32,
        limit: u64,
    ) -> Result<(), SearchError> {
        self.control.fill_bytes(0)?;
        let search = &mut self.search;
        let is_own = target != NO_VERTEX && target / search.stride == search.part;
        search.target = if is_own { target } else { NO_VERTEX };
        (search.source, search.limit) = (source, limit);
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
        rows, near, far, visited, pieces, inbox, control, host, rooms, inboxes, keys, delta,
        short_limit, greatest, limit, n_arcs, capacity, piece_capacity, sent_capacity, part, n_parts,
        stride, n_rows, n_warps, source, target, number, unused;
    Control as "Control" of ["partitioned/stepping.cu"]:
        least, visited_arcs, relaxations, improvements, near, trouble, pieces, far, visited, sent,
        taken, arrived, unused;
}
