//! Who takes part in the comparison: every algorithm on the GPU with its variants, and those
//! of the host.

use std::num::NonZeroUsize;

use sssp::{Algorithm, Config, Delta, Product, ReductionBlock};

use super::race::Entry;

/// What every other solver on the GPU is compared with,
pub(super) const DEFAULT_ON_GPU: &str = "gpu/auto";
/// and without a GPU.
pub(super) const DEFAULT_ON_HOST: &str = "host/auto";
/// What all are compared with.
pub(super) const HOST_DIJKSTRA: &str = "host/dijkstra";

/// Everybody on the GPU; Dijkstra's algorithm with each of `blocks`.
pub(super) fn on_gpu(blocks: &[ReductionBlock]) -> Vec<Entry> {
    let mut entries = Vec::new();
    let mut enter = |name: String, config: Config| {
        entries.push(Entry { name: format!("gpu/{name}"), config, on_gpu: true });
    };
    for algorithm in Algorithm::ALL {
        let (name, config) = (algorithm.name(), Config::with(algorithm));
        match algorithm {
            Algorithm::Dijkstra => {
                for &reduction_block in blocks {
                    let name = dijkstra_on_gpu(reduction_block);
                    enter(name, Config { reduction_block, ..config.clone() });
                }
            }
            Algorithm::DeltaSteppingBuckets => {
                for (rule, delta) in Delta::RULES {
                    enter(format!("{name}/{rule}"), Config { delta, ..config.clone() });
                }
            }
            Algorithm::BellmanFordSpmv => {
                for (product_name, product) in Product::ALL {
                    enter(format!("{name}/{product_name}"), Config { product, ..config.clone() });
                }
            }
            _ => enter(name.to_owned(), config),
        }
    }
    entries
}

/// The name of Dijkstra's algorithm with so many threads of a block, without its place.
pub(super) fn dijkstra_on_gpu(block: ReductionBlock) -> String {
    format!("{}/{}", Algorithm::Dijkstra, block.threads())
}

/// Those of the host, with so many threads for those that take several.
pub(super) fn on_host(threads: NonZeroUsize) -> Vec<Entry> {
    let algorithms = [
        Algorithm::Auto,
        Algorithm::Dijkstra,
        Algorithm::DeltaStepping,
        Algorithm::BellmanFord,
        Algorithm::BellmanFordQueue,
        Algorithm::BellmanFordSlf,
        Algorithm::BellmanFordLll,
        Algorithm::BellmanFordSlfLll,
    ];
    let entry = |algorithm| {
        let config = Config { threads: Some(threads), ..Config::with(algorithm) };
        Entry { name: format!("host/{algorithm}"), config, on_gpu: false }
    };
    algorithms.map(entry).to_vec()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_algorithm_and_variant_is_there_once() {
        let blocks = ReductionBlock::ALL.map(|block| block.1);
        let entries = [on_gpu(&blocks), on_host(NonZeroUsize::MIN)].concat();
        let names: BTreeSet<&str> = entries.iter().map(|entry| entry.name.as_str()).collect();
        assert_eq!(names.len(), entries.len());
        for algorithm in Algorithm::ALL {
            assert!(entries.iter().any(|e| e.on_gpu && e.config.algorithm == algorithm));
        }
        for name in [DEFAULT_ON_GPU, DEFAULT_ON_HOST, HOST_DIJKSTRA, "gpu/dijkstra/1024"] {
            assert!(names.contains(name), "{name}");
        }
        let of = |prefix: &str| names.iter().filter(|name| name.starts_with(prefix)).count();
        let counts = ["gpu/dijkstra/", "gpu/delta-stepping-buckets/", "gpu/bellman-ford-spmv/"];
        assert_eq!(counts.map(of), [4, Delta::RULES.len(), Product::ALL.len()]);
    }
}
