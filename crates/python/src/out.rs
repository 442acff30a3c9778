//! All pairs in an array that the caller has, or in a file.

use std::fs;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use apsp::ApspError;
use graph_formats::VertexId;
use paths::AnyDistances;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PySlice};
use sssp::Progress;

use crate::error::Error;
use crate::graph::Graph;
use crate::how::How;
use crate::numbers::{Dtype, Numbers};
use crate::tables::ensure_fits;

/// Bytes of distances that are found, or converted, before they are written.
const BYTES_AT_A_TIME: usize = 64 << 20;

/// What gets the distances of all pairs.
pub(crate) struct Out {
    array: Py<PyAny>,
    dtype: Dtype,
    /// The file that it is in, which gets its name when it is whole.
    file: Option<File>,
}

struct File {
    unfinished: PathBuf,
    path: PathBuf,
}

impl File {
    fn remove(&self) {
        // the error that was before says more than another one would
        _ = fs::remove_file(&self.unfinished);
    }
}

/// Takes so much of the disk for a file, where the system can.
fn allocate(py: Python<'_>, file: &Path, bytes: u64) -> PyResult<()> {
    let os = py.import("os")?;
    if !os.hasattr("posix_fallocate")? {
        return Ok(());
    }
    let file = py.import("io")?.call_method1("open", (file, "r+b"))?;
    let taken = os.call_method1("posix_fallocate", (file.call_method0("fileno")?, 0, bytes));
    file.call_method0("close")?;
    taken.map(|_| ())
}

impl Out {
    /// An array of the caller, or the path of an .npy file that is made; `n` x `n`, of this type.
    pub(crate) fn of(
        out: &Bound<'_, PyAny>,
        dtype: Option<&Bound<'_, PyAny>>,
        n: usize,
    ) -> PyResult<Self> {
        let py = out.py();
        let Ok(path) = out.extract::<PathBuf>() else {
            let (shape, found) = (out.getattr("shape")?, out.getattr("dtype")?);
            let dtype = Dtype::of(py, Some(dtype.unwrap_or(&found)))?;
            if !shape.eq((n, n))? || Dtype::of(py, Some(&found))? != dtype {
                let message =
                    format!("out is of {found} and shape {shape}; expected {dtype} and ({n}, {n})");
                return Err(Error::argument(message).into());
            }
            return Ok(Self { array: out.clone().unbind(), dtype, file: None });
        };
        if path.extension().is_none_or(|suffix| suffix != "npy") {
            let message = format!("out is {}; expected a name that ends in .npy", path.display());
            return Err(Error::argument(message).into());
        }
        let unfinished = path.with_extension("npy.unfinished");
        let named = PyDict::new(py);
        named.set_item("mode", "w+")?;
        match dtype {
            Some(dtype) => named.set_item("dtype", dtype)?,
            None => named.set_item("dtype", "float64")?,
        }
        named.set_item("shape", (n, n))?;
        let dtype = Dtype::of(py, dtype)?;
        let format = py.import("numpy.lib.format")?;
        let array = format.call_method("open_memmap", (&unfinished,), Some(&named));
        let array = array.and_then(|array| {
            // a disk that is full while a map is written to ends the process
            let bytes = fs::metadata(&unfinished)?.len();
            allocate(py, &unfinished, bytes)?;
            Ok(array.unbind())
        });
        let file = File { unfinished, path };
        match array {
            Ok(array) => Ok(Self { array, dtype, file: Some(file) }),
            Err(error) => {
                file.remove();
                Err(error)
            }
        }
    }

    /// The array, if all of it was written; else its file is removed.
    pub(crate) fn finished<'py>(
        self,
        py: Python<'py>,
        filled: PyResult<()>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let array = self.array.into_bound(py);
        let Some(file) = &self.file else { return filled.map(|()| array) };
        let kept = filled.and_then(|()| {
            array.call_method0("flush")?;
            Ok(fs::rename(&file.unfinished, &file.path)?)
        });
        if kept.is_err() {
            file.remove();
        }
        kept.map(|()| array)
    }

    /// Writes all distances: from a matrix in memory, or where it cannot hold one some rows at a
    /// time.
    pub(crate) fn fill(
        &self,
        graph: &Graph,
        how: &How,
        progress: Option<Progress<'_>>,
    ) -> Result<(), Error> {
        let (csr, n, size) = (&graph.csr, graph.csr.n_vertices(), graph.size_of_distance());
        let rows = BYTES_AT_A_TIME.div_ceil(n.max(1) * size);
        let parts = (0..n).step_by(rows).map(|first| first..n.min(first + rows));
        let matrix = || {
            ensure_fits(n, n, size)?;
            how.all_pairs(csr, false, progress)
        };
        let pairs = match (!how.is_soon_done(csr)).then(matrix).transpose() {
            Err(Error::TooLarge { .. } | Error::Pairs(ApspError::TooLarge { .. }))
                if csr.first_negative().is_none() =>
            {
                None
            }
            pairs => pairs?,
        };
        if let Some(pairs) = pairs {
            let table = pairs.into_distances().expect("memory keeps it").distances;
            let mut parts = parts;
            return parts.try_for_each(|part| {
                self.put(part.start, n, table.part(part.start * n..part.end * n))
            });
        }
        let before = AtomicU64::new(0);
        let tell = |done, _| match progress {
            Some(tell) => tell(before.load(Relaxed) + done, n as u64),
            None => ControlFlow::Continue(()),
        };
        let mut solver = how.solver(csr, n, Some(&tell))?;
        let all: Vec<VertexId> = (0..n as VertexId).collect();
        for part in parts {
            before.store(part.start as u64, Relaxed);
            let table = solver.table(&all[part.clone()], &all)?.answer;
            self.put(part.start, n, table.distances)?;
        }
        Ok(())
    }

    /// Writes rows from this one on.
    fn put(&self, first: usize, n: usize, cells: AnyDistances) -> Result<(), Error> {
        let n_rows = cells.len() / n.max(1);
        let numbers = Numbers::of(cells, self.dtype)?.without_mask()?;
        Python::attach(|py| {
            let rows = PySlice::new(py, first as isize, (first + n_rows) as isize, 1);
            let array = numbers.into_array(py, &[n_rows, n])?;
            Ok(self.array.bind(py).set_item(rows, array)?)
        })
    }
}
