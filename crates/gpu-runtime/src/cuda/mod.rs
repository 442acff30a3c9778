//! The parts of the runtime that reach the CUDA driver.
//!
//! From top to bottom: a [`Gpu`] is a stream and a memory budget over a [`Context`], the
//! process's one context of a device with the modules loaded into it. Everything made
//! from a `Gpu` owns a clone of it. Each entry makes the context current on its thread
//! first, as the driver asks for.
//!
//! [`Context`]: context::Context

mod budget;
mod buffer;
mod context;
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

pub use buffer::Buffer;
pub use gpu::Gpu;
pub use launch::Kernel;
pub use mailbox::Mailbox;
pub use pinned::PinnedBuffer;
pub use streams::Event;
pub use timer::Timer;
