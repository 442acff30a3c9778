//! `MIN` and `MAX`, which ask in every column whether any row at all has the better bit. Here
//! each block of rows finds its own best; then the first row of each block stands for it when
//! blocks are compared, and those that are not the best lose their rows.

use super::strips::{BLOCK, Block, over_strips};
use crate::language::SliceVar;
use crate::procedures::steps::equal;
use crate::procedures::{Pass, Second};
use crate::{Field, Host, StarError};

pub(super) fn run(host: &mut Host, pass: &Pass, z: SliceVar) -> Result<(), StarError> {
    over_strips(host, pass, [z], |block| {
        let Block { x, results: [found], spare: better, columns } = block;
        found.copy_from_slice(x);
        for j in 0..pass.size().1 as usize {
            columns.each(j, found, [better], |_, found, a, b| [equal(found, a, b)]);
            if better.iter().fold(0, |all, word| all | word) != 0 {
                found.copy_from_slice(better);
            }
        }
    })?;
    let mut found = host.vector_ref(z.0)?.clone();
    if let (Some(table), Second::Known(greatest)) = (pass.a, pass.b) {
        keep_best(host.field(table)?, found.as_words_mut(), greatest);
    }
    *host.vector_mut(z.0)? = found;
    Ok(())
}

/// Clears the blocks whose rows are not the best of all.
fn keep_best(table: Field<'_>, found: &mut [u64], greatest: bool) {
    let representative = |(block, words): (usize, &[u64])| {
        let word = words.iter().position(|word| *word != 0)?;
        Some((BLOCK * block + word, words[word].trailing_zeros()))
    };
    let bit =
        |(word, row): (usize, u32), j| table.as_words()[j * table.stride() + word] >> row & 1 == 1;
    let differ = |a, b| (0..table.columns()).find(|&j| bit(a, j) != bit(b, j));
    let better = |a, b| match differ(a, b) {
        Some(j) if bit(b, j) == greatest => b,
        _ => a,
    };
    let blocks = found.chunks(BLOCK).enumerate();
    let Some(best) = blocks.filter_map(representative).reduce(better) else { return };
    for (block, words) in found.chunks_mut(BLOCK).enumerate() {
        if representative((block, words)).is_some_and(|row| differ(row, best).is_some()) {
            words.fill(0);
        }
    }
}
