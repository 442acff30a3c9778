//! The graph of some vertices.

use super::Csr;
use crate::rows::{for_each_row_block, ranges, zeroed};
use crate::{GraphError, VertexId, Weight, ensure_granted, parallel};

/// Rows whose arcs are counted in a task.
const ROWS_PER_TASK: usize = 4096;
/// The number of a vertex that is left out: no vertex has it.
const LEFT_OUT: VertexId = VertexId::MAX;

impl<W: Weight> Csr<W> {
    /// The graph of these vertices, each given once, and of all arcs between them. They are numbered
    /// in their order. Rows ascend; arcs from one vertex to another keep their order.
    /// O(n + m log d), with d the largest out-degree.
    ///
    /// ```
    /// use graph_formats::Csr;
    ///
    /// let graph = Csr::from_edges(4, &[(0, 1, 5u32), (1, 3, 7), (2, 3, 9)])?;
    /// assert_eq!(graph.induced(&[1, 2, 3])?, Csr::from_edges(3, &[(0, 2, 7), (1, 2, 9)])?);
    /// assert_eq!(graph.induced(&[3, 2])?, Csr::from_edges(2, &[(0, 1, 9)])?);
    /// # Ok::<(), graph_formats::GraphError>(())
    /// ```
    ///
    /// # Errors
    /// [`GraphError::BadParameter`] for a vertex that does not exist or comes a second time, and
    /// [`GraphError::NoMemory`].
    pub fn induced(&self, members: &[VertexId]) -> Result<Self, GraphError> {
        let n = self.n_vertices();
        let of_lengths = members.len() * size_of::<usize>();
        ensure_granted(self.bytes() + n * size_of::<VertexId>() + of_lengths)?;
        let mut new_ids = vec![LEFT_OUT; n];
        for (id, &member) in (0..).zip(members) {
            match new_ids.get_mut(member as usize) {
                Some(place) if *place == LEFT_OUT => *place = id,
                _ => {
                    return Err(GraphError::BadParameter {
                        name: "members",
                        value: member.to_string(),
                        expected: format!("vertices below {n}, each once"),
                    });
                }
            }
        }
        let to = |arc: usize| new_ids[self.column_indices[arc] as usize];
        let arcs_of = |member: VertexId| self.row(member).filter(|&arc| to(arc) != LEFT_OUT);
        let mut lengths = vec![0usize; members.len()];
        parallel::fill(&mut lengths, ROWS_PER_TASK, &|first, lengths| {
            for (length, &member) in lengths.iter_mut().zip(&members[first..]) {
                *length = match members.len() == n {
                    true => self.out_degree(member),
                    false => arcs_of(member).count(),
                };
            }
        });
        let mut row_offsets = Vec::with_capacity(members.len() + 1);
        row_offsets.push(0);
        let mut n_arcs = 0;
        row_offsets.extend(lengths.into_iter().map(|length| {
            n_arcs += length as u64;
            n_arcs
        }));
        let stays = self.rows_ascend && members.is_sorted();
        let mut column_indices = zeroed(n_arcs as usize)?;
        for_each_row_block(&row_offsets, &mut column_indices, &|rows, block| {
            for (member, row) in rows.clone().zip(ranges(&row_offsets, rows)) {
                let ends = &mut block[row];
                let arcs = arcs_of(members[member]);
                ends.iter_mut().zip(arcs).for_each(|(end, arc)| *end = to(arc));
                if !stays {
                    ends.sort_unstable();
                }
            }
        });
        if let Some(weight) = self.weight_summary().common() {
            return Ok(Self::of_valid_ends(row_offsets, column_indices, weight, self.direction));
        }
        let all = self.weights();
        let mut weights = zeroed(n_arcs as usize)?;
        for_each_row_block(&row_offsets, &mut weights, &|rows, block| {
            let mut arcs = Vec::new();
            for (member, row) in rows.clone().zip(ranges(&row_offsets, rows)) {
                arcs.clear();
                arcs.extend(arcs_of(members[member]).map(|arc| (to(arc), arc)));
                if !stays {
                    arcs.sort_unstable();
                }
                block[row].iter_mut().zip(&arcs).for_each(|(weight, &(_, arc))| *weight = all[arc]);
            }
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
        assert!([&[1, 1][..], &[4]].iter().all(|members| graph.induced(members).is_err()));
    }

    #[test]
    fn members_have_the_numbers_of_their_places() {
        // rows that do not ascend, and arcs beside one another
        let (ends, weights) = (vec![2, 0, 2, 1, 0, 0], vec![4u32, 5, 3, 6, 8, 7]);
        let graph = Csr::new(vec![0, 4, 4, 6], ends, weights).unwrap();
        let part = graph.induced(&[2, 0]).unwrap();
        let arcs = [(0, 1, 8), (0, 1, 7), (1, 0, 4), (1, 0, 3), (1, 1, 5)];
        assert!(part.arcs().eq(arcs) && part.rows_ascend());
        let whole = graph.induced(&[0, 1, 2]).unwrap();
        assert!(
            whole.arcs().eq([0, 1, 2, 2]
                .into_iter()
                .zip([5, 6, 4, 3])
                .map(|(to, weight)| { (0, to, weight) })
                .chain([(2, 0, 8), (2, 0, 7)]))
        );
    }

    #[test]
    fn equal_weights_stay_equal() {
        let graph = Csr::from_edges(4, &[(0, 1, 7u32), (1, 2, 7), (2, 3, 7)]).unwrap();
        let part = graph.induced(&[0, 1, 3]).unwrap();
        assert_eq!(part, Csr::from_edges(3, &[(0, 1, 7u32)]).unwrap());
        assert_eq!(part.stored_weights(), [7]);
    }
}
