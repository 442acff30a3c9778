//! Text files with one entry a line.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use anyhow::{anyhow, bail};
use graph_formats::ensure_granted;

/// The greatest length of a line, in bytes; checked at least once in twice as many.
const LONGEST_LINE: usize = 1 << 20;
/// The least bytes of an entry in memory, its text aside.
const BYTES_OF_ENTRY: usize = 56;

/// Reads a text. A line that is too long, or more lines than fit into memory, is an error: the
/// input may be endless.
pub(crate) fn read_text(path: &Path) -> io::Result<String> {
    let mut file = File::open(path)?;
    let (mut bytes, mut n_lines) = (Vec::new(), 0);
    loop {
        let before = bytes.len();
        let n_read = (&mut file).take(LONGEST_LINE as u64).read_to_end(&mut bytes)?;
        if n_read < LONGEST_LINE {
            break;
        }
        let n_more = bytes[before..].iter().filter(|&&byte| byte == b'\n').count();
        n_lines += n_more;
        ensure_granted(bytes.len() + BYTES_OF_ENTRY * n_lines)
            .map_err(|refused| io::Error::new(io::ErrorKind::OutOfMemory, refused))?;
        if n_more == 0 {
            let message =
                format!("a line is longer than {LONGEST_LINE} bytes; expected one entry a line");
            return Err(io::Error::new(io::ErrorKind::InvalidData, message));
        }
    }
    let invalid = |_| io::Error::new(io::ErrorKind::InvalidData, "this is not text in UTF-8");
    String::from_utf8(bytes).map_err(invalid)
}

/// Reads entries, each with its line number. Empty lines are ignored. `what` is what errors call an
/// entry.
pub(crate) fn read_entries(path: &Path, what: &str) -> anyhow::Result<Vec<(usize, String)>> {
    read(path, what, |line| line)
}

/// Reads entries that are numbers. Text after a `#` at the start of a line or after a blank is
/// ignored.
pub(crate) fn read_numbers(path: &Path, what: &str) -> anyhow::Result<Vec<(usize, String)>> {
    read(path, what, without_comment)
}

fn read(
    path: &Path,
    what: &str,
    content: impl Fn(&str) -> &str,
) -> anyhow::Result<Vec<(usize, String)>> {
    let shown = path.display();
    let text = read_text(path).map_err(|error| anyhow!("{shown}: {error}"))?;
    // editors on some systems begin every text with a byte order mark
    let text = text.trim_start_matches('\u{feff}');
    let entries: Vec<_> = (1..)
        .zip(text.lines())
        .map(|(line, text)| (line, content(text).trim_ascii()))
        .filter(|(_, entry)| !entry.is_empty())
        .map(|(line, entry)| (line, entry.to_owned()))
        .collect();
    if entries.is_empty() {
        bail!("{shown}: no {what}s; expected one a line");
    }
    Ok(entries)
}

fn without_comment(line: &str) -> &str {
    let starts_comment =
        |&(at, _): &(usize, &str)| line[..at].chars().next_back().is_none_or(char::is_whitespace);
    line.match_indices('#').find(starts_comment).map_or(line, |(at, _)| &line[..at])
}
