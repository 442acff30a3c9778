//! The basic procedures against a model of rows: as written, fused, counted, with operands
//! that are one variable, and with flaws that must be noticed.

use proptest::prelude::*;
use star_machine::{
    Counting, FieldVar, Host, Machine, Operations, Procedure, Procedures, Slice, Star, StarError,
    Table, Word, WordVar,
};

use crate::cases::{Case, LAYOUTS, Layout, Operands, SIZES, difference, rows_of};
use crate::common::proptests;
use crate::random::Random;

/// Ways to carry out a procedure.
type Way = fn(&mut Host, &Procedure) -> Result<(), StarError>;

const WAYS: [(&str, Way); 2] =
    [("as written", |m, procedure| procedure.run(m)), ("fused", |m, procedure| m.fused(procedure))];

/// All procedures on a case, in every way.
fn check(case: &Case, layout: Layout) -> Result<(), StarError> {
    let case = case.clone().under(layout);
    for number in 0..case.load(&mut Host::new(), layout)?.procedures().len() {
        for (way, call) in WAYS {
            let mut m = Host::new();
            let operands = case.load(&mut m, layout)?;
            let procedure = operands.procedures()[number];
            let expected = case.expected(&procedure);
            let whole = m.table_value(operands.to.table)?;
            call(&mut m, &procedure)?;
            let found = operands.outcome(&mut m, expected.results.len())?;
            let what = || format!("{}, {way}, {layout:?}, {case:?}", procedure.name());
            assert_eq!(found, expected, "{}", what());
            if !matches!(procedure, Procedure::Clear { .. }) {
                let now = m.table_value(operands.to.table)?;
                let (first, columns) = (operands.to.first, operands.to.columns);
                let outside = |j: &usize| !(first..first + columns).contains(&(*j as u32));
                for j in (0..now.columns()).filter(outside) {
                    assert_eq!(now.col(j)?, whole.col(j)?, "column {j}: {}", what());
                }
            }
        }
    }
    Ok(())
}

#[test]
fn all_sizes_are_as_the_model() -> Result<(), StarError> {
    let mut random = Random(1);
    for rows in SIZES {
        for columns in SIZES {
            for layout in LAYOUTS {
                check(&Case::random(rows, columns, &mut random), layout)?;
            }
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(proptests(150))]

    #[test]
    fn random_tables_are_as_the_model(
        rows in 0usize..140, columns in 0usize..12, layout in 0..LAYOUTS.len(), seed: u64,
    ) {
        check(&Case::random(rows, columns, &mut Random(seed)), LAYOUTS[layout]).unwrap();
    }

    /// Fields that overlap: whatever comes out, it is the same in both ways.
    #[test]
    fn fused_is_as_written_where_fields_overlap(
        rows in 1usize..200, columns in 1usize..20, from in prop::array::uniform3(0usize..6),
        seed: u64,
    ) {
        let mut random = Random(seed);
        let case = Case::random(rows, columns + 6, &mut random);
        for number in 0..16 {
            let mut left = Vec::new();
            for (_, call) in WAYS {
                let mut m = Host::new();
                let mut operands = case.load(&mut m, Layout::Apart).unwrap();
                let table = operands.table.table;
                let field = |from: usize| table.field(from..from + columns).unwrap();
                [operands.table, operands.other, operands.to] = from.map(field);
                operands.word = m.load_word(&Word::from_u64(seed >> 12 & 1, columns).unwrap()).unwrap();
                call(&mut m, &operands.procedures()[number]).unwrap();
                left.push((rows_of(&mut m, table.into()).unwrap(), operands.outcome(&mut m, 3).unwrap()));
            }
            prop_assert_eq!(&left[0], &left[1]);
        }
    }
}

/// Sizes at which the host works in blocks, in strips and on all threads, with two fields of
/// three that overlap.
#[test]
fn fused_is_as_written_for_large_tables() -> Result<(), StarError> {
    let mut random = Random(7);
    for (rows, columns) in [(40_001, 20), (131_001, 300)] {
        let mut m = Host::new();
        let mut vector = |m: &mut Host, len: usize| {
            let mut words: Vec<_> = (0..len.div_ceil(64)).map(|_| random.next()).collect();
            *words.last_mut().unwrap() >>= (64 - len % 64) % 64;
            m.load_slice(&Slice::from_words(len, words).unwrap()).unwrap()
        };
        let (table, other) = (m.table(rows, columns + 1)?, m.table(rows, columns)?);
        // all but the last columns of the first are zeros, so that blocks have the least row
        // in common, or almost
        for (table, from) in [(table, columns - 12), (other, 0)] {
            for j in from..table.columns() as usize {
                let x = vector(&mut m, rows);
                m.set_col(table, j as u32, x)?;
            }
        }
        let (table, to) = (table.field(0..columns)?, table.field(1..columns + 1)?);
        let (rows, word) = (vector(&mut m, rows), WordVar(vector(&mut m, columns).0));
        let results = [(); 3].map(|()| m.slice(rows.0.len() as usize).unwrap());
        let o = Operands { table, other: other.into(), to, rows, word, results };
        let before = m.table_value(to.table)?;
        for procedure in o.procedures() {
            let [written, fused] = WAYS.map(|(_, call)| {
                m.set_table(to.table, &before).unwrap();
                results.iter().for_each(|z| m.set(*z).unwrap());
                call(&mut m, &procedure).unwrap();
                (m.table_value(to.table).unwrap(), results.map(|z| m.slice_value(z).unwrap()))
            });
            assert!(written == fused, "{columns} columns, {}", procedure.name());
        }
    }
    Ok(())
}

/// A word that is also a result: it is read before it is written.
#[test]
fn a_result_may_be_the_word() -> Result<(), StarError> {
    let mut random = Random(3);
    for _ in 0..50 {
        let case = Case::random(9, 9, &mut random);
        for (way, call) in WAYS {
            let mut m = Host::new();
            let mut operands = case.load(&mut m, Layout::Apart)?;
            operands.results[0].0 = operands.word.0;
            for procedure in operands.procedures() {
                let fresh = case.load(&mut m, Layout::Apart)?;
                for (to, from) in [(operands.rows.0, fresh.rows.0), (operands.word.0, fresh.word.0)]
                {
                    m.copy(to, from)?;
                }
                m.tcopy(operands.table, fresh.table)?;
                m.tcopy(operands.other, fresh.other)?;
                m.tcopy(operands.to, fresh.to)?;
                let expected = case.expected(&procedure);
                call(&mut m, &procedure)?;
                let found = operands.outcome(&mut m, expected.results.len())?;
                assert_eq!(found, expected, "{}, {way}", procedure.name());
            }
        }
    }
    Ok(())
}

/// SETMIN is the borrow of SUBTV, LESS that of SUBTC, and the borrow of the model is either.
#[test]
fn a_borrow_marks_lesser_rows() -> Result<(), StarError> {
    let mut random = Random(5);
    for columns in SIZES {
        let case = Case::random(100, columns, &mut random);
        let mut m = Host::new();
        let o = case.load(&mut m, Layout::Apart)?;
        let (less, borrow) = (m.slice(100)?, m.slice(100)?);
        m.setmin(less, o.table, o.other, o.rows)?;
        m.subtv(o.to, borrow, o.table, o.other, o.rows)?;
        assert_eq!(m.slice_value(less)?, m.slice_value(borrow)?);
        let of = |i: usize| case.rows[i] && difference(&case.table[i], &case.other[i]).1;
        assert_eq!(
            m.slice_value(borrow)?,
            Slice::from_positions(100, (0..100).filter(|i| of(*i)))?
        );
        m.less(less, o.table, o.rows, o.word)?;
        m.subtc(o.to, borrow, o.table, o.rows, o.word)?;
        assert_eq!(m.slice_value(less)?, m.slice_value(borrow)?);
    }
    Ok(())
}

/// All ones stand for infinity: infinity plus w carries or stays, so that a sum that is less
/// and did not carry is right.
#[test]
fn infinity_is_never_improved_to() -> Result<(), StarError> {
    let (k, infinity) = (4, 15);
    let distances: Vec<u64> = (0..=infinity).collect();
    for weight in 0..=infinity {
        for now in 0..=infinity {
            let mut m = Host::new();
            let from = m.load_table(&Table::from_values(&distances, k)?)?;
            let to = m.load_table(&Table::from_values(&[now; 16], k)?)?;
            let (sums, w) = (m.table(16, k)?, m.load_word(&Word::from_u64(weight, k)?)?);
            let all = m.load_slice(&Slice::ones(16)?)?;
            let (carry, better) = (m.slice(16)?, m.slice(16)?);
            m.addc(sums, carry, from, all, w)?;
            m.setmin(better, sums, to, all)?;
            m.and_not(better, better, carry)?;
            m.tmerge(to, sums, better)?;
            let expected: Vec<_> = distances
                .iter()
                .map(|d| if *d == infinity || weight == infinity { infinity } else { d + weight })
                .map(|sum| now.min(sum))
                .collect();
            assert_eq!(m.table_value(to)?.to_values()?, expected, "{now}, {weight}");
        }
    }
    Ok(())
}

/// LESS, LESSEQ, GREAT, GREATEQ and SETMAX by name.
#[test]
fn relatives_are_as_numbers_compare() -> Result<(), StarError> {
    let values: Vec<u64> = (0..16).collect();
    let others: Vec<u64> = values.iter().map(|v| v * 7 % 16).collect();
    let signed = |v: u64| if v > 7 { v as i64 - 16 } else { v as i64 };
    for word in 0..16 {
        let mut m = Host::new();
        let table = m.load_table(&Table::from_values(&values, 4)?)?;
        let other = m.load_table(&Table::from_values(&others, 4)?)?;
        let w = m.load_word(&Word::from_u64(word, 4)?)?;
        let rows = Slice::from_positions(16, (0..16).filter(|i| i % 5 != 2))?;
        let x = m.load_slice(&rows)?;
        let z = m.slice(16)?;
        let is = |m: &mut Host, of: &dyn Fn(u64, u64) -> bool| {
            let marks = (0..16).filter(|&i| i % 5 != 2 && of(i as u64, others[i]));
            assert_eq!(m.slice_value(z).unwrap(), Slice::from_positions(16, marks).unwrap());
        };
        m.less(z, table, x, w)?;
        is(&mut m, &|v, _| v < word);
        m.lesseq(z, table, x, w)?;
        is(&mut m, &|v, _| v <= word);
        m.great(z, table, x, w)?;
        is(&mut m, &|v, _| v > word);
        m.greateq(z, table, x, w)?;
        is(&mut m, &|v, _| v >= word);
        m.setmax(z, table, other, x)?;
        is(&mut m, &|v, o| v > o);
        m.setmin_signed(z, table, other, x)?;
        is(&mut m, &|v, o| signed(v) < signed(o));
        m.setmax_signed(z, table, other, x)?;
        is(&mut m, &|v, o| signed(v) > signed(o));
    }
    Ok(())
}

/// Costs depend on the columns and the word alone.
#[test]
fn costs_are_as_stated() -> Result<(), StarError> {
    for columns in [1, 8, 65] {
        for rows in [1, 64, 500] {
            let case = Case::random(rows, columns, &mut Random(columns as u64));
            let ones = case.word.iter().filter(|bit| **bit).count() as u64;
            let k = columns as u64;
            let costs = [
                2 * k,
                2 * (k + ones + 1),
                3 * k,
                3 * k,
                7 * k,
                7 * k,
                4 * k,
                k,
                2 * k,
                6 * k,
                k,
                3 * k,
                5 * k + ones,
                10 * k,
                6 * k - ones,
                10 * k,
            ];
            let mut m = Counting::new(Host::new());
            let operands = case.load(&mut m, Layout::Apart)?;
            for (procedure, cost) in operands.procedures().into_iter().zip(costs) {
                m.reset();
                m.call(procedure)?;
                assert_eq!(m.cost().total(), cost, "{} of {k} columns", procedure.name());
                assert_eq!((m.cost().row_reads, m.cost().row_writes), (0, 0));
            }
        }
    }
    Ok(())
}

/// Whatever does not fit together is refused, and nothing has changed.
#[test]
fn sizes_that_differ_are_refused() -> Result<(), StarError> {
    let mut m = Host::new();
    let case = Case::random(70, 9, &mut Random(11));
    let good = case.load(&mut m, Layout::Apart)?;
    let (long, wide) = (m.slice(71)?, m.word(10)?);
    let (tall, broad) = (FieldVar::from(m.table(71, 9)?), FieldVar::from(m.table(70, 10)?));
    let outside = FieldVar { first: 1, ..good.table };
    let before = (m.table_value(good.to.table)?, good.outcome(&mut m, 3)?);
    let mut bad = Vec::new();
    for field in [tall, broad, outside] {
        bad.extend([
            Operands { table: field, ..good },
            Operands { other: field, ..good },
            Operands { to: field, ..good },
        ]);
    }
    bad.push(Operands { rows: long, ..good });
    bad.push(Operands { word: wide, ..good });
    for z in 0..3 {
        let mut results = good.results;
        results[z] = long;
        bad.push(Operands { results, ..good });
    }
    for operands in bad {
        for (right, wrong) in good.procedures().into_iter().zip(operands.procedures()) {
            let alone = matches!(right, Procedure::Min { .. } | Procedure::Max { .. });
            let fits = operands.table == broad && alone;
            if right == wrong || fits || matches!(right, Procedure::Clear { .. }) {
                continue;
            }
            for (way, call) in WAYS {
                let error = call(&mut m, &wrong).expect_err(&format!("{way}: {wrong:?}"));
                let told = matches!(
                    error,
                    StarError::LengthMismatch { .. } | StarError::OutOfRange { .. }
                );
                assert!(told, "{way}, {wrong:?}: {error}");
            }
        }
    }
    assert_eq!((m.table_value(good.to.table)?, good.outcome(&mut m, 3)?), before);
    Ok(())
}

/// Variables of scopes that have ended are refused, and nothing has changed.
#[test]
fn variables_of_another_scope_are_refused() -> Result<(), StarError> {
    let mut m = Host::new();
    let case = Case::random(70, 9, &mut Random(13));
    let good = case.load(&mut m, Layout::Apart)?;
    let mark = m.mark();
    let gone = case.load(&mut m, Layout::Apart)?;
    m.release(mark);
    let before = good.outcome(&mut m, 3)?;
    let bad = [
        Operands { table: gone.table, ..good },
        Operands { other: gone.other, ..good },
        Operands { to: gone.to, ..good },
        Operands { rows: gone.rows, ..good },
        Operands { word: gone.word, ..good },
        Operands { results: gone.results, ..good },
    ];
    for operands in bad {
        for (right, wrong) in good.procedures().into_iter().zip(operands.procedures()) {
            if right != wrong {
                let error = m.fused(&wrong).expect_err(&format!("{wrong:?}"));
                assert!(matches!(error, StarError::Unknown { .. }), "{wrong:?}: {error}");
            }
        }
    }
    assert_eq!(good.outcome(&mut m, 3)?, before);
    Ok(())
}
