//! The horizon of Δ-stepping on dense undirected graphs.
//!
//! In such a graph nearly every arc leads nowhere: when it is followed, its end has a
//! lesser distance already, or will have. To find that out costs a look at the label at
//! its end, which lies anywhere in memory. So a search puts the long arcs off. It sets a
//! horizon a window ahead, follows the arcs that lead below it, which it has in a place
//! of their own ([`ShortArcs`]), and is done with all distances below it when the buckets before it are
//! empty. Then the arcs put off are made up for, in the cheaper of two ways:
//!
//! * push: the vertices looked at since the last horizon follow theirs, or
//! * pull: every vertex beyond the horizon takes the least of its neighbours' distances
//!   plus the arc between, and is queued only if it has a neighbour beyond, too.
//!
//! On R-MAT graphs the bulk of the arcs belongs to vertices whose distances lie close
//! together. Behind them only the poor are left, and one pull over their few arcs
//! replaces the pushes over all: five arcs of six are never followed.
//!
//! Chakaravarthy et al. put off long arcs and choose between push and pull in this way
//! for the buckets of Δ-stepping proper; here the window spans many buckets.
//!
//! Reference: chakaravarthy-2014

use std::sync::atomic::Ordering::Relaxed;

use graph_formats::{Csr, Direction, DistanceKey, VertexId, Weight};
use rayon::prelude::*;

use super::short::ShortArcs;
use super::worker::Entry;
use super::{DeltaStepping, Stage};
use crate::host::prefetch::prefetch;
use crate::key::Lengths;

/// Vertices that a thread pulls for in one go.
const VERTICES_A_TASK: usize = 1024;
/// How many vertices ahead a pull asks for arcs, and then for the labels at their ends,
const ARCS_AHEAD: usize = 16;
const LABELS_AHEAD: usize = 8;
/// of which it asks for so many.
const MOST_LABELS: usize = 16;
/// Arcs a vertex, on average over those that have any, below which there is no horizon:
/// where they are few, most must be followed anyway. Random graphs of 16 take twice as long
/// with a horizon as without, those of 32 three quarters.
const LEAST_DEGREE: usize = 20;
/// Pushes after which a search does without a horizon. Each reads its arcs twice, and
/// pays only if a pull comes of it; where distances spread evenly, as between points of
/// the plane, none ever does.
pub(super) const MOST_PUSHES: usize = 8;
/// The window in parts of the largest weight.
const WINDOWS_A_WEIGHT: f64 = 6.0;

/// What a search with a horizon needs to know of its graph.
pub(crate) struct Window<W> {
    /// How far ahead the horizon lies.
    pub(super) ahead: W,
    /// The arcs that are shorter than that: no others can end before it.
    pub(super) short: ShortArcs<W>,
}

/// Whether `graph` is one of those where a horizon may pay. O(n).
pub(crate) fn is_dense<W: Weight>(graph: &Csr<W>) -> bool {
    let n_linked = || graph.row_offsets().par_windows(2).filter(|row| row[0] < row[1]).count();
    graph.direction() == Direction::Undirected && graph.n_arcs() >= LEAST_DEGREE * n_linked()
}

/// How far ahead the horizon of searches on `graph` should lie; `None` for no horizon. O(n).
pub(crate) fn distance_ahead<W: Weight>(graph: &Csr<W>, max_weight: W) -> Option<W> {
    if !is_dense(graph) {
        return None;
    }
    let window = max_weight.to_f64() / WINDOWS_A_WEIGHT;
    // whole weights have none in between
    let window = W::from_f64(window).or_else(|| W::from_f64(window.ceil()))?;
    (W::ZERO < window && window < max_weight).then_some(window)
}

/// The window of searches on `graph`; `None` for no horizon. O(n + m).
pub(crate) fn window<W: Weight>(graph: &Csr<W>, max_weight: W) -> Option<Window<W>> {
    let ahead = distance_ahead(graph, max_weight)?;
    let short = ShortArcs::new(graph, ahead);
    puts_off_enough(short.n_arcs(), graph.n_arcs()).then_some(Window { ahead, short })
}

/// Whether a window leaves so many arcs beyond it that a horizon pays: where a few weights are
/// many times as great as the others, nearly all arcs are short.
pub(crate) fn puts_off_enough(n_short: usize, n_arcs: usize) -> bool {
    2 * n_short <= n_arcs
}

/// A bit for every vertex from which a path can go on: one that has an arc, and in an
/// undirected graph another than the one it was reached by. O(n).
pub(super) fn onward_vertices<W: Weight>(graph: &Csr<W>) -> Vec<u64> {
    let least = match graph.direction() {
        Direction::Directed => 1,
        Direction::Undirected => 2,
    };
    let rows = graph.row_offsets();
    (0..graph.n_vertices().div_ceil(64))
        .into_par_iter()
        .map(|word| {
            let first = word * 64;
            let last = (first + 64).min(graph.n_vertices());
            (first..last)
                .fold(0, |bits, v| bits | u64::from(rows[v + 1] - rows[v] >= least) << (v - first))
        })
        .collect()
}

/// What was done about the arcs put off.
pub(super) enum PutOff {
    /// There were none.
    Nothing,
    /// The vertices they start from followed them.
    Pushed,
    /// The vertices beyond the horizon looked back along theirs.
    Pulled,
}

impl<W: Weight, L: Lengths<W>> DeltaStepping<'_, W, L> {
    /// Makes up for the arcs put off at this horizon, in step with the team.
    pub(super) fn follow_put_off(&self, stage: &mut Stage<'_, L::Key>) -> PutOff {
        let visited = std::mem::take(&mut stage.worker.visited);
        let degree = |entry: &Entry<L::Key>| self.graph.out_degree(entry.vertex) as u64;
        let arcs_since = visited.iter().map(degree).sum::<u64>();
        stage.worker.arcs += arcs_since;
        let board = &self.boards[0];
        let post = &board.posts[stage.index];
        post.arcs_since.store(arcs_since, Relaxed);
        post.arcs.store(stage.worker.arcs, Relaxed);
        stage.meet();
        let push = board.sum(|post| &post.arcs_since);
        let pull = (self.graph.n_arcs() as u64).saturating_sub(board.sum(|post| &post.arcs));
        if push > pull {
            self.pull(stage);
        } else {
            self.push(stage, &visited);
        }
        stage.worker.visited = visited;
        stage.worker.visited.clear();
        // the posts will be written again
        stage.meet();
        match push {
            0 => PutOff::Nothing,
            _ if push > pull => PutOff::Pulled,
            _ => PutOff::Pushed,
        }
    }

    /// The vertices visited since the last horizon follow the arcs they put off.
    fn push(&self, stage: &mut Stage<'_, L::Key>, visited: &[Entry<L::Key>]) {
        let horizon = stage.horizon;
        for entry in visited {
            if L::Key::load(&self.labels[entry.vertex as usize]) == entry.key {
                let cap = stage.search.cap(&self.labels);
                let arcs = self.graph.arcs_from(entry.vertex);
                self.follow(stage, entry.key, arcs, cap, |key| key >= horizon);
            }
        }
    }

    /// The vertices beyond the horizon fetch their labels, a share for each thread.
    fn pull(&self, stage: &mut Stage<'_, L::Key>) {
        stage.worker.buckets.clear();
        let n = self.labels.len();
        let mut beyond = [0; VERTICES_A_TASK];
        for task in (stage.index..n.div_ceil(VERTICES_A_TASK)).step_by(stage.team) {
            let first = task * VERTICES_A_TASK;
            let mut n_beyond = 0;
            for vertex in first..(first + VERTICES_A_TASK).min(n) {
                beyond[n_beyond] = vertex as VertexId;
                n_beyond += usize::from(L::Key::load(&self.labels[vertex]) >= stage.horizon);
            }
            let beyond = &beyond[..n_beyond];
            for (at, &vertex) in beyond.iter().enumerate() {
                if let Some(&later) = beyond.get(at + ARCS_AHEAD) {
                    let row = self.graph.row(later);
                    prefetch(self.graph.column_indices(), row.start);
                    prefetch(self.graph.weights(), row.start);
                }
                if let Some(&later) = beyond.get(at + LABELS_AHEAD) {
                    let row = self.graph.row(later);
                    for &end in self.graph.column_indices()[row].iter().take(MOST_LABELS) {
                        prefetch(&self.labels, end as usize);
                    }
                }
                self.fetch(stage, vertex);
            }
        }
    }

    /// Gives `vertex` the best label that its neighbours before the horizon offer, and
    /// queues it if it can help one beyond.
    fn fetch(&self, stage: &mut Stage<'_, L::Key>, vertex: VertexId) {
        let label = &self.labels[vertex as usize];
        let before = L::Key::load(label);
        let mut best = before;
        let mut helps = false;
        for (neighbour, weight) in self.graph.arcs_from(vertex) {
            let key = L::Key::load(&self.labels[neighbour as usize]);
            if key < stage.horizon {
                best = best.min(L::after(key, weight));
            } else {
                helps |= neighbour != vertex;
            }
        }
        stage.worker.work.relaxations += self.graph.out_degree(vertex) as u64;
        if best < before {
            L::Key::store(label, best);
            stage.worker.work.improvements += 1;
            stage.worker.labelled += u64::from(before == L::Key::GREATEST);
        }
        if helps && best < L::Key::GREATEST {
            let bucket = self.bucket(best);
            stage.worker.buckets.push(bucket, Entry { key: best, vertex });
        }
    }
}
