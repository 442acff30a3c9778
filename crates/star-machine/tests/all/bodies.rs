//! Programs to record and to run: the procedures, Warshall's, and random ones.

use proptest::prelude::*;
use star_machine::{
    Condition, FieldVar, Index, IntVar, Logic, Op, Operations, Procedure, Recorder, Relation,
    Slice, SliceVar, Star, StarError, Table, TableVar, Variable, Vector, WordVar, procedures,
};

/// What a variable holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Value {
    Vector(Slice),
    Int(Option<u32>),
    Table(Table),
}

/// Something to do with variables, written once.
pub(crate) trait Body {
    fn give<S: Star>(&self, m: &mut S, parameters: &[Variable]) -> Result<(), StarError>;
}

/// The program of a body for parameters like these values.
pub(crate) fn record(
    body: &impl Body,
    values: &[Value],
) -> Result<star_machine::Program, StarError> {
    let mut recorder = Recorder::new();
    let parameters: Vec<_> = values
        .iter()
        .map(|value| match value {
            Value::Vector(x) => recorder.parameter_slice(x.len()).map(Variable::from),
            Value::Int(_) => Ok(recorder.parameter_int().into()),
            Value::Table(t) => recorder.parameter_table(t.rows(), t.columns()).map(Variable::from),
        })
        .collect::<Result<_, _>>()?;
    body.give(&mut recorder, &parameters)?;
    Ok(recorder.finish())
}

/// The numbers 0, 1, .. that a linear congruence shuffles.
pub(crate) fn draws(seed: u64) -> impl FnMut(u64) -> u64 {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    move |below| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state % below
    }
}

/// A row of bits, one in so many of them set.
pub(crate) fn slice(len: usize, draw: &mut impl FnMut(u64) -> u64, one_in: u64) -> Slice {
    Slice::from_positions(len, (0..len).filter(|_| draw(one_in) == 0)).unwrap()
}

/// A table, one in so many of its bits set.
pub(crate) fn table(
    rows: usize,
    columns: usize,
    draw: &mut impl FnMut(u64) -> u64,
    one_in: u64,
) -> Table {
    let words = (0..columns).flat_map(|_| slice(rows, draw, one_in).as_words().to_vec()).collect();
    Table::from_words(rows, columns, words).unwrap()
}

/// A procedure; its operands are the parameters, in the order of [`ProcedureBody::values`].
#[derive(Clone, Copy, Debug)]
pub(crate) struct ProcedureBody {
    /// Which one, below [`Self::COUNT`].
    pub(crate) number: usize,
    /// Whether the result is the first table.
    pub(crate) in_place: bool,
}

impl ProcedureBody {
    pub(crate) const COUNT: usize = 16;

    /// Three tables, four slices and a word.
    pub(crate) fn values(rows: usize, columns: usize, seed: u64) -> Vec<Value> {
        let mut draw = draws(seed);
        let density = [1, 2, 2, rows as u64 + 1][draw(4) as usize];
        let first = table(rows, columns, &mut draw, 2);
        let mut second = first.clone();
        let mut word = slice(columns, &mut draw, 2);
        // equal rows, so that there is something to find
        for row in (0..rows).filter(|_| draw(3) == 0) {
            second.set_row(row, &word.clone().into_word()).unwrap();
        }
        if rows > 0 && draw(2) == 0 {
            word = first.row(draw(rows as u64) as usize).unwrap().into_slice();
        }
        let third = table(rows, columns, &mut draw, 2);
        let mut values = vec![Value::Table(first), Value::Table(second), Value::Table(third)];
        values.extend((0..4).map(|_| Value::Vector(slice(rows, &mut draw, density))));
        values.push(Value::Vector(word));
        values
    }
}

impl Body for ProcedureBody {
    fn give<S: Star>(&self, m: &mut S, parameters: &[Variable]) -> Result<(), StarError> {
        let (mut tables, mut vectors) = (Vec::new(), Vec::new());
        for parameter in parameters {
            match *parameter {
                Variable::Table(table) => tables.push(table),
                Variable::Vector(x) => vectors.push(x),
                Variable::Int(_) => (),
            }
        }
        let (table, other) = (FieldVar::from(tables[0]), tables[1].into());
        let to = if self.in_place { table } else { tables[2].into() };
        let [rows, z, less, greater] = [0, 1, 2, 3].map(|k| SliceVar(vectors[k]));
        let word = WordVar(vectors[4]);
        let procedure = match self.number {
            0 => Procedure::Match { table, rows, word, z },
            1 => Procedure::Compare { table, rows, word, less, equal: z, greater },
            2 => Procedure::Min { table, rows, z },
            3 => Procedure::Max { table, rows, z },
            4 => Procedure::SetMin { table, other, rows, signed: false, z },
            5 => Procedure::SetMin { table, other, rows, signed: true, z },
            6 => Procedure::Hit { table, other, rows, z },
            7 => Procedure::Clear { table: to.table },
            8 => Procedure::CopyTable { table: other, to },
            9 => Procedure::MergeTable { table: other, rows, to },
            10 => Procedure::CopyWord { word, rows, to },
            11 => Procedure::MergeWord { word, rows, to },
            12 => Procedure::AddWord { table, rows, word, to, carry: z },
            13 => Procedure::AddTable { table, other, rows, to, carry: z },
            14 => Procedure::SubtractWord { table, rows, word, to, borrow: z },
            _ => Procedure::SubtractTable { table, other, rows, to, borrow: z },
        };
        procedure.run(m)
    }
}

/// Transitive closure, by rows or by columns, of the one parameter.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Warshall {
    pub(crate) by_columns: bool,
}

impl Body for Warshall {
    fn give<S: Star>(&self, m: &mut S, parameters: &[Variable]) -> Result<(), StarError> {
        let Variable::Table(p) = parameters[0] else { unreachable!("it takes a table") };
        if self.by_columns {
            procedures::warshall_columns(m, p, 0..p.rows as usize)
        } else {
            procedures::warshall(m, p, 0..p.rows as usize)
        }
    }
}

/// A statement; its numbers choose among what there is where it stands.
#[derive(Clone, Debug)]
pub(crate) enum Statement {
    Do([u8; 6]),
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
    let op = any::<[u8; 6]>().prop_map(Statement::Do);
    let statement = op.prop_recursive(2, 40, 6, |inner| {
        let body = prop::collection::vec(inner.clone(), 0..6);
        prop_oneof![
            5 => any::<[u8; 6]>().prop_map(Statement::Do),
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
        values.extend((0..3).map(|_| Value::Vector(slice(rows, &mut draw, 2))));
        values.extend((0..3).map(|_| Value::Vector(slice(columns, &mut draw, 2))));
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
                inner.slices.push(m.slice(table.rows as usize)?.0);
                inner.words.push(m.word(table.columns as usize)?.0);
                inner.tables.push(m.table(table.rows as usize, table.columns as usize)?);
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
                let end = (*n as usize % 6).min(table.rows.min(table.columns) as usize);
                m.count_through((*n as usize / 7 % 3).min(end)..end, *back, |m, i| {
                    let mut inner = self.clone();
                    inner.positions.push(i);
                    inner.play(m, body)
                })
            }
            Statement::WhileSome(x, body) => m.scope(|m| {
                let (left, i) = (m.slice(table.rows as usize)?, m.int()?);
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
                let x = if self.may_fail && d % 5 == 0 && slice != v {
                    slice
                } else {
                    pick(&self.words, d / 5)
                };
                let i = if e % 2 == 0 { pick(&self.ints, e / 4) } else { m.int()? };
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
        let held: Vec<_> = if self.may_fail && number % 11 == 0 {
            self.ints.clone()
        } else if is_row {
            self.positions.iter().chain(&self.rows).copied().collect()
        } else {
            self.positions.clone()
        };
        if number % 3 != 0 && !held.is_empty() || held.len() == self.ints.len() && self.may_fail {
            return (!held.is_empty()).then(|| pick(&held, number / 3).into());
        }
        (len > 0).then(|| (u32::from(number) * 7 % len).into())
    }

    fn vectors(&self, number: u8) -> (&[Vector], bool) {
        if number % 2 == 0 { (&self.slices, true) } else { (&self.words, false) }
    }

    fn field(&self, numbers: [u8; 2], whole: bool) -> FieldVar {
        let table = pick(&self.tables, numbers[0]);
        let cut = u32::from(numbers[1]) % (table.columns + 1);
        let columns = if whole || numbers[1] % 3 > 0 {
            0..table.columns
        } else if numbers[1] % 2 == 0 {
            0..cut
        } else {
            cut..table.columns
        };
        table.field(columns.start as usize..columns.end as usize).unwrap()
    }

    fn operation(&self, [kind, a, b, c, d, e]: [u8; 6]) -> Option<Op> {
        let (among, is_row) = self.vectors(d);
        let [z, x, y] = [a, b, c].map(|number| pick(among, number));
        let [i, j] = [d / 2, e].map(|number| pick(&self.ints, number));
        let (short, long) = (pick(&self.slices, a), pick(&self.words, b));
        let (short, long) = if short.len <= long.len { (short, long) } else { (long, short) };
        let from = u32::from(c) % (long.len - short.len + 1);
        let (table, slice, word) =
            (self.field([b, c], false), pick(&self.slices, a), pick(&self.words, a));
        let column = |number| self.index(number, table.columns, false);
        let row = |number| self.index(number, table.table.rows, true);
        // fields have fewer columns than words: rows are of whole tables
        let (whole, fits) = (self.field([b, c], true), table.columns == table.table.columns);
        let logic = pick(&[Logic::And, Logic::AndNot, Logic::Or, Logic::Xor], e);
        Some(match kind % 26 {
            0 => Op::Fill { z, ones: c % 2 == 0 },
            1 => Op::Copy { z, x },
            2 | 3 => Op::Not { z, x },
            4..=8 => Op::Logic { logic, z, x, y },
            9 => Op::SetBit { z, at: self.index(e, z.len, is_row)?, bit: c % 2 == 0 },
            10 => Op::First { z, x },
            11 => Op::Find { i, x },
            12 => Op::Step { i, x },
            13 => Op::Count { i, x },
            14 => Op::Trim { z: short, x: long, from },
            15 => Op::Replace { z: long, x: short, from },
            16 => Op::Add { z, v: x, w: y, carry: i },
            17 => Op::Subtract { z, v: x, w: y, borrow: i },
            18 | 19 if self.may_fail || fits => {
                Op::ReadColumn { z: slice, table, column: column(e)? }
            }
            20 if self.may_fail || fits => Op::WriteColumn { table, column: column(e)?, x: slice },
            21 | 18 | 19 => Op::ReadRow { z: word, table: whole, row: row(e)? },
            22 | 20 => Op::WriteRow { table: whole, row: row(e)?, x: word },
            23 if e % 8 == 0 => Op::ClearTable { table: whole.table },
            24 => Op::SetInt { i, value: (e % 4 > 0).then_some(u32::from(e)) },
            _ => Op::AddInt { i, j, by: i32::from(e as i8) * if c < 8 { 1 << 24 } else { 1 } },
        })
    }

    fn condition(&self, [kind, a, b, c]: [u8; 4]) -> Option<Condition> {
        let (among, is_row) = self.vectors(b);
        let (v, w) = (pick(among, a), pick(among, c));
        let relation = pick(
            &[
                Relation::Equal,
                Relation::NotEqual,
                Relation::Less,
                Relation::LessOrEqual,
                Relation::Greater,
                Relation::GreaterOrEqual,
            ],
            kind / 4,
        );
        Some(match kind % 4 {
            0 => Condition::Some(v),
            1 => Condition::Found(pick(&self.ints, a)),
            2 => Condition::Bit { x: v, at: self.index(c, v.len, is_row)? },
            _ => Condition::Compare { relation, v, w },
        })
    }
}
