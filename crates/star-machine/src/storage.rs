//! How many bytes graphs take on the machine, as the paper counts them, and here.
//!
//! The paper's figures come out where each unit is 1024 of the one before (a Mbyte is 2²⁰
//! bytes), the logarithm is rounded up, and the graph of the USA has its exact size. Of a
//! matrix of 180,000 vertices the paper says about 3.78 Gbytes; its formula gives 3.77.
//!
//! | graph | by the paper's formula | in the paper | here |
//! | --- | ---: | ---: | ---: |
//! | matrix of 180,000 vertices | 4,052,160,008 | 3.78 Gbytes | 4,050,720,000 |
//! | matrix of New York's 264,346 vertices | 8,738,221,384 | | 8,736,106,608 |
//! | 10⁶ edges of 10⁴ vertices | 3,500,240 | 3.34 Mbytes | 3,500,000 |
//! | the USA's 58,333,344 arcs of 23,947,347 vertices | 364,584,016 | 348 Mbytes | 364,583,600 |
//! | New York's 733,846 arcs | 3,486,288 | | 3,485,968 |
//!
//! Reference: snytnikova-nepomniaschaya-2016

/// Bytes of an adjacency matrix of n vertices in the paper: 8 (n (⌈n / 64⌉ + 1) + 1), a word
/// for 64 rows of a column, one more for a column, and one more for the table.
///
/// ```
/// let bytes = star_machine::storage::published_matrix(180_000);
/// assert_eq!(bytes, 4_052_160_008); // 3.77 · 2³⁰
/// ```
pub fn published_matrix(n_vertices: u32) -> u64 {
    published_table(n_vertices.into(), n_vertices.into())
}

/// Bytes of a list of m edges, without weights, of n vertices in the paper:
/// 2 (8 (log₂ n (⌈m / 64⌉ + 1) + 1)), with the logarithm rounded up: two tables of the
/// numbers of vertices.
///
/// ```
/// let bytes = star_machine::storage::published_edges(10_000, 1_000_000);
/// assert_eq!(bytes, 3_500_240); // 3.34 · 2²⁰
/// ```
pub fn published_edges(n_vertices: u32, n_edges: u32) -> u64 {
    2 * published_table(n_edges.into(), bits(n_vertices))
}

/// Bytes of a matrix of n by n bits here: those of a [`Table`](crate::Table) of the machine, and
/// of a [`Closure`](paths::Closure).
pub fn matrix(n_vertices: u32) -> u64 {
    table(n_vertices.into(), n_vertices.into())
}

/// Bytes of two [`Table`](crate::Table)s with the ends of m edges of n vertices.
pub fn edges(n_vertices: u32, n_edges: u32) -> u64 {
    2 * table(n_edges.into(), bits(n_vertices))
}

/// Bits of the number of a vertex.
fn bits(n_vertices: u32) -> u64 {
    u64::from(n_vertices.max(1)).next_power_of_two().ilog2().into()
}

fn published_table(rows: u64, columns: u64) -> u64 {
    8 * (columns * (rows.div_ceil(64) + 1) + 1)
}

fn table(rows: u64, columns: u64) -> u64 {
    8 * columns * rows.div_ceil(64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Table;

    #[test]
    fn the_figures_of_the_paper_come_out() {
        let in_units = |bytes: u64, unit: u32| bytes as f64 / f64::from(1u32 << unit);
        // "about 3.78 Gbytes"
        assert!((in_units(published_matrix(180_000), 30) - 3.774).abs() < 5e-4);
        assert!((in_units(published_edges(10_000, 1_000_000), 20) - 3.34).abs() < 5e-3);
        let usa = published_edges(23_947_347, 58_333_344);
        assert!((in_units(usa, 20) - 348.0).abs() < 0.5);
        assert_eq!(published_matrix(264_346), 8_738_221_384);
        assert_eq!(published_edges(264_346, 733_846), 3_486_288);
    }

    #[test]
    fn what_is_said_of_tables_is_what_they_have() {
        for (n, m) in [(0, 0), (1, 1), (2, 64), (64, 65), (65, 1000), (10_000, 1_000_000)] {
            let bytes = |rows: u32, columns: u64| {
                let table = Table::zeros(rows as usize, columns as usize).unwrap();
                size_of_val(table.as_words()) as u64
            };
            assert_eq!(matrix(n), bytes(n, n.into()));
            assert_eq!(edges(n, m), 2 * bytes(m, bits(n)));
            assert!(matrix(n) < published_matrix(n) && edges(n, m) < published_edges(n, m));
        }
        assert_eq!(matrix(180_000), 4_050_720_000);
        assert_eq!(matrix(264_346), 8_736_106_608);
        assert_eq!(edges(23_947_347, 58_333_344), 364_583_600);
        assert_eq!(edges(264_346, 733_846), 3_485_968);
    }
}
