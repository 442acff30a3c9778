//! Dijkstra's algorithm on the machine: distances and tree by certificate, the order in which
//! vertices are settled by the plainest method, and what it costs.

use graph_formats::{Csr, VertexId};
use paths::certificate::check_tree;
use paths::{Distances, Predecessors, Tree};
use proptest::prelude::*;
use star_machine::algorithms::{DIJKSTRA, Edge, Runner, Task, Value, WeightMatrix, dijkstra};
use star_machine::{CountFrom, Counting, Host, StarError, Table};
use test_support::{arbitrary_graph, corner_cases};

use crate::common::{arcs, ran, replaced};

fn task(graph: &Csr<u32>, source: VertexId) -> Task {
    dijkstra(&WeightMatrix::leaving(graph.n_vertices(), &arcs(graph)).unwrap(), source).unwrap()
}

/// The text with a table that has, in its rows, the vertices in the order in which they are
/// settled.
fn with_order(text: &str) -> String {
    let parts = [
        ["var Z: slice(D));", "var Z: slice(D); var O: table(P));"],
        ["i: integer;\n", "i, n: integer;\n"],
        ["SET(U);", "n := 0;  SET(U);"],
        ["U(i) := 0;", "U(i) := 0;  ROW(n, O) := WORD(i);  n := n + 1;"],
    ];
    parts.into_iter().fold(text.to_owned(), |text, part| replaced(&text, part))
}

/// What a run of the text leaves: the tree, and the order.
pub(crate) fn run(graph: &Csr<u32>, source: VertexId, text: &str) -> (Tree<u32>, Vec<VertexId>) {
    let task = task(graph, source);
    let (n, code_bits) = (graph.n_vertices(), code_bits(&task));
    let order = Value::Table(Table::zeros(n, code_bits).unwrap());
    let values = task.arguments().map(|(_, value)| value.clone()).chain([order]);
    let task = Task::new(&with_order(text), values, CountFrom::Zero).unwrap();
    let mut m = Host::new();
    let mut run = ran(&task, &mut m).unwrap();
    let reached = run.slice("Z").unwrap();
    let mut values = |name| run.table(name).unwrap().to_values().unwrap();
    let (distances, before, order) = (values("D"), values("P"), values("O"));
    let at = |v: VertexId| reached.get(v as usize).unwrap().then_some(v as usize);
    let tree = Tree {
        source,
        limit: None,
        distances: graph.vertices().map(|v| at(v).map(|v| distances[v])).collect::<Distances<_>>(),
        predecessors: graph
            .vertices()
            .map(|v| at(v).filter(|_| v != source).map(|v| before[v] as VertexId))
            .collect::<Predecessors>(),
    };
    let order = order.into_iter().take(reached.numb()).map(|v| v as VertexId).collect();
    (tree, order)
}

fn code_bits(task: &Task) -> usize {
    task.arguments()
        .find_map(|(name, value)| match value {
            Value::Table(table) if name == "P" => Some(table.columns()),
            _ => None,
        })
        .unwrap()
}

/// The order in which vertices are settled, of equally near ones the first, and the vertex that
/// first led to each by the way that is taken in the end.
fn by_hand(graph: &Csr<u32>, source: VertexId) -> (Vec<VertexId>, Vec<Option<VertexId>>) {
    let n = graph.n_vertices();
    let (mut distances, mut before) = (vec![u64::MAX; n], vec![None; n]);
    let (mut order, mut open) = (Vec::new(), graph.vertices().collect::<Vec<_>>());
    distances[source as usize] = 0;
    while let Some(&u) = open.iter().min_by_key(|&&v| distances[v as usize]) {
        let from = distances[u as usize];
        if from == u64::MAX {
            break;
        }
        open.retain(|&v| v != u);
        order.push(u);
        for (v, w) in graph.arcs_from(u) {
            if from + u64::from(w) < distances[v as usize] {
                (distances[v as usize], before[v as usize]) = (from + u64::from(w), Some(u));
            }
        }
    }
    (order, before)
}

pub(crate) fn is_right(graph: &Csr<u32>, source: VertexId, text: &str) -> bool {
    let (tree, order) = run(graph, source, text);
    let (expected, before) = by_hand(graph, source);
    check_tree(graph, &tree).is_ok()
        && order == expected
        && graph.vertices().all(|v| tree.predecessors.get(v) == before[v as usize])
}

#[test]
fn trees_and_orders_of_corner_cases() {
    for (name, graph) in corner_cases::<u32>().iter().filter(|entry| entry.1.n_vertices() <= 70) {
        for source in graph.vertices().take(3) {
            assert!(is_right(graph, source, DIJKSTRA), "{name}, from {source}");
        }
    }
}

#[test]
fn flaws_are_noticed() {
    // ties, a loop, parallel arcs, arcs of weight 0, a vertex that is not reached, and sums with an
    // arc that is not there
    let arcs = [
        (0, 3, 2),
        (0, 1, 2),
        (1, 1, 0),
        (1, 4, 3),
        (3, 4, 3),
        (3, 4, 4),
        (4, 2, 0),
        (2, 5, 1),
        (5, 4, 0),
        (4, 5, 7),
        (6, 0, 1),
    ];
    let graph = Csr::from_arcs(7, &arcs).unwrap();
    assert!(is_right(&graph, 0, DIJKSTRA));
    for flaw in [
        [" and not C;", ";"],
        ["ADDC(OUT.field(i), U, w; S)", "ADDC(OUT.field(s), U, w; S)"],
        ["SETMIN(S, D, U)", "SETMIN(S, D, not U)"],
        ["SETMIN(S, D, U)", "SETMIN(S, D, U) or HIT(S, D, U)"],
        ["TMERGE(S, B; D)", "TMERGE(S, U; D)"],
        ["WMERGE(WORD(i), B; P)", "WMERGE(WORD(i), U; P)"],
        ["WMERGE(WORD(i), B; P)", "WCOPY(WORD(i), B; P)"],
        ["    i := FND(MIN(D, U))", "    i := FND(U)"],
        ["    i := FND(MIN(D, U))", "    i := FND(MAX(D, U))"],
        ["if EQ(w, inf) then exit;", ""],
        ["ROW(s, D) := w", "ROW(0, D) := inf"],
    ] {
        let is_right = is_right(&graph, 0, &replaced(DIJKSTRA, flaw));
        assert!(!is_right, "{flaw:?} is not noticed");
    }
}

#[test]
fn what_a_vertex_costs() {
    for (name, graph) in corner_cases::<u32>().iter().filter(|entry| entry.1.n_vertices() <= 70) {
        if graph.n_vertices() == 0 {
            continue;
        }
        let task = task(graph, 0);
        let mut m = Counting::new(Host::new());
        let mut run = ran(&task, &mut m).unwrap();
        let (distances, reached) = (run.table("D").unwrap(), run.slice("Z").unwrap());
        let (h, l) = (distances.columns() as u64, code_bits(&task) as u64);
        let ones: u32 =
            reached.positions().map(|v| distances.row(v).unwrap().as_slice().numb() as u32).sum();
        // the nearest vertex and its distance; sums, what they better, two changes of a table
        let each = 3 * h + 1 + 1 + 5 * h + 7 * h + 1 + 6 * h + 1 + 3 * l;
        let n_reached = reached.numb() as u64;
        // that there is no other is seen in none, or in one that is at infinity
        let last = 3 * h + 1 + u64::from(reached.numb() < graph.n_vertices());
        let expected = h + 1 + n_reached * each + u64::from(ones) + last + 1;
        assert_eq!(m.cost().total(), expected, "{name}");
        assert!(each + h <= 24 * h + 3 * l + 4, "no more than 24h + 3l and a few");
    }
}

#[test]
fn what_it_does_not_take_is_refused() {
    let matrix = |n, arcs: &[Edge]| WeightMatrix::leaving(n, arcs);
    let negative = matrix(2, &[(0, 1, -1)]);
    assert!(matches!(negative, Err(StarError::Negative { weight: -1 })));
    let wide = matrix(3, &[(0, 1, i64::MAX), (1, 2, i64::MAX)]).unwrap();
    assert_eq!(wide.bits(), 64);
    let wider = matrix(4, &[(0, 1, i64::MAX)]);
    assert!(matches!(wider, Err(StarError::TooHeavy { .. })));
    let away = matrix(2, &[(0, 2, 1)]);
    assert!(matches!(away, Err(StarError::OutOfRange { what: "vertex", index: 2, len: 2 })));
    let away = dijkstra(&matrix(2, &[]).unwrap(), 2);
    assert!(matches!(away, Err(StarError::OutOfRange { what: "vertex", index: 2, len: 2 })));
    assert!(dijkstra(&matrix(0, &[]).unwrap(), 0).is_err());
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..Default::default() })]

    #[test]
    fn trees_and_orders_of_arbitrary_graphs(graph in arbitrary_graph::<u32>(20, 60, 0..=9)) {
        prop_assert!(is_right(&graph, 0, DIJKSTRA));
    }
}
