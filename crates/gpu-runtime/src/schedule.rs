//! The order in which GPUs close a matrix by blocks of pivots, as Floyd-Warshall's method does.
//!
//! Blocks of rows are dealt to the parts in turn. For each block of pivots: its rows are closed as
//! a matrix of their own and sent to all parts; then every part updates its other rows with them,
//! one strip (a band of rows of a block) at a time. The rows of the next block come first, so that
//! they are closed and sent while the rest is updated (look-ahead). The [`Part`] determines the
//! elements of the matrix, where rows are stored and how they are sent. All work is queued, and
//! nothing here waits.
//!
//! Reference: venkataraman-2003, katz-kider-2008

use std::ops::ControlFlow;

/// Progress of all parts: called with the strips done and their total. It may end the work.
pub type Progress<'a> = &'a (dyn Fn(u64, u64) -> ControlFlow<()> + Sync);

/// A GPU's part of the work: the rows of its blocks, and memory for the work. Its methods queue
/// work, ordered after the work that it depends on.
pub trait Part: Sized {
    /// What can go wrong.
    type Error;

    /// The number of this part, from 0.
    fn number(&self) -> usize;

    /// The number of parts, some of which may be in other processes.
    fn n_parts(&self) -> usize;

    /// The number of blocks, which are dealt to the parts in turn.
    fn n_blocks(&self) -> usize;

    /// The number of strips of a block.
    fn n_strips(&self, block: usize) -> usize;

    /// Closes the rows of a block among themselves, after all work queued before; returns the
    /// number of launches.
    ///
    /// # Errors
    /// Those of the part's work, or when `progress` ends it, which is given only if there is one
    /// block.
    fn close(&self, block: usize, progress: Option<Progress<'_>>) -> Result<u64, Self::Error>;

    /// Copies the closed rows of a block here, from its `owner`, which is `None` in another
    /// process; returns the number of launches.
    ///
    /// # Errors
    /// Those of the part's work.
    fn receive(&self, block: usize, owner: Option<&Self>) -> Result<u64, Self::Error>;

    /// Frees the pivot rows of the block before, once all `parts` have received this block and have
    /// done the work queued until now.
    ///
    /// # Errors
    /// Those of the part's work.
    fn free_before(&self, block: usize, parts: &[Self]) -> Result<(), Self::Error>;

    /// Updates a strip of its own with the pivots of a block; returns the number of launches.
    ///
    /// # Errors
    /// Those of the part's work.
    fn take_through(&self, pivots: usize, strip: Strip) -> Result<u64, Self::Error>;

    /// An error if the work is ended, here or in another process.
    ///
    /// # Errors
    /// When the work is ended.
    fn go_on(&self, is_ended: bool) -> Result<(), Self::Error>;
}

/// A band of rows of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Strip {
    /// The block.
    pub block: usize,
    /// The number of the strip in the block.
    pub number: usize,
}

/// The amount of work.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Launches of kernels.
    pub launches: u64,
    /// Strips that were updated with pivots.
    pub strips: u64,
}

/// Queues all work that closes the matrix of the parts; if some are in other processes, the work of
/// the part here.
///
/// # Errors
/// The first error of a part. Some of the work may be queued then.
///
/// # Panics
/// When there are no parts.
pub fn queue<P: Part>(parts: &[P], progress: Option<Progress<'_>>) -> Result<Counts, P::Error> {
    let (n_blocks, n_parts) = (parts[0].n_blocks(), parts[0].n_parts());
    let owner_of = |block: usize| parts.iter().find(|part| part.number() == block % n_parts);
    let only = progress.filter(|_| n_blocks == 1);
    let mut counts = Counts::default();
    if let Some(part) = owner_of(0) {
        counts.launches += part.close(0, only)?;
    }
    if n_blocks == 1 {
        return Ok(counts);
    }
    let n_strips: usize =
        (0..n_blocks).filter_map(|block| Some(owner_of(block)?.n_strips(block))).sum();
    let total = ((n_blocks - 1) * n_strips) as u64;
    for block in 0..n_blocks {
        let owner = owner_of(block);
        for part in parts {
            counts.launches += part.receive(block, owner)?;
        }
        parts.iter().try_for_each(|part| part.free_before(block, parts))?;
        let next = block + 1;
        if next < n_blocks
            && let Some(part) = owner_of(next)
        {
            for number in 0..part.n_strips(next) {
                counts.launches += part.take_through(block, Strip { block: next, number })?;
                counts.strips += 1;
            }
            counts.launches += part.close(next, None)?;
        }
        // the block before comes last: its unchanged rows are needed for the longest
        let others: Vec<_> = (block + 2..n_blocks).chain(0..block).collect();
        let strips_of = |part: &P| {
            let own = others.iter().filter(|&other| other % n_parts == part.number());
            let strips = |&block: &usize| {
                (0..part.n_strips(block)).map(move |number| Strip { block, number })
            };
            own.flat_map(strips).collect::<Vec<_>>().into_iter()
        };
        let mut queues: Vec<_> = parts.iter().map(strips_of).collect();
        let (mut is_left, mut is_ended) = (true, false);
        while is_left && !is_ended {
            is_left = false;
            for (part, queue) in parts.iter().zip(&mut queues) {
                let Some(strip) = queue.next() else { continue };
                is_ended |= progress.is_some_and(|tell| tell(counts.strips, total).is_break());
                if is_ended {
                    break;
                }
                counts.launches += part.take_through(block, strip)?;
                counts.strips += 1;
                is_left = true;
            }
        }
        // a part that ends alone would leave the other processes waiting
        parts[0].go_on(is_ended)?;
    }
    Ok(counts)
}

#[cfg(test)]
mod tests;
