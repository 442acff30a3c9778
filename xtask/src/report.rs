//! What a step of `verify` found, and how all of it is told at the end.

use std::fmt::Write as _;
use std::time::Duration;

/// How many tests are named for having taken longest.
const SLOWEST: usize = 10;
/// What stands above the lines of steps.
const HEAD: &str = "step       result    seconds  units";

/// What one step found.
#[derive(Debug, Default)]
pub(crate) struct Outcome {
    /// Checks that held.
    pub(crate) n_passed: usize,
    /// Checks that did not; what was wrong has been printed by the step.
    pub(crate) n_failed: usize,
    /// What was not checked, and why.
    pub(crate) skipped: Vec<String>,
    /// How long each test took.
    pub(crate) times: Vec<(Duration, String)>,
}

impl Outcome {
    /// The outcome of a step that is one check.
    pub(crate) fn of(passed: bool) -> Self {
        Self { n_passed: passed.into(), n_failed: (!passed).into(), ..Self::default() }
    }

    /// The outcome of a step that could not be taken.
    pub(crate) fn skipped(reason: impl Into<String>) -> Self {
        Self { skipped: vec![reason.into()], ..Self::default() }
    }

    fn word(&self) -> &'static str {
        match self {
            Self { n_failed: 1.., .. } => "FAILED",
            Self { n_passed: 0, .. } => "SKIPPED",
            _ => "passed",
        }
    }
}

/// A step that was taken.
pub(crate) struct Taken {
    pub(crate) step: &'static str,
    pub(crate) time: Duration,
    /// How many units cargo has compiled for it.
    pub(crate) n_units: usize,
    pub(crate) outcome: Outcome,
}

/// The steps that were taken.
#[derive(Default)]
pub(crate) struct Report(Vec<Taken>);

impl Report {
    /// Adds a step and prints its line.
    pub(crate) fn add(&mut self, taken: Taken) {
        println!("== {}", taken.line());
        self.0.push(taken);
    }

    /// Whether any check failed.
    pub(crate) fn has_failed(&self) -> bool {
        self.0.iter().any(|taken| taken.outcome.n_failed > 0)
    }

    /// What was skipped, the slowest tests, all steps, then the counts.
    pub(crate) fn summary(&self) -> String {
        let mut text = String::from("\nSummary\n");
        let outcomes = || self.0.iter().map(|taken| &taken.outcome);
        for skipped in outcomes().flat_map(|outcome| &outcome.skipped) {
            let _ = writeln!(text, "  SKIPPED: {skipped}");
        }
        let mut times: Vec<_> = outcomes().flat_map(|outcome| &outcome.times).collect();
        times.sort_by(|a, b| b.cmp(a));
        for (time, test) in times.iter().take(SLOWEST) {
            let _ = writeln!(text, "  {:7.1} s  {test}", time.as_secs_f64());
        }
        let _ = writeln!(text, "\n  {HEAD}");
        for taken in &self.0 {
            let _ = writeln!(text, "  {}", taken.line());
        }
        let time: Duration = self.0.iter().map(|taken| taken.time).sum();
        let n_units: usize = self.0.iter().map(|taken| taken.n_units).sum();
        let _ = writeln!(text, "  {}", row("all", "", time, n_units));
        let n_passed: usize = outcomes().map(|outcome| outcome.n_passed).sum();
        let n_failed: usize = outcomes().map(|outcome| outcome.n_failed).sum();
        let n_skipped: usize = outcomes().map(|outcome| outcome.skipped.len()).sum();
        let _ = write!(text, "\n{n_passed} passed, {n_failed} failed, {n_skipped} skipped");
        text
    }
}

impl Taken {
    fn line(&self) -> String {
        row(self.step, self.outcome.word(), self.time, self.n_units)
    }
}

fn row(step: &str, word: &str, time: Duration, n_units: usize) -> String {
    format!("{step:<10} {word:<8} {:8.1} {n_units:6}", time.as_secs_f64())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_failure_is_told_and_counted() {
        let mut report = Report::default();
        let mut add = |step, outcome| {
            report.add(Taken { step, time: Duration::from_secs(1), n_units: 20, outcome });
            report.has_failed()
        };
        let times = (1..=11).map(|s| (Duration::from_secs(s), format!("test {s}"))).collect();
        assert!(!add("first", Outcome { times, ..Outcome::of(true) }));
        assert!(add("second", Outcome::of(false)));
        assert!(add("third", Outcome::skipped("no such tool")));
        let summary = report.summary();
        assert!(summary.contains("second     FAILED"), "{summary}");
        assert!(summary.contains("11.0 s  test 11\n     10.0 s  test 10\n"), "{summary}");
        assert!(!summary.contains("test 1\n"), "{summary}");
        assert!(summary.contains("all                      3.0     60\n"), "{summary}");
        assert!(summary.contains("third      SKIPPED"), "{summary}");
        assert!(summary.contains("SKIPPED: no such tool"), "{summary}");
        assert!(summary.ends_with("\n1 passed, 1 failed, 1 skipped"), "{summary}");
    }
}
