//! The arcs of a hierarchy with weights, and walks up along them.

use std::hint::select_unpredictable;

use graph_formats::{Buffer, NoMemory, ensure_granted};

use super::key::Key;
use crate::prepare::hierarchy::Hierarchy;

/// The mark of an arc of the graph, which no arc of the hierarchy has for its number.
pub(crate) const OF_GRAPH: u32 = elimination::MAX_ARCS as u32;

/// How the origin of an arc is noted: an arc of the graph with its mark; or the arc from a lower
/// vertex to the lower end. The bits above a number of an arc then say how many places after it the
/// one to the higher end is; 0 where they are too few, and in files of the version before.
#[derive(Clone, Copy)]
pub(crate) struct Origins {
    /// Those of the number of an arc.
    n_bits: u32,
}

impl Origins {
    pub(crate) fn of(n_arcs: usize) -> Self {
        Self { n_bits: usize::BITS - n_arcs.saturating_sub(1).leading_zeros() }
    }

    /// That of a way through a lower vertex: the arc to the lower end, and how many places after it
    /// the one to the higher end is.
    #[inline(always)]
    pub(crate) fn through(self, lower: u32, n_on: usize) -> u32 {
        let fits = n_on < (OF_GRAPH >> self.n_bits) as usize;
        lower | select_unpredictable(fits, n_on as u32, 0) << self.n_bits
    }

    /// The arc to the lower end.
    #[inline(always)]
    pub(crate) fn lower(self, origin: u32) -> u32 {
        origin & ((1 << self.n_bits) - 1)
    }

    /// The arc to the higher end, if it is noted.
    #[inline(always)]
    pub(crate) fn higher(self, origin: u32) -> Option<u32> {
        let n_on = origin >> self.n_bits;
        (n_on > 0).then_some(self.lower(origin) + n_on)
    }

    /// Less for a candidate that a customization comes to sooner: arcs of the graph, then triangles.
    #[inline(always)]
    pub(crate) fn turn(self, origin: u32) -> u32 {
        let is_of_graph = origin & OF_GRAPH != 0;
        if is_of_graph { origin ^ OF_GRAPH } else { OF_GRAPH | self.lower(origin) }
    }
}

/// The arcs of a hierarchy, [`UP`](crate::prepare::hierarchy::UP) and
/// [`DOWN`](crate::prepare::hierarchy::DOWN): what they weigh, and their [origins](Origins).
#[derive(Clone, Default)]
pub(crate) struct Arcs<K> {
    pub(crate) keys: Buffer<[K; 2]>,
    pub(crate) origins: Buffer<[u32; 2]>,
}

impl<K> Arcs<K> {
    /// Bytes that `n_arcs` arcs take.
    pub(super) fn bytes_of(n_arcs: usize) -> usize {
        n_arcs * (size_of::<[K; 2]>() + size_of::<[u32; 2]>())
    }
}

impl<K: Key> Arcs<K> {
    /// The same in the widest keys, without what they are made of.
    pub(crate) fn widened(&self) -> Result<Arcs<u128>, NoMemory> {
        ensure_granted(size_of::<[u128; 2]>() * self.keys.len())?;
        let widen = |key: K| if key < K::UNREACHED { key.to_integer() } else { u128::UNREACHED };
        let keys: Vec<_> = self.keys.iter().map(|keys| keys.map(widen)).collect();
        Ok(Arcs { keys: keys.into(), origins: Buffer::default() })
    }
}

impl<K: Key> Arcs<K> {
    /// Finds how far the ancestors of a rank are from it on the way up, or it from them on the way
    /// down, by the direction: in a lane of `keys` by depth. Shows each with its depth, from the rank
    /// on.
    #[inline(always)]
    pub(crate) fn climb<const LANES: usize>(
        &self,
        hierarchy: &Hierarchy,
        rank: u32,
        direction: usize,
        keys: &mut [[K; LANES]],
        lane: usize,
        show: impl FnMut(usize, u32),
    ) {
        self.climb_from(hierarchy, &[(rank, K::ZERO)], direction, keys, lane, show);
    }

    /// The same from a place this far from some ranks, each of which is an ancestor of those before.
    #[inline(always)]
    pub(crate) fn climb_from<const LANES: usize>(
        &self,
        hierarchy: &Hierarchy,
        starts: &[(u32, K)],
        direction: usize,
        keys: &mut [[K; LANES]],
        lane: usize,
        mut show: impl FnMut(usize, u32),
    ) {
        let Some(&(rank, _)) = starts.first() else { return };
        let depth = usize::from(hierarchy.depths[rank as usize]);
        keys[..=depth].iter_mut().for_each(|keys| keys[lane] = K::UNREACHED);
        for &(start, key) in starts {
            let own = &mut keys[usize::from(hierarchy.depths[start as usize])][lane];
            *own = own.min(key);
        }
        for (rank, depth) in hierarchy.way_up(rank).zip((0..=depth).rev()) {
            show(depth, rank);
            let from = keys[depth][lane];
            let row = hierarchy.row(rank);
            for (&end, arc) in hierarchy.ends[row.clone()].iter().zip(&self.keys[row]) {
                let key = &mut keys[end as usize][lane];
                *key = key.min(from.add(arc[direction]));
            }
        }
    }

    /// The least of `key` and of what the ancestors of a rank have, given by their depth, with the
    /// arcs between them and the rank in a direction.
    #[inline(always)]
    pub(crate) fn least(
        &self,
        hierarchy: &Hierarchy,
        rank: u32,
        direction: usize,
        key: K,
        of_depth: impl Fn(u16) -> K,
    ) -> K {
        let row = hierarchy.row(rank);
        let arcs = hierarchy.ends[row.clone()].iter().zip(&self.keys[row]);
        arcs.fold(key, |key, (&end, arc)| key.min(of_depth(end).add(arc[direction])))
    }
}
