//! The work spaces of teams on a GPU, and launches of all teams.
//!
//! Where levels are large, all blocks are one team; where they are small, every block is one. For 32
//! sources a team has 550 bytes a vertex, in weights 1,040 to 1,160, and for scores of arcs 8 an
//! arc. Where that is more than there is, teams are fewer, and then a batch has fewer sources, down
//! to one. All is known and requested before the first search.

use std::collections::BTreeMap;
use std::ops::{ControlFlow, Range};

use ::kernels::centrality::{PATH_COUNTS, PATH_PAIRS};
use bytemuck::{Pod, Zeroable};
use gpu_runtime::{Arg, Buffer, Gpu, GpuError, Kernel};
use graph_formats::{Csr, Direction, VertexId, Weight};
use search_parts::device::DeviceArcs;
use search_parts::{Kernels, Launch, a_thread_each, check_size, length, two_blocks_each};
use sssp::SsspError;

use super::super::Scored;
use super::super::task::Task;

/// Sources of a batch, at most.
pub(in super::super) const MAX_WIDTH: usize = 32;
/// `arcs_a_piece` of the kernel.
const ARCS_PER_PIECE: usize = 256;
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
    out_weights: u64,
    in_offsets: u64,
    in_ends: u64,
    in_weights: u64,
    first_pieces: u64,
    piece_vertices: u64,
    targets: u64,
    sources: u64,
    shares: u64,
    numbers: u64,
    lengths: u64,
    open: u64,
    dependencies: u64,
    partial: u64,
    left: u64,
    scores: u64,
    found: u64,
    marks: u64,
    places: u64,
    bits: u64,
    ends: u64,
    controls: u64,
    host: u64,
    tolerance: f64,
    n_vertices: u32,
    n_scores: u32,
    n_pieces: u32,
    n_sources: u32,
    width: u32,
    capacity: u32,
    team_blocks: u32,
    to_arcs: u32,
}

/// `TeamControl` of the kernel.
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
struct TeamControl {
    arrived: u32,
    stopped: u32,
    count: u32,
    aside: u32,
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
    fn of<U: Weight>(graph: &Csr<U>, leading_in: Option<&Csr<U>>) -> Self {
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

/// What a team lists.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Method {
    /// By hops, vertices, each for all sources that have it on the level.
    Places,
    /// In weights, pairs of a vertex and a source; a path may be longer by that share.
    Pairs { tolerance: f64 },
}

/// What teams need.
#[derive(Clone, Copy)]
struct Size {
    method: Method,
    n: usize,
    n_scores: usize,
    n_long: usize,
    n_pieces: usize,
    /// Bytes of a length.
    of_length: usize,
}

impl Size {
    /// Places that a team may list, of `width` sources.
    fn places(self, width: usize) -> usize {
        (self.n - self.n_long + self.n_pieces) * width
    }

    /// Bytes of a team.
    fn bytes(self, width: usize) -> u64 {
        let (of_number, of_word) = (size_of::<f64>(), size_of::<u32>());
        let of_pair = match self.method {
            Method::Places => of_number,
            Method::Pairs { .. } => 2 * of_number + self.of_length + of_word,
        };
        let pairs = width * (self.n * of_pair + self.n_pieces * of_number);
        let words = 2 * self.places(width) + self.marks() + self.left(width) + self.n + 1;
        let scores = self.n_scores * of_number;
        (pairs + words * of_word + scores + size_of::<TeamControl>()) as u64
    }

    /// Words of the marks of vertices.
    fn marks(self) -> usize {
        if self.method == Method::Places { 4 * self.n } else { 0 }
    }

    /// Numbers of pieces that are counted.
    fn left(self, width: usize) -> usize {
        if self.method == Method::Places { self.n_pieces } else { self.n_pieces * width }
    }
}

/// Arcs and their weights, those where hops are counted left out.
struct Arcs<U: Weight> {
    rows: DeviceArcs,
    weights: Option<Buffer<U>>,
}

impl<U: Weight> Arcs<U> {
    fn upload(gpu: &Gpu, graph: &Csr<U>, is_weighted: bool) -> Result<Self, GpuError> {
        let weights = is_weighted.then(|| gpu.upload(graph.weights())).transpose()?;
        Ok(Self { rows: DeviceArcs::upload(gpu, graph)?, weights })
    }

    fn weights(&self) -> u64 {
        self.weights.as_ref().map_or(0, Buffer::address)
    }
}

/// The graph and the work spaces of teams on a GPU.
pub(super) struct Teams<U: Weight> {
    launch: Launch,
    add: Kernel,
    n_teams: usize,
    /// The parameters that are the same for every launch.
    parameters: PathBatches,
    controls: Buffer<TeamControl>,
    lengths: Buffer<U>,
    scores: Buffer<f64>,
    /// The scores of the part so far.
    part: Buffer<f64>,
    /// Scores of teams of the last launch that were found otherwise.
    aside: BTreeMap<usize, Buffer<f64>>,
    /// The other buffers whose addresses `parameters` has.
    _arcs: [Option<Arcs<U>>; 2],
    _numbers: [Buffer<f64>; 4],
    _lists: [Buffer<u32>; 8],
}

impl<U: Weight> Teams<U> {
    /// For a graph of this estimated depth.
    pub(super) fn new(
        gpu: &Gpu,
        task: &Task<'_, U>,
        method: Method,
        depth: f64,
    ) -> Result<Self, SsspError> {
        let (graph, n_sources) = (&task.searched, task.sources.len());
        let (n, m) = (graph.n_vertices(), graph.n_arcs());
        check_size(n, m)?;
        let is_weighted = method != Method::Places;
        let leading_in = (graph.direction() == Direction::Directed).then(|| graph.transposed());
        let pieces = Pieces::of(graph, leading_in.as_ref());
        let (n_long, n_pieces) = (pieces.n_long, pieces.vertices.len());
        let (n_scores, of_length) = (task.n_scores(), size_of::<U>());
        let size = Size { method, n, n_scores, n_long, n_pieces, of_length };
        let n_graphs = 1 + u64::from(leading_in.is_some());
        let of_weights = if is_weighted { of_length * m } else { 0 };
        let of_graph = DeviceArcs::bytes(n, m) + of_weights as u64;
        let lists = size_of_val(&pieces.firsts[..]) + size_of_val(&pieces.vertices[..]);
        let of_scores = (n + size.n_scores) * size_of::<f64>();
        let others = n_graphs * of_graph + (lists + of_scores) as u64;
        // some is left, for what the driver rounds up, and in weights for searches and their rows
        let parts = if is_weighted { 12 } else { 15 };
        let usable = gpu.available_bytes()? / 16 * parts;
        let free = usable.saturating_sub(others);
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
        let kernels = match (method, task.scored) {
            (Method::Places, Scored::Vertices) => Kernels::of(gpu, &PATH_COUNTS, "vertices"),
            (Method::Places, Scored::Arcs) => Kernels::of(gpu, &PATH_COUNTS, "arcs"),
            (Method::Pairs { .. }, _) => Kernels::of(gpu, &PATH_PAIRS, U::KIND),
        }?;
        let name = if method == Method::Places { "path_counts" } else { "path_pairs" };
        let kernel = kernels.get(name)?;
        let launch = Launch::new(gpu, kernel, (n_teams * team_blocks) as u32, shape.block)?;
        let out = Arcs::upload(gpu, graph, is_weighted)?;
        let into = leading_in.map(|graph| Arcs::upload(gpu, &graph, is_weighted)).transpose()?;
        let leading_in = into.as_ref().unwrap_or(&out);
        let (firsts, vertices) = (gpu.upload(&pieces.firsts)?, gpu.upload(&pieces.vertices)?);
        let targets = gpu.upload(&task.standing.targets)?;
        let controls = gpu.buffer(n_teams)?;
        let (scores, part) = (gpu.buffer(n_teams * size.n_scores)?, gpu.buffer(size.n_scores)?);
        let lanes = n_teams * width;
        let [numbers, partial] = [gpu.buffer(lanes * n)?, gpu.buffer(lanes * size.n_pieces)?];
        let of_pairs = if is_weighted { lanes * n } else { 0 };
        let (lengths, dependencies) = (gpu.buffer(of_pairs)?, gpu.buffer(of_pairs)?);
        let open = gpu.buffer(of_pairs)?;
        let of_teams = |len: usize| gpu.buffer::<u32>(n_teams * len);
        let [marks, left] = [of_teams(size.marks())?, of_teams(size.left(width))?];
        let capacity = size.places(width);
        let [places, bits, ends] = [of_teams(capacity)?, of_teams(capacity)?, of_teams(n + 1)?];
        let tolerance = match method {
            Method::Places => 0.0,
            Method::Pairs { tolerance } => tolerance,
        };
        let parameters = PathBatches {
            out_offsets: out.rows.offsets.address(),
            out_ends: out.rows.ends.address(),
            out_weights: out.weights(),
            in_offsets: leading_in.rows.offsets.address(),
            in_ends: leading_in.rows.ends.address(),
            in_weights: leading_in.weights(),
            first_pieces: firsts.address(),
            piece_vertices: vertices.address(),
            targets: targets.address(),
            numbers: numbers.address(),
            lengths: lengths.address(),
            open: open.address(),
            dependencies: dependencies.address(),
            partial: partial.address(),
            left: left.address(),
            scores: scores.address(),
            found: marks.address(),
            marks: marks.address() + (n_teams * size.marks() / 4 * size_of::<u32>()) as u64,
            places: places.address(),
            bits: bits.address(),
            ends: ends.address(),
            controls: controls.address(),
            tolerance,
            n_vertices: n as u32,
            n_scores: size.n_scores as u32,
            n_pieces: size.n_pieces as u32,
            width: width as u32,
            capacity: capacity as u32,
            team_blocks: team_blocks as u32,
            to_arcs: (task.scored == Scored::Arcs).into(),
            ..PathBatches::zeroed()
        };
        Ok(Self {
            launch,
            add: kernels.get("add_scores")?,
            n_teams,
            parameters,
            controls,
            lengths,
            scores,
            part,
            aside: BTreeMap::new(),
            _arcs: [Some(out), into],
            _numbers: [targets, numbers, dependencies, partial],
            _lists: [firsts, vertices, open, marks, left, places, bits, ends],
        })
    }

    /// Sources of a batch.
    pub(super) fn width(&self) -> usize {
        self.parameters.width as usize
    }

    /// Sources of a launch, at most.
    pub(super) fn n_sources(&self) -> usize {
        self.n_teams * self.width()
    }

    /// Where the lengths of all paths are, by team, vertex and source.
    pub(super) fn lengths(&self) -> &Buffer<U> {
        &self.lengths
    }

    /// Finds the scores of up to a batch of sources for each team, different vertices with arcs, of
    /// which each stands for its share. Returns the teams that could not.
    pub(super) fn search(
        &mut self,
        sources: &[VertexId],
        shares: &[f64],
        report: Option<impl Fn(u64) -> ControlFlow<()>>,
    ) -> Result<Vec<usize>, SsspError> {
        let n_teams = sources.len().div_ceil(self.width());
        let gpu = &self.launch.gpu;
        let (sources, shares) = (gpu.upload(sources)?, gpu.upload(shares)?);
        self.controls.fill_bytes(0)?;
        self.aside.clear();
        let parameters = PathBatches {
            sources: sources.address(),
            shares: shares.address(),
            n_sources: length(&sources),
            host: self.launch.start(report.is_some())?,
            ..self.parameters
        };
        self.launch.shape.grid.0 = n_teams as u32 * self.parameters.team_blocks;
        // SAFETY: this work space made all buffers, with the elements that the kernel requires for
        // each team, of which there are no more than at first; sources are vertices, each with a
        // share.
        unsafe { self.launch.queue(&parameters)? };
        self.launch.wait(report)?;
        let controls = self.controls.download_range(0..n_teams)?;
        Ok((0..n_teams).filter(|&team| controls[team].aside != 0).collect())
    }

    /// Takes these scores for those of a team that could not find them.
    pub(super) fn set_aside(&mut self, team: usize, scores: &[f64]) -> Result<(), SsspError> {
        self.aside.insert(team, self.launch.gpu.upload(scores)?);
        Ok(())
    }

    /// Adds the scores of these teams to those of the part.
    pub(super) fn add(&mut self, teams: Range<usize>) -> Result<(), SsspError> {
        let mut first = teams.start;
        for (&team, scores) in self.aside.range(teams.clone()) {
            self.add_from(&self.scores, first..team)?;
            self.add_from(scores, 0..1)?;
            first = team + 1;
        }
        Ok(self.add_from(&self.scores, first..teams.end)?)
    }

    fn add_from(&self, scores: &Buffer<f64>, teams: Range<usize>) -> Result<(), GpuError> {
        let n = self.part.len();
        let args = [
            (&self.part).into(),
            scores.into(),
            Arg::from(self.parameters.n_scores),
            (teams.start as u32).into(),
            (teams.end as u32).into(),
        ];
        // SAFETY: threads add up what lies in `scores`, as many for each team as `part` has, which
        // they write.
        unsafe { self.launch.gpu.launch(&self.add, a_thread_each(n), &args) }
    }

    /// The scores of the part, which the next part begins without.
    pub(super) fn take(&mut self) -> Result<Vec<f64>, SsspError> {
        let part = self.part.download()?;
        self.part.fill_bytes(0)?;
        Ok(part)
    }
}

#[cfg(test)]
test_support::layout_test! {
    PathBatches as "PathBatches" of ["centrality/path_counts/team.cuh"]:
        out_offsets, out_ends, out_weights, in_offsets, in_ends, in_weights, first_pieces,
        piece_vertices, targets, sources, shares, numbers, lengths, open, dependencies, partial, left,
        scores, found, marks, places, bits, ends, controls, host, tolerance, n_vertices, n_scores, n_pieces,
        n_sources, width, capacity, team_blocks, to_arcs;
    TeamControl as "TeamControl" of ["centrality/path_counts/team.cuh"]:
        arrived, stopped, count, aside;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_arcs_in_either_direction_have_pieces() {
        let source = test_support::kernel_source!("centrality/path_counts/team.cuh");
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
