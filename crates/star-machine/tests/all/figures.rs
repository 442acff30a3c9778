//! The worked examples and the counts of the seed paper.

use star_machine::{Host, Machine, Procedures, Slice, Star, StarError, Table, Word, procedures};

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
