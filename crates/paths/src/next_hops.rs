//! Paths between all pairs, as the first step of each; the next steps follow from these.

use graph_formats::{VertexId, Weight};
use ndarray::Array2;
use rayon::prelude::*;

use crate::DistanceTable;

/// For every pair (u, v) the vertex after u on a shortest path to v, or none: where no path
/// leads there, and where u is v.
///
/// Takes 2 n² bytes where ids fit 16 bits, that is below 65535 vertices, and else 4 n².
///
/// ```
/// use ndarray::array;
/// use paths::{HopStorage, NextHops};
///
/// let none = u16::MAX;
/// let hops = array![[none, 1, 1], [none, none, 2], [none, none, none]];
/// let hops = NextHops::from_storage(HopStorage::Narrow(hops))?;
/// assert_eq!((hops.get(0, 2), hops.get(1, 2), hops.get(2, 0)), (Some(1), Some(2), None));
/// # Ok::<(), paths::NextHopsError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NextHops(HopStorage);

/// Next hops as solvers store them: row u, column v; the greatest value stands for none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HopStorage {
    /// 16 bits each: fewer than 65535 vertices.
    Narrow(Array2<u16>),
    /// 32 bits each.
    Wide(Array2<u32>),
}

/// Why a matrix is not one of next hops, or does not fit the distances.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NextHopsError {
    /// The matrix is not square.
    #[error("next hops have {rows} rows and {columns} columns; expected a square matrix")]
    NotSquare {
        /// Its rows.
        rows: usize,
        /// Its columns.
        columns: usize,
    },
    /// Hops are kept in 16 bits for few vertices and in 32 for many.
    #[error("next hops of {n_vertices} vertices have {found} bits; expected {expected}")]
    WrongWidth {
        /// The vertices.
        n_vertices: usize,
        /// Bits that a hop should have.
        expected: u32,
        /// Bits that it has.
        found: u32,
    },
    /// A hop is no vertex.
    #[error("the next hop from {from} to {to} is {hop}, not among the vertices 0..{n_vertices}")]
    NoSuchVertex {
        /// Where the path starts.
        from: VertexId,
        /// Where it should end.
        to: VertexId,
        /// The hop.
        hop: VertexId,
        /// The vertices.
        n_vertices: usize,
    },
    /// The distances are not of the same vertices.
    #[error(
        "next hops have {n_vertices} vertices, and distances {rows} rows and {columns} columns; \
         expected {n_vertices} of both"
    )]
    OtherDistances {
        /// Vertices that have next hops.
        n_vertices: usize,
        /// Rows of the distances.
        rows: usize,
        /// Their columns.
        columns: usize,
    },
}

impl NextHops {
    /// Whether hops of `n_vertices` vertices are stored in 16 bits, not in 32.
    pub fn is_narrow(n_vertices: usize) -> bool {
        n_vertices < usize::from(u16::MAX)
    }

    /// Next hops as solvers store them. O(n²), in parallel.
    ///
    /// [`check_next_hops`](crate::certificate::check_next_hops) checks that they lead along paths.
    ///
    /// # Errors
    /// When the matrix is not square, does not have the width that [`is_narrow`](Self::is_narrow)
    /// requires, or names a vertex that does not exist.
    pub fn from_storage(storage: HopStorage) -> Result<Self, NextHopsError> {
        match &storage {
            HopStorage::Narrow(hops) => check(hops, u16::MAX)?,
            HopStorage::Wide(hops) => check(hops, u32::MAX)?,
        }
        Ok(Self(storage))
    }

    /// Next hops as solvers store them.
    pub fn as_storage(&self) -> &HopStorage {
        &self.0
    }

    /// Sets the vertex after `from` on the path to `to`, or that there is none.
    ///
    /// # Panics
    /// When one of them is not among the vertices.
    pub fn set(&mut self, from: VertexId, to: VertexId, hop: Option<VertexId>) {
        let n_vertices = self.n_vertices();
        assert!(hop.is_none_or(|hop| (hop as usize) < n_vertices), "no hop of {n_vertices}");
        let place = (from as usize, to as usize);
        match &mut self.0 {
            HopStorage::Narrow(hops) => hops[place] = hop.map_or(u16::MAX, |hop| hop as u16),
            HopStorage::Wide(hops) => hops[place] = hop.unwrap_or(u32::MAX),
        }
    }

    /// How many vertices the graph has.
    pub fn n_vertices(&self) -> usize {
        match &self.0 {
            HopStorage::Narrow(hops) => hops.nrows(),
            HopStorage::Wide(hops) => hops.nrows(),
        }
    }

    /// The vertex after `from` on the path to `to`; `None` where no path leads there, where
    /// the two are the same, and for vertices that do not exist.
    #[inline]
    pub fn get(&self, from: VertexId, to: VertexId) -> Option<VertexId> {
        let place = (from as usize, to as usize);
        match &self.0 {
            HopStorage::Narrow(hops) => {
                hops.get(place).filter(|&&hop| hop != u16::MAX).map(|&hop| hop.into())
            }
            HopStorage::Wide(hops) => hops.get(place).copied().filter(|&hop| hop != u32::MAX),
        }
    }
}

fn check<H>(hops: &Array2<H>, none: H) -> Result<(), NextHopsError>
where
    H: Copy + Clone + Into<VertexId> + PartialEq + Sync,
{
    let (rows, columns) = hops.dim();
    if rows != columns {
        return Err(NextHopsError::NotSquare { rows, columns });
    }
    let expected = if NextHops::is_narrow(rows) { u16::BITS } else { u32::BITS };
    let found = 8 * size_of::<H>() as u32;
    if found != expected {
        return Err(NextHopsError::WrongWidth { n_vertices: rows, expected, found });
    }
    let hops = hops.as_standard_layout();
    let is_wrong = |&hop: &H| hop != none && hop.into() as usize >= rows;
    match hops.as_slice().and_then(|hops| hops.par_iter().position_first(is_wrong)) {
        None => Ok(()),
        Some(place) => {
            let (from, to) = (place / columns, place % columns);
            let hop = hops[(from, to)].into();
            let (from, to) = (from as VertexId, to as VertexId);
            Err(NextHopsError::NoSuchVertex { from, to, hop, n_vertices: rows })
        }
    }
}

/// Shortest paths between all pairs of vertices: how long they are, and where they lead.
///
/// ```
/// use graph_formats::Csr;
/// use paths::{Paths, oracle};
///
/// let graph = Csr::from_arcs(4, &[(0, 1, 5u32), (1, 2, 2), (0, 2, 9)])?;
/// let distances = oracle::floyd_warshall(&graph)?;
/// let next_hops = oracle::next_hops(&graph, &distances);
/// let paths = Paths::new(distances, next_hops)?;
/// assert_eq!((paths.distance(0, 2), paths.path(0, 2)), (Some(7), Some(vec![0, 1, 2])));
/// assert_eq!(paths.path(3, 3), Some(vec![3]));
/// assert_eq!(paths.path(2, 0), None);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Paths<W: Weight> {
    distances: DistanceTable<W>,
    next_hops: NextHops,
}

impl<W: Weight> Paths<W> {
    /// The paths that these hops lead along. O(1).
    ///
    /// # Errors
    /// When the distances are not of the same number of vertices.
    pub fn new(distances: DistanceTable<W>, next_hops: NextHops) -> Result<Self, NextHopsError> {
        let (rows, columns) = (distances.n_sources(), distances.n_targets());
        let n_vertices = next_hops.n_vertices();
        if (rows, columns) != (n_vertices, n_vertices) {
            return Err(NextHopsError::OtherDistances { n_vertices, rows, columns });
        }
        Ok(Self { distances, next_hops })
    }

    /// The distances.
    pub fn distances(&self) -> &DistanceTable<W> {
        &self.distances
    }

    /// The next hops.
    pub fn next_hops(&self) -> &NextHops {
        &self.next_hops
    }

    /// How far `to` is from `from`; `None` when no path leads there, or one of them does
    /// not exist.
    pub fn distance(&self, from: VertexId, to: VertexId) -> Option<W::Distance> {
        self.distances.get(from as usize, to as usize)
    }

    /// The vertices of a shortest path, both ends included; `None` when there is none.
    /// O(length of the path).
    ///
    /// Hops that end elsewhere or run in a cycle, which no solver returns, give `None` although
    /// there is a [`distance`](Self::distance); at most n of them are followed.
    pub fn path(&self, from: VertexId, to: VertexId) -> Option<Vec<VertexId>> {
        self.distance(from, to)?;
        let mut path = vec![from];
        let mut at = from;
        while at != to {
            at = self.next_hops.get(at, to)?;
            path.push(at);
            if path.len() > self.next_hops.n_vertices() {
                return None;
            }
        }
        Some(path)
    }
}
