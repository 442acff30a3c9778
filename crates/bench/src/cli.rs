//! The command line: a study by its name, or what is made of runs that there are.

use std::ffi::OsString;
use std::fmt::Write;
use std::path::{Path, PathBuf};

use anyhow::{Result, ensure};
use clap::{Arg, ArgAction, ArgMatches, Command, FromArgMatches, Subcommand};

use crate::compare;
use crate::first::First;
use crate::machine::{self, Machine};
use crate::records::Records;
use crate::run::{About, merged, new_folder, read};
use crate::studies::{self, ALL};
use crate::study::{Bench, Common, Entry};

/// What is made of runs that there are.
#[derive(Subcommand)]
enum OfRuns {
    /// Says what became faster or slower between two runs, beyond noise
    Compare {
        /// The folder of a run
        before: PathBuf,
        /// That of a later one
        after: PathBuf,
    },
    /// Makes one report of the raw figures of runs of a study
    Report {
        /// The folders of the runs
        #[arg(required = true)]
        runs: Vec<PathBuf>,
        /// Where the new folder is made [default: target/bench]
        #[arg(long)]
        out: Option<PathBuf>,
        /// Its name [default: date, time and commit]
        #[arg(long)]
        name: Option<String>,
    },
    /// Searches a graph a few times, for sssp --first
    #[command(hide = true)]
    First(First),
}

/// The command line.
fn command() -> Command {
    let command = Command::new("bench")
        .version(env!("CARGO_PKG_VERSION"))
        .about("Times every solver of the project beside its peers, and writes a report")
        .long_about(
            "Times every solver of the project beside its peers, and writes a report.\n\nEvery \
             answer is checked before it is timed. A report is a new folder with index.html, \
             summary.md (the same as text), raw.csv (every run), run.json (the machine) and the \
             plots.",
        )
        .after_help("Without a study it is sssp: cargo xtask bench --graphs rmat-16 --runs 9")
        .arg(Arg::new("list").long("list").action(ArgAction::SetTrue).help("Name the studies"))
        .disable_help_subcommand(true)
        .subcommands(ALL.map(|entry| (entry.command)()));
    OfRuns::augment_subcommands(command)
}

/// Does what the arguments ask for; what is to be printed.
///
/// # Errors
/// When it cannot, or an answer is wrong.
pub fn run(arguments: &[OsString]) -> Result<String> {
    let arguments = &with_study(arguments);
    let matches = command().get_matches_from(arguments);
    let Some((name, options)) = matches.subcommand() else { return Ok(list()) };
    if let Some(entry) = studies::find(name) {
        let common = Common::from_arg_matches(options)?;
        return report(&entry, common.out.as_ref(), common.name.as_ref(), |machine| {
            measured(&entry, options, &common, arguments, machine)
        });
    }
    match OfRuns::from_arg_matches(&matches)? {
        OfRuns::Compare { before, after } => {
            let ((old, before), (new, after)) = (read(&before)?, read(&after)?);
            let (old, new) = (old.study, new.study);
            ensure!(old == new, "one run is of {old}, the other of {new}");
            Ok(compare::page(&before, &after).summary(""))
        }
        OfRuns::First(first) => first.run(),
        OfRuns::Report { runs, out, name } => {
            let (entry, about, records) = merged(&runs)?;
            report(&entry, out.as_ref(), name.as_ref(), move |_| Ok((about, records)))
        }
    }
}

/// Options without the name of a study are of the one for which there is no other name.
fn with_study(arguments: &[OsString]) -> Vec<OsString> {
    let first = arguments.get(1).and_then(|first| first.to_str()).unwrap_or("--");
    let mut arguments = arguments.to_vec();
    if first.starts_with('-') && !["--list", "--help", "-h", "--version", "-V"].contains(&first) {
        arguments.insert(1.min(arguments.len()), "sssp".into());
    }
    arguments
}

fn measured(
    entry: &Entry,
    matches: &ArgMatches,
    common: &Common,
    arguments: &[OsString],
    machine: &Machine,
) -> Result<(About, Records)> {
    let bench = Bench::new(common)?;
    (entry.measure)(matches, &bench)?;
    let arguments = arguments.iter().skip(1).map(|text| text.to_string_lossy().into_owned());
    let threads = format!("- threads: {}, where a solver takes more than one\n", bench.threads());
    let about = About {
        study: entry.name.to_owned(),
        arguments: arguments.collect(),
        machine: format!("{}{}{threads}", machine.markdown, machine::gpu()),
    };
    let records = bench.records().clone();
    Ok((about, records))
}

fn report(
    entry: &Entry,
    out: Option<&PathBuf>,
    name: Option<&String>,
    measure: impl FnOnce(&Machine) -> Result<(About, Records)>,
) -> Result<String> {
    // a driver that this process has started stays so, and programs that it starts are faster
    let machine = Machine::without_driver();
    let beside = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/bench");
    let out = out.cloned().unwrap_or_else(beside);
    let name = name.cloned().unwrap_or_else(|| machine.stamp.clone());
    let (folder, summary) = new_folder(&out, &name, entry, || measure(&machine))?;
    Ok(format!("{summary}\nwritten to {}", folder.display()))
}

fn list() -> String {
    let mut text = String::new();
    for entry in ALL {
        let about = (entry.command)().get_about().map(ToString::to_string).unwrap_or_default();
        // writing to a String does not fail
        let _ = writeln!(text, "{:18} {about}", entry.name);
    }
    text
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::page::Page;

    /// The summary, all space as one blank, and the records of a short run of a study.
    pub(crate) fn written(study: &str) -> (String, Records) {
        short_run(study).unwrap()
    }

    /// Why there is none.
    pub(crate) fn failed(study: &str) -> String {
        format!("{:#}", short_run(study).unwrap_err())
    }

    fn short_run(study: &str) -> Result<(String, Records)> {
        let out = tempfile::tempdir()?;
        let line = format!("bench {study} --runs 2 --name run --out {}", out.path().display());
        run(&arguments(&line))?;
        let folder = out.path().join("run");
        let summary = std::fs::read_to_string(folder.join("summary.md"))?;
        Ok((words(&summary), read(&folder)?.1))
    }

    /// What a page says, all space as one blank.
    pub(crate) fn said(page: &Page) -> String {
        words(&page.summary(""))
    }

    fn words(text: &str) -> String {
        text.split_whitespace().collect::<Vec<_>>().join(" ")
    }

    fn arguments(line: &str) -> Vec<OsString> {
        line.split(' ').map(OsString::from).collect()
    }

    #[test]
    fn commands_are_consistent_and_listed() {
        command().debug_assert();
        let listed = run(&arguments("bench --list")).unwrap();
        assert_eq!(listed.lines().count(), ALL.len());
        for entry in ALL {
            let line = listed.lines().find(|line| line.starts_with(entry.name)).unwrap();
            assert!(line.len() > 30, "{line}");
        }
    }

    #[test]
    fn a_run_is_reported_again_and_compared() {
        let out = tempfile::tempdir().unwrap();
        let path = |name: &str| out.path().join(name).display().to_string();
        let line = format!("bench min-plus --sizes 60 --runs 2 --out {} --name", path(""));
        let said = run(&arguments(&format!("{line} a"))).unwrap();
        assert!(said.contains("| f64 "), "{said}");
        run(&arguments(&format!("{line} b"))).unwrap();
        assert!(run(&arguments(&format!("{line} b"))).is_err(), "the folder is there already");
        let again = format!("bench report {} --out {} --name c", path("a"), path(""));
        run(&arguments(&again)).unwrap();
        for name in ["raw.csv", "summary.md", "index.html"] {
            let file = |folder: &str| std::fs::read_to_string(out.path().join(folder).join(name));
            assert_eq!(file("c").unwrap(), file("a").unwrap(), "{name}");
        }
        let said = run(&arguments(&format!("bench compare {} {}", path("a"), path("b")))).unwrap();
        assert!(said.contains("beyond noise"), "{said}");
        let none = run(&arguments(&format!("bench compare {} {}", path("a"), path(""))));
        assert!(format!("{:#}", none.unwrap_err()).contains("cannot read"));
    }
}
