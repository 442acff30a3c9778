//! Records programs.

mod labels;

use std::ops::Range;

use super::operands::named;
use super::places::Places;
use super::{Instruction, MOST_TURNS, Program, Variable};
use crate::language::{
    Condition, IntVar, Op, Operand, Operations, Role, SliceVar, Star, TableVar, Vector, WordVar,
};
use crate::procedures::Pass;
use crate::{At, Procedure, StarError};

/// How many vectors, tables and integers there are.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Live([usize; 3]);

/// Records the program that is given to it.
///
/// Declare the parameters, give the body as to a machine, and [`finish`]. Errors of sizes and
/// constant positions are returned at once, and the statement around them is not recorded. Errors
/// that depend on values occur when the program runs.
///
/// [`finish`]: Self::finish
#[derive(Debug, Default)]
pub struct Recorder {
    instructions: Vec<Instruction>,
    parameters: Vec<Variable>,
    vectors: Places<u32>,
    tables: Places<(u32, u32)>,
    ints: Places<()>,
    /// Loops `for` around the present place, and the most there have been.
    depth: u32,
    n_counters: u32,
    /// The steps from which on they come from a place of a text.
    origins: Vec<(usize, At)>,
    /// Declared and not yet zero: an operation that writes the whole of one spares it that.
    pending: Vec<Variable>,
}

fn vector_size(len: usize) -> Result<u32, StarError> {
    StarError::fits("a slice or word", len, 1).map(|[len, _]| len)
}

impl Recorder {
    /// A recorder without steps.
    pub fn new() -> Self {
        Self::default()
    }

    /// Declares a parameter: a slice. Parameters have the caller's values at the start, and the
    /// caller has theirs at the end; no scope ends them.
    ///
    /// # Errors
    /// [`StarError::TooLarge`] beyond 2³¹ bits.
    pub fn parameter_slice(&mut self, rows: usize) -> Result<SliceVar, StarError> {
        self.parameter_vector(rows).map(SliceVar)
    }

    /// Declares a parameter: a word.
    ///
    /// # Errors
    /// As [`parameter_slice`](Self::parameter_slice).
    pub fn parameter_word(&mut self, columns: usize) -> Result<WordVar, StarError> {
        self.parameter_vector(columns).map(WordVar)
    }

    /// Declares a parameter: a table.
    ///
    /// # Errors
    /// As [`parameter_slice`](Self::parameter_slice).
    pub fn parameter_table(&mut self, rows: usize, columns: usize) -> Result<TableVar, StarError> {
        let [rows, columns] = StarError::fits("a table", rows, columns)?;
        let name = self.tables.declare_for_ever((rows, columns));
        let table = TableVar { name, rows, columns };
        self.parameters.push(table.into());
        Ok(table)
    }

    /// Declares a parameter: an integer.
    pub fn parameter_int(&mut self) -> IntVar {
        let i = self.lasting_int();
        self.parameters.push(i.into());
        i
    }

    fn parameter_vector(&mut self, len: usize) -> Result<Vector, StarError> {
        let x = self.lasting_vector(len)?;
        self.parameters.push(x.into());
        Ok(x)
    }

    /// The program.
    pub fn finish(self) -> Program {
        Program {
            instructions: self.instructions,
            parameters: self.parameters,
            vectors: self.vectors.into_sizes(),
            tables: self.tables.into_sizes(),
            n_ints: self.ints.into_sizes().len() as u32,
            n_counters: self.n_counters,
            most_turns: MOST_TURNS,
            origins: self.origins,
        }
    }

    /// What is recorded from here on comes from this place of a text.
    pub(crate) fn note_place(&mut self, at: At) {
        if self.origins.last().is_none_or(|&(_, last)| last != at) {
            self.origins.push((self.instructions.len(), at));
        }
    }

    /// What is declared now, for [`release`](Self::release).
    pub(crate) fn live(&self) -> Live {
        Live([self.vectors.n_live(), self.tables.n_live(), self.ints.n_live()])
    }

    /// Ends what was declared since.
    pub(crate) fn release(&mut self, Live(live): Live) {
        self.vectors.release(live[0]);
        self.tables.release(live[1]);
        self.ints.release(live[2]);
        // variables that no step has used
        let pending = std::mem::take(&mut self.pending);
        self.pending = pending.into_iter().filter(|&variable| self.has(variable)).collect();
    }

    fn has(&self, variable: Variable) -> bool {
        match variable {
            Variable::Vector(x) => self.vectors.has(x.name),
            Variable::Int(i) => self.ints.has(i.name),
            Variable::Table(table) => self.tables.has(table.name),
        }
    }

    /// Records the zeros of what is declared and has none yet.
    pub(crate) fn settle(&mut self) {
        for variable in std::mem::take(&mut self.pending) {
            self.make_zero(variable);
        }
    }

    fn check_condition(&self, condition: Condition) -> Result<(), StarError> {
        condition.check()?;
        self.check_operands(Instruction::Branch { condition, answer: true, to: 0 })
    }

    /// An error where one of the operands is not declared.
    fn check_operands(&self, mut step: Instruction) -> Result<(), StarError> {
        let mut unknown = None;
        step.operands(&mut |role, operand| {
            named(role, operand, |_, place| {
                unknown =
                    unknown.or(Some(place.variable()).filter(|&variable| !self.has(variable)));
            });
        });
        let Some(unknown) = unknown else { return Ok(()) };
        let what = match unknown {
            Variable::Vector(_) => "slice or word",
            Variable::Int(_) => "integer",
            Variable::Table(_) => "table",
        };
        Err(StarError::Unknown { what })
    }

    /// Records a step, after zeros for what it reads and has none yet.
    fn record(&mut self, step: Instruction) {
        let mut shown = step;
        shown.operands(&mut |role, operand| {
            named(role, operand, |role, place| {
                let variable = place.variable();
                if let Some(at) = self.pending.iter().position(|&other| other == variable) {
                    self.pending.swap_remove(at);
                    if role == Role::Read {
                        self.make_zero(variable);
                    }
                }
            });
        });
        self.instructions.push(step);
    }

    fn make_zero(&mut self, variable: Variable) {
        self.instructions.push(Instruction::Do(match variable {
            Variable::Vector(z) => Op::Fill { z, ones: false },
            Variable::Int(i) => Op::SetInt { i, value: None },
            Variable::Table(table) => Op::ClearTable { table },
        }));
    }

    /// Records a statement whose parts may run more than once, or never: variables from before
    /// it have their zeros first. Nothing is left of one that fails.
    fn statement(
        &mut self,
        record: impl FnOnce(&mut Self) -> Result<(), StarError>,
    ) -> Result<(), StarError> {
        self.settle();
        let start = self.instructions.len();
        let done = self.scope(record);
        if done.is_err() {
            self.instructions.truncate(start);
        }
        done
    }
}

impl Star for Recorder {
    fn vector(&mut self, len: usize) -> Result<Vector, StarError> {
        let len = vector_size(len)?;
        let z = Vector { name: self.vectors.declare(len), len };
        self.pending.push(z.into());
        Ok(z)
    }

    fn table(&mut self, rows: usize, columns: usize) -> Result<TableVar, StarError> {
        let [rows, columns] = StarError::fits("a table", rows, columns)?;
        let table = TableVar { name: self.tables.declare((rows, columns)), rows, columns };
        self.pending.push(table.into());
        Ok(table)
    }

    fn int(&mut self) -> Result<IntVar, StarError> {
        let i = IntVar { name: self.ints.declare(()) };
        self.pending.push(i.into());
        Ok(i)
    }

    fn run(&mut self, op: Op) -> Result<(), StarError> {
        op.check()?;
        self.check_operands(Instruction::Do(op))?;
        self.record(Instruction::Do(op));
        Ok(())
    }

    /// Where the word is a result, a copy of it is read: no step has both.
    fn call(&mut self, mut procedure: Procedure) -> Result<(), StarError> {
        procedure.check()?;
        self.check_operands(Instruction::Pass(procedure))?;
        self.scope(|recorder| {
            if let Some(word) = Pass::of(&procedure).word_in_results() {
                let copy = recorder.word(word.0.len as usize)?;
                recorder.copy(copy, word)?;
                procedure.operands(&mut |_, operand| {
                    if let Operand::Word(word) = operand {
                        *word = copy;
                    }
                });
            }
            recorder.record(Instruction::Pass(procedure));
            Ok(())
        })
    }

    fn scope(
        &mut self,
        body: impl FnOnce(&mut Self) -> Result<(), StarError>,
    ) -> Result<(), StarError> {
        let live = self.live();
        let done = body(self);
        self.release(live);
        done
    }

    fn if_else(
        &mut self,
        condition: Condition,
        then: impl FnOnce(&mut Self) -> Result<(), StarError>,
        otherwise: impl FnOnce(&mut Self) -> Result<(), StarError>,
    ) -> Result<(), StarError> {
        self.check_condition(condition)?;
        self.statement(|recorder| {
            let to_else = recorder.branch(condition, false)?;
            recorder.scope(then)?;
            let to_end = recorder.jump();
            recorder.land(to_else, recorder.here());
            recorder.scope(otherwise)?;
            if recorder.instructions.len() == to_end + 1 {
                recorder.instructions.pop();
                recorder.land(to_else, recorder.here());
            } else {
                recorder.land(to_end, recorder.here());
            }
            Ok(())
        })
    }

    fn while_do(
        &mut self,
        condition: Condition,
        body: impl FnMut(&mut Self) -> Result<(), StarError>,
    ) -> Result<(), StarError> {
        self.check_condition(condition)?;
        self.statement(|recorder| {
            let to_end = recorder.branch(condition, false)?;
            let top = recorder.here();
            recorder.scope(body)?;
            let to_top = recorder.branch(condition, true)?;
            recorder.land(to_top, top);
            recorder.land(to_end, recorder.here());
            Ok(())
        })
    }

    fn count_through(
        &mut self,
        range: Range<usize>,
        back: bool,
        mut body: impl FnMut(&mut Self, IntVar) -> Result<(), StarError>,
    ) -> Result<(), StarError> {
        let range = StarError::range(range)?;
        let (Some(least), Some(most)) = (range.clone().min(), range.max()) else {
            return Ok(());
        };
        let (first, last) = if back { (most, least) } else { (least, most) };
        self.statement(|recorder| {
            let i = IntVar { name: recorder.ints.declare(()) };
            let counter = recorder.depth;
            recorder.instructions.push(Instruction::Start { counter, i, first });
            let to = recorder.here();
            recorder.depth += 1;
            recorder.n_counters = recorder.n_counters.max(recorder.depth);
            let done = recorder.scope(|recorder| body(recorder, i));
            recorder.depth -= 1;
            recorder.instructions.push(Instruction::Repeat { counter, i, last, back, to });
            done
        })
    }
}

#[cfg(test)]
mod tests;
