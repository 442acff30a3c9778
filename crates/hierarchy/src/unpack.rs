//! From arcs of the hierarchy to arcs of the graph.
//!
//! A shortcut leads through a lower vertex. Its customization has noted the arc from that vertex to
//! the lower end of the shortcut; the one to the higher end is further on in the same row. The two
//! are unpacked in its place. O(length · longest row), and hardly more than O(length), for rows
//! are short near the leaves.
//!
//! Reference: dibbelt-2016

use crate::customize::OF_GRAPH;
use crate::hierarchy::{DOWN, Hierarchy, UP};

/// The arcs of the graph that arcs of the hierarchy lead along, each in its direction, in the
/// order of travel.
pub(crate) fn unpack(
    hierarchy: &Hierarchy,
    origins: &[[u32; 2]],
    steps: impl Iterator<Item = (u32, usize)>,
) -> Vec<usize> {
    let ends = &hierarchy.ends;
    let mut arcs = Vec::new();
    // the next one last; origins are loaded ahead, while others are unpacked
    let mut left = Vec::new();
    let with_origin =
        |arc: u32, direction: usize| (arc, direction, origins[arc as usize][direction]);
    for (arc, direction) in steps {
        left.push(with_origin(arc, direction));
        while let Some((arc, direction, origin)) = left.pop() {
            if origin & OF_GRAPH != 0 {
                arcs.push((origin & !OF_GRAPH) as usize);
                continue;
            }
            // it lies before the shortcut, whose row is a later one
            let further = ends[origin as usize..arc as usize].iter();
            let Some(ahead) = { further }.position(|end| *end == ends[arc as usize]) else {
                continue;
            };
            let to_higher = origin + ahead as u32;
            let (first, second) =
                if direction == UP { (origin, to_higher) } else { (to_higher, origin) };
            left.extend([with_origin(second, UP), with_origin(first, DOWN)]);
        }
    }
    arcs
}
