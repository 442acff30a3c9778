//! Communicators: which ranks there are, and their collectives.
//!
//! A communicator sends bytes, by three collectives; all others follow from these. Sums are added in
//! the order of the ranks, so that floats do not depend on how messages travel.

use bytemuck::{Pod, Zeroable};

/// Why a collective has no result.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RanksError {
    /// A rank returned or panicked before the others were done.
    #[error("another rank has ended")]
    Ended,
    /// The ranks of a broadcast have different numbers of bytes.
    #[error("a broadcast of {found} bytes into {expected}: all ranks need the same number")]
    Length {
        /// The bytes of this rank.
        expected: usize,
        /// The bytes that the root sent.
        found: usize,
    },
    /// A rank has no memory for what another sends.
    #[error("a rank has no memory for the {bytes} bytes that another sends")]
    OutOfMemory {
        /// The bytes that were sent.
        bytes: u64,
    },
    /// A rank has sent data that are not what the call expects.
    #[error("rank {rank} has sent invalid data: {reason}")]
    Invalid {
        /// The rank that sent them.
        rank: usize,
        /// What is wrong with them.
        reason: String,
    },
    /// NCCL is not found, or refuses a call.
    #[error("NCCL: {0}")]
    Nccl(String),
    /// MPI could not be started.
    #[error("MPI cannot be started: {0}")]
    Start(&'static str),
}

/// A rank among others. The collectives on all types of plain data are methods of
/// `dyn Communicator`.
pub trait Communicator {
    /// The number of this rank, from 0.
    fn rank(&self) -> usize;

    /// The number of ranks, at least one.
    fn size(&self) -> usize;

    /// Copies the bytes of rank `root` to all others, which have as many. O(bytes).
    ///
    /// # Errors
    /// When another rank has ended, or has another number of bytes.
    fn broadcast_bytes(&self, root: usize, bytes: &mut [u8]) -> Result<(), RanksError>;

    /// Gathers the bytes of each rank, by rank, at rank `root`; the others get nothing. Ranks may
    /// have different numbers of bytes. O(all bytes).
    ///
    /// # Errors
    /// When another rank has ended.
    fn gather_bytes(&self, root: usize, own: &[u8]) -> Result<Vec<Vec<u8>>, RanksError>;

    /// Exchanges bytes between all ranks: `for_ranks` has those of this rank for each, in their
    /// order, and what each has for this one is returned, by rank. Messages have any lengths, and
    /// all travel at once. O(bytes given and returned).
    ///
    /// ```
    /// use collectives::{Communicator, RanksError, Threads};
    ///
    /// let received = Threads::run(2, |ranks| match ranks.rank() {
    ///     0 => ranks.exchange_bytes(&[&[], &[1, 2]]),
    ///     _ => ranks.exchange_bytes(&[&[3], &[4]]),
    /// })?;
    /// assert_eq!(received, [[vec![], vec![3]], [vec![1, 2], vec![4]]]);
    /// # Ok::<(), RanksError>(())
    /// ```
    ///
    /// # Errors
    /// When another rank has ended.
    fn exchange_bytes(&self, for_ranks: &[&[u8]]) -> Result<Vec<Vec<u8>>, RanksError>;

    /// The name of the machine that it runs on; empty if all ranks are on one.
    fn host(&self) -> String {
        String::new()
    }

    /// Ends the processes of all ranks at once, with this exit code if the implementation can set
    /// it.
    fn abort(&self, code: i32) -> ! {
        std::process::exit(code)
    }
}

impl dyn Communicator + '_ {
    /// Whether this is rank 0.
    pub fn is_root(&self) -> bool {
        self.rank() == 0
    }

    /// Copies the values of rank `root` to all others, which have as many. O(values).
    ///
    /// # Errors
    /// As [`Communicator::broadcast_bytes`].
    pub fn broadcast<T: Pod>(&self, root: usize, values: &mut [T]) -> Result<(), RanksError> {
        self.broadcast_bytes(root, bytemuck::cast_slice_mut(values))
    }

    /// Broadcasts the values of rank `root`, of any number. Values of the other ranks are dropped.
    /// O(values).
    ///
    /// # Errors
    /// As [`Communicator::broadcast_bytes`], and on all ranks when one has no memory for them.
    pub fn broadcast_vec<T: Pod>(
        &self,
        root: usize,
        mut values: Vec<T>,
    ) -> Result<Vec<T>, RanksError> {
        let mut len = [values.len() as u64];
        self.broadcast(root, &mut len)?;
        let len = len[0];
        if self.rank() != root {
            values = Vec::new();
        }
        let is_refused = values.try_reserve_exact(len as usize - values.len()).is_err();
        if self.any(is_refused)? {
            return Err(RanksError::OutOfMemory { bytes: len * size_of::<T>() as u64 });
        }
        values.resize(len as usize, T::zeroed());
        self.broadcast(root, &mut values)?;
        Ok(values)
    }

    /// Gathers the values of each rank, by rank, at rank `root`; the others get nothing. O(all
    /// values).
    ///
    /// # Errors
    /// As [`Communicator::gather_bytes`].
    pub fn gather<T: Pod>(&self, root: usize, own: &[T]) -> Result<Vec<Vec<T>>, RanksError> {
        let gathered = self.gather_bytes(root, bytemuck::cast_slice(own))?;
        let whole = |bytes: Vec<u8>| bytemuck::pod_collect_to_vec(&bytes);
        Ok(gathered.into_iter().map(whole).collect())
    }

    /// Exchanges values between all ranks: returns what each rank has for this one, by rank.
    /// `for_rank` returns what this rank has for another, and is called once for each, in their
    /// order. It takes a gather for each rank, so that one message is in memory at a time, beside
    /// what is received; a single rank copies nothing. O(all values).
    ///
    /// # Errors
    /// As [`Communicator::gather_bytes`].
    pub fn exchange<T: Pod>(
        &self,
        mut for_rank: impl FnMut(usize) -> Vec<T>,
    ) -> Result<Vec<Vec<T>>, RanksError> {
        if self.size() == 1 {
            return Ok(vec![for_rank(0)]);
        }
        let mut own = Vec::new();
        for root in 0..self.size() {
            let gathered = self.gather(root, &for_rank(root))?;
            if root == self.rank() {
                own = gathered;
            }
        }
        Ok(own)
    }

    /// The sum over all ranks, returned on all ranks.
    ///
    /// # Errors
    /// As [`Communicator::gather_bytes`].
    pub fn sum<T: Pod + std::iter::Sum>(&self, own: T) -> Result<T, RanksError> {
        self.reduce(own, |values| values.into_iter().sum())
    }

    /// The least value of all ranks, returned on all ranks.
    ///
    /// # Errors
    /// As [`Communicator::gather_bytes`].
    pub fn min<T: Pod + PartialOrd>(&self, own: T) -> Result<T, RanksError> {
        self.reduce(own, |values| values.into_iter().fold(own, |a, b| if b < a { b } else { a }))
    }

    /// The greatest value of all ranks, returned on all ranks.
    ///
    /// # Errors
    /// As [`Communicator::gather_bytes`].
    pub fn max<T: Pod + PartialOrd>(&self, own: T) -> Result<T, RanksError> {
        self.reduce(own, |values| values.into_iter().fold(own, |a, b| if b > a { b } else { a }))
    }

    /// Whether `own` is true on any rank, returned on all ranks.
    ///
    /// # Errors
    /// As [`Communicator::gather_bytes`].
    pub fn any(&self, own: bool) -> Result<bool, RanksError> {
        Ok(self.max(u8::from(own))? > 0)
    }

    /// Waits until all ranks have called this.
    ///
    /// # Errors
    /// As [`Communicator::gather_bytes`].
    pub fn barrier(&self) -> Result<(), RanksError> {
        self.any(false).map(|_| ())
    }

    /// The message of the lowest rank that has one, with that rank, returned on all ranks, so that
    /// all fail if one does.
    ///
    /// # Errors
    /// As [`Communicator::gather_bytes`].
    pub fn first_message(&self, own: Option<&str>) -> Result<Option<(usize, String)>, RanksError> {
        let rank = if own.is_some() { self.rank() } else { self.size() };
        let first = self.min(rank as u64)? as usize;
        if first == self.size() {
            return Ok(None);
        }
        let own = own.unwrap_or_default().as_bytes().to_vec();
        let bytes = self.broadcast_vec(first, own)?;
        Ok(Some((first, String::from_utf8_lossy(&bytes).into_owned())))
    }

    /// The number of ranks with lower numbers on the same machine.
    ///
    /// # Errors
    /// As [`Communicator::gather_bytes`].
    pub fn rank_on_host(&self) -> Result<usize, RanksError> {
        let hosts = self.gather(0, self.host().as_bytes())?;
        let before = |(i, host)| hosts[..i].iter().filter(|&other| other == host).count() as u64;
        let places = hosts.iter().enumerate().map(before).collect();
        Ok(self.broadcast_vec(0, places)?[self.rank()] as usize)
    }

    /// Reduces at rank 0 and broadcasts.
    fn reduce<T: Pod>(&self, own: T, all: impl FnOnce(Vec<T>) -> T) -> Result<T, RanksError> {
        let values = self.gather(0, &[own])?;
        let mut result = [Zeroable::zeroed()];
        if self.is_root() {
            result = [all(values.into_iter().flatten().collect())];
        }
        self.broadcast(0, &mut result)?;
        Ok(result[0])
    }
}
