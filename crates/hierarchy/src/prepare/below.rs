//! What lies below each vertex of a hierarchy: the arcs that lead up to it, and those of the graph
//! of which it is the lower end.
//!
//! Customization goes through these, and nothing else does. O(n + arcs of both) time.

use elimination::ROOT;
use graph_formats::VertexId;

use crate::prepare::hierarchy::{DOWN, Hierarchy, Structure, UP};

/// Lists by rank.
#[derive(Debug)]
pub(crate) struct Below {
    /// Where the arcs that lead up to each rank are listed; n + 1 entries.
    pub(crate) lower_offsets: Vec<u32>,
    /// Those arcs, in the order of the ranks where they start.
    pub(crate) lower: Vec<Lower>,
    /// Where the arcs of the graph between each rank and higher ones are listed; n + 1 entries.
    pub(crate) input_offsets: Vec<u32>,
    /// Those arcs; there are none from a vertex to itself.
    pub(crate) inputs: Vec<Input>,
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

impl Below {
    /// Bytes that it takes for a graph of so many arcs.
    pub(crate) fn bytes_of(hierarchy: &Hierarchy, n_arcs: usize) -> usize {
        let bytes_of_offsets = 2 * size_of::<u32>() * hierarchy.n_vertices();
        let bytes_of_lower = size_of::<Lower>() * hierarchy.n_arcs();
        bytes_of_offsets + bytes_of_lower + size_of::<Input>() * n_arcs
    }

    /// For the graph that `hierarchy` is of.
    pub(crate) fn new(hierarchy: &Hierarchy, graph: &Structure) -> Self {
        let (lower_offsets, lower) = lower(hierarchy);
        let (input_offsets, inputs) = inputs(hierarchy, graph);
        Self { lower_offsets, lower, input_offsets, inputs }
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
fn for_each_arc(hierarchy: &Hierarchy, mut visit: impl FnMut(u32, Lower)) {
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

/// Sorts a list, which is asked for twice, by ranks.
pub(crate) fn by_rank<T: Copy + Default, I: Iterator<Item = (u32, T)>>(
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
