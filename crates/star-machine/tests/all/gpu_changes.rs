//! Graphs that change have the same tables on every machine after every change. The host changes
//! them with procedures fused and as they are written. Where there is a GPU, it changes them with a
//! launch for each operation and with one launch a change.

use star_machine::algorithms::{
    Change, Dynamic, Room, Runner, Value, dynamic_closure, dynamic_mst, dynamic_paths,
};
use star_machine::{Counting, Cuda, Host};

use crate::both::gpu;

/// Arcs of a graph of `n` vertices, three for each, that follow no pattern.
fn arcs(n: u32) -> Vec<(u32, u32, i64)> {
    let weight = |e| i64::from((e * 31 + e / 5) % 50) + 1;
    (0..3 * n).map(|e| (e % n, (e * e + 7 * e + 3) % n, weight(e))).collect()
}

const CHANGES: &str = "
    insert 0 50 1
    delete 0 50 1
    delete 4 63
    insert 69 5 3
    insert 5 69 2
    delete 12 21
    delete 12 22";

/// Each with changes, some of which can not be made.
fn cases() -> Vec<(&'static str, Dynamic, Vec<Change>)> {
    let arcs = arcs(70);
    let changes = |more: &str| Change::read(&(CHANGES.to_owned() + more)).unwrap();
    let of_vertices = changes("\ndelete-vertex 3\ninsert 3 2\ninsert-vertex 3\ninsert 3 2");
    let room = Room::for_changes(70, &arcs, &of_vertices);
    vec![
        ("dynamic-mst", dynamic_mst(70, &arcs, &room).unwrap(), of_vertices),
        ("dynamic-closure", dynamic_closure(70, &arcs, arcs.len() + 2).unwrap(), changes("")),
        ("dynamic-paths", dynamic_paths(70, &arcs, 9, 60).unwrap(), changes("")),
    ]
}

/// What each change gives, and what all arguments hold after it.
fn states(
    dynamic: &Dynamic,
    changes: &[Change],
    mut run: impl Runner,
) -> Vec<(Option<usize>, Vec<Value>)> {
    let state = |run: &mut _, done| {
        let names = dynamic.task().arguments().map(|(name, _)| name);
        (done, names.map(|name| Runner::get(run, name).unwrap()).collect())
    };
    dynamic.build(&mut run).unwrap();
    let mut states = vec![state(&mut run, None)];
    for change in changes {
        let done = dynamic.apply(&mut run, *change).ok();
        states.push(state(&mut run, done));
    }
    states
}

#[test]
fn changes_are_the_same_on_every_machine() {
    let gpu = gpu();
    for (name, dynamic, changes) in cases() {
        let task = dynamic.task();
        let expected = states(&dynamic, &changes, task.on(&mut Host::new()).unwrap());
        let done = expected.iter().filter(|state| state.0.is_some()).count();
        assert!(done > 3 && done < changes.len(), "{name}: {done}");
        let compare = |machine: &str, found: Vec<(Option<usize>, Vec<Value>)>| {
            for (number, (found, expected)) in found.iter().zip(&expected).enumerate() {
                assert!(found == expected, "{name}, after {number} changes, {machine}");
            }
        };
        let mut counting = Counting::new(Host::new());
        compare("as written", states(&dynamic, &changes, task.on(&mut counting).unwrap()));
        let Some(gpu) = &gpu else { continue };
        let mut cuda = Cuda::new(gpu).unwrap();
        let launches = states(&dynamic, &changes, task.on(&mut cuda).unwrap());
        compare("an operation a launch", launches);
        compare("a change a launch", states(&dynamic, &changes, task.load(gpu).unwrap()));
    }
}
