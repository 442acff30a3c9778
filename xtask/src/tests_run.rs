//! Runs `cargo test` and reads what the test programs print: how many tests passed,
//! how many failed, and which said that they had skipped themselves.
//!
//! A test that cannot do its work here (no data, no device) prints a line that starts
//! with `SKIPPED` and passes. `--show-output` makes such lines visible.

use std::io::{BufRead as _, BufReader};
use std::process::{Command, Stdio};

use anyhow::{Context, Result};

use crate::report::Outcome;

/// Runs this `cargo test` command to its end, printing failures and no other output of
/// tests.
pub(crate) fn run(mut command: Command) -> Result<Outcome> {
    let mut child = command
        .args(["--", "--show-output"])
        .stdout(Stdio::piped())
        .spawn()
        .context("cannot start cargo")?;
    let stdout = child.stdout.take().context("cargo has no standard output")?;
    let mut log = TestLog::default();
    for line in BufReader::new(stdout).split(b'\n') {
        let line = line?;
        let line = String::from_utf8_lossy(&line);
        if log.read(&line) {
            println!("{line}");
        }
    }
    let passed = child.wait()?.success();
    Ok(log.outcome(passed))
}

/// The output of test programs, line by line.
#[derive(Default)]
struct TestLog {
    n_passed: usize,
    n_failed: usize,
    /// Of those that passed, how many did so by skipping themselves.
    n_skips: usize,
    /// Each test that did not do its work, and why.
    skipped: Vec<String>,
    /// Whether the lines are what tests that passed have printed.
    in_successes: bool,
    /// The test that printed them.
    test: String,
    /// Whether that test has said already that it skips.
    test_skips: bool,
}

impl TestLog {
    /// Takes in a line and says whether it is worth showing.
    fn read(&mut self, line: &str) -> bool {
        let printed_by = line.strip_prefix("---- ").and_then(|l| l.strip_suffix(" stdout ----"));
        if line == "successes:" || line == "failures:" {
            self.in_successes = line == "successes:";
        } else if let Some(result) = line.strip_prefix("test result: ") {
            self.in_successes = false;
            self.n_passed += count(result, "passed");
            self.n_failed += count(result, "failed");
        } else if let Some((test, _)) = line.split_once(" ... ignored") {
            self.skipped.push(format!("{test} is marked to be ignored"));
        } else if let Some(test) = printed_by {
            (self.test, self.test_skips) = (test.to_owned(), false);
        } else if let Some(reason) = line.strip_prefix("SKIPPED").filter(|_| self.in_successes) {
            let reason = reason.trim_start_matches([':', ' ']);
            match self.skipped.last_mut().filter(|_| self.test_skips) {
                Some(reasons) => *reasons += &format!("; {reason}"),
                None => {
                    self.skipped.push(format!("{}: {reason}", self.test));
                    self.n_skips += 1;
                }
            }
            self.test_skips = true;
        }
        !self.in_successes && !line.is_empty() && !line.ends_with(" ... ok")
    }

    fn outcome(self, command_passed: bool) -> Outcome {
        // Where something does not compile, no test says that it failed.
        let n_failed = if command_passed { 0 } else { self.n_failed.max(1) };
        let n_passed = self.n_passed.saturating_sub(self.n_skips);
        Outcome { n_passed, n_failed, skipped: self.skipped, ..Outcome::default() }
    }
}

/// The number before a word, as in `3 passed; 0 failed`.
fn count(result: &str, word: &str) -> usize {
    let mut words = result.split([' ', ';', '.']);
    let mut last = "";
    words
        .find_map(|found| {
            let before = std::mem::replace(&mut last, found);
            (found == word).then(|| before.parse().ok()).flatten()
        })
        .unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    const LOG: &str = "
running 3 tests
test a ... ok
test b ... FAILED
test c ... ok

successes:

---- a stdout ----
SKIPPED: no data
SKIPPED: and no time
---- c stdout ----
hello

successes:
    a
    c

failures:

---- b stdout ----
SKIPPED is what a failed test may print too
thread 'b' panicked

failures:
    b

test result: FAILED. 2 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s

test src/lib.rs - f (line 3) ... ignored
test result: ok. 10 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.00s
";

    #[test]
    fn tests_are_counted_and_skips_collected() {
        let mut log = TestLog::default();
        let shown: Vec<&str> = LOG.lines().filter(|line| log.read(line)).collect();
        assert!(shown.contains(&"thread 'b' panicked"), "{shown:?}");
        assert!(!shown.contains(&"hello") && !shown.contains(&"test a ... ok"), "{shown:?}");
        let outcome = log.outcome(false);
        assert_eq!((outcome.n_passed, outcome.n_failed), (11, 1));
        assert_eq!(
            outcome.skipped,
            ["a: no data; and no time", "test src/lib.rs - f (line 3) is marked to be ignored"]
        );
    }

    #[test]
    fn a_command_that_fails_without_a_failed_test_is_a_failure() {
        assert_eq!(TestLog::default().outcome(false).n_failed, 1);
        assert_eq!(TestLog::default().outcome(true).n_failed, 0);
    }
}
