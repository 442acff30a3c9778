//! Dynamic graph algorithms: results that are updated after each change of the graph.

use std::ops::RangeInclusive;

use graph_formats::VertexId;

use super::matrix::{ends, field_bits, fields};
use super::{Change, Edge, Runner, Task, Value, bits, task, vertex};
use crate::{Slice, StarError, Table, Word};

/// `DYNAMIC-MST`: a minimum spanning forest under insertions and deletions of edges and vertices.
pub const DYNAMIC_MST: &str =
    concat!(include_str!("kruskal.star"), include_str!("dynamic-mst.star"));

/// `DYNAMIC-CLOSURE`: the transitive closure under insertions and deletions of arcs.
pub const DYNAMIC_CLOSURE: &str = include_str!("dynamic-closure.star");

/// `DYNAMIC-PATHS`: all shortest paths to a vertex under insertions and deletions of arcs.
pub const DYNAMIC_PATHS: &str = include_str!("dynamic-paths.star");

/// A task whose tables persist from run to run: the first run builds the result from scratch, each
/// further one applies a change.
///
/// ```
/// use star_machine::algorithms::{Change, Room, Runner, dynamic_mst};
/// use star_machine::{Counting, Host};
///
/// let edges = [(0, 1, 3), (1, 2, 4)];
/// let changes = Change::read("insert 0 2 1\ndelete 0 1 3\n")?;
/// let forest = dynamic_mst(3, &edges, &Room::for_changes(3, &edges, &changes))?;
///
/// let mut m = Counting::new(Host::new());
/// let mut run = forest.task().on(&mut m)?;
/// forest.build(&mut run)?;
/// assert_eq!(run.slice("T")?.to_string(), "110");
/// let before = run.machine().cost().total();
/// // the new edge replaces the second one
/// let row = forest.apply(&mut run, changes[0])?;
/// assert_eq!((row, run.slice("T")?.to_string()), (2, "101".into()));
/// println!("{} operations", run.machine().cost().total() - before);
/// forest.apply(&mut run, changes[1])?;
/// assert_eq!(run.slice("T")?.to_string(), "011");
/// # Ok::<(), star_machine::StarError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Dynamic {
    task: Task,
    n_vertices: usize,
    /// The weights that are allowed, if the algorithm has weights.
    weights: Option<RangeInclusive<i64>>,
    weight_bits: usize,
    /// Whether vertices are inserted and deleted.
    has_vertices: bool,
    /// The error message for an arc that cannot be inserted.
    refusal: &'static str,
}

/// The capacity of the tables of a changing graph.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Room {
    /// Vertices, those that are inserted later included.
    pub n_vertices: usize,
    /// Edges.
    pub n_edges: usize,
    /// The weights of edges.
    pub weights: RangeInclusive<i64>,
}

impl Room {
    /// The capacity that a graph and these changes need.
    pub fn for_changes(n_vertices: usize, edges: &[Edge], changes: &[Change]) -> Self {
        let come = changes.iter().filter_map(|change| match change {
            Change::Insert { w, .. } => Some(*w),
            _ => None,
        });
        let weights = || edges.iter().map(|edge| edge.2).chain(come.clone());
        let is_vertex = |change: &&Change| matches!(change, Change::InsertVertex(_));
        Self {
            n_vertices: n_vertices.saturating_add(changes.iter().filter(is_vertex).count()),
            n_edges: weights().count(),
            weights: weights().min().unwrap_or(0)..=weights().max().unwrap_or(0),
        }
    }
}

/// A minimum spanning forest of a graph with these vertices and edges, and with room for more.
/// `X` marks the edges of the graph and `T` those of the forest; `L` and `R` hold their ends, `W`
/// their weights less the least weight of the room. `V` marks the vertices, `C` holds the root of
/// each vertex's tree, and the columns of `M` mark the paths from there.
///
/// # Errors
/// [`StarError::OutOfRange`] for a vertex that is not there, [`StarError::Refused`] for an edge
/// that there is no room for, [`StarError::TooLarge`] where the room is more than fits.
pub fn dynamic_mst(n_vertices: usize, edges: &[Edge], room: &Room) -> Result<Dynamic, StarError> {
    let (n, weights) = (room.n_vertices.max(n_vertices), &room.weights);
    for &(u, v, w) in edges {
        weigh(weights, Change::Insert { u, v, w })?;
    }
    let least = *weights.start();
    let h = bits(weights.end().abs_diff(least));
    let l = bits(n.saturating_sub(1) as u64);
    let codes = edges.iter().map(|edge| edge.2.abs_diff(least));
    let values = change().chain([Value::Word(Word::zeros(h)?), ones(n, n_vertices)?]);
    let values = values.chain(columns(edges, n_vertices, room.n_edges, l)?);
    let values = values.chain([Value::Table(rows(codes, room.n_edges, h)?)]);
    let values = values.chain([ones(room.n_edges, edges.len())?, ones(room.n_edges, 0)?]);
    let paths = [Table::zeros(room.n_edges, n)?, Table::zeros(n, l)?].map(Value::Table);
    Ok(Dynamic {
        task: task(DYNAMIC_MST, values.chain(paths).chain([Value::Int(None)]))?,
        n_vertices: n,
        weights: Some(weights.clone()),
        weight_bits: h,
        has_vertices: true,
        refusal: "an end of it is not there, or there is no room",
    })
}

/// The transitive closure of a graph with these vertices and arcs, and with room for `room`
/// arcs. Row x of `TC` marks x and the vertices that it reaches, column x of `S` the arcs of a tree
/// from x to them. `X` marks the arcs of the graph; `L` and `R` hold their tails and heads. Weights
/// do not matter.
///
/// # Errors
/// [`StarError::OutOfRange`] for a vertex that is not there and for more arcs than there is room
/// for, [`StarError::TooLarge`] where the room is more than fits.
pub fn dynamic_closure(
    n_vertices: usize,
    arcs: &[Edge],
    room: usize,
) -> Result<Dynamic, StarError> {
    let n = n_vertices;
    let l = bits(n.saturating_sub(1) as u64);
    let values = change().chain(columns(arcs, n, room, l)?).chain([ones(room, arcs.len())?]);
    let tables = [Table::zeros(n, n)?, Table::zeros(room, n)?].map(Value::Table);
    Ok(Dynamic {
        task: task(DYNAMIC_CLOSURE, values.chain(tables).chain([Value::Int(None)]))?,
        n_vertices: n,
        weights: None,
        weight_bits: 0,
        has_vertices: false,
        refusal: "there is no room",
    })
}

/// All shortest paths to `sink` in a graph with these vertices and arcs, and with room for all arcs
/// that weigh no more than `greatest`. `D` holds the distances to the sink, all ones where there is
/// no path. Row u of `SP` marks the next vertices of the shortest paths from u. Of parallel arcs
/// the lightest counts; an inserted arc replaces a heavier one.
///
/// # Errors [`StarError::OutOfRange`] for a vertex that is not there, [`StarError::Negative`] for a
/// negative weight. [`StarError::Refused`] for an arc that there is no room for and for a cycle
/// that weighs 0. [`StarError::TooHeavy`] and [`StarError::TooLarge`] where the weights or the
/// tables do not fit.
pub fn dynamic_paths(
    n_vertices: usize,
    arcs: &[Edge],
    sink: VertexId,
    greatest: i64,
) -> Result<Dynamic, StarError> {
    let (n, weights) = (n_vertices, 0..=greatest);
    let sink = vertex(sink, n)?;
    for &(u, v, w) in arcs {
        ends(n, u, v)?;
        if w < 0 {
            return Err(StarError::Negative { weight: w });
        }
        weigh(&weights, Change::Insert { u, v, w })?;
    }
    let weightless = arcs.iter().filter(|arc| arc.2 == 0).map(|arc| (arc.0, arc.1)).collect();
    if let Some((u, v)) = behind_cycle(n, weightless) {
        let why = "a cycle of arcs that weigh 0 leads to it";
        return Err(StarError::Refused { change: Change::Insert { u, v, w: 0 }, why });
    }
    // a path, and one arc more
    let h = field_bits(greatest.unsigned_abs() as u128 * n as u128 + 1)?;
    let weighed = arcs.iter().map(|&(u, v, w)| (u, v, w.unsigned_abs()));
    let tables = [
        fields(n, h, weighed.clone().map(|(u, v, w)| (v, u, w)))?,
        fields(n, h, weighed)?,
        Table::zeros(n, h)?,
        Table::zeros(n, n)?,
    ];
    let values = change().chain([Value::Word(Word::zeros(h)?), Value::Int(Some(sink))]);
    let values = values.chain(tables.map(Value::Table)).chain([Value::Int(None)]);
    Ok(Dynamic {
        task: task(DYNAMIC_PATHS, values)?,
        n_vertices: n,
        weights: Some(weights),
        weight_bits: h,
        has_vertices: false,
        refusal: "one as light is there, or it would close a cycle that weighs 0",
    })
}

/// An arc that can be reached from a cycle, if there is one: vertices that no arc enters are
/// removed, with their arcs, while there are any. O(m log m).
fn behind_cycle(
    n_vertices: usize,
    mut arcs: Vec<(VertexId, VertexId)>,
) -> Option<(VertexId, VertexId)> {
    arcs.sort_unstable();
    let mut n_entering = vec![0_usize; n_vertices];
    arcs.iter().for_each(|arc| n_entering[arc.1 as usize] += 1);
    let mut open: Vec<_> = (0..n_vertices).filter(|&v| n_entering[v] == 0).collect();
    while let Some(u) = open.pop() {
        let first = arcs.partition_point(|arc| (arc.0 as usize) < u);
        for arc in arcs[first..].iter().take_while(|arc| arc.0 as usize == u) {
            n_entering[arc.1 as usize] -= 1;
            if n_entering[arc.1 as usize] == 0 {
                open.push(arc.1 as usize);
            }
        }
    }
    arcs.into_iter().find(|arc| n_entering[arc.0 as usize] > 0)
}

/// `change`, `u` and `v`: at first the result is built from scratch.
fn change() -> impl Iterator<Item = Value> {
    [Some(0); 3].map(Value::Int).into_iter()
}

/// A slice whose first bits are ones.
fn ones(len: usize, n_ones: usize) -> Result<Value, StarError> {
    Slice::from_positions(len, 0..n_ones).map(Value::Slice)
}

/// `L` and `R`: the codes of the ends.
fn columns(
    arcs: &[Edge],
    n_vertices: usize,
    n_rows: usize,
    bits: usize,
) -> Result<[Value; 2], StarError> {
    arcs.iter().try_for_each(|arc| ends(n_vertices, arc.0, arc.1))?;
    let codes = |of: fn(&Edge) -> VertexId| {
        rows(arcs.iter().map(|arc| u64::from(of(arc))), n_rows, bits).map(Value::Table)
    };
    Ok([codes(|arc| arc.0)?, codes(|arc| arc.1)?])
}

/// A table of these numbers, with zeros below them.
fn rows(
    numbers: impl ExactSizeIterator<Item = u64>,
    n_rows: usize,
    bits: usize,
) -> Result<Table, StarError> {
    let mut table = Table::zeros(n_rows, bits)?;
    if numbers.len() > n_rows {
        return Err(StarError::OutOfRange { what: "row", index: n_rows, len: n_rows });
    }
    for (row, number) in numbers.enumerate() {
        table.set_row(row, &Word::from_u64(number, bits)?)?;
    }
    Ok(table)
}

/// Refuses an arc whose weight is out of range.
fn weigh(weights: &RangeInclusive<i64>, change: Change) -> Result<(), StarError> {
    let why = match change {
        Change::Insert { w, .. } if w < 0 && *weights.start() == 0 => "no weight may be negative",
        Change::Insert { w, .. } if !weights.contains(&w) => "there is no room for its weight",
        Change::Delete { w: Some(w), .. } if !weights.contains(&w) => "there is none",
        _ => return Ok(()),
    };
    Err(StarError::Refused { change, why })
}

impl Dynamic {
    /// Its tables and its program.
    pub fn task(&self) -> &Task {
        &self.task
    }

    /// Builds the result from scratch, for the graph as it is now.
    ///
    /// # Errors
    /// Those of [`Runner::run`].
    pub fn build(&self, run: &mut dyn Runner) -> Result<(), StarError> {
        run.set("change", &Value::Int(Some(0)))?;
        run.run()
    }

    /// Applies a change, and returns the row of its arc, the vertex, or with [`dynamic_paths`] the
    /// number of vertices whose distance changed.
    ///
    /// # Errors
    /// [`StarError::OutOfRange`] for a vertex that there is no room for, [`StarError::Refused`]
    /// where the change cannot be made; everything is then as before.
    pub fn apply(&self, run: &mut dyn Runner, change: Change) -> Result<usize, StarError> {
        let (number, [u, v], w) = match change {
            Change::Insert { u, v, w } => (1, [u, v], Some(w)),
            Change::Delete { u, v, w: Some(w) } if self.weights.is_some() => (3, [u, v], Some(w)),
            Change::Delete { u, v, .. } => (2, [u, v], None),
            Change::InsertVertex(x) => (4, [x, x], None),
            Change::DeleteVertex(x) => (5, [x, x], None),
        };
        let refused = |why| Err(StarError::Refused { change, why });
        if number > 3 && !self.has_vertices {
            return refused("only arcs come and go here");
        }
        for (name, x) in [("u", u), ("v", v)] {
            run.set(name, &Value::Int(Some(vertex(x, self.n_vertices)?)))?;
        }
        if let (Some(w), Some(weights)) = (w, &self.weights) {
            weigh(weights, change)?;
            let code = Word::from_u64(w.abs_diff(*weights.start()), self.weight_bits)?;
            run.set("w", &Value::Word(code))?;
        }
        run.set("change", &Value::Int(Some(number)))?;
        run.run()?;
        match (run.int("done")?, change) {
            (Some(done), _) => Ok(done as usize),
            (None, Change::Insert { .. }) => refused(self.refusal),
            (None, Change::Delete { .. }) => refused("there is none"),
            (None, Change::InsertVertex(_)) => refused("it is there"),
            (None, Change::DeleteVertex(_)) => refused("it is not there"),
        }
    }
}
