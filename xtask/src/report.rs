//! What a step of `verify` found, and how all of it is told at the end.

use std::fmt::Write as _;
use std::time::Duration;

/// What one step found.
#[derive(Debug, Default)]
pub(crate) struct Outcome {
    /// Checks that held.
    pub(crate) n_passed: usize,
    /// Checks that did not; what was wrong has been printed by the step.
    pub(crate) n_failed: usize,
    /// What was not checked, and why.
    pub(crate) skipped: Vec<String>,
    /// What is allowed but should not last.
    pub(crate) warnings: Vec<String>,
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

/// The steps that were taken, each with its name and time.
#[derive(Default)]
pub(crate) struct Report(Vec<(&'static str, Duration, Outcome)>);

impl Report {
    /// Adds a step and prints its line.
    pub(crate) fn add(&mut self, step: &'static str, time: Duration, outcome: Outcome) {
        println!("== {}", line(step, time, &outcome));
        self.0.push((step, time, outcome));
    }

    /// Whether any check failed.
    pub(crate) fn has_failed(&self) -> bool {
        self.0.iter().any(|(_, _, outcome)| outcome.n_failed > 0)
    }

    /// All steps, then what was skipped and what was warned of, then the counts.
    pub(crate) fn summary(&self) -> String {
        let mut text = String::from("\nSummary\n");
        let outcomes = || self.0.iter().map(|(_, _, outcome)| outcome);
        for (step, time, outcome) in &self.0 {
            let _ = writeln!(text, "  {}", line(step, *time, outcome));
        }
        for warning in outcomes().flat_map(|outcome| &outcome.warnings) {
            let _ = writeln!(text, "  warning: {warning}");
        }
        for skipped in outcomes().flat_map(|outcome| &outcome.skipped) {
            let _ = writeln!(text, "  SKIPPED: {skipped}");
        }
        let n_passed: usize = outcomes().map(|outcome| outcome.n_passed).sum();
        let n_failed: usize = outcomes().map(|outcome| outcome.n_failed).sum();
        let n_skipped: usize = outcomes().map(|outcome| outcome.skipped.len()).sum();
        let _ = write!(text, "\n{n_passed} passed, {n_failed} failed, {n_skipped} skipped");
        text
    }
}

fn line(step: &str, time: Duration, outcome: &Outcome) -> String {
    let (word, seconds) = (outcome.word(), time.as_secs_f64());
    format!("{step:<10} {word:<8} {seconds:7.1} s")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_failure_is_told_and_counted() {
        let mut report = Report::default();
        report.add("first", Duration::from_secs(1), Outcome::of(true));
        assert!(!report.has_failed());
        report.add("second", Duration::ZERO, Outcome::of(false));
        report.add("third", Duration::ZERO, Outcome::skipped("no such tool"));
        assert!(report.has_failed());
        let summary = report.summary();
        assert!(summary.contains("second     FAILED"), "{summary}");
        assert!(summary.contains("third      SKIPPED"), "{summary}");
        assert!(summary.contains("SKIPPED: no such tool"), "{summary}");
        assert!(summary.ends_with("\n1 passed, 1 failed, 1 skipped"), "{summary}");
    }
}
