//! Searches over 32-bit keys in one launch: the common part of such solvers. A solver adds its
//! kernel and its parameters.

use std::time::Instant;

use bytemuck::Pod;
use gpu_runtime::{Buffer, GpuError};
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

impl<P: Parameters> OneLaunchSearch<P> {
    /// The search by `launch`. The time since `start` counts as preparation.
    ///
    /// # Safety
    /// For a source and target in the graph, the kernel of `launch` with `parameters` must read and
    /// write only inside these buffers, all of which are of the launch's GPU.
    pub unsafe fn new(
        launch: Launch,
        parameters: P,
        keys: Buffer<u32>,
        control: Buffer<P::Control>,
        graph: KeyGraph,
        lists: impl Send + 'static,
        start: Instant,
    ) -> Result<Self, GpuError> {
        launch.gpu.synchronize()?;
        let times = DeviceTimes { prepare_ms: milliseconds(start), ..graph.times };
        let lists = Box::new(lists);
        Ok(Self { launch, parameters, keys, control, times, graph, tree: None, _lists: lists })
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
