//! The sorts of expressions.

use super::super::lengths::Sort;
use super::super::operations::{Callable, Does};
use super::super::syntax::{Call, Expression, Operator};
use super::super::{At, TextError};
use super::{Declaration, Sorts};

impl Sorts<'_> {
    /// The sort of an expression, which is kept for those who record it.
    pub(super) fn sort(&mut self, expression: &Expression) -> Result<Sort, TextError> {
        let sort = match expression {
            Expression::Number(..) | Expression::None(_) => Sort::Integer,
            Expression::Variable(name) => self.variable(name)?.sort,
            Expression::Call(call) => self.call(call)?,
            Expression::Field(name, number) => {
                let Declaration { sort: Sort::Table(rows, _), at, .. } = self.variable(name)?
                else {
                    return name.at.wrong(format!("'{}' is no table", name.text));
                };
                self.expect(number, Sort::Integer, "the number of a field")?;
                // all fields of a table have as many
                Sort::Table(rows, self.letter(at, 'c'))
            }
            Expression::Not(operand, at) => match self.sort(operand)? {
                sort @ (Sort::Truth | Sort::Slice(_) | Sort::Word(_)) => sort,
                other => return Err(not_for(*at, "not", other)),
            },
            Expression::Binary(operator, operands, at) => self.binary(*operator, operands, *at)?,
        };
        self.found.insert(expression.at(), sort);
        Ok(sort)
    }

    fn binary(
        &mut self,
        operator: Operator,
        operands: &[Expression; 2],
        at: At,
    ) -> Result<Sort, TextError> {
        let left = self.sort(&operands[0])?;
        match (operator, left) {
            (Operator::Times | Operator::Div, _) => {
                self.fit(operands[0].at(), "an operand", left, Sort::Integer)?;
                self.expect(&operands[1], Sort::Integer, "an operand")?;
                match operands.iter().all(|operand| self.constant(operand).is_some()) {
                    true => Ok(Sort::Integer),
                    false => {
                        at.wrong("only what the arguments' sizes give is multiplied or divided")
                    }
                }
            }
            (Operator::Plus | Operator::Minus | Operator::Compare(_), Sort::Integer) => {
                self.expect(&operands[1], Sort::Integer, "the second operand")?;
                let is_sum = !matches!(operator, Operator::Compare(_));
                Ok(if is_sum { Sort::Integer } else { Sort::Truth })
            }
            (Operator::And | Operator::Or, Sort::Truth)
            | (Operator::And | Operator::Or | Operator::Xor, Sort::Slice(_) | Sort::Word(_)) => {
                self.expect(&operands[1], left, "the second operand")?;
                Ok(left)
            }
            (_, other) => Err(not_for(at, "this", other)),
        }
    }

    /// An error unless the expression has, or can have, the expected sort.
    pub(super) fn expect(
        &mut self,
        expression: &Expression,
        expected: Sort,
        what: &str,
    ) -> Result<(), TextError> {
        let (at, found) = (expression.at(), self.sort(expression)?);
        self.fit(at, what, found, expected)
    }

    pub(super) fn fit(
        &mut self,
        at: At,
        what: &str,
        found: Sort,
        expected: Sort,
    ) -> Result<(), TextError> {
        match (found, expected) {
            (Sort::Slice(a), Sort::Slice(b))
            | (Sort::Word(a), Sort::Word(b))
            | (Sort::Array(a), Sort::Array(b)) => self.unite(at, what, a, b),
            (Sort::Table(rows, columns), Sort::Table(of_rows, of_columns)) => {
                self.unite(at, &format!("a column of {what}"), rows, of_rows)?;
                self.unite(at, &format!("a row of {what}"), columns, of_columns)
            }
            (found, expected) if found == expected => Ok(()),
            (found, expected) => {
                let (found, expected) = (found.name(), expected.name());
                at.wrong(format!("{what} is {found}, and {expected} is expected"))
            }
        }
    }

    /// The value of an integer expression, if it follows from the sizes of the arguments.
    pub(in super::super) fn constant(&self, expression: &Expression) -> Option<i64> {
        match expression {
            Expression::Number(number, _) => Some(i64::from(*number)),
            Expression::Call(Call { name, arguments }) => {
                let [Expression::Variable(table)] = &arguments[..] else { return None };
                let Sort::Table(rows, columns) = self.variable(table).ok()?.sort else {
                    return None;
                };
                let length = match Callable::find(&name.text, 1)?.does {
                    Does::Rows => rows,
                    Does::Columns => columns,
                    _ => return None,
                };
                self.lengths.get(length).map(|length| length as i64)
            }
            Expression::Binary(operator, operands, _) => {
                let [a, b] = &**operands;
                let (a, b) = (self.constant(a)?, self.constant(b)?);
                match operator {
                    Operator::Plus => a.checked_add(b),
                    Operator::Minus => a.checked_sub(b),
                    Operator::Times => a.checked_mul(b),
                    // a table without rows has fields without columns
                    Operator::Div => Some(a.checked_div(b).unwrap_or(0)),
                    _ => None,
                }
            }
            _ => None,
        }
    }
}

fn not_for(at: At, what: &str, sort: Sort) -> TextError {
    TextError::at(at, format!("{what} is not for {}", sort.name()))
}
