//! A least set of vertices that separates two sides of a part: a maximum flow.
//!
//! Paths from the one side to the other that share no vertex are found by Dinic's algorithm:
//! levels by breadth-first search, then depth-first searches along them until they find no
//! more. The vertices between the sides have capacity one, those of the sides any. A vertex is
//! two states, where a path may arrive (in) and where it may leave (out). O(m √n), and hardly
//! more than O(m) for the short separators of road networks.
//!
//! Inertial flow cuts edges, and takes a vertex of each; here vertices are cut, because the
//! separators are smaller, and of the two least cuts nearest to the sides the one that is better
//! balanced is taken.
//!
//! Reference: dinic-1970, schild-sommer-2015

use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use super::part::Part;

/// Where a vertex is before the flow.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Side {
    Source,
    Middle,
    Sink,
}

/// Vertices whose removal leaves no path between two sets of the others.
pub(crate) struct Separator {
    pub(crate) is_in: Vec<bool>,
    pub(crate) size: usize,
    /// How many vertices the smaller of the two sets has.
    pub(crate) smaller_side: usize,
}

/// A separator leaves one of so many vertices on either side, or is not taken: parts that hardly
/// shrink would be cut as often as they have vertices.
const SMALLEST_SIDE: usize = 16;

/// Why two sides have no separator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NoSeparator {
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
    /// Which neighbour of a vertex is tried next.
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
pub(crate) fn separator(
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
    let sources: Vec<u32> = (0..n as u32)
        .filter(|&v| sides[v as usize] == Side::Middle && touches_source(v, &sides))
        .collect();
    let mut flow = Flow {
        part,
        sides: &sides,
        next: vec![NONE; n],
        previous: vec![NONE; n],
        levels: vec![NONE; 2 * n],
        cursors: vec![0; n],
        queue: Vec::new(),
        path: Vec::new(),
    };
    let mut size = 0;
    while flow.find_levels(&sources, Side::Sink) {
        flow.cursors.fill(0);
        for &source in &sources {
            if flow.augment(source) {
                size += 1;
                if size > limit.load(Relaxed) {
                    return Err(NoSeparator::TooLarge);
                }
            }
        }
    }
    let near_sources = flow.cut(Side::Source, size);
    // the flow backwards is one from the sinks to the sources
    let touches_sink =
        |v: u32| part.neighbours(v).iter().any(|&end| sides[end as usize] == Side::Sink);
    let sinks: Vec<u32> =
        (0..n as u32).filter(|&v| sides[v as usize] == Side::Middle && touches_sink(v)).collect();
    std::mem::swap(&mut flow.next, &mut flow.previous);
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

    /// Adds a path from `start` to the sinks along ascending levels, if one is left.
    fn augment(&mut self, start: u32) -> bool {
        let mut path = std::mem::take(&mut self.path);
        path.clear();
        path.push(arriving(start));
        let mut is_found = self.levels[arriving(start) as usize] != NONE;
        while is_found && let Some(&state) = path.last() {
            match self.step(state) {
                Some(END) => break,
                Some(further) => path.push(further),
                None => {
                    // no path goes on from here in this phase
                    self.levels[state as usize] = NONE;
                    path.pop();
                    is_found = !path.is_empty();
                }
            }
        }
        if is_found {
            self.add(&path);
        }
        self.path = path;
        is_found
    }

    /// A state one level further, or [`END`] beside a sink.
    fn step(&mut self, state: u32) -> Option<u32> {
        let vertex = state / 2;
        let level = self.levels[state as usize];
        let is_further = |levels: &[u32], state: u32| levels[state as usize] == level + 1;
        let (after, before) = (self.next[vertex as usize], self.previous[vertex as usize]);
        if state == arriving(vertex) {
            let further = match before {
                NONE => leaving(vertex),
                END => return None,
                before => leaving(before),
            };
            return is_further(&self.levels, further).then_some(further);
        }
        let neighbours = self.part.neighbours(vertex);
        let cursor = &mut self.cursors[vertex as usize];
        while let Some(&end) = neighbours.get(*cursor as usize) {
            match self.sides[end as usize] {
                Side::Sink => return Some(END),
                Side::Middle if is_further(&self.levels, arriving(end)) => {
                    return Some(arriving(end));
                }
                _ => *cursor += 1,
            }
        }
        (after != NONE && is_further(&self.levels, arriving(vertex))).then(|| arriving(vertex))
    }

    /// Puts a path of states into the flow, and takes out what it goes back along.
    fn add(&mut self, path: &[u32]) {
        let mut from = END;
        for (at, &state) in path.iter().enumerate() {
            // each state is on one path of a phase at most
            self.levels[state as usize] = NONE;
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
