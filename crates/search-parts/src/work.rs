//! The cost of a search: counts, and the times on a device.

use std::time::Instant;

use gpu_runtime::Gpu;

use crate::milliseconds;

/// Counts of one search, summed over its threads.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Work {
    /// Arcs relaxed: the distance of the head was compared.
    pub relaxations: u64,
    /// Distances lowered.
    pub improvements: u64,
    /// Vertices taken from a queue whose arcs were relaxed.
    pub settled: u64,
    /// Rounds over the arcs, or buckets worked off together.
    pub rounds: u64,
    /// The repeated part of the work, if the algorithm counts it.
    pub again: Option<Again>,
}

/// Work on vertices that were taken again, since their distance had been lowered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Again {
    /// Vertices taken again.
    pub insertions: u64,
    /// Arcs relaxed again.
    pub relaxations: u64,
}

impl Work {
    /// The sum of the counts of several threads or searches.
    pub fn sum(parts: impl IntoIterator<Item = Self>) -> Self {
        let mut sum = Self::default();
        parts.into_iter().for_each(|part| sum.add(&part));
        sum
    }

    /// Adds the counts of another thread or search.
    pub fn add(&mut self, other: &Self) {
        self.relaxations += other.relaxations;
        self.improvements += other.improvements;
        self.settled += other.settled;
        self.rounds += other.rounds;
        if let Some(other) = other.again {
            let again = self.again.get_or_insert_default();
            again.insertions += other.insertions;
            again.relaxations += other.relaxations;
        }
    }
}

/// The times of a search on a GPU, in milliseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct DeviceTimes {
    /// Loading the kernels, which compiles them for the device; once a process.
    pub jit_ms: f64,
    /// Copying the graph to the device; once a solver.
    pub upload_ms: f64,
    /// Other preparation of the graph; once a solver.
    pub prepare_ms: f64,
    /// The search, between two events on the device; for a table, all searches.
    pub solve_ms: f64,
    /// Copying distances back.
    pub download_ms: f64,
    /// The parts of a search by Δ-stepping: near arcs relaxed, far lists split, deferred arcs
    /// relaxed from their tails, and from their heads.
    pub phases_ms: [f64; 4],
}

impl DeviceTimes {
    /// The times of preparation alone.
    pub fn without_search(self) -> Self {
        let Self { jit_ms, upload_ms, prepare_ms, .. } = self;
        Self { jit_ms, upload_ms, prepare_ms, ..Self::default() }
    }

    /// Adds the time in which `work` loads kernels. Returns its result and its other milliseconds.
    ///
    /// # Errors
    /// Those of `work`.
    // inlined, for else it would be this crate's code in another crate, once for each caller
    #[inline(always)]
    pub fn apart_from_jit<T, E>(
        &mut self,
        gpu: &Gpu,
        work: impl FnOnce() -> Result<T, E>,
    ) -> Result<(T, f64), E> {
        let (start, jit_before) = (Instant::now(), gpu.jit_ms());
        let made = work()?;
        Ok((made, self.add_jit(gpu, start, jit_before)))
    }

    #[inline(never)]
    fn add_jit(&mut self, gpu: &Gpu, start: Instant, jit_before: f64) -> f64 {
        let jit_ms = gpu.jit_ms() - jit_before;
        self.jit_ms += jit_ms;
        milliseconds(start) - jit_ms
    }

    /// These times, plus those of the next search of the same solver.
    pub fn and(self, next: Self) -> Self {
        Self {
            solve_ms: self.solve_ms + next.solve_ms,
            download_ms: self.download_ms + next.download_ms,
            ..next
        }
    }
}
