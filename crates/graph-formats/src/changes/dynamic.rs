//! A graph that changes.

use std::cmp::Ordering;
use std::collections::HashSet;

use super::rows::Rows;
use super::{Change, ChangeError, ChangeProblem};
use crate::{Csr, Direction, NoMemory, VertexId, Weight, ensure_granted, parallel};

/// Changes that a thread looks up at a time.
const CHANGES_PER_TASK: usize = 32;

/// A graph of which arcs and vertices may change; with its rows, and if it is directed its columns.
///
/// ```
/// use graph_formats::{Change, Csr, DynamicGraph};
///
/// let mut graph = DynamicGraph::new(&Csr::from_arcs(3, &[(0, 1, 5u32), (1, 2, 7)])?)?;
/// let new = Change::Insert { from: 0, to: 2, weight: 9 };
/// let old = Change::Delete { from: 0, to: 1, weight: None };
/// let changed = graph.apply(&[new, old])?;
/// assert_eq!((changed.arcs[0].before, changed.arcs[0].after), (Some(5), None));
/// assert_eq!(graph.to_csr()?, Csr::from_arcs(3, &[(0, 2, 9), (1, 2, 7)])?);
/// let error = graph.apply(&[new, old]).unwrap_err();
/// assert_eq!(error.to_string(), "change 1: there is no arc 0 -> 1");
/// graph.undo(&changed);
/// assert_eq!(graph.to_csr()?, Csr::from_arcs(3, &[(0, 1, 5), (1, 2, 7)])?);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct DynamicGraph<W: Weight> {
    rows: Rows<W>,
    /// If the graph is directed.
    columns: Option<Rows<W>>,
    n_negative: usize,
    n_zero: usize,
}

/// An arc that has changed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ArcChange<W> {
    /// Its tail.
    pub from: VertexId,
    /// Its head.
    pub to: VertexId,
    /// Its weight before; `None` if it is new.
    pub before: Option<W>,
    /// Its weight now; `None` if it is deleted.
    pub after: Option<W>,
}

/// What changes change.
#[derive(Clone, Debug, PartialEq)]
#[must_use = "`make` and `undo` need it"]
pub struct Changed<W> {
    /// The arcs by tail and head; in an undirected graph both of an edge.
    pub arcs: Vec<ArcChange<W>>,
    /// How many vertices there are then.
    pub n_vertices: usize,
    n_vertices_before: usize,
}

impl<W: Weight> DynamicGraph<W> {
    /// A copy of a graph that can change. O(n + m); of a directed graph, both rows and columns.
    ///
    /// # Errors
    /// When the system refuses the memory.
    pub fn new(graph: &Csr<W>) -> Result<Self, NoMemory> {
        let is_directed = graph.direction() == Direction::Directed;
        let bytes = Rows::bytes_of(graph);
        // the transposed graph is freed again
        ensure_granted(if is_directed { 2 * bytes + graph.bytes() } else { bytes })?;
        let rows = Rows::of(graph);
        let columns = is_directed.then(|| Rows::of(&graph.transposed()));
        let (mut n_negative, mut n_zero) = (0, 0);
        if graph.weight_summary().least <= W::ZERO {
            let weights = graph.weights();
            n_negative = weights.iter().filter(|weight| weight.is_negative()).count();
            n_zero = weights.iter().filter(|&&weight| weight == W::ZERO).count();
        }
        Ok(Self { rows, columns, n_negative, n_zero })
    }

    /// How many vertices, those without arcs included.
    pub fn n_vertices(&self) -> usize {
        self.rows.n_vertices()
    }

    /// How many arcs; an undirected edge counts twice.
    pub fn n_arcs(&self) -> usize {
        self.rows.n_arcs()
    }

    /// Whether every arc is known to have its reverse.
    pub fn direction(&self) -> Direction {
        match self.columns {
            Some(_) => Direction::Directed,
            None => Direction::Undirected,
        }
    }

    /// Whether an arc weighs less than zero.
    pub fn has_negative(&self) -> bool {
        self.n_negative > 0
    }

    /// Whether an arc weighs zero.
    pub fn has_zero(&self) -> bool {
        self.n_zero > 0
    }

    /// The arcs that leave `vertex`, as (destination, weight), ascending.
    ///
    /// # Panics
    /// When the graph has no such vertex. So does the next method.
    #[inline]
    pub fn arcs_from(&self, vertex: VertexId) -> &[(VertexId, W)] {
        self.rows.arcs(vertex)
    }

    /// The arcs that end at `vertex`, as (source, weight), ascending.
    #[inline]
    pub fn arcs_to(&self, vertex: VertexId) -> &[(VertexId, W)] {
        self.columns.as_ref().unwrap_or(&self.rows).arcs(vertex)
    }

    /// Loads where the arcs from `vertex` are into the cache, so that
    /// [`arcs_from`](Self::arcs_from) does not wait for memory soon after.
    #[inline]
    pub fn prefetch(&self, vertex: VertexId) {
        self.rows.prefetch(vertex);
    }

    /// The weight of the lightest arc from one vertex to another. O(log d).
    pub fn weight(&self, from: VertexId, to: VertexId) -> Option<W> {
        let is_vertex = (from as usize) < self.n_vertices();
        if is_vertex { self.rows.find(from, to, None) } else { None }
    }

    /// The graph as it is now. O(n + m).
    ///
    /// # Errors
    /// When the system refuses the memory.
    pub fn to_csr(&self) -> Result<Csr<W>, NoMemory> {
        let bytes_of_arc = size_of::<VertexId>() + size_of::<W>();
        ensure_granted(self.n_vertices() * size_of::<u64>() + self.n_arcs() * bytes_of_arc)?;
        let (offsets, columns, weights) = self.rows.packed();
        Ok(Csr::from_valid(offsets, columns, weights, self.direction()))
    }

    /// Makes all of these changes, or none: [`check`](Self::check) and [`make`](Self::make).
    ///
    /// # Errors
    /// For the first change that cannot be made.
    pub fn apply(&mut self, changes: &[Change<W>]) -> Result<Changed<W>, ChangeError> {
        let changed = self.check(changes)?;
        self.make(&changed);
        Ok(changed)
    }

    /// What these changes will change. No pair of vertices may occur twice: then the order of the
    /// changes does not matter. O(log d) a change, and the arcs of a vertex that is deleted; the
    /// threads of the current pool share a large batch.
    ///
    /// # Errors
    /// For the first change that cannot be made.
    pub fn check(&self, changes: &[Change<W>]) -> Result<Changed<W>, ChangeError> {
        W::check_in(self, changes)
    }

    pub(crate) fn checked(&self, changes: &[Change<W>]) -> Result<Changed<W>, ChangeError> {
        let n_vertices_before = self.n_vertices();
        // so that the lookups do not wait for one another
        for change in changes {
            if let Change::Delete { from, .. } | Change::Reweight { from, .. } = *change {
                self.rows.prefetch(from);
            }
        }
        let found = parallel::map(changes.len().div_ceil(CHANGES_PER_TASK), &|task| {
            let changes = changes[task * CHANGES_PER_TASK..].iter().take(CHANGES_PER_TASK);
            changes.map(|change| self.existing(change)).collect::<Vec<_>>()
        });
        let mut checked = Checked {
            graph: self,
            n_vertices: n_vertices_before,
            pairs: HashSet::with_capacity(changes.len()),
            deleted: HashSet::new(),
            arcs: Vec::with_capacity(2 * changes.len()),
        };
        let all = changes.iter().zip(found.into_iter().flatten());
        for (position, (&change, found)) in all.enumerate() {
            checked.check(change, found).map_err(|problem| ChangeError { position, problem })?;
        }
        let Checked { mut arcs, n_vertices, .. } = checked;
        arcs.sort_unstable_by(order);
        let new = || arcs.iter().filter(|arc| arc.before.is_none());
        let of_columns =
            self.columns.as_ref().map(|rows| rows.bytes_to_insert(new().map(|arc| arc.to)));
        let bytes = self.rows.bytes_to_insert(new().map(|arc| arc.from)) + of_columns.unwrap_or(0);
        let refused = |error: NoMemory| ChangeError { position: 0, problem: error.into() };
        ensure_granted(bytes).map_err(refused)?;
        Ok(Changed { arcs, n_vertices, n_vertices_before })
    }

    /// Makes changes that were [checked](Self::check) since the last ones were made. O(d) a change,
    /// amortized, with the threads of the current pool.
    ///
    /// # Panics
    /// It may where other changes were made since, or the changes are of another graph. So may
    /// [`undo`](Self::undo) where they are not the last.
    pub fn make(&mut self, changed: &Changed<W>) {
        W::change_in(self, &changed.arcs, changed.n_vertices);
    }

    /// Takes back the last changes.
    pub fn undo(&mut self, changed: &Changed<W>) {
        let back = |arc: &ArcChange<W>| ArcChange { before: arc.after, after: arc.before, ..*arc };
        let arcs: Vec<_> = changed.arcs.iter().map(back).collect();
        W::change_in(self, &arcs, changed.n_vertices_before);
    }

    /// Takes arcs out, puts some in, or gives some another weight; then there are `n_vertices`. The
    /// arcs are in order.
    pub(crate) fn change(&mut self, arcs: &[ArcChange<W>], n_vertices: usize) {
        for arc in arcs {
            let is_negative = |weight: Option<W>| usize::from(weight.is_some_and(W::is_negative));
            self.n_negative = self.n_negative + is_negative(arc.after) - is_negative(arc.before);
            let is_zero = |weight: Option<W>| usize::from(weight == Some(W::ZERO));
            self.n_zero = self.n_zero + is_zero(arc.after) - is_zero(arc.before);
        }
        self.rows.change(arcs, n_vertices);
        if let Some(columns) = &mut self.columns {
            let turned = |arc: &ArcChange<W>| ArcChange { from: arc.to, to: arc.from, ..*arc };
            let mut arcs: Vec<_> = arcs.iter().map(turned).collect();
            arcs.sort_unstable_by(order);
            columns.change(&arcs, n_vertices);
        }
    }

    /// The weight of the arc that a change takes out or gives another one, if there is such an arc.
    fn existing(&self, change: &Change<W>) -> Option<W> {
        let (from, to, weight) = match *change {
            Change::Delete { from, to, weight } => (from, to, weight),
            Change::Reweight { from, to, .. } => (from, to, None),
            _ => return None,
        };
        let is_vertex = (from as usize) < self.n_vertices();
        if is_vertex { self.rows.find(from, to, weight) } else { None }
    }
}

/// By row, column and weight.
fn order<W: Weight>(one: &ArcChange<W>, other: &ArcChange<W>) -> Ordering {
    let ends = |arc: &ArcChange<W>| u64::from(arc.from) << 32 | u64::from(arc.to);
    let weight = |arc: &ArcChange<W>| arc.after.or(arc.before).unwrap_or(W::ZERO);
    ends(one).cmp(&ends(other)).then_with(|| weight(one).order(weight(other)))
}

/// Changes that can be made.
struct Checked<'g, W: Weight> {
    graph: &'g DynamicGraph<W>,
    n_vertices: usize,
    /// Those that have changes.
    pairs: HashSet<(VertexId, VertexId)>,
    deleted: HashSet<VertexId>,
    arcs: Vec<ArcChange<W>>,
}

impl<W: Weight> Checked<'_, W> {
    /// Notes what a change changes; `found` is the weight of the arc that it names.
    fn check(&mut self, change: Change<W>, found: Option<W>) -> Result<(), ChangeProblem> {
        match change {
            Change::Insert { from, to, weight } => {
                self.check_pair(from, to)?;
                self.put(from, to, None, Some(finite(from, to, weight)?));
            }
            Change::Delete { from, to, weight } => {
                self.check_pair(from, to)?;
                self.put(from, to, Some(existing(from, to, weight, found)?), None);
            }
            Change::Reweight { from, to, weight } => {
                self.check_pair(from, to)?;
                let before = existing(from, to, None, found)?;
                self.put(from, to, Some(before), Some(finite(from, to, weight)?));
            }
            Change::InsertVertex => {
                // the greatest number stands for none
                if self.n_vertices == VertexId::MAX as usize {
                    return Err(ChangeProblem::TooManyVertices { n_vertices: self.n_vertices });
                }
                self.n_vertices += 1;
            }
            Change::DeleteVertex(vertex) => self.delete(vertex)?,
        }
        Ok(())
    }

    /// An error where an end is no vertex, or the pair has a change.
    fn check_pair(&mut self, from: VertexId, to: VertexId) -> Result<(), ChangeProblem> {
        let n_vertices = self.n_vertices;
        for vertex in [from, to] {
            if vertex as usize >= n_vertices {
                return Err(ChangeProblem::NoSuchVertex { vertex, n_vertices });
            }
        }
        let is_new = self.pairs.insert(self.pair(from, to));
        match is_new && !self.deleted.contains(&from) && !self.deleted.contains(&to) {
            true => Ok(()),
            false => Err(ChangeProblem::Twice { from, to }),
        }
    }

    fn pair(&self, from: VertexId, to: VertexId) -> (VertexId, VertexId) {
        match self.graph.direction() {
            Direction::Directed => (from, to),
            Direction::Undirected => (from.min(to), from.max(to)),
        }
    }

    /// Notes the change of an arc, or of an edge.
    fn put(&mut self, from: VertexId, to: VertexId, before: Option<W>, after: Option<W>) {
        self.arcs.push(ArcChange { from, to, before, after });
        if self.graph.direction() == Direction::Undirected && from != to {
            self.arcs.push(ArcChange { from: to, to: from, before, after });
        }
    }

    fn delete(&mut self, vertex: VertexId) -> Result<(), ChangeProblem> {
        let n_vertices = self.n_vertices;
        if vertex as usize >= n_vertices {
            return Err(ChangeProblem::NoSuchVertex { vertex, n_vertices });
        }
        if !self.deleted.insert(vertex) {
            return Err(ChangeProblem::Twice { from: vertex, to: vertex });
        }
        if let Some(&(from, to)) = self.pairs.iter().find(|(u, v)| *u == vertex || *v == vertex) {
            return Err(ChangeProblem::Twice { from, to });
        }
        if vertex as usize >= self.graph.n_vertices() {
            return Ok(());
        }
        let graph = self.graph;
        let is_left =
            |other: VertexId, deleted: &HashSet<_>| other == vertex || !deleted.contains(&other);
        for &(to, weight) in graph.arcs_from(vertex) {
            if is_left(to, &self.deleted) {
                self.put(vertex, to, Some(weight), None);
            }
        }
        if graph.direction() == Direction::Directed {
            for &(from, weight) in graph.arcs_to(vertex) {
                if from != vertex && is_left(from, &self.deleted) {
                    self.put(from, vertex, Some(weight), None);
                }
            }
        }
        Ok(())
    }
}

/// The weight of an arc that was looked for, or an error if none was found.
fn existing<W: Weight>(
    from: VertexId,
    to: VertexId,
    asked: Option<W>,
    found: Option<W>,
) -> Result<W, ChangeProblem> {
    let weight = || asked.map(|weight| weight.to_string());
    found.ok_or_else(|| ChangeProblem::NoSuchArc { from, to, weight: weight() })
}

fn finite<W: Weight>(from: VertexId, to: VertexId, weight: W) -> Result<W, ChangeProblem> {
    match weight.is_finite() {
        true => Ok(weight),
        false => Err(ChangeProblem::WeightNotFinite { from, to, weight: weight.to_string() }),
    }
}
