//! Places in a text, and errors there.

use std::fmt;

/// A place in a text, in lines and columns from 1 on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct At {
    /// The line.
    pub line: u32,
    /// The column.
    pub column: u32,
}

/// An error in a text, with its place.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}:{}: {what}", at.line, at.column)]
pub struct TextError {
    /// The place.
    pub at: At,
    what: String,
}

impl TextError {
    pub(super) fn at(at: At, what: impl Into<String>) -> Self {
        Self { at, what: what.into() }
    }
}

impl At {
    /// An error at this place.
    pub(super) fn wrong<T>(self, what: impl Into<String>) -> Result<T, TextError> {
        Err(TextError::at(self, what))
    }
}

impl fmt::Display for At {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.line, self.column)
    }
}
