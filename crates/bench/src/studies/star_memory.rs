//! How many bytes graphs take on the STAR-machine: by the paper's formulas, and here.
//!
//! The paper's figures come out where each unit is 1024 of the one before (a Mbyte is 2²⁰ bytes),
//! the logarithm is rounded up, and the graph of the USA has its exact size. Of a matrix of
//! 180,000 vertices the paper says about 3.78 Gbytes; its formula gives 3.77.
//!
//! Reference: snytnikova-nepomniaschaya-2016

use star_machine::Table;

use super::*;

/// Graphs, with what the paper says of them: vertices, and edges of a list.
const GRAPHS: [(&str, &str, u32, Option<u32>); 5] = [
    ("matrix of 180,000 vertices", "3.78 GB", 180_000, None),
    ("10^6 edges of 10^4 vertices", "3.34 MB", 10_000, Some(1_000_000)),
    ("58,333,344 arcs of the USA's 23,947,347", "348 MB", 23_947_347, Some(58_333_344)),
    ("matrix of New York's 264,346 vertices", "", 264_346, None),
    ("New York's 733,846 arcs", "", 264_346, Some(733_846)),
];
const FIGURE: &str = "Figure 6";
/// The axis of that figure ends at so many vertices.
const MOST: u32 = 200_000;
const STEP: usize = 10_000;

/// The STAR-machine: bytes of graphs, by the paper's formulas (Figure 6) and here
#[derive(Args, Clone, Debug)]
#[command(after_help = "Example:\n  cargo xtask bench star-memory")]
pub(super) struct StarMemory {}

impl Study for StarMemory {
    const NAME: &'static str = "star-memory";

    fn measure(&self, bench: &Bench) -> Result<()> {
        let graph = |(graph, said, n, edges)| {
            (Record::of(&[("graph", &graph), ("in the paper", &said)]), n, edges)
        };
        let point = |n| (Record::of(&[("graph", &FIGURE), ("n", &n)]), n, None);
        for (record, n, edges) in
            GRAPHS.map(graph).into_iter().chain((0..=MOST).step_by(STEP).map(point))
        {
            bench.records().push(record.ran(bytes(n, edges)?.into()));
        }
        Ok(())
    }

    fn page(records: &Records) -> Page {
        let mut page = Page::new("Memory of the STAR-machine");
        page.text(
            "The paper's GB and MB are 2^30 and 2^20 bytes. Here: of tables that were made, for a \
             matrix one column of it.",
        );
        let (published, here) = (least("published"), least("here"));
        let graphs =
            [("by the paper's formula, bytes", &published as Figure<'_>), ("here, bytes", &here)];
        page.list(&records.of(&[("n", "")]), &["graph", "in the paper"], &graphs);
        let line = |name: &str, bytes: Figure<'_>| {
            let gb = |r: &Record| Some((r.number("n") / 1e3, bytes(r)? / f64::from(1 << 30)));
            let points = records.of(&[("graph", FIGURE)]).iter().filter_map(gb).collect();
            Line { name: name.to_owned(), points, ranges: Vec::new() }
        };
        let marks = Marks::Lines {
            x: Axis { name: "thousands of vertices", log: false },
            y: Axis { name: "GB of 2^30 bytes", log: false },
            lines: vec![line("the paper's formula", &published), line("here", &here)],
        };
        let title = "Memory of an adjacency matrix (Figure 6)".to_owned();
        page.plot("figure-6", Plot { title, marks });
        page
    }
}

/// Of an adjacency matrix, or of two tables with the ends of the edges: by the paper's formula,
/// and of a table that is made here, for a matrix of one column of it.
fn bytes(n: u32, edges: Option<u32>) -> Result<[(&'static str, f64); 2]> {
    let (rows, columns, tables) = match edges {
        None => (n, n.into(), 1),
        Some(edges) => (edges, u64::from(n.next_power_of_two().ilog2()), 2),
    };
    let column = Table::zeros(rows as usize, 1)?;
    let here = tables * columns * size_of_val(column.as_words()) as u64;
    let published = tables * published(rows.into(), columns);
    Ok([("published", published as f64), ("here", here as f64)])
}

/// 8 (c (⌈r / 64⌉ + 1) + 1): a word for 64 rows of a column, one more for a column, and one more
/// for the table.
fn published(rows: u64, columns: u64) -> u64 {
    8 * (columns * (rows.div_ceil(64) + 1) + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_figures_of_the_paper_come_out() {
        // "about 3.78 Gbytes", 3.34 and 348 Mbytes
        let units = [(30, 3.774), (20, 3.338), (20, 347.7)];
        for ((_, _, n, edges), (unit, said)) in GRAPHS.into_iter().zip(units) {
            let [(_, published), (_, here)] = bytes(n, edges).unwrap();
            assert!((published / f64::from(1 << unit) - said).abs() < 5e-4 * said);
            assert!(here < published && here > 0.99 * published);
        }
        assert_eq!(published(180_000, 180_000), 4_052_160_008);
    }
}
