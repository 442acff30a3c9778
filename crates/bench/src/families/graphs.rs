//! Graphs by name, so that one can make them again: what is measured elsewhere, and simple
//! shapes that solvers were not tuned on.
//! Weights are drawn for each pair of vertices, the same both ways.

use anyhow::{Context, Result, ensure};
use graph_formats::generate::{GraphOptions, UniformConfig, uniform};
use graph_formats::{Csr, Direction, VertexId, Weight};

use crate::draws::Draws;
use crate::workloads::Workload;

/// What all generators have where nothing is said.
pub(super) const SEED: u64 = 1;

/// Which vertices are joined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    /// What the other studies measure too.
    Workload(Workload),
    /// Edges between vertices drawn evenly.
    Uniform { n: u32, degree: u32 },
    /// Every pair.
    Complete { n: u32 },
    /// The last vertex with all others.
    Star { n: u32 },
    /// Vertices in a row.
    Path { n: u32 },
    /// A complete binary tree from vertex 0.
    Tree { n: u32 },
    /// A path through a quarter of the vertices, three leaves at each.
    Caterpillar { n: u32 },
    /// A ring with a random chord for every fourth vertex.
    SmallWorld { n: u32 },
    /// A square grid without borders, with both diagonals.
    Torus { side: u32 },
    /// Two rows side by side, the even numbers and the odd ones, with a rung at each pair.
    Ladder { n: u32 },
    /// Vertices whose numbers differ in one bit.
    Hypercube { dimension: u32 },
    /// Each vertex with ends of earlier edges, drawn evenly, so that who has many gets more:
    /// degrees have a heavy tail.
    Attachment { n: u32, edges: u32 },
    /// Each vertex of the first half with so many of the second one, drawn evenly.
    Bipartite { n: u32, degree: u32 },
    /// Directed and without cycles: about √n layers, four arcs from each vertex to the next
    /// layer, and from vertex 0 to all of the first one.
    Layered { n: u32 },
}

/// What arcs weigh.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Weights {
    /// 1 … 255, or what the file has; lengths in geometric graphs.
    Own,
    /// 1 … the number, evenly.
    To(u32),
    /// From 1 up to 2^20, half of them 1 or 2: 2 / u - 1 for u drawn evenly from 0 to 1.
    Heavy,
    /// Three quarters nothing, the others 1 … 255.
    Zeros,
    /// The squares of its own, up to the greatest number of 32 bits.
    Squared,
    /// From 0 to 1, in f32.
    Reals,
    /// 1 … 255 and the difference of two potentials up to 255, in i32: many are negative, no
    /// cycle is.
    Negative,
}

/// A graph that can be made again by its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Named {
    pub(crate) shape: Shape,
    pub(crate) weights: Weights,
    pub(crate) seed: u64,
}

/// The graph in the numbers that it has.
pub(crate) enum Made {
    U32(Csr<u32>),
    I32(Csr<i32>),
    F32(Csr<f32>),
}

impl Named {
    /// With its own weights and the seed that all generators have.
    pub(crate) fn of(workload: Workload) -> Self {
        Self { shape: Shape::Workload(workload), weights: Weights::Own, seed: SEED }
    }

    /// Makes the graph, or reads it.
    pub(crate) fn make(&self) -> Result<Made> {
        let graph = self.u32s().with_context(|| format!("cannot make {self}"))?;
        ensure!(graph.n_arcs() > 0, "{self} has no arcs: nothing to measure");
        let seed = self.seed;
        Ok(match self.weights {
            Weights::Own => Made::U32(graph),
            Weights::To(greatest) => {
                let greatest = greatest as usize;
                let weigh = |mut draws: Draws, _| 1 + draws.below(greatest) as u32;
                Made::U32(weighed(graph, seed, weigh)?)
            }
            Weights::Heavy => {
                let most = f64::from(1 << 20);
                let weigh = |mut draws: Draws, _| (2.0 / draws.fraction()).min(most) as u32 - 1;
                Made::U32(weighed(graph, seed, weigh)?)
            }
            Weights::Zeros => {
                let weigh = |mut draws: Draws, _| match draws.below(4) {
                    0 => 1 + draws.below(255) as u32,
                    _ => 0,
                };
                Made::U32(weighed(graph, seed, weigh)?)
            }
            Weights::Squared => {
                Made::U32(weighed(graph, seed, |_, own: u32| own.saturating_mul(own))?)
            }
            Weights::Reals => {
                Made::F32(weighed(graph, seed, |mut draws: Draws, _| draws.fraction() as f32)?)
            }
            Weights::Negative => Made::I32(with_potentials(&graph, seed)?),
        })
    }

    fn u32s(&self) -> Result<Csr<u32>> {
        let options = GraphOptions { seed: self.seed, ..Default::default() };
        let mut draws = Draws::new(self.seed);
        let edges: Vec<(VertexId, VertexId)> = match self.shape {
            Shape::Workload(workload) => return workload.load_with(options),
            Shape::Uniform { n, degree } => {
                let n_edges = u64::from(n) * u64::from(degree) / 2;
                return Ok(uniform(&UniformConfig { n_vertices: n as usize, n_edges, options })?);
            }
            Shape::Complete { n } => (0..n).flat_map(|u| (0..u).map(move |v| (v, u))).collect(),
            Shape::Star { n } => (0..n - 1).map(|leaf| (leaf, n - 1)).collect(),
            Shape::Path { n } => (1..n).map(|v| (v - 1, v)).collect(),
            Shape::Tree { n } => (1..n).map(|v| ((v - 1) / 2, v)).collect(),
            Shape::Caterpillar { n } => {
                let spine = n.div_ceil(4);
                (1..n).map(|v| (if v < spine { v - 1 } else { v % spine }, v)).collect()
            }
            Shape::SmallWorld { n } => {
                let ring = (0..n).map(|v| (v, (v + 1) % n));
                let chords = (0..n / 4).map(|_| draws.pair(n)).collect::<Vec<_>>();
                ring.chain(chords).filter(|(u, v)| u != v).collect()
            }
            Shape::Torus { side } => torus(side),
            Shape::Ladder { n } => {
                let rails = (2..n).map(|v| (v - 2, v));
                rails.chain((1..n).step_by(2).map(|v| (v - 1, v))).collect()
            }
            Shape::Hypercube { dimension } => (0..1 << dimension)
                .flat_map(|v: u32| (0..dimension).map(move |bit| (v, v | 1 << bit)))
                .filter(|(u, v)| u != v)
                .collect(),
            Shape::Attachment { n, edges } => attachment(n, edges, &mut draws),
            Shape::Bipartite { n, degree } => {
                let half = n / 2;
                let mut other = || half + draws.below((n - half) as usize) as VertexId;
                (0..half).flat_map(|v| vec![v; degree as usize]).map(|v| (v, other())).collect()
            }
            Shape::Layered { n } => return layered(n, self.seed),
        };
        let n = self.shape.n_vertices();
        let edges: Vec<_> = edges
            .into_iter()
            .map(|(u, v)| (u, v, 1 + draws_of(self.seed, u, v).below(255) as u32))
            .collect();
        Ok(Csr::from_edges(n as usize, &edges)?)
    }
}

impl Draws {
    fn pair(&mut self, n: u32) -> (VertexId, VertexId) {
        (self.below(n as usize) as VertexId, self.below(n as usize) as VertexId)
    }
}

/// Each vertex with the next one in its row, in its column, and on both diagonals.
fn torus(side: u32) -> Vec<(VertexId, VertexId)> {
    let at = |row: u32, column: u32| row % side * side + column % side;
    let from = |row: u32, column: u32| {
        let ends = [(0, 1), (1, 0), (1, 1), (1, side - 1)];
        ends.map(|(down, right)| (at(row, column), at(row + down, column + right)))
    };
    (0..side).flat_map(|row| (0..side).flat_map(move |column| from(row, column))).collect()
}

/// Vertices 0 and 1 are joined first.
fn attachment(n: u32, edges: u32, draws: &mut Draws) -> Vec<(VertexId, VertexId)> {
    let mut joined = vec![(0, 1)];
    for v in 2..n {
        let earlier = joined.len();
        for _ in 0..edges {
            let end = draws.below(2 * earlier);
            let (first, second) = joined[end / 2];
            joined.push((if end.is_multiple_of(2) { first } else { second }, v));
        }
    }
    joined
}

fn layered(n: u32, seed: u64) -> Result<Csr<u32>> {
    let width = f64::from(n).sqrt() as u32;
    let mut draws = Draws::new(seed);
    let mut arcs: Vec<_> = (1..=width.min(n - 1)).map(|v| (0, v)).collect();
    for from in 1..n {
        // layers are 1 … width, width + 1 … 2 width, and so on; the last one may be short
        let next = (from - 1) / width * width + width + 1;
        let room = n.saturating_sub(next).min(width) as usize;
        if room > 0 {
            arcs.extend((0..4).map(|_| (from, next + draws.below(room) as VertexId)));
        }
    }
    let weigh = |&(u, v): &(u32, u32)| (u, v, 1 + draws_of(seed, u, v).below(255) as u32);
    Ok(Csr::from_arcs(n as usize, &arcs.iter().map(weigh).collect::<Vec<_>>())?)
}

/// Random numbers for a pair of vertices, the same both ways.
fn draws_of(seed: u64, u: VertexId, v: VertexId) -> Draws {
    let pair = u64::from(u.min(v)) << 32 | u64::from(u.max(v));
    let first = Draws::new(pair).word();
    Draws::new(first ^ seed)
}

/// The same graph with other weights: from the random numbers of the pair and the weight
/// that the arc has.
fn weighed<V: Weight, W: Weight>(
    graph: Csr<V>,
    seed: u64,
    weigh: impl Fn(Draws, V) -> W,
) -> Result<Csr<W>> {
    let weights: Vec<W> =
        graph.arcs().map(|(u, v, own)| weigh(draws_of(seed, u, v), own)).collect();
    let direction = graph.direction();
    let made = Csr::new(graph.row_offsets().to_vec(), graph.column_indices().to_vec(), weights)?;
    Ok(match direction {
        Direction::Undirected => made.into_undirected()?,
        Direction::Directed => made,
    })
}

/// Arcs changed by the potentials of their ends, which changes no cycle.
fn with_potentials(graph: &Csr<u32>, seed: u64) -> Result<Csr<i32>> {
    let potential = |v: VertexId| draws_of(seed, v, v).below(256) as i32;
    let weights = graph.arcs().map(|(u, v, own)| {
        let own = i32::try_from(own).context("weights beyond 2^31 cannot be made negative")?;
        own.checked_add(potential(v) - potential(u)).context("a weight overflows")
    });
    let weights = weights.collect::<Result<Vec<i32>>>()?;
    Ok(Csr::new(graph.row_offsets().to_vec(), graph.column_indices().to_vec(), weights)?)
}

impl Shape {
    /// What graphs of other sizes belong to.
    pub(crate) fn family(self) -> &'static str {
        match self {
            Self::Workload(Workload::Rmat { .. }) => "rmat",
            Self::Workload(Workload::Grid { .. }) => "grid",
            Self::Workload(Workload::Geometric { .. }) => "geometric",
            Self::Workload(_) => "road",
            Self::Uniform { .. } => "uniform",
            Self::Complete { .. } => "complete",
            Self::Star { .. } => "star",
            Self::Path { .. } => "path",
            Self::Tree { .. } => "tree",
            Self::Caterpillar { .. } => "caterpillar",
            Self::SmallWorld { .. } => "small-world",
            Self::Torus { .. } => "torus",
            Self::Ladder { .. } => "ladder",
            Self::Hypercube { .. } => "hypercube",
            Self::Attachment { .. } => "attachment",
            Self::Bipartite { .. } => "bipartite",
            Self::Layered { .. } => "layered",
        }
    }

    /// Of what is made here.
    fn n_vertices(self) -> u32 {
        match self {
            Self::Workload(_) => 0,
            Self::Uniform { n, .. }
            | Self::Complete { n }
            | Self::Star { n }
            | Self::Path { n }
            | Self::Tree { n }
            | Self::Caterpillar { n }
            | Self::SmallWorld { n }
            | Self::Ladder { n }
            | Self::Attachment { n, .. }
            | Self::Bipartite { n, .. }
            | Self::Layered { n } => n,
            Self::Hypercube { dimension } => 1 << dimension,
            Self::Torus { side } => side * side,
        }
    }

    /// About how many arcs, without making any: to leave out what is too large.
    pub(crate) fn about_arcs(self) -> u64 {
        let n = u64::from(self.n_vertices());
        match self {
            Self::Workload(Workload::Rmat { scale }) => 32 << scale,
            Self::Workload(Workload::Geometric { scale }) => 16 << scale,
            Self::Workload(Workload::Grid { side }) => 4 * u64::from(side).pow(2),
            Self::Workload(_) => 1 << 20,
            Self::Uniform { degree, .. } | Self::Bipartite { degree, .. } => n * u64::from(degree),
            Self::Hypercube { dimension } => n * u64::from(dimension),
            Self::Attachment { edges, .. } => 2 * n * u64::from(edges),
            Self::Ladder { .. } => 3 * n,
            Self::Complete { .. } => n * n,
            Self::Torus { .. } => 8 * n,
            Self::Layered { .. } => 4 * n,
            Self::SmallWorld { .. } => 5 * n / 2,
            Self::Star { .. }
            | Self::Path { .. }
            | Self::Tree { .. }
            | Self::Caterpillar { .. } => 2 * n,
        }
    }
}
