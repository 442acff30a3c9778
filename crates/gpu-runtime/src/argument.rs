//! What is passed to a kernel.

use std::marker::PhantomData;

use crate::{Buffer, Pod};

/// An argument of a launch: a number, a buffer's address, or a structure.
///
/// Made with [`From`] or [`Arg::structure`]. A launch compares its size with what the kernel
/// declares; an `i32` passed for an `f32` goes unnoticed, so write the types out.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(not(feature = "cuda"), expect(dead_code, reason = "no launch reads it"))]
pub struct Arg<'a> {
    value: Value<'a>,
    /// Which stream a buffer belongs to.
    pub(crate) stream: Option<usize>,
}

#[derive(Clone, Copy, Debug)]
enum Value<'a> {
    /// The first `size` of `bytes`, as they lie in memory.
    Number {
        bytes: [u8; 8],
        size: usize,
    },
    /// The address of a buffer that lives at least until the launch.
    Address {
        bytes: [u8; 8],
        _buffer: PhantomData<&'a ()>,
    },
    Structure(&'a [u8]),
}

impl<'a> Arg<'a> {
    /// A structure that the kernel takes by value, laid out as in C: `#[repr(C)]`, with the
    /// [addresses](Buffer::address) of buffers for its pointers. The caller must ensure that these
    /// buffers belong to the launch's GPU.
    pub fn structure<T: Pod>(value: &'a T) -> Self {
        Self { value: Value::Structure(bytemuck::bytes_of(value)), stream: None }
    }

    fn number(number: &[u8]) -> Self {
        let mut bytes = [0; 8];
        bytes[..number.len()].copy_from_slice(number);
        Self { value: Value::Number { bytes, size: number.len() }, stream: None }
    }

    /// The argument as it lies in memory.
    #[cfg_attr(not(any(feature = "cuda", test)), expect(dead_code, reason = "no launch reads it"))]
    pub(crate) fn bytes(&self) -> &[u8] {
        match &self.value {
            Value::Number { bytes, size } => &bytes[..*size],
            Value::Address { bytes, .. } => bytes,
            Value::Structure(bytes) => bytes,
        }
    }
}

impl<'a, T: Pod> From<&'a Buffer<T>> for Arg<'a> {
    fn from(buffer: &'a Buffer<T>) -> Self {
        let bytes = buffer.address().to_ne_bytes();
        Self {
            value: Value::Address { bytes, _buffer: PhantomData },
            stream: Some(buffer.stream()),
        }
    }
}

macro_rules! from_numbers {
    ($($number:ty)*) => {$(
        impl From<$number> for Arg<'_> {
            fn from(value: $number) -> Self {
                Self::number(&value.to_ne_bytes())
            }
        }
    )*};
}

from_numbers!(u32 i32 u64 i64 f32 f64);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_keep_their_bits_and_sizes() {
        assert_eq!(Arg::from(7u32).bytes(), 7u32.to_ne_bytes());
        assert_eq!(Arg::from(-1i32).bytes(), [0xff; 4]);
        assert_eq!(Arg::from(1.5f32).bytes(), 1.5f32.to_ne_bytes());
        assert_eq!(Arg::from(2.5f64).bytes(), 2.5f64.to_ne_bytes());
        assert_eq!(Arg::from(u64::MAX).bytes(), [0xff; 8]);
        assert_eq!(Arg::structure(&[1u32, 2, 3]).bytes(), bytemuck::bytes_of(&[1u32, 2, 3]));
    }
}
