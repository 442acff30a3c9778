//! From arcs of the hierarchy to arcs of the graph.
//!
//! A shortcut leads through a lower vertex. Its customization has [noted](Origins) the arcs from
//! that vertex to the lower and the higher end of the shortcut. The two take its place in a list, and
//! are unpacked in their turn. O(length); where the second is too far from the first to be noted it
//! is searched for in the row of the two.
//!
//! Shortcuts wait in a queue, not on a stack, so that what one needs is prefetched while the others
//! are unpacked: nearly all of it is outside the caches.
//!
//! Reference: dibbelt-2016

use std::hint::select_unpredictable;

use search_parts::prefetch;

use crate::labels::steps::Step;
use crate::metric::arcs::{OF_GRAPH, Origins};
use crate::prepare::hierarchy::{DOWN, Hierarchy, UP};

/// No entry.
const END: u32 = u32::MAX;

/// The work space, which stays from one path to the next.
#[derive(Default)]
pub(crate) struct Unpacker {
    list: Vec<Entry>,
    queue: Vec<Shortcut>,
}

/// A shortcut to be unpacked.
#[derive(Clone, Copy)]
struct Shortcut {
    arc: u32,
    origin: u32,
    direction: u32,
    /// Its entry in the list.
    entry: u32,
}

/// Arcs of the graph in the order of travel, linked, while they are found.
#[derive(Clone, Copy)]
struct Entry {
    arc: u32,
    next: u32,
}

impl Unpacker {
    /// The arcs of the graph that `steps`, arcs of the hierarchy, lead along, each in its
    /// direction, in the order of travel. None where a shortcut does not lead through a vertex or
    /// they lead round a cycle, as in a mapped file that another process writes to.
    pub(crate) fn unpack(
        &mut self,
        hierarchy: &Hierarchy,
        origins: &[[u32; 2]],
        steps: &[Step],
    ) -> Option<Vec<usize>> {
        let ways = Origins::of(origins.len());
        let Self { list, queue } = self;
        list.clear();
        queue.clear();
        // without branches: half of the arcs are of the graph, and nothing foretells which
        let enter = |list: &mut Vec<Entry>, queue: &mut Vec<Shortcut>, entry, arc, direction| {
            let origin: u32 = origins.get(arc as usize)?[direction];
            let is_shortcut = origin & OF_GRAPH == 0;
            prefetch(origins, select_unpredictable(is_shortcut, ways.lower(origin), arc) as usize);
            list[entry as usize].arc = origin & !OF_GRAPH;
            let n_shortcuts = queue.len() + usize::from(is_shortcut);
            queue.push(Shortcut { arc, origin, direction: direction as u32, entry });
            queue.truncate(n_shortcuts);
            Some(())
        };
        for &(arc, direction) in steps {
            let entry = list.len() as u32;
            list.push(Entry { arc: 0, next: entry + 1 });
            enter(list, queue, entry, arc, direction)?;
        }
        if let Some(last) = list.last_mut() {
            last.next = END;
        }
        // a path visits a vertex twice only along arcs of weight zero
        let most = 2 * hierarchy.n_vertices();
        let mut n_unpacked = 0;
        while let Some(&Shortcut { arc, origin, direction, entry }) = queue.get(n_unpacked) {
            n_unpacked += 1;
            if list.len() > most {
                return None;
            }
            let lower = ways.lower(origin);
            let higher = ways.higher(origin).or_else(|| higher(hierarchy, lower, arc))?;
            let up = direction as usize == UP;
            let (first, second) = if up { (lower, higher) } else { (higher, lower) };
            let after = list.len() as u32;
            let next = std::mem::replace(&mut list[entry as usize].next, after);
            list.push(Entry { arc: 0, next });
            enter(list, queue, entry, first, DOWN)?;
            enter(list, queue, after, second, UP)?;
        }
        let mut arcs = Vec::with_capacity(list.len());
        let mut next = if list.is_empty() { END } else { 0 };
        while let Some(entry) = list.get(next as usize) {
            arcs.push(entry.arc as usize);
            next = entry.next;
        }
        Some(arcs)
    }
}

/// The arc that is in one row with another and ends where a shortcut does, which begins higher.
fn higher(hierarchy: &Hierarchy, lower: u32, shortcut: u32) -> Option<u32> {
    // arcs of lower vertices come before
    let (row, shortcut) = (lower as usize..shortcut as usize, shortcut as usize);
    let end = hierarchy.ends[shortcut];
    let place = hierarchy.ends.get(row)?.iter().position(|&other| other == end)?;
    Some(lower + place as u32)
}
