//! A sentence of a document or a comment is short enough to be read once.
//!
//! A sentence ends at `.`, `!` or `?` before a word that can open another. It also ends at a blank
//! line, a heading, a list item, another indent, a table's cell and a code block. Code blocks are
//! not read. A colon or a semicolon ends no sentence. Code in backticks is one word, and the target
//! of a link is none.

use super::{Finding, Rule};
use crate::source::comments_of;
use crate::workspace::Workspace;

/// The longest sentence, in words.
const MAX_WORDS: usize = 35;

/// Folders and files that the rule does not look at: raw results, which are kept as they were
/// written, and a help text that tests compare.
const EXEMPT: [&str; 2] = ["docs/results/", "crates/starpath/src/cli/graph.rs"];

pub(super) const RULE: Rule =
    Rule { name: "sentences", promise: "a sentence has at most 35 words", check };

fn check(workspace: &Workspace) -> Vec<Finding> {
    let is_read = |path: &str| !EXEMPT.iter().any(|exempt| path.starts_with(exempt));
    let is_source = |path: &str| [".rs", ".cu", ".cuh"].iter().any(|end| path.ends_with(end));
    let mut findings = Vec::new();
    for file in workspace.files.iter().filter(|file| is_read(&file.path)) {
        let comments = if is_source(&file.path) { comments_of(&file.text) } else { String::new() };
        let sentences = sentences(&lines(&file.path, &file.text, &comments));
        for sentence in sentences.iter().filter(|it| it.n_words > MAX_WORDS) {
            let message = format!("a sentence of {} words: cut it", sentence.n_words);
            findings.push(Finding::new(&file.path, sentence.line, message));
        }
    }
    findings
}

/// A line of prose.
struct Line<'a> {
    number: usize,
    /// What stands before the prose: `//` or `///`, for instance. Where it changes, a block ends.
    marker: &'a str,
    text: &'a str,
}

/// The lines of prose: all of a document, the comments of a source file, nothing of other files.
fn lines<'a>(path: &str, text: &'a str, comments: &str) -> Vec<Line<'a>> {
    let numbered = text.lines().zip(1..);
    if path.ends_with(".md") {
        return numbered.map(|(text, number)| Line { number, marker: "", text }).collect();
    }
    let of_line = |((line, number), comment): ((&'a str, usize), &str)| {
        let start = comment.len() - comment.trim_start().len();
        let prose = line[start..].trim_start_matches(['/', '!']);
        let marker = line[..line.len() - prose.len()].trim_start();
        Line { number, marker, text: prose }
    };
    numbered.zip(comments.lines()).map(of_line).collect()
}

struct Sentence {
    line: usize,
    n_words: usize,
}

fn sentences(lines: &[Line<'_>]) -> Vec<Sentence> {
    let mut found = Vec::new();
    let mut open = Open::default();
    let (mut marker, mut indent, mut code) = ("", 0, Code::None);
    for line in lines {
        let text = line.text.trim();
        let width = line.text.len() - line.text.trim_start().len() + item_width(text);
        let is_break = text.is_empty() || text.starts_with(['#', '-']) || item_width(text) > 0;
        if is_break || marker != line.marker || indent != width {
            open.close(&mut found);
        }
        code = match code {
            Code::Fence if text.starts_with("```") && marker == line.marker => Code::Over,
            Code::Fence if marker == line.marker => Code::Fence,
            _ if text.starts_with("```") => Code::Fence,
            Code::Session if !text.is_empty() => Code::Session,
            _ if text.starts_with(">>> ") => Code::Session,
            _ => Code::None,
        };
        (marker, indent) = (line.marker, width);
        if code != Code::None {
            open.close(&mut found);
            continue;
        }
        let is_row = text.starts_with('|');
        for part in text.split(|c| is_row && c == '|') {
            if is_row {
                open.close(&mut found);
            }
            part.split_whitespace().for_each(|word| open.push(word, line.number, &mut found));
        }
        if is_row || text.starts_with('#') {
            open.close(&mut found);
        }
    }
    open.close(&mut found);
    found
}

/// Whether a line is in a code block.
#[derive(PartialEq)]
enum Code {
    None,
    /// Between two lines of backticks.
    Fence,
    /// The second of these lines.
    Over,
    /// A session of Python, up to the next blank line.
    Session,
}

/// The bytes of a list item before its text, 0 if the line opens none.
fn item_width(text: &str) -> usize {
    let number = text.trim_start_matches(|c: char| c.is_ascii_digit());
    let is_numbered = number.starts_with(". ") || number.starts_with(") ");
    match text.len() - number.len() {
        0 if ["- ", "* ", "+ "].iter().any(|mark| text.starts_with(mark)) => 2,
        n_digits if n_digits > 0 && is_numbered => n_digits + 2,
        _ => 0,
    }
}

/// A sentence that is being read.
#[derive(Default)]
struct Open {
    line: usize,
    n_words: usize,
    /// Whether the last word was in backticks that are not closed yet.
    in_code: bool,
    /// Whether the last word ended with a full stop or its like.
    is_ended: bool,
}

impl Open {
    fn push(&mut self, word: &str, line: usize, found: &mut Vec<Sentence>) {
        // A link's target has no spaces: `[text](target).` counts as `[text].`
        let word = word.split_once("](").map_or(word.into(), |(text, rest)| {
            format!("{text}{}", rest.split_once(')').map_or("", |(_, rest)| rest))
        });
        if !self.in_code {
            let is_start = |c: char| c.is_uppercase() || "`*_[(\"\u{201c}".contains(c);
            if self.is_ended && word.starts_with(is_start) {
                self.close(found);
            }
            if self.n_words == 0 {
                self.line = line;
            }
            self.n_words += usize::from(word.contains(|c: char| c.is_alphanumeric() || c == '`'));
        }
        self.in_code ^= word.matches('`').count() % 2 == 1;
        let bare = word.trim_end_matches([')', ']', '"', '\u{201d}', '*', '_']);
        self.is_ended = !self.in_code && bare.ends_with(['.', '!', '?']);
    }

    fn close(&mut self, found: &mut Vec<Sentence>) {
        let sentence = std::mem::take(self);
        if sentence.n_words > 0 {
            found.push(Sentence { line: sentence.line, n_words: sentence.n_words });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::places;

    #[test]
    fn long_sentences_are_found() {
        let n_words = |n| vec!["word"; n].join(" ");
        let (half, most, long) = (n_words(20), n_words(35), n_words(36));
        let document = format!(
            "{most}. The {half}.\n\n{half};\n{half}: {half}.\n## {half}\n{half}\n- {half}\n- {half}\n\n\
             | {half} | {half} |\n```\n{long}\n```\n`{long}` [{half}](a.md) word\n2. {half}\n"
        );
        let source = format!(
            "//! {half}\n//! {half}\n/// {half}\nlet a = \"// {long}\"; // {half}\n// {half}\n\
             // ```\n// {long}\n// ```\n    // {half} (for\n    // {half}.) Of {half}.\n\
             // The {half}\n//   {half}\n// >>> {long}\n// {long}\n"
        );
        let workspace = Workspace::of_files(&[
            ("README.md", &document),
            ("data.csv", &long),
            ("kernels/sssp/a.cu", &source),
            ("docs/results/apsp.md", &document),
        ]);
        let expected = [("README.md", 3), ("kernels/sssp/a.cu", 1), ("kernels/sssp/a.cu", 9)];
        assert_eq!(places(&check(&workspace)), expected);
    }
}
