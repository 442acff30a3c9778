//! Whether finished levels or keys are right, found on the GPUs: `kernels/partitioned/check.cu`.

use bytemuck::{Pod, Zeroable};
use gpu_runtime::{Arg, Buffer, Gpu, GpuError, Kernel};
use search_parts::{Kernels, SearchError, all_threads};

use super::dealt::{Dealt, MAX_PARTS};

/// A check on all GPUs. Takes a bit for each vertex on each.
pub(super) struct Check<'a> {
    gpus: &'a [Gpu],
    dealt: &'a Dealt,
    mark: Vec<Kernel>,
    unmarked: Vec<Kernel>,
    marks: Vec<Buffer<u32>>,
    wrong: Vec<Buffer<u64>>,
}

/// `Marks` of `check.cu`.
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
struct Marks {
    of: [u64; MAX_PARTS],
}

impl<'a> Check<'a> {
    /// Of levels, or of keys of a kind.
    pub(super) fn new(gpus: &'a [Gpu], dealt: &'a Dealt, kind: &str) -> Result<Self, SearchError> {
        let words = gpus.len() * dealt.stride() as usize / 32;
        let kernel = |gpu, name| {
            Ok::<_, SearchError>(Kernels::of(gpu, &kernels::partitioned::CHECK, kind)?.get(name)?)
        };
        Ok(Self {
            gpus,
            dealt,
            mark: gpus.iter().map(|gpu| kernel(gpu, "mark")).collect::<Result<_, _>>()?,
            unmarked: gpus.iter().map(|gpu| kernel(gpu, "unmarked")).collect::<Result<_, _>>()?,
            marks: gpus.iter().map(|gpu| gpu.buffer(words)).collect::<Result<_, _>>()?,
            wrong: gpus.iter().map(|gpu| gpu.buffer(1)).collect::<Result<_, _>>()?,
        })
    }

    /// Marks the heads of arcs of a part whose sums are their keys. The addresses are those of its arcs,
    /// and of the keys of all vertices.
    ///
    /// # Safety
    /// The rows lie inside the arcs, whose heads are numbers of vertices, and each has a key.
    pub(super) unsafe fn mark(
        &self,
        part: usize,
        offsets: &Buffer<u64>,
        arcs: u64,
        keys: u64,
    ) -> Result<(), GpuError> {
        let (first, n_rows) = self.rows(part);
        let args = [
            offsets.into(),
            arcs.into(),
            keys.into(),
            first.into(),
            n_rows.into(),
            (&self.marks[part]).into(),
            (&self.wrong[part]).into(),
        ];
        let gpu = &self.gpus[part];
        // SAFETY: the caller's guarantee, and there is a bit for each vertex.
        unsafe { gpu.launch(&self.mark[part], all_threads(gpu), &args) }
    }

    /// How many arcs and vertices are wrong, when all parts have marked.
    ///
    /// # Safety
    /// `keys` has the address of the keys of all vertices on each GPU.
    pub(super) unsafe fn count(self, keys: &[u64], source: u32) -> Result<u64, GpuError> {
        self.gpus.iter().try_for_each(Gpu::synchronize)?;
        let mut marks = Marks::zeroed();
        for (to, buffer) in marks.of.iter_mut().zip(&self.marks) {
            *to = buffer.address();
        }
        let n_parts = self.gpus.len() as u32;
        let mut sum = 0;
        for (part, gpu) in self.gpus.iter().enumerate() {
            let (first, n_rows) = self.rows(part);
            let args = [
                keys[part].into(),
                first.into(),
                n_rows.into(),
                source.into(),
                Arg::structure(&marks),
                n_parts.into(),
                (&self.wrong[part]).into(),
            ];
            // SAFETY: the caller's guarantee; all GPUs have marked, and can read each other's memory.
            unsafe { gpu.launch(&self.unmarked[part], all_threads(gpu), &args)? };
            sum += self.wrong[part].download()?[0];
        }
        // the marks of each are read by the others
        self.gpus.iter().try_for_each(Gpu::synchronize)?;
        Ok(sum)
    }

    /// The first number of a part, and how many it has.
    fn rows(&self, part: usize) -> (u32, u32) {
        (part as u32 * self.dealt.stride(), self.dealt.len(part) as u32)
    }
}

#[cfg(test)]
test_support::layout_test! {
    Marks as "Marks" of ["partitioned/check.cu"]: of;
}
