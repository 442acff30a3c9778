//! Shortest paths: from a vertex, and between all.

use std::slice;
use std::time::Instant;

use anyhow::{Result, ensure};
use apsp::Config;
use graph_formats::{Csr, VertexId};
use paths::{Tree, certificate};
use sssp::{Algorithm, Goal, Solver};
use star_machine::Table;
use star_machine::algorithms::{self, Runner, WeightMatrix};

use super::{By, Problem, Race};
use crate::draws::Draws;
use crate::star::measure::ms_since;

/// Arcs out of a vertex.
const DEGREE: usize = 16;
/// Bits of distances from a vertex.
const BITS: usize = 32;
/// Bits of distances between all.
const BITS_OF_PAIRS: usize = 16;

/// Dijkstra's algorithm from vertex 0, beside that of the crate sssp.
pub(super) fn dijkstra(race: &mut Race<'_>, n: usize) -> Result<()> {
    let arcs = random(n, BITS)?;
    let graph = graph(n, &arcs)?;
    let matrix = WeightMatrix::leaving(n, &arcs)?;
    let problem = Problem {
        algorithm: "Dijkstra",
        n_vertices: n,
        n_edges: arcs.len(),
        bits: matrix.bits(),
        unit: "settled vertex",
    };
    let config = sssp::Config {
        threads: 1.try_into().ok(),
        ..sssp::Config::with(Algorithm::Dijkstra(None))
    };
    let mut solver = Solver::new(&graph, &config)?;
    race.times(problem, By::Thread, "sssp dijkstra", || {
        let start = Instant::now();
        let tree = solver.tree(0, Goal::All)?;
        let ms = ms_since(start);
        certificate::check_tree(&graph, &tree)?;
        Ok((ms, tree.distances.n_reached() as u64))
    })?;
    let task = algorithms::dijkstra(&matrix, 0)?;
    drop(matrix);
    race.program(problem, "DIJKSTRA", &task, |run| {
        let tree = tree(run)?;
        certificate::check_tree(&graph, &tree)?;
        Ok(tree.distances.n_reached() as u64)
    })
}

/// Floyd's algorithm, beside the blocked form of the crate apsp; both with next hops.
pub(super) fn floyd(race: &mut Race<'_>, n: usize) -> Result<()> {
    let arcs = random(n, BITS_OF_PAIRS)?;
    let graph = graph(n, &arcs)?;
    let matrix = WeightMatrix::entering(n, &arcs)?;
    let problem = Problem {
        algorithm: "Floyd",
        n_vertices: n,
        n_edges: arcs.len(),
        bits: matrix.bits(),
        unit: "field relaxed",
    };
    let config = Config {
        threads: 1.try_into().ok(),
        next_hops: true,
        ..Config::with(apsp::Algorithm::Blocked)
    };
    let gpus = race.gpu.cloned();
    let fields = (n * n) as u64;
    for (by, gpus) in [(By::Thread, None), (By::Gpu, gpus.as_ref().map(slice::from_ref))] {
        if by == By::Gpu && gpus.is_none() {
            continue;
        }
        race.times(problem, by, "apsp blocked", || {
            let solver = apsp::Solver::new(&graph, &config);
            let pairs = gpus.into_iter().fold(solver, apsp::Solver::on).solve(None)?;
            let ms = pairs.report.solve_ms + pairs.report.next_hops_ms;
            check(&graph, |u| (pairs.row(u).collect(), pairs.hops(u)))?;
            Ok((ms, fields))
        })?;
    }
    let (task, start) = (algorithms::floyd(&matrix)?, matrix.value());
    race.program(problem, "FLOYD", &task, |run| {
        let (distances, hops) = (by_rows(&run.table("D")?)?, by_rows(&run.table("N")?)?);
        let unreached = (1 << matrix.bits()) - 1;
        check(&graph, |u| {
            let of = |v: usize| {
                let (d, hop) = (distances[u as usize][v], hops[u as usize][v] as VertexId);
                let is_path = d != unreached;
                (is_path.then_some(d), (is_path && v != u as usize).then_some(hop))
            };
            (0..n).map(of).unzip()
        })?;
        // it lies where the distances are now
        run.set("D", &start)?;
        Ok(fields)
    })
}

/// The numbers of a table that has a field for each row, row by row.
fn by_rows(table: &Table) -> Result<Vec<Vec<u64>>> {
    let n = table.rows();
    let bits = table.columns() / n;
    let field = |v: usize| Ok(table.field(v * bits..(v + 1) * bits)?.to_values()?);
    let fields = (0..n).map(field).collect::<Result<Vec<_>>>()?;
    Ok((0..n).map(|u| fields.iter().map(|field| field[u]).collect()).collect())
}

/// Certifies the distances from each vertex, and that each hop is the first of a path as long:
/// no arc weighs nothing, so that hops come nearer and nearer.
fn check(
    graph: &Csr<u32>,
    row: impl Fn(VertexId) -> (Vec<Option<u64>>, Vec<Option<VertexId>>),
) -> Result<()> {
    let rows: Vec<_> = graph.vertices().map(row).collect();
    for (u, (distances, hops)) in graph.vertices().zip(&rows) {
        certificate::check_distances(graph, u, None, &distances.iter().copied().collect())?;
        let arcs = graph.row(u);
        let arcs = graph.column_indices()[arcs.clone()].iter().zip(&graph.weights()[arcs]);
        let arcs: Vec<_> = arcs.collect();
        for (v, (d, hop)) in distances.iter().zip(hops).enumerate() {
            let is_first = |&(to, &weight): &(&VertexId, &u32)| {
                let rest = rows[*to as usize].0[v];
                Some(*to) == *hop && rest.map(|rest| rest + u64::from(weight)) == *d
            };
            let is_none = v == u as usize || d.is_none();
            let is_right = if is_none { hop.is_none() } else { arcs.iter().any(is_first) };
            ensure!(is_right, "the hop from {u} to {v} is wrong: {hop:?}");
        }
    }
    Ok(())
}

/// What `DIJKSTRA` has left.
fn tree(run: &mut dyn Runner) -> Result<Tree<u32>> {
    let (reached, distances, before) = (run.slice("Z")?, run.table("D")?, run.table("P")?);
    let vertices = || reached.iter().zip(0 as VertexId..);
    let distances = vertices().zip(distances.to_values()?);
    let predecessors = vertices().zip(before.to_values()?);
    Ok(Tree {
        source: 0,
        limit: None,
        distances: distances.map(|((is_reached, _), d)| is_reached.then_some(d)).collect(),
        predecessors: predecessors
            .map(|((is_reached, v), u)| (is_reached && v != 0).then_some(u as VertexId))
            .collect(),
    })
}

/// Arcs to vertices in no order, whose weights are the greatest that allow paths of so many bits.
fn random(n: usize, bits: usize) -> Result<Vec<(VertexId, VertexId, i64)>> {
    ensure!(n > 1, "a graph needs two vertices to have arcs");
    let greatest = ((1 << bits) - 2) / (n - 1);
    ensure!(greatest > 0, "{bits} bits are too few for the paths of {n} vertices");
    let mut draws = Draws::new(n as u64);
    let mut arc = |u: usize| {
        let v = (u + 1 + draws.below(n - 1)) % n;
        (u as VertexId, v as VertexId, 1 + draws.below(greatest) as i64)
    };
    Ok((0..n * DEGREE).map(|i| arc(i / DEGREE)).collect())
}

fn graph(n: usize, arcs: &[(VertexId, VertexId, i64)]) -> Result<Csr<u32>> {
    let arcs: Vec<_> = arcs.iter().map(|&(u, v, w)| (u, v, w as u32)).collect();
    Ok(Csr::from_arcs(n, &arcs)?)
}
