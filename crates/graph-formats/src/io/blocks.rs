//! A text in blocks of whole lines, so that a file of any size takes little memory while it is
//! read. One block is parsed, in parallel pieces, while the next one is read and decompressed.
//!
//! A block is longer only if a single line is. A place in a text is a byte of a block. An error may
//! outlive its block, so it has a line number, found by counting line ends: those of each block
//! once, and those before the place in its block.

use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};

use super::error::malformed;
use super::scan::{Fault, Scanner};
use super::source::{Source, refuse_utf16};
use crate::{GraphError, VertexId, parallel};

/// Bytes of a block: some hundred pieces, to keep many cores busy.
pub(super) const BLOCK_BYTES: usize = 16 << 20;

/// Bytes per task of the parser: some ten thousand lines.
const PIECE_BYTES: usize = 128 << 10;

/// The longest line that is read, in bytes, approximately. The line of an arc or a vertex is far
/// shorter.
const MAX_LINE_BYTES: usize = BLOCK_BYTES;

/// The most bytes that are searched for the first lines with content.
const MAX_HEAD_BYTES: usize = 16 * BLOCK_BYTES;

/// Vertices that the header of any file may claim, however small it is: 128 MB of row offsets.
const ALWAYS_ALLOWED_VERTICES: u64 = 1 << 24;

/// A text file that is read once, from its first line to its last.
pub(super) struct Text<'a> {
    lines: Lines<'a>,
    block: Block,
}

impl<'a> Text<'a> {
    /// A text that comes in blocks of about `block_bytes`; a byte order mark before it
    /// is skipped.
    ///
    /// # Errors
    /// When the first block cannot be read.
    pub(super) fn new(source: Source<'a>, block_bytes: usize) -> Result<Self, GraphError> {
        let path = source.path().to_path_buf();
        let longest = MAX_LINE_BYTES;
        let rest = Vec::new();
        let mut lines = Lines { source, rest, block_bytes, longest, ended: false, n_bytes: 0 };
        let mut bytes = Vec::new();
        while bytes.len() < 4 && !lines.ended {
            lines.fill_after(&mut bytes)?;
        }
        refuse_utf16(&path, &bytes)?;
        let at = if bytes.starts_with(b"\xEF\xBB\xBF") { 3 } else { 0 };
        Ok(Self { lines, block: Block { path, bytes, at, lines_before: 0 } })
    }

    /// The file, as errors name it.
    pub(super) fn path(&self) -> &Path {
        &self.block.path
    }

    /// From here on lines may have `longest` bytes, approximately.
    pub(super) fn allow_lines_of(&mut self, longest: usize) {
        self.lines.longest = longest;
    }

    /// The next line that is not blank, from its first byte that is not blank; `None` at the end of
    /// the text. It remains the next line until it is skipped.
    ///
    /// # Errors
    /// When the file cannot be read further.
    pub(super) fn line(&mut self) -> Result<Option<Scanner<'_>>, GraphError> {
        loop {
            let mut scanner = self.block.rest();
            scanner.blanks();
            match scanner.peek() {
                Some(b'\n') => self.block.at = scanner.at() + 1,
                Some(_) => break,
                None if self.next_block()? => {}
                None => return Ok(None),
            }
        }
        let mut line = self.here();
        line.blanks();
        Ok(Some(line))
    }

    /// A scanner at the next line. It has lines for which `enough` holds, or all that are left.
    ///
    /// # Errors
    /// When the file cannot be read further, or too much of it would have to be.
    pub(super) fn look_ahead(
        &mut self,
        enough: impl Fn(Scanner<'_>) -> bool,
    ) -> Result<Scanner<'_>, GraphError> {
        while !self.lines.ended && !enough(self.block.rest()) {
            if self.block.bytes.len() > MAX_HEAD_BYTES {
                let message = format!("the first {MAX_HEAD_BYTES} bytes have too little content");
                return Err(malformed(self.path(), message));
            }
            // doubled, so that a long search takes linear time
            let wanted = 2 * self.block.bytes.len();
            while !self.lines.ended && self.block.bytes.len() <= wanted {
                self.lines.fill_after(&mut self.block.bytes)?;
            }
        }
        Ok(self.block.rest())
    }

    /// Goes to a place from [`Text::look_ahead`]; returns the lines before it as a block.
    pub(super) fn split_off(&mut self, at: usize) -> Block {
        let Block { path, bytes, at: start, .. } = &self.block;
        let (path, bytes, lines_before) =
            (path.clone(), bytes[*start..at].to_vec(), self.line_number() - 1);
        self.block.at = at;
        Block { path, bytes, at: 0, lines_before }
    }

    /// The rest of the line; empty at the end of the text.
    pub(super) fn here(&self) -> Scanner<'_> {
        self.block.rest().only_this_line()
    }

    /// Skips the rest of the line.
    pub(super) fn skip_line(&mut self) {
        let mut scanner = self.block.rest();
        scanner.skip_line();
        self.block.at = scanner.at();
    }

    /// The number of the next line, from 1.
    pub(super) fn line_number(&self) -> u64 {
        self.block.first_line()
    }

    /// The fault in the line that [`Text::line`] returned last, with its file and line.
    pub(super) fn error(&self, fault: Fault) -> GraphError {
        self.block.error(fault)
    }

    /// An error in a line of this or an earlier block.
    pub(super) fn error_at(&self, line: u64, message: impl Into<String>) -> GraphError {
        GraphError::Syntax { path: self.block.path.clone(), line, message: message.into() }
    }

    /// Visits the rest of the text block by block; the next block is read meanwhile.
    ///
    /// # Errors
    /// The first of `visit`, or when the file cannot be read further.
    pub(super) fn for_each_block(
        &mut self,
        mut visit: impl FnMut(&Block) -> Result<(), GraphError> + Send,
    ) -> Result<(), GraphError> {
        let mut next = Vec::new();
        loop {
            let (lines, block) = (&mut self.lines, &self.block);
            let (visited, filled) = rayon::join(|| visit(block), || lines.fill(&mut next));
            visited?;
            filled?;
            if next.is_empty() {
                self.block.at = self.block.bytes.len();
                return Ok(());
            }
            self.block.follow_with(&mut next);
        }
    }

    /// Replaces the block by the next one; returns whether there is one.
    fn next_block(&mut self) -> Result<bool, GraphError> {
        let mut next = Vec::new();
        self.lines.fill(&mut next)?;
        let found = !next.is_empty();
        if found {
            self.block.follow_with(&mut next);
        }
        Ok(found)
    }

    /// Refuses a vertex count that a header on `line` claims and that is out of proportion to the
    /// text, because arrays of this size would be allocated. All of the text must have been read.
    /// Isolated vertices are legal, so the bound is generous.
    pub(super) fn check_vertices(&self, n_vertices: u64, line: u64) -> Result<usize, GraphError> {
        let bytes = self.lines.n_bytes;
        if n_vertices > u64::from(VertexId::MAX) {
            return Err(self.error_at(line, GraphError::TooManyVertices { n_vertices }.to_string()));
        }
        if n_vertices > bytes.max(ALWAYS_ALLOWED_VERTICES) {
            let message = format!(
                "the header promises {n_vertices} vertices, which a file of {bytes} bytes \
                         cannot hold"
            );
            return Err(self.error_at(line, message));
        }
        Ok(n_vertices as usize)
    }

    /// Refuses a header on `line` whose count of arcs or entries is not that of the
    /// file.
    pub(super) fn check_count(
        &self,
        what: &str,
        claimed: u64,
        found: u64,
        line: u64,
    ) -> Result<(), GraphError> {
        if claimed == found {
            return Ok(());
        }
        let message = format!("the header promises {claimed} {what}, the file has {found}");
        Err(self.error_at(line, message))
    }
}

/// The lines that have not been read.
struct Lines<'a> {
    source: Source<'a>,
    /// The start of a line whose end was not in the last block.
    rest: Vec<u8>,
    block_bytes: usize,
    /// Bytes that a line may have, up to `block_bytes` more.
    longest: usize,
    ended: bool,
    /// Bytes read so far.
    n_bytes: u64,
}

impl Lines<'_> {
    /// Appends the next whole lines to `block`.
    fn fill_after(&mut self, block: &mut Vec<u8>) -> Result<(), GraphError> {
        let mut more = Vec::new();
        self.fill(&mut more)?;
        if block.is_empty() {
            *block = more;
        } else {
            self.reserve(block, more.len())?;
            block.append(&mut more);
        }
        Ok(())
    }

    /// Makes room for `more` bytes.
    fn reserve(&self, bytes: &mut Vec<u8>, more: usize) -> Result<(), GraphError> {
        let refused = |_| self.source.error(io::ErrorKind::OutOfMemory.into());
        bytes.try_reserve(more).map_err(refused)
    }

    /// Fills `block` with the next whole lines; it is empty at the end of the text.
    fn fill(&mut self, block: &mut Vec<u8>) -> Result<(), GraphError> {
        block.clear();
        block.append(&mut self.rest);
        while !self.ended {
            let start = block.len();
            let n_read = self.source.read(block, self.block_bytes.max(1))?;
            self.n_bytes += n_read as u64;
            self.ended = n_read < self.block_bytes.max(1);
            if self.ended {
                break;
            }
            if let Some(end) = memchr::memrchr(b'\n', &block[start..]) {
                let mut rest = std::mem::take(&mut self.rest);
                self.reserve(&mut rest, block.len() - start - end - 1)?;
                rest.extend_from_slice(&block[start + end + 1..]);
                self.rest = rest;
                block.truncate(start + end + 1);
                break;
            }
            if block.len() > self.longest {
                let message = format!(
                    "a line is longer than {} bytes; expected one entry a line",
                    self.longest
                );
                return Err(malformed(self.source.path(), message));
            }
        }
        Ok(())
    }
}

/// Some lines of a text.
pub(super) struct Block {
    path: PathBuf,
    bytes: Vec<u8>,
    /// The bytes before it have been read.
    at: usize,
    /// Lines of the text before the block.
    lines_before: u64,
}

impl Block {
    /// A scanner at the next line.
    fn rest(&self) -> Scanner<'_> {
        Scanner::new(&self.bytes, self.at)
    }

    /// Goes on to the block `next`, which gets the memory of this one.
    fn follow_with(&mut self, next: &mut Vec<u8>) {
        self.lines_before += memchr::memchr_iter(b'\n', &self.bytes).count() as u64;
        std::mem::swap(&mut self.bytes, next);
        self.at = 0;
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// How many lines are left.
    pub(super) fn n_lines(&self) -> u64 {
        let rest = &self.bytes[self.at..];
        let unfinished = rest.last().is_some_and(|&byte| byte != b'\n');
        memchr::memchr_iter(b'\n', rest).count() as u64 + u64::from(unfinished)
    }

    /// The number of the next line, from 1.
    pub(super) fn first_line(&self) -> u64 {
        self.line_of(self.at)
    }

    /// The number, from 1, of the line with byte `at`.
    pub(super) fn line_of(&self, at: usize) -> u64 {
        let before = &self.bytes[..at.min(self.bytes.len())];
        self.lines_before + memchr::memchr_iter(b'\n', before).count() as u64 + 1
    }

    /// The fault with its file and line.
    pub(super) fn error(&self, fault: Fault) -> GraphError {
        let line = self.line_of(fault.at);
        GraphError::Syntax { path: self.path.clone(), line, message: fault.message }
    }

    /// Parses pieces of whole lines in parallel, each with its number; the results are in the order
    /// of the text. Of several faults the first in the text is reported.
    pub(super) fn parse<'b, T: Send>(
        &'b self,
        parse: impl Fn(usize, Scanner<'b>) -> Result<T, Fault> + Sync,
    ) -> Result<Vec<T>, GraphError> {
        let pieces = self.pieces();
        let parts = parallel::map(pieces.len(), &|number| {
            let piece = &pieces[number];
            parse(number, Scanner::new(&self.bytes[..piece.end], piece.start))
        });
        let parts: Result<_, _> = parts.into_iter().collect();
        parts.map_err(|fault| self.error(fault))
    }

    fn pieces(&self) -> Vec<Range<usize>> {
        let mut pieces = Vec::new();
        let mut from = self.at;
        while from < self.bytes.len() {
            let least = (from + PIECE_BYTES).min(self.bytes.len());
            let end = memchr::memchr(b'\n', &self.bytes[least..])
                .map_or(self.bytes.len(), |more| least + more + 1);
            pieces.push(from..end);
            from = end;
        }
        pieces
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::io::{Format, ReadOptions, decode};

    /// The graph or the error of a text that is read in blocks of `block_bytes`.
    fn read(format: Format, text: &[u8], block_bytes: usize) -> Result<String, String> {
        let source = Source::memory(text);
        let graph = decode(format, &ReadOptions::default(), source, block_bytes);
        graph.map(|graph| format!("{graph:?}")).map_err(|error| error.to_string())
    }

    #[test]
    fn blocks_of_any_size_give_the_same_graph_and_the_same_error() {
        use Format::{Csv, El, Gr, Graph, Matrix, Mtx, Net, Wel};
        let texts: &[(Format, &str)] = &[
            (Gr, "c a\n\np sp 3 3\nc b\na 1 2 5\n\na 2 3 -7\r\na 3 3 4294967296\n"),
            (Gr, "\u{FEFF}a 0 5 1.5\na 70000 2 3"),
            (Gr, "p sp 3 2\na 1 2 3\nc\n\na 1 4 3\na x\n"),
            (Gr, "p sp 3 3\na 1 2 3\na 1 2 3\n"),
            (Gr, "p sp 2 2\na 1 2 18446744073709551615\n\na 2 1 -1\na 2 1 -1\n"),
            (
                Mtx,
                "%%MatrixMarket matrix coordinate real symmetric\n% x\n3 3 2\n2 1 5\n% y\n3 1 2\n",
            ),
            (Mtx, "%%MatrixMarket matrix coordinate integer general\n2 2 2\n1 2 5\n\n2 1 .5\n"),
            (Mtx, "%%MatrixMarket matrix coordinate pattern general\n% only\n"),
            (
                Mtx,
                "%%MatrixMarket matrix coordinate pattern symmetric\n3 3 3\n2 1\n% x\n\n3 1\n1 2",
            ),
            (Graph, "% x\n4 3\n2 3\n% y\n\u{25}z\n1 4\n1\n2\n\n\n"),
            (Graph, "% x\n4 3\n2 3\n% y\n% z\n1 4\n\n2\n"),
            (Graph, "2 1\n2\n% \n1\n1\n"),
            (El, "# a\n0 1\n\n1 2\n# b\n2 99999999999\n5 0"),
            (El, "1 2\n# b\n1 2 3\n"),
            (Wel, "0 1 .5\n2 1 3\n1 2 x\n"),
            (Csv, "from,to,w\n0,1,5\n1,2,-6\n"),
            (Gr, "c x\np edge 3 2\ne 1 2\nn 1 9\ne 2 3\n"),
            (Gr, "p col 3 2\ne 1 2\ne 2 4\n"),
            (
                Net,
                "% x\n*Vertices 3\n1 \"b c\"\n2 a 0.5\n3 \"d\"\n*Arcs\n1 2 7\n*edges\n2 3 .5 c Red",
            ),
            (Net, "*Vertices 3\n*Arcslist\n1 2 3\n*Edgeslist\n2 3\n\n*Arcs\n3 1\n"),
            (Net, "*Vertices 3\n1 a\n2 a\n*Arcs\n3 1\n"),
            (Net, "*Vertices 3\n1 a\n2 b\n*Matrix\n0 1 2\n"),
            (Matrix, "# x\n0 5 0\n1 0 .5\n\n0 7 0\n"),
            (Matrix, "\tb\ta\nb\t\t-5\na\t3\t\n"),
            (Matrix, "\t\t\n1\t\t\n\t\t\n"),
            (Matrix, "1,2\n3,x\n"),
            (Matrix, "1,2\n3\n"),
            (Matrix, "1,2\n# y\n3,4\n\n5,6\n"),
            (Matrix, "1,2\n"),
            (El, "# nothing\n\n"),
            (El, ""),
        ];
        for (format, text) in texts {
            let whole = read(*format, text.as_bytes(), BLOCK_BYTES);
            for block_bytes in 1..=text.len() + 1 {
                let found = read(*format, text.as_bytes(), block_bytes);
                assert_eq!(found, whole, "{text:?} in blocks of {block_bytes}");
            }
        }
    }

    #[test]
    fn blocks_and_pieces_are_whole_lines_and_cover_the_text() {
        let bytes: Vec<u8> = (0..300_000).flat_map(|i| format!("{i}\n").into_bytes()).collect();
        let mut text = Text::new(Source::memory(&bytes), 1 << 20).unwrap();
        assert_eq!(text.line().unwrap().map(|mut line| line.word()), Some(&b"0"[..]));
        text.skip_line();
        let (mut next, mut n_blocks) = (1, 0);
        text.for_each_block(|block| {
            n_blocks += 1;
            assert_eq!(block.first_line(), next + 1);
            assert!(block.pieces().len() > 1);
            for numbers in block.parse(|_, mut piece| {
                let mut numbers = Vec::new();
                while piece.line_start().is_some() {
                    numbers.push(piece.natural("a number")?);
                }
                Ok(numbers)
            })? {
                assert!(numbers.iter().copied().eq(next..next + numbers.len() as u64));
                next += numbers.len() as u64;
            }
            Ok(())
        })
        .unwrap();
        assert_eq!((next, n_blocks), (300_000, 2));
    }
}
