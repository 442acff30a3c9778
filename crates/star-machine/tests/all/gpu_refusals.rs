//! What a machine on a GPU refuses: operations that are none, and what there is no memory for.

use gpu_runtime::GpuError;
use star_machine::{
    Condition, Cuda, FieldVar, Index, IntVar, Logic, Machine, Op, Operations, Relation, Slice,
    SliceVar, Star, StarError, TableVar, Vector, WordVar,
};

use crate::both::{Both, gpu, some_bits, some_table};

/// Variables whose scope has ended, while others have their places.
fn ended(m: &mut Both, (rows, columns): (usize, usize)) -> (Vector, IntVar, TableVar) {
    let mut ended = None;
    m.scope(|m| {
        ended = Some((m.vector(rows)?, m.int()?, m.table(rows, columns)?));
        Ok(())
    })
    .unwrap();
    m.vector(rows).unwrap();
    m.int().unwrap();
    m.table(rows, columns).unwrap();
    ended.unwrap()
}

/// Operations and questions that are none, and that the machine cannot do now.
#[test]
fn errors_are_the_hosts_and_change_nothing() {
    let Some(gpu) = gpu() else { return };
    let mut m = Both::new(&gpu);
    let (x, y) = (m.vector(70).unwrap(), m.vector(71).unwrap());
    let (none, far) = (m.int().unwrap(), m.int().unwrap());
    let table = m.table(70, 5).unwrap();
    m.set_int(far, Some(70)).unwrap();
    m.set_vector(x, &some_bits(70, 1, 2)).unwrap();
    m.set_vector(y, &some_bits(71, 2, 2)).unwrap();
    m.set_table(table, &some_table(70, 5, 3, 2)).unwrap();
    let (gone, no_int, no_table) = ended(&mut m, (70, 5));
    let beyond = FieldVar { first: 4, columns: 2, ..table.into() };
    let (logic, word) = (Logic::Or, m.vector(5).unwrap());
    let by_number = |i| table.numbered(5, i).unwrap();
    let ops = [
        Op::Copy { z: x, x: y },
        Op::Copy { z: x, x: gone },
        Op::Copy { z: gone, x },
        Op::Logic { logic, z: x, x, y },
        Op::Logic { logic, z: x, x, y: gone },
        Op::SetBit { z: x, at: Index::At(70), bit: true },
        Op::SetBit { z: x, at: none.into(), bit: true },
        Op::SetBit { z: x, at: far.into(), bit: true },
        Op::SetBit { z: x, at: no_int.into(), bit: true },
        Op::Find { i: no_int, x },
        Op::Step { i: no_int, x },
        Op::Step { i: none, x: gone },
        Op::Count { i: none, x: gone },
        Op::Trim { z: WordVar(x), x: WordVar(y), from: Index::At(2) },
        Op::Replace { z: WordVar(x), x: WordVar(y), from: Index::At(0) },
        Op::Trim { z: WordVar(x), x: WordVar(y), from: far.into() },
        Op::Trim { z: WordVar(x), x: WordVar(y), from: none.into() },
        Op::Replace { z: WordVar(y), x: WordVar(x), from: far.into() },
        Op::Replace { z: WordVar(y), x: WordVar(x), from: no_int.into() },
        Op::ToWord { z: WordVar(word), i: Index::At(32) },
        Op::ToWord { z: WordVar(word), i: far.into() },
        Op::ToWord { z: WordVar(x), i: none.into() },
        Op::ToWord { z: WordVar(gone), i: far.into() },
        Op::ToInt { i: none, w: WordVar(gone) },
        Op::Add { z: WordVar(x), v: WordVar(x), w: WordVar(y), carry: none },
        Op::Add { z: WordVar(x), v: WordVar(x), w: WordVar(x), carry: no_int },
        Op::Subtract { z: WordVar(gone), v: WordVar(x), w: WordVar(x), borrow: none },
        Op::ReadColumn { z: SliceVar(y), table: table.into(), column: Index::At(0) },
        Op::ReadColumn { z: SliceVar(x), table: table.into(), column: Index::At(5) },
        Op::ReadColumn { z: SliceVar(x), table: table.into(), column: none.into() },
        Op::ReadColumn { z: SliceVar(x), table: beyond, column: Index::At(0) },
        Op::ReadColumn { z: SliceVar(x), table: no_table.into(), column: Index::At(0) },
        Op::WriteColumn { table: table.into(), column: far.into(), x: SliceVar(x) },
        Op::WriteColumn { table: table.into(), column: Index::At(0), x: SliceVar(gone) },
        Op::ReadColumn { z: SliceVar(x), table: by_number(far), column: none.into() },
        Op::WriteColumn { table: by_number(none), column: far.into(), x: SliceVar(x) },
        Op::ReadRow { z: WordVar(word), table: by_number(none), row: far.into() },
        Op::WriteRow { table: by_number(no_int), row: Index::At(0), x: WordVar(word) },
        Op::WriteRow { table: by_number(far), row: none.into(), x: WordVar(word) },
        Op::ReadRow { z: WordVar(word), table: table.into(), row: far.into() },
        Op::ReadRow { z: WordVar(word), table: table.into(), row: none.into() },
        Op::ReadRow { z: WordVar(x), table: table.into(), row: Index::At(0) },
        Op::WriteRow { table: table.into(), row: Index::At(70), x: WordVar(word) },
        Op::WriteRow { table: no_table.into(), row: Index::At(0), x: WordVar(word) },
        Op::ClearTable { table: no_table },
        Op::SetInt { i: none, value: Some(1 << 31) },
        Op::SetInt { i: no_int, value: None },
        Op::AddInt { i: none, j: no_int, by: 1 },
    ];
    let before = (m.vector_value(x).unwrap(), m.table_value(table).unwrap());
    for op in ops {
        m.run(op).unwrap_err();
    }
    let relation = Relation::Less;
    for condition in [
        Condition::Some(gone),
        Condition::Found(no_int),
        Condition::Bit { x, at: none.into() },
        Condition::Bit { x, at: far.into() },
        Condition::Bit { x, at: Index::At(70) },
        Condition::Compare { relation, v: x, w: y },
        Condition::Compare { relation, v: x, w: gone },
    ] {
        m.holds(&condition).unwrap_err();
    }
    m.set_vector(x, &Slice::zeros(71).unwrap()).unwrap_err();
    m.set_vector(gone, &Slice::zeros(70).unwrap()).unwrap_err();
    m.set_table(table, &some_table(70, 4, 1, 2)).unwrap_err();
    m.set_table(no_table, &some_table(70, 5, 1, 2)).unwrap_err();
    m.new_vector(1 << 31).unwrap_err();
    m.new_table(1, 1 << 31).unwrap_err();
    assert_eq!(m.cuda.launches(), 0);
    assert!(before == (m.vector_value(x).unwrap(), m.table_value(table).unwrap()));
}

#[test]
fn memory_is_asked_for_and_used_again() {
    let Some(gpu) = gpu() else { return };
    let gpu = gpu.with_memory_cap(1 << 20);
    let mut m = Cuda::new(&gpu).unwrap();
    let x = m.slice(1000).unwrap();
    m.set_vector(x.0, &some_bits(1000, 1, 2)).unwrap();
    let before = gpu.available_bytes().unwrap();
    for refused in [
        m.table(100_000, 100).map(|_| ()),
        m.table((1 << 31) - 1, (1 << 31) - 1).map(|_| ()),
        m.slice(10_000_000).map(|_| ()),
    ] {
        let error = refused.unwrap_err();
        assert!(matches!(error, StarError::Gpu(GpuError::OutOfMemory { .. })), "{error}");
    }
    assert_eq!(gpu.available_bytes().unwrap(), before);
    // half of what there is, again and again, and not more than once
    let turn = |m: &mut Cuda| {
        m.scope(|m| {
            let y = m.slice(4_000_000)?;
            assert!(!m.vector_value(y.0)?.some());
            m.set(y)
        })
    };
    turn(&mut m).unwrap();
    let left = gpu.available_bytes().unwrap();
    for _ in 0..10 {
        turn(&mut m).unwrap();
        assert_eq!(gpu.available_bytes().unwrap(), left);
    }
    // what is kept gives way to what is needed
    m.table(1000, 6000).unwrap();
    assert_eq!(m.vector_value(x.0).unwrap(), some_bits(1000, 1, 2));
}

#[test]
fn little_memory_is_kept_from_others() {
    let Some(gpu) = gpu() else { return };
    let gpu = gpu.with_memory_cap(1 << 30);
    let mut m = Cuda::new(&gpu).unwrap();
    let before = gpu.available_bytes().unwrap();
    // 72 MB each; and 6 MB of 20 sizes
    m.scope(|m| m.table(24_000, 24_000).map(drop)).unwrap();
    assert_eq!(gpu.available_bytes().unwrap(), before);
    m.scope(|m| (0..20).try_for_each(|i| m.table(24_000, 2_000 + i).map(drop))).unwrap();
    let kept = before - gpu.available_bytes().unwrap();
    assert!((32 << 20..=64 << 20).contains(&kept), "{kept}");
}
