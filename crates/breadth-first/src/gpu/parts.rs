//! The parts of long rows, which groups of lanes take like rows.

/// Arcs of a part; longer rows are cut into parts.
const PART_LENGTH: u64 = 256;

/// How many of these rows come before the last one that is longer than a part; and the parts of
/// these: row, the two words of the first arc, number of arcs.
///
/// The first parts of all rows come first: where rows ascend, they have the bits of most sources,
/// and the rest need not be read. Rows are sorted by length, about. O(n + parts).
pub(super) fn parts_of(row_offsets: &[u64]) -> (usize, Vec<[u32; 4]>) {
    let length = |row: usize| row_offsets[row + 1] - row_offsets[row];
    let longer = |n_rows: usize, than: u64| {
        (0..n_rows).rev().find(|&row| length(row) > than).map_or(0, |row| row + 1)
    };
    let n_long = longer(row_offsets.len() - 1, PART_LENGTH);
    let (mut parts, mut n_rows, mut first) = (Vec::new(), n_long, 0);
    while n_rows > 0 {
        for row in (0..n_rows).filter(|&row| length(row) > first) {
            let (arc, n_arcs) = (row_offsets[row] + first, length(row) - first);
            let n_arcs = n_arcs.min(PART_LENGTH) as u32;
            parts.push([row as u32, arc as u32, (arc >> 32) as u32, n_arcs]);
        }
        first += PART_LENGTH;
        n_rows = longer(n_rows, first);
    }
    (n_long, parts)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn first_parts_come_first() {
        let from = 1 << 32;
        let (n_long, parts) = parts_of(&[from - 1, from + 599, from + 606, from + 863, from + 864]);
        assert_eq!(n_long, 3);
        let expected = [
            [0, u32::MAX, 0, 256],
            [1, 599, 1, 7],
            [2, 606, 1, 256],
            [0, 255, 1, 256],
            [2, 862, 1, 1],
            [0, 511, 1, 88],
        ];
        assert_eq!(parts, expected);
    }
}
