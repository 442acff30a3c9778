//! The graph algorithms have the same results on every machine, all of their arguments. The host
//! runs them with procedures fused and as they are written. Where there is a GPU, it runs them with
//! a launch for each operation and with one launch.

use star_machine::algorithms::{
    EdgeList, Runner, SignedMatrix, Task, Value, WeightMatrix, arborescence, bellman_ford,
    dijkstra, edmonds, floyd, floyd_signed, gabow, kruskal, prim,
};
use star_machine::{Counting, Cuda, Host};

use crate::both::gpu;

/// Arcs of a graph of `n` vertices, three for each, that follow no pattern.
pub(crate) fn arcs(n: u32) -> Vec<(u32, u32, i64)> {
    (0..3 * n).map(|e| (e % n, (e * e + 7 * e + 3) % n, i64::from((e * 31 + e / 5) % 50))).collect()
}

/// Each algorithm on a small graph, by a name.
fn tasks() -> Vec<(&'static str, Task)> {
    let arcs = arcs(90);
    let out = WeightMatrix::leaving(90, &arcs).unwrap();
    let into = WeightMatrix::entering(90, &arcs).unwrap();
    // some negative, and a cycle that is
    let lowered = |by| arcs.iter().map(|&(u, v, w)| (u, v, w - by)).collect::<Vec<_>>();
    let signed = |by| SignedMatrix::leaving(90, &lowered(by)).unwrap();
    let entering = |by| SignedMatrix::entering(90, &lowered(by)).unwrap();
    let edges = EdgeList::new(90, &lowered(9)).unwrap();
    // with a ring, so that trees join all
    let ring = (0..90).map(|v| (v, (v + 1) % 90, 40));
    let joined: Vec<_> = lowered(9).into_iter().chain(ring).collect();
    let symmetric = WeightMatrix::symmetric(90, &joined).unwrap();
    vec![
        ("dijkstra", dijkstra(&out, 7).unwrap()),
        ("floyd", floyd(&into).unwrap()),
        ("floyd, signed", floyd_signed(&entering(0)).unwrap()),
        ("floyd, a negative cycle", floyd_signed(&entering(40)).unwrap()),
        ("bellman_ford", bellman_ford(&signed(1), 7).unwrap()),
        ("bellman_ford, a negative cycle", bellman_ford(&signed(40), 7).unwrap()),
        ("kruskal", kruskal(&edges).unwrap()),
        ("prim", prim(&edges, 7).unwrap()),
        ("edmonds", edmonds(90, &lowered(9)).unwrap()),
        ("arborescence", arborescence(90, &joined, 7).unwrap()),
        ("gabow", gabow(&symmetric, 11, 9..=9).unwrap()),
        ("gabow, no tree", gabow(&symmetric, 11, 60..=60).unwrap()),
    ]
}

/// What all arguments hold after a run.
fn after(task: &Task, mut run: impl Runner) -> Vec<Value> {
    run.run().unwrap();
    task.arguments().map(|(name, _)| run.get(name).unwrap()).collect()
}

#[test]
fn algorithms_are_the_same_on_every_machine() {
    let gpu = gpu();
    for (name, task) in tasks() {
        let expected = after(&task, task.on(&mut Host::new()).unwrap());
        let compare = |machine: &str, found: Vec<Value>| {
            for (((argument, _), found), expected) in task.arguments().zip(&found).zip(&expected) {
                assert!(found == expected, "{name}: {argument}, {machine}");
            }
        };
        let mut counting = Counting::new(Host::new());
        compare("as it is written", after(&task, task.on(&mut counting).unwrap()));
        let Some(gpu) = &gpu else { continue };
        let mut cuda = Cuda::new(gpu).unwrap();
        compare("an operation a launch", after(&task, task.on(&mut cuda).unwrap()));
        compare("in one launch", after(&task, task.load(gpu).unwrap()));
    }
}
