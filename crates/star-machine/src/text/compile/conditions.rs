//! Expressions that are true or false: where a program goes on.

use super::super::operations::Does;
use super::super::syntax::{Expression, Operator};
use super::super::{At, TextError};
use super::values::callable;
use super::{Bound, Compiler, Jumps, said};
use crate::Relation;
use crate::language::Condition;

impl Compiler<'_> {
    /// Jumps where the condition is that, and goes on where it is not.
    pub(super) fn jump_if(
        &mut self,
        condition: &Expression,
        answer: bool,
        jumps: &mut Jumps,
    ) -> Result<(), TextError> {
        let at = condition.at();
        match condition {
            Expression::Not(operand, _) => self.jump_if(operand, !answer, jumps),
            Expression::Binary(operator @ (Operator::And | Operator::Or), operands, _) => {
                // one operand with this answer is enough
                let decides = *operator == Operator::Or;
                let [left, right] = &**operands;
                if decides == answer {
                    self.jump_if(left, answer, jumps)?;
                    return self.jump_if(right, answer, jumps);
                }
                let mut past = Jumps::new();
                self.jump_if(left, decides, &mut past)?;
                self.jump_if(right, answer, jumps)?;
                self.land(past);
                Ok(())
            }
            Expression::Binary(Operator::Compare(relation), operands, _) => {
                self.jump_if_order(*relation, operands, answer, jumps)
            }
            Expression::Call(call) => {
                let condition = match self.variables.get(&call.name.text) {
                    Some(&Bound::Bits(x)) => {
                        Condition::Bit { x, at: self.int(&call.arguments[0], None)? }
                    }
                    _ => {
                        let callable = callable(call);
                        let arguments: Vec<_> = call.arguments.iter().collect();
                        let given = self.given(callable, &arguments)?;
                        let Does::Ask(condition) = callable.does else {
                            return at.wrong(format!("{} is no condition", callable.name));
                        };
                        condition(&given)
                    }
                };
                jumps.push(self.branch(condition, answer, at)?);
                Ok(())
            }
            _ => unreachable!("conditions were looked at before"),
        }
    }

    /// Integers compare as what they hold, with none below all: so the papers' 0.
    pub(super) fn jump_if_order(
        &mut self,
        relation: Relation,
        [left, right]: &[Expression; 2],
        answer: bool,
        jumps: &mut Jumps,
    ) -> Result<(), TextError> {
        let at = left.at();
        let i = self.int(left, None)?;
        let i = self.variable(i, at)?;
        let condition = match (relation, right) {
            (Relation::NotEqual, Expression::None(_)) => Condition::Found(i),
            (Relation::Equal, Expression::None(_)) => {
                jumps.push(self.branch(Condition::Found(i), !answer, at)?);
                return Ok(());
            }
            // i > 0 of who counts from 1
            (Relation::Greater, Expression::Number(number, _))
                if u64::from(*number) + 1 == u64::from(self.least) =>
            {
                Condition::Found(i)
            }
            _ => Condition::Order { relation, i, j: self.int(right, None)? },
        };
        jumps.push(self.branch(condition, answer, at)?);
        Ok(())
    }

    pub(super) fn branch(
        &mut self,
        condition: Condition,
        answer: bool,
        at: At,
    ) -> Result<usize, TextError> {
        self.recorder.note_place(at);
        self.recorder.branch(condition, answer).map_err(|error| said(at, &error))
    }

    /// Lets the jumps lead here.
    pub(super) fn land(&mut self, jumps: Jumps) {
        let here = self.recorder.here();
        self.land_at(jumps, here);
    }

    pub(super) fn land_at(&mut self, jumps: Jumps, to: u32) {
        jumps.into_iter().for_each(|jump| self.recorder.land(jump, to));
    }
}
