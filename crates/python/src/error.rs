//! The errors of the package, and their exceptions in Python.

use std::any::Any;

use apsp::ApspError;
use centrality::CentralityError;
use closure::ClosureError;
use collectives::RanksError;
use gpu_runtime::GpuError;
use graph_formats::{GraphError, Interrupted};
use hierarchy::HierarchyError;
use partitioned::PartitionedError;
use pyo3::exceptions::{
    PyFileNotFoundError, PyKeyboardInterrupt, PyMemoryError, PyOSError, PyRuntimeError,
};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyType;
use sssp::SsspError;

/// Why a method has no result.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Error {
    #[error(transparent)]
    Graph(#[from] GraphError),
    #[error(transparent)]
    Search(#[from] SsspError),
    #[error(transparent)]
    Pairs(#[from] ApspError),
    #[error(transparent)]
    Closure(#[from] ClosureError),
    #[error(transparent)]
    Gpu(#[from] GpuError),
    #[error(transparent)]
    Measure(#[from] CentralityError),
    #[error(transparent)]
    Hierarchy(#[from] HierarchyError),
    #[error(transparent)]
    Ranks(#[from] RanksError),
    /// An error of another rank.
    #[error("rank {rank}: {message}")]
    OnRank { rank: usize, message: String },
    /// A wrong argument.
    #[error("{0}")]
    Argument(String),
    /// A graph, or a result, that memory cannot hold.
    #[error("{what} takes {bytes} bytes, and {available} are free{advice}")]
    TooLarge { what: String, bytes: u128, available: u64, advice: &'static str },
    /// More memory than the caller allows.
    #[error("{0}")]
    OverMemory(String),
    /// Work that ended where it never should.
    #[error("{0}; this is a bug in starpaths: please report it, with the call")]
    Panic(String),
    /// An exception that Python code raised.
    #[error(transparent)]
    Python(#[from] PyErr),
}

impl Error {
    pub(crate) fn argument(message: impl Into<String>) -> Self {
        Self::Argument(message.into())
    }

    /// What a panic says.
    pub(crate) fn of_panic(panic: &(dyn Any + Send)) -> Self {
        let text = panic.downcast_ref::<String>().map(String::as_str);
        let text = text.or_else(|| panic.downcast_ref::<&str>().copied());
        Self::Panic(text.unwrap_or("a search failed").to_owned())
    }
}

impl From<PartitionedError> for Error {
    fn from(error: PartitionedError) -> Self {
        match error {
            PartitionedError::Graph(error) => error.into(),
            PartitionedError::Search(error) => error.into(),
            PartitionedError::Ranks(error) => error.into(),
            PartitionedError::OnRank { rank, message } => Self::OnRank { rank, message },
            PartitionedError::TooLittleMemory { .. } => Self::OverMemory(error.to_string()),
            other => Self::argument(other.to_string()),
        }
    }
}

impl From<Error> for PyErr {
    fn from(error: Error) -> Self {
        let message = error.to_string();
        let causes = std::iter::successors(Some(&error as &dyn std::error::Error), |e| e.source());
        if causes.into_iter().any(|cause| cause.is::<Interrupted>()) {
            return PyKeyboardInterrupt::new_err(());
        }
        let search = match error {
            Error::Python(error) => return error,
            Error::Gpu(GpuError::OutOfMemory { .. }) => return PyMemoryError::new_err(message),
            Error::Panic(_) => return PyRuntimeError::new_err(message),
            Error::Search(error)
            | Error::Pairs(ApspError::Search(error))
            | Error::Measure(CentralityError::Search(error)) => Some(error),
            Error::Graph(GraphError::Io { source, .. }) => {
                return match source.kind() {
                    std::io::ErrorKind::NotFound => PyFileNotFoundError::new_err(message),
                    _ => PyOSError::new_err(message),
                };
            }
            Error::Hierarchy(HierarchyError::Gpu(error))
                if matches!(*error, GpuError::OutOfMemory { .. }) =>
            {
                return PyMemoryError::new_err(message);
            }
            Error::TooLarge { .. }
            | Error::OverMemory(_)
            | Error::Ranks(RanksError::OutOfMemory { .. })
            | Error::Graph(GraphError::OutOfMemory { .. } | GraphError::NoMemory(_))
            | Error::Measure(CentralityError::Graph(
                GraphError::OutOfMemory { .. } | GraphError::NoMemory(_),
            ))
            | Error::Hierarchy(
                HierarchyError::TableTooLarge { .. }
                | HierarchyError::LabelsTooLarge { .. }
                | HierarchyError::NoMemory(_),
            )
            | Error::Closure(ClosureError::TooLarge { .. } | ClosureError::NoMemory(_))
            | Error::Pairs(ApspError::TooLarge { .. } | ApspError::OverMemory { .. }) => {
                return PyMemoryError::new_err(message);
            }
            _ => None,
        };
        match search {
            Some(SsspError::NegativeCycle { cycle }) => of_class("NegativeCycleError", cycle),
            Some(SsspError::TableTooLarge { .. } | SsspError::NoMemory(_)) => {
                PyMemoryError::new_err(message)
            }
            Some(SsspError::Gpu(error)) if matches!(*error, GpuError::OutOfMemory { .. }) => {
                PyMemoryError::new_err(message)
            }
            _ => of_class("StarpathsError", message),
        }
    }
}

/// An exception of a class of the module `starpaths._errors`, which are Python's own so that they
/// can have attributes.
fn of_class<'py, A>(class: &'static str, argument: A) -> PyErr
where
    A: for<'a> IntoPyObject<'a> + Send + Sync + 'static,
{
    static MODULE: PyOnceLock<Py<PyModule>> = PyOnceLock::new();
    Python::attach(|py| {
        let import = || py.import("starpaths._errors").map(Bound::unbind);
        let class = MODULE
            .get_or_try_init(py, import)
            .and_then(|module| Ok(module.bind(py).getattr(class)?.cast_into::<PyType>()?));
        match class {
            Ok(class) => PyErr::from_type(class, (argument,)),
            Err(error) => error,
        }
    })
}
