//! Maps the ids of a file without a list of vertices to 0 … n − 1.
//!
//! Ids that occur are marked in a bit map, if that takes no more memory than the arcs
//! do: O(m + greatest id / 64). Where they are 0 … n − 1 or 1 … n they need no names; else
//! the vertex of an id is the number of marks before it. Sparse ids are sorted, part by
//! part and merged, and looked up: O(m log m).

use std::iter;
use std::sync::atomic::{AtomicU64, Ordering};

use super::assemble::{Arcs, Part};
use super::weights::{Extremes, Number};
use crate::{GraphError, Ids, VertexId, parallel};

/// Bits of a bit map that a list of any length may have: a megabyte.
const ALWAYS_ALLOWED_BITS: u64 = 1 << 23;

/// Further bits of the bit map per arc; an arc takes at least as much memory.
const BITS_PER_ARC: u64 = 64;

/// Arcs between numbers, in 32 bits as long as they fit.
pub(super) enum IdArcs {
    Narrow(Arcs<u32>),
    Wide(Arcs<u64>),
}

impl IdArcs {
    pub(super) fn with_capacity(n_arcs: usize) -> Self {
        Self::Narrow(Arcs::with_capacity(n_arcs))
    }

    /// Adds an arc, and its weight with the weight's position in bytes.
    #[inline]
    pub(super) fn push(&mut self, source: u64, destination: u64, weight: Option<(Number, usize)>) {
        if let Self::Narrow(arcs) = self {
            if let (Ok(u), Ok(v)) = (u32::try_from(source), u32::try_from(destination)) {
                return arcs.push(u, v, weight);
            }
            self.widen();
        }
        if let Self::Wide(arcs) = self {
            arcs.push(source, destination, weight);
        }
    }

    #[cold]
    fn widen(&mut self) {
        if let Self::Narrow(arcs) = self {
            *self = Self::Wide(std::mem::take(arcs).map(u64::from));
        }
    }

    fn for_each_id(&self, mut visit: impl FnMut(u64)) {
        match self {
            Self::Narrow(arcs) => {
                arcs.ends().iter().flat_map(|&(u, v)| [u, v]).for_each(|id| visit(u64::from(id)));
            }
            Self::Wide(arcs) => arcs.ends().iter().flat_map(|&(u, v)| [u, v]).for_each(visit),
        }
    }

    fn map(self, vertex: impl Fn(u64) -> VertexId) -> Arcs<VertexId> {
        match self {
            Self::Narrow(arcs) => arcs.map(|id| vertex(u64::from(id))),
            Self::Wide(arcs) => arcs.map(vertex),
        }
    }
}

impl Part for IdArcs {
    fn n_arcs(&self) -> usize {
        match self {
            Self::Narrow(arcs) => arcs.n_arcs(),
            Self::Wide(arcs) => arcs.n_arcs(),
        }
    }

    fn extremes(&self) -> &Extremes {
        match self {
            Self::Narrow(arcs) => arcs.extremes(),
            Self::Wide(arcs) => arcs.extremes(),
        }
    }

    fn memory(&self) -> (u64, u64) {
        match self {
            Self::Narrow(arcs) => arcs.memory(),
            Self::Wide(arcs) => arcs.memory(),
        }
    }

    fn append_to(self, whole: &mut Vec<Self>) {
        match (whole.last_mut(), &self) {
            (Some(Self::Narrow(last)), Self::Narrow(arcs)) if last.has_room(arcs.len()) => {
                last.append(arcs);
            }
            (Some(Self::Wide(last)), Self::Wide(arcs)) if last.has_room(arcs.len()) => {
                last.append(arcs);
            }
            _ => {
                let so_far = whole.iter().map(Self::n_arcs).sum();
                whole.push(match self {
                    Self::Narrow(arcs) => Self::Narrow(arcs.with_room(so_far)),
                    Self::Wide(arcs) => Self::Wide(arcs.with_room(so_far)),
                });
            }
        }
    }
}

/// The least and the greatest id; `None` where there are no arcs.
pub(super) fn range(parts: &[IdArcs]) -> Option<(u64, u64)> {
    let ranges = parallel::map(parts.len(), &|part| {
        let mut range = (u64::MAX, 0);
        parts[part].for_each_id(|id| range = (range.0.min(id), range.1.max(id)));
        range
    });
    let ranges = ranges.into_iter().filter(|&(least, greatest)| least <= greatest);
    ranges.reduce(|a, b| (a.0.min(b.0), a.1.max(b.1)))
}

/// The arcs between vertices if ids count from `first`.
pub(super) fn counted_from(first: u64, parts: Vec<IdArcs>) -> Vec<Arcs<VertexId>> {
    parallel::map_of(parts, &|part| part.map(|id| (id - first) as VertexId))
}

/// The number of vertices, their names, and the arcs between them, if the vertices are the ids that
/// occur.
pub(super) fn by_occurrence(
    parts: Vec<IdArcs>,
) -> Result<(usize, Ids, Vec<Arcs<VertexId>>), GraphError> {
    let Some((least, greatest)) = range(&parts) else { return Ok((0, Ids::FromZero, Vec::new())) };
    let n_arcs: usize = parts.iter().map(IdArcs::n_arcs).sum();
    if greatest >= ALWAYS_ALLOWED_BITS + BITS_PER_ARC * n_arcs as u64 {
        return by_sorting(parts);
    }
    let marks = Marks::of(&parts, greatest);
    let n_vertices = marks.count();
    crate::checks::validate_vertex_count(n_vertices)?;
    let is_dense = greatest - least + 1 == n_vertices as u64;
    if is_dense && least <= 1 {
        let ids = if least == 0 { Ids::FromZero } else { Ids::FromOne };
        return Ok((n_vertices, ids, counted_from(least, parts)));
    }
    let parts = parallel::map_of(parts, &|part| part.map(|id| marks.before(id)));
    Ok((n_vertices, Ids::Listed(marks.list()), parts))
}

fn by_sorting(parts: Vec<IdArcs>) -> Result<(usize, Ids, Vec<Arcs<VertexId>>), GraphError> {
    let mut sorted = parallel::map(parts.len(), &|part| {
        let mut ids = Vec::with_capacity(2 * parts[part].n_arcs());
        parts[part].for_each_id(|id| ids.push(id));
        ids.sort_unstable();
        ids.dedup();
        ids
    });
    while sorted.len() > 1 {
        let mut lists = sorted.into_iter();
        let pairs: Vec<_> =
            iter::from_fn(|| Some((lists.next()?, lists.next().unwrap_or_default()))).collect();
        sorted = parallel::map_of(pairs, &|(a, b)| merged(a, b));
    }
    let listed = sorted.pop().unwrap_or_default();
    crate::checks::validate_vertex_count(listed.len())?;
    let vertex = |id| listed.binary_search(&id).expect("listed above") as VertexId;
    let parts = parallel::map_of(parts, &|part| part.map(vertex));
    Ok((listed.len(), Ids::Listed(listed), parts))
}

/// Two ascending lists as one, each id once.
fn merged(a: Vec<u64>, b: Vec<u64>) -> Vec<u64> {
    if a.is_empty() || b.is_empty() {
        return if a.is_empty() { b } else { a };
    }
    let mut both = Vec::with_capacity(a.len().max(b.len()));
    let (mut i, mut j) = (0, 0);
    while i < a.len() && j < b.len() {
        both.push(a[i].min(b[j]));
        let (step_a, step_b) = (a[i] <= b[j], b[j] <= a[i]);
        i += usize::from(step_a);
        j += usize::from(step_b);
    }
    both.extend_from_slice(&a[i..]);
    both.extend_from_slice(&b[j..]);
    both
}

/// A bit for each id, and for every 64 of them the number of marks before.
struct Marks {
    bits: Vec<u64>,
    before: Vec<u32>,
}

impl Marks {
    fn of(parts: &[IdArcs], greatest: u64) -> Self {
        let bits: Vec<_> = (0..greatest / 64 + 1).map(|_| AtomicU64::new(0)).collect();
        parallel::for_each(parts.len(), &|part| {
            parts[part].for_each_id(|id| {
                let (word, bit) = (&bits[(id / 64) as usize], 1 << (id % 64));
                if word.load(Ordering::Relaxed) & bit == 0 {
                    word.fetch_or(bit, Ordering::Relaxed);
                }
            });
        });
        let bits: Vec<_> = bits.into_iter().map(AtomicU64::into_inner).collect();
        let mut sum = 0u32;
        let before = bits.iter().map(|word| {
            let before = sum;
            sum = sum.wrapping_add(word.count_ones());
            before
        });
        Self { before: before.collect(), bits }
    }

    fn count(&self) -> usize {
        self.bits.iter().map(|word| word.count_ones() as usize).sum()
    }

    /// The number of marks before that of `id`.
    fn before(&self, id: u64) -> VertexId {
        let (word, bit) = ((id / 64) as usize, id % 64);
        self.before[word] + (self.bits[word] & !(u64::MAX << bit)).count_ones()
    }

    fn list(&self) -> Vec<u64> {
        let of_word = |(at, &word): (usize, &u64)| {
            (0..64u64).filter(move |bit| word >> bit & 1 == 1).map(move |bit| at as u64 * 64 + bit)
        };
        let mut list = Vec::with_capacity(self.count());
        list.extend(self.bits.iter().enumerate().flat_map(of_word));
        list
    }
}
