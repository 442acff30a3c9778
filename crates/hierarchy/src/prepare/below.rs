//! What lies below each vertex of a hierarchy: the arcs that lead up to it, and those of the graph
//! of which it is the lower end.
//!
//! Customization goes through these, and nothing else does.

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
    /// [`UP`](super::hierarchy::UP) or [`DOWN`](super::hierarchy::DOWN).
    pub(crate) direction: u16,
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
