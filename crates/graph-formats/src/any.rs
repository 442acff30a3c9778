//! A graph whose weight type is known only once its file has been read.

use crate::{Csr, Direction, GraphError, VertexId, Weight, WeightKind, ensure_granted};

/// A graph of any of the six weight types.
///
/// [`with_csr!`](crate::with_csr) runs the same code for each of them.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum AnyCsr {
    /// Weights are `u32`.
    U32(Csr<u32>),
    /// Weights are `i32`.
    I32(Csr<i32>),
    /// Weights are `u64`.
    U64(Csr<u64>),
    /// Weights are `i64`.
    I64(Csr<i64>),
    /// Weights are `f32`.
    F32(Csr<f32>),
    /// Weights are `f64`.
    F64(Csr<f64>),
}

/// Runs `$body` with `$graph` bound to the typed [`Csr`] inside an [`AnyCsr`].
///
/// ```
/// use graph_formats::{AnyCsr, Csr, with_csr};
///
/// let any = AnyCsr::from(Csr::from_arcs(2, &[(0, 1, 2.5f32)])?);
/// assert_eq!(with_csr!(&any, |graph| graph.n_arcs()), 1);
/// # Ok::<(), graph_formats::GraphError>(())
/// ```
#[macro_export]
macro_rules! with_csr {
    ($any:expr, |$graph:ident| $body:expr) => {
        match $any {
            $crate::AnyCsr::U32($graph) => $body,
            $crate::AnyCsr::I32($graph) => $body,
            $crate::AnyCsr::U64($graph) => $body,
            $crate::AnyCsr::I64($graph) => $body,
            $crate::AnyCsr::F32($graph) => $body,
            $crate::AnyCsr::F64($graph) => $body,
            // AnyCsr is #[non_exhaustive] to other crates
            #[allow(unreachable_patterns)]
            _ => unreachable!("a weight type without an arm in with_csr!"),
        }
    };
}

impl AnyCsr {
    /// The weight type.
    pub fn kind(&self) -> WeightKind {
        fn kind<W: Weight>(_: &Csr<W>) -> WeightKind {
            W::KIND
        }
        with_csr!(self, |graph| kind(graph))
    }

    /// How many vertices.
    pub fn n_vertices(&self) -> usize {
        with_csr!(self, |graph| graph.n_vertices())
    }

    /// How many arcs are stored.
    pub fn n_arcs(&self) -> usize {
        with_csr!(self, |graph| graph.n_arcs())
    }

    /// Whether every arc is known to have its reverse.
    pub fn direction(&self) -> Direction {
        with_csr!(self, |graph| graph.direction())
    }

    /// The first arc of negative weight: its source, its destination and what it weighs. O(log n).
    pub fn first_negative(&self) -> Option<(VertexId, VertexId, String)> {
        with_csr!(self, |graph| {
            let (arc, from, to) = graph.first_negative()?;
            Some((from, to, graph.weight(arc).to_string()))
        })
    }

    /// The weight of all arcs, as the nearest `f64`, if it is the same for all and positive.
    pub fn common_weight(&self) -> Option<f64> {
        with_csr!(self, |graph| graph.weight_summary().common().map(Weight::to_f64))
    }

    /// The same arcs, in the same memory, each of weight 1. O(1).
    ///
    /// An algorithm that ignores weights then needs no code for each weight type.
    pub fn unweighted(&self) -> Csr<u32> {
        with_csr!(self, |graph| graph.clone().unweighted())
    }

    /// As [`Csr::transposed`].
    ///
    /// # Errors
    /// [`GraphError::NoMemory`].
    pub fn transposed(&self) -> Result<Self, GraphError> {
        with_csr!(self, |graph| {
            ensure_granted(graph.bytes())?;
            Ok(graph.transposed().into())
        })
    }

    /// As [`Csr::into_undirected`].
    ///
    /// # Errors
    /// [`GraphError::NotUndirected`] names an arc without its reverse. O(m log d).
    pub fn into_undirected(self) -> Result<Self, GraphError> {
        with_csr!(self, |graph| graph.into_undirected().map(Self::from))
    }

    /// The same graph with weights of type `W`; moved if they have that type already.
    ///
    /// # Errors
    /// When a weight has no exact value in `W` (floats are allowed to round).
    pub fn into_csr<W: Weight>(self) -> Result<Csr<W>, GraphError> {
        with_csr!(self, |graph| graph.convert_weights())
    }
}

macro_rules! from_csr {
    ($($t:ty, $variant:ident;)*) => {$(
        impl From<Csr<$t>> for AnyCsr {
            fn from(graph: Csr<$t>) -> Self { Self::$variant(graph) }
        }
    )*};
}

from_csr! { u32, U32; i32, I32; u64, U64; i64, I64; f32, F32; f64, F64; }
