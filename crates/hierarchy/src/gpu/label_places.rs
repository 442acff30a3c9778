//! Where labels are on a GPU, for any weights.
//!
//! The vertices with a label, and those in dead ends, are listed by depth: labels are made a depth
//! after the other. Beside each key the start of that ancestor's label is stored, which making
//! labels looks up for each. O(ancestors of all vertices) memory and time.

use bytemuck::{Pod, Zeroable};
use gpu_runtime::{Buffer, Gpu};

use crate::HierarchyError;
use crate::labels::common::{LeastDepths, Place};
use crate::labels::shape::Shape;
use crate::prepare::below::by_rank;
use crate::prepare::hierarchy::Hierarchy;

/// The places of labels in the memory of a GPU.
pub(super) struct LabelPlaces {
    /// The number of keys in all labels, were distances the same in both directions.
    pub(super) n_keys: usize,
    /// How many depths there are.
    pub(super) n_levels: u32,
    pub(super) n_blocks: u32,
    /// The ranks with a label, and those of dead ends, by depth.
    pub(super) anchors: Buffer<u32>,
    pub(super) dead_ends: Buffer<u32>,
    /// Where both begin for each depth, and end.
    pub(super) levels: Buffer<u32>,
    /// Where the label of each rank starts.
    pub(super) starts: Buffer<u32>,
    /// The same of each ancestor, at the place of its key.
    pub(super) ancestor_starts: Buffer<u32>,
    /// By vertex, what its end has besides keys.
    pub(super) ends: Vec<EndPlace>,
    /// The least depths of 2^i blocks from each on, one i after the other.
    pub(super) least_depths: Buffer<u16>,
}

/// What the end of a path has besides keys.
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub(super) struct EndPlace {
    start: u32,
    rank: u32,
    before: u16,
    from: u16,
    padding: u32,
}

impl LabelPlaces {
    pub(super) fn new(hierarchy: &Hierarchy, gpu: &Gpu) -> Result<Self, HierarchyError> {
        let shape = Shape::new(hierarchy, 1);
        // both directions have to be in reach of 32 bits
        if shape.n_keys() > u32::MAX as usize / 2 {
            let reason = format!(
                "labels of {} distances are more than a GPU numbers; use the CPU, or sweeps",
                shape.n_keys()
            );
            return Err(HierarchyError::NotOnGpu { reason });
        }
        let n = hierarchy.n_vertices() as u64;
        gpu.check_fits("where labels are", 4 * shape.n_keys() as u64 + 12 * n)?;
        let starts: Vec<u32> = shape.offsets.iter().map(|&start| start as u32).collect();
        let is_anchor = |rank: u32| shape.anchors[rank as usize] == rank;
        let depth = |rank: u32| u32::from(hierarchy.depths[rank as usize]);
        let listed = |wanted: bool| {
            by_rank(hierarchy.height(), || {
                let ranks = (0..n as u32).filter(move |&rank| is_anchor(rank) == wanted);
                ranks.map(|rank| (depth(rank), rank))
            })
        };
        let ((anchor_levels, anchors), (dead_levels, dead_ends)) = (listed(true), listed(false));
        let levels = anchor_levels.iter().zip(&dead_levels).flat_map(|(&one, &other)| [one, other]);
        let end = |&rank: &u32| {
            let Place { rank, before, from } =
                Place::of(shape.anchors[rank as usize], &hierarchy.depths);
            EndPlace { start: starts[rank as usize], rank, before, from, padding: 0 }
        };
        let least_depths = LeastDepths::of(&hierarchy.depths).powers;
        let n_blocks = least_depths[0].len();
        let padded = least_depths.iter().flat_map(|minima| {
            minima.iter().copied().chain(std::iter::repeat_n(0, n_blocks - minima.len()))
        });
        Ok(Self {
            n_keys: shape.n_keys(),
            n_levels: hierarchy.height() as u32,
            n_blocks: n_blocks as u32,
            anchors: gpu.upload(&anchors)?,
            dead_ends: gpu.upload(&dead_ends)?,
            levels: gpu.upload(&levels.collect::<Vec<_>>())?,
            ancestor_starts: gpu.upload(&ancestor_starts(hierarchy, &shape))?,
            ends: hierarchy.ranks.iter().map(end).collect(),
            least_depths: gpu.upload(&padded.collect::<Vec<_>>())?,
            starts: gpu.upload(&starts)?,
        })
    }
}

/// The start of each ancestor's label, where its key is in a label.
fn ancestor_starts(hierarchy: &Hierarchy, shape: &Shape) -> Vec<u32> {
    let mut above = vec![0; shape.height];
    let mut found = vec![0; shape.n_keys()];
    for rank in (0..hierarchy.n_vertices()).rev().filter(|&rank| {
        // dead ends have none
        shape.offsets[rank] < shape.offsets[rank + 1]
    }) {
        let own = shape.offsets[rank]..shape.offsets[rank + 1];
        above[usize::from(hierarchy.depths[rank])] = own.start as u32;
        let n_keys = own.len();
        found[own].copy_from_slice(&above[..n_keys]);
    }
    found
}
