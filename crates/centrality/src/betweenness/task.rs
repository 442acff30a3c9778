//! What is searched, from where, and how the scores that searches find become those of the graph.
//!
//! Arcs are reversed where paths end at the sources. From many sources, an undirected graph is [cut
//! down to its core](super::trees), and the vertices that remain get other numbers. Scores go back
//! the same way.

use graph_formats::permute::Relabelling;
use graph_formats::{Csr, Direction, GraphError, VertexId, Weight, ensure_granted};

use super::trees::{Standing, Trees};
use super::{Betweenness, Scored};
use crate::sample::draw;
use crate::{CentralityError, Config, Side};

/// For each source as many vertices, at most: then it pays to cut trees off. Of fewer sources, those
/// in trees have nearly as many others to stand for them.
const VERTICES_PER_SOURCE: usize = 16;
/// The estimated depth up to which levels are few.
pub(super) const FLAT_DEPTH: f64 = 96.0;
/// Bytes for each arc to bring scores of arcs into the order of the graph.
const BYTES_TO_RESTORE: usize = 64;

/// The order of the vertices of the graph that is searched.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Order {
    AsGiven,
    /// Those with many arcs lie side by side, which most searches read.
    ByDegree,
    /// Neighbours lie side by side.
    BreadthFirst,
}

impl Order {
    /// One by which what is read together lies side by side.
    pub(super) fn of_depth(depth: f64) -> Self {
        if depth <= FLAT_DEPTH { Self::ByDegree } else { Self::BreadthFirst }
    }
}

/// A graph to search, its sources, and the steps back.
pub(super) struct Task<'g, W: Weight> {
    graph: &'g Csr<W>,
    pub(super) scored: Scored,
    transposed: Option<Csr<W>>,
    trees: Option<Trees>,
    /// The vertices of the graph that is searched, in their order, where they are not all.
    members: Option<Vec<VertexId>>,
    /// The graph that is searched.
    pub(super) searched: Csr<W>,
    /// Its vertices from which paths lead on, and that stand for sources.
    pub(super) sources: Vec<VertexId>,
    pub(super) standing: Standing,
    /// The sources requested, if not all vertices.
    drawn: Option<Vec<VertexId>>,
}

impl<'g, W: Weight> Task<'g, W> {
    /// The task that `config` sets.
    pub(super) fn new(
        graph: &'g Csr<W>,
        scored: Scored,
        config: &Config,
    ) -> Result<Self, CentralityError> {
        let n = graph.n_vertices();
        let drawn = draw(n, &config.sources)?;
        // paths through a vertex of an undirected graph are the same both ways, along an arc not
        let is_directed = graph.direction() == Direction::Directed || scored == Scored::Arcs;
        let is_transposed = drawn.is_some() && config.side == Side::In && is_directed;
        ensure_granted(usize::from(is_transposed) * graph.bytes())?;
        if scored == Scored::Arcs {
            ensure_granted(BYTES_TO_RESTORE * graph.n_arcs())?;
        }
        let transposed = is_transposed.then(|| graph.transposed());
        let searched = transposed.as_ref().unwrap_or(graph).clone();
        let mut sources = drawn.clone().unwrap_or_else(|| graph.vertices().collect());
        let standing = Standing::alone(n, &sources);
        // no path begins at others
        sources.retain(|&source| searched.out_degree(source) > 0);
        let (trees, members) = (None, None);
        Ok(Self { graph, scored, transposed, trees, members, searched, sources, standing, drawn })
    }

    /// Leaves out the trees of an undirected graph, if sources are many, and vertices without arcs;
    /// the others are put in this order.
    pub(super) fn reduce(&mut self, order: Order) -> Result<(), CentralityError> {
        let graph = &self.searched;
        let Some(&first) = self.sources.first() else { return Ok(()) };
        let is_undirected = graph.direction() == Direction::Undirected;
        let cuts = is_undirected && self.sources.len() * VERTICES_PER_SOURCE >= graph.n_vertices();
        self.trees = if cuts { Trees::of(graph, &self.sources)? } else { None };
        if self.trees.is_none() && order == Order::AsGiven {
            return Ok(());
        }
        let mut members = match order {
            Order::AsGiven => graph.vertices().collect(),
            Order::ByDegree => Relabelling::by_descending_degree(graph).into_old_ids(),
            Order::BreadthFirst => Relabelling::breadth_first(graph, first)?.into_old_ids(),
        };
        let trees = self.trees.as_ref();
        members.retain(|&v| {
            trees.is_none_or(|trees| trees.is_left(v))
                && (!is_undirected || graph.out_degree(v) > 0)
        });
        self.standing = trees.map_or(&self.standing, Trees::standing).of(&members);
        self.searched = graph.induced(&members)?;
        let stands = |&v: &VertexId| self.standing.sources[v as usize] > 0.0;
        let leads_on = |&v: &VertexId| self.searched.out_degree(v) > 0;
        self.sources = self.searched.vertices().filter(stands).filter(leads_on).collect();
        self.members = Some(members);
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
            Scored::Vertices => self.of_vertices(scores),
            Scored::Arcs => self.of_arcs(scores)?,
        };
        Ok(Betweenness {
            scored: self.scored,
            sums: scores,
            n_vertices: self.graph.n_vertices(),
            sources: self.drawn.clone(),
            is_undirected: self.graph.direction() == Direction::Undirected,
            endpoints: false,
        })
    }

    fn of_vertices(&self, scores: Vec<f64>) -> Vec<f64> {
        let Some(members) = &self.members else { return scores };
        let mut all = vec![0.0; self.graph.n_vertices()];
        members.iter().zip(scores).for_each(|(&member, score)| all[member as usize] = score);
        if let Some(trees) = &self.trees {
            trees.add_to_vertices(self.graph, &mut all);
        }
        all
    }

    fn of_arcs(&self, mut scores: Vec<f64>) -> Result<Vec<f64>, GraphError> {
        let before = self.transposed.as_ref().unwrap_or(self.graph);
        if let Some(members) = &self.members {
            scores = restored(&numbered(before)?.induced(members)?, scores, before.n_arcs());
        }
        if let Some(trees) = &self.trees {
            trees.add_to_arcs(before, &mut scores);
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
