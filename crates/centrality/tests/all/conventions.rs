//! Betweenness as other programs state it, by values that they print.

use centrality::{Config, Convention, Sources, arc_betweenness};
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
