//! Coordinates: what is written is read again, and generated ones are where the arcs say.

use std::fs;

use graph_formats::generate::{GeometricConfig, GraphOptions, GridConfig, geometric, grid};
use graph_formats::{Ids, read_coordinates, write_coordinates};
use proptest::collection::{btree_set, vec};
use proptest::prelude::*;

fn distance(a: [f64; 2], b: [f64; 2]) -> f64 {
    (a[0] - b[0]).hypot(a[1] - b[1])
}

#[test]
fn arcs_of_generated_graphs_join_near_places() {
    let config = GridConfig { side: 9, ..Default::default() };
    let positions = config.coordinates().unwrap();
    let graph = grid(&config).unwrap();
    assert_eq!(positions.len(), graph.n_vertices());
    assert_eq!(positions[10], [1.0, 1.0]);
    for (u, v, _) in graph.arcs() {
        assert_eq!(distance(positions[u as usize], positions[v as usize]), 1.0);
    }
    let options = GraphOptions { weights: 0..=1000, seed: 3, ..Default::default() };
    let config = GeometricConfig { n_vertices: 300, radius: 0.1, options };
    let positions = config.coordinates().unwrap();
    let graph = geometric(&config).unwrap();
    let mut n_near = 0;
    for u in graph.vertices() {
        for v in graph.vertices().filter(|&v| v != u) {
            n_near += usize::from(distance(positions[u as usize], positions[v as usize]) <= 0.1);
        }
    }
    assert_eq!(graph.n_arcs(), n_near);
    for (u, v, weight) in graph.arcs() {
        let length = distance(positions[u as usize], positions[v as usize]);
        assert!((f64::from(weight) - 1e4 * length).abs() <= 0.51, "{u} {v}");
    }
    assert!(GridConfig { side: 70_000, ..Default::default() }.coordinates::<2>().is_err());
}

#[test]
fn many_blocks_and_compression_make_no_difference() {
    let folder = tempfile::tempdir().unwrap();
    let positions: Vec<_> = (0..40_000).map(|i| [f64::from(i), f64::from(i) / 7.0]).collect();
    let path = folder.path().join("a.csv");
    write_coordinates(&path, &Ids::FromOne, &positions).unwrap();
    let bytes = fs::read(&path).unwrap();
    let mut zipped = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    std::io::Write::write_all(&mut zipped, &bytes).unwrap();
    fs::write(folder.path().join("b.csv.gz"), zipped.finish().unwrap()).unwrap();
    for name in ["a.csv", "b.csv.gz"] {
        let again = read_coordinates(folder.path().join(name), &Ids::FromOne, 40_000).unwrap();
        assert_eq!(again, positions);
    }
    // a fault far behind has its line
    let text = String::from_utf8(bytes).unwrap().replace("\n39999,", "\n39998,");
    fs::write(&path, text).unwrap();
    let error = read_coordinates(&path, &Ids::FromOne, 40_000).unwrap_err().to_string();
    assert!(error.ends_with("a.csv:40000: vertex 39998 has coordinates already"), "{error}");
}

/// Columns are found by the names that GMNS, OSMnx and others give them.
#[test]
fn columns_of_coordinates_are_found_by_their_names() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("nodes.csv");
    let read = |text: &str| {
        fs::write(&path, text).unwrap();
        read_coordinates(&path, &Ids::Listed(vec![7, 9]), 2).map_err(|error| error.to_string())
    };
    for text in [
        "node_id,name,x_coord,y_coord,type\n9,b,3,4,x\n7,a,1,2,\n",
        "osmid,y,x,lon,lat,geometry\n7,2,1,8,8,POINT (1 2)\n9,4,3,8,8,\"POINT (3, 4)\"\n",
        ",id,lat,lon,z\n0,7,2,1,0\n1,9,4,3,0\n",
        "lat,lon,vertex\n2,1,7\n4,3,9\n",
        "stop,lon,lat\n7,1,2\n9,3,4\n",
        "stop,across,up\n7,1,2\n9,3,4\n",
        "7,1,2\n9,3,4\n",
    ] {
        assert_eq!(read(text), Ok(vec![[1.0, 2.0], [3.0, 4.0]]), "{text}");
    }
    for (text, expected) in [
        (
            "stop,lat,lon,z\n7,2,1,0\n",
            "nodes.csv:1: expected a column of vertices, such as `node_id`",
        ),
        ("id,up,across,z\n7,2,1,0\n", "nodes.csv:1: expected columns `x` and `y`, `x_coord` and"),
        ("id,x,y,z\n7,2,1\n", "nodes.csv:2: expected 4 columns, found 3"),
        ("id,y,b\n7,2,1\n", "nodes.csv:1: expected x, or the longitude, before y"),
    ] {
        let error = read(text).unwrap_err();
        assert!(error.contains(expected), "{error}");
    }
    // as short as reads back the same
    write_coordinates(&path, &Ids::FromZero, &[[1e300, 0.1], [5.0, -2.5e-9]]).unwrap();
    assert_eq!(fs::read_to_string(&path).unwrap(), "vertex,x,y\n0,1e300,0.1\n1,5,-2.5e-9\n");
}

fn finite() -> impl Strategy<Value = f64> {
    any::<f64>().prop_filter("finite", |value| value.is_finite())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn what_is_written_is_read_again(
        words in btree_set("[a-zé\", ;#%0-9]{0,5}[a-zé]", 1..9),
        numbers in btree_set(any::<u64>(), 1..9),
        places in vec([finite(), finite()], 9),
    ) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.csv");
        // a name has no blanks around it
        let words: Vec<_> = words.iter().map(|word| word.trim()).collect();
        let n_words = words.iter().collect::<std::collections::BTreeSet<_>>().len();
        let cases = [
            (Ids::Words(words.iter().copied().collect()), n_words),
            (Ids::Listed(numbers.iter().copied().collect()), numbers.len()),
            (Ids::FromZero, 9),
            (Ids::FromOne, 9),
        ];
        for (ids, n) in cases {
            write_coordinates(&path, &ids, &places[..n]).unwrap();
            prop_assert_eq!(&read_coordinates(&path, &ids, n).unwrap(), &places[..n]);
            prop_assert!(read_coordinates(&path, &ids, n - 1).is_err());
        }
    }

    #[test]
    fn any_text_gives_all_places_or_an_error(
        text in "([vcp#]|p aux sp co|[0-9]{1,2}|-|\\.|nan|[ \n,;\t\r\"]){0,60}",
        suffix in prop::sample::select(vec!["co", "csv", "tsv"]),
        n in 0usize..3,
    ) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(format!("x.{suffix}"));
        fs::write(&path, text).unwrap();
        if let Ok(positions) = read_coordinates(&path, &Ids::FromZero, n) {
            prop_assert_eq!(positions.len(), n);
            prop_assert!(positions.iter().flatten().all(|value| value.is_finite()));
        }
    }
}
