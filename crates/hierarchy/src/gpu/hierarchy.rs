//! A hierarchy in the memory of a GPU.

use std::ops::Range;
use std::sync::Arc;

use gpu_runtime::{Buffer, Gpu};
use graph_formats::{Csr, Weight};

use super::segments::Segments;
use super::triangles::Triangles;
use crate::HierarchyError;
use crate::prepare::below::Below;
use crate::prepare::hierarchy::{Hierarchy, Structure, structure};

/// No key, for an arc from a vertex to itself.
const NO_SLOT: u32 = u32::MAX;

/// A [`Hierarchy`] in the memory of a GPU, for any weights.
///
/// 12 bytes a triangle of it, 4 an arc of the graph, 6 an arc of the hierarchy and 14 a vertex. A
/// clone shares all of them: O(1).
#[derive(Clone)]
pub struct DeviceHierarchy {
    arrays: Arc<Arrays>,
}

/// What is there, and the hierarchy that it is of.
pub(super) struct Arrays {
    pub(super) hierarchy: Hierarchy,
    pub(super) gpu: Gpu,
    /// How many vertices the longest way up has.
    pub(super) height: usize,
    pub(super) parents: Buffer<u32>,
    pub(super) depths: Buffer<u16>,
    pub(super) offsets: Buffer<u32>,
    /// The depth where each arc ends.
    pub(super) ends: Buffer<u16>,
    /// The rank where each arc ends.
    pub(super) heads: Buffer<u32>,
    /// The key that each arc of the graph may lower, up to the last that lowers one.
    pub(super) slots: Buffer<u32>,
    pub(super) triangles: [Buffer<u32>; 3],
    pub(super) levels: Buffer<u64>,
    /// All vertices.
    pub(super) all: DeviceSegments,
    /// The rank of each vertex.
    pub(super) ranks: Buffer<u32>,
}

/// What is swept.
pub(super) struct DeviceSegments {
    pub(super) ranks: Buffer<u32>,
    pub(super) starts: Buffer<u32>,
    pub(super) chains: Vec<Range<u32>>,
    pub(super) subtrees: Range<u32>,
}

impl DeviceSegments {
    pub(super) fn upload(gpu: &Gpu, segments: Segments) -> Result<Self, HierarchyError> {
        let (ranks, starts) = (gpu.upload(&segments.ranks)?, gpu.upload(&segments.starts)?);
        Ok(Self { ranks, starts, chains: segments.chains, subtrees: segments.subtrees })
    }
}

impl DeviceHierarchy {
    /// Uploads the hierarchy of `graph`. O(triangles) on the CPU, in parallel.
    ///
    /// # Errors
    /// When the arcs of `graph` are others, or the GPU fails or has too little memory.
    ///
    /// ```
    /// use gpu_runtime::Gpu;
    /// use graph_formats::Csr;
    /// use hierarchy::gpu::DeviceHierarchy;
    /// use hierarchy::{Hierarchy, Order};
    ///
    /// let graph = Csr::from_arcs(3, &[(0, 1, 5u32), (1, 2, 2), (0, 2, 9)])?;
    /// let hierarchy = Hierarchy::new(&graph, &Order::by_landmarks(&graph)?)?;
    /// if let Ok(gpu) = Gpu::open() {
    ///     let on_gpu = DeviceHierarchy::new(&hierarchy, &graph, &gpu)?;
    ///     let table = on_gpu.customize(&graph)?.table(&[1, 0], &[2], None)?;
    ///     assert_eq!((table.get(0, 0), table.get(1, 0)), (Some(2), Some(7)));
    /// }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn new<W: Weight>(
        hierarchy: &Hierarchy,
        graph: &Csr<W>,
        gpu: &Gpu,
    ) -> Result<Self, HierarchyError> {
        Self::of_structure(hierarchy, &structure(graph), gpu)
    }

    fn of_structure(
        hierarchy: &Hierarchy,
        graph: &Structure,
        gpu: &Gpu,
    ) -> Result<Self, HierarchyError> {
        hierarchy.check_arcs(graph)?;
        let below = hierarchy.below(graph);
        let (n, n_arcs) = (hierarchy.n_vertices() as u64, hierarchy.n_arcs() as u64);
        let n_inputs = below.inputs.len() as u64;
        let bytes = 12 * hierarchy.n_triangles() + 6 * n_arcs + 4 * n_inputs + 18 * n;
        gpu.check_fits("a hierarchy", bytes)?;
        let heads = heads(below);
        let triangles = Triangles::of(hierarchy, &heads);
        let [firsts, seconds, thirds] = &triangles.arcs;
        let all: Vec<u32> = (0..n as u32).rev().collect();
        let arrays = Arrays {
            hierarchy: hierarchy.clone(),
            gpu: gpu.clone(),
            height: hierarchy.height(),
            parents: gpu.upload(&hierarchy.parents)?,
            depths: gpu.upload(&hierarchy.depths)?,
            offsets: gpu.upload(&hierarchy.offsets)?,
            ends: gpu.upload(&hierarchy.ends)?,
            heads: gpu.upload(&heads)?,
            slots: gpu.upload(&slots(hierarchy, below))?,
            triangles: [gpu.upload(firsts)?, gpu.upload(seconds)?, gpu.upload(thirds)?],
            levels: gpu.upload(&triangles.levels)?,
            all: DeviceSegments::upload(gpu, Segments::of(hierarchy, &all))?,
            ranks: gpu.upload(&hierarchy.ranks)?,
        };
        Ok(Self { arrays: Arc::new(arrays) })
    }

    pub(super) fn arrays(&self) -> &Arc<Arrays> {
        &self.arrays
    }
}

/// The rank where each arc ends.
fn heads(below: &Below) -> Vec<u32> {
    let mut heads = vec![0; below.lower.len()];
    for (head, row) in (0..).zip(below.lower_offsets.windows(2)) {
        for lower in &below.lower[row[0] as usize..row[1] as usize] {
            heads[lower.arc as usize] = head;
        }
    }
    heads
}

/// The key of the hierarchy that each arc of the graph may lower.
fn slots(hierarchy: &Hierarchy, below: &Below) -> Vec<u32> {
    let last = below.inputs.iter().map(|input| input.arc as usize + 1).max();
    let mut slots = vec![NO_SLOT; last.unwrap_or(0)];
    for (rank, inputs) in (0..).zip(below.input_offsets.windows(2)) {
        for input in &below.inputs[inputs[0] as usize..inputs[1] as usize] {
            let arc = hierarchy.arc(rank, input.end);
            slots[input.arc as usize] = (2 * arc + usize::from(input.direction)) as u32;
        }
    }
    slots
}
