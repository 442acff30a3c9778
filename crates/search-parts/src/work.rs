//! What a search took: counts, and the times on a device.

/// Counts of one search, summed over its threads.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Work {
    /// Arcs whose end had its distance compared.
    pub relaxations: u64,
    /// Distances that fell.
    pub improvements: u64,
    /// Vertices taken from a queue whose arcs were looked at.
    pub settled: u64,
    /// Rounds over the arcs, or buckets worked off together.
    pub rounds: u64,
    /// What of it was done again, where the algorithm keeps count.
    pub again: Option<Again>,
}

/// Work on vertices that were taken before, whose distance then fell.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Again {
    /// Vertices taken another time.
    pub insertions: u64,
    /// Arcs relaxed another time.
    pub relaxations: u64,
}

impl Work {
    /// The counts of several threads or searches.
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

/// Where the time of a search on a GPU goes, in milliseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct DeviceTimes {
    /// Loading the kernels, which compiles them for the device; once a process.
    pub jit_ms: f64,
    /// Copying the graph to the device; once a solver.
    pub upload_ms: f64,
    /// What else is done once for the graph.
    pub prepare_ms: f64,
    /// The search, from an event before to one after it; of a table, all searches.
    pub solve_ms: f64,
    /// Copying distances back.
    pub download_ms: f64,
    /// The parts of a search by Δ-stepping: near arcs relaxed, far lists split, deferred arcs
    /// relaxed from their tails, and from their heads.
    pub phases_ms: [f64; 4],
}

impl DeviceTimes {
    /// These before any search.
    pub fn without_search(self) -> Self {
        let Self { jit_ms, upload_ms, prepare_ms, .. } = self;
        Self { jit_ms, upload_ms, prepare_ms, ..Self::default() }
    }

    /// These, and those of another search of the same solver.
    pub fn and(self, next: Self) -> Self {
        Self {
            solve_ms: self.solve_ms + next.solve_ms,
            download_ms: self.download_ms + next.download_ms,
            ..next
        }
    }
}
