//! Blocks in the registers of NEON, which every ARM processor of 64 bits has.
//!
//! There are thirty-two: eight rows of two for c, two for b, and the rest for a, sums and masks.
//! The compiler makes vector instructions of plain loops too, but of some it makes one for several
//! pivots, and spends two instructions of three on bringing numbers into order.

use std::arch::aarch64::*;

use super::kernel::{Kernel, copies};
use super::registers::kernel;
use crate::element::Element;

// Nothing is prefetched: whether that pays has not been measured.
#[inline(always)]
fn fetch<const LINES: usize>(_: *const i8) {}

#[inline(always)]
fn fetch_later(_: *const i8) {}

macro_rules! neon {
    ($($name:ident, $number:ty, $load:ident, $store:ident, $spread:ident as $of:ty,
        $plus:ident, $least:ident;)*) => {$(
        kernel!(
            $name, "NEON", "neon", 16, 8, $number, $load, $store, $spread as $of, $plus, $least
        );
    )*};
}

/// Two numbers of 16 bits in all places.
#[inline]
#[target_feature(enable = "neon")]
fn spread_u16(pair: u32) -> uint16x8_t {
    vreinterpretq_u16_u32(vdupq_n_u32(pair))
}

/// A minimum that NEON has no instruction for.
#[inline]
#[target_feature(enable = "neon")]
fn least_s64(a: int64x2_t, b: int64x2_t) -> int64x2_t {
    vbslq_s64(vcgtq_s64(a, b), b, a)
}

neon! {
    neon_u16, u16, vld1q_u16, vst1q_u16, spread_u16 as u32, vaddq_u16, vminq_u16;
    neon_i32, i32, vld1q_s32, vst1q_s32, vdupq_n_s32 as i32, vaddq_s32, vminq_s32;
    neon_i64, i64, vld1q_s64, vst1q_s64, vdupq_n_s64 as i64, vaddq_s64, least_s64;
    neon_f32, f32, vld1q_f32, vst1q_f32, vdupq_n_f32 as f32, vaddq_f32, vminq_f32;
    neon_f64, f64, vld1q_f64, vst1q_f64, vdupq_n_f64 as f64, vaddq_f64, vminq_f64;
}
