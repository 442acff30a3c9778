//! Reads the result for a graph from the tables of a task.

use std::fmt;

use anyhow::anyhow;
use graph_formats::VertexId;
use paths::{Closure, Total};
use serde::Serialize;
use star_machine::Table;
use star_machine::algorithms::{Runner, SignedMatrix, cycle, cycle_of_hops};

use crate::ids::{Id, Names};
use crate::output::ResultFile;
use crate::report::{ARCS, Amount, VERTICES, counted, grouped};

/// Arcs, or edges.
pub(super) type Arcs = Vec<(VertexId, VertexId, i64)>;

/// How to read the tables.
pub(super) enum Asked {
    /// `T` marks some of these arcs; `trees_of` is the number of vertices, if they form trees of
    /// all.
    Marked { arcs: Arcs, trees_of: Option<usize> },
    /// `T` marks the arcs of an arborescence, or none if the root does not reach every vertex.
    Arborescence { arcs: Arcs, n_vertices: usize },
    /// `P` has the parent of each vertex of a tree, `D` the weight of the edge to it minus `least`,
    /// `d` the degree of the root, or none.
    Tree { root: VertexId, n_vertices: usize, least: i64 },
    /// `Z`, `D` and `P` are the results of a search.
    Search { source: VertexId },
    /// The results of a search with distances in two's complement, and `c`.
    SignedSearch { source: VertexId, matrix: SignedMatrix },
    /// The fields of `D` have distances of `bits` bits.
    Pairs { bits: usize },
    /// The fields of `D` have distances in two's complement; `c` and `d` are results too.
    SignedPairs { matrix: SignedMatrix },
}

#[derive(Serialize)]
#[serde(untagged)]
pub(super) enum Answer {
    Forest {
        forest: Forest,
        #[serde(skip)]
        edges: Arcs,
        /// The names of the vertices that are not in the graph's file.
        #[serde(skip)]
        new: Vec<String>,
    },
    /// A tree of shortest paths from a vertex, or all shortest paths to a vertex.
    Search {
        reached: usize,
        distance_sum: Amount,
        /// The number of arcs on shortest paths, if the algorithm finds all of them.
        #[serde(skip_serializing_if = "Option::is_none")]
        arcs: Option<usize>,
        #[serde(skip)]
        lines: Vec<Line>,
    },
    Cycle {
        negative_cycle: Vec<Id>,
    },
    Closure {
        /// Ordered pairs joined by a path of at least one arc.
        reachable_pairs: usize,
        #[serde(skip)]
        closure: Closure,
    },
    Pairs {
        reachable_pairs: usize,
        distance_sum: Amount,
        #[serde(skip)]
        distances: Vec<(VertexId, VertexId, i128)>,
    },
}

#[derive(Serialize)]
pub(super) struct Forest {
    weight: Amount,
    edges: usize,
    /// The number of trees, isolated vertices included; `None` if the algorithm finds one tree.
    #[serde(skip_serializing_if = "Option::is_none")]
    components: Option<usize>,
}

/// A vertex, its distance from the source and its predecessor, or its distance to the sink and a
/// next vertex.
pub(super) struct Line {
    pub(super) vertex: VertexId,
    pub(super) distance: i128,
    pub(super) beside: Option<VertexId>,
}

impl Asked {
    pub(super) fn answer(&self, run: &mut dyn Runner, names: &Names<'_>) -> anyhow::Result<Answer> {
        match *self {
            Self::Marked { ref arcs, trees_of } => {
                Ok(Answer::of_edges(marked(run, arcs)?, trees_of))
            }
            Self::Arborescence { ref arcs, n_vertices } => {
                let found = marked(run, arcs)?;
                match found.len() + 1 == n_vertices {
                    true => Ok(Answer::of_edges(found, None)),
                    false => Err(anyhow!(
                        "the root does not reach every vertex; without --root a branching is found"
                    )),
                }
            }
            Self::Tree { root, n_vertices, least } => {
                if run.int("d")?.is_none() {
                    return Err(anyhow!(
                        "no spanning tree gives the root this degree; use another --degree, or \
                         --at-most"
                    ));
                }
                let before = run.table("P")?.to_values()?;
                let weights = run.table("D")?.to_values()?;
                let others = (0..n_vertices).filter(|&v| v != root as usize);
                let edge = |v: usize| {
                    let weight = least.wrapping_add_unsigned(weights[v]);
                    (before[v] as VertexId, v as VertexId, weight)
                };
                Ok(Answer::of_edges(others.map(edge).collect(), None))
            }
            Self::Search { source } => search(run, source, i128::from),
            Self::SignedSearch { source, ref matrix } => match run.int("c")? {
                None => search(run, source, |code| matrix.number(code).into()),
                Some(vertex) => Ok(Answer::of_cycle(cycle(&run.table("P")?, vertex), names)),
            },
            Self::Pairs { bits } => {
                let none = u64::MAX >> (64 - bits);
                pairs(&run.table("D")?, bits, |code| (code != none).then_some(code.into()))
            }
            Self::SignedPairs { ref matrix } => match (run.int("c")?, run.int("d")?) {
                (Some(c), Some(d)) => {
                    Ok(Answer::of_cycle(cycle_of_hops(&run.table("N")?, c, d), names))
                }
                _ => {
                    let none = u64::MAX >> (65 - matrix.bits());
                    let distance = |code| (code != none).then(|| matrix.number(code).into());
                    pairs(&run.table("D")?, matrix.bits(), distance)
                }
            },
        }
    }
}

fn search(
    run: &mut dyn Runner,
    source: VertexId,
    distance: impl Fn(u64) -> i128,
) -> anyhow::Result<Answer> {
    let distances = run.table("D")?.to_values()?;
    let before = run.table("P")?.to_values()?;
    let line = |v: usize| Line {
        vertex: v as VertexId,
        distance: distance(distances[v]),
        beside: (v != source as usize).then_some(before[v] as VertexId),
    };
    let lines: Vec<_> = run.slice("Z")?.positions().map(line).collect();
    let distance_sum = Total::Integer(lines.iter().map(|line| line.distance).sum()).into();
    Ok(Answer::Search { reached: lines.len(), distance_sum, arcs: None, lines })
}

/// The distances of pairs of different vertices, from fields of `bits` bits.
fn pairs(
    table: &Table,
    bits: usize,
    distance: impl Fn(u64) -> Option<i128>,
) -> anyhow::Result<Answer> {
    let n = table.rows();
    let mut distances = Vec::new();
    for v in 0..n {
        let field = table.field(v * bits..(v + 1) * bits)?.to_owned().to_values()?;
        let others = (0..).zip(field).filter(|&(u, _)| u != v as VertexId);
        distances.extend(others.filter_map(|(u, d)| Some((u, v as VertexId, distance(d)?))));
    }
    distances.sort_unstable();
    let sum = distances.iter().map(|pair| pair.2).sum();
    let distance_sum = Total::Integer(sum).into();
    Ok(Answer::Pairs { reachable_pairs: n + distances.len(), distance_sum, distances })
}

fn marked(run: &mut dyn Runner, arcs: &Arcs) -> anyhow::Result<Arcs> {
    Ok(run.slice("T")?.positions().map(|row| arcs[row]).collect())
}

impl Answer {
    /// The result with these edges; `trees_of` is the number of vertices, if the edges are a
    /// spanning forest.
    pub(super) fn of_edges(edges: Arcs, trees_of: Option<usize>) -> Self {
        let weight = Total::of(edges.iter().map(|edge| edge.2)).into();
        let components = trees_of.map(|n| n - edges.len());
        let forest = Forest { weight, edges: edges.len(), components };
        Self::Forest { forest, edges, new: Vec::new() }
    }

    fn of_cycle(cycle: Option<Vec<VertexId>>, names: &Names<'_>) -> Self {
        let name = |v| Id::from(names.name(v));
        Self::Cycle { negative_cycle: cycle.unwrap_or_default().into_iter().map(name).collect() }
    }

    /// With the names of new vertices.
    pub(super) fn with_names(mut self, names: Vec<String>) -> Self {
        if let Self::Forest { new, .. } = &mut self {
            *new = names;
        }
        self
    }

    pub(super) fn write(&self, file: &ResultFile, names: &Names<'_>) -> anyhow::Result<()> {
        let name = |v| names.name(v);
        match self {
            Self::Forest { edges, new, .. } => {
                let name = |v: VertexId| match new.get((v as usize).wrapping_sub(names.n_vertices))
                {
                    Some(new) => new.clone(),
                    None => name(v).to_string(),
                };
                file.write_rows("source\ttarget\tweight", edges, |&(u, v, w)| {
                    format!("{}\t{}\t{w}", name(u), name(v))
                })
            }
            Self::Search { arcs, lines, .. } => {
                let beside = if arcs.is_some() { "next" } else { "predecessor" };
                file.write_rows(&format!("vertex\tdistance\t{beside}"), lines, |line| {
                    let beside = line.beside.map_or(String::new(), |v| name(v).to_string());
                    format!("{}\t{}\t{beside}", name(line.vertex), line.distance)
                })
            }
            Self::Closure { closure, .. } => file.write_closure(names, closure),
            Self::Cycle { negative_cycle } => {
                file.write_rows("negative_cycle", negative_cycle, ToString::to_string)
            }
            Self::Pairs { distances, .. } => {
                file.write_rows("from\tto\tdistance", distances, |&(u, v, d)| {
                    format!("{}\t{}\t{d}", name(u), name(v))
                })
            }
        }
    }
}

impl fmt::Display for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Forest { forest: Forest { weight, edges, components }, .. } => {
                let edges = counted(*edges, ("edge", "edges"));
                write!(f, "{edges} of weight {weight}")?;
                let trees = |n: usize| write!(f, ", {}", counted(n, ("component", "components")));
                components.map_or(Ok(()), trees)
            }
            Self::Search { reached, distance_sum, arcs, .. } => {
                let reached = counted(*reached, VERTICES);
                let verb = if arcs.is_some() { "reach it" } else { "reached" };
                write!(f, "{reached} {verb}, distances add up to {distance_sum}")?;
                let on_paths = |&n| write!(f, "; {} on shortest paths", counted(n, ARCS));
                arcs.as_ref().map_or(Ok(()), on_paths)
            }
            Self::Closure { reachable_pairs, .. } => {
                write!(f, "{} pairs have a path", grouped(*reachable_pairs as u64))
            }
            Self::Cycle { negative_cycle } => {
                let cycle: Vec<_> = negative_cycle.iter().map(ToString::to_string).collect();
                write!(f, "a cycle of negative weight is reachable: {}", cycle.join(" "))
            }
            Self::Pairs { reachable_pairs, distance_sum, .. } => {
                let pairs = grouped(*reachable_pairs as u64);
                write!(f, "{pairs} pairs have a path, distances add up to {distance_sum}")
            }
        }
    }
}
