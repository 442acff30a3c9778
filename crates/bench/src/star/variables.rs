//! The operations that are measured, what they work on, and what they are to leave.

use anyhow::Result;
use serde::Serialize;
use star_machine::{
    Condition, GpuProgram, Index, IntVar, Machine, Operations, Recorder, Slice, SliceVar, Star,
    StarError, Table, TableVar, Word, WordVar,
};

use crate::draws::Draws;

/// What is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub(super) enum Operation {
    RowRead,
    RowWrite,
    Or,
    Find,
    Some,
    Step,
    ColumnRead,
    ColumnWrite,
    Count,
    /// Nothing but a turn of the loop, in a program.
    Turn,
}

impl Operation {
    pub(super) const ALL: [Self; 10] = [
        Self::RowRead,
        Self::RowWrite,
        Self::Or,
        Self::Find,
        Self::Some,
        Self::Step,
        Self::ColumnRead,
        Self::ColumnWrite,
        Self::Count,
        Self::Turn,
    ];

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::RowRead => "ROW, read",
            Self::RowWrite => "ROW, write",
            Self::Or => "OR",
            Self::Find => "FND",
            Self::Some => "SOME",
            Self::Step => "STEP",
            Self::ColumnRead => "COL, read",
            Self::ColumnWrite => "COL, write",
            Self::Count => "NUMB",
            Self::Turn => "an empty turn",
        }
    }

    pub(super) fn is_of_rows(self) -> bool {
        matches!(self, Self::RowRead | Self::RowWrite)
    }

    /// Calls come in rounds, each with a call for every position, or less.
    pub(super) fn rounds(self, data: &Data, calls: usize) -> (usize, usize) {
        let most = match self {
            Self::RowRead | Self::RowWrite | Self::Step => data.table.rows(),
            Self::ColumnRead | Self::ColumnWrite => data.table.columns(),
            _ => calls,
        };
        let turns = calls.min(most);
        (calls.div_ceil(turns), turns)
    }

    /// What is done before a round.
    pub(super) fn before(self, m: &mut impl Star, vars: &Vars) -> Result<(), StarError> {
        if self == Self::Step { m.set(vars.z) } else { Ok(()) }
    }

    pub(super) fn call(self, m: &mut impl Star, vars: &Vars, at: Index) -> Result<(), StarError> {
        match self {
            Self::RowRead => m.row(vars.w, vars.table, at),
            Self::RowWrite => m.set_row(vars.table, at, vars.v),
            Self::Or => m.or(vars.z, vars.x, vars.y),
            Self::Find => m.fnd(vars.i, vars.last),
            Self::Some => m.if_then(Condition::some(vars.none), |m| m.set_int(vars.i, Some(0))),
            Self::Step => m.step(vars.i, vars.z),
            Self::ColumnRead => m.col(vars.z, vars.table, at),
            Self::ColumnWrite => m.set_col(vars.table, at, vars.x),
            Self::Count => m.numb(vars.i, vars.x),
            Self::Turn => Ok(()),
        }
    }
}

/// Values to start from.
pub(super) struct Data {
    pub(super) table: Table,
    pub(super) x: Slice,
    pub(super) y: Slice,
    pub(super) last: Slice,
    pub(super) v: Word,
}

/// What is there in the end.
#[derive(Debug, PartialEq)]
pub(super) struct State {
    pub(super) table: Table,
    pub(super) z: Slice,
    pub(super) w: Word,
    pub(super) i: Option<u32>,
}

pub(super) struct Vars {
    pub(super) table: TableVar,
    pub(super) x: SliceVar,
    pub(super) y: SliceVar,
    pub(super) z: SliceVar,
    /// A one in the last place alone, which searches look through everything for.
    pub(super) last: SliceVar,
    pub(super) none: SliceVar,
    pub(super) v: WordVar,
    pub(super) w: WordVar,
    pub(super) i: IntVar,
}

impl Data {
    pub(super) fn random(rows: usize, columns: usize) -> Result<Self> {
        let mut draws = Draws::new(rows as u64);
        let mut bits = |len: usize| -> Result<Slice> {
            Ok(Slice::from_positions(len, (0..len).filter(|_| draws.word() & 1 == 1))?)
        };
        let mut table = Table::zeros(rows, columns)?;
        for column in 0..columns {
            table.set_col(column, &bits(rows)?)?;
        }
        let (x, y, v) = (bits(rows)?, bits(rows)?, bits(columns)?.into_word());
        Ok(Self { table, x, y, last: Slice::from_positions(rows, rows.checked_sub(1))?, v })
    }

    pub(super) fn load<M: Machine>(&self, m: &mut M) -> Result<Vars> {
        let (rows, columns) = (self.table.rows(), self.table.columns());
        Ok(Vars {
            table: m.load_table(&self.table)?,
            x: m.load_slice(&self.x)?,
            y: m.load_slice(&self.y)?,
            z: m.slice(rows)?,
            last: m.load_slice(&self.last)?,
            none: m.slice(rows)?,
            v: m.load_word(&self.v)?,
            w: m.word(columns)?,
            i: m.int()?,
        })
    }

    pub(super) fn declare(&self, recorder: &mut Recorder) -> Result<Vars> {
        let (rows, columns) = (self.table.rows(), self.table.columns());
        Ok(Vars {
            table: recorder.parameter_table(rows, columns)?,
            x: recorder.parameter_slice(rows)?,
            y: recorder.parameter_slice(rows)?,
            z: recorder.parameter_slice(rows)?,
            last: recorder.parameter_slice(rows)?,
            none: recorder.parameter_slice(rows)?,
            v: recorder.parameter_word(columns)?,
            w: recorder.parameter_word(columns)?,
            i: recorder.parameter_int(),
        })
    }

    pub(super) fn fill(&self, program: &mut GpuProgram, vars: &Vars) -> Result<()> {
        program.set_table(vars.table, &self.table)?;
        program.set_vector(vars.x, &self.x)?;
        program.set_vector(vars.y, &self.y)?;
        program.set_vector(vars.last, &self.last)?;
        Ok(program.set_vector(vars.v, self.v.as_slice())?)
    }

    /// What the calls leave, found bit by bit.
    pub(super) fn after(&self, operation: Operation, turns: usize) -> Result<State> {
        let (rows, columns) = (self.table.rows(), self.table.columns());
        let mut table = self.table.clone();
        let (mut z, mut w, mut i) = (Slice::zeros(rows)?, Word::zeros(columns)?, None);
        let all = |len: usize, bit: &dyn Fn(usize) -> Result<bool, StarError>| {
            (0..len).map(bit).collect::<Result<Vec<bool>, _>>()
        };
        match operation {
            Operation::RowRead => {
                w = Slice::from_bits(&all(columns, &|j| self.table.get(turns - 1, j))?)?.into();
            }
            Operation::ColumnRead => {
                z = Slice::from_bits(&all(rows, &|i| self.table.get(i, turns - 1))?)?;
            }
            Operation::RowWrite => {
                for (at, j) in (0..turns).flat_map(|at| (0..columns).map(move |j| (at, j))) {
                    table.set(at, j, self.v.get(j)?)?;
                }
            }
            Operation::ColumnWrite => {
                for (at, i) in (0..turns).flat_map(|at| (0..rows).map(move |i| (at, i))) {
                    table.set(i, at, self.x.get(i)?)?;
                }
            }
            Operation::Or => {
                z = Slice::from_bits(&all(rows, &|i| Ok(self.x.get(i)? || self.y.get(i)?))?)?
            }
            Operation::Find => i = Some(rows as u32 - 1),
            Operation::Step => {
                z = Slice::from_positions(rows, turns..rows)?;
                i = Some(turns as u32 - 1);
            }
            Operation::Count => i = Some(self.x.iter().filter(|&bit| bit).count() as u32),
            Operation::Some | Operation::Turn => {}
        }
        Ok(State { table, z, w, i })
    }
}
