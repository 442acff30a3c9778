//! Where vertices lie: two numbers for each, which tell far vertices apart.
//!
//! Without coordinates the first is the difference of the hops from two landmarks at the two ends
//! of the part, the second that of two others beside the line between them. A landmark is a vertex
//! as far from those before it as there is. Each part has landmarks of its own. O(n + m).

use std::collections::VecDeque;

use crate::part::Part;

/// Positions of the vertices of a connected part, by the hops from four landmarks.
pub(super) fn by_landmarks(part: &Part) -> Vec<[f64; 2]> {
    let n = part.n_vertices();
    let farthest =
        |hops: &dyn Fn(usize) -> u32| (0..n).max_by_key(|&v| (hops(v), n - v)).unwrap_or(0);
    let start = hops_from(part, 0);
    let west = hops_from(part, farthest(&|v| start[v]));
    let east = hops_from(part, farthest(&|v| west[v]));
    let south = hops_from(part, farthest(&|v| west[v].min(east[v])));
    let north = hops_from(part, farthest(&|v| west[v].min(east[v]).min(south[v])));
    let difference = |a: u32, b: u32| f64::from(a) - f64::from(b);
    (0..n).map(|v| [difference(west[v], east[v]), difference(south[v], north[v])]).collect()
}

/// How many steps each vertex of a connected part is from `start`.
fn hops_from(part: &Part, start: usize) -> Vec<u32> {
    let mut hops = vec![u32::MAX; part.n_vertices()];
    hops[start] = 0;
    let mut queue = VecDeque::from([start as u32]);
    while let Some(vertex) = queue.pop_front() {
        for &end in part.neighbours(vertex) {
            if hops[end as usize] == u32::MAX {
                hops[end as usize] = hops[vertex as usize] + 1;
                queue.push_back(end);
            }
        }
    }
    hops
}
