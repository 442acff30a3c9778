//! The graphs of the Graph500 benchmark: the edges and weights that its reference code draws, bit
//! by bit, for the same scale, edge factor and seeds.
//!
//! They are R-MAT edges of which only the half above the diagonal is drawn, then numbered by a
//! scramble. The random numbers are a linear recurrence of order five modulo 2^31 − 1. Those of an
//! edge begin 2^64 places after those of the edge before, and its weight is the last of them. Many
//! steps of the recurrence are one product with a matrix, and there is a table of these for each
//! byte of an edge's number. So an edge is a function of its number.
//!
//! O(m · S) draws for 2^S vertices and m edges; making the graph of them is O(m log d) with d the
//! largest degree.
//!
//! Reference: graph500-2010, lecuyer-1993

use std::array;

use super::{Duplicates, check_memory};
use crate::rows::zeroed;
use crate::{Csr, GraphError, NoMemory, VertexId, parallel};

/// The greatest scale; ids cannot number 2^32 vertices.
const MAX_SCALE: u32 = 31;
/// What the random numbers are below, a prime.
const MODULUS: u64 = (1 << 31) - 1;
/// What the latest of five random numbers and the earliest are multiplied by, for the next one.
const FACTORS: [u64; 2] = [107_374_182, 104_480];
/// Bits that are set in the factors of the scramble.
const SCRAMBLE_BITS: [u64; 2] = [0x4519_8402_1149_3211, 0x3050_8521_02c8_43a5];
/// Where the quadrants low to high, high to low, low to low and high to high end, of `PARTS`.
const QUADRANT_ENDS: [u64; 3] = [1_900, 3_800, 9_500];
const PARTS: u64 = 10_000;
/// Vertices that are tried as roots before fewer have to do.
const MAX_TRIALS: u32 = 1 << 20;
/// Edges drawn by a task.
const EDGES_PER_TASK: usize = 1 << 12;

/// The parameters of [`graph500`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Graph500Config {
    /// The graph has 2^`scale` vertices; 1 to 31.
    pub scale: u32,
    /// Edges drawn for each vertex.
    pub edge_factor: u32,
    /// The seeds; those of the reference code by default.
    pub seeds: [u64; 2],
    /// Whether loops and parallel edges are kept. Otherwise the lightest of parallel edges is.
    pub duplicates: Duplicates,
}

impl Default for Graph500Config {
    fn default() -> Self {
        Self { scale: 16, edge_factor: 16, seeds: [2, 3], duplicates: Duplicates::Drop }
    }
}

/// Makes the undirected graph of Graph500, with weights from 0 to 1.
///
/// ```
/// use graph_formats::generate::{Graph500Config, graph500};
///
/// let graph = graph500(&Graph500Config { scale: 10, ..Default::default() })?;
/// assert_eq!(graph.n_vertices(), 1024);
/// # Ok::<(), graph_formats::GraphError>(())
/// ```
///
/// # Errors
/// [`GraphError::BadParameter`] when the scale is out of range, or when the system refuses the
/// memory (44 bytes an edge drawn).
pub fn graph500(config: &Graph500Config) -> Result<Csr<f32>, GraphError> {
    let draws = config.draws()?;
    draws.graph(&draws.edges()?, config.duplicates)
}

impl Graph500Config {
    /// The edges that [`graph500`] draws.
    ///
    /// # Errors
    /// [`GraphError::BadParameter`] when the scale is out of range.
    pub fn draws(&self) -> Result<Graph500Draws, GraphError> {
        let &Self { scale, edge_factor, seeds, .. } = self;
        if !(1..=MAX_SCALE).contains(&scale) {
            return Err(GraphError::BadParameter {
                name: "scale",
                value: scale.to_string(),
                expected: format!("1 to {MAX_SCALE}, for vertices are numbered in 32 bits"),
            });
        }
        Ok(Graph500Draws::new(scale, u64::from(edge_factor) << scale, seeds))
    }
}

/// The edges of [`graph500`], each a function of its number.
///
/// ```
/// use graph_formats::generate::Graph500Config;
///
/// let draws = Graph500Config { scale: 20, ..Default::default() }.draws()?;
/// assert_eq!(draws.n_edges(), 16 << 20);
/// assert_eq!(draws.edge(0), (754_405, 286_754, f32::from_bits(0x3ef1_7e1e)));
/// # Ok::<(), graph_formats::GraphError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Graph500Draws {
    scale: u32,
    n_edges: u64,
    seed: State,
    /// For each byte of an edge's number, the matrix of each of its values.
    jumps: Vec<Vec<Matrix>>,
    /// A summand and two factors.
    scramble: (u64, [u64; 2]),
    /// The state from which the roots are drawn.
    roots: State,
}

impl Graph500Draws {
    fn new(scale: u32, n_edges: u64, [a, b]: [u64; 2]) -> Self {
        let low = |bits: u64| (bits & 0x3fff_ffff) + 1;
        let seed = [low(a), low(a >> 30), low(b), low(b >> 30), (b >> 60 << 4) + (a >> 60) + 1];
        let an_edge = power_of_two(STEP, 64);
        let far = power_of_two(an_edge, 64);

        let mut state = times(&product(&power(far, 50), &power(an_edge, 7)), &seed);
        let mut word = || {
            let high = next(&mut state);
            high * u64::from(u32::MAX) + next(&mut state)
        };
        let words = [word(), word()];
        let factors = array::from_fn(|i| words[i] | SCRAMBLE_BITS[i]);
        let scramble = (words[0].wrapping_add(words[1]), factors);

        let n_bytes = (u64::BITS - n_edges.leading_zeros()).div_ceil(8);
        let jumps = (0..n_bytes).map(|byte| multiples(power_of_two(an_edge, 8 * byte)));
        let (jumps, roots) = (jumps.collect(), times(&power(far, 2), &seed));
        Self { scale, n_edges, seed, jumps, scramble, roots }
    }

    /// Vertices, isolated ones included.
    pub fn n_vertices(&self) -> usize {
        1 << self.scale
    }

    /// Edges drawn.
    pub fn n_edges(&self) -> u64 {
        self.n_edges
    }

    /// The ends and the weight of the edge of this number.
    ///
    /// # Panics
    /// When there is no such edge, if its number has more bytes than those of the edges.
    #[inline]
    pub fn edge(&self, edge: u64) -> (VertexId, VertexId, f32) {
        let mut state = self.state(edge);
        let (mut u, mut v) = (0, 0);
        for _ in 0..self.scale {
            let (low, right) = quadrant(&mut state);
            // below the diagonal both ends change places
            let (low, right) = if u == v { (low & right, low | right) } else { (low, right) };
            (u, v) = (u << 1 | VertexId::from(low), v << 1 | VertexId::from(right));
        }
        // as the reference code does it: rounded to 32 bits, multiplied in 64, rounded again
        let weight = f64::from(next(&mut state) as f32) * (1.0 / MODULUS as f64);
        (self.number(u), self.number(v), weight as f32)
    }

    /// The state before the random numbers of an edge.
    #[inline]
    fn state(&self, edge: u64) -> State {
        let bytes = edge.to_le_bytes().into_iter().enumerate().filter(|byte| byte.1 > 0);
        bytes.fold(self.seed, |state, (byte, value)| {
            times(&self.jumps[byte][usize::from(value)], &state)
        })
    }

    /// The number of a vertex, from the row of the matrix: a bijection.
    #[inline]
    fn number(&self, row: VertexId) -> VertexId {
        let (summand, factors) = self.scramble;
        factors.into_iter().fold(u64::from(row).wrapping_add(summand), |number, factor| {
            number.wrapping_mul(factor).reverse_bits() >> (u64::BITS - self.scale)
        }) as VertexId
    }

    /// All edges in order, 12 bytes each.
    ///
    /// # Errors
    /// [`GraphError::BadParameter`] when the system refuses the memory for these and the graph.
    pub fn edges(&self) -> Result<Vec<(VertexId, VertexId, f32)>, GraphError> {
        check_memory(self.n_vertices(), 2 * u128::from(self.n_edges))?;
        let mut edges: Vec<(VertexId, VertexId, f32)> = zeroed(self.n_edges as usize)?;
        parallel::for_each_of(edges.chunks_mut(EDGES_PER_TASK).enumerate(), &|(task, edges)| {
            let numbers = (task * EDGES_PER_TASK) as u64..;
            numbers.zip(edges).for_each(|(number, edge)| *edge = self.edge(number));
        });
        Ok(edges)
    }

    /// The undirected graph of [all edges](Self::edges): kernel 1 of the benchmark.
    ///
    /// # Errors
    /// When an edge is none between vertices, and [`GraphError::NoMemory`].
    pub fn graph(
        &self,
        edges: &[(VertexId, VertexId, f32)],
        duplicates: Duplicates,
    ) -> Result<Csr<f32>, GraphError> {
        let graph = Csr::from_edges(self.n_vertices(), edges)?;
        match duplicates {
            Duplicates::Keep => Ok(graph),
            Duplicates::Drop => Ok(simple(&graph)?),
        }
    }

    /// The vertices from which the reference code searches in this graph: distinct, and each
    /// joined to another vertex. There are `n_roots`, or fewer in a graph with few such vertices.
    pub fn roots(&self, graph: &Csr<f32>, n_roots: usize) -> Vec<VertexId> {
        self.roots_among(|root| graph.ends_from(root).iter().any(|&end| end != root), n_roots)
    }

    /// The same in a graph that is not in memory, of which `is_joined` says whether a vertex is
    /// joined to another.
    pub fn roots_among(
        &self,
        is_joined: impl Fn(VertexId) -> bool,
        n_roots: usize,
    ) -> Vec<VertexId> {
        let (mut state, mut roots) = (self.roots, Vec::new());
        let n_vertices = self.n_vertices() as f64;
        let mut unit = || {
            let one = 1.0 / MODULUS as f64;
            let high = next(&mut state) as f64 * one;
            high + next(&mut state) as f64 * (one * one)
        };
        for _ in 0..MAX_TRIALS {
            if roots.len() == n_roots {
                break;
            }
            let root = ((unit() + unit()) * n_vertices) as u64 % (1 << self.scale);
            let root = root as VertexId;
            if !roots.contains(&root) && is_joined(root) {
                roots.push(root);
            }
        }
        roots
    }
}

/// The graph without loops and without all but the lightest, which is the first, of parallel arcs.
fn simple(graph: &Csr<f32>) -> Result<Csr<f32>, NoMemory> {
    let arcs = || {
        let mut last = None;
        graph.arcs().filter(move |&(u, v, _)| u != v && last.replace((u, v)) != Some((u, v)))
    };
    Ok(Csr::from_valid_arcs(graph.n_vertices(), arcs)?.made_undirected())
}

/// Five consecutive random numbers, the latest first.
type State = [u64; 5];
/// The rows of the matrix of some steps.
type Matrix = [State; 5];

/// One step: the next number comes to the front.
const STEP: Matrix = [
    [FACTORS[0], 0, 0, 0, FACTORS[1]],
    [1, 0, 0, 0, 0],
    [0, 1, 0, 0, 0],
    [0, 0, 1, 0, 0],
    [0, 0, 0, 1, 0],
];

/// The next random number.
#[inline]
fn next(state: &mut State) -> u64 {
    let [a, b, c, d, e] = *state;
    let number = (FACTORS[0] * a + FACTORS[1] * e) % MODULUS;
    *state = [number, a, b, c, d];
    number
}

/// Whether an edge is in the lower half of the rows, and in the right half of the columns.
#[inline]
fn quadrant(state: &mut State) -> (bool, bool) {
    // the numbers from here on are a multiple of `PARTS`
    let least = MODULUS % PARTS;
    let mut number = next(state);
    while number < least {
        number = next(state);
    }
    let [right, low, neither] = QUADRANT_ENDS;
    match number % PARTS {
        part if part < right => (false, true),
        part if part < low => (true, false),
        part if part < neither => (false, false),
        _ => (true, true),
    }
}

#[inline]
fn times(matrix: &Matrix, [a, b, c, d, e]: &State) -> State {
    // four products of numbers below 2^31 − 1 fit in 64 bits
    matrix.map(|row| {
        ((row[0] * a + row[1] * b + row[2] * c + row[3] * d) % MODULUS + row[4] * e) % MODULUS
    })
}

fn product(a: &Matrix, b: &Matrix) -> Matrix {
    let columns: Matrix = array::from_fn(|j| times(a, &b.map(|row| row[j])));
    array::from_fn(|i| columns.map(|column| column[i]))
}

/// The matrix to the power 2^`exponent`.
fn power_of_two(matrix: Matrix, exponent: u32) -> Matrix {
    (0..exponent).fold(matrix, |power, _| product(&power, &power))
}

/// The matrix to a power of at least 1.
fn power(matrix: Matrix, exponent: u32) -> Matrix {
    (1..exponent).fold(matrix, |power, _| product(&power, &matrix))
}

/// The powers 0 to 255 of a matrix; nothing reads the one of 0.
fn multiples(matrix: Matrix) -> Vec<Matrix> {
    let mut powers = vec![[[0; 5]; 5], matrix];
    for exponent in 2..256 {
        powers.push(product(&powers[exponent - 1], &matrix));
    }
    powers
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    /// Scale, seeds, the number of an edge, and that edge and those after it, weights by their bits.
    type Drawn = (u32, [u64; 2], u64, &'static [(VertexId, VertexId, u32)]);

    /// What the benchmark's reference code draws.
    const DRAWN: [Drawn; 5] = [
        (6, [2, 3], 0, &[(50, 43, 0x3f74_b82c), (15, 17, 0x3eae_3212), (57, 6, 0x3f16_1d35)]),
        (20, [2, 3], 0, &[(754_405, 286_754, 0x3ef1_7e1e), (802_479, 384_927, 0x3f67_e3da)]),
        (
            20,
            [2, 3],
            0xff_fffe,
            &[(793_371, 498_500, 0x3f61_9b4c), (465_986, 734_295, 0x3e86_b184)],
        ),
        (26, [5, 6], 70_000, &[(3_808_552, 56_761_792, 0x3ec0_dcc7)]),
        (
            31,
            [9_876_543_210_987_654_321, 12_345_678_901_234_567_890],
            0x7_ffff_fff9,
            &[(1_751_775_082, 2_142_596_671, 0x3dce_2caa)],
        ),
    ];

    #[test]
    fn edges_are_those_of_the_reference_code() {
        for (scale, seeds, first, edges) in DRAWN {
            let config = Graph500Config { scale, seeds, ..Default::default() };
            let draws = config.draws().unwrap();
            for (number, &(u, v, bits)) in (first..).zip(edges) {
                assert_eq!(draws.edge(number), (u, v, f32::from_bits(bits)), "scale {scale}");
            }
        }
    }

    #[test]
    fn roots_are_those_of_the_reference_code() {
        let config = Graph500Config { scale: 6, edge_factor: 1, ..Default::default() };
        let (draws, graph) = (config.draws().unwrap(), graph500(&config).unwrap());
        let drawn = [28, 13, 7, 60, 24, 0, 29];
        let joined: Vec<_> = drawn.into_iter().filter(|&v| graph.out_degree(v) > 0).collect();
        assert!((1..drawn.len()).contains(&joined.len()), "{joined:?}");
        assert_eq!(draws.roots(&graph, joined.len()), joined);
        let n_joined = graph.vertices().filter(|&v| graph.out_degree(v) > 0).count();
        assert_eq!(draws.roots(&graph, 64).len(), n_joined);
    }

    /// The bytes of an edge's number are its steps, whatever their order.
    #[test]
    fn edges_follow_each_other_by_one_matrix() {
        let draws = Graph500Config { scale: 17, ..Default::default() }.draws().unwrap();
        for edge in [0, 1, 254, 255, 256, 65_535, 65_536, 1 << 20] {
            let following = times(&draws.jumps[0][1], &draws.state(edge));
            assert_eq!(draws.state(edge + 1), following, "{edge}");
        }
    }

    #[test]
    fn numbers_are_a_bijection() {
        for scale in 1..10 {
            let draws = Graph500Config { scale, ..Default::default() }.draws().unwrap();
            let mut numbers: Vec<_> = (0..1 << scale).map(|row| draws.number(row)).collect();
            numbers.sort_unstable();
            assert!(numbers.into_iter().eq(0..1 << scale), "scale {scale}");
        }
    }

    #[test]
    fn the_lightest_of_parallel_edges_is_kept() {
        let config = Graph500Config { scale: 5, ..Default::default() };
        let draws = config.draws().unwrap();
        let edges = draws.edges().unwrap();
        assert!(edges.iter().copied().eq((0..draws.n_edges()).map(|edge| draws.edge(edge))));
        let all = draws.graph(&edges, Duplicates::Keep).unwrap();
        assert_eq!(all, Csr::from_edges(32, &edges).unwrap());

        let mut lightest = BTreeMap::new();
        for (u, v, weight) in edges.into_iter().filter(|edge| edge.0 != edge.1) {
            let least = lightest.entry((u.min(v), u.max(v))).or_insert(weight);
            *least = weight.min(*least);
        }
        assert!(lightest.len() < draws.n_edges() as usize);
        let edges: Vec<_> = lightest.into_iter().map(|((u, v), w)| (u, v, w)).collect();
        assert_eq!(graph500(&config).unwrap(), Csr::from_edges(32, &edges).unwrap());
    }

    #[test]
    fn sizes_that_do_not_work_are_refused() {
        let refused = |scale, edge_factor| {
            let config = Graph500Config { scale, edge_factor, ..Default::default() };
            graph500(&config).unwrap_err().to_string()
        };
        assert!(refused(0, 16).contains("1 to 31") && refused(32, 16).contains("1 to 31"));
        assert!(refused(31, u32::MAX).contains("memory"));
        let empty = Graph500Config { scale: 3, edge_factor: 0, ..Default::default() };
        assert_eq!(graph500(&empty).unwrap().n_arcs(), 0);
        let draws = empty.draws().unwrap();
        assert_eq!(draws.roots(&graph500(&empty).unwrap(), 64), []);
    }
}
