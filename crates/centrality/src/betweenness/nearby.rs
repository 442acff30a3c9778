//! An order of sources in which those of a batch are near one another, where levels are many.
//!
//! A batch reads a vertex once for each level on which its sources find it. A few landmarks, each
//! the source farthest from those before, stand for all vertices: sources that have the same levels
//! from every landmark have nearly the same levels everywhere. Sources are halved again and again,
//! by their levels from one landmark: large parts where levels differ most, small ones where the
//! halves have the fewest levels in total. In New York 32 sources then find a vertex on 5.8 levels,
//! and in breadth-first order on 8.7.
//!
//! O(l·(n + m)) for l landmarks, at most one for each batch, and O(l²) a source; 36 bytes a source.

use std::cmp::Reverse;

use breadth_first::BreadthFirst;
use graph_formats::{Csr, VertexId, ensure_granted};
use search_parts::{Query, Team};

use super::gpu::MAX_WIDTH;
use crate::CentralityError;

/// Landmarks, at most.
const LANDMARKS: usize = 16;
/// Sources up to which every way to halve them is tried.
const TRIED: usize = 2048;
/// Sources whose numbers share a sector of memory: the last halves.
const SECTOR: usize = 4;

/// A source, and its level from each landmark.
#[derive(Clone, Copy)]
struct Source {
    levels: [u16; LANDMARKS],
    vertex: VertexId,
}

/// These sources in such an order.
pub(super) fn nearby(
    graph: &Csr<u32>,
    sources: &[VertexId],
) -> Result<Vec<VertexId>, CentralityError> {
    ensure_granted(size_of_val(sources) / size_of::<VertexId>() * size_of::<Source>())?;
    let unknown = |&vertex| Source { levels: [0; LANDMARKS], vertex };
    let mut all: Vec<Source> = sources.iter().map(unknown).collect();
    let mut nearest = vec![u16::MAX; all.len()];
    // levels are small, and threads would wait for one another
    let mut search = BreadthFirst::new(graph, None, 1, Team::WhereItPays);
    for landmark in 0..LANDMARKS.min(sources.len() / MAX_WIDTH) {
        let farthest = (0..all.len()).max_by_key(|&at| (nearest[at], Reverse(at)));
        let source = all[farthest.expect("a landmark has a batch")].vertex;
        search.run(&Query { source, targets: &[], limit: u32::MAX, progress: None })?;
        for (of, nearest) in all.iter_mut().zip(&mut nearest) {
            let level = search.level(of.vertex).map_or(u16::MAX, |level| level.min(0xfffe) as u16);
            of.levels[landmark] = level;
            *nearest = level.min(*nearest);
        }
    }
    halve(&mut all);
    Ok(all.iter().map(|source| source.vertex).collect())
}

/// Puts sources in order, half by half.
fn halve(sources: &mut [Source]) {
    let grain = if sources.len() > MAX_WIDTH { MAX_WIDTH } else { SECTOR };
    if sources.len() <= grain {
        return sources.sort_unstable_by_key(|source| source.vertex);
    }
    let half = (sources.len() / 2).next_multiple_of(grain);
    let best = match sources.len() {
        0..=TRIED => (0..LANDMARKS).min_by_key(|&landmark| {
            cut(sources, half, landmark);
            n_levels(&sources[..half]) + n_levels(&sources[half..])
        }),
        _ => (0..LANDMARKS).max_by_key(|&landmark| span(sources, landmark)),
    };
    cut(sources, half, best.expect("there are landmarks"));
    let (first, second) = sources.split_at_mut(half);
    rayon::join(|| halve(first), || halve(second));
}

/// Parts sources by their levels from a landmark.
fn cut(sources: &mut [Source], half: usize, landmark: usize) {
    sources.select_nth_unstable_by_key(half, |source| (source.levels[landmark], source.vertex));
}

/// How far apart their levels from a landmark are.
fn span(sources: &[Source], landmark: usize) -> u16 {
    let levels = || sources.iter().map(|source| source.levels[landmark]);
    levels().max().unwrap_or(0) - levels().min().unwrap_or(0)
}

/// The number of different levels from all landmarks together, where each has fewer than 128.
fn n_levels(sources: &[Source]) -> u32 {
    let mut met = [0u128; LANDMARKS];
    for source in sources {
        for (met, level) in met.iter_mut().zip(source.levels) {
            *met |= 1 << (level % 128);
        }
    }
    met.iter().map(|met| met.count_ones()).sum()
}

#[cfg(test)]
mod tests {
    use graph_formats::generate::{GridConfig, grid};

    use super::*;

    /// Different levels of a vertex from the sources of a batch, over all batches and vertices.
    fn n_levels_found(graph: &Csr<u32>, sources: &[VertexId]) -> usize {
        let mut search = BreadthFirst::new(graph, None, 1, Team::WhereItPays);
        let mut levels_of = |&source: &VertexId| {
            search.run(&Query { source, targets: &[], limit: u32::MAX, progress: None }).unwrap();
            search.map_levels(|level| level)
        };
        let of_batch = |batch: &[VertexId]| -> usize {
            let rows: Vec<Vec<u32>> = batch.iter().map(&mut levels_of).collect();
            let different = |vertex| {
                let mut levels: Vec<u32> = rows.iter().map(|row| row[vertex]).collect();
                levels.sort_unstable();
                levels.dedup();
                levels.len()
            };
            (0..graph.n_vertices()).map(different).sum()
        };
        sources.chunks(MAX_WIDTH).map(of_batch).sum()
    }

    #[test]
    fn sources_of_a_batch_are_near_one_another() {
        let graph = grid(&GridConfig { side: 40, ..GridConfig::default() }).unwrap();
        let sources: Vec<_> = graph.vertices().collect();
        let found = nearby(&graph, &sources).unwrap();
        let (rows, squares) = (n_levels_found(&graph, &sources), n_levels_found(&graph, &found));
        assert!(2 * squares < rows, "{squares} {rows}");
        let mut sorted = found;
        sorted.sort_unstable();
        assert_eq!(sorted, sources);
    }

    /// Fewer sources than a batch, in a graph of several components.
    #[test]
    fn odd_sources_have_an_order() {
        let graph = Csr::from_edges(200, &[(0, 1, 1u32), (100, 101, 1)]).unwrap();
        for n in [0, 1, 5, 33, 130] {
            let sources: Vec<_> = (0..n).collect();
            let mut found = nearby(&graph, &sources).unwrap();
            found.sort_unstable();
            assert_eq!(found, sources);
        }
    }
}
