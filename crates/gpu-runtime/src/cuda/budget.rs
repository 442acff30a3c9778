//! A budget of GPU memory.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Bytes held by live buffers, and the most that may be held.
#[derive(Debug)]
pub(super) struct Budget {
    cap: u64,
    used: AtomicU64,
}

impl Default for Budget {
    fn default() -> Self {
        Self { cap: u64::MAX, used: AtomicU64::new(0) }
    }
}

impl Budget {
    /// A budget of its own, with the lower of the two caps.
    pub(super) fn capped(&self, bytes: u64) -> Self {
        Self { cap: self.cap.min(bytes), used: AtomicU64::new(0) }
    }

    pub(super) fn left(&self) -> u64 {
        self.cap - self.used.load(Ordering::Relaxed)
    }

    /// Takes `bytes` from the budget until the result is dropped. If fewer are left, the error is
    /// their number.
    pub(super) fn reserve(self: &Arc<Self>, bytes: u64) -> Result<Reservation, u64> {
        // Relaxed: the count guards no other data.
        let add = |used: u64| used.checked_add(bytes).filter(|&sum| sum <= self.cap);
        match self.used.fetch_update(Ordering::Relaxed, Ordering::Relaxed, add) {
            Ok(_) => Ok(Reservation { budget: Arc::clone(self), bytes }),
            Err(used) => Err(self.cap - used),
        }
    }
}

/// Bytes taken from a budget; given back on drop.
#[derive(Debug)]
pub(super) struct Reservation {
    budget: Arc<Budget>,
    bytes: u64,
}

impl Drop for Reservation {
    fn drop(&mut self) {
        self.budget.used.fetch_sub(self.bytes, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reservations_count_until_they_are_dropped() {
        let budget = Arc::new(Budget::default().capped(10));
        let six = budget.reserve(6).unwrap();
        assert_eq!(budget.left(), 4);
        assert_eq!(budget.reserve(5).unwrap_err(), 4);
        assert_eq!(budget.reserve(u64::MAX).unwrap_err(), 4);
        let four = budget.reserve(4).unwrap();
        assert_eq!(budget.reserve(1).unwrap_err(), 0);
        drop((six, four));
        assert_eq!(budget.left(), 10);
    }

    #[test]
    fn a_cap_within_a_cap_can_only_be_lower() {
        let budget = Budget::default().capped(10);
        assert_eq!(budget.capped(20).left(), 10);
        assert_eq!(budget.capped(3).left(), 3);
    }

    #[test]
    fn threads_together_never_exceed_the_cap() {
        let budget = Arc::new(Budget::default().capped(1000));
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    let held: Vec<_> = (0..500).map_while(|_| budget.reserve(1).ok()).collect();
                    assert!(budget.used.load(Ordering::Relaxed) <= 1000);
                    drop(held);
                });
            }
        });
        assert_eq!(budget.left(), 1000);
    }
}
