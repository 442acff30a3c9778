//! The text of a program as words and signs, each with its place.
//!
//! As the papers print: keywords in any case; `/* */`, `{ }` and `(* *)` around comments; `: =`
//! for `:=`; and before each line its number, if the text begins with 1.

use std::fmt;

use super::{At, TextError};

/// A word or a sign.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Token {
    /// A name, as it stands there.
    Name(String),
    Number(u32),
    Keyword(Keyword),
    Sign(Sign),
    End,
}

macro_rules! spelled {
    ($(#[$doc:meta])* $type:ident: $($name:ident = $text:literal,)*) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(super) enum $type {
            $($name,)*
        }

        impl $type {
            const ALL: &[(Self, &str)] = &[$((Self::$name, $text),)*];

            fn text(self) -> &'static str {
                match self {
                    $(Self::$name => $text,)*
                }
            }
        }
    };
}

spelled! {
    /// A word that is no name.
    Keyword:
    Proc = "proc", Var = "var", Begin = "begin", End = "end", If = "if", Then = "then",
    Else = "else", While = "while", Do = "do", For = "for", To = "to", Downto = "downto",
    Repeat = "repeat", Until = "until", Exit = "exit", And = "and", Or = "or", Xor = "xor",
    Not = "not", Div = "div", None = "none",
}

spelled! {
    /// A sign, those of two characters first.
    Sign:
    Assign = ":=", LessOrEqual = "<=", GreaterOrEqual = ">=", NotEqual = "<>", Less = "<",
    Greater = ">", Equal = "=", Colon = ":", Semicolon = ";", Comma = ",", Dot = ".", Open = "(",
    Close = ")", Plus = "+", Minus = "-", Times = "*",
}

impl fmt::Display for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Name(name) => write!(f, "'{name}'"),
            Self::Number(number) => write!(f, "{number}"),
            Self::Keyword(keyword) => write!(f, "'{}'", keyword.text()),
            Self::Sign(sign) => write!(f, "'{}'", sign.text()),
            Self::End => f.write_str("the end of the text"),
        }
    }
}

/// All tokens, with [`Token::End`] as the last.
///
/// # Errors
/// What is no token, a number beyond 32 bits, or a comment without an end.
pub(super) fn tokens(text: &str) -> Result<Vec<(Token, At)>, TextError> {
    let mut lexer = Lexer { rest: text, at: At { line: 1, column: 1 } };
    let mut found: Vec<(Token, At)> = Vec::new();
    let mut is_numbered = false;
    loop {
        lexer.skip_blanks()?;
        let at = lexer.at;
        let token = lexer.next()?;
        let starts_line = found.last().is_none_or(|(_, before)| before.line < at.line);
        if let (Token::Number(number), true) = (&token, starts_line) {
            is_numbered |= found.is_empty() && *number == 1;
            if is_numbered {
                // the line may have nothing else
                found.push((Token::Number(*number), at));
                continue;
            }
        }
        let is_end = token == Token::End;
        found.push((token, at));
        if is_end {
            break;
        }
    }
    if is_numbered {
        let mut line = 0;
        found.retain(|(token, at)| {
            let is_first = at.line > line;
            line = at.line;
            !(is_first && matches!(token, Token::Number(_)))
        });
    }
    Ok(found)
}

struct Lexer<'a> {
    rest: &'a str,
    at: At,
}

impl Lexer<'_> {
    fn take(&mut self, n_bytes: usize) -> &str {
        let (taken, rest) = self.rest.split_at(n_bytes);
        for character in taken.chars() {
            match character {
                '\n' => self.at = At { line: self.at.line + 1, column: 1 },
                _ => self.at.column += 1,
            }
        }
        self.rest = rest;
        taken
    }

    fn skip_blanks(&mut self) -> Result<(), TextError> {
        loop {
            let blanks = self.rest.len() - self.rest.trim_start().len();
            self.take(blanks);
            let comments = [("/*", "*/"), ("(*", "*)"), ("{", "}"), ("//", "\n")];
            let Some((open, close)) = comments.iter().find(|(open, _)| self.rest.starts_with(open))
            else {
                return Ok(());
            };
            let end = match self.rest[open.len()..].find(close) {
                Some(end) => open.len() + end + close.len(),
                None if *close == "\n" => self.rest.len(),
                None => {
                    return self.at.wrong(format!("this comment has no '{close}'"));
                }
            };
            self.take(end);
        }
    }

    fn next(&mut self) -> Result<Token, TextError> {
        let length = |is: fn(char) -> bool| self.rest.find(|c| !is(c)).unwrap_or(self.rest.len());
        let Some(first) = self.rest.chars().next() else { return Ok(Token::End) };
        if first.is_ascii_digit() {
            let (n_bytes, at) = (length(|c| c.is_ascii_digit()), self.at);
            let number = self.take(n_bytes).parse();
            return number
                .map(Token::Number)
                .map_err(|_| TextError::at(at, "numbers are below 2^32"));
        }
        if first.is_alphabetic() || first == '_' {
            let n_bytes = length(|c| c.is_alphanumeric() || c == '_');
            let word = self.take(n_bytes);
            let keyword = Keyword::ALL.iter().find(|(_, text)| word.eq_ignore_ascii_case(text));
            return Ok(match keyword {
                Some((keyword, _)) => Token::Keyword(*keyword),
                None => Token::Name(word.to_owned()),
            });
        }
        if first == ':' {
            let after = self.rest[1..].trim_start();
            if after.starts_with('=') {
                self.take(self.rest.len() - after.len() + 1);
                return Ok(Token::Sign(Sign::Assign));
            }
        }
        match Sign::ALL.iter().find(|(_, text)| self.rest.starts_with(text)) {
            Some((sign, text)) => {
                self.take(text.len());
                Ok(Token::Sign(*sign))
            }
            None => self.at.wrong(format!("'{first}' means nothing here")),
        }
    }
}
