//! The min-plus matrix product: c[i][j] = min(c[i][j], a[i][k] + b[k][j] over all k).
//!
//! It is what Floyd-Warshall over a matrix spends its time on, and it is computed like a product of
//! matrices. First b is copied to strips as wide as two registers, and a to groups of a few rows. A
//! block of c, a few rows of one strip, stays in registers while k runs ([`Kernel`]). There are
//! kernels for AVX2 and AVX-512, chosen at run time, one for NEON, and one for any CPU. O(rows ·
//! pivots · columns).
//!
//! Reference: floyd-1962

mod kernel;
#[cfg(target_arch = "aarch64")]
mod neon;
mod panel;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
mod registers;
#[cfg(target_arch = "x86_64")]
mod x86;

use crate::Number;
use crate::element::{Element, with_element};
pub(crate) use kernel::{Kernel, copies};
pub(crate) use panel::{Aligned, Panel, line, pack_groups};

/// A type of number that has kernels.
pub(crate) trait MinPlus: Element {
    /// The kernels that this CPU can run, the fastest first.
    fn kernels() -> Vec<Kernel<Self>>;

    /// The fastest kernel.
    fn kernel() -> Kernel<Self> {
        Self::kernels().swap_remove(0)
    }
}

impl Number {
    /// The instructions with which this CPU adds and compares these numbers.
    pub fn instructions(self) -> &'static str {
        with_element!(self, E => E::kernel().name)
    }

    /// Adds and compares in registers only, on the calling thread, as often as `rounds` rounds of
    /// the innermost loop of a solver do. Returns the number of sums. Divided by the time, it is the
    /// peak rate of this CPU, which no solver exceeds.
    ///
    /// ```
    /// use apsp::Number;
    ///
    /// let start = std::time::Instant::now();
    /// let sums = Number::I32.relax_registers(1000);
    /// println!("{:.1} Gop/s", sums as f64 / start.elapsed().as_secs_f64() / 1e9);
    /// ```
    pub fn relax_registers(self, rounds: usize) -> u64 {
        with_element!(self, E => E::kernel().relax_registers(rounds))
    }
}

macro_rules! kernels {
    ($($number:ty, $avx512:ident needs $feature:tt, $avx2:ident, $neon:ident;)*) => {$(
        impl MinPlus for $number {
            fn kernels() -> Vec<Kernel<Self>> {
                let mut kernels = Vec::new();
                #[cfg(target_arch = "x86_64")]
                {
                    if is_x86_feature_detected!("avx512f") && is_x86_feature_detected!($feature) {
                        kernels.push(x86::$avx512::KERNEL);
                    }
                    if is_x86_feature_detected!("avx2") {
                        kernels.push(x86::$avx2::KERNEL);
                    }
                }
                #[cfg(target_arch = "aarch64")]
                kernels.push(neon::$neon::KERNEL);
                kernels.push(Kernel::PORTABLE);
                kernels
            }
        }
    )*};
}

kernels! {
    u16, avx512_u16 needs "avx512bw", avx2_u16, neon_u16;
    i32, avx512_i32 needs "avx512f", avx2_i32, neon_i32;
    i64, avx512_i64 needs "avx512f", avx2_i64, neon_i64;
    f32, avx512_f32 needs "avx512f", avx2_f32, neon_f32;
    f64, avx512_f64 needs "avx512f", avx2_f64, neon_f64;
}
