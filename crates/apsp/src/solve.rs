//! All pairs of a graph.

use std::time::{Duration, Instant};

use graph_formats::{Csr, Distance, Weight};
use ndarray::Array2;
use paths::{DistanceTable, NextHops, Paths};
use rayon::ThreadPoolBuilder;
use rayon::prelude::*;
use sssp::Progress;

use crate::element::with_element;
use crate::host::{Matrix, MinPlus, floyd_warshall, johnson};
use crate::potentials::potentials;
use crate::{Algorithm, ApspError, Config, Plan, hops};

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
            pool.install(
                || with_element!(W, number, E => by_matrix::<W, E>(graph, form, progress)),
            )?
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

/// By Floyd-Warshall on a matrix of these numbers.
fn by_matrix<W: Weight, E: MinPlus>(
    graph: &Csr<W>,
    form: Algorithm,
    progress: Option<Progress<'_>>,
) -> Result<(DistanceTable<W>, Option<Duration>), ApspError> {
    let n = graph.n_vertices();
    let bytes = Matrix::<E>::bytes(n) + n as u128 * n as u128 * size_of::<W::Distance>() as u128;
    let too_large = || ApspError::TooLarge { n_vertices: n, bytes };
    // a system that grants each of the two may not have both: ask for them together, once
    let whole = usize::try_from(bytes).map_err(|_| too_large())?;
    Vec::<u8>::new().try_reserve_exact(whole).map_err(|_| too_large())?;
    let mut matrix = Matrix::<E>::of(graph)?;
    let start = Instant::now();
    match form {
        Algorithm::FloydWarshall => floyd_warshall::plain(&mut matrix, progress)?,
        Algorithm::Recursive => floyd_warshall::recursive(&mut matrix, progress)?,
        _ => floyd_warshall::blocked(&mut matrix, progress)?,
    }
    let matrix_time = start.elapsed();
    let mut cells = zeros::<W::Distance>(n * n).ok_or_else(too_large)?;
    cells.par_chunks_mut(n.max(1)).enumerate().for_each(|(i, row)| {
        row.iter_mut().zip(matrix.row(i)).for_each(|(cell, &found)| *cell = found.decode());
    });
    let table = Array2::from_shape_vec((n, n), cells).map_err(|_| too_large())?;
    Ok((DistanceTable::from_storage(table), Some(matrix_time)))
}

/// Zeros, which the system gives out when they are first touched; `None` if there is no memory.
pub(crate) fn zeros<D: Distance>(len: usize) -> Option<Vec<D>> {
    Vec::<D>::new().try_reserve_exact(len).ok()?;
    Some(vec![D::ZERO; len])
}
