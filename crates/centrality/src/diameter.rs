//! The diameter alone, by bounds: a few searches where all pairs would take one from every vertex.
//!
//! Every search gives a lower bound of the diameter, the greatest distance found, and upper bounds
//! of eccentricities. A vertex within d of a vertex of eccentricity e, in the same component, has
//! an eccentricity of at most d + e. Vertices whose upper bound exceeds no distance found are
//! excluded; when all are, the diameter is found. Searches alternate between a vertex in the
//! middle, which bounds many others, and the one with the greatest bound. Where that excludes few,
//! as on a ring, whose vertices are all alike, 64 sources are searched at once.
//!
//! A component comes before the components that lead to it. A path that leaves its component does
//! so by an arc, and is no longer than this arc and the bound of its end. So directed graphs need
//! not be strongly connected.
//!
//! O(n + m) a search, of which there are tens on most graphs, and n at worst.
//!
//! Differences from the papers: the middle is the vertex whose greatest distance seen is least, not
//! the one with the least sum. Only distances out of vertices are bounded; the diameter is the
//! greatest of these. Bounds are floats, and have room for the rounding of sums. Distances are
//! compared in their own type, so that the diameter of whole numbers is exact.
//!
//! Reference: takes-kosters-2011, borassi-2015

use std::cmp::Reverse;
use std::num::NonZeroUsize;

use breadth_first::HopCounter;
use graph_formats::{
    Components, Csr, Direction, Distance, VertexId, Weight, WeightKind, ensure_granted, tell,
};
use paths::{Number, Progress};
use sssp::{Goal, SearchWeight, Solver, SsspError};

use crate::search::{MeasureKeys, held, unsigned};
use crate::{CentralityError, Lengths};

/// Searches that go on at once, a bit each.
const BATCH: usize = 64;
/// Bytes of a vertex: bounds, distances both ways, and lists of those that are left.
const BYTES_OF_VERTEX: usize = 64;
/// Vertices that a round has to exclude to be worth its searches.
const EXCLUDED_PER_ROUND: usize = 16;
/// Rounds in a row that were not, after which batches go before them.
const PATIENCE: usize = 2;

/// The diameter: the greatest distance of a pair that has a path.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Diameter {
    /// The diameter, as [`Number::U64`] for integer weights, or [`Number::F64`] for floats.
    pub value: Number,
    /// The first vertex of a shortest path of this length, which a search from it shows.
    pub from: VertexId,
    /// The last vertex of this path.
    pub to: VertexId,
    /// The number of searches.
    pub n_searches: usize,
}

pub(crate) fn find<W: MeasureKeys>(
    graph: &Csr<W>,
    lengths: Lengths,
    threads: Option<NonZeroUsize>,
    progress: Option<Progress<'_>>,
) -> Result<Option<Diameter>, CentralityError> {
    match lengths {
        Lengths::Hops => by_bounds(&graph.clone().unweighted::<u32>(), lengths, threads, progress),
        Lengths::Weights => {
            let found = by_bounds(&unsigned(graph)?, lengths, threads, progress)?;
            found.map(|found| held::<W>(found.value, found.to).map(|()| found)).transpose()
        }
    }
}

fn by_bounds<U: SearchWeight>(
    graph: &Csr<U>,
    lengths: Lengths,
    threads: Option<NonZeroUsize>,
    progress: Option<Progress<'_>>,
) -> Result<Option<Diameter>, CentralityError> {
    let is_directed = graph.direction() == Direction::Directed;
    let bytes_of_transposed = usize::from(is_directed) * graph.bytes();
    ensure_granted(BYTES_OF_VERTEX * graph.n_vertices() + bytes_of_transposed)?;
    let transposed = is_directed.then(|| graph.transposed());
    let config = sssp::Config { threads, ..sssp::Config::default() };
    let mut out = Search::new(graph, &config, lengths)?;
    let mut into = match &transposed {
        Some(graph) => Some(Search::new(graph, &config, lengths)?),
        None => None,
    };
    let mut bounds = Bounds::new(graph, lengths);
    // rounds in a row that excluded few
    let mut n_slow = 0;
    loop {
        let left = bounds.left();
        let total = graph.n_vertices() as u64;
        tell(progress, total - left.len() as u64, total)?;
        if left.is_empty() {
            break;
        }
        if n_slow >= PATIENCE && lengths == Lengths::Hops {
            bounds.search_batch(&mut out, left)?;
        }
        let n_left = bounds.left().len();
        if let Some(middle) = bounds.middle() {
            bounds.search_middle(&mut out, into.as_mut(), middle)?;
        }
        if let Some(farthest) = bounds.farthest() {
            bounds.search_farthest(&mut out, into.as_mut(), farthest)?;
        }
        let n_excluded = n_left - bounds.left().len();
        n_slow = if n_excluded < EXCLUDED_PER_ROUND { n_slow + 1 } else { 0 };
    }
    let Some((value, from, to)) = bounds.greatest else { return Ok(None) };
    let from = match from {
        Some(from) => from,
        None => farthest_of(&into.as_mut().unwrap_or(&mut out).distances(to)?).1,
    };
    let n_searches = out.n + into.map_or(0, |into| into.n);
    let value = match U::KIND.is_integer() {
        true => Number::of(value),
        false => Number::F64(value.to_f64()),
    };
    Ok(Some(Diameter { value, from, to, n_searches }))
}

/// No shortest path by hops has more arcs. By one search each way in the component that may have the
/// longest, and the sizes of the others.
pub(crate) fn bound_of_hops(
    graph: &Csr<u32>,
    threads: Option<NonZeroUsize>,
) -> Result<usize, CentralityError> {
    ensure_granted(BYTES_OF_VERTEX * graph.n_vertices() + graph.bytes())?;
    let transposed = graph.transposed();
    let config = sssp::Config { threads, ..sssp::Config::default() };
    let mut out = Search::new(graph, &config, Lengths::Hops)?;
    let mut into = Search::new(&transposed, &config, Lengths::Hops)?;
    let mut bounds = Bounds::new(graph, Lengths::Hops);
    if let Some(middle) = bounds.middle() {
        bounds.search_middle(&mut out, Some(&mut into), middle)?;
    }
    Ok(bounds.upper.into_iter().fold(0.0, f64::max) as usize)
}

/// Searches, counted.
struct Search<'g, W: Weight> {
    solver: Solver<'g, W>,
    counter: HopCounter,
    lengths: Lengths,
    n: usize,
}

impl<'g, W: SearchWeight> Search<'g, W> {
    fn new(graph: &'g Csr<W>, config: &sssp::Config, lengths: Lengths) -> Result<Self, SsspError> {
        let counter = HopCounter::new(graph, &[], config.threads);
        Ok(Self { solver: Solver::new(graph, config)?, counter, lengths, n: 0 })
    }

    /// How far each vertex is, [`Distance::UNREACHED`] where there is no path.
    fn distances(&mut self, source: VertexId) -> Result<Vec<W::Distance>, SsspError> {
        self.n += 1;
        if self.lengths == Lengths::Weights {
            return Ok(self.solver.distances(source, Goal::All)?.answer.into_storage());
        }
        let found = self.counter.sums(&[source], None)?;
        let reached = found.n_sources.iter().zip(&found.greatest);
        let distance = |(&n, &hops)| if n == 0 { Distance::UNREACHED } else { of_hops(hops) };
        Ok(reached.map(distance).collect())
    }
}

/// A number of arcs as a distance.
fn of_hops<D: Distance>(hops: u32) -> D {
    D::from_i128(hops.into()).expect("graphs are searched by hops as whole numbers")
}

/// Distances as floats, infinity where there is no path.
fn floats<D: Distance>(distances: &[D]) -> Vec<f64> {
    let float = |&d: &D| if d == D::UNREACHED { f64::INFINITY } else { d.to_f64() };
    distances.iter().map(float).collect()
}

/// The greatest distance of a row, and whose it is.
fn farthest_of<D: Distance>(distances: &[D]) -> (D, VertexId) {
    let reached = distances.iter().copied().zip(0..).filter(|&(d, _)| d != D::UNREACHED);
    reached.fold((D::ZERO, 0), |most, next| if next.0 > most.0 { next } else { most })
}

/// What is known of eccentricities, by the distances out of vertices.
struct Bounds<'g, W: Weight> {
    graph: &'g Csr<W>,
    lengths: Lengths,
    components: Components,
    /// What a sum of distances is multiplied by, so that it is a bound though all are rounded; 1
    /// where none is.
    slack: f64,
    /// No eccentricity is greater.
    upper: Vec<f64>,
    /// The greatest distance that was seen of each vertex of a component, infinity of those in the
    /// middle that were searched from.
    seen: Vec<f64>,
    /// The greatest distance, its source, if it is known, and its end.
    greatest: Option<(W::Distance, Option<VertexId>, VertexId)>,
}

impl<'g, W: SearchWeight> Bounds<'g, W> {
    fn new(graph: &'g Csr<W>, lengths: Lengths) -> Self {
        let n = graph.n_vertices();
        let mut bounds = Self {
            graph,
            lengths,
            components: Components::of(graph),
            slack: 1.0,
            upper: vec![f64::INFINITY; n],
            seen: vec![0.0; n],
            greatest: (n > 0).then_some((W::Distance::ZERO, Some(0), 0)),
        };
        // relative, of a sum of as many weights as a path may have, rounded one by one
        let rounding = match W::KIND {
            WeightKind::F32 => n as f64 * f64::from(f32::EPSILON),
            WeightKind::F64 => n as f64 * f64::EPSILON,
            _ if n as f64 * bounds.longest() < 1.0 / f64::EPSILON => 0.0,
            _ => 4.0 * f64::EPSILON,
        };
        if lengths == Lengths::Weights {
            bounds.slack = (1.0 + rounding) / (1.0 - rounding).max(f64::EPSILON);
        }
        bounds.pass_on();
        bounds
    }

    /// The length of an arc.
    fn length(&self, weight: W) -> f64 {
        if self.lengths == Lengths::Hops { 1.0 } else { weight.to_f64() }
    }

    /// The greatest length of an arc.
    fn longest(&self) -> f64 {
        self.length(self.graph.weight_summary().greatest)
    }

    /// Bounds each component by its size and by those that it leads to. O(n + m).
    fn pass_on(&mut self) {
        let (longest, components) = (self.longest(), &self.components);
        let is_directed = self.graph.direction() == Direction::Directed;
        for component in 0..components.n_components() {
            let members = components.members(component);
            let inside = if members.len() > 1 { (members.len() - 1) as f64 * longest } else { 0.0 };
            let mut beyond = 0f64;
            for &vertex in members.iter().filter(|_| is_directed) {
                for (to, weight) in self.graph.arcs_from(vertex) {
                    if components.component_of(to) != component {
                        beyond = beyond.max(self.length(weight) + self.upper[to as usize]);
                    }
                }
            }
            for &vertex in members {
                let upper = &mut self.upper[vertex as usize];
                *upper = upper.min((inside + beyond) * self.slack);
            }
        }
    }

    fn greatest(&self) -> W::Distance {
        self.greatest.map_or(W::Distance::ZERO, |(value, ..)| value)
    }

    /// Enters a distance, found by a search from its source.
    fn raise(&mut self, value: W::Distance, from: Option<VertexId>, to: VertexId) {
        if value > self.greatest() {
            self.greatest = Some((value, from, to));
        }
    }

    /// Enters the greatest of these, found by a search from its end `to`, unless it might be
    /// rounded in another way than from its source.
    fn raise_to(&mut self, to: VertexId, distances: &[W::Distance]) {
        let (value, from) = farthest_of(distances);
        if W::KIND.is_integer() {
            self.raise(value, Some(from), to);
        }
    }

    /// The vertices whose eccentricity may be greater than any that was found.
    fn left(&self) -> Vec<VertexId> {
        let greatest = self.greatest().to_f64();
        (0..).zip(&self.upper).filter(|(_, upper)| **upper > greatest).map(|(v, _)| v).collect()
    }

    /// Of these the one that may have the greatest, and of several the one seen farthest away.
    fn farthest(&self) -> Option<VertexId> {
        let left = self.left().into_iter();
        left.max_by(|&v, &u| {
            let rank = |v: VertexId| (self.upper[v as usize], self.finite_seen(v));
            rank(v).partial_cmp(&rank(u)).expect("no distance is NaN")
        })
    }

    fn finite_seen(&self, vertex: VertexId) -> f64 {
        Some(self.seen[vertex as usize]).filter(|seen| seen.is_finite()).unwrap_or(0.0)
    }

    /// The vertex in the middle of that one's component, unless it was searched from.
    fn middle(&self) -> Option<VertexId> {
        let component = self.components.component_of(self.farthest()?);
        let members = self.components.members(component);
        let rank = |v: VertexId| (self.seen[v as usize], Reverse(self.graph.out_degree(v)));
        let middle = members
            .iter()
            .copied()
            .min_by(|&v, &u| rank(v).partial_cmp(&rank(u)).expect("no distance is NaN"))?;
        (members.len() > 1 && self.seen[middle as usize].is_finite()).then_some(middle)
    }

    /// Searches both ways from a vertex, and bounds all of its component.
    fn search_middle(
        &mut self,
        out: &mut Search<'_, W>,
        into: Option<&mut Search<'_, W>>,
        middle: VertexId,
    ) -> Result<(), CentralityError> {
        let distances = out.distances(middle)?;
        let (eccentricity, to) = farthest_of(&distances);
        self.raise(eccentricity, Some(middle), to);
        let eccentricity = eccentricity.to_f64();
        match into {
            Some(into) => {
                let distances = into.distances(middle)?;
                self.raise_to(middle, &distances);
                self.bound(middle, &floats(&distances), eccentricity);
                self.pass_on();
            }
            None => self.bound(middle, &floats(&distances), eccentricity),
        }
        Ok(())
    }

    /// Searches from a vertex, and where arcs have a direction back from the farthest.
    fn search_farthest(
        &mut self,
        out: &mut Search<'_, W>,
        into: Option<&mut Search<'_, W>>,
        farthest: VertexId,
    ) -> Result<(), CentralityError> {
        let distances = out.distances(farthest)?;
        let (eccentricity, to) = farthest_of(&distances);
        self.raise(eccentricity, Some(farthest), to);
        let eccentricity = eccentricity.to_f64();
        self.upper[farthest as usize] = eccentricity;
        match into {
            Some(into) => {
                let distances = into.distances(to)?;
                self.raise_to(to, &distances);
                for (seen, distance) in self.seen.iter_mut().zip(floats(&distances)) {
                    if distance.is_finite() {
                        *seen = seen.max(distance);
                    }
                }
            }
            None => {
                let mut distances = floats(&distances);
                self.bound(farthest, &distances, eccentricity);
                self.bound_before(farthest, &mut distances, eccentricity);
            }
        }
        Ok(())
    }

    /// Where a vertex has one edge, its distances tell those of the other end, and so the
    /// eccentricity of all other such vertices there.
    fn bound_before(&mut self, leaf: VertexId, distances: &mut [f64], eccentricity: f64) {
        let mut arcs = self.graph.arcs_from(leaf);
        let (Some((neighbour, weight)), None) = (arcs.next(), arcs.next()) else { return };
        if neighbour == leaf || self.slack != 1.0 {
            return;
        }
        let length = self.length(weight);
        distances.iter_mut().for_each(|distance| *distance -= length);
        distances[leaf as usize] = length;
        self.bound(neighbour, distances, length.max(eccentricity - length));
    }

    /// Enters how far those of a vertex's component are from it.
    fn bound(&mut self, to: VertexId, distances: &[f64], eccentricity: f64) {
        let component = self.components.component_of(to);
        for &vertex in self.components.members(component) {
            let v = vertex as usize;
            self.upper[v] = self.upper[v].min((distances[v] + eccentricity) * self.slack);
            self.seen[v] = self.seen[v].max(distances[v]);
        }
        self.upper[to as usize] = eccentricity;
        self.seen[to as usize] = f64::INFINITY;
    }

    /// Searches from those `left` with the greatest bounds at once.
    fn search_batch(
        &mut self,
        out: &mut Search<'_, W>,
        mut left: Vec<VertexId>,
    ) -> Result<(), CentralityError> {
        let upper = |v: &VertexId| self.upper[*v as usize];
        left.sort_by(|v, u| upper(u).total_cmp(&upper(v)));
        left.truncate(BATCH);
        out.n += left.len();
        let found = out.counter.sums(&left, None)?;
        let most = found.greatest.iter().copied().zip(0..).max_by_key(|&(hops, _)| hops);
        let (hops, to) = most.expect("there are vertices");
        self.raise(of_hops(hops), None, to);
        for vertex in left {
            self.upper[vertex as usize] = hops.into();
        }
        Ok(())
    }
}
