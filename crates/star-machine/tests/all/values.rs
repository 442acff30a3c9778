//! Slices, words, tables and fields against vectors of bits.

use std::cmp::Ordering;

use proptest::prelude::*;
use star_machine::{Relation, Slice, StarError, Table, Word};

use crate::cases::{Row, SIZES, bits_of, clean, difference, less, sum, table_of};
use crate::common::{RELATIONS, proptests};
use crate::naive::compared;
use crate::random::Random;

/// Everything that one or two slices can do.
fn slices_agree(x: &Row, y: &Row, random: &mut Random) -> Result<(), StarError> {
    let len = x.len();
    let (a, b) = (Slice::from_bits(x)?, Slice::from_bits(y)?);
    let positions: Vec<_> = (0..len).filter(|i| x[*i]).collect();
    assert_eq!(bits_of(&a), *x);
    assert_eq!(a, Slice::from_positions(len, positions.iter().copied())?);
    assert_eq!(a.positions().collect::<Vec<_>>(), positions);
    assert_eq!((a.len(), a.is_empty(), a.numb()), (len, len == 0, positions.len()));
    assert_eq!(a.some(), !positions.is_empty());
    assert_eq!(a.fnd(), positions.first().copied());
    assert_eq!(a.frst(), Slice::from_positions(len, positions.first().copied())?);
    assert_eq!(Slice::from_words(len, a.clone().into_words()), Some(a.clone()));
    assert_eq!(a.clone().into_word().into_slice(), a);

    let mut rest = a.clone();
    let steps: Vec<_> = std::iter::from_fn(|| rest.step()).collect();
    assert_eq!((steps, rest.some(), rest.step()), (positions.clone(), false, None));

    let zip =
        |of: fn(bool, bool) -> bool| x.iter().zip(y).map(|(x, y)| of(*x, *y)).collect::<Row>();
    let changed = |change: fn(&mut Slice, &Slice) -> Result<(), StarError>| {
        let mut changed = a.clone();
        change(&mut changed, &b).map(|()| bits_of(&changed))
    };
    assert_eq!(changed(Slice::and_assign)?, zip(|x, y| x & y));
    assert_eq!(changed(Slice::or_assign)?, zip(|x, y| x | y));
    assert_eq!(changed(Slice::xor_assign)?, zip(|x, y| x ^ y));
    assert_eq!(changed(Slice::andn_assign)?, zip(|x, y| x & !y));
    let mut changed = a.clone();
    changed.not_assign();
    assert_eq!(bits_of(&changed), x.iter().map(|x| !x).collect::<Row>());
    changed.set_all();
    assert_eq!((bits_of(&changed), changed.clone()), (vec![true; len], Slice::ones(len)?));
    changed.clear();
    assert_eq!(changed, Slice::zeros(len)?);
    if len > 0 {
        let (at, bit) = (random.below(len), random.bit());
        let mut model = x.clone();
        (model[at], changed) = (bit, a.clone());
        changed.set(at, bit)?;
        assert_eq!((bits_of(&changed), changed.get(at)?), (model, bit));
    }
    Ok(())
}

/// Everything that one or two words can do.
fn words_agree(x: &Row, y: &Row, random: &mut Random) -> Result<(), StarError> {
    let len = x.len();
    let [a, b] = [x, y].map(|bits| Slice::from_bits(bits).unwrap().into_word());
    let bits = |word: &Word| bits_of(word.as_slice());
    let (total, carry) = a.add(&b)?;
    assert_eq!((bits(&total), carry), sum(x, y));
    let saturated = a.saturating_add(&b)?;
    assert_eq!(bits(&saturated), if carry { vec![true; len] } else { sum(x, y).0 });
    let (left, borrow) = a.subt(&b)?;
    assert_eq!((bits(&left), borrow), difference(x, y));
    assert_eq!(a.compare(&b)?, x.cmp(y));
    let signed = match (less(x, y, true), less(y, x, true)) {
        (true, _) => Ordering::Less,
        (_, true) => Ordering::Greater,
        _ => Ordering::Equal,
    };
    assert_eq!(a.compare_signed(&b)?, signed);
    for relation in RELATIONS {
        assert_eq!(a.relation(relation, &b)?, compared(relation, x, y), "{relation:?}");
    }
    let from = random.below(len + 1);
    let to = from + random.below(len + 1 - from);
    for (from, to) in [(from, to), (0, len), (len, len), (0, 0)] {
        let part = a.trim(from..to)?;
        assert_eq!(bits(&part), x[from..to], "{from}..{to}");
        let mut replaced = b.clone();
        replaced.rep(from..to, &part)?;
        assert_eq!(bits(&replaced), [&y[..from], &x[from..to], &y[to..]].concat(), "{from}..{to}");
    }
    let number = x
        .iter()
        .try_fold(0u64, |value, bit| value.checked_mul(2).map(|value| value + u64::from(*bit)));
    match number {
        Some(value) => {
            assert_eq!(a.to_u64()?, value);
            assert_eq!(Word::from_u64(value, len)?, a);
        }
        None => assert!(matches!(a.to_u64(), Err(StarError::TooWide { bits: 64, .. }))),
    }
    Ok(())
}

/// Everything that a table and a field of it can do.
fn tables_agree(rows: &[Row], columns: usize, random: &mut Random) -> Result<(), StarError> {
    let table = table_of(rows, columns)?;
    clean(&table);
    assert_eq!((table.rows(), table.columns()), (rows.len(), columns));
    for (i, row) in rows.iter().enumerate() {
        assert_eq!(bits_of(table.row(i)?.as_slice()), *row);
    }
    for j in 0..columns {
        assert_eq!(bits_of(&table.col(j)?), rows.iter().map(|row| row[j]).collect::<Row>());
    }

    let (mut changed, mut model) = (table.clone(), rows.to_vec());
    if !rows.is_empty() {
        let (i, row) = (random.below(rows.len()), random.bits(columns));
        changed.set_row(i, &Slice::from_bits(&row)?.into_word())?;
        model[i] = row;
    }
    if columns > 0 {
        let (j, column) = (random.below(columns), random.bits(rows.len()));
        changed.set_col(j, &Slice::from_bits(&column)?)?;
        model.iter_mut().zip(column).for_each(|(row, bit)| row[j] = bit);
    }
    assert_eq!(changed, table_of(&model, columns)?);

    let from = random.below(columns + 1);
    let to = from + random.below(columns + 1 - from);
    let field = table.field(from..to)?;
    let of: Vec<Row> = rows.iter().map(|row| row[from..to].to_vec()).collect();
    assert_eq!(Table::from(field), table_of(&of, to - from)?);
    for (i, row) in of.iter().enumerate() {
        assert_eq!(bits_of(field.row(i)?.as_slice()), *row);
    }
    if to > from {
        assert_eq!(field.col(0)?, table.col(from)?);
        assert_eq!(field.field(0..1)?.col(0)?, table.col(from)?);
    }
    if columns <= 64 {
        let values = table.to_values()?;
        let value = |row: &Row| row.iter().fold(0, |value, bit| value << 1 | u64::from(*bit));
        assert_eq!(values, rows.iter().map(value).collect::<Vec<_>>());
        assert_eq!(Table::from_values(&values, columns)?, table);
        clean(&Table::from_values(&values, 70)?);
        assert_eq!(Table::from_values(&values, 70)?.to_values()?, values);
    }
    Ok(())
}

#[test]
fn all_sizes_are_as_vectors_of_bits() -> Result<(), StarError> {
    let mut random = Random(1);
    for len in SIZES {
        for (x, y) in [
            (vec![false; len], vec![false; len]),
            (vec![true; len], vec![true; len]),
            (vec![true; len], random.bits(len)),
            (random.bits(len), random.bits(len)),
        ] {
            slices_agree(&x, &y, &mut random)?;
            words_agree(&x, &y, &mut random)?;
            words_agree(&x, &x, &mut random)?;
        }
        for columns in SIZES {
            let rows: Vec<_> = (0..len).map(|_| random.bits(columns)).collect();
            tables_agree(&rows, columns, &mut random)?;
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(proptests(200))]

    #[test]
    fn random_sizes_are_as_vectors_of_bits(len in 0usize..300, columns in 0usize..80, seed: u64) {
        let mut random = Random(seed);
        let (x, y) = (random.bits(len), random.bits(len));
        slices_agree(&x, &y, &mut random).unwrap();
        words_agree(&x, &y, &mut random).unwrap();
        let rows: Vec<_> = (0..len.min(70)).map(|_| random.bits(columns)).collect();
        tables_agree(&rows, columns, &mut random).unwrap();
    }
}

/// Fails unless the error says so.
fn refused<T: std::fmt::Debug>(result: Result<T, StarError>, because: &str) {
    let error = result.expect_err(because);
    assert!(error.to_string().contains(because), "{error}");
}

#[test]
fn what_does_not_fit_is_refused() -> Result<(), StarError> {
    let mut x = Slice::ones(65)?;
    let y = Slice::ones(64)?;
    for change in [Slice::and_assign, Slice::or_assign, Slice::xor_assign, Slice::andn_assign] {
        refused(change(&mut x, &y), "make them as long");
    }
    refused(x.get(65), "there is no bit 65: there are 65");
    refused(x.set(65, true), "there is no bit 65");
    refused(Slice::from_positions(3, [3]), "there is no bit 3");
    refused(Slice::zeros(1 << 31), "cut it into parts");
    assert_eq!(x, Slice::ones(65)?);
    assert_eq!(Slice::from_words(65, vec![0]), None);
    assert_eq!(Slice::from_words(65, vec![0, 2]), None);
    assert_eq!(Slice::from_words(0, vec![0]), None);

    let (mut v, w) = (Word::from_u64(5, 4)?, Word::from_u64(5, 5)?);
    refused(v.add(&w), "ADD: one operand has 4 bits and the other 5");
    refused(v.subt(&w), "SUBT");
    refused(v.compare(&w), "make them as long");
    refused(v.relation(Relation::Less, &w), "make them as long");
    refused(v.trim(2..5), "there is no bit 5");
    #[expect(clippy::reversed_empty_ranges, reason = "that is what is refused")]
    let reversed = 3..2;
    refused(v.trim(reversed), "there is no bit 3");
    refused(v.rep(0..2, &w), "REP");
    refused(v.rep(0..5, &w), "there is no bit 5");
    refused(Word::from_u64(16, 4), "16 does not fit into 4 bits");
    refused(Word::from_u64(1, 0), "1 does not fit into 0 bits");
    refused(Slice::ones(65)?.into_word().to_u64(), "does not fit into 64 bits");
    assert_eq!(v, Word::from_u64(5, 4)?);

    let mut t = Table::from_values(&[1, 2, 3], 2)?;
    refused(t.col(2), "there is no column 2: there are 2");
    refused(t.row(3), "there is no row 3: there are 3");
    refused(t.set_col(2, &Slice::zeros(3)?), "there is no column 2");
    refused(t.set_col(0, &Slice::zeros(2)?), "COL");
    refused(t.set_row(3, &Word::zeros(2)?), "there is no row 3");
    refused(t.set_row(0, &Word::zeros(3)?), "ROW");
    refused(t.field(1..3), "there is no column 3");
    refused(t.get(0, 2), "there is no column 2");
    refused(t.set(3, 0, true), "there is no row 3");
    refused(Table::from_values(&[4], 2), "4 does not fit into 2 bits");
    let wide = table_of(&[vec![true; 65]], 65)?;
    refused(wide.to_values(), "does not fit into 64 bits");
    assert_eq!(table_of(&[[vec![false], vec![true; 64]].concat()], 65)?.to_values()?, [u64::MAX]);
    refused(Table::zeros(1 << 31, 1), "cut it into parts");
    refused(Table::zeros((1 << 31) - 1, (1 << 31) - 1), "more than fit");
    assert_eq!(Table::from_words(3, 2, vec![8, 0]), None);
    assert_eq!(Table::from_words(3, 2, vec![0]), None);
    assert_eq!(t.to_values()?, [1, 2, 3]);
    Ok(())
}

#[test]
fn they_print_as_papers_have_them() -> Result<(), StarError> {
    let t = Table::from_values(&[5, 2], 3)?;
    assert_eq!(t.to_string(), "101\n010\n");
    assert_eq!(t.field(1..3)?.to_string(), "01\n10\n");
    assert_eq!(format!("{:?}", t.col(0)?), "Slice(10)");
    assert_eq!(format!("{:?}", t.row(0)?), "Word(101)");
    Ok(())
}
