//! The numbers of vertices that each vertex reaches and that reach it, without a bit for every
//! pair.
//!
//! All vertices of a strongly connected component reach the same, so that there are bits of
//! components alone, and each counts for as many vertices as its component has. The components are
//! taken some at a time: each other one gets a line with a bit for every one of them, the union of
//! the lines of the components that its arcs lead to. The same on the reversed graph counts the
//! vertices that reach a vertex. O(n + m) memory, and O((c + a) c / 64) on all threads for c
//! components with a arcs between them.
//!
//! Reference: tarjan-1972

use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering::Relaxed};

use graph_formats::{Components, Csr, Interrupted, VertexId, Weight, ensure_granted, tell};
use paths::Progress;
use rayon::prelude::*;

use crate::ClosureError;
use crate::unite::WORD;

/// Bytes of the lines of all threads together, unless one word of each is more.
const BYTES_OF_LINES: usize = 256 << 20;
/// Words of a line, at most: with them a component has its line in a core's first cache.
const MOST_WORDS: usize = 64;

/// For every vertex, the number of vertices that it reaches by at least one arc, and the number
/// that reach it: as [`Closure::counts`](paths::Closure::counts), but in memory for the graph, not
/// for all pairs.
///
/// # Errors
/// [`ClosureError::NoMemory`] if there is no memory for a few numbers a vertex and an arc.
/// [`ClosureError::Interrupted`] if `progress`, which counts words of lines, ends the work.
///
/// ```
/// use closure::counts;
/// use graph_formats::Csr;
///
/// let graph = Csr::from_arcs(3, &[(0, 1, 1u32), (1, 2, 1), (2, 1, 1)])?;
/// assert_eq!(counts(&graph, None)?, [(2, 0), (2, 3), (2, 3)]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn counts<W: Weight>(
    graph: &Csr<W>,
    progress: Option<Progress<'_>>,
) -> Result<Vec<(VertexId, VertexId)>, ClosureError> {
    count(&graph.clone().unweighted(), progress)
}

fn count(
    graph: &Csr<u32>,
    progress: Option<Progress<'_>>,
) -> Result<Vec<(VertexId, VertexId)>, ClosureError> {
    // the components, their arcs in both directions, and what is counted
    ensure_granted(64 * graph.n_vertices() + 3 * size_of::<VertexId>() * graph.n_arcs())?;
    let components = Components::of(graph);
    let condensed = Condensed::of(graph, &components);
    let turned = condensed.turned();
    let n_words = condensed.sizes.len().div_ceil(WORD);
    ensure_granted(condensed.bytes_of_lines())?;
    let done = AtomicUsize::new(0);
    let told = |more| tell(progress, done.fetch_add(more, Relaxed) as u64, 2 * n_words as u64);
    let reached = condensed.reached(&told)?;
    let mut reaching = turned.reached(&told)?;
    reaching.reverse();
    let of = |vertex| {
        let component = components.component_of(vertex);
        (reached[component], reaching[component])
    };
    Ok(graph.vertices().map(of).collect())
}

/// The components of a graph, and which lead to which: each to others of smaller numbers.
struct Condensed {
    /// Vertices of each.
    sizes: Vec<u32>,
    /// Whether its vertices reach themselves.
    is_cyclic: Vec<bool>,
    /// Where the heads of each start, and last their number.
    starts: Vec<usize>,
    heads: Vec<VertexId>,
}

impl Condensed {
    fn of(graph: &Csr<u32>, components: &Components) -> Self {
        let all = 0..components.n_components();
        let sizes = all.clone().map(|component| components.members(component).len() as u32);
        let mut is_cyclic = vec![false; all.len()];
        let (mut starts, mut heads) = (vec![0], Vec::with_capacity(graph.n_arcs()));
        // the last component that each was a head of
        let mut tails = vec![usize::MAX; all.len()];
        for component in all.clone() {
            for &member in components.members(component) {
                for &end in graph.ends_from(member) {
                    let head = components.component_of(end);
                    if head == component {
                        is_cyclic[component] = true;
                    } else if std::mem::replace(&mut tails[head], component) != component {
                        heads.push(head as VertexId);
                    }
                }
            }
            starts.push(heads.len());
        }
        Self { sizes: sizes.collect(), is_cyclic, starts, heads }
    }

    fn heads(&self, component: usize) -> &[VertexId] {
        &self.heads[self.starts[component]..self.starts[component + 1]]
    }

    /// The same with all arcs reversed, and the components in the opposite order.
    fn turned(&self) -> Self {
        let n = self.sizes.len();
        let turned = |component: usize| n - 1 - component;
        let mut starts = vec![0; n + 1];
        self.heads.iter().for_each(|&head| starts[turned(head as usize) + 1] += 1);
        (0..n).for_each(|component| starts[component + 1] += starts[component]);
        let mut next = starts.clone();
        let mut heads = vec![0; self.heads.len()];
        for component in 0..n {
            for &head in self.heads(component) {
                let place = &mut next[turned(head as usize)];
                heads[*place] = turned(component) as VertexId;
                *place += 1;
            }
        }
        let sizes = self.sizes.iter().rev().copied().collect();
        let is_cyclic = self.is_cyclic.iter().rev().copied().collect();
        Self { sizes, is_cyclic, starts, heads }
    }

    /// Words of a line.
    fn width(&self) -> usize {
        let words = BYTES_OF_LINES / size_of::<u64>() / rayon::current_num_threads();
        let n = self.sizes.len().max(1);
        (words / n).clamp(1, MOST_WORDS.min(n.div_ceil(WORD)))
    }

    /// Bytes of the lines of all threads.
    fn bytes_of_lines(&self) -> usize {
        self.sizes.len() * self.width() * size_of::<u64>() * rayon::current_num_threads()
    }

    /// How many vertices those of each component reach.
    fn reached(
        &self,
        told: &(dyn Fn(usize) -> Result<(), Interrupted> + Sync),
    ) -> Result<Vec<u32>, Interrupted> {
        let (n, width) = (self.sizes.len(), self.width());
        let reached: Vec<AtomicU32> = self.sizes.iter().map(|_| AtomicU32::new(0)).collect();
        let blocks = (0..n).into_par_iter().step_by(width * WORD);
        blocks.try_for_each(|first| {
            told((n - first).div_ceil(WORD).min(width))?;
            let planes = self.planes(first, width);
            // those before reach none of these
            let mut lines = vec![0u64; (n - first) * width];
            for (component, reached) in reached.iter().enumerate().skip(first) {
                let (before, line) = lines.split_at_mut((component - first) * width);
                let line = &mut line[..width];
                let heads = self.heads(component).iter().map(|&head| head as usize);
                for head in heads.filter(|&head| head >= first) {
                    let beyond = &before[(head - first) * width..][..width];
                    line.iter_mut().zip(beyond).for_each(|(word, beyond)| *word |= beyond);
                    set(line, head - first);
                }
                if self.is_cyclic[component] {
                    set(line, component - first);
                }
                let counted = planes
                    .iter()
                    .map(|&(word, mask, shift)| (line[word] & mask).count_ones() << shift);
                reached.fetch_add(counted.sum(), Relaxed);
            }
            Ok(())
        })?;
        Ok(reached.into_iter().map(AtomicU32::into_inner).collect())
    }

    /// How the bits of a line count: those of a word under a mask as a power of two each, for each
    /// binary digit of the sizes of their components.
    fn planes(&self, first: usize, width: usize) -> Vec<(usize, u64, u32)> {
        let sizes = self.sizes[first..].chunks(WORD).take(width).enumerate();
        let of_word = |(word, sizes): (usize, &[u32])| {
            let mask = |digit: u32| {
                let bits = sizes.iter().rev();
                bits.fold(0u64, |mask, size| mask << 1 | u64::from(size >> digit & 1))
            };
            let masks = (0..u32::BITS).map(mask).zip(0..);
            let masks = masks.filter(|&(mask, _)| mask != 0);
            masks.map(|(mask, digit)| (word, mask, digit)).collect::<Vec<_>>()
        };
        sizes.flat_map(of_word).collect()
    }
}

/// Sets the bit of a component, if it is one of the line's.
fn set(line: &mut [u64], component: usize) {
    if let Some(word) = line.get_mut(component / WORD) {
        *word |= 1 << (component % WORD);
    }
}
