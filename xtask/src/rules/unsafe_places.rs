//! Where `unsafe` may stand. That each block says why it is sound is clippy's to check
//! (`undocumented_unsafe_blocks`); where blocks may be at all is decided here.

use super::{Finding, Rule};
use crate::source::{code_of, lines_with_word};
use crate::workspace::Workspace;

/// Files and folders that may hold `unsafe`, and what for.
const ALLOWED: [(&str, &str); 52] = [
    ("crates/apsp/src/cuda/arcs.rs", "kernels are launched"),
    ("crates/apsp/src/cuda/next_hops.rs", "kernels are launched"),
    ("crates/apsp/src/cuda/floyd_warshall.rs", "strips and panels are copied, and launched on"),
    ("crates/apsp/src/cuda/folder.rs", "strips are copied and launched on"),
    ("crates/apsp/src/cuda/link.rs", "words are copied and broadcast"),
    ("crates/apsp/src/cuda/changes.rs", "kernels are launched"),
    ("crates/apsp/src/cuda/panel.rs", "kernels are launched"),
    ("crates/apsp/src/cuda/product.rs", "kernels are launched"),
    ("crates/apsp/src/cuda/supernodes/", "kernels are launched"),
    ("crates/apsp/src/host/min_plus/kernel.rs", "functions for some processors are called"),
    ("crates/apsp/src/host/min_plus/registers.rs", "loads and stores of registers"),
    ("crates/apsp/src/scratch/map.rs", "files are mapped into memory"),
    ("crates/apsp/tests/all/gpu_failure.rs", "a kernel that fails is launched"),
    ("crates/breadth-first/src/gpu/", "searches and the second pass are launched"),
    ("crates/centrality/src/approximate/gpu.rs", "a kernel is launched"),
    ("crates/centrality/src/betweenness/gpu/", "kernels are launched"),
    ("crates/closure/src/cuda/dynamic.rs", "kernels are launched"),
    ("crates/closure/src/cuda/engine.rs", "kernels are launched, and lines copied"),
    ("crates/closure/src/cuda/replace.rs", "kernels are launched"),
    ("crates/collectives/src/nccl.rs", "NCCL is a C library, loaded at run time"),
    ("crates/gpu-runtime/src/cuda/", "the CUDA driver is a C library"),
    ("crates/gpu-runtime/src/disabled.rs", "a launch is unsafe, in the twin without CUDA too"),
    ("crates/gpu-runtime/src/interface.rs", "a launch is unsafe, in the list of both builds too"),
    ("crates/gpu-runtime/tests/device/", "launches"),
    ("crates/graph-formats/src/buffer.rs", "a slice lies in memory that its owner keeps"),
    ("crates/graph-formats/src/io/mod.rs", "a file is mapped where the caller asks for it"),
    ("crates/graph-formats/src/io/pages.rs", "a file is mapped where the caller asks for it"),
    ("crates/graph-formats/src/io/spg.rs", "a file is mapped where the caller asks for it"),
    ("crates/graph-formats/src/rustacuda.rs", "DeviceCopy is an unsafe trait"),
    ("crates/graph-formats/src/prefetch.rs", "the processor's prefetch instruction"),
    ("crates/graph-formats/tests/all/binary.rs", "files of the tests are mapped"),
    ("crates/hierarchy/src/gpu/", "kernels are launched, and rows copied"),
    ("crates/hierarchy/tests/all/prepared.rs", "files of the tests are mapped"),
    ("crates/partitioned/src/gpu/", "kernels are launched, and keys copied between GPUs"),
    ("crates/python/src/device_array.rs", "arrays of other libraries are taken and given"),
    ("crates/python/src/prepared.rs", "a file is mapped where the caller asks for it"),
    ("crates/published/src/", "kernels are launched, and buffers are vouched for"),
    ("crates/search-parts/src/device/", "kernels are launched"),
    ("crates/search-parts/src/large_pages.rs", "the system is asked for large pages"),
    ("crates/search-parts/src/launch.rs", "kernels are launched"),
    ("crates/search-parts/src/threads.rs", "threads write a vector that is not filled before"),
    ("crates/sssp/src/gpu/arrays.rs", "kernels are launched"),
    ("crates/sssp/src/gpu/cells.rs", "a kernel is launched"),
    ("crates/sssp/src/gpu/changes.rs", "kernels are launched, and keys copied"),
    ("crates/sssp/src/gpu/device_solver.rs", "a search gets arcs that were inspected"),
    ("crates/sssp/src/gpu/delta_stepping.rs", "a search and its second pass are launched"),
    ("crates/sssp/src/gpu/many_sources.rs", "a batch of searches is launched"),
    ("crates/sssp/src/gpu/nearest.rs", "a kernel is launched"),
    ("crates/sssp/src/gpu/bellman_ford_queue.rs", "kernels are launched"),
    ("crates/starpath/src/load.rs", "a file is mapped where the user asks for it"),
    ("crates/star-machine/src/cuda/", "kernels are launched"),
    ("crates/star-machine/src/warshall/adapted.rs", "a kernel is launched"),
];

pub(super) const RULE: Rule =
    Rule { name: "unsafe-places", promise: "unsafe stands in listed files only", check };

fn check(workspace: &Workspace) -> Vec<Finding> {
    findings(workspace, &ALLOWED)
}

fn findings(workspace: &Workspace, allowed: &[(&str, &str)]) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut used = vec![false; allowed.len()];
    for file in workspace.rust_files() {
        let lines = lines_with_word(&code_of(&file.text), "unsafe");
        match allowed.iter().position(|(place, _)| file.path.starts_with(place)) {
            Some(place) => used[place] |= !lines.is_empty(),
            None => findings.extend(lines.iter().map(|&line| {
                let message = "unsafe is not expected here: write it safely, or list the place \
                               and the reason in xtask/src/rules/unsafe_places.rs";
                Finding::new(&file.path, line, message)
            })),
        }
    }
    for ((place, reason), _) in allowed.iter().zip(used).filter(|(_, used)| !used) {
        let message = format!("holds no unsafe any more ({reason}): take it off the list");
        findings.push(Finding::new(place, 0, message));
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::places;

    #[test]
    fn unsafe_outside_the_list_is_found() {
        let workspace = Workspace::of_files(&[
            ("crates/a/src/map.rs", "let map = unsafe { open() };"),
            ("crates/a/src/lib.rs", "#![forbid(unsafe_code)]\n// unsafe\nunsafe fn f() {}"),
        ]);
        let found = findings(&workspace, &[("crates/a/src/map.rs", "")]);
        assert_eq!(places(&found), [("crates/a/src/lib.rs", 3)]);
    }

    #[test]
    fn a_listed_place_without_unsafe_is_found() {
        let workspace = Workspace::of_files(&[("crates/a/src/map.rs", "fn safe() {}")]);
        let found = findings(&workspace, &[("crates/a/src/map.rs", "a map")]);
        assert_eq!(places(&found), [("crates/a/src/map.rs", 0)]);
    }
}
