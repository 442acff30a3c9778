//! The arcs of a hierarchy with weights, and walks up along them.

use graph_formats::Buffer;

use super::key::Key;
use crate::prepare::hierarchy::Hierarchy;

/// The mark of an arc of the graph, which no arc of the hierarchy has for its number.
pub(crate) const OF_GRAPH: u32 = elimination::MAX_ARCS as u32;

/// The arcs of a hierarchy, [`UP`](crate::prepare::hierarchy::UP) and
/// [`DOWN`](crate::prepare::hierarchy::DOWN): what they weigh, and which way they lead: an arc
/// of the graph, marked, or through a lower vertex, whose arc to the lower end is noted.
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
        mut show: impl FnMut(usize, u32),
    ) {
        let depth = usize::from(hierarchy.depths[rank as usize]);
        keys[..=depth].iter_mut().for_each(|keys| keys[lane] = K::UNREACHED);
        keys[depth][lane] = K::ZERO;
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
