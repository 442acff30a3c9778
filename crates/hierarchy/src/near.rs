//! What is near a source.

use graph_formats::{VertexId, Weight};

use crate::HierarchyError;
use crate::metric::Metric;

impl<W: Weight> Metric<'_, W> {
    /// The `k` of `targets` that are nearest to `source`, with their distances, the nearest first;
    /// of those equally near the ones listed first. Fewer where no path leads to so many.
    ///
    /// As exact as [`Metric::table`], of which this is a row, sorted.
    ///
    /// # Errors
    /// When the source or a target does not exist, or a distance overflows its type.
    ///
    /// ```
    /// use graph_formats::Csr;
    /// use hierarchy::{Hierarchy, Order};
    ///
    /// let graph = Csr::from_edges(4, &[(0, 1, 7u32), (1, 2, 1), (2, 3, 2)])?;
    /// let hierarchy = Hierarchy::new(&graph, &Order::by_landmarks(&graph)?)?;
    /// let metric = hierarchy.customize(&graph)?;
    /// assert_eq!(metric.nearest(1, &[0, 2, 3], 2)?, [(2, 1), (3, 3)]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn nearest(
        &self,
        source: VertexId,
        targets: &[VertexId],
        k: usize,
    ) -> Result<Vec<(VertexId, W::Distance)>, HierarchyError> {
        let table = self.table(&[source], targets)?;
        let reached = targets.iter().zip(table.row(0));
        let mut reached: Vec<_> =
            reached.filter_map(|(&v, distance)| Some((v, distance?))).collect();
        reached.sort_by(|a, b| a.1.order(b.1));
        reached.truncate(k);
        Ok(reached)
    }

    /// The vertices no farther than `radius` from `source`, with their distances, ascending by
    /// vertex.
    ///
    /// As exact as [`Metric::distances`], and as much work: O(n + arcs of the hierarchy) for
    /// however small a radius.
    ///
    /// # Errors
    /// When the source does not exist, or a distance overflows its type.
    ///
    /// ```
    /// use graph_formats::Csr;
    /// use hierarchy::{Hierarchy, Order};
    ///
    /// let graph = Csr::from_edges(4, &[(0, 1, 7u32), (1, 2, 1), (2, 3, 2)])?;
    /// let hierarchy = Hierarchy::new(&graph, &Order::by_landmarks(&graph)?)?;
    /// let metric = hierarchy.customize(&graph)?;
    /// assert_eq!(metric.within(2, 2)?, [(1, 1), (2, 0), (3, 2)]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn within(
        &self,
        source: VertexId,
        radius: W::Distance,
    ) -> Result<Vec<(VertexId, W::Distance)>, HierarchyError> {
        let all = self.distances(&[source])?;
        let reached = all.iter().flat_map(|distances| distances.reached());
        Ok(reached.filter(|&(_, distance)| distance <= radius).collect())
    }
}
