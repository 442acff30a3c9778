//! The dependencies of many sources at once, in hops, on a GPU.
//!
//! The method is in `kernels/centrality/path_counts.cu`: a batch has up to 32 sources and a team of
//! blocks, and a launch has as many batches as there are teams. Where levels are large, all blocks
//! are one team; where they are small, every block is one. What teams find is added up in the order
//! of the batches, so that no sum depends on how many teams there are.
//!
//! Where levels are many, sources of a batch are [near one another](super::nearby), so that they
//! find a vertex on few levels. Of many sources, vertices are renumbered first.
//!
//! O(l·(n + m)) for 32 sources, where a vertex is on l different levels. A team has 540 bytes a
//! vertex, and less where that is more than there is: then a batch has fewer sources, down to one.
//! All is known and requested before the first search. Numbers of paths are `f64`; batches in
//! which one is 2^1000 or more are left to the CPU ([`Single`](super::single::Single)).
//!
//! How it differs from the papers: sources share the reading of arcs, and levels are pulled, so
//! that sums need no atomics on floats.
//!
//! Reference: brandes-2001, then-2015

use std::num::NonZeroUsize;

use breadth_first::depth;
use bytemuck::{Pod, Zeroable};
use gpu_runtime::{Arg, Buffer, Gpu, Kernel, Ptx};
use graph_formats::{Csr, Direction, VertexId, tell};
use paths::Progress;
use search_parts::device::DeviceArcs;
use search_parts::{Launch, a_thread_each, check_size, length, two_blocks_each};
use sssp::SsspError;

use super::nearby::nearby;
use super::{Betweenness, LANES, Scored, Sums, Task, WorkSpace, for_each_block, relabelling};
use crate::checkpoint::{Checkpoint, add_up};
use crate::{CentralityError, Config};

static PATH_COUNTS: Ptx =
    Ptx::new(kernels::centrality::PATH_COUNTS.name, kernels::centrality::PATH_COUNTS.ptx);

/// Sources of a batch, at most.
pub(super) const MAX_WIDTH: usize = 32;
/// `arcs_a_piece` of the kernel.
const ARCS_PER_PIECE: usize = 256;
/// Sources from which on it pays to renumber vertices.
const MIN_SOURCES_TO_RELABEL: usize = 2048;
/// The estimated depth up to which levels are few.
const FLAT_DEPTH: f64 = 96.0;
/// Arcs for each unit of the estimated depth for which a team has a block.
const ARCS_PER_BLOCK: f64 = 8192.0;
/// Places of the lists of a team, at most: the kernel counts them with 32 bits.
const MAX_PLACES: usize = 1 << 31;

/// `PathBatches` of the kernel.
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
struct PathBatches {
    out_offsets: u64,
    out_ends: u64,
    in_offsets: u64,
    in_ends: u64,
    first_pieces: u64,
    piece_vertices: u64,
    sources: u64,
    numbers: u64,
    partial: u64,
    dependencies: u64,
    found: u64,
    marks: u64,
    left: u64,
    places: u64,
    bits: u64,
    ends: u64,
    controls: u64,
    host: u64,
    n_vertices: u32,
    n_pieces: u32,
    n_sources: u32,
    width: u32,
    capacity: u32,
    team_blocks: u32,
}

/// `TeamControl` of the kernel.
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
struct TeamControl {
    arrived: u32,
    stopped: u32,
    count: u32,
    overflowed: u32,
}

pub(super) fn find(
    gpu: &Gpu,
    graph: &Csr<u32>,
    config: &Config,
    checkpoint: Option<Checkpoint>,
    progress: Option<Progress<'_>>,
) -> Result<Betweenness, CentralityError> {
    let Task { transposed, mut sources, n_sources, n_spaces } =
        Task::new(graph, Scored::Vertices, config)?;
    let searched = transposed.as_ref().unwrap_or(graph);
    let depth = depth(searched);
    let relabelling = match sources.len() < MIN_SOURCES_TO_RELABEL {
        true => None,
        false => relabelling(searched, &sources, depth <= FLAT_DEPTH)?,
    };
    let relabelled = relabelling.as_ref().map(|to| to.apply(searched)).transpose()?;
    if let Some(to) = &relabelling {
        sources.iter_mut().for_each(|source| *source = to.new_ids()[*source as usize]);
    }
    let searched = relabelled.as_ref().unwrap_or(searched);
    sources.sort_unstable();
    if depth > FLAT_DEPTH {
        let threads = config.threads.map_or_else(rayon::current_num_threads, NonZeroUsize::get);
        sources = nearby(searched, &sources, threads)?;
    }
    let found = Batches::new(gpu, searched, sources.len(), depth);
    let mut batches = found.map_err(|error| error.named(std::slice::from_ref(gpu)))?;
    let mut spaces: Vec<WorkSpace> = Vec::new();
    let mut sums = Sums(vec![0.0; graph.n_vertices()]);
    let total = sources.len() as u64;
    let at_a_time = batches.n_teams * batches.width();
    add_up(&mut sums, &sources, at_a_time, checkpoint, &mut |sums, sources, done| {
        let goes_on = || tell(progress, done as u64, total);
        goes_on()?;
        let report = progress.map(|progress| move |_| progress(done as u64, total));
        if batches.search(sources, report)? {
            return Ok(batches.add_to(&mut sums.0)?);
        }
        spaces.resize_with(n_spaces, || WorkSpace::new(searched, Scored::Vertices, false));
        // an error leaves the sums as they were
        let mut added = Sums(sums.0.clone());
        for (team, sources) in sources.chunks(batches.width()).enumerate() {
            if let Some(dependencies) = batches.of_team(team)? {
                added.0.iter_mut().zip(dependencies).for_each(|(sum, more)| *sum += more);
                continue;
            }
            for sources in sources.chunks(n_spaces * LANES) {
                for_each_block(&mut spaces, sources, &|space, _, sources| {
                    space.search(searched, Scored::Vertices, sources, &goes_on)
                })?;
                added.add(&spaces[..sources.len().div_ceil(LANES)]);
            }
        }
        *sums = added;
        Ok(())
    })?;
    let sums = match &relabelling {
        Some(to) => to.restore(&sums.0)?,
        None => sums.0,
    };
    Ok(Betweenness { scored: Scored::Vertices, sums, n_vertices: graph.n_vertices(), n_sources })
}

/// The pieces of vertices with many arcs.
struct Pieces {
    /// The first of each vertex, and the end; a vertex with few arcs has none.
    firsts: Vec<u32>,
    /// The vertex of each.
    vertices: Vec<VertexId>,
    /// Vertices that have pieces.
    n_long: usize,
}

impl Pieces {
    /// Of a graph, and if it is directed the arcs into its vertices.
    fn of(graph: &Csr<u32>, leading_in: Option<&Csr<u32>>) -> Self {
        let mut firsts = Vec::with_capacity(graph.n_vertices() + 1);
        let (mut vertices, mut n_long) = (Vec::new(), 0);
        firsts.push(0);
        for vertex in graph.vertices() {
            let into = leading_in.map_or(0, |into| into.out_degree(vertex));
            let most = graph.out_degree(vertex).max(into);
            if most > ARCS_PER_PIECE {
                vertices.extend(std::iter::repeat_n(vertex, most.div_ceil(ARCS_PER_PIECE)));
                n_long += 1;
            }
            firsts.push(vertices.len() as u32);
        }
        Self { firsts, vertices, n_long }
    }
}

/// What teams need.
#[derive(Clone, Copy)]
struct Size {
    n: usize,
    n_long: usize,
    n_pieces: usize,
}

impl Size {
    /// Places that a team may list, of `width` sources.
    fn places(self, width: usize) -> usize {
        (self.n - self.n_long + self.n_pieces) * width
    }

    /// Bytes of a team.
    fn bytes(self, width: usize) -> u64 {
        let numbers = (self.n + self.n_pieces) * width * size_of::<f64>();
        let lists = self.places(width) * 2 * size_of::<u32>();
        let of_vertices = self.n * (size_of::<f64>() + 5 * size_of::<u32>());
        let others = (self.n_pieces + 1) * size_of::<u32>() + size_of::<TeamControl>();
        (numbers + lists + of_vertices + others) as u64
    }
}

/// The graph and the work spaces of teams on a GPU.
struct Batches {
    launch: Launch,
    add: Kernel,
    n_teams: usize,
    /// The parameters that are the same for every launch.
    parameters: PathBatches,
    controls: Buffer<TeamControl>,
    dependencies: Buffer<f64>,
    sums: Buffer<f64>,
    /// Whether each team of the last launch had too many paths.
    overflowed: Vec<bool>,
    /// The other buffers whose addresses `parameters` has.
    _graph: (DeviceArcs, Option<DeviceArcs>, Buffer<u32>, Buffer<VertexId>),
    _numbers: [Buffer<f64>; 2],
    _lists: [Buffer<u32>; 6],
}

impl Batches {
    /// For a graph of this estimated depth.
    fn new(gpu: &Gpu, graph: &Csr<u32>, n_sources: usize, depth: f64) -> Result<Self, SsspError> {
        let (n, m) = (graph.n_vertices(), graph.n_arcs());
        check_size(n, m)?;
        let leading_in = (graph.direction() == Direction::Directed).then(|| graph.transposed());
        let pieces = Pieces::of(graph, leading_in.as_ref());
        let size = Size { n, n_long: pieces.n_long, n_pieces: pieces.vertices.len() };
        let n_graphs = 1 + u64::from(leading_in.is_some());
        let lists = size_of_val(&pieces.firsts[..]) + size_of_val(&pieces.vertices[..]);
        let others = n_graphs * DeviceArcs::bytes(n, m) + (lists + n * size_of::<f64>()) as u64;
        // some is left, for what the driver rounds up
        let free = (gpu.available_bytes()? / 16 * 15).saturating_sub(others);
        let fit = |width| (free / size.bytes(width)) as usize;
        let mut width = MAX_WIDTH;
        while width > 1 && (fit(width) == 0 || size.places(width) > MAX_PLACES) {
            width /= 2;
        }
        if size.places(width) > MAX_PLACES {
            let reason = format!("it supports up to {MAX_PLACES} vertices, and this graph has {n}");
            return Err(SsspError::NotOnGpu { reason });
        }
        let shape = two_blocks_each(gpu);
        let n_blocks = shape.grid.0 as usize;
        let blocks = (m as f64 / depth / ARCS_PER_BLOCK) as usize;
        let wanted = n_blocks / blocks.clamp(1, n_blocks);
        let n_teams = wanted.min(fit(width)).min(n_sources.div_ceil(width)).max(1);
        let bytes = others + n_teams as u64 * size.bytes(width);
        gpu.check_fits("the graph and a batch of sources", bytes)?;
        let team_blocks = n_blocks / n_teams;
        let kernel = gpu.kernel(&PATH_COUNTS, "count_paths_of_batches")?;
        let launch = Launch::new(gpu, kernel, (n_teams * team_blocks) as u32, shape.block)?;
        let rows = DeviceArcs::upload(gpu, graph)?;
        let rows_in = leading_in.map(|rows| DeviceArcs::upload(gpu, &rows)).transpose()?;
        let into = rows_in.as_ref().unwrap_or(&rows);
        let (firsts, vertices) = (gpu.upload(&pieces.firsts)?, gpu.upload(&pieces.vertices)?);
        let controls = gpu.buffer(n_teams)?;
        let dependencies = gpu.buffer(n_teams * n)?;
        let lanes = n_teams * width;
        let [numbers, partial] = [gpu.buffer(lanes * n)?, gpu.buffer(lanes * size.n_pieces)?];
        let of_teams = |len: usize| gpu.buffer::<u32>(n_teams * len);
        let [found, marks, left] = [of_teams(n)?, of_teams(3 * n)?, of_teams(size.n_pieces)?];
        let capacity = size.places(width);
        let [places, bits, ends] = [of_teams(capacity)?, of_teams(capacity)?, of_teams(n + 1)?];
        let parameters = PathBatches {
            out_offsets: rows.offsets.address(),
            out_ends: rows.ends.address(),
            in_offsets: into.offsets.address(),
            in_ends: into.ends.address(),
            first_pieces: firsts.address(),
            piece_vertices: vertices.address(),
            numbers: numbers.address(),
            partial: partial.address(),
            dependencies: dependencies.address(),
            found: found.address(),
            marks: marks.address(),
            left: left.address(),
            places: places.address(),
            bits: bits.address(),
            ends: ends.address(),
            controls: controls.address(),
            n_vertices: n as u32,
            n_pieces: size.n_pieces as u32,
            width: width as u32,
            capacity: capacity as u32,
            team_blocks: team_blocks as u32,
            ..PathBatches::zeroed()
        };
        Ok(Self {
            launch,
            add: gpu.kernel(&PATH_COUNTS, "add_batches")?,
            n_teams,
            parameters,
            controls,
            dependencies,
            sums: gpu.buffer(n)?,
            overflowed: Vec::new(),
            _graph: (rows, rows_in, firsts, vertices),
            _numbers: [numbers, partial],
            _lists: [found, marks, left, places, bits, ends],
        })
    }

    /// Sources of a batch.
    fn width(&self) -> usize {
        self.parameters.width as usize
    }

    /// Finds the dependencies of up to a batch of sources for each team, different vertices with
    /// arcs; false where a team has too many paths.
    fn search(
        &mut self,
        sources: &[VertexId],
        report: Option<impl Fn(u64) -> std::ops::ControlFlow<()>>,
    ) -> Result<bool, SsspError> {
        let n_teams = sources.len().div_ceil(self.width());
        let on_device = self.launch.gpu.upload(sources)?;
        self.controls.fill_bytes(0)?;
        let parameters = PathBatches {
            sources: on_device.address(),
            n_sources: length(&on_device),
            host: self.launch.start(report.is_some())?,
            ..self.parameters
        };
        self.launch.shape.grid.0 = n_teams as u32 * self.parameters.team_blocks;
        // SAFETY: this work space made all buffers, with the elements that the kernel requires for
        // each team, of which there are no more than at first; sources are vertices.
        unsafe { self.launch.queue(&parameters)? };
        self.launch.wait(report)?;
        let controls = self.controls.download_range(0..n_teams)?;
        self.overflowed = controls.iter().map(|control| control.overflowed != 0).collect();
        Ok(!self.overflowed.contains(&true))
    }

    /// Adds the dependencies that all teams found to `sums`.
    fn add_to(&mut self, sums: &mut [f64]) -> Result<(), SsspError> {
        self.sums.upload(sums)?;
        let n_teams = self.overflowed.len() as u32;
        let args = [
            (&self.sums).into(),
            (&self.dependencies).into(),
            Arg::from(self.parameters.n_vertices),
            n_teams.into(),
        ];
        // SAFETY: threads add up what lies in `dependencies`, an element for each vertex and team,
        // and write `sums`, one for each vertex.
        unsafe { self.launch.gpu.launch(&self.add, a_thread_each(sums.len()), &args)? };
        Ok(self.sums.download_into(sums)?)
    }

    /// The dependencies that a team found; `None` where it had too many paths.
    fn of_team(&self, team: usize) -> Result<Option<Vec<f64>>, SsspError> {
        if self.overflowed[team] {
            return Ok(None);
        }
        let n = self.sums.len();
        Ok(Some(self.dependencies.download_range(team * n..(team + 1) * n)?))
    }
}

#[cfg(test)]
test_support::layout_test! {
    PathBatches as "PathBatches" of ["centrality/path_counts.cu"]:
        out_offsets, out_ends, in_offsets, in_ends, first_pieces, piece_vertices, sources, numbers,
        partial, dependencies, found, marks, left, places, bits, ends, controls, host, n_vertices,
        n_pieces, n_sources, width, capacity, team_blocks;
    TeamControl as "TeamControl" of ["centrality/path_counts.cu"]:
        arrived, stopped, count, overflowed;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_arcs_in_either_direction_have_pieces() {
        let source = test_support::kernel_source!("centrality/path_counts.cu");
        let number = test_support::layout::number(source, "arcs_a_piece");
        assert_eq!(number as usize, ARCS_PER_PIECE);
        // arcs out of 3, and arcs into 5
        let out = (0..600).map(|v| (3, v, 1u32));
        let arcs: Vec<_> = out.chain((0..300).map(|v| (v, 5, 1))).collect();
        let graph = Csr::from_arcs(600, &arcs).unwrap();
        let pieces = Pieces::of(&graph, Some(&graph.transposed()));
        assert_eq!(pieces.vertices, [3, 3, 3, 5, 5]);
        assert_eq!(pieces.firsts[..8], [0, 0, 0, 0, 3, 3, 5, 5]);
        assert_eq!((pieces.firsts.len(), pieces.n_long), (601, 2));
    }
}
