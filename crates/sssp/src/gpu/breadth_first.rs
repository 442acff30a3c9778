//! Breadth-first search on a GPU, for graphs whose weights are all equal.
//!
//! The search is [`breadth_first::gpu::BreadthFirstOnGpu`]; here its levels become distances: the
//! weight added that many times, as in every other solver. Where sums of floats stop growing,
//! several levels have one distance, and the CPU finds the tree from the distances.
//!
//! A table is found by one search from many sources at once, the nearest sources by Δ-stepping.
//!
//! Reference: merrill-2012, beamer-2012

use std::mem;

use breadth_first::depth;
use breadth_first::gpu::{BreadthFirstOnGpu, HopSearches, rows_at_once};
use gpu_runtime::Gpu;
use graph_formats::{Csr, VertexId, Weight};
use paths::{Predecessors, Progress};
use rayon::prelude::*;
use search_parts::Query;
use search_parts::device::{Answer, DeviceSearch};

use super::delta_stepping::DeltaSteppingOnGpu;
use super::multi_source::{MultiSource, Owners};
use crate::delta::{self, Delta};
use crate::level_distances::LevelDistances;
use crate::table::Table;
use crate::{DeviceTimes, SsspError, Work};

/// Levels that one parallel task on the CPU maps to distances.
const LEVELS_PER_TASK: usize = 1 << 14;

/// The solver with its graph and work space on a device.
pub(super) struct ByLevelsOnGpu<'g, W: Weight> {
    graph: &'g Csr<W>,
    gpu: Gpu,
    levels: BreadthFirstOnGpu,
    distances: LevelDistances<W>,
    /// The levels of the last search, until their distances are asked for.
    found: Vec<u32>,
    /// Made for the first table.
    many: Option<HopSearches>,
    /// Made for the first call of [`nearest`](Self::nearest).
    stepping: Option<DeltaSteppingOnGpu>,
    times: DeviceTimes,
}

impl<'g, W: Weight> ByLevelsOnGpu<'g, W> {
    /// Uploads `graph`, all of whose arcs have the same positive weight. O(n + m).
    pub(super) fn new(gpu: &Gpu, graph: &'g Csr<W>) -> Result<Self, SsspError> {
        let levels = BreadthFirstOnGpu::new(gpu, &graph.clone().unweighted())?;
        Ok(Self {
            graph,
            gpu: gpu.clone(),
            times: levels.times(),
            levels,
            distances: LevelDistances::of(graph),
            found: Vec::new(),
            many: None,
            stepping: None,
        })
    }
}

impl<W: Weight> DeviceSearch<W> for ByLevelsOnGpu<'_, W> {
    fn run(&mut self, query: &Query<'_, W::Distance>) -> Result<Option<Work>, SsspError> {
        let found = self.levels.search(&self.distances.in_levels(query));
        self.times = self.levels.times();
        let (levels, work) = found?;
        self.distances.extend_to(work.rounds as usize + 1);
        self.found = levels;
        Ok(Some(work))
    }

    fn distances(&mut self) -> Result<Vec<W::Distance>, SsspError> {
        let (levels, of_levels) = (mem::take(&mut self.found), &self.distances);
        let levels = levels.par_iter().with_min_len(LEVELS_PER_TASK);
        Ok(levels.map(|&level| of_levels.get(level)).collect())
    }

    fn predecessors(
        &mut self,
        _source: VertexId,
        limit: W::Distance,
    ) -> Result<Option<Predecessors>, SsspError> {
        let last = self.distances.last_distinct_within(limit);
        last.map(|last| self.levels.predecessors(last)).transpose()
    }

    fn times(&mut self) -> &mut DeviceTimes {
        &mut self.times
    }
}

impl<W: Weight> MultiSource<W> for ByLevelsOnGpu<'_, W> {
    fn table(&mut self, table: &mut Table<'_, W::Distance>) -> Result<Option<Work>, SsspError> {
        let &mut Table { sources, targets, ref mut cells, progress } = table;
        let n_at_once = rows_at_once(sources.len(), targets.len());
        let n_vertices = self.graph.n_vertices();
        if !breadth_first::pays_on_gpu(n_vertices, depth(self.graph), n_at_once) {
            return Ok(None);
        }
        self.times = self.times.without_search();
        let graph = self.graph.clone().unweighted();
        let many = HopSearches::made(&mut self.many, &self.gpu, &graph, n_at_once)?;
        let distances = &mut self.distances;
        let times = many.rows(sources, targets, progress, &mut |rows, levels| {
            let reached = levels.par_iter().filter(|&&level| level != u32::MAX);
            distances.extend_to(reached.max().map_or(0, |&level| level as usize + 1));
            let of_levels = &*distances;
            let row = rows.start * targets.len()..rows.end * targets.len();
            let cells = cells[row].par_iter_mut().with_min_len(LEVELS_PER_TASK);
            cells.zip(levels).for_each(|(cell, &level)| *cell = of_levels.get(level));
        })?;
        self.times.solve_ms = times.solve_ms;
        self.times.download_ms = times.download_ms;
        Ok(Some(Work::default()))
    }

    /// The nearest of `sources`, by Δ-stepping.
    fn nearest(
        &mut self,
        sources: &[VertexId],
        progress: Option<Progress<'_>>,
    ) -> Result<Option<(Answer<W>, Owners)>, SsspError> {
        let stepping = match &mut self.stepping {
            Some(stepping) => stepping,
            empty => {
                let width = delta::width(self.graph, Delta::Auto)?;
                empty.insert(DeltaSteppingOnGpu::new(&self.gpu, self.graph, width, false)?)
            }
        };
        let found = MultiSource::<W>::nearest(stepping, sources, progress)?;
        self.times = stepping.times;
        Ok(found)
    }
}
