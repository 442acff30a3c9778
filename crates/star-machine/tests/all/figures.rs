//! The worked examples and the counts of the seed paper.

use star_machine::{
    Cost, Counting, Host, Machine, Procedures, Slice, Star, StarError, Table, Word, procedures,
};

use crate::cases::{Row, table_of};
use crate::random::Random;

/// Rows of bits, as papers print them.
fn table(rows: &[&str]) -> Table {
    let values: Vec<_> = rows.iter().map(|row| u64::from_str_radix(row, 2).unwrap()).collect();
    Table::from_values(&values, rows[0].len()).unwrap()
}

#[test]
fn figure_4_finds_the_rows_that_match() -> Result<(), StarError> {
    let mut m = Host::new();
    let t = m.load_table(&table(&["1010", "0011", "1011", "1011", "1011", "1010"]))?;
    let x = m.load_slice(&Slice::from_positions(6, [0, 2, 4, 5])?)?;
    let v = m.load_word(&Word::from_u64(0b1011, 4)?)?;
    let z = m.slice(6)?;
    m.match_rows(z, t, x, v)?;
    assert_eq!(m.slice_value(z)?, Slice::from_positions(6, [2, 4])?);
    Ok(())
}

/// The elements that the figure has in bold, where rows 3 and 4 meet columns 1 and 3, are
/// those that this iteration may change.
#[test]
fn figure_5_is_one_iteration() -> Result<(), StarError> {
    let before = ["001000", "101000", "010001", "010000", "001000", "000110"];
    let after = ["001000", "101000", "111001", "111000", "001000", "000110"];
    let mut m = Host::new();
    let p = m.load_table(&table(&before))?;
    procedures::warshall(&mut m, p, 1..2)?;
    assert_eq!(m.table_value(p)?, table(&after));
    m.set_table(p, &table(&before))?;
    procedures::warshall_columns(&mut m, p, 1..2)?;
    assert_eq!(m.table_value(p)?, table(&after));
    Ok(())
}

/// The closure of a digraph by its definition, and the unions that a pivot after the other takes.
/// For each pivot they are as many as the matrix has ones in that column (`WARSHALL`), or in that
/// row (`WARSHALL-C`).
fn closure(arcs: &[Row]) -> (Vec<Row>, [u64; 2]) {
    let (n, mut p, mut unions) = (arcs.len(), arcs.to_vec(), [0; 2]);
    for k in 0..n {
        unions[0] += (0..n).filter(|i| p[*i][k]).count() as u64;
        unions[1] += (0..n).filter(|j| p[k][*j]).count() as u64;
        let before = p.clone();
        for i in 0..n {
            for j in 0..n {
                p[i][j] = before[i][j] || before[i][k] && before[k][j];
            }
        }
    }
    (p, unions)
}

#[test]
fn remark_2_counts_columns_and_rows() -> Result<(), StarError> {
    let mut random = Random(2);
    for n in [0, 1, 2, 17, 63, 64, 65, 100] {
        for arcs_of_100 in [1, 5, 40] {
            let arcs: Vec<Row> =
                (0..n).map(|_| (0..n).map(|_| random.below(100) < arcs_of_100).collect()).collect();
            let (expected, [rows, columns]) = closure(&arcs);
            let adjacency = table_of(&arcs, n)?;
            let expected = table_of(&expected, n)?;
            let mut m = Counting::new(Host::new());
            let p = m.load_table(&adjacency)?;
            let len = n as u64;
            let of_rows = Cost {
                column_reads: len,
                row_reads: len + rows,
                row_writes: rows,
                bitwise: rows,
                searches: len + 2 * rows,
                ..Cost::default()
            };
            let of_columns = Cost {
                row_reads: len,
                column_reads: len + columns,
                column_writes: columns,
                bitwise: columns,
                searches: len + columns,
                ..Cost::default()
            };
            let closures = [procedures::warshall, procedures::warshall_columns];
            for (closure, counts) in closures.into_iter().zip([of_rows, of_columns]) {
                m.reset();
                m.set_table(p, &adjacency)?;
                closure(&mut m, p, 0..n)?;
                assert_eq!((m.table_value(p)?, m.cost()), (expected.clone(), counts));
            }
        }
    }
    Ok(())
}

#[test]
fn closures_are_of_square_tables() -> Result<(), StarError> {
    let mut m = Host::new();
    let (long, square) = (m.table(3, 2)?, m.table(3, 3)?);
    for closure in [procedures::warshall, procedures::warshall_columns] {
        let error = closure(&mut m, long, 0..2).expect_err("three by two");
        assert!(matches!(error, StarError::LengthMismatch { left: 3, right: 2, .. }), "{error}");
        let error = closure(&mut m, square, 0..4).expect_err("a fourth pivot");
        assert!(matches!(error, StarError::OutOfRange { index: 3, len: 3, .. }), "{error}");
    }
    Ok(())
}
