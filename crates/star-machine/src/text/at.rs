//! Places of a text, and what is wrong there.

use std::fmt;

/// A place in a text, in lines and columns from 1 on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct At {
    /// The line.
    pub line: u32,
    /// The character of it.
    pub column: u32,
}

/// What is wrong with a text, and where.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}:{}: {what}", at.line, at.column)]
pub struct TextError {
    /// Where.
    pub at: At,
    what: String,
}

impl TextError {
    pub(super) fn at(at: At, what: impl Into<String>) -> Self {
        Self { at, what: what.into() }
    }
}

impl At {
    /// That something is wrong here.
    pub(super) fn wrong<T>(self, what: impl Into<String>) -> Result<T, TextError> {
        Err(TextError::at(self, what))
    }
}

impl fmt::Display for At {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.line, self.column)
    }
}
