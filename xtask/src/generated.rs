//! Whether the code of every crate is generated in its own library.
//!
//! A generic function is compiled in each crate that calls it with a type. A solver's crate keeps
//! its code to itself by functions without type parameters (ARCHITECTURE.md says how); where one
//! was forgotten, its loops are in the libraries above as well, and everything takes longer to
//! build. That shows in what the libraries define.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};

use crate::workspace::Workspace;

/// Bytes of machine code from which on a function is more than calls of others.
const MIN_BYTES: u64 = 12_288;

/// What runs closures of the crates above, whose code becomes part of it.
const RUNNERS: [&str; 3] =
    ["graph_formats::parallel::", "search_parts::pool::", "search_parts::threads::"];

/// Looks through the libraries that are published, in a folder of what cargo has built, the newest
/// of each, for large functions of other crates.
pub(crate) fn check(folder: &Path) -> Result<bool> {
    let workspace = Workspace::load()?;
    let crates: Vec<String> = workspace.members().map(|member| library_of(&member.name)).collect();
    let published = workspace.members().filter(|member| member.is_published);
    let libraries: Vec<String> = published.map(|member| library_of(&member.name)).collect();
    let mut findings = Vec::new();
    for library in &libraries {
        let Some(file) = newest(folder, library)? else { continue };
        let output = Command::new("nm")
            .args(["--defined-only", "--print-size", "--demangle"])
            .arg(&file)
            .output()
            .context("cannot start nm")?;
        ensure!(output.status.success(), "nm cannot read {}", file.display());
        for symbol in String::from_utf8_lossy(&output.stdout).lines() {
            let Some((bytes, function)) = function_of(symbol) else { continue };
            if RUNNERS.iter().any(|runner| function.starts_with(runner)) {
                continue;
            }
            let owner = crates.iter().find(|owner| owner_of(function) == **owner);
            if let Some(owner) = owner.filter(|owner| *owner != library && bytes >= MIN_BYTES) {
                findings.push((owner, function.to_owned(), library, bytes));
            }
        }
    }
    findings.sort();
    findings.dedup_by(|a, b| (a.0, &a.1, a.2) == (b.0, &b.1, b.2));
    for (owner, function, library, bytes) in &findings {
        println!("{library} has code of {owner}: {function}, {bytes} bytes  [generated]");
    }
    Ok(findings.is_empty())
}

/// The name of a package's library, which is without the prefix that the registry needs.
fn library_of(package: &str) -> String {
    package.trim_start_matches("starpath-").replace('-', "_")
}

/// The newest library of a crate.
fn newest(folder: &Path, name: &str) -> Result<Option<PathBuf>> {
    let entries = fs::read_dir(folder).with_context(|| format!("cannot list {folder:?}"))?;
    let mut found = None;
    for entry in entries {
        let path = entry?.path();
        let file = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let hash = file.strip_prefix("lib").and_then(|file| file.strip_prefix(name));
        if hash.is_some_and(|hash| hash.starts_with('-') && hash.ends_with(".rlib")) {
            let time = path.metadata()?.modified()?;
            found = found.max(Some((time, path)));
        }
    }
    Ok(found.map(|(_, path)| path))
}

/// The size and the name of a function, from a line of nm.
fn function_of(line: &str) -> Option<(u64, &str)> {
    let mut words = line.splitn(4, ' ');
    let (_, size, kind, name) = (words.next()?, words.next()?, words.next()?, words.next()?);
    let is_code = matches!(kind, "t" | "T" | "w" | "W");
    Some((u64::from_str_radix(size, 16).ok()?, name)).filter(|_| is_code)
}

/// The crate that a path begins with.
fn owner_of(function: &str) -> &str {
    let path = function.trim_start_matches(['<', '&', '[']);
    let path = path.trim_start_matches("mut ").trim_start_matches("dyn ");
    path.split("::").next().unwrap_or(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_have_an_owner_and_a_size() {
        let line =
            "0000000000000000 0000000000001a2f t <sssp::cpu::Dijkstra<W> as sssp::Search>::solve";
        let (bytes, function) = function_of(line).unwrap();
        assert_eq!((bytes, owner_of(function)), (0x1a2f, "sssp"));
        assert_eq!(owner_of("apsp::host::solve::{{closure}}"), "apsp");
        assert_eq!(owner_of("<&mut apsp::Rows<E> as core::fmt::Debug>::fmt"), "apsp");
        assert_eq!(owner_of("<u32 as sssp::SearchWeight>::tree"), "u32 as sssp");
        assert!(function_of("0000000000000010 0000000000000008 r anon").is_none());
        assert!(function_of("sssp.o:").is_none());
    }
}
