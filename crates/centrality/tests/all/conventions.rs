//! Betweenness as other programs state it, by values that they print.

use centrality::{Config, Convention, Side, Sources, arc_betweenness};
use graph_formats::{Csr, VertexId};

use crate::betweenness::{assert_near, find};

/// nx.krackhardt_kite_graph()
fn kite() -> Csr<u32> {
    let edges = [
        (0, 1),
        (0, 2),
        (0, 3),
        (0, 5),
        (1, 3),
        (1, 4),
        (1, 6),
        (2, 3),
        (2, 5),
        (3, 4),
        (3, 5),
        (3, 6),
        (4, 6),
        (5, 6),
        (5, 7),
        (6, 7),
        (7, 8),
        (8, 9),
    ];
    let edges = edges.map(|(u, v)| (u, v, 1u32));
    Csr::from_edges(10, &edges).unwrap()
}

/// Values of NetworkX 3.6.1, where `sample` of the seed returns these sources.
#[test]
fn conventions_are_those_of_other_programs() {
    let of = |graph: &Csr<u32>, sources: &[VertexId]| {
        let sources = Sources::Listed(sources.to_vec());
        find(graph, &Config { sources, ..Config::default() })
    };
    let three = [3.0 / 144.0, 5.0 / 144.0, 0.0, 10.0 / 144.0, 0.0];
    let others = [0.36458333333333337, 20.0 / 144.0, 0.25, 0.125, 0.0];
    assert_near(&of(&kite(), &[0, 5, 7]).stated(Convention::NetworkX), &[three, others].concat());
    // of a single source it has nan
    let one = of(&kite(), &[7]).stated(Convention::NetworkX);
    assert!(one[7].is_nan());
    assert_near(&one[..7], &[0.0, 0.0, 0.0, 0.0, 0.0, 0.3125, 0.3125]);
    assert_near(&one[8..], &[0.125, 0.0]);
    let arcs = [(0, 1), (1, 2), (2, 0), (2, 3), (3, 4), (1, 4), (4, 5), (5, 2)];
    let directed = Csr::from_arcs(6, &arcs.map(|(u, v)| (u, v, 1))).unwrap();
    let two = of(&directed, &[1, 2]).stated(Convention::NetworkX);
    assert_near(&two, &[0.125, 0.0, 0.5, 0.25, 0.25, 0.0]);
    let two = Config { sources: Sources::Listed(vec![1, 2]), ..Config::default() };
    let two = arc_betweenness(&directed, &two, None).unwrap();
    let expected = [0.1, 0.3, 0.2, 0.3, 0.4, 0.2, 0.2, 0.0];
    assert_near(&two.stated(Convention::NetworkX), &expected);
    // not normalised, which is what igraph has
    let whole = find(&directed, &Config::default());
    assert_near(&whole.stated(Convention::Igraph), &[4.0, 4.0, 12.0, 3.0, 7.0, 7.0]);
    let (side, middle) = (5.0 / 6.0, 25.0 / 3.0);
    let whole = find(&kite(), &Config::default());
    let igraph = [side, side, 0.0, 11.0 / 3.0, 0.0, middle, middle, 14.0, 8.0, 0.0];
    assert_near(&whole.stated(Convention::Igraph), &igraph);
    assert_near(&whole.stated(Convention::Gapbs), &igraph.map(|value| value / 14.0));
    // all vertices, listed or not
    let listed = of(&kite(), &[0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    for found in [whole, listed] {
        assert_near(&found.stated(Convention::NetworkX), &found.normalised());
        assert_eq!(found.stated(Convention::Starpath), found.normalised());
    }
}

/// Values of NetworkX 3.6.1 with `endpoints`, where `sample` of the seed returns these sources.
#[test]
fn ends_count_where_they_are_asked_for() {
    let of = |graph: &Csr<u32>, sources: &[VertexId]| {
        let sources = match sources {
            [] => Sources::All,
            _ => Sources::Listed(sources.to_vec()),
        };
        let found = find(graph, &Config { sources, endpoints: true, ..Config::default() });
        assert_eq!(found.stated(Convention::NetworkX), found.normalised());
        found.normalised()
    };
    let [a, b, c] = [59.0 / 270.0, 52.0 / 135.0, 0.2];
    let all = [a, a, c, 38.0 / 135.0, c, b, b, 23.0 / 45.0, 17.0 / 45.0, c];
    assert_near(&of(&kite(), &[]), &all);
    let [a, b] = [1.0 / 9.0, 2.0 / 9.0];
    let all = [34.0 / 81.0, 23.0 / 162.0, a, 14.0 / 81.0, a, 101.0 / 162.0, 19.0 / 81.0];
    assert_near(&of(&kite(), &[0, 5, 7]), &[&all[..], &[5.0 / 9.0, b, a]].concat());
    // with a part by itself
    let arcs = [(0, 1), (1, 2), (2, 0), (2, 3), (3, 4), (1, 4), (4, 5), (5, 2), (6, 7)];
    let directed = Csr::from_arcs(8, &arcs.map(|(u, v)| (u, v, 1))).unwrap();
    let all = [14.0, 14.0, 22.0, 13.0, 17.0, 17.0, 1.0, 1.0];
    assert_near(&of(&directed, &[]), &all.map(|sum| sum / 56.0));
    let sample = [1.0, 5.0, 3.0, 1.0, 2.0, 1.0, 1.0, 1.0];
    assert_near(&of(&directed, &[1, 6]), &sample.map(|sum| sum / 14.0));
    let reversed = Config {
        side: Side::In,
        sources: Sources::Listed(vec![1, 6]),
        endpoints: true,
        ..Config::default()
    };
    assert_near(&find(&directed.transposed(), &reversed).normalised(), &of(&directed, &[1, 6]));
    let parts = Csr::from_edges(5, &[(0, 1, 1u32), (1, 2, 1), (3, 4, 1)]).unwrap();
    assert_near(&of(&parts, &[]), &[0.2, 0.3, 0.2, 0.1, 0.1]);
    assert_near(&of(&parts, &[1, 3]), &[0.125, 0.25, 0.125, 0.125, 0.125]);
    let lone = Csr::<u32>::from_arcs(1, &[]).unwrap();
    assert_eq!((of(&lone, &[]), of(&lone, &[0])), (vec![0.0], vec![0.0]));
    assert!(of(&Csr::from_arcs(0, &[]).unwrap(), &[]).is_empty());
}

#[test]
fn values_are_those_of_networkx() {
    // nx.betweenness_centrality(nx.krackhardt_kite_graph(), normalized=True)
    let found = find(&kite(), &Config::default());
    let sides = 5.0 / 216.0;
    assert_near(&found.normalised()[..2], &[sides, sides]);
    assert_near(&found.normalised()[7..], &[14.0 / 36.0, 8.0 / 36.0, 0.0]);
    let few = Csr::from_edges(2, &[(0, 1, 1u32)]).unwrap();
    let one = Config { sources: Sources::Listed(vec![1]), ..Config::default() };
    for config in [Config::default(), one] {
        let few = find(&few, &config);
        assert_eq!((few.normalised(), few.raw()), (vec![0.0; 2], vec![0.0; 2]));
        for convention in [Convention::NetworkX, Convention::Igraph, Convention::Gapbs] {
            assert_eq!(few.stated(convention), [0.0; 2]);
        }
    }
    let none = find(&Csr::<u32>::from_edges(0, &[]).unwrap(), &Config::default());
    assert!(none.raw().is_empty() && none.is_exact());
    // nx.edge_betweenness_centrality(nx.path_graph(3)) has 2/3 for both edges, of two arcs each
    let path = Csr::from_edges(3, &[(0, 1, 1u32), (1, 2, 1)]).unwrap();
    let arcs = arc_betweenness(&path, &Config::default(), None).unwrap();
    assert_near(&arcs.normalised(), &[1.0 / 3.0; 4]);
}
