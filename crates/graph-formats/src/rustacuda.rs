//! RustaCUDA may copy this crate's plain data to and from a device.
//!
//! Vertices, offsets and weights are primitive numbers, for which `rustacuda_core` has
//! `DeviceCopy`: the slices of a [`Csr`](crate::Csr) upload as they are. This file adds the two
//! plain enums that a kernel's parameters may hold.

use rustacuda_core::DeviceCopy;

use crate::{Direction, WeightKind};

// SAFETY: an enum without fields is an integer: no reference, no pointer, no `Drop`.
unsafe impl DeviceCopy for Direction {}
// SAFETY: as for `Direction`.
unsafe impl DeviceCopy for WeightKind {}
