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
const BY: [&str; 2] = ["the paper's formula", "here"];
const FIGURE: &str = "Figure 6";
/// The axis of that figure ends at so many vertices.
const MOST: u32 = 200_000;
const STEP: usize = 10_000;

/// The STAR-machine: bytes of graphs, by the paper's formulas (Figure 6) and here
#[derive(Args, Clone, Debug)]
pub(super) struct StarMemory {}

impl Study for StarMemory {
    const NAME: &'static str = "star-memory";

    fn measure(&self, bench: &Bench) -> Result<()> {
        let keep = |record: Record, n, edges| -> Result<()> {
            let bytes = BY.into_iter().zip(bytes(n, edges)?);
            let ran = |(by, bytes)| record.clone().with(&[("by", &by)]).ran(vec![("bytes", bytes)]);
            bench.records().extend(bytes.map(ran));
            Ok(())
        };
        for (graph, said, n, edges) in GRAPHS {
            keep(Record::of(&[("graph", &graph), ("in the paper", &said)]), n, edges)?;
        }
        let mut sizes = (0..=MOST).step_by(STEP);
        sizes.try_for_each(|n| keep(Record::of(&[("graph", &FIGURE), ("n", &n)]), n, None))
    }

    fn page(records: &Records) -> Page {
        let mut page = Page::new("Memory of the STAR-machine");
        page.text(
            "Bytes by the paper's formula, and here: of tables that were made, for a matrix one \
             column of it. The paper's GB and MB are 2^30 and 2^20 bytes.",
        );
        let graphs = records.of(&[("n", "")]);
        page.across(&graphs, &["graph", "in the paper"], "by", &least("bytes"));
        let gb = |r: &Record| Some((r.number("n") / 1e3, [r.least("bytes")? / 2f64.powi(30); 3]));
        let title = "Memory of an adjacency matrix (Figure 6)";
        let axes = ["thousands of vertices", "GB of 2^30 bytes"];
        let axes = axes.map(|name| Axis { name, log: false });
        page.lines(("figure-6", title), axes, &records.of(&[("graph", FIGURE)]), "by", &gb);
        page
    }
}

/// Of an adjacency matrix, or of two tables with the ends of the edges: by the paper's formula,
/// and of a table that is made here, for a matrix of one column of it.
fn bytes(n: u32, edges: Option<u32>) -> Result<[f64; 2]> {
    let (rows, columns, tables) = match edges {
        None => (n, n.into(), 1),
        Some(edges) => (edges, u64::from(n.next_power_of_two().ilog2()), 2),
    };
    let column = Table::zeros(rows as usize, 1)?;
    let here = tables * columns * size_of_val(column.as_words()) as u64;
    Ok([tables * published(rows.into(), columns), here].map(|bytes| bytes as f64))
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
            let [published, here] = bytes(n, edges).unwrap();
            assert!((published / f64::from(1 << unit) - said).abs() < 5e-4 * said);
            assert!(here < published && here > 0.99 * published);
        }
        assert_eq!(published(180_000, 180_000), 4_052_160_008);
    }
}
