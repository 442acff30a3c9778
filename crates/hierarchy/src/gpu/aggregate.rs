//! Aggregates of points within a cutoff of every vertex, on a GPU.
//!
//! The points of a category on a vertex are a source, and 512 of these share a sweep of all
//! vertices. After it a thread goes through the sources of a vertex in their order and adds up those
//! within the cutoff (`kernels/hierarchy/aggregate.cu`). Only the aggregates are copied. O(arcs of
//! the hierarchy + n) a source, whatever the cutoff is.

use bytemuck::{Pod, Zeroable};
use gpu_runtime::{Arg, Buffer, Gpu, LaunchConfig};
use graph_formats::{Distance, VertexId, Weight, WeightKind, ensure_granted, parallel};
use paths::Progress;
use paths::aggregate::{
    self, Aggregate, Decay, Part as PointsOfCategory, Points, Sources, Statistic, Way,
};

use super::DeviceMetric;
use super::batches::{Batches, MAX_LANES, Side};
use super::customized::Customized;
use super::device_key::{DeviceKey, Part, kernel};
use super::hierarchy::Arrays;
use super::metric::with_keys;
use crate::HierarchyError;

/// Vertices of a block.
const VERTICES_PER_BLOCK: u32 = 128;
/// As many numbers are worth another thread.
const NUMBERS_PER_TASK: usize = 1 << 14;

/// `Aggregation` of `aggregate.cu`.
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
struct Launch {
    found: u64,
    categories: u64,
    amounts: u64,
    counts: u64,
    cells: u64,
    n_points: u64,
    limit: u64,
    scale: f64,
    first_source: u32,
    n_batch: u32,
    n_ranks: u32,
    n_lanes: u32,
    decay: u32,
    is_minimum: u32,
    is_single: u32,
    padding: u32,
}

/// What is swept from, by category and then by vertex.
#[derive(Debug, Default, PartialEq)]
struct Lanes {
    vertices: Vec<VertexId>,
    categories: Vec<u32>,
    /// What each adds, or the least of its values.
    amounts: Vec<f64>,
    counts: Vec<f64>,
}

/// Bytes of a lane on the GPU.
const BYTES_OF_LANE: usize = 2 * size_of::<u32>() + 2 * size_of::<f64>();

impl Lanes {
    fn of(sources: &Sources, statistic: Statistic) -> Self {
        let of_source = |source: &aggregate::Source| {
            let vertex = source.vertex;
            sources.parts[source.parts.clone()].iter().map(move |part| (vertex, part))
        };
        let mut all: Vec<_> = sources.all.iter().flat_map(of_source).collect();
        // stable: vertices of a category stay in their order
        all.sort_by_key(|(_, part)| part.category);
        let amount = |part: &PointsOfCategory| match statistic {
            Statistic::Count => part.count,
            Statistic::Sum | Statistic::Mean => part.sum,
            Statistic::Minimum => part.least,
        };
        Self {
            vertices: all.iter().map(|&(vertex, _)| vertex).collect(),
            categories: all.iter().map(|(_, part)| part.category as u32).collect(),
            amounts: all.iter().map(|(_, part)| amount(part)).collect(),
            counts: all.iter().map(|(_, part)| part.count).collect(),
        }
    }
}

/// What is asked of the lanes.
struct Question<D> {
    wanted: Aggregate,
    cutoff: f64,
    /// The greatest distance within the cutoff.
    limit: D,
}

impl<D> Question<D> {
    /// The decay's number and what scales it, for the kernel.
    fn decay(&self) -> (u32, f64) {
        match self.wanted.decay {
            Decay::Flat => (0, self.cutoff),
            Decay::Linear => (1, self.cutoff),
            Decay::Exponential => (2, self.cutoff),
            Decay::Gravity(beta) => (3, beta),
        }
    }
}

/// The aggregates by category and rank, while they are on the GPU.
struct Cells {
    numbers: Buffer<f64>,
    /// The points within, for a mean.
    n_points: Option<Buffer<f64>>,
}

impl Cells {
    /// Those of no points yet.
    fn new(gpu: &Gpu, n_cells: usize, statistic: Statistic) -> Result<Self, HierarchyError> {
        let mut numbers = gpu.buffer(n_cells)?;
        if statistic == Statistic::Minimum {
            // NaN
            numbers.fill_bytes(u8::MAX)?;
        }
        let n_points = (statistic == Statistic::Mean).then(|| gpu.buffer(n_cells)).transpose()?;
        Ok(Self { numbers, n_points })
    }

    /// The aggregates by vertex, with these ranks, and category.
    fn download(&self, ranks: &[u32]) -> Result<Vec<f64>, HierarchyError> {
        let n_points = self.n_points.as_ref().map(Buffer::download).transpose()?;
        Ok(by_vertex(ranks, &self.numbers.download()?, n_points.as_deref()))
    }
}

impl<W: Weight> DeviceMetric<W> {
    pub(crate) fn find_aggregate(
        &mut self,
        points: &Points<'_>,
        cutoff: f64,
        wanted: &Aggregate,
        progress: Option<Progress<'_>>,
    ) -> Result<Vec<f64>, HierarchyError> {
        let device = &*self.device;
        let hierarchy = &device.hierarchy;
        for &vertex in points.vertices {
            hierarchy.rank("point", vertex)?;
        }
        aggregate::check(points, cutoff, wanted)?;
        let limit = aggregate::limit_of::<W::Distance>(cutoff)?;
        let sources = Sources::of(points)?;
        let n_cells = hierarchy.n_vertices().saturating_mul(sources.n_categories);
        let n_buffers = if wanted.statistic == Statistic::Mean { 2 } else { 1 };
        let bytes = n_cells.saturating_mul(n_buffers * size_of::<f64>());
        // what is copied from the GPU, and the result
        ensure_granted(bytes.saturating_add(n_cells.saturating_mul(size_of::<f64>())))?;
        let lanes = Lanes::of(&sources, wanted.statistic);
        let bytes = bytes.saturating_add(lanes.vertices.len() * BYTES_OF_LANE);
        device.gpu.check_fits("aggregates of points", bytes as u64)?;
        let cells = Cells::new(&device.gpu, n_cells, wanted.statistic)?;
        let question = Question { wanted: *wanted, cutoff, limit };
        with_keys!(W, &mut self.keys, keys => {
            keys.add_points(device, &cells, &lanes, &question, progress)?;
        });
        cells.download(&hierarchy.ranks)
    }
}

impl<K: DeviceKey> Customized<K> {
    /// Adds all lanes to the cells, batch by batch.
    fn add_points<D: Distance>(
        &mut self,
        device: &Arrays,
        cells: &Cells,
        lanes: &Lanes,
        question: &Question<D>,
        progress: Option<Progress<'_>>,
    ) -> Result<(), HierarchyError> {
        let (gpu, n_ranks) = (&device.gpu, device.hierarchy.n_vertices());
        let kernel = kernel::<K>(gpu, Part::Aggregate, "hierarchy_aggregate")?;
        let config = LaunchConfig::covering(n_ranks as u64, VERTICES_PER_BLOCK);
        let categories = gpu.upload(&lanes.categories)?;
        let (amounts, counts) = (gpu.upload(&lanes.amounts)?, gpu.upload(&lanes.counts)?);
        let (decay, scale) = question.decay();
        let side = match question.wanted.way {
            Way::ToPoints => Side::ToSources,
            Way::FromPoints => Side::FromSources,
        };
        let sources = device.hierarchy.ranks_of("point", &lanes.vertices)?;
        let before = self.batches.take();
        let batches = Batches::for_sources(before, device, sources.len(), MAX_LANES, 0)?;
        let batches = self.batches.insert(batches);
        batches.sweep_all(
            device,
            (&self.keys, side),
            &sources,
            progress,
            &|found, n_lanes, batch| {
                let launch = Launch {
                    found: found.address(),
                    categories: categories.address(),
                    amounts: amounts.address(),
                    counts: counts.address(),
                    cells: cells.numbers.address(),
                    n_points: cells.n_points.as_ref().map_or(0, Buffer::address),
                    limit: K::limit_bits(question.limit),
                    scale,
                    first_source: batch.start as u32,
                    n_batch: batch.len() as u32,
                    n_ranks: n_ranks as u32,
                    n_lanes: n_lanes as u32,
                    decay,
                    is_minimum: (question.wanted.statistic == Statistic::Minimum).into(),
                    is_single: (D::KIND == WeightKind::F32).into(),
                    padding: 0,
                };
                // SAFETY: cells have a place for each category and rank, lists one for each source, and
                // what is found has one for each rank and lane.
                unsafe { gpu.launch(&kernel, config, &[Arg::structure(&launch)])? };
                Ok(())
            },
        )
    }
}

/// Rows of categories by vertex, of what the categories have by rank. Sums and the points in them
/// become means.
fn by_vertex(ranks: &[u32], by_rank: &[f64], n_points: Option<&[f64]>) -> Vec<f64> {
    let n_categories = by_rank.len().checked_div(ranks.len()).unwrap_or(0);
    let mut rows = vec![0.0; by_rank.len()];
    if n_categories == 0 {
        return rows;
    }
    let vertices_per_task = (NUMBERS_PER_TASK / n_categories).max(1);
    let parts = rows.chunks_mut(vertices_per_task * n_categories);
    parallel::for_each_of(parts.zip(ranks.chunks(vertices_per_task)), &|(rows, of_part)| {
        for (row, &rank) in rows.chunks_mut(n_categories).zip(of_part) {
            for (category, number) in row.iter_mut().enumerate() {
                let place = category * ranks.len() + rank as usize;
                *number = match n_points {
                    None => by_rank[place],
                    // zero by zero is NaN
                    Some(n_points) => by_rank[place] / n_points[place],
                };
            }
        }
    });
    rows
}

#[cfg(test)]
mod tests {
    use paths::aggregate::Categories;
    use test_support::assert_same_layout;

    use super::*;

    #[test]
    fn the_structure_is_as_the_kernel_has_it() {
        assert_same_layout! { Launch as "Aggregation" of ["hierarchy/aggregate.cu"]:
            found, categories, amounts, counts, cells, n_points, limit, scale, first_source,
            n_batch, n_ranks, n_lanes, decay, is_minimum, is_single, padding
        }
    }

    #[test]
    fn lanes_are_by_category_and_then_by_vertex() {
        let of_points = &[1, 0, 1, 0, 1];
        let points = Points {
            vertices: &[5, 5, 2, 9, 5],
            values: Some(&[1.0, 2.0, 3.0, 4.0, -6.0]),
            categories: Some(Categories { of_points, n_categories: 3 }),
        };
        let sources = Sources::of(&points).unwrap();
        for (statistic, amounts) in [
            (Statistic::Count, [1.0, 1.0, 1.0, 2.0]),
            (Statistic::Sum, [2.0, 4.0, 3.0, -5.0]),
            (Statistic::Mean, [2.0, 4.0, 3.0, -5.0]),
            (Statistic::Minimum, [2.0, 4.0, 3.0, -6.0]),
        ] {
            let expected = Lanes {
                vertices: vec![5, 9, 2, 5],
                categories: vec![0, 0, 1, 1],
                amounts: amounts.to_vec(),
                counts: vec![1.0, 1.0, 1.0, 2.0],
            };
            assert_eq!(Lanes::of(&sources, statistic), expected);
        }
        let none = Sources::of(&Points::default()).unwrap();
        assert_eq!(Lanes::of(&none, Statistic::Count), Lanes::default());
    }

    #[test]
    fn rows_have_the_categories_of_a_vertex() {
        let (ranks, by_rank) = ([2, 0, 1], [1.0, 2.0, 3.0, 10.0, 20.0, 30.0]);
        assert_eq!(by_vertex(&ranks, &by_rank, None), [3.0, 30.0, 1.0, 10.0, 2.0, 20.0]);
        let n_points = [1.0, 2.0, 4.0, 5.0, 5.0, 0.0];
        let means = by_vertex(&ranks, &by_rank, Some(&n_points));
        assert_eq!(means, [0.75, f64::INFINITY, 1.0, 2.0, 1.0, 4.0]);
        assert!(by_vertex(&[0], &[0.0], Some(&[0.0]))[0].is_nan());
        assert!(by_vertex(&[], &[], None).is_empty() && by_vertex(&[0, 1], &[], None).is_empty());
        // more than a task has
        let ranks: Vec<u32> = (0..100_000).rev().collect();
        let by_rank: Vec<f64> = (0..200_000).map(f64::from).collect();
        let rows = by_vertex(&ranks, &by_rank, None);
        let expected = ranks.iter().flat_map(|&rank| [f64::from(rank), f64::from(rank + 100_000)]);
        assert!(rows.into_iter().eq(expected));
    }
}
