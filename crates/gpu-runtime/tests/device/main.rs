//! Tests on a GPU. Each test prints `SKIPPED` if there is none; with `STARPATH_REQUIRE_GPU=1` that
//! is a failure.
//!
//! The files are compiled with and without the feature `cuda`, which proves that both
//! twins have the same interface.

mod launch;
mod memory;

use gpu_runtime::{
    Arg, Buffer, Gpu, GpuError, Kernel, LaunchConfig, Mailbox, PinnedBuffer, Ptx, Timer,
};

static INCREMENT: Ptx = Ptx::new("increment", include_str!("increment.ptx"));

/// The first GPU, or `None` and the line `SKIPPED`.
fn gpu() -> Option<Gpu> {
    match Gpu::open() {
        Ok(gpu) => Some(gpu),
        Err(reason) => {
            let is_required = std::env::var_os("STARPATH_REQUIRE_GPU").is_some_and(|v| v == "1");
            assert!(!is_required, "STARPATH_REQUIRE_GPU=1, but {reason}");
            println!("SKIPPED: {reason}");
            None
        }
    }
}

/// Launches the kernel that adds 1 to each value.
fn increment(gpu: &Gpu, values: &Buffer<u32>) -> Result<(), GpuError> {
    let kernel = gpu.kernel(&INCREMENT, "increment")?;
    let n = u32::try_from(values.len()).unwrap();
    let args = [Arg::from(values), n.into()];
    // SAFETY: the kernel changes the first `n` values, and there are as many.
    unsafe { gpu.launch(&kernel, LaunchConfig::covering(n.into(), 256), &args) }
}

#[test]
fn handles_may_go_to_other_threads() {
    fn is_free<T: Send + Sync>() {}
    is_free::<Gpu>();
    is_free::<Kernel>();
    is_free::<Timer>();
    is_free::<Buffer<f64>>();
    is_free::<PinnedBuffer<f64>>();
    is_free::<Mailbox>();
}

#[test]
fn without_a_gpu_the_answer_is_an_error_that_says_why() {
    let Err(error) = Gpu::open() else { return };
    println!("{error}");
    let is_compiled = cfg!(feature = "cuda");
    assert_eq!(error == GpuError::NotCompiled, !is_compiled, "{error}");
    assert_eq!(Gpu::open_ordinal(1).is_err_and(|e| e == GpuError::NotCompiled), !is_compiled);
}

#[test]
fn the_facts_are_those_of_a_gpu() {
    let Some(gpu) = gpu() else { return };
    let properties = gpu.properties();
    println!("{properties:?}");
    assert!(!properties.name.is_empty());
    assert!(properties.compute_capability >= (7, 5));
    assert!(properties.driver_version >= (11, 0));
    assert!(properties.multiprocessors > 0 && properties.max_threads_per_multiprocessor >= 1024);
    assert!(properties.shared_bytes_per_block >= 64 << 10);
    assert!(properties.memory_bytes > 1 << 30 && properties.l2_bytes >= 1 << 20);
    assert!(properties.cooperative_launch);
    assert!(gpu.available_bytes().unwrap() <= properties.memory_bytes);
}

#[test]
fn a_gpu_that_is_not_there_is_not_found() {
    let Some(_) = gpu() else { return };
    let error = Gpu::open_ordinal(1000).unwrap_err();
    assert!(matches!(error, GpuError::NoDevice { ordinal: 1000, count: 1.. }), "{error}");
}

#[test]
fn a_timer_measures_what_lies_between() {
    let Some(gpu) = gpu() else { return };
    let buffer = gpu.buffer::<u32>(1 << 24).unwrap();
    increment(&gpu, &buffer).unwrap();
    let timer = gpu.timer().unwrap();
    timer.start().unwrap();
    increment(&gpu, &buffer).unwrap();
    timer.stop().unwrap();
    let once = timer.elapsed_ms().unwrap();
    assert!(once > 0.0 && once < 1000.0, "{once} ms");
    assert!(gpu.timer().unwrap().elapsed_ms().is_err());
}

#[test]
fn two_gpus_in_two_threads_do_not_meet() {
    let Some(_) = gpu() else { return };
    std::thread::scope(|scope| {
        for start in [0u32, 1000] {
            scope.spawn(move || {
                let gpu = Gpu::open().unwrap();
                for round in 0..20 {
                    let values: Vec<u32> = (start..start + 5000 + round).collect();
                    let buffer = gpu.upload(&values).unwrap();
                    increment(&gpu, &buffer).unwrap();
                    increment(&gpu, &buffer).unwrap();
                    let back = buffer.download().unwrap();
                    assert!(back.iter().zip(&values).all(|(new, old)| *new == old + 2));
                }
            });
        }
    });
}

#[test]
fn what_was_made_from_a_gpu_keeps_it_open() {
    let Some(gpu) = gpu() else { return };
    let (buffer, timer) = (gpu.upload(&[1u32, 2]).unwrap(), gpu.timer().unwrap());
    let pinned = gpu.pinned::<u32>(2).unwrap();
    let kernel = gpu.kernel(&INCREMENT, "increment").unwrap();
    drop(gpu);
    // Another thread, on which no context was ever made current.
    std::thread::spawn(move || {
        timer.start().unwrap();
        timer.stop().unwrap();
        assert!(timer.elapsed_ms().unwrap() >= 0.0);
        assert!(kernel.occupancy(32, 0).unwrap() > 0);
        assert_eq!(buffer.download().unwrap(), [1, 2]);
        drop((buffer, pinned, kernel, timer));
    })
    .join()
    .unwrap();
}
