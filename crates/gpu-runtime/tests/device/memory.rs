//! Buffers, pinned memory, and the memory budget.

use std::sync::atomic::Ordering::Relaxed;

use gpu_runtime::{Gpu, GpuError, LaunchConfig, Priority, Rectangle};

use super::{INCREMENT, gpu, increment};

#[test]
fn what_is_uploaded_comes_back() {
    let Some(gpu) = gpu() else { return };
    let values: Vec<f64> = (0..100_003).map(f64::from).collect();
    let mut buffer = gpu.upload(&values).unwrap();
    assert_eq!((buffer.len(), buffer.bytes()), (100_003, 800_024));
    assert_eq!(buffer.download().unwrap(), values);
    assert_eq!(buffer.download_range(99..102).unwrap(), [99.0, 100.0, 101.0]);
    let backwards = std::ops::Range { start: 7, end: 5 };
    assert!(buffer.download_range(backwards).unwrap().is_empty());
    let doubled: Vec<f64> = values.iter().map(|value| 2.0 * value).collect();
    buffer.upload(&doubled).unwrap();
    let mut back = vec![0.0; values.len()];
    buffer.download_into(&mut back).unwrap();
    assert_eq!(back, doubled);
    buffer.fill_bytes(0xff).unwrap();
    assert!(buffer.download().unwrap().iter().all(|value| value.to_bits() == u64::MAX));
}

#[test]
fn a_new_buffer_is_zero() {
    let Some(gpu) = gpu() else { return };
    for _ in 0..3 {
        let mut buffer = gpu.buffer::<u32>(1 << 20).unwrap();
        assert!(buffer.download().unwrap().iter().all(|&value| value == 0));
        buffer.fill_bytes(1).unwrap();
    }
}

#[test]
fn empty_buffers_work() {
    let Some(gpu) = gpu() else { return };
    let mut empty = gpu.buffer::<u32>(0).unwrap();
    assert!(empty.is_empty());
    empty.fill_bytes(3).unwrap();
    empty.upload(&[]).unwrap();
    assert_eq!(empty.download().unwrap(), []);
    assert_eq!(empty.download_range(0..0).unwrap(), []);
    empty.download_into(&mut []).unwrap();
    assert!(gpu.upload::<f32>(&[]).unwrap().is_empty());
    assert!(gpu.pinned::<f32>(0).unwrap().is_empty());
    increment(&gpu, &empty).unwrap();
    gpu.synchronize().unwrap();
}

#[test]
fn lengths_that_differ_are_refused() {
    let Some(gpu) = gpu() else { return };
    let mut buffer = gpu.upload(&[1u32, 2, 3]).unwrap();
    let is_refused = |result: Result<(), GpuError>, found| {
        let error = result.unwrap_err();
        let is_length =
            |e: &_| matches!(e, GpuError::Length { expected: 3, found: f, .. } if *f == found);
        assert!(is_length(&error), "{error}");
    };
    is_refused(buffer.upload(&[1, 2]), 2);
    is_refused(buffer.download_into(&mut [0; 4]), 4);
    is_refused(buffer.download_range(1..5).map(drop), 5);
    assert_eq!(buffer.download().unwrap(), [1, 2, 3]);
}

#[test]
fn pinned_memory_is_a_slice() {
    let Some(gpu) = gpu() else { return };
    let mut pinned = gpu.pinned::<u32>(1000).unwrap();
    assert!(pinned.iter().all(|&value| value == 0));
    pinned.fill(41);
    let buffer = gpu.upload(&pinned).unwrap();
    increment(&gpu, &buffer).unwrap();
    buffer.download_into(&mut pinned).unwrap();
    assert!(pinned.iter().all(|&value| value == 42));
}

#[test]
fn kernels_reach_pinned_memory() {
    let Some(gpu) = gpu() else { return };
    let mut pinned = gpu.pinned::<u32>(1000).unwrap();
    pinned.fill(41);
    let kernel = gpu.kernel(&INCREMENT, "increment").unwrap();
    let args = [pinned.address().unwrap().into(), 1000u32.into()];
    // SAFETY: the kernel changes the first 1000 values, and there are as many.
    unsafe { gpu.launch(&kernel, LaunchConfig::covering(1000, 256), &args) }.unwrap();
    gpu.synchronize().unwrap();
    assert!(pinned.iter().all(|&value| value == 42));
    assert_eq!(gpu.pinned::<u32>(0).unwrap().address().unwrap(), 0);
}

/// Copies to the last GPU, which may be the first; a range beyond an end is refused.
#[test]
fn buffers_are_copied_between_gpus() {
    let Some(gpu) = gpu() else { return };
    let other = Gpu::open_ordinal(Gpu::count().unwrap() - 1).unwrap();
    println!("direct: {}", gpu.reach(&other).unwrap());
    let values: Vec<u32> = (0..100_000).collect();
    let (source, target) = (gpu.upload(&values).unwrap(), other.buffer::<u32>(1000).unwrap());
    other.synchronize().unwrap();
    // SAFETY: both buffers are waited for before they are used again.
    let copied = unsafe { other.queue_copy(&source, 99_000..99_500, &target, 500) };
    copied.unwrap();
    other.synchronize().unwrap();
    let found = target.download().unwrap();
    assert!(found[..500].iter().all(|&value| value == 0));
    assert!(found[500..].iter().copied().eq(99_000..99_500));
    for (range, at) in [(99_500..100_001, 0), (0..501, 500)] {
        // SAFETY: nothing is copied.
        let refused = unsafe { other.queue_copy(&source, range, &target, at) };
        assert!(matches!(refused, Err(GpuError::Length { .. })), "{refused:?}");
    }
}

/// Copies some columns to another GPU, and from pinned memory; a rectangle beyond an end is
/// refused.
#[test]
fn rectangles_are_copied() {
    let Some(gpu) = gpu() else { return };
    let other = Gpu::open_ordinal(Gpu::count().unwrap() - 1).unwrap();
    gpu.reach(&other).unwrap();
    let mut pinned = gpu.pinned::<u32>(100 * 70).unwrap();
    pinned.iter_mut().zip(0..).for_each(|(value, i)| *value = i);
    let source = gpu.upload(&pinned).unwrap();
    let from = Rectangle { first: 5 * 70 + 30, n_rows: 90, n_columns: 20, stride: 70 };
    let to = Rectangle { first: 3, stride: 33, ..from };
    let expected = |i: usize| match (i.wrapping_sub(3) / 33, i.wrapping_sub(3) % 33) {
        (row @ ..90, column @ ..20) => ((row + 5) * 70 + 30 + column) as u32,
        _ => 0,
    };
    for is_pinned in [false, true] {
        let target = other.buffer::<u32>(90 * 33).unwrap();
        let copy = |from, to| {
            // SAFETY: both sides are waited for before they are used again.
            unsafe {
                match is_pinned {
                    true => other.queue_upload_rectangle(&pinned, from, &target, to),
                    false => other.queue_copy_rectangle(&source, from, &target, to),
                }
            }
        };
        copy(from, to).unwrap();
        other.synchronize().unwrap();
        let found = target.download().unwrap();
        assert!(found.into_iter().eq((0..90 * 33).map(expected)), "{is_pinned}");
        for (from, to) in [
            (Rectangle { n_rows: 96, ..from }, Rectangle { n_rows: 96, stride: 20, ..to }),
            (from, Rectangle { n_rows: 89, ..to }),
            (from, Rectangle { stride: 19, ..to }),
            (from, Rectangle { first: 30, ..to }),
        ] {
            let refused = copy(from, to);
            assert!(matches!(refused, Err(GpuError::Length { .. })), "{refused:?}");
        }
    }
}

#[test]
fn a_cap_makes_a_small_gpu_of_a_large_one() {
    let Some(gpu) = gpu() else { return };
    let small = gpu.with_memory_cap(1000);
    assert_eq!(small.available_bytes().unwrap(), 1000);
    let first = small.buffer::<u64>(100).unwrap();
    let refused = GpuError::OutOfMemory { what: "a buffer", required: 204, available: 200 };
    assert_eq!(small.buffer::<u32>(51).unwrap_err(), refused);
    assert_eq!(small.clone().upload(&[0u32; 51]).unwrap_err(), refused);
    assert!(small.check_fits("a table", 200).is_ok());
    let refused = GpuError::OutOfMemory { what: "a table", required: 201, available: 200 };
    assert_eq!(small.check_fits("a table", 201).unwrap_err(), refused);
    assert_eq!(gpu.buffer::<u32>(51).unwrap().len(), 51);
    drop(first);
    assert_eq!(small.with_memory_cap(2000).available_bytes().unwrap(), 1000);
    // It is the same stream, so that its buffers can be launched on by the large one too.
    let values = small.upload(&[1u32; 250]).unwrap();
    increment(&gpu, &values).unwrap();
    assert_eq!(values.download().unwrap(), [2; 250]);
}

#[test]
fn more_than_there_is_is_refused() {
    let Some(gpu) = gpu() else { return };
    for len in [usize::MAX, usize::MAX / 8, 1 << 50] {
        let error = gpu.buffer::<u64>(len).unwrap_err();
        assert!(matches!(error, GpuError::OutOfMemory { .. }), "{error}");
        assert!(gpu.pinned::<u64>(len).is_err());
    }
    let total = gpu.properties().memory_bytes;
    assert!(gpu.buffer::<u8>(usize::try_from(total).unwrap()).is_err());
    assert!(gpu.check_fits("everything", total + 1).is_err());
    assert_eq!(gpu.upload(&[1u32]).unwrap().download().unwrap(), [1]);
}

#[test]
fn a_mailbox_is_read_and_written_by_kernels() {
    let Some(gpu) = gpu() else { return };
    let mailbox = gpu.mailbox(3).unwrap();
    assert_eq!((mailbox.len(), mailbox[2].load(Relaxed)), (3, 0));
    mailbox[1].store(41, Relaxed);
    let increment = gpu.kernel(&INCREMENT, "increment").unwrap();
    let timer = gpu.timer().unwrap();
    timer.start().unwrap();
    let args = [mailbox.address().unwrap().into(), 3u32.into()];
    // SAFETY: threads add 1 to each of the three words.
    unsafe { gpu.launch(&increment, LaunchConfig::new(1, 32), &args) }.unwrap();
    timer.stop().unwrap();
    gpu.synchronize().unwrap();
    assert!(timer.is_done().unwrap());
    let words: Vec<u32> = mailbox.iter().map(|word| word.load(Relaxed)).collect();
    assert_eq!(words, [1, 42, 1]);
}

#[test]
fn arrays_of_others_are_read_and_not_freed() {
    let Some(gpu) = gpu() else { return };
    let theirs = gpu.upload(&[1u32, 2, 3, 4]).unwrap();
    let at = theirs.address();
    assert_eq!(Gpu::ordinal_at(at), Ok(gpu.properties().ordinal));
    let beside = gpu.new_stream(Priority::Normal).unwrap();
    increment(&beside, &theirs).unwrap();
    // SAFETY: the array is there until the end of the test, and the stream of what changes it is
    // open, and waited for.
    let ours = unsafe {
        gpu.wait_for_stream(beside.stream_handle().unwrap()).unwrap();
        gpu.foreign::<u32>(at + 4, 3).unwrap()
    };
    assert_eq!(ours.download().unwrap(), [3, 4, 5]);
    drop(ours);
    assert_eq!(theirs.download().unwrap(), [2, 3, 4, 5]);
    // SAFETY: none of these is made, or has elements.
    let made = |at, len| unsafe { gpu.foreign::<u64>(at, len) };
    assert_eq!(made(0, 0).unwrap().len(), 0);
    let here = [0u64; 4];
    for (address, len) in [(0, 1), (at + 4, 1), (u64::MAX - 7, 4), (here.as_ptr().addr() as u64, 4)]
    {
        assert!(matches!(made(address, len), Err(GpuError::NotThere { .. })), "{address:#x}");
    }
    assert!(matches!(Gpu::ordinal_at(8), Err(GpuError::NotThere { .. })));
}
