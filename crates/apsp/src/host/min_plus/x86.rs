//! Blocks in the registers of AVX2 and of AVX-512, two of them wide.
//!
//! AVX2 has sixteen registers: five rows of two for c, two for b, and four for a and the sums;
//! a sixth row would fit, but leaves too little to overlap. AVX-512 has thirty-two: eight rows.

use std::arch::x86_64::*;

use super::kernel::{Kernel, copies};
use crate::element::Element;

/// A kernel of the given instructions, in a module of its own.
macro_rules! kernel {
    (
        $name:ident, $title:literal, $features:literal, $bytes:literal, $rows:literal, $number:ty,
        $load:ident, $store:ident, $spread:ident as $spread_of:ty, $plus:ident, $least:ident
    ) => {
        pub(super) mod $name {
            use super::*;

            pub(in super::super) const KERNEL: Kernel<$number> =
                Kernel { name: $title, rows: ROWS, columns: 2 * LANES, block, peak };
            const ROWS: usize = $rows;
            const LANES: usize = $bytes / size_of::<$number>();
            const COPIES: usize = copies::<$number>();

            #[target_feature(enable = $features)]
            fn block(
                c: &mut [$number],
                stride: usize,
                a: &[$number],
                b: &[$number],
                next: usize,
                ahead: &[$number],
            ) {
                let load = |from: &[$number]| {
                    // SAFETY: the slice is a register long; the load asks for no alignment.
                    unsafe { $load(from[..LANES].as_ptr().cast()) }
                };
                let spread = |from: &[$number]| {
                    // SAFETY: the slice is as long as what is read, which asks for no alignment.
                    $spread(unsafe {
                        from[..COPIES].as_ptr().cast::<$spread_of>().read_unaligned()
                    })
                };
                for r in 0..ROWS {
                    let row = c.as_ptr().wrapping_add(next + r * stride);
                    for line in 0..$bytes / 32 {
                        // it touches nothing, wherever it points
                        _mm_prefetch::<_MM_HINT_T0>(row.cast::<i8>().wrapping_add(line * 64));
                    }
                }
                for line in ahead.chunks(64 / size_of::<$number>()) {
                    _mm_prefetch::<_MM_HINT_T1>(line.as_ptr().cast());
                }
                let mut left: [_; ROWS] = std::array::from_fn(|r| load(&c[r * stride..]));
                let mut right: [_; ROWS] = std::array::from_fn(|r| load(&c[r * stride + LANES..]));
                let groups = a.chunks_exact(ROWS * COPIES);
                for (group, through) in groups.zip(b.chunks_exact(2 * LANES)) {
                    let second = [load(through), load(&through[LANES..])];
                    for r in 0..ROWS {
                        let first = spread(&group[r * COPIES..]);
                        left[r] = $least($plus(first, second[0]), left[r]);
                        right[r] = $least($plus(first, second[1]), right[r]);
                    }
                }
                for r in 0..ROWS {
                    let place = &mut c[r * stride..][..2 * LANES];
                    // SAFETY: there is room for two registers; stores ask for no alignment.
                    unsafe {
                        $store(place.as_mut_ptr().cast(), left[r]);
                        $store(place[LANES..].as_mut_ptr().cast(), right[r]);
                    }
                }
            }

            #[target_feature(enable = $features)]
            fn peak(rounds: usize, numbers: [$number; 3]) -> $number {
                let filled = numbers.map(|number| [number; LANES]);
                let load = |from: &[$number; LANES]| {
                    // SAFETY: the array is a register long; the load asks for no alignment.
                    unsafe { $load(from.as_ptr().cast()) }
                };
                let [start, step, most] = [load(&filled[0]), load(&filled[1]), load(&filled[2])];
                let mut part = [start; 2 * ROWS];
                for _ in 0..rounds {
                    for least in &mut part {
                        *least = $least($plus(*least, step), most);
                    }
                }
                let mut sum = <$number as Element>::ZERO;
                for register in part {
                    let mut numbers = [sum; LANES];
                    // SAFETY: there is room for a register; stores ask for no alignment.
                    unsafe { $store(numbers.as_mut_ptr().cast(), register) };
                    sum = numbers.into_iter().fold(sum, Element::plus);
                }
                sum
            }
        }
    };
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
