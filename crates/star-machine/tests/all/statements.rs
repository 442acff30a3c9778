//! Random programs: statements whose operands are chosen where they stand.

use proptest::prelude::*;
use star_machine::algorithms::Value;
use star_machine::{
    Condition, FieldVar, Index, IntVar, Logic, Op, Operations, SliceVar, Star, StarError, TableVar,
    Variable, Vector, WordVar,
};
use test_support::draws;

use crate::bodies::{Body, slice, table};
use crate::cases::Operands;
use crate::common::RELATIONS;

/// A statement; its numbers choose among what there is where it stands.
#[derive(Clone, Debug)]
pub(crate) enum Statement {
    Do([u8; 6]),
    /// A procedure, a row or a column, on fields of the same width.
    Fields([u8; 12]),
    /// A column is read, combined with a slice, and written again.
    Update([u8; 5]),
    Scope(Vec<Statement>),
    If([u8; 4], Vec<Statement>, Vec<Statement>),
    For(u8, bool, Vec<Statement>),
    WhileSome(u8, Vec<Statement>),
    /// The columns that a word marks are combined with a slice, one after another.
    EachColumn([u8; 5]),
    WhileFound(u8, Vec<Statement>),
}

/// Statements nested at most this deep, about so many of them.
pub(crate) fn statements() -> impl Strategy<Value = Vec<Statement>> {
    let op = prop_oneof![
        4 => any::<[u8; 6]>().prop_map(Statement::Do),
        1 => any::<[u8; 12]>().prop_map(Statement::Fields),
    ];
    let statement = op.prop_recursive(2, 40, 6, |inner| {
        let body = prop::collection::vec(inner.clone(), 0..6);
        prop_oneof![
            5 => any::<[u8; 6]>().prop_map(Statement::Do),
            2 => any::<[u8; 12]>().prop_map(Statement::Fields),
            1 => any::<[u8; 5]>().prop_map(Statement::Update),
            1 => any::<[u8; 5]>().prop_map(Statement::EachColumn),
            1 => body.clone().prop_map(Statement::Scope),
            1 => (any::<[u8; 4]>(), body.clone(), body.clone())
                .prop_map(|(condition, then, otherwise)| Statement::If(condition, then, otherwise)),
            1 => (any::<u8>(), any::<bool>(), body.clone())
                .prop_map(|(n, back, body)| Statement::For(n, back, body)),
            1 => (any::<u8>(), body.clone()).prop_map(|(x, body)| Statement::WhileSome(x, body)),
            1 => (any::<u8>(), body).prop_map(|(n, body)| Statement::WhileFound(n, body)),
        ]
    });
    prop::collection::vec(statement, 1..25)
}

/// A random program on the parameters of [`Self::values`].
#[derive(Clone, Debug)]
pub(crate) struct Random {
    pub(crate) statements: Vec<Statement>,
    /// Whether positions may be none or outside.
    pub(crate) may_fail: bool,
}

/// What there is at some place of a program.
#[derive(Clone, Default)]
struct Scene {
    slices: Vec<Vector>,
    words: Vec<Vector>,
    tables: Vec<TableVar>,
    ints: Vec<IntVar>,
    /// Integers that are numbers of rows and columns, both or one of them.
    positions: Vec<IntVar>,
    rows: Vec<IntVar>,
    may_fail: bool,
}

impl Random {
    /// Three slices, three words, two tables, and two integers.
    pub(crate) fn values(rows: usize, columns: usize, seed: u64) -> Vec<Value> {
        let mut draw = draws(seed);
        let mut values = Vec::new();
        values.extend((0..3).map(|_| Value::Slice(slice(rows, &mut draw, 2))));
        values.extend((0..3).map(|_| Value::Slice(slice(columns, &mut draw, 2))));
        values.extend((0..2).map(|_| Value::Table(table(rows, columns, &mut draw, 2))));
        values.push(Value::Int(None));
        values.push(Value::Int(Some(draw(rows as u64 + 1) as u32)));
        values
    }
}

impl Body for Random {
    fn give<S: Star>(&self, m: &mut S, parameters: &[Variable]) -> Result<(), StarError> {
        let mut scene = Scene { may_fail: self.may_fail, ..Scene::default() };
        for (number, parameter) in parameters.iter().enumerate() {
            match *parameter {
                Variable::Vector(x) if number < 3 => scene.slices.push(x),
                Variable::Vector(x) => scene.words.push(x),
                Variable::Table(table) => scene.tables.push(table),
                Variable::Int(i) => scene.ints.push(i),
            }
        }
        scene.play(m, &self.statements)
    }
}

fn pick<T: Copy>(among: &[T], number: u8) -> T {
    among[number as usize % among.len()]
}

impl Scene {
    fn play<S: Star>(&self, m: &mut S, statements: &[Statement]) -> Result<(), StarError> {
        let table = self.tables[0];
        statements.iter().try_for_each(|statement| match statement {
            Statement::Do(numbers) => match self.operation(*numbers) {
                Some(op) => m.run(op),
                None => Ok(()),
            },
            Statement::Fields(numbers) => m.scope(|m| self.on_fields(m, *numbers)),
            Statement::Update([a, b, c, d, e]) => {
                let (t, v, w) = (self.field([*a, *b], false), pick(&self.slices, *c), *d);
                let Some(j) = self.index(*e, t.columns, false) else { return Ok(()) };
                let w = pick(&self.slices, w);
                m.col(SliceVar(v), t, j)?;
                match d / 16 % 6 {
                    0 => m.and(v, v, w)?,
                    1 => m.and_not(v, v, w)?,
                    2 => m.and_not(v, w, v)?,
                    3 => m.or(v, w, v)?,
                    4 => m.xor(v, v, w)?,
                    _ => m.or(w, v, w)?,
                }
                m.set_col(t, j, SliceVar(v))
            }
            Statement::Scope(body) => m.scope(|m| {
                let mut inner = self.clone();
                inner.slices.push(m.slice(table.rows() as usize)?.0);
                inner.words.push(m.word(table.columns() as usize)?.0);
                inner.tables.push(m.table(table.rows() as usize, table.columns() as usize)?);
                inner.ints.push(m.int()?);
                inner.play(m, body)
            }),
            Statement::If(numbers, then, otherwise) => match self.condition(*numbers) {
                Some(condition) => {
                    m.if_else(condition, |m| self.play(m, then), |m| self.play(m, otherwise))
                }
                None => Ok(()),
            },
            Statement::For(n, back, body) => {
                let end = (*n as usize % 6).min(table.rows().min(table.columns()) as usize);
                m.count_through((*n as usize / 7 % 3).min(end)..end, *back, |m, i| {
                    let mut inner = self.clone();
                    inner.positions.push(i);
                    inner.play(m, body)
                })
            }
            Statement::WhileSome(x, body) => m.scope(|m| {
                let (left, i) = (m.slice(table.rows() as usize)?, m.int()?);
                m.copy(left, pick(&self.slices, *x))?;
                m.while_some(left, |m| {
                    m.step(i, left)?;
                    let mut inner = self.clone();
                    inner.rows.push(i);
                    inner.play(m, body)?;
                    // not too many turns
                    m.and_not(left, left, pick(&self.slices, x / 3))
                })
            }),
            Statement::EachColumn([a, b, c, d, e]) => {
                let (t, v, w) =
                    (self.field([*a, 1], false), pick(&self.slices, *b), pick(&self.slices, *c));
                // a slice may mark columns that there are not
                let slice = pick(&self.slices, d / 5);
                let x = if self.may_fail && d.is_multiple_of(5) && slice != v {
                    slice
                } else {
                    pick(&self.words, d / 5)
                };
                let i = if e.is_multiple_of(2) { pick(&self.ints, e / 4) } else { m.int()? };
                let update = |m: &mut S| {
                    m.col(SliceVar(v), t, i)?;
                    m.or(v, v, w)?;
                    m.set_col(t, i, SliceVar(v))
                };
                if e % 4 < 2 {
                    m.while_some(x, |m| {
                        m.step(i, x)?;
                        update(m)
                    })
                } else {
                    m.step(i, x)?;
                    m.while_found(i, |m| {
                        update(m)?;
                        m.step(i, x)
                    })
                }
            }
            Statement::WhileFound(n, body) => m.scope(|m| {
                let left = m.int()?;
                m.set_int(left, Some(u32::from(n % 5)))?;
                m.while_found(left, |m| {
                    m.add_int(left, left, -1)?;
                    self.play(m, body)
                })
            }),
        })
    }

    /// A position below `len`; none where there is none to name.
    fn index(&self, number: u8, len: u32, is_row: bool) -> Option<Index> {
        let held: Vec<_> = if self.may_fail && number.is_multiple_of(11) {
            self.ints.clone()
        } else if is_row {
            self.positions.iter().chain(&self.rows).copied().collect()
        } else {
            self.positions.clone()
        };
        if !number.is_multiple_of(3) && !held.is_empty()
            || held.len() == self.ints.len() && self.may_fail
        {
            return (!held.is_empty()).then(|| pick(&held, number / 3).into());
        }
        (len > 0).then(|| (u32::from(number) * 7 % len).into())
    }

    /// A position below `len`, where loops may have come to any below 6.
    fn place(&self, number: u8, len: u32, is_row: bool) -> Option<Index> {
        if is_row || len > 5 || self.may_fail {
            return self.index(number, len, is_row);
        }
        (len > 0).then(|| (u32::from(number) * 7 % len).into())
    }

    /// A field of so many columns: these, or by a number.
    fn field_of<S: Star>(
        &self,
        m: &mut S,
        columns: u32,
        [kind, table, a]: [u8; 3],
    ) -> Result<FieldVar, StarError> {
        let table = pick(&self.tables, table);
        let first = u32::from(a) % (table.columns() - columns + 1);
        let field = FieldVar { first, columns, ..table.into() };
        let held = match kind % 4 {
            0 => return Ok(field),
            1 if self.may_fail => pick(&self.ints, a / 2),
            2 if !self.positions.is_empty()
                && (self.may_fail || 6 * columns <= table.columns()) =>
            {
                return table.numbered(columns as usize, pick(&self.positions, a));
            }
            _ => {
                let (i, first) = (m.int()?, first % 2);
                let n = (table.columns() - first) / columns.max(1);
                m.set_int(i, Some(u32::from(a / 2) % n.max(1)))?;
                return Ok(FieldVar { first, number: Some(i), ..field });
            }
        };
        Ok(FieldVar { number: Some(held), ..field })
    }

    fn on_fields<S: Star>(&self, m: &mut S, numbers: [u8; 12]) -> Result<(), StarError> {
        let [kind, width, x, z, w, at, rest @ ..] = numbers;
        let all = self.tables[0].columns();
        let columns = pick(&[all, all, all / 2, all / 6, all.min(1)], width);
        let [a, b, c, d, e, f] = rest;
        let table = self.field_of(m, columns, [a, b, at])?;
        let other = self.field_of(m, columns, [c, d, w])?;
        let to = self.field_of(m, columns, [e, f, x])?;
        let rows = SliceVar(pick(&self.slices, x));
        let mut word = WordVar(pick(&self.words, w));
        if columns < all {
            let part = m.word(columns as usize)?;
            m.trim(part, word, u32::from(w) % (all - columns + 1))?;
            word = part;
        }
        // three variables
        let mut results = [0, 1, 2].map(|k| SliceVar(pick(&self.slices, z % 100 + k)));
        if word.0.len() == rows.0.len() && z.is_multiple_of(4) {
            results[0].0 = word.0;
        }
        let operands = Operands { table, other, to, rows, word, results };
        let procedures = operands.procedures();
        let row = self.place(at, table.table.rows(), true);
        let column = self.place(at, columns, false);
        match (kind as usize % (procedures.len() + 8), row, column) {
            (16 | 17, Some(row), _) => m.row(word, table, row),
            (18 | 19, Some(row), _) => m.set_row(to, row, word),
            (20 | 21, _, Some(column)) => m.col(results[0], table, column),
            (22.., _, Some(column)) => m.set_col(to, column, rows),
            (number, ..) => m.call(procedures[number % procedures.len()]),
        }
    }

    fn vectors(&self, number: u8) -> (&[Vector], bool) {
        if number.is_multiple_of(2) { (&self.slices, true) } else { (&self.words, false) }
    }

    fn field(&self, numbers: [u8; 2], whole: bool) -> FieldVar {
        let table = pick(&self.tables, numbers[0]);
        let cut = u32::from(numbers[1]) % (table.columns() + 1);
        let columns = if whole || !numbers[1].is_multiple_of(3) {
            0..table.columns()
        } else if numbers[1].is_multiple_of(2) {
            0..cut
        } else {
            cut..table.columns()
        };
        table.field(columns.start as usize..columns.end as usize).unwrap()
    }

    fn operation(&self, [kind, a, b, c, d, e]: [u8; 6]) -> Option<Op> {
        let (among, is_row) = self.vectors(d);
        let [z, x, y] = [a, b, c].map(|number| pick(among, number));
        let [i, j] = [d / 2, e].map(|number| pick(&self.ints, number));
        let (short, long) = (pick(&self.slices, a), pick(&self.words, b));
        let (short, long) = if short.len() <= long.len() { (short, long) } else { (long, short) };
        let from = self.place(e, long.len() - short.len() + 1, false)?;
        let (table, slice, word) =
            (self.field([b, c], false), pick(&self.slices, a), pick(&self.words, a));
        let column = |number| self.index(number, table.columns, false);
        let row = |number| self.index(number, table.table.rows(), true);
        // fields have fewer columns than words: rows are of whole tables
        let (whole, fits) = (self.field([b, c], true), table.columns == table.table.columns());
        let logic = pick(&[Logic::And, Logic::AndNot, Logic::Or, Logic::Xor], e);
        Some(match kind % 28 {
            0 => Op::Fill { z, ones: c.is_multiple_of(2) },
            1 => Op::Copy { z, x },
            2 | 3 => Op::Not { z, x },
            4..=8 => Op::Logic { logic, z, x, y },
            9 => Op::SetBit { z, at: self.index(e, z.len(), is_row)?, bit: c.is_multiple_of(2) },
            10 => Op::First { z, x },
            11 => Op::Find { i, x },
            12 => Op::Step { i, x },
            13 => Op::Count { i, x },
            14 => Op::Trim { z: WordVar(short), x: WordVar(long), from },
            15 => Op::Replace { z: WordVar(long), x: WordVar(short), from },
            16 => Op::Add { z: WordVar(z), v: WordVar(x), w: WordVar(y), carry: i },
            17 => Op::Subtract { z: WordVar(z), v: WordVar(x), w: WordVar(y), borrow: i },
            18 | 19 if self.may_fail || fits => {
                Op::ReadColumn { z: SliceVar(slice), table, column: column(e)? }
            }
            20 if self.may_fail || fits => {
                Op::WriteColumn { table, column: column(e)?, x: SliceVar(slice) }
            }
            21 | 18 | 19 => Op::ReadRow { z: WordVar(word), table: whole, row: row(e)? },
            22 | 20 => Op::WriteRow { table: whole, row: row(e)?, x: WordVar(word) },
            23 if e.is_multiple_of(8) => Op::ClearTable { table: whole.table },
            24 => Op::ToWord { z: WordVar(z), i: self.place(e, 1 << z.len().min(31), false)? },
            25 => Op::ToInt { i, w: WordVar(x) },
            26 => Op::SetInt { i, value: (e % 4 > 0).then_some(u32::from(e)) },
            _ => Op::AddInt { i, j, by: i32::from(e as i8) * if c < 8 { 1 << 24 } else { 1 } },
        })
    }

    fn condition(&self, [kind, a, b, c]: [u8; 4]) -> Option<Condition> {
        let (among, is_row) = self.vectors(b);
        let (v, w) = (pick(among, a), pick(among, c));
        let relation = pick(&RELATIONS, kind / 4);
        Some(match kind % 4 {
            0 => Condition::Some(v),
            1 => Condition::Found(pick(&self.ints, a)),
            2 => Condition::Bit { x: v, at: self.index(c, v.len(), is_row)? },
            _ => Condition::Compare { relation, v, w },
        })
    }
}
