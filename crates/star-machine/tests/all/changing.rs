//! Graphs that change: what they are to be, and what a run makes of them.

use std::ops::Range;

use star_machine::algorithms::{Change, Dynamic, Runner, Task};
use star_machine::{Counting, Host, StarError, Table};

use crate::common::{Checked, flawed};
use crate::random::Random;

/// What a graph is to be.
pub(crate) trait Changing {
    /// A change that follows no pattern.
    fn next(&self, random: &mut Random) -> Change;

    /// Makes a change, if it can be made; what [`Dynamic::apply`] gives then.
    fn change(&mut self, change: Change) -> Option<usize>;

    /// Whether the tables of a run hold this graph, and what is kept of it.
    fn check(&self, run: &mut impl Runner) -> Checked;
}

/// Makes changes that follow no pattern, and looks at everything after each.
pub(crate) fn drive(case: (impl Changing, Dynamic), n_changes: usize, random: Random) -> Checked {
    let task = case.1.task().clone();
    drive_task(case, &task, n_changes, random)
}

/// The same of another task than its own.
fn drive_task(
    (mut graph, dynamic): (impl Changing, Dynamic),
    task: &Task,
    n_changes: usize,
    mut random: Random,
) -> Checked {
    let mut m = Host::new();
    let run = &mut task.on(&mut m)?;
    dynamic.build(run)?;
    graph.check(run)?;
    for _ in 0..n_changes {
        let change = graph.next(&mut random);
        match (dynamic.apply(run, change), graph.change(change)) {
            (Ok(done), Some(expected)) if done == expected => {}
            (Err(StarError::Refused { change: refused, .. }), None) if refused == change => {}
            (Err(error), _) => return Err(error.into()),
            (Ok(done), expected) => {
                return Err(format!("{change}: {done}, not {expected:?}").into());
            }
        }
        graph.check(run).map_err(|error| format!("{change}: {error}"))?;
    }
    // from scratch, of what is left
    dynamic.build(run)?;
    graph.check(run)
}

/// Fails where a change costs more operations than `most` says of it, of what it gives, and of
/// tables before and after it.
pub(crate) fn check_costs<C: Changing, const N: usize>(
    (mut graph, dynamic): (C, Dynamic),
    names: [&str; N],
    mut random: Random,
    most: impl Fn(&C, Change, Option<usize>, [[Table; N]; 2]) -> Option<u64>,
) {
    let mut m = Counting::new(Host::new());
    let mut run = dynamic.task().on(&mut m).unwrap();
    dynamic.build(&mut run).unwrap();
    for _ in 0..60 {
        let tables = |run: &mut _| names.map(|name| Runner::table(run, name).unwrap());
        let (change, before) = (graph.next(&mut random), tables(&mut run));
        let start = run.machine().cost().total();
        let done = dynamic.apply(&mut run, change).ok();
        let cost = run.machine().cost().total() - start;
        assert_eq!(done, graph.change(change), "{change}");
        let most = most(&graph, change, done, [before, tables(&mut run)]);
        assert!(most.is_none_or(|most| cost <= most), "{change}: {cost} operations, {most:?}");
    }
}

/// Fails where a text with a flaw stays right in the cases of all seeds.
pub(crate) fn check_flaws<C: Changing>(
    text: &str,
    flaws: &[[&str; 2]],
    seeds: Range<u64>,
    case: impl Fn(u64) -> (C, Dynamic),
) {
    for &flaw in flaws {
        let is_right = |seed| {
            let case = case(seed);
            let task = flawed(case.1.task(), text, flaw);
            drive_task(case, &task, 60, Random(seed)).is_ok()
        };
        assert!(!seeds.clone().all(is_right), "{flaw:?} is not noticed");
    }
}

/// Whether an argument is as it is to be.
pub(crate) fn expect<T: PartialEq>(name: &str, found: T, to_be: &T) -> Checked {
    if found == *to_be { Ok(()) } else { Err(format!("{name} is not as the graph is").into()) }
}
