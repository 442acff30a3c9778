//! Blocks in the registers of AVX2 and of AVX-512.
//!
//! AVX2 has sixteen registers: five rows of two for c, two for b, and four for a and the sums;
//! a sixth row would fit, but leaves too little to overlap. AVX-512 has thirty-two: eight rows.

use std::arch::x86_64::*;

use super::kernel::{Kernel, copies};
use super::registers::kernel;
use crate::element::Element;

#[inline]
#[target_feature(enable = "sse")]
fn fetch<const LINES: usize>(address: *const i8) {
    for line in 0..LINES {
        // it touches nothing, wherever it points
        _mm_prefetch::<_MM_HINT_T0>(address.wrapping_add(line * 64));
    }
}

#[inline]
#[target_feature(enable = "sse")]
fn fetch_later(address: *const i8) {
    _mm_prefetch::<_MM_HINT_T1>(address);
}

macro_rules! avx2 {
    ($($name:ident, $number:ty, $load:ident, $store:ident, $spread:ident as $of:ty,
        $plus:ident, $least:ident;)*) => {$(
        kernel!(
            $name, "AVX2", "avx2", 32, 5, $number, $load, $store, $spread as $of, $plus, $least
        );
    )*};
}

macro_rules! avx512 {
    ($($name:ident, $features:literal, $number:ty, $load:ident, $store:ident,
        $spread:ident as $of:ty, $plus:ident, $least:ident;)*) => {$(
        kernel!(
            $name, "AVX-512", $features, 64, 8, $number, $load, $store, $spread as $of, $plus,
            $least
        );
    )*};
}

/// A minimum that AVX2 has no instruction for.
#[inline]
#[target_feature(enable = "avx2")]
fn least_epi64(a: __m256i, b: __m256i) -> __m256i {
    _mm256_blendv_epi8(a, b, _mm256_cmpgt_epi64(a, b))
}

avx2! {
    avx2_u16, u16, _mm256_loadu_si256, _mm256_storeu_si256, _mm256_set1_epi32 as i32,
        _mm256_add_epi16, _mm256_min_epu16;
    avx2_i32, i32, _mm256_loadu_si256, _mm256_storeu_si256, _mm256_set1_epi32 as i32,
        _mm256_add_epi32, _mm256_min_epi32;
    avx2_i64, i64, _mm256_loadu_si256, _mm256_storeu_si256, _mm256_set1_epi64x as i64,
        _mm256_add_epi64, least_epi64;
    avx2_f32, f32, _mm256_loadu_ps, _mm256_storeu_ps, _mm256_set1_ps as f32,
        _mm256_add_ps, _mm256_min_ps;
    avx2_f64, f64, _mm256_loadu_pd, _mm256_storeu_pd, _mm256_set1_pd as f64,
        _mm256_add_pd, _mm256_min_pd;
}

avx512! {
    avx512_u16, "avx512f,avx512bw", u16, _mm512_loadu_si512, _mm512_storeu_si512,
        _mm512_set1_epi32 as i32, _mm512_add_epi16, _mm512_min_epu16;
    avx512_i32, "avx512f", i32, _mm512_loadu_si512, _mm512_storeu_si512, _mm512_set1_epi32 as i32,
        _mm512_add_epi32, _mm512_min_epi32;
    avx512_i64, "avx512f", i64, _mm512_loadu_si512, _mm512_storeu_si512, _mm512_set1_epi64 as i64,
        _mm512_add_epi64, _mm512_min_epi64;
    avx512_f32, "avx512f", f32, _mm512_loadu_ps, _mm512_storeu_ps, _mm512_set1_ps as f32,
        _mm512_add_ps, _mm512_min_ps;
    avx512_f64, "avx512f", f64, _mm512_loadu_pd, _mm512_storeu_pd, _mm512_set1_pd as f64,
        _mm512_add_pd, _mm512_min_pd;
}
