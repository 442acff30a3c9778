//! A block of c in registers: the innermost loop, for one set of instructions.

use std::fmt;

use crate::element::Element;

/// How often a number is repeated in a packed group of rows: until it fills 32 bits, which a CPU
/// can broadcast to a register while it loads them.
pub(crate) const fn copies<E>() -> usize {
    if size_of::<E>() < 4 { 4 / size_of::<E>() } else { 1 }
}

/// A kernel: relaxes a block of c with one set of instructions.
#[derive(Clone, Copy)]
pub(crate) struct Kernel<E> {
    /// The name of its instructions.
    pub(crate) name: &'static str,
    /// Rows of a block.
    pub(crate) rows: usize,
    /// Columns of a block.
    pub(crate) columns: usize,
    pub(super) block: Block<E>,
    pub(super) peak: Peak<E>,
}

/// Relaxes a block of c. The first arguments are c from the block on, the distance between its
/// rows, a group of a and a strip of b. The last two are the distance to the next block of c, which
/// is prefetched, and a slice that is prefetched too.
///
/// # Safety
/// The processor has the instructions.
pub(super) type Block<E> = unsafe fn(&mut [E], usize, &[E], &[E], usize, &[E]);

/// Repeats for each number of a block, all in registers: add the second number, then take the
/// minimum with the third. Returns the sum over the block.
///
/// # Safety
/// The processor has the instructions.
pub(super) type Peak<E> = unsafe fn(usize, [E; 3]) -> E;

impl<E: Element> Kernel<E> {
    /// The kernel of plain loops, for any CPU.
    pub(super) const PORTABLE: Self =
        Self { name: "portable", rows: ROWS, columns: COLUMNS, block: block::<E>, peak: peak::<E> };

    /// c\[r\]\[j\] = min(c\[r\]\[j\], a\[r\]\[k\] + b\[k\]\[j\] over all k) for a block. The
    /// rows of c begin `stride` apart, those of b are one after the other, and a is stored by
    /// k and then by r, [`copies`] of each. It prefetches the block that begins `next` after this
    /// one, and `ahead`.
    #[inline]
    pub(super) fn relax(
        &self,
        c: &mut [E],
        stride: usize,
        a: &[E],
        b: &[E],
        next: usize,
        ahead: &[E],
    ) {
        // SAFETY: a kernel is listed only if the CPU has its instructions.
        unsafe { (self.block)(c, stride, a, b, next, ahead) }
    }

    /// Relaxes `rounds` blocks of one k in registers only, and returns the number of sums. The rate
    /// is the peak of this CPU.
    pub(crate) fn relax_registers(&self, rounds: usize) -> u64 {
        let numbers = std::hint::black_box([E::INFINITE, E::ZERO, E::INFINITE]);
        // SAFETY: a kernel is listed only if the CPU has its instructions.
        std::hint::black_box(unsafe { (self.peak)(rounds, numbers) });
        (rounds * self.rows * self.columns) as u64
    }
}

impl<E> fmt::Debug for Kernel<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, {} by {}", self.name, self.rows, self.columns)
    }
}

/// Rows and columns of a block where nothing is known of the processor.
const ROWS: usize = 4;
const COLUMNS: usize = 8;

fn block<E: Element>(c: &mut [E], stride: usize, a: &[E], b: &[E], _next: usize, _ahead: &[E]) {
    let mut part = [[E::INFINITE; COLUMNS]; ROWS];
    for (r, row) in part.iter_mut().enumerate() {
        row.copy_from_slice(&c[r * stride..][..COLUMNS]);
    }
    for (a, through) in a.chunks_exact(ROWS * copies::<E>()).zip(b.chunks_exact(COLUMNS)) {
        for (row, &first) in part.iter_mut().zip(a.iter().step_by(copies::<E>())) {
            for (least, &second) in row.iter_mut().zip(through) {
                *least = least.smaller(first.plus(second));
            }
        }
    }
    for (r, row) in part.iter().enumerate() {
        c[r * stride..][..COLUMNS].copy_from_slice(row);
    }
}

fn peak<E: Element>(rounds: usize, [start, step, most]: [E; 3]) -> E {
    let mut part = [[start; COLUMNS]; ROWS];
    for _ in 0..rounds {
        for least in part.as_flattened_mut() {
            *least = most.smaller(least.plus(step));
        }
    }
    part.as_flattened().iter().fold(E::ZERO, |sum, &number| sum.plus(number))
}

#[cfg(test)]
mod tests {
    use std::fmt::Debug;

    use super::super::MinPlus;
    use super::*;

    /// All kernels by the definition, on numbers that differ in every place, on a block that
    /// is surrounded by others.
    fn agrees<E: MinPlus + Debug>(number: impl Fn(i32) -> E) {
        for kernel in E::kernels() {
            for depth in [0, 1, 2, 7, 64] {
                let Kernel { rows, columns, .. } = kernel;
                let some = |seed: i32, len: usize| -> Vec<E> {
                    let value = |i: i32| i.wrapping_mul(seed).wrapping_add(seed).rem_euclid(1009);
                    (0..len as i32)
                        .map(|i| if i % 7 == 3 { E::INFINITE } else { number(value(i)) })
                        .collect()
                };
                let stride = columns + 5;
                let before = some(7919, stride * rows);
                let (a, b) = (some(104_729, rows * depth), some(1_299_709, depth * columns));
                let mut expected = before.clone();
                for r in 0..rows {
                    for j in 0..columns {
                        for k in 0..depth {
                            let sum = a[k * rows + r].plus(b[k * columns + j]);
                            let least = &mut expected[r * stride + j];
                            *least = least.smaller(sum);
                        }
                    }
                }
                let group: Vec<E> =
                    a.iter().flat_map(|&first| std::iter::repeat_n(first, copies::<E>())).collect();
                let mut found = before.clone();
                kernel.relax(&mut found, stride, &group, &b, columns, &b);
                assert_eq!(found, expected, "{kernel:?} of {depth}");
                assert!(depth < 2 || found != before);
            }
            assert_eq!(kernel.relax_registers(3), 3 * (kernel.rows * kernel.columns) as u64);
        }
        if E::kernels().iter().all(|kernel| kernel.name != "AVX-512") {
            println!("SKIPPED: this processor has no AVX-512");
        }
    }

    #[test]
    fn kernels_do_what_is_defined() {
        agrees::<u16>(|n| n as u16);
        agrees::<u16>(|n| (32 * n) as u16);
        agrees::<i32>(|n| n - 300);
        agrees::<i64>(|n| i64::from(n) - 300);
        agrees::<f32>(|n| n as f32 - 300.0);
        agrees::<f64>(|n| f64::from(n) - 300.0);
    }
}
