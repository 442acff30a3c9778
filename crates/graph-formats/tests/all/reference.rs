//! Real graphs read as their reference says: vertices, arcs, loops and weights.

use graph_formats::{Ids, LoadedGraph, Name, Weight, read, with_csr};
use test_support::data_folder;

/// n, arcs, loops, least, greatest and sum of the weights.
fn numbers(graph: &LoadedGraph) -> [f64; 6] {
    with_csr!(&graph.csr, |csr| {
        let weights = || csr.weights().iter().map(|w| w.to_f64());
        [
            csr.n_vertices() as f64,
            csr.n_arcs() as f64,
            csr.arcs().filter(|arc| arc.0 == arc.1).count() as f64,
            weights().fold(f64::INFINITY, f64::min),
            weights().fold(f64::NEG_INFINITY, f64::max),
            weights().sum(),
        ]
    })
}

/// The number of ids that occur in a file without a number of vertices, if the reference counts all
/// from 0 to the greatest.
fn occurring_ids(name: &str) -> Option<f64> {
    match name {
        "snap/wiki-Vote.txt" => Some(7115.0),
        "dimacs/fastpaths_graph_23rd.gr" => Some(2212.0),
        "gapbs/4.el" | "gapbs/4.wel" => Some(13.0),
        _ => None,
    }
}

#[test]
fn every_reference_graph_is_read_as_it_is() {
    let Some(folder) = data_folder() else { return };
    let text = std::fs::read_to_string(folder.join("reference.json")).unwrap();
    let reference: serde_json::Value = serde_json::from_str(&text).unwrap();
    let results = reference["results"].as_object().unwrap();
    assert!(results.len() >= 20);
    for (name, expected) in results {
        let mut path = folder.join(name);
        if !path.exists() {
            path = folder.join(format!("{name}.gz"));
        }
        let graph = read(&path).unwrap();
        let found = numbers(&graph);
        for (key, found) in ["n", "arcs", "loops", "wmin", "wmax", "wsum"].iter().zip(found) {
            let occurring = if *key == "n" { occurring_ids(name) } else { None };
            let expected = occurring.unwrap_or_else(|| expected[key].as_f64().unwrap());
            let tolerance = 1e-12 * expected.abs();
            assert!((found - expected).abs() <= tolerance, "{name}: {key} {found}, not {expected}");
        }
        if let Some(source) = expected["src"].as_u64() {
            assert!(graph.ids.vertex(source, found[0] as usize).is_some(), "{name}: no {source}");
        }
    }
}

#[test]
fn ids_with_gaps_are_listed() {
    let Some(folder) = data_folder() else { return };
    let brain = read(folder.join("connectome/larva_unmatched_full.csv.gz")).unwrap();
    let Ids::Listed(names) = &brain.ids else { panic!("ids up to 17 million are sparse") };
    assert_eq!((names.len(), names[0]), (3013, 29));
    assert_eq!(
        brain.ids.vertex(8_419_602, 3013).map(|v| brain.ids.name(v)),
        Some(Name::Number(8_419_602))
    );
    let votes = read(folder.join("snap/wiki-Vote.txt")).unwrap();
    let Ids::Listed(names) = &votes.ids else { panic!("ids up to 8297 have gaps") };
    assert_eq!((names.len(), names[0], names[7114]), (7115, 3, 8297));
    assert_eq!(votes.ids.vertex(0, 7115), None);
}

#[test]
fn mangled_files_are_refused_with_their_line() {
    let Some(folder) = data_folder() else { return };
    let refused = [
        ("mtx/suitesparse-reader/mangled1.mtx", ":1: expected `matrix`, found `mangled`"),
        ("mtx/suitesparse-reader/mangled2.mtx", ":1: expected `coordinate`"),
        ("mtx/suitesparse-reader/mangled3.mtx", ":1: expected `pattern`, `integer` or `real`"),
        ("mtx/suitesparse-reader/mangled4.mtx", ":1: expected `general`, `symmetric` or"),
        ("mtx/suitesparse-reader/mangled5.mtx", ":1: expected `general`, `symmetric` or"),
        ("mtx/suitesparse-reader/mangled6.mtx", ":1: expected `general`, `symmetric` or"),
        ("mtx/suitesparse-reader/mangled7.mtx", ":2: expected bool, a type such as int32_t"),
        ("mtx/suitesparse-reader/mangled8.mtx", ":4: expected the number of columns, found"),
        (
            "mtx/suitesparse-reader/mangled_bool.mtx",
            ":10: expected a value of type bool, found `2`",
        ),
        ("mtx/suitesparse-reader/mangled_int32.mtx", ":8: expected a value of type int32_t"),
        ("mtx/suitesparse-reader/mangled_skew.mtx", ":2: expected a type with negative values"),
        ("mtx/suitesparse-reader/complex.mtx", ":1: expected `coordinate`, a sparse matrix"),
        ("mtx/suitesparse-reader/empty.mtx", ":4: expected a square matrix, found 3 rows and 4"),
        ("mtx/suitesparse-reader/skew_fp64.mtx", ":4: expected a finite weight, found `inf`"),
        ("gapbs/4.graph", ":3: expected a weight or size of the vertex, found the end"),
        ("gapbs/4w.graph", ":1: the header promises 106 neighbours (two an edge), the file has 53"),
    ];
    for (name, message) in refused {
        let path = folder.join(name);
        let error = read(&path).unwrap_err().to_string();
        let expected = format!("{}{message}", path.display());
        assert!(error.starts_with(&expected), "{error}\nshould start with\n{expected}");
    }
}

#[test]
fn odd_but_legal_files_are_accepted() {
    let Some(folder) = data_folder() else { return };
    let folder = folder.join("mtx/suitesparse-reader");
    let n_arcs = |name: &str| read(folder.join(name)).unwrap().csr.n_arcs();
    assert_eq!(n_arcs("A.mtx"), 30);
    assert_eq!(n_arcs("matrix_int32.mtx"), 12);
    let csr = read(folder.join("matrix_int32.mtx")).unwrap().csr.into_csr::<i32>().unwrap();
    assert!(csr.arcs_from(3).any(|arc| arc == (0, i32::MIN)));
}
