//! The errors of many formats.

use std::path::Path;

use crate::GraphError;

/// A file that holds no graph, and why.
pub(super) fn malformed(path: &Path, message: String) -> GraphError {
    GraphError::Malformed { path: path.to_path_buf(), message }
}

/// A graph that the format of a file cannot hold, and why.
pub(super) fn unrepresentable(path: &Path, message: impl Into<String>) -> GraphError {
    GraphError::NotRepresentable { path: path.to_path_buf(), message: message.into() }
}
