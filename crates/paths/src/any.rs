//! Results for graphs whose weight type is known only at run time.
//!
//! Six weight types have four types of distances. The types here hold any of them, so that a
//! program has one function for all graphs.

use std::any::Any;
use std::fmt;
use std::ops::{Add, Range};

use graph_formats::{Distance, VertexId, Weight, WeightKind};

use crate::tree::path_to;
use crate::{DistanceTable, Distances, Nearest, Predecessors, Total, Tree, Within};

/// A distance of any type, displayed as its own type displays it.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
#[non_exhaustive]
pub enum Number {
    /// For weights of type `u32` or `u64`.
    U64(u64),
    /// For weights of type `i32` or `i64`.
    I64(i64),
    /// For weights of type `f32`.
    F32(f32),
    /// For weights of type `f64`.
    F64(f64),
}

/// Runs `$body` with `$value` bound to what a [`Number`] or an [`AnyDistances`] holds.
macro_rules! with_any {
    ($any:expr, $kind:ident, |$value:ident| $body:expr) => {
        match $any {
            $kind::U64($value) => $body,
            $kind::I64($value) => $body,
            $kind::F32($value) => $body,
            $kind::F64($value) => $body,
        }
    };
}

/// Runs `$body` with `$distances` bound to the typed [`Distances`](crate::Distances) inside an
/// [`AnyDistances`].
///
/// ```
/// use paths::{AnyDistances, Distances, with_distances};
///
/// let any = AnyDistances::from(Distances::from_storage(vec![0.5f32, 2.5]));
/// assert_eq!(with_distances!(&any, |distances| size_of_val(distances.as_storage())), 8);
/// ```
#[macro_export]
macro_rules! with_distances {
    ($any:expr, |$distances:ident| $body:expr) => {
        match $any {
            $crate::AnyDistances::U64($distances) => $body,
            $crate::AnyDistances::I64($distances) => $body,
            $crate::AnyDistances::F32($distances) => $body,
            $crate::AnyDistances::F64($distances) => $body,
            // AnyDistances is #[non_exhaustive] to other crates
            #[allow(unreachable_patterns)]
            _ => unreachable!("a type of distances without an arm in with_distances!"),
        }
    };
}

impl Number {
    /// The distance as a number.
    #[inline]
    pub fn of<D: Distance>(distance: D) -> Self {
        let distance: &dyn Any = &distance;
        let held = distance.downcast_ref().map(|&number| Self::U64(number));
        let held = held.or_else(|| distance.downcast_ref().map(|&number| Self::I64(number)));
        let held = held.or_else(|| distance.downcast_ref().map(|&number| Self::F32(number)));
        let held = held.or_else(|| distance.downcast_ref().map(|&number| Self::F64(number)));
        held.expect("these are all types of distances")
    }

    /// The distance that solvers store so; `None` for [`Distance::UNREACHED`].
    #[inline]
    pub fn of_stored<D: Distance>(distance: D) -> Option<Self> {
        (distance != D::UNREACHED).then(|| Self::of(distance))
    }

    /// Parses a distance of the type for weights of this kind; `None` if the text is not one.
    ///
    /// ```
    /// use graph_formats::WeightKind;
    /// use paths::Number;
    ///
    /// assert_eq!(Number::parse("7", WeightKind::U32), Some(Number::U64(7)));
    /// assert_eq!(Number::parse("0.5", WeightKind::U32), None);
    /// ```
    pub fn parse(text: &str, kind: WeightKind) -> Option<Self> {
        match kind.distance() {
            WeightKind::U64 => text.parse().ok().map(Self::U64),
            WeightKind::I64 => text.parse().ok().map(Self::I64),
            WeightKind::F32 => text.parse().ok().map(Self::F32),
            _ => text.parse().ok().map(Self::F64),
        }
    }

    /// The distance of type `D` with this value, if there is one; for floats the nearest.
    ///
    /// ```
    /// use paths::Number;
    ///
    /// assert_eq!(Number::U64(7).exactly::<f32>(), Some(7.0));
    /// assert_eq!(Number::F64(0.5).exactly::<u64>(), None);
    /// ```
    pub fn exactly<D: Distance>(self) -> Option<D> {
        let same = with_any!(self, Self, |number| {
            let number: &dyn Any = &number;
            number.downcast_ref().copied()
        });
        same.or_else(|| match self.to_i128() {
            Some(whole) => D::from_i128(whole),
            None => D::from_f64(self.to_f64()),
        })
    }

    /// The value, if the type is an integer type.
    pub fn to_i128(self) -> Option<i128> {
        with_any!(self, Self, |number| number.to_i128())
    }

    /// The nearest `f64`.
    pub fn to_f64(self) -> f64 {
        with_any!(self, Self, |number| Weight::to_f64(number))
    }
}

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        with_any!(self, Self, |number| number.fmt(f))
    }
}

impl From<Number> for Total {
    fn from(number: Number) -> Self {
        number.to_i128().map_or_else(|| Self::Float(number.to_f64()), Self::Integer)
    }
}

/// Exact where both are whole; otherwise a sum of floats.
impl Add<Number> for Total {
    type Output = Self;

    fn add(self, number: Number) -> Self {
        match (self, number.to_i128()) {
            (Self::Integer(sum), Some(number)) => Self::Integer(sum + number),
            (Self::Integer(sum), None) => Self::Float(sum as f64 + number.to_f64()),
            (Self::Float(sum), _) => Self::Float(sum + number.to_f64()),
        }
    }
}

/// Distances of any type.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum AnyDistances {
    /// For weights of type `u32` or `u64`.
    U64(Distances<u64>),
    /// For weights of type `i32` or `i64`.
    I64(Distances<i64>),
    /// For weights of type `f32`.
    F32(Distances<f32>),
    /// For weights of type `f64`.
    F64(Distances<f64>),
}

impl<D: Distance> From<Distances<D>> for AnyDistances {
    fn from(distances: Distances<D>) -> Self {
        let mut distances = Some(distances);
        let slot: &mut dyn Any = &mut distances;
        if let Some(held) = slot.downcast_mut::<Option<Distances<u64>>>() {
            held.take().map(Self::U64)
        } else if let Some(held) = slot.downcast_mut::<Option<Distances<i64>>>() {
            held.take().map(Self::I64)
        } else if let Some(held) = slot.downcast_mut::<Option<Distances<f32>>>() {
            held.take().map(Self::F32)
        } else {
            slot.downcast_mut::<Option<Distances<f64>>>().and_then(Option::take).map(Self::F64)
        }
        .expect("these are all types of distances")
    }
}

impl AnyDistances {
    /// The number of entries, those of unreached vertices included.
    pub fn len(&self) -> usize {
        with_any!(self, Self, |distances| distances.n_vertices())
    }

    /// Whether there are no entries.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The distance at this position; `None` if there is no path.
    #[inline]
    pub fn get(&self, at: usize) -> Option<Number> {
        with_any!(self, Self, |distances| {
            distances.as_storage().get(at).and_then(|&distance| Number::of_stored(distance))
        })
    }

    /// All of them, in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = Option<Number>> + '_ {
        (0..self.len()).map(|at| self.get(at))
    }

    /// The reached vertices and their distances, ascending, if there is one entry for each vertex.
    pub fn reached(&self) -> impl Iterator<Item = (VertexId, Number)> + '_ {
        (0..).zip(self.iter()).filter_map(|(vertex, distance)| Some((vertex, distance?)))
    }

    /// A copy of the entries at these positions.
    ///
    /// # Panics
    /// When there are fewer entries.
    pub fn part(&self, places: Range<usize>) -> Self {
        with_any!(self, Self, |distances| {
            Distances::from_storage(distances.as_storage()[places].to_vec()).into()
        })
    }

    /// How many entries are distances of a path. O(n).
    pub fn n_reached(&self) -> usize {
        with_any!(self, Self, |distances| distances.n_reached())
    }

    /// The greatest distance. O(n).
    pub fn max(&self) -> Option<Number> {
        with_any!(self, Self, |distances| distances.max().map(Number::of))
    }

    /// The sum of the distances. O(n).
    pub fn sum(&self) -> Total {
        with_any!(self, Self, |distances| distances.sum())
    }
}

/// A [`Tree`] of shortest paths, of any weight type.
#[derive(Clone, Debug, PartialEq)]
pub struct AnyTree {
    /// Where all paths start.
    pub source: VertexId,
    /// The greatest distance of the search, if it did not search for all.
    pub limit: Option<Number>,
    /// The length of a shortest path to each vertex.
    pub distances: AnyDistances,
    /// The vertex before each on such a path.
    pub predecessors: Predecessors,
}

impl<W: Weight> From<Tree<W>> for AnyTree {
    fn from(tree: Tree<W>) -> Self {
        let Tree { source, limit, distances, predecessors } = tree;
        let limit = limit.map(Number::of);
        Self { source, limit, distances: distances.into(), predecessors }
    }
}

impl AnyTree {
    /// As [`Tree::distance`].
    pub fn distance(&self, vertex: VertexId) -> Option<Number> {
        self.distances.get(vertex as usize)
    }

    /// As [`Tree::path_to`].
    pub fn path_to(&self, vertex: VertexId) -> Option<Vec<VertexId>> {
        self.distance(vertex)?;
        path_to(self.source, &self.predecessors, vertex)
    }
}

/// What lies [`Within`] a limit of a source, of any weight type.
#[derive(Clone, Debug, PartialEq)]
pub struct AnyWithin {
    /// Where all paths start.
    pub source: VertexId,
    /// The greatest distance.
    pub limit: Number,
    /// The vertices within, ascending.
    pub vertices: Vec<VertexId>,
    /// The distance of each of the vertices.
    pub distances: AnyDistances,
    /// The vertex before each of the vertices; `VertexId::MAX` for the source.
    pub predecessors: Vec<VertexId>,
}

impl<W: Weight> From<Within<W>> for AnyWithin {
    fn from(within: Within<W>) -> Self {
        let (source, limit) = (within.source, Number::of(within.limit));
        let (vertices, distances, predecessors) = within.into_storage();
        let distances = Distances::from_storage(distances).into();
        Self { source, limit, vertices, distances, predecessors }
    }
}

/// A [`DistanceTable`] of any weight type.
#[derive(Clone, Debug, PartialEq)]
pub struct AnyTable {
    /// The number of sources, which is that of rows.
    pub n_sources: usize,
    /// The number of targets, which is that of columns.
    pub n_targets: usize,
    /// The distances, row by row.
    pub distances: AnyDistances,
}

impl<W: Weight> From<DistanceTable<W>> for AnyTable {
    fn from(table: DistanceTable<W>) -> Self {
        let (n_sources, n_targets) = (table.n_sources(), table.n_targets());
        let storage = table.into_storage();
        let cells = if storage.is_standard_layout() {
            storage.into_raw_vec_and_offset().0
        } else {
            storage.iter().copied().collect()
        };
        Self { n_sources, n_targets, distances: Distances::from_storage(cells).into() }
    }
}

impl AnyTable {
    /// The distances from the `i`-th source.
    ///
    /// # Panics
    /// When there is no such source.
    pub fn row(&self, i: usize) -> impl ExactSizeIterator<Item = Option<Number>> + '_ {
        assert!(i < self.n_sources, "there are {} rows", self.n_sources);
        (i * self.n_targets..(i + 1) * self.n_targets).map(|at| self.distances.get(at))
    }
}

/// [`Nearest`] of any weight type.
#[derive(Clone, Debug, PartialEq)]
pub struct AnyNearest {
    /// How far each vertex is from its nearest source.
    pub distances: AnyDistances,
    owners: Vec<VertexId>,
}

impl<W: Weight> From<Nearest<W>> for AnyNearest {
    fn from(nearest: Nearest<W>) -> Self {
        let (distances, owners) = nearest.into_storage();
        Self { distances: distances.into(), owners }
    }
}

impl AnyNearest {
    /// As [`Nearest::source_of`].
    pub fn source_of(&self, vertex: VertexId) -> Option<VertexId> {
        self.distances.get(vertex as usize).map(|_| self.owners[vertex as usize])
    }

    /// As [`Nearest::owners_as_storage`].
    pub fn owners_as_storage(&self) -> &[VertexId] {
        &self.owners
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_of_their_type_and_shown_as_it_shows_them() {
        assert_eq!(Number::of(7u64), Number::U64(7));
        assert_eq!(Number::of(-7i64), Number::I64(-7));
        assert_eq!(Number::of(0.1f32).to_string(), "0.1");
        assert_eq!(Number::of(0.1f64).to_f64(), 0.1);
        assert_eq!(Number::U64(u64::MAX).to_i128(), Some(u64::MAX.into()));
        assert_eq!(Number::I64(-1).exactly::<u64>(), None);
        assert_eq!(Number::F64(f64::MAX).exactly::<f32>(), None);
        for (kind, number) in [
            (WeightKind::U64, Some(Number::U64(3))),
            (WeightKind::I32, Some(Number::I64(3))),
            (WeightKind::F32, Some(Number::F32(3.0))),
            (WeightKind::F64, Some(Number::F64(3.0))),
        ] {
            assert_eq!(Number::parse("3", kind), number);
            assert_eq!(Number::parse("three", kind), None);
        }
    }

    #[test]
    fn sums_are_exact_where_numbers_are_whole() {
        let whole = Total::Integer(0) + Number::U64(u64::MAX) + Number::I64(-1);
        assert_eq!(whole, Total::Integer(i128::from(u64::MAX) - 1));
        assert_eq!(Total::Integer(1) + Number::F32(0.5), Total::Float(1.5));
        assert_eq!(Total::from(Number::F32(0.5)) + Number::U64(2), Total::Float(2.5));
    }

    #[test]
    fn answers_keep_what_they_hold() {
        let distances = Distances::from_iter([Some(0i64), None, Some(-4)]);
        let any = AnyDistances::from(distances.clone());
        assert_eq!(any, AnyDistances::I64(distances.clone()));
        assert_eq!((any.len(), any.n_reached(), any.max()), (3, 2, Some(Number::I64(0))));
        assert_eq!((any.get(1), any.get(2)), (None, Some(Number::I64(-4))));
        assert_eq!(any.get(3), None);
        let reached: Vec<_> = any.reached().collect();
        assert_eq!(reached, [(0, Number::I64(0)), (2, Number::I64(-4))]);
        assert_eq!(any.part(1..3), AnyDistances::from(Distances::from_iter([None, Some(-4i64)])));
        let predecessors = Predecessors::from_iter([None, None, Some(0)]);
        let tree = Tree::<i32> { source: 0, limit: Some(9), distances, predecessors };
        let any = AnyTree::from(tree.clone());
        for vertex in 0..3 {
            assert_eq!(any.distance(vertex), tree.distance(vertex).map(Number::of));
            assert_eq!(any.path_to(vertex), tree.path_to(vertex));
        }
    }
}
