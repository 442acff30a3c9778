//! The one crate through which the others reach a GPU: memory, kernels, launches, timers.
//!
//! It knows nothing of graphs, and no type of the library beneath it shows: whoever
//! replaces that library replaces the folder `cuda/` and nothing else.
//!
//! A [`Gpu`] is an opened device with one stream, on which everything that is asked of it
//! happens in order. What is made from it ([`Buffer`], [`PinnedBuffer`], [`Mailbox`],
//! [`Kernel`], [`Timer`]) keeps it open, so that nothing has to be dropped in a certain
//! order. All of them may be used from any thread.
//!
//! The Cargo feature `cuda`, off by default, decides whether there is one. Without it
//! all names are there and [`Gpu::open`] answers [`GpuError::NotCompiled`]. With it, on a
//! machine without a driver, `Gpu::open` answers [`GpuError::NoDriver`].
//!
//! ```
//! use gpu_runtime::{Gpu, GpuError};
//!
//! match Gpu::open() {
//!     Ok(gpu) => {
//!         let squares = gpu.upload(&[1u32, 4, 9])?;
//!         assert_eq!(squares.download()?, [1, 4, 9]);
//!         println!("{}: {} bytes free", gpu.properties().name, gpu.available_bytes()?);
//!     }
//!     Err(reason) => println!("no GPU: {reason}"),
//! }
//! # Ok::<(), GpuError>(())
//! ```

mod argument;
mod error;
mod interface;
mod launch_config;
mod named;
mod properties;
mod ptx;
mod rectangle;
pub mod schedule;

#[cfg(feature = "cuda")]
mod cuda;
#[cfg(feature = "cuda")]
pub use cuda::{Buffer, Event, Gpu, KeptContext, Kernel, Mailbox, PinnedBuffer, Timer};

#[cfg(not(feature = "cuda"))]
mod disabled;
#[cfg(not(feature = "cuda"))]
pub use disabled::{Buffer, Event, Gpu, KeptContext, Kernel, Mailbox, PinnedBuffer, Timer};

pub use argument::Arg;
/// What a buffer may hold: values of any bits, without padding, and without pointers.
pub use bytemuck::Pod;
pub use error::GpuError;
pub use launch_config::{LaunchConfig, Priority};
pub use properties::{DeviceProperties, KernelAttributes};
pub use ptx::Ptx;
pub use rectangle::Rectangle;

// The example of the README is a test too.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
