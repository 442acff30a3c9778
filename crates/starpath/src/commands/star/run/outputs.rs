//! The files for the results of a program.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use graph_formats::AtomicFile;
use star_machine::Parameter;
use star_machine::algorithms::Value;

use crate::cli::{Named, RunArgs};
use crate::commands::star::results::write_value;
use crate::failure::WrongUse;
use crate::output::{check_file, is_standard_output};
use crate::progress::check_interrupt;

/// The file of each result, by the name of its parameter. Files are checked before the run and
/// opened after it.
pub(super) struct Outputs<'a>(Vec<(&'a str, &'a Path)>);

impl<'a> Outputs<'a> {
    pub(super) fn check(
        args: &'a RunArgs,
        proc: &str,
        parameters: &[Parameter],
        inputs: &[PathBuf],
    ) -> anyhow::Result<Self> {
        let mut inputs: Vec<&Path> = inputs.iter().map(PathBuf::as_path).collect();
        inputs.push(&args.file);
        let mut outputs: Vec<(&str, &Path)> = Vec::new();
        for Named { name, value } in &args.outputs {
            let path = Path::new(value);
            let refuse = |text: String| Err(WrongUse(format!("-o {name}={value}: {text}")).into());
            let is_result = |parameter: &Parameter| parameter.is_result && parameter.name == *name;
            if !parameters.iter().any(is_result) {
                let results = parameters.iter().filter(|parameter| parameter.is_result);
                let names: Vec<_> = results.map(|parameter| &*parameter.name).collect();
                return refuse(match &names[..] {
                    [] => {
                        format!("{proc} has no results, because it declares no parameter after var")
                    }
                    names => format!("the results of {proc} are {}", names.join(", ")),
                });
            }
            let is_csv = path.extension().is_some_and(|suffix| suffix == "csv");
            if !is_csv && !is_standard_output(path) {
                return refuse(
                    "unknown format; expected a file that ends in .csv, or -".to_owned(),
                );
            }
            if outputs.iter().any(|&(other, file)| other == name || file == path) {
                return refuse("is given twice; give each result one file".to_owned());
            }
            check_file(path, &inputs)?;
            outputs.push((name, path));
        }
        Ok(Self(outputs))
    }

    /// Whether the parameter of this name is written to a file.
    pub(super) fn has(&self, name: &str) -> bool {
        self.0.iter().any(|&(other, _)| other == name)
    }

    /// Writes them, and puts them in place when all are complete.
    pub(super) fn write(
        &self,
        values: &HashMap<String, Value>,
        first: usize,
    ) -> anyhow::Result<()> {
        let mut written = Vec::new();
        for &(name, path) in &self.0 {
            let mut file = AtomicFile::create(path)?;
            write_value(&mut file, &values[name], first)?;
            written.push(file);
        }
        check_interrupt()?;
        for file in written {
            file.commit()?;
        }
        Ok(())
    }
}
