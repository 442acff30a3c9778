//! The study in words and tables.

use std::fmt::Write;

use super::problem::ROWS;
use super::{Options, Report, engines, operations, published, storage};
use crate::machine::Machine;

/// `summary.md`.
pub(super) fn text(machine: &Machine, options: &Options, report: &Report) -> String {
    let mut text = String::from("# The STAR-machine\n\n");
    text += &machine.markdown();
    // writing to a String does not fail
    let _ = writeln!(
        text,
        "\nDigraphs are G(n, p) of a fixed seed. Of every answer, timed or not, {} rows were \
         compared with searches, and the number of pairs with that of all other answers. Times \
         are medians of {} runs after an untimed one, or of the one run that takes seconds.",
        ROWS, options.runs
    );
    if let Some(reason) = &report.no_gpu {
        let _ = writeln!(text, "\nSKIPPED: all that needs a GPU: {reason}.");
    }
    let parts = [
        operations::section(&report.operations),
        published::section(&report.published),
        engines::section(&report.engines),
        engines::section_condensed(&report.condensed),
        engines::section_processor(&report.processor),
        storage::section(&report.storage),
    ];
    text + &parts.concat()
}

/// Three digits at least; a dash for nothing.
pub(super) fn digits(value: Option<f64>) -> String {
    match value {
        Some(value) if value < 1.0 => format!("{value:.3}"),
        value => crate::summary::number(value),
    }
}

/// The middle one, or the mean of the middle two.
pub(super) fn median(values: &[f64]) -> Option<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    let upper = sorted.get(sorted.len() / 2)?;
    let lower = sorted.get((sorted.len() - 1) / 2)?;
    Some((upper + lower) / 2.0)
}

pub(super) fn best(values: &[f64]) -> Option<f64> {
    values.iter().copied().reduce(f64::min)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures() {
        assert_eq!((median(&[]), best(&[])), (None, None));
        assert_eq!((median(&[9.0, 1.0, 2.0]), best(&[9.0, 1.0, 2.0])), (Some(2.0), Some(1.0)));
        assert_eq!(median(&[4.0, 1.0, 2.0, 9.0]), Some(3.0));
        assert_eq!(digits(Some(0.25)), "0.250");
        assert_eq!(digits(Some(25.0)), "25.0");
        assert_eq!(digits(None), "-");
    }
}
