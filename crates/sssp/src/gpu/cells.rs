//! Distances on a GPU in the type that a caller asks for.
//!
//! A kernel (`kernels/sssp/distances.cu`) writes what keys stand for: a search's, or lengths that
//! were found otherwise. O(n).

use std::ops::Range;

use bytemuck::{Pod, Zeroable};
use gpu_runtime::{Arg, Buffer, Gpu, GpuError, Kernel};
use graph_formats::{Weight, WeightKind};
use search_parts::device::KeyKind;
use search_parts::{Kernels, all_threads};

use super::arrays::type_code;
use crate::SsspError;

/// `Cells` of `distances.cu`.
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
struct Cells {
    keys: u64,
    cells: u64,
    inexact: u64,
    n: u64,
    limit: u64,
    cell_type: u32,
    padding: u32,
}

/// Lengths on a GPU, none below zero, as numbers of type `T` there: infinity or the greatest integer
/// for those above `greatest`. They are complete when the call returns. O(n).
///
/// # Errors
/// [`SsspError::NotExact`] if `T` cannot hold one exactly, but floats of 32 bits may be rounded; and
/// [`SsspError::Gpu`].
///
/// ```
/// use gpu_runtime::Gpu;
///
/// if let Ok(gpu) = Gpu::open() {
///     let lengths = gpu.upload(&[5u32, 7, u32::MAX])?;
///     let distances = sssp::gpu::converted::<_, f64>(&gpu, &lengths, u32::MAX - 1)?;
///     assert_eq!(distances.download()?, [5.0, 7.0, f64::INFINITY]);
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn converted<K: Weight, T: Weight>(
    gpu: &Gpu,
    lengths: &Buffer<K>,
    greatest: K,
) -> Result<Buffer<T>, SsspError> {
    // without the feature there are no GPUs, and no code for them need be generated
    if !cfg!(feature = "cuda") {
        return Err(GpuError::NotCompiled.into());
    }
    let (kind, limit) = match K::KIND {
        WeightKind::F32 => (KeyKind::F32, u64::from(bytemuck::cast::<K, u32>(greatest))),
        WeightKind::F64 => (KeyKind::F64, bytemuck::cast(greatest)),
        WeightKind::U32 | WeightKind::I32 => {
            (KeyKind::U32, bytemuck::cast::<K, u32>(greatest).into())
        }
        _ => (KeyKind::U64, bytemuck::cast(greatest)),
    };
    let cells = gpu.buffer(lengths.len())?;
    CellsKernel::load(gpu, kind)?.write(gpu, kind, lengths, limit, &cells, 0..cells.len())?;
    Ok(cells)
}

/// The kernel of `distances.cu` for keys of one kind.
pub(super) struct CellsKernel {
    kind: KeyKind,
    kernel: Kernel,
    inexact: Buffer<u32>,
}

impl CellsKernel {
    pub(super) fn load(gpu: &Gpu, kind: KeyKind) -> Result<Self, SsspError> {
        let kernel = Kernels::of(gpu, &kernels::sssp::DISTANCES, kind)?.get("distances")?;
        Ok(Self { kind, kernel, inexact: gpu.buffer(1)? })
    }

    /// Writes the distances of `keys`, of this kind, up to `limit` into this range of `cells`.
    pub(super) fn write<K: Pod, T: Weight>(
        &mut self,
        gpu: &Gpu,
        kind: KeyKind,
        keys: &Buffer<K>,
        limit: u64,
        cells: &Buffer<T>,
        range: Range<usize>,
    ) -> Result<(), SsspError> {
        if self.kind != kind {
            *self = Self::load(gpu, kind)?;
        }
        let bytes = (range.len() * self.kind.words_of_key() * size_of::<u32>()) as u64;
        assert!(range.end <= cells.len() && keys.bytes() == bytes);
        let has_all = self.has_all_as::<T>();
        if !has_all {
            self.inexact.fill_bytes(0)?;
        }
        let at = Cells {
            keys: keys.address(),
            cells: cells.address() + (range.start * size_of::<T>()) as u64,
            inexact: self.inexact.address(),
            n: range.len() as u64,
            limit: self.kind.at_most(limit),
            cell_type: type_code::<T>(),
            padding: 0,
        };
        // SAFETY: the kernel reads as many keys as there are cells in the range, and writes the
        // cells; all buffers are of `gpu`.
        unsafe { gpu.launch(&self.kernel, all_threads(gpu), &[Arg::structure(&at)])? };
        if has_all {
            return Ok(gpu.synchronize()?);
        }
        match self.inexact.download()?[0] {
            0 => Ok(()),
            _ => Err(SsspError::NotExact { kind: T::KIND }),
        }
    }

    /// Whether `T` can hold all distances of these keys exactly, so that no check is needed.
    fn has_all_as<T: Weight>(&self) -> bool {
        match T::KIND {
            WeightKind::F64 => matches!(self.kind, KeyKind::U32 | KeyKind::F32 | KeyKind::F64),
            WeightKind::F32 => self.kind == KeyKind::F32,
            _ => false,
        }
    }
}

#[cfg(test)]
test_support::layout_test! {
    Cells as "Cells" of ["sssp/distances.cu", "sssp/delta_stepping/search.cuh"]:
        keys, cells, inexact, n, limit, cell_type, padding;
}
