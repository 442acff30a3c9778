//! The cheapest spanning tree with a given number of edges at its root, by a price λ on
//! each edge there.
//!
//! With f(b) the least weight at degree b, the minimum spanning trees for weights plus prices weigh
//! min f(b) + λ b over all b. This minimum minus λ b is at most f(b) for every λ, and equals f(b)
//! for some λ, because f is convex (the trees are the bases of a matroid). That λ is a whole number
//! if weights are. The degree of these trees falls as λ grows, so bisection finds it.
//! O(m log m log w) for weights of a range w.
//!
//! Reference: gabow-tarjan-1984

use graph_formats::{Coo, VertexId, Weight};

use super::Degree;

/// The weight of the lightest spanning tree with this degree at the root. `None` if there is none,
/// or no such root.
///
/// ```
/// use graph_formats::Coo;
/// use paths::spanning::{Degree, spanning_tree_of_degree};
///
/// // a triangle
/// let edges = Coo::new(3, vec![0, 1, 2], vec![1, 2, 0], vec![3u32, 1, 5])?;
/// let weight = |degree| spanning_tree_of_degree(&edges, 0, degree);
/// assert_eq!(weight(Degree::Exactly(1)), Some(4));
/// assert_eq!(weight(Degree::Exactly(2)), Some(8));
/// assert_eq!(weight(Degree::Exactly(3)), None);
/// assert_eq!(weight(Degree::AtMost(3)), Some(4));
/// # Ok::<(), graph_formats::GraphError>(())
/// ```
pub fn spanning_tree_of_degree<W: Weight + Into<i128>>(
    edges: &Coo<W>,
    root: VertexId,
    degree: Degree,
) -> Option<i128> {
    if root as usize >= edges.n_vertices() {
        return None;
    }
    let weights = || edges.weights().iter().map(|&weight| weight.into());
    let range = weights().max().unwrap_or(0) - weights().min().unwrap_or(0) + 1;
    // the price `range` puts every edge at the root after all others, and `-range` before them
    let (mut low, mut high, wanted) = match degree {
        Degree::Exactly(degree) => (-range, range, degree),
        Degree::AtMost(degree) => (0, range, degree),
    };
    if priced(edges, root, high)?.degree > wanted {
        return None;
    }
    if matches!(degree, Degree::Exactly(_)) && priced(edges, root, low)?.degree < wanted {
        return None;
    }
    // the greatest price at which a tree has `wanted` edges there; the least price, if no tree has
    while low < high {
        let middle = high - (high - low) / 2;
        if priced(edges, root, middle)?.degree < wanted {
            high = middle - 1;
        } else {
            low = middle;
        }
    }
    let tree = priced(edges, root, low)?;
    Some(tree.weight + low * (tree.degree as i128 - wanted as i128))
}

struct SpanningTree {
    /// The weight without prices.
    weight: i128,
    degree: usize,
}

/// Of the spanning trees that are lightest with prices, one with the most edges at the root,
/// by Kruskal's algorithm; `None` where there is no spanning tree.
fn priced<W: Weight + Into<i128>>(
    edges: &Coo<W>,
    root: VertexId,
    price: i128,
) -> Option<SpanningTree> {
    let is_at_root = |u, v| (u == root) != (v == root);
    let mut sorted: Vec<_> = edges.arcs().map(|(u, v, weight)| (u, v, weight.into())).collect();
    sorted.sort_by_key(
        |&(u, v, weight)| {
            if is_at_root(u, v) { (weight + price, 0) } else { (weight, 1) }
        },
    );
    let n = edges.n_vertices();
    // the tree that each vertex is in
    let mut trees: Vec<usize> = (0..n).collect();
    let (mut n_trees, mut tree) = (n, SpanningTree { weight: 0, degree: 0 });
    for (u, v, weight) in sorted {
        let (from, to) = (trees[u as usize], trees[v as usize]);
        if from != to {
            trees.iter_mut().filter(|tree| **tree == from).for_each(|tree| *tree = to);
            n_trees -= 1;
            tree.weight += weight;
            tree.degree += usize::from(is_at_root(u, v));
        }
    }
    (n_trees == 1).then_some(tree)
}
