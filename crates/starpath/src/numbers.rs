//! Text files with a number a line.

use std::fs;
use std::path::Path;

use anyhow::{anyhow, bail};

/// Reads numbers, each with its line; empty lines and what follows `#` do not count. `what`
/// says in errors what one is.
pub(crate) fn read_numbers(path: &Path, what: &str) -> anyhow::Result<Vec<(usize, u64)>> {
    let shown = path.display();
    let text = fs::read_to_string(path).map_err(|error| anyhow!("{shown}: {error}"))?;
    let mut numbers = Vec::new();
    // editors on some systems begin every text with a byte order mark
    let text = text.trim_start_matches('\u{feff}');
    for (line, content) in (1..).zip(text.lines()) {
        let word = content.split('#').next().unwrap_or_default().trim();
        if word.is_empty() {
            continue;
        }
        let number = word
            .parse()
            .map_err(|_| anyhow!("{shown}:{line}: '{word}' is no {what}; expected one a line"))?;
        numbers.push((line, number));
    }
    if numbers.is_empty() {
        bail!("{shown}: no {what}s; expected one a line");
    }
    Ok(numbers)
}
