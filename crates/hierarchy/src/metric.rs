//! A hierarchy with weights.

use graph_formats::parallel::WorkSpaces;
use graph_formats::{Csr, Distance, NoMemory, VertexId, Weight, ensure_granted, parallel};

use crate::below::Below;
use crate::customize::{Arcs, customize};
use crate::hierarchy::{Hierarchy, structure};
use crate::key::{Key, KeyKind, Weights, is_float};
use crate::{HierarchyError, MetricWeight, Query};

/// As many pairs are worth another thread and its work space.
const PAIRS_PER_TASK: usize = 64;

/// A hierarchy customized for the weights of a graph: what answers questions.
///
/// It has its own handles of the hierarchy and of the graph. [`Metric::update`] and
/// [`Metric::customize`] put other weights in. A clone shares all memory, O(1), and is as it was
/// when the other is changed: that copies what it changes, once.
#[derive(Clone)]
pub struct Metric<W: Weight> {
    pub(crate) hierarchy: Hierarchy,
    pub(crate) graph: Csr<W>,
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

/// The expression for the arcs, whatever their keys are: those that weights or distances of `$W` may
/// have, so that it is compiled for no others, or all.
macro_rules! with_arcs {
    ($W:ty, $any:expr, $arcs:ident => $body:expr) => {
        if const { crate::key::is_float::<$W>() } {
            crate::metric::with_arcs!(@of $any, $arcs => $body; F64; _)
        } else {
            crate::metric::with_arcs!(@of $any, $arcs => $body; U32 U64 U128; _)
        }
    };
    ($any:expr, $arcs:ident => $body:expr) => {
        crate::metric::with_arcs!(@of $any, $arcs => $body; U32 U64 U128 F64)
    };
    (@of $any:expr, $arcs:ident => $body:expr; $($kind:ident)* $(; $other:pat)?) => {
        match $any {
            $(crate::metric::AnyArcs::$kind($arcs) => $body,)*
            $($other => unreachable!("keys are floats where weights are, and only there"),)?
        }
    };
}
pub(crate) use with_arcs;

impl AnyArcs {
    /// Those with the weights of `graph`.
    fn of<W: Weight>(
        hierarchy: &Hierarchy,
        graph: &Csr<W>,
        kind: KeyKind,
    ) -> Result<Self, NoMemory> {
        ensure_granted(Below::bytes_of(hierarchy, graph.n_arcs()))?;
        let below = hierarchy.below(&structure(graph));
        let weights = Weights::of(graph);
        if const { is_float::<W>() } {
            return customize(hierarchy, below, weights).map(Self::F64);
        }
        match kind {
            KeyKind::U32 => customize(hierarchy, below, weights).map(Self::U32),
            KeyKind::U64 => customize(hierarchy, below, weights).map(Self::U64),
            _ => customize(hierarchy, below, weights).map(Self::U128),
        }
    }

    pub(crate) fn kind(&self) -> KeyKind {
        match self {
            Self::U32(_) => KeyKind::U32,
            Self::U64(_) => KeyKind::U64,
            Self::U128(_) => KeyKind::U128,
            Self::F64(_) => KeyKind::F64,
        }
    }
}

impl<W: Weight> Metric<W> {
    pub(crate) fn new(hierarchy: Hierarchy, graph: Csr<W>) -> Result<Self, HierarchyError> {
        let (kind, bound) = KeyKind::of(&graph)?;
        let arcs = AnyArcs::of(&hierarchy, &graph, kind)?;
        Ok(Self { hierarchy, graph, arcs, bound })
    }

    /// The rank of a vertex that plays this role.
    pub(crate) fn rank(&self, role: &'static str, vertex: VertexId) -> Result<u32, HierarchyError> {
        self.hierarchy.rank(role, vertex)
    }

    /// The ranks of vertices that play this role.
    pub(crate) fn ranks(
        &self,
        role: &'static str,
        vertices: &[VertexId],
    ) -> Result<Vec<u32>, HierarchyError> {
        self.hierarchy.ranks_of(role, vertices)
    }
}

impl<W: MetricWeight> Metric<W> {
    /// The graph with the weights that the metric has.
    pub fn graph(&self) -> &Csr<W> {
        &self.graph
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
        W::pairs_by_hierarchy(self, pairs)
    }

    pub(crate) fn find_pairs(
        &self,
        pairs: &[(VertexId, VertexId)],
    ) -> Result<Vec<Option<W::Distance>>, HierarchyError> {
        let new = || self.query();
        let queries = WorkSpaces::new(&new);
        let parts = pairs.chunks(PAIRS_PER_TASK).collect();
        let found: Vec<Vec<_>> =
            parallel::try_map_of(parts, &|pairs: &[(VertexId, VertexId)]| {
                queries.with(|query| {
                    let distances =
                        pairs.iter().map(|&(source, target)| query.find(source, target));
                    distances.collect()
                })
            })?;
        Ok(found.concat())
    }
}

impl Hierarchy {
    /// The rank of a vertex that plays this role.
    pub(crate) fn rank(&self, role: &'static str, vertex: VertexId) -> Result<u32, HierarchyError> {
        let n_vertices = self.n_vertices();
        let rank = self.ranks.get(vertex as usize).copied();
        rank.ok_or(HierarchyError::NoSuchVertex { role, vertex, n_vertices })
    }

    /// The ranks of vertices that play this role.
    pub(crate) fn ranks_of(
        &self,
        role: &'static str,
        vertices: &[VertexId],
    ) -> Result<Vec<u32>, HierarchyError> {
        vertices.iter().map(|&vertex| self.rank(role, vertex)).collect()
    }
}

/// The distance that a key stands for; none where there is no path.
#[inline(always)]
pub(crate) fn distance<D: Distance, K: Key>(
    key: K,
    source_vertex: VertexId,
    target: VertexId,
) -> Result<Option<D>, HierarchyError> {
    if key >= K::UNREACHED {
        return Ok(None);
    }
    key.to_distance().map(Some).ok_or(too_far::<D>(source_vertex, target))
}

/// That no distance of this type holds the length of the path between these.
pub(crate) fn too_far<D: Distance>(source_vertex: VertexId, target: VertexId) -> HierarchyError {
    HierarchyError::Overflow { source_vertex, target, kind: D::KIND }
}
