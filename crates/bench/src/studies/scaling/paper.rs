//! What several GPUs of a host would take for all pairs, on paper:
//! docs/results/2026-11-25-h200/scaling derives it.

/// Seconds that a GPU of NVIDIA's H200 kind takes to close 128 pivots beside their sums,
const CLOSING_128: f64 = 46e-6;
/// to begin a copy from another,
const LATENCY: f64 = 20e-6;
/// and bytes a second of such a copy, measured.
const BYTES_A_SECOND: f64 = 394e9;
/// Rows of a block of pivots.
const BLOCK_ROWS: usize = 1024;

/// A GPU, as far as the model needs.
#[derive(Clone, Copy, Debug)]
pub(super) struct Machine {
    /// Sums a second of one GPU.
    pub(super) sums_a_second: f64,
    /// The bytes of a number.
    pub(super) bytes: f64,
}

/// Seconds for n vertices: for each block of pivots the greater of what it takes all to update, and
/// what the next block takes to be updated, closed, and sent to one after the other.
pub(super) fn seconds(machine: &Machine, n: usize, n_gpus: usize) -> f64 {
    let Machine { sums_a_second: rate, bytes } = *machine;
    let n_blocks = n_gpus * n.div_ceil(n_gpus * BLOCK_ROWS);
    let (n, p) = (n as f64, n_gpus as f64);
    let b = n / n_blocks as f64;
    let sums = b * b * n / rate;
    let chain = CLOSING_128 * b / 128.0;
    let sending = (p - 1.0) * (LATENCY + bytes * b * n / BYTES_A_SECOND);
    let update = b * n * n / (p * rate);
    let next = 2.0 * sums + chain + sending;
    sums + chain + sending + n_blocks as f64 * update.max(next)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_matrices_hide_what_is_sent() {
        let machine = Machine { sums_a_second: 15.3e12, bytes: 4.0 };
        let share = |n, p| seconds(&machine, n, 1) / seconds(&machine, n, p) / p as f64;
        assert!((seconds(&machine, 65_536, 1) - 18.4).abs() < 0.1);
        assert!(share(65_536, 8) > 0.97 && share(8192, 8) < 0.6);
        assert!((1..4).all(|i| share(32_768, 1 << i) < share(32_768, 1 << (i - 1))));
    }
}
