//! The twin of `cuda/` in a build without it: the same types, with the methods that
//! `interface.rs` lists for both, and no GPU.
//!
//! No value of these types exists, so that nothing here ever runs but [`Gpu::open`]. What
//! the methods do where there is a GPU is documented there (`cargo doc --features cuda`).

#![expect(missing_docs, unused_variables, reason = "only the signatures count")]
#![expect(clippy::missing_errors_doc, clippy::missing_safety_doc, reason = "nothing is called")]

use std::convert::Infallible;
use std::ffi::c_void;
use std::marker::PhantomData;
use std::ops::{Deref, DerefMut, Range};
use std::sync::atomic::AtomicU32;

use crate::interface::interface;
use crate::{
    Arg, DeviceProperties, GpuError, KernelAttributes, LaunchConfig, Pod, Priority, Ptx, Rectangle,
};

/// Types without values. They implement `Drop`, as their twins do.
macro_rules! types {
    ($($name:ident $(<$element:ident>)?)*) => {$(
        /// No value of it exists in a build without the feature `cuda`.
        #[derive(Debug)]
        pub struct $name $(<$element>)? {
            never: Infallible,
            $(element: PhantomData<$element>,)?
        }

        impl $(<$element>)? Drop for $name $(<$element>)? {
            fn drop(&mut self) {
                match self.never {}
            }
        }
    )*};
}

/// Methods that are not called, because their types have no values.
macro_rules! methods {
    ([$($of:tt)*] $type:ty { $($methods:tt)* }) => {
        impl<$($of)*> $type { methods! { $($methods)* } }
    };
    () => {};
    (unsafe fn $name:ident $(<$element:ident>)? ($($args:tt)*) -> $result:ty; $($rest:tt)*) => {
        pub unsafe fn $name $(<$element: Pod>)? ($($args)*) -> $result { unreachable!() }
        methods! { $($rest)* }
    };
    (fn $name:ident $(<$element:ident>)? ($($args:tt)*) -> $result:ty; $($rest:tt)*) => {
        pub fn $name $(<$element: Pod>)? ($($args)*) -> $result { unreachable!() }
        methods! { $($rest)* }
    };
}

type Result<T> = std::result::Result<T, GpuError>;

types! { Gpu Kernel Timer Event Mailbox Buffer<T> PinnedBuffer<T> }

impl Gpu {
    /// Opens the first GPU: [`GpuError::NotCompiled`], always.
    pub fn open() -> Result<Self> {
        Err(GpuError::NotCompiled)
    }

    /// How many GPUs there are: [`GpuError::NotCompiled`], always.
    pub fn count() -> Result<u32> {
        Err(GpuError::NotCompiled)
    }

    /// Opens the GPU with this number: [`GpuError::NotCompiled`], always.
    pub fn open_ordinal(ordinal: u32) -> Result<Self> {
        Err(GpuError::NotCompiled)
    }

    /// The number of the GPU in whose memory an address lies: [`GpuError::NotCompiled`], always.
    pub fn ordinal_at(address: u64) -> Result<u32> {
        Err(GpuError::NotCompiled)
    }
}

interface!(methods);

/// Keeps nothing, because nothing changes.
#[derive(Debug)]
pub struct KeptContext;

impl KeptContext {
    /// Does nothing.
    pub fn keep() -> Self {
        Self
    }
}

impl Clone for Gpu {
    fn clone(&self) -> Self {
        match self.never {}
    }
}

impl Clone for Kernel {
    fn clone(&self) -> Self {
        match self.never {}
    }
}

impl<T> Buffer<T> {
    pub(crate) fn stream(&self) -> usize {
        match self.never {}
    }
}

impl<T> Deref for PinnedBuffer<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        match self.never {}
    }
}

impl<T> DerefMut for PinnedBuffer<T> {
    fn deref_mut(&mut self) -> &mut [T] {
        match self.never {}
    }
}

impl Deref for Mailbox {
    type Target = [AtomicU32];

    fn deref(&self) -> &[AtomicU32] {
        match self.never {}
    }
}
