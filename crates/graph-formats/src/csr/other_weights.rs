//! The same arcs with other weights: of another type, of other values, or none.
//!
//! Rows and columns are shared, not copied. So are unchanged weights, unless they are
//! [set](Csr::set_weights) while other graphs share them.

use std::any::Any;
use std::sync::OnceLock;

use super::{Csr, Direction};
use crate::checks::{summary_of_finite, validate_weight};
use crate::rows::collected;
use crate::{Buffer, GraphError, Weight, WeightSummary};

impl<W: Weight> Csr<W> {
    /// The same graph with weights of type `V`; moved, not copied, when `V` is `W`.
    ///
    /// # Errors
    /// [`GraphError::WeightOutOfRange`] names the first weight that `V` has no exact
    /// value for (floats may round). O(m).
    pub fn convert_weights<V: Weight>(self) -> Result<Csr<V>, GraphError> {
        let mut this = Some(self);
        if let Some(same) = (&mut this as &mut dyn Any).downcast_mut::<Option<Csr<V>>>() {
            return Ok(same.take().expect("just put there"));
        }
        let this = this.expect("taken only above");
        let weights = this.stored_weights().iter().enumerate().map(|(arc, &w)| {
            w.to_i128().map_or_else(|| V::from_f64(w.to_f64()), V::from_i128).ok_or_else(|| {
                GraphError::WeightOutOfRange { arc, weight: w.to_string(), kind: V::KIND }
            })
        });
        let weights = weights.collect::<Result<Vec<V>, _>>()?;
        if this.weight_summary().common().is_some() {
            let summary = WeightSummary::of_equal(weights[0], this.n_arcs());
            return Ok(this.with_weights(OnceLock::new(), summary));
        }
        let summary = WeightSummary::of(&weights);
        Ok(this.with_array(weights.into(), summary))
    }

    /// The same graph with unsigned weights; floats keep their type. `None` if a weight is
    /// negative. It shares the memory of this graph. O(1) if the array of weights exists, else
    /// O(m).
    ///
    /// ```
    /// use graph_formats::Csr;
    ///
    /// let graph = Csr::from_arcs(3, &[(0, 1, 5i32), (1, 2, 7)])?;
    /// let unsigned = graph.as_unsigned().expect("no weight is negative");
    /// assert_eq!(unsigned, Csr::from_arcs(3, &[(0, 1, 5u32), (1, 2, 7)])?);
    /// assert!(Csr::from_arcs(2, &[(0, 1, -5i64)])?.as_unsigned().is_none());
    /// # Ok::<(), graph_formats::GraphError>(())
    /// ```
    pub fn as_unsigned(&self) -> Option<Csr<W::Unsigned>> {
        let WeightSummary { least, greatest, sum_of_sizes, first_negative } =
            *self.weight_summary();
        if first_negative.is_some() {
            return None;
        }
        // makes the array if all weights are equal, so that all copies share it
        self.weights();
        let weights = self.weights.get().map(Buffer::cast).unwrap_or_default().into();
        let (least, greatest) = (bytemuck::cast(least), bytemuck::cast(greatest));
        let summary = WeightSummary { least, greatest, sum_of_sizes, first_negative };
        Some(self.clone().with_weights(weights, summary))
    }

    /// The same arcs, in the same memory, with these weights, one per arc. The result is directed,
    /// because the two arcs of an edge may differ.
    ///
    /// # Errors
    /// When there is not one weight per arc, or one is not finite. O(m).
    ///
    /// ```
    /// use graph_formats::Csr;
    ///
    /// let graph = Csr::from_arcs(3, &[(0, 1, 5u32), (1, 2, 7)])?;
    /// let other = graph.with_other_weights(vec![0.5, 2.0])?;
    /// assert_eq!(other, Csr::from_arcs(3, &[(0, 1, 0.5), (1, 2, 2.0)])?);
    /// # Ok::<(), graph_formats::GraphError>(())
    /// ```
    pub fn with_other_weights<V: Weight>(
        &self,
        weights: impl Into<Buffer<V>>,
    ) -> Result<Csr<V>, GraphError> {
        let weights = weights.into();
        let (expected, found) = (self.n_arcs(), weights.len());
        if expected != found {
            return Err(GraphError::LengthMismatch { what: "weights", expected, found });
        }
        let summary = summary_of_finite(&weights)?;
        let directed = Self { direction: Direction::Directed, ..self.clone() };
        Ok(directed.with_array(weights, summary))
    }

    /// The same arcs with the weights that `new` makes of theirs. `new` gives equal weights for
    /// equal weights; so an undirected graph stays one, and rows keep their order. Only the
    /// weights take memory.
    ///
    /// ```
    /// use graph_formats::{Csr, Direction};
    ///
    /// let minutes = Csr::from_edges(3, &[(0, 1, 5u32), (1, 2, 7)])?;
    /// let hours = minutes.map_weights(|minutes| f64::from(minutes) / 60.0)?;
    /// assert_eq!(hours, Csr::from_edges(3, &[(0, 1, 5.0 / 60.0), (1, 2, 7.0 / 60.0)])?);
    /// assert_eq!(hours.direction(), Direction::Undirected);
    /// assert!(minutes.map_weights(|minutes| f64::from(minutes) / 0.0).is_err());
    /// # Ok::<(), graph_formats::GraphError>(())
    /// ```
    ///
    /// # Errors
    /// A weight that is not finite; [`GraphError::NoMemory`]. O(m); O(1) where all arcs have one
    /// positive weight.
    pub fn map_weights<V: Weight>(&self, new: impl Fn(W) -> V) -> Result<Csr<V>, GraphError> {
        if let Some(weight) = self.weight_summary().common() {
            let weight = new(weight);
            validate_weight(0, weight)?;
            let summary = WeightSummary::of_equal(weight, self.n_arcs());
            return Ok(self.clone().with_weights(OnceLock::new(), summary));
        }
        let weights = collected(self.weights().iter().map(|&weight| new(weight)))?;
        let summary = summary_of_finite(&weights)?;
        Ok(self.clone().with_array(weights.into(), summary))
    }

    /// Sets the weights of arcs by position. If an arc occurs twice, its last weight counts. The
    /// graph is directed afterwards, because the two arcs of an edge may differ.
    ///
    /// O(changes); O(m) if the array must be made or copied first, because all weights are equal or
    /// other graphs share it.
    ///
    /// # Errors
    /// When there is no such arc, or a weight is not finite; the graph is then unchanged.
    ///
    /// ```
    /// use graph_formats::Csr;
    ///
    /// let before = Csr::from_arcs(3, &[(0, 1, 5u32), (1, 2, 7)])?;
    /// let mut after = before.clone();
    /// after.set_weights(&[(1, 9)])?;
    /// assert_eq!((before.weights(), after.weights()), (&[5, 7][..], &[5, 9][..]));
    /// # Ok::<(), graph_formats::GraphError>(())
    /// ```
    pub fn set_weights(&mut self, changes: &[(usize, W)]) -> Result<(), GraphError> {
        let n_arcs = self.n_arcs();
        for &(arc, weight) in changes {
            if arc >= n_arcs {
                let expected = format!("the position of one of {n_arcs} arcs, counted from 0");
                let value = arc.to_string();
                return Err(GraphError::BadParameter { name: "arc", value, expected });
            }
            if !weight.is_finite() {
                return Err(GraphError::WeightNotFinite { arc, weight: weight.to_string() });
            }
        }
        if changes.is_empty() {
            return Ok(());
        }
        self.weights();
        let mut weights = self.weights.take().unwrap_or_default().into_vec();
        for &(arc, weight) in changes {
            weights[arc] = weight;
        }
        self.weights = Buffer::from(weights).into();
        self.weight_summary = OnceLock::new();
        self.direction = Direction::Directed;
        Ok(())
    }

    /// The same arcs, each of weight 1. O(1).
    pub fn unweighted<V: Weight>(self) -> Csr<V> {
        let summary = WeightSummary::of_equal(V::ONE, self.n_arcs());
        self.with_weights(OnceLock::new(), summary)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_convert_exactly_or_not_at_all() {
        let graph = Csr::from_arcs(2, &[(0, 1, 3.0f64), (1, 0, 2.5)]).unwrap();
        assert!(matches!(
            graph.clone().convert_weights::<u32>(),
            Err(GraphError::WeightOutOfRange { arc: 1, .. })
        ));
        let pointer = graph.weights().as_ptr();
        assert_eq!(graph.convert_weights::<f64>().unwrap().weights().as_ptr(), pointer);
    }

    /// A changed graph equals one made of these weights; graphs that shared its array do not
    /// change.
    #[test]
    fn weights_are_set() {
        for before in [
            Csr::from_edges(3, &[(0, 1, 5i64), (1, 2, 7)]).unwrap(),
            Csr::from_edges(3, &[(0, 1, 5), (1, 2, 5)]).unwrap(),
        ] {
            let mut after = before.clone();
            for (changes, weights) in [
                (&[(3, 2), (0, -4), (3, 9)][..], [-4, 5, before.weight(2), 9]),
                (&[(0, 1), (1, 1), (2, 1), (3, 1)], [1; 4]),
            ] {
                after.set_weights(changes).unwrap();
                let fresh = before.with_other_weights(weights.to_vec()).unwrap();
                assert_eq!(after, fresh);
                assert_eq!(after.weight_summary(), fresh.weight_summary());
                assert_eq!(after.weight(3), weights[3]);
                assert_eq!(after.first_negative(), fresh.first_negative());
            }
            assert_eq!(before.weight(0), 5);
            let kept = after.clone();
            assert!(after.set_weights(&[(0, 8), (4, 8)]).is_err());
            assert_eq!(after, kept);
        }
        let mut floats = Csr::from_arcs(2, &[(0, 1, 0.5)]).unwrap();
        let refused = floats.set_weights(&[(0, f64::NAN)]);
        assert!(matches!(refused, Err(GraphError::WeightNotFinite { arc: 0, .. })));
        assert!(floats.with_other_weights(vec![1.0, 2.0]).is_err());
        assert!(floats.with_other_weights(vec![f32::INFINITY]).is_err());
    }
}
