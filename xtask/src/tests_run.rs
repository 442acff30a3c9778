//! Runs tests, each in a process of its own, two at a time for each processor.
//!
//! So every test has a time and an output, the processors are busy to the last program, and a
//! test that ends its process fails alone. Many tests wait: for a disk, for a signal to arrive, for
//! ranks to start. A test that cannot do its work here (no data, no
//! device) prints a line that starts with `SKIPPED` and passes.

use std::process::{Command, Output, Stdio};
use std::sync::Mutex;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};

use crate::artifact::Artifact;
use crate::report::Outcome;

/// A test of a program.
struct Test<'a> {
    program: &'a Artifact,
    name: String,
}

/// Runs all tests of these programs, and prints what those that fail have printed.
pub(crate) fn run(programs: &[Artifact]) -> Result<Outcome> {
    let mut tests = Vec::new();
    for program in programs.iter().filter(|program| program.is_test) {
        let output = command(program, &["--list", "--format", "terse"]).output();
        let output = output.with_context(|| format!("cannot start {:?}", program.file))?;
        ensure!(output.status.success(), "{:?} does not list its tests", program.file);
        let list = String::from_utf8_lossy(&output.stdout);
        let names = list.lines().filter_map(|line| line.strip_suffix(": test"));
        tests.extend(names.map(|name| Test { program, name: name.to_owned() }));
    }
    println!("running {} tests", tests.len());
    let (queue, outcome) = (Mutex::new(tests.into_iter()), Mutex::new(Outcome::default()));
    let work = || -> Result<()> {
        loop {
            let next = queue.lock().expect("no thread panics").next();
            let Some(test) = next else { return Ok(()) };
            let (output, time) = test.run()?;
            outcome.lock().expect("no thread panics").add_test(&test.title(), &output, time);
        }
    };
    thread::scope(|scope| {
        let threads = 2 * thread::available_parallelism().map_or(1, usize::from);
        let threads: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        threads.into_iter().try_for_each(|thread| thread.join().expect("no thread panics"))
    })?;
    Ok(outcome.into_inner()?)
}

impl Test<'_> {
    fn title(&self) -> String {
        format!("{} {}: {}", self.program.package(), self.program.name, self.name)
    }

    fn run(&self) -> Result<(Output, Duration)> {
        let start = Instant::now();
        let output = command(self.program, &["--exact", &self.name, "--show-output"]).output();
        Ok((output.with_context(|| format!("cannot start {}", self.title()))?, start.elapsed()))
    }
}

/// The program with what cargo would start it with.
fn command(program: &Artifact, arguments: &[&str]) -> Command {
    let mut command = Command::new(&program.file);
    command.args(arguments).current_dir(&program.folder);
    command.env("CARGO_MANIFEST_DIR", &program.folder);
    command
}

impl Outcome {
    fn add_test(&mut self, title: &str, output: &Output, time: Duration) {
        self.times.push((time, title.to_owned()));
        let said = String::from_utf8_lossy(&output.stdout);
        let reasons = said.lines().filter_map(|line| line.strip_prefix("SKIPPED"));
        let reasons: Vec<_> = reasons.map(|reason| reason.trim_start_matches([':', ' '])).collect();
        if !output.status.success() {
            println!("{said}{}{title}: FAILED", String::from_utf8_lossy(&output.stderr));
            self.n_failed += 1;
        } else if reasons.is_empty() {
            self.n_passed += 1;
        } else {
            self.skipped.push(format!("{title}: {}", reasons.join("; ")));
        }
    }
}

/// Runs this command of `cargo test --doc`, whose tests cargo starts itself.
pub(crate) fn run_doc_tests(command: &mut Command) -> Result<Outcome> {
    let output = command.stderr(Stdio::inherit()).output();
    let output = output.context("cannot start cargo")?;
    let said = String::from_utf8_lossy(&output.stdout);
    let outcome = doc_tests_of(&said, output.status.success());
    if outcome.n_failed > 0 {
        println!("{said}");
    }
    Ok(outcome)
}

fn doc_tests_of(said: &str, has_passed: bool) -> Outcome {
    let mut outcome = Outcome::default();
    for line in said.lines() {
        if let Some(result) = line.strip_prefix("test result: ") {
            outcome.n_passed += count(result, "passed");
            outcome.n_failed += count(result, "failed");
        } else if let Some((test, _)) = line.split_once(" ... ignored") {
            let test = test.trim_start_matches("test ");
            outcome.skipped.push(format!("{test} is marked to be ignored"));
        }
    }
    // where something does not compile, no test says that it failed
    outcome.n_failed = if has_passed { 0 } else { outcome.n_failed.max(1) };
    outcome
}

/// The number before a word, as in `3 passed; 0 failed`.
fn count(result: &str, word: &str) -> usize {
    let words: Vec<&str> = result.split([' ', ';', '.']).collect();
    let found = words.windows(2).find(|pair| pair[1] == word);
    found.and_then(|pair| pair[0].parse().ok()).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;

    fn said(script: &str) -> Output {
        Command::new("sh").args(["-c", script]).output().unwrap()
    }

    #[test]
    fn tests_are_counted_timed_and_skips_collected() {
        let mut outcome = Outcome::default();
        let second = Duration::from_secs(1);
        outcome.add_test("a all: passes", &said("echo hello"), second);
        let skips = "echo SKIPPED: no data; echo SKIPPED: and no time";
        outcome.add_test("a all: skips", &said(skips), second);
        outcome.add_test("a all: fails", &said("echo SKIPPED: so it says; exit 101"), second);
        assert_eq!((outcome.n_passed, outcome.n_failed), (1, 1));
        assert_eq!(outcome.skipped, ["a all: skips: no data; and no time"]);
        assert_eq!(outcome.times.len(), 3);
    }

    #[test]
    fn the_tests_of_a_program_are_found_and_run() {
        let program = |file| Artifact {
            name: "xtask".into(),
            folder: PathBuf::from(env!("CARGO_MANIFEST_DIR")),
            is_test: true,
            file,
        };
        // a program with no tests, as far as it says
        let outcome = run(&[program("true".into())]).unwrap();
        assert_eq!((outcome.n_passed, outcome.n_failed), (0, 0));
        let this = program(std::env::current_exe().unwrap());
        let test = Test { program: &this, name: "tests_run::tests::numbers_before_words".into() };
        let (output, time) = test.run().unwrap();
        assert!(output.status.success() && time > Duration::ZERO);
        assert!(String::from_utf8_lossy(&output.stdout).contains("1 passed"), "{output:?}");
    }

    #[test]
    fn numbers_before_words() {
        assert_eq!(count("FAILED. 12 passed; 3 failed; 0 ignored", "failed"), 3);
        assert_eq!(count("ok", "passed"), 0);
    }

    #[test]
    fn doc_tests_are_counted() {
        let log = "test src/lib.rs - f (line 3) ... ignored\n\
                   test result: FAILED. 2 passed; 1 failed; 1 ignored; 0 measured;\n\
                   test result: ok. 10 passed; 0 failed; 0 ignored; 0 measured;\n";
        let outcome = doc_tests_of(log, false);
        assert_eq!((outcome.n_passed, outcome.n_failed), (12, 1));
        assert_eq!(outcome.skipped, ["src/lib.rs - f (line 3) is marked to be ignored"]);
        assert_eq!(doc_tests_of("", false).n_failed, 1);
        assert_eq!(doc_tests_of("", true).n_failed, 0);
    }
}
