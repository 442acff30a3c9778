//! New arcs in a closure: a product of bits.
//!
//! Which of the k new arcs lead on to which others is closed first, by k² bits. Then what an arc adds
//! to the row of its tail is known: what the heads of all arcs that it leads on to are and reach. Each
//! row that reaches a tail has all that the tail has, and so gets no more than that. Where most rows
//! reach one vertex, as those of a large component do, what it gets is known first, and is all that
//! they get from the tails that it reaches. Rows do not depend on one another.

use graph_formats::{VertexId, ensure_granted};
use paths::{BitMatrix, Closure};
use rayon::prelude::*;

use super::{MIN_ROWS_PER_TASK, Pair, Updated, row, rows_mut};
use crate::ClosureError;
use crate::blocked::blocked;
use crate::components::{is_set, set};
use crate::unite::WORD;

/// Rows of which one is the hub.
const CANDIDATES: usize = 16;

/// A word of a row, and bits that are set there.
type Bits = (usize, u64);

/// Adds what arcs join whose tails do not reach their heads. `rows` has all vertices that reach a
/// tail, and the tails. An error leaves the closure as it is.
pub(super) fn insert(
    closure: &mut Closure,
    arcs: &[Pair],
    rows: &[VertexId],
) -> Result<Updated, ClosureError> {
    let stride = closure.n_vertices().div_ceil(WORD);
    let of_rows = rows.len() * size_of::<(VertexId, &[u64])>();
    ensure_granted((arcs.len() + 1) * stride * size_of::<Bits>() + of_rows)?;
    let gains = gains(closure, arcs)?;
    let all: Vec<_> = arcs.iter().zip(&gains).map(|(&(tail, _), gain)| (tail, &gain[..])).collect();
    let hub = Hub::choose(closure, &all, rows);
    let of_row = |(vertex, row): (VertexId, &mut [u64])| {
        let reaches = |row: &[u64], other| vertex == other || is_set(row, other);
        let mut n_new = 0;
        let mut add = |row: &mut [u64], gain: &[Bits]| {
            for &(word, bits) in gain {
                n_new += (bits & !row[word]).count_ones() as usize;
                row[word] |= bits;
            }
        };
        let mut left = &all;
        if reaches(row, hub.vertex) {
            add(row, &hub.gain);
            left = &hub.others;
        }
        for &(tail, gain) in left {
            if reaches(row, tail) {
                add(row, gain);
            }
        }
        n_new
    };
    let rows = rows_mut(closure, rows).into_par_iter().with_min_len(MIN_ROWS_PER_TASK);
    Ok(Updated { n_new: rows.map(of_row).sum(), ..Updated::default() })
}

/// A vertex that many rows reach. It gets all that they get from the tails that it reaches, and
/// mostly far less than these tails get.
struct Hub<'g> {
    vertex: VertexId,
    /// What it gets.
    gain: Vec<Bits>,
    /// The tails that it does not reach, and what each gets.
    others: Vec<(VertexId, &'g [Bits])>,
}

impl<'g> Hub<'g> {
    /// Of some of the rows, one that many others reach and that reaches many tails.
    fn choose(closure: &Closure, all: &[(VertexId, &'g [Bits])], rows: &[VertexId]) -> Self {
        let reaches = |u, v| u == v || closure.reaches(u, v);
        let step = rows.len().div_ceil(CANDIDATES);
        let some = || rows.iter().copied().step_by(step);
        let worth = |&hub: &VertexId| {
            let n_rows = some().filter(|&row| reaches(row, hub)).count();
            n_rows * all.iter().filter(|(tail, _)| reaches(hub, *tail)).count()
        };
        let vertex = some().max_by_key(worth).expect("tails are among the rows");
        let (reached, others): (Vec<_>, Vec<_>) =
            all.iter().partition(|(tail, _)| reaches(vertex, *tail));
        let mut gain = vec![0; closure.n_vertices().div_ceil(WORD)];
        let bits = reached.iter().flat_map(|(_, gain)| *gain);
        bits.for_each(|&(word, bits)| gain[word] |= bits);
        Self { vertex, gain: beyond(&gain, row(closure, vertex)), others }
    }
}

/// The bits that are not there yet.
fn beyond(all: &[u64], before: &[u64]) -> Vec<Bits> {
    let new = all.iter().zip(before).map(|(all, before)| all & !before);
    new.enumerate().filter(|&(_, bits)| bits != 0).collect()
}

/// What each arc adds to the row of its tail.
fn gains(closure: &Closure, arcs: &[Pair]) -> Result<Vec<Vec<Bits>>, ClosureError> {
    let n_vertices = closure.n_vertices();
    let mut next = BitMatrix::zeros(arcs.len()).ok_or(ClosureError::TooLarge { n_vertices })?;
    let width = next.stride();
    for (line, &(_, head)) in next.lines_mut().chunks_exact_mut(width).zip(arcs) {
        for (other, &(tail, _)) in (0..).zip(arcs) {
            if head == tail || closure.reaches(head, tail) {
                set(line, other);
            }
        }
    }
    blocked(&mut next, None)?;
    let next = next.into_closure();
    let gain = |(own, &(tail, _)): (usize, &Pair)| {
        let own = own as VertexId;
        let mut all = vec![0; n_vertices.div_ceil(WORD)];
        for arc in next.reached_from(own).chain([own]) {
            let (_, head) = arcs[arc as usize];
            all.iter_mut().zip(row(closure, head)).for_each(|(word, more)| *word |= more);
            set(&mut all, head);
        }
        beyond(&all, row(closure, tail))
    };
    Ok(arcs.par_iter().enumerate().map(gain).collect())
}
