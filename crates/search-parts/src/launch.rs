//! Kernels, by name and type of weights, and searches that one cooperative kernel does: the
//! CPU times the launch, hears how far it is, and may end it.
//!
//! The kernels' side of that is `kernels/common/watch.cuh`.

use std::fmt::Display;
use std::ops::ControlFlow;
use std::sync::atomic::Ordering::Relaxed;
use std::thread;
use std::time::{Duration, Instant};

use bytemuck::Pod;
use gpu_runtime::{Arg, Buffer, Gpu, GpuError, Kernel, LaunchConfig, Mailbox, Ptx, Timer};
use kernels::Module;

use crate::SearchError;

/// Threads of a block of [`all_threads`], and blocks of a multiprocessor.
const BLOCK: u32 = 256;
const BLOCKS: u32 = 8;

/// The longest time between two looks at a search under way.
const LONGEST_PAUSE: Duration = Duration::from_millis(20);

/// How long a search is looked at without a pause: most are over then.
const AWAKE: Duration = Duration::from_millis(4);

/// Most arcs of a graph on a device: kernels number them with 32 bits, and their loops
/// step beyond the last one by less than what is left.
const MAX_ARCS: usize = (u32::MAX - (1 << 16)) as usize;

/// Most vertices, and targets: loops over them step by up to as many as there are threads.
pub const MAX_VERTICES: usize = (u32::MAX - (1 << 20)) as usize;

/// Edges of a launch: no more threads than numbers without a sign may count.
pub const EDGES_PER_LAUNCH: usize = 1 << 31;

/// No vertex, for a search that has no target.
pub const NO_VERTEX: u32 = u32::MAX;

/// That a device can search a graph of so many vertices and arcs.
///
/// # Errors
/// [`SearchError::NotOnGpu`] for too many.
pub fn check_size(n_vertices: usize, n_arcs: usize) -> Result<(), SearchError> {
    for (n, max, what) in [(n_vertices, MAX_VERTICES, "vertices"), (n_arcs, MAX_ARCS, "arcs")] {
        if n > max {
            let reason = format!("it takes up to {max} {what}, and this graph has {n}");
            return Err(SearchError::NotOnGpu { reason });
        }
    }
    Ok(())
}

/// The launch of a kernel whose blocks, of 512 threads, wait for one another: two of a
/// multiprocessor are resident at once on every device.
pub fn two_blocks_each(gpu: &Gpu) -> LaunchConfig {
    let shape = LaunchConfig::new(2 * gpu.properties().multiprocessors, 512);
    LaunchConfig { cooperative: true, ..shape }
}

/// The launch of as many threads as keep the device busy.
pub fn all_threads(gpu: &Gpu) -> LaunchConfig {
    LaunchConfig::new(gpu.properties().multiprocessors * BLOCKS, BLOCK)
}

/// A launch of a thread for each of so many elements.
pub fn a_thread_each(n: usize) -> LaunchConfig {
    LaunchConfig::covering(n as u64, BLOCK)
}

/// How many elements, as kernels take it, of a buffer of fewer than 2^32.
pub fn length<T>(buffer: &Buffer<T>) -> u32 {
    buffer.len() as u32
}

/// Milliseconds since then.
pub fn milliseconds(since: Instant) -> f64 {
    since.elapsed().as_secs_f64() * 1e3
}

/// The kernels of a module for one kind of weights and keys, with which their names end.
pub struct Kernels<'a> {
    gpu: &'a Gpu,
    ptx: Ptx,
    suffix: String,
}

impl<'a> Kernels<'a> {
    /// Those of the one of `modules`, each for another kind, that is for `kind`.
    ///
    /// # Errors
    /// [`SearchError::NotOnGpu`] where none is.
    pub fn of(gpu: &'a Gpu, modules: &[Module], kind: impl Display) -> Result<Self, SearchError> {
        let suffix = format!("_{kind}");
        let Some(module) = modules.iter().find(|module| module.name.ends_with(&suffix)) else {
            let known = modules.iter().filter_map(|module| module.name.rsplit('_').next());
            let known = known.collect::<Vec<_>>().join(", ");
            let reason = format!(
                "this algorithm takes weights of type {known} there, and these are {kind}; take \
                 delta-stepping, or solve on the CPU"
            );
            return Err(SearchError::NotOnGpu { reason });
        };
        Ok(Self { gpu, ptx: Ptx::new(module.name, module.ptx), suffix })
    }

    /// The kernel whose name begins like this.
    ///
    /// # Errors
    /// Where the module cannot be loaded, or has no such kernel.
    pub fn get(&self, name: &str) -> Result<Kernel, GpuError> {
        self.gpu.kernel(&self.ptx, &format!("{name}{}", self.suffix))
    }
}

/// A kernel that searches, all its blocks at once; the clock; and two words that CPU and device
/// share: whether the search is to end, and how many steps it has done.
pub struct Launch {
    /// Where it runs.
    pub gpu: Gpu,
    /// What runs.
    pub kernel: Kernel,
    /// In how many blocks and threads.
    pub shape: LaunchConfig,
    timer: Timer,
    mailbox: Mailbox,
}

impl Launch {
    /// Of so many blocks and threads each. Blocks wait for one another, so that more than are
    /// resident at once would do so for ever; one a multiprocessor always fits.
    ///
    /// # Errors
    /// Where the device fails.
    pub fn new(gpu: &Gpu, kernel: Kernel, blocks: u32, threads: u32) -> Result<Self, GpuError> {
        let shape = LaunchConfig { cooperative: true, ..LaunchConfig::new(blocks, threads) };
        let (timer, mailbox) = (gpu.timer()?, gpu.mailbox(2)?);
        Ok(Self { gpu: gpu.clone(), kernel, shape, timer, mailbox })
    }

    /// Starts the clock. What the kernel is to be told of the two words: where they are, or 0
    /// where no caller listens.
    pub fn start(&self, is_heard: bool) -> Result<u64, GpuError> {
        self.mailbox.iter().for_each(|word| word.store(0, Relaxed));
        let address = if is_heard { self.mailbox.address()? } else { 0 };
        self.timer.start()?;
        Ok(address)
    }

    /// Queues the kernel with these parameters.
    ///
    /// # Safety
    /// The kernel must read and write inside buffers of the launch's GPU only, and they must
    /// stay until [`Self::wait`] has returned.
    pub unsafe fn queue<P: Pod>(&self, parameters: &P) -> Result<(), GpuError> {
        // SAFETY: the caller vouches for what the addresses in the parameters mean.
        unsafe { self.gpu.launch(&self.kernel, self.shape, &[Arg::structure(parameters)]) }
    }

    /// Waits for the end of what was queued since the start, in milliseconds. Tells how
    /// many steps it has done meanwhile, and ends it early where that is the answer.
    pub fn wait(&self, tell: Option<impl Fn(u64) -> ControlFlow<()>>) -> Result<f64, SearchError> {
        self.timer.stop()?;
        let [stop, steps] = &self.mailbox[..] else { unreachable!("it has two words") };
        let start = Instant::now();
        let mut ended = false;
        if let Some(tell) = tell {
            let _ending = EndOnPanic(self);
            while !self.timer.is_done()? {
                ended |= tell(u64::from(steps.load(Relaxed))).is_break();
                stop.store(ended.into(), Relaxed);
                // a pause is a small part of the time, and takes 50 µs at the least
                match start.elapsed() {
                    at_first if at_first < AWAKE => thread::yield_now(),
                    elapsed => thread::sleep((elapsed / 64).min(LONGEST_PAUSE)),
                }
            }
        }
        let ms = self.timer.elapsed_ms()?;
        if ended { Err(SearchError::Interrupted) } else { Ok(ms) }
    }
}

/// Ends the search before a panic of the callback goes on, for what unwinds may own what the
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
