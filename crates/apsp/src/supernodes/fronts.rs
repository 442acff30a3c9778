//! The dense matrices of supernodes: the shortest paths inside each subtree.
//!
//! A front is the matrix of a supernode and its ends. From the leaves to the roots, the arcs that
//! lead between a supernode and itself or its ends are written into its front. So are the paths
//! that its children have found between their ends. Then the front is updated through its own
//! vertices as pivots. What is left between its ends is the parent's. Supernodes of a level are
//! independent, and large ones are shared by threads. O(sum of own · (own + ends)²).
//!
//! Reference: sao-2020, liu-1990

use graph_formats::{Csr, VertexId, Weight, parallel};

use super::{Steps, Supernode, Supernodes};
use crate::ApspError;
use crate::host::floyd_warshall::through;
use crate::host::{Matrix, MinPlus};

/// What is known of a supernode S with ends A when its subtree is contracted: the shortest paths
/// that have all but their first and last vertex in it.
pub(crate) struct Node<E> {
    /// From S to S,
    pub(crate) own: Matrix<E>,
    /// from S to A, a row for each of S,
    pub(crate) up: Matrix<E>,
    /// and from A to S, a row for each of A.
    pub(crate) down: Matrix<E>,
}

/// All of them.
pub(crate) struct Fronts<E> {
    pub(crate) nodes: Vec<Node<E>>,
    /// Whether all paths are as long as those back.
    pub(crate) is_symmetric: bool,
}

/// Bytes of the fronts, and of what is needed while they are made.
pub(super) fn bytes_of_fronts<E: MinPlus>(supernodes: &Supernodes) -> u128 {
    let sizes = |node: &u32| {
        let node = supernodes.node(*node);
        (node.len(), node.ends.len())
    };
    let kept = |(own, ends)| {
        Matrix::<E>::bytes_of(own, own)
            + Matrix::<E>::bytes_of(own, ends)
            + Matrix::<E>::bytes_of(ends, own)
    };
    let at_work = |(own, ends)| {
        Matrix::<E>::bytes_of(own + ends, own + ends) + Matrix::<E>::bytes_of(ends, ends)
    };
    let levels = supernodes.levels.iter();
    let all: u128 = levels.clone().flatten().map(|node| kept(sizes(node))).sum();
    let of_level = |level: &Vec<u32>| level.iter().map(|node| at_work(sizes(node))).sum();
    // what the children found is there with the fronts of the parents
    all + 2 * levels.map(of_level).max().unwrap_or(0)
}

/// Bytes of all that the CPU needs.
pub(super) fn bytes_of_all<E: MinPlus>(supernodes: &Supernodes) -> u128 {
    let n = supernodes.n_vertices();
    let rows = supernodes.nodes.iter().map(|node| Matrix::<E>::bytes_of(node.len(), n));
    rows.sum::<u128>() + bytes_of_fronts::<E>(supernodes)
}

/// That memory cannot hold all.
pub(super) fn no_memory<E: MinPlus>(supernodes: &Supernodes) -> ApspError {
    ApspError::too_large(supernodes.n_vertices(), bytes_of_all::<E>(supernodes))
}

impl<E: MinPlus> Fronts<E> {
    /// Of a graph whose weights are not negative.
    pub(crate) fn of<W: Weight>(
        graph: &Csr<W>,
        supernodes: &Supernodes,
        steps: &Steps<'_>,
    ) -> Result<Self, ApspError> {
        let back = graph.transposed();
        let n_nodes = supernodes.nodes.len();
        let mut children = vec![Vec::new(); n_nodes];
        for node in 0..n_nodes as u32 {
            supernodes
                .parent(node)
                .into_iter()
                .for_each(|above| children[above as usize].push(node));
        }
        let mut nodes: Vec<Option<Node<E>>> = (0..n_nodes).map(|_| None).collect();
        let mut left: Vec<Option<Matrix<E>>> = (0..n_nodes).map(|_| None).collect();
        for level in supernodes.levels.iter().rev() {
            let closed = parallel::map(level.len(), &|at| {
                let number = level[at];
                let node = supernodes.node(number);
                let mut front = front(node, graph, &back, supernodes)?;
                for &child in &children[number as usize] {
                    if let Some(found) = &left[child as usize] {
                        add(&mut front, node, found, &supernodes.node(child).ends);
                    }
                }
                through(&mut front, 0..node.len())?;
                split(node, &front)
            });
            let closed = closed.into_iter().collect::<Result<Vec<_>, ApspError>>()?;
            for (&number, (node, between)) in level.iter().zip(closed) {
                for &child in &children[number as usize] {
                    left[child as usize] = None;
                }
                (nodes[number as usize], left[number as usize]) = (Some(node), Some(between));
            }
            steps.next()?;
        }
        let nodes: Vec<Node<E>> = nodes.into_iter().flatten().collect();
        let is_symmetric = nodes.iter().all(Node::is_symmetric);
        Ok(Self { nodes, is_symmetric })
    }
}

impl<E: MinPlus> Node<E> {
    /// A node without paths, for `n_own` vertices and `n_ends` ends; `None` if there is no memory.
    pub(super) fn new(n_own: usize, n_ends: usize) -> Option<Self> {
        let [own, up, down] = [(n_own, n_own), (n_own, n_ends), (n_ends, n_own)]
            .map(|(n_rows, n_columns)| Matrix::empty(n_rows, n_columns));
        Some(Self { own: own?, up: up?, down: down? })
    }

    fn is_symmetric(&self) -> bool {
        let Self { own, up, down } = self;
        own.is_transpose_of(own) && up.is_transpose_of(down)
    }
}

/// The front of a supernode, with its arcs.
fn front<W: Weight, E: MinPlus>(
    node: &Supernode,
    graph: &Csr<W>,
    back: &Csr<W>,
    supernodes: &Supernodes,
) -> Result<Matrix<E>, ApspError> {
    let side = node.len() + node.ends.len();
    let mut front = Matrix::empty(side, side).ok_or_else(|| no_memory::<E>(supernodes))?;
    for rank in node.ranks.clone() {
        let from = (rank - node.ranks.start) as usize;
        front.row_mut(from)[from] = E::ZERO;
        let vertex = supernodes.vertices[rank as usize];
        for (arcs, is_back) in [(graph, false), (back, true)] {
            for (other, weight) in arcs.arcs_from(vertex) {
                let end = supernodes.ranks[other as usize];
                // with lower ones it is theirs
                if end < node.ranks.start || end == rank {
                    continue;
                }
                let to = node.place(end).ok_or_else(|| not_of_graph(vertex, other))?;
                let (from, to) = if is_back { (to, from) } else { (from, to) };
                let known = &mut front.row_mut(from)[to];
                *known = known.smaller(E::encode(weight));
            }
        }
    }
    Ok(front)
}

fn not_of_graph(vertex: VertexId, other: VertexId) -> ApspError {
    let reason = format!("{vertex} and {other} are neighbours in the graph, and have no path here");
    ApspError::NotInOrder { reason }
}

/// Adds the paths that a child has found between its ends.
fn add<E: MinPlus>(front: &mut Matrix<E>, node: &Supernode, found: &Matrix<E>, ends: &[u32]) {
    let places: Vec<usize> = ends.iter().filter_map(|&end| node.place(end)).collect();
    for (row, &to) in places.iter().enumerate() {
        let target = front.row_mut(to);
        for (&place, &path) in places.iter().zip(found.row(row)) {
            target[place] = target[place].smaller(path);
        }
    }
}

/// The parts of a closed front: what is kept, and the paths between the ends.
fn split<E: MinPlus>(
    node: &Supernode,
    front: &Matrix<E>,
) -> Result<(Node<E>, Matrix<E>), ApspError> {
    let (own, ends) = (node.len(), node.ends.len());
    let parts = || Some((Node::new(own, ends)?, Matrix::empty(ends, ends)?));
    let bytes = Matrix::<E>::bytes_of(own + ends, own + ends);
    let (mut kept, mut between) = parts().ok_or(ApspError::too_large(own, bytes))?;
    for row in 0..own {
        let (to_own, to_ends) = front.row(row).split_at(own);
        kept.own.row_mut(row).copy_from_slice(to_own);
        kept.up.row_mut(row).copy_from_slice(to_ends);
    }
    for row in 0..ends {
        let (to_own, to_ends) = front.row(own + row).split_at(own);
        kept.down.row_mut(row).copy_from_slice(to_own);
        between.row_mut(row).copy_from_slice(to_ends);
    }
    Ok((kept, between))
}
