//! The order of the work.
//!
//! For each block of pivots, the pivots' rows are closed as a matrix of their own and sent to all
//! parts. Then every part updates its other rows with them, one strip (a band of rows of a block)
//! at a time. The rows of the next block come first, so that they are closed and sent while the
//! rest is updated (look-ahead).
//!
//! What differs from the published form: the columns of the pivots need no phase of their own. Let D
//! be the closed square of the pivots, R₀ their rows before, so that R = D·R₀ are their rows after,
//! and C the columns of other rows at the pivots. Other rows need (C·D)·R₀, which is C·R: they are
//! multiplied with the columns that they had before. At the columns of pivots R is D, which gives
//! C·D, as it should.
//!
//! Reference: venkataraman-2003, katz-kider-2008

use paths::Progress;

use crate::Share;

/// A worker: it has the rows of its blocks, and memory for the work. A GPU queues work, ordered
/// after the work that it depends on; a CPU does it at once.
pub trait Part: Sized {
    /// What can go wrong.
    type Error;

    /// The rows of this part. Some of the other parts may be in other processes.
    fn share(&self) -> Share;

    /// The number of strips of a block.
    fn n_strips(&self, block: usize) -> usize;

    /// Closes the rows of a block among themselves, after all work before; returns the number of
    /// launches.
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

    /// Frees the pivot rows of the block before this one, once all `parts` have received those and
    /// have done the work before this call.
    ///
    /// # Errors
    /// Those of the part's work.
    fn free_before(&self, block: usize, parts: &[Self]) -> Result<(), Self::Error>;

    /// Updates a strip of its own with the pivots of a block; returns the number of launches.
    ///
    /// # Errors
    /// Those of the part's work.
    fn update(&self, pivots: usize, strip: Strip) -> Result<u64, Self::Error>;

    /// An error if the work is ended, here or in another process.
    ///
    /// # Errors
    /// When the work is ended.
    fn go_on(&self, is_ended: bool) -> Result<(), Self::Error>;

    /// Updates with these pivots all rows of `parts` that [`close`] has not, and then receives the
    /// next block, if there is one. Here the parts take strips in turn; a part that does its work at
    /// once may receive meanwhile.
    ///
    /// # Errors
    /// Those of the parts' work, and of [`go_on`](Self::go_on).
    fn update_rest(parts: &[Self], pivots: usize, work: &mut Work<'_>) -> Result<(), Self::Error> {
        let count = parts[0].share().blocks.count();
        // the block before comes last: its unchanged rows are needed for the longest
        let others: Vec<_> = (pivots + 2..count).chain(0..pivots).collect();
        let strips_of = |part: &Self| {
            let own = others.iter().filter(|&&block| part.share().owns(block));
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
                is_ended |= work.is_ended();
                if is_ended {
                    break;
                }
                work.update(part, pivots, strip)?;
                is_left = true;
            }
        }
        // a part that ends alone would leave the other processes waiting
        parts[0].go_on(is_ended)?;
        work.receive(parts, pivots + 1)
    }
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

/// Work that goes on, with what was done.
pub struct Work<'a> {
    counts: Counts,
    /// Strips to update with pivots.
    total: u64,
    progress: Option<Progress<'a>>,
}

impl Work<'_> {
    /// Tells the progress; whether the work is to end.
    pub fn is_ended(&self) -> bool {
        self.progress.is_some_and(|tell| tell(self.counts.strips, self.total).is_break())
    }

    /// Updates a strip of a part.
    ///
    /// # Errors
    /// Those of the part's work.
    pub fn update<P: Part>(
        &mut self,
        part: &P,
        pivots: usize,
        strip: Strip,
    ) -> Result<(), P::Error> {
        self.add(part.update(pivots, strip)?, 1);
        Ok(())
    }

    /// Counts launches, and strips updated.
    pub fn add(&mut self, launches: u64, strips: u64) {
        self.counts.launches += launches;
        self.counts.strips += strips;
    }

    /// All parts receive a block, if there is such a block.
    ///
    /// # Errors
    /// Those of the parts' work.
    pub fn receive<P: Part>(&mut self, parts: &[P], block: usize) -> Result<(), P::Error> {
        if block < parts[0].share().blocks.count() {
            for part in parts {
                self.counts.launches += part.receive(block, owner(parts, block))?;
            }
        }
        Ok(())
    }
}

/// The part here that has a block, if there is such a block.
fn owner<P: Part>(parts: &[P], block: usize) -> Option<&P> {
    let is_block = block < parts[0].share().blocks.count();
    parts.iter().find(|part| is_block && part.share().owns(block))
}

/// Closes the matrix of the parts; if some are in other processes, does the work of the part here.
/// A part may only have queued its work when this returns.
///
/// `progress` is called with the strips done and their total, or by the part that closes the only
/// block, and may end the work.
///
/// # Errors
/// The first error of a part. Some of the work may be done then.
///
/// # Panics
/// When there are no parts.
pub fn close<P: Part>(parts: &[P], progress: Option<Progress<'_>>) -> Result<Counts, P::Error> {
    let count = parts[0].share().blocks.count();
    let strips_of = |block| owner(parts, block).map_or(0, |part| part.n_strips(block));
    let n_strips: usize = (0..count).map(strips_of).sum();
    let total = (count.saturating_sub(1) * n_strips) as u64;
    let mut work = Work { counts: Counts::default(), total, progress };
    if let Some(part) = owner(parts, 0) {
        work.counts.launches += part.close(0, progress.filter(|_| count == 1))?;
    }
    if count < 2 {
        return Ok(work.counts);
    }
    work.receive(parts, 0)?;
    for block in 0..count {
        parts.iter().try_for_each(|part| part.free_before(block, parts))?;
        let next = block + 1;
        if let Some(part) = owner(parts, next) {
            for number in 0..part.n_strips(next) {
                work.update(part, block, Strip { block: next, number })?;
            }
            work.counts.launches += part.close(next, None)?;
        }
        P::update_rest(parts, block, &mut work)?;
    }
    Ok(work.counts)
}
