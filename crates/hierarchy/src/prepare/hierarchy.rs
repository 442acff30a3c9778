//! The hierarchy of a graph: its vertices by rank, with the arcs and shortcuts that lead up.
//!
//! Contracting the vertices in the order joins the higher neighbours of each. What the weights will
//! be is not known yet, so every shortcut that some weights might need is there: the chordal
//! completion of the graph. All higher neighbours of a vertex are its ancestors in the elimination
//! tree, of which each depth has one. So an arc has the depth where it ends and not the vertex. A
//! search up the tree needs an array as long as the tree is high, which stays in the fastest cache.
//! O(n + arcs of the hierarchy · log) time.
//!
//! Reference: dibbelt-2016

use std::ops::Range;
use std::sync::{Arc, OnceLock};

use elimination::{Completion, Order, ROOT, inverse, max_arcs};
use graph_formats::{Buffer, Csr, VertexId, Weight, ensure_granted};
use rayon::prelude::*;

use super::below::{Below, Input, Lower, by_rank};
use super::tree::Tree;
use crate::HierarchyError;

/// Bytes that making a hierarchy takes for each vertex.
pub(crate) const BYTES_OF_VERTEX: usize = 64;

/// The arcs of a graph, without their weights.
pub(crate) type Structure = Csr<u32>;

/// The arcs of `graph`, in the same memory. O(1).
pub(crate) fn structure<W: Weight>(graph: &Csr<W>) -> Structure {
    graph.clone().unweighted()
}

/// A graph with an order of its vertices, prepared for any weights.
///
/// 8 bytes an arc of the graph, 11 an arc of the hierarchy and 30 a vertex. A clone shares all of
/// them: O(1).
#[derive(Clone, Debug)]
pub struct Hierarchy {
    /// The rank of each vertex of the graph.
    pub(crate) ranks: Buffer<u32>,
    /// The vertex of each rank.
    pub(crate) vertices: Buffer<VertexId>,
    /// The parent of each rank, or [`ROOT`].
    pub(crate) parents: Buffer<u32>,
    /// The first rank of the subtree of each rank, which ends with itself.
    pub(crate) subtrees: Buffer<u32>,
    /// How many ancestors each rank has.
    pub(crate) depths: Buffer<u16>,
    /// How many vertices the longest way up has.
    height: usize,
    /// Where the arcs of each rank start; n + 1 entries.
    pub(crate) offsets: Buffer<u32>,
    /// The depth where each arc ends; descending in a row.
    pub(crate) ends: Buffer<u16>,
    /// How many arcs of a row from each on, up to 255, end at consecutive depths: the length of
    /// arrays that are gone through without `ends`.
    pub(crate) runs: Buffer<u8>,
    /// What customization needs besides, made when it is asked for.
    below: Arc<OnceLock<Below>>,
    /// Of the graph's arcs.
    pub(crate) digest: u64,
}

/// As many offsets or ends are worth another thread.
const NUMBERS_PER_TASK: usize = 1 << 14;

/// From the lower vertex of an arc to the higher.
pub(crate) const UP: usize = 0;
/// From the higher vertex of an arc to the lower.
pub(crate) const DOWN: usize = 1;

impl Hierarchy {
    /// Prepares `graph` for searches in this order. Its weights do not matter.
    ///
    /// # Errors
    /// When the order has another number of vertices or too long an upward path; when the graph or
    /// its hierarchy has too many arcs; when the system refuses the memory.
    ///
    /// ```
    /// use graph_formats::Csr;
    /// use hierarchy::{Hierarchy, Order};
    ///
    /// // a cycle of four: contracting a vertex makes a shortcut between its neighbours
    /// let graph = Csr::from_edges(4, &[(0, 1, 1u32), (1, 2, 1), (2, 3, 1), (3, 0, 1)])?;
    /// let hierarchy = Hierarchy::new(&graph, &Order::by_landmarks(&graph)?)?;
    /// assert_eq!(hierarchy.n_arcs(), 5);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn new<W: Weight>(graph: &Csr<W>, order: &Order) -> Result<Self, HierarchyError> {
        Self::of_structure(&structure(graph), order)
    }

    fn of_structure(graph: &Structure, order: &Order) -> Result<Self, HierarchyError> {
        let n = graph.n_vertices();
        let Completion { vertices, offsets, heads } =
            Completion::new(graph, order, max_arcs(n, graph.n_arcs()))?;
        let too_high = HierarchyError::TooHigh { limit: 1 << 16 };
        let depths = depths(&offsets, &heads).ok_or(too_high)?;
        // the ends, what lies below, and a step that makes one from the other
        let bytes_of_arcs = 3 * size_of::<u64>() * heads.len();
        ensure_granted(BYTES_OF_VERTEX * n + bytes_of_arcs + 8 * graph.n_arcs())?;
        let ends: Vec<u16> = heads.iter().map(|&head| depths[head as usize]).collect();
        let (vertices, offsets, ends) = (vertices.into(), offsets.into(), ends.into());
        let hierarchy = Self::of_arrays(vertices, offsets, ends, digest(graph));
        let hierarchy = hierarchy.expect("arcs lead to ancestors");
        hierarchy.below(graph);
        Ok(hierarchy)
    }

    /// The hierarchy of these arrays, from which all others follow; `None` if they are
    /// inconsistent. O(n + arcs).
    pub(crate) fn of_arrays(
        vertices: Buffer<VertexId>,
        offsets: Buffer<u32>,
        ends: Buffer<u16>,
        digest: u64,
    ) -> Option<Self> {
        let starts_and_ends = (offsets.first() == Some(&0)).then_some(*offsets.last()? as usize)?;
        if offsets.len() != vertices.len() + 1 || starts_and_ends != ends.len() {
            return None;
        }
        let Tree { parents, subtrees, depths } = Tree::of_arcs(&offsets, &ends)?;
        Some(Self {
            ranks: inverse(&vertices)?.into(),
            vertices,
            parents: parents.into(),
            subtrees: subtrees.into(),
            height: depths.iter().max().map_or(0, |&depth| usize::from(depth) + 1),
            depths: depths.into(),
            runs: runs(&offsets, &ends).into(),
            offsets,
            ends,
            below: Arc::default(),
            digest,
        })
    }

    /// An error where the arcs are not those of the graph that this is of. O(n + m).
    pub(crate) fn check_arcs(&self, graph: &Structure) -> Result<(), HierarchyError> {
        let is_same = digest(graph) == self.digest;
        if is_same { Ok(()) } else { Err(HierarchyError::AnotherGraph) }
    }

    /// The same for another graph of the same vertices, whose arcs it [joins](Self::joins) the ends
    /// of. O(n + m), and a copy of what lies below each rank.
    pub(crate) fn of_other_arcs(&self, graph: &Structure) -> Self {
        let mut other = Self { digest: digest(graph), below: Arc::default(), ..self.clone() };
        if let Some(Below { lower_offsets, lower, .. }) = self.below.get() {
            let (lower_offsets, lower) = (lower_offsets.clone(), lower.clone());
            let (input_offsets, inputs) = inputs(&other, graph);
            let below = Below { lower_offsets, lower, input_offsets, inputs };
            other.below = Arc::new(OnceLock::from(below));
        }
        other
    }

    /// Whether an arc of the graph or a shortcut joins two vertices. O(log).
    pub(crate) fn joins(&self, one: VertexId, other: VertexId) -> bool {
        let [one, other] = [one, other].map(|vertex| self.ranks[vertex as usize]);
        let (low, high) = (one.min(other), one.max(other));
        let (end, row) = (self.depths[high as usize], self.row(low));
        let is_above = self.subtrees[high as usize] <= low;
        is_above && self.ends[row].binary_search_by(|depth| end.cmp(depth)).is_ok()
    }

    /// Whether its arrays are the same as another's, so that arcs have the same places.
    pub(crate) fn has_arcs_of(&self, other: &Self) -> bool {
        self.vertices == other.vertices && self.offsets == other.offsets && self.ends == other.ends
    }

    /// What lies below each rank, for the graph that this is of. O(n + arcs of both) the first time.
    pub(crate) fn below(&self, graph: &Structure) -> &Below {
        if let Some(below) = self.below.get() {
            return below;
        }
        // not inside the cell: a thread that waits for the other half may take work that comes here
        let ((lower_offsets, lower), (input_offsets, inputs)) =
            rayon::join(|| lower(self), || inputs(self, graph));
        self.below.get_or_init(|| Below { lower_offsets, lower, input_offsets, inputs })
    }

    /// Bytes that [`Below`] takes for a graph of `n_arcs` arcs.
    pub(crate) fn bytes_of_below(&self, n_arcs: usize) -> usize {
        let bytes_of_offsets = 2 * size_of::<u32>() * self.n_vertices();
        let bytes_of_lower = size_of::<Lower>() * self.n_arcs();
        bytes_of_offsets + bytes_of_lower + size_of::<Input>() * n_arcs
    }

    /// The order of the vertices: that which it was made in, or another with the same arcs.
    pub fn order(&self) -> Order {
        Order::from_vertices(self.vertices.to_vec()).expect("ranks are vertices, each once")
    }

    /// The number of vertices of the graph.
    pub fn n_vertices(&self) -> usize {
        self.vertices.len()
    }

    /// The number of pairs of vertices that are joined by arcs of the graph or shortcuts.
    pub fn n_arcs(&self) -> usize {
        self.ends.len()
    }

    /// The number of pairs of arcs that lead up from one vertex, which is the work of
    /// [`Hierarchy::customize`]. O(n).
    pub fn n_triangles(&self) -> u64 {
        let degrees = self.offsets.windows(2).map(|row| u64::from(row[1] - row[0]));
        degrees.map(|degree| degree * degree.saturating_sub(1) / 2).sum()
    }

    /// How many vertices the longest way up has.
    pub fn height(&self) -> usize {
        self.height
    }

    /// The rank of a vertex that plays this role.
    pub(crate) fn rank(&self, role: &'static str, vertex: VertexId) -> Result<u32, HierarchyError> {
        let n_vertices = self.n_vertices();
        let rank = self.ranks.get(vertex as usize).copied();
        rank.ok_or(HierarchyError::NoSuchVertex { role, vertex, n_vertices })
    }

    /// The ranks of vertices that play this role.
    pub(crate) fn ranks_of(
        &self,
        role: &'static str,
        vertices: &[VertexId],
    ) -> Result<Vec<u32>, HierarchyError> {
        vertices.iter().map(|&vertex| self.rank(role, vertex)).collect()
    }

    /// A rank and its ancestors, from itself up to a root.
    #[inline(always)]
    pub(crate) fn way_up(&self, rank: u32) -> impl Iterator<Item = u32> {
        let above = |&rank: &u32| Some(self.parents[rank as usize]).filter(|&rank| rank != ROOT);
        std::iter::successors(Some(rank), above)
    }

    /// The arc from a rank to its ancestor at this depth, if there is one; else another.
    #[inline(always)]
    pub(crate) fn arc(&self, rank: u32, end: u16) -> usize {
        let row = self.row(rank);
        row.start + self.ends[row].partition_point(|&other| other > end)
    }

    /// The arcs that lead up from a rank.
    #[inline(always)]
    pub(crate) fn row(&self, rank: u32) -> Range<usize> {
        self.offsets[rank as usize] as usize..self.offsets[rank as usize + 1] as usize
    }

    /// The arcs that lead up from these ranks.
    pub(crate) fn arcs_of(&self, ranks: &Range<u32>) -> Range<usize> {
        self.offsets[ranks.start as usize] as usize..self.offsets[ranks.end as usize] as usize
    }

    /// Two parts of whole subtrees, with arcs from neither to the other and about as many each, and
    /// the ranks above both.
    pub(crate) fn split(&self, ranks: Range<u32>) -> (Range<u32>, Range<u32>, Range<u32>) {
        let subtree = |rank: u32| self.subtrees[rank as usize - 1];
        let mut top = ranks.end;
        while top > ranks.start && subtree(top) == ranks.start {
            top -= 1;
        }
        let half = self.arcs_of(&(ranks.start..top)).len() / 2;
        let mut middle = top;
        while middle > ranks.start && subtree(middle) > ranks.start {
            middle = subtree(middle);
            if self.arcs_of(&(middle..top)).len() >= half {
                break;
            }
        }
        (ranks.start..middle, middle..top, top..ranks.end)
    }
}

fn lower(hierarchy: &Hierarchy) -> (Vec<u32>, Vec<Lower>) {
    let mut offsets = vec![0u32; hierarchy.n_vertices() + 1];
    for_each_arc(hierarchy, |to, _| offsets[to as usize] += 1);
    let mut end = 0;
    for offset in &mut offsets {
        end += *offset;
        *offset = end;
    }
    let mut lower = vec![Lower::default(); end as usize];
    // the last first, so that each list is filled from its end
    for_each_arc(hierarchy, |to, arc| {
        offsets[to as usize] -= 1;
        lower[offsets[to as usize] as usize] = arc;
    });
    (offsets, lower)
}

/// Shows every arc with the rank where it ends; the ranks where they start descend, so that the
/// ancestors of each are on a stack.
pub(crate) fn for_each_arc(hierarchy: &Hierarchy, mut visit: impl FnMut(u32, Lower)) {
    let mut ancestors = vec![ROOT; hierarchy.height()];
    for from in (0..hierarchy.n_vertices() as u32).rev() {
        ancestors[usize::from(hierarchy.depths[from as usize])] = from;
        for arc in hierarchy.row(from) {
            let to = ancestors[usize::from(hierarchy.ends[arc])];
            visit(to, Lower { from, arc: arc as u32 });
        }
    }
}

fn inputs(hierarchy: &Hierarchy, graph: &Structure) -> (Vec<u32>, Vec<Input>) {
    let Hierarchy { ranks, depths, .. } = hierarchy;
    let input = |from: VertexId, arc: usize| {
        let (from, to) = (ranks[from as usize], ranks[graph.column_indices()[arc] as usize]);
        let direction = if from < to { UP } else { DOWN };
        let end = depths[from.max(to) as usize];
        let input = Input { arc: arc as u32, end, direction: direction as u16 };
        (from != to).then_some((from.min(to), input))
    };
    by_rank(graph.n_vertices(), || {
        graph.vertices().flat_map(|from| graph.row(from).filter_map(move |arc| input(from, arc)))
    })
}

/// How many ancestors each rank has; none where numbers of 16 bits do not hold them.
fn depths(offsets: &[u32], heads: &[u32]) -> Option<Vec<u16>> {
    let mut depths = vec![0u16; offsets.len() - 1];
    for rank in (0..depths.len()).rev() {
        // the first of a row is the parent
        if let Some(&parent) = heads[offsets[rank] as usize..offsets[rank + 1] as usize].first() {
            depths[rank] = depths[parent as usize].checked_add(1)?;
        }
    }
    Some(depths)
}

/// How many arcs from each one on end at consecutive depths.
fn runs(offsets: &[u32], ends: &[u16]) -> Vec<u8> {
    let mut runs = vec![1u8; ends.len()];
    for row in offsets.windows(2) {
        for arc in (row[0] as usize + 1..row[1] as usize).rev() {
            if ends[arc - 1] == ends[arc] + 1 {
                runs[arc - 1] = runs[arc].saturating_add(1);
            }
        }
    }
    runs
}

/// A hash of a graph's arcs; two graphs have the same with a probability of 2^-64. In parallel, by
/// parts of one size, whatever the number of threads; O(n + m).
fn digest(graph: &Structure) -> u64 {
    let offsets = graph.row_offsets().par_chunks(NUMBERS_PER_TASK);
    let offsets = offsets.map(|part| part.iter().fold(1, |digest, &offset| mix(digest, offset)));
    let ends = graph.column_indices().par_chunks(NUMBERS_PER_TASK);
    let ends = ends.map(|part| part.iter().fold(1, |digest, &end| mix(digest, end.into())));
    offsets.chain(ends).collect::<Vec<_>>().into_iter().fold(1, mix)
}

/// A digest with one more number in it.
pub(crate) fn mix(digest: u64, number: u64) -> u64 {
    (digest ^ number).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29)
}
