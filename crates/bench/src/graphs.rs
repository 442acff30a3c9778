//! Graphs by name, so that one can make them again, and files of one's own.
//!
//! Skewed, meshed and geometric graphs always together, for what helps one kind may harm another;
//! real road networks where their files are at hand; and simple shapes that solvers were not tuned
//! on. Weights are drawn for each pair of vertices, the same both ways.

use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use anyhow::{Context, Error, Result, bail, ensure};
use graph_formats::generate::{
    GeometricConfig, GraphOptions, GridConfig, RmatConfig, UniformConfig, geometric, grid, rmat,
    uniform,
};
use graph_formats::permute::Relabelling;
use graph_formats::{AnyCsr, Csr, Direction, VertexId, Weight, read};

use crate::draws::Draws;
use crate::study::Bench;

/// Neighbours of a vertex of a geometric graph, on average: enough to join all but a few vertices.
const GEOMETRIC_DEGREE: f64 = 16.0;
/// The most vertices of a shape that is made edge by edge.
const MANY: u32 = 1 << 26;
/// The roads of New York, of Delaware (some of no length, not all connected), and the streets of
/// Rome, weighed by length; and the neurons of a larva, by synapses.
const FILES: [(&str, &str); 4] = [
    ("new-york", "dimacs/USA-road-d.NY.gr.gz"),
    ("delaware", "dimacs/DE.gr"),
    ("rome99", "dimacs/rome99.gr"),
    ("larva", "connectome/larva_unmatched_full.csv.gz"),
];
const NAMES: &str = "rmat-S or geometric-S (2^S vertices), grid-K or torus-K (K vertices a side), \
                     new-york, delaware, rome99, larva, uniform-N-D (N vertices of mean degree D), \
                     complete-N, star-N, path-N, tree-N, caterpillar-N, ladder-N, small-world-N, \
                     layered-N, hypercube-D (2^D vertices), attachment-N-K (N vertices, each after \
                     the first two with K edges to earlier ones), bipartite-N-D (half of the N \
                     vertices with D edges each), or a file; then perhaps +to-W, +heavy, +zeros, \
                     +squared, +reals or +negative, and +seed-S";

/// A name, the least and the greatest number after it, whether a degree follows, and about how
/// many arcs that makes.
type Shape = (&'static str, u32, u32, bool, fn(u64, u64) -> u64);

const SHAPES: [Shape; 16] = [
    ("rmat", 1, 31, false, |n, _| 32 << n),
    ("grid", 2, 65_535, false, |n, _| 4 * n * n),
    ("geometric", 1, 31, false, |n, _| 16 << n),
    ("uniform", 2, MANY, true, |n, degree| n * degree),
    ("complete", 2, 1 << 14, false, |n, _| n * n),
    ("star", 2, MANY, false, |n, _| 2 * n),
    ("path", 2, MANY, false, |n, _| 2 * n),
    ("tree", 2, MANY, false, |n, _| 2 * n),
    ("caterpillar", 2, MANY, false, |n, _| 2 * n),
    ("ladder", 2, MANY, false, |n, _| 3 * n),
    ("small-world", 2, MANY, false, |n, _| 3 * n),
    ("torus", 3, 8192, false, |n, _| 8 * n * n),
    ("hypercube", 1, 26, false, |n, _| n << n),
    ("attachment", 2, MANY, true, |n, degree| 2 * n * degree),
    ("bipartite", 2, MANY, true, |n, degree| n * degree),
    ("layered", 2, MANY, false, |n, _| 4 * n),
];

/// A shape of these numbers.
fn shaped(name: &str, n: u32, degree: u32, seed: u64) -> Result<Csr<u32>> {
    let options = GraphOptions { seed, ..Default::default() };
    let mut draws = Draws::new(seed);
    let mut below = |n: u32| draws.below(n as usize) as VertexId;
    let mut n_vertices = n as usize;
    let edges: Vec<(VertexId, VertexId)> = match name {
        "rmat" => return Ok(rmat(&RmatConfig { scale: n, options, ..Default::default() })?),
        "grid" => return Ok(grid(&GridConfig { side: n, options, ..Default::default() })?),
        "geometric" => {
            let n_vertices = 1 << n;
            let radius = (GEOMETRIC_DEGREE / (std::f64::consts::PI * n_vertices as f64)).sqrt();
            let drawn = geometric(&GeometricConfig { n_vertices, radius, options })?;
            // neighbours lie near one another in memory, as they do in the files of roads
            return Ok(Relabelling::breadth_first(&drawn, 0)?.apply(&drawn)?);
        }
        "uniform" => {
            let n_edges = u64::from(n) * u64::from(degree) / 2;
            return Ok(uniform(&UniformConfig { n_vertices, n_edges, options })?);
        }
        "complete" => (0..n).flat_map(|u| (0..u).map(move |v| (v, u))).collect(),
        // the last vertex with all others
        "star" => (0..n - 1).map(|leaf| (leaf, n - 1)).collect(),
        "path" => (1..n).map(|v| (v - 1, v)).collect(),
        // binary, from vertex 0
        "tree" => (1..n).map(|v| ((v - 1) / 2, v)).collect(),
        // a path through a quarter of the vertices, three leaves at each
        "caterpillar" => {
            let spine = n.div_ceil(4);
            (1..n).map(|v| (if v < spine { v - 1 } else { v % spine }, v)).collect()
        }
        // two rows side by side, the even numbers and the odd ones, with a rung at each pair
        "ladder" => {
            let rails = (2..n).map(|v| (v - 2, v));
            rails.chain((1..n).step_by(2).map(|v| (v - 1, v))).collect()
        }
        // a ring with a random chord for every fourth vertex
        "small-world" => {
            let chords: Vec<_> = (0..n / 4).map(|_| (below(n), below(n))).collect();
            let ring = (0..n).map(|v| (v, (v + 1) % n));
            ring.chain(chords).filter(|(u, v)| u != v).collect()
        }
        // a square grid without borders, with both diagonals
        "torus" => {
            n_vertices *= n as usize;
            let at = |row: u32, column: u32| row % n * n + column % n;
            let ends = [(0, 1), (1, 0), (1, 1), (1, n - 1)];
            let from = |row: u32, column: u32| {
                ends.map(|(down, right)| (at(row, column), at(row + down, column + right)))
            };
            let places = (0..n).flat_map(|row| (0..n).map(move |column| (row, column)));
            places.flat_map(|(row, column)| from(row, column)).collect()
        }
        // vertices whose numbers differ in one bit
        "hypercube" => {
            n_vertices = 1 << n;
            let pairs = (0..1_u32 << n).flat_map(|v| (0..n).map(move |bit| (v, v | 1 << bit)));
            pairs.filter(|(u, v)| u != v).collect()
        }
        // with ends of earlier edges, drawn evenly, so that vertices of many edges get more
        "attachment" => {
            let mut edges = vec![(0, 1)];
            for v in 2..n {
                let ends = 2 * edges.len() as u32;
                for _ in 0..degree {
                    let end = below(ends);
                    let (first, second) = edges[end as usize / 2];
                    edges.push((if end.is_multiple_of(2) { first } else { second }, v));
                }
            }
            edges
        }
        "bipartite" => {
            let (half, all) = (n / 2, n);
            let ends = (0..half).flat_map(|v| std::iter::repeat_n(v, degree as usize));
            ends.map(|v| (v, half + below(all - half))).collect()
        }
        // directed and without cycles: about √n layers, four arcs from each vertex to the next
        // layer, and from vertex 0 to all of the first one
        _ => {
            let width = f64::from(n).sqrt() as u32;
            let mut arcs: Vec<_> = (1..=width.min(n - 1)).map(|v| (0, v)).collect();
            for from in 1..n {
                // layers are 1 … width, width + 1 … 2 width, and so on; the last may be short
                let next = (from - 1) / width * width + width + 1;
                let room = n.saturating_sub(next).min(width);
                if room > 0 {
                    arcs.extend((0..4).map(|_| (from, next + below(room))));
                }
            }
            return Ok(Csr::from_arcs(n_vertices, &with_weights(seed, &arcs))?);
        }
    };
    Ok(Csr::from_edges(n_vertices, &with_weights(seed, &edges))?)
}

fn with_weights(seed: u64, pairs: &[(VertexId, VertexId)]) -> Vec<(VertexId, VertexId, u32)> {
    let weigh = |&(u, v): &(u32, u32)| (u, v, 1 + draws_of(seed, u, v).below(255) as u32);
    pairs.iter().map(weigh).collect()
}

/// Random numbers for a pair of vertices, the same both ways.
fn draws_of(seed: u64, u: VertexId, v: VertexId) -> Draws {
    let pair = u64::from(u.min(v)) << 32 | u64::from(u.max(v));
    Draws::new(Draws::new(pair).word() ^ seed)
}

#[derive(Clone, Debug)]
enum Base {
    Made(Shape, u32, u32),
    File(PathBuf),
}

/// A graph that can be made or read again by its name.
#[derive(Clone, Debug)]
pub struct Graph {
    name: String,
    base: Base,
    /// Where they are not its own, what stands after `+`.
    weights: String,
    seed: u64,
}

impl Graph {
    /// The graph in the numbers that it has.
    ///
    /// # Errors
    /// When its file is missing or wrong, or there is not enough memory.
    pub fn load(&self) -> Result<AnyCsr> {
        let seed = self.seed;
        let graph = match &self.base {
            &Base::Made(shape, n, degree) => shaped(shape.0, n, degree, seed).map(AnyCsr::from),
            Base::File(path) => read(path).map(|loaded| loaded.csr).map_err(Error::from),
        };
        let graph = graph.with_context(|| format!("cannot make {self}"))?;
        ensure!(graph.n_arcs() > 0, "{self} has no arcs: nothing to measure");
        if self.weights.is_empty() {
            return Ok(graph);
        }
        let own = graph.into_csr::<u32>()?;
        Ok(match self.weights.as_str() {
            // half of them 1 or 2: 2 / u - 1 for u drawn evenly from 0 to 1
            "heavy" => weighed(own, seed, |draws, _| {
                (2.0 / draws.fraction()).min(f64::from(1 << 20)) as u32 - 1
            })?,
            // three quarters nothing
            "zeros" => weighed(own, seed, |draws, _| match draws.below(4) {
                0 => 1 + draws.below(255) as u32,
                _ => 0,
            })?,
            "squared" => weighed(own, seed, |_, own| own.saturating_mul(own))?,
            // from 0 to 1
            "reals" => weighed(own, seed, |draws, _| draws.fraction() as f32)?,
            "negative" => with_potentials(&own, seed)?.into(),
            // from 1, evenly
            greatest => {
                let greatest: usize = greatest.trim_start_matches("to-").parse()?;
                weighed(own, seed, |draws, _| 1 + draws.below(greatest) as u32)?
            }
        })
    }

    /// The same for solvers that take no other weights.
    ///
    /// # Errors
    /// Also when a weight is no whole number of 32 bits.
    pub fn load_u32(&self) -> Result<Csr<u32>> {
        let graph = self.load()?;
        graph.into_csr().with_context(|| format!("{self}: this takes whole weights of 32 bits"))
    }

    /// About how many arcs, without making any: to leave out what is too large.
    pub(crate) fn about_arcs(&self) -> u64 {
        let &Base::Made(shape, n, degree) = &self.base else { return 1 << 20 };
        (shape.4)(n.into(), degree.into())
    }
}

/// What graphs of other sizes belong to, by the name of one.
pub(crate) fn family(name: &str) -> &str {
    let base = name.split('+').next().unwrap_or_default();
    match by_numbers(base) {
        Some((shape, _)) => shape.0,
        None if base != "larva" && FILES.iter().any(|file| file.0 == base) => "road",
        None => "file",
    }
}

/// Of these, those that have no more arcs and whose files are there; says which have not.
pub(crate) fn at_hand(bench: &Bench, graphs: Vec<Graph>, most_arcs: u64) -> Result<Vec<Graph>> {
    let mut here = Vec::new();
    for graph in graphs {
        let missing = match &graph.base {
            Base::File(path) if !path.is_file() => format!(
                "there is no file {}; STARPATH_DATA names the folder of real graphs",
                path.display()
            ),
            _ if graph.about_arcs() > most_arcs => {
                format!("more than {most_arcs} arcs; --most-arcs lets it in")
            }
            _ => {
                here.push(graph);
                continue;
            }
        };
        bench.skip(&[("graph", &graph)], &missing);
    }
    ensure!(!here.is_empty(), "none of the graphs is here");
    Ok(here)
}

/// The same graph with other weights: from the random numbers of the pair and the weight that the
/// arc has.
fn weighed<W: Weight>(
    graph: Csr<u32>,
    seed: u64,
    weigh: impl Fn(&mut Draws, u32) -> W,
) -> Result<AnyCsr>
where
    AnyCsr: From<Csr<W>>,
{
    let weigh = |(u, v, own)| weigh(&mut draws_of(seed, u, v), own);
    let weights: Vec<W> = graph.arcs().map(weigh).collect();
    let (direction, offsets) = (graph.direction(), graph.row_offsets().to_vec());
    let made = Csr::new(offsets, graph.column_indices().to_vec(), weights)?;
    Ok(match direction {
        Direction::Undirected => made.into_undirected()?.into(),
        Direction::Directed => made.into(),
    })
}

/// Arcs changed by the potentials of their ends, up to 255, which changes no cycle: many are
/// negative.
fn with_potentials(graph: &Csr<u32>, seed: u64) -> Result<Csr<i32>> {
    let potential = |v: VertexId| draws_of(seed, v, v).below(256) as i32;
    let weights = graph.arcs().map(|(u, v, own)| {
        let own = i32::try_from(own).context("weights beyond 2^31 cannot be made negative")?;
        own.checked_add(potential(v) - potential(u)).context("a weight overflows")
    });
    let weights = weights.collect::<Result<Vec<i32>>>()?;
    Ok(Csr::new(graph.row_offsets().to_vec(), graph.column_indices().to_vec(), weights)?)
}

/// The shape of this name, and the numbers after it.
fn by_numbers(name: &str) -> Option<(Shape, Vec<u32>)> {
    SHAPES.into_iter().find_map(|shape| {
        let numbers = name.strip_prefix(shape.0)?.strip_prefix('-')?.split('-');
        let numbers: Vec<u32> = numbers.map(str::parse).collect::<Result<_, _>>().ok()?;
        (numbers.len() == 1 + usize::from(shape.3)).then_some((shape, numbers))
    })
}

impl FromStr for Base {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self> {
        if let Some((shape, numbers)) = by_numbers(name) {
            let (n, degree) = (numbers[0], numbers.get(1).copied().unwrap_or(1));
            let (least, most) = (shape.1, shape.2);
            ensure!((least..=most).contains(&n), "{name}: {n} is not from {least} to {most}");
            ensure!((1..=4096).contains(&degree), "{name}: {degree} is not from 1 to 4096");
            return Ok(Self::Made(shape, n, degree));
        }
        if let Some((_, file)) = FILES.iter().find(|file| file.0 == name) {
            let folder = std::env::var_os("STARPATH_DATA").map(PathBuf::from);
            let beside = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
            return Ok(Self::File(folder.unwrap_or_else(beside).join(file)));
        }
        let path = Path::new(name);
        if path.is_file() {
            return Ok(Self::File(path.to_owned()));
        }
        ensure!(!name.contains(['/', '.']), "there is no file {name}");
        bail!("there is no graph {name:?}: expected {NAMES}")
    }
}

impl FromStr for Graph {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self> {
        let mut parts = name.split('+');
        let base = parts.next().unwrap_or_default().parse()?;
        let mut graph = Self { name: name.to_owned(), base, weights: String::new(), seed: 1 };
        for part in parts {
            let number = |prefix: &str| part.strip_prefix(prefix)?.parse::<u64>().ok();
            match (part, number("to-"), number("seed-")) {
                ("heavy" | "zeros" | "squared" | "reals" | "negative", ..)
                | (_, Some(1..=0xffff_ffff), _) => part.clone_into(&mut graph.weights),
                (_, _, Some(seed)) => graph.seed = seed,
                _ => bail!("there is no graph {name:?}: what is +{part}? Expected {NAMES}"),
            }
        }
        Ok(graph)
    }
}

impl fmt::Display for Graph {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)
    }
}

/// R-MAT, grid, geometric and road graphs of several sizes.
pub(crate) const SIZES: &str = "rmat-16 rmat-18 rmat-20 rmat-22 grid-256 grid-512 grid-1024 \
    grid-2048 geometric-14 geometric-16 geometric-18 geometric-20 rome99 delaware new-york";

/// The graphs of these names.
pub(crate) fn named(names: &str) -> Result<Vec<Graph>> {
    names.split(' ').map(str::parse).collect()
}

#[cfg(test)]
mod tests {
    use graph_formats::{Ids, write_csr};
    use sssp::{Config, Goal, Solver};

    use super::*;

    fn graph(name: &str) -> Graph {
        name.parse().unwrap()
    }

    #[test]
    fn graphs_have_names_or_are_refused() {
        let names = ["rmat-9+heavy+seed-7", "new-york+squared", "small-world-30", "my/own.gr"];
        assert_eq!(names.map(family), ["rmat", "road", "small-world", "file"]);
        for (name, says) in [
            ("ring-7", "expected rmat-S"),
            ("rmat", "expected rmat-S"),
            ("uniform-9", "expected rmat-S"),
            ("rmat-32", "not from 1 to 31"),
            ("bipartite-9-5000", "not from 1 to 4096"),
            ("grid-9+to-0", "+to-0"),
            ("grid-9+loud", "+loud"),
            ("none/such.gr", "there is no file"),
        ] {
            let error = name.parse::<Graph>().unwrap_err().to_string();
            assert!(error.contains(says), "{error}");
        }
    }

    #[test]
    fn graphs_are_what_their_names_say() {
        let names = ["grid-20", "torus-5", "ladder-20", "hypercube-4+reals", "complete-9+negative"];
        let sizes = names.map(|name| graph(name).load().unwrap());
        let sizes = sizes.map(|made| (made.n_vertices(), made.n_arcs()));
        assert_eq!(sizes, [(400, 1520), (25, 200), (20, 56), (16, 64), (9, 72)]);
        let geometric = graph("geometric-12").load_u32().unwrap();
        let mut solver = Solver::new(&geometric, &Config::default()).unwrap();
        assert!(solver.distances(0, Goal::All).unwrap().n_reached() > 4000, "it hangs together");
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("own.gr");
        write_csr(&path, &geometric, &Ids::FromZero).unwrap();
        let own = graph(&path.display().to_string()).load_u32().unwrap();
        assert!(own.arcs().eq(geometric.arcs()));
        let squared = graph(&format!("{}+squared", path.display())).load_u32().unwrap();
        assert_eq!(squared.weights()[0], own.weights()[0].pow(2));
        assert!(graph("grid-9+reals").load_u32().is_err());
    }
}
