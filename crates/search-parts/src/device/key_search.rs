//! Searches over keys of 32 bits that are one launch of one kernel: all of a solver but its kernel, its
//! parameters and its method.

use std::time::Instant;

use crate::{Launch, NO_VERTEX, Query, milliseconds};
use bytemuck::Pod;
use gpu_runtime::{Buffer, GpuError};
use graph_formats::{VertexId, Weight};
use paths::Predecessors;

use super::graph::KeyGraph;
use super::keys::limit_key;
use super::predecessors::TreeKernel;
use super::search::no_answer;
use super::search::{Answer, DeviceSearch};
use crate::{DeviceTimes, SearchError, Work};

/// What a kernel that searches takes by value, addresses of buffers included.
pub trait Parameters: Pod + Send {
    /// What the kernel counts, all zeros before.
    type Control: Pod + Send;

    /// The same for one search; `host` is what the kernel is told of the words that it shares
    /// with the CPU.
    fn asking(self, query: &Query<'_, u32>, target: VertexId, host: u64) -> Self;

    /// What the kernel has done; `None` where a sum left 32 bits.
    fn work(control: &Self::Control) -> Option<Work>;
}

/// The solver with its graph and work space on a device.
pub struct KeySearch<P: Parameters> {
    launch: Launch,
    /// All that is the same for every source.
    parameters: P,
    keys: Buffer<u32>,
    control: Buffer<P::Control>,
    times: DeviceTimes,
    graph: KeyGraph,
    /// Made when the first tree is asked for: the kernel and its lists.
    tree: Option<(TreeKernel, [Buffer<u32>; 3])>,
    /// Holds what else `parameters` points to.
    _lists: Box<dyn Send>,
}

impl<P: Parameters> KeySearch<P> {
    /// The search by `launch`. What was done for it since `start` counts as preparation.
    ///
    /// # Safety
    /// Asking for a vertex of the graph, `parameters` must have the kernel of `launch` read and
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

impl<W: Weight, P: Parameters> DeviceSearch<W> for KeySearch<P> {
    fn search(&mut self, query: &Query<'_, W::Distance>) -> Result<Answer<W>, SearchError> {
        self.times = self.times.without_search();
        self.control.fill_bytes(0)?;
        let host = self.launch.start(query.progress.is_some())?;
        let target = query.target().unwrap_or(NO_VERTEX);
        let limit = self.graph.kind.at_most(limit_key::<W>(query.limit));
        let query = query.with_limit(limit as u32);
        // SAFETY: `self` owns the buffers that the parameters were made for, by the promise of
        // `new`; the solver has checked source and target.
        unsafe { self.launch.queue(&self.parameters.asking(&query, target, host))? };
        let tell = query.progress.map(|progress| move |steps| progress(steps, 0));
        self.times.solve_ms = self.launch.wait(tell)?;
        let start = Instant::now();
        let Some(work) = P::work(&self.control.download()?[0]) else { return Err(no_answer()) };
        let keys = self.keys.download()?;
        self.times.download_ms = milliseconds(start);
        Ok((self.graph.kind.distances::<W>(&keys), work))
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
        let found = kernel.predecessors(gpu, graph, keys, lists.each_ref(), source, limit)?;
        Ok(Some(Predecessors::from_storage(found)))
    }

    fn times(&self) -> DeviceTimes {
        self.times
    }
}
