//! A hierarchy on a GPU with weights.

use std::sync::Arc;

use gpu_runtime::Gpu;
use graph_formats::{Csr, Weight};
use search_parts::side_by_side;

use super::customized::Customized;
use super::hierarchy::{Arrays, DeviceHierarchy};
use crate::HierarchyError;
use crate::metric::key::{KeyKind, Weights};
use crate::metric::new_weights::{Current, NewWeights};
use crate::metric::{AnyArcs, Metric};
use crate::prepare::hierarchy::{Hierarchy, structure};

/// A [`DeviceHierarchy`] customized for the weights of a graph: it finds distances.
///
/// It has its own handles of the hierarchy and of the graph. It keeps its work space on the GPU, and
/// as much pinned memory as weights and some rows of distances take.
pub struct DeviceMetric<W: Weight> {
    pub(super) device: Arc<Arrays>,
    graph: Csr<W>,
    pub(super) keys: AnyKeys,
    /// A bound on the length of every path.
    bound: f64,
}

/// The keys of the hierarchy, in the narrowest type that holds all lengths.
pub(super) enum AnyKeys {
    U32(Customized<u32>),
    U64(Customized<u64>),
    F64(Customized<f64>),
}

/// Evaluates the expression with the keys, for each type that they may have with weights of `$W`.
macro_rules! with_keys {
    ($W:ty, $any:expr, $keys:ident => $body:expr) => {
        if const { crate::metric::key::is_float::<$W>() } {
            crate::gpu::metric::with_keys!(@of $any, $keys => $body; F64)
        } else {
            crate::gpu::metric::with_keys!(@of $any, $keys => $body; U32 U64)
        }
    };
    (@of $any:expr, $keys:ident => $body:expr; $($kind:ident)*) => {
        match $any {
            $(crate::gpu::metric::AnyKeys::$kind($keys) => $body,)*
            _ => unreachable!("keys are floats where weights are, and only there"),
        }
    };
}
pub(super) use with_keys;

impl AnyKeys {
    fn new(device: &Arrays, kind: KeyKind) -> Result<Self, HierarchyError> {
        Ok(match kind {
            KeyKind::U32 => Self::U32(Customized::new(device)?),
            KeyKind::U64 => Self::U64(Customized::new(device)?),
            KeyKind::F64 => Self::F64(Customized::new(device)?),
            KeyKind::U128 => return Err(too_wide()),
        })
    }

    /// Those that the CPU has customized.
    fn of(device: &Arrays, arcs: &AnyArcs) -> Result<Self, HierarchyError> {
        Ok(match arcs {
            AnyArcs::U32(arcs) => Self::U32(Customized::with_keys(device, &arcs.keys)?),
            AnyArcs::U64(arcs) => Self::U64(Customized::with_keys(device, &arcs.keys)?),
            AnyArcs::F64(arcs) => Self::F64(Customized::with_keys(device, &arcs.keys)?),
            AnyArcs::U128(_) => return Err(too_wide()),
        })
    }

    fn kind(&self) -> KeyKind {
        match self {
            Self::U32(_) => KeyKind::U32,
            Self::U64(_) => KeyKind::U64,
            Self::F64(_) => KeyKind::F64,
        }
    }
}

fn too_wide() -> HierarchyError {
    let reason = "sums of the weights may need more than 64 bits; use the CPU, or scale the \
                  weights down";
    HierarchyError::NotOnGpu { reason: reason.to_owned() }
}

impl<W: Weight> DeviceMetric<W> {
    pub(crate) fn new(device: &DeviceHierarchy, graph: &Csr<W>) -> Result<Self, HierarchyError> {
        let (device, (kind, bound)) = (device.arrays().clone(), KeyKind::of(graph)?);
        device.hierarchy.check_arcs(&structure(graph))?;
        let keys = AnyKeys::new(&device, kind)?;
        let mut metric = Self { device, graph: graph.clone(), keys, bound };
        metric.put_in()?;
        Ok(metric)
    }

    /// Puts in the weights of the graph, which fit the keys.
    fn put_in(&mut self) -> Result<(), HierarchyError> {
        let steps = (&*self.device, self.device.steps(&structure(&self.graph))?);
        let weights = Weights::of(&self.graph);
        with_keys!(W, &mut self.keys, keys => keys.customize(steps, weights))
    }

    pub(crate) fn take_all(&mut self, weights: &[W]) -> Result<(), HierarchyError> {
        self.take(NewWeights::of_all(&self.current(), weights)?)
    }

    pub(crate) fn take_some(&mut self, changes: &[(usize, W)]) -> Result<(), HierarchyError> {
        self.take(NewWeights::of_some(&self.current(), changes)?)
    }

    fn current(&self) -> Current<'_, W> {
        Current { graph: &self.graph, kind: self.keys.kind(), bound: self.bound }
    }

    fn take(&mut self, weights: NewWeights<W>) -> Result<(), HierarchyError> {
        match weights {
            NewWeights::Few(changes, _) if changes.is_empty() => Ok(()),
            NewWeights::Few(changes, bound) => {
                let device = Arc::clone(&self.device);
                let steps = (&*device, device.steps(&structure(&self.graph))?);
                let has_weights = with_keys!(W, &mut self.keys, keys => keys.make_ready(steps))?;
                // nothing is refused from here on
                self.graph.set_weights(&changes).expect("arcs and weights have been checked");
                self.bound = bound;
                let weights = Weights::of(&self.graph);
                with_keys!(W, &mut self.keys, keys => match has_weights {
                    true => keys.update(steps, &changes),
                    false => keys.customize(steps, weights),
                })
            }
            NewWeights::Many(graph) => {
                let (kind, bound) = KeyKind::of(&graph)?;
                let steps = (&*self.device, self.device.steps(&structure(&graph))?);
                let is_other = kind != self.keys.kind();
                let mut other = is_other.then(|| AnyKeys::new(&self.device, kind)).transpose()?;
                let keys = other.as_mut().unwrap_or(&mut self.keys);
                with_keys!(W, keys, keys => keys.make_ready(steps))?;
                // nothing is refused from here on
                if let Some(other) = other {
                    self.keys = other;
                }
                (self.graph, self.bound) = (graph, bound);
                self.put_in()
            }
        }
    }
}

/// The CPU customizes while the hierarchy is uploaded.
pub(crate) fn metrics_on_gpus<W: Weight>(
    hierarchy: &Hierarchy,
    graph: &Csr<W>,
    gpus: &[Gpu],
) -> Result<Vec<DeviceMetric<W>>, HierarchyError> {
    let upload = |gpu| DeviceHierarchy::upload(hierarchy, gpu);
    // what waits there uses no threads of the pool
    let (metric, devices) = rayon::join(
        || Metric::of(hierarchy, graph),
        || side_by_side(gpus.iter().collect(), upload),
    );
    let metric = metric?;
    let of_device = |device: Result<DeviceHierarchy, HierarchyError>| {
        let device = device?.arrays().clone();
        let keys = AnyKeys::of(&device, &metric.arcs)?;
        Ok(DeviceMetric { device, graph: graph.clone(), keys, bound: metric.bound })
    };
    devices.into_iter().map(of_device).collect()
}

impl<W: Weight> DeviceMetric<W> {
    /// An independent copy with the same weights. It takes as much memory, beside the hierarchy and
    /// the work space. O(arcs of the hierarchy) on the GPU.
    ///
    /// # Errors
    /// When the GPU fails or has too little memory.
    ///
    /// ```
    /// use gpu_runtime::Gpu;
    /// use graph_formats::Csr;
    /// use hierarchy::gpu::DeviceHierarchy;
    /// use hierarchy::{Hierarchy, Order};
    ///
    /// let graph = Csr::from_arcs(3, &[(0, 1, 5u32), (0, 2, 9), (1, 2, 2)])?;
    /// let hierarchy = Hierarchy::new(&graph, &Order::by_landmarks(&graph)?)?;
    /// if let Ok(gpu) = Gpu::open() {
    ///     let mut before = DeviceHierarchy::new(&hierarchy, &graph, &gpu)?.customize(&graph)?;
    ///     let mut after = before.try_clone()?;
    ///     // a traffic jam
    ///     after.update(&[(graph.row(0).start, 50)])?;
    ///     let found = [&mut before, &mut after].map(|metric| metric.table(&[0], &[2], None));
    ///     assert_eq!(found.map(|table| table.unwrap().get(0, 0)), [Some(7), Some(9)]);
    /// }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn try_clone(&self) -> Result<Self, HierarchyError> {
        let device = &self.device;
        let keys = match &self.keys {
            AnyKeys::U32(keys) => AnyKeys::U32(keys.try_clone(device)?),
            AnyKeys::U64(keys) => AnyKeys::U64(keys.try_clone(device)?),
            AnyKeys::F64(keys) => AnyKeys::F64(keys.try_clone(device)?),
        };
        let (device, graph) = (device.clone(), self.graph.clone());
        Ok(Self { device, graph, keys, bound: self.bound })
    }
}
