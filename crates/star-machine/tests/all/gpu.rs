//! Operations and questions on a GPU against those on the host.

use star_machine::{
    Condition, Index, Logic, Machine, Op, Operations, Relation, Slice, Star, WordVar, procedures,
};

use crate::both::{Both, gpu, some_bits, some_table};
use crate::common::RELATIONS;
use crate::operations::Variables;
use crate::random::Random;

const SIZES: [usize; 12] = [0, 1, 2, 63, 64, 65, 127, 128, 129, 1000, 4097, 12_345];
const LOGIC: [Logic; 4] = [Logic::And, Logic::AndNot, Logic::Or, Logic::Xor];

/// Empty, full, at random, one bit at an end, and what differs in it only.
fn patterns(len: usize) -> Vec<Slice> {
    let only =
        |position: usize| Slice::from_positions(len, Some(position).filter(|p| *p < len)).unwrap();
    let last = only(len.saturating_sub(1));
    let mut but_last = Slice::ones(len).unwrap();
    but_last.andn_assign(&last).unwrap();
    vec![
        Slice::zeros(len).unwrap(),
        Slice::ones(len).unwrap(),
        some_bits(len, 1, 2),
        some_bits(len, 2, 40),
        only(0),
        last,
        but_last,
    ]
}

/// The number of launches of `body` on the GPU.
fn launches(m: &mut Both, body: impl FnOnce(&mut Both)) -> u64 {
    let before = m.cuda.launches();
    body(m);
    m.cuda.launches() - before
}

#[test]
fn bitwise_operations_and_searches() {
    let Some(gpu) = gpu() else { return };
    for len in SIZES {
        let mut m = Both::new(&gpu);
        let [x, y, z] = [(); 3].map(|()| m.vector(len).unwrap());
        let (i, j) = (m.int().unwrap(), m.int().unwrap());
        let values = patterns(len);
        for (a, b) in values.iter().zip(values.iter().cycle().skip(2)) {
            let mut ops = vec![
                Op::Fill { z, ones: true },
                Op::Fill { z, ones: false },
                Op::Copy { z, x },
                Op::Copy { z: x, x },
                Op::Not { z, x },
                Op::Not { z: x, x },
                Op::First { z, x },
                Op::First { z: x, x },
                Op::Find { i, x },
                Op::Step { i, x },
                Op::Count { i: j, x },
            ];
            for logic in LOGIC {
                ops.push(Op::Logic { logic, z, x, y });
                ops.push(Op::Logic { logic, z: x, x, y });
                ops.push(Op::Logic { logic, z: y, x, y });
                ops.push(Op::Logic { logic, z: x, x, y: x });
            }
            for op in ops {
                m.set_vector(x, a).unwrap();
                m.set_vector(y, b).unwrap();
                let n = launches(&mut m, |m| m.run(op).unwrap());
                assert_eq!(n, u64::from(len > 0), "{op:?}");
            }
            m.set_vector(x, a).unwrap();
            m.set_vector(y, b).unwrap();
            m.holds(&Condition::Some(x)).unwrap();
            for (v, w) in [(x, y), (y, x), (x, x)] {
                for relation in RELATIONS {
                    m.holds(&Condition::Compare { relation, v, w }).unwrap();
                }
            }
            while m.int_value(i).unwrap().is_some() && m.int_value(j).unwrap() < Some(100) {
                m.step(i, x).unwrap();
            }
        }
    }
}

#[test]
fn the_papers_launches_leave_the_same_bits() {
    let Some(gpu) = gpu() else { return };
    for len in SIZES {
        let mut m = Both::as_printed(&gpu);
        let [x, y, z] = [(); 3].map(|()| m.vector(len).unwrap());
        let i = m.int().unwrap();
        let folds = [2, 64 + 1, 64 * 64 + 1].iter().filter(|&&least| len.div_ceil(64) >= least);
        let search = u64::from(len > 0) + folds.count() as u64;
        let values = patterns(len);
        for (a, b) in values.iter().zip(values.iter().cycle().skip(2)) {
            for logic in LOGIC {
                m.set_vector(x, a).unwrap();
                m.set_vector(y, b).unwrap();
                for (z, x, y) in [(z, x, y), (x, x, y), (y, x, x)] {
                    let op = Op::Logic { logic, z, x, y };
                    assert_eq!(launches(&mut m, |m| m.run(op).unwrap()), u64::from(len > 0));
                }
            }
            m.set_vector(x, a).unwrap();
            let n = launches(&mut m, |m| m.run(Op::Find { i, x }).unwrap());
            assert_eq!(n, search, "FND of {len} bits");
            for _ in 0..100 {
                m.holds(&Condition::Some(x)).unwrap();
                m.step(i, x).unwrap();
            }
        }
    }
    for (rows, columns) in [(1, 1), (64, 65), (130, 63), (65, 200)] {
        let mut m = Both::as_printed(&gpu);
        let (table, w) = (m.table(rows, columns).unwrap(), m.vector(columns).unwrap());
        m.set_table(table, &some_table(rows, columns, 3, 2)).unwrap();
        for row in [0, 1, 63, 64, rows - 1].map(|row| Index::At(row as u32)) {
            let table = table.into();
            let _ = m.run(Op::ReadRow { z: WordVar(w), table, row });
            m.not(w, w).unwrap();
            let _ = m.run(Op::WriteRow { table, row, x: WordVar(w) });
        }
    }
    let mut m = Both::as_printed(&gpu);
    m.watch = false;
    let p = m.table(150, 150).unwrap();
    for procedure in [procedures::warshall, procedures::warshall_columns] {
        m.set_table(p, &some_table(150, 150, 5, 100)).unwrap();
        procedure(&mut m, p, 0..150).unwrap();
        m.table_value(p).unwrap();
    }
}

#[test]
fn single_bits() {
    let Some(gpu) = gpu() else { return };
    for len in SIZES {
        let mut m = Both::new(&gpu);
        let x = m.vector(len).unwrap();
        let i = m.int().unwrap();
        m.set_vector(x, &some_bits(len, 3, 2)).unwrap();
        let mut random = Random(len as u64);
        let ends = [0, 1, 62, 63, 64, 65, len];
        let positions = ends.into_iter().chain((0..5).map(|_| random.below(len + 1)));
        for at in positions.map(|at| at as u32).collect::<Vec<_>>() {
            m.set_int(i, Some(at)).unwrap();
            for (at, bit) in [(Index::At(at), true), (i.into(), false), (i.into(), true)] {
                let _ = m.run(Op::SetBit { z: x, at, bit });
                let _ = m.holds(&Condition::Bit { x, at });
            }
        }
    }
}

#[test]
fn parts_of_words() {
    let Some(gpu) = gpu() else { return };
    let mut random = Random(5);
    let ends = [0u32, 1, 31, 32, 63, 64, 65, 127, 128, 129, 200, 640];
    for (from, len) in ends.iter().flat_map(|from| ends.map(|len| (*from, len as usize))) {
        for rest in [0, 1, 64, random.below(300)] {
            let mut m = Both::new(&gpu);
            let whole = from as usize + len + rest;
            let (x, z) = (m.word(whole).unwrap(), m.word(len).unwrap());
            for sparsity in [1, 2] {
                m.set_vector(x.0, &some_bits(whole, 7, sparsity)).unwrap();
                m.trim(z, x, from).unwrap();
                m.not(z, z).unwrap();
                m.rep(x, z, from).unwrap();
            }
            m.trim(z, z, 0).unwrap();
            m.rep(z, z, 0).unwrap();
        }
    }
}

#[test]
fn sums_and_differences_of_words() {
    let Some(gpu) = gpu() else { return };
    // 64 × 32 bits are a turn of the kernel
    for len in SIZES.into_iter().chain([2047, 2048, 2049, 4096, 6200]) {
        let mut m = Both::new(&gpu);
        let [v, w, z] = [(); 3].map(|()| m.word(len).unwrap());
        let carry = m.int().unwrap();
        let values = patterns(len);
        for a in &values {
            for b in &values {
                for z in [z, v, w] {
                    m.set_vector(v.0, a).unwrap();
                    m.set_vector(w.0, b).unwrap();
                    m.add(z, carry, v, w).unwrap();
                    m.set_vector(v.0, a).unwrap();
                    m.set_vector(w.0, b).unwrap();
                    m.subt(z, carry, v, w).unwrap();
                }
            }
            m.subt(v, carry, v, v).unwrap();
        }
    }
}

#[test]
fn rows_and_columns() {
    let Some(gpu) = gpu() else { return };
    let sizes = [0, 1, 2, 31, 32, 33, 63, 64, 65, 127, 128, 129, 300];
    for (rows, columns) in sizes.iter().flat_map(|rows| sizes.map(|columns| (*rows, columns))) {
        let mut m = Both::new(&gpu);
        let table = m.table(rows, columns).unwrap();
        m.set_table(table, &some_table(rows, columns, 1, 2)).unwrap();
        let i = m.int().unwrap();
        let fields = [0..columns, columns / 3..columns, columns / 2..columns / 2];
        for field in fields.map(|range| table.field(range).unwrap()) {
            let width = field.columns as usize;
            let (slice, word) = (m.slice(rows).unwrap(), m.word(width).unwrap());
            m.set_vector(slice.0, &some_bits(rows, 5, 2)).unwrap();
            m.set_vector(word.0, &some_bits(width, 6, 2)).unwrap();
            for at in [0, 1, 63, 64, 65, rows / 2, rows.saturating_sub(1), rows] {
                m.set_int(i, Some(at as u32)).unwrap();
                let _ = m.set_row(field, i, word);
                let _ = m.row(word, field, at as u32);
                m.not(word, word).unwrap();
            }
            for at in [0, 1, width / 2, width.saturating_sub(1), width] {
                m.set_int(i, Some(at as u32)).unwrap();
                let _ = m.set_col(field, at as u32, slice);
                let _ = m.col(slice, field, i);
                m.not(slice, slice).unwrap();
            }
        }
        m.clear_table(table).unwrap();
    }
}

#[test]
fn integers() {
    let Some(gpu) = gpu() else { return };
    let mut m = Both::new(&gpu);
    let (i, j) = (m.int().unwrap(), m.int().unwrap());
    for value in [None, Some(0), Some(1), Some(i32::MAX as u32), Some(1 << 31)] {
        let _ = m.set_int(j, value);
        for by in [0, 1, -1, 2, i32::MAX, i32::MIN] {
            m.add_int(i, j, by).unwrap();
            m.holds(&Condition::Found(i)).unwrap();
        }
        m.add_int(j, j, 1).unwrap();
    }
    assert_eq!(m.cuda.launches(), 0);
}

#[test]
fn many_blocks_look_together() {
    let Some(gpu) = gpu() else { return };
    let mut m = Both::new(&gpu);
    let len = 3_000_001;
    let [x, y, z] = [(); 3].map(|()| m.vector(len).unwrap());
    let i = m.int().unwrap();
    let at = |positions: &[usize]| Slice::from_positions(len, positions.iter().copied()).unwrap();
    let values = [
        at(&[]),
        at(&[0]),
        at(&[len - 1]),
        at(&[len - 2, len - 1]),
        at(&[1_234_567, 1_234_568, 2_999_999]),
        some_bits(len, 1, 3),
        some_bits(len, 2, 100_000),
        Slice::ones(len).unwrap(),
    ];
    for value in &values {
        m.set_vector(x, value).unwrap();
        m.set_vector(y, &values[4]).unwrap();
        m.numb(i, x).unwrap();
        m.fnd(i, x).unwrap();
        m.run(Op::First { z, x }).unwrap();
        m.step(i, x).unwrap();
        m.step(i, x).unwrap();
        m.xor(z, x, y).unwrap();
        m.run(Op::First { z, x: z }).unwrap();
        m.holds(&Condition::Some(x)).unwrap();
        for (v, w) in [(x, y), (y, x), (x, x)] {
            m.holds(&Condition::Compare { relation: Relation::Less, v, w }).unwrap();
            m.holds(&Condition::Compare { relation: Relation::Equal, v, w }).unwrap();
        }
    }
}

#[test]
fn random_operations() {
    let Some(gpu) = gpu() else { return };
    for seed in 0..20 {
        let mut random = Random(seed);
        let (rows, columns) = (random.below(300), random.below(300));
        let mut m = Both::new(&gpu);
        let variables = Variables::declare(&mut m, rows, columns, seed);
        for _ in 0..100 {
            let ints = variables.ints.map(|i| m.int_value(i).unwrap());
            m.execute(&variables.op(ints, &mut random)).unwrap();
        }
    }
}
