//! `cargo xtask ptx`: builds the PTX in `kernels/ptx` from the CUDA C++ beside it, and
//! with `--check` proves that it is fresh and that every GPU takes it.
//!
//! The PTX is committed, so that the crates build without a CUDA toolkit. `ptx.lock` has the hashes
//! of each module's sources and of its PTX, which can be compared without a compiler. With the
//! compiler of the same release, the module is compiled again, and the PTX must be the same byte by
//! byte. When it is built, each module is assembled for every generation of GPUs from its target on;
//! the lock has only what was.

mod assemble;
mod cache;
mod compile;
mod lock;
mod manifest;
mod parallel;
mod toolkit;

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};

use crate::report::Outcome;
use crate::workspace::{cargo, root, target};
use cache::Cache;
use compile::inputs_hash;
use lock::{Lock, hash};
use manifest::Module;
use parallel::in_parallel;
use toolkit::{Toolkit, output_of};

/// What to do when something is not as it was built.
const REMEDY: &str = "run cargo xtask ptx";

/// Whether the PTX is fresh; says why where it is not, and what could not be looked at.
pub(crate) fn checked() -> bool {
    let outcome = check().unwrap_or_else(|error| {
        eprintln!("error: {error:#}");
        Outcome::of(false)
    });
    for reason in &outcome.skipped {
        println!("SKIPPED: {reason}");
    }
    outcome.n_failed == 0
}

/// Where the kernels are, and what is built from them.
struct Kernels {
    folder: PathBuf,
    modules: Vec<Module>,
}

impl Kernels {
    fn load() -> Result<Self> {
        let folder = root().join("kernels");
        let modules = manifest::load(&folder.join("modules.toml"))?;
        Ok(Self { folder, modules })
    }

    fn lock_path(&self) -> PathBuf {
        self.folder.join("ptx.lock")
    }

    fn ptx_path(&self, module: &Module) -> PathBuf {
        self.folder.join("ptx").join(format!("{}.ptx", module.name))
    }
}

/// Builds all modules.
pub(crate) fn build() -> Result<()> {
    let kernels = Kernels::load()?;
    for (text, file) in OF_STAR {
        write(&kernels.folder.join(file), &of_star(text)?)?;
    }
    let toolkit = Toolkit::find(&target()?)?;
    let cache = Cache::open(&target()?)?;
    let texts = in_parallel(&kernels.modules, |module| {
        compile::ptx_of(&toolkit, &cache, &kernels.folder, module)
    });
    let texts: Vec<String> = texts.into_iter().collect::<Result<_>>()?;
    assemble_all(&toolkit, &cache, &kernels.modules, &texts)?;
    let mut lock = Lock::default();
    for (module, text) in kernels.modules.iter().zip(&texts) {
        lock.insert(&module.name, inputs_hash(&kernels.folder, module)?, hash(text));
        write(&kernels.ptx_path(module), text)?;
    }
    for stray in strays(&kernels)? {
        fs::remove_file(&stray).with_context(|| format!("cannot remove {stray:?}"))?;
    }
    write(&kernels.lock_path(), &lock.to_string())
}

/// The parts of the STAR-machine's kernels that are made from Rust; tests of star-machine compare
/// them.
const OF_STAR: [(&str, &str); 2] =
    [("steps", "star/steps.cuh"), ("operations", "star/interpreter/operations.cuh")];

fn of_star(text: &str) -> Result<String> {
    let run = ["run", "--quiet", "--package", "star-machine", "--example", "in_cuda", "--", text];
    output_of(cargo().args(run))
}

/// Proves that the PTX is what its sources give, as far as this machine can.
pub(crate) fn check() -> Result<Outcome> {
    let kernels = Kernels::load()?;
    let complaints = compare_with_lock(&kernels)?;
    for complaint in &complaints {
        println!("{complaint}: {REMEDY}");
    }
    if !complaints.is_empty() {
        return Ok(Outcome::of(false));
    }
    let toolkit = match Toolkit::find(&target()?) {
        Ok(toolkit) => toolkit,
        Err(error) => {
            let reason = format!("PTX was compared with its lock only, not built again: {error:#}");
            return Ok(Outcome { skipped: vec![reason], ..Outcome::of(true) });
        }
    };
    let cache = Cache::open(&target()?)?;
    let compared = in_parallel(&kernels.modules, |module| {
        let text = compile::ptx_of(&toolkit, &cache, &kernels.folder, module)?;
        let is_same = text == read(&kernels.ptx_path(module))?;
        ensure!(is_same, "{}: the compiler makes other PTX of its source: {REMEDY}", module.name);
        Ok(())
    });
    compared.into_iter().collect::<Result<()>>()?;
    Ok(Outcome::of(true))
}

/// Each module that the lock says is not what was built, and each that the crate does not
/// hand on.
fn compare_with_lock(kernels: &Kernels) -> Result<Vec<String>> {
    let lock: Lock = read(&kernels.lock_path()).unwrap_or_default().parse()?;
    let constants = read(&kernels.folder.join("src/lib.rs"))?;
    let mut complaints = Vec::new();
    for module in &kernels.modules {
        let name = &module.name;
        let inputs = inputs_hash(&kernels.folder, module)?;
        let output = fs::read_to_string(kernels.ptx_path(module)).map(|text| hash(&text)).ok();
        match lock.get(name) {
            None => complaints.push(format!("{name} was never built")),
            Some((built_from, _)) if *built_from != inputs => {
                complaints.push(format!("{name} is stale, its source or flags have changed"));
            }
            Some((_, built)) if output.as_ref() != Some(built) => {
                complaints.push(format!("{name} is not as it was built, or missing"));
            }
            Some(_) => {}
        }
        if !constants.contains(&format!("\"{name}\"")) {
            complaints.push(format!("{name} has no constant in kernels/src/lib.rs: write it, or"));
        }
    }
    let names = || kernels.modules.iter().map(|module| module.name.as_str());
    complaints.extend(
        lock.names()
            .filter(|locked| !names().any(|name| name == *locked))
            .map(|locked| format!("{locked} is in ptx.lock and not in modules.toml")),
    );
    let strays = strays(kernels)?;
    complaints.extend(strays.iter().map(|path| format!("{} is of no module", path.display())));
    Ok(complaints)
}

/// PTX files of modules that are no more.
fn strays(kernels: &Kernels) -> Result<Vec<PathBuf>> {
    let known: Vec<PathBuf> = kernels.modules.iter().map(|m| kernels.ptx_path(m)).collect();
    let mut strays = Vec::new();
    let top = kernels.folder.join("ptx");
    for family in fs::read_dir(&top).with_context(|| format!("cannot list {top:?}"))? {
        for file in fs::read_dir(family?.path())? {
            strays.push(file?.path());
        }
    }
    strays.retain(|path| !known.contains(path));
    strays.sort();
    Ok(strays)
}

fn assemble_all(
    toolkit: &Toolkit,
    cache: &Cache,
    modules: &[Module],
    texts: &[String],
) -> Result<()> {
    let jobs = assemble::jobs(modules, texts);
    let reports = in_parallel(&jobs, |job| job.run(toolkit, cache));
    let reports: Vec<_> = reports.into_iter().collect::<Result<_>>()?;
    print!("{}", assemble::table(&jobs, &reports));
    Ok(())
}

fn read(path: &Path) -> Result<String> {
    fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))
}

/// Writes the file if it is not that already.
fn write(path: &Path, text: &str) -> Result<()> {
    if fs::read_to_string(path).is_ok_and(|old| old == text) {
        return Ok(());
    }
    let folder = path.parent().context("a file lies in a folder")?;
    fs::create_dir_all(folder).with_context(|| format!("cannot create {folder:?}"))?;
    fs::write(path, text).with_context(|| format!("cannot write {path:?}"))
}
