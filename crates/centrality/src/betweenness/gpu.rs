//! The dependencies of many sources at once, in hops, on a GPU.
//!
//! The method is in `kernels/centrality/path_counts.cu`: a batch has up to 32 sources and a team of
//! blocks, and a launch has as many batches as there are teams. Where levels are large, all blocks
//! are one team; where they are small, every block is one. What teams find is added up in the order
//! of the batches, so that no sum depends on how many teams there are.
//!
//! Vertices with many arcs come first. Where levels are few, they go on by their numbers of arcs,
//! and otherwise with their neighbours, so that sources of a batch find a vertex on few levels.
//!
//! O(l·(n + m)) for 32 sources, where a vertex is on l different levels. A team has 548 bytes a
//! vertex, and less where that is more than there is: then a batch has fewer sources, down to one.
//! All is known and requested before the first search. Numbers of paths are `f64`; batches in
//! which one is 2^1000 or more are left to the CPU ([`Single`](super::single::Single)).
//!
//! How it differs from the papers: sources share the reading of arcs, and levels are pulled, so
//! that sums need no atomics on floats.
//!
//! Reference: brandes-2001, then-2015

use bytemuck::{Pod, Zeroable};
use gpu_runtime::{Arg, Buffer, Gpu, Kernel, Ptx};
use graph_formats::permute::Relabelling;
use graph_formats::{Csr, Direction, GraphError, VertexId, tell};
use paths::Progress;
use search_parts::device::DeviceArcs;
use search_parts::{Launch, a_thread_each, check_size, length, two_blocks_each};
use sssp::SsspError;

use super::{
    Betweenness, LANES, MAX_LEVELS, Scored, Sums, Task, WorkSpace, for_each_block, n_levels,
};
use crate::checkpoint::{Checkpoint, add_up};
use crate::{CentralityError, Config};

static PATH_COUNTS: Ptx =
    Ptx::new(kernels::centrality::PATH_COUNTS.name, kernels::centrality::PATH_COUNTS.ptx);

/// Sources of a batch, at most.
const MAX_WIDTH: usize = 32;
/// `arcs_a_piece` of the kernel.
const ARCS_PER_PIECE: usize = 256;
/// Arcs of a level of one source for which a team has a block.
const ARCS_PER_BLOCK: usize = 1 << 14;
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
    n_long: u32,
    n_pieces: u32,
    n_sources: u32,
    width: u32,
    capacity: u32,
    team_blocks: u32,
    padding: u32,
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
    let n_levels = n_levels(searched, &sources)?;
    let relabelling = relabelling(searched, &sources, n_levels)?;
    sources.iter_mut().for_each(|source| *source = relabelling.new_ids()[*source as usize]);
    sources.sort_unstable();
    let searched = relabelling.apply(searched)?;
    let found = Batches::new(gpu, &searched, sources.len(), n_levels);
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
        spaces.resize_with(n_spaces, || WorkSpace::new(&searched, Scored::Vertices, false));
        // an error leaves the sums as they were
        let mut added = Sums(sums.0.clone());
        for (team, sources) in sources.chunks(batches.width()).enumerate() {
            if let Some(dependencies) = batches.of_team(team)? {
                added.0.iter_mut().zip(dependencies).for_each(|(sum, more)| *sum += more);
                continue;
            }
            for sources in sources.chunks(n_spaces * LANES) {
                for_each_block(&mut spaces, sources, &|space, _, sources| {
                    space.search(&searched, Scored::Vertices, sources, &goes_on)
                })?;
                added.add(&spaces[..sources.len().div_ceil(LANES)]);
            }
        }
        *sums = added;
        Ok(())
    })?;
    let sums = relabelling.restore(&sums.0)?;
    Ok(Betweenness { scored: Scored::Vertices, sums, n_vertices: graph.n_vertices(), n_sources })
}

/// The number of arcs out of each vertex, or into it where those are more.
fn most_arcs(graph: &Csr<u32>) -> Vec<usize> {
    let mut most = vec![0; graph.n_vertices()];
    graph.column_indices().iter().for_each(|&head| most[head as usize] += 1);
    let out = graph.vertices().map(|v| graph.out_degree(v));
    most.iter_mut().zip(out).for_each(|(most, out)| *most = out.max(*most));
    most
}

/// Numbers of vertices by which those with several pieces come first.
fn relabelling(
    graph: &Csr<u32>,
    sources: &[VertexId],
    n_levels: usize,
) -> Result<Relabelling, GraphError> {
    let order = match sources.first() {
        Some(&first) if n_levels > MAX_LEVELS => Relabelling::breadth_first(graph, first)?,
        _ => Relabelling::by_descending_degree(graph),
    };
    let most = most_arcs(graph);
    let is_long = |&&v: &&VertexId| most[v as usize] > ARCS_PER_PIECE;
    let (mut old_ids, others): (Vec<_>, Vec<_>) = order.old_ids().iter().partition(is_long);
    old_ids.extend(others);
    Ok(Relabelling::from_new_ids(old_ids)?.inverse())
}

/// The pieces of vertices with many arcs.
struct Pieces {
    /// The first of each such vertex, and the end.
    firsts: Vec<u32>,
    /// The vertex of each.
    vertices: Vec<VertexId>,
}

impl Pieces {
    /// Of a graph whose vertices with many arcs come first.
    fn of(graph: &Csr<u32>) -> Self {
        let (mut firsts, mut vertices) = (vec![0], Vec::new());
        let most = most_arcs(graph);
        let long = most.iter().take_while(|&&most| most > ARCS_PER_PIECE);
        for (vertex, most) in (0..).zip(long) {
            vertices.extend(std::iter::repeat_n(vertex, most.div_ceil(ARCS_PER_PIECE)));
            firsts.push(vertices.len() as u32);
        }
        Self { firsts, vertices }
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
        let others = (self.n_long + 1) * size_of::<u32>() + size_of::<TeamControl>();
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
    /// For a graph whose vertices with many arcs come first.
    fn new(
        gpu: &Gpu,
        graph: &Csr<u32>,
        n_sources: usize,
        n_levels: usize,
    ) -> Result<Self, SsspError> {
        let (n, m) = (graph.n_vertices(), graph.n_arcs());
        check_size(n, m)?;
        let leading_in = (graph.direction() == Direction::Directed).then(|| graph.transposed());
        let pieces = Pieces::of(graph);
        let size = Size { n, n_long: pieces.firsts.len() - 1, n_pieces: pieces.vertices.len() };
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
        let wanted = n_blocks / (m / n_levels.max(1) / ARCS_PER_BLOCK).clamp(1, n_blocks);
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
        let [found, marks, left] = [of_teams(n)?, of_teams(3 * n)?, of_teams(size.n_long)?];
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
            n_long: size.n_long as u32,
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
        n_long, n_pieces, n_sources, width, capacity, team_blocks, padding;
    TeamControl as "TeamControl" of ["centrality/path_counts.cu"]:
        arrived, stopped, count, overflowed;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vertices_with_many_arcs_come_first_and_in_pieces() {
        let source = test_support::kernel_source!("centrality/path_counts.cu");
        let number = test_support::layout::number(source, "arcs_a_piece");
        assert_eq!(number as usize, ARCS_PER_PIECE);
        // arcs out of 3, and arcs into 5
        let out = (0..600).map(|v| (3, v, 1u32));
        let graph =
            Csr::from_arcs(600, &out.chain((0..300).map(|v| (v, 5, 1))).collect::<Vec<_>>());
        let graph = graph.unwrap();
        for n_levels in [2, 1000] {
            let relabelling = relabelling(&graph, &[7], n_levels).unwrap();
            let pieces = Pieces::of(&relabelling.apply(&graph).unwrap());
            let mut first = relabelling.old_ids()[..2].to_vec();
            let of_three = if first[0] == 3 { 0..3 } else { 2..5 };
            assert_eq!(pieces.vertices[of_three].len(), 3);
            assert_eq!((pieces.vertices.len(), pieces.firsts.len()), (5, 3));
            first.sort_unstable();
            assert_eq!(first, [3, 5]);
        }
    }
}
