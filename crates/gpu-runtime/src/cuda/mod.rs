//! The parts of the runtime that reach the CUDA driver.
//!
//! From top to bottom: a [`Gpu`] is a stream and a memory budget over a [`Context`], the process's
//! one context of a device with the modules loaded into it. Everything made from a `Gpu` owns a
//! clone of it. Each entry point makes the context current on its thread first, as the driver
//! requires.
//!
//! [`Context`]: context::Context

mod budget;
mod buffer;
mod context;
mod foreign;
mod gpu;
mod launch;
mod mailbox;
mod module;
mod pinned;
mod properties;
mod signature;
mod status;
mod streams;
mod timer;
mod transfer;

use std::ffi::c_void;
use std::ops::Range;

use crate::interface::interface;
use crate::{Arg, DeviceProperties, KernelAttributes, LaunchConfig, Pod, Priority, Ptx, Rectangle};

pub use buffer::Buffer;
pub use foreign::KeptContext;
pub use gpu::Gpu;
pub use launch::Kernel;
pub use mailbox::Mailbox;
pub use pinned::PinnedBuffer;
pub use streams::Event;
pub use timer::Timer;

type Result<T> = std::result::Result<T, crate::GpuError>;

/// Checks that a type has these methods, by functions that call them and are never called.
macro_rules! are_there {
    (($this:ty) [$($of:tt)*] $type:ty {
        $name:ident [$($u:ident)?] ($(, $arg:ident: $of_arg:ty)*) -> $result:ty; $($rest:tt)*
    }) => {
        const _: () = {
            #[allow(dead_code, unused_unsafe)]
            fn call<$($of)* $($u: Pod)?>(this: $this $(, $arg: $of_arg)*) -> $result {
                // SAFETY: it is not called.
                unsafe { this.$name($($arg),*) }
            }
        };
        are_there! { [$($of)*] $type { $($rest)* } }
    };
    ([$($of:tt)*] $type:ty {}) => {};
    ([$($of:tt)*] $type:ty { unsafe $($rest:tt)* }) => {
        are_there! { [$($of)*] $type { $($rest)* } }
    };
    ($of:tt $type:ty { fn $name:ident $(<$u:ident>)? (&self $($args:tt)*) $($rest:tt)* }) => {
        are_there! { (&$type) $of $type { $name [$($u)?] ($($args)*) $($rest)* } }
    };
    ($of:tt $type:ty { fn $name:ident $(<$u:ident>)? (&mut self $($args:tt)*) $($rest:tt)* }) => {
        are_there! { (&mut $type) $of $type { $name [$($u)?] ($($args)*) $($rest)* } }
    };
    ($of:tt $type:ty { fn $name:ident $(<$u:ident>)? (self $($args:tt)*) $($rest:tt)* }) => {
        are_there! { ($type) $of $type { $name [$($u)?] ($($args)*) $($rest)* } }
    };
}
interface!(are_there);
