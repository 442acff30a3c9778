//! Expressions, those that bind weakest first.

use super::super::TextError;
use super::super::lexer::{Keyword, Sign, Token};
use super::super::syntax::{Call, Expression, Name, Operator};
use super::{MAX_OPERATORS, Parser};
use crate::Relation;

impl Parser {
    /// The arguments of `name`, with `,` or `;` between them.
    pub(super) fn call(&mut self, name: Name) -> Result<Call, TextError> {
        self.sign(Sign::Open)?;
        let mut arguments = Vec::new();
        while !self.takes(Sign::Close) {
            arguments.push(self.expression()?);
            if !self.is(&Token::Sign(Sign::Close)) && !self.takes(Sign::Semicolon) {
                self.sign(Sign::Comma)?;
            }
        }
        Ok(Call { name, arguments })
    }

    /// `T.field(i)`
    fn field(&mut self, table: Name) -> Result<Expression, TextError> {
        self.sign(Sign::Dot)?;
        match self.peek() {
            Token::Name(text) if text.eq_ignore_ascii_case("field") => self.advance(),
            _ => return self.expected("'field'"),
        }
        self.sign(Sign::Open)?;
        let number = self.expression()?;
        self.sign(Sign::Close)?;
        Ok(Expression::Field(table, Box::new(number)))
    }

    /// `or` and `xor` bind weakest, then `and`, comparisons, sums, products, `not`.
    pub(super) fn expression(&mut self) -> Result<Expression, TextError> {
        self.deeper(|parser| {
            parser.binary(Self::conjunction, |token| match token {
                Token::Keyword(Keyword::Or) => Some(Operator::Or),
                Token::Keyword(Keyword::Xor) => Some(Operator::Xor),
                _ => None,
            })
        })
    }

    fn conjunction(&mut self) -> Result<Expression, TextError> {
        let and = Token::Keyword(Keyword::And);
        self.binary(Self::comparison, |token| (*token == and).then_some(Operator::And))
    }

    fn comparison(&mut self) -> Result<Expression, TextError> {
        self.binary(Self::sum, relation)
    }

    fn sum(&mut self) -> Result<Expression, TextError> {
        self.binary(Self::product, |token| match token {
            Token::Sign(Sign::Plus) => Some(Operator::Plus),
            Token::Sign(Sign::Minus) => Some(Operator::Minus),
            _ => None,
        })
    }

    fn product(&mut self) -> Result<Expression, TextError> {
        self.binary(Self::operand, |token| match token {
            Token::Sign(Sign::Times) => Some(Operator::Times),
            Token::Keyword(Keyword::Div) => Some(Operator::Div),
            _ => None,
        })
    }

    /// Operands with one of these operators between each and the next, from left to right.
    fn binary(
        &mut self,
        operand: fn(&mut Self) -> Result<Expression, TextError>,
        operator: impl Fn(&Token) -> Option<Operator>,
    ) -> Result<Expression, TextError> {
        let mut left = operand(self)?;
        while let Some(operator) = operator(self.peek()) {
            let at = self.at();
            self.n_operators += 1;
            if self.n_operators > MAX_OPERATORS {
                return at
                    .wrong(format!("more than {MAX_OPERATORS} operators are in a statement here"));
            }
            self.advance();
            let operands = Box::new([left, operand(self)?]);
            left = Expression::Binary(operator, operands, at);
        }
        Ok(left)
    }

    fn operand(&mut self) -> Result<Expression, TextError> {
        let at = self.at();
        match *self.peek() {
            Token::Number(number) => {
                self.advance();
                Ok(Expression::Number(number, at))
            }
            Token::Keyword(Keyword::None) => {
                self.advance();
                Ok(Expression::None(at))
            }
            Token::Keyword(Keyword::Not) => {
                self.advance();
                let operand = self.deeper(Self::operand)?;
                Ok(Expression::Not(Box::new(operand), at))
            }
            Token::Sign(Sign::Open) => {
                self.advance();
                let inside = self.expression()?;
                self.sign(Sign::Close)?;
                Ok(inside)
            }
            Token::Name(_) => {
                let name = self.name("an operand")?;
                match *self.peek() {
                    Token::Sign(Sign::Open) => self.call(name).map(Expression::Call),
                    Token::Sign(Sign::Dot) => self.field(name),
                    _ => Ok(Expression::Variable(name)),
                }
            }
            _ => self.expected("an operand"),
        }
    }
}

fn relation(token: &Token) -> Option<Operator> {
    let Token::Sign(sign) = token else { return None };
    Some(Operator::Compare(match sign {
        Sign::Equal => Relation::Equal,
        Sign::NotEqual => Relation::NotEqual,
        Sign::Less => Relation::Less,
        Sign::LessOrEqual => Relation::LessOrEqual,
        Sign::Greater => Relation::Greater,
        Sign::GreaterOrEqual => Relation::GreaterOrEqual,
        _ => return None,
    }))
}
