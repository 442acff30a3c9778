//! Random shortest paths of random pairs, on a GPU.
//!
//! The method is in `kernels/centrality/path_samples.cu`: a block takes one pair after another, and
//! there are as many blocks as the memory has room for, down to one. Pairs, paths and counts are
//! those of the CPU, except where numbers of paths beyond 2^53 are rounded. A pair with 2^900 paths
//! or more is left to the CPU.
//!
//! 20 bytes a vertex for each block, 8 for the counts, and 4 an arc, or 8 in a directed graph.
//!
//! Reference: borassi-natale-2019

use std::ops::Range;

use ::paths::Progress;
use bytemuck::{Pod, Zeroable};
use gpu_runtime::{Buffer, Gpu, Ptx};
use graph_formats::{Direction, tell};
use search_parts::device::DeviceArcs;
use search_parts::{Launch, check_size};
use sssp::SsspError;

use super::draws::mixed;
use super::paths::Sampler;
use super::rule::Seen;
use super::{Counts, Pairs};
use crate::CentralityError;

static PATH_SAMPLES: Ptx =
    Ptx::new(kernels::centrality::PATH_SAMPLES.name, kernels::centrality::PATH_SAMPLES.ptx);

/// `n_threads` of the kernel.
const THREADS: u32 = 256;
/// Blocks on each multiprocessor.
const BLOCKS: u32 = 4;
/// `left_to_host` of the kernel.
const LEFT_TO_HOST: u32 = u32::MAX;
/// Pairs of a launch, at most.
const PAIRS_PER_LAUNCH: u64 = 1 << 20;

/// `PathVertex` of the kernel.
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
struct PathVertex {
    paths: f64,
    mark: u32,
    padding: u32,
}

/// `SampleControl` of the kernel.
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
struct SampleControl {
    taken: u32,
    stopped: u32,
}

/// `PathSamples` of the kernel.
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
struct PathSamples {
    out_offsets: u64,
    out_ends: u64,
    in_offsets: u64,
    in_ends: u64,
    sums: u64,
    vertices: u64,
    found: u64,
    inside: u64,
    control: u64,
    host: u64,
    seed: u64,
    first: u64,
    n_vertices: u32,
    n_samples: u32,
    rows_ascend: u32,
    padding: u32,
}

/// The graph and the work spaces of blocks on a GPU, and what was counted.
pub(super) struct OnGpu<'a> {
    sampler: &'a Sampler<'a>,
    launch: Launch,
    /// The parameters that are the same for every launch.
    parameters: PathSamples,
    sums: Buffer<u64>,
    inside: Buffer<u32>,
    control: Buffer<SampleControl>,
    /// What the CPU counted in pairs that were left to it, and the numbers of vertices inside the
    /// paths of all.
    others: Counts,
    /// The other buffers whose addresses `parameters` has.
    _graph: (DeviceArcs, Option<DeviceArcs>),
    _blocks: (Buffer<PathVertex>, Buffer<u32>),
}

impl<'a> OnGpu<'a> {
    pub(super) fn new(
        gpu: &Gpu,
        sampler: &'a Sampler<'a>,
        others: Counts,
    ) -> Result<Self, SsspError> {
        let graph = sampler.out;
        let (n, m) = (graph.n_vertices(), graph.n_arcs());
        check_size(n, m)?;
        let is_directed = graph.direction() == Direction::Directed;
        let of_counts = n * size_of::<u64>() + PAIRS_PER_LAUNCH as usize * size_of::<u32>();
        let of_all = (1 + u64::from(is_directed)) * DeviceArcs::bytes(n, m) + of_counts as u64;
        let of_block = (n * (size_of::<PathVertex>() + size_of::<u32>())) as u64;
        gpu.check_fits("the graph and the search of a pair", of_all + of_block)?;
        // some is left, for what the driver rounds up
        let fit = (gpu.available_bytes()? / 16 * 15).saturating_sub(of_all) / of_block.max(1);
        let wanted = BLOCKS * gpu.properties().multiprocessors;
        let n_blocks = u64::from(wanted).min(fit).max(1) as usize;
        let kernel = gpu.kernel(&PATH_SAMPLES, "sample_paths")?;
        let mut launch = Launch::new(gpu, kernel, n_blocks as u32, THREADS)?;
        // no block waits for another
        launch.shape.cooperative = false;
        let rows = DeviceArcs::upload(gpu, graph)?;
        let rows_in = is_directed.then(|| DeviceArcs::upload(gpu, sampler.into)).transpose()?;
        let into = rows_in.as_ref().unwrap_or(&rows);
        // buffers are zero at first
        let sums = gpu.buffer(n)?;
        let inside = gpu.buffer(PAIRS_PER_LAUNCH as usize)?;
        let control = gpu.buffer(1)?;
        let vertices = gpu.buffer(n_blocks * n)?;
        let found = gpu.buffer(n_blocks * n)?;
        let parameters = PathSamples {
            out_offsets: rows.offsets.address(),
            out_ends: rows.ends.address(),
            in_offsets: into.offsets.address(),
            in_ends: into.ends.address(),
            sums: sums.address(),
            vertices: vertices.address(),
            found: found.address(),
            inside: inside.address(),
            control: control.address(),
            seed: mixed(sampler.seed),
            n_vertices: n as u32,
            rows_ascend: (graph.rows_ascend() && sampler.into.rows_ascend()).into(),
            ..PathSamples::zeroed()
        };
        Ok(Self {
            sampler,
            launch,
            parameters,
            sums,
            inside,
            control,
            others,
            _graph: (rows, rows_in),
            _blocks: (vertices, found),
        })
    }

    /// Draws pairs of a launch. How many vertices are inside the paths of each.
    fn draw(
        &mut self,
        samples: Range<u64>,
        total: u64,
        progress: Option<Progress<'_>>,
    ) -> Result<Vec<u32>, SsspError> {
        let n_samples = (samples.end - samples.start) as u32;
        self.control.fill_bytes(0)?;
        let parameters = PathSamples {
            first: samples.start,
            n_samples,
            host: self.launch.start(progress.is_some())?,
            ..self.parameters
        };
        // SAFETY: `new` made all buffers, with the elements that the kernel requires for each block
        // and each vertex, and for up to PAIRS_PER_LAUNCH pairs.
        unsafe { self.launch.queue(&parameters)? };
        let report = progress.map(|progress| move |done| progress(samples.start + done, total));
        self.launch.wait(report)?;
        Ok(self.inside.download_range(0..n_samples as usize)?)
    }
}

impl Pairs for OnGpu<'_> {
    fn add(
        &mut self,
        samples: Range<u64>,
        total: u64,
        progress: Option<Progress<'_>>,
    ) -> Result<(), CentralityError> {
        for first in samples.clone().step_by(PAIRS_PER_LAUNCH as usize) {
            tell(progress, first, total)?;
            let some = first..samples.end.min(first + PAIRS_PER_LAUNCH);
            let mut left = Vec::new();
            for (sample, inside) in some.clone().zip(self.draw(some, total, progress)?) {
                match inside {
                    LEFT_TO_HOST => left.push(sample),
                    inside => self.others.enter(inside),
                }
            }
            self.others.add(self.sampler, &left);
        }
        Ok(())
    }

    fn seen(&self, n_samples: u64) -> Result<Seen, CentralityError> {
        Ok(self.others.seen(n_samples, self.sums()?.into_iter()))
    }

    fn sums(&self) -> Result<Vec<u64>, CentralityError> {
        let sums = self.sums.download().map_err(SsspError::from)?;
        Ok(sums.into_iter().zip(self.others.sums()).map(|(here, there)| here + there).collect())
    }
}

#[cfg(test)]
test_support::layout_test! {
    PathVertex as "PathVertex" of ["centrality/path_samples.cu"]:
        paths, mark, padding;
    SampleControl as "SampleControl" of ["centrality/path_samples.cu"]:
        taken, stopped;
    PathSamples as "PathSamples" of ["centrality/path_samples.cu"]:
        out_offsets, out_ends, in_offsets, in_ends, sums, vertices, found, inside, control,
        host, seed, first, n_vertices, n_samples, rows_ascend, padding;
}
