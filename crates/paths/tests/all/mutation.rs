//! The certificates are shown wrong answers, and must say what is wrong with each.

use graph_formats::{Csr, VertexId};
use paths::certificate::{
    Violation, check_distances, check_nearest, check_negative_cycle, check_tree,
};
use paths::{Distances, Nearest, Predecessors, Total, Tree, oracle};
use proptest::prelude::*;
use test_support::arbitrary_graph;

const NONE: u32 = u32::MAX;
const FAR: u64 = u64::MAX;

/// 0 →2 1 →0 2 →0 1 is a plateau with a cycle of weight zero behind the source. Then come 2 →3 3
/// and a heavier 0 →9 3. Vertex 4 has an arc to 0 and is not reached.
fn graph() -> Csr<u32> {
    let arcs = [(0, 1, 2), (1, 2, 0), (2, 1, 0), (2, 3, 3), (0, 3, 9), (4, 0, 1)];
    Csr::from_arcs(5, &arcs).unwrap()
}

const RIGHT: [u64; 5] = [0, 2, 2, 5, FAR];
const PREDECESSORS: [u32; 5] = [NONE, 0, 1, 2, NONE];

/// The verdict on distances from 0, of which those named are replaced.
fn distances(changes: &[(usize, u64)]) -> Result<(), Violation> {
    let mut distances = RIGHT;
    changes.iter().for_each(|&(v, d)| distances[v] = d);
    check_distances(&graph(), 0, None, &Distances::from_storage(distances.to_vec()))
}

/// The verdict on the right distances with some predecessors replaced.
fn predecessors(changes: &[(usize, u32)]) -> Result<(), Violation> {
    let mut tree = tree();
    let mut predecessors = PREDECESSORS;
    changes.iter().for_each(|&(v, p)| predecessors[v] = p);
    tree.predecessors = Predecessors::from_storage(predecessors.to_vec());
    check_tree(&graph(), &tree)
}

fn tree() -> Tree<u32> {
    Tree {
        source: 0,
        limit: None,
        distances: Distances::from_storage(RIGHT.to_vec()),
        predecessors: Predecessors::from_storage(PREDECESSORS.to_vec()),
    }
}

#[test]
fn wrong_distances_are_rejected() {
    distances(&[]).unwrap();
    assert_violation!(distances(&[(3, 4)]), Unrealised { vertex: 3, source_vertex: 0, .. });
    assert_violation!(distances(&[(3, 6)]), TooFar { from: 2, to: 3, .. });
    assert_violation!(distances(&[(1, 1)]), TooFar { from: 1, to: 2, .. });
    assert_violation!(distances(&[(0, 1)]), SourceDistance { source_vertex: 0, .. });
    assert_violation!(distances(&[(0, FAR)]), SourceDistance { distance: None, .. });
    assert_violation!(distances(&[(3, FAR)]), Missed { from: 0, to: 3, .. });
    assert_violation!(distances(&[(4, 7)]), Unrealised { vertex: 4, .. });
    // a whole plateau lowered supports itself, and would fool a look at tight arcs alone
    assert_violation!(distances(&[(1, 1), (2, 1), (3, 4)]), Unrealised { vertex: 1, .. });
    // and so would vertices that only reach each other
    let apart = Csr::from_arcs(3, &[(1, 2, 0u32), (2, 1, 0)]).unwrap();
    let invented = Distances::from_storage(vec![0, 7, 7]);
    assert_violation!(check_distances(&apart, 0, None, &invented), Unrealised { vertex: 1, .. });
    // all of a component missing
    assert_violation!(distances(&[(1, FAR), (2, FAR), (3, FAR)]), Missed { from: 0, to: 1, .. });
}

#[test]
fn wrong_sizes_and_sources_are_rejected() {
    let check = |source, storage: &[u64]| {
        check_distances(&graph(), source, None, &Distances::from_storage(storage.to_vec()))
    };
    assert_violation!(
        check(0, &RIGHT[..4]),
        WrongLength { what: "distances", expected: 5, found: 4 }
    );
    assert_violation!(check(0, &[RIGHT.as_slice(), &[FAR]].concat()), WrongLength { found: 6, .. });
    assert_violation!(check(5, &RIGHT), SourceOutOfRange { source_vertex: 5, n_vertices: 5 });
    assert_violation!(check(1, &RIGHT), SourceDistance { source_vertex: 1, .. });
    let empty = Csr::<u32>::from_arcs(0, &[]).unwrap();
    let nothing = Distances::from_storage(Vec::new());
    assert_violation!(check_distances(&empty, 0, None, &nothing), SourceOutOfRange { .. });
    let mut short = tree();
    short.predecessors = Predecessors::from_storage(PREDECESSORS[..3].to_vec());
    assert_violation!(check_tree(&graph(), &short), WrongLength { what: "predecessors", .. });
    let other = Tree { source: 4, ..tree() };
    assert_violation!(check_tree(&graph(), &other), SourceDistance { source_vertex: 4, .. });
}

#[test]
fn wrong_predecessors_are_rejected() {
    predecessors(&[]).unwrap();
    assert_violation!(predecessors(&[(3, 1)]), PredecessorWithoutArc { vertex: 3, predecessor: 1 });
    assert_violation!(predecessors(&[(3, 0)]), PredecessorNotTight { vertex: 3, .. });
    assert_violation!(predecessors(&[(1, 2)]), PredecessorCycle { vertex: 1 });
    assert_violation!(predecessors(&[(2, 2)]), PredecessorWithoutArc { vertex: 2, .. });
    assert_violation!(predecessors(&[(3, 4)]), PredecessorUnreached { vertex: 3, predecessor: 4 });
    assert_violation!(predecessors(&[(3, 77)]), PredecessorUnreached { predecessor: 77, .. });
    assert_violation!(predecessors(&[(3, NONE)]), NoPredecessor { vertex: 3 });
    assert_violation!(predecessors(&[(4, 0)]), UnreachedPredecessor { vertex: 4, predecessor: 0 });
    assert_violation!(
        predecessors(&[(0, 4)]),
        SourcePredecessor { source_vertex: 0, predecessor: 4 }
    );
    // a self-loop of weight zero is a cycle of one
    let looped = Csr::from_arcs(2, &[(0, 1, 2u32), (1, 1, 0)]).unwrap();
    let mut tree = oracle::tree(&looped, 0, None).unwrap();
    tree.predecessors = Predecessors::from_iter([None, Some(1)]);
    assert_violation!(check_tree(&looped, &tree), PredecessorCycle { vertex: 1 });
}

#[test]
fn wrong_distances_in_a_tree_are_rejected() {
    let with = |storage: [u64; 5]| {
        let tree = Tree { distances: Distances::from_storage(storage.to_vec()), ..tree() };
        check_tree(&graph(), &tree)
    };
    assert_violation!(with([0, 2, 2, 6, FAR]), TooFar { from: 2, to: 3, .. });
    assert_violation!(with([0, 2, 2, 4, FAR]), PredecessorNotTight { vertex: 3, .. });
    assert_violation!(with([0, 2, 2, FAR, FAR]), UnreachedPredecessor { vertex: 3, .. });
    assert_violation!(with([0, 2, 2, 5, 9]), NoPredecessor { vertex: 4 });
    // vertex 2 is the one to blame, whichever is met first
    assert_violation!(with([0, 1, 1, 4, FAR]), PredecessorNotTight { vertex: 1, .. });
}

#[test]
fn wrong_limits_are_rejected() {
    let check = |limit, storage: &[u64]| {
        check_distances(&graph(), 0, Some(limit), &Distances::from_storage(storage.to_vec()))
    };
    check(5, &RIGHT).unwrap();
    check(4, &[0, 2, 2, FAR, FAR]).unwrap();
    assert_violation!(check(4, &RIGHT), BeyondLimit { vertex: 3, .. });
    assert_violation!(check(5, &[0, 2, 2, FAR, FAR]), Missed { from: 2, to: 3, .. });
    assert_violation!(check(1, &[0, 2, 2, FAR, FAR]), BeyondLimit { vertex: 1, .. });
    let unlimited = Tree { limit: None, ..oracle::tree(&graph(), 0, Some(4)).unwrap() };
    assert_violation!(check_tree(&graph(), &unlimited), Missed { from: 0, to: 3, .. });
    let lower = Tree { limit: Some(1), ..tree() };
    assert_violation!(check_tree(&graph(), &lower), BeyondLimit { vertex: 1, .. });
    // limits that no distance is within, which must not silence every arc
    let lonely = Csr::from_arcs(2, &[(0, 1, 1.0f64)]).unwrap();
    for limit in [f64::NAN, -1.0] {
        let distances = Distances::from_iter([Some(0.0), None]);
        let verdict = check_distances(&lonely, 0, Some(limit), &distances);
        assert_violation!(verdict, BeyondLimit { vertex: 0, .. });
    }
}

#[test]
fn floats_that_are_no_numbers_are_rejected() {
    let graph = Csr::from_arcs(3, &[(0, 1, 1.5f32), (1, 2, 1.0), (2, 1, 0.0)]).unwrap();
    let check = |storage: [f32; 3]| {
        check_distances(&graph, 0, None, &Distances::from_storage(storage.to_vec()))
    };
    check([0.0, 1.5, 2.5]).unwrap();
    check([-0.0, 1.5, 2.5]).unwrap();
    assert_violation!(check([0.0, 1.5, f32::NAN]), Unrealised { vertex: 2, .. });
    assert_violation!(check([0.0, f32::NAN, f32::NAN]), Unrealised { vertex: 1, .. });
    assert_violation!(check([f32::NAN, 1.5, 2.5]), SourceDistance { .. });
    assert_violation!(check([0.0, f32::NEG_INFINITY, 2.5]), Unrealised { vertex: 1, .. });
    assert_violation!(check([0.0, 1.5, 2.5000002]), TooFar { from: 1, to: 2, .. });
}

#[test]
fn sums_below_the_range_of_the_type_cannot_be_obeyed() {
    let graph = Csr::from_arcs(3, &[(0, 1, i64::MIN), (1, 2, -1)]).unwrap();
    let distances = Distances::from_iter([Some(0), Some(i64::MIN), Some(i64::MIN)]);
    let verdict = check_distances(&graph, 0, None, &distances);
    assert_violation!(verdict, TooFar { from: 1, to: 2, .. });
}

/// 0 →1 2 ←1 1 (a tie at 2), 2 →0 3, 4 apart and no source.
fn ties() -> Csr<u32> {
    Csr::from_arcs(5, &[(0, 2, 1), (1, 2, 1), (2, 3, 0), (3, 2, 0)]).unwrap()
}

fn nearest(distances: [u64; 5], owners: [u32; 5]) -> Result<(), Violation> {
    let nearest = Nearest::from_storage(Distances::from_storage(distances.to_vec()), owners.into());
    check_nearest(&ties(), &[1, 0], &nearest)
}

#[test]
fn wrong_owners_are_rejected() {
    let right = [0, 0, 1, 1, FAR];
    nearest(right, [0, 1, 0, 0, NONE]).unwrap();
    // swapped
    assert_violation!(nearest(right, [1, 0, 0, 0, NONE]), TieToLarger { vertex: 0, owner: 1, .. });
    // the tie given to the larger, at one vertex or at all
    assert_violation!(
        nearest(right, [0, 1, 1, 0, NONE]),
        TieToLarger { vertex: 2, owner: 1, smaller: 0 }
    );
    assert_violation!(nearest(right, [0, 1, 0, 1, NONE]), TieToLarger { vertex: 3, .. });
    assert_violation!(nearest(right, [0, 1, 1, 1, NONE]), TieToLarger { vertex: 2, .. });
    // an owner that has no path
    assert_violation!(nearest(right, [0, 0, 0, 0, NONE]), Unrealised { vertex: 1, .. });
    assert_violation!(nearest(right, [0, 1, 2, 0, NONE]), OwnerNotSource { vertex: 2, owner: 2 });
    assert_violation!(nearest(right, [0, 1, 9, 0, NONE]), OwnerNotSource { vertex: 2, owner: 9 });
    assert_violation!(
        nearest(right, [0, 1, 0, NONE, NONE]),
        HalfOwned { vertex: 3, owner: None, .. }
    );
    assert_violation!(nearest(right, [0, 1, 0, 0, 0]), HalfOwned { vertex: 4, distance: None, .. });
    // vertices on a cycle of weight zero that own each other's label for a smaller source
    let cycle = Csr::from_arcs(4, &[(1, 2, 5u32), (2, 3, 0), (3, 2, 0)]).unwrap();
    let invented =
        Nearest::from_storage(Distances::from_storage(vec![0, 0, 5, 5]), vec![0, 1, 0, 0]);
    let verdict = check_nearest(&cycle, &[0, 1], &invented);
    assert_violation!(verdict, Unrealised { vertex: 2, source_vertex: 0, .. });
}

#[test]
fn wrong_nearest_distances_are_rejected() {
    let owners = [0, 1, 0, 0, NONE];
    assert_violation!(nearest([0, 0, 2, 1, FAR], owners), TooFar { from: 0, to: 2, .. });
    assert_violation!(nearest([0, 0, 0, 0, FAR], owners), Unrealised { vertex: 2, .. });
    assert_violation!(nearest([0, 2, 1, 1, FAR], owners), SourceDistance { source_vertex: 1, .. });
    assert_violation!(
        nearest([0, FAR, 1, 1, FAR], [0, NONE, 0, 0, NONE]),
        SourceDistance { source_vertex: 1, distance: None }
    );
    assert_violation!(
        nearest([0, 0, FAR, FAR, FAR], [0, 1, NONE, NONE, NONE]),
        Missed { from: 0, to: 2, .. }
    );
    assert_violation!(nearest([0, 0, 1, 1, 8], [0, 1, 0, 0, 1]), Unrealised { vertex: 4, .. });
    let short = Nearest::from_storage(Distances::from_storage(vec![0; 5]), vec![0; 4]);
    assert_violation!(check_nearest(&ties(), &[0], &short), WrongLength { what: "owners", .. });
    let short = Nearest::from_storage(Distances::from_storage(vec![0; 4]), vec![0; 5]);
    assert_violation!(check_nearest(&ties(), &[0], &short), WrongLength { what: "distances", .. });
    let right = oracle::nearest(&ties(), &[0]).unwrap();
    assert_violation!(check_nearest(&ties(), &[5], &right), SourceOutOfRange { .. });
    assert_violation!(check_nearest(&ties(), &[], &right), OwnerNotSource { vertex: 0, .. });
}

#[test]
fn wrong_cycles_are_rejected() {
    let arcs = [(0, 1, 1), (1, 2, -3), (2, 0, 1), (0, 1, 9), (2, 1, 3), (3, 3, -1), (1, 1, 0)];
    let graph = Csr::from_arcs(4, &arcs).unwrap();
    let check = |cycle: &[VertexId]| check_negative_cycle::<i32>(&graph, cycle);
    check(&[0, 1, 2]).unwrap();
    check(&[2, 0, 1]).unwrap();
    check(&[3]).unwrap();
    assert_violation!(check(&[]), CycleEmpty);
    assert_violation!(check(&[1, 2]), CycleNotNegative { total: Total::Integer(0) });
    assert_violation!(check(&[1]), CycleNotNegative { .. });
    assert_violation!(check(&[0]), CycleWithoutArc { from: 0, to: 0 });
    assert_violation!(check(&[2, 1, 0]), CycleWithoutArc { from: 1, to: 0 });
    assert_violation!(check(&[0, 1]), CycleWithoutArc { from: 1, to: 0 });
    assert_violation!(check(&[0, 1, 2, 0]), CycleRepeats { vertex: 0 });
    assert_violation!(check(&[3, 3]), CycleRepeats { vertex: 3 });
    assert_violation!(check(&[1, 2, 1, 2]), CycleRepeats { vertex: 1 });
    assert_violation!(check(&[4]), CycleWithoutArc { from: 4, .. });
    let floats = Csr::from_arcs(2, &[(0, 1, 0.5f32), (1, 0, -0.5)]).unwrap();
    assert_violation!(check_negative_cycle(&floats, &[0, 1]), CycleNotNegative { .. });
}

proptest! {
    /// Distances are unique: any change to any of them is noticed.
    #[test]
    fn every_change_of_a_distance_is_rejected(
        graph in arbitrary_graph::<i64>(8, 24, 0..=3),
        vertex in 0usize..8,
        changed in prop::option::of(-1i64..12),
        limit in prop::option::of(0i64..8),
    ) {
        let right = oracle::tree(&graph, 0, limit).unwrap().distances;
        let mut wrong: Vec<_> = right.iter().collect();
        let vertex = vertex % wrong.len();
        wrong[vertex] = changed;
        let wrong = Distances::from_iter(wrong);
        let verdict = check_distances(&graph, 0, limit, &wrong);
        prop_assert_eq!(verdict.is_ok(), wrong == right, "{:?}", verdict);
    }

    /// Nearest sources are unique too.
    #[test]
    fn every_change_of_an_owner_is_rejected(
        graph in arbitrary_graph::<u32>(8, 24, 0..=2),
        sources in prop::collection::vec(0u32..8, 1..4),
        changes in prop::collection::vec((0usize..8, 0u32..9, 0u64..8), 1..4),
    ) {
        let n = graph.n_vertices();
        let sources: Vec<_> = sources.into_iter().map(|s| s % n as u32).collect();
        let right = oracle::nearest(&graph, &sources).unwrap();
        let mut distances = right.distances.as_storage().to_vec();
        let mut owners = right.owners_as_storage().to_vec();
        for (vertex, owner, distance) in changes {
            owners[vertex % n] = if owner == 8 { NONE } else { owner };
            if distance < 7 {
                distances[vertex % n] = distance;
            }
        }
        let wrong = Nearest::from_storage(Distances::from_storage(distances), owners);
        let verdict = check_nearest(&graph, &sources, &wrong);
        prop_assert_eq!(verdict.is_ok(), wrong == right, "{:?}", verdict);
    }

    /// Predecessors pass exactly when each path, walked, has the length that is claimed.
    #[test]
    fn changed_predecessors_pass_only_as_paths(
        graph in arbitrary_graph::<u32>(8, 24, 0..=2),
        changes in prop::collection::vec((0usize..8, 0u32..9), 1..4),
    ) {
        let mut tree = oracle::tree(&graph, 0, None).unwrap();
        let mut storage = tree.predecessors.as_storage().to_vec();
        for (vertex, predecessor) in changes {
            let vertex = vertex % storage.len();
            storage[vertex] = if predecessor == 8 { NONE } else { predecessor };
        }
        tree.predecessors = Predecessors::from_storage(storage);
        let cheapest = |u, v| graph.arcs_from(u).filter(|arc| arc.0 == v).map(|arc| arc.1).min();
        let walked = |v| -> Option<u64> {
            let path = tree.path_to(v)?;
            path.windows(2).map(|arc| cheapest(arc[0], arc[1]).map(u64::from)).sum()
        };
        let sound = tree.predecessors.get(0).is_none()
            && graph.vertices().all(|v| walked(v) == tree.distance(v))
            && graph.vertices().all(|v| {
                tree.distance(v).is_some() || tree.predecessors.get(v).is_none()
            });
        let verdict = check_tree(&graph, &tree);
        prop_assert_eq!(verdict.is_ok(), sound, "{:?}", verdict);
    }
}
