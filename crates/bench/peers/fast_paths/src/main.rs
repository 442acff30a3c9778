//! The crate fast_paths as a program of the study `roads`: `fast_paths GRAPH PAIRS ANSWERS`.
//!
//! `crates/bench/src/studies/roads/others.rs` has what the files are and what is printed.

use std::error::Error;
use std::time::Instant;

use fast_paths::{InputGraph, create_calculator, get_node_ordering, prepare, prepare_with_order};

const NO_PATH: u32 = u32::MAX;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().collect();
    let [_, graph, pairs, answers] = &arguments[..] else {
        return Err("usage: fast_paths GRAPH PAIRS ANSWERS".into());
    };
    let (graph, pairs) = (words(graph)?, words(pairs)?);
    let (n, m) = (graph[0] as usize, graph[1] as usize);
    let (offsets, arcs) = graph[2..].split_at(n + 1);
    let (heads, weights) = arcs.split_at(m);
    let start = Instant::now();
    let mut input = InputGraph::new();
    for from in 0..n {
        for arc in offsets[from] as usize..offsets[from + 1] as usize {
            input.add_edge(from, heads[arc] as usize, weights[arc] as usize);
        }
    }
    input.freeze();
    let prepared = prepare(&input);
    println!("prepare_ms {}", ms(start));
    // what it has for other weights: the order is kept
    let order = get_node_ordering(&prepared);
    let start = Instant::now();
    prepare_with_order(&input, &order)?;
    println!("customize_ms {}", ms(start));

    let (sources, targets) = pairs.split_at(pairs.len() / 2);
    let mut calculator = create_calculator(&prepared);
    let mut lengths = Vec::new();
    let mut times = Vec::new();
    for is_timed in [false, true] {
        for (&source, &target) in sources.iter().zip(targets) {
            let start = Instant::now();
            let path = calculator.calc_path(&prepared, source as usize, target as usize);
            let us = ms(start) * 1e3;
            if is_timed {
                times.push(us);
                // of the arcs along its vertices
                let length = path.map(|path| {
                    let steps = path.get_nodes().windows(2).map(|ends| {
                        let row = offsets[ends[0]] as usize..offsets[ends[0] + 1] as usize;
                        let along = row.filter(|&arc| heads[arc] as usize == ends[1]);
                        along.map(|arc| weights[arc]).min().ok_or("a step along no arc")
                    });
                    steps.sum::<Result<u32, _>>()
                });
                lengths.push(length.transpose()?.unwrap_or(NO_PATH));
            }
        }
    }
    times.sort_unstable_by(f64::total_cmp);
    println!("path_us {}", times.iter().sum::<f64>() / times.len() as f64);
    println!("path_p99_us {}", times[times.len() * 99 / 100]);
    println!("answers pairs");
    std::fs::write(
        answers,
        lengths.iter().flat_map(|word| word.to_le_bytes()).collect::<Vec<_>>(),
    )?;
    Ok(())
}

fn words(path: &str) -> Result<Vec<u32>, Box<dyn Error>> {
    let bytes = std::fs::read(path)?;
    let word = |bytes: &[u8]| u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
    Ok(bytes.chunks_exact(4).map(word).collect())
}

fn ms(start: Instant) -> f64 {
    start.elapsed().as_secs_f64() * 1e3
}
