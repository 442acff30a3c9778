//! How many ancestors two vertices have in common.
//!
//! Ranks are a postorder of the elimination tree. So this number is the least depth of the ranks
//! from the lower one up to the last before the higher one. For among these is a child of the lowest
//! common ancestor, and none that is higher in the tree. Minima are kept of blocks of ranks, for every power of two
//! of blocks from each on, and of the two parts of its block that each rank is between. O(1), or
//! O(block) in one block; 4 bytes a rank, and 2 log for each block.
//!
//! Reference: bender-2000

/// Ranks in a block.
const BLOCK: usize = 32;

/// A rank, between two parts of its block.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place {
    pub(crate) rank: u32,
    /// The least depth from the start of the block to the rank before.
    pub(crate) before: u16,
    /// The least depth from the rank to the end of the block.
    pub(crate) from: u16,
}

/// The least depths of ranges of ranks.
#[derive(Clone)]
pub(crate) struct LeastDepths {
    /// Of 2^i blocks from each block on.
    pub(crate) powers: Vec<Vec<u16>>,
}

impl Place {
    /// O(block).
    pub(crate) fn of(rank: u32, depths: &[u16]) -> Self {
        let place = rank as usize;
        let start = place / BLOCK * BLOCK;
        let end = depths.len().min(start + BLOCK);
        Self { rank, before: least(&depths[start..place]), from: least(&depths[place..end]) }
    }
}

impl LeastDepths {
    /// O(n).
    pub(crate) fn of(depths: &[u16]) -> Self {
        let mut powers = vec![depths.chunks(BLOCK).map(least).collect::<Vec<_>>()];
        let mut width = 1;
        while let Some(halves) = powers.last().filter(|halves| halves.len() > width) {
            let both = halves.iter().zip(&halves[width..]).map(|(&one, &other)| one.min(other));
            powers.push(both.collect());
            width *= 2;
        }
        Self { powers }
    }

    /// How many ancestors two different ranks have in common, each one of its own too. `depths` are
    /// those that this is of.
    #[inline(always)]
    pub(crate) fn n_common(&self, depths: &[u16], one: &Place, other: &Place) -> usize {
        let (low, high) = if one.rank < other.rank { (one, other) } else { (other, one) };
        let blocks = low.rank as usize / BLOCK + 1..high.rank as usize / BLOCK;
        if blocks.start > blocks.end {
            return least(&depths[low.rank as usize..high.rank as usize]).into();
        }
        let ends = low.from.min(high.before);
        if blocks.is_empty() {
            return ends.into();
        }
        let power = blocks.len().ilog2() as usize;
        let minima = &self.powers[power];
        ends.min(minima[blocks.start]).min(minima[blocks.end - (1 << power)]).into()
    }
}

#[inline(always)]
fn least(depths: &[u16]) -> u16 {
    depths.iter().copied().min().unwrap_or(u16::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn minima_of_all_ranges_are_found() {
        let depths: Vec<u16> = (0..300u32).map(|i| (i * i % 257) as u16).collect();
        let (least_depths, n) = (LeastDepths::of(&depths), depths.len() as u32);
        for low in 0..n {
            for high in low + 1..n {
                let ends = [high, low].map(|rank| Place::of(rank, &depths));
                let found = least_depths.n_common(&depths, &ends[0], &ends[1]);
                assert_eq!(found, usize::from(least(&depths[low as usize..high as usize])));
            }
        }
    }
}
