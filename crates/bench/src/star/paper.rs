//! What the paper says it measured, on a Tesla K40.
//!
//! Reference: snytnikova-nepomniaschaya-2016

use super::operations::Operation;

const SIZES: [usize; 4] = [100, 1000, 3000, 5000];
const VERTICES: [usize; 5] = [1000, 2000, 3000, 4000, 5000];

/// Table 1: microseconds, the launch included.
pub(super) fn us(operation: Operation, n: usize) -> Option<f64> {
    let times = match operation {
        Operation::RowRead => [18.6, 19.5, 19.6, 19.8],
        Operation::RowWrite => [4.1, 3.9, 4.3, 4.1],
        Operation::Or => [1.9, 2.2, 2.0, 2.1],
        // its two kernels, find and first_backward
        Operation::Find => [2.5 + 3.2, 2.8 + 3.2, 3.5 + 3.3, 3.8 + 3.4],
        _ => return None,
    };
    Some(times[SIZES.iter().position(|&size| size == n)?])
}

/// A row of Table 2.
#[derive(Clone, Copy)]
pub(super) enum Closure {
    Sequential,
    Columns,
    Adapted,
}

/// Table 2: seconds.
pub(super) fn seconds(closure: Closure, n: usize) -> Option<f64> {
    let times = match closure {
        Closure::Sequential => [8.037, 59.812, 197.111, 461.785, 884.622],
        Closure::Columns => [4.827, 11.161, 23.363, 42.661, 64.454],
        Closure::Adapted => [0.003, 0.027, 0.093, 0.236, 0.372],
    };
    Some(times[VERTICES.iter().position(|&size| size == n)?])
}
