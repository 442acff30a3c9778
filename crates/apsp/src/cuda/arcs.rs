//! The arcs of a graph in a GPU's memory, with weights as a matrix has them.

use std::borrow::Cow;

use bytemuck::cast_slice;
use gpu_runtime::{Arg, Buffer, Gpu, GpuError, LaunchConfig};
use graph_formats::{Csr, DynamicGraph, VertexId, Weight, parallel};

use super::arithmetic::{Arithmetic, Kernels};
use super::cut::Cut;
use crate::ApspError;
use crate::element::{Element, with_element};

/// Columns that a task takes.
const COLUMNS_A_TASK: usize = 256;
/// About how many words a thread of the clearing kernel writes.
const CLEARED_A_THREAD: u64 = 16;

/// Rows of arcs.
#[derive(Debug)]
pub(super) struct DeviceArcs {
    pub(super) n_vertices: usize,
    pub(super) offsets: Buffer<u32>,
    pub(super) ends: Buffer<u32>,
    /// The bits of a number of the matrix, one word of 32 or two.
    pub(super) weights: Buffer<u32>,
}

impl DeviceArcs {
    /// Bytes that the arcs of a graph take.
    pub(super) fn bytes<W: Weight>(graph: &Csr<W>, arithmetic: Arithmetic) -> u64 {
        let words = graph.n_vertices() + 1 + graph.n_arcs() + arithmetic.turned(graph.n_arcs());
        (words * size_of::<u32>()) as u64
    }

    /// Uploads the graph's arcs; `None` if their number does not fit into 32 bits.
    pub(super) fn of<W: Weight>(
        gpu: &Gpu,
        graph: &Csr<W>,
        arithmetic: Arithmetic,
    ) -> Result<Option<Self>, GpuError> {
        if u32::try_from(graph.n_arcs()).is_err() {
            return Ok(None);
        }
        let offsets: Vec<u32> = graph.row_offsets().iter().map(|&offset| offset as u32).collect();
        let weights = with_element!(W, arithmetic.number(), E => {
            let numbers = graph.weights().iter().map(|&weight| E::encode(weight));
            gpu.upload(&words(&numbers.collect::<Vec<_>>()))
        })?;
        Ok(Some(Self {
            n_vertices: graph.n_vertices(),
            offsets: gpu.upload(&offsets)?,
            ends: gpu.upload(graph.column_indices())?,
            weights,
        }))
    }

    /// Uploads the arcs that lead to each vertex, `ends` being where they begin. If no weight is
    /// negative, those of a vertex ascend by their weights.
    pub(super) fn columns<W: Weight>(
        gpu: &Gpu,
        graph: &DynamicGraph<W>,
        arithmetic: Arithmetic,
    ) -> Result<Self, ApspError> {
        let n_vertices = graph.n_vertices();
        let columns = parallel::map(n_vertices.div_ceil(COLUMNS_A_TASK), &|task| {
            let mut arcs = Vec::new();
            let columns = task * COLUMNS_A_TASK..n_vertices.min((task + 1) * COLUMNS_A_TASK);
            for column in columns {
                let first = arcs.len();
                arcs.extend_from_slice(graph.arcs_to(column as VertexId));
                if !graph.has_negative() {
                    arcs[first..].sort_unstable_by(|a, b| a.1.order(b.1));
                }
            }
            arcs
        });
        let columns = columns.concat();
        if u32::try_from(columns.len()).is_err() {
            return Err(too_many(columns.len()));
        }
        let mut offsets = vec![0];
        offsets.extend((0..n_vertices as VertexId).scan(0, |last, column| {
            *last += graph.arcs_to(column).len() as u32;
            Some(*last)
        }));
        let ends: Vec<_> = columns.iter().map(|&(from, _)| from).collect();
        let weights = with_element!(W, arithmetic.number(), E => {
            let numbers = columns.iter().map(|&(_, weight)| E::encode(weight));
            gpu.upload(&words(&numbers.collect::<Vec<_>>()))
        })?;
        let (offsets, ends) = (gpu.upload(&offsets)?, gpu.upload(&ends)?);
        Ok(Self { n_vertices, offsets, ends, weights })
    }

    /// Uploads the graph's arcs for a matrix.
    pub(super) fn for_matrix<W: Weight>(
        gpu: &Gpu,
        graph: &Csr<W>,
        arithmetic: Arithmetic,
    ) -> Result<Self, ApspError> {
        Self::of(gpu, graph, arithmetic)?.ok_or_else(|| too_many(graph.n_arcs()))
    }

    /// The rows of a part of a matrix that is cut like `cut`: the weights of arcs, and no path
    /// elsewhere.
    pub(super) fn matrix(
        &self,
        gpu: &Gpu,
        kernels: &Kernels,
        cut: Cut,
        part: usize,
    ) -> Result<Buffer<u32>, GpuError> {
        let (matrix, side) = (gpu.buffer(cut.blocks.most_rows() * cut.stride())?, cut.side());
        for block in cut.blocks.share(part).own_blocks() {
            let rows = cut.blocks.rows(block);
            let first_word = cut.blocks.first_place(block) * cut.stride();
            let place = matrix.address() + (first_word * size_of::<u32>()) as u64;
            let n_words = (cut.arithmetic.words(side) * rows.len()) as u64;
            let shape = LaunchConfig::covering(n_words.div_ceil(CLEARED_A_THREAD), 256);
            // SAFETY: the kernel writes `n_words` words, which lie in the matrix.
            unsafe { gpu.launch(&kernels.clear_matrix, shape, &[place.into(), n_words.into()])? };
            let n_rows = rows.end.min(self.n_vertices).saturating_sub(rows.start);
            if n_rows == 0 {
                continue;
            }
            let args: [Arg<'_>; 6] = [
                place.into(),
                (side as u64).into(),
                (rows.start as u32).into(),
                (&self.offsets).into(),
                (&self.ends).into(),
                (&self.weights).into(),
            ];
            let shape = LaunchConfig::new(n_rows as u32, 128);
            // SAFETY: blocks read the offsets of their rows, which are below n, and the arcs that
            // these name, and write to their rows of the matrix, at columns below n.
            unsafe { gpu.launch(&kernels.place_arcs, shape, &args)? };
        }
        gpu.synchronize()?;
        Ok(matrix)
    }
}

fn too_many(n_arcs: usize) -> ApspError {
    let reason = format!("it counts arcs in 32 bits, and the graph has {n_arcs} arcs");
    ApspError::NotOnGpu { reason }
}

/// The bits of numbers; those of 16 bits are the low half of a word.
fn words<E: Element>(numbers: &[E]) -> Cow<'_, [u32]> {
    match size_of::<E>() {
        2 => cast_slice::<E, u16>(numbers).iter().map(|&number| number.into()).collect(),
        _ => Cow::Borrowed(cast_slice(numbers)),
    }
}
