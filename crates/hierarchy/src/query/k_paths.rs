//! The k shortest simple paths between two vertices.
//!
//! The searches of `k_paths` ask how far a vertex is from the target. Here that is found when it is
//! asked for. The distances of the ancestors of the target come from a walk up from it. The
//! distance of any other vertex comes from those of its own ancestors, which the searches have
//! asked about before or which are kept. So the work is in proportion to what the searches see.
//!
//! Reference: strasser-zeitz-2021, yen-1971

use elimination::ROOT;
use graph_formats::{VertexId, ensure_granted};
use k_paths::{PathWeight, SearchError};
use paths::Progress;

use crate::HierarchyError;
use crate::metric::arcs::Arcs;
use crate::metric::key::Key;
use crate::metric::lengths::too_far;
use crate::metric::{Metric, with_arcs};
use crate::prepare::hierarchy::{DOWN, Hierarchy, UP};

impl<W: PathWeight> Metric<W> {
    pub(crate) fn find_k_paths(
        &self,
        source: VertexId,
        target: VertexId,
        k: usize,
        progress: Option<Progress<'_>>,
    ) -> Result<Vec<k_paths::Path<W::Distance>>, HierarchyError> {
        self.hierarchy.rank("source", source)?;
        let (hierarchy, rank) = (&self.hierarchy, self.hierarchy.rank("target", target)?);
        let found = with_arcs!(W, &self.arcs, arcs => {
            ensure_granted(ToTarget::bytes_of(arcs, hierarchy.n_vertices()))?;
            let mut to_target = ToTarget::new(hierarchy, arcs, rank);
            let distance =
                |vertex: VertexId| to_target.length(hierarchy.ranks[vertex as usize])?.to_distance();
            k_paths::k_shortest_paths(&self.graph, source, target, k, distance, progress)
        });
        found.map(|found| found.paths).map_err(|error| match error {
            SearchError::NoDistances { .. } => HierarchyError::Damaged,
            SearchError::NoMemory(refused) => refused.into(),
            SearchError::Interrupted(interrupted) => interrupted.into(),
            _ => too_far::<W::Distance>(source, target),
        })
    }
}

/// The distances to one target.
struct ToTarget<'m, K> {
    hierarchy: &'m Hierarchy,
    arcs: &'m Arcs<K>,
    /// By depth, the ancestors of the target, or [`ROOT`],
    ancestors: Vec<u32>,
    /// and how far it is from these by the way down alone.
    down: Vec<[K; 1]>,
    /// By depth, the ancestors of the rank asked about last, and how far the target is from them.
    path: Vec<(u32, K)>,
    /// By rank, what has been found, where that is so.
    keys: Vec<K>,
    is_found: Vec<bool>,
}

impl<'m, K: Key> ToTarget<'m, K> {
    fn bytes_of(_: &Arcs<K>, n_vertices: usize) -> usize {
        n_vertices * (size_of::<K>() + size_of::<bool>())
    }

    fn new(hierarchy: &'m Hierarchy, arcs: &'m Arcs<K>, target: u32) -> Self {
        let (n, height) = (hierarchy.n_vertices(), hierarchy.height());
        let (mut ancestors, mut down) = (vec![ROOT; height], vec![[K::UNREACHED]; height]);
        arcs.climb(hierarchy, target, DOWN, &mut down, 0, |depth, rank| ancestors[depth] = rank);
        // zeros, which take no time until they are written
        let (keys, is_found) = (vec![K::ZERO; n], vec![false; n]);
        Self { hierarchy, arcs, ancestors, down, path: Vec::new(), keys, is_found }
    }

    /// The length of the way from a rank; none where there is none.
    fn length(&mut self, rank: u32) -> Option<K> {
        Some(self.key(rank)).filter(|&key| key < K::UNREACHED)
    }

    /// How far the target is from a rank.
    fn key(&mut self, rank: u32) -> K {
        if self.is_found[rank as usize] {
            return self.keys[rank as usize];
        }
        let hierarchy = self.hierarchy;
        let is_last = |rank: &u32| {
            let depth = usize::from(hierarchy.depths[*rank as usize]);
            self.path.get(depth).is_some_and(|&(other, _)| other == *rank)
        };
        let missing: Vec<u32> = hierarchy.way_up(rank).take_while(|rank| !is_last(rank)).collect();
        let depth = usize::from(hierarchy.depths[rank as usize]);
        self.path.truncate(depth + 1 - missing.len());
        for &rank in missing.iter().rev() {
            if !self.is_found[rank as usize] {
                let depth = self.path.len();
                let is_above = self.ancestors[depth] == rank;
                let down = if is_above { self.down[depth][0] } else { K::UNREACHED };
                let of_depth = |depth| self.path[usize::from(depth)].1;
                self.keys[rank as usize] = self.arcs.least(hierarchy, rank, UP, down, of_depth);
                self.is_found[rank as usize] = true;
            }
            self.path.push((rank, self.keys[rank as usize]));
        }
        self.keys[rank as usize]
    }
}
