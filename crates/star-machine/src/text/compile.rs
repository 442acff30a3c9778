//! A procedure of a text as a recorded program.
//!
//! Expressions are taken apart into operations on variables of the compiler's own, which end with
//! their statement. Conditions become jumps, so that `and` and `or` look at their second operand
//! only where the first leaves it open.

mod arrays;
mod conditions;
mod routines;
mod values;

use std::collections::HashMap;

use super::lengths::Sort;
use super::operations::Callable;
use super::sorts::Sorts;
use super::syntax::{Call, Expression, Name, Place, Proc, Statement};
use super::{At, CountFrom, Size, TextError};
use crate::StarError;
use crate::language::{Condition, FieldVar, Index, IntVar, Op, Relation, SliceVar, Star, Vector};
use crate::program::{Program, Recorder};

/// The program of the last of these procedures, for arguments of these sizes.
///
/// # Errors
/// Those of [`Sorts::of`], and a constant position that is not there.
pub(super) fn compile(
    procs: &[Proc],
    sizes: &[Size],
    from: CountFrom,
) -> Result<Program, TextError> {
    let (proc, before) = procs.split_last().expect("one is compiled");
    let least = match from {
        CountFrom::Zero => 0,
        CountFrom::One => 1,
    };
    let mut compiler = Compiler {
        recorder: Recorder::new(),
        sorts: Sorts::of(before, proc, sizes)?,
        variables: HashMap::new(),
        least,
        exits: Vec::new(),
        procs: before,
        routines: Vec::new(),
    };
    for parameter in &proc.parameters {
        compiler.declare(&parameter.name, true)?;
    }
    compiler.body(proc)?;
    compiler.routines()?;
    Ok(compiler.recorder.finish())
}

/// What a name stands for in the program.
#[derive(Clone, Copy)]
enum Bound {
    Int(IntVar),
    Bits(Vector),
    Table(FieldVar),
    /// A row for each integer.
    Array(FieldVar),
}

struct Compiler<'a> {
    recorder: Recorder,
    sorts: Sorts<'a>,
    variables: HashMap<String, Bound>,
    /// The first position as the text counts, which integers hold less of.
    least: u32,
    /// The jumps out of each loop around.
    exits: Vec<Jumps>,
    /// The procedures that the present one may call: those before it.
    procs: &'a [Proc],
    routines: Vec<Routine<'a>>,
}

/// Jumps that lead to one place.
type Jumps = Vec<usize>;

/// A procedure for one combination of tables and sizes.
struct Routine<'a> {
    proc: &'a Proc,
    /// Its index among the procedures.
    number: usize,
    sizes: Vec<Size>,
    /// Its parameters, in order.
    parameters: Vec<Bound>,
    /// Holds the return address.
    link: IntVar,
    /// Its first step, once it is recorded.
    start: u32,
    calls: Jumps,
}

impl Compiler<'_> {
    fn body(&mut self, proc: &Proc) -> Result<(), TextError> {
        for variable in &proc.variables {
            self.declare(&variable.name, false)?;
        }
        self.recorder.settle();
        self.statements(&proc.body)
    }

    fn declare(&mut self, name: &Name, is_parameter: bool) -> Result<(), TextError> {
        let sort = self.sorts.variable(name)?.sort;
        let size = self.sorts.size(sort).expect("sizes were found before");
        let recorder = &mut self.recorder;
        let bound = match (size, is_parameter) {
            (Size::Integer, true) => Ok(Bound::Int(recorder.parameter_int())),
            (Size::Integer, false) => recorder.int().map(Bound::Int),
            (Size::Bits(len), true) => {
                recorder.parameter_slice(len).map(|SliceVar(x)| Bound::Bits(x))
            }
            (Size::Bits(len), false) => recorder.vector(len).map(Bound::Bits),
            (Size::Table(rows, columns), true) => {
                recorder.parameter_table(rows, columns).map(|table| Bound::Table(table.into()))
            }
            (Size::Table(rows, columns), false) => {
                recorder.table(rows, columns).map(|table| Bound::Table(table.into()))
            }
        };
        let bound = match bound.map_err(|error| said(name.at, &error))? {
            Bound::Table(table) if matches!(sort, Sort::Array(_)) => Bound::Array(table),
            bound => bound,
        };
        self.variables.insert(name.text.clone(), bound);
        Ok(())
    }

    fn run(&mut self, op: Op, at: At) -> Result<(), TextError> {
        self.recorder.note_place(at);
        self.recorder.run(op).map_err(|error| said(at, &error))
    }

    fn new_int(&mut self, at: At) -> Result<IntVar, TextError> {
        self.recorder.int().map_err(|error| said(at, &error))
    }

    fn new_bits(&mut self, len: usize, at: At) -> Result<Vector, TextError> {
        self.recorder.vector(len).map_err(|error| said(at, &error))
    }

    // Names and their sorts were looked up before, so that each is what it is used as.

    fn bound_int(&self, name: &Name) -> IntVar {
        match self.variables[&name.text] {
            Bound::Int(i) => i,
            _ => unreachable!("'{}' was an integer before", name.text),
        }
    }

    fn bound_bits(&self, name: &Name) -> Vector {
        match self.variables[&name.text] {
            Bound::Bits(x) => x,
            _ => unreachable!("'{}' was a row of bits before", name.text),
        }
    }

    /// A table, or a field of one.
    fn field(&mut self, expression: &Expression) -> Result<FieldVar, TextError> {
        let (Expression::Variable(name) | Expression::Field(name, _)) = expression else {
            unreachable!("tables have names")
        };
        let table = match self.variables[&name.text] {
            Bound::Table(table) | Bound::Array(table) => table,
            _ => unreachable!("'{}' was a table before", name.text),
        };
        let Expression::Field(_, number) = expression else { return Ok(table) };
        let sort = self.sorts.found(expression.at());
        let Some(Size::Table(_, columns)) = self.sorts.size(sort) else {
            let table = &name.text;
            return name.at.wrong(format!(
                "nothing says how many columns the fields of {table} have: declare a table F with \
                 columns, copy the field by TCOPY({table}.field(i); F), and use F"
            ));
        };
        if !table.is_whole() {
            return name.at.wrong(format!("'{}' is a field, and a field has no fields", name.text));
        }
        let table = table.table;
        let field = match self.int(number, None)? {
            Index::In(i) => table.numbered(columns, i),
            Index::At(i) => {
                let first = i as usize * columns;
                table.field(first..first + columns)
            }
        };
        field.map_err(|error| said(name.at, &error))
    }

    fn statements(&mut self, statements: &[Statement]) -> Result<(), TextError> {
        for statement in statements {
            let live = self.recorder.live();
            self.statement(statement)?;
            self.recorder.release(live);
        }
        Ok(())
    }

    fn statement(&mut self, statement: &Statement) -> Result<(), TextError> {
        match statement {
            Statement::Assign { place, value } => self.assign(place, value),
            Statement::Call(call) if self.sorts.proc(&call.name).is_some() => self.call_proc(call),
            Statement::Call(call) => match self.sorts.found(call.name.at) {
                Sort::Truth => self.operate(call, None).map(drop),
                Sort::Integer => self.int_call(call, None).map(drop),
                _ => self.bits_call(call, None).map(drop),
            },
            Statement::If { condition, then, otherwise } => {
                let mut to_else = Jumps::new();
                self.jump_if(condition, false, &mut to_else)?;
                self.statements(then)?;
                if otherwise.is_empty() {
                    self.land(to_else);
                    return Ok(());
                }
                let to_end = self.recorder.jump();
                self.land(to_else);
                self.statements(otherwise)?;
                self.land(vec![to_end]);
                Ok(())
            }
            Statement::While { condition, body } => {
                let (mut to_end, mut to_top) = (Jumps::new(), Jumps::new());
                self.jump_if(condition, false, &mut to_end)?;
                let top = self.recorder.here();
                self.turn(body, &mut to_end)?;
                self.jump_if(condition, true, &mut to_top)?;
                self.land_at(to_top, top);
                self.land(to_end);
                Ok(())
            }
            Statement::Repeat { body, until } => {
                let (mut to_end, mut to_top) = (Jumps::new(), Jumps::new());
                let top = self.recorder.here();
                self.turn(body, &mut to_end)?;
                self.jump_if(until, false, &mut to_top)?;
                self.land_at(to_top, top);
                self.land(to_end);
                Ok(())
            }
            Statement::For { variable, first, last, back, body } => {
                self.count(variable, [first, last], *back, body)
            }
            Statement::Exit(at) => {
                let jump = self.recorder.jump();
                match self.exits.last_mut() {
                    Some(exits) => exits.push(jump),
                    None => {
                        return at.wrong("exit leaves a loop, and there is none around it");
                    }
                }
                Ok(())
            }
        }
    }

    /// The body of a loop; `exit` leads to where `to_end` does.
    fn turn(&mut self, body: &[Statement], to_end: &mut Jumps) -> Result<(), TextError> {
        self.exits.push(Jumps::new());
        self.statements(body)?;
        to_end.extend(self.exits.pop().into_iter().flatten());
        Ok(())
    }

    fn count(
        &mut self,
        variable: &Name,
        [first, last]: [&Expression; 2],
        back: bool,
        body: &[Statement],
    ) -> Result<(), TextError> {
        let (i, at) = (self.bound_int(variable), variable.at);
        let j = match self.int(last, None)? {
            Index::At(last) => Index::At(last),
            Index::In(last) => {
                // a copy, for the body may change what it is
                let end = self.new_int(at)?;
                self.run(Op::AddInt { i: end, j: last, by: 0 }, at)?;
                end.into()
            }
        };
        self.int_into(first, i)?;
        let (relation, by) =
            if back { (Relation::GreaterOrEqual, -1) } else { (Relation::LessOrEqual, 1) };
        let goes_on = Condition::Order { relation, i, j };
        let mut to_end = vec![self.branch(goes_on, false, at)?];
        let to_first = self.recorder.jump();
        let top = self.recorder.here();
        self.run(Op::AddInt { i, j: i, by }, at)?;
        let least = i64::from(self.least);
        if !back && self.sorts.constant(first).is_none_or(|number| number < least) {
            // after none comes the first number
            let counted = self.branch(Condition::Found(i), true, at)?;
            self.run(Op::SetInt { i, value: Some(0) }, at)?;
            self.land(vec![counted]);
        }
        self.land(vec![to_first]);
        self.turn(body, &mut to_end)?;
        // the last may be the greatest integer, or none: there is no next one to compare
        let is_last = Condition::Order { relation: Relation::Equal, i, j };
        let to_top = self.branch(is_last, false, at)?;
        self.land_at(vec![to_top], top);
        self.run(Op::AddInt { i, j: i, by }, at)?;
        self.land(to_end);
        Ok(())
    }

    fn assign(&mut self, place: &Place, value: &Expression) -> Result<(), TextError> {
        match place {
            Place::Variable(name) => match self.sorts.variable(name)?.sort {
                Sort::Integer => self.int_into(value, self.bound_int(name)),
                Sort::Table(..) | Sort::Array(_) => {
                    name.at.wrong("tables are copied by TCOPY(T; F)")
                }
                _ => self.bits(value, Some(self.bound_bits(name))).map(drop),
            },
            Place::Part(Call { name, arguments }) => match &arguments[..] {
                [at] => {
                    let place = self.int(at, None)?;
                    match self.variables[&name.text] {
                        Bound::Array(array) => self.put(array, place, value),
                        _ => self.set_bit(self.bound_bits(name), place, value, name.at),
                    }
                }
                arguments => {
                    let callable = Callable::assigning(&name.text);
                    let callable = callable.expect("it was looked up before");
                    let arguments: Vec<_> = arguments.iter().chain([value]).collect();
                    let given = self.given(callable, &arguments)?;
                    self.give(callable, &given, name.at)
                }
            },
        }
    }

    fn set_bit(
        &mut self,
        z: Vector,
        at: Index,
        value: &Expression,
        place: At,
    ) -> Result<(), TextError> {
        if let Expression::Number(number, _) = value {
            return self.run(Op::SetBit { z, at, bit: *number == 1 }, place);
        }
        let mut to_zero = Jumps::new();
        self.jump_if(value, false, &mut to_zero)?;
        self.run(Op::SetBit { z, at, bit: true }, place)?;
        let to_end = self.recorder.jump();
        self.land(to_zero);
        self.run(Op::SetBit { z, at, bit: false }, place)?;
        self.land(vec![to_end]);
        Ok(())
    }
}

fn said(at: At, error: &StarError) -> TextError {
    TextError::at(at, error.to_string())
}
