//! The graph of some vertices.

use super::Csr;
use crate::rows::for_each_row_block;
use crate::{GraphError, VertexId, Weight, ensure_granted};

/// The number of a vertex that is left out: no vertex has it.
const LEFT_OUT: VertexId = VertexId::MAX;

impl<W: Weight> Csr<W> {
    /// The graph of these vertices, which ascend, and of all arcs between them. They are numbered in
    /// their order; arcs keep theirs. O(n + m).
    ///
    /// ```
    /// use graph_formats::Csr;
    ///
    /// let graph = Csr::from_edges(4, &[(0, 1, 5u32), (1, 3, 7), (2, 3, 9)])?;
    /// assert_eq!(graph.induced(&[1, 2, 3])?, Csr::from_edges(3, &[(0, 2, 7), (1, 2, 9)])?);
    /// # Ok::<(), graph_formats::GraphError>(())
    /// ```
    ///
    /// # Errors
    /// [`GraphError::BadParameter`] for a vertex that does not exist or does not ascend, and
    /// [`GraphError::NoMemory`].
    pub fn induced(&self, members: &[VertexId]) -> Result<Self, GraphError> {
        let n = self.n_vertices();
        let is_next = |at: usize| at == 0 || members[at - 1] < members[at];
        if let Some(at) = (0..members.len()).find(|&at| members[at] as usize >= n || !is_next(at)) {
            return Err(GraphError::BadParameter {
                name: "members",
                value: members[at].to_string(),
                expected: format!("vertices below {n}, each greater than the one before"),
            });
        }
        ensure_granted(self.bytes() + n * size_of::<VertexId>())?;
        let mut new_ids = vec![LEFT_OUT; n];
        (0..).zip(members).for_each(|(id, &member)| new_ids[member as usize] = id);
        let arcs_of = |member: VertexId| {
            let to = |&arc: &usize| new_ids[self.column_indices[arc] as usize];
            self.row(member).map(move |arc| (to(&arc), arc)).filter(|&(to, _)| to != LEFT_OUT)
        };
        let mut row_offsets = vec![0];
        let mut n_arcs = 0;
        row_offsets.extend(members.iter().map(|&member| {
            n_arcs += arcs_of(member).count() as u64;
            n_arcs
        }));
        let mut column_indices = vec![0; n_arcs as usize];
        for_each_row_block(&row_offsets, &mut column_indices, &|rows, block| {
            let arcs = members[rows].iter().flat_map(|&member| arcs_of(member));
            block.iter_mut().zip(arcs).for_each(|(end, (to, _))| *end = to);
        });
        if let Some(weight) = self.weight_summary().common() {
            return Ok(Self::of_valid_ends(row_offsets, column_indices, weight, self.direction));
        }
        let all = self.weights();
        let mut weights = vec![W::ZERO; n_arcs as usize];
        for_each_row_block(&row_offsets, &mut weights, &|rows, block| {
            let arcs = members[rows].iter().flat_map(|&member| arcs_of(member));
            block.iter_mut().zip(arcs).for_each(|(weight, (_, arc))| *weight = all[arc]);
        });
        Ok(Self::from_valid(row_offsets, column_indices, weights, self.direction))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arcs_between_members_remain() {
        let arcs = [(0, 0, 1.5f32), (0, 2, 2.0), (2, 0, 3.0), (2, 3, 4.0), (3, 2, 5.0)];
        let graph = Csr::from_arcs(4, &arcs).unwrap();
        let expected = Csr::from_arcs(3, &[(1, 2, 4.0f32), (2, 1, 5.0)]).unwrap();
        assert_eq!(graph.induced(&[1, 2, 3]).unwrap(), expected);
        assert_eq!(graph.induced(&[0, 1, 2, 3]).unwrap(), graph);
        assert_eq!(graph.induced(&[]).unwrap().n_vertices(), 0);
        assert!([&[1, 1][..], &[2, 1], &[4]].iter().all(|members| graph.induced(members).is_err()));
    }

    #[test]
    fn equal_weights_stay_equal() {
        let graph = Csr::from_edges(4, &[(0, 1, 7u32), (1, 2, 7), (2, 3, 7)]).unwrap();
        let part = graph.induced(&[0, 1, 3]).unwrap();
        assert_eq!(part, Csr::from_edges(3, &[(0, 1, 7u32)]).unwrap());
        assert_eq!(part.stored_weights(), [7]);
    }
}
