//! Tells the code of a Rust file from its comments and its literals, so that a rule
//! about code does not stumble over a word in a string.
//!
//! This is a scanner, not a parser: it knows comments (nested too), strings (raw and
//! byte strings too), character literals and lifetimes, and nothing else.

/// What a byte of a file is part of.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Code,
    Comment,
    Literal,
}

/// The text with comments and literals blanked out; lines keep their numbers.
pub(crate) fn code_of(text: &str) -> String {
    only(text, Kind::Code)
}

/// The text with everything but comments blanked out; lines keep their numbers.
pub(crate) fn comments_of(text: &str) -> String {
    only(text, Kind::Comment)
}

/// The numbers, from 1, of the lines where `word` stands as a whole identifier.
pub(crate) fn lines_with_word(text: &str, word: &str) -> Vec<usize> {
    let has_word = |line: &str| {
        line.split(|c: char| !(c.is_alphanumeric() || c == '_')).any(|found| found == word)
    };
    text.lines().zip(1..).filter(|(line, _)| has_word(line)).map(|(_, number)| number).collect()
}

fn only(text: &str, wanted: Kind) -> String {
    let keep = |(byte, kind)| if kind == wanted || byte == b'\n' { byte } else { b' ' };
    let bytes = text.bytes().zip(kinds(text.as_bytes())).map(keep).collect();
    String::from_utf8(bytes).expect("kinds change at ASCII bytes only")
}

fn kinds(text: &[u8]) -> Vec<Kind> {
    let mut kinds = Vec::with_capacity(text.len());
    while kinds.len() < text.len() {
        let at = kinds.len();
        let rest = &text[at..];
        let in_word = at > 0 && (text[at - 1].is_ascii_alphanumeric() || text[at - 1] == b'_');
        let (kind, length) = if rest.starts_with(b"//") {
            (Kind::Comment, rest.iter().position(|&b| b == b'\n').unwrap_or(rest.len()))
        } else if rest.starts_with(b"/*") {
            (Kind::Comment, block_comment(rest))
        } else if let Some(length) = raw_string(rest).filter(|_| !in_word) {
            (Kind::Literal, length)
        } else if rest[0] == b'"' {
            (Kind::Literal, quoted(rest, b'"'))
        } else if rest[0] == b'\'' && is_character(rest) {
            (Kind::Literal, quoted(rest, b'\''))
        } else {
            (Kind::Code, 1)
        };
        kinds.resize(at + length, kind);
    }
    kinds
}

/// The length of a comment that may hold others.
fn block_comment(text: &[u8]) -> usize {
    let (mut at, mut depth) = (2, 1);
    while depth > 0 && at < text.len() {
        match &text[at..] {
            [b'/', b'*', ..] => (at, depth) = (at + 2, depth + 1),
            [b'*', b'/', ..] => (at, depth) = (at + 2, depth - 1),
            _ => at += 1,
        }
    }
    at
}

/// The length of a raw string, prefix and all, if one starts here.
fn raw_string(text: &[u8]) -> Option<usize> {
    let prefix = [&b"r"[..], b"br", b"cr"].into_iter().find(|p| text.starts_with(p))?.len();
    let hashes = text[prefix..].iter().take_while(|&&b| b == b'#').count();
    let open = prefix + hashes + 1;
    if text.get(open - 1) != Some(&b'"') {
        return None;
    }
    let mut close = vec![b'"'];
    close.resize(1 + hashes, b'#');
    let body = text[open..].windows(close.len()).position(|window| window == close);
    Some(body.map_or(text.len(), |body| open + body + close.len()))
}

/// The length of a literal between two of these marks, where `\` hides one.
fn quoted(text: &[u8], mark: u8) -> usize {
    let mut at = 1;
    while at < text.len() && text[at] != mark {
        at += if text[at] == b'\\' { 2 } else { 1 };
    }
    (at + 1).min(text.len())
}

/// Whether an apostrophe opens a character and not a lifetime.
fn is_character(text: &[u8]) -> bool {
    let width = match text.get(1) {
        None => return false,
        Some(b'\\') => return true,
        Some(0..=0x7f) => 1,
        Some(0..=0xdf) => 2,
        Some(0..=0xef) => 3,
        Some(_) => 4,
    };
    text.get(1 + width) == Some(&b'\'')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_comments_and_literals_are_told_apart() {
        let text =
            "let a = \"x // \\\" y\"; // word\n/* b /* c */ d */ e<'a>('\"', 'é', r#\"q\"#);\n";
        let code = code_of(text);
        assert_eq!(
            code.split_whitespace().collect::<Vec<_>>(),
            ["let", "a", "=", ";", "e<'a>(", ",", ",", ");"]
        );
        let comments = comments_of(text);
        assert_eq!(
            comments.lines().map(str::trim).collect::<Vec<_>>(),
            ["// word", "/* b /* c */ d */"]
        );
        assert_eq!(code.len(), text.len());
    }

    #[test]
    fn unfinished_literals_end_with_the_file() {
        for text in ["\"abc", "r#\"abc\"", "/* /* */", "'\\", "'", "\"\\"] {
            assert_eq!(code_of(text).len(), text.len(), "{text}");
        }
    }

    #[test]
    fn words_are_whole() {
        assert_eq!(lines_with_word("cust\ncustom\nuse cust::x;\ncust_raw", "cust"), [1, 3]);
    }
}
