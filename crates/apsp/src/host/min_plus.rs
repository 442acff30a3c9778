//! The product of square tiles in which sums stand for products and the least for sums:
//! c[i][j] = min(c[i][j], a[i][k] + b[k][j] over all k).
//!
//! It is what blocked Floyd-Warshall spends its time on, as a matrix product is for other
//! methods, and it is computed like one: a few rows and columns of c stay in registers
//! while k runs. There is a form for any processor and one for AVX2, chosen when it runs.
//! O(t³) for tiles of side t = [`SIDE`].
//!
//! Reference: floyd-1962

/// Rows and columns of a tile; of four-byte numbers it takes half of a first-level cache of
/// 32 KiB.
pub(crate) const SIDE: usize = 64;
/// Numbers of a tile.
pub(crate) const AREA: usize = SIDE * SIDE;
/// Rows of c that stay in registers.
const ROWS: usize = 4;

/// What distances are added and compared as.
pub(crate) trait Element: Copy + PartialOrd + Send + Sync + 'static {
    /// The distance of a vertex from itself.
    const ZERO: Self;
    /// What stands for no path: a sum with it is no distance, but does not wrap either.
    const INFINITE: Self;

    fn plus(self, other: Self) -> Self;

    /// c, with the product of a and b, for tiles of this type.
    fn multiply(c: &mut [Self], a: &[Self], b: &[Self]);
}

#[inline(always)]
fn lesser<E: Element>(a: E, b: E) -> E {
    if b < a { b } else { a }
}

/// The product on any processor. Slices are whole tiles.
fn product<E: Element>(c: &mut [E], a: &[E], b: &[E]) {
    const COLUMNS: usize = 8;
    // the compiler sees that no index is out of bounds
    let (c, a, b) = (&mut c[..AREA], &a[..AREA], &b[..AREA]);
    for i in (0..SIDE).step_by(ROWS) {
        for j in (0..SIDE).step_by(COLUMNS) {
            let mut part = [[E::INFINITE; COLUMNS]; ROWS];
            for (r, row) in part.iter_mut().enumerate() {
                row.copy_from_slice(&c[(i + r) * SIDE + j..][..COLUMNS]);
            }
            for k in 0..SIDE {
                let through = &b[k * SIDE + j..][..COLUMNS];
                for (r, row) in part.iter_mut().enumerate() {
                    let first = a[(i + r) * SIDE + k];
                    for (least, &second) in row.iter_mut().zip(through) {
                        *least = lesser(*least, first.plus(second));
                    }
                }
            }
            for (r, row) in part.iter().enumerate() {
                c[(i + r) * SIDE + j..][..COLUMNS].copy_from_slice(row);
            }
        }
    }
}

/// A product in the registers of AVX2, two of them for each of four rows of c.
#[cfg(target_arch = "x86_64")]
macro_rules! avx2 {
    ($name:ident, $number:ty, $load:ident, $store:ident, $all:ident, $plus:ident, $least:ident) => {
        #[target_feature(enable = "avx2")]
        fn $name(c: &mut [$number], a: &[$number], b: &[$number]) {
            use std::arch::x86_64::*;
            const LANES: usize = 32 / size_of::<$number>();
            let (c, a, b) = (&mut c[..AREA], &a[..AREA], &b[..AREA]);
            let load = |from: &[$number]| {
                // SAFETY: the slice is at least a register long; the load asks for no alignment.
                unsafe { $load(from[..LANES].as_ptr().cast()) }
            };
            for i in (0..SIDE).step_by(ROWS) {
                for j in (0..SIDE).step_by(2 * LANES) {
                    let at = |r: usize| (i + r) * SIDE + j;
                    let mut left: [_; ROWS] = std::array::from_fn(|r| load(&c[at(r)..]));
                    let mut right: [_; ROWS] = std::array::from_fn(|r| load(&c[at(r) + LANES..]));
                    for k in 0..SIDE {
                        let second = [load(&b[k * SIDE + j..]), load(&b[k * SIDE + j + LANES..])];
                        for r in 0..ROWS {
                            let first = $all(a[(i + r) * SIDE + k]);
                            left[r] = $least($plus(first, second[0]), left[r]);
                            right[r] = $least($plus(first, second[1]), right[r]);
                        }
                    }
                    for r in 0..ROWS {
                        let place = &mut c[at(r)..][..2 * LANES];
                        // SAFETY: there is room for two registers; stores ask for no alignment.
                        unsafe {
                            $store(place.as_mut_ptr().cast(), left[r]);
                            $store(place[LANES..].as_mut_ptr().cast(), right[r]);
                        }
                    }
                }
            }
        }
    };
}

#[cfg(target_arch = "x86_64")]
avx2!(
    avx2_i32,
    i32,
    _mm256_loadu_si256,
    _mm256_storeu_si256,
    _mm256_set1_epi32,
    _mm256_add_epi32,
    _mm256_min_epi32
);
#[cfg(target_arch = "x86_64")]
avx2!(
    avx2_f32,
    f32,
    _mm256_loadu_ps,
    _mm256_storeu_ps,
    _mm256_set1_ps,
    _mm256_add_ps,
    _mm256_min_ps
);
#[cfg(target_arch = "x86_64")]
avx2!(
    avx2_f64,
    f64,
    _mm256_loadu_pd,
    _mm256_storeu_pd,
    _mm256_set1_pd,
    _mm256_add_pd,
    _mm256_min_pd
);

macro_rules! element {
    ($number:ty, $zero:expr, $infinite:expr, |$a:ident, $b:ident| $sum:expr, $($avx2:ident)?) => {
        impl Element for $number {
            const ZERO: Self = $zero;
            const INFINITE: Self = $infinite;

            #[inline(always)]
            fn plus(self, other: Self) -> Self {
                let ($a, $b) = (self, other);
                $sum
            }

            fn multiply(c: &mut [Self], a: &[Self], b: &[Self]) {
                $(
                    #[cfg(target_arch = "x86_64")]
                    if is_x86_feature_detected!("avx2") {
                        // SAFETY: this processor has AVX2.
                        return unsafe { $avx2(c, a, b) };
                    }
                )?
                product(c, a, b);
            }
        }
    };
}

// Twice what stands for infinity still fits.
element!(i32, 0, i32::MAX / 2, |a, b| a.wrapping_add(b), avx2_i32);
element!(i64, 0, i64::MAX / 2, |a, b| a.wrapping_add(b),);
element!(f32, 0.0, f32::INFINITY, |a, b| a + b, avx2_f32);
element!(f64, 0.0, f64::INFINITY, |a, b| a + b, avx2_f64);

#[cfg(test)]
mod tests {
    use super::*;

    /// The product by its definition, on numbers that differ in every place.
    fn agrees<E: Element + std::fmt::Debug>(number: impl Fn(i32) -> E) {
        let tile = |seed: i32| -> Vec<E> {
            let value = |i: i32| i.wrapping_mul(seed).wrapping_add(seed).rem_euclid(1009) - 300;
            (0..AREA as i32)
                .map(|i| if i % 7 == 3 { E::INFINITE } else { number(value(i)) })
                .collect()
        };
        let (mut c, a, b) = (tile(7919), tile(104_729), tile(1_299_709));
        let mut expected = c.clone();
        for i in 0..SIDE {
            for j in 0..SIDE {
                for k in 0..SIDE {
                    let sum = a[i * SIDE + k].plus(b[k * SIDE + j]);
                    expected[i * SIDE + j] = lesser(expected[i * SIDE + j], sum);
                }
            }
        }
        let mut portable = c.clone();
        E::multiply(&mut c, &a, &b);
        assert!(c == expected);
        product(&mut portable, &a, &b);
        assert!(portable == expected);
    }

    #[test]
    fn products_are_those_of_the_definition() {
        agrees::<i32>(|n| n);
        agrees::<i64>(i64::from);
        agrees::<f32>(|n| n as f32);
        agrees::<f64>(f64::from);
    }
}
