//! Breadth-first search from up to 1,024 sources at once on a GPU, or on each of several: sums over
//! all sources, or a table.
//!
//! The method is in `kernels/sssp/hop_sums.cu`: each vertex has a bit for each source, and a launch
//! searches from as many sources as there are bits. Vertices are numbered by degree; those without
//! arcs have no bits. GPUs take batches in turn, each with the graph and its own sums, which stay
//! on the device until the last batch. All are whole numbers, so the sums of all GPUs do not depend
//! on which took what.
//!
//! Where some rows are long, sources go together whose neighbour of the longest row is the same: it
//! has the bits of all after one level, and few others do. Else sources are sorted by number. Where
//! near vertices have near numbers, as in most road networks, few vertices then change at a time.
//!
//! O(s·m/1024) word operations where paths have few arcs. Memory: 256 bytes a vertex for the bits,
//! 16 for up to 64 sources; 10 more, for sums 40 again; 4 an arc, and as many again while rows are
//! made. A directed graph is first transposed on the CPU.
//!
//! Differences from the paper: all levels but the first pull from neighbours, since pushing on a
//! GPU needs atomics; and long rows are split.
//!
//! Reference: then-2015

use std::borrow::Cow;
use std::ops::{ControlFlow, Range};
use std::slice;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize};
use std::time::Instant;

use bytemuck::{Pod, Zeroable};
use gpu_runtime::{Buffer, Gpu, GpuError, Ptx};
use graph_formats::generate::EdgeDraws;
use graph_formats::{Csr, Direction, Interrupted, VertexId, tell};
use paths::{HopSums, Progress};
use rayon::prelude::*;
use search_parts::device::{PlainArcs, RankedArcs, Ranks};
use search_parts::{
    DeviceTimes, EndsOnPanic, Launch, NO_VERTEX, SearchError, check_size, check_vertices, length,
    milliseconds, side_by_side, two_blocks_each,
};

use super::parts::parts_of;

static FEW: Ptx = Ptx::new(kernels::sssp::HOP_SUMS_64.name, kernels::sssp::HOP_SUMS_64.ptx);
static MANY: Ptx = Ptx::new(kernels::sssp::HOP_SUMS_1024.name, kernels::sssp::HOP_SUMS_1024.ptx);

/// Cells of the table of one launch, unless a single row has more.
const MAX_CELLS: usize = 1 << 26;

/// Bytes of the sums of a vertex.
const BYTES_OF_SUMS: usize = 40;

/// `HopBatch` of `hop_sums.cu`.
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
struct Batch {
    offsets: u64,
    ends: u64,
    parts: u64,
    sources: u64,
    seen: [u64; 2],
    states: [u64; 2],
    n_sources: u64,
    greatest: u64,
    sums: u64,
    reciprocals: u64,
    by_hop: u64,
    targets: u64,
    table: u64,
    control: u64,
    host: u64,
    n_vertices: u32,
    n_batch: u32,
    n_long: u32,
    n_parts: u32,
    n_targets: u32,
    n_rows: u32,
    both_ways: u32,
    unused: u32,
}

/// `HopControl` of `hop_sums.cu`.
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
struct Control {
    arrived: u32,
    stopped: u32,
    changed: [u32; 3],
    levels: u32,
    pairs: [u64; 3],
    live: [[u64; 16]; 3],
}

/// The graph and the work space of batches of one width.
pub struct HopSearches {
    /// Bits of a vertex: 64 or 1,024.
    width: usize,
    ranks: Arc<Ranks>,
    launch: Launch,
    /// The parameters that are the same for every batch.
    parameters: Batch,
    control: Buffer<Control>,
    /// Buffers whose addresses `parameters` has: the arcs and the parts of long rows, and bits.
    graph: (RankedArcs, Buffer<[u32; 4]>),
    _bits: ([Buffer<u64>; 2], [Buffer<u8>; 2]),
}

impl HopSearches {
    /// The searches in `place`, made if they are not yet for as many as `n_sources` sources: uploads
    /// `graph`, for batches whose width depends on them. O(n log n + m log² d).
    ///
    /// # Errors
    /// Those of [`BreadthFirstOnGpu::new`](super::BreadthFirstOnGpu::new).
    pub fn made<'p>(
        place: &'p mut Option<Self>,
        gpu: &Gpu,
        graph: &Csr<u32>,
        n_sources: usize,
    ) -> Result<&'p mut Self, SearchError> {
        match place.take_if(|made| made.is_for(n_sources)) {
            Some(made) => Ok(place.insert(made)),
            None => {
                let mut made = Self::on_all(slice::from_ref(gpu), graph, n_sources)?;
                Ok(place.insert(made.swap_remove(0)))
            }
        }
    }

    /// Whether batches have the width for this number of sources.
    pub(crate) fn is_for(&self, n_sources: usize) -> bool {
        self.width == width_for(n_sources)
    }

    /// Searches from as many as `n_sources` sources on each of `gpus`, at once. O(n log n +
    /// m log² d).
    ///
    /// # Errors
    /// Those of [`made`](Self::made).
    pub fn on_all(
        gpus: &[Gpu],
        graph: &Csr<u32>,
        n_sources: usize,
    ) -> Result<Vec<Self>, SearchError> {
        // arcs are numbered with 64 bits
        check_size(graph.n_vertices(), 0)?;
        let leading_in = match graph.direction() {
            Direction::Undirected => Cow::Borrowed(graph),
            Direction::Directed => Cow::Owned(graph.transposed()),
        };
        let (n, m, width) = (graph.n_vertices(), graph.n_arcs(), width_for(n_sources));
        let of_vertex = size_of::<u64>() + bytes_of_searches(width);
        let searching = (n * of_vertex + m * size_of::<VertexId>()) as u64;
        let required = searching.max(RankedArcs::bytes(n, m));
        let upload = |gpu: &Gpu| -> Result<_, SearchError> {
            gpu.check_fits("the graph and its searches", required)?;
            Ok(PlainArcs::upload(gpu, &leading_in)?)
        };
        let length = |v| leading_in.out_degree(v) as u64;
        let has_arcs = |v| graph.out_degree(v) > 0;
        let (uploaded, ranks) = rayon::join(
            || side_by_side(gpus.iter().collect(), upload),
            || Arc::new(Ranks::new(n, length, has_arcs)),
        );
        let both_ways = graph.direction() == Direction::Undirected;
        let made = side_by_side(gpus.iter().zip(uploaded).collect(), |(gpu, arcs)| {
            let rows = RankedArcs::of_graph(gpu, &leading_in, &arcs?, &ranks)?;
            Self::new(gpu, width, Arc::clone(&ranks), both_ways, rows)
        });
        made.into_iter().collect()
    }

    /// The same on a graph that is drawn on the device, undirected, for batches of 1,024 sources.
    /// Nothing but offsets and ranks comes to the host.
    ///
    /// # Errors
    /// As [`made`](Self::made); and [`SearchError::NotOnGpu`] for a directed graph.
    pub fn drawn(gpu: &Gpu, draws: &EdgeDraws) -> Result<Self, SearchError> {
        if draws.direction() == Direction::Directed {
            let reason = "a graph that is drawn there has to be undirected".to_owned();
            return Err(SearchError::NotOnGpu { reason });
        }
        check_size(draws.n_vertices(), 0)?;
        let (rows, ranks) = RankedArcs::drawn_by_degree(gpu, draws)?;
        Self::new(gpu, 1024, Arc::new(ranks), true, rows)
    }

    /// The vertex of each rank: those that have arcs, by falling numbers of arcs, about.
    pub fn order(&self) -> &[VertexId] {
        &self.ranks.order
    }

    /// How many arcs there are.
    pub fn n_arcs(&self) -> u64 {
        self.graph.0.ends.len() as u64
    }

    /// The ranks of the vertices with an arc to that of this rank, in ascending
    /// order; from the device.
    ///
    /// # Errors
    /// Where the device fails.
    pub fn row(&self, rank: usize) -> Result<Vec<u32>, GpuError> {
        let (rows, _) = &self.graph;
        let row = rows.row_offsets[rank] as usize..rows.row_offsets[rank + 1] as usize;
        rows.ends.download_range(row)
    }

    /// All rows by ranks: where each begins, and their ends. They are copied from the device.
    ///
    /// # Errors
    /// Where the device fails.
    pub fn all_rows(&self) -> Result<(Vec<u64>, Vec<u32>), GpuError> {
        let (rows, _) = &self.graph;
        Ok((rows.row_offsets.clone(), rows.ends.download()?))
    }

    fn new(
        gpu: &Gpu,
        width: usize,
        ranks: Arc<Ranks>,
        both_ways: bool,
        rows: RankedArcs,
    ) -> Result<Self, SearchError> {
        let n = ranks.order.len();
        let (n_long, parts) = parts_of(&rows.row_offsets);
        let words = n * width / 64;
        let bytes = n * bytes_of_searches(width) + size_of_val(&parts[..]);
        gpu.check_fits("the searches", bytes as u64)?;
        let ptx = if width == 64 { &FEW } else { &MANY };
        let kernel = gpu.kernel(ptx, &format!("hop_sums_{width}"))?;
        let shape = two_blocks_each(gpu);
        let launch = Launch::new(gpu, kernel, shape.grid.0, shape.block)?;
        let parts = gpu.upload(&parts)?;
        let seen = [gpu.buffer(words)?, gpu.buffer(words)?];
        let states = [gpu.buffer(n)?, gpu.buffer(n)?];
        let control = gpu.buffer(1)?;
        let parameters = Batch {
            offsets: rows.offsets.address(),
            ends: rows.ends.address(),
            parts: parts.address(),
            seen: [seen[0].address(), seen[1].address()],
            states: [states[0].address(), states[1].address()],
            control: control.address(),
            n_vertices: n as u32,
            n_rows: rows.n_rows() as u32,
            n_long: n_long as u32,
            n_parts: length(&parts),
            both_ways: both_ways.into(),
            ..Batch::zeroed()
        };
        let (graph, _bits) = ((rows, parts), (seen, states));
        Ok(Self { width, ranks, launch, parameters, control, graph, _bits })
    }

    /// Those of these sources that have arcs, in the order in which batches take them.
    ///
    /// # Errors
    /// When a source does not exist, and where the device fails.
    pub fn in_turn(&self, sources: &[VertexId]) -> Result<Vec<VertexId>, SearchError> {
        check_vertices(self.ranks.ranks.len(), "source", sources)?;
        let starts = self.starts(sources)?;
        Ok(starts.into_iter().map(|rank| self.ranks.order[rank as usize]).collect())
    }

    /// The same by ranks.
    fn starts(&self, sources: &[VertexId]) -> Result<Vec<u32>, GpuError> {
        let mut sources = sources.to_vec();
        sources.par_sort_unstable();
        let rank = |v: VertexId| self.ranks.ranks[v as usize];
        let ranks = sources.into_par_iter().map(rank).filter(|&rank| rank != NO_VERTEX);
        if self.parameters.n_long == 0 {
            return Ok(ranks.collect());
        }
        // one that has only arcs from it has no row
        let firsts = self.graph.0.first_ends(&self.launch.gpu)?.download()?;
        let first = |rank: u32| firsts.get(rank as usize).copied().unwrap_or(NO_VERTEX);
        let mut keys: Vec<_> =
            ranks.map(|rank| u64::from(first(rank)) << 32 | u64::from(rank)).collect();
        keys.par_sort_unstable();
        Ok(keys.into_par_iter().map(|key| key as u32).collect())
    }

    /// Adds up the searches from those of `starts` that `turns` gives to this GPU.
    fn add_up(&mut self, starts: &[u32], turns: &Turns<'_>) -> Result<Found, SearchError> {
        let n = self.parameters.n_vertices as usize;
        let gpu = self.launch.gpu.clone();
        let (n_sources, greatest) = (gpu.buffer::<u32>(n)?, gpu.buffer::<u32>(n)?);
        let (sums, by_hop) = (gpu.buffer::<u64>(n)?, gpu.buffer::<u64>(n)?);
        let reciprocals = gpu.buffer::<u128>(n)?;
        let batch = Batch {
            n_sources: n_sources.address(),
            greatest: greatest.address(),
            sums: sums.address(),
            reciprocals: reciprocals.address(),
            by_hop: by_hop.address(),
            ..self.parameters
        };
        let starts = gpu.upload(starts)?;
        let mut times = DeviceTimes::default();
        while let Some(rows) = turns.take(self.width, starts.len()) {
            let (n, report) = (rows.len(), |_: u64| turns.tell(0));
            // SAFETY: sums have an element for each vertex, and `by_hop` one for each number of
            // hops, which is less than the number of vertices.
            times.solve_ms += unsafe { self.search(batch, &starts, rows, turns.reports(&report))? };
            if turns.tell(n as u64).is_break() {
                return Err(Interrupted.into());
            }
        }
        let start = Instant::now();
        let greatest = greatest.download()?;
        let n_hops = greatest.par_iter().max().map_or(0, |&most| most as usize + 1);
        let sums = HopSums {
            n_sources: n_sources.download()?,
            sums: sums.download()?,
            greatest,
            reciprocals: reciprocals.download()?,
            by_hop: by_hop.download_range(0..n_hops)?,
        };
        times.download_ms = milliseconds(start);
        Ok(Found { by_rank: sums, times })
    }

    /// Passes the hops to `targets`, `u32::MAX` where there is no path, to `take`: row by row, some
    /// of `sources` at a time, with the range of their positions. Returns the times on the device.
    ///
    /// # Errors
    /// [`SearchError::Interrupted`] where the callback ends it, and [`SearchError::Gpu`].
    pub fn rows(
        &mut self,
        sources: &[VertexId],
        targets: &[VertexId],
        progress: Option<Progress<'_>>,
        take: &mut dyn FnMut(Range<usize>, &[u32]),
    ) -> Result<DeviceTimes, SearchError> {
        let ranks = Arc::clone(&self.ranks);
        check_vertices(ranks.ranks.len(), "source", sources)?;
        check_vertices(ranks.ranks.len(), "target", targets)?;
        let rank = |&v: &VertexId| ranks.ranks[v as usize];
        let starts: Vec<u32> = sources.iter().map(rank).collect();
        let gpu = self.launch.gpu.clone();
        let on_device = gpu.upload(&starts)?;
        let ends = gpu.upload(&targets.iter().map(rank).collect::<Vec<_>>())?;
        let n_rows = rows_at_once(sources.len(), targets.len()).min(self.width);
        let mut times = DeviceTimes::default();
        for first in (0..sources.len()).step_by(n_rows) {
            let rows = first..sources.len().min(first + n_rows);
            let mut table = gpu.buffer::<u32>(rows.len() * targets.len())?;
            table.fill_bytes(0xff)?;
            let batch = Batch {
                targets: ends.address(),
                table: table.address(),
                n_targets: length(&ends),
                ..self.parameters
            };
            let total = sources.len() as u64;
            let report = progress.map(|progress| move |_| progress(first as u64, total));
            // SAFETY: targets are vertices, or have no rank; the table has a row for each source.
            times.solve_ms += unsafe { self.search(batch, &on_device, rows.clone(), report)? };
            tell(progress, rows.end as u64, total)?;
            let start = Instant::now();
            let mut levels = table.download()?;
            times.download_ms += milliseconds(start);
            // without arcs a vertex has no bits, and reaches itself
            let alone = rows.clone().filter(|&row| starts[row] == NO_VERTEX);
            for (row, column) in alone.flat_map(|row| (0..targets.len()).map(move |at| (row, at))) {
                if sources[row] == targets[column] {
                    levels[(row - rows.start) * targets.len() + column] = 0;
                }
            }
            take(rows, &levels);
        }
        Ok(times)
    }

    /// Searches from the sources of the ranks at `rows`, at most as many as there are bits. Returns
    /// the time in milliseconds.
    ///
    /// # Safety
    /// The results in `batch` must be of the lengths that the kernel requires, on this GPU.
    unsafe fn search(
        &mut self,
        batch: Batch,
        starts: &Buffer<u32>,
        rows: Range<usize>,
        report: Option<impl Fn(u64) -> ControlFlow<()>>,
    ) -> Result<f64, SearchError> {
        assert!(rows.end <= starts.len(), "each row has a source");
        self.control.fill_bytes(0)?;
        let batch = Batch {
            sources: starts.address() + (rows.start * size_of::<u32>()) as u64,
            n_batch: rows.len() as u32,
            host: self.launch.start(report.is_some())?,
            ..batch
        };
        // SAFETY: this work space made graph, bits and control; sources are vertices, or have no
        // rank; the caller guarantees the results.
        unsafe { self.launch.queue(&batch)? };
        self.launch.wait(report)
    }
}

/// What a GPU has found: sums by ranks.
struct Found {
    by_rank: HopSums,
    times: DeviceTimes,
}

/// Which GPU takes which sources, and what all have done.
struct Turns<'a> {
    next: AtomicUsize,
    done: AtomicU64,
    ended: AtomicBool,
    total: u64,
    progress: Option<Progress<'a>>,
    is_shared: bool,
}

impl Turns<'_> {
    /// The next of `n` sources, up to `width`, if there are any.
    fn take(&self, width: usize, n: usize) -> Option<Range<usize>> {
        let first = self.next.fetch_add(width, Relaxed);
        (first < n && !self.ended.load(Relaxed)).then(|| first..n.min(first + width))
    }

    /// The report of a launch, if the callback or another GPU may end it.
    fn reports<R>(&self, report: R) -> Option<R> {
        (self.progress.is_some() || self.is_shared).then_some(report)
    }

    /// Says that `more` sources are done. Whether to end.
    fn tell(&self, more: u64) -> ControlFlow<()> {
        let done = self.done.fetch_add(more, Relaxed) + more;
        match self.progress {
            _ if self.ended.load(Relaxed) => ControlFlow::Break(()),
            Some(progress) => progress(done, self.total),
            None => ControlFlow::Continue(()),
        }
    }
}

/// The sums over searches from all of `sources` by `searches` of one graph, a GPU each, and the
/// times of the slowest. `progress` gets the number of sources done.
///
/// # Errors
/// [`SearchError::Interrupted`] where the callback ends it, and [`SearchError::Gpu`].
pub fn hop_sums(
    searches: &mut [HopSearches],
    sources: &[VertexId],
    progress: Option<Progress<'_>>,
) -> Result<(HopSums, DeviceTimes), SearchError> {
    let ranks = Arc::clone(&searches[0].ranks);
    check_vertices(ranks.ranks.len(), "source", sources)?;
    let starts = searches[0].starts(sources)?;
    let turns = Turns {
        next: AtomicUsize::new(0),
        done: AtomicU64::new((sources.len() - starts.len()) as u64),
        ended: AtomicBool::new(false),
        total: sources.len() as u64,
        progress,
        is_shared: searches.len() > 1,
    };
    let found = side_by_side(searches.iter_mut().collect(), |own: &mut HopSearches| {
        let _ends = EndsOnPanic(&turns.ended);
        let found = own.add_up(&starts, &turns);
        turns.ended.fetch_or(found.is_err(), Relaxed);
        found.map_err(|error| error.named(slice::from_ref(&own.launch.gpu)))
    });
    // where one has failed, the others were ended
    let interrupted = |found: &Result<_, _>| matches!(found, Err(SearchError::Interrupted(_)));
    let (ended, found): (Vec<_>, Vec<_>) = found.into_iter().partition(interrupted);
    let found = found.into_iter().collect::<Result<Vec<_>, _>>()?;
    if !ended.is_empty() {
        return Err(Interrupted.into());
    }
    let times = found.iter().map(|found| found.times);
    let times = times.max_by(|a, b| a.solve_ms.total_cmp(&b.solve_ms)).unwrap_or_default();
    let mut sums = by_vertex(&ranks, &found);
    for &source in sources.iter().filter(|&&v| ranks.ranks[v as usize] == NO_VERTEX) {
        sums.n_sources[source as usize] += 1;
        sums.add_pairs(&[1]);
    }
    Ok((sums, times))
}

/// The sums of all GPUs, by vertices.
fn by_vertex(ranks: &Ranks, found: &[Found]) -> HopSums {
    fn each<T: Copy + Default + Send + Sync>(
        ranks: &Ranks,
        found: &[Found],
        of: impl Fn(&HopSums) -> &Vec<T> + Sync,
        join: impl Fn(T, T) -> T + Sync,
    ) -> Vec<T> {
        let at = |rank: u32| {
            let own = |found| of(found).get(rank as usize).copied().unwrap_or_default();
            found.iter().map(|found| own(&found.by_rank)).fold(T::default(), &join)
        };
        ranks.ranks.par_iter().map(|&rank| at(rank)).collect()
    }
    let mut sums = HopSums {
        n_sources: each(ranks, found, |sums| &sums.n_sources, |a, b| a + b),
        sums: each(ranks, found, |sums| &sums.sums, |a, b| a + b),
        greatest: each(ranks, found, |sums| &sums.greatest, u32::max),
        reciprocals: each(ranks, found, |sums| &sums.reciprocals, |a, b| a + b),
        by_hop: Vec::new(),
    };
    for found in found {
        sums.add_pairs(&found.by_rank.by_hop);
    }
    // of no sources with arcs there are no pairs
    if sums.by_hop == [0] {
        sums.by_hop.clear();
    }
    sums
}

/// Bytes of a vertex for its bits, what is said of them, and sums.
fn bytes_of_searches(width: usize) -> usize {
    2 * (width / 8 + 1) + BYTES_OF_SUMS
}

fn width_for(n_sources: usize) -> usize {
    if n_sources <= 64 { 64 } else { 1024 }
}

/// Rows of a table of this size that one launch finds.
pub fn rows_at_once(n_sources: usize, n_targets: usize) -> usize {
    n_sources.min((MAX_CELLS / n_targets.max(1)).max(1))
}

#[cfg(test)]
mod tests {
    use graph_formats::generate::{RmatConfig, rmat};

    use super::*;

    /// The arcs of a graph of more than 2^32 would begin there.
    const FAR: u64 = 1 << 33;

    #[test]
    fn arcs_have_numbers_of_64_bits() {
        let Some(gpu) = test_support::gpu(Gpu::open()) else { return };
        let graph = rmat(&RmatConfig { scale: 12, ..RmatConfig::default() }).unwrap();
        let all: Vec<_> = graph.vertices().collect();
        let mut searches = HopSearches::on_all(slice::from_ref(&gpu), &graph, all.len()).unwrap();
        let (expected, _) = hop_sums(&mut searches, &all, None).unwrap();
        let (rows, _) = &searches[0].graph;
        let far: Vec<_> = rows.row_offsets.iter().map(|offset| offset + FAR).collect();
        let (n_long, parts) = parts_of(&far);
        assert!(n_long > 0);
        let (offsets, parts) = (gpu.upload(&far).unwrap(), gpu.upload(&parts).unwrap());
        let far = &mut searches[0].parameters;
        far.ends = far.ends.wrapping_sub(FAR * size_of::<VertexId>() as u64);
        (far.offsets, far.parts) = (offsets.address(), parts.address());
        assert!(hop_sums(&mut searches, &all, None).unwrap().0 == expected);
    }
}

#[cfg(test)]
test_support::layout_test! {
    Batch as "HopBatch" of ["sssp/hop_sums.cu"]:
        offsets, ends, parts, sources, seen, states, n_sources, greatest, sums,
        reciprocals, by_hop, targets, table, control, host, n_vertices, n_batch, n_long, n_parts,
        n_targets, n_rows, both_ways, unused;
    Control as "HopControl" of ["sssp/hop_sums.cu"]:
        arrived, stopped, changed, levels, pairs, live;
}
