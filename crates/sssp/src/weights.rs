//! The weight types that searches take.

use k_paths::PathWeight;
use published::FormWeight;

/// A weight type of all crates with searches. The trait cannot be named outside of this crate, so
/// that it is sealed.
pub trait SearchKeys: FormWeight + PathWeight {}

impl<W: FormWeight + PathWeight> SearchKeys for W {}
