//! The state of a run in a file, from which another run continues.
//!
//! The file is replaced as a whole, so it never mixes the states of two moments. It has a mark, the
//! hash of the graph, the request, the number of finished sources, their totals, and the hash of
//! all this.

use std::fs::File;
use std::io::{self, Read, Write};
use std::path::PathBuf;

use bytemuck::{Pod, cast_slice, pod_collect_to_vec};
use graph_formats::{AtomicFile, Csr, VertexId, Weight};
use sha2::{Digest, Sha256};

use crate::parts::{State, Workers};
use crate::{CentralityError, Config};

/// What such a file begins with; another number, another layout.
const MARK: &[u8; 16] = b"starpath totals3";
/// Bytes of a hash.
const HASH: usize = 32;

/// Where a state is kept, and whose it is.
pub(crate) struct Checkpoint {
    path: PathBuf,
    graph: [u8; HASH],
    asked: String,
}

impl Checkpoint {
    /// Of a run on `graph`, as it was given, that adds up what `measure` says; on rank 0, if a file
    /// is named. O(n + m).
    pub(crate) fn new<W: Weight>(
        workers: Workers<'_>,
        graph: &Csr<W>,
        measure: &str,
        config: &Config,
    ) -> Option<Self> {
        let path = config.checkpoint.as_ref().filter(|_| workers.ranks.is_root())?;
        let mut hash = Sha256::new();
        hash.update(W::KIND.to_string());
        hash.update((graph.n_vertices() as u64).to_ne_bytes());
        hash.update(cast_slice::<u64, u8>(graph.row_offsets()));
        hash.update(cast_slice::<VertexId, u8>(graph.column_indices()));
        hash.update(cast_slice::<W, u8>(graph.weights()));
        let mut asked =
            format!("{measure}{:?}, {:?}, {:?}", config.lengths, config.side, config.sources);
        if config.tie_tolerance > 0.0 {
            asked += &format!(", ties within {}", config.tie_tolerance);
        }
        Some(Self { path: path.clone(), graph: hash.finalize().into(), asked })
    }

    fn refuse(&self, reason: String) -> CentralityError {
        CentralityError::Checkpoint { path: self.path.clone(), reason }
    }

    /// How many sources are done, none where there is no file; their sum goes to `state`.
    pub(crate) fn load<S: State>(
        &self,
        n_sources: usize,
        state: &mut S,
    ) -> Result<usize, CentralityError> {
        let most = self.encoded(n_sources, state).len() + HASH + state.growth();
        let mut bytes = Vec::new();
        let read = File::open(&self.path)
            .and_then(|file| file.take(most as u64 + 1).read_to_end(&mut bytes));
        match read {
            Ok(_) => {}
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(0),
            Err(error) => return Err(self.refuse(error.to_string())),
        }
        if !bytes.starts_with(MARK) {
            return Err(self.refuse(
                "is not the state of a run of `centrality`; name another file".to_owned(),
            ));
        }
        let damaged = || self.refuse("is damaged; delete it to begin again".to_owned());
        let (bytes, hash) = bytes.split_last_chunk::<HASH>().ok_or_else(damaged)?;
        // a longer one may be of another run, and else is damaged too
        let is_whole = bytes.len() + HASH <= most;
        if is_whole && Sha256::digest(bytes)[..] != hash[..] {
            return Err(damaged());
        }
        let mut bytes = Bytes(&bytes[MARK.len()..]);
        let graph = bytes.array::<u8>(HASH).ok_or_else(damaged)?;
        let asked = bytes.list::<u8>().and_then(|asked| String::from_utf8(asked).ok());
        let asked = asked.ok_or_else(damaged)?;
        if graph != self.graph {
            let reason = "is the state of a run on another graph; delete it, or name another file";
            return Err(self.refuse(reason.to_owned()));
        }
        if asked != self.asked {
            return Err(self.refuse(format!(
                "is the state of a run for {asked}, and this run is for {}; name another file",
                self.asked
            )));
        }
        if !is_whole {
            return Err(damaged());
        }
        let done = bytes.one::<u64>().ok_or_else(damaged)? as usize;
        state.read(&mut bytes).ok_or_else(damaged)?;
        if done > n_sources || !bytes.0.is_empty() {
            return Err(damaged());
        }
        Ok(done)
    }

    /// All of a state but its hash.
    fn encoded<S: State>(&self, done: usize, state: &S) -> Vec<u8> {
        let mut bytes = MARK.to_vec();
        bytes.extend(self.graph);
        put_list(&mut bytes, self.asked.as_bytes());
        bytes.extend((done as u64).to_ne_bytes());
        state.write(&mut bytes);
        bytes
    }

    pub(crate) fn save<S: State>(&self, done: usize, state: &S) -> Result<(), CentralityError> {
        let bytes = self.encoded(done, state);
        let hash = Sha256::digest(&bytes);
        let mut file = AtomicFile::create(&self.path)?;
        let written = file.write_all(&bytes).and_then(|()| file.write_all(&hash));
        written.map_err(|error| self.refuse(error.to_string()))?;
        Ok(file.commit()?)
    }
}

/// Numbers and how many.
pub(crate) fn put_list<T: Pod>(bytes: &mut Vec<u8>, list: &[T]) {
    bytes.extend((list.len() as u64).to_ne_bytes());
    bytes.extend_from_slice(cast_slice(list));
}

/// What is still to be read.
pub(crate) struct Bytes<'a>(&'a [u8]);

impl<'a> Bytes<'a> {
    pub(crate) fn of(bytes: &'a [u8]) -> Self {
        Self(bytes)
    }

    fn array<T: Pod>(&mut self, n: usize) -> Option<Vec<T>> {
        let (array, rest) = self.0.split_at_checked(n.checked_mul(size_of::<T>())?)?;
        self.0 = rest;
        Some(pod_collect_to_vec(array))
    }

    /// A number.
    fn one<T: Pod>(&mut self) -> Option<T> {
        self.array(1)?.pop()
    }

    /// A list that was put.
    pub(crate) fn list<T: Pod>(&mut self) -> Option<Vec<T>> {
        let n = self.one::<u64>()?;
        self.array(n as usize)
    }

    /// A list of `n` values.
    pub(crate) fn list_of<T: Pod>(&mut self, n: usize) -> Option<Vec<T>> {
        self.list().filter(|list| list.len() == n)
    }
}
