//! A graph on a GPU whose arcs change, and the trees that follow: what is launched for a batch.
//!
//! The method is in `kernels/sssp/changes.cu`. This side gives rows room for new arcs, queues the
//! changes of rows and then a launch for each tree, and has a tree searched anew where its launch
//! ended early.
//!
//! For a batch that concerns vertices of r arcs together, O(r) and some grid barriers for each hop
//! that a change is felt. Each row has room for an eighth of its arcs and four more; a directed graph
//! has columns too. Besides a search's, the memory is 44 bytes a vertex, and 12 for each source; with
//! keys of 64 bits 20.
//!
//! Reference: ramalingam-reps-1996

use std::mem::{replace, swap};

use bytemuck::{Pod, Zeroable};
use gpu_runtime::{Arg, Buffer, Gpu, GpuError, Kernel, LaunchConfig};
use graph_formats::{ArcChange, Csr, Direction, Distance, DynamicGraph, VertexId, Weight};
use search_parts::device::{DeviceRows, KeyGraph, KeyKind, RowsAt, limit_key};
use search_parts::{Kernels, Query, all_threads, check_size, two_blocks_each};

use super::delta_stepping::DeltaSteppingOnGpu;
use crate::{Delta, SsspError, Updated, delta};

/// The share of the vertices that a batch may concern, as a divisor: of more, a search is faster.
const SHARE: usize = 8;
/// Vertices that may be concerned in any case.
const MIN_CONCERNED: usize = 64;
/// Arcs for which each row has room, besides an eighth of its own.
const MIN_ROOM: usize = 4;
/// Vertices for which there is room, besides a 64th of all.
const ROOM_FOR_VERTICES: usize = 64;
/// Rounds after which their count begins anew.
const MAX_ROUNDS: u32 = 1 << 30;
/// `piece_length` of `arcs.cuh`.
const PIECE_LENGTH: usize = 256;

/// `had` and `has_now` of `changes.cu`.
const HAD: u32 = 1;
const HAS_NOW: u32 = 2;

/// `ArcChange` of `changes.cu`.
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
struct ArcChangeAt {
    before: u64,
    after: u64,
    from: u32,
    to: u32,
    has: u32,
    padding: u32,
}

/// `ChangeControl` of `changes.cu`.
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
struct Control {
    arrived: u32,
    enough: u32,
    trouble: u32,
    plateaus: u32,
    touched: u32,
    changed: u32,
    pulls: [u32; 2],
    pieces: [u32; 3],
    rounds: u32,
}

/// `Follow` of `changes.cu`.
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
struct Follow {
    rows: RowsAt,
    columns: RowsAt,
    keys: u64,
    before: u64,
    chosen: u64,
    marks: u64,
    listed: u64,
    touched: u64,
    changed: u64,
    lists: [u64; 2],
    pulls: u64,
    changes: u64,
    control: u64,
    n_changes: u32,
    most: u32,
    source: u32,
    first_round: u32,
}

/// The kernels of `changes.cu`.
struct ChangeKernels {
    spread_rows: Kernel,
    change_rows: Kernel,
    compare_keys: Kernel,
    follow: Kernel,
}

impl ChangeKernels {
    fn load(gpu: &Gpu, kind: KeyKind) -> Result<Self, SsspError> {
        let kernels = Kernels::of(gpu, &kernels::sssp::CHANGES, kind)?;
        Ok(Self {
            spread_rows: kernels.get("spread_rows")?,
            change_rows: kernels.get("change_rows")?,
            compare_keys: kernels.get("compare_keys")?,
            follow: kernels.get("follow")?,
        })
    }

    /// A copy of rows that begin at `starts`, which leave room; rows beyond the last are empty.
    fn spread(
        &self,
        gpu: &Gpu,
        kind: KeyKind,
        rows: &DeviceRows,
        starts: &[u32],
    ) -> Result<DeviceRows, SsspError> {
        let n = rows.bounds().len();
        let n_arcs = starts[starts.len() - 1] as usize;
        let arcs = gpu.buffer(n_arcs * kind.words_of_weight())?;
        let empty = starts[n.min(starts.len() - 1)..starts.len() - 1].iter().map(|&at| [at, at]);
        let bounds: Vec<_> = vec![[0; 2]; n].into_iter().chain(empty).collect();
        let (bounds, starts) = (gpu.upload(&bounds)?, gpu.upload(starts)?);
        let from = rows.at();
        let args = [
            Arg::structure(&from),
            (&starts).into(),
            (&bounds).into(),
            (&arcs).into(),
            (n as u32).into(),
        ];
        // SAFETY: rows lie inside their arcs; each is written from its start on, where it has at
        // least its length up to the next, the last of which is `n_arcs`.
        unsafe { gpu.launch(&self.spread_rows, all_threads(gpu), &args)? };
        // SAFETY: the bounds are of rows that lie in the arcs, and these were copied.
        Ok(unsafe { DeviceRows::new(bounds, arcs, n_arcs) })
    }

    /// Makes these changes, those of a row together and deletions first, in rows that have room.
    fn change(
        &self,
        gpu: &Gpu,
        rows: &DeviceRows,
        changes: &Buffer<ArcChangeAt>,
    ) -> Result<(), GpuError> {
        let n_changes = changes.len() as u32;
        let args = [rows.bounds().into(), rows.arcs().into(), changes.into(), n_changes.into()];
        // SAFETY: a block changes one row, within its room; the changes are of these rows.
        unsafe { gpu.launch(&self.change_rows, LaunchConfig::new(n_changes, 1024), &args) }
    }
}

/// Where rows begin that have room for more arcs than their lengths, and where the last ends.
fn starts(lengths: &[usize]) -> Result<Vec<u32>, SsspError> {
    let ends = lengths.iter().scan(0, |end, &length| {
        *end += length + length / 8 + MIN_ROOM;
        Some(*end)
    });
    let starts: Vec<usize> = [0].into_iter().chain(ends).collect();
    check_size(lengths.len(), starts[lengths.len()])?;
    Ok(starts.into_iter().map(|start| start as u32).collect())
}

/// The columns of a directed graph, and where they begin.
struct Columns {
    columns: DeviceRows,
    starts: Vec<u32>,
}

/// A tree on the device: keys, those after the last batch that was followed, and predecessors.
struct DeviceTree {
    source: VertexId,
    kind: KeyKind,
    keys: Buffer<u32>,
    before: Buffer<u32>,
    chosen: Buffer<VertexId>,
}

/// Marks and lists of the launches, as `Follow` has them.
struct Space {
    marks: Buffer<u32>,
    listed: Buffer<u32>,
    touched: Buffer<VertexId>,
    changed: Buffer<VertexId>,
    lists: [Buffer<[u32; 2]>; 3],
    control: Buffer<Control>,
}

impl Space {
    fn new(gpu: &Gpu, n: usize, n_arcs: usize) -> Result<Self, GpuError> {
        let list = || gpu.buffer(n + n_arcs / PIECE_LENGTH);
        Ok(Self {
            marks: gpu.buffer(n)?,
            listed: gpu.buffer(n)?,
            touched: gpu.buffer(n)?,
            changed: gpu.buffer(n)?,
            lists: [list()?, list()?, list()?],
            control: gpu.buffer(1)?,
        })
    }

    /// Makes it ready for a launch; what was queued before has ended then.
    fn clear(&mut self) -> Result<(), GpuError> {
        self.control.upload(&[Control { enough: u32::MAX, ..Control::zeroed() }])
    }
}

/// A batch that the device has been given.
pub(super) struct Begun {
    changes: Buffer<ArcChangeAt>,
    /// To free them, the host would wait for the device.
    _of_columns: Option<Buffer<ArcChangeAt>>,
    /// The vertices that it may concern.
    most: u32,
}

/// A graph and trees on a device.
pub(super) struct DeviceTrees {
    gpu: Gpu,
    /// The search, whose graph has the rows.
    search: DeltaSteppingOnGpu,
    starts: Vec<u32>,
    columns: Option<Columns>,
    kernels: ChangeKernels,
    space: Space,
    trees: Vec<DeviceTree>,
    first_round: u32,
}

impl DeviceTrees {
    /// Copies a graph without negative weights to the device, and searches from the sources.
    pub(super) fn new<W: Weight>(
        gpu: &Gpu,
        graph: &Csr<W>,
        sources: &[VertexId],
    ) -> Result<Self, SsspError> {
        let n = graph.n_vertices();
        let n_with_room = n + n / 64 + ROOM_FOR_VERTICES;
        let lengths = |graph: &Csr<W>| {
            let mut lengths: Vec<_> = graph.vertices().map(|v| graph.out_degree(v)).collect();
            lengths.resize(n_with_room, 0);
            starts(&lengths)
        };
        let load = |kind| ChangeKernels::load(gpu, kind);
        let width = delta::width(graph, Delta::Auto)?;
        let starts = lengths(graph)?;
        let (on_device, kernels) = KeyGraph::upload(gpu, graph, 0, load)?;
        let KeyGraph { kind, rows, times } = on_device;
        let rows = kernels.spread(gpu, kind, &rows, &starts)?;
        let columns = match graph.direction() {
            Direction::Undirected => None,
            Direction::Directed => {
                let transposed = graph.transposed();
                let starts = lengths(&transposed)?;
                let (columns, ()) = KeyGraph::upload(gpu, &transposed, 0, |_| Ok(()))?;
                let columns = kernels.spread(gpu, kind, &columns.rows, &starts)?;
                Some(Columns { columns, starts })
            }
        };
        let n_arcs = |rows: &DeviceRows| rows.n_arcs();
        let most_arcs = columns.as_ref().map_or(0, |of| n_arcs(&of.columns)).max(rows.n_arcs());
        let space = Space::new(gpu, n_with_room, most_arcs)?;
        let search = DeltaSteppingOnGpu::of_rows(gpu, KeyGraph { kind, rows, times }, width)?;
        let (gpu, first_round) = (gpu.clone(), 0);
        let mut trees =
            Self { gpu, search, starts, columns, kernels, space, trees: Vec::new(), first_round };
        while trees.trees.len() < sources.len() {
            let kind = trees.search.graph.kind;
            let tree = trees.searched::<W>(sources[trees.trees.len()])?;
            trees.trees.push(tree);
            if trees.search.graph.kind != kind {
                // a sum has more than 32 bits: the others, too, have wider keys
                trees.trees.clear();
                trees.kernels = ChangeKernels::load(&trees.gpu, trees.search.graph.kind)?;
            }
        }
        Ok(trees)
    }

    /// How many vertices there may be.
    pub(super) fn room_for_vertices(&self) -> usize {
        self.search.n_vertices()
    }

    /// Whether weights up to this one have the type that weights have here.
    pub(super) fn holds<W: Weight>(&self, greatest: W) -> bool {
        let kind = self.search.graph.kind;
        KeyKind::of(greatest).words_of_weight() == kind.words_of_weight()
    }

    fn searched<W: Weight>(&mut self, source: VertexId) -> Result<DeviceTree, SsspError> {
        let limit = limit_key::<W>(W::Distance::UNREACHED);
        self.search.leave_keys(&Query { source, targets: &[], limit, progress: None })?;
        let chosen = self.search.leave_predecessors(source, limit)?;
        let keys = self.search.take_keys()?;
        let before = self.gpu.buffer(keys.len())?;
        // SAFETY: all work is queued on one stream.
        unsafe { self.gpu.queue_copy(&keys, 0..keys.len(), &before, 0)? };
        Ok(DeviceTree { source, kind: self.search.graph.kind, keys, before, chosen })
    }

    /// Gives rows and columns room for these changes, which are in order. `graph` is as the device has
    /// it.
    pub(super) fn make_room<W: Weight>(
        &mut self,
        graph: &DynamicGraph<W>,
        arcs: &[ArcChange<W>],
    ) -> Result<(), SsspError> {
        let (gpu, kind, n) = (&self.gpu, self.search.graph.kind, graph.n_vertices());
        let length = |v: usize| if v < n { graph.arcs_from(v as VertexId).len() } else { 0 };
        if let Some(starts) = wider(&self.starts, arcs, length)? {
            let rows = self.kernels.spread(gpu, kind, &self.search.graph.rows, &starts)?;
            self.search.set_rows(rows);
            self.starts = starts;
        }
        if let Some(Columns { columns, starts }) = &mut self.columns {
            let turned = |arc: &ArcChange<W>| ArcChange { from: arc.to, to: arc.from, ..*arc };
            let mut turned: Vec<_> = arcs.iter().map(turned).collect();
            turned.sort_unstable_by_key(|arc| arc.from);
            let length = |v: usize| if v < n { graph.arcs_to(v as VertexId).len() } else { 0 };
            if let Some(wider) = wider(starts, &turned, length)? {
                *columns = self.kernels.spread(gpu, kind, columns, &wider)?;
                *starts = wider;
            }
        }
        // also where an earlier batch gave rows room, but found none for the lists
        let n_rows_arcs = self.search.graph.rows.n_arcs();
        let most_arcs = self.columns.as_ref().map_or(0, |of| of.columns.n_arcs()).max(n_rows_arcs);
        let n = self.search.n_vertices();
        if n + most_arcs / PIECE_LENGTH > self.space.lists[0].len() {
            self.space = Space::new(gpu, n, most_arcs)?;
            self.first_round = 0;
        }
        Ok(())
    }

    /// Queues these changes, for which there is room, and what the first tree has to follow. The host
    /// need not wait before [`finish`](Self::finish).
    pub(super) fn begin<W: Weight>(
        &mut self,
        arcs: &[ArcChange<W>],
        n_vertices: usize,
    ) -> Result<Begun, SsspError> {
        let mut changes: Vec<_> = arcs.iter().map(|arc| at(self.search.graph.kind, arc)).collect();
        self.space.clear()?;
        let mut of_columns = None;
        if let Some(Columns { columns, .. }) = &self.columns {
            let turned =
                |change: &ArcChangeAt| ArcChangeAt { from: change.to, to: change.from, ..*change };
            let mut changes: Vec<_> = changes.iter().map(turned).collect();
            changes.sort_unstable_by_key(|change| (change.from, change.to));
            deletions_first(&mut changes);
            let changes = self.gpu.upload(&changes)?;
            self.kernels.change(&self.gpu, columns, &changes)?;
            of_columns = Some(changes);
        }
        deletions_first(&mut changes);
        let changes = self.gpu.upload(&changes)?;
        self.kernels.change(&self.gpu, &self.search.graph.rows, &changes)?;
        let most = (n_vertices / SHARE).max(MIN_CONCERNED) as u32;
        let begun = Begun { changes, _of_columns: of_columns, most };
        if !self.trees.is_empty() {
            self.launch(0, &begun)?;
        }
        Ok(begun)
    }

    /// Lets the trees follow what has begun, one after another. Some are left where all must be made
    /// again, for a sum has more than 32 bits.
    pub(super) fn finish<W: Weight>(&mut self, begun: Begun) -> Result<Vec<Updated>, SsspError> {
        let kind = self.search.graph.kind;
        let mut followed = Vec::with_capacity(self.trees.len());
        for tree in 0..self.trees.len() {
            if tree > 0 {
                self.space.clear()?;
                self.launch(tree, &begun)?;
            }
            followed.push(match self.changed::<W>(tree)? {
                Some(changed) => Updated { changed, is_new_search: false },
                None => {
                    let new = self.searched::<W>(self.trees[tree].source)?;
                    if self.search.graph.kind != kind {
                        break;
                    }
                    let old = replace(&mut self.trees[tree], new);
                    Updated { changed: self.changed_since(&old, tree)?, is_new_search: true }
                }
            });
        }
        Ok(followed)
    }

    /// Queues what makes a tree that of the changed graph.
    fn launch(&mut self, tree: usize, Begun { changes, most, .. }: &Begun) -> Result<(), GpuError> {
        let Self { gpu, search, columns, kernels, space, trees, first_round, .. } = self;
        let tree = &mut trees[tree];
        let rows = search.graph.rows.at();
        let [first, second, pulls] = space.lists.each_ref().map(Buffer::address);
        let follow = Follow {
            rows,
            columns: columns.as_ref().map_or(rows, |of| of.columns.at()),
            keys: tree.keys.address(),
            before: tree.before.address(),
            chosen: tree.chosen.address(),
            marks: space.marks.address(),
            listed: space.listed.address(),
            touched: space.touched.address(),
            changed: space.changed.address(),
            lists: [first, second],
            pulls,
            changes: changes.address(),
            control: space.control.address(),
            n_changes: changes.len() as u32,
            most: *most,
            source: tree.source,
            first_round: *first_round,
        };
        // SAFETY: all arrays are of this GPU, and have a place for each vertex; the lists have one for
        // each piece of a row or column. Ends of arcs and of changes are vertices.
        unsafe { gpu.launch(&kernels.follow, two_blocks_each(gpu), &[Arg::structure(&follow)]) }
    }

    /// The vertices that have another key in a tree that has followed; nothing if it must be searched
    /// anew.
    fn changed<W: Weight>(&mut self, tree: usize) -> Result<Option<Vec<VertexId>>, SsspError> {
        let Self { search, space, trees, first_round, .. } = self;
        let tree = &mut trees[tree];
        let control = space.control.download()?[0];
        let is_done = control.enough == u32::MAX && control.trouble == 0;
        *first_round += control.rounds;
        if !is_done || *first_round > MAX_ROUNDS {
            space.marks.fill_bytes(0)?;
            space.listed.fill_bytes(0)?;
            *first_round = 0;
        }
        if !is_done {
            return Ok(None);
        }
        if control.plateaus != 0 {
            let limit = limit_key::<W>(W::Distance::UNREACHED);
            swap(&mut search.work_space.keys, &mut tree.keys);
            let chosen = search.leave_predecessors(tree.source, limit);
            swap(&mut search.work_space.keys, &mut tree.keys);
            tree.chosen = chosen?;
        }
        Ok(Some(space.changed.download_range(0..control.changed as usize)?))
    }

    /// The vertices whose keys were others in this tree.
    fn changed_since(&mut self, old: &DeviceTree, tree: usize) -> Result<Vec<VertexId>, GpuError> {
        let (space, new) = (&mut self.space, &self.trees[tree]);
        let (count, n) = (self.gpu.buffer::<u32>(1)?, self.search.n_vertices() as u32);
        let args = [
            (&new.keys).into(),
            (&old.before).into(),
            (&space.changed).into(),
            (&count).into(),
            n.into(),
        ];
        // SAFETY: there are keys of one kind for each of `n` vertices, and as many places.
        unsafe { self.gpu.launch(&self.kernels.compare_keys, all_threads(&self.gpu), &args)? };
        space.changed.download_range(0..count.download()?[0] as usize)
    }

    /// The distances of a tree, of the first `n` vertices, after the last batch that it has followed.
    pub(super) fn distances<W: Weight>(
        &self,
        tree: usize,
        n: usize,
    ) -> Result<Vec<W::Distance>, GpuError> {
        let DeviceTree { kind, before, .. } = &self.trees[tree];
        let words = before.download_range(0..n * kind.words_of_key())?;
        Ok(kind.distances::<W>(&words))
    }

    /// The predecessors of a tree, of the first `n` vertices.
    pub(super) fn predecessors(&self, tree: usize, n: usize) -> Result<Vec<VertexId>, GpuError> {
        self.trees[tree].chosen.download_range(0..n)
    }
}

fn at<W: Weight>(kind: KeyKind, arc: &ArcChange<W>) -> ArcChangeAt {
    let bits = |weight: Option<W>| {
        // a zero may have a sign
        let weight = [weight.filter(|&weight| weight != W::ZERO).unwrap_or(W::ZERO)];
        let words = kind.of_weights(&weight);
        words.iter().rev().fold(0, |bits, &word| bits << 32 | u64::from(word))
    };
    ArcChangeAt {
        before: bits(arc.before),
        after: bits(arc.after),
        from: arc.from,
        to: arc.to,
        has: if arc.before.is_some() { HAD } else { 0 }
            | if arc.after.is_some() { HAS_NOW } else { 0 },
        padding: 0,
    }
}

/// Puts those of a row that have no arc afterwards before its others.
fn deletions_first(changes: &mut [ArcChangeAt]) {
    let rows = changes.chunk_by_mut(|one, other| one.from == other.from);
    rows.for_each(|row| row.sort_by_key(|change| change.has & HAS_NOW));
}

/// New starts of rows, if one has no room for these changes, of which those of a row are together.
/// `length` is the number of arcs that a row has before them.
fn wider<W: Weight>(
    starts_now: &[u32],
    arcs: &[ArcChange<W>],
    length: impl Fn(usize) -> usize,
) -> Result<Option<Vec<u32>>, SsspError> {
    let has_room = |row: &[ArcChange<W>]| {
        let n_new = row.iter().filter(|arc| arc.before.is_none()).count();
        let n_gone = row.iter().filter(|arc| arc.after.is_none()).count();
        let at = row[0].from as usize;
        // most rows need no more, and their lengths are not waited for
        n_new <= n_gone
            || length(at) + n_new <= (starts_now[at + 1] - starts_now[at]) as usize + n_gone
    };
    if arcs.chunk_by(|one, other| one.from == other.from).all(has_room) {
        return Ok(None);
    }
    let mut lengths: Vec<usize> = (0..starts_now.len() - 1).map(length).collect();
    let new = arcs.iter().filter(|arc| arc.before.is_none());
    new.for_each(|arc| lengths[arc.from as usize] += 1);
    starts(&lengths).map(Some)
}

#[cfg(test)]
test_support::layout_test! {
    ArcChangeAt as "ArcChange" of ["sssp/changes.cu"]:
        before, after, from, to, has, padding;
    Control as "ChangeControl" of ["sssp/changes.cu"]:
        arrived, enough, trouble, plateaus, touched, changed, pulls, pieces, rounds;
    Follow as "Follow" of ["sssp/changes.cu", "sssp/delta_stepping/search.cuh"]:
        rows, columns, keys, before, chosen, marks, listed, touched, changed, lists, pulls, changes,
        control, n_changes, most, source, first_round;
}
