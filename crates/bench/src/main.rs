//! Times every solver of the project beside its peers, and writes a report.

#![forbid(unsafe_code)]

use std::process::ExitCode;

use bench::cli;

fn main() -> ExitCode {
    let given: Vec<_> = std::env::args_os().collect();
    match cli::run(&given) {
        Ok(text) => {
            println!("{text}");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}
