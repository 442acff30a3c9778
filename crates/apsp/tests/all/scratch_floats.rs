//! Matrices of floats in a folder: zeros, and sums that are settled.

use std::fs;
use std::ops::ControlFlow;

use apsp::{Algorithm, ApspError, Config, Pairs, Solver};
use graph_formats::Csr;

use crate::common::minus_zeros;
use crate::scratch::{resumed, scratch, solve, streets, with_hops};

/// A run that is ended while floats are settled has some columns settled and others not. Going
/// on without next hops settles the rest: a mixture is no answer.
#[test]
fn a_run_ended_among_settled_columns_settles_the_rest() {
    let sevenths: Vec<_> =
        streets(300).arcs().map(|(u, v, w)| (u, v, f64::from(w) / 7.0)).collect();
    let graph = Csr::from_arcs(300, &sevenths).unwrap();
    let rows = |found: &Pairs<f64>| -> Vec<Vec<_>> {
        graph.vertices().map(|u| found.row(u).map(|d| d.map(f64::to_bits)).collect()).collect()
    };
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let settled = rows(
        &Solver::new(&graph, &with_hops()).in_folder(&scratch(&at("settled"))).solve(None).unwrap(),
    );
    let unsettled = rows(&solve(&scratch(&at("unsettled")), &graph).unwrap());
    assert!(settled != unsettled, "there is something to settle");

    // the second 256 columns; rows of the matrix are 384
    let stop = |done, total| match (done, total) {
        (256.., 300) => ControlFlow::Break(()),
        _ => ControlFlow::Continue(()),
    };
    let ended =
        Solver::new(&graph, &with_hops()).in_folder(&scratch(&at("ended"))).solve(Some(&stop));
    assert!(matches!(ended, Err(ApspError::Interrupted(_))));
    let journal = fs::read_to_string(at("ended").join("journal")).unwrap();
    assert!(journal.contains("\nmatrix settling\n"), "{journal}");
    assert!(rows(&solve(&resumed(&at("ended")), &graph).unwrap()) == settled);
    let journal = fs::read_to_string(at("ended").join("journal")).unwrap();
    assert!(journal.contains("\nmatrix settled\n"), "{journal}");
    // and with next hops after all, nothing is settled again
    let found =
        Solver::new(&graph, &with_hops()).in_folder(&resumed(&at("ended"))).solve(None).unwrap();
    assert!(rows(&found) == settled);
}

/// In the folder no zero has a sign either.
#[test]
fn zeros_have_no_sign_in_a_folder() {
    for graph in minus_zeros() {
        let folder = tempfile::tempdir().unwrap();
        let expected = Solver::new(&graph, &Config::with(Algorithm::Johnson)).solve(None).unwrap();
        let found = solve(&scratch(folder.path()), &graph).unwrap();
        for u in graph.vertices() {
            let bits = |d: Option<f32>| d.map(f32::to_bits);
            let expected = expected.distances().unwrap().row(u as usize).map(bits);
            assert!(found.row(u).map(bits).eq(expected), "row {u}");
        }
        let matrix = fs::read(folder.path().join("matrix.bin")).unwrap();
        let signed = (-0.0f32).to_ne_bytes();
        assert!(!matrix.chunks(4).any(|number| number == signed));
    }
}
