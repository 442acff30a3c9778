//! Procedures from tokens, by recursive descent: a function for each rule of the grammar.

use super::lexer::{Keyword, Sign, Token, tokens};
use super::syntax::{Call, Declared, Expression, Name, Operator, Place, Proc, Statement, Type};
use super::{At, TextError};
use crate::Relation;

/// The procedures of a text.
///
/// # Errors
/// The first place where the grammar asks for something else.
pub(super) fn parse(text: &str) -> Result<Vec<Proc>, TextError> {
    let mut parser = Parser { tokens: tokens(text)?, next: 0, depth: 0, n_operators: 0 };
    let mut procs = Vec::new();
    while *parser.peek() != Token::End {
        procs.push(parser.proc()?);
        while parser.takes(Sign::Semicolon) {}
    }
    match procs.is_empty() {
        true => Err(TextError::at(At { line: 1, column: 1 }, "a procedure is expected".to_owned())),
        false => Ok(procs),
    }
}

/// Statements and expressions may be so deep in each other, and so many operators in one
/// statement: recursion needs room for each.
const MAX_DEPTH: u32 = 200;
const MAX_OPERATORS: u32 = 200;

struct Parser {
    tokens: Vec<(Token, At)>,
    next: usize,
    depth: u32,
    /// Operators of the statement until here.
    n_operators: u32,
}

impl Parser {
    fn peek(&self) -> &Token {
        &self.tokens[self.next].0
    }

    fn at(&self) -> At {
        self.tokens[self.next].1
    }

    fn is(&self, token: &Token) -> bool {
        self.peek() == token
    }

    /// Goes past the next token; the last one stays.
    fn advance(&mut self) {
        self.next = (self.next + 1).min(self.tokens.len() - 1);
    }

    fn takes_token(&mut self, token: &Token) -> bool {
        let found = self.is(token);
        if found {
            self.advance();
        }
        found
    }

    fn takes(&mut self, sign: Sign) -> bool {
        self.takes_token(&Token::Sign(sign))
    }

    fn takes_word(&mut self, keyword: Keyword) -> bool {
        self.takes_token(&Token::Keyword(keyword))
    }

    fn expected<T>(&self, what: &str) -> Result<T, TextError> {
        Err(TextError::at(self.at(), format!("{what} is expected, not {}", self.peek())))
    }

    fn sign(&mut self, sign: Sign) -> Result<(), TextError> {
        if self.takes(sign) { Ok(()) } else { self.expected(&Token::Sign(sign).to_string()) }
    }

    fn word(&mut self, keyword: Keyword) -> Result<(), TextError> {
        if self.takes_word(keyword) {
            Ok(())
        } else {
            self.expected(&Token::Keyword(keyword).to_string())
        }
    }

    fn name(&mut self, what: &str) -> Result<Name, TextError> {
        let at = self.at();
        let Token::Name(text) = self.peek() else { return self.expected(what) };
        let text = text.clone();
        self.advance();
        Ok(Name { text, at })
    }

    /// A name that may have hyphens, as those of procedures have.
    fn hyphenated(&mut self) -> Result<Name, TextError> {
        let mut name = self.name("the name of a procedure")?;
        while self.takes(Sign::Minus) {
            name.text = format!("{}-{}", name.text, self.name("the rest of the name")?.text);
        }
        Ok(name)
    }

    /// `proc NAME(parameters); var ..; begin .. end`
    fn proc(&mut self) -> Result<Proc, TextError> {
        self.word(Keyword::Proc)?;
        let name = self.hyphenated()?;
        let mut parameters = Vec::new();
        self.sign(Sign::Open)?;
        while !self.takes(Sign::Close) {
            let is_result = self.takes_word(Keyword::Var);
            self.declaration(is_result, &mut parameters)?;
            if !self.is(&Token::Sign(Sign::Close)) {
                self.sign(Sign::Semicolon)?;
            }
        }
        self.sign(Sign::Semicolon)?;
        let mut variables = Vec::new();
        while self.takes_word(Keyword::Var) {
            while matches!(self.peek(), Token::Name(_)) {
                self.declaration(false, &mut variables)?;
                self.sign(Sign::Semicolon)?;
            }
        }
        self.word(Keyword::Begin)?;
        let body = self.statements(Keyword::End)?;
        Ok(Proc { name, parameters, variables, body })
    }

    /// `X, Y: type`
    fn declaration(&mut self, is_result: bool, to: &mut Vec<Declared>) -> Result<(), TextError> {
        let mut names = vec![self.name("the name of a variable")?];
        while self.takes(Sign::Comma) {
            names.push(self.name("the name of a variable")?);
        }
        self.sign(Sign::Colon)?;
        let of = self.type_of()?;
        to.extend(names.into_iter().map(|name| Declared { name, of: of.clone(), is_result }));
        Ok(())
    }

    fn type_of(&mut self) -> Result<Type, TextError> {
        const TYPES: &str = "a type (integer, slice, word or table)";
        let Token::Name(text) = self.peek() else { return self.expected(TYPES) };
        let with_size = match text.to_ascii_lowercase().as_str() {
            "integer" => {
                self.advance();
                return Ok(Type::Integer);
            }
            "slice" => Type::Slice,
            "word" => Type::Word,
            "table" => Type::Table,
            _ => return self.expected(TYPES),
        };
        self.advance();
        if !self.takes(Sign::Open) {
            return Ok(with_size(None));
        }
        let of = self.name("the name of a table")?;
        self.sign(Sign::Close)?;
        Ok(with_size(Some(of)))
    }

    /// Statements up to the word that ends them, which is taken.
    fn statements(&mut self, end: Keyword) -> Result<Vec<Statement>, TextError> {
        let mut statements = Vec::new();
        loop {
            while self.takes(Sign::Semicolon) {}
            if self.takes_word(end) {
                return Ok(statements);
            }
            self.statement(&mut statements)?;
            if !self.is(&Token::Keyword(end)) && !self.is(&Token::Sign(Sign::Semicolon)) {
                return self.expected(&format!("';' or {}", Token::Keyword(end)));
            }
        }
    }

    /// Goes one deeper.
    fn deeper<T>(
        &mut self,
        rule: impl FnOnce(&mut Self) -> Result<T, TextError>,
    ) -> Result<T, TextError> {
        if self.depth == MAX_DEPTH {
            let text = format!("more than {MAX_DEPTH} things are in each other here");
            return Err(TextError::at(self.at(), text));
        }
        self.depth += 1;
        let found = rule(self);
        self.depth -= 1;
        found
    }

    /// One statement, or those of a block.
    fn body(&mut self) -> Result<Vec<Statement>, TextError> {
        let mut statements = Vec::new();
        if !self.is(&Token::Sign(Sign::Semicolon)) {
            self.statement(&mut statements)?;
        }
        Ok(statements)
    }

    fn statement(&mut self, to: &mut Vec<Statement>) -> Result<(), TextError> {
        self.deeper(|parser| {
            let at = parser.at();
            parser.n_operators = 0;
            match *parser.peek() {
                Token::Keyword(keyword) => {
                    parser.advance();
                    parser.structured(keyword, at, to)
                }
                Token::Name(_) => {
                    let statement = parser.assignment_or_call()?;
                    to.push(statement);
                    Ok(())
                }
                _ => parser.expected("a statement"),
            }
        })
    }

    /// The statement that begins with this word.
    fn structured(
        &mut self,
        keyword: Keyword,
        at: At,
        to: &mut Vec<Statement>,
    ) -> Result<(), TextError> {
        to.push(match keyword {
            Keyword::Begin => {
                to.extend(self.statements(Keyword::End)?);
                return Ok(());
            }
            Keyword::If => {
                let condition = self.expression()?;
                self.word(Keyword::Then)?;
                let then = self.body()?;
                let otherwise = match self.takes_word(Keyword::Else) {
                    true => self.body()?,
                    false => Vec::new(),
                };
                Statement::If { condition, then, otherwise }
            }
            Keyword::While => {
                let condition = self.expression()?;
                self.word(Keyword::Do)?;
                Statement::While { condition, body: self.body()? }
            }
            Keyword::For => {
                let variable = self.name("the variable of the loop")?;
                if !self.takes(Sign::Equal) {
                    self.sign(Sign::Assign)?;
                }
                let first = self.expression()?;
                let back = self.takes_word(Keyword::Downto);
                if !back {
                    self.word(Keyword::To)?;
                }
                let last = self.expression()?;
                self.word(Keyword::Do)?;
                Statement::For { variable, first, last, back, body: self.body()? }
            }
            Keyword::Repeat => {
                let body = self.statements(Keyword::Until)?;
                Statement::Repeat { body, until: self.expression()? }
            }
            Keyword::Exit => Statement::Exit(at),
            _ => {
                let found = Token::Keyword(keyword);
                return Err(TextError::at(at, format!("a statement is expected, not {found}")));
            }
        });
        Ok(())
    }

    fn assignment_or_call(&mut self) -> Result<Statement, TextError> {
        // a hyphen there is of a procedure's name: nothing else may follow
        let name = self.hyphenated()?;
        let place = match self.is(&Token::Sign(Sign::Open)) {
            true => Place::Part(self.call(name)?),
            false => Place::Variable(name),
        };
        // the papers have both
        if self.takes(Sign::Assign) || self.takes(Sign::Equal) {
            return Ok(Statement::Assign { place, value: self.expression()? });
        }
        match place {
            Place::Part(call) => Ok(Statement::Call(call)),
            Place::Variable(_) => self.expected("':=' or '('"),
        }
    }

    /// The arguments of `name`, with `,` or `;` between them.
    fn call(&mut self, name: Name) -> Result<Call, TextError> {
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

    /// `or` and `xor` bind weakest, then `and`, comparisons, sums, `not`.
    fn expression(&mut self) -> Result<Expression, TextError> {
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
        self.binary(Self::operand, |token| match token {
            Token::Sign(Sign::Plus) => Some(Operator::Plus),
            Token::Sign(Sign::Minus) => Some(Operator::Minus),
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
                let text = format!("more than {MAX_OPERATORS} operators are in a statement here");
                return Err(TextError::at(at, text));
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
                match self.is(&Token::Sign(Sign::Open)) {
                    true => self.call(name).map(Expression::Call),
                    false => Ok(Expression::Variable(name)),
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
