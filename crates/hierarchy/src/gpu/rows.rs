//! Rows of distances from a GPU: of all vertices, or tables.
//!
//! After a sweep the columns asked for are brought from lanes to rows on the GPU, in keys, which
//! are often half as wide as distances. They are copied into pinned memory in pieces while the next
//! batch is swept. They become distances on the CPU's threads while the next piece is copied. A
//! table's sweeps are over the targets and their ancestors only.
//!
//! Reference: delling-2011, dibbelt-2016

use std::collections::VecDeque;
use std::ops::Range;
use std::thread;

use gpu_runtime::Buffer;
use graph_formats::{Distance, VertexId, Weight, parallel, tell};
use ndarray::Array2;
use paths::{DistanceTable, Distances, Progress};

use super::DeviceMetric;
use super::batches::{Batches, MAX_LANES, Side};
use super::customized::Customized;
use super::device_key::DeviceKey;
use super::hierarchy::{Arrays, DeviceSegments};
use super::landing::{Landing, N_PIECES, rows_per_piece};
use super::metric::with_keys;
use super::segments::Segments;
use crate::HierarchyError;
use crate::metric::key::Key;
use crate::metric::lengths::{too_far, write_distances};
use crate::sweep::one_to_all::Hear;
use crate::sweep::table::{ancestors, cells};

impl<W: Weight> DeviceMetric<W> {
    /// Shows the distances of all vertices from each of `sources`, with its place among these.
    pub(crate) fn show_distances(
        &mut self,
        sources: &[VertexId],
        progress: Option<Progress<'_>>,
        hear: Hear<'_, W::Distance>,
    ) -> Result<(), HierarchyError> {
        let ranks = self.device.hierarchy.ranks_of("source", sources)?;
        let (device, n) = (&*self.device, self.device.hierarchy.n_vertices());
        // rows that distances are made in, again and again
        let mut rows: Vec<Vec<W::Distance>> = Vec::new();
        let columns = Columns { ranks: &device.ranks, segments: &device.all };
        with_keys!(W, &mut self.keys, keys => {
            keys.for_rows(device, &columns, &ranks, progress, &mut |places, keys| {
                rows.resize_with(rows.len().max(places.len()), || vec![W::Distance::ZERO; n]);
                let of_each = places.zip(keys.chunks_exact(n)).zip(&mut rows).collect();
                show(of_each, sources, hear)
            })
        })
    }

    /// Fills a table of these sources, row by row.
    fn fill(
        &mut self,
        table: &mut [W::Distance],
        sources: &[VertexId],
        targets: &[VertexId],
        progress: Option<Progress<'_>>,
    ) -> Result<(), HierarchyError> {
        let device = &*self.device;
        let columns = self.device.hierarchy.ranks_of("target", targets)?;
        let ranks = self.device.hierarchy.ranks_of("source", sources)?;
        let above = ancestors(&device.hierarchy, &columns);
        let segments = Segments::of(&device.hierarchy, &above);
        let segments = DeviceSegments::upload(&device.gpu, segments)?;
        let columns = Columns { ranks: &device.gpu.upload(&columns)?, segments: &segments };
        // rows of no columns are none
        let width = targets.len().max(1);
        with_keys!(W, &mut self.keys, keys => {
            keys.for_rows(device, &columns, &ranks, progress, &mut |places, keys| {
                let cells = &mut table[places.start * width..places.end * width];
                let rows = cells.chunks_mut(width).zip(keys.chunks(width));
                fill(rows.zip(&sources[places]).collect(), targets)
            })
        })
    }
}

/// A source's place, its keys, and where they become distances.
type Shown<'a, D, K> = ((usize, &'a [K]), &'a mut Vec<D>);

/// Shows rows of keys, with the places of their sources, as distances, each made in a row of these.
fn show<D: Distance, K: Key>(
    rows: Vec<Shown<'_, D, K>>,
    sources: &[VertexId],
    hear: Hear<'_, D>,
) -> Result<(), HierarchyError> {
    let shown = parallel::try_map_of(rows, &|((place, keys), row)| {
        if let Some(target) = write_distances(keys.iter().copied(), row) {
            return Err(too_far::<D>(sources[place], target as VertexId));
        }
        let distances = Distances::from_storage(std::mem::take(row));
        hear(place, &distances);
        *row = distances.into_storage();
        Ok(())
    });
    shown.map(drop)
}

/// Where keys become distances, the keys, and their source.
type Filled<'a, D, K> = ((&'a mut [D], &'a [K]), &'a VertexId);

/// Makes distances of rows of keys, each with its source.
fn fill<D: Distance, K: Key>(
    rows: Vec<Filled<'_, D, K>>,
    targets: &[VertexId],
) -> Result<(), HierarchyError> {
    let filled = parallel::try_map_of(rows, &|((row, keys), &source)| match write_distances(
        keys.iter().copied(),
        row,
    ) {
        Some(column) => Err(too_far::<D>(source, targets[column])),
        None => Ok(()),
    });
    filled.map(drop)
}

pub(crate) fn table_by_gpus<W: Weight>(
    metrics: &mut [DeviceMetric<W>],
    sources: &[VertexId],
    targets: &[VertexId],
    progress: Option<Progress<'_>>,
) -> Result<DistanceTable<W>, HierarchyError> {
    let n_rows = if metrics.is_empty() { 0 } else { sources.len() };
    for metric in &*metrics {
        metric.device.hierarchy.ranks_of("target", targets)?;
        metric.device.hierarchy.ranks_of("source", sources)?;
    }
    let mut table = cells::<W::Distance>(n_rows, targets.len())?;
    match metrics {
        [only] => only.fill(&mut table, sources, targets, progress)?,
        _ => thread::scope(|scope| {
            let share = sources.len().div_ceil(metrics.len().max(1)).max(1);
            let (mut rest, mut threads) = (&mut table[..], Vec::new());
            for (metric, sources) in metrics.iter_mut().zip(sources.chunks(share)) {
                let (rows, after) = rest.split_at_mut(sources.len() * targets.len());
                rest = after;
                threads.push(scope.spawn(|| metric.fill(rows, sources, targets, progress)));
            }
            let ended = threads.into_iter().map(|thread| thread.join().expect("no thread panics"));
            ended.collect::<Result<(), _>>()
        })?,
    }
    let table = Array2::from_shape_vec((n_rows, targets.len()), table);
    Ok(DistanceTable::from_storage(table.unwrap_or_default()))
}

/// What is asked for of every source.
struct Columns<'c> {
    /// The rank of each column.
    ranks: &'c Buffer<u32>,
    /// Those ranks and their ancestors.
    segments: &'c DeviceSegments,
}

/// Gets the keys of some rows, and their places.
type TakeRows<'a, K> = &'a mut dyn FnMut(Range<usize>, &[K]) -> Result<(), HierarchyError>;

impl<K: DeviceKey> Customized<K> {
    /// Hands the keys of the columns to `take`, those of a few sources at a time, row by row, with
    /// the places of these.
    fn for_rows(
        &mut self,
        device: &Arrays,
        columns: &Columns<'_>,
        sources: &[u32],
        progress: Option<Progress<'_>>,
        take: TakeRows<'_, K>,
    ) -> Result<(), HierarchyError> {
        let (gpu, n_columns) = (&device.gpu, columns.ranks.len());
        if n_columns == 0 || sources.is_empty() {
            return Ok(tell(progress, sources.len() as u64, sources.len() as u64)?);
        }
        let bytes_per_lane = 2 * n_columns * size_of::<K>();
        let before = self.batches.take();
        let n_sources = sources.len();
        let batches = Batches::for_sources(before, device, n_sources, MAX_LANES, bytes_per_lane)?;
        let batches = self.batches.insert(batches);
        let n_lanes = batches.n_lanes;
        let landing = Landing::for_rows(self.landing.take(), gpu, n_lanes, n_columns)?;
        let landing = self.landing.insert(landing);
        let on_device = gpu.upload(sources)?;
        let n_rows = |batch: usize| n_lanes.min(sources.len() - batch * n_lanes);
        let step = rows_per_piece::<K>(n_columns, n_lanes);
        let mut under_way = VecDeque::new();
        let mut next_piece = 0;
        let mut receive = |landing: &mut Landing<K>, (piece, places): (usize, Range<usize>)| {
            let done = places.end;
            let keys = landing.wait(piece, places.len() * n_columns)?;
            take(places, keys)?;
            Ok(tell(progress, done as u64, sources.len() as u64)?)
        };
        let queue = |batches: &mut Batches<K>, landing: &Landing<K>, batch: usize| {
            if batch >= batches.count(sources.len()) {
                return Ok(());
            }
            let keys = (&self.keys, Side::FromSources);
            batches.sweep(device, keys, &on_device, columns.segments, batch)?;
            landing.make(gpu, batches, columns.ranks, batch, n_rows(batch))
        };
        queue(batches, landing, 0)?;
        for batch in 0..batches.count(sources.len()) {
            queue(batches, landing, batch + 1)?;
            for first in (0..n_rows(batch)).step_by(step) {
                if under_way.len() == N_PIECES {
                    under_way.pop_front().map_or(Ok(()), |oldest| receive(landing, oldest))?;
                }
                let rows = first..(first + step).min(n_rows(batch));
                let places = batch * n_lanes + rows.start..batch * n_lanes + rows.end;
                landing.copy(batch, rows, n_columns, next_piece)?;
                under_way.push_back((next_piece, places));
                next_piece = (next_piece + 1) % N_PIECES;
            }
        }
        under_way.into_iter().try_for_each(|oldest| receive(landing, oldest))
    }
}
