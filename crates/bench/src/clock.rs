//! The clock: contenders take turns, and no run counts that its contender has not checked.
//!
//! In each round every contender runs once, so that a machine that slows down slows all of them.
//! Short runs are repeated within a turn, and the figures are the mean.

use std::fmt::{self, Display};
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context, Error, Result};
use apsp::ApspError;
use closure::ClosureError;
use gpu_runtime::GpuError;
use graph_formats::Interrupted;
use sssp::SsspError;
use star_machine::StarError;

use crate::records::{Record, Run};

/// Most runs in one turn.
const MOST_RUNS: f64 = 1000.0;

/// A solver or program that is measured.
pub(crate) struct Contender<'a> {
    /// Its labels.
    pub(crate) record: Record,
    /// One run from scratch, checked; the first of its figures is the time.
    pub(crate) run: Box<dyn FnMut() -> Result<Run> + 'a>,
}

impl<'a> Contender<'a> {
    /// A contender of these labels.
    pub(crate) fn new(record: Record, run: impl FnMut() -> Result<Run> + 'a) -> Self {
        Self { record, run: Box::new(run) }
    }

    /// The same with more labels.
    pub(crate) fn with(self, labels: &[(&str, &dyn Display)]) -> Self {
        Self { record: self.record.with(labels), ..self }
    }

    /// The same, but the second of two runs counts, so that the graph lies in the CPU's caches.
    /// Programs of others measure so too.
    #[must_use]
    pub(crate) fn twice(mut self) -> Self {
        Self { run: Box::new(move || (self.run)().and_then(|_| (self.run)())), ..self }
    }
}

/// How often, and how long.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Terms {
    /// Timed turns of each.
    pub(crate) runs: usize,
    /// Whether an untimed turn comes first, for costs that only a first run has.
    pub(crate) warm_up: bool,
    /// A run that takes longer is ended when its contender checks the [`Deadline`]. Turns end when
    /// they have taken as long together.
    pub(crate) patience: Duration,
    /// A turn runs again and again until about so long has passed.
    pub(crate) turn: Duration,
    /// A contender that takes this many times as long as the fastest, and over 2 ms, is not timed.
    pub(crate) hopeless: Option<f64>,
}

/// What a contender says that cannot run, where that is no failure.
#[derive(Debug)]
pub(crate) struct Excuse(pub String);

impl fmt::Display for Excuse {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Excuse {}

/// When the run that is under way has to end.
#[derive(Debug)]
pub(crate) struct Deadline {
    base: Instant,
    at_ns: AtomicU64,
}

impl Deadline {
    pub(crate) fn new() -> Self {
        Self { base: Instant::now(), at_ns: AtomicU64::new(u64::MAX) }
    }

    fn set(&self, patience: Duration) {
        let at = self.base.elapsed().saturating_add(patience).as_nanos();
        self.at_ns.store(u64::try_from(at).unwrap_or(u64::MAX), Ordering::Relaxed);
    }

    /// Checked now and then by runs that may take too long.
    pub(crate) fn ask(&self) -> ControlFlow<()> {
        let is_over = self.base.elapsed().as_nanos() as u64 > self.at_ns.load(Ordering::Relaxed);
        if is_over { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}

/// The milliseconds that something takes, and what it gives.
pub(crate) fn timed<T>(run: impl FnOnce() -> T) -> (f64, T) {
    let start = Instant::now();
    let given = run();
    (start.elapsed().as_secs_f64() * 1e3, given)
}

/// Runs every contender once untimed if `terms` say so, then `terms.runs` times in turns. If a
/// contender refuses the problem or takes too long, its record has the reason.
pub(crate) fn in_turns(
    contenders: Vec<Contender<'_>>,
    terms: &Terms,
    deadline: &Deadline,
) -> Result<Vec<Record>> {
    let mut quickest = f64::INFINITY;
    let mut ready = Vec::new();
    for mut contender in contenders {
        if !terms.warm_up {
            ready.push((contender, 1));
            continue;
        }
        // the first run also pays for the first use of its memory
        let hopeless_ms = terms.hopeless.map_or(f64::INFINITY, |f| 2.0 * f * quickest + 50.0);
        let patience = Duration::try_from_secs_f64(hopeless_ms / 1e3).unwrap_or(Duration::MAX);
        deadline.set(patience.min(terms.patience));
        let mut runs = 1;
        if let Some(run) = turn(&mut contender, 1, patience.min(terms.patience))? {
            let ms = time(&run);
            quickest = quickest.min(ms);
            if ms > 2.0 && terms.hopeless.is_some_and(|factor| ms > factor * quickest) {
                contender.record.skip(format!("clearly slower: {ms:.3} ms"));
            }
            runs = (terms.turn.as_secs_f64() * 1e3 / ms).clamp(1.0, MOST_RUNS) as usize;
        }
        ready.push((contender, runs));
    }
    for _ in 0..terms.runs {
        for (contender, runs) in &mut ready {
            let spent_ms = contender.record.all("ms").iter().sum::<f64>() * *runs as f64;
            let is_over = spent_ms / 1e3 > terms.patience.as_secs_f64();
            if contender.record.skipped().is_some() || is_over {
                continue;
            }
            let patience = 2 * terms.patience.max(terms.turn);
            deadline.set(patience);
            if let Some(run) = turn(contender, *runs, patience)? {
                contender.record.push(run);
            }
        }
    }
    Ok(ready.into_iter().map(|(contender, _)| contender.record).collect())
}

/// Runs `runs` times and returns the mean of the figures. `None`, with the reason in the record, if
/// the contender did not finish.
fn turn(contender: &mut Contender<'_>, runs: usize, patience: Duration) -> Result<Option<Run>> {
    let mut sum: Option<Run> = None;
    for _ in 0..runs {
        match (contender.run)() {
            Ok(run) => match &mut sum {
                None => sum = Some(run),
                Some(sum) => sum.iter_mut().zip(run).for_each(|(all, one)| all.1 += one.1),
            },
            Err(error) => {
                let name = contender.record.name();
                let reason = excuse(&error, patience).ok_or(error).context(name.clone())?;
                eprintln!("SKIPPED: {name}: {reason}");
                contender.record.skip(reason);
                return Ok(None);
            }
        }
    }
    let mean = |(name, sum)| (name, sum / runs as f64);
    Ok(sum.map(|sum| sum.into_iter().map(mean).collect()))
}

fn time(run: &Run) -> f64 {
    run.first().map_or(0.0, |figure| figure.1)
}

/// Why a run did not come to its end, where that is no failure: it was ended, its solver does not
/// take the graph, or the device has not got what it takes.
pub(crate) fn excuse(error: &Error, patience: Duration) -> Option<String> {
    let is_short = |error: &GpuError| matches!(error, GpuError::OutOfMemory { .. });
    if error.chain().any(|cause| cause.is::<Interrupted>()) {
        return Some(format!("more than {} s", patience.as_secs_f64()));
    }
    let is_known = match (error.downcast_ref(), error.downcast_ref(), error.downcast_ref()) {
        (Some(error), ..) => match error {
            SsspError::NotOnGpu { .. }
            | SsspError::NegativeWeight { .. }
            | SsspError::BadDelta { .. }
            | SsspError::BadQueue { .. } => true,
            SsspError::Gpu(error) => is_short(error),
            _ => false,
        },
        (_, Some(ClosureError::Gpu(error)), _) | (.., Some(StarError::Gpu(error))) => {
            is_short(error)
        }
        (_, Some(error), _) => matches!(
            error,
            ClosureError::NoMatrixUnits { .. }
                | ClosureError::TooLarge { .. }
                | ClosureError::TooManyArcs { .. }
        ),
        (.., Some(StarError::TooLarge { .. })) => true,
        _ if error.is::<Excuse>() => true,
        _ => matches!(error.downcast_ref(), Some(ApspError::NotOnGpu { .. })),
    };
    is_known.then(|| format!("{error:#}"))
}

#[cfg(test)]
mod tests {
    use anyhow::{anyhow, bail};

    use super::*;

    const TERMS: Terms = Terms {
        runs: 3,
        warm_up: true,
        patience: Duration::from_secs(10),
        turn: Duration::ZERO,
        hopeless: None,
    };

    fn measured(terms: Terms, answers: Vec<Result<f64>>) -> Result<Record> {
        let mut answers = answers.into_iter();
        let run = move || Ok(vec![("ms", answers.next().context("asked too often")??)]);
        let contender = Contender::new(Record::of(&[("solver", &"fake")]), run);
        Ok(in_turns(vec![contender], &terms, &Deadline::new())?.remove(0))
    }

    fn tired() -> Result<f64> {
        Err(Interrupted.into())
    }

    #[test]
    fn a_failure_ends_the_study_and_an_excuse_does_not() {
        let right = measured(TERMS, vec![Ok(9.0), Ok(1.0), Ok(2.0), Ok(4.0)]).unwrap();
        assert_eq!((right.all("ms"), right.skipped()), (vec![1.0, 2.0, 4.0], None));
        for turn in 0..4 {
            let answers = (0..4).map(|i| if i == turn { bail!("wrong") } else { Ok(1.0) });
            let error = format!("{:#}", measured(TERMS, answers.collect()).unwrap_err());
            assert_eq!(error, "fake: wrong");
        }
        let slow = measured(TERMS, vec![tired()]).unwrap();
        assert_eq!((slow.n_runs(), slow.skipped()), (0, Some("more than 10 s")));
        assert!(excuse(&anyhow!("broken"), TERMS.patience).is_none());
    }

    #[test]
    fn the_second_of_two_runs_counts() {
        let mut n_runs = 0.0;
        let run = move || {
            n_runs += 1.0;
            Ok(vec![("ms", n_runs)])
        };
        let mut twice = Contender::new(Record::of(&[]), run).twice();
        assert_eq!((twice.run)().unwrap(), [("ms", 2.0)]);
    }

    #[test]
    fn turns_end_when_patience_does() {
        let impatient = Terms { patience: Duration::from_millis(500), ..TERMS };
        let record = measured(impatient, vec![Ok(1.0), Ok(1000.0), Ok(1.0)]).unwrap();
        assert_eq!(record.n_runs(), 1);
        let long_turns = Terms { runs: 2, turn: Duration::from_millis(4), ..TERMS };
        let answers = [2.0, 1.0, 3.0, 5.0, 7.0].map(Ok).into();
        assert_eq!(measured(long_turns, answers).unwrap().all("ms"), [2.0, 6.0]);
    }

    #[test]
    fn who_is_clearly_slower_is_not_timed() {
        let contender = |name: &'static str, ms: f64| {
            Contender::new(Record::of(&[("solver", &name)]), move || Ok(vec![("ms", ms)]))
        };
        let all = vec![contender("a", 3.0), contender("b", 13.0), contender("c", 4.0)];
        let terms = Terms { hopeless: Some(4.0), ..TERMS };
        let records = in_turns(all, &terms, &Deadline::new()).unwrap();
        assert_eq!(records[1].skipped(), Some("clearly slower: 13.000 ms"));
        assert_eq!(records.iter().map(Record::n_runs).collect::<Vec<_>>(), [3, 0, 3]);
    }
}
