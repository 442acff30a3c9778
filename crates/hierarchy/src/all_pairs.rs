//! All pairs by supernodes: which ranks are taken together.
//!
//! A supernode is a run of ranks in the subtree of its last one: all arcs that leave such a run
//! go to the higher neighbours of that one, for a rank's higher neighbours but its parent are its
//! parent's. So any cut of the ranks into such runs is right, and one of least cost is found from
//! the lowest rank upwards: the cost of a run is that of its two dense products, whose sides the
//! kernels round up, and what starting them takes. O(n · longest run).
//!
//! The published form merges whole separators, and their ends rank by rank; here runs begin and end
//! where it costs least, inside a separator or across small subtrees.
//!
//! Reference: sao-2020, liu-1990

use apsp::{Supernode, Supernodes};
use graph_formats::{Csr, Weight};

use crate::hierarchy::{Structure, structure};
use crate::{Hierarchy, HierarchyError, Order};

/// Ranks of a run at most.
const MAX_RANKS: u32 = 4096;
/// Sides of the products are multiples of these.
const OWN_STEP: usize = 32;
const ENDS_STEP: usize = 16;
/// A sum of the matrix of a supernode costs as much as so many of its rows, which are on a GPU.
const FRONT_COST: f64 = 16.0;
/// What a supernode costs beside its sums, for each column of its rows.
const NODE_COST: f64 = 512.0;

/// The supernodes of `graph`, for all pairs by them: where [`Supernodes::n_sums`] is far below n³,
/// [`apsp::Solver::by_supernodes`] is far faster than Floyd-Warshall.
///
/// The weights do not matter. The order of the vertices takes most of the time: about
/// O((n + m) c log n) with separators of c vertices, in parallel.
///
/// # Errors
/// When the hierarchy of the graph would have more than `max_arcs` arcs.
///
/// ```
/// use apsp::{Config, Solver};
/// use graph_formats::generate::{GridConfig, grid};
///
/// let graph = grid(&GridConfig { side: 6, dimensions: 3, ..Default::default() })?;
/// let supernodes = hierarchy::supernodes(&graph, 20_000)?;
/// assert!(supernodes.n_sums() < 216f64.powi(3));
///
/// let config = Config::default();
/// let pairs = Solver::new(&graph, &config).by_supernodes(&supernodes).solve(None)?;
/// assert_eq!(pairs.row(0).flatten().count(), 216);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn supernodes<W: Weight>(graph: &Csr<W>, max_arcs: u64) -> Result<Supernodes, HierarchyError> {
    of_structure(&structure(graph), max_arcs)
}

fn of_structure(graph: &Structure, max_arcs: u64) -> Result<Supernodes, HierarchyError> {
    // arcs are numbered in 32 bits
    let max_arcs = max_arcs.min(u64::from(u32::MAX));
    let order = Order::within(graph, None, None, max_arcs)?;
    let hierarchy = Hierarchy::within(graph, &order, max_arcs)?;
    let mut nodes: Vec<Supernode> = Vec::new();
    let firsts = cut(&hierarchy);
    let mut end = hierarchy.n_vertices() as u32;
    while let Some(last) = end.checked_sub(1) {
        let ranks = firsts[last as usize]..end;
        end = ranks.start;
        nodes.push(Supernode { ranks, ends: ends(&hierarchy, last) });
    }
    nodes.reverse();
    let supernodes = Supernodes::new(hierarchy.vertices.to_vec(), nodes);
    supernodes.map_err(|error| HierarchyError::NoSupernodes { reason: error.to_string() })
}

/// The first rank of the run that each rank would end, in a cut of it and all lower ones that
/// costs least.
fn cut(hierarchy: &Hierarchy) -> Vec<u32> {
    let n = hierarchy.n_vertices();
    let mut costs = vec![0.0; n + 1];
    let mut firsts = Vec::with_capacity(n);
    for last in 0..n as u32 {
        let n_ends = hierarchy.row(last).len();
        let lowest = hierarchy.subtrees[last as usize].max((last + 1).saturating_sub(MAX_RANKS));
        let mut least = (f64::INFINITY, last);
        for first in (lowest..=last).rev() {
            let n_own = (last + 1 - first) as usize;
            let cost = costs[first as usize] + run_cost(n, n_own, n_ends);
            if cost < least.0 {
                least = (cost, first);
            }
        }
        costs[last as usize + 1] = least.0;
        firsts.push(least.1);
    }
    firsts
}

/// What a run of so many ranks costs, with so many ends.
fn run_cost(n: usize, n_own: usize, n_ends: usize) -> f64 {
    let (own, ends) = (n_own.next_multiple_of(OWN_STEP), n_ends.next_multiple_of(ENDS_STEP));
    let front = n_own as f64 * ((n_own + n_ends) as f64).powi(2);
    n as f64 * ((own * ends) as f64 + NODE_COST) + FRONT_COST * front
}

/// The ranks of the higher neighbours, ascending.
fn ends(hierarchy: &Hierarchy, rank: u32) -> Vec<u32> {
    let mut above = rank;
    let depths = hierarchy.ends[hierarchy.row(rank)].iter();
    let end = |&depth: &u16| {
        while hierarchy.depths[above as usize] != depth {
            above = hierarchy.parents[above as usize];
        }
        above
    };
    depths.map(end).collect()
}
