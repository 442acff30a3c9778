//! A thread for each GPU beside the first, which queues its launches: queuing one takes microseconds,
//! and a turn of few launches on each of several GPUs would take as long as its work.

use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use std::sync::{Mutex, PoisonError};
use std::thread;

use bytemuck::Pod;
use gpu_runtime::{Arg, Gpu, GpuError, Kernel, LaunchConfig};
use search_parts::wait;

/// The number of a desk whose thread is to end.
const END: u32 = u32::MAX;

/// A launch: which kernel, in which shape, with which argument.
pub(super) type Launch<T> = (usize, LaunchConfig, T);

/// Where the launches of a GPU lie until its thread queues them.
struct Desk<T> {
    /// How often there were launches; changed when they are there.
    number: AtomicU32,
    launches: Mutex<Vec<Launch<T>>>,
    error: Mutex<Option<GpuError>>,
}

/// The threads of a search.
pub(super) struct Crew<'a, T> {
    gpus: &'a [Gpu],
    kernels: &'a [Vec<Kernel>],
    /// One for each GPU beside the first.
    desks: Vec<Desk<T>>,
}

/// Runs `work` with a crew for these GPUs and the kernels of each.
///
/// # Safety
/// The launches that `work` queues have arguments as their kernels require.
pub(super) unsafe fn with_crew<T: Pod + Send, R>(
    gpus: &[Gpu],
    kernels: &[Vec<Kernel>],
    work: impl FnOnce(&Crew<'_, T>) -> R,
) -> R {
    let desk =
        || Desk { number: AtomicU32::new(0), launches: Mutex::default(), error: Mutex::default() };
    let crew = Crew { gpus, kernels, desks: gpus.iter().skip(1).map(|_| desk()).collect() };
    thread::scope(|scope| {
        let _ending = EndOnDrop(&crew);
        for at in 0..crew.desks.len() {
            let crew = &crew;
            scope.spawn(move || crew.serve(at));
        }
        work(&crew)
    })
}

/// Sends the threads home, also where `work` panics.
struct EndOnDrop<'a, 'b, T>(&'a Crew<'b, T>);

impl<T> Drop for EndOnDrop<'_, '_, T> {
    fn drop(&mut self) {
        self.0.desks.iter().for_each(|desk| desk.number.store(END, Release));
    }
}

impl<T: Pod> Crew<'_, T> {
    /// Queues launches on each GPU.
    ///
    /// # Errors
    /// Where the first GPU refuses one; see [`check`](Self::check) for the others.
    pub(super) fn queue(&self, launches: Vec<Vec<Launch<T>>>) -> Result<(), GpuError> {
        let mut launches = launches.into_iter();
        let own = launches.next().unwrap_or_default();
        for (desk, launches) in self.desks.iter().zip(launches) {
            *lock(&desk.launches) = launches;
            desk.number.store((desk.number.load(Relaxed) + 1) % END, Release);
        }
        self.launch(0, own)
    }

    /// # Errors
    /// That of a launch which a thread could not queue.
    pub(super) fn check(&self) -> Result<(), GpuError> {
        let error = self.desks.iter().find_map(|desk| lock(&desk.error).clone());
        error.map_or(Ok(()), Err)
    }

    fn serve(&self, at: usize) {
        let desk = &self.desks[at];
        let (mut served, mut n_waits) = (0, 0);
        loop {
            match desk.number.load(Acquire) {
                END => return,
                number if number == served => {
                    wait(n_waits);
                    n_waits += 1;
                }
                number => {
                    (served, n_waits) = (number, 0);
                    let launches = std::mem::take(&mut *lock(&desk.launches));
                    if let Err(error) = self.launch(at + 1, launches) {
                        *lock(&desk.error) = Some(error);
                    }
                }
            }
        }
    }

    fn launch(&self, gpu: usize, launches: Vec<Launch<T>>) -> Result<(), GpuError> {
        for (kernel, shape, argument) in launches {
            let (kernel, argument) = (&self.kernels[gpu][kernel], [Arg::structure(&argument)]);
            // SAFETY: the guarantee of the caller of `with_crew`.
            unsafe { self.gpus[gpu].launch(kernel, shape, &argument)? };
        }
        Ok(())
    }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
