//! Rows that are found again, in some of their words.
//!
//! They are the rows of all vertices that reach some of them, so that each strongly connected
//! component of the changed graph is among them or not. As in [`components`](crate::components), a
//! component takes the union of what the heads of its arcs are and reach; heads that are not among
//! these have their rows in the closure. Members of a component that were in one before had the
//! same row, and differ in the same words.

use graph_formats::{Components, Csr, DynamicGraph, VertexId, ensure_granted, tell};
use paths::{Closure, Progress};
use rayon::prelude::*;

use super::{MIN_ROWS_PER_TASK, Updated, changed_bits, row, rows_mut, sum};
use crate::ClosureError;
use crate::components::{COMPONENTS_A_REPORT, Heads};
use crate::unite::WORD;

/// What is not there.
const NONE: u32 = u32::MAX;
/// The share of the whole matrix that may be found again, as a divisor.
const SHARE: usize = 2;
/// Words that may be united, for each of the matrix: more take longer than to close the graph.
const MAX_UNITED: usize = 2;

pub(super) struct Replaced<'r> {
    /// The vertices, ascending.
    rows: &'r [VertexId],
    /// The words of a row, ascending.
    words: Vec<usize>,
    /// Of vertices by their place in `rows`.
    components: Components,
    /// These words of each component.
    lines: Vec<u64>,
}

impl<'r> Replaced<'r> {
    /// Finds these rows, in these words, for the graph as it is now. `None` where to close the whole
    /// graph takes less time or memory.
    pub(super) fn find(
        graph: &DynamicGraph<u32>,
        closure: &Closure,
        rows: &'r [VertexId],
        words: Vec<usize>,
        progress: Option<Progress<'_>>,
    ) -> Result<Option<Self>, ClosureError> {
        let (n, width) = (graph.n_vertices(), words.len());
        let n_of_matrix = n * n.div_ceil(WORD);
        let mut places = vec![NONE; n];
        (0..).zip(rows).for_each(|(place, &vertex)| places[vertex as usize] = place);
        let components = Components::of(&between(graph, rows, &places)?);
        let n_components = components.n_components();
        if n_components * width > n_of_matrix / SHARE {
            return Ok(None);
        }
        // a word, and its place in a list of those that differ
        ensure_granted(n_components * width * (size_of::<u64>() + size_of::<u32>()))?;
        let place_of_words = places_of(&words, n.div_ceil(WORD));
        let bit = |vertex: VertexId| {
            let place = place_of_words[vertex as usize / WORD];
            (place != NONE).then_some((place as usize, 1 << (vertex as usize % WORD)))
        };
        let set = |line: &mut [u64], vertex| {
            if let Some((word, bit)) = bit(vertex) {
                line[word] |= bit;
            }
        };
        let is_set =
            |line: &[u64], vertex| bit(vertex).is_some_and(|(at, bit)| line[at] & bit != 0);
        let mut lines = vec![0u64; n_components * width];
        let mut heads = Heads::new(n_components);
        let mut n_united = 0;
        for component in 0..n_components {
            if component % COMPONENTS_A_REPORT == 0 {
                tell(progress, component as u64, n_components as u64)?;
            }
            let (before, line) = lines.split_at_mut(component * width);
            let line = &mut line[..width];
            let members = components.members(component);
            let members = || members.iter().map(|&member| rows[member as usize]);
            let mut is_cyclic = false;
            for &(to, _) in members().flat_map(|member| graph.arcs_from(member)) {
                match places[to as usize] {
                    NONE if is_set(line, to) => {}
                    NONE => {
                        let beyond = row(closure, to);
                        line.iter_mut().zip(&words).for_each(|(own, &word)| *own |= beyond[word]);
                        set(line, to);
                        n_united += width;
                    }
                    place => match components.component_of(place) {
                        own if own == component => is_cyclic = true,
                        next => heads.insert(next),
                    },
                }
            }
            if is_cyclic {
                members().for_each(|member| set(line, member));
            }
            while let Some(next) = heads.take_last() {
                let head = rows[components.members(next)[0] as usize];
                if !is_set(line, head) {
                    let beyond = &before[next * width..][..width];
                    line.iter_mut().zip(beyond).for_each(|(own, more)| *own |= more);
                    set(line, head);
                    n_united += width;
                }
            }
            if n_united > MAX_UNITED * n_of_matrix {
                return Ok(None);
            }
        }
        Ok(Some(Self { rows, words, components, lines }))
    }

    /// Writes the words that differ.
    pub(super) fn write(self, closure: &mut Closure) -> Updated {
        let Self { rows, words, components, lines } = self;
        let width = words.len();
        let first = |component: usize| rows[components.members(component)[0] as usize];
        let line = |component: usize| &lines[component * width..][..width];
        // for each component, the places of words in which its first row differs
        let different = |component: usize| -> Vec<u32> {
            let own = row(closure, first(component));
            let both = line(component).iter().zip(&words);
            let places = (0..).zip(both).filter(|(_, (new, word))| **new != own[**word]);
            places.map(|(place, _)| place).collect()
        };
        let all: Vec<_> = (0..components.n_components()).into_par_iter().map(different).collect();
        // for each row, whether it was the same as that of the first of its component
        let was_same = |&vertex: &VertexId, place| {
            let first = first(components.component_of(place));
            vertex == first || closure.reaches(first, vertex) && closure.reaches(vertex, first)
        };
        let places = 0..rows.len() as VertexId;
        let were_same: Vec<bool> =
            rows.par_iter().zip(places.clone()).map(|(v, place)| was_same(v, place)).collect();
        let write = |((place, was_same), (_, row)): ((VertexId, bool), (VertexId, &mut [u64]))| {
            let component = components.component_of(place);
            let line = line(component);
            let mut count = (0, 0);
            let mut put = |place: usize| {
                let own = &mut row[words[place]];
                count = sum(count, changed_bits(*own, line[place]));
                *own = line[place];
            };
            match was_same {
                true => all[component].iter().for_each(|&place| put(place as usize)),
                false => (0..width).for_each(put),
            }
            count
        };
        let places = places.into_par_iter().zip(were_same).with_min_len(MIN_ROWS_PER_TASK);
        let counts = places.zip(rows_mut(closure, rows)).map(write);
        let (n_new, n_gone) = counts.reduce(Default::default, sum);
        Updated { n_new, n_gone, is_new_closure: false }
    }
}

/// The arcs between these vertices, which are numbered by their places.
fn between(
    graph: &DynamicGraph<u32>,
    rows: &[VertexId],
    places: &[VertexId],
) -> Result<Csr<u32>, ClosureError> {
    let n_arcs: usize = rows.iter().map(|&vertex| graph.arcs_from(vertex).len()).sum();
    ensure_granted(rows.len() * size_of::<u64>() + n_arcs * size_of::<VertexId>())?;
    let (mut row_offsets, mut columns) = (vec![0], Vec::with_capacity(n_arcs));
    for &vertex in rows {
        let heads = graph.arcs_from(vertex).iter().map(|&(to, _)| places[to as usize]);
        columns.extend(heads.filter(|&place| place != NONE));
        row_offsets.push(columns.len() as u64);
    }
    Ok(Csr::with_equal_weights(row_offsets, columns, 1).expect("places of vertices"))
}

/// Where each word of a row is among these.
fn places_of(words: &[usize], n_words: usize) -> Vec<u32> {
    let mut places = vec![NONE; n_words];
    (0..).zip(words).for_each(|(place, &word)| places[word] = place);
    places
}
