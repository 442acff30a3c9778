//! Who takes part in the comparison: every algorithm on the GPU with its variants, and those
//! of the host.

use std::num::NonZeroUsize;

use sssp::gpu::{self, BlockSize, Layout};
use sssp::{Algorithm, Config, Delta};

use super::race::{Asked, Entry};

/// What every other solver on the GPU is compared with,
pub(super) const DEFAULT_ON_GPU: &str = "gpu/auto";
/// and without a GPU.
pub(super) const DEFAULT_ON_HOST: &str = "host/auto";
/// What all are compared with.
pub(super) const HOST_DIJKSTRA: &str = "host/dijkstra";

/// Everybody on the GPU; Dijkstra's algorithm with each of `blocks`.
pub(super) fn on_gpu(blocks: &[BlockSize]) -> Vec<Entry> {
    let mut entries = Vec::new();
    let mut enter = |name: String, algorithm: Option<gpu::Algorithm>| {
        let asked = Asked::OnGpu(gpu::Config { algorithm, ..gpu::Config::default() });
        entries.push(Entry { name: format!("gpu/{name}"), asked });
    };
    enter("auto".to_owned(), None);
    for algorithm in gpu::Algorithm::ALL {
        let name = algorithm.name();
        match algorithm {
            gpu::Algorithm::Dijkstra(_) => {
                for &block in blocks {
                    enter(dijkstra_on_gpu(block), Some(gpu::Algorithm::Dijkstra(block)));
                }
            }
            gpu::Algorithm::DeltaSteppingBuckets(_) => {
                for (rule, delta) in Delta::RULES {
                    let with_rule = gpu::Algorithm::DeltaSteppingBuckets(delta);
                    enter(format!("{name}/{rule}"), Some(with_rule));
                }
            }
            gpu::Algorithm::BellmanFordSpmv(_) => {
                for (layout_name, layout) in Layout::ALL {
                    let with_layout = gpu::Algorithm::BellmanFordSpmv(layout);
                    enter(format!("{name}/{layout_name}"), Some(with_layout));
                }
            }
            _ => enter(name.to_owned(), Some(algorithm)),
        }
    }
    entries
}

/// The name of Dijkstra's algorithm with so many threads of a block, without its place.
pub(super) fn dijkstra_on_gpu(block: BlockSize) -> String {
    format!("dijkstra/{}", block.threads())
}

/// Those of the host, with so many threads for those that take several.
pub(super) fn on_host(threads: NonZeroUsize) -> Vec<Entry> {
    let entry = |algorithm: Option<Algorithm>| {
        let name = algorithm.map_or("auto", Algorithm::name);
        let config = Config { algorithm, threads: Some(threads), ..Config::default() };
        Entry { name: format!("host/{name}"), asked: Asked::OnCpu(config) }
    };
    [None].into_iter().chain(Algorithm::ALL.map(Some)).map(entry).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_algorithm_and_variant_is_there_once() {
        let blocks = BlockSize::ALL.map(|block| block.1);
        let entries = [on_gpu(&blocks), on_host(NonZeroUsize::MIN)].concat();
        let names: BTreeSet<&str> = entries.iter().map(|entry| entry.name.as_str()).collect();
        assert_eq!(names.len(), entries.len());
        for algorithm in gpu::Algorithm::ALL {
            let asked = Asked::OnGpu(gpu::Config::with(algorithm));
            assert!(entries.iter().any(|entry| entry.asked == asked), "{algorithm}");
        }
        for name in [DEFAULT_ON_GPU, DEFAULT_ON_HOST, HOST_DIJKSTRA, "gpu/dijkstra/1024"] {
            assert!(names.contains(name), "{name}");
        }
        let of = |prefix: &str| names.iter().filter(|name| name.starts_with(prefix)).count();
        let counts = ["gpu/dijkstra/", "gpu/delta-stepping-buckets/", "gpu/bellman-ford-spmv/"];
        assert_eq!(counts.map(of), [4, Delta::RULES.len(), Layout::ALL.len()]);
    }
}
