//! Paths from the last vertices that the plain form leaves.
//!
//! The last vertex of a pair is the largest one inside its path, so that the path leads there, and
//! from there on, over smaller ones: a table look-up a vertex. O(vertices of the path).
//!
//! What differs from the text, which prints a path while it looks it up: the path is given back,
//! and `None` where there can be none.
//!
//! Reference: origin-out-of-core

use graph_formats::VertexId;

/// No vertex is inside.
const NONE: u32 = u32::MAX;

/// The path from one vertex to another, both included, by the
/// [last vertices](super::Solver::last_vertices) of a matrix with rows of `side`; from a
/// vertex to itself it is that vertex alone.
///
/// The pair has a path: where there is none, its distance says so, and its last vertex is that of
/// an arc. `None` where a vertex lies outside the matrix, or what is given leads round in a cycle.
///
/// ```
/// use published::pairs::path_of_last_vertices;
///
/// // arcs (0, 2), (2, 1) and (1, 3): from 0 to 3 the largest vertex inside is 2
/// let none = u32::MAX;
/// let mut last = [none; 16];
/// (last[1], last[3], last[2 * 4 + 3]) = (2, 2, 1);
/// assert_eq!(path_of_last_vertices(&last, 4, 0, 3), Some(vec![0, 2, 1, 3]));
/// ```
#[must_use]
pub fn path_of_last_vertices(
    last: &[u32],
    side: usize,
    from: VertexId,
    to: VertexId,
) -> Option<Vec<VertexId>> {
    let inside = |u: VertexId, v: VertexId| {
        let is_there = (u as usize) < side && (v as usize) < side;
        last.get(u as usize * side + v as usize).filter(|_| is_there).copied()
    };
    inside(from, to)?;
    let mut path = vec![from];
    // what is still to be walked, the nearest last, each with what lies below its last vertex
    let mut left = if from == to { Vec::new() } else { vec![(to, NONE)] };
    while let Some(&mut (end, below)) = left.last_mut() {
        let middle = inside(path.last().copied()?, end)?;
        if middle == NONE {
            path.push(end);
            left.pop();
        } else if middle < below {
            left.last_mut()?.1 = middle;
            left.push((middle, middle));
        } else {
            return None;
        }
    }
    Some(path)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use test_support::arbitrary_graph;

    use super::*;

    /// Distances and last vertices, by three loops.
    fn solved(n: usize, arcs: &[(u32, u32, u32)]) -> (Vec<Option<u64>>, Vec<u32>) {
        let (mut d, mut last) = (vec![None; n * n], vec![NONE; n * n]);
        (0..n).for_each(|v| d[v * n + v] = Some(0));
        for &(u, v, weight) in arcs {
            let place = &mut d[u as usize * n + v as usize];
            *place = Some(place.map_or(u64::from(weight), |old: u64| old.min(weight.into())));
        }
        for k in 0..n {
            for (i, j) in (0..n).flat_map(|i| (0..n).map(move |j| (i, j))) {
                let sum = d[i * n + k].zip(d[k * n + j]).map(|(a, b)| a + b);
                if sum.is_some_and(|sum| d[i * n + j].is_none_or(|old| sum < old)) {
                    (d[i * n + j], last[i * n + j]) = (sum, k as u32);
                }
            }
        }
        (d, last)
    }

    proptest! {
        #[test]
        fn paths_are_as_long_as_the_distances(graph in arbitrary_graph::<u32>(20, 60, 0..=9)) {
            let n = graph.n_vertices();
            let (d, last) = solved(n, &graph.arcs().collect::<Vec<_>>());
            let arc = |u: u32, v: u32| {
                let weights = graph.arcs_from(u).filter(|arc| arc.0 == v).map(|arc| arc.1);
                weights.min().map(u64::from)
            };
            for (u, v) in (0..n as u32).flat_map(|u| (0..n as u32).map(move |v| (u, v))) {
                let path = path_of_last_vertices(&last, n, u, v).unwrap();
                prop_assert_eq!((path[0], *path.last().unwrap()), (u, v));
                let lengths: Option<Vec<u64>> = path.windows(2).map(|w| arc(w[0], w[1])).collect();
                let length = lengths.map(|lengths| lengths.iter().sum());
                prop_assert_eq!(length, d[u as usize * n + v as usize]);
            }
        }
    }

    #[test]
    fn what_is_no_path_is_told() {
        let mut last = [NONE; 9];
        assert_eq!(path_of_last_vertices(&last, 3, 1, 1), Some(vec![1]));
        assert_eq!(path_of_last_vertices(&last, 3, 0, 3), None);
        assert_eq!(path_of_last_vertices(&last[..4], 3, 1, 2), None);
        last[2] = 7;
        assert_eq!(path_of_last_vertices(&last, 3, 0, 2), None, "there is no vertex 7");
        (last[2], last[1], last[5]) = (1, 2, NONE);
        assert_eq!(path_of_last_vertices(&last, 3, 0, 2), None, "from 0 to 1 by 2 by 1");
    }
}
