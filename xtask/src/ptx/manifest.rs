//! `kernels/modules.toml`: which modules there are, and how each is compiled. The file
//! itself explains its keys.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{Context, Result, ensure};
use serde::Deserialize;

/// A module to be built.
#[derive(Debug, PartialEq)]
pub(super) struct Module {
    /// `family/name`, as the PTX file and the constant have it.
    pub(super) name: String,
    /// The CUDA C++ file, relative to the folder of the kernels.
    pub(super) source: String,
    /// The virtual architecture: 75 for `compute_75`.
    pub(super) target: u32,
    /// Whether it has instructions of that architecture alone, as `compute_90a` does.
    pub(super) exact: bool,
    /// The PTX version that the text claims.
    pub(super) version: String,
    /// Macros to define.
    pub(super) defines: Vec<String>,
    /// Entries, and how many lines of each must have which text.
    pub(super) entries: BTreeMap<String, BTreeMap<String, usize>>,
}

impl Module {
    /// What stands for its target in the names of architectures: `75`, `90a`.
    pub(super) fn architecture(&self) -> String {
        format!("{}{}", self.target, if self.exact { "a" } else { "" })
    }
}

/// A table of the file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    source: String,
    target: u32,
    #[serde(default)]
    exact: bool,
    version: String,
    #[serde(default)]
    variants: BTreeMap<String, Vec<String>>,
    #[serde(default)]
    entries: BTreeMap<String, BTreeMap<String, usize>>,
}

/// The modules that this file lists, by name.
pub(super) fn load(path: &Path) -> Result<Vec<Module>> {
    parse(&super::read(path)?).with_context(|| format!("in {}", path.display()))
}

fn parse(text: &str) -> Result<Vec<Module>> {
    let tables: BTreeMap<String, Table> = toml::from_str(text)?;
    let mut modules = Vec::new();
    for (name, table) in tables {
        ensure!(name.split('/').count() == 2, "a module is named \"family/name\", not {name:?}");
        if table.variants.is_empty() {
            modules.push(module(&name, &table, "", &[]));
        }
        for (variant, defines) in &table.variants {
            modules.push(module(&name, &table, &format!("_{variant}"), defines));
        }
    }
    modules.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(modules)
}

fn module(name: &str, table: &Table, suffix: &str, defines: &[String]) -> Module {
    let entries = table.entries.iter();
    Module {
        name: format!("{name}{suffix}"),
        source: table.source.clone(),
        target: table.target,
        exact: table.exact,
        version: table.version.clone(),
        defines: defines.to_vec(),
        entries: entries.map(|(e, texts)| (format!("{e}{suffix}"), texts.clone())).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variants_are_modules() {
        let text = "[\"a/x\"]\nsource = \"a/x.cu\"\ntarget = 80\nversion = \"7.0\"\n\
                    variants.u32 = [\"W=1\"]\nvariants.f64 = []\nentries.go = { \"ld.\" = 2 }\n\
                    [\"a/b\"]\nsource = \"a/b.cu\"\ntarget = 75\nversion = \"6.3\"\n";
        let modules = parse(text).unwrap();
        let names: Vec<&str> = modules.iter().map(|module| module.name.as_str()).collect();
        assert_eq!(names, ["a/b", "a/x_f64", "a/x_u32"]);
        assert_eq!(modules[2].defines, ["W=1"]);
        assert_eq!(modules[2].architecture(), "80");
        assert_eq!(modules[2].entries["go_u32"]["ld."], 2);
    }

    #[test]
    fn an_architecture_may_be_meant_alone() {
        let text = "[\"a/x\"]\nsource = \"x.cu\"\ntarget = 90\nexact = true\nversion = \"8.0\"\n";
        assert_eq!(parse(text).unwrap()[0].architecture(), "90a");
    }

    #[test]
    fn wrong_keys_and_names_are_refused() {
        let table = "source = \"x.cu\"\ntarget = 75\nversion = \"6.3\"\n";
        assert!(parse(&format!("[\"a/x\"]\n{table}")).is_ok());
        assert!(parse(&format!("[x]\n{table}")).is_err());
        assert!(parse(&format!("[\"a/x\"]\n{table}flags = \"-g\"\n")).is_err());
    }
}
