//! `cargo xtask shim`: a `libcuda.a` to link the feature `cuda` against where there is no
//! CUDA toolkit.
//!
//! It holds a trampoline for each function that the crate `cust_raw` declares. The first
//! call opens `libcuda.so.1`; where there is none, every function returns an error. So
//! one binary does for machines with and without a driver, and building it needs only a
//! C compiler. The library lies where `.cargo/config.toml` has cargo look for it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail, ensure};

use crate::workspace::{metadata, root};

/// The crate whose declarations are to be linked.
const BINDINGS: &str = "cust_raw";
const TRAMPOLINES: &str = include_str!("../shim/trampolines.S");
const RESOLVER: &str = include_str!("../shim/resolve.c");

/// Builds the library, or finds it up to date.
pub(crate) fn run() -> Result<()> {
    ensure!(cfg!(target_os = "linux"), "the shim is for Linux; elsewhere link a CUDA toolkit");
    let functions = functions(&bindings()?)?;
    let folder = root().join("target").join("cuda-shim");
    let library = folder.join("lib64").join("libcuda.a");
    let sources = [
        ("trampolines.S", TRAMPOLINES.to_owned()),
        ("resolve.c", RESOLVER.to_owned()),
        ("functions.inc", table(&functions)),
    ];
    let state = if is_up_to_date(&folder, &library, &sources) {
        "is up to date"
    } else {
        build(&folder, &library, &sources)?;
        "was built"
    };
    println!("{} {state}: {} functions of the CUDA driver", library.display(), functions.len());
    Ok(())
}

/// The text in which the bindings declare the driver's functions.
fn bindings() -> Result<String> {
    let metadata = metadata(&["--features", "gpu-runtime/cuda"])?;
    let package = metadata.packages.iter().find(|package| package.name == BINDINGS);
    let manifest = &package
        .with_context(|| format!("no package of the workspace depends on {BINDINGS}"))?
        .manifest_path;
    let path = manifest.with_file_name("src").join("cuda.rs").into_std_path_buf();
    fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))
}

/// The symbols of all `pub fn cu...`, in their order: the name, or the `link_name` that
/// stands before it.
fn functions(bindings: &str) -> Result<Vec<String>> {
    let mut functions: Vec<String> = Vec::new();
    let mut link_name = None;
    for line in bindings.lines().map(str::trim_start) {
        if let Some(rest) = line.strip_prefix("#[link_name = \"") {
            // Bindgen writes \u{1} before a name that is to be taken as it is.
            link_name = rest.split('"').next().map(|name| name.trim_start_matches("\\u{1}"));
        } else if let Some(rest) = line.strip_prefix("pub fn cu") {
            let end = rest.find('(').unwrap_or(rest.len());
            let name = format!("cu{}", &rest[..end]);
            let symbol = link_name.take().map_or(name, str::to_owned);
            let is_plain = symbol.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
            ensure!(is_plain, "{symbol:?} is no name that an assembler takes");
            if !functions.contains(&symbol) {
                functions.push(symbol);
            }
        } else if line.starts_with("pub ") {
            link_name = None;
        }
    }
    ensure!(!functions.is_empty(), "{BINDINGS} declares no functions of the driver");
    Ok(functions)
}

fn table(functions: &[String]) -> String {
    let lines = functions.iter().enumerate();
    lines.map(|(number, name)| format!("FUNCTION {number}, {name}\n")).collect()
}

/// Whether the library is there and was made from these sources, which lie beside it.
fn is_up_to_date(folder: &Path, library: &Path, sources: &[(&str, String)]) -> bool {
    let is_same = |(name, text): &(&str, String)| {
        fs::read_to_string(folder.join(name)).is_ok_and(|found| found == *text)
    };
    library.is_file() && sources.iter().all(is_same)
}

fn build(folder: &Path, library: &Path, sources: &[(&str, String)]) -> Result<()> {
    // Whatever stops this half way leaves no library, and so nothing that looks finished.
    if library.exists() {
        fs::remove_file(library)?;
    }
    let target = library.parent().context("the library lies in a folder")?;
    fs::create_dir_all(target).with_context(|| format!("cannot make {}", target.display()))?;
    for (name, text) in sources {
        fs::write(folder.join(name), text).with_context(|| format!("cannot write {name}"))?;
    }
    let mut objects: Vec<PathBuf> = Vec::new();
    for name in ["trampolines.S", "resolve.c"] {
        let object = folder.join(name).with_extension("o");
        let mut compiler = Command::new("cc");
        compiler.args(["-c", "-O2", "-fPIC", "-Wall", "-o"]).arg(&object).arg(folder.join(name));
        succeeds(&mut compiler)?;
        objects.push(object);
    }
    let unfinished = folder.join("libcuda.a");
    if unfinished.exists() {
        fs::remove_file(&unfinished)?;
    }
    succeeds(Command::new("ar").arg("crs").arg(&unfinished).args(&objects))?;
    fs::rename(&unfinished, library)?;
    Ok(())
}

fn succeeds(command: &mut Command) -> Result<()> {
    let program = command.get_program().to_string_lossy().into_owned();
    let output = command
        .output()
        .with_context(|| format!("cannot start {program}: the shim needs a C compiler"))?;
    if !output.status.success() {
        bail!("{program} failed:\n{}", String::from_utf8_lossy(&output.stderr));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_link_names_are_found_once() {
        let bindings = "extern \"C\" {\n    pub fn cuInit(Flags: u32) -> CUresult;\n}\n\
            extern \"C\" {\n    #[link_name = \"\\u{1}cuMemAlloc_v2\"]\n    \
            pub fn cuMemAlloc(\n        dptr: *mut CUdeviceptr,\n    ) -> CUresult;\n}\n\
            pub type CUcontext = *mut CUctx_st;\npub fn other();\n    \
            pub fn cuInit(Flags: u32) -> CUresult;\n";
        assert_eq!(functions(bindings).unwrap(), ["cuInit", "cuMemAlloc_v2"]);
        assert!(functions("pub fn other();").is_err());
    }

    #[test]
    fn a_name_that_would_break_the_assembly_is_refused() {
        assert!(functions("#[link_name = \"cu Init\"]\npub fn cuInit();").is_err());
    }

    #[test]
    fn the_table_numbers_from_zero() {
        let names = ["cuInit".to_owned(), "cuMemFree_v2".to_owned()];
        assert_eq!(table(&names), "FUNCTION 0, cuInit\nFUNCTION 1, cuMemFree_v2\n");
    }
}
