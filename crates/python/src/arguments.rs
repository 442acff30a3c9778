//! Arguments of Python that are counts. An error names the argument, and what it can be.

use std::num::NonZeroUsize;

use pyo3::conversion::FromPyObjectOwned;
use pyo3::prelude::*;

use crate::error::Error;

/// The number of threads, at most.
pub(crate) fn threads(given: &Bound<'_, PyAny>) -> PyResult<Option<NonZeroUsize>> {
    let expected = "a whole number above zero, or None for all threads";
    optional(given, |given| whole(given, "threads", expected))
}

/// The number of GPUs that share a graph.
pub(crate) fn gpus(given: &Bound<'_, PyAny>) -> PyResult<Option<NonZeroUsize>> {
    let expected = "a whole number above zero, or None for a GPU that has the whole graph";
    optional(given, |given| whole(given, "gpus", expected))
}

/// The number of sources to draw.
pub(crate) fn sample(given: &Bound<'_, PyAny>) -> PyResult<Option<NonZeroUsize>> {
    let expected = "a whole number above zero, or None for all vertices";
    optional(given, |given| whole(given, "sample", expected))
}

pub(crate) fn n_vertices(given: &Bound<'_, PyAny>) -> PyResult<Option<usize>> {
    let expected = "a whole number of at least zero, or None for as many as the arcs need";
    optional(given, |given| whole(given, "n_vertices", expected))
}

/// The number of paths.
pub(crate) fn k(given: &Bound<'_, PyAny>) -> PyResult<usize> {
    whole(given, "k", "a whole number of at least zero")
}

/// The expected number of searches.
pub(crate) fn searches(given: &Bound<'_, PyAny>) -> PyResult<usize> {
    whole(given, "searches", "a whole number of at least zero")
}

pub(crate) fn seed(given: &Bound<'_, PyAny>) -> PyResult<u64> {
    whole(given, "seed", "a whole number from 0 to 2**64 - 1")
}

fn optional<'py, T>(
    given: &Bound<'py, PyAny>,
    one: impl FnOnce(&Bound<'py, PyAny>) -> PyResult<T>,
) -> PyResult<Option<T>> {
    if given.is_none() { Ok(None) } else { one(given).map(Some) }
}

fn whole<'py, T: FromPyObjectOwned<'py>>(
    given: &Bound<'py, PyAny>,
    name: &str,
    expected: &str,
) -> PyResult<T> {
    given.extract().or_else(|_| {
        let found = given.repr()?;
        Err(Error::argument(format!("{name} is {found}; expected {expected}")).into())
    })
}
