//! Procedures from tokens, by recursive descent: a function for each rule of the grammar.

mod expressions;

use super::lexer::{Keyword, Sign, Token, tokens};
use super::syntax::{Declared, Kind, Name, Place, Proc, Statement, Type};
use super::{At, TextError};

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
        true => At { line: 1, column: 1 }.wrong("a procedure is expected"),
        false => Ok(procs),
    }
}

/// The greatest depth of nested statements and expressions, and the most operators of a statement:
/// each takes stack space.
const MAX_DEPTH: u32 = 200;
const MAX_OPERATORS: u32 = 200;

const TYPES: &str = "a type (integer, slice, word, table or array)";

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
        self.at().wrong(format!("{what} is expected, not {}", self.peek()))
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

    /// `integer`, or `slice`, `word`, `table` and `array` with a size or without one.
    fn type_of(&mut self) -> Result<Type, TextError> {
        const KINDS: [Kind; 5] = [Kind::Integer, Kind::Slice, Kind::Word, Kind::Table, Kind::Array];
        let Token::Name(text) = self.peek() else { return self.expected(TYPES) };
        let kind = KINDS.into_iter().find(|kind| text.eq_ignore_ascii_case(kind.text()));
        let Some(kind) = kind else { return self.expected(TYPES) };
        self.advance();
        let mut size = Vec::new();
        if kind != Kind::Integer && self.takes(Sign::Open) {
            size.push(self.expression()?);
            if self.takes(Sign::Comma) {
                size.push(self.expression()?);
            }
            self.sign(Sign::Close)?;
        }
        Ok(Type { kind, size })
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
            return self.at().wrong(format!(
                "statements and expressions are nested more than {MAX_DEPTH} deep here"
            ));
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
                return at.wrong(format!("a statement is expected, not {found}"));
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
}
