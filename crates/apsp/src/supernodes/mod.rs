//! All pairs by supernodes: for sparse graphs with small separators, such as grids, meshes and
//! roads, far fewer sums than n³.
//!
//! The vertices are ordered so that contracting one after the other makes few shortcuts, and ranks
//! that have much the same higher neighbours are one [`Supernode`]. Three phases:
//!
//! 1. From the leaves of their tree to its roots, each supernode S is a dense matrix of itself and
//!    its ends A, the higher neighbours: the arcs, what the children found, and a Floyd-Warshall
//!    through the pivots S alone. That leaves the shortest paths inside the subtree of S, from S to
//!    A and back, and passes those from A to A on to the parent (`fronts.rs`).
//! 2. From the roots to the leaves, the distances between S and its ancestors: whatever leaves the
//!    subtree does so through A, so that D\[S, t\] = F\[S, A\] + D\[A, t\] in the semiring, and
//!    likewise towards S. Some per cent of all pairs.
//! 3. From the roots to the leaves again, the rows of S by the same product for all t that are not
//!    in its subtree: those that are have D\[S, t\] from phase 2.
//!
//! Both products are by the kernels that Floyd-Warshall has, of dense matrices all. O(n · arcs of
//! the hierarchy) sums, and beside the n² distances O(arcs) numbers. The published forms close
//! phase 2 and 3 in one matrix by outer products of ancestors; here a row is written once, and
//! a tile of it stays in registers for all of A.
//!
//! Reference: sao-2020

mod fronts;
mod host;
mod solve;

use std::ops::Range;

use graph_formats::VertexId;

use crate::ApspError;

pub(crate) use self::fronts::{Fronts, Node};
pub(crate) use self::solve::{BySupernodes, Steps};

/// Vertices with ranks in sequence, and the higher ones that they lead to when all lower ones are
/// contracted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Supernode {
    /// Their ranks.
    pub ranks: Range<u32>,
    /// The ranks of these others, ascending; all are higher.
    pub ends: Vec<u32>,
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

/// The vertices of a graph by rank, cut into supernodes: what
/// [`Solver::by_supernodes`](crate::Solver::by_supernodes) needs to know of a sparse graph. The crate `hierarchy`
/// makes them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Supernodes {
    vertices: Vec<VertexId>,
    ranks: Vec<u32>,
    nodes: Vec<Supernode>,
    /// The supernode of the first end, if there are ends.
    parents: Vec<Option<u32>>,
    /// By their depth in the tree of parents, the roots first.
    levels: Vec<Vec<u32>>,
}

impl Supernodes {
    /// Of the vertex of each rank, and the supernodes by ascending rank. O(n + ends · log).
    ///
    /// # Errors
    /// [`ApspError::NotSupernodes`] where the vertices are not all, each once; the supernodes are not
    /// all ranks in order; or the ends of one are not higher ones, ascending, among the next
    /// higher supernode and its ends.
    ///
    /// ```
    /// use apsp::{Config, Solver, Supernode, Supernodes};
    /// use graph_formats::Csr;
    ///
    /// // a path: its ends are two supernodes, its middle the one above them
    /// let graph = Csr::from_edges(3, &[(0, 1, 4u32), (1, 2, 1)])?;
    /// let one = |rank, ends: &[u32]| Supernode { ranks: rank..rank + 1, ends: ends.to_vec() };
    /// let nodes = vec![one(0, &[2]), one(1, &[2]), one(2, &[])];
    /// let supernodes = Supernodes::new(vec![0, 2, 1], nodes)?;
    ///
    /// let config = Config::default();
    /// let pairs = Solver::new(&graph, &config).by_supernodes(&supernodes).solve(None)?;
    /// assert_eq!(pairs.row(0).collect::<Vec<_>>(), [Some(0), Some(4), Some(5)]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn new(vertices: Vec<VertexId>, nodes: Vec<Supernode>) -> Result<Self, ApspError> {
        let n = vertices.len();
        let not = |reason: String| ApspError::NotSupernodes { reason };
        let mut ranks = vec![u32::MAX; n];
        for (&vertex, rank) in vertices.iter().zip(0..) {
            match ranks.get_mut(vertex as usize) {
                Some(place) if *place == u32::MAX => *place = rank,
                _ => return Err(not(format!("{vertex} is there twice or is no vertex"))),
            }
        }
        let mut node_of = Vec::with_capacity(n);
        for (node, number) in nodes.iter().zip(0u32..) {
            let first = node_of.len();
            if node.ranks.start as usize != first || node.ranks.end as usize > n || node.len() == 0
            {
                return Err(not(format!("{:?} do not follow rank {first}", node.ranks)));
            }
            node_of.resize(node.ranks.end as usize, number);
        }
        if node_of.len() != n {
            return Err(not(format!("{} of {n} ranks have one", node_of.len())));
        }
        let mut parents = Vec::with_capacity(nodes.len());
        for node in &nodes {
            let is_ascending = node.ends.windows(2).all(|two| two[0] < two[1]);
            let parent = node.ends.first().map(|&end| node_of.get(end as usize).copied());
            let is_above = node.ends.first().is_none_or(|&end| end >= node.ranks.end);
            let among = |above: u32| {
                node.ends.iter().all(|&end| nodes[above as usize].place(end).is_some())
            };
            match parent {
                None => parents.push(None),
                Some(Some(above)) if is_ascending && is_above && among(above) => {
                    parents.push(Some(above));
                }
                _ => return Err(not(format!("the ends of {:?} are not above it", node.ranks))),
            }
        }
        let levels = levels(&parents);
        Ok(Self { vertices, ranks, nodes, parents, levels })
    }

    /// How many vertices there are.
    pub fn n_vertices(&self) -> usize {
        self.vertices.len()
    }

    /// The supernodes, by ascending rank.
    pub fn nodes(&self) -> &[Supernode] {
        &self.nodes
    }

    /// How many sums all pairs take: of Floyd-Warshall there are n³. O(supernodes).
    pub fn n_sums(&self) -> f64 {
        let n = self.n_vertices() as f64;
        let of_node = |node: &Supernode| {
            let (own, ends) = (node.len() as f64, node.ends.len() as f64);
            own * ends * n + own * (own + ends) * (own + ends)
        };
        self.nodes.iter().map(of_node).sum()
    }

    /// The vertex of each rank,
    pub(crate) fn vertices(&self) -> &[VertexId] {
        &self.vertices
    }

    /// and the rank of each vertex.
    pub(crate) fn ranks(&self) -> &[u32] {
        &self.ranks
    }

    pub(crate) fn levels(&self) -> &[Vec<u32>] {
        &self.levels
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
        self.nodes.partition_point(|node| node.ranks.end <= rank) as u32
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
