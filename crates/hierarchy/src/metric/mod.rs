//! A hierarchy with weights.

pub(crate) mod arcs;
mod changes;
mod consistency;
mod customize;
mod graph_changes;
pub(crate) mod key;
pub(crate) mod lengths;
mod marks;
pub(crate) mod new_weights;
pub(crate) mod prepared;
mod update;

use graph_formats::{Csr, NoMemory, Weight, ensure_granted};

use self::arcs::Arcs;
use self::customize::customize;
use self::key::{KeyKind, Weights, is_float};
use crate::HierarchyError;
use crate::prepare::hierarchy::{Hierarchy, structure};

/// A hierarchy customized for the weights of a graph: it finds distances and paths.
///
/// It has its own handles of the hierarchy and of the graph. [`Metric::update`] and
/// [`Metric::customize`] put other weights in. A clone shares all memory, O(1). A change of one
/// does not change the other: it copies the memory that it changes, once.
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

/// Evaluates the expression with the arcs, for each type of keys that weights or distances of `$W`
/// may have, or for all.
macro_rules! with_arcs {
    ($W:ty, $any:expr, $arcs:ident => $body:expr) => {
        if const { crate::metric::key::is_float::<$W>() } {
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
        ensure_granted(hierarchy.bytes_of_below(graph.n_arcs()))?;
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
    /// The graph with the weights that the metric has.
    pub fn graph(&self) -> &Csr<W> {
        &self.graph
    }

    /// Of a graph that has the arcs of the hierarchy.
    pub(crate) fn of(hierarchy: &Hierarchy, graph: &Csr<W>) -> Result<Self, HierarchyError> {
        hierarchy.check_arcs(&structure(graph))?;
        Self::new(hierarchy.clone(), graph.clone())
    }

    fn new(hierarchy: Hierarchy, graph: Csr<W>) -> Result<Self, HierarchyError> {
        let (kind, bound) = KeyKind::of(&graph)?;
        let arcs = AnyArcs::of(&hierarchy, &graph, kind)?;
        Ok(Self { hierarchy, graph, arcs, bound })
    }
}
