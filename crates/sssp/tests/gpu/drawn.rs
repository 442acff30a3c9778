//! Graphs that a GPU draws, against those of the CPU.

use breadth_first::HopCounter;
use breadth_first::gpu::{HopSearches, hop_sums};
use graph_formats::generate::{
    Duplicates, EdgeDraws, GraphOptions, RmatConfig, UniformConfig, VertexNumbering, rmat, uniform,
};
use graph_formats::{Csr, Direction, VertexId};
use sssp::SsspError;
use sssp::gpu::RankedArcs;

use crate::common::gpu;

/// Graphs of all options, with the draws that they are made of: rows of one arc and of more than a
/// block sorts in its shared memory.
fn some_graphs() -> Vec<(EdgeDraws, Csr<u32>)> {
    let mut graphs = Vec::new();
    for direction in [Direction::Directed, Direction::Undirected] {
        for duplicates in [Duplicates::Drop, Duplicates::Keep] {
            let options = GraphOptions { seed: 5, direction, duplicates, ..Default::default() };
            for (scale, edge_factor) in [(0, 2), (1, 3), (12, 9), (11, 60)] {
                for numbering in [VertexNumbering::Scrambled, VertexNumbering::AsDrawn] {
                    let options = options.clone();
                    let config =
                        RmatConfig { scale, edge_factor, numbering, options, ..Default::default() };
                    graphs.push((config.draws().unwrap(), rmat(&config).unwrap()));
                }
            }
            for (n_vertices, n_edges) in [(0, 0), (1, 2), (5000, 3000), (3, 90_000)] {
                let config = UniformConfig { n_vertices, n_edges, options: options.clone() };
                graphs.push((config.draws().unwrap(), uniform(&config).unwrap()));
            }
        }
    }
    graphs
}

#[test]
fn drawn_graphs_are_those_of_the_cpu() {
    let Some(gpu) = gpu() else { return };
    for (draws, expected) in some_graphs() {
        let rows = RankedArcs::drawn(&gpu, &draws).unwrap();
        let ends = rows.ends.download().unwrap();
        assert!(draws.graph_of_rows(rows.row_offsets, ends).unwrap() == expected, "{draws:?}");
    }
}

#[test]
fn hops_of_drawn_graphs_are_those_of_the_cpu() {
    let Some(gpu) = gpu() else { return };
    for (draws, graph) in some_graphs() {
        if graph.direction() == Direction::Directed {
            let refused = HopSearches::drawn(&gpu, &draws).err();
            assert!(matches!(refused, Some(SsspError::NotOnGpu { .. })));
            continue;
        }
        let sources: Vec<VertexId> = graph.vertices().collect();
        let expected = HopCounter::new(&graph, &[], None).sums(&sources, None).unwrap();
        // one device twice, as two GPUs would share the sources
        for n in 1..=2 {
            let made = || HopSearches::drawn(&gpu, &draws).unwrap();
            let mut searches: Vec<_> = (0..n).map(|_| made()).collect();
            let (found, _) = hop_sums(&mut searches, &sources, None).unwrap();
            assert!(found == expected, "{draws:?}, {n} at once");
        }
    }
}
