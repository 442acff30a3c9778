//! Distances and paths between two vertices, by the elimination tree.
//!
//! Whatever a search upwards can reach from a vertex is an ancestor of it. So two searches walk
//! the tree from their ends to the root, relaxing the arcs of each vertex, up from the source and
//! down to the target, without a queue. Where their ways have met they are walked together; the
//! least sum there is the distance, and vertices no nearer than it are passed over. O(arcs that
//! lead up from the ancestors).
//!
//! Tentative distances are stored by the depth of the ancestor, of both directions side by side:
//! a few kilobytes, where the paper has an array of all vertices. The arcs of a vertex end at runs
//! of consecutive depths, for separators are cliques. Those of a run are relaxed four at a time, in
//! both directions, for which there are vector instructions; a direction that is not asked for
//! starts from no path.
//!
//! Reference: dibbelt-2016

use graph_formats::{VertexId, Weight};

use crate::HierarchyError;
use crate::customize::Arcs;
use crate::elimination_tree::ROOT;
use crate::hierarchy::{DOWN, Hierarchy, UP};
use crate::key::Key;
use crate::metric::Metric;
use crate::query::{Pairs, Path};
use crate::unpack::unpack;

/// Arcs that are relaxed at a time.
const CHUNK: usize = 4;
/// Their keys, of both directions.
const LANES: usize = 2 * CHUNK;

/// The two walks up the tree. A place stands for a depth: the root has the last one.
pub(crate) struct Walk<'m, W: Weight, K> {
    metric: &'m Metric<'m, W>,
    arcs: &'m Arcs<K>,
    /// The place of the roots.
    top: usize,
    /// By place, the least distance from the source and to the target.
    keys: Vec<[K; 2]>,
    /// By place, the one of the lower end of the arc that these end or begin with, where paths are
    /// asked for.
    from: Vec<[u32; 2]>,
    /// By place, the ancestors of the source and of the target.
    ranks: Vec<[u32; 2]>,
    /// What a chunk of one arc, of two and so on is raised to.
    masks: [[K; LANES]; CHUNK],
}

impl<'m, W: Weight, K: Key> Walk<'m, W, K> {
    pub(crate) fn new(metric: &'m Metric<'m, W>, arcs: &'m Arcs<K>) -> Self {
        let height = metric.hierarchy.height();
        let mask = |length, lane| if lane < 2 * length { K::ZERO } else { K::UNREACHED };
        Self {
            metric,
            arcs,
            top: height.saturating_sub(1),
            // a chunk at the top writes what it has read behind it
            keys: vec![[K::UNREACHED; 2]; height + CHUNK],
            from: vec![[0; 2]; height + CHUNK],
            ranks: vec![[ROOT; 2]; height],
            masks: std::array::from_fn(|length| std::array::from_fn(|lane| mask(length, lane))),
        }
    }

    /// The length of the shortest path between two ranks, and the place of its highest vertex.
    fn meet<const WITH_PATH: bool>(&mut self, source: u32, target: u32) -> (K, usize) {
        #[cfg(target_arch = "x86_64")]
        if is_x86_feature_detected!("avx2") {
            // SAFETY: the processor has been asked for the instructions.
            return unsafe { self.meet_with_avx2::<WITH_PATH>(source, target) };
        }
        self.meet_by::<WITH_PATH>(source, target)
    }

    /// The same in registers of 32 bytes, and with an instruction for the lesser of two integers.
    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2")]
    fn meet_with_avx2<const WITH_PATH: bool>(&mut self, source: u32, target: u32) -> (K, usize) {
        self.meet_by::<WITH_PATH>(source, target)
    }

    #[inline(always)]
    fn meet_by<const WITH_PATH: bool>(&mut self, source: u32, target: u32) -> (K, usize) {
        let Hierarchy { depths, parents, .. } = self.metric.hierarchy;
        let mut places = [source, target].map(|rank| self.top - depths[rank as usize] as usize);
        self.keys[places[0].min(places[1])..].fill([K::UNREACHED; 2]);
        self.keys[places[0]][UP] = K::ZERO;
        self.keys[places[1]][DOWN] = K::ZERO;
        let mut ranks = [source, target];
        while ranks[0] != ranks[1] {
            let direction = if ranks[0] < ranks[1] { UP } else { DOWN };
            let (rank, place) = (ranks[direction], places[direction]);
            if ranks[1 - direction] == ROOT {
                return (K::UNREACHED, 0);
            }
            self.ranks[place][direction] = rank;
            let mut from = [K::UNREACHED; 2];
            from[direction] = self.keys[place][direction];
            self.relax::<WITH_PATH>(rank, place, from);
            ranks[direction] = parents[rank as usize];
            places[direction] += 1;
        }
        let (mut rank, mut place) = (ranks[0], places[0]);
        let (mut best, mut highest) = (K::UNREACHED, 0);
        while rank != ROOT {
            self.ranks[place] = [rank; 2];
            let [from_source, to_target] = self.keys[place];
            let through = from_source.add(to_target);
            if through < best {
                (best, highest) = (through, place);
            }
            if from_source.min(to_target) < best {
                self.relax::<WITH_PATH>(rank, place, [from_source, to_target]);
            }
            rank = parents[rank as usize];
            place += 1;
        }
        (best, highest)
    }

    /// Relaxes the arcs of a rank, run by run.
    #[inline(always)]
    fn relax<const WITH_PATH: bool>(&mut self, rank: u32, place: usize, from: [K; 2]) {
        let Hierarchy { ends, runs, .. } = self.metric.hierarchy;
        let row = self.metric.hierarchy.row(rank);
        let (ends, runs) = (&ends[row.clone()], &runs[row.clone()]);
        let arcs = &self.arcs.keys[row.start..];
        let (keys, steps) = (&mut self.keys[..], &mut self.from[..]);
        let from = std::array::from_fn(|lane| from[lane % 2]);
        let mut arc = 0;
        while let (Some(&run), Some(&end)) = (runs.get(arc), ends.get(arc)) {
            let to = self.top - usize::from(end);
            let run_arcs = arcs[arc..].as_flattened();
            let keys = keys[to..].as_flattened_mut();
            let steps = steps[to..].as_flattened_mut();
            arc += usize::from(run);
            let n_lanes = 2 * usize::from(run);
            let mut lane = 0;
            while lane + LANES <= n_lanes {
                let arcs = run_arcs[lane..].first_chunk();
                relax_lanes::<K, WITH_PATH>(
                    arcs,
                    &from,
                    None,
                    place,
                    &mut keys[lane..],
                    &mut steps[lane..],
                );
                lane += LANES;
            }
            if lane < n_lanes {
                let (arcs, whole) = (&run_arcs[lane..], run_arcs[lane..].first_chunk());
                let few = || std::array::from_fn(|i| arcs.get(i).copied().unwrap_or(K::UNREACHED));
                let arcs = whole.copied().unwrap_or_else(few);
                let mask = &self.masks[(n_lanes - lane) / 2 % CHUNK];
                relax_lanes::<K, WITH_PATH>(
                    Some(&arcs),
                    &from,
                    Some(mask),
                    place,
                    &mut keys[lane..],
                    &mut steps[lane..],
                );
            }
        }
    }

    /// The arcs between an end, which is at place `end`, and the ancestor at place `highest`, from
    /// the ancestor on.
    fn steps(&self, end: usize, highest: usize, direction: usize) -> Vec<(u32, usize)> {
        let hierarchy = self.metric.hierarchy;
        let mut steps = Vec::new();
        let mut place = highest;
        while place != end {
            let from = self.from[place][direction] as usize;
            let row = hierarchy.row(self.ranks[from][direction]);
            let depth = (self.top - place) as u16;
            let at = hierarchy.ends[row.clone()].partition_point(|&end| end > depth);
            steps.push(((row.start + at) as u32, direction));
            place = from;
        }
        steps
    }
}
impl<W: Weight, K: Key> Pairs<W> for Walk<'_, W, K> {
    fn distance(
        &mut self,
        source: VertexId,
        target: VertexId,
    ) -> Result<Option<W::Distance>, HierarchyError> {
        if W::ZERO.to_i128().is_none() {
            return Ok(self.path(source, target)?.map(|path| path.length));
        }
        let ends = (self.metric.rank("source", source)?, self.metric.rank("target", target)?);
        let (key, _) = self.meet::<false>(ends.0, ends.1);
        self.metric.distance(key, source, target)
    }

    fn path(
        &mut self,
        source: VertexId,
        target: VertexId,
    ) -> Result<Option<Path<W::Distance>>, HierarchyError> {
        let ends = (self.metric.rank("source", source)?, self.metric.rank("target", target)?);
        let (key, highest) = self.meet::<true>(ends.0, ends.1);
        if key >= K::UNREACHED {
            return Ok(None);
        }
        let graph = self.metric.graph;
        let hierarchy = self.metric.hierarchy;
        let place = |rank: u32| self.top - usize::from(hierarchy.depths[rank as usize]);
        let up = self.steps(place(ends.0), highest, UP).into_iter().rev();
        let down = self.steps(place(ends.1), highest, DOWN);
        let columns = graph.column_indices();
        let arcs = unpack(hierarchy, &self.arcs.origins, columns, up.chain(down));
        let arcs = arcs.ok_or(HierarchyError::Damaged)?;
        let mut vertices = Vec::with_capacity(arcs.len() + 1);
        vertices.push(source);
        vertices.extend(arcs.iter().map(|&arc| columns[arc]));
        let length = if W::ZERO.to_i128().is_some() {
            key.to_distance::<W>()
        } else {
            let add = |length, &arc: &usize| graph.weight(arc).after(length);
            arcs.iter().try_fold(W::Distance::ZERO, add)
        };
        let kind = W::Distance::KIND;
        let overflow = HierarchyError::Overflow { source_vertex: source, target, kind };
        let length = length.ok_or(overflow)?;
        Ok(Some(Path { length, vertices, arcs }))
    }
}

/// Relaxes arcs side by side.
#[inline(always)]
fn relax_lanes<K: Key, const WITH_PATH: bool>(
    arcs: Option<&[K; LANES]>,
    from: &[K; LANES],
    mask: Option<&[K; LANES]>,
    place: usize,
    keys: &mut [K],
    steps: &mut [u32],
) {
    let (Some(arcs), Some(keys)) = (arcs, keys.first_chunk_mut::<LANES>()) else { return };
    let mut through: [K; LANES] = std::array::from_fn(|lane| from[lane].add(arcs[lane]));
    if let Some(mask) = mask {
        through = std::array::from_fn(|lane| through[lane].max(mask[lane]));
    }
    if WITH_PATH && let Some(steps) = steps.first_chunk_mut::<LANES>() {
        // a mask, for what looks like a branch is made one, lane by lane
        let old = *steps;
        *steps = std::array::from_fn(|lane| {
            let is_less = u32::from(through[lane] < keys[lane]).wrapping_neg();
            old[lane] & !is_less | place as u32 & is_less
        });
    }
    *keys = std::array::from_fn(|lane| keys[lane].min(through[lane]));
}
