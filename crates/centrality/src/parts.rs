//! Sources in parts, which ranks share, and the sum of what the parts find.
//!
//! Sums of floats depend on the order of their terms. So sources are dealt out in parts, whose size
//! depends on the graph and the request alone; what a part finds is added up by one rank, and then
//! the parts in their order. In a step each rank takes some parts that follow one another. Rank 0,
//! which has the first of them, adds its own as they are found, and then those of the others, sent
//! one at a time. So its state is always the sum of the first parts, and can be kept. In the end it
//! is sent to all.
//!
//! What fails on one rank is an error on all of them at the end of the step.

use std::cell::Cell;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

use collectives::{Alone, Communicator, RanksError};
use gpu_runtime::Gpu;
use graph_formats::{Interrupted, VertexId, ensure_granted, tell};
use paths::Progress;

use crate::CentralityError;
use crate::checkpoint::{Bytes, Checkpoint};

/// The time between two states that are kept, at least.
const INTERVAL: Duration = Duration::from_secs(20);
/// Sources of a part, at most: more would save no time.
const MOST_OF_PART: usize = 512;
/// Sources of a block; a part has whole blocks, and at least one.
const LEAST_OF_PART: usize = 8;
/// Parts of a run, at least, so that many ranks have work, unless parts would be too small.
const MIN_PARTS: usize = 64;
/// Bytes of the parts that a rank keeps until it sends them, unless one part has more.
const MAX_BYTES: usize = 1 << 30;

/// What shares the sources: the ranks, and on each of them its GPUs.
///
/// All ranks make the same call, with the same graph and config, apart from the number of threads.
/// Each has GPUs or none has. Rank 0 alone keeps a checkpoint, and all return the same result. What
/// fails on one rank is an error on all. Results have the same bits for any number of ranks.
///
/// ```
/// use centrality::{Config, Workers, any};
/// use collectives::{RanksError, Threads};
/// use graph_formats::{AnyCsr, Csr};
///
/// let graph = AnyCsr::from(Csr::from_edges(4, &[(0, 1, 1u32), (1, 2, 1), (2, 3, 1)])?);
/// let found = Threads::run(2, |ranks| {
///     let workers = Workers { ranks, gpus: &[] };
///     any::betweenness(&graph, workers, &Config::default(), None)
/// })?;
/// // on each of the ranks
/// assert!(found.iter().all(|found| found.raw() == [0.0, 4.0, 4.0, 0.0]));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy)]
pub struct Workers<'a> {
    /// The ranks.
    pub ranks: &'a dyn Communicator,
    /// The GPUs of this rank; with none it uses its CPU.
    pub gpus: &'a [Gpu],
}

impl Default for Workers<'_> {
    /// One rank on its CPU.
    fn default() -> Self {
        Self::from(&[][..])
    }
}

impl<'a> From<&'a [Gpu]> for Workers<'a> {
    /// One rank on these GPUs, or without any on its CPU.
    fn from(gpus: &'a [Gpu]) -> Self {
        Self { ranks: &Alone, gpus }
    }
}

/// What adds up from part to part.
pub(crate) trait State: Clone {
    /// Adds what the next part has found.
    fn add(&mut self, part: &Self);
    /// How many bytes [`write`](Self::write) adds.
    fn n_bytes(&self) -> usize;
    /// It as bytes in the order of this machine.
    fn write(&self, bytes: &mut Vec<u8>);
    /// Reads it from these bytes; `None` if they are nothing of as many vertices.
    fn read(&mut self, bytes: &mut Bytes<'_>) -> Option<()>;
    /// By how many bytes it may become longer as sources are added.
    fn growth(&self) -> usize {
        0
    }
}

/// How many sources a part has, of a run with `n_sources`.
pub(crate) fn sources_of_part(n_sources: usize) -> usize {
    let whole_blocks = n_sources / MIN_PARTS / LEAST_OF_PART * LEAST_OF_PART;
    whole_blocks.clamp(LEAST_OF_PART, MOST_OF_PART)
}

/// What ranks take at a time.
#[derive(Clone, Copy)]
pub(crate) struct Steps {
    /// Sources of a part.
    pub(crate) of_part: usize,
    /// Parts of a rank in a step.
    pub(crate) n_parts: usize,
}

/// A run that ranks share.
pub(crate) struct Shared<'r> {
    pub(crate) ranks: &'r dyn Communicator,
    /// On rank 0, if the state is to be kept.
    pub(crate) checkpoint: Option<Checkpoint>,
    pub(crate) progress: Option<Progress<'r>>,
    /// Whether the ranks have agreed to begin.
    has_begun: Cell<bool>,
}

impl<'r> Shared<'r> {
    /// Does `work` on all ranks. It adds up once at most; what fails on one rank is an error on all.
    pub(crate) fn run<T>(
        ranks: &'r dyn Communicator,
        checkpoint: Option<Checkpoint>,
        progress: Option<Progress<'r>>,
        work: impl FnOnce(&Self) -> Result<T, CentralityError>,
    ) -> Result<T, CentralityError> {
        let shared = Self { ranks, checkpoint, progress, has_begun: Cell::new(false) };
        let result = work(&shared);
        // the others wait for this rank to begin, and then to end
        let result = if shared.has_begun.get() { result } else { agree(ranks, result) };
        agree(ranks, result)
    }

    /// How far `n_sources` are.
    pub(crate) fn told(&self, n_sources: usize) -> Told<'r> {
        Told {
            progress: self.progress,
            n_ranks: self.ranks.size() as u64,
            before: AtomicU64::new(0),
            total: n_sources as u64,
        }
    }

    fn begin(&self, own: Result<(), CentralityError>) -> Result<(), CentralityError> {
        self.has_begun.set(true);
        agree(self.ranks, own)
    }
}

/// How far a run is, as one rank sees it.
pub(crate) struct Told<'p> {
    progress: Option<Progress<'p>>,
    n_ranks: u64,
    /// Sources of all ranks before this step.
    before: AtomicU64,
    total: u64,
}

impl Told<'_> {
    /// Tells that this rank has searched from `done` sources in this step; the others are taken to be
    /// as far.
    pub(crate) fn tell(&self, done: u64) -> Result<(), Interrupted> {
        let done = self.before.load(Relaxed) + done * self.n_ranks;
        tell(self.progress, done.min(self.total), self.total)
    }

    /// Whether the caller has a callback.
    pub(crate) fn is_heard(&self) -> bool {
        self.progress.is_some()
    }

    /// The same as [`tell`](Self::tell), for a callback.
    pub(crate) fn step(&self, done: u64) -> ControlFlow<()> {
        match self.tell(done) {
            Ok(()) => ControlFlow::Continue(()),
            Err(Interrupted) => ControlFlow::Break(()),
        }
    }
}

/// Searches from sources of whole parts, and calls back with what each part has found, in order.
type Find<'a, S> = &'a mut dyn FnMut(
    &[VertexId],
    &mut dyn FnMut(&S) -> Result<(), CentralityError>,
) -> Result<(), CentralityError>;

/// Adds to the state what `find` finds from all sources; it ends the same on all ranks. Sources of
/// an earlier run are left out, if their sum was kept.
pub(crate) fn add_up<S: State>(
    state: &mut S,
    sources: &[VertexId],
    steps: Steps,
    shared: &Shared<'_>,
    told: &Told<'_>,
    find: Find<'_, S>,
) -> Result<(), CentralityError> {
    let ranks = shared.ranks;
    let n_bytes = if ranks.size() > 1 { state.n_bytes() + state.growth() } else { 0 };
    let n_parts = steps.n_parts.min(MAX_BYTES / n_bytes.max(1)).max(1);
    let mut sum =
        Sum { state, done: 0, sources, of_part: steps.of_part, shared, saved: Instant::now() };
    // besides what is to be sent: a part that is read, its bytes, and those of the sum
    let is_ready = ensure_granted((n_parts + 3) * n_bytes).map_err(CentralityError::from);
    shared.begin(is_ready.and_then(|()| sum.load()))?;
    // where ranks differ in threads
    let mut first = [sum.done as u64, steps.of_part as u64];
    ranks.broadcast(0, &mut first)?;
    let [mut done, of_part] = first.map(|number| number as usize);
    let n_parts = ranks.min(n_parts as u64)? as usize;
    while done < sources.len() {
        let next = &sources[done..sources.len().min(done + ranks.size() * n_parts * of_part)];
        let share = next.len().div_ceil(of_part).div_ceil(ranks.size()) * of_part;
        let own = next.chunks(share).nth(ranks.rank()).unwrap_or_default();
        told.before.store(done as u64, Relaxed);
        let mut to_send = Vec::new();
        let found = match own {
            [] => Ok(()),
            own if ranks.is_root() => find(own, &mut |part| sum.add(part)),
            own => find(own, &mut |part| {
                to_send.push(written(part));
                Ok(())
            }),
        };
        let found = agree(ranks, found);
        if let Err(CentralityError::Interrupted(_)) = found {
            sum.save()?;
        }
        found?;
        let sizes = next.chunks(share).map(|share| share.len().div_ceil(of_part));
        agree(ranks, sum.gather(to_send, sizes))?;
        done += next.len();
    }
    sum.send_to_all()
}

/// The sum of the first parts, on rank 0.
struct Sum<'s, S> {
    state: &'s mut S,
    /// How many sources it is of.
    done: usize,
    sources: &'s [VertexId],
    of_part: usize,
    shared: &'s Shared<'s>,
    saved: Instant,
}

impl<S: State> Sum<'_, S> {
    /// Begins where an earlier run ended, if its state was kept.
    fn load(&mut self) -> Result<(), CentralityError> {
        if let Some(checkpoint) = &self.shared.checkpoint {
            self.done = checkpoint.load(self.sources.len(), self.state)?;
        }
        // where it cannot be written, the run ends here and not after hours
        self.save()
    }

    fn save(&mut self) -> Result<(), CentralityError> {
        self.saved = Instant::now();
        match &self.shared.checkpoint {
            Some(checkpoint) => checkpoint.save(self.done, self.state),
            None => Ok(()),
        }
    }

    /// Adds the next part.
    fn add(&mut self, part: &S) -> Result<(), CentralityError> {
        self.state.add(part);
        self.done = self.sources.len().min(self.done + self.of_part);
        let is_due = self.saved.elapsed() > INTERVAL || self.done == self.sources.len();
        if is_due { self.save() } else { Ok(()) }
    }

    /// Adds the parts that the other ranks send; `n_parts` is the number of each rank.
    fn gather(
        &mut self,
        own: Vec<Vec<u8>>,
        n_parts: impl Iterator<Item = usize>,
    ) -> Result<(), CentralityError> {
        let ranks = self.shared.ranks;
        let mut own = own.into_iter();
        let mut result = Ok(());
        let mut part = None;
        for (rank, n_parts) in n_parts.enumerate().skip(1) {
            for _ in 0..n_parts {
                let sent = if rank == ranks.rank() { own.next() } else { None };
                let sent = sent.unwrap_or_default();
                let gathered = ranks.gather_bytes(0, &sent)?;
                // the others send on, whatever fails here
                if let (Some(bytes), Ok(())) = (gathered.get(rank), &result) {
                    let part = part.get_or_insert_with(|| self.state.clone());
                    result = read(part, bytes, rank).and_then(|()| self.add(part));
                }
            }
        }
        result
    }

    /// Sends the state of rank 0 to the others.
    fn send_to_all(self) -> Result<(), CentralityError> {
        let ranks = self.shared.ranks;
        if ranks.size() > 1 {
            let own = if ranks.is_root() { written(self.state) } else { Vec::new() };
            let bytes = ranks.broadcast_vec(0, own)?;
            read(self.state, &bytes, 0)?;
        }
        Ok(())
    }
}

fn written<S: State>(state: &S) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(state.n_bytes());
    state.write(&mut bytes);
    debug_assert_eq!(bytes.len(), state.n_bytes());
    bytes
}

/// Reads what a rank has sent.
fn read<S: State>(state: &mut S, bytes: &[u8], rank: usize) -> Result<(), CentralityError> {
    let reason = || "it is no sum of this run".to_owned();
    let invalid = || RanksError::Invalid { rank, reason: reason() };
    Ok(state.read(&mut Bytes::of(bytes)).ok_or_else(invalid)?)
}

/// An error on all ranks if there is one on any: that of this rank, or the message of another.
fn agree<T>(
    ranks: &dyn Communicator,
    own: Result<T, CentralityError>,
) -> Result<T, CentralityError> {
    // every error has a message, and the empty one means that the work was interrupted
    let message = own.as_ref().err().map(|error| match error {
        CentralityError::Interrupted(_) => String::new(),
        error => error.to_string(),
    });
    let Some((rank, message)) = ranks.first_message(message.as_deref())? else { return own };
    own.and_then(|_| match message.is_empty() {
        true => Err(Interrupted.into()),
        false => Err(CentralityError::OnRank { rank, message }),
    })
}

#[cfg(test)]
mod tests {
    use collectives::Threads;

    use super::*;

    /// Sums by rank, of sources in parts of eight.
    fn sum_up(
        ranks: &dyn Communicator,
        prepared: Result<(), CentralityError>,
        find: impl Fn(&[VertexId]) -> Result<Vec<f64>, CentralityError>,
    ) -> Result<Vec<f64>, CentralityError> {
        let sources: Vec<VertexId> = (0..100).collect();
        Shared::run(ranks, None, None, |shared| {
            prepared?;
            let mut sums = vec![0.0; 2];
            let steps = Steps { of_part: 8, n_parts: 1 + ranks.rank() };
            let told = shared.told(sources.len());
            add_up(&mut sums, &sources, steps, shared, &told, &mut |sources, give| {
                sources.chunks(8).try_for_each(|part| give(&find(part)?))
            })?;
            Ok(sums)
        })
    }

    #[test]
    fn each_source_is_taken_once() {
        let sum = |part: &[VertexId]| Ok(vec![part.iter().map(|&v| f64::from(v)).sum(), 1.0]);
        for size in 1..=16 {
            let found = Threads::run(size, |ranks| sum_up(ranks, Ok(()), sum)).unwrap();
            assert!(found.iter().all(|sums| sums[..] == [4950.0, 13.0]), "{size} {found:?}");
        }
    }

    #[test]
    fn an_error_on_one_rank_is_one_on_all() {
        let failed = || Err(CentralityError::BadTolerance(7.0));
        for (is_prepared, failing) in [(false, 0), (false, 2), (true, 0), (true, 1)] {
            let found = Threads::run(3, |ranks| {
                let fails = ranks.rank() == failing;
                let prepared = if fails && !is_prepared { failed() } else { Ok(()) };
                Ok::<_, ()>(sum_up(ranks, prepared, |part| match fails && part[0] > 50 {
                    true => failed().map(|()| Vec::new()),
                    false => Ok(vec![0.0; 2]),
                }))
            });
            for (rank, found) in found.unwrap().into_iter().enumerate() {
                match found.unwrap_err() {
                    CentralityError::BadTolerance(_) => assert_eq!(rank, failing),
                    CentralityError::OnRank { rank: of, .. } => {
                        assert_eq!((of, rank == failing), (failing, false));
                    }
                    error => panic!("{error}"),
                }
            }
        }
    }
}
