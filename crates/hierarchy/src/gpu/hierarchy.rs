//! A hierarchy in the memory of a GPU.

use std::ops::Range;
use std::sync::{Arc, OnceLock};

use gpu_runtime::{Buffer, Gpu};
use graph_formats::{Csr, Weight};

use super::segments::Segments;
use super::triangles::Triangles;
use crate::HierarchyError;
use crate::prepare::below::Below;
use crate::prepare::hierarchy::{Hierarchy, Structure, for_each_arc, structure};

/// No key, for an arc from a vertex to itself.
const NO_SLOT: u32 = u32::MAX;

/// A [`Hierarchy`] in the memory of a GPU, for any weights.
///
/// 6 bytes an arc of it and 22 a vertex; once it has been customized, 12 a triangle of it and 4 an
/// arc of the graph. A clone shares all of them: O(1).
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
    /// Made for the first customization.
    steps: OnceLock<Steps>,
    /// All vertices.
    pub(super) all: DeviceSegments,
    /// The rank of each vertex.
    pub(super) ranks: Buffer<u32>,
}

/// What customization goes through.
pub(super) struct Steps {
    /// The key that each arc of the graph may lower, up to the last that lowers one.
    pub(super) slots: Buffer<u32>,
    pub(super) triangles: [Buffer<u32>; 3],
    pub(super) levels: Buffer<u64>,
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
    /// Uploads the hierarchy of `graph`. O(m + arcs of the hierarchy) on the CPU.
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
        Self::upload(hierarchy, gpu)
    }

    /// Uploads it from one thread.
    pub(super) fn upload(hierarchy: &Hierarchy, gpu: &Gpu) -> Result<Self, HierarchyError> {
        let (n, n_arcs) = (hierarchy.n_vertices() as u64, hierarchy.n_arcs() as u64);
        gpu.check_fits("a hierarchy", 6 * n_arcs + 22 * n)?;
        let all: Vec<u32> = (0..n as u32).rev().collect();
        let arrays = Arrays {
            hierarchy: hierarchy.clone(),
            gpu: gpu.clone(),
            height: hierarchy.height(),
            parents: gpu.upload(&hierarchy.parents)?,
            depths: gpu.upload(&hierarchy.depths)?,
            offsets: gpu.upload(&hierarchy.offsets)?,
            ends: gpu.upload(&hierarchy.ends)?,
            heads: gpu.upload(&heads(hierarchy))?,
            steps: OnceLock::new(),
            all: DeviceSegments::upload(gpu, Segments::of(hierarchy, &all))?,
            ranks: gpu.upload(&hierarchy.ranks)?,
        };
        Ok(Self { arrays: Arc::new(arrays) })
    }

    pub(super) fn arrays(&self) -> &Arc<Arrays> {
        &self.arrays
    }
}

impl Arrays {
    /// The steps of customization for the weights of `graph`. O(triangles) on the CPU the first
    /// time, in parallel.
    pub(super) fn steps(&self, graph: &Structure) -> Result<&Steps, HierarchyError> {
        if let Some(steps) = self.steps.get() {
            return Ok(steps);
        }
        let (hierarchy, gpu) = (&self.hierarchy, &self.gpu);
        let below = hierarchy.below(graph);
        let bytes = 12 * hierarchy.n_triangles() + 4 * below.inputs.len() as u64;
        gpu.check_fits("a hierarchy", bytes)?;
        let triangles = Triangles::of(hierarchy, &heads(hierarchy));
        let [firsts, seconds, thirds] = &triangles.arcs;
        let steps = Steps {
            slots: gpu.upload(&slots(hierarchy, below))?,
            triangles: [gpu.upload(firsts)?, gpu.upload(seconds)?, gpu.upload(thirds)?],
            levels: gpu.upload(&triangles.levels)?,
        };
        Ok(self.steps.get_or_init(|| steps))
    }
}

/// The rank where each arc ends.
fn heads(hierarchy: &Hierarchy) -> Vec<u32> {
    let mut heads = vec![0; hierarchy.n_arcs()];
    for_each_arc(hierarchy, |head, lower| heads[lower.arc as usize] = head);
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
