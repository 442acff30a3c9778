//! Checks that a file fits the memory while it is read, before the system refuses an allocation or
//! ends the program.

use std::path::Path;

use crate::{GraphError, NoMemory, free_memory};

/// Refuses to continue reading `path` if it takes `needed` bytes in all, of which `held` are in use
/// already, and the rest is not available.
pub(super) fn ensure(path: &Path, held: u64, needed: u64) -> Result<(), GraphError> {
    match free_memory() {
        Some(free) if needed > held.saturating_add(free) => {
            let path = path.to_path_buf();
            Err(GraphError::OutOfMemory { path, needed, available: held + free })
        }
        _ => Ok(()),
    }
}

/// The error when the system has refused memory while `held` bytes were in use.
pub(super) fn refused(path: &Path, held: u64, error: NoMemory) -> GraphError {
    let needed = held + error.bytes as u64;
    let available = held + free_memory().unwrap_or(0);
    GraphError::OutOfMemory { path: path.to_path_buf(), needed, available }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_will_not_fit_is_refused_with_both_numbers() {
        ensure(Path::new("x"), 0, 1 << 20).unwrap();
        if free_memory().is_none() {
            println!("SKIPPED: this system does not say how much memory it has");
            return;
        }
        let error = ensure(Path::new("x.el"), 5_000_000_000, 1 << 60).unwrap_err();
        let GraphError::OutOfMemory { needed, available, .. } = error else { panic!("{error}") };
        assert_eq!(needed, 1 << 60);
        assert!(available > 5_000_000_000);
        assert!(
            error.to_string().starts_with("x.el: reading it takes at least 1152921504.607 GB"),
            "{error}"
        );
    }
}
