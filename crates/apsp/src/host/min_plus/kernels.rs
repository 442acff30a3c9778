//! The kernels of a processor for each number.

use super::Kernel;
#[cfg(target_arch = "x86_64")]
use super::x86;
use crate::element::Element;

/// A number that there are kernels for.
pub(crate) trait MinPlus: Element {
    /// The kernels that this processor can run, the fastest first.
    fn kernels() -> Vec<Kernel<Self>>;

    /// The fastest of them.
    fn kernel() -> Kernel<Self> {
        Self::kernels().swap_remove(0)
    }
}

macro_rules! kernels {
    ($($number:ty, $avx512:ident needs $feature:tt, $avx2:ident;)*) => {$(
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
                kernels.push(Kernel::PORTABLE);
                kernels
            }
        }
    )*};
}

kernels! {
    u16, avx512_u16 needs "avx512bw", avx2_u16;
    i32, avx512_i32 needs "avx512f", avx2_i32;
    i64, avx512_i64 needs "avx512f", avx2_i64;
    f32, avx512_f32 needs "avx512f", avx2_f32;
    f64, avx512_f64 needs "avx512f", avx2_f64;
}
