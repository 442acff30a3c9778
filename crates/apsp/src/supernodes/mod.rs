//! All pairs by supernodes: for sparse graphs with small separators, such as grids, meshes and
//! roads, far fewer sums than n³.
//!
//! The vertices are ordered so that eliminating them in turn adds few shortcuts. Consecutive ranks
//! with nearly the same higher neighbours form a [`Supernode`] (`cut.rs`). Three phases:
//!
//! 1. From the leaves of their tree to its roots, each supernode S is a dense matrix of itself and
//!    its ends A, the higher neighbours. It takes the arcs, what the children found, and a
//!    Floyd-Warshall through the pivots S alone. That leaves the shortest paths inside the subtree
//!    of S, from S to A and back, and passes those from A to A on to the parent (`fronts.rs`).
//! 2. From the roots to the leaves, the distances between S and its ancestors. Whatever leaves the
//!    subtree does so through A, so that D\[S, t\] = F\[S, A\] + D\[A, t\] in the semiring, and
//!    likewise towards S. Some per cent of all pairs.
//! 3. From the roots to the leaves again, the rows of S by the same product for all t that are not
//!    in its subtree: those that are have D\[S, t\] from phase 2.
//!
//! Both products are by the kernels that Floyd-Warshall has, of dense matrices all. O(n · arcs of
//! the completion) sums, and beside the n² distances O(arcs) numbers. The published forms close
//! phase 2 and 3 in one matrix by outer products of ancestors; here a row is written once, and
//! a tile of it stays in registers for all of A.
//!
//! Reference: sao-2020

mod cut;
mod fronts;
mod host;
mod ordered;
mod solve;

use std::cell::Cell;
use std::ops::Range;

use elimination::inverse;
use graph_formats::{Interrupted, VertexId, tell};
use sssp::Progress;

pub(crate) use self::fronts::Fronts;
pub use self::ordered::Ordered;
pub(crate) use self::solve::BySupernodes;

/// Vertices with ranks in sequence, and the higher ones that they lead to when all lower ones are
/// eliminated.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Supernode {
    /// Their ranks.
    pub(crate) ranks: Range<u32>,
    /// The ranks of these others, ascending and higher. Each belongs to the parent, which is the
    /// supernode of the first of them, or is among the ends of the parent.
    pub(crate) ends: Vec<u32>,
}

impl Supernode {
    /// How many vertices it has.
    pub(crate) fn len(&self) -> usize {
        self.ranks.len()
    }

    /// Where a rank is among its own and its ends.
    pub(crate) fn place(&self, rank: u32) -> Option<usize> {
        if self.ranks.contains(&rank) {
            return Some((rank - self.ranks.start) as usize);
        }
        self.ends.binary_search(&rank).ok().map(|place| self.len() + place)
    }
}

/// The vertices of a graph by rank, cut into supernodes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Supernodes {
    /// The vertex of each rank,
    pub(crate) vertices: Vec<VertexId>,
    /// and the rank of each vertex.
    pub(crate) ranks: Vec<u32>,
    /// By ascending rank.
    pub(crate) nodes: Vec<Supernode>,
    /// The supernode of the first end, if there are ends.
    parents: Vec<Option<u32>>,
    /// By their depth in the tree of parents, the roots first.
    pub(crate) levels: Vec<Vec<u32>>,
}

impl Supernodes {
    /// Of the vertex of each rank, and the supernodes by ascending rank. O(n + supernodes · log).
    fn new(vertices: Vec<VertexId>, nodes: Vec<Supernode>) -> Self {
        let ranks = inverse(&vertices).expect("ranks are vertices, each once");
        let parent = |node: &Supernode| node.ends.first().map(|&end| of_rank(&nodes, end));
        let parents: Vec<_> = nodes.iter().map(parent).collect();
        let levels = levels(&parents);
        Self { vertices, ranks, nodes, parents, levels }
    }

    /// How many vertices there are.
    pub(crate) fn n_vertices(&self) -> usize {
        self.vertices.len()
    }

    /// How many sums all pairs take: of Floyd-Warshall there are n³. O(supernodes).
    pub(crate) fn n_sums(&self) -> f64 {
        let n = self.n_vertices() as f64;
        let of_node = |node: &Supernode| {
            let (own, ends) = (node.len() as f64, node.ends.len() as f64);
            own * ends * n + own * (own + ends) * (own + ends)
        };
        self.nodes.iter().map(of_node).sum()
    }

    pub(crate) fn parent(&self, node: u32) -> Option<u32> {
        self.parents[node as usize]
    }

    pub(crate) fn node(&self, node: u32) -> &Supernode {
        &self.nodes[node as usize]
    }

    /// The supernodes above one, the next first.
    pub(crate) fn above(&self, node: u32) -> impl Iterator<Item = u32> {
        std::iter::successors(self.parent(node), |&node| self.parent(node))
    }

    /// The supernode that has a rank.
    pub(crate) fn of_rank(&self, rank: u32) -> u32 {
        of_rank(&self.nodes, rank)
    }

    /// The first rank of the subtree of each supernode, which ends with it where ranks are in
    /// postorder; its own first one else.
    pub(crate) fn subtrees(&self) -> Vec<u32> {
        let mut firsts: Vec<u32> = self.nodes.iter().map(|node| node.ranks.start).collect();
        // children by descending rank: what joins the range is in it
        for node in 0..self.nodes.len() as u32 {
            let mut first = self.node(node).ranks.start;
            while first > 0 {
                let below = self.of_rank(first - 1);
                if self.parent(below) != Some(node) {
                    break;
                }
                first = firsts[below as usize];
            }
            firsts[node as usize] = first;
        }
        firsts
    }
}

/// Which of supernodes by ascending rank has a rank.
fn of_rank(nodes: &[Supernode], rank: u32) -> u32 {
    nodes.partition_point(|node| node.ranks.end <= rank) as u32
}

/// The supernodes by their depth, for parents are higher ones.
fn levels(parents: &[Option<u32>]) -> Vec<Vec<u32>> {
    let mut depths = vec![0usize; parents.len()];
    let mut levels: Vec<Vec<u32>> = Vec::new();
    for (node, parent) in parents.iter().enumerate().rev() {
        depths[node] = parent.map_or(0, |parent| depths[parent as usize] + 1);
        if levels.len() <= depths[node] {
            levels.push(Vec::new());
        }
        levels[depths[node]].push(node as u32);
    }
    levels.iter_mut().for_each(|level| level.reverse());
    levels
}

/// The progress of a solve: the levels of the supernodes, each in three phases.
pub(crate) struct Steps<'a> {
    done: Cell<u64>,
    total: u64,
    progress: Option<Progress<'a>>,
}

impl<'a> Steps<'a> {
    pub(crate) fn new(supernodes: &Supernodes, progress: Option<Progress<'a>>) -> Self {
        let total = 3 * supernodes.levels.len() as u64;
        Self { done: Cell::new(0), total, progress }
    }

    /// Tells that a level is done.
    pub(crate) fn next(&self) -> Result<(), Interrupted> {
        self.done.update(|done| done + 1);
        tell(self.progress, self.done.get(), self.total)
    }
}
