//! Bytes to numbers: the scanner under every text format.
//!
//! A scanner counts bytes, not lines: the line number of an error is found afterwards,
//! by counting the line ends before its byte, so that correct files do not pay for it.

use super::weights::Number;
use crate::{GraphError, VertexId};

/// What is wrong, and at which byte of a block.
#[derive(Debug)]
pub(super) struct Fault {
    pub(super) at: usize,
    pub(super) message: String,
}

impl Fault {
    pub(super) fn new(at: usize, message: impl Into<String>) -> Self {
        Self { at, message: message.into() }
    }
}

/// The number of vertices that a header claims at byte `at`, if 32-bit ids can number
/// them.
pub(super) fn vertex_count(n_vertices: u64, at: usize) -> Result<u64, Fault> {
    if n_vertices > u64::from(VertexId::MAX) {
        return Err(Fault::new(at, GraphError::TooManyVertices { n_vertices }.to_string()));
    }
    Ok(n_vertices)
}

/// A place in a text. A method that reads something steps over it.
#[derive(Clone)]
pub(super) struct Scanner<'a> {
    /// The block from its first byte to the end of this scanner's piece.
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Scanner<'a> {
    /// A scanner of `bytes` from byte `at` on.
    pub(super) fn new(bytes: &'a [u8], at: usize) -> Self {
        Self { bytes, at }
    }

    /// Goes to a place that [`Scanner::at`] gave.
    pub(super) fn go_to(&mut self, at: usize) {
        self.at = at;
    }

    /// Takes the bytes before the first for which `stop` holds, or all.
    #[inline]
    pub(super) fn until(&mut self, stop: impl Fn(u8) -> bool) -> &'a [u8] {
        let rest = &self.bytes[self.at..];
        let taken = &rest[..rest.iter().position(|&byte| stop(byte)).unwrap_or(rest.len())];
        self.at += taken.len();
        taken
    }

    /// The same scanner, limited to this line.
    pub(super) fn only_this_line(self) -> Self {
        let rest = &self.bytes[self.at..];
        let end = memchr::memchr(b'\n', rest).map_or(self.bytes.len(), |end| self.at + end + 1);
        Self { bytes: &self.bytes[..end], at: self.at }
    }

    /// The place, in bytes from the start of the block.
    pub(super) fn at(&self) -> usize {
        self.at
    }

    /// How many lines are left.
    pub(super) fn n_lines(&self) -> usize {
        memchr::memchr_iter(b'\n', &self.bytes[self.at..]).count() + 1
    }

    /// How many bytes are left.
    pub(super) fn remaining(&self) -> usize {
        self.bytes.len() - self.at
    }

    /// The next byte.
    #[inline]
    pub(super) fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    /// Steps over one byte.
    #[inline]
    pub(super) fn bump(&mut self) {
        self.at += 1;
    }

    /// Steps over blanks within the line; a carriage return is one.
    #[inline]
    pub(super) fn blanks(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\r')) {
            self.at += 1;
        }
    }

    /// Steps over what may stand between two fields of an edge list: blanks, and one
    /// comma or semicolon at most.
    #[inline]
    pub(super) fn separator(&mut self) {
        self.blanks();
        if matches!(self.peek(), Some(b',' | b';')) {
            self.at += 1;
            self.blanks();
        }
    }

    /// Steps over empty lines and blanks to the first byte of a line with content.
    #[inline]
    pub(super) fn line_start(&mut self) -> Option<u8> {
        loop {
            self.blanks();
            match self.peek() {
                Some(b'\n') => self.at += 1,
                byte => return byte,
            }
        }
    }

    /// Whether only blanks are left on the line.
    #[inline]
    pub(super) fn at_line_end(&mut self) -> bool {
        self.blanks();
        matches!(self.peek(), None | Some(b'\n'))
    }

    /// Skips the rest of this line.
    pub(super) fn skip_line(&mut self) {
        let rest = &self.bytes[self.at..];
        self.at += memchr::memchr(b'\n', rest).map_or(rest.len(), |end| end + 1);
    }

    /// Steps to the next line; only blanks may be left on this one.
    #[inline]
    pub(super) fn end_line(&mut self) -> Result<(), Fault> {
        if !self.at_line_end() {
            return Err(self.expected("the end of the line"));
        }
        self.at = (self.at + 1).min(self.bytes.len());
        Ok(())
    }

    /// The bytes up to the next blank, comma, semicolon or line end.
    pub(super) fn word(&mut self) -> &'a [u8] {
        self.blanks();
        let start = self.at;
        while !self.at_separator() {
            self.at += 1;
        }
        &self.bytes[start..self.at]
    }

    /// The fault "expected …, found …", which quotes the word here.
    pub(super) fn expected(&self, what: &str) -> Fault {
        let mut here = self.clone();
        here.blanks();
        let at = here.at;
        let found = match here.peek() {
            None | Some(b'\n') => "the end of the line".to_owned(),
            Some(byte @ (b',' | b';')) => format!("`{}`", char::from(byte)),
            Some(_) => format!("`{}`", quoted(here.word())),
        };
        Fault::new(at, format!("expected {what}, found {found}"))
    }

    /// A natural number; `what` names it in the error.
    #[inline]
    pub(super) fn natural(&mut self, what: &str) -> Result<u64, Fault> {
        self.blanks();
        let start = self.at;
        self.digits().ok_or_else(|| {
            self.at = start;
            self.expected(what)
        })
    }

    /// A vertex below `n_vertices`, counted from 0; the file counts from `first`.
    #[inline]
    pub(super) fn vertex(&mut self, first: u64, n_vertices: u64) -> Result<VertexId, Fault> {
        self.blanks();
        let start = self.at;
        match self.digits().and_then(|name| name.checked_sub(first)) {
            Some(vertex) if vertex < n_vertices => Ok(vertex as VertexId),
            _ => {
                self.at = start;
                Err(self.expected(&match n_vertices {
                    0 => "no vertex, as the graph has none".to_owned(),
                    n => format!("a vertex from {first} to {}", n - 1 + first),
                }))
            }
        }
    }

    /// A weight: an integer, or a finite real number.
    #[inline]
    pub(super) fn weight(&mut self) -> Result<Number, Fault> {
        self.blanks();
        let start = self.at;
        let negative = self.peek() == Some(b'-');
        if matches!(self.peek(), Some(b'-' | b'+')) {
            self.at += 1;
        }
        if let Some(number) = self.digits().and_then(|size| Number::integer(negative, size)) {
            return Ok(number);
        }
        self.at = start;
        self.real()
    }

    fn real(&mut self) -> Result<Number, Fault> {
        let start = self.clone();
        let word = self.word();
        let value = fast_float2::parse::<f64, _>(word).map_err(|_| start.expected("a weight"))?;
        let unsigned = word.strip_prefix(b"-").or(word.strip_prefix(b"+")).unwrap_or(word);
        if unsigned.iter().all(u8::is_ascii_digit) {
            return Err(start.expected("an integer of at most 64 bits"));
        }
        if !value.is_finite() {
            return Err(start.expected("a finite weight"));
        }
        Ok(Number::Real(value))
    }

    /// Digits that a separator follows; `None` for anything else and beyond 64 bits.
    #[inline]
    fn digits(&mut self) -> Option<u64> {
        let start = self.at;
        let mut value = 0u64;
        while let Some(digit) = self.peek().map(|byte| byte.wrapping_sub(b'0')).filter(|&d| d < 10)
        {
            value = value.wrapping_mul(10).wrapping_add(u64::from(digit));
            self.at += 1;
        }
        if self.at == start || !self.at_separator() {
            return None;
        }
        // 19 digits always fit 64 bits, so the loop above does not check
        if self.at - start <= 19 {
            return Some(value);
        }
        std::str::from_utf8(&self.bytes[start..self.at]).ok()?.parse().ok()
    }

    #[inline]
    fn at_separator(&self) -> bool {
        matches!(self.peek(), None | Some(b' ' | b'\t' | b'\r' | b'\n' | b',' | b';'))
    }
}

/// A word of the file for a message: escaped, and cut if it is long.
pub(super) fn quoted(word: &[u8]) -> String {
    const SHOWN: usize = 40;
    let shown = &word[..word.len().min(SHOWN)];
    let dots = if word.len() > SHOWN { "…" } else { "" };
    format!("{}{dots}", String::from_utf8_lossy(shown).escape_debug())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scanner(text: &str) -> Scanner<'_> {
        Scanner { bytes: text.as_bytes(), at: 0 }
    }

    #[test]
    fn numbers_are_exact_or_refused() {
        let weight = |text| scanner(text).weight().map_err(|fault| fault.message);
        assert_eq!(weight(" 18446744073709551615"), Ok(Number::Natural(u64::MAX)));
        assert_eq!(weight("000000000000000000000000012"), Ok(Number::Natural(12)));
        assert_eq!(weight("-9223372036854775808"), Ok(Number::Negative(i64::MIN)));
        assert_eq!(weight("-0"), Ok(Number::Natural(0)));
        assert_eq!(weight("+.5,"), Ok(Number::Real(0.5)));
        assert_eq!(weight("9.0"), Ok(Number::Real(9.0)));
        for wrong in ["18446744073709551616", "-9223372036854775809"] {
            let message = format!("expected an integer of at most 64 bits, found `{wrong}`");
            assert_eq!(weight(wrong), Err(message));
        }
        for wrong in ["inf", "nan", "-Infinity", "1e400"] {
            assert_eq!(weight(wrong), Err(format!("expected a finite weight, found `{wrong}`")));
        }
        for wrong in ["x", "1x", "-", "1.2.3", "0x10"] {
            assert_eq!(weight(wrong), Err(format!("expected a weight, found `{wrong}`")));
        }
        assert_eq!(weight("\n"), Err("expected a weight, found the end of the line".to_owned()));
    }
}
