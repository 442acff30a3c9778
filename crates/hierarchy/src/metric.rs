//! A hierarchy with weights.

use graph_formats::{Csr, VertexId, Weight};

use crate::customize::{Arcs, customize};
use crate::hierarchy::Hierarchy;
use crate::key::{Key, path_bound};
use crate::{HierarchyError, Query};

/// A hierarchy customized for the weights of a graph: what answers questions.
pub struct Metric<'a, W: Weight> {
    pub(crate) hierarchy: &'a Hierarchy,
    pub(crate) graph: &'a Csr<W>,
    pub(crate) arcs: AnyArcs,
}

/// The arcs of the hierarchy, in the narrowest keys that hold all lengths.
pub(crate) enum AnyArcs {
    U32(Arcs<u32>),
    U64(Arcs<u64>),
    U128(Arcs<u128>),
    F64(Arcs<f64>),
}

/// The expression for the arcs, whatever their keys are.
macro_rules! with_arcs {
    ($any:expr, $arcs:ident => $body:expr) => {
        match $any {
            crate::metric::AnyArcs::U32($arcs) => $body,
            crate::metric::AnyArcs::U64($arcs) => $body,
            crate::metric::AnyArcs::U128($arcs) => $body,
            crate::metric::AnyArcs::F64($arcs) => $body,
        }
    };
}
pub(crate) use with_arcs;

impl<'a, W: Weight> Metric<'a, W> {
    pub(crate) fn new(hierarchy: &'a Hierarchy, graph: &'a Csr<W>) -> Result<Self, HierarchyError> {
        if let Some((arc, from, to)) = graph.first_negative() {
            let weight = graph.weight(arc).to_string();
            return Err(HierarchyError::NegativeWeight { from, to, weight });
        }
        let bound = path_bound(graph);
        let arcs = if W::ZERO.to_i128().is_none() {
            AnyArcs::F64(customize(hierarchy, graph))
        } else if bound < f64::from(u32::UNREACHED) {
            AnyArcs::U32(customize(hierarchy, graph))
        } else if bound < u64::UNREACHED as f64 {
            AnyArcs::U64(customize(hierarchy, graph))
        } else {
            AnyArcs::U128(customize(hierarchy, graph))
        };
        Ok(Self { hierarchy, graph, arcs })
    }

    /// A work space for distances and paths between two vertices, one for each thread. O(height).
    pub fn query(&self) -> Query<'_, W> {
        Query::new(self)
    }

    /// The rank of a vertex that plays this role.
    pub(crate) fn rank(&self, role: &'static str, vertex: VertexId) -> Result<u32, HierarchyError> {
        let n_vertices = self.graph.n_vertices();
        let rank = self.hierarchy.ranks.get(vertex as usize).copied();
        rank.ok_or(HierarchyError::NoSuchVertex { role, vertex, n_vertices })
    }

    /// The distance that a key stands for; none where there is no path.
    #[inline(always)]
    pub(crate) fn distance<K: Key>(
        &self,
        key: K,
        source_vertex: VertexId,
        target: VertexId,
    ) -> Result<Option<W::Distance>, HierarchyError> {
        if key >= K::UNREACHED {
            return Ok(None);
        }
        let overflow = HierarchyError::Overflow { source_vertex, target, kind: W::Distance::KIND };
        key.to_distance::<W>().map(Some).ok_or(overflow)
    }
}
