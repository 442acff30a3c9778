//! One thread of the host: the three loops as the papers print them, with nothing but what
//! the compiler makes of the innermost.

use std::ops::Add;

/// Distances in place of arcs, in the first `n` rows and columns of a matrix of `side`.
pub(super) fn close<E: Copy + PartialOrd + Add<Output = E>>(
    matrix: &mut [E],
    side: usize,
    n: usize,
) {
    for k in 0..n {
        let through = matrix[k * side..][..n].to_vec();
        for row in matrix.chunks_exact_mut(side).take(n) {
            let first = row[k];
            for (least, &second) in row.iter_mut().zip(&through) {
                let sum = first + second;
                *least = if sum < *least { sum } else { *least };
            }
        }
    }
}
