//! Trees of shortest paths that follow batches of changes, in the memory of a GPU.
//!
//! As on a CPU ([`DynamicTrees`](crate::DynamicTrees)), vertices below raised and deleted arcs of a
//! tree lose their paths and take what their neighbours offer. From there, and from lowered and new
//! arcs, distances fall until they are final. Rounds take the place of Dijkstra's order: vertices
//! that became nearer in one are gone on from in the next. The results are those of a new search, to
//! the bit.
//!
//! The graph is on the host too, where a batch is checked. The launches are those of `changes.rs`.
//!
//! Reference: ramalingam-reps-1996

use std::iter;

use gpu_runtime::{Gpu, GpuError};
use graph_formats::{ArcChange, Change, Changed, Csr, Distance, DynamicGraph, VertexId, Weight};
use paths::{Distances, Predecessors, Tree};
use search_parts::{check_not_negative, check_vertices};

use super::changes::DeviceTrees;
use crate::plan::cannot_overflow;
use crate::weights::SearchKeys;
use crate::{SearchWeight, SsspError, Updated};

const WHAT: &str = "following changes on a GPU";
const ADVICE: &str = "follow them on the CPU";

/// A graph that changes, and the trees of shortest paths from some sources, on a GPU.
///
/// ```
/// use gpu_runtime::Gpu;
/// use graph_formats::{Change, Csr};
/// use sssp::gpu::DynamicDeviceTrees;
///
/// let Ok(gpu) = Gpu::open() else { return Ok(()) };
/// let graph = Csr::from_edges(4, &[(0, 1, 5u32), (1, 2, 2), (2, 3, 4), (0, 3, 20)])?;
/// let mut trees = DynamicDeviceTrees::new(&gpu, &graph, &[0])?;
/// let updated = trees.update(&[Change::Delete { from: 1, to: 2, weight: None }])?;
/// assert_eq!(updated[0].changed.len(), 2);
/// assert_eq!(trees.tree(0)?.path_to(2), Some(vec![0, 3, 2]));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct DynamicDeviceTrees<W: Weight> {
    gpu: Gpu,
    graph: DynamicGraph<W>,
    sources: Vec<VertexId>,
    /// The greatest weight that any arc has had.
    greatest: W,
    /// None after an error of the GPU.
    device: Option<DeviceTrees>,
}

impl<W: SearchWeight> DynamicDeviceTrees<W> {
    /// Copies the graph to the GPU, and searches from `sources`. With keys of 32 bits, that takes 130
    /// bytes a vertex and 9 an arc, and 12 a vertex for each source. A directed graph takes 40 a vertex
    /// and 9 an arc more. While it is made, there are two copies of the arcs. On the host there is one,
    /// of a directed graph both rows and columns.
    ///
    /// # Errors
    /// If a source does not exist; [`SsspError::NegativeWeight`]; [`SsspError::NotOnGpu`] where a
    /// distance might overflow, or for too many arcs; and [`SsspError::Gpu`].
    pub fn new(gpu: &Gpu, graph: &Csr<W>, sources: &[VertexId]) -> Result<Self, SsspError> {
        W::generated().trees_on_gpu(gpu, graph, sources)
    }

    /// Makes these changes, all or none, and the trees those of the graph that is then.
    ///
    /// # Errors
    /// [`SsspError::BadChange`] for a change that cannot be made, and as [`new`](Self::new) for the
    /// changed graph. Nothing is changed then. If the GPU itself fails, the graph is as before, and the
    /// next update copies it and searches anew.
    pub fn update(&mut self, changes: &[Change<W>]) -> Result<Vec<Updated>, SsspError> {
        W::generated().update_on_gpu(self, changes)
    }

    /// A copy of the tree of a source, by its position among the sources. O(n).
    ///
    /// # Errors
    /// [`SsspError::NotOnGpu`] after an error of the GPU, until the next update; [`SsspError::Gpu`].
    ///
    /// # Panics
    /// When there is no such source.
    pub fn tree(&self, source: usize) -> Result<Tree<W>, SsspError> {
        W::generated().tree_on_gpu(self, source)
    }

    /// The graph as it is now.
    pub fn graph(&self) -> &DynamicGraph<W> {
        &self.graph
    }
}

impl<W: SearchKeys> DynamicDeviceTrees<W> {
    pub(crate) fn made(gpu: &Gpu, graph: &Csr<W>, sources: &[VertexId]) -> Result<Self, SsspError> {
        // without the feature there are no GPUs, and no code for them need be generated
        if !cfg!(feature = "cuda") {
            return Err(GpuError::NotCompiled.into());
        }
        check_vertices(graph.n_vertices(), "source", sources)?;
        check_not_negative(graph, WHAT, ADVICE)?;
        let greatest = graph.weight_summary().greatest;
        check_bound(graph.n_vertices(), greatest)?;
        let device = Some(DeviceTrees::new(gpu, graph, sources)?);
        let (gpu, sources, graph) = (gpu.clone(), sources.to_vec(), DynamicGraph::new(graph)?);
        Ok(Self { gpu, graph, sources, greatest, device })
    }

    pub(crate) fn changed_by(&mut self, changes: &[Change<W>]) -> Result<Vec<Updated>, SsspError> {
        let changed = self.graph.check(changes)?;
        let after = |arc: &ArcChange<W>| Some((arc.from, arc.to, arc.after?));
        let new = || changed.arcs.iter().filter_map(after);
        if let Some((from, to, weight)) = new().find(|arc| arc.2.is_negative()) {
            let weight = weight.to_string();
            let (what, advice) = (WHAT, ADVICE);
            return Err(SsspError::NegativeWeight { what, from, to, weight, advice });
        }
        let greater = |one: W, other: W| if one.order(other).is_lt() { other } else { one };
        let greatest = new().map(|arc| arc.2).fold(self.greatest, greater);
        let n = changed.n_vertices;
        check_bound(n, greatest)?;
        let has_room = |of: &&mut DeviceTrees| n <= of.room_for_vertices() && of.holds(greatest);
        let updated = if let Some(device) = self.device.as_mut().filter(has_room) {
            device.make_room(&self.graph, &changed.arcs)?;
            self.follow(&changed)
        } else {
            self.graph.make(&changed);
            self.search_anew(n, Vec::new())
        };
        match updated {
            Ok(_) => self.greatest = greatest,
            Err(_) => self.graph.undo(&changed),
        }
        updated
    }

    /// Makes the changes on the device, which has room for them, and on the host meanwhile.
    fn follow(&mut self, changed: &Changed<W>) -> Result<Vec<Updated>, SsspError> {
        let Self { graph, device, sources, .. } = self;
        if changed.arcs.is_empty() {
            graph.make(changed);
            return Ok(vec![Updated::default(); sources.len()]);
        }
        // what fails from here on leaves nothing on the device
        let mut trees = device.take().expect("it has room");
        let begun = trees.begin(&changed.arcs, changed.n_vertices);
        graph.make(changed);
        let followed = trees.finish::<W>(begun?)?;
        *device = Some(trees);
        if followed.len() < sources.len() {
            self.search_anew(changed.n_vertices, followed)
        } else {
            Ok(followed)
        }
    }

    /// Copies the graph to the device, where there is no room for it, and searches. The first trees
    /// may have been updated before.
    fn search_anew(
        &mut self,
        n: usize,
        mut updates: Vec<Updated>,
    ) -> Result<Vec<Updated>, SsspError> {
        let graph = self.graph.to_csr()?;
        let old = self.device.take();
        let trees = 0..self.sources.len();
        let distances = |of: &DeviceTrees, n| {
            let all = trees.clone().map(|tree| of.distances::<W>(tree, n));
            all.collect::<Result<Vec<_>, _>>()
        };
        let n_before = old.as_ref().map_or(0, |old| n.min(old.room_for_vertices()));
        let before = old.as_ref().map(|old| distances(old, n_before)).transpose()?;
        // both might not fit
        drop(old);
        let device = DeviceTrees::new(&self.gpu, &graph, &self.sources)?;
        let now = distances(&device, n)?;
        self.device = Some(device);
        let before = before.unwrap_or_else(|| vec![Vec::new(); now.len()]);
        let all = before.iter().zip(&now).map(|(before, now)| updated(before, now));
        updates.extend(all.skip(updates.len()));
        Ok(updates)
    }

    pub(crate) fn copied(&self, source: usize) -> Result<Tree<W>, SsspError> {
        let Some(device) = &self.device else {
            let reason = "an update has failed there, and the next one will search anew".to_owned();
            return Err(SsspError::NotOnGpu { reason });
        };
        let n = self.graph.n_vertices();
        Ok(Tree {
            source: self.sources[source],
            limit: None,
            distances: Distances::from_storage(device.distances::<W>(source, n)?),
            predecessors: Predecessors::from_storage(device.predecessors(source, n)?),
        })
    }
}

/// A new search after which these are the distances.
fn updated<D: Distance>(before: &[D], now: &[D]) -> Updated {
    let before = before.iter().copied().chain(iter::repeat(D::UNREACHED));
    let changed = (0..).zip(before.zip(now)).filter(|(_, (before, now))| before != *now);
    Updated { changed: changed.map(|(vertex, _)| vertex).collect(), is_new_search: true }
}

/// An error where a distance might overflow in a graph of `n` vertices.
fn check_bound<W: Weight>(n: usize, greatest: W) -> Result<(), SsspError> {
    if cannot_overflow::<W>(n, Some(n as f64 * greatest.to_f64())) {
        return Ok(());
    }
    let reason = format!(
        "with weights up to {greatest} a sum may be too large for a distance; scale the weights \
         down, or follow changes on the CPU"
    );
    Err(SsspError::NotOnGpu { reason })
}
