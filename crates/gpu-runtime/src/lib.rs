//! The only crate that calls the CUDA driver: memory, kernels, launches, timers.
//!
//! It is independent of graphs and exposes no type of the library beneath it: to replace that
//! library is to replace the folder `cuda/`.
//!
//! A [`Gpu`] is an opened device with one stream, which runs all its work in order. What is made
//! from it ([`Buffer`], [`PinnedBuffer`], [`Mailbox`], [`Kernel`], [`Timer`]) keeps it open, so
//! that values can be dropped in any order. All of them may be used from any thread.
//!
//! The Cargo feature `cuda`, off by default, decides whether there is one. Without it all names
//! exist, and [`Gpu::open`] returns [`GpuError::NotCompiled`]. With it, on a machine without a
//! driver, `Gpu::open` returns [`GpuError::NoDriver`].
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
//!
//! Depends on no other crate of the workspace.

mod argument;
mod error;
mod interface;
mod launch_config;
mod named;
mod properties;
mod ptx;
mod rectangle;

#[cfg(feature = "cuda")]
mod cuda;
#[cfg(feature = "cuda")]
pub use cuda::{Buffer, Event, Gpu, KeptContext, Kernel, Mailbox, PinnedBuffer, Timer};

#[cfg(not(feature = "cuda"))]
mod disabled;
#[cfg(not(feature = "cuda"))]
pub use disabled::{Buffer, Event, Gpu, KeptContext, Kernel, Mailbox, PinnedBuffer, Timer};

pub use argument::Arg;
/// The elements of a buffer: types for which any bits are a value, without padding or pointers.
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
