//! Procedures that are wrong in one place each: the model of `cases` must notice every one of
//! them, and finds nothing in the same code without a flaw.

use star_machine::{
    Condition, FieldVar, Host, IntVar, Operations, Procedure, SliceVar, Star, StarError,
};

use crate::cases::{Case, LAYOUTS, Operands, SIZES};
use crate::random::Random;

type Done = Result<(), StarError>;

/// A procedure with a choice of flaws; 0 is none.
struct Mutant {
    /// Which of [`Operands::procedures`] it is meant to be.
    procedure: &'static str,
    /// What each flaw is, from 1 on.
    flaws: &'static [&'static str],
    run: fn(&mut Host, &Operands, usize) -> Done,
}

const MUTANTS: [Mutant; 10] = [
    Mutant {
        procedure: "MATCH",
        flaws: &[
            "ones and zeros exchanged",
            "rows forgotten",
            "first column skipped",
            "last column skipped",
        ],
        run: matching,
    },
    Mutant {
        procedure: "LESS and GREAT",
        flaws: &["less and greater exchanged", "least significant first", "decided rows go on"],
        run: compare,
    },
    Mutant {
        procedure: "MIN",
        flaws: &["without SOME", "the greatest", "rows forgotten", "least significant first"],
        run: min,
    },
    Mutant {
        procedure: "SETMIN",
        flaws: &["less or equal", "greater", "rows forgotten", "unmasked not", "LSB first"],
        run: setmin,
    },
    Mutant {
        procedure: "HIT",
        flaws: &["rows without a one in common", "rows forgotten", "last column skipped"],
        run: hit,
    },
    Mutant {
        procedure: "TMERGE",
        flaws: &["zeroing", "marks inverted", "old values not masked", "all rows"],
        run: merge_table,
    },
    Mutant {
        procedure: "WCOPY",
        flaws: &["merging", "bits exchanged", "all rows"],
        run: copy_word,
    },
    Mutant {
        procedure: "ADDC",
        flaws: &[
            "rows not masked",
            "no carry",
            "most significant first",
            "carry of a half adder",
            "merging",
        ],
        run: add_word,
    },
    Mutant {
        procedure: "ADDV",
        flaws: &[
            "rows not masked",
            "carry where both or one",
            "most significant first",
            "carry in dropped",
            "written before read",
        ],
        run: add_table,
    },
    Mutant {
        procedure: "SUBTV",
        flaws: &[
            "operands exchanged",
            "borrow as a carry",
            "borrow not kept where equal",
            "most significant first",
            "rows not masked",
        ],
        run: subtract_table,
    },
];

/// Whether the flaw is noticed in any of many cases.
fn noticed(mutant: &Mutant, flaw: usize) -> Result<bool, StarError> {
    let mut random = Random(17);
    for rows in SIZES {
        for columns in [1, 2, 9, 64, 65] {
            for layout in LAYOUTS {
                let case = Case::random(rows, columns, &mut random).under(layout);
                let mut m = Host::new();
                let operands = case.load(&mut m, layout)?;
                let named = |procedure: &Procedure| procedure.name() == mutant.procedure;
                let meant = operands.procedures().into_iter().find(named).expect("such a name");
                let expected = case.expected(&meant);
                (mutant.run)(&mut m, &operands, flaw)?;
                if operands.outcome(&mut m, expected.results.len())? != expected {
                    return Ok(true);
                }
            }
        }
    }
    Ok(false)
}

#[test]
fn every_flaw_is_noticed() -> Done {
    for mutant in MUTANTS {
        assert!(!noticed(&mutant, 0)?, "{} without a flaw", mutant.procedure);
        for (flaw, what) in (1..).zip(mutant.flaws) {
            assert!(noticed(&mutant, flaw)?, "{}: {what}", mutant.procedure);
        }
    }
    Ok(())
}

/// All columns, or with `back` from the last to the first.
fn each_column(
    m: &mut Host,
    field: FieldVar,
    back: bool,
    body: impl FnMut(&mut Host, IntVar) -> Done,
) -> Done {
    m.count_through(0..field.columns as usize, back, body)
}

/// A slice of zeros, or one that starts as this one.
fn slice(m: &mut Host, o: &Operands, start: Option<SliceVar>) -> Result<SliceVar, StarError> {
    let z = m.slice(o.rows.0.len() as usize)?;
    start.map_or(Ok(()), |start| m.copy(z, start))?;
    Ok(z)
}

/// The marked rows; with the flaw, all.
fn marked(m: &mut Host, o: &Operands, forgotten: bool) -> Result<SliceVar, StarError> {
    let x = slice(m, o, Some(o.rows))?;
    if forgotten { m.set(x).map(|()| x) } else { Ok(x) }
}

fn matching(m: &mut Host, o: &Operands, flaw: usize) -> Done {
    let (z, y) = (marked(m, o, flaw == 2)?, slice(m, o, None)?);
    let k = o.table.columns as usize;
    let range = usize::from(flaw == 3)..k - usize::from(flaw == 4);
    m.for_each(range, |m, j| {
        m.col(y, o.table, j)?;
        if flaw == 1 {
            m.not(y, y)?;
        }
        m.if_else(Condition::bit(o.word, j), |m| m.and(z, z, y), |m| m.and_not(z, z, y))
    })?;
    m.copy(o.results[0], z)
}

fn compare(m: &mut Host, o: &Operands, flaw: usize) -> Done {
    let (less, greater) = (slice(m, o, None)?, slice(m, o, None)?);
    let (equal, y, d) = (marked(m, o, false)?, slice(m, o, None)?, slice(m, o, None)?);
    each_column(m, o.table, flaw == 2, |m, j| {
        m.col(y, o.table, j)?;
        let still = if flaw == 3 { o.rows } else { equal };
        m.if_else(
            Condition::bit(o.word, j),
            |m| {
                m.and_not(d, still, y)?;
                m.or(less, less, d)?;
                m.and(equal, equal, y)
            },
            |m| {
                m.and(d, still, y)?;
                m.or(greater, greater, d)?;
                m.and_not(equal, equal, y)
            },
        )
    })?;
    let found = if flaw == 1 { [greater, equal, less] } else { [less, equal, greater] };
    o.results.into_iter().zip(found).try_for_each(|(result, found)| m.copy(result, found))
}

fn min(m: &mut Host, o: &Operands, flaw: usize) -> Done {
    let (z, y) = (marked(m, o, flaw == 3)?, slice(m, o, None)?);
    each_column(m, o.table, flaw == 4, |m, j| {
        m.col(y, o.table, j)?;
        if flaw == 2 {
            m.and(y, z, y)?
        } else {
            m.and_not(y, z, y)?
        }
        if flaw == 1 { m.copy(z, y) } else { m.if_then(Condition::some(y), |m| m.copy(z, y)) }
    })?;
    m.copy(o.results[0], z)
}

fn setmin(m: &mut Host, o: &Operands, flaw: usize) -> Done {
    let (z, equal) = (slice(m, o, None)?, marked(m, o, flaw == 3)?);
    let (a, b, d) = (slice(m, o, None)?, slice(m, o, None)?, slice(m, o, None)?);
    let (table, other) = if flaw == 2 { (o.other, o.table) } else { (o.table, o.other) };
    each_column(m, table, flaw == 5, |m, j| {
        m.col(a, table, j)?;
        m.col(b, other, j)?;
        m.xor(d, a, b)?;
        if flaw == 4 {
            // not a, of all rows, without those that are still equal
            m.not(a, a)?;
            m.and(b, b, a)?;
        } else {
            m.and_not(b, b, a)?;
            m.and(b, equal, b)?;
        }
        m.or(z, z, b)?;
        m.and_not(equal, equal, d)
    })?;
    if flaw == 1 {
        m.or(z, z, equal)?;
    }
    m.copy(o.results[0], z)
}

fn hit(m: &mut Host, o: &Operands, flaw: usize) -> Done {
    let (z, a, b) = (marked(m, o, flaw == 2)?, slice(m, o, None)?, slice(m, o, None)?);
    m.for_each(0..o.table.columns as usize - usize::from(flaw == 3), |m, j| {
        m.col(a, o.table, j)?;
        m.col(b, o.other, j)?;
        if flaw == 1 {
            m.and(a, a, b)?
        } else {
            m.xor(a, a, b)?
        }
        m.and_not(z, z, a)
    })?;
    m.copy(o.results[0], z)
}

fn merge_table(m: &mut Host, o: &Operands, flaw: usize) -> Done {
    let (x, new, old) = (marked(m, o, flaw == 4)?, slice(m, o, None)?, slice(m, o, None)?);
    if flaw == 2 {
        m.not(x, x)?;
    }
    each_column(m, o.table, false, |m, j| {
        m.col(new, o.table, j)?;
        m.col(old, o.to, j)?;
        m.and(new, new, x)?;
        if flaw != 3 {
            m.and_not(old, old, x)?;
        }
        if flaw != 1 {
            m.or(new, new, old)?;
        }
        m.set_col(o.to, j, new)
    })
}

fn copy_word(m: &mut Host, o: &Operands, flaw: usize) -> Done {
    let (x, zeros) = (marked(m, o, flaw == 3)?, slice(m, o, None)?);
    let (y, kept) = (slice(m, o, None)?, slice(m, o, None)?);
    let (one, zero) = if flaw == 2 { (zeros, x) } else { (x, zeros) };
    each_column(m, o.to, false, |m, j| {
        m.if_else(Condition::bit(o.word, j), |m| m.copy(y, one), |m| m.copy(y, zero))?;
        if flaw == 1 {
            m.col(kept, o.to, j)?;
            m.and_not(kept, kept, x)?;
            m.or(y, y, kept)?;
        }
        m.set_col(o.to, j, y)
    })
}

fn add_word(m: &mut Host, o: &Operands, flaw: usize) -> Done {
    let (x, carry) = (marked(m, o, flaw == 1)?, slice(m, o, None)?);
    let (y, s, kept) = (slice(m, o, None)?, slice(m, o, None)?, slice(m, o, None)?);
    each_column(m, o.table, flaw != 3, |m, j| {
        m.col(kept, o.to, j)?;
        m.col(y, o.table, j)?;
        m.and(y, y, x)?;
        m.xor(s, y, carry)?;
        m.if_else(
            Condition::bit(o.word, j),
            |m| {
                m.xor(s, s, x)?;
                if flaw == 4 { m.copy(carry, y) } else { m.or(carry, y, carry) }
            },
            |m| m.and(carry, y, carry),
        )?;
        if flaw == 2 {
            m.clear(carry)?;
        }
        if flaw == 5 {
            m.and_not(kept, kept, x)?;
            m.or(s, s, kept)?;
        }
        m.set_col(o.to, j, s)
    })?;
    m.copy(o.results[0], carry)
}

fn add_table(m: &mut Host, o: &Operands, flaw: usize) -> Done {
    let (x, carry) = (marked(m, o, flaw == 1)?, slice(m, o, None)?);
    let (a, b, s) = (slice(m, o, None)?, slice(m, o, None)?, slice(m, o, None)?);
    each_column(m, o.table, flaw != 3, |m, j| {
        if flaw == 5 {
            m.set_col(o.to, j, carry)?;
        }
        m.col(a, o.table, j)?;
        m.and(a, a, x)?;
        m.col(b, o.other, j)?;
        m.and(b, b, x)?;
        m.xor(s, a, b)?;
        if flaw != 4 {
            m.xor(s, s, carry)?;
        }
        m.set_col(o.to, j, s)?;
        m.and(s, a, b)?;
        if flaw == 2 {
            m.or(a, a, b)?
        } else {
            m.xor(a, a, b)?
        }
        if flaw != 2 {
            m.and(a, a, carry)?;
        }
        m.or(carry, a, s)
    })?;
    m.copy(o.results[0], carry)
}

fn subtract_table(m: &mut Host, o: &Operands, flaw: usize) -> Done {
    let (x, borrow) = (marked(m, o, flaw == 5)?, slice(m, o, None)?);
    let (a, b, s) = (slice(m, o, None)?, slice(m, o, None)?, slice(m, o, None)?);
    let (table, other) = if flaw == 1 { (o.other, o.table) } else { (o.table, o.other) };
    each_column(m, table, flaw != 4, |m, j| {
        m.col(a, table, j)?;
        m.and(a, a, x)?;
        m.col(b, other, j)?;
        m.and(b, b, x)?;
        m.xor(s, a, b)?;
        m.xor(s, s, borrow)?;
        m.set_col(o.to, j, s)?;
        m.xor(s, a, b)?;
        if flaw == 3 {
            m.and(borrow, borrow, s)?
        } else {
            m.and_not(borrow, borrow, s)?
        }
        if flaw == 2 {
            m.and(s, a, b)?
        } else {
            m.and_not(s, b, a)?
        }
        m.or(borrow, borrow, s)
    })?;
    m.copy(o.results[0], borrow)
}
