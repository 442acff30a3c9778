//! Graphs that change: what they are to be, and what a run makes of them.

use std::ops::Range;

use star_machine::algorithms::{Change, Dynamic, Runner};
use star_machine::{Host, StarError};

use crate::common::flawed;
use crate::random::Random;

/// What a graph is to be.
pub(crate) trait Changing {
    /// A change that follows no pattern.
    fn next(&self, random: &mut Random) -> Change;

    /// Makes a change, if it can be made; what [`Dynamic::apply`] gives then.
    fn change(&mut self, change: Change) -> Option<usize>;

    /// Whether the tables of a run hold this graph, and what is kept of it.
    fn check(&self, run: &mut impl Runner) -> Result<(), String>;
}

/// Makes changes that follow no pattern, and looks at everything after each.
pub(crate) fn drive(
    (mut graph, dynamic): (impl Changing, Dynamic),
    run: &mut impl Runner,
    n_changes: usize,
    mut random: Random,
) -> Result<(), String> {
    dynamic.build(run).map_err(said)?;
    graph.check(run)?;
    for _ in 0..n_changes {
        let change = graph.next(&mut random);
        match (dynamic.apply(run, change), graph.change(change)) {
            (Ok(done), Some(expected)) if done == expected => {}
            (Err(StarError::Refused { change: refused, .. }), None) if refused == change => {}
            (Err(error), _) => return Err(error.to_string()),
            (Ok(done), expected) => return Err(format!("{change}: {done}, not {expected:?}")),
        }
        graph.check(run).map_err(|error| format!("{change}: {error}"))?;
    }
    // from scratch, of what is left
    dynamic.build(run).map_err(said)?;
    graph.check(run)
}

/// The flaws of a text with which the cases of all seeds stay right.
pub(crate) fn unnoticed<'a, C: Changing>(
    text: &str,
    flaws: &[[&'a str; 2]],
    seeds: Range<u64>,
    case: impl Fn(u64) -> (C, Dynamic),
) -> Vec<[&'a str; 2]> {
    let is_right = |flaw: [&str; 2], seed| {
        let case = case(seed);
        let task = flawed(case.1.task(), text, flaw);
        let mut m = Host::new();
        drive(case, &mut task.on(&mut m).unwrap(), 60, Random(seed)).is_ok()
    };
    let is_unnoticed = |flaw: &&[&str; 2]| seeds.clone().all(|seed| is_right(**flaw, seed));
    flaws.iter().filter(is_unnoticed).copied().collect()
}

/// Whether an argument is as it is to be.
pub(crate) fn expect<T: PartialEq>(
    name: &str,
    found: Result<T, StarError>,
    to_be: &T,
) -> Result<(), String> {
    match found {
        Ok(found) if found == *to_be => Ok(()),
        Ok(_) => Err(format!("{name} is not as the graph is")),
        Err(error) => Err(error.to_string()),
    }
}

pub(crate) fn said(error: StarError) -> String {
    error.to_string()
}
