//! Next hops on a GPU, from the distances that it holds.
//!
//! One pass over the rows finds the hops of all pairs in graphs whose weights are positive.
//! Pairs behind arcs that add nothing are placed level by level, in passes over what is left;
//! so are all pairs in graphs with negative arcs. `kernels/apsp/next_hops.cu` has the rule,
//! which is that of `host/next_hops.rs`. O(n m) for each pass.
//!
//! Reference: floyd-1962, origin-out-of-core

use bytemuck::{Pod, Zeroable};
use gpu_runtime::{Arg, Buffer, Gpu, GpuError, Kernel, LaunchConfig};

use super::arcs::DeviceArcs;
use super::arithmetic::Kernels;
use crate::hops::bytes_of_hops;
use crate::host::Deal;

/// Columns of a block of threads.
const COLUMNS: usize = 1024;
/// Vertices below which a hop of 16 bits has a bit to spare, which levels mark hops by.
pub(super) const MOST_BY_LEVELS: usize = 1 << 15;

/// `Graph` of the kernels.
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
struct Graph {
    offsets: u64,
    ends: u64,
    weights: u64,
    n: u32,
    by_levels: u32,
}

/// A matrix of hops, row by row; the greatest number means none.
#[derive(Debug)]
pub(super) enum DeviceHops {
    Narrow(Buffer<u16>),
    Wide(Buffer<u32>),
}

impl DeviceHops {
    /// Bytes that finding the hops of `n` vertices takes beside their distances.
    pub(super) fn bytes(n: usize) -> u64 {
        let counts = 2 * size_of::<u64>() as u128;
        u64::try_from(bytes_of_hops(Deal::whole(n)) + counts).unwrap_or(u64::MAX)
    }
}

/// The hops for finished distances, or `None` where some pair has none: levels of more
/// vertices than there are bits for. The distances are the matrix of these arcs, of which no
/// sum [rounds](crate::host::useful_arcs::rounds): what is tight then is shortest.
pub(super) fn next_hops(
    gpu: &Gpu,
    kernels: &Kernels,
    arcs: &DeviceArcs,
    distances: &Buffer<u32>,
    side: usize,
    negative: bool,
) -> Result<Option<DeviceHops>, GpuError> {
    let n = arcs.n_vertices;
    let finder = Finder { gpu, arcs, distances, side };
    if paths::NextHops::is_narrow(n) {
        let mut hops = gpu.buffer::<u16>(n * n)?;
        hops.fill_bytes(0xff)?;
        if !negative && finder.pass(&kernels.next_hops_narrow, &hops, false)?.0 == 0 {
            return Ok(Some(DeviceHops::Narrow(hops)));
        }
        if n >= MOST_BY_LEVELS {
            return Ok(None);
        }
        loop {
            let (open, placed) = finder.pass(&kernels.next_hops_narrow, &hops, true)?;
            let args = [(&hops).into(), ((n * n) as u64).into()];
            // SAFETY: the kernel goes through the n² hops.
            unsafe {
                let shape = LaunchConfig::covering((n * n).div_ceil(4) as u64, 256);
                gpu.launch(&kernels.settle_hops_narrow, shape, &args)?;
            }
            match (open, placed) {
                (0, _) => return Ok(Some(DeviceHops::Narrow(hops))),
                (_, 0) => return Ok(None),
                _ => {}
            }
        }
    }
    if negative {
        return Ok(None);
    }
    let hops = gpu.buffer::<u32>(n * n)?;
    let (open, _) = finder.pass(&kernels.next_hops_wide, &hops, false)?;
    Ok((open == 0).then_some(DeviceHops::Wide(hops)))
}

struct Finder<'a> {
    gpu: &'a Gpu,
    arcs: &'a DeviceArcs,
    distances: &'a Buffer<u32>,
    side: usize,
}

impl Finder<'_> {
    /// One pass; how many pairs are left open, and how many it placed if it went by levels.
    fn pass<H: gpu_runtime::Pod>(
        &self,
        kernel: &Kernel,
        hops: &Buffer<H>,
        by_levels: bool,
    ) -> Result<(u64, u64), GpuError> {
        let n = self.arcs.n_vertices;
        if n == 0 {
            return Ok((0, 0));
        }
        let graph = Graph {
            offsets: self.arcs.offsets.address(),
            ends: self.arcs.ends.address(),
            weights: self.arcs.weights.address(),
            n: n as u32,
            by_levels: u32::from(by_levels),
        };
        let counts = self.gpu.buffer::<u64>(2)?;
        let args: [Arg<'_>; 5] = [
            self.distances.into(),
            (self.side as u64).into(),
            Arg::structure(&graph),
            hops.into(),
            (&counts).into(),
        ];
        let shape = LaunchConfig {
            grid: (n as u32, n.div_ceil(COLUMNS) as u32, 1),
            ..LaunchConfig::new(1, 256)
        };
        // SAFETY: blocks read the distances of vertices, at rows and columns below n, and the
        // arcs of their row; they write hops of their row, n², and add to two counts.
        unsafe { self.gpu.launch(kernel, shape, &args)? };
        let counts = counts.download()?;
        Ok((counts[0], counts[1]))
    }
}
