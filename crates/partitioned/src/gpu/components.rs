//! The weakly connected components of a graph that is dealt to several GPUs: `kernels/partitioned/components.cu`.
//!
//! Each GPU has a forest of all vertices, 4 bytes each, and unites the ends of its arcs there. Then GPUs
//! unite their forests in pairs, in as many rounds as their number has binary digits.
//! O(m/P · log n + n · log P) on P GPUs.
//!
//! Reference: jaiganesh-burtscher-2018

use gpu_runtime::{Arg, Buffer, Gpu, GpuError, Ptx};
use graph_formats::VertexId;
use kernels::partitioned::COMPONENTS;
use search_parts::{SearchError, all_threads};

use super::dealt::Dealt;
use super::first_arcs::FirstRows;

static KERNELS: Ptx = Ptx::new(COMPONENTS.name, COMPONENTS.ptx);

/// The smallest vertex of the component of each vertex. `both_ways`: each arc is also one of its head.
pub(super) fn components<'a>(
    gpus: &[Gpu],
    dealt: &Dealt,
    rows: impl Iterator<Item = &'a FirstRows>,
    both_ways: bool,
) -> Result<Vec<VertexId>, SearchError> {
    let n = gpus.len() * dealt.stride() as usize;
    let made = gpus.iter().map(|gpu| Forest::new(gpu, n));
    let forests = made.collect::<Result<Vec<_>, _>>()?;
    for ((part, forest), rows) in forests.iter().enumerate().zip(rows) {
        let (first, n_rows) = (part as u32 * dealt.stride(), dealt.len(part) as u32);
        for rows in rows.of.iter().filter(|rows| rows.n_arcs > 0) {
            let args = [
                (&rows.offsets).into(),
                rows.arcs.address().into(),
                first.into(),
                n_rows.into(),
                u32::from(both_ways).into(),
                (&forest.parents).into(),
            ];
            // SAFETY: rows lie inside the arcs, and heads are numbers, each with a parent.
            unsafe { forest.launch("unite_ends", &args)? };
        }
    }
    let mut stride = 1;
    while stride < forests.len() {
        // others are finished before they are read, and not changed meanwhile
        gpus.iter().try_for_each(Gpu::synchronize)?;
        for at in (0..forests.len() - stride).step_by(2 * stride) {
            let (into, other) = (&forests[at], &forests[at + stride]);
            let args = [other.parents.address().into(), (n as u32).into(), (&into.parents).into()];
            // SAFETY: both forests have all numbers, and the GPUs reach each other.
            unsafe { into.launch("unite_parents", &args)? };
        }
        stride *= 2;
    }
    gpus.iter().try_for_each(Gpu::synchronize)?;
    // SAFETY: the forest has `n` numbers.
    unsafe { forests[0].launch("flatten", &[(&forests[0].parents).into(), (n as u32).into()])? };
    Ok(smallest(dealt, &forests[0].parents.download()?))
}

/// The smallest vertex of each tree, for each vertex; one without a number is alone.
fn smallest(dealt: &Dealt, roots: &[u32]) -> Vec<VertexId> {
    let mut of_root = vec![VertexId::MAX; roots.len()];
    let vertex = |vertex: VertexId| {
        let Some(number) = dealt.number(vertex) else { return vertex };
        let of_root = &mut of_root[roots[number as usize] as usize];
        *of_root = vertex.min(*of_root);
        *of_root
    };
    (0..dealt.n_vertices() as VertexId).map(vertex).collect()
}

/// A forest of all vertices, on a GPU.
struct Forest<'a> {
    gpu: &'a Gpu,
    parents: Buffer<u32>,
}

impl<'a> Forest<'a> {
    /// Of `n` trees.
    fn new(gpu: &'a Gpu, n: usize) -> Result<Self, GpuError> {
        gpu.check_fits("the components", 4 * n as u64)?;
        let forest = Self { gpu, parents: gpu.buffer(n)? };
        // SAFETY: the forest has `n` numbers.
        unsafe { forest.launch("each_alone", &[(&forest.parents).into(), (n as u32).into()])? };
        Ok(forest)
    }

    /// Starts a kernel.
    ///
    /// # Safety
    /// The arguments are those of the kernel, with buffers as it requires.
    unsafe fn launch(&self, name: &str, args: &[Arg<'_>]) -> Result<(), GpuError> {
        let kernel = self.gpu.kernel(&KERNELS, name)?;
        // SAFETY: the caller's guarantee.
        unsafe { self.gpu.launch(&kernel, all_threads(self.gpu), args) }
    }
}
