//! An estimate of the depth of a graph, from a part of it.
//!
//! The depth is the most arcs on a shortest path; it decides how often the threads of a search wait
//! for one another. Only a whole search finds it exactly. Here a breadth-first search stops after
//! some thousand vertices, and its levels are extrapolated from how fast they widened since the
//! first few hundred vertices. On a grid, twice the levels hold four times the vertices; on a path,
//! twice as many; on a social network, one level more holds all of them.

use graph_formats::{Csr, VertexId, Weight};

/// Vertices found when the widening of the levels is first measured.
const MIN_VERTICES: usize = 256;
/// Vertices found at which the search stops.
const MAX_VERTICES: usize = 4096;
/// Vertices compared by degree to choose the source.
const SAMPLES: u32 = 64;
/// The inverse golden ratio, scaled to 2^32.
const GOLDEN_RATIO: u32 = 0x9E37_79B9;
/// Arcs on the longest shortest path for each level found: weighted paths take detours, and the
/// longest begin at the edge of the graph.
const ARCS_PER_LEVEL: f64 = 3.0;

/// An estimate of the most arcs on a shortest path, detours because of weights included.
pub fn depth<W: Weight>(graph: &Csr<W>) -> f64 {
    let n = graph.n_vertices();
    // multiples of the golden ratio fall into no fixed row or column of a grid
    let part = |i: u32| u64::from(i.wrapping_mul(GOLDEN_RATIO));
    let samples = (1..=SAMPLES).take(n).map(|i| ((part(i) * n as u64) >> 32) as VertexId);
    let Some(source) = samples.max_by_key(|&vertex| graph.out_degree(vertex)) else { return 0.0 };
    let mut is_seen = vec![false; n];
    is_seen[source as usize] = true;
    let mut seen = vec![source];
    let mut n_seen = 1.0;
    let (mut level, mut n_levels, mut first) = (0..1, 0.0, None);
    while !level.is_empty() && seen.len() < MAX_VERTICES {
        n_levels += 1.0;
        for at in level.clone() {
            for &end in &graph.column_indices()[graph.row(seen[at])] {
                if !std::mem::replace(&mut is_seen[end as usize], true) {
                    seen.push(end);
                }
            }
            if seen.len() >= MAX_VERTICES {
                // the rest of the level leads on likewise
                let share = (at + 1 - level.start) as f64 / level.len() as f64;
                let before = level.end as f64;
                n_seen = before + (seen.len() as f64 - before) / share;
                break;
            }
            n_seen = seen.len() as f64;
        }
        level = level.end..seen.len();
        if first.is_none() && seen.len() >= MIN_VERTICES {
            first = Some((n_levels, seen.len() as f64));
        }
    }
    let n_levels = match first {
        // the number of levels grows as a power of the number of vertices
        Some((few, n_first)) if !level.is_empty() && n_levels > few => {
            let growth = f64::ln(n_levels / few) / f64::ln(n_seen / n_first);
            n_levels * (n as f64 / n_seen).max(1.0).powf(growth)
        }
        _ => n_levels,
    };
    (ARCS_PER_LEVEL * n_levels).min(n as f64)
}

#[cfg(test)]
mod tests {
    use graph_formats::generate::{GridConfig, RmatConfig, grid, rmat};

    use super::*;

    #[test]
    fn depths_are_estimated_from_a_part() {
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
