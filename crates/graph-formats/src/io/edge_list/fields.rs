//! Lines and fields of edge lists and tables.
//!
//! A line is a record: a quoted field ends on the line where it begins, so that a file can
//! be cut at any line end.

use std::borrow::Cow;

use super::super::Format;
use super::super::blocks::Text;
use super::super::names::id_of_line;
use super::super::options::{Comment, IdKind};
use super::super::scan::{Fault, Scanner, quoted};
use super::super::weights::Number;
use crate::{GraphError, Name};

/// The delimiter between fields.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in super::super) enum Delimiter {
    /// This byte.
    Byte(u8),
    /// Blanks, with one comma or semicolon at most.
    Blanks,
}

impl Delimiter {
    /// The delimiter of a table, from the line at `scanner`. It is the one of comma, semicolon and
    /// tab that is most frequent outside quotes, but in `.tsv` the tab if there is one. If there is
    /// none of them, blanks delimit.
    pub(super) fn of(format: Format, scanner: &Scanner<'_>) -> Self {
        if !matches!(format, Format::Csv | Format::Tsv) {
            return Self::Blanks;
        }
        let (mut counts, mut in_quotes) = ([0; 3], false);
        for &byte in scanner.clone().until(|byte| byte == b'\n') {
            in_quotes ^= byte == b'"';
            let known = b";,\t".iter().position(|&known| known == byte && !in_quotes);
            if let Some(known) = known {
                counts[known] += 1;
            }
        }
        match counts {
            [_, _, tabs] if format == Format::Tsv && tabs > 0 => Self::Byte(b'\t'),
            [0, 0, 0] => Self::Blanks,
            [semicolons, commas, tabs] if commas >= semicolons.max(tabs) => Self::Byte(b','),
            [semicolons, _, tabs] if semicolons >= tabs => Self::Byte(b';'),
            _ => Self::Byte(b'\t'),
        }
    }

    fn is(self, byte: u8) -> bool {
        self == Self::Byte(byte)
    }
}

/// The bytes that comment lines start with.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Comments([u8; 2]);

impl Comments {
    /// No line is a comment: no line starts with a line feed.
    pub(super) const NONE: Self = Self([b'\n'; 2]);

    pub(super) fn of(format: Format, choice: Comment) -> Self {
        match choice {
            Comment::Mark(mark) => Self([mark; 2]),
            Comment::Auto if !matches!(format, Format::Csv | Format::Tsv) => Self(*b"#%"),
            Comment::Auto | Comment::None => Self::NONE,
        }
    }

    /// Whether a line that starts with this byte is a comment.
    #[inline]
    pub(super) fn start_with(self, first: Option<u8>) -> bool {
        first.is_some_and(|first| self.0.contains(&first))
    }

    /// Steps over comments and empty lines to the start of a line with content.
    #[inline]
    pub(super) fn next_line(self, scanner: &mut Scanner<'_>) -> bool {
        self.next_line_counting(scanner, &mut 0)
    }

    /// As `next_line`; adds the number of comments.
    #[inline]
    pub(super) fn next_line_counting(
        self,
        scanner: &mut Scanner<'_>,
        n_comments: &mut u64,
    ) -> bool {
        loop {
            let mut look = scanner.clone();
            look.blanks();
            match look.peek() {
                Some(b'\n') => look.bump(),
                None => return false,
                first if self.start_with(first) => {
                    look.skip_line();
                    *n_comments += 1;
                }
                Some(_) => return true,
            }
            *scanner = look;
        }
    }

    /// Steps over the comments at the start of a text; returns their number.
    pub(super) fn skip(self, text: &mut Text<'_>) -> Result<u64, GraphError> {
        let mut n_comments = 0;
        while text.line()?.is_some_and(|line| self.start_with(line.peek())) {
            text.skip_line();
            n_comments += 1;
        }
        Ok(n_comments)
    }
}

/// A field, without its quotes and without blanks around it.
pub(super) struct Field<'a> {
    place: Scanner<'a>,
    pub(super) text: Cow<'a, [u8]>,
}

impl<'a> Field<'a> {
    /// A line of a file of ids.
    pub(super) fn of_line(mut line: Scanner<'a>) -> Self {
        let place = line.clone();
        let bytes = line.until(|byte| byte == b'\n');
        let text = match std::str::from_utf8(bytes).map(id_of_line) {
            Ok(Cow::Borrowed(id)) => Cow::Borrowed(id.as_bytes()),
            Ok(Cow::Owned(id)) => Cow::Owned(id.into_bytes()),
            Err(_) => Cow::Borrowed(bytes),
        };
        Self { place, text }
    }

    /// The byte of the file where it starts.
    pub(super) fn at(&self) -> usize {
        self.place.at()
    }

    /// The fault "expected …, found …".
    pub(super) fn expected(&self, what: &str) -> Fault {
        if self.text.is_empty() {
            return self.place.expected(what);
        }
        Fault::new(self.at(), format!("expected {what}, found `{}`", quoted(&self.text)))
    }

    /// The natural number of at most 64 bits that the field spells.
    pub(super) fn natural(&self) -> Option<u64> {
        Name::Word(std::str::from_utf8(&self.text).ok()?).number()
    }

    /// The natural number that the field spells, maybe with leading zeros.
    pub(super) fn padded(&self) -> Option<u64> {
        let is_number = self.text.iter().all(u8::is_ascii_digit);
        std::str::from_utf8(&self.text).ok().filter(|_| is_number)?.parse().ok()
    }

    /// The field as the number of an id; `None` if ids are names.
    pub(super) fn id_number(&self, ids: IdKind) -> Option<u64> {
        match ids {
            IdKind::Auto => self.natural(),
            IdKind::Numbers => self.padded(),
            IdKind::Names => None,
        }
    }

    /// The field as a weight.
    pub(super) fn weight(&self) -> Result<Number, Fault> {
        if self.text.is_empty() {
            return Err(self.expected("a weight"));
        }
        let mut scanner = Scanner::new(&self.text, 0);
        let number = scanner.weight().map_err(|fault| Fault::new(self.at(), fault.message))?;
        if scanner.at_line_end() { Ok(number) } else { Err(self.expected("a weight")) }
    }

    /// The field as a name.
    pub(super) fn name(&self) -> Result<&str, Fault> {
        let name = std::str::from_utf8(&self.text).map_err(|_| self.expected("UTF-8"))?;
        let is_name = !name.is_empty() && !name.contains(char::is_control);
        if is_name { Ok(name) } else { Err(self.expected("a vertex")) }
    }
}

/// The fields from `scanner` to the end of its line; the line end stays.
pub(super) struct Fields<'s, 'a> {
    scanner: &'s mut Scanner<'a>,
    delimiter: Delimiter,
    is_first: bool,
}

impl<'s, 'a> Fields<'s, 'a> {
    pub(super) fn new(scanner: &'s mut Scanner<'a>, delimiter: Delimiter) -> Self {
        Self { scanner, delimiter, is_first: true }
    }

    /// The next field of the line; `None` at its end.
    pub(super) fn next(&mut self) -> Result<Option<Field<'a>>, Fault> {
        let is_first = std::mem::replace(&mut self.is_first, false);
        let Delimiter::Byte(delimiter) = self.delimiter else {
            if self.scanner.at_line_end() {
                return Ok(None);
            }
            if !is_first {
                self.scanner.separator();
            }
            let place = self.scanner.clone();
            if self.scanner.peek() != Some(b'"') {
                return Ok(Some(Field { place, text: Cow::Borrowed(self.scanner.word()) }));
            }
            let text = self.quoted()?;
            let more =
                self.scanner.clone().until(|b| matches!(b, b' ' | b'\t'..=b'\r' | b',' | b';'));
            if !more.is_empty() {
                return Err(self.scanner.expected("the end of the quoted field"));
            }
            return Ok(Some(Field { place, text: Cow::Owned(text.trim_ascii().to_vec()) }));
        };
        if !is_first {
            match self.scanner.peek() {
                Some(byte) if byte == delimiter => self.scanner.bump(),
                _ => return Ok(None),
            }
        }
        self.blanks();
        let place = self.scanner.clone();
        if self.scanner.peek() == Some(b'"') {
            let text = self.quoted()?;
            self.blanks();
            if !matches!(self.scanner.peek(), None | Some(b'\n')) && !self.at_delimiter() {
                return Err(self.scanner.expected("the end of the quoted field"));
            }
            return Ok(Some(Field { place, text: Cow::Owned(text.trim_ascii().to_vec()) }));
        }
        let text = self.scanner.until(|byte| byte == delimiter || byte == b'\n');
        Ok(Some(Field { place, text: Cow::Borrowed(text.trim_ascii()) }))
    }

    /// All fields.
    pub(super) fn collect(mut self) -> Result<Vec<Field<'a>>, Fault> {
        let mut fields = Vec::new();
        while let Some(field) = self.next()? {
            fields.push(field);
        }
        Ok(fields)
    }

    fn at_delimiter(&self) -> bool {
        self.scanner.peek().is_some_and(|byte| self.delimiter.is(byte))
    }

    fn blanks(&mut self) {
        while matches!(self.scanner.peek(), Some(b' ' | b'\t' | b'\r')) && !self.at_delimiter() {
            self.scanner.bump();
        }
    }

    /// A field in quotes, in which two quotes stand for one.
    fn quoted(&mut self) -> Result<Vec<u8>, Fault> {
        let start = self.scanner.at();
        let mut text = Vec::new();
        loop {
            self.scanner.bump();
            text.extend_from_slice(self.scanner.until(|byte| matches!(byte, b'"' | b'\n')));
            if self.scanner.peek() != Some(b'"') {
                let message =
                    "expected the quote that closes this field, found the end of the line";
                return Err(Fault::new(start, message));
            }
            self.scanner.bump();
            if self.scanner.peek() != Some(b'"') {
                return Ok(text);
            }
            text.push(b'"');
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split(line: &str, delimiter: Delimiter) -> Result<Vec<String>, String> {
        let mut scanner = Scanner::new(line.as_bytes(), 0);
        let fields = Fields::new(&mut scanner, delimiter).collect().map_err(|f| f.message)?;
        assert!(scanner.at_line_end(), "{line}");
        Ok(fields.iter().map(|f| String::from_utf8(f.text.to_vec()).unwrap()).collect())
    }

    #[test]
    fn fields_are_split_at_the_delimiter_only() {
        let comma = |line| split(line, Delimiter::Byte(b','));
        assert_eq!(comma("a b, c ,\r\nx").unwrap(), ["a b", "c", ""]);
        assert_eq!(comma(",,").unwrap(), ["", "", ""]);
        assert_eq!(comma(r#" "a,b" ,"say ""so""","" "#).unwrap(), ["a,b", "say \"so\"", ""]);
        assert_eq!(comma("a\"b,c").unwrap(), ["a\"b", "c"]);
        assert!(comma("\"a\nb\",c").unwrap_err().starts_with("expected the quote that closes"));
        assert!(comma("\"a\"b,c").unwrap_err().starts_with("expected the end of the quoted"));
        assert_eq!(split("\ta\t b \t", Delimiter::Byte(b'\t')).unwrap(), ["", "a", "b", ""]);
        assert_eq!(split(" a  b,c ; d ", Delimiter::Blanks).unwrap(), ["a", "b", "c", "d"]);
        assert_eq!(split("\"a b\" \"c\",d", Delimiter::Blanks).unwrap(), ["a b", "c", "d"]);
        assert!(split("\"a\"b c", Delimiter::Blanks).is_err());
    }

    #[test]
    fn the_delimiter_is_what_the_line_has() {
        let of = |format, line: &str| Delimiter::of(format, &Scanner::new(line.as_bytes(), 0));
        assert_eq!(of(Format::Csv, "a;b\tc\n,"), Delimiter::Byte(b';'));
        assert_eq!(of(Format::Csv, "1;2;0,5"), Delimiter::Byte(b';'));
        assert_eq!(of(Format::Csv, "a,b;c"), Delimiter::Byte(b','));
        assert_eq!(of(Format::Csv, "\"a,b\";c"), Delimiter::Byte(b';'));
        assert_eq!(of(Format::Tsv, "a,b,c\td"), Delimiter::Byte(b'\t'));
        assert_eq!(of(Format::Csv, "1 2"), Delimiter::Blanks);
        assert_eq!(of(Format::Txt, "1,2"), Delimiter::Blanks);
    }
}
