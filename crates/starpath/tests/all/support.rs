//! Runs the program and looks at what it says.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use bytemuck::checked::{CheckedBitPattern, pod_read_unaligned};
use graph_formats::npy::{self, Dtype, Header, Scalar};
use ndarray::{Array, Dimension, IxDyn};
use serde_json::Value;

/// How a run ended.
#[derive(Debug)]
pub(crate) struct Run {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

/// The program: that of this build, unless the environment names another.
pub(crate) fn program() -> OsString {
    let built = || env!("CARGO_BIN_EXE_starpath").into();
    std::env::var_os("CARGO_BIN_EXE_starpath").unwrap_or_else(built)
}

/// Runs `starpath` with these arguments to its end.
pub(crate) fn starpath<I: IntoIterator<Item: AsRef<OsStr>>>(args: I) -> Run {
    let output = Command::new(program())
        .args(args)
        .stdin(Stdio::null())
        .output()
        .expect("the program starts");
    Run {
        code: output.status.code(),
        stdout: String::from_utf8(output.stdout).expect("standard output is UTF-8"),
        stderr: String::from_utf8(output.stderr).expect("standard error is UTF-8"),
    }
}

/// Splits a command line at its blanks and runs it; `{}` stands for `folder`.
pub(crate) fn run_in(folder: &Path, line: &str) -> Run {
    let folder = folder.to_str().expect("the folder's name is UTF-8");
    starpath(line.split_whitespace().map(|word| word.replace("{}", folder)))
}

/// Ends a run by Ctrl-C, which only Unix has a program for, after half a second: it has the shell's code for that and prints nothing.
#[cfg(unix)]
pub(crate) fn interrupt(folder: &Path, args: &[&str]) {
    let child = Command::new(program())
        .args(args)
        .current_dir(folder)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    std::thread::sleep(std::time::Duration::from_millis(500));
    let sent = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(sent.success());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130), "{output:?}");
    assert!(String::from_utf8_lossy(&output.stderr).contains("starpath: interrupted"));
    assert!(output.stdout.is_empty());
}

/// The object that a run with `--json` must print, and nothing else.
pub(crate) fn json_in(folder: &Path, line: &str) -> Value {
    let run = run_in(folder, &format!("{line} --json"));
    assert_eq!(run.code, Some(0), "{line}: {}", run.stderr);
    assert_eq!(run.stderr, "", "{line}");
    assert_eq!(run.stdout.lines().count(), 1, "{line}: {}", run.stdout);
    serde_json::from_str(&run.stdout).unwrap_or_else(|e| panic!("{line}: {e}: {}", run.stdout))
}

/// The array in a file.
pub(crate) fn read_npy<T: Scalar + CheckedBitPattern, D: Dimension>(
    path: impl AsRef<Path>,
) -> Array<T, D> {
    let bytes = fs::read(path).unwrap();
    let header = Header::read(&bytes[..]).unwrap().expect("an array");
    let (descr, shape) = header.layout().expect("numbers, row by row");
    assert_eq!(Dtype::of(descr), Some(T::DTYPE));
    let shape: Vec<_> = shape.into_iter().map(|length| length as usize).collect();
    let elements = bytes[header.start as usize..].chunks_exact(size_of::<T>());
    let elements = elements.map(pod_read_unaligned).collect();
    let array = Array::from_shape_vec(IxDyn(&shape), elements).expect("as many as the shape says");
    array.into_dimensionality().expect("as many dimensions as expected")
}

/// Writes an array that lies row by row.
pub(crate) fn write_npy<T: Scalar, D: Dimension>(path: &Path, array: &Array<T, D>) {
    let mut file = fs::File::create(path).unwrap();
    npy::write(&mut file, array.shape(), array.as_slice().unwrap()).unwrap();
}
