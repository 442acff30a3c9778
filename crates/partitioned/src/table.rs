//! A table of distances between sources and targets, over ranks: a search from each source.

use std::time::Duration;

use collectives::{Communicator, RanksError};
use graph_formats::{Distance, NoMemory, Progress, VertexId, WeightKind, ensure_granted};
use paths::{AnyDistances, AnyTable, Distances, Number, with_distances};

use crate::messages::agree;
use crate::search::{Beside, Found, Question, search};
use crate::{Deal, Part, PartitionedError};

/// The distances from each of `sources` to each of `targets` that are no greater than `cutoff`;
/// rank 0 gets the table, which is that of one process. To be called by all ranks, with the same
/// arguments. Each search uses all ranks, and ends at the farthest target. `progress` gets the
/// number of vertices that this rank has settled in the present search.
///
/// A rank takes up to 24 bytes for each vertex of the graph, beside its part; rank 0 has the table
/// besides.
///
/// ```
/// use collectives::Threads;
/// use graph_formats::{AnyCsr, Csr};
/// use partitioned::{Part, PartitionedError, table};
/// use paths::Number;
///
/// let graph = AnyCsr::from(Csr::from_arcs(4, &[(0, 1, 2u32), (1, 2, 2), (3, 2, 1)])?);
/// let found = Threads::run(2, |ranks| {
///     let part = Part::of_graph(ranks, Some(&graph))?;
///     Ok::<_, PartitionedError>(table(ranks, &part, &[3, 0], &[2, 1], None, None)?.tree)
/// })?;
/// let table = found[0].as_ref().expect("rank 0 has it");
/// assert_eq!(table.row(0).collect::<Vec<_>>(), [Some(Number::U64(1)), None]);
/// assert_eq!(table.row(1).collect::<Vec<_>>(), [Some(Number::U64(4)), Some(Number::U64(2))]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// As [`tree`](crate::tree), for any of the searches, and where rank 0 has no memory for the table.
pub fn table(
    ranks: &dyn Communicator,
    part: &Part,
    sources: &[VertexId],
    targets: &[VertexId],
    cutoff: Option<Number>,
    progress: Option<Progress<'_>>,
) -> Result<Found<Option<AnyTable>>, PartitionedError> {
    let n_cells = if ranks.is_root() { sources.len().saturating_mul(targets.len()) } else { 0 };
    let size = part.kind().distance().size();
    agree(ranks, ensure_granted(n_cells.saturating_mul(size)).map_err(NoMemory::into))?;
    let mut cells = Vec::with_capacity(n_cells * size);
    let mut all = Found::<()>::nothing();
    for source in sources.iter().filter(|_| !targets.is_empty()) {
        let sources = std::slice::from_ref(source);
        let question = Question { sources, targets, cutoff, beside: Beside::Nothing };
        let found = search(ranks, part, &question, progress)?;
        with_distances!(&found.tree.distances, |own| {
            add_row(ranks, &part.deal(), targets, own, &mut cells)
        })?;
        all.add(&found.with(Duration::ZERO, |_| ()));
    }
    fn typed<D: Distance>(cells: &[u8]) -> AnyDistances {
        Distances::<D>::from_storage(bytemuck::pod_collect_to_vec(cells)).into()
    }
    let distances = match part.kind().distance() {
        WeightKind::U64 => typed::<u64>(&cells),
        WeightKind::I64 => typed::<i64>(&cells),
        WeightKind::F32 => typed::<f32>(&cells),
        _ => typed::<f64>(&cells),
    };
    let (n_sources, n_targets) = (sources.len(), targets.len());
    let table = ranks.is_root().then_some(AnyTable { n_sources, n_targets, distances });
    Ok(all.with(Duration::ZERO, |()| table))
}

/// Adds the distances of the targets, as bytes, to `cells` at rank 0.
fn add_row<D: Distance>(
    ranks: &dyn Communicator,
    deal: &Deal,
    targets: &[VertexId],
    own: &Distances<D>,
    cells: &mut Vec<u8>,
) -> Result<(), RanksError> {
    let places = targets.iter().map(|&target| deal.place_of(target));
    let of_rank = places.clone().filter(|&(rank, _)| rank == ranks.rank());
    let of_rank: Vec<_> = of_rank.map(|(_, place)| own.as_storage()[place]).collect();
    let gathered = ranks.gather(0, &of_rank)?;
    let mut of_ranks: Vec<_> = gathered.iter().map(|values| values.iter()).collect();
    for (rank, _) in places.filter(|_| ranks.is_root()) {
        let distance = of_ranks[rank].next().copied().unwrap_or(D::UNREACHED);
        cells.extend_from_slice(bytemuck::bytes_of(&distance));
    }
    Ok(())
}
