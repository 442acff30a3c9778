//! Kernels by name and weight type, and cooperative launches. The CPU times a launch, reads its
//! progress, and may end it.
//!
//! The device's part is in `kernels/common/watch.cuh`.

use std::fmt::Display;
use std::ops::ControlFlow;
use std::sync::atomic::Ordering::Relaxed;
use std::thread;
use std::time::{Duration, Instant};

use bytemuck::Pod;
use gpu_runtime::{Arg, Buffer, Gpu, GpuError, Kernel, LaunchConfig, Mailbox, Ptx, Timer};
use graph_formats::Interrupted;
use kernels::Module;

use crate::SearchError;

/// Threads of a block of [`all_threads`].
const BLOCK: u32 = 256;
/// Blocks of [`all_threads`] on each multiprocessor.
const BLOCKS: u32 = 8;

/// The longest pause between two checks of a running search.
const MAX_PAUSE: Duration = Duration::from_millis(20);

/// The time for which a search is checked without a pause: most searches end before.
const BUSY_TIME: Duration = Duration::from_millis(4);

/// Arcs of a graph on a device: kernels number arcs with 32 bits, and their loops step beyond the
/// last arc by less than the difference.
const MAX_ARCS: usize = (u32::MAX - (1 << 16)) as usize;

/// Vertices or targets of a search on a device: loops over them step by up to the number of
/// threads.
pub const MAX_VERTICES: usize = (u32::MAX - (1 << 20)) as usize;

/// Edges of one launch, a thread each: their number must fit an unsigned 32-bit integer.
pub const EDGES_PER_LAUNCH: usize = 1 << 31;

/// The code for "no vertex", for a search without a target.
pub const NO_VERTEX: u32 = u32::MAX;

/// Checks that a device can search a graph of this size.
///
/// # Errors
/// [`SearchError::NotOnGpu`] for too many vertices or arcs.
pub fn check_size(n_vertices: usize, n_arcs: usize) -> Result<(), SearchError> {
    for (n, max, what) in [(n_vertices, MAX_VERTICES, "vertices"), (n_arcs, MAX_ARCS, "arcs")] {
        if n > max {
            let reason = format!("it supports up to {max} {what}, and this graph has {n}");
            return Err(SearchError::NotOnGpu { reason });
        }
    }
    Ok(())
}

/// The shape of a cooperative launch with grid barriers: blocks of 512 threads, two a
/// multiprocessor, which are resident at once on every device.
pub fn two_blocks_each(gpu: &Gpu) -> LaunchConfig {
    let shape = LaunchConfig::new(2 * gpu.properties().multiprocessors, 512);
    LaunchConfig { cooperative: true, ..shape }
}

/// The shape of a launch that keeps the device busy.
pub fn all_threads(gpu: &Gpu) -> LaunchConfig {
    LaunchConfig::new(gpu.properties().multiprocessors * BLOCKS, BLOCK)
}

/// The shape of a launch with a thread for each of `n` elements.
pub fn a_thread_each(n: usize) -> LaunchConfig {
    LaunchConfig::covering(n as u64, BLOCK)
}

/// The number of elements of a buffer, below 2^32, as kernels take it.
pub fn length<T>(buffer: &Buffer<T>) -> u32 {
    buffer.len() as u32
}

/// Milliseconds since `since`.
pub fn milliseconds(since: Instant) -> f64 {
    since.elapsed().as_secs_f64() * 1e3
}

/// The kernels of a module for one type of weights and keys; their names end with the type.
pub struct Kernels<'a> {
    gpu: &'a Gpu,
    ptx: Ptx,
    suffix: String,
}

impl<'a> Kernels<'a> {
    /// The kernels for `kind`; `modules` has one module for each supported type.
    ///
    /// # Errors
    /// [`SearchError::NotOnGpu`] if no module is for `kind`.
    pub fn of(gpu: &'a Gpu, modules: &[Module], kind: impl Display) -> Result<Self, SearchError> {
        let suffix = format!("_{kind}");
        let Some(module) = modules.iter().find(|module| module.name.ends_with(&suffix)) else {
            let known = modules.iter().filter_map(|module| module.name.rsplit('_').next());
            let known = known.collect::<Vec<_>>().join(", ");
            let reason = format!(
                "this algorithm supports weights of type {known}, and these are {kind}; solve on \
                 the CPU, or use delta-stepping if no weight is negative"
            );
            return Err(SearchError::NotOnGpu { reason });
        };
        Ok(Self { gpu, ptx: Ptx::new(module.name, module.ptx), suffix })
    }

    /// The kernel whose name without the type is `name`.
    ///
    /// # Errors
    /// If the module cannot be loaded or has no such kernel.
    pub fn get(&self, name: &str) -> Result<Kernel, GpuError> {
        self.gpu.kernel(&self.ptx, &format!("{name}{}", self.suffix))
    }
}

/// A cooperative kernel that searches, a timer, and two words that CPU and device share: whether
/// the search must end, and its number of steps.
pub struct Launch {
    /// The GPU.
    pub gpu: Gpu,
    /// The kernel.
    pub kernel: Kernel,
    /// The blocks and threads.
    pub shape: LaunchConfig,
    timer: Timer,
    mailbox: Mailbox,
}

impl Launch {
    /// A launch of `blocks` blocks of `threads` threads. Blocks wait for one another, so all must
    /// be resident at once, or the kernel never ends; one a multiprocessor always fits.
    ///
    /// # Errors
    /// Where the device fails.
    pub fn new(gpu: &Gpu, kernel: Kernel, blocks: u32, threads: u32) -> Result<Self, GpuError> {
        let shape = LaunchConfig { cooperative: true, ..LaunchConfig::new(blocks, threads) };
        let (timer, mailbox) = (gpu.timer()?, gpu.mailbox(2)?);
        Ok(Self { gpu: gpu.clone(), kernel, shape, timer, mailbox })
    }

    /// Starts the timer. Returns the address of the shared words for the kernel, or 0 without a
    /// progress callback.
    pub fn start(&self, has_progress: bool) -> Result<u64, GpuError> {
        self.mailbox.iter().for_each(|word| word.store(0, Relaxed));
        let address = if has_progress { self.mailbox.address()? } else { 0 };
        self.timer.start()?;
        Ok(address)
    }

    /// Queues the kernel with these parameters.
    ///
    /// # Safety
    /// The kernel must read and write only inside buffers of the launch's GPU, and these must live
    /// until [`Self::wait`] has returned.
    pub unsafe fn queue<P: Pod>(&self, parameters: &P) -> Result<(), GpuError> {
        // SAFETY: the caller guarantees what the addresses in the parameters point to.
        unsafe { self.gpu.launch(&self.kernel, self.shape, &[Arg::structure(parameters)]) }
    }

    /// Waits for the queued kernel. Returns the milliseconds since the start. Meanwhile passes the
    /// number of steps to `report`, which may end the search and then is not called any more.
    pub fn wait(
        &self,
        report: Option<impl Fn(u64) -> ControlFlow<()>>,
    ) -> Result<f64, SearchError> {
        self.timer.stop()?;
        let [stop, steps] = &self.mailbox[..] else { unreachable!("it has two words") };
        let start = Instant::now();
        let mut ended = false;
        if let Some(report) = report {
            let _ending = EndOnPanic(self);
            while !self.timer.is_done()? {
                ended = ended || report(u64::from(steps.load(Relaxed))).is_break();
                stop.store(ended.into(), Relaxed);
                // a pause is a small part of the elapsed time, and takes at least 50 µs
                match start.elapsed() {
                    at_first if at_first < BUSY_TIME => thread::yield_now(),
                    elapsed => thread::sleep((elapsed / 64).min(MAX_PAUSE)),
                }
            }
        }
        let ms = self.timer.elapsed_ms()?;
        if ended { Err(Interrupted.into()) } else { Ok(ms) }
    }
}

/// Ends the kernel before a panic of the callback unwinds: unwinding may free buffers that the
/// kernel writes.
struct EndOnPanic<'a>(&'a Launch);

impl Drop for EndOnPanic<'_> {
    fn drop(&mut self) {
        if thread::panicking() {
            self.0.mailbox[0].store(1, Relaxed);
            // a second error would hide the panic
            let _ = self.0.timer.elapsed_ms();
        }
    }
}
