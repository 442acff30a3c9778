//! Graphs that change, and what is kept of them from change to change.

use std::ops::RangeInclusive;

use graph_formats::VertexId;

use super::{Change, Runner, Task, Value, bits, task, vertex};
use crate::{Slice, StarError, Table, Word};

/// `DYNAMIC-MST`: a minimum spanning forest while edges and vertices come and go.
pub const DYNAMIC_MST: &str =
    concat!(include_str!("kruskal.star"), include_str!("dynamic-mst.star"));

/// A task whose tables stay from run to run: the first run makes everything from scratch, each
/// further one a change.
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
/// // the new edge takes the place of the second one
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
    /// What an arc may weigh, where weights matter.
    weights: Option<RangeInclusive<i64>>,
    /// Whether vertices come and go.
    has_vertices: bool,
    /// Why an arc may not come.
    refusal: &'static str,
}

/// What the tables of a graph that changes have room for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Room {
    /// Vertices, those that are not there yet among them.
    pub n_vertices: usize,
    /// Edges.
    pub n_edges: usize,
    /// What one weighs.
    pub weights: RangeInclusive<i64>,
}

impl Room {
    /// Enough for a graph and these changes.
    #[must_use]
    pub fn for_changes(
        n_vertices: usize,
        edges: &[(VertexId, VertexId, i64)],
        changes: &[Change],
    ) -> Self {
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

/// A minimum spanning forest of a graph with these vertices and edges, and with room for more:
/// `T` marks its edges among those that `X` marks, whose ends are in `L` and `R` and whose weights,
/// less the least of the room, in `W`; `V` marks the vertices, `C` has the root of each one's
/// tree, and the columns of `M` mark the paths from there.
///
/// # Errors
/// [`StarError::OutOfRange`] for a vertex that is not there, [`StarError::Refused`] for an edge
/// that there is no room for, [`StarError::TooLarge`] where the room is more than fits.
pub fn dynamic_mst(
    n_vertices: usize,
    edges: &[(VertexId, VertexId, i64)],
    room: &Room,
) -> Result<Dynamic, StarError> {
    let (n, weights) = (room.n_vertices.max(n_vertices), &room.weights);
    for &(u, v, w) in edges {
        vertex(u, n_vertices)?;
        vertex(v, n_vertices)?;
        weigh(weights, Change::Insert { u, v, w })?;
    }
    let least = *weights.start();
    let h = bits(weights.end().abs_diff(least));
    let l = bits(n.saturating_sub(1) as u64);
    let codes = |of: fn(&(VertexId, VertexId, i64)) -> VertexId| {
        rows(edges.iter().map(|edge| u64::from(of(edge))), room.n_edges, l)
    };
    let tables = [
        codes(|edge| edge.0)?,
        codes(|edge| edge.1)?,
        rows(edges.iter().map(|edge| edge.2.abs_diff(least)), room.n_edges, h)?,
    ];
    let slice = |len, ones| Slice::from_positions(len, 0..ones).map(Value::Slice);
    let values = [Some(0); 3].map(Value::Int).into_iter();
    let values = values.chain([Value::Word(Word::zeros(h)?), slice(n, n_vertices)?]);
    let values = values.chain(tables.map(Value::Table));
    let values = values.chain([slice(room.n_edges, edges.len())?, slice(room.n_edges, 0)?]);
    let paths = [Table::zeros(room.n_edges, n)?, Table::zeros(n, l)?].map(Value::Table);
    Ok(Dynamic {
        task: task(DYNAMIC_MST, values.chain(paths).chain([Value::Int(None)]))?,
        n_vertices: n,
        weights: Some(weights.clone()),
        has_vertices: true,
        refusal: "an end of it is not there, or there is no room",
    })
}

/// A table of these numbers, and of zeros below them.
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

/// Refuses a change of an arc whose weight there is no room for.
fn weigh(weights: &RangeInclusive<i64>, change: Change) -> Result<(), StarError> {
    match change {
        Change::Insert { w, .. } | Change::Delete { w: Some(w), .. } if !weights.contains(&w) => {
            Err(StarError::Refused { change, why: "it has a weight that there is no room for" })
        }
        _ => Ok(()),
    }
}

/// A weight as a word: how much more it is than the least.
fn code(weights: &RangeInclusive<i64>, w: i64) -> Result<Word, StarError> {
    let (least, greatest) = (*weights.start(), *weights.end());
    Word::from_u64(w.abs_diff(least), bits(greatest.abs_diff(least)))
}

impl Dynamic {
    /// Its tables and its program.
    #[must_use]
    pub fn task(&self) -> &Task {
        &self.task
    }

    /// Makes everything from scratch, of the graph as it has become.
    ///
    /// # Errors
    /// Those of [`Runner::run`].
    pub fn build(&self, run: &mut dyn Runner) -> Result<(), StarError> {
        run.set("change", &Value::Int(Some(0)))?;
        run.run()
    }

    /// Makes a change, and gives the row of its arc, or the vertex.
    ///
    /// # Errors
    /// [`StarError::OutOfRange`] for a vertex that there is no room for, [`StarError::Refused`]
    /// where the change can not be made: everything is as before then.
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
            run.set("w", &Value::Word(code(weights, w)?))?;
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
