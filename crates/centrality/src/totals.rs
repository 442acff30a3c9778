//! The results of all searches, added up for every vertex.

use graph_formats::{Distance, VertexId, Weight, parallel};
use hierarchy::{Lengths, Totals as Sums};
use ndarray::ArrayView2;
use paths::{FloatSum, HopSums, Number, Total};
use rayon::prelude::*;

use crate::checkpoint::{Bytes, put_list};
use crate::parts::State;

/// Vertices that a thread adds up at a time.
const SUMMED_PER_TASK: usize = 1 << 10;
/// A unit of the reciprocals of [`HopSums`].
const RECIPROCAL: f64 = 1.0 / (1u128 << 64) as f64;

/// The distances between every vertex and the sources, added up. All measures are computed from
/// these.
///
/// They are the same with any number of threads, ranks and GPUs. Whole numbers are added up exactly.
/// Floats are added up to sums of parts, in an order that CPUs and GPUs do not share, and these in
/// theirs.
#[derive(Clone, Debug, PartialEq)]
pub struct Totals {
    pub(crate) found: Sums,
    /// Whether a vertex is a source, where some are not.
    pub(crate) is_source: Option<Vec<bool>>,
    pub(crate) n_sources: usize,
    pub(crate) is_undirected: bool,
    /// Pairs by hops, where these were counted.
    pub(crate) by_hop: Option<Vec<u64>>,
}

impl Totals {
    /// Of no distances yet, of weights of type `W`; `drawn` are the sources, if not all vertices.
    pub(crate) fn new<W: Weight>(
        n_vertices: usize,
        drawn: Option<&[VertexId]>,
        is_undirected: bool,
    ) -> Self {
        let is_source = drawn.map(|drawn| {
            let mut is_source = vec![false; n_vertices];
            drawn.iter().for_each(|&source| is_source[source as usize] = true);
            is_source
        });
        Self {
            found: Sums::new::<W>(n_vertices),
            is_source,
            n_sources: drawn.map_or(n_vertices, <[_]>::len),
            is_undirected,
            by_hop: None,
        }
    }

    /// Puts all hops in.
    pub(crate) fn set_hops(&mut self, hops: HopSums) {
        let HopSums { n_sources, sums, greatest, reciprocals, by_hop } = hops;
        self.found = Sums {
            n_sources,
            lengths: Lengths::Integers {
                sums: sums.into_par_iter().map(u128::from).collect(),
                greatest: greatest.into_par_iter().map(u64::from).collect(),
            },
            reciprocals: reciprocals.into_par_iter().map(|sum| sum as f64 * RECIPROCAL).collect(),
        };
        self.by_hop = Some(by_hop);
    }

    /// The sum of the distances of a vertex.
    pub(crate) fn sum_of(&self, vertex: usize) -> Total {
        match &self.found.lengths {
            Lengths::Integers { sums, .. } => Total::Integer(sums[vertex] as i128),
            Lengths::Floats { sums, .. } => Total::Float(sums[vertex].to_f64()),
        }
    }

    /// The greatest distance of a vertex.
    pub(crate) fn greatest_of(&self, vertex: usize) -> Number {
        match &self.found.lengths {
            Lengths::Integers { greatest, .. } => Number::U64(greatest[vertex]),
            Lengths::Floats { greatest, .. } => Number::F64(greatest[vertex]),
        }
    }

    /// The reciprocal of the mean of a vertex's `n` distances; zero if all are zero.
    pub(crate) fn one_in_mean(&self, vertex: usize, n: f64) -> f64 {
        match &self.found.lengths {
            Lengths::Integers { sums, .. } if sums[vertex] == 0 => 0.0,
            Lengths::Integers { sums, .. } => n / sums[vertex] as f64,
            Lengths::Floats { sums, .. } if sums[vertex] == FloatSum::default() => 0.0,
            Lengths::Floats { sums, .. } => sums[vertex].one_in_mean(n),
        }
    }

    /// The sum of all distances, and their mean if there are `n`. Floats are added up in the order
    /// of the vertices.
    pub(crate) fn sum_and_mean(&self, n: f64) -> (Total, f64) {
        match &self.found.lengths {
            Lengths::Integers { sums, .. } => {
                let sum: u128 = sums.iter().sum();
                (Total::Integer(sum as i128), sum as f64 / n)
            }
            Lengths::Floats { sums, .. } => {
                let mut all = FloatSum::default();
                sums.iter().for_each(|&sum| all += sum);
                (Total::Float(all.to_f64()), all.mean(n))
            }
        }
    }

    /// The number of vertices of the graph.
    pub fn n_vertices(&self) -> usize {
        self.found.n_sources.len()
    }

    /// The number of sources.
    pub fn n_sources(&self) -> usize {
        self.n_sources
    }

    /// Whether measures are exact, because all vertices were sources.
    pub fn is_exact(&self) -> bool {
        self.is_source.is_none()
    }

    /// How many of the other vertices were sources, and how many of these have a path.
    pub(crate) fn others(&self, vertex: usize) -> (usize, usize) {
        let is_source = self.is_source.as_ref().is_none_or(|is_source| is_source[vertex]);
        let own = usize::from(is_source);
        (self.n_sources - own, self.found.n_sources[vertex] as usize - own)
    }
}

/// Adds the distances of the next sources, a row each.
pub(crate) fn add_rows<D: Distance>(sums: &mut Sums, rows: ArrayView2<'_, D>) {
    let Sums { n_sources, lengths, reciprocals } = sums;
    match lengths {
        Lengths::Integers { sums, greatest } => {
            let add = |sum: &mut u128, greatest: &mut u64, distance: D| {
                let length = distance.to_i128().unwrap_or_default() as u64;
                *sum += u128::from(length);
                *greatest = length.max(*greatest);
            };
            add_to_lists(rows, (n_sources, reciprocals), sums, greatest, &add);
        }
        Lengths::Floats { sums, greatest } => {
            let add = |sum: &mut FloatSum, greatest: &mut f64, distance: D| {
                let length = distance.to_f64();
                *sum += length.into();
                *greatest = if length > *greatest { length } else { *greatest };
            };
            add_to_lists(rows, (n_sources, reciprocals), sums, greatest, &add);
        }
    }
}

/// Adds the distances of rows to lists by vertex: how many there are, their reciprocals, and what
/// `add` makes of each.
fn add_to_lists<D: Distance, S: Send, G: Send>(
    rows: ArrayView2<'_, D>,
    (n_sources, reciprocals): (&mut [u32], &mut [f64]),
    sums: &mut [S],
    greatest: &mut [G],
    add: &(impl Fn(&mut S, &mut G, D) + Sync),
) {
    let counts = n_sources.chunks_mut(SUMMED_PER_TASK).zip(reciprocals.chunks_mut(SUMMED_PER_TASK));
    let lengths = sums.chunks_mut(SUMMED_PER_TASK).zip(greatest.chunks_mut(SUMMED_PER_TASK));
    let parts = (0..).step_by(SUMMED_PER_TASK).zip(counts.zip(lengths)).collect();
    parallel::map_of(parts, &|(first, ((n_sources, reciprocals), (sums, greatest)))| {
        let first: usize = first;
        for row in rows.rows() {
            let row = row.to_slice().expect("rows of a table are whole");
            let counts = n_sources.iter_mut().zip(reciprocals.iter_mut());
            let lengths = sums.iter_mut().zip(greatest.iter_mut());
            for (((n, reciprocals), (sum, greatest)), &distance) in
                counts.zip(lengths).zip(&row[first..])
            {
                // without a branch: what is not reached adds nothing
                let is_reached = distance != D::UNREACHED;
                let distance = if is_reached { distance } else { D::ZERO };
                let length = distance.to_f64();
                *n += u32::from(is_reached);
                *reciprocals += if length > 0.0 { 1.0 / length } else { 0.0 };
                add(sum, greatest, distance);
            }
        }
    });
}

/// Adds a list to another.
fn add_lists<T: Send + Sync>(all: &mut [T], more: &[T], add: impl Fn(&mut T, &T) + Sync) {
    let more = more.par_iter().with_min_len(SUMMED_PER_TASK);
    all.par_iter_mut().zip(more).for_each(|(all, more)| add(all, more));
}

impl State for Sums {
    fn add(&mut self, part: &Self) {
        let Self { n_sources, lengths, reciprocals } = self;
        add_lists(n_sources, &part.n_sources, |all, n| *all += n);
        add_lists(reciprocals, &part.reciprocals, |all, sum| *all += sum);
        match (lengths, &part.lengths) {
            (
                Lengths::Integers { sums, greatest },
                Lengths::Integers { sums: more, greatest: others },
            ) => {
                add_lists(sums, more, |all, sum| *all += sum);
                add_lists(greatest, others, |all, &other| *all = other.max(*all));
            }
            (
                Lengths::Floats { sums, greatest },
                Lengths::Floats { sums: more, greatest: others },
            ) => {
                add_lists(sums, more, |all, &sum| *all += sum);
                add_lists(greatest, others, |all, &other| *all = other.max(*all));
            }
            _ => unreachable!("both are of weights of one type"),
        }
    }

    fn n_bytes(&self) -> usize {
        let of_lengths = match &self.lengths {
            Lengths::Integers { .. } => size_of::<u128>() + size_of::<u64>(),
            Lengths::Floats { sums, .. } => {
                sums.first().map_or(0, |sum| size_of_val(&sum.to_storage())) + size_of::<f64>()
            }
        };
        let of_vertex = size_of::<u32>() + size_of::<f64>() + of_lengths;
        4 * size_of::<u64>() + self.n_sources.len() * of_vertex
    }

    fn write(&self, bytes: &mut Vec<u8>) {
        put_list(bytes, &self.n_sources);
        put_list(bytes, &self.reciprocals);
        match &self.lengths {
            Lengths::Integers { sums, greatest } => {
                put_list(bytes, sums);
                put_list(bytes, greatest);
            }
            Lengths::Floats { sums, greatest } => {
                put_list(bytes, &sums.iter().map(|sum| sum.to_storage()).collect::<Vec<_>>());
                put_list(bytes, greatest);
            }
        }
    }

    fn read(&mut self, bytes: &mut Bytes<'_>) -> Option<()> {
        let n = self.n_sources.len();
        self.n_sources = bytes.list_of(n)?;
        self.reciprocals = bytes.list_of(n)?;
        match &mut self.lengths {
            Lengths::Integers { sums, greatest } => {
                (*sums, *greatest) = (bytes.list_of(n)?, bytes.list_of(n)?);
            }
            Lengths::Floats { sums, greatest } => {
                let stored = bytes.list_of(n)?;
                *sums = stored.into_iter().map(FloatSum::from_storage).collect();
                *greatest = bytes.list_of(n)?;
            }
        }
        Some(())
    }
}

impl State for HopSums {
    fn add(&mut self, part: &Self) {
        Self::add(self, part);
    }

    fn n_bytes(&self) -> usize {
        let of_vertex = 2 * size_of::<u32>() + size_of::<u64>() + size_of::<u128>();
        (5 + self.by_hop.len()) * size_of::<u64>() + self.n_sources.len() * of_vertex
    }

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

    /// No path has as many arcs as there are vertices.
    fn growth(&self) -> usize {
        self.n_sources.len() * size_of::<u64>()
    }
}
