//! The rows of a part on its GPU: `kernels/partitioned/rows.cu`.

use bytemuck::{Pod, Zeroable};
use gpu_runtime::{Arg, Buffer, Gpu, GpuError, Ptx};
use graph_formats::generate::EdgeDraws;
use graph_formats::{Direction, VertexId};
use search_parts::device::{KeyKind, RankedArcs, offsets_of};
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
    part: u32,
    n_parts: u32,
    stride: u32,
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

/// Rows with weights.
pub(super) struct WeightedRows {
    pub(super) offsets: Buffer<u64>,
    /// The head and the weight of each arc, in words.
    pub(super) arcs: Buffer<u32>,
    pub(super) n_arcs: u64,
}

fn describe(dealt: &Dealt, part: usize, rows: &RankedArcs) -> PartRows {
    PartRows {
        offsets: rows.offsets.address(),
        heads: rows.ends.address(),
        n_arcs: rows.ends.len() as u64,
        n_rows: dealt.len(part) as u32,
        part: part as u32,
        n_parts: dealt.n_parts() as u32,
        stride: dealt.stride(),
    }
}

/// Replaces the ranks of heads by their numbers.
pub(super) fn number_heads(
    gpu: &Gpu,
    dealt: &Dealt,
    part: usize,
    rows: &RankedArcs,
) -> Result<(), SearchError> {
    let rows = describe(dealt, part, rows);
    let kernel = gpu.kernel(&DRAWN, "deal")?;
    // SAFETY: the rows lie inside the arcs.
    unsafe { gpu.launch(&kernel, all_threads(gpu), &[Arg::structure(&rows)])? };
    Ok(())
}

/// The weights of drawn arcs, whose heads are ranks still.
pub(super) fn drawn_weights(
    gpu: &Gpu,
    dealt: &Dealt,
    part: usize,
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
    let rows = describe(dealt, part, rows);
    let kernel = gpu.kernel(&DRAWN, "weigh")?;
    let args = [Arg::structure(&rows), Arg::structure(&drawn), (&order).into(), (&of_arcs).into()];
    // SAFETY: heads are ranks, each with a vertex, and there is a weight for each arc.
    unsafe { gpu.launch(&kernel, all_threads(gpu), &args)? };
    gpu.synchronize()?;
    Ok(of_arcs)
}

/// The arcs below the limit, and the others; heads have their numbers.
pub(super) fn split(
    gpu: &Gpu,
    dealt: &Dealt,
    part: usize,
    rows: &RankedArcs,
    weights: &Buffer<u32>,
    kind: KeyKind,
    limit: u64,
) -> Result<[WeightedRows; 2], SearchError> {
    let kind = if kind == KeyKind::U32Wide { KeyKind::U32 } else { kind };
    let kernels = Kernels::of(gpu, &kernels::partitioned::ROWS, kind)?;
    let described = describe(dealt, part, rows);
    let counts = gpu.buffer::<u32>(dealt.len(part))?;
    let args = [Arg::structure(&described), weights.into(), limit.into(), (&counts).into()];
    // SAFETY: there is a weight for each arc, and a count for each row.
    unsafe { gpu.launch(&kernels.get("count_short")?, all_threads(gpu), &args)? };
    let counts = counts.download()?;
    let short = offsets_of(counts.iter().map(|&n| n.into()))?;
    let lengths = rows.row_offsets.windows(2).map(|row| row[1] - row[0]);
    let long = offsets_of(lengths.zip(&counts).map(|(length, &n)| length - u64::from(n)))?;
    let words = 1 + kind.words_of_weight();
    let of = |offsets: Vec<u64>| {
        let n_arcs = *offsets.last().unwrap_or(&0);
        // an arc of a wide weight is padded to 16 bytes
        let arcs = gpu.buffer(n_arcs as usize * words.next_power_of_two())?;
        Ok::<_, GpuError>(WeightedRows { offsets: gpu.upload(&offsets)?, arcs, n_arcs })
    };
    let parts = [of(short)?, of(long)?];
    let args = [
        Arg::structure(&described),
        weights.into(),
        limit.into(),
        (&parts[0].offsets).into(),
        (&parts[1].offsets).into(),
        (&parts[0].arcs).into(),
        (&parts[1].arcs).into(),
    ];
    // SAFETY: the new rows are as long as was counted.
    unsafe { gpu.launch(&kernels.get("split")?, all_threads(gpu), &args)? };
    gpu.synchronize()?;
    Ok(parts)
}

#[cfg(test)]
test_support::layout_test! {
    PartRows as "Part" of ["partitioned/rows.cu"]:
        offsets, heads, n_arcs, n_rows, part, n_parts, stride;
    DrawnWeights as "Weights" of ["partitioned/rows.cu"]: stream, n_weights, least, both_ways;
}
