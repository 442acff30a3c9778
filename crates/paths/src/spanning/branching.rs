//! Maximum branchings and minimum spanning arborescences by contraction. Every vertex takes the
//! cheapest arc into it. The cycles that arise become vertices, and the cost of an arc into one is
//! its excess over the arc that it would replace. O(n m) time, and O(n²) memory where cycles nest.
//!
//! A maximum branching is a minimum spanning arborescence of the arcs with their weights negated,
//! at an additional root with an arc of cost zero to every vertex.
//!
//! Reference: chu-liu-1965, edmonds-1967

use std::ops::Sub;

use graph_formats::{Coo, VertexId, Weight};

/// A branching of maximum weight: the positions, ascending, of arcs of which at most one enters
/// each vertex and none close a cycle. All are of positive weight.
///
/// ```
/// use graph_formats::Coo;
/// use paths::spanning::maximum_branching;
///
/// // a cycle of 4 and 5, which 7 enters
/// let arcs = Coo::new(3, vec![0, 1, 2], vec![1, 2, 1], vec![7u32, 5, 4])?;
/// assert_eq!(maximum_branching(&arcs), [0, 1]);
/// # Ok::<(), graph_formats::GraphError>(())
/// ```
pub fn maximum_branching<W: Weight + Into<i128>>(arcs: &Coo<W>) -> Vec<usize> {
    let n = arcs.n_vertices();
    // the root's arcs come first, so that they win against arcs of weight zero
    let from_root = (0..n).map(|v| Arc { tail: n, head: v, cost: 0, position: v });
    let listed =
        listed(arcs, |weight| -weight.into()).map(|arc| Arc { position: arc.position + n, ..arc });
    let taken = cheapest(n + 1, n, from_root.chain(listed).collect());
    let taken = taken.expect("the root has an arc to every vertex");
    taken.into_iter().filter_map(|at| at.checked_sub(n)).collect()
}

/// A spanning arborescence of minimum weight: the positions, ascending, of the arcs of a branching
/// that enters every vertex but the root. `None` where the root does not reach all of them, or is
/// no vertex. Differences of weights that are floats are rounded, so that another arborescence may
/// weigh less in the last bits.
///
/// ```
/// use graph_formats::Coo;
/// use paths::spanning::minimum_arborescence;
///
/// let arcs = Coo::new(3, vec![0, 1, 2, 0], vec![1, 2, 1, 2], vec![9u32, 1, 1, 4])?;
/// assert_eq!(minimum_arborescence(&arcs, 0), Some(vec![2, 3]));
/// assert_eq!(minimum_arborescence(&arcs, 1), None);
/// # Ok::<(), graph_formats::GraphError>(())
/// ```
pub fn minimum_arborescence<W: Weight>(arcs: &Coo<W>, root: VertexId) -> Option<Vec<usize>> {
    let (n, root) = (arcs.n_vertices(), root as usize);
    if root >= n {
        return None;
    }
    let is_whole = W::ZERO.to_i128().is_some();
    match is_whole {
        true => cheapest(n, root, listed(arcs, |w| w.to_i128().unwrap_or_default()).collect()),
        false => cheapest(n, root, listed(arcs, W::to_f64).collect()),
    }
}

/// An arc between vertices of a contracted graph.
#[derive(Clone, Copy)]
struct Arc<C> {
    tail: usize,
    head: usize,
    cost: C,
    /// Its position among the arcs of the graph that is contracted.
    position: usize,
}

fn listed<W: Weight, C>(arcs: &Coo<W>, cost: impl Fn(W) -> C) -> impl Iterator<Item = Arc<C>> {
    arcs.arcs().enumerate().map(move |(position, (tail, head, weight))| Arc {
        tail: tail as usize,
        head: head as usize,
        cost: cost(weight),
        position,
    })
}

/// The positions of the arcs of a cheapest spanning arborescence at `root`, ascending, if there is
/// one.
fn cheapest<C>(mut n: usize, mut root: usize, mut arcs: Vec<Arc<C>>) -> Option<Vec<usize>>
where
    C: Copy + Default + PartialOrd + Sub<Output = C>,
{
    let heads: Vec<_> = arcs.iter().map(|arc| arc.head).collect();
    // the contracted vertex that each vertex is part of
    let mut parts: Vec<_> = (0..n).collect();
    let mut levels = Vec::new();
    loop {
        let entering = cheapest_entering(n, root, &arcs)?;
        let (groups, n_groups) = groups(&entering);
        let positions: Vec<_> = entering.iter().map(|e| e.map(|arc| arc.position)).collect();
        levels.push((parts.clone(), positions));
        if n_groups == n {
            break;
        }
        arcs.retain(|arc| groups[arc.tail] != groups[arc.head]);
        for arc in &mut arcs {
            let replaced = entering[arc.head].map(|replaced| replaced.cost);
            arc.cost = arc.cost - replaced.unwrap_or_default();
            (arc.tail, arc.head) = (groups[arc.tail], groups[arc.head]);
        }
        parts.iter_mut().for_each(|part| *part = groups[*part]);
        (n, root) = (n_groups, groups[root]);
    }
    // the arc into a cycle replaces the arc of the cycle with the same head
    let mut taken = Vec::new();
    while let Some((parts, mut entering)) = levels.pop() {
        for position in taken {
            entering[parts[heads[position]]] = Some(position);
        }
        taken = entering.into_iter().flatten().collect();
    }
    taken.sort_unstable();
    Some(taken)
}

/// The first of the cheapest arcs into every vertex but the root.
fn cheapest_entering<C: Copy + PartialOrd>(
    n: usize,
    root: usize,
    arcs: &[Arc<C>],
) -> Option<Vec<Option<Arc<C>>>> {
    let mut entering: Vec<Option<Arc<C>>> = vec![None; n];
    for arc in arcs.iter().filter(|arc| arc.tail != arc.head && arc.head != root) {
        if entering[arc.head].is_none_or(|known| arc.cost < known.cost) {
            entering[arc.head] = Some(*arc);
        }
    }
    (0..n).all(|v| v == root || entering[v].is_some()).then_some(entering)
}

/// A number for each cycle and one for each vertex that is on none; and the count of numbers.
fn groups<C>(entering: &[Option<Arc<C>>]) -> (Vec<usize>, usize) {
    let n = entering.len();
    let (mut passed, mut groups, mut n_groups) = (vec![n; n], vec![n; n], 0);
    for start in 0..n {
        let mut v = start;
        while passed[v] == n {
            passed[v] = start;
            v = entering[v].as_ref().map_or(v, |arc| arc.tail);
        }
        // this walk came to a cycle that no walk before it had found, or to the root
        if passed[v] == start && groups[v] == n {
            while groups[v] == n {
                groups[v] = n_groups;
                v = entering[v].as_ref().map_or(v, |arc| arc.tail);
            }
            n_groups += 1;
        }
    }
    for group in groups.iter_mut().filter(|group| **group == n) {
        *group = n_groups;
        n_groups += 1;
    }
    (groups, n_groups)
}
