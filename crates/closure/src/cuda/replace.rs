//! Lines of a closure that are found again on a GPU, in some of their words.
//!
//! As on a CPU ([`DynamicClosure`](crate::DynamicClosure)) a deleted arc has no effect where another
//! path leads from its tail to its head, which the host looks for. For the others the lines are those of
//! the vertices that reach a tail in the changed graph, and the words have what tails lose. The GPU
//! clears them. Then each line takes what the heads of its arcs are and reach, until nothing changes:
//! O(a w) a sweep for a arcs and w words. There are at most as many sweeps as arcs on the longest of
//! the paths that have the fewest. Where they take too long, the words are put back.
//!
//! What differs from the CPU's: there is no order of components, for lines one after another would leave
//! the GPU idle.
//!
//! Reference: italiano-1988

use bytemuck::{Pod, Zeroable};
use gpu_runtime::{Arg, Gpu, GpuError, Kernel, LaunchConfig};
use graph_formats::{DynamicGraph, VertexId, ensure_granted};

use super::dynamic::{CHANGES, TURN, WORD_OF_LINES};
use super::engine::{Engine, WORD};
use crate::ClosureError;
use crate::dynamic::search::Searches;
use crate::dynamic::{BYTES_OF_VERTEX, Pair, concerned};

/// Sweeps between two looks at whether one has changed anything.
const SWEEPS: usize = 4;
/// The share of the matrix that may be found again, as a divisor.
const SHARE: usize = 2;

/// `Part` of the kernels.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
struct Part {
    lines: u64,
    stride: u64,
    rows: u64,
    offsets: u64,
    heads: u64,
    words: u64,
    before: u64,
    n_rows: u32,
    n_words: u32,
}

/// The kernels.
#[derive(Debug)]
pub(super) struct Replacement {
    gpu: Gpu,
    copy: Kernel,
    clear: Kernel,
    sweep: Kernel,
    restore: Kernel,
    difference: Kernel,
}

/// Lines that the host has copied.
struct Lines {
    /// Whose they are, ascending.
    vertices: Vec<VertexId>,
    words: Vec<u64>,
}

impl Lines {
    fn of(&self, vertex: VertexId) -> &[u64] {
        let stride = self.words.len() / self.vertices.len().max(1);
        let place = self.vertices.binary_search(&vertex).expect("an end of an arc");
        &self.words[place * stride..][..stride]
    }
}

impl Replacement {
    pub(super) fn new(gpu: &Gpu) -> Result<Self, GpuError> {
        let kernel = |name: &str| gpu.kernel(&CHANGES, name);
        Ok(Self {
            gpu: gpu.clone(),
            copy: kernel("closure_copy")?,
            clear: kernel("closure_clear")?,
            sweep: kernel("closure_sweep")?,
            restore: kernel("closure_restore")?,
            difference: kernel("closure_difference")?,
        })
    }

    /// The lines of the ends of these arcs.
    fn lines(&self, engine: &Engine, arcs: &[&[Pair]]) -> Result<Lines, GpuError> {
        let ends = arcs.iter().copied().flatten().flat_map(|&(from, to)| [from, to]);
        let mut vertices: Vec<VertexId> = ends.collect();
        vertices.sort_unstable();
        vertices.dedup();
        let copies = self.gpu.buffer::<u64>(vertices.len() * engine.side() / u64::BITS as usize)?;
        let (there, stride) = (self.gpu.upload(&vertices)?, engine.side() / WORD);
        let grid = (stride.div_ceil(256) as u32, vertices.len() as u32, 1);
        let args: [Arg<'_>; 4] =
            [engine.lines().into(), (stride as u64).into(), (&there).into(), (&copies).into()];
        // SAFETY: the vertices have lines of this stride, and the copies have room for as many.
        unsafe {
            self.gpu.launch(
                &self.copy,
                LaunchConfig { grid, ..LaunchConfig::new(1, 256) },
                &args,
            )?;
        }
        Ok(Lines { vertices, words: copies.download()? })
    }
}

/// What deleted arcs may have taken from a closure, and new ones given it.
pub(super) struct Lost<'c> {
    on: &'c Replacement,
    engine: &'c Engine,
    graph: &'c DynamicGraph<u32>,
    rows: Vec<VertexId>,
    /// Words of these lines, ascending.
    words: Vec<u32>,
}

impl<'c> Lost<'c> {
    /// That of a changed graph, whose closure `engine` had before these arcs came and went; nothing
    /// where no path is lost.
    pub(super) fn of(
        on: &'c Replacement,
        engine: &'c Engine,
        graph: &'c DynamicGraph<u32>,
        new: &[Pair],
        mut gone: Vec<Pair>,
    ) -> Result<Option<Self>, ClosureError> {
        let n = graph.n_vertices();
        ensure_granted(n * BYTES_OF_VERTEX + 2 * (new.len() + gone.len()) * engine.side() / 8)?;
        let lines = on.lines(engine, &[new, &gone])?;
        let mut searches = Searches::new(graph);
        gone.retain(|&(from, to)| !searches.is_path_found(from, to, lines.of(from)));
        if gone.is_empty() {
            return Ok(None);
        }
        let is_reached = |&(from, to): &Pair| {
            lines.of(from)[to as usize / u64::BITS as usize] >> (to % u64::BITS) & 1 != 0
        };
        let new: Vec<_> = new.iter().copied().filter(|pair| !is_reached(pair)).collect();
        let tails: Vec<_> = new.iter().chain(&gone).map(|&(from, _)| from).collect();
        let rows = searches.ancestors(&tails, n).expect("no more than all vertices");
        let columns = concerned(&searches, &new, &gone, &|vertex| lines.of(vertex));
        let halves = columns.iter().flat_map(|&word| [word as u32, (word >> WORD) as u32]);
        let words = (0..).zip(halves).filter(|&(_, word)| word != 0).map(|(at, _)| at).collect();
        Ok(Some(Self { on, engine, graph, rows, words }))
    }

    /// Finds the lines again, and returns how many bits are new and how many are gone. Nothing, and
    /// no line is another, where to close all takes less memory or, of `whole` nanoseconds, time.
    pub(super) fn replace(&self, whole: f64) -> Result<Option<(usize, usize)>, GpuError> {
        let Self { on, engine, graph, rows, words } = self;
        let gpu = &on.gpu;
        let size = rows.len() * words.len();
        let (mut offsets, mut heads) = (Vec::with_capacity(rows.len() + 1), Vec::new());
        for &row in rows {
            offsets.push(heads.len() as u32);
            let first = heads.len();
            for &(head, _) in graph.arcs_from(row) {
                // one of parallel arcs
                if heads[first..].last() != Some(&head) {
                    heads.push(head);
                }
            }
        }
        offsets.push(heads.len() as u32);
        let bytes = ((size + heads.len() + 2 * rows.len()) * size_of::<u32>()) as u64;
        let of_sweeps =
            TURN + (SWEEPS * (rows.len() + heads.len()) * words.len()) as f64 * WORD_OF_LINES;
        if size * WORD > engine.side().pow(2) / SHARE
            || of_sweeps > whole
            || u32::try_from(heads.len()).is_err()
            || gpu.check_fits("lines that are found again", bytes).is_err()
        {
            return Ok(None);
        }
        let (there, offsets, heads) =
            (gpu.upload(rows)?, gpu.upload(&offsets)?, gpu.upload(&heads)?);
        let (places, before) = (gpu.upload(words)?, gpu.buffer::<u32>(size)?);
        let mut is_changed = gpu.buffer::<u32>(1)?;
        let counts = gpu.buffer::<u64>(2)?;
        let part = Part {
            lines: engine.lines().address(),
            stride: (engine.side() / WORD) as u64,
            rows: there.address(),
            offsets: offsets.address(),
            heads: heads.address(),
            words: places.address(),
            before: before.address(),
            n_rows: rows.len() as u32,
            n_words: words.len() as u32,
        };
        let launch = |kernel: &Kernel, more: Option<Arg<'_>>| {
            let config = LaunchConfig::new(8 * gpu.properties().multiprocessors, 256);
            let args: Vec<_> = [Arg::structure(&part)].into_iter().chain(more).collect();
            // SAFETY: rows and heads are vertices, which have lines, and the words are in lines. There
            // is an offset for each row and one more, none beyond the heads. `before` has a word for
            // each word of each row. All launches are on the stream of the buffers.
            unsafe { gpu.launch(kernel, config, &args) }
        };
        launch(&on.clear, None)?;
        let mut left = whole;
        loop {
            left -= of_sweeps;
            if left < 0.0 {
                launch(&on.restore, None)?;
                return Ok(None);
            }
            is_changed.fill_bytes(0)?;
            (0..SWEEPS).try_for_each(|_| launch(&on.sweep, Some((&is_changed).into())))?;
            if is_changed.download()? == [0] {
                break;
            }
        }
        launch(&on.difference, Some((&counts).into()))?;
        let counts = counts.download()?;
        Ok(Some((counts[0] as usize, counts[1] as usize)))
    }
}

#[cfg(test)]
mod tests {
    use test_support::assert_same_layout;

    use super::*;

    #[test]
    fn parts_are_laid_out_as_kernels_read_them() {
        assert_same_layout! { Part as "Part" of ["closure/changes.cu"]:
            lines, stride, rows, offsets, heads, words, before, n_rows, n_words
        }
    }
}
