//! From arcs of the hierarchy to arcs of the graph.
//!
//! A shortcut leads through a lower vertex. Its customization has noted the arc from that vertex to
//! the lower end of the shortcut; the one to the higher end is further on in the same row. The two
//! take its place in a list, and are unpacked in their turn. O(length · longest row), and hardly
//! more than O(length), for rows are short near the leaves.
//!
//! Shortcuts wait in a queue, not on a stack, so that what one needs is prefetched while the others
//! are unpacked: nearly all of it is outside the caches.
//!
//! Reference: dibbelt-2016

use search_parts::prefetch;

use crate::metric::arcs::OF_GRAPH;
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
struct Shortcut {
    arc: u32,
    /// The arc from the middle vertex to the lower end.
    lower: u32,
    /// The depth of the higher end.
    end: u16,
    direction: u16,
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
    /// direction, in the order of travel; `columns` will be read at these. None where a shortcut
    /// does not lead through a vertex or they lead round a cycle, as in a mapped file that another
    /// process writes to.
    pub(crate) fn unpack(
        &mut self,
        hierarchy: &Hierarchy,
        origins: &[[u32; 2]],
        columns: &[u32],
        steps: &mut dyn Iterator<Item = (u32, usize)>,
    ) -> Option<Vec<usize>> {
        let ends = &hierarchy.ends;
        let Self { list, queue } = self;
        list.clear();
        queue.clear();
        let enter =
            |list: &mut Vec<Entry>, queue: &mut Vec<Shortcut>, entry, arc: u32, direction| {
                let origin: u32 = origins[arc as usize][direction];
                if origin & OF_GRAPH == 0 {
                    prefetch(ends, origin as usize);
                    prefetch(origins, origin as usize);
                    let (end, direction) = (ends[arc as usize], direction as u16);
                    queue.push(Shortcut { arc, lower: origin, end, direction, entry });
                } else {
                    let arc = origin & !OF_GRAPH;
                    prefetch(columns, arc as usize);
                    list[entry as usize].arc = arc;
                }
            };
        for (arc, direction) in steps {
            let entry = list.len() as u32;
            list.push(Entry { arc: 0, next: entry + 1 });
            enter(list, queue, entry, arc, direction);
        }
        if let Some(last) = list.last_mut() {
            last.next = END;
        }
        // a path visits a vertex twice only along arcs of weight zero
        let most = 2 * hierarchy.n_vertices();
        let mut n_unpacked = 0;
        while let Some(&Shortcut { arc, lower, end, direction, entry }) = queue.get(n_unpacked) {
            n_unpacked += 1;
            if list.len() > most {
                return None;
            }
            // arcs of lower vertices come before
            let row = ends.get(lower as usize..arc as usize)?;
            let higher = lower + row.iter().position(|other| *other == end)? as u32;
            let up = usize::from(direction) == UP;
            let (first, second) = if up { (lower, higher) } else { (higher, lower) };
            let after = list.len() as u32;
            let next = std::mem::replace(&mut list[entry as usize].next, after);
            list.push(Entry { arc: 0, next });
            enter(list, queue, entry, first, DOWN);
            enter(list, queue, after, second, UP);
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
