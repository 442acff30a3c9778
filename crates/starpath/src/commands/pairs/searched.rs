//! Pairs of a graph that is not prepared: one search for each source. It ends when it has settled
//! the targets; with paths to several targets it settles all vertices.

use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::panic::resume_unwind;
use std::sync::{Mutex, PoisonError};
use std::thread;

use graph_formats::{VertexId, tell};
use sssp::any::{self, AnySolver};
use sssp::{Config, Goal, Plan};

use super::{Answer, Answered};
use crate::cli::Common;
use crate::failure::say;
use crate::load::Loaded;
use crate::progress::{check_interrupt, progress};
use crate::search::repeated;

/// The answers of one thread, each with the place of its pair, and the plan of its last search.
#[derive(Default)]
struct Share {
    answers: Vec<(usize, Answer)>,
    plan: Option<Plan>,
}

/// Answers the pairs by searches, one on each thread.
pub(super) fn find(
    loaded: &Loaded,
    pairs: &[(VertexId, VertexId)],
    with_paths: bool,
    common: &Common,
) -> anyhow::Result<Answered> {
    let mut places: Vec<_> = (0..pairs.len()).collect();
    places.sort_by_key(|&place| pairs[place].0);
    let groups: Vec<_> = places.chunk_by(|&a, &b| pairs[a].0 == pairs[b].0).collect();
    let config = common.config();
    let n_workers = config.n_threads().min(groups.len());
    let threads = NonZeroUsize::new(config.n_threads() / n_workers);
    let expected_searches = NonZeroUsize::new(groups.len().div_ceil(n_workers));
    let config = Config { threads, expected_searches, ..config };
    let step = progress("searching", common);
    let until_interrupted = |_, _| match check_interrupt() {
        Err(_) => ControlFlow::Break(()),
        Ok(()) => ControlFlow::Continue(()),
    };
    let (shares, times) = repeated(common, || {
        let left = Mutex::new(groups.iter().zip(0..));
        let unpoisoned = || left.lock().unwrap_or_else(PoisonError::into_inner);
        let next = || unpoisoned().next();
        let search_all = || -> anyhow::Result<Share> {
            let mut solver = any::solver(&loaded.csr, &config, Some(&until_interrupted))?;
            let mut share = Share::default();
            while let Some((group, done)) = next() {
                tell(Some(&step), done, groups.len() as u64)?;
                search(&mut *solver, pairs, group, with_paths, &mut share)?;
            }
            Ok(share)
        };
        // the other threads end after a failure, too
        let work = || search_all().inspect_err(|_| unpoisoned().by_ref().for_each(drop));
        thread::scope(|scope| {
            // where the system refuses a thread, the others do its work
            let spawn = |_| thread::Builder::new().spawn_scoped(scope, work).ok();
            let others: Vec<_> = (1..n_workers).filter_map(spawn).collect();
            let joined =
                others.into_iter().map(|it| it.join().unwrap_or_else(|e| resume_unwind(e)));
            [work()].into_iter().chain(joined).collect::<anyhow::Result<Vec<_>>>()
        })
    })?;
    let plan = shares.iter().find_map(|share| share.plan.as_ref());
    if let (true, Some(plan)) = (common.explain, plan) {
        say(format_args!("{plan}, for each of {} sources", groups.len()));
    }
    let algorithm = plan.map_or("none", |plan| plan.algorithm);
    let head = loaded.head("path").solved(algorithm, &times, common);
    let mut answers: Vec<_> = shares.into_iter().flat_map(|share| share.answers).collect();
    answers.sort_by_key(|&(place, _)| place);
    let answers = answers.into_iter().map(|(_, answer)| answer).collect();
    Ok(Answered { head, answers, searches: Some(groups.len()), query_us: None })
}

/// Answers the pairs at these places, which have one source.
fn search(
    solver: &mut dyn AnySolver,
    pairs: &[(VertexId, VertexId)],
    places: &[usize],
    with_paths: bool,
    share: &mut Share,
) -> anyhow::Result<()> {
    let source = pairs[places[0]].0;
    let targets: Vec<_> = places.iter().map(|&place| pairs[place].1).collect();
    if with_paths {
        let is_one = targets.iter().all(|&target| target == targets[0]);
        let goal = if is_one { Goal::Target(targets[0]) } else { Goal::All };
        let found = solver.tree(source, goal)?;
        let path = |target| found.path_to(target).unwrap_or_default();
        let answer = |target| Answer { distance: found.distance(target), path: path(target) };
        share.answers.extend(places.iter().zip(targets).map(|(&place, t)| (place, answer(t))));
        share.plan = Some(found.plan);
    } else {
        let found = solver.table(&[source], &targets)?;
        let answers = found.row(0).map(|distance| Answer { distance, path: Vec::new() });
        share.answers.extend(places.iter().copied().zip(answers));
        share.plan = Some(found.plan);
    }
    Ok(())
}
