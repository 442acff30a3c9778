//! Settings by name, the widths of buckets, and what the solver chooses.

use graph_formats::Csr;
use sssp::{Algorithm, Config, Delta, SearchWeight, Solver, SsspError};

/// The width of buckets by `rule` on one thread.
fn width<W: SearchWeight>(graph: &Csr<W>, rule: Delta) -> Result<f64, SsspError> {
    let threads = std::num::NonZeroUsize::new(1);
    let config = Config { threads, ..Config::with(Algorithm::DeltaStepping(rule)) };
    Ok(Solver::new(graph, &config)?.plan().delta.expect("buckets have a width"))
}

#[test]
fn names_round_trip() {
    for algorithm in Algorithm::ALL {
        assert_eq!(algorithm.name().parse::<Algorithm>().unwrap(), algorithm);
    }
    let error = "dijsktra".parse::<Algorithm>().unwrap_err().to_string();
    assert!(error.contains("dijsktra") && error.contains("dijkstra"), "{error}");
    for (name, rule) in Delta::RULES {
        assert_eq!(name.parse::<Delta>().unwrap(), rule);
        assert_eq!(rule.to_string(), name);
    }
    assert_eq!("2.5".parse::<Delta>().unwrap(), Delta::Fixed(2.5));
    for bad in ["0", "-3", "nan", "inf"] {
        assert!(matches!(bad.parse::<Delta>(), Err(SsspError::BadDelta { .. })), "{bad}");
    }
}

#[test]
fn odd_graphs_have_a_width() {
    for (_, rule) in Delta::RULES {
        for graph in [Csr::from_arcs(0, &[]), Csr::from_arcs(2, &[(0, 1, 0.0f64)])] {
            assert_eq!(width(&graph.unwrap(), rule), Ok(1.0));
        }
        let far = Csr::from_arcs(2, &[(0, 1, u64::MAX), (1, 0, 1)]).unwrap();
        assert!(width(&far, rule).unwrap() * 65_536.0 >= u64::MAX as f64);
    }
}

#[test]
fn given_widths_are_checked() {
    let graph = Csr::from_arcs(2, &[(0, 1, u32::MAX)]).unwrap();
    assert_eq!(width(&graph, Delta::Fixed(5000.0)), Ok(5000.0));
    for bad in [0.0, -1.0, f64::NAN, f64::INFINITY, 1.0] {
        assert!(matches!(width(&graph, Delta::Fixed(bad)), Err(SsspError::BadDelta { .. })));
    }
}

#[test]
fn auto_chooses_by_the_graph() {
    let chosen =
        |graph: &Csr<u32>| Solver::new(graph, &Config::default()).unwrap().plan().algorithm;
    let path: Vec<_> = (0..3000).map(|v| (v, v + 1, 1 + v % 5)).collect();
    assert_eq!(chosen(&Csr::from_edges(3001, &path).unwrap()), "bellman-ford-queue");
    let star: Vec<_> = (1..3000).map(|v| (0, v, v)).collect();
    assert_eq!(chosen(&Csr::from_edges(3000, &star).unwrap()), "dijkstra");
    let ring = |n, most| (0..n).map(|v| (v, (v + 1) % n, most - v % 2)).collect::<Vec<_>>();
    assert_eq!(chosen(&Csr::from_edges(3000, &ring(3000, 9)).unwrap()), "dijkstra");
    let far = Csr::from_edges(3000, &ring(3000, 1 << 20)).unwrap();
    assert_eq!(chosen(&far), "delta-stepping", "too far apart for Dial's queue");
    let long = Csr::from_edges(9000, &ring(9000, 9)).unwrap();
    assert_eq!(chosen(&long), "delta-stepping");
    let alike: Vec<_> = long.arcs().map(|(u, v, _)| (u, v, 7)).collect();
    assert_eq!(chosen(&Csr::from_arcs(9000, &alike).unwrap()), "breadth-first");
}
