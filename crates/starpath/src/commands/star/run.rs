//! A program in the language Star, with arguments from the command line.

mod arguments;
mod execution;
mod given;
mod results;
mod table;

use std::fmt;

use anyhow::anyhow;
use serde::Serialize;
use star_machine::{CountFrom, Program, StarError, Text};

use self::arguments::{Arguments, Described, inputs};
use self::execution::{Done, cost, execute};
use self::results::{Held, Outputs, Results};
use super::operations::Operations;
use crate::backend;
use crate::cli::{Common, RunArgs};
use crate::failure::WrongUse;
use crate::numbers::read_text;
use crate::report::{self, Ms};
use crate::search::{Times, repeated};

#[derive(Serialize)]
struct Report {
    command: &'static str,
    program: String,
    /// The procedure of it that was compiled.
    procedure: String,
    arguments: Vec<Described>,
    /// As people read them.
    #[serde(skip)]
    sizes: String,
    /// Of the compiled program.
    steps: usize,
    #[serde(flatten)]
    done: Outcome,
}

/// What was done with the program.
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
    /// What is written to no file.
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
        return Err(WrongUse(format!("{shown}: no procedure {proc}; there are {known}")).into());
    };
    let outputs = Outputs::check(args, proc, &parameters, &inputs(args))?;
    let arguments = Arguments::read(args, proc, &parameters)?;
    let from = if args.from_one { CountFrom::One } else { CountFrom::Zero };
    let program = text
        .compile(proc, &arguments.sizes(), from)
        .map_err(|error| anyhow!("{shown}:{error} (called with {arguments})"))?;
    let program = match args.most_turns {
        Some(turns) => program.with_most_turns(turns),
        None => program,
    };
    let done = if args.list {
        let listing = program.to_string().lines().map(str::to_owned).collect();
        Outcome::Listed { listing }
    } else {
        let explain = |error| match error {
            StarError::Endless { .. } => anyhow!("{shown}: {proc}: {error}, by --most-turns"),
            StarError::InText { .. } => anyhow!("{shown}:{error}"),
            _ => anyhow!("{shown}: {proc}: {error}"),
        };
        Outcome::Run(run_program(args, &program, &arguments, &outputs, &explain, common)?)
    };
    let report = Report {
        command: "star run",
        program: shown.to_string(),
        procedure: proc.to_owned(),
        arguments: arguments.0.iter().map(Described::of).collect(),
        sizes: arguments.to_string(),
        steps: program.instructions().len(),
        done,
    };
    report::print(&report, common)
}

fn run_program(
    args: &RunArgs,
    program: &Program,
    arguments: &Arguments,
    outputs: &Outputs<'_>,
    explain: &dyn Fn(StarError) -> anyhow::Error,
    common: &Common,
) -> anyhow::Result<Run> {
    let gpu = backend::gpu_on_request(common)?;
    let mut times = Vec::new();
    let (Done { values, .. }, _) = repeated(common, || {
        let done = execute(program, arguments, gpu.as_ref()).map_err(explain)?;
        times.push(done.time.0);
        Ok(done)
    })?;
    let operations =
        if args.cost { Some(cost(program, arguments).map_err(explain)?) } else { None };
    let first = usize::from(args.from_one);
    outputs.write(arguments, &values, first)?;
    let mut results = Vec::new();
    for (number, (argument, value)) in arguments.0.iter().zip(&values).enumerate() {
        let parameter = &argument.parameter;
        if parameter.is_result && !outputs.has(number) {
            results.push((parameter.name.clone(), Held::of(parameter.of, value, first)?));
        }
    }
    let solve = Times::of(times)?;
    Ok(Run {
        backend: if gpu.is_some() { "cuda" } else { "cpu" },
        device: gpu.map(|gpu| gpu.properties().name.clone()),
        solve_ms: solve.median(),
        solve_min_ms: solve.least(common),
        results: Results(results),
        operations: operations.map(Operations::of),
    })
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
