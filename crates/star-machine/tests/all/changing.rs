//! Graphs that change: what they are to be, and what a run makes of them.

use star_machine::StarError;
use star_machine::algorithms::{Change, Dynamic, Runner};

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
