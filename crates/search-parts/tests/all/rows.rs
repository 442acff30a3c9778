//! The row of each arc on a device.

use std::panic::{AssertUnwindSafe, catch_unwind};

use gpu_runtime::Gpu;
use search_parts::device::expand_rows;
use test_support::gpu;

#[test]
fn arcs_without_rows_are_refused() {
    let Some(gpu) = gpu(Gpu::open()) else { return };
    let offsets = gpu.upload(&[0, 0, 2, 3u64]).unwrap();
    assert_eq!(expand_rows(&gpu, &offsets, 3).unwrap().download().unwrap(), [1, 1, 2]);
    let none = gpu.upload(&[0u64]).unwrap();
    assert_eq!(expand_rows(&gpu, &none, 0).unwrap().len(), 0);
    assert!(catch_unwind(AssertUnwindSafe(|| expand_rows(&gpu, &none, 1))).is_err());
}
