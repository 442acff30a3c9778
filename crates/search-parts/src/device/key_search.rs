//! Searches over 32-bit keys in one launch: the common part of such solvers. A solver adds its
//! kernel and its parameters.

use std::time::Instant;

use bytemuck::Pod;
use gpu_runtime::{Buffer, Gpu, GpuError, Kernel};
use graph_formats::{VertexId, Weight};
use paths::Predecessors;

use super::graph::KeyGraph;
use super::keys::limit_key;
use super::predecessors::TreeKernel;
use super::search::DeviceSearch;
use crate::{DeviceTimes, Launch, NO_VERTEX, Query, SearchError, Work, milliseconds};

/// The parameters of a kernel that searches, passed by value; they contain addresses of buffers.
pub trait Parameters: Pod + Send {
    /// The counts of the kernel, zeroed before each search.
    type Control: Pod + Send;

    /// These parameters with those of one search; `host` is the result of [`Launch::start`].
    fn asking(self, query: &Query<'_, u32>, target: VertexId, host: u64) -> Self;

    /// The work of the kernel; `None` if a sum overflowed 32 bits.
    fn work(control: &Self::Control) -> Option<Work>;
}

/// A solver with its graph and work space on a device.
pub struct OneLaunchSearch<P: Parameters> {
    launch: Launch,
    /// The parameters that are the same for every source.
    parameters: P,
    keys: Buffer<u32>,
    control: Buffer<P::Control>,
    times: DeviceTimes,
    graph: KeyGraph,
    /// The kernel of the tree and its lists, created for the first tree.
    tree: Option<(TreeKernel, [Buffer<u32>; 3])>,
    /// The other buffers whose addresses `parameters` has.
    _lists: Box<dyn Send>,
}

/// Parameters and the buffers whose addresses they have.
type Prepared<P, L> = Result<(P, L), GpuError>;

impl<P: Parameters> OneLaunchSearch<P> {
    /// The search of `graph`, which is on `gpu`, by `kernel` in this number of blocks and threads.
    /// `prepare` makes its parameters, with the addresses of the graph, of a key for each vertex and
    /// of the counts, and the other buffers whose addresses they have.
    ///
    /// # Safety
    /// For a source and target in the graph, the kernel with the parameters must read and write
    /// only inside these buffers, all of which are of `gpu`.
    // inlined, as `DeviceTimes::apart_from_jit`
    #[inline(always)]
    pub unsafe fn new<L: Send + 'static>(
        gpu: &Gpu,
        graph: KeyGraph,
        kernel: Kernel,
        (blocks, threads): (u32, u32),
        prepare: impl FnOnce(&KeyGraph, &Buffer<u32>, &Buffer<P::Control>) -> Prepared<P, L>,
    ) -> Result<Self, SearchError> {
        let start = Instant::now();
        let (keys, control) = (gpu.buffer(graph.rows.bounds().len())?, gpu.buffer(1)?);
        let (parameters, lists) = prepare(&graph, &keys, &control)?;
        let launch = Launch::new(gpu, kernel, blocks, threads)?;
        gpu.synchronize()?;
        let times = DeviceTimes { prepare_ms: milliseconds(start), ..graph.times };
        let _lists = Box::new(lists);
        Ok(Self { launch, parameters, keys, control, times, graph, tree: None, _lists })
    }
}

impl<W: Weight, P: Parameters> DeviceSearch<W> for OneLaunchSearch<P> {
    fn run(&mut self, query: &Query<'_, W::Distance>) -> Result<Option<Work>, SearchError> {
        query.check(self.keys.len())?;
        self.times = self.times.without_search();
        self.control.fill_bytes(0)?;
        let host = self.launch.start(query.progress.is_some())?;
        let target = query.target().unwrap_or(NO_VERTEX);
        let limit = self.graph.kind.at_most(limit_key::<W>(query.limit));
        let query = query.with_limit(limit as u32);
        // SAFETY: `self` owns the buffers in the parameters, as the caller of `new` has promised;
        // source and target are vertices.
        unsafe { self.launch.queue(&self.parameters.asking(&query, target, host))? };
        let report = query.progress.map(|progress| move |steps| progress(steps, 0));
        self.times.solve_ms = self.launch.wait(report)?;
        Ok(P::work(&self.control.download()?[0]))
    }

    fn distances(&mut self) -> Result<Vec<W::Distance>, SearchError> {
        Ok(self.graph.kind.distances::<W>(&self.keys.download()?))
    }

    fn predecessors(
        &mut self,
        source: VertexId,
        limit: W::Distance,
    ) -> Result<Option<Predecessors>, SearchError> {
        let (gpu, graph, n) = (&self.launch.gpu, &self.graph, self.keys.len());
        let (kernel, lists) = match &mut self.tree {
            Some(tree) => tree,
            empty => {
                let list = || gpu.buffer(n);
                let lists = [list()?, list()?, list()?];
                empty.insert((TreeKernel::load(gpu, graph.kind, n)?, lists))
            }
        };
        let (keys, limit) = (self.keys.address(), limit_key::<W>(limit));
        // SAFETY: `self` owns the keys and the lists, one for each vertex.
        let found = unsafe { kernel.choose(gpu, graph, keys, lists.each_ref(), source, limit)? };
        Ok(Some(Predecessors::from_storage(found.download()?)))
    }

    fn times(&mut self) -> &mut DeviceTimes {
        &mut self.times
    }
}
