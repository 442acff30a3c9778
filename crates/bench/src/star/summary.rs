//! The study in words and tables.

use std::fmt::Write;

use super::problem::ROWS;
use super::{Options, Report, algorithms, engines, operations, printed, published, storage};
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
        algorithms::section(&report.algorithms),
        printed::section(&report.printed, options),
    ];
    text + &parts.concat()
}
