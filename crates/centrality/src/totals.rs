//! What all searches have found, added up for every vertex.

use graph_formats::{Distance, VertexId, parallel};
use hierarchy::Totals as Swept;
use ndarray::ArrayView2;
use paths::Total;
use sssp::HopSums;

use crate::checkpoint::{Bytes, State, put, put_list};

/// Vertices that a thread adds up at a time.
const SUMMED_PER_TASK: usize = 1 << 10;
/// A unit of the reciprocals of [`HopSums`].
const RECIPROCAL: f64 = 1.0 / (1u128 << 64) as f64;

/// The distances between every vertex and the sources, added up; all measures are made of these.
///
/// They are the same with any number of threads and on every device: whole numbers are added up
/// exactly, floats in the order of the sources.
#[derive(Clone, Debug, PartialEq)]
pub struct Totals {
    pub(crate) of: Vec<Vertex>,
    /// Whether a vertex is a source, where some are not.
    pub(crate) is_source: Option<Vec<bool>>,
    pub(crate) n_sources: usize,
    pub(crate) is_undirected: bool,
    /// All distances, where they are whole numbers.
    sum: Option<i128>,
    /// Pairs by hops, where these were counted.
    pub(crate) by_hop: Option<Vec<u64>>,
}

/// The distances between a vertex and the sources that have a path.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Vertex {
    /// How many sources these are, itself included.
    pub(crate) n_sources: u32,
    pub(crate) sum: f64,
    pub(crate) greatest: f64,
    /// One part in each distance, but of those that are zero.
    pub(crate) reciprocals: f64,
}

impl Totals {
    /// Of no distances yet, which are whole numbers or not; `drawn` are the sources, if not all
    /// vertices.
    pub(crate) fn new(
        n_vertices: usize,
        drawn: Option<&[VertexId]>,
        is_undirected: bool,
        is_whole: bool,
    ) -> Self {
        let is_source = drawn.map(|drawn| {
            let mut is_source = vec![false; n_vertices];
            drawn.iter().for_each(|&source| is_source[source as usize] = true);
            is_source
        });
        Self {
            of: vec![Vertex::default(); n_vertices],
            is_source,
            n_sources: drawn.map_or(n_vertices, <[_]>::len),
            is_undirected,
            sum: is_whole.then_some(0),
            by_hop: None,
        }
    }

    /// Puts all hops in.
    pub(crate) fn set_hops(&mut self, hops: &HopSums) {
        for (v, vertex) in self.of.iter_mut().enumerate() {
            *vertex = Vertex {
                n_sources: hops.n_sources[v],
                sum: hops.sums[v] as f64,
                greatest: hops.greatest[v].into(),
                reciprocals: hops.reciprocals[v] as f64 * RECIPROCAL,
            };
        }
        self.sum = Some(hops.sums.iter().map(|&sum| i128::from(sum)).sum());
        self.by_hop = Some(hops.by_hop.clone());
    }

    /// Adds the distances of the next sources, a row each, and their sum.
    pub(crate) fn add_rows<D: Distance>(&mut self, rows: ArrayView2<'_, D>, sum: Total) {
        let parts = self.of.chunks_mut(SUMMED_PER_TASK);
        let parts = (0..).step_by(SUMMED_PER_TASK).zip(parts).collect();
        parallel::map_of(parts, &|(first, vertices): (usize, &mut [Vertex])| {
            for row in rows.rows() {
                let row = row.to_slice().expect("rows of a table are whole");
                for (vertex, &distance) in vertices.iter_mut().zip(&row[first..]) {
                    // without a branch: what is not reached adds nothing
                    let is_reached = distance != D::UNREACHED;
                    let length = if is_reached { distance.to_f64() } else { 0.0 };
                    vertex.n_sources += u32::from(is_reached);
                    vertex.sum += length;
                    vertex.greatest =
                        if length > vertex.greatest { length } else { vertex.greatest };
                    vertex.reciprocals += if length > 0.0 { 1.0 / length } else { 0.0 };
                }
            }
        });
        if let (Some(all), Total::Integer(sum)) = (&mut self.sum, sum) {
            *all += sum;
        }
    }

    /// Adds what sweeps have found.
    pub(crate) fn add_swept(&mut self, swept: &Swept) {
        for (v, vertex) in self.of.iter_mut().enumerate() {
            vertex.n_sources += swept.n_sources[v];
            vertex.sum += swept.sums[v];
            vertex.greatest = vertex.greatest.max(swept.greatest[v]);
            vertex.reciprocals += swept.reciprocals[v];
        }
        if let (Some(all), Some(sums)) = (&mut self.sum, &swept.exact_sums) {
            *all += sums.iter().map(|&sum| sum as i128).sum::<i128>();
        }
    }

    /// All distances; floats are added up in the order of the vertices.
    pub(crate) fn sum(&self) -> Total {
        match self.sum {
            Some(sum) => Total::Integer(sum),
            None => Total::Float(self.of.iter().map(|vertex| vertex.sum).sum()),
        }
    }

    /// How many vertices the graph has.
    pub fn n_vertices(&self) -> usize {
        self.of.len()
    }

    /// How many sources there were.
    pub fn n_sources(&self) -> usize {
        self.n_sources
    }

    /// Whether measures are exact, for all vertices were sources.
    pub fn is_exact(&self) -> bool {
        self.is_source.is_none()
    }

    /// How many of the other vertices were sources, and how many of these have a path.
    pub(crate) fn others(&self, vertex: usize) -> (usize, usize) {
        let is_source = self.is_source.as_ref().is_none_or(|is_source| is_source[vertex]);
        let own = usize::from(is_source);
        (self.n_sources - own, self.of[vertex].n_sources as usize - own)
    }
}

impl State for Totals {
    fn write(&self, bytes: &mut Vec<u8>) {
        put_list(bytes, &self.of.iter().map(|vertex| vertex.n_sources).collect::<Vec<_>>());
        for of in [|v: &Vertex| v.sum, |v: &Vertex| v.greatest, |v: &Vertex| v.reciprocals] {
            put_list(bytes, &self.of.iter().map(of).collect::<Vec<_>>());
        }
        put(bytes, self.sum.unwrap_or_default());
    }

    fn read(&mut self, bytes: &mut Bytes<'_>) -> Option<()> {
        let n = self.of.len();
        let n_sources = bytes.list_of::<u32>(n)?;
        let [sum, greatest, reciprocals] =
            [bytes.list_of::<f64>(n)?, bytes.list_of(n)?, bytes.list_of(n)?];
        for (v, vertex) in self.of.iter_mut().enumerate() {
            *vertex = Vertex {
                n_sources: n_sources[v],
                sum: sum[v],
                greatest: greatest[v],
                reciprocals: reciprocals[v],
            };
        }
        let all = bytes.one()?;
        self.sum = self.sum.map(|_| all);
        Some(())
    }
}

impl State for HopSums {
    fn write(&self, bytes: &mut Vec<u8>) {
        put_list(bytes, &self.n_sources);
        put_list(bytes, &self.sums);
        put_list(bytes, &self.greatest);
        put_list(bytes, &self.reciprocals);
        put_list(bytes, &self.by_hop);
    }

    fn read(&mut self, bytes: &mut Bytes<'_>) -> Option<()> {
        let n = self.n_sources.len();
        *self = Self {
            n_sources: bytes.list_of(n)?,
            sums: bytes.list_of(n)?,
            greatest: bytes.list_of(n)?,
            reciprocals: bytes.list_of(n)?,
            by_hop: bytes.list()?,
        };
        Some(())
    }
}

pub(crate) fn to_f64(total: Total) -> f64 {
    match total {
        Total::Integer(sum) => sum as f64,
        Total::Float(sum) => sum,
    }
}
