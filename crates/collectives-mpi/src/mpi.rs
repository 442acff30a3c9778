//! Ranks that are processes which `mpirun` has started.
//!
//! Messages are started without blocking and asked for again and again: at first without a pause,
//! because a search has many short steps. A rank that waits longer sleeps in between, and its core
//! is free for the threads that compute meanwhile. Messages are cut where MPI, whose counts have 31
//! bits, could not count their bytes.

use std::thread;
use std::time::{Duration, Instant};

use collectives::{Communicator, RanksError};
use mpi::Threading;
use mpi::environment::Universe;
use mpi::request::{Request, Scope, scope};
use mpi::topology::{Process, SimpleCommunicator};
use mpi::traits::{Communicator as _, Destination as _, Equivalence as _, Root as _, Source as _};

/// Bytes of a message at most.
const MAX_BYTES: usize = 1 << 30;
/// How long a rank sleeps between two looks,
const PAUSE: Duration = Duration::from_micros(50);
/// once it has waited this long.
const BUSY: Duration = Duration::from_micros(500);

/// What tells a process that it is one of several, by launcher: Open MPI, MPICH and Slurm.
const LAUNCHED: [&str; 3] = ["OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "PMIX_RANK"];

/// A process that is a rank; MPI ends when it is dropped.
pub struct Mpi {
    world: SimpleCommunicator,
    _universe: Universe,
}

impl Mpi {
    /// Starts MPI where a launcher has started this process; `None` where none has. To be called
    /// once, on the thread that will make all calls.
    ///
    /// # Errors
    /// When MPI runs already, or cannot run beside threads.
    pub fn start() -> Result<Option<Self>, RanksError> {
        if LAUNCHED.iter().all(|name| std::env::var_os(name).is_none()) {
            return Ok(None);
        }
        let started = mpi::initialize_with_threading(Threading::Funneled);
        let (universe, threading) = started.ok_or(RanksError::Start("it runs already"))?;
        if threading < Threading::Funneled {
            return Err(RanksError::Start("it was built for programs without threads"));
        }
        Ok(Some(Self { world: universe.world(), _universe: universe }))
    }

    fn process(&self, rank: usize) -> Process<'_> {
        self.world.process_at_rank(rank as i32)
    }
}

/// Waits until `look` returns something.
fn until<T>(mut look: impl FnMut() -> Option<T>) -> T {
    let start = Instant::now();
    loop {
        if let Some(found) = look() {
            return found;
        }
        // another rank may need this core
        match start.elapsed() < BUSY {
            true => thread::yield_now(),
            false => thread::sleep(PAUSE),
        }
    }
}

/// Waits for a message.
fn wait<'a, D: ?Sized, S: Scope<'a>>(request: Request<'a, D, S>) {
    let mut request = Some(request);
    until(|| request.take()?.test().map_or_else(|again| request.replace(again).and(None), Some));
}

impl Communicator for Mpi {
    fn rank(&self) -> usize {
        self.world.rank() as usize
    }

    fn size(&self) -> usize {
        self.world.size() as usize
    }

    fn broadcast_bytes(&self, root: usize, bytes: &mut [u8]) -> Result<(), RanksError> {
        let root = self.process(root);
        for part in bytes.chunks_mut(MAX_BYTES) {
            scope(|scope| wait(root.immediate_broadcast_into(scope, part)));
        }
        Ok(())
    }

    fn gather_bytes(&self, root: usize, own: &[u8]) -> Result<Vec<Vec<u8>>, RanksError> {
        if self.rank() != root {
            let (root, len) = (self.process(root), own.len() as u64);
            scope(|scope| wait(root.immediate_send(scope, &len)));
            for part in own.chunks(MAX_BYTES) {
                scope(|scope| wait(root.immediate_send(scope, part)));
            }
            return Ok(Vec::new());
        }
        let of_rank = |rank| {
            if rank == root {
                return own.to_vec();
            }
            let (process, mut len) = (self.process(rank), 0u64);
            scope(|scope| wait(process.immediate_receive_into(scope, &mut len)));
            let mut bytes = vec![0; len as usize];
            for part in bytes.chunks_mut(MAX_BYTES) {
                scope(|scope| wait(process.immediate_receive_into(scope, part)));
            }
            bytes
        };
        Ok((0..self.size()).map(of_rank).collect())
    }

    fn exchange_bytes(&self, for_ranks: &[&[u8]]) -> Result<Vec<Vec<u8>>, RanksError> {
        let others = || (0..self.size()).filter(|&rank| rank != self.rank());
        let mut received = vec![Vec::new(); self.size()];
        received[self.rank()] = for_ranks[self.rank()].to_vec();
        scope(|scope| {
            let mut sent = Vec::new();
            for rank in others() {
                let process = self.process(rank);
                // the first part that is not full is the last one
                let full = for_ranks[rank].chunks_exact(MAX_BYTES);
                let last = full.remainder();
                sent.extend(full.chain([last]).map(|part| process.immediate_send(scope, part)));
            }
            for rank in others() {
                let process = self.process(rank);
                let mut n_bytes = MAX_BYTES;
                while n_bytes == MAX_BYTES {
                    let (message, status) = until(|| process.immediate_matched_probe());
                    let bytes = &mut received[rank];
                    let start = bytes.len();
                    n_bytes = status.count(u8::equivalent_datatype()) as usize;
                    bytes.resize(start + n_bytes, 0);
                    message.matched_receive_into(&mut bytes[start..]);
                }
            }
            sent.into_iter().for_each(wait);
        });
        Ok(received)
    }

    fn host(&self) -> String {
        mpi::environment::processor_name().unwrap_or_default()
    }

    fn abort(&self, code: i32) -> ! {
        self.world.abort(code)
    }
}

impl Drop for Mpi {
    /// Where this rank panics, the others would wait for it.
    fn drop(&mut self) {
        if thread::panicking() {
            self.abort(101);
        }
    }
}
