//! Relaxing the arcs of a row of the hierarchy in both directions, several side by side.
//!
//! The arcs of a vertex end at runs of consecutive depths, for separators are cliques. An array by
//! place has the deepest vertex first and the roots last. It is gone through along a run as the row
//! is: four arcs at a time, two keys each, for which there are vector instructions. Of the last
//! arcs of a run, those that are no more of it are raised to no path.

use std::hint::black_box;

use crate::metric::key::Key;

/// Arcs that are relaxed at a time.
const CHUNK: usize = 4;
/// Their keys, of both directions.
const LANES: usize = 2 * CHUNK;

/// What is found by relaxing, by place.
pub(crate) struct Places<K> {
    /// How many places there are before that of a root, which has depth 0.
    top: usize,
    /// The least keys.
    pub(crate) keys: Vec<[K; 2]>,
    /// What these were found by: the greatest origin that made them less.
    pub(crate) origins: Vec<[u32; 2]>,
    /// What one arc of a chunk, two and so on are raised to.
    masks: [[K; LANES]; CHUNK],
}

impl<K: Key> Places<K> {
    pub(crate) fn new(height: usize) -> Self {
        let mask = |n_arcs, lane| if lane < 2 * n_arcs { K::ZERO } else { K::UNREACHED };
        Self {
            top: height.saturating_sub(1),
            // a chunk writes what it has read behind the top
            keys: vec![[K::UNREACHED; 2]; height + CHUNK],
            origins: vec![[0; 2]; height + CHUNK],
            masks: std::array::from_fn(|n_arcs| std::array::from_fn(|lane| mask(n_arcs, lane))),
        }
    }

    #[inline(always)]
    pub(crate) fn of_depth(&self, depth: u16) -> usize {
        self.top - usize::from(depth)
    }

    #[inline(always)]
    pub(crate) fn depth_of(&self, place: usize) -> u16 {
        (self.top - place) as u16
    }

    /// Forgets what has been found from this place on.
    #[inline(always)]
    pub(crate) fn clear(&mut self, first: usize) {
        self.keys[first..].fill([K::UNREACHED; 2]);
        self.origins[first..].fill([0; 2]);
    }

    /// Relaxes arcs of one row, the keys of which come first in `arcs`: from vertices this far, by
    /// an origin that is noted where it is asked for.
    #[inline(always)]
    pub(crate) fn relax<const WITH_ORIGINS: bool>(
        &mut self,
        ends: &[u16],
        runs: &[u8],
        arcs: &[[K; 2]],
        from: [K; 2],
        origin: u32,
    ) {
        let from = std::array::from_fn(|lane| from[lane % 2]);
        let mut arc = 0;
        while let (Some(&run), Some(&end)) = (runs.get(arc), ends.get(arc)) {
            let place = self.of_depth(end);
            let arcs = arcs[arc..].as_flattened();
            let keys = self.keys[place..].as_flattened_mut();
            let origins = self.origins[place..].as_flattened_mut();
            arc += usize::from(run);
            let n_lanes = 2 * usize::from(run);
            let mut lane = 0;
            while lane + LANES <= n_lanes {
                let arcs = arcs[lane..].first_chunk();
                let (keys, origins) = (&mut keys[lane..], &mut origins[lane..]);
                relax::<K, WITH_ORIGINS>(arcs, &from, None, keys, origins, origin);
                lane += LANES;
            }
            if lane < n_lanes {
                let (left, whole) = (&arcs[lane..], arcs[lane..].first_chunk());
                let few = || std::array::from_fn(|i| left.get(i).copied().unwrap_or(K::UNREACHED));
                let arcs = whole.copied().unwrap_or_else(few);
                let mask = &self.masks[(n_lanes - lane) / 2 % CHUNK];
                let (keys, origins) = (&mut keys[lane..], &mut origins[lane..]);
                relax::<K, WITH_ORIGINS>(Some(&arcs), &from, Some(mask), keys, origins, origin);
            }
        }
    }
}

/// Relaxes arcs side by side.
#[inline(always)]
fn relax<K: Key, const WITH_ORIGINS: bool>(
    arcs: Option<&[K; LANES]>,
    from: &[K; LANES],
    mask: Option<&[K; LANES]>,
    keys: &mut [K],
    origins: &mut [u32],
    origin: u32,
) {
    let (Some(arcs), Some(keys)) = (arcs, keys.first_chunk_mut::<LANES>()) else { return };
    let mut through: [K; LANES] = std::array::from_fn(|lane| from[lane].add(arcs[lane]));
    if let Some(mask) = mask {
        through = std::array::from_fn(|lane| through[lane].max(mask[lane]));
    }
    if WITH_ORIGINS && let Some(origins) = origins.first_chunk_mut::<LANES>() {
        let is_less: [u32; LANES] =
            std::array::from_fn(|lane| u32::from(through[lane] < keys[lane]).wrapping_neg());
        // hidden, or a masked store is made of it, which takes many times as long on some processors
        let is_less = black_box(is_less);
        *origins = std::array::from_fn(|lane| Ord::max(origins[lane], origin & is_less[lane]));
    }
    *keys = std::array::from_fn(|lane| keys[lane].min(through[lane]));
}
