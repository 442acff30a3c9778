//! Which vertices reach which: a bit a pair.
//!
//! The strongly connected components come in an order in which those that others lead to are
//! first. In that order each takes the union of what the heads of its arcs are and
//! reach, so that every arc between components is looked at once, and a row of bits is
//! united 64 vertices at a time. All vertices of a component reach the same. O(n + m) and
//! O(a n / 64) for a pairs of neighbouring components; n (n + c) / 8 bytes for c of them.
//!
//! What differs from Warshall's method: three loops over the rows are not needed where the
//! order of the components is known.
//!
//! Reference: tarjan-1972, warshall-1962

use graph_formats::{Csr, Weight};
use paths::Closure;
use rayon::prelude::*;
use sssp::{Progress, SsspError};

use crate::ApspError;
use crate::components::Components;

/// Components between two reports of progress.
const COMPONENTS_A_REPORT: usize = 256;

/// The pairs (u, v) with a path of at least one arc from u to v; weights do not matter. A
/// vertex reaches itself only along a cycle.
///
/// Rows are written on all threads of the current rayon pool.
///
/// # Errors
/// When memory cannot hold the bits, or the progress callback ended the work.
///
/// ```
/// use graph_formats::Csr;
///
/// let graph = Csr::from_arcs(3, &[(0, 1, 1u32), (1, 2, 1), (2, 1, 1)])?;
/// let closure = apsp::closure(&graph, None)?;
/// assert!(closure.reaches(0, 2) && closure.reaches(1, 1) && !closure.reaches(0, 0));
/// assert_eq!(closure.n_pairs(), 6);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn closure<W: Weight>(
    graph: &Csr<W>,
    progress: Option<Progress<'_>>,
) -> Result<Closure, ApspError> {
    let n = graph.n_vertices();
    let components = Components::of(graph);
    let (n_components, n_words) = (components.len(), n.div_ceil(64));
    let bytes = (n + n_components) as u128 * n_words as u128 * size_of::<u64>() as u128;
    let too_large = || ApspError::TooLarge { n_vertices: n, bytes };
    let whole = usize::try_from(bytes).map_err(|_| too_large())?;
    Vec::<u8>::new().try_reserve_exact(whole).map_err(|_| too_large())?;

    let mut reached = vec![0u64; n_components * n_words];
    // the last component that each was united with
    let mut united_with = vec![n_components; n_components];
    for component in 0..n_components {
        let tell = progress.filter(|_| component % COMPONENTS_A_REPORT == 0);
        if tell.is_some_and(|tell| tell(component as u64, n_components as u64).is_break()) {
            return Err(SsspError::Interrupted.into());
        }
        let (before, row) = reached.split_at_mut(component * n_words);
        let row = &mut row[..n_words];
        for &from in components.members(component) {
            for (to, _) in graph.arcs_from(from) {
                row[to as usize / 64] |= 1 << (to % 64);
                let next = components.component_of[to as usize] as usize;
                if next != component && united_with[next] != component {
                    united_with[next] = component;
                    let beyond = &before[next * n_words..][..n_words];
                    row.iter_mut().zip(beyond).for_each(|(word, beyond)| *word |= beyond);
                }
            }
        }
    }
    let mut words = vec![0u64; n * n_words];
    let rows = words.par_chunks_mut(n_words.max(1)).zip(&components.component_of);
    rows.for_each(|(row, &component)| {
        row.copy_from_slice(&reached[component as usize * n_words..][..n_words]);
    });
    Ok(Closure::from_storage(n, words).expect("bits of vertices"))
}
