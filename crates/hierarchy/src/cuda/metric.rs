//! A hierarchy on a GPU with weights.

use graph_formats::{Csr, VertexId, Weight};

use super::customized::Customized;
use super::hierarchy::DeviceHierarchy;
use crate::hierarchy::structure;
use crate::key::{KeyKind, Weights};
use crate::{HierarchyError, MetricWeight};

/// A [`DeviceHierarchy`] customized for the weights of a graph: what answers questions.
///
/// It keeps its work space on the GPU, and as much pinned memory as weights and some rows of
/// distances take.
pub struct DeviceMetric<'a, W: Weight> {
    pub(super) device: &'a DeviceHierarchy<'a>,
    pub(super) graph: &'a Csr<W>,
    pub(super) keys: AnyKeys,
}

/// The keys of the hierarchy, in the narrowest type that holds all lengths.
pub(super) enum AnyKeys {
    U32(Customized<u32>),
    U64(Customized<u64>),
    F64(Customized<f64>),
}

/// The expression for the keys, whatever their type is: one that weights of `$W` may have, so
/// that it is compiled for no others.
macro_rules! with_keys {
    ($W:ty, $any:expr, $keys:ident => $body:expr) => {
        if const { crate::key::is_float::<$W>() } {
            crate::cuda::metric::with_keys!(@of $any, $keys => $body; F64)
        } else {
            crate::cuda::metric::with_keys!(@of $any, $keys => $body; U32 U64)
        }
    };
    (@of $any:expr, $keys:ident => $body:expr; $($kind:ident)*) => {
        match $any {
            $(crate::cuda::metric::AnyKeys::$kind($keys) => $body,)*
            _ => unreachable!("keys are floats where weights are, and only there"),
        }
    };
}
pub(super) use with_keys;

impl AnyKeys {
    fn new(device: &DeviceHierarchy<'_>, kind: KeyKind) -> Result<Self, HierarchyError> {
        Ok(match kind {
            KeyKind::U32 => Self::U32(Customized::new(device)?),
            KeyKind::U64 => Self::U64(Customized::new(device)?),
            KeyKind::F64 => Self::F64(Customized::new(device)?),
            KeyKind::U128 => {
                let reason = "sums of the weights may leave 64 bits; take the CPU, or scale the \
                              weights down";
                return Err(HierarchyError::NotOnGpu { reason: reason.to_owned() });
            }
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

impl<'a, W: Weight> DeviceMetric<'a, W> {
    pub(crate) fn new(
        device: &'a DeviceHierarchy<'a>,
        graph: &'a Csr<W>,
    ) -> Result<Self, HierarchyError> {
        let keys = AnyKeys::new(device, KeyKind::of(graph)?.0)?;
        let mut metric = Self { device, graph, keys };
        metric.put_in(graph)?;
        Ok(metric)
    }

    /// Puts in the weights of this graph, which fit the keys.
    fn put_in(&mut self, graph: &'a Csr<W>) -> Result<(), HierarchyError> {
        self.graph = graph;
        let (structure, weights) = (structure(graph), Weights::of(graph));
        with_keys!(W, &mut self.keys, keys => keys.customize(self.device, &structure, weights))
    }

    pub(crate) fn take_weights(&mut self, graph: &'a Csr<W>) -> Result<(), HierarchyError> {
        let kind = KeyKind::of(graph)?.0;
        if kind != self.keys.kind() {
            self.keys = AnyKeys::new(self.device, kind)?;
        }
        self.put_in(graph)
    }

    /// The ranks of vertices that play this role.
    pub(super) fn ranks(
        &self,
        role: &'static str,
        vertices: &[VertexId],
    ) -> Result<Vec<u32>, HierarchyError> {
        self.device.hierarchy.ranks_of(role, vertices)
    }
}

impl<'a, W: MetricWeight> DeviceMetric<'a, W> {
    /// Puts the weights of another graph with the same arcs in the place of those that are there.
    /// As [`DeviceHierarchy::customize`], but no memory is taken unless other keys are needed.
    ///
    /// # Errors
    /// As [`DeviceHierarchy::customize`]; what is there is then of no graph, and must be customized
    /// again.
    ///
    /// ```
    /// use gpu_runtime::Gpu;
    /// use graph_formats::Csr;
    /// use hierarchy::cuda::DeviceHierarchy;
    /// use hierarchy::{Hierarchy, Order};
    ///
    /// let [before, after] = [5u32, 1].map(|weight| Csr::from_arcs(2, &[(0, 1, weight)]));
    /// let (before, after) = (before?, after?);
    /// let hierarchy = Hierarchy::new(&before, &Order::by_landmarks(&before)?)?;
    /// if let Ok(gpu) = Gpu::open() {
    ///     let on_gpu = DeviceHierarchy::new(&hierarchy, &before, &gpu)?;
    ///     let mut metric = on_gpu.customize(&before)?;
    ///     metric.customize(&after)?;
    ///     assert_eq!(metric.table(&[0], &[1], None)?.get(0, 0), Some(1));
    /// }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn customize(&mut self, graph: &'a Csr<W>) -> Result<(), HierarchyError> {
        W::recustomize_on_gpu(self, graph)
    }
}
