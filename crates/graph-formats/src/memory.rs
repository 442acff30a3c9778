//! Checks that the system grants memory before work starts. A program whose allocation is refused
//! ends without a message of its own.

use std::fmt;
use std::fs::read_to_string;
use std::hint::black_box;

use sysinfo::{MemoryRefreshKind, System};

/// Requests of fewer bytes are not compared with the free memory.
const MIN_COMPARED_BYTES: usize = 1 << 26;
/// Bytes that an allocator may take beyond what is requested, because it takes memory from the
/// system in steps.
const STEP_BYTES: usize = 1 << 20;

/// The system refuses memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("this takes {bytes} bytes of memory, more than the system grants")]
pub struct NoMemory {
    /// The bytes that were requested.
    pub bytes: usize,
}

/// A number of bytes or other things in an error, which may exceed 64 bits. It is aligned as a
/// `u64`: of errors that were aligned to 16 bytes, LLVM 22 has copied some to places on the stack
/// that were not, by instructions that fault there.
#[derive(Clone, Copy, PartialEq, Eq)]
#[repr(Rust, packed(8))]
pub struct Large(u128);

impl From<u128> for Large {
    fn from(number: u128) -> Self {
        Self(number)
    }
}

impl From<Large> for u128 {
    fn from(number: Large) -> Self {
        number.0
    }
}

impl fmt::Display for Large {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let number = self.0;
        number.fmt(f)
    }
}

impl fmt::Debug for Large {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let number = self.0;
        number.fmt(f)
    }
}

impl NoMemory {
    /// The error for `length` values of type `T`.
    pub(crate) fn of<T>(length: usize) -> Self {
        Self { bytes: length.saturating_mul(size_of::<T>()) }
    }
}

/// Bytes that this process may still allocate: the free memory of the machine, or what the process
/// limit (`ulimit -v`) leaves, if that is less. `None` if the system does not report it. The system
/// may grant more, and end the program when that is used.
pub fn free_memory() -> Option<u64> {
    let kib = |line: &str| line.split_whitespace().next()?.parse::<u64>().ok()?.checked_mul(1024);
    let value = |file: &str, name: &str| {
        read_to_string(file).ok()?.lines().find_map(|line| kib(line.strip_prefix(name)?))
    };
    let machine = System::new().ok().map(|mut system| {
        system.refresh_memory_specifics(MemoryRefreshKind::nothing().with_ram());
        system.available_memory()
    });
    // other systems than Linux have no such files, and no such limit that they keep
    let limits = read_to_string("/proc/self/limits").ok();
    let limit = limits.and_then(|limits| {
        let line = limits.lines().find_map(|line| line.strip_prefix("Max address space"))?;
        line.split_whitespace().next()?.parse::<u64>().ok()
    });
    let limited =
        limit.map(|limit| limit.saturating_sub(value("/proc/self/status", "VmSize:").unwrap_or(0)));
    machine.filter(|&bytes| bytes > 0).into_iter().chain(limited).min()
}

/// Allocates `bytes` at once and frees them, in microseconds, so that work that takes too much
/// memory fails before it starts. A lower limit on a group of processes is not seen.
///
/// # Errors
/// When the system refuses them.
///
/// ```
/// assert!(graph_formats::ensure_granted(1000).is_ok());
/// assert!(graph_formats::ensure_granted(1 << 60).is_err());
/// ```
pub fn ensure_granted(bytes: usize) -> Result<(), NoMemory> {
    let mut probe: Vec<u8> = Vec::new();
    let granted = probe.try_reserve_exact(bytes.saturating_add(STEP_BYTES)).is_ok();
    // without this the optimiser removes the unused allocation
    black_box(&probe);
    drop(probe);
    let is_free = || free_memory().is_none_or(|free| bytes as u64 <= free);
    let granted = granted && (bytes < MIN_COMPARED_BYTES || is_free());
    if granted { Ok(()) } else { Err(NoMemory { bytes }) }
}
