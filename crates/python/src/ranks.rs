//! Ranks of mpi4py. The package links no MPI: it calls the methods of a communicator of Python.
//!
//! Bytes travel as objects of Python, by the methods that take such. These are cut where MPI, whose
//! counts have 31 bits, could not count them.

use std::process;
use std::sync::{Mutex, PoisonError};

use collectives::{Communicator, RanksError};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use sssp::Progress;

use crate::error::Error;
use crate::run::run_here;

/// Bytes of a message at most.
const MAX_BYTES: usize = 1 << 30;
/// What tells these messages from those of the caller.
const TAG: u32 = 0x5350;

/// A communicator of mpi4py.
pub(crate) struct PythonRanks {
    communicator: Py<PyAny>,
    rank: usize,
    size: usize,
    /// The first exception of the communicator. From then on ranks may be at different messages,
    /// so there are no more.
    raised: Mutex<Option<PyErr>>,
}

impl PythonRanks {
    /// # Errors
    /// Where it has not the methods of one.
    pub(crate) fn new(communicator: &Bound<'_, PyAny>) -> PyResult<Self> {
        let number = |method| communicator.call_method0(method)?.extract::<usize>();
        let (rank, size) = (number("Get_rank")?, number("Get_size")?);
        Ok(Self {
            communicator: communicator.clone().unbind(),
            rank,
            size,
            raised: Mutex::default(),
        })
    }

    /// Does `work`, which all ranks do. An error on one rank is raised on all; what the communicator
    /// raises, on the rank where it does.
    pub(crate) fn run<T: Send>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&dyn Communicator, Progress<'_>) -> Result<T, Error> + Send,
    ) -> PyResult<T> {
        let found = run_here(py, false, |progress| agree(self, work(self, progress)));
        found.map_err(|error| self.raised(py).unwrap_or(error))
    }

    fn raised(&self, py: Python<'_>) -> Option<PyErr> {
        let raised = self.raised.lock().unwrap_or_else(PoisonError::into_inner);
        raised.as_ref().map(|error| error.clone_ref(py))
    }

    /// Calls methods of the communicator, unless one has raised an exception.
    fn call<T>(
        &self,
        methods: impl FnOnce(&Bound<'_, PyAny>) -> PyResult<T>,
    ) -> Result<T, RanksError> {
        Python::attach(|py| {
            if self.raised(py).is_some() {
                return Err(RanksError::Ended);
            }
            methods(self.communicator.bind(py)).map_err(|error| {
                *self.raised.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
                RanksError::Ended
            })
        })
    }
}

/// An error on all ranks if there is one on any.
pub(crate) fn agree<T>(ranks: &dyn Communicator, own: Result<T, Error>) -> Result<T, Error> {
    let message = own.as_ref().err().map(ToString::to_string);
    match ranks.first_message(message.as_deref())? {
        Some((rank, message)) => own.and(Err(Error::OnRank { rank, message })),
        None => own,
    }
}

/// Starts to send bytes; what to wait for is added to `sent`.
fn send<'py>(
    communicator: &Bound<'py, PyAny>,
    rank: usize,
    bytes: &[u8],
    sent: &mut Vec<Bound<'py, PyAny>>,
) -> PyResult<()> {
    // the first part that is not full is the last one
    let full = bytes.chunks_exact(MAX_BYTES);
    let last = full.remainder();
    for part in full.chain([last]) {
        let part = PyBytes::new(communicator.py(), part);
        sent.push(communicator.call_method1("isend", (part, rank, TAG))?);
    }
    Ok(())
}

/// What a rank has sent.
fn receive(communicator: &Bound<'_, PyAny>, rank: usize) -> PyResult<Vec<u8>> {
    let (mut bytes, none) = (Vec::new(), communicator.py().None());
    loop {
        let part = communicator.call_method1("recv", (&none, rank, TAG))?;
        let part = part.cast::<PyBytes>()?.as_bytes();
        bytes.extend_from_slice(part);
        if part.len() < MAX_BYTES {
            return Ok(bytes);
        }
    }
}

fn wait(sent: &[Bound<'_, PyAny>]) -> PyResult<()> {
    sent.iter().try_for_each(|request| request.call_method0("wait").map(drop))
}

impl Communicator for PythonRanks {
    fn rank(&self) -> usize {
        self.rank
    }

    fn size(&self) -> usize {
        self.size
    }

    fn broadcast_bytes(&self, root: usize, bytes: &mut [u8]) -> Result<(), RanksError> {
        for part in bytes.chunks_mut(MAX_BYTES) {
            let (expected, is_root) = (part.len(), self.rank == root);
            let found = self.call(|communicator| {
                let own = is_root.then(|| PyBytes::new(communicator.py(), part));
                let sent = communicator.call_method1("bcast", (own, root))?;
                let sent = sent.cast::<PyBytes>()?.as_bytes();
                if sent.len() == expected {
                    part.copy_from_slice(sent);
                }
                Ok(sent.len())
            })?;
            if found != expected {
                return Err(RanksError::Length { expected, found });
            }
        }
        Ok(())
    }

    fn gather_bytes(&self, root: usize, own: &[u8]) -> Result<Vec<Vec<u8>>, RanksError> {
        self.call(|communicator| {
            if self.rank != root {
                let mut sent = Vec::new();
                send(communicator, root, own, &mut sent)?;
                wait(&sent)?;
                return Ok(Vec::new());
            }
            let of_rank = |rank: usize| match rank == root {
                true => Ok(own.to_vec()),
                false => receive(communicator, rank),
            };
            (0..self.size).map(of_rank).collect()
        })
    }

    fn exchange_bytes(&self, for_ranks: &[&[u8]]) -> Result<Vec<Vec<u8>>, RanksError> {
        self.call(|communicator| {
            let mut sent = Vec::new();
            for (rank, bytes) in for_ranks.iter().enumerate().filter(|(to, _)| *to != self.rank) {
                send(communicator, rank, bytes, &mut sent)?;
            }
            let of_rank = |rank: usize| match rank == self.rank {
                true => Ok(for_ranks[rank].to_vec()),
                false => receive(communicator, rank),
            };
            let received = (0..self.size).map(of_rank).collect::<PyResult<Vec<_>>>()?;
            wait(&sent)?;
            Ok(received)
        })
    }

    fn host(&self) -> String {
        let name =
            |py: Python<'_>| py.import("mpi4py.MPI")?.call_method0("Get_processor_name")?.extract();
        Python::attach(name).unwrap_or_default()
    }

    fn abort(&self, code: i32) -> ! {
        // it does not return, unless it cannot end them
        let _ = self.call(|communicator| communicator.call_method1("Abort", (code,)).map(drop));
        process::exit(code)
    }
}
