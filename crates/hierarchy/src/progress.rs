//! How far work is, and its end.

use paths::Progress;

use crate::HierarchyError;

/// Tells how much is done; an error where the callback ends the work.
pub(crate) fn tell(
    progress: Option<Progress<'_>>,
    done: usize,
    total: usize,
) -> Result<(), HierarchyError> {
    match progress {
        Some(progress) if progress(done as u64, total as u64).is_break() => {
            Err(HierarchyError::Interrupted)
        }
        _ => Ok(()),
    }
}
