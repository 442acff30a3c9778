//! Distances as arrays of numpy.

use std::any::Any;
use std::fmt::{self, Display};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use bytemuck::{NoUninit, allocation};
use graph_formats::{Distance, Weight};
use numpy::PyArrayDescrMethods;
use numpy::{Element, IntoPyArray, PyArray1, PyArrayDescr, PyArrayMethods, dtype};
use paths::{AnyDistances, with_distances};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use rayon::prelude::*;

use crate::error::Error;

/// Below this a float of 64 bits has all whole numbers, and above it rounds to them.
const MAX_EXACT: f64 = (1u64 << f64::MANTISSA_DIGITS) as f64;

/// Numbers that a thread converts at a time.
const CHUNK: usize = 1 << 14;

/// A type that distances are asked for in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Dtype {
    Float64,
    Float32,
    Int64,
    Int32,
    UInt64,
    UInt32,
}

/// Runs `$body` with `$type` for the type asked for.
macro_rules! with_dtype {
    ($dtype:expr, $type:ident, $body:expr) => {
        match $dtype {
            $crate::numbers::Dtype::Float64 => {
                type $type = f64;
                $body
            }
            $crate::numbers::Dtype::Float32 => {
                type $type = f32;
                $body
            }
            $crate::numbers::Dtype::Int64 => {
                type $type = i64;
                $body
            }
            $crate::numbers::Dtype::Int32 => {
                type $type = i32;
                $body
            }
            $crate::numbers::Dtype::UInt64 => {
                type $type = u64;
                $body
            }
            $crate::numbers::Dtype::UInt32 => {
                type $type = u32;
                $body
            }
        }
    };
}
pub(crate) use with_dtype;

impl Display for Dtype {
    /// NumPy's name of the type.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Float64 => "float64",
            Self::Float32 => "float32",
            Self::Int64 => "int64",
            Self::Int32 => "int32",
            Self::UInt64 => "uint64",
            Self::UInt32 => "uint32",
        })
    }
}

impl Dtype {
    /// What numpy takes `argument` for; 64 bits of float where there is none.
    pub(crate) fn of(py: Python<'_>, argument: Option<&Bound<'_, PyAny>>) -> Result<Self, Error> {
        let Some(argument) = argument else { return Ok(Self::Float64) };
        let asked = PyArrayDescr::new(py, argument)?;
        let known = [
            (dtype::<f64>(py), Self::Float64),
            (dtype::<f32>(py), Self::Float32),
            (dtype::<i64>(py), Self::Int64),
            (dtype::<i32>(py), Self::Int32),
            (dtype::<u64>(py), Self::UInt64),
            (dtype::<u32>(py), Self::UInt32),
        ];
        let found = known.into_iter().find(|(known, _)| known.is_equiv_to(&asked));
        found.map(|(_, dtype)| dtype).ok_or_else(|| {
            Error::argument(format!(
                "dtype is {asked}; expected an integer or a float of 32 or 64 bits"
            ))
        })
    }
}

impl Dtype {
    /// Bytes that a distance in this type takes besides one of `size` bytes. These are its own
    /// bytes if it is converted, and its place in a mask.
    pub(crate) fn besides(self, size: usize) -> usize {
        let (own, mask) = match self {
            Self::Float64 => (8, 0),
            Self::Float32 => (4, 0),
            Self::Int64 | Self::UInt64 => (8, 1),
            Self::Int32 | Self::UInt32 => (4, 1),
        };
        if own == size { mask } else { own + mask }
    }
}

/// Distances, row by row: floats where unreached is infinity, or integers and which of them are
/// none.
pub(crate) enum Numbers {
    Float64(Vec<f64>),
    Float32(Vec<f32>),
    Int64(Vec<i64>, Vec<bool>),
    Int32(Vec<i32>, Vec<bool>),
    UInt64(Vec<u64>, Vec<bool>),
    UInt32(Vec<u32>, Vec<bool>),
}

impl Numbers {
    /// The same distances in the type that is asked for. O(n), in parallel, and in the same memory
    /// where both have the same size.
    ///
    /// # Errors
    /// When that type does not have one of them exactly; only floats of 32 bits may be rounded,
    /// which a caller who names that type accepts.
    pub(crate) fn of(distances: AnyDistances, dtype: Dtype) -> Result<Self, Error> {
        with_distances!(distances, |distances| Self::of_storage(distances.into_storage(), dtype))
    }

    fn of_storage<D: Distance>(distances: Vec<D>, dtype: Dtype) -> Result<Self, Error> {
        let mask = || mask_of(&distances);
        Ok(match dtype {
            Dtype::Float64 => Self::Float64(converted(distances, f64::INFINITY, dtype)?),
            Dtype::Float32 => Self::Float32(converted(distances, f32::INFINITY, dtype)?),
            Dtype::Int64 => {
                let mask = mask();
                Self::Int64(converted(distances, i64::MAX, dtype)?, mask)
            }
            Dtype::Int32 => {
                let mask = mask();
                Self::Int32(converted(distances, i32::MAX, dtype)?, mask)
            }
            Dtype::UInt64 => {
                let mask = mask();
                Self::UInt64(converted(distances, u64::MAX, dtype)?, mask)
            }
            Dtype::UInt32 => {
                let mask = mask();
                Self::UInt32(converted(distances, u32::MAX, dtype)?, mask)
            }
        })
    }

    /// The same numbers for an array without a mask, where the greatest integer stands for unreached.
    ///
    /// # Errors
    /// When a distance is that integer.
    pub(crate) fn without_mask(self) -> Result<Self, Error> {
        match &self {
            Self::Float64(_) | Self::Float32(_) => Ok(()),
            Self::Int64(numbers, mask) => told_apart(numbers, mask, i64::MAX),
            Self::Int32(numbers, mask) => told_apart(numbers, mask, i32::MAX),
            Self::UInt64(numbers, mask) => told_apart(numbers, mask, u64::MAX),
            Self::UInt32(numbers, mask) => told_apart(numbers, mask, u32::MAX),
        }?;
        Ok(self)
    }

    /// The array of this shape, masked where integers are unreached.
    pub(crate) fn into_array<'py>(
        self,
        py: Python<'py>,
        shape: &[usize],
    ) -> PyResult<Bound<'py, PyAny>> {
        match self {
            Self::Float64(numbers) => shaped(py, numbers, shape),
            Self::Float32(numbers) => shaped(py, numbers, shape),
            Self::Int64(numbers, mask) => masked(py, numbers, mask, shape),
            Self::Int32(numbers, mask) => masked(py, numbers, mask, shape),
            Self::UInt64(numbers, mask) => masked(py, numbers, mask, shape),
            Self::UInt32(numbers, mask) => masked(py, numbers, mask, shape),
        }
    }
}

/// Numbers, row by row, as an array of this shape, which gets their memory.
pub(crate) fn shaped<'py, T: Element>(
    py: Python<'py>,
    numbers: Vec<T>,
    shape: &[usize],
) -> PyResult<Bound<'py, PyAny>> {
    let array: Bound<'py, PyArray1<T>> = numbers.into_pyarray(py);
    if let [_] = shape { Ok(array.into_any()) } else { Ok(array.reshape(shape)?.into_any()) }
}

fn masked<'py, T: Element>(
    py: Python<'py>,
    numbers: Vec<T>,
    mask: Vec<bool>,
    shape: &[usize],
) -> PyResult<Bound<'py, PyAny>> {
    let arguments = PyDict::new(py);
    arguments.set_item("mask", shaped(py, mask, shape)?)?;
    arguments.set_item("copy", false)?;
    let numbers = shaped(py, numbers, shape)?;
    py.import("numpy.ma")?.call_method("MaskedArray", (numbers,), Some(&arguments))
}

/// An error where a number that is not masked is the greatest.
fn told_apart<T: PartialEq + Display>(
    numbers: &[T],
    mask: &[bool],
    greatest: T,
) -> Result<(), Error> {
    match numbers.iter().zip(mask).any(|(number, is_none)| *number == greatest && !is_none) {
        false => Ok(()),
        true => Err(Error::argument(format!(
            "a distance is {greatest}, which means no path; use another dtype"
        ))),
    }
}

/// Which distances are none.
fn mask_of<D: Distance>(distances: &[D]) -> Vec<bool> {
    let is_none = |&distance: &D| distance == D::UNREACHED;
    match distances.len() {
        ..=CHUNK => distances.iter().map(is_none).collect(),
        _ => distances.par_iter().with_min_len(CHUNK).map(is_none).collect(),
    }
}

/// The distances in another type, where `unreached` stands for none.
fn converted<D, T>(distances: Vec<D>, unreached: T, dtype: Dtype) -> Result<Vec<T>, Error>
where
    D: Distance,
    T: Weight + NoUninit,
{
    let mut distances = Some(distances);
    if let Some(same) = (&mut distances as &mut dyn Any).downcast_mut::<Option<Vec<T>>>() {
        return Ok(same.take().expect("just put there"));
    }
    let mut distances = distances.expect("taken only above");
    let is_exact = AtomicBool::new(true);
    let convert = |distance: D| {
        if distance == D::UNREACHED {
            return unreached;
        }
        number(distance).unwrap_or_else(|| {
            is_exact.store(false, Relaxed);
            unreached
        })
    };
    let numbers = if size_of::<D>() == size_of::<T>() {
        distances.par_chunks_mut(CHUNK).for_each(|chunk| {
            chunk.iter_mut().for_each(|d| *d = bytemuck::cast(convert(*d)));
        });
        allocation::cast_vec(distances)
    } else {
        let mut numbers = vec![T::ZERO; distances.len()];
        let pairs = numbers.par_chunks_mut(CHUNK).zip(distances.par_chunks(CHUNK));
        pairs.for_each(|(numbers, distances)| {
            numbers.iter_mut().zip(distances).for_each(|(number, &d)| *number = convert(d));
        });
        numbers
    };
    match is_exact.into_inner() {
        true => Ok(numbers),
        false => Err(Error::argument(format!(
            "{dtype} cannot hold all distances exactly; use another dtype"
        ))),
    }
}

/// The same number, if `T` has it.
fn number<D: Distance, T: Weight>(distance: D) -> Option<T> {
    let is_float = T::ZERO.to_i128().is_none();
    if is_float {
        let (value, is_whole) = (distance.to_f64(), D::ZERO.to_i128().is_some());
        return T::from_f64(value).filter(|_| !is_whole || value.abs() < MAX_EXACT);
    }
    distance.to_i128().map_or_else(|| T::from_f64(distance.to_f64()), T::from_i128)
}
