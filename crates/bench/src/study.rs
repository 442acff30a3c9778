//! What a study is, and what it is given: the machine's GPU and threads, the clock, and a place
//! for its records.

use std::cell::{RefCell, RefMut};
use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use clap::{ArgAction, ArgMatches, Args, Command, FromArgMatches, ValueEnum};
use gpu_runtime::Gpu;
use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::clock::{Contender, Deadline, Terms, in_turns};
use crate::page::Page;
use crate::records::{Record, Records};

/// A day, in seconds.
const MOST_PATIENCE: f64 = 86_400.0;

/// A study: its options, which say in their help what it is for, what it measures, and what it
/// makes of that.
pub(crate) trait Study: Args {
    /// Its name on the command line.
    const NAME: &'static str;

    /// Measures, and hands records to the bench.
    fn measure(&self, bench: &Bench) -> Result<()>;

    /// Tables and plots of the records, whichever run they are of.
    fn page(records: &Records) -> Page;
}

/// A study, whatever its options are.
#[derive(Clone, Copy)]
pub(crate) struct Entry {
    /// Its name.
    pub(crate) name: &'static str,
    /// Its help and its options.
    pub(crate) command: fn() -> Command,
    /// Measures as the options say.
    pub(crate) measure: fn(&ArgMatches, &Bench) -> Result<()>,
    /// What it makes of records.
    pub(crate) page: fn(&Records) -> Page,
}

impl Entry {
    /// The study with these options.
    pub(crate) const fn of<S: Study>() -> Self {
        Self {
            name: S::NAME,
            command: || {
                let command = S::augment_args(Common::augment_args(Command::new(S::NAME)));
                command.mut_args(|option| match option.get_action() {
                    // all lists are written with commas
                    ArgAction::Append => option.value_delimiter(','),
                    _ => option,
                })
            },
            measure: |matches, bench| S::from_arg_matches(matches)?.measure(bench),
            page: S::page,
        }
    }
}

/// What solves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Backend {
    /// The CPU.
    Cpu,
    /// The first GPU.
    Gpu,
}

#[derive(Args, Clone, Debug)]
pub(crate) struct Common {
    /// Timed runs of each, after an untimed one
    #[arg(long, default_value = "5", help_heading = "All studies")]
    pub(crate) runs: NonZeroUsize,
    /// Threads of solvers that use several [default: all processors]
    #[arg(long, help_heading = "All studies")]
    pub(crate) threads: Option<NonZeroUsize>,
    /// Seconds after which a run is ended, and that the timed runs of one solver may take together
    #[arg(long, value_name = "SECONDS", default_value = "5", help_heading = "All studies")]
    pub(crate) patience: f64,
    /// Where to measure; a machine without a GPU leaves that out
    #[arg(long, value_delimiter = ',', default_value = "cpu,gpu", help_heading = "All studies")]
    pub(crate) backend: Vec<Backend>,
    /// Where the folder of this run is made [default: target/bench of the workspace]
    #[arg(long, value_name = "DIR", help_heading = "All studies")]
    pub(crate) out: Option<PathBuf>,
    /// The name of that folder [default: date, time and commit]
    #[arg(long, help_heading = "All studies")]
    pub(crate) name: Option<String>,
}

/// What studies measure with.
pub(crate) struct Bench {
    /// One thread.
    pub(crate) one: ThreadPool,
    /// As many threads as the options say.
    pub(crate) all: ThreadPool,
    terms: Terms,
    on_cpu: bool,
    gpu: Result<Gpu, String>,
    deadline: Deadline,
    records: RefCell<Records>,
}

impl Bench {
    pub(crate) fn new(common: &Common) -> Result<Self> {
        let seconds = common.patience;
        ensure!(
            seconds > 0.0 && seconds <= MOST_PATIENCE,
            "--patience takes seconds, above 0 and up to {MOST_PATIENCE}, not {seconds}"
        );
        let pool = |n| ThreadPoolBuilder::new().num_threads(n).build();
        Ok(Self {
            one: pool(1)?,
            all: pool(common.threads.map_or(0, NonZeroUsize::get))?,
            terms: Terms {
                runs: common.runs.get(),
                warm_up: true,
                patience: Duration::from_secs_f64(seconds),
                turn: Duration::ZERO,
                hopeless: None,
            },
            on_cpu: common.backend.contains(&Backend::Cpu),
            gpu: match common.backend.contains(&Backend::Gpu) {
                true => Gpu::open().map_err(|reason| reason.to_string()),
                false => Err("it was left out".to_owned()),
            },
            deadline: Deadline::new(),
            records: RefCell::default(),
        })
    }

    /// The bench with the default options.
    pub(crate) fn with_defaults() -> Result<Self> {
        let command = Common::augment_args(Command::new("bench"));
        Self::new(&Common::from_arg_matches(&command.get_matches_from(["bench"]))?)
    }

    /// How often and how long every contender runs.
    pub(crate) fn terms(&self) -> Terms {
        self.terms
    }

    /// Whether the CPU is to be measured.
    pub(crate) fn on_cpu(&self) -> bool {
        self.on_cpu
    }

    /// The GPU, for a study of nothing else.
    pub(crate) fn gpu(&self) -> Result<&Gpu> {
        let reason = |reason: &String| anyhow::Error::msg(reason.clone());
        self.gpu.as_ref().map_err(reason).context(
            "this study measures a GPU: run it on a machine that has one, in a build with \
             --features cuda",
        )
    }

    /// The GPU; without one, the record says so once.
    pub(crate) fn gpu_if_any(&self) -> Option<&Gpu> {
        let reason = match &self.gpu {
            Ok(gpu) => return Some(gpu),
            Err(reason) => reason,
        };
        let labels: &[(&str, &str)] = &[("what", "all that needs a GPU")];
        if self.records.borrow().find(labels).is_none() {
            self.skip(&[("what", &"all that needs a GPU")], reason);
        }
        None
    }

    /// The number of threads of runs on all threads.
    pub(crate) fn threads(&self) -> NonZeroUsize {
        NonZeroUsize::new(self.all.current_num_threads()).unwrap_or(NonZeroUsize::MIN)
    }

    /// Ends a solver's run when patience does.
    pub(crate) fn progress(&self) -> impl Fn(u64, u64) -> ControlFlow<()> + Sync + '_ {
        let deadline = &self.deadline;
        move |_, _| deadline.ask()
    }

    /// Lets contenders take turns, keeps their records, and returns them.
    pub(crate) fn race(&self, contenders: Vec<Contender<'_>>) -> Result<Vec<Record>> {
        self.race_by(&self.terms, contenders)
    }

    /// The same by other terms.
    pub(crate) fn race_by(
        &self,
        terms: &Terms,
        contenders: Vec<Contender<'_>>,
    ) -> Result<Vec<Record>> {
        let records = in_turns(contenders, terms, &self.deadline)?;
        for record in &records {
            if let Some(ms) = record.median("ms") {
                eprintln!("{}: {ms:.3} ms", record.name());
            }
        }
        self.records.borrow_mut().extend(records.iter().cloned());
        Ok(records)
    }

    /// Keeps the record of something that is left out, and says so.
    pub(crate) fn skip(&self, labels: &[(&str, &dyn std::fmt::Display)], reason: &str) {
        let mut record = Record::of(labels);
        eprintln!("SKIPPED: {}: {reason}", record.name());
        record.skip(reason.to_owned());
        self.records().push(record);
    }

    /// What there is so far.
    pub(crate) fn records(&self) -> RefMut<'_, Records> {
        self.records.borrow_mut()
    }
}
