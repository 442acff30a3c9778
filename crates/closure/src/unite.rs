//! The innermost loop of closure on the CPU: lines of bits, each united with some of 64.
//!
//! The method of the Four Russians: of every four of the 64 lines all sixteen unions are made once,
//! and a line looks up sixteen of them in place of up to 64. Tables are narrow enough that all
//! sixteen stay in the nearest cache, and the united words in registers. More than four lines a
//! table would need fewer look-ups, but in tables that are farther away.
//!
//! Reference: arlazarov-1970

use multiversion::multiversion;

/// Bits of a word.
pub(crate) const WORD: usize = u64::BITS as usize;
/// Lines that are united in advance.
const GROUP: usize = 4;
const TABLES: usize = WORD / GROUP;

/// Words of a line that are united at a time, if the line has as many.
const WIDTH: usize = 8;

/// Lines of bits, `stride` words apart.
#[derive(Clone, Copy)]
pub(crate) struct Lines<'a> {
    pub(crate) words: &'a [u64],
    pub(crate) stride: usize,
}

/// Unites every line with those of `pivots` that its selectors name. Bit k of the first word of its
/// selectors stands for the k-th of them, bit k of the second word for the k-th after 64, and so
/// on. Lines and pivots are equally long. Compiled for AVX2 too, which has registers of 256 bits.
#[multiversion(targets("x86_64+avx2"))]
pub(crate) fn unite(lines: &mut [u64], selectors: Lines<'_>, pivots: Lines<'_>) {
    unite_all(lines, selectors, pivots);
}

/// The same with the instructions of the caller.
#[inline(always)]
fn unite_all(lines: &mut [u64], selectors: Lines<'_>, pivots: Lines<'_>) {
    if pivots.stride < WIDTH {
        for at in 0..pivots.stride {
            unite_words::<1>(lines, at, selectors, pivots);
        }
    } else {
        for at in (0..pivots.stride).step_by(WIDTH) {
            // the last words may be united twice, which changes nothing
            unite_words::<WIDTH>(lines, at.min(pivots.stride - WIDTH), selectors, pivots);
        }
    }
}

/// Unites `W` words of every line, from word `at` on. Loops, not closures: a closure that is not
/// inlined here would be compiled for the baseline CPU.
#[inline(always)]
fn unite_words<const W: usize>(
    lines: &mut [u64],
    at: usize,
    selectors: Lines<'_>,
    pivots: Lines<'_>,
) {
    let stride = pivots.stride;
    for (word, pivots) in pivots.words.chunks(WORD * stride).enumerate() {
        let tables = Tables::<W>::of(Lines { words: pivots, stride }, at);
        let selectors = selectors.words.chunks_exact(selectors.stride);
        for (line, selectors) in lines.chunks_exact_mut(stride).zip(selectors) {
            tables.unite(&mut line[at..at + W], selectors[word]);
        }
    }
}

/// All unions of every four lines, `W` words of each.
struct Tables<const W: usize>([[[u64; W]; 1 << GROUP]; TABLES]);

impl<const W: usize> Tables<W> {
    /// Of up to 64 lines, from word `at` on.
    #[inline(always)]
    fn of(lines: Lines<'_>, at: usize) -> Self {
        let mut tables = [[[0; W]; 1 << GROUP]; TABLES];
        for (k, line) in lines.words.chunks_exact(lines.stride).enumerate() {
            let (without, with) = tables[k / GROUP].split_at_mut(1 << (k % GROUP));
            for (with, without) in with.iter_mut().zip(without) {
                for w in 0..W {
                    with[w] = without[w] | line[at + w];
                }
            }
        }
        Self(tables)
    }

    /// Unites the line with those that the selector names.
    #[inline(always)]
    fn unite(&self, line: &mut [u64], mut selector: u64) {
        if selector == 0 {
            return;
        }
        let mut union = [0; W];
        union.copy_from_slice(line);
        for table in &self.0 {
            let some = &table[selector as usize % (1 << GROUP)];
            for w in 0..W {
                union[w] |= some[w];
            }
            selector >>= GROUP;
        }
        line.copy_from_slice(&union);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_kinds_of_processor_do_what_is_defined() {
        let mut state = 1u64;
        let mut some = |len: usize| -> Vec<u64> {
            let mut next = || {
                // Knuth's MMIX generator; its high bits are the good ones
                state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
                state >> 32
            };
            (0..len).map(|_| next() & next() & next() | next() << 40).collect()
        };
        for stride in (1..=17).chain([24, 25]) {
            for n_pivots in [1usize, 3, 4, 63, 64, 65, 128, 250] {
                let n_words = n_pivots.div_ceil(WORD);
                let (before, pivots) = (some(9 * stride), some(n_pivots * stride));
                let mut selectors = some(9 * n_words);
                selectors[2 * n_words..3 * n_words].fill(0);
                let mut expected = before.clone();
                for (line, selectors) in
                    expected.chunks_mut(stride).zip(selectors.chunks_mut(n_words))
                {
                    if n_pivots % WORD > 0 {
                        selectors[n_words - 1] &= (1 << (n_pivots % WORD)) - 1;
                    }
                    for (k, pivot) in pivots.chunks(stride).enumerate() {
                        if selectors[k / WORD] >> (k % WORD) & 1 == 1 {
                            line.iter_mut().zip(pivot).for_each(|(word, more)| *word |= more);
                        }
                    }
                }
                let selectors = Lines { words: &selectors, stride: n_words };
                let pivots = Lines { words: &pivots, stride };
                for kind in [unite, unite_all] {
                    let mut lines = before.clone();
                    kind(&mut lines, selectors, pivots);
                    assert!(lines == expected, "{stride} words, {n_pivots} pivots");
                }
            }
        }
    }
}
