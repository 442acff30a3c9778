//! Loops that change one column after another, which teams share out: the host's interpreter,
//! which goes through them step by step, has the same values and errors afterwards.

use star_machine::algorithms::Value;
use star_machine::{Operations, Recorder, Slice, Star, StarError};
use test_support::draws;

use crate::bodies::{slice, table};
use crate::both::gpu;
use crate::gpu_programs::{TEAMS, agree};

/// What a column becomes: `v` of it and `w`.
const CHANGES: [&str; 5] = ["and", "or", "xor", "v and not w", "w and not v"];

/// For the first column i and then for those that the row x has, in a table of so many columns.
fn check(
    rows: usize,
    columns: usize,
    row: &Slice,
    i: Option<u32>,
    most: u64,
) -> Result<(), StarError> {
    let Some(gpu) = gpu() else { return Ok(()) };
    for change in CHANGES {
        let mut m = Recorder::new();
        let t = m.parameter_table(rows, columns)?;
        let (x, v, w) =
            (m.parameter_word(row.len())?, m.parameter_slice(rows)?, m.parameter_slice(rows)?);
        let number = m.parameter_int();
        m.while_found(number, |m| {
            m.col(v, t, number)?;
            match change {
                "and" => m.and(v, v, w),
                "or" => m.or(v, v, w),
                "xor" => m.xor(v, v, w),
                "v and not w" => m.and_not(v, v, w),
                _ => m.and_not(v, w, v),
            }?;
            m.set_col(t, number, v)?;
            m.step(number, x)
        })?;
        // what others have written is seen
        let bits = m.parameter_int();
        m.numb(bits, v)?;
        let program = m.finish().with_most_turns(most);
        let mut draw = draws((rows + columns) as u64);
        let values = [
            Value::Table(table(rows, columns, &mut draw, 2)),
            Value::Slice(row.clone()),
            Value::Slice(slice(rows, &mut draw, 2)),
            Value::Slice(slice(rows, &mut draw, 2)),
            Value::Int(i),
            Value::Int(None),
        ];
        let name = format!("{change}, {rows} by {columns}, from {i:?}, {most} turns");
        agree(&gpu, &name, &program, &values, &TEAMS);
    }
    Ok(())
}

#[test]
fn columns_are_changed_one_after_another() -> Result<(), StarError> {
    for (rows, columns, in_) in
        [(1, 1, 1), (70, 70, 2), (130, 300, 1), (2000, 65, 3), (8200, 40, 2), (0, 9, 2)]
    {
        let row = slice(columns, &mut draws(columns as u64), in_);
        for i in [None, Some(0), Some(columns as u32 - 1)] {
            check(rows, columns, &row, i, u64::MAX)?;
        }
        check(rows, columns, &Slice::zeros(columns)?, Some(0), u64::MAX)?;
    }
    Ok(())
}

#[test]
fn columns_that_are_missing_end_it() -> Result<(), StarError> {
    // of the first, of others, of all others; and columns that the row cannot have
    check(70, 5, &Slice::ones(5)?, Some(5), u64::MAX)?;
    check(70, 100, &Slice::from_positions(200, [3, 64, 99, 100, 150])?, Some(7), u64::MAX)?;
    check(70, 100, &Slice::from_positions(200, [128, 150])?, Some(7), u64::MAX)?;
    check(70, 100, &Slice::from_positions(20, [3, 19])?, Some(80), u64::MAX)
}

#[test]
fn a_column_that_comes_again_is_changed_again() -> Result<(), StarError> {
    for again in [0, 63, 64, 99] {
        let row = Slice::from_positions(100, [0, 5, 63, 64, 98, 99])?;
        check(70, 100, &row, Some(again), u64::MAX)?;
    }
    Ok(())
}

#[test]
fn turns_of_columns_are_counted() -> Result<(), StarError> {
    // six more columns, of which each is a turn
    let row = Slice::from_positions(100, [0, 5, 63, 64, 98, 99])?;
    (4..8).try_for_each(|most| check(70, 100, &row, Some(7), most))
}
