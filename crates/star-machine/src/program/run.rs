//! The interpreter of the host: a program on any machine.

use super::{Instruction, Program, Variable};
use crate::StarError;
use crate::language::{IntVar, Machine, Op, TableVar, Vector};

impl Program {
    /// Runs it on a machine, with variables of the machine for its parameters, in their
    /// order. Two parameters may have the same variable. Its cost is that of the program that was
    /// recorded.
    ///
    /// # Errors
    /// [`StarError::Argument`] if an argument has the wrong type or size;
    /// [`StarError::NoPosition`], [`StarError::OutOfRange`] and other errors of the machine, in
    /// [`StarError::InText`] if the operation comes from a text; [`StarError::Endless`] after [too
    /// many iterations](Self::with_most_turns). Operations before an error remain executed.
    pub fn run<M: Machine>(
        &self,
        machine: &mut M,
        arguments: &[Variable],
    ) -> Result<(), StarError> {
        self.check_arguments(arguments)?;
        let mark = machine.mark();
        let done = Arguments::new(self, machine, arguments)
            .and_then(|bound| self.interpret(machine, &bound.instructions(self)));
        machine.release(mark);
        done
    }

    fn check_arguments(&self, arguments: &[Variable]) -> Result<(), StarError> {
        let n = self.parameters.len().max(arguments.len());
        for number in 0..n {
            let (takes, given) = (self.parameters.get(number), arguments.get(number));
            let is_alike = match (takes, given) {
                (Some(Variable::Vector(x)), Some(Variable::Vector(y))) => x.len == y.len,
                (Some(Variable::Int(_)), Some(Variable::Int(_))) => true,
                (Some(Variable::Table(x)), Some(Variable::Table(y))) => {
                    (x.rows, x.columns) == (y.rows, y.columns)
                }
                _ => false,
            };
            if !is_alike {
                let (takes, given) = (described(takes), described(given));
                return Err(StarError::Argument { number, takes, given });
            }
        }
        Ok(())
    }

    fn interpret<M: Machine>(
        &self,
        machine: &mut M,
        instructions: &[Instruction],
    ) -> Result<(), StarError> {
        let mut counters = vec![0; self.n_counters as usize];
        let (mut at, mut turns) = (0, 0);
        while let Some(instruction) = instructions.get(at) {
            let failed = |error| self.failed(at, error);
            let target = match *instruction {
                Instruction::Do(ref op) => {
                    machine.execute(op).map_err(failed)?;
                    None
                }
                Instruction::Pass(ref procedure) => {
                    machine.fused(procedure).map_err(failed)?;
                    None
                }
                Instruction::Branch { ref condition, answer, to } => {
                    (machine.holds(condition).map_err(failed)? == answer).then_some(to)
                }
                Instruction::Jump { to } => Some(to),
                Instruction::Call { to, link } => {
                    machine.execute(&Op::SetInt { i: link, value: Some(at as u32 + 1) })?;
                    Some(to)
                }
                Instruction::Return { link } => machine.int_value(link)?,
                Instruction::Start { counter, i, first } => {
                    counters[counter as usize] = first;
                    machine.execute(&Op::SetInt { i, value: Some(first) })?;
                    None
                }
                Instruction::Repeat { counter, last, .. } if counters[counter as usize] == last => {
                    None
                }
                Instruction::Repeat { to, .. } => Some(to),
            };
            let next = target.map_or(at + 1, |to| to as usize);
            if next <= at {
                turns += 1;
                self.check_turns(turns)?;
            }
            if let (Instruction::Repeat { counter, i, back, .. }, Some(_)) = (instruction, target) {
                let counter = &mut counters[*counter as usize];
                *counter = if *back { *counter - 1 } else { *counter + 1 };
                machine.execute(&Op::SetInt { i: *i, value: Some(*counter) })?;
            }
            at = next;
        }
        Ok(())
    }
}

fn described(variable: Option<&Variable>) -> String {
    match variable {
        Some(Variable::Vector(x)) => format!("a slice or word of {} bits", x.len),
        Some(Variable::Int(_)) => "an integer".into(),
        Some(Variable::Table(table)) => {
            format!("a table of {} rows and {} columns", table.rows, table.columns)
        }
        None => "nothing".into(),
    }
}

/// The machine's variables for those of the program, by their places.
struct Arguments {
    vectors: Vec<Vector>,
    tables: Vec<TableVar>,
    ints: Vec<IntVar>,
}

impl Arguments {
    /// The arguments, and new variables for all others.
    fn new<M: Machine>(
        program: &Program,
        machine: &mut M,
        arguments: &[Variable],
    ) -> Result<Self, StarError> {
        let mut vectors = vec![None; program.vectors.len()];
        let mut tables = vec![None; program.tables.len()];
        let mut ints = vec![None; program.n_ints as usize];
        for pair in program.parameters.iter().zip(arguments) {
            match pair {
                (Variable::Vector(x), Variable::Vector(y)) => {
                    vectors[x.place() as usize] = Some(*y)
                }
                (Variable::Table(x), Variable::Table(y)) => tables[x.place() as usize] = Some(*y),
                (Variable::Int(i), Variable::Int(j)) => ints[i.place() as usize] = Some(*j),
                // refused before
                _ => (),
            }
        }
        let vectors = vectors.into_iter().zip(&program.vectors);
        let tables = tables.into_iter().zip(&program.tables);
        Ok(Self {
            vectors: vectors
                .map(|(given, &len)| given.map_or_else(|| machine.new_vector(len as usize), Ok))
                .collect::<Result<_, _>>()?,
            tables: tables
                .map(|(given, &(rows, columns))| match given {
                    Some(table) => Ok(table),
                    None => machine.new_table(rows as usize, columns as usize),
                })
                .collect::<Result<_, _>>()?,
            ints: ints
                .into_iter()
                .map(|given| given.map_or_else(|| machine.new_int(), Ok))
                .collect::<Result<_, _>>()?,
        })
    }

    /// The program's steps with the machine's variables.
    fn instructions(&self, program: &Program) -> Vec<Instruction> {
        let of = |variable| match variable {
            Variable::Vector(x) => self.vectors[x.place() as usize].into(),
            Variable::Int(i) => self.ints[i.place() as usize].into(),
            Variable::Table(table) => self.tables[table.place() as usize].into(),
        };
        program.instructions.iter().map(|instruction| instruction.with(of)).collect()
    }
}
