//! Random operations on the host and on the naive machine.

use proptest::prelude::*;
use star_machine::{
    Condition, FieldVar, Host, Index, IntVar, Logic, Machine, Op, Slice, SliceVar, StarError,
    TableVar, Vector, WordVar,
};

use crate::cases::{SIZES, bits_of, clean};
use crate::common::{RELATIONS, proptests};
use crate::naive::Naive;
use crate::random::Random;

/// Variables of few sizes, so that most pairs fit together.
pub(crate) struct Variables {
    /// As many bits as the table has rows.
    slices: [Vector; 3],
    /// As many as it has columns.
    words: [Vector; 3],
    /// Parts of words.
    parts: [Vector; 2],
    table: TableVar,
    pub(crate) ints: [IntVar; 2],
}

impl Variables {
    /// The same on every machine for the same seed.
    pub(crate) fn declare(m: &mut impl Machine, rows: usize, columns: usize, seed: u64) -> Self {
        let mut random = Random(seed);
        let mut vector = |m: &mut _, len: usize| {
            let z = Machine::new_vector(m, len).unwrap();
            Machine::set_vector(m, z, &Slice::from_bits(&random.bits(len)).unwrap()).unwrap();
            z
        };
        let slices = [rows; 3].map(|len| vector(m, len));
        let words = [columns; 3].map(|len| vector(m, len));
        let parts = [columns / 2; 2].map(|len| vector(m, len));
        let table = m.new_table(rows, columns).unwrap();
        Self { slices, words, parts, table, ints: [m.new_int().unwrap(), m.new_int().unwrap()] }
    }

    /// An operation that the machine can do; `ints` are what the integers hold.
    pub(crate) fn op(&self, ints: [Option<u32>; 2], random: &mut Random) -> Op {
        let family = [&self.slices[..], &self.words, &self.parts][random.below(3)];
        let mut one = || family[random.below(family.len())];
        let (z, x, y) = (one(), one(), one());
        let i = self.ints[random.below(2)];
        // a position that an integer holds, now and then, if it fits
        let index = |random: &mut Random, len: u32| match random.below(3) {
            n @ 0..2 if ints[n].is_some_and(|at| at < len) => Some(Index::In(self.ints[n])),
            _ if len > 0 => Some(Index::At(random.below(len as usize) as u32)),
            _ => None,
        };
        let [bit, row] = [z.len(), self.table.rows()].map(|len| index(random, len));
        let slice = self.slices[random.below(3)];
        let (word, other) = (self.words[random.below(3)], self.words[random.below(3)]);
        let part = self.parts[random.below(2)];
        let n_fields = self.table.columns().checked_div(part.len()).unwrap_or(0);
        let places = word.len() - part.len() + 1;
        let [from, number, value] =
            [places, n_fields, 1 << z.len().min(31)].map(|len| index(random, len));
        let (narrow, word_of_it) = match (random.bit(), from, number) {
            (true, _, Some(Index::In(i))) => {
                (self.table.numbered(part.len() as usize, i).unwrap(), part)
            }
            (true, Some(Index::At(first)), _) => {
                (FieldVar { first, columns: part.len(), ..self.table.into() }, part)
            }
            _ => (self.table.into(), word),
        };
        let column = index(random, narrow.columns);
        let logic = random.one_of(&[Logic::And, Logic::AndNot, Logic::Or, Logic::Xor]);
        let set = random.bit().then(|| random.below(200) as u32);
        let possible = match random.below(23) {
            0 => Some(Op::Fill { z, ones: random.bit() }),
            1 => Some(Op::Copy { z, x }),
            2 => Some(Op::Not { z, x }),
            3..6 => Some(Op::Logic { logic, z, x, y }),
            6 => bit.map(|at| Op::SetBit { z, at, bit: random.bit() }),
            7 => Some(Op::First { z, x }),
            8 => Some(Op::Find { i, x }),
            9 => Some(Op::Step { i, x }),
            10 => Some(Op::Count { i, x }),
            11 => from.map(|from| Op::Trim { z: WordVar(part), x: WordVar(word), from }),
            12 => from.map(|from| Op::Replace { z: WordVar(word), x: WordVar(part), from }),
            13 => Some(Op::Add { z: WordVar(z), v: WordVar(x), w: WordVar(y), carry: i }),
            14 => Some(Op::Subtract { z: WordVar(z), v: WordVar(x), w: WordVar(y), borrow: i }),
            15 => column.map(|column| Op::ReadColumn { z: SliceVar(slice), table: narrow, column }),
            16 => {
                column.map(|column| Op::WriteColumn { table: narrow, column, x: SliceVar(slice) })
            }
            17 => row.map(|row| Op::ReadRow { z: WordVar(word_of_it), table: narrow, row }),
            18 => row.map(|row| Op::WriteRow { table: narrow, row, x: WordVar(word_of_it) }),
            19 => value.map(|i| Op::ToWord { z: WordVar(z), i }),
            20 => Some(Op::ToInt { i, w: WordVar(x) }),
            _ if random.below(4) == 0 => Some(Op::ClearTable { table: self.table }),
            _ if random.bit() => Some(Op::SetInt { i, value: set }),
            _ => {
                let by = random.one_of(&[1, -1, 64, i32::MAX, i32::MIN]);
                Some(Op::AddInt { i, j: self.ints[random.below(2)], by })
            }
        };
        possible.unwrap_or(Op::Trim { z: WordVar(other), x: WordVar(word), from: Index::At(0) })
    }

    /// All vectors.
    fn vectors(&self) -> impl Iterator<Item = Vector> {
        self.slices.into_iter().chain(self.words).chain(self.parts)
    }
}

/// Random operations, one after the other; all variables are equal after each.
fn agree(rows: usize, columns: usize, ops: usize, seed: u64) -> Result<(), StarError> {
    let (mut host, mut naive) = (Host::new(), Naive::default());
    let variables = Variables::declare(&mut host, rows, columns, seed);
    Variables::declare(&mut naive, rows, columns, seed);
    let mut random = Random(!seed);
    for _ in 0..ops {
        let ints = variables.ints.map(|i| naive.int_value(i).unwrap());
        let op = variables.op(ints, &mut random);
        host.execute(&op)?;
        naive.execute(&op)?;
        for x in variables.vectors() {
            let (found, expected) = (host.vector_value(x)?, naive.vector_value(x)?);
            assert_eq!(bits_of(&found), bits_of(&expected), "{op:?}");
            let some = Condition::some(x);
            assert_eq!(host.holds(&some)?, naive.holds(&some)?);
        }
        for i in variables.ints {
            assert_eq!(host.int_value(i)?, naive.int_value(i)?, "{op:?}");
            assert_eq!(host.holds(&Condition::Found(i))?, naive.holds(&Condition::Found(i))?);
        }
        let table = host.table_value(variables.table)?;
        clean(&table);
        assert_eq!(table, naive.table_value(variables.table)?, "{op:?}");
        let [v, w, _] = variables.words;
        let relation = random.one_of(&RELATIONS);
        let order = Condition::Compare { relation, v, w };
        assert_eq!(host.holds(&order)?, naive.holds(&order)?);
        if !v.is_empty() {
            let bit = Condition::bit(v, random.below(v.len() as usize) as u32);
            assert_eq!(host.holds(&bit)?, naive.holds(&bit)?);
        }
    }
    Ok(())
}

#[test]
fn operations_are_as_bit_by_bit() -> Result<(), StarError> {
    for rows in SIZES {
        for columns in SIZES {
            agree(rows, columns, 30, (1000 * rows + columns) as u64)?;
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(proptests(100))]

    #[test]
    fn random_operations_are_as_bit_by_bit(rows in 0usize..200, columns in 0usize..150, seed: u64) {
        agree(rows, columns, 40, seed).unwrap();
    }
}
