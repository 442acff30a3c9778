//! The part of a graph that a rank has: the rows of its vertices.
//!
//! Rows ascend by weight, so that a search finds the short arcs of a vertex at the start of its
//! row, and ends where the others are too long. Where all arcs have the same weight, rows ascend by
//! vertex. Heads are slots of the [`Deal`].

mod drawn;
mod of_edges;
mod of_graph;
mod read;
mod totals;

use std::fmt;
use std::ops::Range;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use collectives::Communicator;
use gpu_runtime::Gpu;
use graph_formats::{Direction, VertexId, Weight, WeightKind, parallel, prefetch};
use search_parts::in_large_pages;

pub(crate) use totals::Totals;

use crate::gpu::OnGpu;
use crate::{Deal, PartitionedError};

/// Rows that one parallel task sorts.
const ROWS_PER_TASK: usize = 1 << 10;

/// A rank's part of a graph: the arcs that leave its vertices, with their weights.
///
/// It takes 8 bytes a vertex and 4 an arc, and the weights, if they differ.
///
/// ```
/// use collectives::{Communicator, Threads};
/// use graph_formats::{AnyCsr, Csr};
/// use partitioned::{Part, PartitionedError};
///
/// let graph = AnyCsr::from(Csr::from_edges(5, &[(0, 1, 7u32), (1, 2, 1), (3, 4, 2)])?);
/// let n_arcs = Threads::run(3, |ranks| {
///     let part = Part::of_graph(ranks, (ranks.rank() == 0).then_some(&graph))?;
///     Ok::<_, PartitionedError>(part.heads().len())
/// })?;
/// assert_eq!(n_arcs.iter().sum::<usize>(), 6);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Part {
    deal: Deal,
    rank: usize,
    kind: WeightKind,
    direction: Direction,
    row_offsets: Vec<u64>,
    heads: Vec<u32>,
    weights: Weights,
    /// A bit for each place: whether a path can continue from the vertex.
    can_continue: Vec<u64>,
    totals: Totals,
    on_gpu: Option<Shared<OnGpu>>,
}

/// What copies of a part have together.
pub(crate) struct Shared<T>(Arc<Mutex<T>>);

impl<T> Clone for Shared<T> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<T> Shared<T> {
    /// One search at a time.
    pub(crate) fn lock(&self) -> MutexGuard<'_, T> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<T> fmt::Debug for Shared<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Shared").finish_non_exhaustive()
    }
}

/// The weights of a part, none negative, as unsigned numbers: those of `i32` and `i64` have the
/// same bits.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Weights {
    U32(Vec<u32>),
    U64(Vec<u64>),
    F32(Vec<f32>),
    F64(Vec<f64>),
}

impl Weights {
    /// The weights of this kind with these bytes.
    fn of_bytes(kind: WeightKind, bytes: &[u8]) -> Self {
        let mut weights = Self::with_capacity(kind, bytes.len() / kind.size());
        weights.extend(bytes);
        weights
    }

    /// Room for this number of weights of this kind.
    fn with_capacity(kind: WeightKind, n: usize) -> Self {
        match kind {
            WeightKind::U32 | WeightKind::I32 => Self::U32(in_large_pages(Vec::with_capacity(n))),
            WeightKind::F32 => Self::F32(in_large_pages(Vec::with_capacity(n))),
            WeightKind::F64 => Self::F64(in_large_pages(Vec::with_capacity(n))),
            _ => Self::U64(in_large_pages(Vec::with_capacity(n))),
        }
    }

    /// Adds the weights with these bytes.
    fn extend(&mut self, bytes: &[u8]) {
        match self {
            Self::U32(weights) => weights.extend(bytemuck::pod_collect_to_vec::<_, u32>(bytes)),
            Self::U64(weights) => weights.extend(bytemuck::pod_collect_to_vec::<_, u64>(bytes)),
            Self::F32(weights) => weights.extend(bytemuck::pod_collect_to_vec::<_, f32>(bytes)),
            Self::F64(weights) => weights.extend(bytemuck::pod_collect_to_vec::<_, f64>(bytes)),
        }
    }
}

/// The rows of a part with typed weights.
#[derive(Clone, Copy)]
pub(crate) struct Rows<'a, W> {
    pub(crate) offsets: &'a [u64],
    pub(crate) heads: &'a [u32],
    weights: &'a [W],
    /// What is left of the position of an arc where its weight lies: nothing, if all are equal.
    mask: usize,
}

impl<'a, W: Weight> Rows<'a, W> {
    fn new(part: &'a Part, weights: &'a [W]) -> Self {
        let mask = if part.totals.is_common { 0 } else { usize::MAX };
        Self { offsets: &part.row_offsets, heads: &part.heads, weights, mask }
    }

    /// Whether all weights are equal, so that rows ascend by vertex.
    pub(crate) fn ascend_by_vertex(&self) -> bool {
        self.mask == 0
    }

    pub(crate) fn n_rows(&self) -> usize {
        self.offsets.len() - 1
    }

    #[inline(always)]
    pub(crate) fn row(&self, place: usize) -> Range<usize> {
        self.offsets[place] as usize..self.offsets[place + 1] as usize
    }

    #[inline(always)]
    pub(crate) fn weight(&self, arc: usize) -> W {
        self.weights[arc & self.mask]
    }

    /// The weights of these arcs, where they differ.
    pub(crate) fn weights_of(&self, arcs: Range<usize>) -> &'a [W] {
        &self.weights[arcs]
    }

    /// Fetches the start of a row into the cache; its offset may have been fetched before.
    #[inline(always)]
    pub(crate) fn prefetch(&self, place: usize) {
        let start = self.offsets[place] as usize;
        prefetch(self.heads, start);
        prefetch(self.weights, start & self.mask);
    }

    /// The arcs at these positions, each a slot and a weight.
    #[inline(always)]
    pub(crate) fn arcs(&self, at: Range<usize>) -> impl Iterator<Item = (u32, W)> + use<'a, W> {
        let rows = *self;
        let heads = rows.heads[at.clone()].iter().copied();
        heads.zip(at).map(move |(head, arc)| (head, rows.weight(arc)))
    }
}

/// Runs `$body` with `$rows` bound to the [`Rows`] of a part.
macro_rules! with_rows {
    ($part:expr, |$rows:ident| $body:expr) => {{
        let part: &Part = $part;
        match part.weights() {
            Weights::U32(weights) => {
                let $rows = part.rows(weights);
                $body
            }
            Weights::U64(weights) => {
                let $rows = part.rows(weights);
                $body
            }
            Weights::F32(weights) => {
                let $rows = part.rows(weights);
                $body
            }
            Weights::F64(weights) => {
                let $rows = part.rows(weights);
                $body
            }
        }
    }};
}
pub(crate) use with_rows;

/// The rows of a part before they are sorted and compared with those of the others.
struct RawRows {
    kind: WeightKind,
    direction: Direction,
    row_offsets: Vec<u64>,
    /// Slots.
    heads: Vec<u32>,
    /// One for each arc, or one for all arcs of the graph.
    weights: Weights,
    has_one_weight: bool,
}

impl Part {
    /// How the vertices are dealt.
    pub fn deal(&self) -> Deal {
        self.deal
    }

    /// The rank that has this part.
    pub fn rank(&self) -> usize {
        self.rank
    }

    /// The type of the weights.
    pub fn kind(&self) -> WeightKind {
        self.kind
    }

    /// Whether each arc of the graph is known to have its reverse.
    pub fn direction(&self) -> Direction {
        self.direction
    }

    /// How many arcs the whole graph has.
    pub fn n_arcs(&self) -> u64 {
        self.totals.n_arcs
    }

    /// Where the row of each vertex of this part starts, and where the last ends.
    pub fn row_offsets(&self) -> &[u64] {
        &self.row_offsets
    }

    /// The slot at which each arc ends, row by row.
    pub fn heads(&self) -> &[u32] {
        &self.heads
    }

    pub(crate) fn weights(&self) -> &Weights {
        &self.weights
    }

    /// Whether a path can continue from this vertex.
    #[inline(always)]
    pub(crate) fn can_continue(&self, place: usize) -> bool {
        self.can_continue[place / 64] >> (place % 64) & 1 != 0
    }

    pub(crate) fn totals(&self) -> &Totals {
        &self.totals
    }

    pub(crate) fn rows<'a, W: Weight>(&'a self, weights: &'a [W]) -> Rows<'a, W> {
        Rows::new(self, weights)
    }

    /// Copies the part to a GPU of this rank, where [`tree`](crate::tree), [`table`](crate::table) and
    /// [`nearest`](crate::nearest) search it from then on, with the GPUs of all ranks. Several ranks may have the same GPU. NCCL
    /// brings what GPUs send each other; if it cannot, hosts do, and the result says why. To be called by
    /// all ranks.
    ///
    /// Takes 8 bytes for each arc of the part, 4 where all weights are the same. Each of its vertices takes
    /// some 80, and each of the others 12. Weights of 64 bits take twice as much. Arcs that do not fit are
    /// copied to host memory that the GPU reads. O(n + m/P · log m) on P ranks.
    ///
    /// ```no_run
    /// use collectives::Alone;
    /// use gpu_runtime::Gpu;
    /// use partitioned::{Part, tree};
    /// use sssp::Goal;
    ///
    /// let mut part = Part::read(&Alone, "web.spg".as_ref(), false)?;
    /// part.move_to_gpu(&Alone, &Gpu::open()?)?;
    /// let found = tree(&Alone, &part, 0, Goal::All, None)?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// On all ranks, where the GPU of one fails or has too little memory, the system refuses memory, there
    /// are more than 32 ranks, or one has ended.
    pub fn move_to_gpu(
        &mut self,
        ranks: &dyn Communicator,
        gpu: &Gpu,
    ) -> Result<Option<String>, PartitionedError> {
        let on_gpu = OnGpu::new(ranks, self, gpu)?;
        let reason = on_gpu.reason().map(str::to_owned);
        self.on_gpu = Some(Shared(Arc::new(Mutex::new(on_gpu))));
        Ok(reason)
    }

    pub(crate) fn on_gpu(&self) -> Option<&Shared<OnGpu>> {
        self.on_gpu.as_ref()
    }

    /// The same arcs, each of weight 1 of the same type, on the CPU. To be called by all ranks.
    ///
    /// # Errors
    /// When another rank has ended.
    pub fn unweighted(&self, ranks: &dyn Communicator) -> Result<Self, PartitionedError> {
        let raw = RawRows {
            kind: self.kind,
            direction: self.direction,
            row_offsets: self.row_offsets.clone(),
            heads: self.heads.clone(),
            weights: match self.weights {
                Weights::U32(_) => Weights::U32(vec![1]),
                Weights::U64(_) => Weights::U64(vec![1]),
                Weights::F32(_) => Weights::F32(vec![1.0]),
                Weights::F64(_) => Weights::F64(vec![1.0]),
            },
            has_one_weight: true,
        };
        Self::new(ranks, self.deal, raw)
    }

    /// The part of these rows. To be called by all ranks.
    fn new(ranks: &dyn Communicator, deal: Deal, raw: RawRows) -> Result<Self, PartitionedError> {
        let RawRows { kind, direction, row_offsets, mut heads, weights, has_one_weight } = raw;
        let (offsets, slots) = (&row_offsets, &mut heads);
        let mut finish = Finish { ranks, deal, direction, row_offsets: offsets, heads: slots };
        let (weights, totals) = match weights {
            Weights::U32(weights) => {
                let (weights, totals) = finish.finish(weights, has_one_weight)?;
                (Weights::U32(weights), totals)
            }
            Weights::U64(weights) => {
                let (weights, totals) = finish.finish(weights, has_one_weight)?;
                (Weights::U64(weights), totals)
            }
            Weights::F32(weights) => {
                let (weights, totals) = finish.finish(weights, has_one_weight)?;
                (Weights::F32(weights), totals)
            }
            Weights::F64(weights) => {
                let (weights, totals) = finish.finish(weights, has_one_weight)?;
                (Weights::F64(weights), totals)
            }
        };
        let rank = ranks.rank();
        let can_continue = can_continue(&row_offsets, direction);
        let on_gpu = None;
        Ok(Self {
            deal,
            rank,
            kind,
            direction,
            row_offsets,
            heads,
            weights,
            can_continue,
            totals,
            on_gpu,
        })
    }
}

/// What is done with the rows of any weight type.
struct Finish<'a> {
    ranks: &'a dyn Communicator,
    deal: Deal,
    direction: Direction,
    row_offsets: &'a [u64],
    heads: &'a mut [u32],
}

impl Finish<'_> {
    fn finish<W: Weight>(
        &mut self,
        mut weights: Vec<W>,
        has_one: bool,
    ) -> Result<(Vec<W>, Totals), PartitionedError> {
        let totals = Totals::of(self.ranks, self.row_offsets, &weights, (has_one, self.direction))?;
        match (totals.is_common, has_one) {
            (true, _) => {
                let rows = self.row_offsets.windows(2);
                for row in rows.map(|row| row[0] as usize..row[1] as usize) {
                    self.heads[row].sort_by_key(|&head| self.deal.vertex_of_slot(head as usize));
                }
                weights = vec![totals.weight(&totals.greatest)];
            }
            // all are zero
            (false, true) => weights = vec![W::ZERO; self.heads.len()],
            (false, false) => sort_rows(self.row_offsets, self.heads, &mut weights),
        }
        Ok((weights, totals))
    }
}

/// Sorts each row by weight, then by slot.
fn sort_rows<W: Weight>(offsets: &[u64], mut heads: &mut [u32], mut weights: &mut [W]) {
    let n_rows = offsets.len() - 1;
    let mut tasks = Vec::with_capacity(n_rows.div_ceil(ROWS_PER_TASK));
    for first in (0..n_rows).step_by(ROWS_PER_TASK) {
        let offsets = &offsets[first..=n_rows.min(first + ROWS_PER_TASK)];
        let n_arcs = (offsets[offsets.len() - 1] - offsets[0]) as usize;
        let (of_task, others) = heads.split_at_mut(n_arcs);
        let (weights_of_task, other_weights) = weights.split_at_mut(n_arcs);
        tasks.push((offsets, of_task, weights_of_task));
        (heads, weights) = (others, other_weights);
    }
    parallel::for_each_of(tasks.into_iter(), &|(offsets, heads, weights)| {
        let mut row = Vec::new();
        for ends in offsets.windows(2) {
            let at = (ends[0] - offsets[0]) as usize..(ends[1] - offsets[0]) as usize;
            let (heads, weights) = (&mut heads[at.clone()], &mut weights[at]);
            row.clear();
            row.extend(weights.iter().copied().zip(heads.iter().copied()));
            row.sort_unstable_by(|a: &(W, u32), b| a.0.order(b.0).then(a.1.cmp(&b.1)));
            for ((weight, head), sorted) in weights.iter_mut().zip(heads).zip(&row) {
                (*weight, *head) = *sorted;
            }
        }
    });
}

/// A bit for each row, set if it has an arc, or in an undirected graph two, since one leads back.
fn can_continue(offsets: &[u64], direction: Direction) -> Vec<u64> {
    let least = 1 + u64::from(direction == Direction::Undirected);
    let mut bits = vec![0; offsets.len().div_ceil(64)];
    for (place, row) in offsets.windows(2).enumerate() {
        bits[place / 64] |= u64::from(row[1] - row[0] >= least) << (place % 64);
    }
    bits
}

/// Slots of vertices have 32 bits.
fn check_slots(deal: &Deal) -> Result<(), PartitionedError> {
    if deal.n_slots() > VertexId::MAX as usize {
        let n_vertices = deal.n_slots() as u64;
        return Err(graph_formats::GraphError::TooManyVertices { n_vertices }.into());
    }
    Ok(())
}
