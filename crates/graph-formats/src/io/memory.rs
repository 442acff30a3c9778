//! Whether what is being read fits the memory: known before the system refuses an
//! allocation, or ends the program because it granted one. And how much room a disk has.

use std::fs::read_to_string;
use std::hint::black_box;
use std::path::Path;

use crate::GraphError;
use crate::rows::OutOfMemory;

/// Bytes for which the system is not asked how much there is.
const FEW_BYTES: usize = 1 << 20;

/// Refuses to go on reading `path` when that takes `needed` bytes in all, of which
/// `held` are in use already, and the rest is not there.
pub(super) fn ensure(path: &Path, held: u64, needed: u64) -> Result<(), GraphError> {
    match free_memory() {
        Some(free) if needed > held.saturating_add(free) => {
            let path = path.to_path_buf();
            Err(GraphError::OutOfMemory { path, needed, available: held + free })
        }
        _ => Ok(()),
    }
}

/// The error where the system has refused memory, `held` bytes being in use.
pub(super) fn refused(path: &Path, held: u64, error: OutOfMemory) -> GraphError {
    let needed = held + error.bytes() as u64;
    let available = held + free_memory().unwrap_or(0);
    GraphError::OutOfMemory { path: path.to_path_buf(), needed, available }
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

/// Whether the system grants so much memory at once. It is asked for and given back, which costs
/// nothing: what is said to take too much is said before the work. A limit on a group of
/// processes that is lower than the machine's memory is not seen.
pub fn is_granted(bytes: usize) -> bool {
    let mut probe: Vec<u8> = Vec::new();
    let granted = probe.try_reserve_exact(bytes).is_ok();
    // without this the optimiser removes the unused allocation, and it always succeeds
    black_box(&probe);
    drop(probe);
    let is_free = || free_memory().is_none_or(|free| bytes as u64 <= free);
    granted && (bytes < FEW_BYTES || is_free())
}

/// Bytes that this user may still write to the disk of a folder. `None` where the system does not
/// say.
pub fn free_disk(folder: &Path) -> Option<u64> {
    let disk = rustix::fs::statvfs(folder).ok()?;
    disk.f_bavail.checked_mul(disk.f_frsize)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_will_not_fit_is_refused_with_both_numbers() {
        ensure(Path::new("x"), 0, 1 << 20).unwrap();
        if !Path::new("/proc/meminfo").exists() {
            println!("SKIPPED: this system does not say how much memory it has");
            return;
        }
        let error = ensure(Path::new("x.el"), 5_000_000_000, 1 << 60).unwrap_err();
        let GraphError::OutOfMemory { needed, available, .. } = error else { panic!("{error}") };
        assert_eq!(needed, 1 << 60);
        assert!(available > 5_000_000_000);
        assert!(
            error.to_string().starts_with("x.el: reading it takes 1152921504.607 GB"),
            "{error}"
        );
    }
}
