//! Whether every generation of GPUs takes the PTX, and what each kernel costs there.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;

use anyhow::{Context, Result};

use super::cache::Cache;
use super::lock::hash;
use super::manifest::Module;
use super::toolkit::{Toolkit, VERSION};

/// Turing, Ampere, Hopper, and Blackwell in data centres and elsewhere.
const GENERATIONS: [u32; 5] = [75, 80, 90, 100, 120];

/// A module to be assembled for one generation.
pub(super) struct Job<'a> {
    module: &'a Module,
    text: &'a str,
    generation: u32,
}

/// What a kernel needs.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Needs {
    registers: u32,
    spilled_bytes: u32,
}

/// The modules, each with its text, for every generation that is not below its target; where a
/// target is meant alone, for that one.
pub(super) fn jobs<'a>(modules: &'a [Module], texts: &'a [String]) -> Vec<Job<'a>> {
    let pairs = modules.iter().zip(texts);
    pairs
        .flat_map(|(module, text)| {
            let generations = GENERATIONS.into_iter().filter(|&generation| {
                generation == module.target || generation > module.target && !module.exact
            });
            generations.map(move |generation| Job { module, text, generation })
        })
        .collect()
}

impl Job<'_> {
    /// Assembles it: what each kernel needs, by name.
    pub(super) fn run(&self, toolkit: &Toolkit, cache: &Cache) -> Result<BTreeMap<String, Needs>> {
        let exact = if self.module.exact { "a" } else { "" };
        let arch = format!("-arch=sm_{}{exact}", self.generation);
        let key = format!("{}.ptxas", hash(&format!("{VERSION}\n{arch}\n{}", self.text)));
        let said = cache.get(&key, |scratch| {
            fs::write(scratch, self.text)?;
            let mut ptxas = toolkit.ptxas();
            // The report is on standard error, the code is not wanted.
            let output = ptxas.args(["-v", &arch, "-o", "/dev/null"]).arg(scratch).output()?;
            let said = String::from_utf8_lossy(&output.stderr).into_owned();
            anyhow::ensure!(output.status.success(), "{said}");
            Ok(said)
        });
        let name = &self.module.name;
        Ok(needs(&said.with_context(|| format!("{name} does not assemble, {arch}"))?))
    }
}

/// Reads what `ptxas -v` says.
fn needs(said: &str) -> BTreeMap<String, Needs> {
    let mut found: BTreeMap<String, Needs> = BTreeMap::new();
    let mut kernel = "";
    for line in said.lines() {
        if let Some((_, rest)) = line.split_once("Compiling entry function '") {
            kernel = rest.split('\'').next().unwrap_or(rest);
            found.insert(kernel.to_owned(), Needs::default());
        }
        let Some(needs) = found.get_mut(kernel) else { continue };
        needs.spilled_bytes += number_before(line, " bytes spill stores").unwrap_or(0);
        needs.registers += number_before(line, " registers").unwrap_or(0);
    }
    found
}

fn number_before(line: &str, word: &str) -> Option<u32> {
    let (before, _) = line.split_once(word)?;
    before.rsplit(' ').next()?.parse().ok()
}

/// Registers of each kernel for each generation, and bytes spilled where there are any.
pub(super) fn table(jobs: &[Job<'_>], reports: &[BTreeMap<String, Needs>]) -> String {
    let mut rows: BTreeMap<(&str, &str), BTreeMap<u32, &Needs>> = BTreeMap::new();
    for (job, report) in jobs.iter().zip(reports) {
        for (kernel, needs) in report {
            rows.entry((&job.module.name, kernel)).or_default().insert(job.generation, needs);
        }
    }
    let width = rows.keys().map(|(_, kernel)| kernel.len()).max().unwrap_or(0);
    let mut text = format!("{:<width$}", "registers (+ bytes spilled)");
    GENERATIONS.iter().for_each(|g| _ = write!(text, " {:>8}", format!("sm_{g}")));
    text += "\n";
    for ((_, kernel), by_generation) in rows {
        let _ = write!(text, "{kernel:<width$}");
        for generation in GENERATIONS {
            let cell = match by_generation.get(&generation) {
                None => "-".to_owned(),
                Some(Needs { registers, spilled_bytes: 0 }) => registers.to_string(),
                Some(needs) => format!("{}+{}", needs.registers, needs.spilled_bytes),
            };
            let _ = write!(text, " {cell:>8}");
        }
        text += "\n";
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reports_are_read() {
        let said = "ptxas info    : 0 bytes gmem\n\
            ptxas info    : Compiling entry function 'one' for 'sm_75'\n\
            ptxas info    : Function properties for one\n    \
            0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n\
            ptxas info    : Used 10 registers, used 0 barriers, 368 bytes cmem[0]\n\
            ptxas info    : Compiling entry function 'two' for 'sm_75'\n    \
            8 bytes stack frame, 16 bytes spill stores, 24 bytes spill loads\n\
            ptxas info    : Used 255 registers\n";
        let found = needs(said);
        assert_eq!(found["one"], Needs { registers: 10, spilled_bytes: 0 });
        assert_eq!(found["two"], Needs { registers: 255, spilled_bytes: 16 });
    }
}
