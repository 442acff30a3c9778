//! How deep a graph is, told from a part of it.
//!
//! The depth, how many arcs the longest of the shortest paths have, decides how long a search
//! waits for itself. It takes a search to know it. A breadth-first search that ends after some
//! thousand vertices tells it nearly enough: how many levels it has by then, and how many of
//! these for the first few hundred vertices, is how fast the levels widen. On a grid twice the
//! levels hold four times the vertices, on a path twice as many, and on a social network one
//! level more holds all of them.

use graph_formats::{Csr, VertexId, Weight};

/// Vertices by which the search tells how levels widen,
const FIRST: usize = 256;
/// and with which it ends.
const ENOUGH: usize = 4096;
/// Vertices that are looked at for one to begin with.
const SAMPLES: u32 = 64;
/// Of 2^32.
const GOLDEN_SECTION: u32 = 0x9E37_79B9;
/// Arcs of the longest shortest paths for each level: with weights they take detours, and they
/// begin at the edge of the graph.
const ARCS_A_LEVEL: f64 = 3.0;

/// About how many arcs the longest of the shortest paths have: with weights they take detours.
pub fn depth<W: Weight>(graph: &Csr<W>) -> f64 {
    let n = graph.n_vertices();
    // multiples of the golden section keep to no row or column of a grid
    let part = |i: u32| u64::from(i.wrapping_mul(GOLDEN_SECTION));
    let samples = (1..=SAMPLES).take(n).map(|i| ((part(i) * n as u64) >> 32) as VertexId);
    let Some(source) = samples.max_by_key(|&vertex| graph.out_degree(vertex)) else { return 0.0 };
    let mut is_seen = vec![false; n];
    is_seen[source as usize] = true;
    let mut seen = vec![source];
    let (mut level, mut n_levels, mut first) = (0..1, 0.0, None);
    while !level.is_empty() && seen.len() < ENOUGH {
        n_levels += 1.0;
        for at in level.clone() {
            for &end in &graph.column_indices()[graph.row(seen[at])] {
                if !std::mem::replace(&mut is_seen[end as usize], true) {
                    seen.push(end);
                }
            }
            if seen.len() >= ENOUGH {
                break;
            }
        }
        level = level.end..seen.len();
        if first.is_none() && seen.len() >= FIRST {
            first = Some((n_levels, seen.len() as f64));
        }
    }
    let n_seen = seen.len() as f64;
    let n_levels = match first {
        // so many times as many levels for so many times as many vertices
        Some((few, n_first)) if !level.is_empty() && n_levels > few => {
            let growth = f64::ln(n_levels / few) / f64::ln(n_seen / n_first);
            n_levels * (n as f64 / n_seen).powf(growth)
        }
        _ => n_levels,
    };
    (ARCS_A_LEVEL * n_levels).min(n as f64)
}

#[cfg(test)]
mod tests {
    use graph_formats::generate::{GridConfig, RmatConfig, grid, rmat};

    use super::*;

    #[test]
    fn depths_are_told_from_a_part() {
        let deep = depth(&grid(&GridConfig { side: 512, ..GridConfig::default() }).unwrap());
        assert!((700.0..1600.0).contains(&deep), "a grid of 1,100 rounds: {deep}");
        let flat = depth(&rmat(&RmatConfig { scale: 14, ..RmatConfig::default() }).unwrap());
        assert!(flat < 50.0, "{flat}");
        let ladder: Vec<_> = (0..40_000)
            .flat_map(|v| [(2 * v, 2 * v + 1, 1u32), (2 * v, 2 * v + 2, 1)])
            .chain([(80_000, 80_001, 1u32)])
            .collect();
        let long = depth(&Csr::from_edges(80_002, &ladder).unwrap());
        assert!(long > 20_000.0, "{long}");
    }

    #[test]
    fn odd_graphs_have_a_depth() {
        assert_eq!(depth(&Csr::<u32>::from_arcs(0, &[]).unwrap()), 0.0);
        assert_eq!(depth(&Csr::<u32>::from_arcs(1, &[]).unwrap()), 1.0);
        assert_eq!(depth(&Csr::from_arcs(2, &[(0, 0, 1u32), (0, 1, 1)]).unwrap()), 2.0);
        let star: Vec<_> = (1..9000).map(|v| (0, v, 1u32)).collect();
        assert!(depth(&Csr::from_edges(9000, &star).unwrap()) <= 6.0);
    }
}
