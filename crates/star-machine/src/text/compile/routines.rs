//! Calls of procedures of a text. A procedure is recorded behind the program, once for each
//! combination of tables and sizes that it is called with. Its other arguments are copied to
//! variables of its own, and its results are copied back.

use std::collections::HashMap;

use super::super::lengths::Sort;
use super::super::sorts::Sorts;
use super::super::syntax::{Call, Expression};
use super::super::{Size, TextError};
use super::{Bound, Compiler, Jumps, Routine, said};
use crate::language::{FieldVar, Op};

/// Each is recorded so often at most, all together: where every one calls those before it with
/// tables of its own, they double from one to the next.
const MOST_ROUTINES: usize = 1000;

impl Compiler<'_> {
    /// Records a call of a procedure declared before the present one.
    pub(super) fn call_proc(&mut self, call: &Call) -> Result<(), TextError> {
        let at = call.name.at;
        let (mut sizes, mut tables) = (Vec::new(), Vec::new());
        for argument in &call.arguments {
            let sort = self.sorts.found(argument.at());
            let Some(size) = self.sorts.size(sort) else {
                return argument.at().wrong("nothing says how large this is");
            };
            sizes.push(size);
            tables.push(match sort {
                Sort::Table(..) | Sort::Array(_) => Some(self.field(argument)?),
                _ => None,
            });
        }
        let routine = self.routine(call, &sizes, &tables)?;
        let Routine { proc, link, ref parameters, .. } = self.routines[routine];
        let parameters = parameters.clone();
        let given = || call.arguments.iter().zip(&parameters).zip(&tables);
        for ((argument, parameter), table) in given() {
            match (*parameter, table) {
                (Bound::Int(i), _) => self.int_into(argument, i)?,
                (Bound::Bits(x), _) => self.bits(argument, Some(x)).map(drop)?,
                (
                    Bound::Table(FieldVar { number: Some(i), .. }),
                    Some(FieldVar { number: Some(j), .. }),
                ) => self.run(Op::AddInt { i, j: *j, by: 0 }, at)?,
                (Bound::Table(_) | Bound::Array(_), _) => {}
            }
        }
        let step = self.recorder.call_step(link);
        self.routines[routine].calls.push(step);
        for ((argument, parameter), declared) in
            call.arguments.iter().zip(&parameters).zip(&proc.parameters)
        {
            let Expression::Variable(name) = argument else { continue };
            match *parameter {
                Bound::Int(j) if declared.is_result => {
                    self.run(Op::AddInt { i: self.bound_int(name), j, by: 0 }, at)?;
                }
                Bound::Bits(x) if declared.is_result => {
                    self.run(Op::Copy { z: self.bound_bits(name), x }, at)?;
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// The index of the routine for these tables and sizes, which is added if it is new.
    fn routine(
        &mut self,
        call: &Call,
        sizes: &[Size],
        tables: &[Option<FieldVar>],
    ) -> Result<usize, TextError> {
        let number = self.procs.iter().position(|proc| proc.name.text == call.name.text);
        let number = number.expect("found before");
        let is_this = |routine: &Routine<'_>| {
            let mut pairs = routine.parameters.iter().zip(tables);
            routine.number == number && routine.sizes == sizes && pairs.all(is_same_table)
        };
        if let Some(found) = self.routines.iter().position(is_this) {
            return Ok(found);
        }
        if self.routines.len() == MOST_ROUTINES {
            return call.name.at.wrong(format!(
                "procedures are called with more than {MOST_ROUTINES} sets of tables"
            ));
        }
        let proc = &self.procs[number];
        let mut parameters = Vec::new();
        for ((size, table), argument) in sizes.iter().zip(tables).zip(&call.arguments) {
            let at = argument.at();
            parameters.push(match (*size, *table) {
                (_, Some(table)) => {
                    let number = table.number.map(|_| self.recorder.lasting_int());
                    let table = FieldVar { number, ..table };
                    match self.sorts.found(argument.at()) {
                        Sort::Array(_) => Bound::Array(table),
                        _ => Bound::Table(table),
                    }
                }
                (Size::Bits(len), _) => {
                    let x = self.recorder.lasting_vector(len);
                    Bound::Bits(x.map_err(|error| said(at, &error))?)
                }
                _ => Bound::Int(self.recorder.lasting_int()),
            });
        }
        let (sizes, link) = (sizes.to_vec(), self.recorder.lasting_int());
        let calls = Jumps::new();
        self.routines.push(Routine { proc, number, sizes, parameters, link, start: 0, calls });
        Ok(self.routines.len() - 1)
    }

    /// Records all routines that are called, and directs the calls to them.
    pub(super) fn routines(&mut self) -> Result<(), TextError> {
        if self.routines.is_empty() {
            return Ok(());
        }
        let to_end = self.recorder.jump();
        let all = self.procs;
        let mut next = 0;
        // a routine may call others, which are appended
        while next < self.routines.len() {
            let Routine { proc, number, ref sizes, ref parameters, link, .. } = self.routines[next];
            self.procs = &all[..number];
            self.sorts = Sorts::of(self.procs, proc, sizes)?;
            let names = proc.parameters.iter().map(|declared| declared.name.text.clone());
            self.variables = names.zip(parameters.iter().copied()).collect::<HashMap<_, _>>();
            self.recorder.keep_places();
            self.routines[next].start = self.recorder.here();
            self.body(proc)?;
            self.recorder.return_step(link);
            next += 1;
        }
        for Routine { calls, start, .. } in std::mem::take(&mut self.routines) {
            self.land_at(calls, start);
        }
        self.land(vec![to_end]);
        Ok(())
    }
}

/// Whether an argument is the table that a parameter stands for; the number of a field is passed
/// with each call.
fn is_same_table((parameter, given): (&Bound, &Option<FieldVar>)) -> bool {
    match (parameter, given) {
        (Bound::Table(a) | Bound::Array(a), Some(b)) => {
            let is_numbered = a.number.is_some() == b.number.is_some();
            is_numbered && FieldVar { number: None, ..*a } == FieldVar { number: None, ..*b }
        }
        (Bound::Int(_) | Bound::Bits(_), None) => true,
        _ => false,
    }
}
