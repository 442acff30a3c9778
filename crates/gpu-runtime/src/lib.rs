//! The one crate through which the others reach a GPU.
//!
//! It knows nothing of graphs. This version is the disabled twin of a runtime: it has
//! the door, [`Gpu::open`], which always answers that there is no GPU support in this
//! build, so that callers can be written, and tested, against the answer.

use std::convert::Infallible;

/// An opened GPU. No value of it exists in this build: see [`Gpu::open`].
#[derive(Debug)]
pub struct Gpu {
    _never: Infallible,
}

/// Why there is no GPU to work on.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum GpuError {
    /// The program was built without GPU support.
    #[error("this build has no GPU support")]
    NotCompiled,
}

impl Gpu {
    /// Opens the first GPU.
    ///
    /// # Errors
    /// [`GpuError::NotCompiled`], always.
    ///
    /// ```
    /// use gpu_runtime::{Gpu, GpuError};
    ///
    /// assert_eq!(Gpu::open().unwrap_err(), GpuError::NotCompiled);
    /// ```
    pub fn open() -> Result<Self, GpuError> {
        Err(GpuError::NotCompiled)
    }
}

// The example of the README is a test too.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
