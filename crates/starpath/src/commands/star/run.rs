//! A program in the language Star, with arguments from the command line.

mod arguments;
mod given;
mod outputs;
mod table;

use std::collections::HashMap;
use std::fmt;

use anyhow::anyhow;
use serde::Serialize;
use star_machine::algorithms::{Runner, Task, Value};
use star_machine::{CountFrom, Parameter, StarError, Text};

use self::arguments::{Arguments, Described, inputs};
use self::outputs::Outputs;
use super::execution::{Done, execute};
use super::operations::Operations;
use super::results::{Held, Results};
use crate::cli::{Common, RunArgs};
use crate::failure::WrongUse;
use crate::numbers::read_text;
use crate::report::{self, Ms, least, median};

#[derive(Serialize)]
struct Report {
    command: &'static str,
    program: String,
    /// The procedure that was compiled.
    procedure: String,
    arguments: Vec<Described>,
    /// The arguments and their sizes, as `T: 100x8, X: 100, i`.
    #[serde(skip)]
    sizes: String,
    /// The number of steps of the compiled program.
    steps: usize,
    #[serde(flatten)]
    done: Outcome,
}

/// The listing of the program, or its results.
#[derive(Serialize)]
#[serde(untagged)]
enum Outcome {
    Listed {
        /// A line a step.
        listing: Vec<String>,
    },
    Run(Run),
}

#[derive(Serialize)]
struct Run {
    backend: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    device: Option<String>,
    /// The median, where the work was repeated.
    solve_ms: Ms,
    #[serde(skip_serializing_if = "Option::is_none")]
    solve_min_ms: Option<Ms>,
    /// The results that are not written to a file.
    results: Results,
    #[serde(skip_serializing_if = "Option::is_none")]
    operations: Option<Operations>,
}

pub(super) fn run(args: &RunArgs, common: &Common) -> anyhow::Result<()> {
    let shown = args.file.display();
    let text = read_text(&args.file).map_err(|error| anyhow!("{shown}: {error}"))?;
    let text = Text::parse(&text).map_err(|error| anyhow!("{shown}:{error}"))?;
    let proc = args.procedure.as_deref().or_else(|| text.names().last()).unwrap_or_default();
    let Some(parameters) = text.parameters(proc) else {
        let known: Vec<_> = text.names().collect();
        let known = known.join(", ");
        return Err(WrongUse(format!(
            "{shown}: there is no procedure {proc}; the file has {known}"
        ))
        .into());
    };
    let outputs = Outputs::check(args, proc, &parameters, &inputs(args))?;
    let arguments = Arguments::read(args, proc, &parameters)?;
    let from = if args.from_one { CountFrom::One } else { CountFrom::Zero };
    let task = Task::of(&text, proc, arguments.values(), from)
        .map_err(|error| anyhow!("{shown}:{error} (called with {arguments})"))?;
    let task = match args.most_turns {
        Some(turns) => task.with_most_turns(turns),
        None => task,
    };
    let done = if args.list {
        let listing = task.program().to_string().lines().map(str::to_owned).collect();
        Outcome::Listed { listing }
    } else {
        let read = |run: &mut dyn Runner| {
            let value = |(name, _): (&str, &Value)| Ok((name.to_owned(), run.get(name)?));
            task.arguments().map(value).collect()
        };
        let done = execute(&task, args.cost, common, read);
        let done = done.map_err(|error| match error.downcast_ref() {
            Some(StarError::Endless { .. }) => anyhow!("{shown}: {proc}: {error} (--most-turns)"),
            Some(StarError::InText { .. }) => anyhow!("{shown}:{error}"),
            Some(_) => anyhow!("{shown}: {proc}: {error}"),
            None => error,
        });
        Outcome::Run(Run::of(done?, args, &parameters, &outputs, common)?)
    };
    let report = Report {
        command: "star run",
        program: shown.to_string(),
        procedure: proc.to_owned(),
        arguments: arguments.0.iter().map(Described::of).collect(),
        sizes: arguments.to_string(),
        steps: task.program().instructions().len(),
        done,
    };
    report::print(&report, common)
}

impl Run {
    /// Writes results to the files of `-o`, and reports the others.
    fn of(
        Done { found: values, times, device, operations, .. }: Done<HashMap<String, Value>>,
        args: &RunArgs,
        parameters: &[Parameter],
        outputs: &Outputs<'_>,
        common: &Common,
    ) -> anyhow::Result<Self> {
        let first = usize::from(args.from_one);
        outputs.write(&values, first)?;
        let left = parameters.iter().filter(|p| p.is_result && !outputs.has(&p.name));
        let result = |p: &Parameter| Ok((p.name.clone(), Held::of(&values[&p.name], first)?));
        Ok(Self {
            backend: if device.is_some() { "cuda" } else { "cpu" },
            device,
            solve_ms: median(&times),
            solve_min_ms: least(&times, common),
            results: Results(left.map(result).collect::<Result<_, StarError>>()?),
            operations,
        })
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { procedure, sizes, steps, .. } = self;
        match &self.done {
            Outcome::Listed { listing } => {
                writeln!(f, "{procedure}({sizes})")?;
                listing.iter().try_for_each(|line| writeln!(f, "{line}"))
            }
            Outcome::Run(run) => {
                let Run { backend, solve_ms, .. } = run;
                write!(
                    f,
                    "{procedure}({sizes}): {steps} steps; took {solve_ms} ms on {backend}{}",
                    run.results
                )?;
                run.operations.iter().try_for_each(|operations| write!(f, "\n{operations}"))
            }
        }
    }
}
