//! Searches of the changed graph, beside the closure before.

use std::collections::VecDeque;
use std::mem::replace;

use graph_formats::{DynamicGraph, VertexId};

use crate::unite::WORD;

/// A mark of a vertex that a path leads to, and of one from which a path leads.
const AHEAD: u8 = 1;
const BEHIND: u8 = 2;
/// Arcs that searches for other paths look at, for each arc and vertex of the graph.
const LOOKS: usize = 4;

pub(crate) struct Searches<'g> {
    graph: &'g DynamicGraph<u32>,
    marks: Vec<u8>,
    /// Arcs that may still be looked at.
    n_left: usize,
}

impl<'g> Searches<'g> {
    pub(crate) fn new(graph: &'g DynamicGraph<u32>) -> Self {
        let n_left = LOOKS * (graph.n_vertices() + graph.n_arcs());
        Self { graph, marks: vec![0; graph.n_vertices()], n_left }
    }

    /// Whether a path of at least one arc leads from one vertex to another, where it led before:
    /// `row` is that of the first then. False too if it is not found in reasonable time, or leads over
    /// new arcs alone. From both ends, always on the side with fewer open vertices.
    pub(crate) fn is_path_found(&mut self, from: VertexId, to: VertexId, row: &[u64]) -> bool {
        let (mut ahead, mut behind) = (vec![from], vec![to]);
        self.marks[from as usize] |= AHEAD;
        self.marks[to as usize] |= BEHIND;
        let is_found = self.meet(&mut ahead, &mut behind, row);
        ahead.iter().chain(&behind).for_each(|&vertex| self.marks[vertex as usize] = 0);
        is_found
    }

    fn meet(&mut self, ahead: &mut Vec<VertexId>, behind: &mut Vec<VertexId>, row: &[u64]) -> bool {
        let graph = self.graph;
        let was_reached =
            |vertex: VertexId| row[vertex as usize / WORD] >> (vertex as usize % WORD) & 1 != 0;
        let (mut n_ahead, mut n_behind) = (0, 0);
        loop {
            let is_ahead = ahead.len() - n_ahead <= behind.len() - n_behind;
            let (list, at, own, other) = match is_ahead {
                true => (&mut *ahead, &mut n_ahead, AHEAD, BEHIND),
                false => (&mut *behind, &mut n_behind, BEHIND, AHEAD),
            };
            let Some(&vertex) = list.get(*at) else { return false };
            *at += 1;
            let arcs = if is_ahead { graph.arcs_from(vertex) } else { graph.arcs_to(vertex) };
            let Some(n_left) = self.n_left.checked_sub(arcs.len()) else { return false };
            self.n_left = n_left;
            for &(end, _) in arcs {
                let mark = &mut self.marks[end as usize];
                if *mark & other != 0 {
                    return true;
                }
                if *mark & own == 0 && (is_ahead || was_reached(end)) {
                    *mark |= own;
                    list.push(end);
                }
            }
        }
    }

    /// Which of these vertices, at most 64, have a path of at least one arc to each vertex: a bit each.
    pub(crate) fn reached_from(&self, sources: &[VertexId]) -> Vec<u64> {
        let n = self.graph.n_vertices();
        // a source is where its bit is, without a path
        let (mut reached, mut own, mut is_open) = (vec![0u64; n], vec![0u64; n], vec![false; n]);
        let mut open = VecDeque::new();
        for (bit, &source) in sources.iter().enumerate() {
            own[source as usize] |= 1 << bit;
            if !replace(&mut is_open[source as usize], true) {
                open.push_back(source);
            }
        }
        while let Some(vertex) = open.pop_front() {
            is_open[vertex as usize] = false;
            let bits = reached[vertex as usize] | own[vertex as usize];
            for &(head, _) in self.graph.arcs_from(vertex) {
                let there = &mut reached[head as usize];
                if bits & !*there != 0 {
                    *there |= bits;
                    if !replace(&mut is_open[head as usize], true) {
                        open.push_back(head);
                    }
                }
            }
        }
        reached
    }

    /// These vertices and all that reach one of them, ascending; `None` if they are more than `most`.
    pub(crate) fn ancestors(&self, vertices: &[VertexId], most: usize) -> Option<Vec<VertexId>> {
        let mut is_found = vec![false; self.graph.n_vertices()];
        let mut open = Vec::new();
        let mut n_found = 0;
        let mut find = |vertex: VertexId, open: &mut Vec<_>| {
            if !replace(&mut is_found[vertex as usize], true) {
                n_found += 1;
                open.push(vertex);
            }
            n_found
        };
        vertices.iter().for_each(|&vertex| _ = find(vertex, &mut open));
        while let Some(vertex) = open.pop() {
            for &(tail, _) in self.graph.arcs_to(vertex) {
                if find(tail, &mut open) > most {
                    return None;
                }
            }
        }
        Some((0..).zip(is_found).filter(|(_, is_found)| *is_found).map(|(v, _)| v).collect())
    }
}
