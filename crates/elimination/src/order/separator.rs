//! A least set of vertices that separates two sides of a part: a maximum flow.
//!
//! Paths from the one side to the other that share no vertex are found in phases. A breadth-first
//! search from the one side gives levels. Then depth-first searches from the other side go back, to
//! lower levels first. The phase ends when no search finds a path of vertices that no search of the
//! phase has seen. The vertices between the sides have capacity one, those of the sides any. A
//! vertex is two states, where a path may arrive (in) and where it may leave (out). O(m) for a
//! phase, of which there are about ten.
//!
//! Dinic's algorithm searches along shortest paths alone, of which a road network has one or two
//! of each length, so that nearly every path took a phase. That a search may go anywhere once is
//! how matchings are augmented.
//!
//! Inertial flow cuts edges, and takes a vertex of each. Here vertices are cut, because the
//! separators are smaller. Of the two least cuts nearest to the sides, the better balanced one is
//! taken.
//!
//! Reference: dinic-1970, pothen-fan-1990, schild-sommer-2015

use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use crate::part::Part;

/// Where a vertex is before the flow.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Side {
    Source,
    Middle,
    Sink,
}

/// Vertices whose removal leaves no path between two sets of the others.
pub(super) struct Separator {
    pub(super) is_in: Vec<bool>,
    pub(super) size: usize,
    /// How many vertices the smaller of the two sets has.
    pub(super) smaller_side: usize,
}

/// The least number of vertices that a separator leaves on either side. Parts that hardly shrink
/// would be cut as often as they have vertices.
const SMALLEST_SIDE: usize = 16;

/// Why two sides have no separator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NoSeparator {
    /// Nearly all vertices of the one are beside the other.
    NoSides,
    /// It would have more vertices than are asked for.
    TooLarge,
}

/// No vertex, or no level.
const NONE: u32 = u32::MAX;
/// The one before the first vertex of a path, or the one after its last.
const END: u32 = u32::MAX - 1;

/// Vertex-disjoint paths from one side to the other.
struct Flow<'a> {
    part: &'a Part,
    sides: &'a [Side],
    next: Vec<u32>,
    previous: Vec<u32>,
    /// Of both states of each vertex.
    levels: Vec<u32>,
    /// The states that a path of this phase has been looked for from.
    is_seen: Vec<bool>,
    /// Which neighbour of a vertex is tried next: those nearer to the goal first, then all.
    cursors: Vec<u32>,
    queue: Vec<u32>,
    path: Vec<u32>,
}

/// The state in which a path arrives at a vertex.
fn arriving(vertex: u32) -> u32 {
    2 * vertex
}

/// The state in which a path leaves a vertex.
fn leaving(vertex: u32) -> u32 {
    2 * vertex + 1
}

/// A least separator of the sides, of no more than `limit` vertices, which other threads may lower
/// meanwhile.
///
/// Sinks beside a source become part of the middle.
pub(super) fn separator(
    part: &Part,
    mut sides: Vec<Side>,
    limit: &AtomicUsize,
) -> Result<Separator, NoSeparator> {
    let n = part.n_vertices();
    let touches_source = |v: u32, sides: &[Side]| {
        part.neighbours(v).iter().any(|&end| sides[end as usize] == Side::Source)
    };
    for v in 0..n as u32 {
        if sides[v as usize] == Side::Sink && touches_source(v, &sides) {
            sides[v as usize] = Side::Middle;
        }
    }
    if !sides.contains(&Side::Sink) {
        return Err(NoSeparator::NoSides);
    }
    let beside = |side: Side| {
        let touches = |&v: &u32| part.neighbours(v).iter().any(|&end| sides[end as usize] == side);
        let middle = (0..n as u32).filter(|&v| sides[v as usize] == Side::Middle);
        middle.filter(touches).collect::<Vec<u32>>()
    };
    let (sources, sinks) = (beside(Side::Source), beside(Side::Sink));
    let mut flow = Flow {
        part,
        sides: &sides,
        next: vec![NONE; n],
        previous: vec![NONE; n],
        levels: vec![NONE; 2 * n],
        is_seen: vec![false; 2 * n],
        cursors: vec![0; n],
        queue: Vec::new(),
        path: Vec::new(),
    };
    let mut size = 0;
    while flow.find_levels(&sources, Side::Sink) {
        flow.reverse();
        flow.is_seen.fill(false);
        flow.cursors.fill(0);
        for &sink in &sinks {
            if flow.augment(sink, Side::Source) {
                size += 1;
                if size > limit.load(Relaxed) {
                    return Err(NoSeparator::TooLarge);
                }
            }
        }
        flow.reverse();
    }
    let near_sources = flow.cut(Side::Source, size);
    flow.reverse();
    flow.find_levels(&sinks, Side::Source);
    let near_sinks = flow.cut(Side::Sink, size);
    let is_better = near_sinks.smaller_side > near_sources.smaller_side;
    let best = if is_better { near_sinks } else { near_sources };
    if best.smaller_side * SMALLEST_SIDE < n {
        return Err(NoSeparator::NoSides);
    }
    limit.fetch_min(size, Relaxed);
    Ok(best)
}

impl Flow<'_> {
    /// Makes it a flow from the sinks to the sources. The levels stay, those of a vertex exchanged:
    /// where a path arrives, one of the other direction leaves.
    fn reverse(&mut self) {
        std::mem::swap(&mut self.next, &mut self.previous);
    }

    /// How many steps each state is away from the `starts`, up to the first beside a vertex of
    /// `goal`; whether there is one.
    fn find_levels(&mut self, starts: &[u32], goal: Side) -> bool {
        let Self { part, sides, next, previous, levels, queue, .. } = self;
        levels.fill(NONE);
        queue.clear();
        let mut enter = |state: u32, level: u32, queue: &mut Vec<u32>| {
            if levels[state as usize] == NONE {
                levels[state as usize] = level;
                queue.push(state);
            }
        };
        for &start in starts {
            enter(arriving(start), 0, queue);
        }
        let (mut level, mut level_end, mut n_expanded) = (0, queue.len(), 0);
        let mut is_reached = false;
        while n_expanded < queue.len() {
            if n_expanded == level_end {
                if is_reached {
                    break;
                }
                (level, level_end) = (level + 1, queue.len());
            }
            let state = queue[n_expanded];
            n_expanded += 1;
            let vertex = state / 2;
            let (after, before) = (next[vertex as usize], previous[vertex as usize]);
            if state == arriving(vertex) {
                match before {
                    NONE => enter(leaving(vertex), level + 1, queue),
                    END => {}
                    before => enter(leaving(before), level + 1, queue),
                }
                continue;
            }
            if after != NONE {
                enter(arriving(vertex), level + 1, queue);
            }
            for &end in part.neighbours(vertex) {
                if sides[end as usize] == goal {
                    is_reached = true;
                } else if sides[end as usize] == Side::Middle {
                    enter(arriving(end), level + 1, queue);
                }
            }
        }
        is_reached
    }

    /// Adds a path from `start` to `goal` of states not seen yet, if there is one. The levels are
    /// those of the other direction.
    fn augment(&mut self, start: u32, goal: Side) -> bool {
        let mut path = std::mem::take(&mut self.path);
        path.clear();
        let mut further = Some(arriving(start)).filter(|&state| !self.is_seen[state as usize]);
        while further != Some(END) {
            match further {
                Some(state) => {
                    self.is_seen[state as usize] = true;
                    path.push(state);
                }
                None => {
                    path.pop();
                }
            }
            let Some(&state) = path.last() else { break };
            further = self.step(state, goal);
        }
        let is_found = !path.is_empty();
        self.add(&path);
        self.path = path;
        is_found
    }

    /// A state not seen yet, or [`END`] beside the goal.
    fn step(&mut self, state: u32, goal: Side) -> Option<u32> {
        let vertex = state / 2;
        let (after, before) = (self.next[vertex as usize], self.previous[vertex as usize]);
        let is_seen = |state: u32| self.is_seen[state as usize];
        if state == arriving(vertex) {
            let further = match before {
                NONE => leaving(vertex),
                END => return None,
                before => leaving(before),
            };
            return Some(further).filter(|&further| !is_seen(further));
        }
        let level = |state: u32| self.levels[(state ^ 1) as usize];
        let neighbours = self.part.neighbours(vertex);
        let cursor = &mut self.cursors[vertex as usize];
        while (*cursor as usize) < 2 * neighbours.len() {
            let is_first_time = (*cursor as usize) < neighbours.len();
            let end = neighbours[*cursor as usize % neighbours.len()];
            let further = arriving(end);
            match self.sides[end as usize] {
                side if side == goal => return Some(END),
                Side::Middle
                    if !is_seen(further) && (!is_first_time || level(further) < level(state)) =>
                {
                    return Some(further);
                }
                _ => *cursor += 1,
            }
        }
        (after != NONE && !is_seen(arriving(vertex))).then(|| arriving(vertex))
    }

    /// Puts a path of states into the flow, and takes out what it goes back along.
    fn add(&mut self, path: &[u32]) {
        let mut from = END;
        for (at, &state) in path.iter().enumerate() {
            let vertex = state / 2;
            let further = path.get(at + 1).map_or(END, |&further| further / 2);
            if state == arriving(vertex) {
                if at == 0 || path[at - 1] != leaving(vertex) {
                    self.previous[vertex as usize] = from;
                }
            } else if further == vertex {
                (self.next[vertex as usize], self.previous[vertex as usize]) = (NONE, NONE);
            } else {
                self.next[vertex as usize] = further;
                from = vertex;
            }
        }
    }

    /// The cut behind which no level was found, where the search started from `from`.
    fn cut(&self, from: Side, size: usize) -> Separator {
        let is_reached = |state: u32| self.levels[state as usize] != NONE;
        let n = self.part.n_vertices();
        let mut is_in = vec![false; n];
        let mut n_near = 0;
        for v in 0..n as u32 {
            let side = self.sides[v as usize];
            let middle = side == Side::Middle;
            is_in[v as usize] = middle && is_reached(arriving(v)) && !is_reached(leaving(v));
            n_near += usize::from(side == from || middle && is_reached(leaving(v)));
        }
        Separator { is_in, size, smaller_side: n_near.min(n - size - n_near) }
    }
}
