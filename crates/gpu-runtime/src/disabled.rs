//! The twin of `cuda/` in a build without it: the same names and signatures, and no GPU.
//!
//! No value of these types exists, so that nothing here ever runs but [`Gpu::open`]. What
//! the methods do where there is a GPU is documented there (`cargo doc --features cuda`).
//! That the signatures agree is checked by all code that uses them, which is built both ways.

#![expect(missing_docs, unused_variables, reason = "only the signatures count")]
#![expect(clippy::missing_errors_doc, clippy::missing_safety_doc, reason = "nothing is called")]

use std::convert::Infallible;
use std::marker::PhantomData;
use std::ops::{Deref, DerefMut, Range};
use std::sync::atomic::AtomicU32;

use crate::{Arg, DeviceProperties, GpuError, KernelAttributes, LaunchConfig, Pod, Priority, Ptx};

/// Types without values. Dropping one counts as work, as dropping its twin does.
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

/// Methods that are not called, for there is nothing to call them on.
macro_rules! methods {
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

    /// Opens the GPU with this number: [`GpuError::NotCompiled`], always.
    pub fn open_ordinal(ordinal: u32) -> Result<Self> {
        Err(GpuError::NotCompiled)
    }

    methods! {
        fn properties(&self) -> &DeviceProperties;
        fn with_memory_cap(&self, bytes: u64) -> Self;
        fn available_bytes(&self) -> Result<u64>;
        fn check_fits(&self, what: &'static str, required: u64) -> Result<()>;
        fn buffer<T>(&self, len: usize) -> Result<Buffer<T>>;
        fn upload<T>(&self, values: &[T]) -> Result<Buffer<T>>;
        fn pinned<T>(&self, len: usize) -> Result<PinnedBuffer<T>>;
        fn mailbox(&self, len: usize) -> Result<Mailbox>;
        fn kernel(&self, module: &Ptx, name: &str) -> Result<Kernel>;
        unsafe fn launch(&self, kernel: &Kernel, config: LaunchConfig, args: &[Arg<'_>]) -> Result<()>;
        fn synchronize(&self) -> Result<()>;
        fn new_stream(&self, priority: Priority) -> Result<Self>;
        fn event(&self) -> Result<Event>;
        fn wait_for(&self, event: &Event) -> Result<()>;
        unsafe fn queue_upload<T>(
            &self, source: &PinnedBuffer<T>, range: Range<usize>, target: &Buffer<T>, at: usize
        ) -> Result<()>;
        unsafe fn queue_download<T>(
            &self, source: &Buffer<T>, range: Range<usize>, target: &mut PinnedBuffer<T>, at: usize
        ) -> Result<()>;
        fn timer(&self) -> Result<Timer>;
        fn jit_ms(&self) -> f64;
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
    methods! {
        fn address(&self) -> u64;
        fn len(&self) -> usize;
        fn is_empty(&self) -> bool;
        fn bytes(&self) -> u64;
    }

    pub(crate) fn stream(&self) -> usize {
        match self.never {}
    }
}

impl<T: Pod> Buffer<T> {
    methods! {
        fn cast<U>(self) -> Buffer<U>;
        fn upload(&mut self, values: &[T]) -> Result<()>;
        fn download(&self) -> Result<Vec<T>>;
        fn download_range(&self, range: Range<usize>) -> Result<Vec<T>>;
        fn download_into(&self, values: &mut [T]) -> Result<()>;
        fn fill_bytes(&mut self, byte: u8) -> Result<()>;
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

impl Mailbox {
    methods! { fn address(&self) -> Result<u64>; }
}

impl Deref for Mailbox {
    type Target = [AtomicU32];

    fn deref(&self) -> &[AtomicU32] {
        match self.never {}
    }
}

impl Kernel {
    methods! {
        fn name(&self) -> &'static str;
        fn attributes(&self) -> Result<KernelAttributes>;
        fn occupancy(&self, block: u32, shared_bytes: u32) -> Result<u32>;
        fn allow_shared(&self, bytes: u32) -> Result<()>;
    }
}

impl Event {
    methods! {
        fn record(&self, gpu: &Gpu) -> Result<()>;
        fn wait(&self) -> Result<()>;
    }
}

impl Timer {
    methods! {
        fn start(&self) -> Result<()>;
        fn stop(&self) -> Result<()>;
        fn is_done(&self) -> Result<bool>;
        fn elapsed_ms(&self) -> Result<f64>;
    }
}
