//! All pairs of a graph.

use std::time::{Duration, Instant};

use graph_formats::{Csr, Distance, DistanceKey, Weight};
use ndarray::Array2;
use paths::{DistanceTable, NextHops, Paths};
use rayon::ThreadPoolBuilder;
use rayon::prelude::*;
use sssp::Progress;

use crate::host::{Element, Matrix, floyd_warshall, johnson};
use crate::number::is_float;
use crate::potentials::potentials;
use crate::{Algorithm, ApspError, Config, Number, Plan, hops};

/// The distances of all pairs.
#[derive(Clone, Debug)]
pub struct AllPairs<W: Weight> {
    /// A row for each source, a column for each target.
    pub distances: DistanceTable<W>,
    /// For each source a row of the first steps on the way to each target, where they were
    /// asked for.
    pub next_hops: Option<NextHops>,
    /// What found them, and why that.
    pub plan: Plan,
    /// How long Floyd-Warshall took where it did: neither the making of its matrix nor that
    /// of the table is counted.
    pub matrix_time: Option<Duration>,
}

impl<W: Weight> AllPairs<W> {
    /// The distances and the paths; `None` when next hops were not asked for.
    pub fn into_paths(self) -> Option<Paths<W>> {
        Paths::new(self.distances, self.next_hops?).ok()
    }
}

/// The distances of all pairs of vertices of `graph`.
///
/// Integers are exact and the same with every algorithm. Floats may differ in their last
/// bits between algorithms, for paths are not summed in the same order. O(n³), or for
/// Johnson's O(n (n + m) log n), and n² distances, for Floyd-Warshall also n² numbers of 4
/// or 8 bytes.
///
/// With [`Config::next_hops`], paths as well: n² numbers of 2 bytes, or from 65535 vertices
/// on 4. They come from the distances, so that they are the same with every algorithm, number
/// of threads and backend: those of [`paths::oracle::next_hops`], which says which of several
/// shortest paths it is. Floats then do not differ either: each distance is
/// the least sum over all paths, taken from the target backwards, bit for bit, and
/// [`check_next_hops`](paths::certificate::check_next_hops) holds exactly. O(n m) more, of
/// arcs that no path undercuts; for floats also a search from each vertex. With negative
/// floats a cycle that rounds to less than nothing may be found only then, and is an error.
///
/// # Errors
/// When there is a negative cycle anywhere in the graph, a distance overflows its type,
/// memory, or that of it which is allowed, cannot hold the matrix, or the progress callback
/// ended the work.
///
/// ```
/// use apsp::{Config, all_pairs};
/// use graph_formats::Csr;
///
/// let graph = Csr::from_arcs(2, &[(0, 1, 4u32)])?;
/// let found = all_pairs(&graph, &Config::default(), None)?;
/// assert_eq!(found.distances.row(0).collect::<Vec<_>>(), [Some(0), Some(4)]);
/// assert_eq!(found.distances.row(1).collect::<Vec<_>>(), [None, Some(0)]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn all_pairs<W: Weight>(
    graph: &Csr<W>,
    config: &Config,
    progress: Option<Progress<'_>>,
) -> Result<AllPairs<W>, ApspError> {
    let plan = Plan::new(graph, config, progress)?;
    check_memory(graph, &plan, config)?;
    if config.next_hops {
        hops::ask_for_memory(graph)?;
    }
    let potentials = match graph.first_negative() {
        Some(_) => Some(potentials(graph, config.threads, progress)?),
        None => None,
    };
    let (distances, matrix_time) = match (plan.algorithm, plan.number) {
        (Algorithm::Auto | Algorithm::Johnson, _) | (_, None) => {
            let config = sssp::Config { threads: config.threads, ..sssp::Config::default() };
            let found = match potentials {
                Some(potentials) => johnson::search_with(graph, &potentials, &config, progress)?,
                None => johnson::search(graph, &config, progress)?,
            };
            (found, None)
        }
        (form, Some(number)) => {
            let pool = ThreadPoolBuilder::new().num_threads(plan.threads).build()?;
            pool.install(|| {
                if const { is_float(W::KIND) } {
                    if number == Number::F32 {
                        let distance = |number| from_float::<W>(f64::from(number));
                        by_matrix(graph, form, single, distance, progress)
                    } else {
                        by_matrix(graph, form, double, from_float::<W>, progress)
                    }
                } else if number == Number::U16 {
                    by_matrix(graph, form, small, from_small::<W>, progress)
                } else if number == Number::I32 {
                    by_matrix(graph, form, integer::<W, i32>, from_integer::<W, i32>, progress)
                } else {
                    by_matrix(graph, form, integer::<W, i64>, from_integer::<W, i64>, progress)
                }
            })?
        }
    };
    let (distances, next_hops) = match config.next_hops {
        true => hops::with_next_hops(graph, distances, &plan, progress)?,
        false => (distances, None),
    };
    Ok(AllPairs { distances, next_hops, plan, matrix_time })
}

/// An error where the table, and the matrix that it is made in or the next hops that are made
/// of it, are more than the memory allowed.
fn check_memory<W: Weight>(graph: &Csr<W>, plan: &Plan, config: &Config) -> Result<(), ApspError> {
    let n_vertices = graph.n_vertices();
    let table = n_vertices as u128 * n_vertices as u128 * size_of::<W::Distance>() as u128;
    let matrix = match plan.number {
        Some(number) if plan.algorithm != Algorithm::Johnson => number.bytes_of_matrix(n_vertices),
        _ => 0,
    };
    let hops = if config.next_hops { hops::bytes(graph) } else { 0 };
    let bytes = table + matrix.max(hops);
    match config.memory {
        Some(memory) if u128::from(memory) < bytes => {
            Err(ApspError::OverMemory { n_vertices, bytes, memory })
        }
        _ => Ok(()),
    }
}

/// By Floyd-Warshall on numbers that weights become, and that become distances.
fn by_matrix<W: Weight, E: Element>(
    graph: &Csr<W>,
    form: Algorithm,
    number: impl Fn(W) -> E + Sync,
    distance: impl Fn(E) -> W::Distance + Sync,
    progress: Option<Progress<'_>>,
) -> Result<(DistanceTable<W>, Option<Duration>), ApspError> {
    let n = graph.n_vertices();
    let bytes = Matrix::<E>::bytes(n) + n as u128 * n as u128 * size_of::<W::Distance>() as u128;
    let too_large = || ApspError::TooLarge { n_vertices: n, bytes };
    // a system that grants each of the two may not have both: ask for them together, once
    let whole = usize::try_from(bytes).map_err(|_| too_large())?;
    Vec::<u8>::new().try_reserve_exact(whole).map_err(|_| too_large())?;
    let mut matrix = Matrix::of(graph, number)?;
    let start = Instant::now();
    match form {
        Algorithm::FloydWarshall => floyd_warshall::plain(&mut matrix, progress)?,
        Algorithm::Recursive => floyd_warshall::recursive(&mut matrix, progress)?,
        _ => floyd_warshall::blocked(&mut matrix, progress)?,
    }
    let matrix_time = start.elapsed();
    let mut cells = zeros::<W::Distance>(n * n).ok_or_else(too_large)?;
    cells.par_chunks_mut(n.max(1)).enumerate().for_each(|(i, row)| {
        row.iter_mut().zip(matrix.row(i)).for_each(|(cell, &found)| *cell = distance(found));
    });
    let table = Array2::from_shape_vec((n, n), cells).map_err(|_| too_large())?;
    Ok((DistanceTable::from_storage(table), Some(matrix_time)))
}

/// Zeros, which the system gives out when they are first touched; `None` if there is no memory.
pub(crate) fn zeros<D: Distance>(len: usize) -> Option<Vec<D>> {
    Vec::<D>::new().try_reserve_exact(len).ok()?;
    Some(vec![D::ZERO; len])
}

/// The weight, which is no less than nothing; one that no shortest path has is no arc.
pub(crate) fn small<W: Weight>(weight: W) -> u16 {
    let weight = weight.to_i128().and_then(|weight| u16::try_from(weight).ok());
    weight.unwrap_or(u16::INFINITE).min(u16::INFINITE)
}

pub(crate) fn from_small<W: Weight>(number: u16) -> W::Distance {
    if number == u16::INFINITE {
        return W::Distance::UNREACHED;
    }
    W::Distance::from_key(DistanceKey::from_u64(number.into()))
}

/// The weight as a number of the matrix. One that is too large is on no shortest path, or the
/// plan would have wider numbers: it is no arc.
pub(crate) fn integer<W: Weight, E: Element + TryFrom<i128>>(weight: W) -> E {
    let number = weight.to_i128().and_then(|weight| E::try_from(weight).ok());
    number.filter(|&number| number < E::INFINITE).unwrap_or(E::INFINITE)
}

/// The distance of a number: none where an infinite one was added to.
pub(crate) fn from_integer<W: Weight, E: Element + Into<i64>>(number: E) -> W::Distance {
    let number: i64 = number.into();
    let half: i64 = E::INFINITE.into() / 2;
    let distance = W::Distance::from_i128(i128::from(number)).filter(|_| number < half);
    distance.unwrap_or(W::Distance::UNREACHED)
}

/// The weight as a float of the matrix, where no zero has a sign: sums have none then, and
/// bits compare.
pub(crate) fn double<W: Weight>(weight: W) -> f64 {
    weight.to_f64() + 0.0
}

/// The same in single precision.
pub(crate) fn single<W: Weight>(weight: W) -> f32 {
    double(weight) as f32
}

pub(crate) fn from_float<W: Weight>(number: f64) -> W::Distance {
    W::Distance::from_f64(number).unwrap_or(W::Distance::UNREACHED)
}
