//! The paper's figures of storage again: by its formulas, and what tables take here.

use anyhow::{Result, ensure};
use serde::Serialize;
use star_machine::{Table, storage};

use crate::table::table;
use crate::workloads::Workload;

/// A matrix, or a list of edges.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Line {
    pub(super) what: String,
    pub(super) said: &'static str,
    /// Bytes by the paper's formula.
    pub(super) published: u64,
    /// Bytes of tables that were made, for a matrix of one column as often as it has columns.
    pub(super) measured: u64,
}

pub(super) fn measure() -> Result<Vec<Line>> {
    let mut lines = vec![
        matrix("matrix of 180,000 vertices", "3.78 GB", 180_000)?,
        edges("10^6 edges of 10^4 vertices", "3.34 MB", 10_000, 1_000_000)?,
        edges("58,333,344 arcs of the USA's 23,947,347", "348 MB", 23_947_347, 58_333_344)?,
    ];
    if Workload::NewYork.is_available() {
        let graph = Workload::NewYork.load()?;
        let (n, m) = (graph.n_vertices() as u32, graph.n_arcs() as u32);
        lines.push(matrix(&format!("matrix of New York's {n} vertices"), "", n)?);
        lines.push(edges(&format!("New York's {m} arcs"), "", n, m)?);
    } else {
        eprintln!("SKIPPED: New York: there is no file of it; see STARPATH_DATA");
    }
    Ok(lines)
}

fn matrix(what: &str, said: &'static str, n: u32) -> Result<Line> {
    // one column of it: all would be memory that nobody looks at
    let measured = size(n, 1)? * u64::from(n);
    let expected = storage::matrix(n);
    ensure!(measured == expected, "a matrix of {n} takes {measured} bytes, not {expected}");
    Ok(Line { what: what.to_owned(), said, published: storage::published_matrix(n), measured })
}

/// Two tables: tails and heads.
fn edges(what: &str, said: &'static str, n: u32, m: u32) -> Result<Line> {
    let measured = 2 * size(m, n.next_power_of_two().ilog2())?;
    let expected = storage::edges(n, m);
    ensure!(measured == expected, "{m} edges take {measured} bytes, not {expected}");
    Ok(Line { what: what.to_owned(), said, published: storage::published_edges(n, m), measured })
}

/// Bytes of a table that is made for it.
fn size(rows: u32, columns: u32) -> Result<u64> {
    let table = Table::zeros(rows as usize, columns as usize)?;
    Ok(size_of_val(table.as_words()) as u64)
}

pub(super) fn section(lines: &[Line]) -> String {
    if lines.is_empty() {
        return String::new();
    }
    let row = |line: &Line| {
        let Line { what, said, published, measured } = line;
        vec![what.clone(), (*said).to_owned(), published.to_string(), measured.to_string()]
    };
    let headings = ["", "in the paper", "by its formula, bytes", "here, bytes"];
    format!(
        "\n## Storage (Figure 6)\n\nThe paper's GB and MB are 2^30 and 2^20 bytes. Here: of \
         tables that were made, for a matrix one column of it.\n\n{}",
        table(1, &headings, &lines.iter().map(row).collect::<Vec<_>>())
    )
}
