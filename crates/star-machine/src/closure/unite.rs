//! The innermost loop of closure on the processor: lines of bits, each united with some of 64.
//!
//! The Four Russians' way: of every four of the 64 lines all sixteen unions are made once, and
//! a line looks up sixteen of them in place of up to 64. A table is of so few words that the
//! sixteen tables stay in the nearest cache, and what they are united into in registers. More
//! than four lines a table would need fewer look-ups, but in tables that are farther away.
//!
//! Reference: arlazarov-1970

use super::bit_matrix::WORD;

/// Lines that are united in advance.
const GROUP: usize = 4;
const TABLES: usize = WORD / GROUP;

/// Words of a line that are united at a time, if it has so many.
const WIDTH: usize = 8;

/// Lines of bits, `stride` words apart.
#[derive(Clone, Copy)]
pub(super) struct Lines<'a> {
    pub(super) words: &'a [u64],
    pub(super) stride: usize,
}

/// Unites every line with those of `pivots` that its selectors name: of the first word of
/// its selectors bit k stands for the k-th of them, of the second bit k for the k-th after
/// 64, and so on. Lines and pivots are equally long.
pub(super) fn unite(lines: &mut [u64], selectors: Lines<'_>, pivots: Lines<'_>) {
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("avx2") {
        // SAFETY: the processor has AVX2.
        return unsafe { unite_by_avx2(lines, selectors, pivots) };
    }
    unite_all(lines, selectors, pivots);
}

/// The same, compiled for registers of 256 bits.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn unite_by_avx2(lines: &mut [u64], selectors: Lines<'_>, pivots: Lines<'_>) {
    unite_all(lines, selectors, pivots);
}

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

/// Unites so many words of every line, from word `at` on. Loops, not closures: what is not
/// inlined here would have the instructions of any processor.
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

/// Of every four lines all unions, so many words of each.
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
