//! The numbers that distances are added and compared as.

use super::Kernel;
#[cfg(target_arch = "x86_64")]
use super::x86;

/// What a matrix of distances is of.
pub(crate) trait Element: Copy + PartialOrd + Send + Sync + 'static {
    /// The distance of a vertex from itself.
    const ZERO: Self;
    /// What stands for no path: a sum with it is no distance, but does not wrap either.
    const INFINITE: Self;
    /// How often a number stands in a packed group of rows: as often as fills the 32 bits
    /// that a processor spreads over a register without help of its arithmetic units.
    const COPIES: usize = if size_of::<Self>() < 4 { 4 / size_of::<Self>() } else { 1 };

    fn plus(self, other: Self) -> Self;

    #[inline(always)]
    fn lesser(self, other: Self) -> Self {
        if other < self { other } else { self }
    }

    /// The kernels that this processor can run, the fastest first.
    fn kernels() -> Vec<Kernel<Self>>;

    /// The fastest of them.
    fn kernel() -> Kernel<Self> {
        Self::kernels().swap_remove(0)
    }
}

macro_rules! element {
    ($number:ty, $zero:expr, $infinite:expr, $plus:expr, $avx512:ident, $avx512_needs:tt, $avx2:ident) => {
        impl Element for $number {
            const ZERO: Self = $zero;
            const INFINITE: Self = $infinite;

            #[inline(always)]
            fn plus(self, other: Self) -> Self {
                $plus(self, other)
            }

            fn kernels() -> Vec<Kernel<Self>> {
                let mut kernels = Vec::new();
                #[cfg(target_arch = "x86_64")]
                {
                    if is_x86_feature_detected!("avx512f")
                        && is_x86_feature_detected!($avx512_needs)
                    {
                        kernels.push(x86::$avx512::KERNEL);
                    }
                    if is_x86_feature_detected!("avx2") {
                        kernels.push(x86::$avx2::KERNEL);
                    }
                }
                kernels.push(Kernel::PORTABLE);
                kernels
            }
        }
    };
}

// Twice what stands for infinity still fits.
element!(u16, 0, u16::MAX / 2, u16::wrapping_add, avx512_u16, "avx512bw", avx2_u16);
element!(i32, 0, i32::MAX / 2, i32::wrapping_add, avx512_i32, "avx512f", avx2_i32);
element!(i64, 0, i64::MAX / 2, i64::wrapping_add, avx512_i64, "avx512f", avx2_i64);
element!(f32, 0.0, f32::INFINITY, std::ops::Add::add, avx512_f32, "avx512f", avx2_f32);
element!(f64, 0.0, f64::INFINITY, std::ops::Add::add, avx512_f64, "avx512f", avx2_f64);
