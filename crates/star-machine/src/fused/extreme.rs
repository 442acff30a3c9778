//! `MIN` and `MAX`, which ask in every column whether any row at all has the better bit. Here
//! each group of 512 rows finds its own best in registers; then the first row of each group
//! stands for it when groups are compared, and those that are not the best lose their rows.

use super::lanes::LANES;
use super::pass::{Pass, pass};
use crate::language::{FieldVar, SliceVar};
use crate::{Field, Host, StarError};

pub(super) fn run(
    host: &mut Host,
    table: FieldVar,
    rows: SliceVar,
    greatest: bool,
    z: SliceVar,
) -> Result<(), StarError> {
    pass(host, &Pass::reads(rows, &[table]), [z], |x, columns| {
        let mut found = x;
        for j in 0..table.columns as usize {
            let y = columns.read(0, j);
            let better = found & if greatest { y } else { !y };
            if better.some() {
                found = better;
            }
        }
        [found]
    })?;
    let mut found = host.vector_ref(z.0)?.clone();
    keep_best(host.field(table)?, found.as_words_mut(), greatest);
    *host.vector_mut(z.0)? = found;
    Ok(())
}

/// Clears the groups whose rows are not the best of all.
fn keep_best(table: Field<'_>, found: &mut [u64], greatest: bool) {
    let representative = |(group, words): (usize, &[u64])| {
        let word = words.iter().position(|word| *word != 0)?;
        let row = words[word].trailing_zeros() as usize;
        Some((LANES * group + word, row))
    };
    let bit = |(word, row): (usize, usize), j| {
        table.as_words()[j * table.stride() + word] >> row & 1 == 1
    };
    let differ = |a, b| (0..table.columns()).find(|&j| bit(a, j) != bit(b, j));
    let better = |a, b| match differ(a, b) {
        Some(j) if bit(b, j) == greatest => b,
        _ => a,
    };
    let groups = found.chunks(LANES).enumerate();
    let Some(best) = groups.filter_map(representative).reduce(better) else { return };
    for (group, words) in found.chunks_mut(LANES).enumerate() {
        if representative((group, words)).is_some_and(|row| differ(row, best).is_some()) {
            words.fill(0);
        }
    }
}
