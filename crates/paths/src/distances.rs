//! The distances of all vertices from a source.

use graph_formats::{Distance, VertexId, Weight};

/// One distance per vertex, or none where no path was found.
///
/// ```
/// use paths::Distances;
///
/// let distances: Distances<u64> = [Some(0), None, Some(7)].into_iter().collect();
/// assert_eq!(distances.get(1), None);
/// assert_eq!((distances.n_reached(), distances.max()), (2, Some(7)));
/// assert_eq!(distances.sum().to_string(), "7");
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Distances<D>(Vec<D>);

/// The sum of many distances: exact for integers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Total {
    /// An exact sum of integers.
    Integer(i128),
    /// A sum of floats, taken in `f64` in the order of the vertices.
    Float(f64),
}

impl Total {
    /// The sum of weights or distances, in their order.
    pub fn of<W: Weight>(numbers: impl IntoIterator<Item = W>) -> Self {
        let numbers = numbers.into_iter();
        if W::ZERO.to_i128().is_some() {
            Self::Integer(numbers.filter_map(W::to_i128).sum())
        } else {
            Self::Float(numbers.map(W::to_f64).sum())
        }
    }
}

impl std::fmt::Display for Total {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Integer(sum) => sum.fmt(f),
            Self::Float(sum) => sum.fmt(f),
        }
    }
}

impl<D: Distance> Distances<D> {
    /// Distances as solvers store them, where [`Distance::UNREACHED`] stands for none.
    pub fn from_storage(distances: Vec<D>) -> Self {
        Self(distances)
    }

    /// Distances as solvers store them, where [`Distance::UNREACHED`] stands for none:
    /// for passes over all of them at the speed of memory.
    pub fn as_storage(&self) -> &[D] {
        &self.0
    }

    /// The same, with their memory.
    pub fn into_storage(self) -> Vec<D> {
        self.0
    }

    /// How many vertices the graph has, reached or not.
    pub fn n_vertices(&self) -> usize {
        self.0.len()
    }

    /// The distance of `vertex`; `None` when it was not reached or does not exist.
    #[inline]
    pub fn get(&self, vertex: VertexId) -> Option<D> {
        self.0.get(vertex as usize).copied().filter(|&d| d != D::UNREACHED)
    }

    /// The distances in the order of the vertices.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = Option<D>> + '_ {
        self.0.iter().map(|&d| Some(d).filter(|&d| d != D::UNREACHED))
    }

    /// The reached vertices and their distances, ascending by vertex.
    pub fn reached(&self) -> impl Iterator<Item = (VertexId, D)> + '_ {
        (0..).zip(self.iter()).filter_map(|(v, d)| Some((v, d?)))
    }

    /// How many vertices were reached, the source included. O(n).
    pub fn n_reached(&self) -> usize {
        self.reached().count()
    }

    /// The largest distance; `None` when nothing was reached. O(n).
    pub fn max(&self) -> Option<D> {
        self.reached().map(|(_, d)| d).max_by(|a, b| a.order(*b))
    }

    /// The sum of the distances of the reached vertices. O(n).
    pub fn sum(&self) -> Total {
        Total::of(self.reached().map(|(_, d)| d))
    }

    /// The same without the vertices farther than `limit`. O(n).
    pub fn within(mut self, limit: D) -> Self {
        for distance in &mut self.0 {
            if *distance > limit {
                *distance = D::UNREACHED;
            }
        }
        self
    }
}

impl<D: Distance> FromIterator<Option<D>> for Distances<D> {
    fn from_iter<I: IntoIterator<Item = Option<D>>>(iter: I) -> Self {
        Self(iter.into_iter().map(|d| d.unwrap_or(D::UNREACHED)).collect())
    }
}
