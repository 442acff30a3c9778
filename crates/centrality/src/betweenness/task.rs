//! What is searched, from where, and how the scores that searches find become those of the graph.
//!
//! A graph is changed in steps before it is searched: arcs are reversed where paths end at the
//! sources; an undirected graph is [cut down to its core](super::trees); vertices are renumbered.
//! Scores go back through the same steps.

use graph_formats::permute::Relabelling;
use graph_formats::{Csr, Direction, GraphError, VertexId, Weight, ensure_granted};

use super::trees::{Standing, Trees};
use super::{Betweenness, Scored};
use crate::sample::draw;
use crate::{CentralityError, Config, Side};

/// Bytes for each arc to bring scores of arcs into the order of the graph.
const BYTES_TO_RESTORE: usize = 64;

/// A graph to search, its sources, and the steps back.
pub(super) struct Task<'g, W: Weight> {
    graph: &'g Csr<W>,
    pub(super) scored: Scored,
    transposed: Option<Csr<W>>,
    core: Option<(Trees, Vec<VertexId>)>,
    relabelling: Option<Relabelling>,
    /// The graph that is searched.
    pub(super) searched: Csr<W>,
    /// Its vertices from which paths lead on, and that stand for sources.
    pub(super) sources: Vec<VertexId>,
    pub(super) standing: Standing,
    /// The number of sources requested.
    n_sources: usize,
}

impl<'g, W: Weight> Task<'g, W> {
    /// The task that `config` sets. Trees are cut off if there are at least `min_sources_to_cut`
    /// sources.
    pub(super) fn new(
        graph: &'g Csr<W>,
        scored: Scored,
        config: &Config,
        min_sources_to_cut: usize,
    ) -> Result<Self, CentralityError> {
        let n = graph.n_vertices();
        let drawn = draw(n, &config.sources)?;
        let n_sources = drawn.as_ref().map_or(n, Vec::len);
        // paths through a vertex of an undirected graph are the same both ways, along an arc not
        let is_directed = graph.direction() == Direction::Directed || scored == Scored::Arcs;
        let is_transposed = drawn.is_some() && config.side == Side::In && is_directed;
        ensure_granted(usize::from(is_transposed) * graph.bytes())?;
        if scored == Scored::Arcs {
            ensure_granted(BYTES_TO_RESTORE * graph.n_arcs())?;
        }
        let transposed = is_transposed.then(|| graph.transposed());
        let mut searched = transposed.as_ref().unwrap_or(graph).clone();
        let mut sources = drawn.unwrap_or_else(|| graph.vertices().collect());
        let mut standing = Standing::alone(n, &sources);
        let mut core = None;
        if graph.direction() == Direction::Undirected
            && sources.len() >= min_sources_to_cut
            && let Some(trees) = Trees::of(&searched, &sources)?
        {
            let members;
            (members, standing) = trees.core();
            searched = searched.induced(&members)?;
            let stands = |&v: &VertexId| standing.sources[v as usize] > 0.0;
            sources = searched.vertices().filter(stands).collect();
            core = Some((trees, members));
        }
        // no path begins at others
        sources.retain(|&source| searched.out_degree(source) > 0);
        Ok(Self {
            graph,
            scored,
            transposed,
            core,
            relabelling: None,
            searched,
            sources,
            standing,
            n_sources,
        })
    }

    /// Renumbers the vertices.
    pub(super) fn relabel(&mut self, to: Relabelling) -> Result<(), GraphError> {
        self.searched = to.apply(&self.searched)?;
        self.sources.iter_mut().for_each(|source| *source = to.new_ids()[*source as usize]);
        let Standing { sources, targets } = &mut self.standing;
        for counts in [sources, targets] {
            *counts = to.permute(counts)?;
        }
        self.relabelling = Some(to);
        Ok(())
    }

    /// The number of scores of the graph that is searched.
    pub(super) fn n_scores(&self) -> usize {
        match self.scored {
            Scored::Vertices => self.searched.n_vertices(),
            Scored::Arcs => self.searched.n_arcs(),
        }
    }

    /// The betweenness that these scores of the graph that is searched make.
    pub(super) fn finish(&self, scores: Vec<f64>) -> Result<Betweenness, GraphError> {
        let scores = match self.scored {
            Scored::Vertices => self.of_vertices(scores)?,
            Scored::Arcs => self.of_arcs(scores)?,
        };
        let (scored, n_vertices, n_sources) =
            (self.scored, self.graph.n_vertices(), self.n_sources);
        Ok(Betweenness { scored, sums: scores, n_vertices, n_sources })
    }

    fn of_vertices(&self, mut scores: Vec<f64>) -> Result<Vec<f64>, GraphError> {
        if let Some(to) = &self.relabelling {
            scores = to.restore(&scores)?;
        }
        let Some((trees, members)) = &self.core else { return Ok(scores) };
        let mut all = vec![0.0; self.graph.n_vertices()];
        members.iter().zip(scores).for_each(|(&member, score)| all[member as usize] = score);
        trees.add_to_vertices(self.graph, &mut all);
        Ok(all)
    }

    fn of_arcs(&self, mut scores: Vec<f64>) -> Result<Vec<f64>, GraphError> {
        let before_core = self.transposed.as_ref().unwrap_or(self.graph);
        if self.core.is_some() || self.relabelling.is_some() {
            let mut numbered = numbered(before_core)?;
            if let Some((_, members)) = &self.core {
                numbered = numbered.induced(members)?;
            }
            if let Some(to) = &self.relabelling {
                numbered = to.apply(&numbered)?;
            }
            scores = restored(&numbered, scores, before_core.n_arcs());
        }
        if let Some((trees, _)) = &self.core {
            trees.add_to_arcs(before_core, &mut scores);
        }
        if self.transposed.is_some() {
            scores = restored(&numbered(self.graph)?.transposed(), scores, self.graph.n_arcs());
        }
        Ok(scores)
    }
}

/// The same arcs with their positions as weights, which go with them.
fn numbered<W: Weight>(graph: &Csr<W>) -> Result<Csr<u64>, GraphError> {
    graph.with_other_weights((0..graph.n_arcs() as u64).collect::<Vec<_>>())
}

/// The scores of the arcs of `numbered` at the positions that these have as weights.
fn restored(numbered: &Csr<u64>, scores: Vec<f64>, n_arcs: usize) -> Vec<f64> {
    let mut restored = vec![0.0; n_arcs];
    for (&arc, score) in numbered.weights().iter().zip(scores) {
        restored[arc as usize] = score;
    }
    restored
}
