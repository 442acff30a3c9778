//! Ranks that are threads of one process, for tests and experiments.
//!
//! Every collective is one exchange: each rank gives bytes, and the last to come hands out those
//! of all. A rank that returns or panics while others wait ends their collectives.

use std::panic::resume_unwind;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;

use crate::{Communicator, RanksError};

/// A thread that is a rank.
#[derive(Debug)]
pub struct Threads {
    rank: usize,
    group: Arc<Group>,
}

/// What the ranks have in common.
#[derive(Debug, Default)]
struct Group {
    size: usize,
    exchange: Mutex<Exchange>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct Exchange {
    /// The ranks that have come, and the messages that they gave: one for all ranks, or one for
    /// each.
    given: Vec<(usize, Vec<Vec<u8>>)>,
    /// Exchanges that are complete,
    n_complete: u64,
    /// and what the last of them was of, by rank.
    last: Arc<Vec<Vec<Vec<u8>>>>,
    /// The ranks that have ended, the first of them first.
    ended: Vec<usize>,
}

impl Threads {
    /// Runs `work` on `size` ranks, each a thread, and returns the result of each.
    ///
    /// # Errors
    /// If ranks have errors, that of the rank which ended first: the others may have failed because
    /// it ended.
    ///
    /// # Panics
    /// If a rank panics.
    pub fn run<T: Send, E: Send>(
        size: usize,
        work: impl Fn(&Self) -> Result<T, E> + Sync,
    ) -> Result<Vec<T>, E> {
        let group = Arc::new(Group { size, ..Group::default() });
        let results: Vec<_> = thread::scope(|scope| {
            let start = |rank| {
                let ranks = Self { rank, group: Arc::clone(&group) };
                let work = &work;
                scope.spawn(move || work(&ranks))
            };
            let threads: Vec<_> = (0..size).map(start).collect();
            threads.into_iter().map(thread::ScopedJoinHandle::join).collect()
        });
        let result =
            |result: thread::Result<_>| result.unwrap_or_else(|panic| resume_unwind(panic));
        let mut results: Vec<_> = results.into_iter().map(result).collect();
        let ended = std::mem::take(&mut group.lock().ended);
        // the error to return comes first
        if let Some(rank) = ended.into_iter().find(|&rank| results[rank].is_err()) {
            results.swap(0, rank);
        }
        results.into_iter().collect()
    }

    /// Gives messages, and waits for those of all ranks.
    fn exchange(&self, own: Vec<Vec<u8>>) -> Result<Arc<Vec<Vec<Vec<u8>>>>, RanksError> {
        let mut exchange = self.group.lock();
        let number = exchange.n_complete;
        exchange.given.push((self.rank, own));
        if exchange.given.len() == self.group.size {
            let mut given = std::mem::take(&mut exchange.given);
            given.sort_unstable_by_key(|&(rank, _)| rank);
            exchange.last = Arc::new(given.into_iter().map(|(_, messages)| messages).collect());
            exchange.n_complete += 1;
            self.group.changed.notify_all();
        }
        while exchange.n_complete == number {
            if !exchange.ended.is_empty() {
                return Err(RanksError::Ended);
            }
            let waited = self.group.changed.wait(exchange);
            exchange = waited.unwrap_or_else(PoisonError::into_inner);
        }
        Ok(Arc::clone(&exchange.last))
    }
}

impl Group {
    fn lock(&self) -> MutexGuard<'_, Exchange> {
        self.exchange.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Threads {
    fn drop(&mut self) {
        self.group.lock().ended.push(self.rank);
        self.group.changed.notify_all();
    }
}

impl Communicator for Threads {
    fn rank(&self) -> usize {
        self.rank
    }

    fn size(&self) -> usize {
        self.group.size
    }

    fn broadcast_bytes(&self, root: usize, bytes: &mut [u8]) -> Result<(), RanksError> {
        let own = if self.rank == root { bytes.to_vec() } else { Vec::new() };
        let given = self.exchange(vec![own])?;
        let sent = &given[root][0];
        let (expected, found) = (bytes.len(), sent.len());
        if expected != found {
            return Err(RanksError::Length { expected, found });
        }
        bytes.copy_from_slice(sent);
        Ok(())
    }

    fn gather_bytes(&self, root: usize, own: &[u8]) -> Result<Vec<Vec<u8>>, RanksError> {
        let given = self.exchange(vec![own.to_vec()])?;
        Ok(if self.rank == root { given.concat() } else { Vec::new() })
    }

    fn exchange_bytes(&self, for_ranks: &[&[u8]]) -> Result<Vec<Vec<u8>>, RanksError> {
        let given = self.exchange(for_ranks.iter().map(|bytes| bytes.to_vec()).collect())?;
        Ok(given.iter().map(|messages| messages[self.rank].clone()).collect())
    }
}
