//! Memory that is asked for before it is needed: the system may refuse it, and a program whose
//! allocation is refused ends without a word of its own.

use std::fs::read_to_string;
use std::hint::black_box;

/// Bytes for which the system is not asked how much there is.
const FEW_BYTES: usize = 1 << 26;

/// Memory that the system does not give.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("this takes {bytes} bytes of memory, more than the system gives")]
pub struct NoMemory {
    /// What was asked for.
    pub bytes: usize,
}

impl NoMemory {
    /// For so many numbers.
    pub(crate) fn of<T>(length: usize) -> Self {
        Self { bytes: length.saturating_mul(size_of::<T>()) }
    }
}

/// Bytes that this process may still take: what the machine has left, or what its limit
/// leaves (`ulimit -v`), if that is less. `None` where the system does not say. It may grant more,
/// and end the program when that is used.
pub fn free_memory() -> Option<u64> {
    let kib = |line: &str| line.split_whitespace().next()?.parse::<u64>().ok()?.checked_mul(1024);
    let value = |file: &str, name: &str| {
        read_to_string(file).ok()?.lines().find_map(|line| kib(line.strip_prefix(name)?))
    };
    let machine = value("/proc/meminfo", "MemAvailable:");
    let limits = read_to_string("/proc/self/limits").ok();
    let limit = limits.and_then(|limits| {
        let line = limits.lines().find_map(|line| line.strip_prefix("Max address space"))?;
        line.split_whitespace().next()?.parse::<u64>().ok()
    });
    let limited =
        limit.map(|limit| limit.saturating_sub(value("/proc/self/status", "VmSize:").unwrap_or(0)));
    machine.into_iter().chain(limited).min()
}

/// Asks the system for so much memory at once and gives it back, in microseconds: what takes
/// too much is an error before the work. A limit on a group of processes that is lower than the
/// machine's memory is not seen.
///
/// # Errors
/// Where the system refuses it.
///
/// ```
/// assert!(graph_formats::ensure_granted(1000).is_ok());
/// assert!(graph_formats::ensure_granted(1 << 60).is_err());
/// ```
pub fn ensure_granted(bytes: usize) -> Result<(), NoMemory> {
    let mut probe: Vec<u8> = Vec::new();
    let granted = probe.try_reserve_exact(bytes).is_ok();
    // without this the optimiser removes the unused allocation, and it always succeeds
    black_box(&probe);
    drop(probe);
    let is_free = || free_memory().is_none_or(|free| bytes as u64 <= free);
    let granted = granted && (bytes < FEW_BYTES || is_free());
    if granted { Ok(()) } else { Err(NoMemory { bytes }) }
}
