//! The hierarchy of a graph: its vertices by rank, with the arcs and shortcuts that lead up.
//!
//! Contracting the vertices in the order joins the higher neighbours of each. What the weights
//! will be is not known yet, so every shortcut that some weights might need is there: the chordal
//! completion of the graph. All higher neighbours of a vertex are its ancestors in the elimination
//! tree, of which each depth has one, so that an arc has the depth where it ends and not the
//! vertex: a search up the tree needs an array as long as the tree is high, which stays in the
//! fastest cache. O(n + arcs of the hierarchy · log) time.
//!
//! Reference: dibbelt-2016

use graph_formats::{Csr, VertexId, Weight};

use crate::elimination_tree::{ROOT, in_postorder, inverse};
use crate::order::{Part, max_arcs};
use crate::{HierarchyError, Metric, Order};

/// A graph with an order of its vertices, prepared for any weights.
///
/// 8 bytes an arc of the graph, 10 an arc of the hierarchy and 30 a vertex.
#[derive(Debug)]
pub struct Hierarchy {
    /// The rank of each vertex of the graph.
    pub(crate) ranks: Vec<u32>,
    /// The vertex of each rank.
    pub(crate) vertices: Vec<VertexId>,
    /// The parent of each rank, or [`ROOT`].
    pub(crate) parents: Vec<u32>,
    /// The first rank of the subtree of each rank, which ends with itself.
    pub(crate) subtrees: Vec<u32>,
    /// How many ancestors each rank has.
    pub(crate) depths: Vec<u16>,
    /// Where the arcs of each rank start; n + 1 entries.
    pub(crate) offsets: Vec<u32>,
    /// The depth where each arc ends; descending in a row.
    pub(crate) ends: Vec<u16>,
    /// Where the arcs that lead up to each rank are listed; n + 1 entries.
    pub(crate) lower_offsets: Vec<u32>,
    /// Those arcs.
    pub(crate) lower: Vec<Lower>,
    /// Where the arcs of the graph between each rank and higher ones are listed; n + 1 entries.
    pub(crate) input_offsets: Vec<u32>,
    /// Those arcs.
    pub(crate) inputs: Vec<Input>,
    digest: u64,
}

/// An arc of the hierarchy, for the vertex that it leads up to.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Lower {
    /// The rank where it starts.
    pub(crate) from: u32,
    pub(crate) arc: u32,
}

/// An arc of the graph, for the lower of its ends.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Input {
    pub(crate) arc: u32,
    /// The depth of the higher end.
    pub(crate) end: u16,
    /// [`UP`] or [`DOWN`].
    pub(crate) direction: u16,
}

/// From the lower vertex of an arc to the higher.
pub(crate) const UP: usize = 0;
/// From the higher vertex of an arc to the lower.
pub(crate) const DOWN: usize = 1;

impl Hierarchy {
    /// Prepares `graph` for searches in this order. Its weights do not matter.
    ///
    /// # Errors
    /// When the order is of another number of vertices, the graph has too many arcs, or its
    /// hierarchy would have.
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
        let (expected, found) = (graph.n_vertices(), order.vertices().len());
        if expected != found {
            let what = "places in the order";
            return Err(HierarchyError::NotAllVertices { what, expected, found });
        }
        let undirected = Part::of_graph(graph)?;
        let vertices = in_postorder(&undirected, order.vertices());
        let ranks = inverse(&vertices);
        let max_arcs = max_arcs(graph.n_vertices(), graph.n_arcs());
        let (offsets, heads) = completion(&undirected, &vertices, &ranks, max_arcs)?;
        let (parents, depths) = parents_and_depths(&offsets, &heads, max_arcs)?;
        let ends = heads.iter().map(|&head| depths[head as usize]).collect();
        let (lower_offsets, lower) = lower(&offsets, &heads);
        let (input_offsets, inputs) = inputs(graph, &ranks, &depths);
        Ok(Self {
            ranks,
            vertices,
            subtrees: subtrees(&parents),
            parents,
            depths,
            offsets,
            ends,
            lower_offsets,
            lower,
            input_offsets,
            inputs,
            digest: digest(graph),
        })
    }

    /// The hierarchy with the weights of `graph`: of the graph that it was made for, or of another
    /// with the same arcs. In parallel; O(triangles of the hierarchy), and 16 bytes an arc of
    /// it where all distances are sure to fit in 31 bits, else 24.
    ///
    /// # Errors
    /// When the arcs of `graph` are others, a weight is negative, or floats are so large that a sum
    /// of them may be infinite.
    pub fn customize<'a, W: Weight>(
        &'a self,
        graph: &'a Csr<W>,
    ) -> Result<Metric<'a, W>, HierarchyError> {
        if digest(graph) != self.digest {
            return Err(HierarchyError::AnotherGraph);
        }
        Metric::new(self, graph)
    }

    /// How many vertices the graph has.
    pub fn n_vertices(&self) -> usize {
        self.vertices.len()
    }

    /// How many pairs of vertices are joined, by arcs of the graph or shortcuts.
    pub fn n_arcs(&self) -> usize {
        self.ends.len()
    }

    /// How many pairs of arcs lead up from the same vertex: the work of [`Hierarchy::customize`].
    /// O(n).
    pub fn n_triangles(&self) -> u64 {
        let degrees = self.offsets.windows(2).map(|row| u64::from(row[1] - row[0]));
        degrees.map(|degree| degree * degree.saturating_sub(1) / 2).sum()
    }

    /// How many vertices the longest way up has. O(n).
    pub fn height(&self) -> usize {
        self.depths.iter().max().map_or(0, |&depth| usize::from(depth) + 1)
    }

    /// The arcs that lead up from a rank.
    #[inline(always)]
    pub(crate) fn row(&self, rank: u32) -> std::ops::Range<usize> {
        self.offsets[rank as usize] as usize..self.offsets[rank as usize + 1] as usize
    }
}

/// The higher neighbours of each rank, ascending, in the chordal completion: those in the graph,
/// and those of its children.
fn completion(
    graph: &Part,
    vertices: &[VertexId],
    ranks: &[u32],
    max_arcs: u64,
) -> Result<(Vec<u32>, Vec<u32>), HierarchyError> {
    let n = vertices.len();
    let (mut offsets, mut heads) = (vec![0], Vec::new());
    let (mut last_child, mut sibling) = (vec![ROOT; n], vec![ROOT; n]);
    let mut row: Vec<u32> = Vec::new();
    for rank in 0..n as u32 {
        row.clear();
        let ends = graph.neighbours(vertices[rank as usize]).iter();
        row.extend(ends.map(|&end| ranks[end as usize]).filter(|&end| end > rank));
        let mut child = last_child[rank as usize];
        while child != ROOT {
            let child_row = offsets[child as usize] as usize..offsets[child as usize + 1] as usize;
            // the first of a row is the parent
            row.extend_from_slice(&heads[child_row][1..]);
            child = sibling[child as usize];
        }
        row.sort_unstable();
        row.dedup();
        heads.extend_from_slice(&row);
        if heads.len() as u64 > max_arcs {
            return Err(HierarchyError::NoSmallSeparators { max_arcs });
        }
        offsets.push(heads.len() as u32);
        if let Some(&parent) = row.first() {
            sibling[rank as usize] = std::mem::replace(&mut last_child[parent as usize], rank);
        }
    }
    Ok((offsets, heads))
}

/// The parent of each rank, the first end of its arcs, and how many ancestors it has.
fn parents_and_depths(
    offsets: &[u32],
    heads: &[u32],
    max_arcs: u64,
) -> Result<(Vec<u32>, Vec<u16>), HierarchyError> {
    let n = offsets.len() - 1;
    let (mut parents, mut depths) = (vec![ROOT; n], vec![0u16; n]);
    for rank in (0..n).rev() {
        let row = &heads[offsets[rank] as usize..offsets[rank + 1] as usize];
        if let Some(&parent) = row.first() {
            parents[rank] = parent;
            let depth = depths[parent as usize].checked_add(1);
            depths[rank] = depth.ok_or(HierarchyError::NoSmallSeparators { max_arcs })?;
        }
    }
    Ok((parents, depths))
}

/// The first rank of each subtree.
fn subtrees(parents: &[u32]) -> Vec<u32> {
    let mut subtrees: Vec<u32> = (0..parents.len() as u32).collect();
    for rank in 0..parents.len() {
        if let Some(above) = subtrees.get(parents[rank] as usize) {
            subtrees[parents[rank] as usize] = subtrees[rank].min(*above);
        }
    }
    subtrees
}

/// The arcs by the rank where they end, in the order of those where they start.
fn lower(offsets: &[u32], heads: &[u32]) -> (Vec<u32>, Vec<Lower>) {
    let n = offsets.len() - 1;
    let arcs = || {
        let row = |from: usize| offsets[from] as usize..offsets[from + 1] as usize;
        (0..n).flat_map(move |from| row(from).map(move |arc| (from as u32, arc as u32)))
    };
    by_rank(n, || arcs().map(|(from, arc)| (heads[arc as usize], Lower { from, arc })))
}

/// The arcs of the graph by the rank of their lower end; those from a vertex to itself are left out.
fn inputs<W: Weight>(graph: &Csr<W>, ranks: &[u32], depths: &[u16]) -> (Vec<u32>, Vec<Input>) {
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

/// Sorts a list, which is asked for twice, by ranks.
fn by_rank<T: Copy + Default, I: Iterator<Item = (u32, T)>>(
    n: usize,
    list: impl Fn() -> I,
) -> (Vec<u32>, Vec<T>) {
    let mut offsets = vec![0u32; n + 2];
    list().for_each(|(rank, _)| offsets[rank as usize + 2] += 1);
    for rank in 1..n + 2 {
        offsets[rank] += offsets[rank - 1];
    }
    let mut sorted = vec![T::default(); offsets[n + 1] as usize];
    for (rank, entry) in list() {
        let cursor = &mut offsets[rank as usize + 1];
        sorted[*cursor as usize] = entry;
        *cursor += 1;
    }
    offsets.pop();
    (offsets, sorted)
}

/// A number that tells the arcs of graphs apart, but for one chance in 2^64. O(n + m).
fn digest<W: Weight>(graph: &Csr<W>) -> u64 {
    let mix = |digest: u64, number: u64| {
        (digest ^ number).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29)
    };
    let digest = graph.row_offsets().iter().fold(1, |digest, &offset| mix(digest, offset));
    graph.column_indices().iter().fold(digest, |digest, &end| mix(digest, end.into()))
}
