//! The ends of paths: in how many pairs each vertex is, of a source and another vertex that a path
//! joins.
//!
//! In an undirected graph these are pairs of a component. In a directed one searches in hops count
//! them.

use graph_formats::{Components, Csr, Direction, Distance, VertexId, ensure_granted};
use paths::Progress;

use crate::parts::{Shared, Workers};
use crate::search::{self, BYTES_OF_ROWS, MeasureKeys, solver};
use crate::{CentralityError, Config, Lengths, Side};

/// Bytes for each vertex while components are found.
const BYTES_OF_COMPONENTS: usize = 48;

/// Counts the pairs of each vertex with `sources`, or, without these, with all vertices.
pub(super) fn count<W: MeasureKeys>(
    workers: Workers<'_>,
    graph: &Csr<W>,
    sources: Option<&[VertexId]>,
    config: &Config,
    progress: Option<Progress<'_>>,
) -> Result<Vec<f64>, CentralityError> {
    match (graph.direction(), sources) {
        (Direction::Undirected, _) => {
            Shared::run(workers.ranks, None, None, |_| of_components(graph, sources))
        }
        (Direction::Directed, None) => {
            let (out, into) = (
                of_all(workers, graph, Side::Out, config, progress)?,
                of_all(workers, graph, Side::In, config, progress)?,
            );
            Ok(out.into_iter().zip(into).map(|(out, into)| out + into).collect())
        }
        (Direction::Directed, Some(sources)) => {
            // each rank counts all
            Shared::run(workers.ranks, None, None, |_| of_sources(workers, graph, sources, config))
        }
    }
}

fn of_components<W: MeasureKeys>(
    graph: &Csr<W>,
    sources: Option<&[VertexId]>,
) -> Result<Vec<f64>, CentralityError> {
    ensure_granted(BYTES_OF_COMPONENTS * graph.n_vertices())?;
    let components = Components::of(graph);
    let size = |component| components.members(component).len() as f64;
    let sizes: Vec<f64> = (0..components.n_components()).map(size).collect();
    let Some(sources) = sources else {
        let pairs = |v| 2.0 * (sizes[components.component_of(v)] - 1.0);
        return Ok(graph.vertices().map(pairs).collect());
    };
    let mut n_sources = vec![0.0; sizes.len()];
    sources.iter().for_each(|&source| n_sources[components.component_of(source)] += 1.0);
    let mut pairs: Vec<f64> =
        graph.vertices().map(|v| n_sources[components.component_of(v)]).collect();
    for &source in sources {
        // without the source itself, once as a source and once as another vertex
        pairs[source as usize] += sizes[components.component_of(source)] - 2.0;
    }
    Ok(pairs)
}

/// How many other vertices each has a path to, or from.
fn of_all<W: MeasureKeys>(
    workers: Workers<'_>,
    graph: &Csr<W>,
    side: Side,
    config: &Config,
    progress: Option<Progress<'_>>,
) -> Result<Vec<f64>, CentralityError> {
    let (lengths, threads) = (Lengths::Hops, config.threads);
    let config = Config { lengths, side, threads, ..Config::default() };
    Ok(search::find(workers, graph, &config, progress)?.reached())
}

fn of_sources<W: MeasureKeys>(
    workers: Workers<'_>,
    graph: &Csr<W>,
    sources: &[VertexId],
    config: &Config,
) -> Result<Vec<f64>, CentralityError> {
    let mut hops: Csr<u32> = graph.clone().unweighted();
    if config.side == Side::In {
        ensure_granted(hops.bytes())?;
        hops = hops.transposed();
    }
    let mut solver = solver(workers.gpus, &hops, config, None)?;
    let all: Vec<VertexId> = hops.vertices().collect();
    let mut pairs = vec![0.0; all.len()];
    let bytes_of_row = (all.len() * size_of::<u64>()).max(1);
    for sources in sources.chunks((BYTES_OF_ROWS / bytes_of_row).max(1)) {
        let table = solver.table(sources, &all)?;
        for (row, &source) in table.as_storage().rows().into_iter().zip(sources) {
            let mut reached = 0.0;
            for (pairs, &distance) in pairs.iter_mut().zip(row) {
                let is_reached = f64::from(u8::from(distance != u64::UNREACHED));
                *pairs += is_reached;
                reached += is_reached;
            }
            pairs[source as usize] += reached - 2.0;
        }
    }
    Ok(pairs)
}
