//! Programs to record and to run: the procedures and Warshall's, and values for them.

use star_machine::algorithms::Value;
use star_machine::{
    Condition, FieldVar, Operations, Program, Recorder, Slice, SliceVar, Star, StarError, Table,
    Variable, WordVar, procedures,
};
use test_support::draws;

use crate::cases::Operands;

/// Something to do with variables, written once.
pub(crate) trait Body {
    fn give<S: Star>(&self, m: &mut S, parameters: &[Variable]) -> Result<(), StarError>;
}

/// The program of a body for parameters like these values.
pub(crate) fn record(body: &impl Body, values: &[Value]) -> Result<Program, StarError> {
    let mut recorder = Recorder::new();
    let parameters: Vec<_> = values
        .iter()
        .map(|value| match value {
            Value::Slice(x) => recorder.parameter_slice(x.len()).map(Variable::from),
            Value::Word(w) => recorder.parameter_word(w.len()).map(Variable::from),
            Value::Int(_) => Ok(recorder.parameter_int().into()),
            Value::Table(t) => recorder.parameter_table(t.rows(), t.columns()).map(Variable::from),
        })
        .collect::<Result<_, _>>()?;
    body.give(&mut recorder, &parameters)?;
    Ok(recorder.finish())
}

/// A row of bits, one in so many of them set.
pub(crate) fn slice(len: usize, draw: &mut impl FnMut(u64) -> u64, one_in: u64) -> Slice {
    if one_in != 2 {
        return Slice::from_positions(len, (0..len).filter(|_| draw(one_in) == 0)).unwrap();
    }
    let mut words: Vec<_> =
        (0..len.div_ceil(64)).map(|_| draw(1 << 32) << 32 | draw(1 << 32)).collect();
    if let (Some(last), 1..) = (words.last_mut(), len % 64) {
        *last &= (1 << (len % 64)) - 1;
    }
    Slice::from_words(len, words).unwrap()
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
    pub(crate) shared: Shared,
    /// Whether it is called, or its operations are given.
    pub(crate) is_one_step: bool,
}

/// Which variables of a procedure are one.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Shared {
    None,
    /// The table that is written and the first.
    First,
    /// The table that is written and the second, and the result and the marked rows.
    Second,
    /// All tables, and the result and the word, or else the marked rows.
    All,
}

impl Shared {
    pub(crate) const EACH: [Self; 4] = [Self::None, Self::First, Self::Second, Self::All];
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
        values.extend((0..4).map(|_| Value::Slice(slice(rows, &mut draw, density))));
        values.push(Value::Slice(word));
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
        let [table, other, apart] = [0, 1, 2].map(|k| FieldVar::from(tables[k]));
        let [rows, z, less, greater] = [0, 1, 2, 3].map(|k| SliceVar(vectors[k]));
        let word = WordVar(vectors[4]);
        let (other, to, z) = match self.shared {
            Shared::None => (other, apart, z),
            Shared::First => (other, table, z),
            Shared::Second => (other, other, rows),
            Shared::All if rows.0.len() == word.0.len() => (table, table, SliceVar(word.0)),
            Shared::All => (table, table, rows),
        };
        let operands = Operands { table, other, to, rows, word, results: [z, less, greater] };
        let procedure = operands.procedures()[self.number];
        if self.is_one_step { m.call(procedure) } else { procedure.run(m) }
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
            procedures::warshall_columns(m, p, 0..p.rows() as usize)
        } else {
            procedures::warshall(m, p, 0..p.rows() as usize)
        }
    }
}

/// Rows after columns, columns after rows, and bits after both, over and over: each reads what
/// other threads have just written. Two square tables, two slices, a word and an integer.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Crossings;

impl Crossings {
    pub(crate) fn values(n: usize, seed: u64) -> Vec<Value> {
        let mut draw = draws(seed);
        let mut values: Vec<_> = (0..2).map(|_| Value::Table(table(n, n, &mut draw, 2))).collect();
        values.extend((0..3).map(|_| Value::Slice(slice(n, &mut draw, 9))));
        values.push(Value::Int(None));
        values
    }
}

impl Body for Crossings {
    fn give<S: Star>(&self, m: &mut S, parameters: &[Variable]) -> Result<(), StarError> {
        let [
            Variable::Table(t),
            Variable::Table(u),
            Variable::Vector(w),
            Variable::Vector(s),
            Variable::Vector(x),
            Variable::Int(i),
        ] = *parameters
        else {
            unreachable!("it takes these")
        };
        let (n, x) = (t.rows() as usize, WordVar(x));
        let (v, r) = (SliceVar(m.vector(n)?), m.word(n)?);
        m.for_each(0..n.min(9), |m, j| {
            m.col(v, t, j)?;
            m.xor(v, v, w)?;
            m.set_col(t, j, v)?;
            // another thread has the words of this row
            m.row(r, t, n as u32 - 1)?;
            m.xor(x, x, r)?;
            m.set_row(u, j, x)?;
            m.col(v, u, j)?;
            m.xor(s, s, v)?;
            m.if_then(Condition::bit(s, j), |m| m.not(s, s))?;
            m.clear_table(u)?;
            m.row(r, u, j)?;
            m.set_col(u, j, v)?;
            m.xor(x, x, r)
        })?;
        // the first column is marked, too
        m.fnd(i, x)?;
        m.while_found(i, |m| {
            m.col(v, t, i)?;
            m.xor(v, v, w)?;
            m.set_col(t, i, v)?;
            m.step(i, x)
        })
    }
}
