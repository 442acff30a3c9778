//! Closure by strongly connected components and unions of lines, for sparse graphs.
//!
//! The strongly connected components come in an order in which those that others lead to are
//! first. In that order each takes the union of what the heads of its arcs are and reach. Of
//! the components that one leads to the last come first, for they may lead to others, and
//! one that is in the union already is not looked at. All vertices of a component reach the
//! same. O(n + m), O(c² / 64) for c components, n / 64 for each union, and n² / 64 for the
//! result, in which the unions are made.
//!
//! What differs from Warshall's method: three loops over the rows are not needed where the
//! order of the components is known. There are as many unions as the arcs of the transitive
//! reduction of the components, at most.
//!
//! Reference: tarjan-1972, goralcikova-1979, warshall-1962

use graph_formats::{Components, Csr, VertexId, tell};
use paths::{BitMatrix, Closure, Progress};
use rayon::prelude::*;

use crate::ClosureError;
use crate::unite::WORD;

/// Components between two reports of progress.
pub(crate) const COMPONENTS_A_REPORT: usize = 256;

/// Lines that a task copies.
const LINES_A_TASK: usize = 64;

/// Closes the relation.
///
/// # Errors
/// As [`by_components`].
pub(crate) fn closure(
    graph: &Csr<u32>,
    progress: Option<Progress<'_>>,
) -> Result<Closure, ClosureError> {
    let found = by_components(graph, u64::MAX, progress)?;
    Ok(found.closure.expect("there is no bound on its unions"))
}

/// What came of it.
pub(crate) struct ByComponents {
    pub(crate) n_components: usize,
    /// Unions of two lines that were made.
    pub(crate) n_unions: u64,
    /// None where more unions were needed than allowed.
    pub(crate) closure: Option<Closure>,
}

/// Closes the relation, unless that takes more than `most_unions` unions. Lines are copied on all
/// threads of the current rayon pool.
///
/// # Errors
/// [`ClosureError::TooLarge`] where memory cannot hold the result, [`ClosureError::Interrupted`] where
/// `progress`, which is told of components, ends it.
pub(crate) fn by_components(
    graph: &Csr<u32>,
    most_unions: u64,
    progress: Option<Progress<'_>>,
) -> Result<ByComponents, ClosureError> {
    let n_vertices = graph.n_vertices();
    let mut matrix = BitMatrix::zeros(n_vertices).ok_or(ClosureError::TooLarge { n_vertices })?;
    let stride = matrix.stride();
    let words = matrix.lines_mut();
    let components = Components::of(graph);
    let n_components = components.n_components();
    let mut n_unions = 0;
    let mut heads = Heads::new(n_components);
    for component in 0..n_components {
        if component % COMPONENTS_A_REPORT == 0 {
            tell(progress, component as u64, n_components as u64)?;
        }
        let members = components.members(component);
        let mut is_cyclic = false;
        for &from in members {
            for &to in &graph.column_indices()[graph.row(from)] {
                let next = components.component_of(to);
                if next == component { is_cyclic = true } else { heads.insert(next) }
            }
        }
        // what a component reaches stands in the line of its first member, for now
        let at = members[0] as usize * stride;
        if is_cyclic {
            members.iter().for_each(|&member| set(&mut words[at..], member));
        }
        while let Some(next) = heads.take_last() {
            let head = components.members(next)[0];
            if is_set(&words[at..], head) {
                continue;
            }
            n_unions += 1;
            let beyond = head as usize * stride;
            let both = words.get_disjoint_mut([at..at + stride, beyond..beyond + stride]);
            let [line, beyond] = both.expect("lines of two vertices");
            line.iter_mut().zip(beyond).for_each(|(word, beyond)| *word |= *beyond);
            set(line, head);
        }
        if n_unions > most_unions {
            return Ok(ByComponents { n_components, n_unions, closure: None });
        }
    }
    copy_to_members(words, stride, &components);
    Ok(ByComponents { n_components, n_unions, closure: Some(matrix.into_closure()) })
}

/// The line of the first member of each component goes to the others.
fn copy_to_members(words: &mut [u64], stride: usize, components: &Components) {
    let mut firsts: Vec<&[u64]> = vec![&[]; components.n_components()];
    let mut others = Vec::new();
    for (vertex, line) in (0..).zip(words.chunks_exact_mut(stride.max(1))) {
        let component = components.component_of(vertex);
        if components.members(component)[0] == vertex {
            firsts[component] = line;
        } else {
            others.push((line, component));
        }
    }
    let others = others.into_par_iter().with_min_len(LINES_A_TASK);
    others.for_each(|(line, component)| line.copy_from_slice(firsts[component]));
}

pub(crate) fn set(line: &mut [u64], vertex: VertexId) {
    line[vertex as usize / WORD] |= 1 << (vertex as usize % WORD);
}

pub(crate) fn is_set(line: &[u64], vertex: VertexId) -> bool {
    line[vertex as usize / WORD] >> (vertex as usize % WORD) & 1 == 1
}

/// The components that one leads to: a bit for each, and above which word there is none.
pub(crate) struct Heads {
    bits: Vec<u64>,
    end: usize,
}

impl Heads {
    pub(crate) fn new(n_components: usize) -> Self {
        Self { bits: vec![0; n_components.div_ceil(WORD)], end: 0 }
    }

    pub(crate) fn insert(&mut self, component: usize) {
        set(&mut self.bits, component as VertexId);
        self.end = self.end.max(component / WORD + 1);
    }

    /// The greatest, which is taken out.
    pub(crate) fn take_last(&mut self) -> Option<usize> {
        while self.end > 0 {
            let word = &mut self.bits[self.end - 1];
            if let Some(bit) = word.checked_ilog2() {
                *word ^= 1 << bit;
                return Some((self.end - 1) * WORD + bit as usize);
            }
            self.end -= 1;
        }
        None
    }
}
