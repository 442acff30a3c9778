//! From CUDA C++ to PTX that is the same on every machine.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result, ensure};

use super::cache::Cache;
use super::lock::hash;
use super::manifest::Module;
use super::read;
use super::toolkit::{Toolkit, VERSION, output_of};

/// No line numbers: they would name the folders of the building machine.
const FLAGS: [&str; 5] = ["-ptx", "-std=c++17", "-O3", "-Werror", "all-warnings"];

/// The PTX of a module.
pub(super) fn ptx_of(
    toolkit: &Toolkit,
    cache: &Cache,
    kernels: &Path,
    module: &Module,
) -> Result<String> {
    let key = format!("{}.ptx", inputs_hash(kernels, module)?);
    let compiled = cache.get(&key, |scratch| {
        let mut nvcc = toolkit.nvcc();
        nvcc.current_dir(kernels).args(flags(module)).arg(&module.source).arg("-o").arg(scratch);
        output_of(&mut nvcc)?;
        Ok(fs::read_to_string(scratch)?)
    });
    let compiled = compiled.with_context(|| format!("{} does not compile", module.name))?;
    let text = cleaned(&compiled, module)?;
    check_entries(&text, module)?;
    Ok(text)
}

fn flags(module: &Module) -> Vec<String> {
    let mut flags: Vec<String> = FLAGS.map(str::to_owned).into();
    flags.push(format!("-arch=compute_{}", module.architecture()));
    flags.extend(module.defines.iter().map(|define| format!("-D{define}")));
    flags
}

/// The hash of all that the PTX depends on: the source, what it includes, flags, the
/// version that it will claim, and the compiler.
pub(super) fn inputs_hash(kernels: &Path, module: &Module) -> Result<String> {
    let mut inputs = format!("{VERSION}\n{}\n{}\n", flags(module).join(" "), module.version);
    for path in with_includes(kernels, &module.source)? {
        let text = read(&kernels.join(&path))?;
        let _ = writeln!(inputs, "{path} {}\n{text}", text.len());
    }
    Ok(hash(&inputs))
}

/// The file and all that it includes by `#include "..."`, each once.
fn with_includes(kernels: &Path, source: &str) -> Result<Vec<String>> {
    let mut paths = vec![source.to_owned()];
    let mut n_read = 0;
    while let Some(path) = paths.get(n_read).cloned() {
        n_read += 1;
        let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
        for line in read(&kernels.join(&path))?.lines() {
            let Some(rest) = line.trim_start().strip_prefix("#include \"") else { continue };
            let included = rest.split('"').next().unwrap_or(rest);
            let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
            for part in included.split('/') {
                if part == ".." { _ = parts.pop() } else { parts.push(part) }
            }
            let included = parts.join("/");
            if !paths.contains(&included) {
                paths.push(included);
            }
        }
    }
    Ok(paths)
}

/// A remark for memory checkers about the load after it, which assemblers take only where
/// the text claims a version of 8.3 or more.
const UNUSED_BYTES: &str = ".pragma \"used_bytes_mask";

/// The text without what only readers need, for each program has all of it: the compiler's comments are
/// replaced by ours, blank lines and indentation go, and the version is lowered. The brackets of
/// blocks in an entry stay indented.
fn cleaned(compiled: &str, module: &Module) -> Result<String> {
    let mut text = format!("// Built by `cargo xtask ptx` from kernels/{}.\n", module.source);
    let mut n_versions = 0;
    for line in compiled.lines() {
        let said = line.trim();
        if said.is_empty() || said.starts_with("//") || said.starts_with(UNUSED_BYTES) {
            continue;
        }
        if said.starts_with(".version ") {
            n_versions += 1;
            let _ = writeln!(text, ".version {}", module.version);
        } else {
            text += if said.starts_with('}') { line.trim_end() } else { said };
            text += "\n";
        }
    }
    ensure!(n_versions == 1, "{}: the PTX says its version {n_versions} times", module.name);
    Ok(text)
}

fn check_entries(text: &str, module: &Module) -> Result<()> {
    for (entry, wanted) in &module.entries {
        let body = body_of(text, entry);
        let body = body.with_context(|| format!("{} has no entry {entry}", module.name))?;
        for (part, &n_wanted) in wanted {
            let n_found = body.lines().filter(|line| line.contains(part.as_str())).count();
            ensure!(
                n_found == n_wanted,
                "{}: {entry} has {part:?} in {n_found} lines of PTX, not in {n_wanted}",
                module.name
            );
        }
    }
    Ok(())
}

/// The PTX of one entry.
fn body_of<'a>(text: &'a str, entry: &str) -> Option<&'a str> {
    let start = [format!(".entry {entry}("), format!(".entry {entry}\n")];
    let start = start.iter().find_map(|start| text.find(start.as_str()))?;
    let length = text[start..].find("\n}")?;
    Some(&text[start..start + length])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn module(entries: &[(&str, &str, usize)]) -> Module {
        let entries =
            entries.iter().map(|&(entry, text, n)| (entry.into(), [(text.into(), n)].into()));
        Module {
            name: "a/b".into(),
            source: "a/b.cu".into(),
            target: 75,
            exact: false,
            version: "6.3".into(),
            defines: vec!["X=1".into()],
            entries: entries.collect(),
        }
    }

    const COMPILED: &str = "//\n// Build ID: 1\n//\n\n.version 9.0\n.target sm_75\n\n\n\
                            .visible .entry go(\n)\n{\n\t.pragma \"used_bytes_mask 15\";\n\t{ // a\n\t}\n\tld.a \n\tret;\n\n}\n\
                            .visible .entry stay()\n{\n\tret;\n}\n";

    #[test]
    fn comments_go_and_the_version_falls() {
        let text = cleaned(COMPILED, &module(&[])).unwrap();
        let begin = "// Built by `cargo xtask ptx` from kernels/a/b.cu.\n.version 6.3\n";
        assert!(text.starts_with(begin));
        assert!(!text.contains("pragma") && !text.contains("Build ID"));
        assert!(!text.contains("\n\n") && !text.contains(" \n") && !text.contains("\tret"));
        assert!(cleaned("", &module(&[])).is_err());
    }

    #[test]
    fn entries_have_what_they_must() {
        let text = cleaned(COMPILED, &module(&[])).unwrap();
        let verdict = |entries| check_entries(&text, &module(entries)).is_ok();
        assert!(verdict(&[("go", "ld.a", 1), ("stay", "ld.a", 0)]));
        assert!(!verdict(&[("go", "ld.a", 2)]));
        assert!(!verdict(&[("g", "ld.a", 0)]));
    }

    #[test]
    fn all_that_is_included_counts() {
        let folder = std::env::temp_dir().join(format!("xtask-compile-{}", std::process::id()));
        fs::create_dir_all(folder.join("a")).unwrap();
        let put = |path: &str, text: &str| fs::write(folder.join(path), text).unwrap();
        put("a/b.cu", "#include \"../c.cuh\"\n#include <cstdio>\n");
        put("c.cuh", "#include \"d.cuh\"\n");
        put("d.cuh", "#include \"c.cuh\"\n");
        assert_eq!(with_includes(&folder, "a/b.cu").unwrap(), ["a/b.cu", "c.cuh", "d.cuh"]);
        let before = inputs_hash(&folder, &module(&[])).unwrap();
        put("d.cuh", "\n");
        assert_ne!(inputs_hash(&folder, &module(&[])).unwrap(), before);
        fs::remove_dir_all(folder).unwrap();
    }
}
