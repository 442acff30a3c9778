//! A hierarchy with weights.

use graph_formats::{Csr, VertexId, Weight};
use rayon::prelude::*;

use crate::customize::{Arcs, customize};
use crate::hierarchy::Hierarchy;
use crate::key::{Key, KeyKind};
use crate::{HierarchyError, Query};

/// As many pairs are worth another thread and its work space.
const PAIRS_PER_TASK: usize = 64;

/// A hierarchy customized for the weights of a graph: what answers questions.
pub struct Metric<'a, W: Weight> {
    pub(crate) hierarchy: &'a Hierarchy,
    pub(crate) graph: &'a Csr<W>,
    pub(crate) arcs: AnyArcs,
    /// A bound on the length of every path.
    pub(crate) bound: f64,
}

/// The arcs of the hierarchy, in the narrowest keys that hold all lengths.
#[derive(Clone)]
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
        let (kind, bound) = KeyKind::of(graph)?;
        let arcs = match kind {
            KeyKind::U32 => AnyArcs::U32(customize(hierarchy, graph)),
            KeyKind::U64 => AnyArcs::U64(customize(hierarchy, graph)),
            KeyKind::U128 => AnyArcs::U128(customize(hierarchy, graph)),
            KeyKind::F64 => AnyArcs::F64(customize(hierarchy, graph)),
        };
        Ok(Self { hierarchy, graph, arcs, bound })
    }

    /// A work space for distances and paths between two vertices, one for each thread. O(height +
    /// longest path).
    pub fn query(&self) -> Query<'_, W> {
        Query::new(self)
    }

    /// The distance of each pair of a source and a target; none where no path leads there. In
    /// parallel, each as [`Query::distance`].
    ///
    /// # Errors
    /// As [`Query::distance`], of any pair.
    ///
    /// ```
    /// use graph_formats::Csr;
    /// use hierarchy::{Hierarchy, Order};
    ///
    /// let graph = Csr::from_arcs(3, &[(0, 1, 5u32), (1, 2, 2), (0, 2, 9)])?;
    /// let hierarchy = Hierarchy::new(&graph, &Order::by_landmarks(&graph)?)?;
    /// let metric = hierarchy.customize(&graph)?;
    /// assert_eq!(metric.pairs(&[(0, 2), (2, 1)])?, [Some(7), None]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn pairs(
        &self,
        pairs: &[(VertexId, VertexId)],
    ) -> Result<Vec<Option<W::Distance>>, HierarchyError> {
        let distance = |query: &mut Query<'_, W>, &(source, target): &(VertexId, VertexId)| {
            query.distance(source, target)
        };
        let pairs = pairs.par_iter().with_min_len(PAIRS_PER_TASK);
        pairs.map_init(|| self.query(), distance).collect()
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
