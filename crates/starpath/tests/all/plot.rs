//! Pictures: they show what the other commands say, and can be read.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use resvg::usvg::roxmltree::{Document, Node};
use serde_json::Value;

use crate::support::{json_in, program, read_npy};

fn read(folder: &Path, name: &str) -> String {
    fs::read_to_string(folder.join(name)).unwrap()
}

/// The elements of a class.
fn of_class<'a>(document: &'a Document<'a>, class: &'a str) -> impl Iterator<Item = Node<'a, 'a>> {
    document.descendants().filter(move |node| node.attribute("class") == Some(class))
}

/// The colours of the legend that have a number beside them, by their texts.
fn legend(document: &Document<'_>) -> BTreeMap<String, (String, u64)> {
    let legend = of_class(document, "legend").next().unwrap();
    let children: Vec<_> = legend.children().filter(Node::is_element).collect();
    let rows = children.windows(3).filter_map(|row| {
        let colour = row[0].attribute("fill").filter(|fill| fill.starts_with('#'))?;
        let count = row[2].text()?.trim().replace(',', "").parse().ok()?;
        Some((row[1].text()?.trim().to_owned(), (colour.to_owned(), count)))
    });
    rows.filter(|(text, _)| !text.is_empty()).collect()
}

/// The pixels of the image in a picture, as red, green, blue and opacity.
fn layer(document: &Document<'_>) -> (u32, Vec<[u8; 4]>) {
    let image = of_class(document, "layer").next().unwrap();
    let link = image.attributes().find(|attribute| attribute.name() == "href").unwrap();
    let bytes = link.value().strip_prefix("data:image/png;base64,").unwrap();
    pixels(&BASE64_STANDARD.decode(bytes).unwrap())
}

/// The width of a PNG and its pixels.
fn pixels(bytes: &[u8]) -> (u32, Vec<[u8; 4]>) {
    let image = resvg::tiny_skia::Pixmap::decode_png(bytes).unwrap();
    let pixels = image.pixels().iter().map(|pixel| pixel.demultiply());
    let pixels = pixels.map(|p| [p.red(), p.green(), p.blue(), p.alpha()]);
    (image.width(), pixels.collect())
}

fn hex([r, g, b, _]: [u8; 4]) -> String {
    format!("#{r:02x}{g:02x}{b:02x}")
}

#[test]
fn a_map_has_a_mark_for_each_vertex_in_the_band_of_its_distance() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    json_in(
        folder,
        "generate geometric --vertices 500 --radius 0.05 -o {}/g.gr --coordinates {}/g.csv",
    );
    let report = json_in(
        folder,
        "plot map {}/g.gr --coordinates {}/g.csv --source 7 --target 70 --unit m -o {}/map.svg",
    );
    json_in(folder, "sssp {}/g.gr --source 7 -o {}/tree.tsv");
    let tree = read(folder, "tree.tsv");
    let distances: Vec<f64> = tree
        .lines()
        .skip(1)
        .map(|line| line.split('\t').nth(1).unwrap().parse().unwrap())
        .collect();
    assert!(distances.len() < 490, "all are reached");
    let svg = read(folder, "map.svg");
    let document = Document::parse(&svg).unwrap();
    let legend = legend(&document);
    // the farthest band is drawn first
    let groups: Vec<_> = of_class(&document, "band").collect();
    let bands = report["bands"].as_array().unwrap();
    assert_eq!(groups.len(), bands.len());
    assert!(bands.len() > 3);
    for (band, group) in bands.iter().zip(groups.into_iter().rev()) {
        let (from, to) = (band["from"].as_f64().unwrap(), band["to"].as_f64().unwrap());
        let n = distances.iter().filter(|&&d| from <= d && d < to).count();
        assert_eq!(band["vertices"], n);
        assert_eq!(group.children().filter(Node::is_element).count(), n, "{from} to {to}");
        let shown = legend.values().find(|row| Some(row.0.as_str()) == group.attribute("fill"));
        assert_eq!(shown.unwrap().1, n as u64);
    }
    let unreached = of_class(&document, "unreached").next().unwrap();
    let n = unreached.children().filter(Node::is_element).count();
    assert_eq!((n, &report["unreached"]), (500 - distances.len(), &n.into()));
    assert_eq!(legend["unreached"], (unreached.attribute("fill").unwrap().to_owned(), n as u64));
}

#[test]
fn a_path_is_drawn_through_its_vertices() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    json_in(folder, "generate grid --side 12 -o {}/g.spg --coordinates {}/g.csv");
    let map = "plot map {}/g.spg --coordinates {}/g.csv --source 0 --target 143";
    let report = json_in(folder, &format!("{map} -o {{}}/map.svg"));
    let route = json_in(folder, "path {}/g.spg 0 143");
    assert_eq!(report["distance"], route["distance"]);
    let svg = read(folder, "map.svg");
    let document = Document::parse(&svg).unwrap();
    let path = of_class(&document, "path").next().unwrap().attribute("d").unwrap();
    assert_eq!(path.split(['M', 'L']).count() - 1, route["path"].as_array().unwrap().len());
    // no path leads between the parts of this graph
    fs::write(folder.join("two.wel"), "0 1 1\n2 3 1\n").unwrap();
    fs::write(folder.join("two.csv"), "0,0,0\n1,1,0\n2,0,1\n3,1,1\n").unwrap();
    let report = json_in(
        folder,
        "plot map {}/two.wel --coordinates {}/two.csv --source 0 --target 3 -o {}/two.svg",
    );
    assert_eq!((&report["distance"], &report["unreached"]), (&Value::Null, &2.into()));
    let svg = read(folder, "two.svg");
    assert!(svg.contains("no path to the target"));
    assert_eq!(of_class(&Document::parse(&svg).unwrap(), "path").count(), 0);
}

#[test]
fn many_vertices_are_an_image_with_the_colours_of_the_legend() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    json_in(folder, "generate grid --side 150 -o {}/g.spg --coordinates {}/g.csv");
    let map = "plot map {}/g.spg --coordinates {}/g.csv --source 0 --size 600x400";
    json_in(folder, &format!("{map} -o {{}}/map.svg"));
    let svg = read(folder, "map.svg");
    assert!(svg.len() < 50_000, "{} bytes", svg.len());
    let document = Document::parse(&svg).unwrap();
    let (_, pixels) = layer(&document);
    let mut found: BTreeMap<String, u64> = BTreeMap::new();
    for pixel in pixels.into_iter().filter(|pixel| pixel[3] > 0) {
        *found.entry(hex(pixel)).or_default() += 1;
    }
    let legend = legend(&document);
    let shown: BTreeMap<_, _> = legend.into_values().filter(|row| row.1 > 0).collect();
    assert_eq!(found.keys().collect::<Vec<_>>(), shown.keys().collect::<Vec<_>>());
    // on a grid a band has the same share of the pixels as of the vertices
    let total: u64 = found.values().sum();
    for (colour, vertices) in shown {
        let (of_pixels, of_vertices) =
            (found[&colour] as f64 / total as f64, vertices as f64 / 22_500.0);
        assert!((of_pixels - of_vertices).abs() < 0.02, "{colour}: {of_pixels} {of_vertices}");
    }
}

#[test]
fn a_png_has_the_size_asked_for_and_the_colours_of_the_legend() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    json_in(folder, "generate uniform --vertices 30 --edges 60 --directed -o {}/g.spg");
    for format in ["svg", "png"] {
        let line = "plot matrix {}/g.spg --unit km --size 720x500 -o {}/m";
        json_in(folder, &format!("{line}.{format}"));
    }
    let (width, pixels) = pixels(&fs::read(folder.join("m.png")).unwrap());
    assert_eq!((width, pixels.len()), (720, 720 * 500));
    let svg = read(folder, "m.svg");
    let document = Document::parse(&svg).unwrap();
    let legend = of_class(&document, "legend").next().unwrap();
    let mut n_colours = 0;
    for square in legend.children() {
        let at = |name| square.attribute(name).and_then(|value| value.parse::<f64>().ok());
        let (Some(x), Some(y), Some(fill)) = (at("x"), at("y"), square.attribute("fill")) else {
            continue;
        };
        if square.attribute("width") == Some("14") && fill.starts_with('#') {
            let middle = (y + 7.0) as usize * 720 + (x + 7.0) as usize;
            assert_eq!(hex(pixels[middle]), fill);
            n_colours += 1;
        }
    }
    assert!(n_colours > 3, "{n_colours} colours");
    // text is there: the font is the program's own
    let dark = |p: &&[u8; 4]| p[..3].iter().all(|&channel| channel < 90);
    assert!(pixels[..720 * 40].iter().filter(dark).count() > 100, "no title");
}

#[test]
fn matrices_are_block_triangular_in_the_order_of_components() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    json_in(folder, "generate uniform --vertices 120 --edges 170 --directed -o {}/g.gr");
    json_in(folder, "apsp {}/g.gr --distances {}/d.npy");
    json_in(folder, "closure {}/g.gr -o {}/c.npy");
    let runs = [
        ("plot matrix {}/g.gr", "distances"),
        ("plot matrix {}/d.npy", "distances"),
        ("plot matrix {}/g.gr --closure", "closure"),
        ("plot matrix {}/c.npy", "closure"),
    ];
    let mut images = Vec::new();
    for (line, kind) in runs {
        let report = json_in(folder, &format!("{line} -o {{}}/m.svg"));
        let svg = read(folder, "m.svg");
        let document = Document::parse(&svg).unwrap();
        let (side, pixels) = layer(&document);
        assert_eq!((side, pixels.len()), (120, 120 * 120));
        let is_there = |i: usize, j: usize| pixels[i * 120 + j][3] > 0;
        let pairs = (0..120).flat_map(|i| (0..120).map(move |j| (i, j)));
        // a component ends where all that is reached from below it begins
        let mut starts = vec![0];
        for place in 1..120 {
            if (place..120).all(|i| (0..place).all(|j| !is_there(i, j))) {
                starts.push(place);
            }
        }
        assert_eq!(report["components"], starts.len(), "{line}");
        assert!(starts.len() > 5 && starts.len() < 115, "{starts:?}");
        assert_eq!(report["pairs"], pairs.filter(|&(i, j)| is_there(i, j)).count());
        images.push((kind, pixels));
    }
    assert!(images[0] == images[1] && images[2] == images[3], "a file gives another picture");
    let closed: ndarray::Array2<bool> = read_npy(folder.join("c.npy"));
    let n_pairs = closed.iter().filter(|&&is_reached| is_reached).count();
    assert_eq!(images[2].1.iter().filter(|pixel| pixel[3] > 0).count(), n_pairs);
}

#[test]
fn bars_are_as_high_as_the_counts() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    // out-degrees 3, 1, 1, 0 and in-degrees 0, 1, 2, 2
    fs::write(folder.join("g.wel"), "0 1 5\n0 2 6\n0 3 7\n1 2 1\n2 3 1\n").unwrap();
    json_in(folder, "plot degrees {}/g.wel -o {}/d.svg");
    let svg = read(folder, "d.svg");
    let document = Document::parse(&svg).unwrap();
    let heights = |series: Node<'_, '_>| -> Vec<f64> {
        let bars = series.children().filter_map(|bar| bar.attribute("height"));
        bars.map(|height| height.parse().unwrap()).collect()
    };
    let series: Vec<_> = of_class(&document, "series").map(heights).collect();
    let unit = series[0][0];
    let counts: Vec<Vec<_>> = series
        .iter()
        .map(|heights| heights.iter().map(|height| (height / unit).round()).collect())
        .collect();
    assert_eq!(counts, [[1.0, 2.0, 1.0].as_slice(), [1.0, 1.0, 2.0].as_slice()]);
    let report = json_in(folder, "plot distances {}/g.wel --source 1 -o {}/e.svg");
    assert_eq!((&report["reached"], &report["unreached"]), (&3.into(), &1.into()));
    let report = json_in(folder, "plot distances {}/g.wel -o {}/e.svg");
    assert_eq!((&report["reached"], &report["unreached"]), (&10.into(), &6.into()));
}

#[test]
fn coordinates_come_as_co_and_csv_and_compressed() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    json_in(folder, "generate grid --side 3 -o {}/g.gr --coordinates {}/g.csv");
    let table = read(folder, "g.csv");
    assert!(table.starts_with("vertex,x,y\n1,0,0\n2,1,0\n3,2,0\n4,0,1\n"), "{table}");
    let mut co = "c a comment\np aux sp co 9\n".to_owned();
    for line in table.lines().skip(1) {
        co += &format!("v {}\n", line.replace(',', " "));
    }
    fs::write(folder.join("g.co"), &co).unwrap();
    let mut zipped = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    std::io::Write::write_all(&mut zipped, co.as_bytes()).unwrap();
    fs::write(folder.join("g.co.gz"), zipped.finish().unwrap()).unwrap();
    let pictures = ["g.csv", "g.co", "g.co.gz"].map(|name| {
        let line = format!("plot map {{}}/g.gr --coordinates {{}}/{name} --source 5 -o {{}}/m.svg");
        json_in(folder, &line);
        read(folder, "m.svg")
    });
    assert!(pictures[0] == pictures[1] && pictures[0] == pictures[2]);
    // a generated graph that counts from 0 has coordinates that do
    json_in(
        folder,
        "generate geometric --vertices 9 --radius 1 -o {}/z.spg --coordinates {}/z.csv",
    );
    assert!(read(folder, "z.csv").contains("\n0,0."));
    json_in(folder, "plot map {}/z.spg --coordinates {}/z.csv --source 0 -o {}/m.svg");
}

/// The commands of the guide that draw its pictures, run as they stand there.
#[test]
fn the_pictures_of_the_guide_are_made_by_its_commands() {
    let guide = include_str!("../../../../docs/guides/pictures.md");
    let kept: [(_, &[u8]); 2] = [
        ("map.svg", include_bytes!("../../../../docs/pictures/map.svg")),
        ("matrix.svg", include_bytes!("../../../../docs/pictures/matrix.svg")),
    ];
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir_all(folder.path().join("docs/pictures")).unwrap();
    let (_, section) = guide.split_once("## Two examples\n").expect("a section of examples");
    let section = section.split("\n## ").next().unwrap();
    let commands = section.lines().filter_map(|line| line.strip_prefix("starpath "));
    for command in commands {
        let words = command.split_whitespace();
        let status = std::process::Command::new(program())
            .args(words)
            .current_dir(folder.path())
            .output()
            .unwrap();
        assert!(status.status.success(), "{command}: {status:?}");
    }
    let pictures = section.split("](../pictures/").skip(1);
    let pictures = pictures.map(|rest| rest.split(')').next().unwrap());
    assert!(pictures.eq(kept.map(|(name, _)| name)));
    for (name, kept) in kept {
        let made = fs::read(folder.path().join("docs/pictures").join(name)).unwrap();
        assert!(made == kept, "docs/pictures/{name} is not what its command draws");
        assert!(kept.len() < 100_000, "{name} has {} bytes", kept.len());
    }
}

#[test]
fn empty_and_smallest_graphs_are_drawn() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    fs::write(folder.join("none.gr"), "p sp 0 0\n").unwrap();
    fs::write(folder.join("one.gr"), "p sp 1 0\n").unwrap();
    fs::write(folder.join("one.co"), "v 1 -1e308 1e308\n").unwrap();
    fs::write(folder.join("two.gr"), "p sp 2 1\na 1 2 -3.5\n").unwrap();
    fs::write(folder.join("two.co"), "v 1 -1e308 1e308\nv 2 1e308 -1e308\n").unwrap();
    fs::write(folder.join("same.co"), "v 1 7 7\nv 2 7 7\n").unwrap();
    for line in [
        "matrix {}/none.gr",
        "matrix {}/one.gr",
        "matrix {}/one.gr --closure",
        "matrix {}/two.gr",
        "degrees {}/none.gr",
        "degrees {}/two.gr",
        "distances {}/none.gr",
        "distances {}/one.gr --source 1",
        "distances {}/two.gr",
        "map {}/one.gr --coordinates {}/one.co --source 1",
        "map {}/two.gr --coordinates {}/two.co --source 1 --target 2",
        "map {}/two.gr --coordinates {}/same.co --source 2 --target 1",
    ] {
        for format in ["svg", "png"] {
            json_in(folder, &format!("plot {line} -o {{}}/p.{format}"));
        }
        let svg = read(folder, "p.svg");
        Document::parse(&svg).unwrap();
        assert!(!svg.contains("NaN") && !svg.contains("inf"), "{line}: {svg}");
    }
}
