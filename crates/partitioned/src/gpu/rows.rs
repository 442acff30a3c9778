//! The rows of a part on its GPU: `kernels/partitioned/rows.cu`.

use bytemuck::{Pod, Zeroable};
use gpu_runtime::{Arg, Buffer, Gpu, GpuError, PinnedBuffer, Ptx};
use graph_formats::generate::EdgeDraws;
use graph_formats::{Direction, VertexId};
use search_parts::device::{KeyKind, RankedArcs};
use search_parts::{Kernels, SearchError, all_threads};

use super::dealt::Dealt;

static DRAWN: Ptx = Ptx::new(kernels::partitioned::ROWS[0].name, kernels::partitioned::ROWS[0].ptx);

/// `Part` of `rows.cu`.
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
struct PartRows {
    offsets: u64,
    heads: u64,
    n_arcs: u64,
    n_rows: u32,
    first_row: u32,
    part: u32,
    n_parts: u32,
    stride: u32,
    unused: u32,
}

/// `Weights` of `rows.cu`.
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
struct DrawnWeights {
    stream: u64,
    n_weights: u64,
    least: u32,
    both_ways: u32,
}

/// Rows in their place.
pub(super) struct PlacedRows {
    pub(super) offsets: Buffer<u64>,
    pub(super) arcs: Arcs,
    pub(super) n_arcs: u64,
}

/// The head of each arc, and its weight if there is one, in words.
pub(super) enum Arcs {
    OnGpu(Buffer<u32>),
    /// With the address for the GPU.
    InHost(PinnedBuffer<u32>, u64),
}

impl Arcs {
    /// Zeros.
    pub(super) fn new(gpu: &Gpu, n_words: usize, in_host: bool) -> Result<Self, GpuError> {
        if !in_host {
            return Ok(Self::OnGpu(gpu.buffer(n_words)?));
        }
        Self::in_host(gpu.pinned(n_words)?)
    }

    pub(super) fn in_host(words: PinnedBuffer<u32>) -> Result<Self, GpuError> {
        let address = words.address()?;
        Ok(Self::InHost(words, address))
    }

    pub(super) fn address(&self) -> u64 {
        match self {
            Self::OnGpu(words) => words.address(),
            Self::InHost(_, address) => *address,
        }
    }

    /// Bytes on the GPU, and in host memory.
    pub(super) fn bytes(&self) -> [u64; 2] {
        match self {
            Self::OnGpu(words) => [words.bytes(), 0],
            Self::InHost(words, _) => [0, size_of_val::<[u32]>(words) as u64],
        }
    }
}

impl PlacedRows {
    /// Moves the arcs to host memory.
    pub(super) fn move_to_host(&mut self, gpu: &Gpu) -> Result<(), GpuError> {
        let Arcs::OnGpu(words) = &self.arcs else { return Ok(()) };
        let mut moved = gpu.pinned(words.len())?;
        // SAFETY: nothing writes the arcs, and the copy is waited for.
        unsafe { gpu.queue_download(words, 0..words.len(), &mut moved, 0)? };
        gpu.synchronize()?;
        self.arcs = Arcs::in_host(moved)?;
        Ok(())
    }
}

/// Bytes that a graph and its searches take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Memory {
    /// On a GPU.
    pub gpu: u64,
    /// In host memory that this GPU reads.
    pub host: u64,
}

impl Memory {
    pub(super) fn of_rows(rows: &[PlacedRows; 2]) -> Self {
        let arcs = |place: usize| rows.iter().map(|rows| rows.arcs.bytes()[place]).sum::<u64>();
        let offsets: u64 = rows.iter().map(|rows| rows.offsets.bytes()).sum();
        Self { gpu: arcs(0) + offsets, host: arcs(1) }
    }
}

/// 32-bit words of an arc: one of a wide weight is padded to 16 bytes.
pub(super) fn words_of_arc(kind: KeyKind) -> usize {
    (1 + kind.words_of_weight()).next_power_of_two()
}

fn describe(dealt: &Dealt, part: usize, first_row: usize, rows: &RankedArcs) -> PartRows {
    PartRows {
        offsets: rows.offsets.address(),
        heads: rows.ends.address(),
        n_arcs: rows.ends.len() as u64,
        n_rows: rows.n_rows() as u32,
        first_row: first_row as u32,
        part: part as u32,
        n_parts: dealt.n_parts() as u32,
        stride: dealt.stride(),
        unused: 0,
    }
}

/// Replaces the ranks of heads by their numbers.
pub(super) fn number_heads(
    gpu: &Gpu,
    dealt: &Dealt,
    part: usize,
    rows: &RankedArcs,
) -> Result<(), SearchError> {
    let rows = describe(dealt, part, 0, rows);
    let kernel = gpu.kernel(&DRAWN, "deal")?;
    // SAFETY: the rows lie inside the arcs.
    unsafe { gpu.launch(&kernel, all_threads(gpu), &[Arg::structure(&rows)])? };
    Ok(())
}

/// The weights of drawn arcs, whose heads are ranks still; rows are those from the first on.
pub(super) fn drawn_weights(
    gpu: &Gpu,
    dealt: &Dealt,
    [part, first_row]: [usize; 2],
    rows: &RankedArcs,
    draws: &EdgeDraws,
) -> Result<Buffer<u32>, SearchError> {
    let (stream, weights) = draws.weights();
    let both_ways = draws.direction() == Direction::Undirected;
    let (least, greatest) = (*weights.start(), *weights.end());
    let n_weights = u64::from(greatest - least) + 1;
    let drawn = DrawnWeights { stream, n_weights, least, both_ways: both_ways.into() };
    let order = gpu.upload::<VertexId>(dealt.order())?;
    let of_arcs = gpu.buffer(rows.ends.len())?;
    let rows = describe(dealt, part, first_row, rows);
    let kernel = gpu.kernel(&DRAWN, "weigh")?;
    let args = [Arg::structure(&rows), Arg::structure(&drawn), (&order).into(), (&of_arcs).into()];
    // SAFETY: heads are ranks, each with a vertex, and there is a weight for each arc.
    unsafe { gpu.launch(&kernel, all_threads(gpu), &args)? };
    gpu.synchronize()?;
    Ok(of_arcs)
}

/// Copies the first `n_first` arcs of each row, and the others, whose rows have these offsets; and the head of
/// the first of all. Rows are those of a part from the first on.
pub(super) fn copy_first(
    gpu: &Gpu,
    dealt: &Dealt,
    [part, first_row]: [usize; 2],
    rows: &RankedArcs,
    n_first: u32,
    offsets: [&[u64]; 2],
    (to, firsts): (&[Arcs; 2], &Buffer<u32>),
) -> Result<(), SearchError> {
    let described = describe(dealt, part, first_row, rows);
    let [first, others] = [gpu.upload(offsets[0])?, gpu.upload(offsets[1])?];
    let [to_first, to_others] = to.each_ref().map(Arcs::address);
    let args = [
        Arg::structure(&described),
        n_first.into(),
        (&first).into(),
        (&others).into(),
        to_first.into(),
        to_others.into(),
        firsts.into(),
    ];
    // SAFETY: the new rows are as long as these offsets say, and there is a head for each of the part.
    unsafe { gpu.launch(&gpu.kernel(&DRAWN, "copy_first")?, all_threads(gpu), &args)? };
    Ok(gpu.synchronize()?)
}

/// Rows of a part that are not in their place yet; heads have their numbers.
pub(super) struct Unplaced {
    rows: RankedArcs,
    weights: Buffer<u32>,
    described: PartRows,
    kind: KeyKind,
}

impl Unplaced {
    /// Of rows whose heads are ranks.
    pub(super) fn new(
        gpu: &Gpu,
        dealt: &Dealt,
        part: usize,
        kind: KeyKind,
        rows: RankedArcs,
        weights: Buffer<u32>,
    ) -> Result<Self, SearchError> {
        number_heads(gpu, dealt, part, &rows)?;
        let kind = if kind == KeyKind::U32Wide { KeyKind::U32 } else { kind };
        let described = describe(dealt, part, 0, &rows);
        Ok(Self { rows, weights, described, kind })
    }

    pub(super) fn n_arcs(&self) -> u64 {
        self.described.n_arcs
    }

    /// Adds how many arcs weigh as much as none of the limits, as one, and so on.
    pub(super) fn count_between(
        &self,
        gpu: &Gpu,
        limits: &Buffer<u64>,
        counts: &Buffer<u64>,
    ) -> Result<(), SearchError> {
        let n_limits = limits.len() as u32;
        let args = [limits.into(), n_limits.into(), counts.into()];
        // SAFETY: there is a weight for each arc, and a count more than limits.
        unsafe { self.launch(gpu, "count_between", &args)? };
        Ok(gpu.synchronize()?)
    }

    /// How many arcs of each row are below the limit, and how many are not.
    pub(super) fn count_short(
        &self,
        gpu: &Gpu,
        limit: u64,
    ) -> Result<impl Iterator<Item = [u64; 2]> + use<'_>, SearchError> {
        let counts = gpu.buffer::<u32>(self.rows.n_rows())?;
        // SAFETY: there is a weight for each arc, and a count for each row.
        unsafe { self.launch(gpu, "count_short", &[limit.into(), (&counts).into()])? };
        let lengths = self.rows.row_offsets.windows(2).map(|row| row[1] - row[0]);
        let split = |(length, n_short)| [u64::from(n_short), length - u64::from(n_short)];
        Ok(lengths.zip(counts.download()?).map(split))
    }

    /// Copies the arcs below the limit, and the others, whose rows have these offsets.
    pub(super) fn copy(
        &self,
        gpu: &Gpu,
        limit: u64,
        offsets: [&[u64]; 2],
        to: &[Arcs; 2],
    ) -> Result<(), SearchError> {
        let [short, long] = [gpu.upload(offsets[0])?, gpu.upload(offsets[1])?];
        let [to_short, to_long] = to.each_ref().map(Arcs::address);
        let args = [limit.into(), (&short).into(), (&long).into(), to_short.into(), to_long.into()];
        // SAFETY: the new rows are as long as was counted.
        unsafe { self.launch(gpu, "split", &args)? };
        Ok(gpu.synchronize()?)
    }

    /// # Safety
    /// The kernel takes the rows, the weights and `args`, and stays within their buffers.
    unsafe fn launch(&self, gpu: &Gpu, name: &str, args: &[Arg<'_>]) -> Result<(), SearchError> {
        let kernel = Kernels::of(gpu, &kernels::partitioned::ROWS, self.kind)?.get(name)?;
        let own = [Arg::structure(&self.described), (&self.weights).into()];
        // SAFETY: the caller guarantees it.
        unsafe { gpu.launch(&kernel, all_threads(gpu), &[&own[..], args].concat())? };
        Ok(())
    }
}

#[cfg(test)]
test_support::layout_test! {
    PartRows as "Part" of ["partitioned/rows.cu"]:
        offsets, heads, n_arcs, n_rows, first_row, part, n_parts, stride, unused;
    DrawnWeights as "Weights" of ["partitioned/rows.cu"]: stream, n_weights, least, both_ways;
}
