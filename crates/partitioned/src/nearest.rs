//! The nearest of several sources, for every vertex, over ranks.
//!
//! One search from all sources finds the keys. Then the owner of a vertex is the smallest source
//! from which tight arcs lead to it: owners pass along tight arcs, and only fall. A rank passes its
//! own in the order of their keys until none falls, and sends the owners of other ranks' vertices,
//! until no rank has any to send. So most vertices get their owner once for each change of ranks on
//! the way.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::time::Instant;

use collectives::Communicator;
use graph_formats::{DistanceKey, Progress, VertexId, Weight};
use paths::{AnyDistances, AnyNearest, Nearest, Number};
use sssp::over_parts::KeyArithmetic;

use crate::gathered::{gathered, gathered_distances};
use crate::messages::Mail;
use crate::part::Rows;
use crate::search::{Beside, Found, Question, search};
use crate::{Part, PartitionedError};

/// Bytes that [`nearest`] takes at most for each vertex of the graph, on each rank.
pub const NEAREST_BYTES: u64 = 32;

/// The nearest of `sources` for every vertex that is no farther from it than `cutoff`; rank 0 gets
/// the result, which is that of one process. To be called by all ranks, with the same arguments.
/// `progress` gets the number of vertices that this rank has settled.
///
/// A rank takes up to 32 bytes for each vertex of the graph, beside its part.
///
/// ```
/// use collectives::Threads;
/// use graph_formats::{AnyCsr, Csr};
/// use partitioned::{Part, PartitionedError, nearest};
///
/// let graph = AnyCsr::from(Csr::from_edges(4, &[(0, 1, 2u32), (1, 2, 2), (2, 3, 1)])?);
/// let found = Threads::run(2, |ranks| {
///     let part = Part::of_graph(ranks, Some(&graph))?;
///     Ok::<_, PartitionedError>(nearest(ranks, &part, &[3, 0], None, None)?.tree)
/// })?;
/// let nearest = found[0].as_ref().expect("rank 0 has it");
/// assert_eq!((nearest.source_of(1), nearest.source_of(2)), (Some(0), Some(3)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// As [`tree`](crate::tree).
pub fn nearest(
    ranks: &dyn Communicator,
    part: &Part,
    sources: &[VertexId],
    cutoff: Option<Number>,
    progress: Option<Progress<'_>>,
) -> Result<Found<Option<AnyNearest>>, PartitionedError> {
    let question = Question { sources, targets: &[], cutoff, beside: Beside::Sources };
    let found = search(ranks, part, &question, progress)?;
    let start = Instant::now();
    let deal = part.deal();
    let all = 0..deal.n_vertices();
    let distances = gathered_distances(ranks, &deal, &found.tree.distances, all.clone())?;
    let owners = gathered(ranks, &deal, &found.tree.beside, all)?;
    let nearest = distances.zip(owners).map(|(distances, owners)| match distances {
        AnyDistances::I64(distances) => Nearest::<i64>::from_storage(distances, owners).into(),
        AnyDistances::F32(distances) => Nearest::<f32>::from_storage(distances, owners).into(),
        AnyDistances::F64(distances) => Nearest::<f64>::from_storage(distances, owners).into(),
        AnyDistances::U64(distances) => Nearest::<u64>::from_storage(distances, owners).into(),
        _ => unreachable!("distances have one of four types"),
    });
    Ok(found.with(start.elapsed(), |_| nearest))
}

/// The code for "no owner"; no graph has this many vertices.
const NO_VERTEX: VertexId = VertexId::MAX;

/// The owners of this rank's vertices, at their slots. All ranks have the keys of all slots.
pub(crate) fn owners<W: Weight, L: KeyArithmetic<W>>(
    part: &Part,
    rows: Rows<'_, W>,
    mail: &mut Mail<'_>,
    keys: &[L::Key],
    sources: &[u32],
) -> Result<Vec<VertexId>, PartitionedError> {
    let (deal, own) = (part.deal(), part.deal().slots(part.rank()));
    let mut owners = vec![NO_VERTEX; deal.n_slots()];
    let mut queue = BinaryHeap::new();
    for &slot in sources.iter().filter(|&&slot| own.contains(&(slot as usize))) {
        let key = keys[slot as usize];
        if key < L::Key::GREATEST {
            owners[slot as usize] = deal.vertex_of_slot(slot as usize);
            queue.push(Reverse((key, owners[slot as usize], slot)));
        }
    }
    let mut unsent = Vec::new();
    loop {
        while let Some(Reverse((key, owner, slot))) = queue.pop() {
            if owners[slot as usize] != owner {
                continue;
            }
            for (head, weight) in rows.arcs(rows.row(slot as usize - own.start)) {
                let (of_head, before) = (keys[head as usize], owners[head as usize]);
                let is_tight = of_head < L::Key::GREATEST && L::after(key, weight) == of_head;
                if !is_tight || before <= owner {
                    continue;
                }
                owners[head as usize] = owner;
                match own.contains(&(head as usize)) {
                    true => queue.push(Reverse((of_head, owner, head))),
                    false => unsent.push(head),
                }
            }
        }
        unsent.sort_unstable();
        unsent.dedup();
        unsent.iter().for_each(|&slot| mail.add(slot, owners[slot as usize]));
        let received = mail.exchange([unsent.len() as u64, 0, 0])?;
        unsent.clear();
        for (slot, owner) in received.records::<VertexId>() {
            if owner < owners[slot as usize] {
                owners[slot as usize] = owner;
                queue.push(Reverse((keys[slot as usize], owner, slot)));
            }
        }
        if received.sums()[0] == 0 {
            return Ok(owners);
        }
    }
}
