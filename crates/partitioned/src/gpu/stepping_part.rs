//! What a GPU has of a search by Δ-stepping, and what it tells the host after a turn.

use std::mem;

use bytemuck::{Pod, Zeroable};
use gpu_runtime::{Buffer, Gpu, Kernel};
use search_parts::device::KeyKind;
use search_parts::{Kernels, NO_VERTEX, SearchError};

use super::dealt::{Dealt, MAX_PARTS};
use super::keys::unreached;
use super::rows::WeightedRows;
use super::turns::number;

/// Words that a GPU tells the host: those of `tell`.
pub(super) const WORDS: usize = 16;
/// `piece_length` of `stepping.cu`, halved: a row that is cut has pieces of at least that mean length.
const MIN_PIECE: u64 = 128;
/// The part of a GPU's vertices that it can be sent in a turn; beyond, all keys are read.
const SENT_PART: usize = 16;
/// Places that lists have in any case.
const PLACES: usize = 4096;

/// `Search` of `stepping.cu`.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
pub(super) struct Turn {
    rows: [[u64; 2]; 2],
    keys: u64,
    near_now: u64,
    near_next: u64,
    far_now: u64,
    far_next: u64,
    visited: u64,
    pieces: u64,
    outbox: u64,
    control: u64,
    host: u64,
    controls: [u64; MAX_PARTS],
    outboxes: [u64; MAX_PARTS],
    others_keys: [u64; MAX_PARTS],
    pub(super) low: u64,
    pub(super) threshold: u64,
    pub(super) settled_bound: u64,
    limit: u64,
    n_near: u32,
    n_far: u32,
    n_visited: u32,
    capacity: u32,
    piece_capacity: u32,
    sent_capacity: u32,
    part: u32,
    n_parts: u32,
    stride: u32,
    n_rows: u32,
    source: u32,
    pub(super) all_arcs: u32,
    pub(super) late: u32,
    pub(super) defers: u32,
    target: u32,
    turn: u32,
    far_turn: u32,
    phase: u32,
    meeting: u32,
    tells: u32,
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
    sent: [[u32; MAX_PARTS]; 2],
    met: u32,
    ended: u32,
}

/// What GPUs have found so far.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Told {
    pub(super) near: u64,
    pub(super) far: u64,
    pub(super) least: u64,
    pub(super) visited_arcs: u64,
    pub(super) relaxations: u64,
    pub(super) improvements: u64,
    /// The key of the target, or the greatest number.
    pub(super) target: u64,
    pub(super) trouble: bool,
    /// Whether near, far or visited vertices found no place in their list.
    pub(super) has_lost: bool,
}

/// The kernels, by the places in this list.
const NAMES: [&str; 7] =
    ["start", "relax_near", "relax_pieces", "receive", "split_far", "meet", "pull"];
pub(super) const START: usize = 0;
pub(super) const RELAX_NEAR: usize = 1;
pub(super) const RELAX_PIECES: usize = 2;
pub(super) const RECEIVE: usize = 3;
pub(super) const SPLIT_FAR: usize = 4;
pub(super) const MEET: usize = 5;
pub(super) const PULL: usize = 6;

/// The kernels for keys of this kind.
pub(super) fn load(gpu: &Gpu, kind: KeyKind) -> Result<Vec<Kernel>, SearchError> {
    let kernels = Kernels::of(gpu, &kernels::partitioned::STEPPING, kind)?;
    Ok(NAMES.iter().map(|name| kernels.get(name)).collect::<Result<_, _>>()?)
}

/// The keys and lists of a GPU.
pub(super) struct Part {
    pub(super) keys: Buffer<u32>,
    kind: KeyKind,
    outbox: Buffer<u32>,
    control: Buffer<Control>,
    pub(super) turn: Turn,
    /// The other buffers whose addresses `turn` has.
    _lists: [Buffer<u32>; 6],
}

impl Turn {
    /// The argument of a launch, perhaps the last of a turn.
    pub(super) fn of_launch(self, meeting: u32, is_last: bool) -> Self {
        Self { meeting, tells: is_last.into(), ..self }
    }
}

impl Part {
    pub(super) fn new(
        gpu: &Gpu,
        dealt: &Dealt,
        part: usize,
        rows: &[WeightedRows; 2],
        kind: KeyKind,
        host: u64,
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
        let (keys, outbox) = (gpu.buffer(keys)?, gpu.buffer(sent)?);
        let control = gpu.buffer(1)?;
        let [near_now, near_next, far_now, far_next, visited, pieces] =
            lists.each_ref().map(Buffer::address);
        let turn = Turn {
            rows: rows.each_ref().map(|rows| [rows.offsets.address(), rows.arcs.address()]),
            keys: keys.address(),
            near_now,
            near_next,
            far_now,
            far_next,
            visited,
            pieces,
            outbox: outbox.address(),
            control: control.address(),
            host,
            capacity: capacity as u32,
            piece_capacity: piece_capacity as u32,
            sent_capacity: sent_capacity as u32,
            part: part as u32,
            n_parts: n_parts as u32,
            stride,
            n_rows: n_rows as u32,
            ..Turn::zeroed()
        };
        Ok(Self { keys, kind, outbox, control, turn, _lists: lists })
    }

    /// Tells each part where the others have what is for it.
    pub(super) fn connect(parts: &mut [Self]) {
        for other in 0..parts.len() {
            let from = &parts[other];
            let [control, outbox, keys] =
                [from.control.address(), from.outbox.address(), from.keys.address()];
            for part in &mut *parts {
                part.turn.controls[other] = control;
                part.turn.outboxes[other] = outbox;
                part.turn.others_keys[other] = keys;
            }
        }
    }

    /// The state before a search, whose first turn has this number.
    pub(super) fn begin(
        &mut self,
        number: u32,
        source: u32,
        target: u32,
        limit: u64,
    ) -> Result<(), SearchError> {
        self.control.fill_bytes(0)?;
        let turn = &mut self.turn;
        let is_own = target != NO_VERTEX && target / turn.stride == turn.part;
        turn.target = if is_own { target } else { NO_VERTEX };
        (turn.turn, turn.source, turn.limit) = (number, source, limit);
        (turn.far_turn, turn.phase, turn.n_near, turn.n_far) = (0, 0, 0, 0);
        Ok(())
    }

    /// The far list becomes the one that is read.
    pub(super) fn turn_far(&mut self) {
        mem::swap(&mut self.turn.far_now, &mut self.turn.far_next);
        self.turn.far_turn ^= 1;
    }

    /// The visited list begins anew.
    pub(super) fn next_phase(&mut self) {
        self.turn.phase ^= 1;
    }

    /// What the GPU has told; the lists that it made are read in the turn of this number.
    pub(super) fn read(&mut self, words: &[u32; WORDS], next: u32) -> Told {
        let turn = &mut self.turn;
        let [near, far, visited] = [words[12], words[13], words[14]];
        mem::swap(&mut turn.near_now, &mut turn.near_next);
        (turn.n_near, turn.n_far, turn.n_visited, turn.turn) = (near, far, visited, next);
        Told {
            near: near.into(),
            far: far.into(),
            least: number(&words[2..]),
            visited_arcs: number(&words[4..]),
            relaxations: number(&words[6..]),
            improvements: number(&words[8..]),
            target: number(&words[10..]),
            trouble: words[15] != 0,
            has_lost: near.max(far).max(visited) > turn.capacity,
        }
    }

    /// The keys of its own vertices, `u64::MAX` where one is not reached.
    pub(super) fn download(&self) -> Result<Vec<u64>, SearchError> {
        let words = self.kind.words_of_key();
        let first = (self.turn.part * self.turn.stride) as usize * words;
        let own = first..first + self.turn.n_rows as usize * words;
        let unreached = unreached(self.kind);
        let key =
            |words: &[u32]| match words.iter().rev().fold(0, |key, &w| key << 32 | u64::from(w)) {
                key if key == unreached => u64::MAX,
                key => key,
            };
        Ok(self.keys.download_range(own)?.chunks(words).map(key).collect())
    }
}

impl Told {
    /// What two GPUs have found.
    pub(super) fn and(self, other: Self) -> Self {
        Self {
            near: self.near + other.near,
            far: self.far + other.far,
            least: self.least.min(other.least),
            visited_arcs: self.visited_arcs + other.visited_arcs,
            relaxations: self.relaxations + other.relaxations,
            improvements: self.improvements + other.improvements,
            target: self.target.min(other.target),
            trouble: self.trouble | other.trouble,
            has_lost: self.has_lost | other.has_lost,
        }
    }
}

#[cfg(test)]
test_support::layout_test! {
    Turn as "Search" of ["partitioned/stepping.cu"]:
        rows, keys, near_now, near_next, far_now, far_next, visited, pieces, outbox, control, host,
        controls, outboxes, others_keys, low, threshold, settled_bound, limit, n_near, n_far, n_visited,
        capacity, piece_capacity, sent_capacity, part, n_parts, stride, n_rows, source, all_arcs, late,
        defers, target, turn, far_turn, phase, meeting, tells;
    Control as "Control" of ["partitioned/stepping.cu"]:
        least, visited_arcs, relaxations, improvements, near, trouble, pieces, far, visited, sent, met, ended;
}
