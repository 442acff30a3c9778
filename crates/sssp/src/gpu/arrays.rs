//! A graph whose arrays are on the device already.
//!
//! Kernels check there that the arrays are a graph, summarize its weights and degrees, and check
//! whether each arc has its reverse. Then they copy rows and arcs to the layout of searches, so
//! that the arrays are not needed any more. The kernels, and how they find reverses, are in
//! `kernels/sssp/arrays.cu`. O(n + m); the host reads a few thousand bytes.
//!
//! Reference: steele-2014

use bytemuck::{Pod, Zeroable};
use gpu_runtime::{Arg, Buffer, Gpu, GpuError, Ptx};
use graph_formats::{VertexId, Weight, WeightKind, WeightSummary};
use search_parts::device::{DeviceRows, KeyKind};
use search_parts::{all_threads, buckets, check_size};

use crate::{SsspError, delta};

static ARRAYS: Ptx = Ptx::new(kernels::sssp::ARRAYS.name, kernels::sssp::ARRAYS.ptx);

/// The code for "no position".
const NONE: u64 = u64::MAX;

/// Compressed sparse rows in the memory of a GPU: the arcs of vertex `v` have the positions
/// `offsets[v]..offsets[v + 1]` in `ends` and `weights`.
#[derive(Clone, Copy, Debug)]
pub struct Arrays<'a, W> {
    /// The start of each row, and the number of arcs; one more than there are vertices.
    pub offsets: Indices<'a>,
    /// The vertex where each arc ends.
    pub ends: Indices<'a>,
    /// The weight of each arc.
    pub weights: &'a Buffer<W>,
}

/// Nonnegative integers on a GPU. Signed types have the same bits.
#[derive(Clone, Copy, Debug)]
pub enum Indices<'a> {
    /// Of 32 bits.
    U32(&'a Buffer<u32>),
    /// Of 64 bits.
    U64(&'a Buffer<u64>),
}

impl Indices<'_> {
    fn len(&self) -> usize {
        match self {
            Self::U32(buffer) => buffer.len(),
            Self::U64(buffer) => buffer.len(),
        }
    }

    fn address(&self) -> u64 {
        match self {
            Self::U32(buffer) => buffer.address(),
            Self::U64(buffer) => buffer.address(),
        }
    }

    fn is_wide(&self) -> u32 {
        matches!(self, Self::U64(_)).into()
    }

    fn get(&self, at: usize) -> Result<u64, GpuError> {
        match self {
            Self::U32(buffer) => Ok(u64::from(buffer.download_range(at..at + 1)?[0])),
            Self::U64(buffer) => Ok(buffer.download_range(at..at + 1)?[0]),
        }
    }
}

/// `Arrays` of `arrays.cu`.
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
struct ArraysAt {
    offsets: u64,
    ends: u64,
    weights: u64,
    bounds: u64,
    arcs: u64,
    tallies: u64,
    samples: u64,
    n_arcs: u64,
    sample_step: u64,
    n_vertices: u32,
    weight_type: u32,
    wide_offsets: u32,
    wide_ends: u32,
    wide_arcs: u32,
    padding: u32,
}

/// `RowTally` of `arrays.cu`.
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
struct RowTally {
    sum_of_squares: f64,
    n_linked: u64,
    first_bad: u64,
}

/// `ArcTally` of `arrays.cu`.
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
struct ArcTally {
    least: u64,
    greatest: u64,
    sum: f64,
    first_bad_end: u64,
    first_infinite: u64,
    first_negative: u64,
}

/// The summary of a graph that [`Arrays::inspect`] computes.
pub(super) struct Summary<W> {
    pub(super) weights: WeightSummary<W>,
    /// The width of buckets, as by [`delta::width`].
    pub(super) width: f64,
    /// Whether the mean degree of vertices with arcs is high.
    pub(super) has_many_arcs: bool,
    /// The start and end of each row.
    pub(super) bounds: Buffer<[u32; 2]>,
}

impl<W: Weight> Arrays<'_, W> {
    pub(super) fn n_vertices(&self) -> usize {
        self.offsets.len().saturating_sub(1)
    }

    pub(super) fn n_arcs(&self) -> usize {
        self.ends.len()
    }

    /// The argument of the kernels, without the addresses of results.
    fn at(&self) -> ArraysAt {
        ArraysAt {
            offsets: self.offsets.address(),
            ends: self.ends.address(),
            weights: self.weights.address(),
            n_arcs: self.n_arcs() as u64,
            sample_step: delta::sample_step(self.n_arcs()) as u64,
            n_vertices: self.n_vertices() as u32,
            weight_type: type_code::<W>(),
            wide_offsets: self.offsets.is_wide(),
            wide_ends: self.ends.is_wide(),
            ..ArraysAt::zeroed()
        }
    }

    /// Checks and summarizes the graph. O(n + m).
    ///
    /// # Errors
    /// [`SsspError::NotAGraph`] if the arrays are no graph, [`SsspError::NegativeWeight`], and
    /// [`SsspError::NotOnGpu`] for too many arcs.
    pub(super) fn inspect(&self, gpu: &Gpu) -> Result<Summary<W>, SsspError> {
        let (n, m) = (self.n_vertices(), self.n_arcs());
        let n_weights = self.weights.len();
        if self.offsets.len() == 0 {
            return refuse(
                "there are no offsets; expected one more than there are vertices".to_owned(),
            );
        }
        if n_weights != m {
            return refuse(format!("there are {m} ends of arcs, but {n_weights} weights"));
        }
        if n == 0 && m > 0 {
            return refuse(format!("there are {m} arcs, but no vertex"));
        }
        check_size(n, m)?;
        let shape = all_threads(gpu);
        let (bounds, rows) = (gpu.buffer(n)?, gpu.buffer::<RowTally>(shape.grid.0 as usize)?);
        let at = ArraysAt { bounds: bounds.address(), tallies: rows.address(), ..self.at() };
        let kernel = gpu.kernel(&ARRAYS, "rows_of_arrays")?;
        // SAFETY: the kernel reads `n + 1` offsets, and writes `n` bounds and a tally per block.
        unsafe { gpu.launch(&kernel, shape, &[Arg::structure(&at)])? };
        let arcs = gpu.buffer::<ArcTally>(shape.grid.0 as usize)?;
        let samples = gpu.buffer::<f64>(m.div_ceil(at.sample_step as usize))?;
        let at = ArraysAt { tallies: arcs.address(), samples: samples.address(), ..at };
        let kernel = gpu.kernel(&ARRAYS, "look_at_arrays")?;
        // SAFETY: the kernel reads `m` ends and weights, and writes a tally per block and a sample
        // for every `sample_step`-th arc.
        unsafe { gpu.launch(&kernel, shape, &[Arg::structure(&at)])? };

        let rows = rows.download()?.into_iter().reduce(|a, b| RowTally {
            sum_of_squares: a.sum_of_squares + b.sum_of_squares,
            n_linked: a.n_linked + b.n_linked,
            first_bad: a.first_bad.min(b.first_bad),
        });
        let rows = rows.expect("a grid has blocks");
        self.check_rows(&rows)?;
        let arcs = arcs.download()?.into_iter().reduce(|a, b| ArcTally {
            least: a.least.min(b.least),
            greatest: a.greatest.max(b.greatest),
            sum: a.sum + b.sum,
            first_bad_end: a.first_bad_end.min(b.first_bad_end),
            first_infinite: a.first_infinite.min(b.first_infinite),
            first_negative: a.first_negative.min(b.first_negative),
        });
        let arcs = arcs.expect("a grid has blocks");
        self.check_arcs(&arcs, &bounds)?;
        let of = |order| if m > 0 { weight_of(order) } else { W::ZERO };
        let (least, greatest) = (of(arcs.least), of(arcs.greatest));
        let weights =
            WeightSummary { least, greatest, sum_of_sizes: arcs.sum, first_negative: None };
        let typical = buckets::typical(delta::median(&samples.download()?), arcs.sum / m as f64);
        let width = buckets::auto(typical, rows.sum_of_squares / m as f64, 1);
        Ok(Summary {
            weights,
            width: buckets::usable::<W>(width, greatest.to_f64()),
            has_many_arcs: buckets::has_many_arcs(m, rows.n_linked as usize),
            bounds,
        })
    }

    fn check_rows(&self, rows: &RowTally) -> Result<(), SsspError> {
        if rows.first_bad == NONE {
            return Ok(());
        }
        let (row, m) = (rows.first_bad as usize, self.n_arcs());
        let (begin, end) = (self.offsets.get(row)?, self.offsets.get(row + 1)?);
        refuse(format!(
            "the arcs of vertex {row} are those at {begin}..{end}, but rows begin at 0, follow one \
             another and end at {m}, the number of arcs"
        ))
    }

    fn check_arcs(&self, arcs: &ArcTally, bounds: &Buffer<[u32; 2]>) -> Result<(), SsspError> {
        if arcs.first_bad_end != NONE {
            let (arc, n) = (arcs.first_bad_end, self.n_vertices());
            let end = self.ends.get(arc as usize)?;
            return refuse(format!(
                "arc {arc} ends at {end}, but there are {n} vertices, numbered from 0"
            ));
        }
        let first = arcs.first_infinite.min(arcs.first_negative);
        if first == NONE {
            return Ok(());
        }
        let arc = first as usize;
        let weight = self.weights.download_range(arc..arc + 1)?[0].to_string();
        if first == arcs.first_infinite {
            return refuse(format!("arc {arc} has weight {weight}; weights must be finite"));
        }
        let bounds = bounds.download()?;
        let from = bounds.partition_point(|row| u64::from(row[1]) <= first) as VertexId;
        let to = self.ends.get(arc)? as VertexId;
        let (what, advice) = ("delta-stepping", "search on the CPU");
        Err(SsspError::NegativeWeight { what, from, to, weight, advice })
    }

    /// The graph's rows, with these bounds and weights of this kind; no weight is negative.
    pub(super) fn rows(
        &self,
        gpu: &Gpu,
        bounds: Buffer<[u32; 2]>,
        kind: KeyKind,
    ) -> Result<DeviceRows, GpuError> {
        let n_arcs = self.n_arcs();
        let arcs = gpu.buffer(n_arcs * kind.words_of_weight())?;
        let wide_arcs = u32::from(kind.words_of_weight() == 2);
        let at = ArraysAt { arcs: arcs.address(), wide_arcs, ..self.at() };
        let kernel = gpu.kernel(&ARRAYS, "arcs_of_arrays")?;
        // SAFETY: the kernel reads ends and weights, and writes a pair for each, of the width that
        // `wide_arcs` says.
        unsafe { gpu.launch(&kernel, all_threads(gpu), &[Arg::structure(&at)])? };
        // SAFETY: `inspect` has found that rows lie inside the arcs, which end at vertices; the kernel
        // wrote arcs of this width.
        Ok(unsafe { DeviceRows::new(bounds, arcs, n_arcs) })
    }
}

/// Whether each arc has a reverse of the same weight. O(m).
pub(super) fn have_reverses(
    gpu: &Gpu,
    rows: &DeviceRows,
    wide_arcs: bool,
) -> Result<bool, GpuError> {
    let difference = gpu.buffer::<u64>(1)?;
    let at = ArraysAt {
        bounds: rows.bounds().address(),
        arcs: rows.arcs().address(),
        n_arcs: rows.n_arcs() as u64,
        n_vertices: rows.bounds().len() as u32,
        wide_arcs: wide_arcs.into(),
        ..ArraysAt::zeroed()
    };
    let kernel = gpu.kernel(&ARRAYS, "compare_with_reverse")?;
    let args = [Arg::structure(&at), (&difference).into()];
    // SAFETY: rows lie inside their arcs, as in every `DeviceRows`, and the kernel writes one sum.
    unsafe { gpu.launch(&kernel, all_threads(gpu), &args)? };
    Ok(difference.download()?[0] == 0)
}

fn refuse<T>(reason: String) -> Result<T, SsspError> {
    Err(SsspError::NotAGraph { reason })
}

/// The kernels' code for a type, in the order of `WeightType` of `arrays.cu`.
pub(super) fn type_code<W: Weight>() -> u32 {
    match W::KIND {
        WeightKind::U32 => 0,
        WeightKind::I32 => 1,
        WeightKind::U64 => 2,
        WeightKind::I64 => 3,
        WeightKind::F32 => 4,
        _ => 5,
    }
}

/// The weight with this `order`, a number of `Weighed` of `arrays.cu`.
fn weight_of<W: Weight>(order: u64) -> W {
    const SIGN: u64 = 1 << 63;
    let weight = match W::KIND {
        WeightKind::U64 => W::from_i128(order.into()),
        WeightKind::F32 | WeightKind::F64 => {
            let bits = if order & SIGN == 0 { !order } else { order ^ SIGN };
            W::from_f64(f64::from_bits(bits))
        }
        _ => W::from_i128(((order ^ SIGN) as i64).into()),
    };
    weight.expect("the kernel computed it from a weight")
}

#[cfg(test)]
test_support::layout_test! {
    ArraysAt as "Arrays" of ["sssp/arrays.cu"]:
        offsets, ends, weights, bounds, arcs, tallies, samples, n_arcs, sample_step, n_vertices,
        weight_type, wide_offsets, wide_ends, wide_arcs, padding;
    RowTally as "RowTally" of ["sssp/arrays.cu"]:
        sum_of_squares, n_linked, first_bad;
    ArcTally as "ArcTally" of ["sssp/arrays.cu"]:
        least, greatest, sum, first_bad_end, first_infinite, first_negative;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_come_back_from_their_order() {
        let of_signed = |value: i64| value as u64 ^ 1 << 63;
        assert_eq!(weight_of::<i32>(of_signed(-7)), -7);
        assert_eq!(weight_of::<u32>(of_signed(7)), 7);
        assert_eq!(weight_of::<u64>(u64::MAX), u64::MAX);
        assert_eq!(weight_of::<f32>(0.5f64.to_bits() | 1 << 63), 0.5);
        assert_eq!(weight_of::<f64>(!(-0.5f64).to_bits()), -0.5);
    }
}
