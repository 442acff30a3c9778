//! The texts of pictures can be read: none lies over another, at any size.

use std::fs;

use pictures::FONT;
use resvg::usvg::{self, Rect};

use crate::support::json_in;

/// Words and numbers as names, two components of several vertices, one that is apart.
const LINKS: &str = "from,to,length
Asti,Bari,1\nBari,Como,2\nComo,Asti,1\nComo,Desenzano del Garda,5\nDesenzano del Garda,Este,2
Este,Fano,1\nFano,Este,2\nGela,Asti,3\n\"<Ham & \"\"Eggs\"\">\",\"<Ham & \"\"Eggs\"\">\",1\n";

/// The boxes of all texts, as the font of the program has them.
fn text_boxes(svg: &str) -> (Vec<(String, Rect)>, Rect) {
    fn collect(group: &usvg::Group, boxes: &mut Vec<(String, Rect)>) {
        for node in group.children() {
            match node {
                usvg::Node::Group(group) => collect(group, boxes),
                usvg::Node::Text(text) => {
                    let content = text.chunks().iter().map(usvg::TextChunk::text).collect();
                    boxes.push((content, text.abs_bounding_box()));
                }
                _ => {}
            }
        }
    }
    let mut options = usvg::Options::default();
    options.fontdb_mut().load_font_data(FONT.to_vec());
    let tree = usvg::Tree::from_str(svg, &options).unwrap();
    let mut boxes = Vec::new();
    collect(tree.root(), &mut boxes);
    (boxes, Rect::from_xywh(0.0, 0.0, tree.size().width(), tree.size().height()).unwrap())
}

#[test]
fn no_text_lies_over_another_or_leaves_the_page() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    fs::write(folder.join("links.csv"), LINKS).unwrap();
    let places = "Asti,8.2,44.9\nBari,16.9,41.1\nComo,9.1,45.8\nDesenzano del Garda,10.5,45.5
Este,11.7,45.2\nFano,13.0,43.8\nGela,14.3,37.1\n\"<Ham & \"\"Eggs\"\">\",-70,10\n";
    fs::write(folder.join("places.csv"), places).unwrap();
    json_in(folder, "generate rmat --scale 9 --max-weight 999999 -o {}/r.gr");
    json_in(
        folder,
        "generate grid --side 20 --min-weight 99999999 --max-weight 4000000000 -o {}/g.spg --coordinates {}/g.csv",
    );
    let lines = [
        "map {}/links.csv --coordinates {}/places.csv --geographic --source Bari --target Fano",
        "map {}/links.csv --coordinates {}/places.csv --source Bari --target Gela --unit kilometres_of_a_road_that_is_long_and_winding",
        "map {}/g.spg --coordinates {}/g.csv --source 0 --target 399 --unit µm",
        "matrix {}/links.csv",
        "matrix {}/r.gr --unit s",
        "matrix {}/r.gr --closure",
        "degrees {}/r.gr",
        "degrees {}/links.csv",
        "distances {}/r.gr --unit s",
        "distances {}/links.csv --source Bari",
        "distances {}/g.spg --source 0 --unit m",
    ];
    for line in lines {
        for size in ["400x400", "1000x760", "2000x500", "400x1600"] {
            json_in(folder, &format!("plot {line} --size {size} -o {{}}/p.svg"));
            let (boxes, page) = text_boxes(&fs::read_to_string(folder.join("p.svg")).unwrap());
            assert!(boxes.len() > 4, "{line}: {boxes:?}");
            for (i, (text, place)) in boxes.iter().enumerate() {
                let is_inside = place.left() >= 0.0
                    && place.top() >= 0.0
                    && place.right() <= page.right()
                    && place.bottom() <= page.bottom();
                assert!(is_inside, "{line} {size}: {text} at {place:?}");
                for (other, beside) in &boxes[i + 1..] {
                    let is_apart = place.right() <= beside.left()
                        || beside.right() <= place.left()
                        || place.bottom() <= beside.top()
                        || beside.bottom() <= place.top();
                    assert!(is_apart, "{line} {size}: {text} {place:?}, {other} {beside:?}");
                }
            }
        }
    }
}
