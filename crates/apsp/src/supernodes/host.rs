//! All pairs by supernodes, on the CPU.
//!
//! The rows of each supernode are a matrix of their own, so that threads write those of a level
//! while they read those above.

use graph_formats::parallel;
use std::ops::Range;

use super::fronts::{Fronts, Node, no_memory};
use super::{Steps, Supernodes};
use crate::ApspError;
use crate::host::{Matrix, MinPlus};

/// The distances from the vertices of each supernode to all ranks.
pub(super) struct Closed<'a, E> {
    supernodes: &'a Supernodes,
    rows: Vec<Matrix<E>>,
}

impl<'a, E: MinPlus> Closed<'a, E> {
    /// From the fronts.
    pub(super) fn of(
        fronts: Fronts<E>,
        supernodes: &'a Supernodes,
        steps: &Steps<'_>,
    ) -> Result<Self, ApspError> {
        let n = supernodes.n_vertices();
        let rows = supernodes.nodes.iter().map(|node| Matrix::empty(node.len(), n));
        let rows = rows.collect::<Option<_>>().ok_or_else(|| no_memory::<E>(supernodes))?;
        let mut closed = Self { supernodes, rows };
        for level in &supernodes.levels {
            let found = parallel::map(level.len(), &|at| closed.between(level[at], &fronts));
            let found = found.into_iter().collect::<Option<Vec<_>>>();
            let found = found.ok_or_else(|| no_memory::<E>(supernodes))?;
            for (&node, between) in level.iter().zip(&found) {
                closed.write(node, between);
            }
            steps.next()?;
        }
        for level in &supernodes.levels {
            let number = |node: u32| node as usize;
            // none of a level is above another
            let taken = level.iter().map(|&node| {
                let nothing = Matrix::empty(0, 0).ok_or_else(|| no_memory::<E>(supernodes))?;
                Ok(std::mem::replace(&mut closed.rows[number(node)], nothing))
            });
            let mut taken = taken.collect::<Result<Vec<_>, ApspError>>()?;
            let tasks = taken.iter_mut().zip(level).collect();
            parallel::try_map_of(tasks, &|(rows, &node): (&mut Matrix<E>, _)| {
                let (ends, up) = (&supernodes.node(node).ends, &fronts.nodes[number(node)].up);
                let done = rows.relax_by_product(0..n, up, |end| closed.row(ends[end]));
                done.ok_or_else(|| no_memory::<E>(supernodes))
            })?;
            for (rows, &node) in taken.into_iter().zip(level) {
                closed.rows[number(node)] = rows;
            }
            steps.next()?;
        }
        Ok(closed)
    }

    /// The distances from the vertex of a rank to those of all ranks.
    pub(super) fn row(&self, rank: u32) -> &[E] {
        let node = self.supernodes.of_rank(rank);
        let first = self.supernodes.node(node).ranks.start;
        self.rows[node as usize].row((rank - first) as usize)
    }

    /// The ranks above a supernode, ascending.
    fn above(&self, node: u32) -> Vec<Range<u32>> {
        self.supernodes.above(node).map(|above| self.supernodes.node(above).ranks.clone()).collect()
    }

    /// Finds the distances between a supernode and all ranks above, ascending, among which all are
    /// known.
    fn between(&self, number: u32, fronts: &Fronts<E>) -> Option<Node<E>> {
        let node = self.supernodes.node(number);
        let Node { own, up, down } = &fronts.nodes[number as usize];
        let above: Vec<u32> = self.above(number).into_iter().flatten().collect();
        let (n_own, n_ends, n_above) = (node.len(), node.ends.len(), above.len());
        let mut found = Node::new(n_own, n_above)?;
        let mut from_ends = Matrix::empty(n_ends, n_above)?;
        for (place, &end) in node.ends.iter().enumerate() {
            let (row, to) = (self.row(end), from_ends.row_mut(place));
            to.iter_mut().zip(&above).for_each(|(to, &rank)| *to = row[rank as usize]);
        }
        found.up.relax_by_product(0..n_above, up, |end| from_ends.row(end))?;
        let mut to_ends = Matrix::empty(n_above, n_ends)?;
        for (place, &rank) in above.iter().enumerate() {
            let (row, to) = (self.row(rank), to_ends.row_mut(place));
            to.iter_mut().zip(&node.ends).for_each(|(to, &end)| *to = row[end as usize]);
        }
        found.down.relax_by_product(0..n_own, &to_ends, |end| down.row(end))?;
        (0..n_own).for_each(|row| found.own.row_mut(row).copy_from_slice(own.row(row)));
        let Node { own, down, .. } = &mut found;
        let places: Vec<usize> =
            node.ends.iter().filter_map(|end| above.binary_search(end).ok()).collect();
        own.relax_by_product(0..n_own, up, |end| down.row(places[end]))?;
        Some(found)
    }

    /// Writes what was found where it belongs.
    fn write(&mut self, number: u32, found: &Node<E>) {
        let ranks = &self.supernodes.node(number).ranks;
        let columns = ranks.start as usize..ranks.end as usize;
        let segments = self.above(number);
        let own = &mut self.rows[number as usize];
        for row in 0..columns.len() {
            let mut from = found.up.row(row);
            let to = own.row_mut(row);
            to[columns.clone()].copy_from_slice(found.own.row(row));
            for segment in &segments {
                let (here, more) = from.split_at(segment.len());
                to[segment.start as usize..segment.end as usize].copy_from_slice(here);
                from = more;
            }
        }
        let mut place = 0;
        for above in self.supernodes.above(number) {
            let rows = &mut self.rows[above as usize];
            for row in 0..self.supernodes.node(above).len() {
                rows.row_mut(row)[columns.clone()].copy_from_slice(found.down.row(place));
                place += 1;
            }
        }
    }
}
