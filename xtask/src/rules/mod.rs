//! The house rules: what the project promises of its own code, each held by a check.
//!
//! A rule is a function from the [`Workspace`] to what it found wrong. It lives in its
//! own file, with a test that shows it a violation, and is listed in [`ALL`].

mod arrows;
mod build_scripts;
mod default_features;
mod file_form;
mod includes;
mod licences;
mod links;
mod loose_ends;
mod machine_paths;
mod manifests;
mod owners;
mod readmes;
mod references;
mod sentences;
mod unsafe_places;
mod words;

use std::fmt;

use crate::workspace::Workspace;

/// A promise and the check that holds it.
pub(crate) struct Rule {
    /// A short name.
    pub(crate) name: &'static str,
    /// What holds when the check finds nothing.
    pub(crate) promise: &'static str,
    /// The check.
    pub(crate) check: fn(&Workspace) -> Vec<Finding>,
}

/// All rules.
pub(crate) const ALL: [Rule; 16] = [
    arrows::RULE,
    owners::RULE,
    default_features::RULE,
    unsafe_places::RULE,
    file_form::RULE,
    loose_ends::RULE,
    manifests::RULE,
    licences::RULE,
    build_scripts::RULE,
    references::RULE,
    includes::RULE,
    readmes::RULE,
    links::RULE,
    machine_paths::RULE,
    sentences::RULE,
    words::RULE,
];

/// A place where a rule does not hold.
#[derive(Debug)]
pub(crate) struct Finding {
    /// The file, relative to the root.
    pub(crate) path: String,
    /// The line in it, from 1; 0 when it is about the file as a whole.
    pub(crate) line: usize,
    /// What is wrong and what to do.
    pub(crate) message: String,
}

impl Finding {
    fn new(path: &str, line: usize, message: impl Into<String>) -> Self {
        Self { path: path.to_owned(), line, message: message.into() }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.path)?;
        if self.line > 0 {
            write!(f, ":{}", self.line)?;
        }
        write!(f, ": {}", self.message)
    }
}

/// The findings as (file, line), for tests.
#[cfg(test)]
fn places(findings: &[Finding]) -> Vec<(&str, usize)> {
    findings.iter().map(|finding| (finding.path.as_str(), finding.line)).collect()
}
