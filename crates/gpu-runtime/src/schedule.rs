//! The order in which GPUs close a matrix by blocks of pivots, as Floyd-Warshall's method does.
//!
//! Blocks of rows are dealt to parts by turns. For each block of pivots: its rows are closed as a
//! matrix of their own and handed out to all parts; then every part takes its other rows through
//! them, strip by strip. The rows of the next block come first, so that closing them and handing
//! them out runs beside the rest (look-ahead). What the matrix is of, where its rows are kept and
//! how they travel is the [`Part`]'s. It is queued, and nothing here waits.
//!
//! Reference: venkataraman-2003, katz-kider-2008

use std::ops::ControlFlow;

/// What a part is told of how far all are; it may end the work.
pub type Progress<'a> = &'a (dyn Fn(u64, u64) -> ControlFlow<()> + Sync);

/// A GPU's part of the work: the rows of its blocks, and room for it. What is asked of it is
/// queued, and ordered after what it needs.
pub trait Part: Sized {
    /// What can go wrong.
    type Error;

    /// Which part it is.
    fn number(&self) -> usize;

    /// How many parts there are, of which some may be elsewhere,
    fn n_parts(&self) -> usize;

    /// and how many blocks, which they have by turns.
    fn n_blocks(&self) -> usize;

    /// Strips of a block.
    fn n_strips(&self, block: usize) -> usize;

    /// Closes the rows of a block among themselves, after all that was asked for; returns the
    /// number of launches.
    ///
    /// # Errors
    /// As the part's work has them, or where `progress`, told only where the block is all, ends it.
    fn close(&self, block: usize, progress: Option<Progress<'_>>) -> Result<u64, Self::Error>;

    /// Brings the closed rows of a block here, from the part that has it where that is not
    /// elsewhere; returns the number of launches.
    ///
    /// # Errors
    /// As the part's work has them.
    fn receive(&self, block: usize, owner: Option<&Self>) -> Result<u64, Self::Error>;

    /// From here on nobody needs the rows of the block before as pivots, once all `parts` have
    /// received this one and done what was asked for until now.
    ///
    /// # Errors
    /// As the part's work has them.
    fn free_before(&self, block: usize, parts: &[Self]) -> Result<(), Self::Error>;

    /// Takes a strip of a block of its own through the pivots of another; returns the number of
    /// launches.
    ///
    /// # Errors
    /// As the part's work has them.
    fn take_through(&self, pivots: usize, strip: Strip) -> Result<u64, Self::Error>;

    /// An error where the work is ended, here or at a part elsewhere.
    ///
    /// # Errors
    /// That one.
    fn go_on(&self, is_ended: bool) -> Result<(), Self::Error>;
}

/// Some rows of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Strip {
    /// The block,
    pub block: usize,
    /// and which of its strips it is.
    pub number: usize,
}

/// How much work it was.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Launches of kernels.
    pub launches: u64,
    /// Strips that were taken through pivots.
    pub strips: u64,
}

/// Queues all that closes the matrix of the parts; where some are elsewhere, what the one here does
/// of it.
///
/// # Errors
/// The first of a part. Some of the work may be under way then, too.
///
/// # Panics
/// Without parts.
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
        // the block before comes last: its rows are needed as they are for the longest
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
        // a part that ends alone would leave those elsewhere waiting
        parts[0].go_on(is_ended)?;
    }
    Ok(counts)
}

#[cfg(test)]
mod tests;
