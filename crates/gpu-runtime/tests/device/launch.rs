//! Kernels, their arguments and launch configurations.

use gpu_runtime::{Arg, Gpu, GpuError, LaunchConfig, Ptx};

use super::{INCREMENT, gpu, increment};

#[test]
fn launches_happen_in_order() {
    let Some(gpu) = gpu() else { return };
    let values: Vec<u32> = (0..1000).collect();
    let buffer = gpu.upload(&values).unwrap();
    for _ in 0..10 {
        increment(&gpu, &buffer).unwrap();
    }
    assert!(buffer.download().unwrap().into_iter().eq(10..1010));
    assert!(gpu.jit_ms() >= 0.0);
}

#[test]
fn numbers_of_all_types_arrive() {
    let Some(gpu) = gpu() else { return };
    let sum = gpu.kernel(&INCREMENT, "sum").unwrap();
    let target = gpu.buffer::<f64>(1).unwrap();
    let args = [
        Arg::from(&target),
        7u32.into(),
        (-3i32).into(),
        (1u64 << 40).into(),
        0.5f32.into(),
        0.25f64.into(),
    ];
    // SAFETY: one thread writes the one element.
    unsafe { gpu.launch(&sum, LaunchConfig::new(1, 1), &args) }.unwrap();
    assert_eq!(target.download().unwrap(), [(1u64 << 40) as f64 + 4.75]);
}

#[test]
fn wrong_arguments_are_never_launched() {
    let Some(gpu) = gpu() else { return };
    let buffer = gpu.upload(&[5u32]).unwrap();
    let foreign = Gpu::open().unwrap().upload(&[5u32]).unwrap();
    let kernel = gpu.kernel(&INCREMENT, "increment").unwrap();
    let cases: [(&[Arg], &str); 4] = [
        (&[Arg::from(&buffer)], "takes 2 arguments, not 1"),
        (&[Arg::from(&buffer), 1u32.into(), 1u32.into()], "takes 2 arguments, not 3"),
        (&[Arg::from(&buffer), 1u64.into()], "argument 1 has 4 bytes, not 8"),
        (&[Arg::from(&foreign), 1u32.into()], "argument 0 is a buffer of another Gpu"),
    ];
    for (args, complaint) in cases {
        // SAFETY: the launch is refused.
        let error = unsafe { gpu.launch(&kernel, LaunchConfig::new(1, 1), args) }.unwrap_err();
        assert!(matches!(error, GpuError::Arguments { .. }), "{error}");
        let message = error.to_string();
        assert!(message.contains(complaint) && message.contains("kernel increment"), "{message}");
    }
    assert_eq!(buffer.download().unwrap(), [5]);
}

#[test]
fn a_shape_that_the_driver_refuses_is_an_error() {
    let Some(gpu) = gpu() else { return };
    let kernel = gpu.kernel(&INCREMENT, "increment").unwrap();
    let buffer = gpu.upload(&[5u32]).unwrap();
    for config in [LaunchConfig::new(1, 2048), LaunchConfig::new(0, 32)] {
        // SAFETY: the launch is refused.
        let result = unsafe { gpu.launch(&kernel, config, &[(&buffer).into(), 1u32.into()]) };
        let message = result.unwrap_err().to_string();
        assert!(message.contains("launching kernel increment"), "{message}");
    }
    assert_eq!(buffer.download().unwrap(), [5]);
}

#[test]
fn a_cooperative_launch_is_as_large_as_the_occupancy_says() {
    let Some(gpu) = gpu() else { return };
    let kernel = gpu.kernel(&INCREMENT, "increment").unwrap();
    let blocks = kernel.occupancy(256, 0).unwrap() * gpu.properties().multiprocessors;
    let buffer = gpu.buffer::<u32>(blocks as usize * 256).unwrap();
    let args = [Arg::from(&buffer), (blocks * 256).into()];
    let config = LaunchConfig { cooperative: true, ..LaunchConfig::new(blocks, 256) };
    // SAFETY: there is an element for each thread.
    unsafe { gpu.launch(&kernel, config, &args) }.unwrap();
    assert!(buffer.download().unwrap().iter().all(|&value| value == 1));
    let too_large = LaunchConfig { cooperative: true, ..LaunchConfig::new(blocks + 1, 256) };
    // SAFETY: the launch is refused.
    assert!(unsafe { gpu.launch(&kernel, too_large, &args) }.is_err());
}

#[test]
fn shared_memory_grows_when_it_is_allowed_to() {
    let Some(gpu) = gpu() else { return };
    let kernel = gpu.kernel(&INCREMENT, "last_shared").unwrap();
    let target = gpu.buffer::<u32>(1).unwrap();
    let config = LaunchConfig { shared_bytes: 64 << 10, ..LaunchConfig::new(1, 1) };
    // SAFETY: the launch is refused.
    assert!(unsafe { gpu.launch(&kernel, config, &[(&target).into()]) }.is_err());
    kernel.allow_shared(64 << 10).unwrap();
    assert!(kernel.occupancy(32, 64 << 10).unwrap() >= 1);
    // SAFETY: one thread writes the one element, and the last word of the shared memory.
    unsafe { gpu.launch(&kernel, config, &[(&target).into()]) }.unwrap();
    assert_eq!(target.download().unwrap(), [77]);
    assert!(kernel.allow_shared(u32::MAX).is_err());
}

#[test]
fn kernels_and_modules_that_are_wrong_are_named() {
    static BROKEN: Ptx = Ptx::new("broken", ".version 6.3\n.target sm_75\nnonsense\n");
    static FUTURE: Ptx = Ptx::new("future", ".version 99.0\n.target sm_75\n.address_size 64\n");
    let Some(gpu) = gpu() else { return };
    let missing = GpuError::Kernel { module: "increment", kernel: "decrement".into() };
    assert_eq!(gpu.kernel(&INCREMENT, "decrement").unwrap_err(), missing);
    for (module, version) in [(&BROKEN, "broken (PTX 6.3"), (&FUTURE, "future (PTX 99.0")] {
        let message = gpu.kernel(module, "any").unwrap_err().to_string();
        println!("{message}");
        let (major, minor) = gpu.properties().driver_version;
        assert!(message.contains(version), "{message}");
        assert!(message.contains(&format!("driver supports CUDA {major}.{minor}")), "{message}");
    }
}

#[test]
fn what_the_compiler_made_of_a_kernel_is_told() {
    let Some(gpu) = gpu() else { return };
    let attributes = gpu.kernel(&INCREMENT, "increment").unwrap().attributes().unwrap();
    assert!((1..=255).contains(&attributes.registers), "{attributes:?}");
    assert_eq!((attributes.shared_bytes, attributes.local_bytes), (0, 0));
}
