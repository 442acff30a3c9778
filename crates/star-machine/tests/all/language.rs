//! What each operation refuses, and what statements do.

use star_machine::{
    Condition, Counting, Cuda, FieldVar, Host, IntVar, Machine, Operations, Procedures, Relation,
    Slice, SliceVar, Star, StarError, Table, TableVar, Word, WordVar,
};

use crate::both::gpu;

/// Each is refused with this message, by operations and questions alike.
#[test]
fn operations_refuse_what_does_not_fit() -> Result<(), StarError> {
    let mut m = Host::new();
    let (x, y, long) = (m.slice(70)?, m.slice(70)?, m.slice(71)?);
    let (v, w, part) = (m.word(9)?, m.word(9)?, m.word(5)?);
    let table = m.table(70, 9)?;
    let (i, none, far) = (m.int()?, m.int()?, m.int()?);
    m.set(x)?;
    m.set_int(far, Some(70))?;
    let mut refused = Vec::new();
    let mut expect = |done: Result<(), StarError>, because: &'static str| {
        refused.push((done, because));
    };
    expect(m.and(x, y, long), "a bitwise operation: one operand has 70 bits");
    expect(m.not(long, x), "not: one operand has 71 bits and the other 70");
    expect(m.copy(x, long), "an assignment");
    expect(m.frst(x, long), "FRST");
    expect(m.set_bit(x, 70, true), "there is no bit 70: there are 70, counted from 0");
    expect(m.set_bit(x, far, true), "there is no bit 70");
    expect(m.set_bit(x, none, true), "holds none was used as the number of a bit; test it first");
    expect(m.trim(part, w, 5), "TRIM");
    expect(m.rep(w, part, 5), "REP");
    expect(m.trim(v, part, 0), "TRIM");
    expect(m.trim(part, w, far), "there is no bit 70: there are 5");
    expect(m.rep(w, part, none), "the number of a bit; test it first");
    expect(m.to_word(part, 32), "32 is not below 32; give the word more bits");
    expect(m.to_word(part, far), "70 is not below 32; give the word more bits");
    expect(m.to_word(part, none), "WORD of an integer that holds none");
    expect(m.add(v, i, w, part), "ADD");
    expect(m.subt(part, i, v, w), "SUBT");
    expect(m.col(long, table, 0), "COL");
    expect(m.col(x, table, 9), "there is no column 9");
    expect(m.col(x, table, far), "there is no column 70: there are 9");
    expect(m.set_col(table, none, x), "the number of a column");
    expect(m.row(part, table, 0), "ROW");
    expect(m.row(v, table, 70), "there is no row 70");
    expect(m.set_row(table, far, v), "there is no row 70");
    expect(m.set_row(table, none, v), "the number of a row");
    expect(m.col(x, table.field(3..5)?, 2), "there is no column 2: there are 2");
    expect(m.col(x, FieldVar { first: 8, columns: 2, ..table.into() }, 0), "there is no column 10");
    expect(m.col(x, table.numbered(3, far)?, 0), "there is no field 70: there are 3");
    expect(m.row(part, table.numbered(5, none)?, none), "the number of a field; test it first");
    expect(m.set_int(i, Some(1 << 31)), "does not fit into 31 bits");
    expect(m.if_then(Condition::bit(x, 70), |_| Ok(())), "there is no bit 70");
    expect(m.if_then(Condition::bit(x, none), |_| Ok(())), "test it first");
    let order = Condition::compare(Relation::Less, v, part);
    expect(m.if_then(order, |_| Ok(())), "a comparison");
    expect(m.for_each(0..1 << 31, |_, _| Ok(())), "a loop");
    expect(m.vector(1 << 31).map(drop), "cut it into parts");
    expect(m.table(1 << 31, 1).map(drop), "cut it into parts");
    expect(m.set_vector(x.0, &Slice::zeros(3)?), "an assignment");
    expect(m.set_table(table, &Table::zeros(70, 8)?), "an assignment");
    for (done, because) in refused {
        let error = done.expect_err(because);
        assert!(error.to_string().contains(because), "{because}: {error}");
    }
    assert_eq!(m.slice_value(x)?, Slice::ones(70)?);
    assert_eq!(m.table_value(table)?, Table::zeros(70, 9)?);
    assert_eq!((m.int_value(i)?, m.int_value(far)?), (None, Some(70)));
    assert!(table.field(8..10).is_err() && table.numbered(10, i).is_err());
    Ok(())
}

/// Whatever is done with these variables, the machine does not know them.
fn unknown<M: Machine>(
    m: &mut M,
    (y, table, i): (SliceVar, TableVar, IntVar),
    known: (SliceVar, WordVar),
) -> Result<(), StarError> {
    let (x, v) = known;
    let none = |done: Result<(), StarError>| {
        assert!(matches!(done, Err(StarError::Unknown { .. })), "{done:?}");
    };
    none(m.set(y));
    none(m.copy(x, y));
    none(m.copy(y, x));
    none(m.not(y, x));
    none(m.or(x, x, y));
    none(m.frst(y, x));
    none(m.set_bit(y, 0, true));
    none(m.set_bit(x, i, true));
    none(m.step(i, x));
    none(m.numb(i, x));
    none(m.fnd(i, x));
    none(m.add(v, i, v, v));
    none(m.col(x, table, 0));
    none(m.set_col(table, 0, x));
    none(m.row(v, table, 0));
    none(m.set_row(table, 0, v));
    none(m.clear_table(table));
    none(m.match_rows(x, table, x, v));
    none(m.set_int(i, None));
    none(m.int_value(i).map(drop));
    none(m.vector_value(y.0).map(drop));
    none(m.table_value(table).map(drop));
    none(m.set_vector(y.0, &Slice::ones(10)?));
    none(m.set_table(table, &Table::zeros(10, 4)?));
    none(m.if_then(Condition::some(y), |_| Ok(())));
    none(m.if_then(Condition::Found(i), |_| Ok(())));
    none(m.while_found(i, |_| Ok(())));
    Ok(())
}

/// A variable is that of its scope and its machine: a later one that lies in its place, as
/// long as it, is another.
fn names_are_never_taken_again(
    mut m: impl Machine,
    mut other: impl Machine,
) -> Result<(), StarError> {
    let (x, v) = (m.slice(10)?, m.word(4)?);
    m.set(x)?;
    let mut inner = None;
    m.scope(|m| {
        inner = Some((m.slice(10)?, m.table(10, 4)?, m.int()?));
        Ok(())
    })?;
    let ended = inner.expect("the scope was entered");
    unknown(&mut m, ended, (x, v))?;
    // the next variables have their places, and hold zeros
    let (y, table, i) = (m.slice(10)?, m.table(10, 4)?, m.int()?);
    unknown(&mut m, ended, (x, v))?;
    let strange = (other.slice(10)?, other.slice(10)?, other.slice(10)?);
    unknown(&mut m, (strange.2, other.table(10, 4)?, other.int()?), (x, v))?;
    assert_eq!((m.slice_value(y)?, m.int_value(i)?), (Slice::zeros(10)?, None));
    assert_eq!(m.table_value(table)?, Table::zeros(10, 4)?);
    assert_eq!(m.slice_value(x)?, Slice::ones(10)?);
    Ok(())
}

#[test]
fn names_are_never_taken_again_by_the_host() -> Result<(), StarError> {
    names_are_never_taken_again(Host::new(), Host::new())
}

#[test]
fn names_are_never_taken_again_by_who_counts() -> Result<(), StarError> {
    names_are_never_taken_again(Counting::new(Host::new()), Host::new())
}

#[test]
fn names_are_never_taken_again_by_a_gpu() -> Result<(), StarError> {
    let Some(gpu) = gpu() else { return Ok(()) };
    names_are_never_taken_again(Cuda::new(&gpu)?, Cuda::new(&gpu)?)?;
    names_are_never_taken_again(Cuda::new(&gpu)?, Host::new())
}

#[test]
fn statements_do_as_they_say() -> Result<(), StarError> {
    let mut m = Host::new();
    let x = m.load_slice(&Slice::from_positions(100, [3, 64, 99])?)?;
    let (i, mut seen) = (m.int()?, Vec::new());
    m.while_some(x, |m| {
        m.step(i, x)?;
        seen.push(m.int_value(i)?);
        Ok(())
    })?;
    assert_eq!(seen, [Some(3), Some(64), Some(99)]);

    for (back, expected) in [(false, [4, 5, 6]), (true, [6, 5, 4])] {
        let mut seen = Vec::new();
        m.count_through(4..7, back, |m, i| {
            seen.push(m.int_value(i)?.unwrap());
            Ok(())
        })?;
        assert_eq!(seen, expected);
    }
    m.for_each(3..3, |_, _| panic!("an empty range"))?;

    for bit in [true, false] {
        m.set_bit(x, 7, bit)?;
        m.if_else(Condition::bit(x, 7), |m| m.set_int(i, Some(1)), |m| m.set_int(i, Some(0)))?;
        assert_eq!(m.int_value(i)?, Some(bit.into()));
    }

    // an integer counts down until there is none
    let (mut turns, j) = (0, m.int()?);
    m.set_int(j, Some(4))?;
    m.while_found(j, |m| {
        turns += 1;
        m.add_int(j, j, -1)
    })?;
    assert_eq!((turns, m.int_value(j)?), (5, None));

    // what a body refuses ends the loop, and leaves no variables behind
    let mark = m.mark();
    let gone = m.for_each(0..9, |m, i| {
        let y = m.slice(5)?;
        m.set_bit(y, i, true)
    });
    assert!(matches!(gone, Err(StarError::OutOfRange { index: 5, .. })));
    assert_eq!(format!("{mark:?}"), format!("{:?}", m.mark()));
    Ok(())
}

/// The words of the paper's section 1: numbers in words, and parts of them.
#[test]
fn words_are_numbers() -> Result<(), StarError> {
    let mut m = Host::new();
    let v = m.load_word(&Word::from_u64(200, 8)?)?;
    let w = m.load_word(&Word::from_u64(100, 8)?)?;
    let (z, flag, half) = (m.word(8)?, m.int()?, m.word(4)?);
    m.add(z, flag, v, w)?;
    assert_eq!((m.word_value(z)?.to_u64()?, m.int_value(flag)?), (300 - 256, Some(0)));
    m.subt(z, flag, v, w)?;
    assert_eq!((m.word_value(z)?.to_u64()?, m.int_value(flag)?), (100, None));
    m.subt(z, flag, w, v)?;
    assert_eq!((m.word_value(z)?.to_u64()?, m.int_value(flag)?), (156, Some(0)));
    m.trim(half, v, 0)?;
    assert_eq!(m.word_value(half)?.to_u64()?, 200 >> 4);
    m.rep(v, half, 4)?;
    assert_eq!(m.word_value(v)?.to_u64()?, 0xcc);
    m.to_int(flag, v)?;
    assert_eq!(m.int_value(flag)?, Some(0xcc));
    m.to_word(z, flag)?;
    assert_eq!(m.word_value(z)?, m.word_value(v)?);
    // 31 bits are what integers have
    for (value, len, held) in [
        ((1 << 31) - 1, 31, Some((1 << 31) - 1)),
        ((1 << 31) - 1, 70, Some((1 << 31) - 1)),
        (1 << 31, 32, None),
        (1 << 63, 64, None),
        (0, 0, Some(0)),
    ] {
        let w = m.load_word(&Word::from_u64(value, len)?)?;
        m.to_int(flag, w)?;
        assert_eq!(m.int_value(flag)?, held, "{value} of {len} bits");
    }
    Ok(())
}
