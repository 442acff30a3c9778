//! Steps that are one for the kernel of recorded programs: the host's interpreter, which takes them
//! one by one, has the same values afterwards.

use star_machine::algorithms::Value;
use star_machine::{
    Condition, FieldVar, Index, Operations, Procedure, Recorder, Relation, Star, StarError,
};
use test_support::draws;

use crate::bodies::{slice, table};
use crate::both::gpu;
use crate::common::RELATIONS;
use crate::gpu_programs::{TEAMS, agree};

/// How arcs are relaxed, and the first of the least and of the greatest rows.
#[test]
fn steps_that_are_one_for_the_kernel_leave_the_same() -> Result<(), StarError> {
    let Some(gpu) = gpu() else { return Ok(()) };
    let sizes = [(0, 3), (1, 1), (70, 0), (70, 5), (70, 32), (130, 40), (300, 64), (9000, 20)];
    for ((rows, columns), is_kept) in
        sizes.into_iter().flat_map(|size| [(size, true), (size, false)])
    {
        let mut m = Recorder::new();
        let (arcs, d) = (m.parameter_table(rows, 3 * columns)?, m.parameter_table(rows, columns)?);
        let [kept, local] = [m.parameter_table(rows, columns)?, m.table(rows, columns)?];
        let sums = if is_kept { kept } else { local };
        let [y, carry, less, nearer, z] = [(); 5].map(|()| m.parameter_slice(rows));
        let (y, carry, less, nearer, z) = (y?, carry?, less?, nearer?, z?);
        let word = m.parameter_word(columns)?;
        let [i, first, last] = [(); 3].map(|()| m.parameter_int());
        let (arcs, s, d) = (arcs.numbered(columns, i)?, FieldVar::from(sums), FieldVar::from(d));
        m.call(Procedure::AddWord { table: arcs, rows: y, word, to: s, carry })?;
        m.call(Procedure::SetMin { table: s, other: d, rows: y, signed: false, z: less })?;
        m.and_not(nearer, less, carry)?;
        m.call(Procedure::MergeTable { table: s, rows: nearer, to: d })?;
        m.call(Procedure::Min { table: d, rows: y, z })?;
        m.fnd(first, z)?;
        m.call(Procedure::Max { table: d, rows: y, z })?;
        m.fnd(last, z)?;
        let program = m.finish();
        for number in [Some(0), Some(2), Some(3), None] {
            let mut draw = draws(rows as u64 + columns as u64);
            let mut values: Vec<_> = [3 * columns, columns, columns]
                .map(|columns| Value::Table(table(rows, columns, &mut draw, 2)))
                .into();
            values.extend([2, 3, 3, 3, 3].map(|in_| Value::Slice(slice(rows, &mut draw, in_))));
            values.push(Value::Slice(slice(columns, &mut draw, 3)));
            values.extend([number, Some(7), None].map(Value::Int));
            agree(&gpu, &format!("{rows} by {columns}"), &program, &values, &TEAMS);
        }
    }
    Ok(())
}

/// A question about the row that was found first, and a word made of its number.
#[test]
fn rows_that_are_found_are_asked_about() -> Result<(), StarError> {
    let Some(gpu) = gpu() else { return Ok(()) };
    for ((rows, columns), relation) in [(1, 1), (70, 5), (300, 33)]
        .into_iter()
        .flat_map(|size| RELATIONS.map(|relation| (size, relation)))
    {
        let mut m = Recorder::new();
        let (t, p) = (m.parameter_table(rows, columns)?, m.parameter_table(rows, 7)?);
        let (y, z, asked) = (m.parameter_slice(rows)?, m.slice(rows)?, m.parameter_slice(3)?);
        let word = m.parameter_word(7)?;
        let [i, j] = [m.parameter_int(), m.parameter_int()];
        for (number, than) in [(0, Index::In(j)), (1, Index::At(40)), (2, Index::In(i))] {
            m.call(Procedure::Min { table: t.into(), rows: y, z })?;
            m.fnd(i, z)?;
            m.if_then(Condition::Order { relation, i, j: than }, |m| {
                m.set_bit(asked, number, true)
            })?;
        }
        // until there is no row, or one whose number the word has not
        m.while_do(
            Condition::Order { relation: Relation::GreaterOrEqual, i, j: Index::At(0) },
            |m| {
                m.to_word(word, i)?;
                m.call(Procedure::MergeWord { word, rows: z, to: p.into() })?;
                m.and_not(y, y, z)?;
                m.call(Procedure::Max { table: t.into(), rows: y, z })?;
                m.fnd(i, z)
            },
        )?;
        let program = m.finish();
        for number in [None, Some(0), Some(40)] {
            let mut draw = draws(rows as u64);
            let tables = [columns, 7].map(|n| Value::Table(table(rows, n, &mut draw, 2)));
            let vectors = [(rows, 2), (3, 3), (7, 2)];
            let vectors = vectors.map(|(len, in_)| Value::Slice(slice(len, &mut draw, in_)));
            let ints = [None, number].map(Value::Int);
            let values: Vec<_> = tables.into_iter().chain(vectors).chain(ints).collect();
            agree(&gpu, &format!("{rows}, {relation:?}"), &program, &values, &TEAMS);
        }
    }
    Ok(())
}
