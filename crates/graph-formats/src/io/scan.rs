//! Bytes to numbers: the scanner under every text format, and how a file is cut so
//! that its pieces are parsed in parallel.
//!
//! Pieces end at line ends. A scanner counts bytes, not lines: the line number of an
//! error is found afterwards, by counting the line ends before its byte, so that
//! nobody else pays for it.

use std::ops::Range;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

use rayon::prelude::*;

use super::Progress;
use super::weights::Number;
use crate::{GraphError, VertexId};

/// Bytes that one task parses: some ten thousand lines, so that a file of a few
/// megabytes keeps many cores busy and progress is reported in small steps.
const PIECE_BYTES: usize = 256 << 10;

/// Vertices that any file may claim, however small it is: 128 MB of row offsets.
const VERTICES_FREE: u64 = 1 << 24;

/// What is wrong, and at which byte of the file.
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

/// A whole text file.
pub(super) struct Text<'a> {
    pub(super) path: &'a Path,
    pub(super) bytes: &'a [u8],
    pub(super) progress: Progress<'a>,
}

impl<'a> Text<'a> {
    /// A scanner at the first line; a byte order mark before it is skipped.
    pub(super) fn scanner(&self) -> Scanner<'a> {
        let at = if self.bytes.starts_with(b"\xEF\xBB\xBF") { 3 } else { 0 };
        Scanner { bytes: self.bytes, at }
    }

    /// The fault with its file and line.
    pub(super) fn error(&self, fault: Fault) -> GraphError {
        let before = &self.bytes[..fault.at.min(self.bytes.len())];
        let line = memchr::memchr_iter(b'\n', before).count() as u64 + 1;
        GraphError::Syntax { path: self.path.to_path_buf(), line, message: fault.message }
    }

    /// Cuts the file from byte `start` on into pieces of whole lines.
    pub(super) fn pieces(&self, start: usize) -> Vec<Range<usize>> {
        let mut pieces = Vec::new();
        let mut from = start;
        while from < self.bytes.len() {
            let least = (from + PIECE_BYTES).min(self.bytes.len());
            let end = memchr::memchr(b'\n', &self.bytes[least..])
                .map_or(self.bytes.len(), |more| least + more + 1);
            pieces.push(from..end);
            from = end;
        }
        pieces
    }

    /// Parses all pieces in parallel, each with its number; the results come in file
    /// order, and so does the fault that is reported where there are several.
    pub(super) fn parse<T: Send>(
        &self,
        pieces: &[Range<usize>],
        parse: impl Fn(usize, Scanner<'a>) -> Result<T, Fault> + Sync,
    ) -> Result<Vec<T>, GraphError> {
        let total = self.bytes.len() as u64;
        let done = AtomicU64::new(pieces.first().map_or(0, |piece| piece.start as u64));
        let parts: Vec<_> = pieces
            .par_iter()
            .enumerate()
            .map(|(number, piece)| {
                let part =
                    parse(number, Scanner { bytes: &self.bytes[..piece.end], at: piece.start });
                let bytes = piece.len() as u64;
                (self.progress)(done.fetch_add(bytes, Ordering::Relaxed) + bytes, total);
                part
            })
            .collect();
        parts.into_iter().collect::<Result<_, _>>().map_err(|fault| self.error(fault))
    }

    /// Refuses a vertex count out of all proportion to the file, for it would be
    /// allocated. Isolated vertices are legal, so the bound is generous.
    pub(super) fn check_vertices(&self, n_vertices: u64, at: usize) -> Result<usize, Fault> {
        let bytes = self.bytes.len() as u64;
        if n_vertices > u64::from(VertexId::MAX) {
            let error = GraphError::TooManyVertices { n_vertices };
            return Err(Fault::new(at, error.to_string()));
        }
        if n_vertices > bytes.max(VERTICES_FREE) {
            let message =
                format!("{n_vertices} vertices cannot be meant in a file of {bytes} bytes");
            return Err(Fault::new(at, message));
        }
        Ok(n_vertices as usize)
    }

    /// Refuses a header whose count of arcs or entries is not that of the file.
    pub(super) fn check_count(
        &self,
        what: &str,
        claimed: u64,
        found: usize,
        at: usize,
    ) -> Result<(), GraphError> {
        if claimed == found as u64 {
            return Ok(());
        }
        let message = format!("the header promises {claimed} {what}, the file has {found}");
        Err(self.error(Fault::new(at, message)))
    }
}

/// A place in a text; what it takes, it steps over.
#[derive(Clone)]
pub(super) struct Scanner<'a> {
    /// The file from its first byte to the end of this scanner's piece.
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Scanner<'a> {
    /// A scanner of these bytes alone.
    pub(super) fn over(bytes: &'a [u8]) -> Self {
        Self { bytes, at: 0 }
    }

    /// Goes to a place that [`Scanner::at`] gave.
    pub(super) fn go_to(&mut self, at: usize) {
        self.at = at;
    }

    /// Takes the bytes before the first that is to `stop`, or all.
    #[inline]
    pub(super) fn until(&mut self, stop: impl Fn(u8) -> bool) -> &'a [u8] {
        let rest = &self.bytes[self.at..];
        let taken = &rest[..rest.iter().position(|&byte| stop(byte)).unwrap_or(rest.len())];
        self.at += taken.len();
        taken
    }

    /// The place, in bytes from the start of the file.
    pub(super) fn at(&self) -> usize {
        self.at
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

    /// Steps to the next line, whatever is left on this one.
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

    /// "expected this, found that", where that is the word here.
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

    /// A vertex that the file counts from `first`, of `n_vertices`, counted from 0.
    #[inline]
    pub(super) fn vertex(&mut self, first: u64, n_vertices: usize) -> Result<VertexId, Fault> {
        self.blanks();
        let start = self.at;
        match self.digits().and_then(|name| name.checked_sub(first)) {
            Some(vertex) if vertex < n_vertices as u64 => Ok(vertex as VertexId),
            _ => {
                self.at = start;
                Err(self.expected(&match n_vertices as u64 {
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
        // 19 digits always fit 64 bits, so the loop above need not look
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

/// A word of the file fit for a message: printable, and not endless.
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

    #[test]
    fn pieces_are_whole_lines_and_cover_the_file() {
        let bytes = "0 1\n".repeat(300_000).into_bytes();
        let text = Text { path: Path::new("x"), bytes: &bytes, progress: &|_, _| () };
        let pieces = text.pieces(4);
        assert!(pieces.len() > 2);
        assert_eq!((pieces[0].start, pieces.last().unwrap().end), (4, bytes.len()));
        for pair in pieces.windows(2) {
            assert_eq!(pair[0].end, pair[1].start);
            assert_eq!(bytes[pair[0].end - 1], b'\n');
        }
    }
}
