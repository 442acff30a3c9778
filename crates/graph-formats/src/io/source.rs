//! A file's bytes in memory: mapped, or read and inflated.

use std::fs::File;
use std::io::{self, BufReader, Read};
use std::ops::Deref;
use std::path::Path;
use std::sync::Arc;

use flate2::bufread::MultiGzDecoder;
use memmap2::Mmap;

use super::{Progress, malformed};
use crate::GraphError;

/// Compressed bytes between two reports of progress.
const STEP_BYTES: usize = 256 << 10;

/// The content of a file.
pub(super) enum Source {
    Mapped(Arc<Mmap>),
    Read(Vec<u8>),
}

impl Deref for Source {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match self {
            Self::Mapped(map) => map,
            Self::Read(bytes) => bytes,
        }
    }
}

impl Source {
    /// Maps the file, or, where it is no regular file, reads it.
    pub(super) fn open(path: &Path) -> Result<Self, GraphError> {
        let fail = |source| GraphError::Io { path: path.to_path_buf(), source };
        let mut file = File::open(path).map_err(fail)?;
        let metadata = file.metadata().map_err(fail)?;
        if metadata.is_dir() {
            return Err(fail(io::ErrorKind::IsADirectory.into()));
        }
        if !metadata.is_file() || metadata.len() == 0 {
            let mut bytes = Vec::new();
            file.read_to_end(&mut bytes).map_err(fail)?;
            return Ok(Self::Read(bytes));
        }
        // SAFETY: the map is only read, as bytes or as plain data that any bytes are
        // valid for. It holds what was checked as long as nobody changes the file
        // meanwhile: this crate never writes into a file that exists, it replaces it.
        let map = unsafe { Mmap::map(&file) }.map_err(fail)?;
        Ok(Self::Mapped(Arc::new(map)))
    }

    /// The bytes that the gzip file held, all members of it one after the other.
    pub(super) fn inflate(self, path: &Path, progress: Progress<'_>) -> Result<Self, GraphError> {
        if self.len() >= 2 && !self.starts_with(b"\x1F\x8B") {
            return Err(malformed(path, "not a gzip file, though its name says so".to_owned()));
        }
        let total = self.len() as u64;
        let counted = Counted { bytes: &self, total, progress };
        let mut decoder = MultiGzDecoder::new(BufReader::with_capacity(STEP_BYTES, counted));
        let mut inflated = Vec::new();
        match decoder.read_to_end(&mut inflated) {
            Ok(_) => Ok(Self::Read(inflated)),
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => {
                let message = "the gzip data ends early; the file is not complete";
                Err(malformed(path, message.to_owned()))
            }
            Err(error) => Err(malformed(path, format!("the gzip data is damaged: {error}"))),
        }
    }
}

/// Bytes of any alignment, a whole number of `T`s, as an array.
pub(super) fn copied<T: bytemuck::Pod>(bytes: &[u8]) -> Vec<T> {
    let mut array = vec![T::zeroed(); bytes.len() / size_of::<T>()];
    bytemuck::cast_slice_mut::<T, u8>(&mut array).copy_from_slice(bytes);
    array
}

/// Bytes that report how many of them have been taken.
struct Counted<'a> {
    bytes: &'a [u8],
    total: u64,
    progress: Progress<'a>,
}

impl Read for Counted<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let taken = self.bytes.read(buffer)?;
        (self.progress)(self.total - self.bytes.len() as u64, self.total);
        Ok(taken)
    }
}
