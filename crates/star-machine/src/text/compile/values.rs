//! Expressions that have a value: rows of bits and integers.

use super::super::operations::{Callable, Does, Given, OperandKind};
use super::super::syntax::{Call, Expression, Operator};
use super::super::{At, Size, TextError};
use super::{Bound, Compiler, said};
use crate::language::{Index, IntVar, Logic, Op, Star, Vector};

impl Compiler<'_> {
    /// A row of bits: in `z` if there is one, else wherever it is.
    pub(super) fn bits(
        &mut self,
        expression: &Expression,
        z: Option<Vector>,
    ) -> Result<Vector, TextError> {
        let at = expression.at();
        let op = match expression {
            Expression::Variable(name) => {
                let x = self.bound_bits(name);
                match z {
                    Some(z) if z != x => Op::Copy { z, x },
                    _ => return Ok(x),
                }
            }
            Expression::Call(call) => return self.bits_call(call, z),
            Expression::Not(operand, _) => {
                let x = self.bits(operand, None)?;
                Op::Not { z: self.result(x.len() as usize, z, at)?, x }
            }
            Expression::Binary(operator, operands, _) => {
                let (logic, [left, right]) = match (operator, &**operands) {
                    (Operator::And, [left, Expression::Not(right, _)]) => {
                        (Logic::AndNot, [left, &**right])
                    }
                    (Operator::And, [Expression::Not(left, _), right]) => {
                        (Logic::AndNot, [right, &**left])
                    }
                    (Operator::Or, [left, right]) => (Logic::Or, [left, right]),
                    (Operator::Xor, [left, right]) => (Logic::Xor, [left, right]),
                    (Operator::And, [left, right]) => (Logic::And, [left, right]),
                    other => unreachable!("{other:?} gives no row of bits"),
                };
                let (x, y) = (self.bits(left, None)?, self.bits(right, None)?);
                Op::Logic { logic, z: self.result(x.len() as usize, z, at)?, x, y }
            }
            other => unreachable!("{other:?} was no row of bits before"),
        };
        self.run(op, at)?;
        Ok(match op {
            Op::Copy { z, .. } | Op::Not { z, .. } | Op::Logic { z, .. } => z,
            _ => unreachable!("made above"),
        })
    }

    pub(super) fn result(
        &mut self,
        len: usize,
        z: Option<Vector>,
        at: At,
    ) -> Result<Vector, TextError> {
        z.map_or_else(|| self.new_bits(len, at), Ok)
    }

    pub(super) fn bits_call(
        &mut self,
        call: &Call,
        z: Option<Vector>,
    ) -> Result<Vector, TextError> {
        let Some(Size::Bits(len)) = self.sorts.size(self.sorts.found(call.name.at)) else {
            return call
                .name
                .at
                .wrong(format!("nothing says how many bits this {} gives", call.name.text));
        };
        let z = self.result(len, z, call.name.at)?;
        self.operate(call, Some(Given::Bits(z)))?;
        Ok(z)
    }

    /// An integer: in `i` if there is one, else wherever it is, or as a constant.
    pub(super) fn int(
        &mut self,
        expression: &Expression,
        i: Option<IntVar>,
    ) -> Result<Index, TextError> {
        let at = expression.at();
        if let Some(number) = self.sorts.constant(expression) {
            return self.constant(number, i, at);
        }
        match expression {
            Expression::None(_) => self.none(i, at),
            Expression::Variable(name) => Ok(self.bound_int(name).into()),
            Expression::Call(call) => match self.variables.get(&call.name.text) {
                Some(&Bound::Array(array)) => {
                    let place = self.int(&call.arguments[0], None)?;
                    let i = i.map_or_else(|| self.new_int(at), Ok)?;
                    self.take(array, place, i, at)?;
                    Ok(i.into())
                }
                _ => self.int_call(call, i).map(Index::from),
            },
            Expression::Binary(operator, operands, _) => {
                let is_minus = *operator == Operator::Minus;
                let [left, right] = &**operands;
                // what integers hold is less by that than what the text says
                let least = i64::from(self.least);
                match (self.int(left, None)?, self.int(right, None)?) {
                    (Index::In(j), Index::At(k)) => {
                        let by = i64::from(k) + least;
                        self.add(i, j, if is_minus { -by } else { by }, at)
                    }
                    (Index::At(j), Index::In(k)) if !is_minus => {
                        self.add(i, k, i64::from(j) + least, at)
                    }
                    (j, k) => {
                        let (j, k) = (self.variable(j, at)?, self.variable(k, at)?);
                        let i = i.map_or_else(|| self.new_int(at), Ok)?;
                        let by = if is_minus { -least } else { least } as i32;
                        self.run(Op::AddInts { i, j, k, is_minus, by }, at)?;
                        Ok(i.into())
                    }
                }
            }
            other => unreachable!("{other:?} was no integer before"),
        }
    }

    pub(super) fn int_into(&mut self, expression: &Expression, i: IntVar) -> Result<(), TextError> {
        let at = expression.at();
        match self.int(expression, Some(i))? {
            Index::At(value) => self.run(Op::SetInt { i, value: Some(value) }, at),
            Index::In(j) if i == j => Ok(()),
            Index::In(j) => self.run(Op::AddInt { i, j, by: 0 }, at),
        }
    }

    /// The number as the text says it, of what integers hold.
    fn number(&mut self, index: Index, at: At) -> Result<Index, TextError> {
        match index {
            Index::At(value) => Ok(Index::At(value + self.least)),
            Index::In(_) if self.least == 0 => Ok(index),
            Index::In(j) => self.add(None, j, i64::from(self.least), at),
        }
    }

    /// A number as the text says it, with none in `i` for one that is below all positions.
    pub(super) fn constant(
        &mut self,
        number: i64,
        i: Option<IntVar>,
        at: At,
    ) -> Result<Index, TextError> {
        match number.saturating_sub(i64::from(self.least)) {
            number @ 0..=0x7fff_ffff => Ok(Index::At(number as u32)),
            0x8000_0000.. => Err(too_large(at)),
            _ => self.none(i, at),
        }
    }

    fn none(&mut self, i: Option<IntVar>, at: At) -> Result<Index, TextError> {
        let i = i.map_or_else(|| self.new_int(at), Ok)?;
        self.run(Op::SetInt { i, value: None }, at)?;
        Ok(i.into())
    }

    pub(super) fn add(
        &mut self,
        i: Option<IntVar>,
        j: IntVar,
        by: i64,
        at: At,
    ) -> Result<Index, TextError> {
        let i = i.map_or_else(|| self.new_int(at), Ok)?;
        let by = i32::try_from(by).map_err(|_| too_large(at))?;
        self.run(Op::AddInt { i, j, by }, at)?;
        Ok(i.into())
    }

    /// An integer as a variable.
    pub(super) fn variable(&mut self, index: Index, at: At) -> Result<IntVar, TextError> {
        match index {
            Index::In(i) => Ok(i),
            Index::At(value) => {
                let i = self.new_int(at)?;
                self.run(Op::SetInt { i, value: Some(value) }, at)?;
                Ok(i)
            }
        }
    }

    pub(super) fn int_call(&mut self, call: &Call, i: Option<IntVar>) -> Result<IntVar, TextError> {
        let (i, at) = (i.map_or_else(|| self.new_int(call.name.at), Ok)?, call.name.at);
        let callable = self.operate(call, Some(Given::Int(i.into())))?;
        if callable.gives == [OperandKind::Number] && self.least > 0 {
            self.run(Op::AddInt { i, j: i, by: -(self.least as i32) }, at)?;
        }
        Ok(i)
    }

    /// Gives an operation or a procedure, with the variable for its value.
    pub(super) fn operate(
        &mut self,
        call: &Call,
        value: Option<Given>,
    ) -> Result<&'static Callable, TextError> {
        let at = call.name.at;
        let callable = callable(call);
        let mut given = self.given(callable, &call.arguments.iter().collect::<Vec<_>>())?;
        given.extend(value);
        for gives in callable.gives.iter().skip(1) {
            given.push(match (gives, value) {
                (OperandKind::Slice, Some(Given::Bits(z))) => {
                    Given::Bits(self.new_bits(z.len() as usize, at)?)
                }
                _ => Given::Int(self.new_int(at)?.into()),
            });
        }
        self.give(callable, &given, at)?;
        Ok(callable)
    }

    pub(super) fn give(
        &mut self,
        callable: &Callable,
        given: &[Given],
        at: At,
    ) -> Result<(), TextError> {
        let no_statement =
            |what| at.wrong(format!("{} is a {what}, and no statement", callable.name));
        match callable.does {
            Does::Op(op) => self.run(op(given), at),
            Does::Call(procedure) => {
                self.recorder.note_place(at);
                self.recorder.call(procedure(given)).map_err(|error| said(at, &error))
            }
            Does::Rows | Does::Columns => no_statement("number"),
            Does::Ask(_) => no_statement("condition"),
        }
    }

    /// The operands of what is called.
    pub(super) fn given(
        &mut self,
        callable: &Callable,
        arguments: &[&Expression],
    ) -> Result<Vec<Given>, TextError> {
        let (mut given, mut arguments) = (Vec::new(), arguments.iter());
        for takes in callable.takes {
            let argument = arguments.next().expect("counted before");
            given.push(match takes {
                OperandKind::Position => Given::Int(self.int(argument, None)?),
                OperandKind::Part => {
                    // how many bits there are up to the last position is known
                    arguments.next();
                    Given::Int(self.int(argument, None)?)
                }
                OperandKind::Number => {
                    let index = self.int(argument, None)?;
                    Given::Int(self.number(index, argument.at())?)
                }
                OperandKind::Table | OperandKind::Written => Given::Table(self.field(argument)?),
                _ => Given::Bits(self.bits(argument, None)?),
            });
        }
        Ok(given)
    }
}

/// What a call calls.
pub(super) fn callable(call: &Call) -> &'static Callable {
    let callable = Callable::find(&call.name.text, call.arguments.len());
    callable.expect("it was looked up before")
}

fn too_large(at: At) -> TextError {
    TextError::at(at, "integers are below 2^31")
}
