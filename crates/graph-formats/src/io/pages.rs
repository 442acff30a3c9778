//! The bytes of a binary file, which arrays then use in place: read by all threads or mapped, and
//! summed part by part.

use std::fs::File;
use std::io;
use std::marker::PhantomData;
use std::ops::{Deref, DerefMut};
use std::path::Path;

use bytemuck::Pod;
use crc32fast::Hasher;
use memmap2::{Mmap, MmapMut};
use rayon::prelude::*;

use super::compression::Compression;
use super::error::malformed;
use super::source::{PlainFile, Source};
use crate::{Buffer, GraphError};

/// Bytes per task, which reads them and then sums them while they are in a cache.
const CHUNK_BYTES: usize = 1 << 20;

/// An array of zeros in memory of its own. No page is used before it is written.
pub(super) struct Pages<T> {
    map: MmapMut,
    length: usize,
    elements: PhantomData<T>,
}

impl<T: Pod> Pages<T> {
    /// `length` zeros, in large pages if the system has them: to make its pages takes as long as to
    /// read into them otherwise, and a search at random places is slower.
    pub(super) fn new(length: usize) -> io::Result<Self> {
        let bytes = length.checked_mul(size_of::<T>()).ok_or(io::ErrorKind::OutOfMemory)?;
        let map = MmapMut::map_anon(bytes.max(1))?;
        #[cfg(target_os = "linux")]
        let _ = map.advise(memmap2::Advice::HugePage);
        Ok(Self { map, length, elements: PhantomData })
    }
}

impl<T: Pod> Deref for Pages<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        bytemuck::cast_slice(&self.map[..self.length * size_of::<T>()])
    }
}

impl<T: Pod> DerefMut for Pages<T> {
    fn deref_mut(&mut self) -> &mut [T] {
        bytemuck::cast_slice_mut(&mut self.map[..self.length * size_of::<T>()])
    }
}

impl<T: Pod> AsRef<[T]> for Pages<T> {
    fn as_ref(&self) -> &[T] {
        self
    }
}

/// Maps a file in the system's page cache.
///
/// # Safety
/// The file must not change while the map is in use.
pub(super) unsafe fn map(path: &Path) -> Result<Buffer<u8>, GraphError> {
    let fail = |source| GraphError::Io { path: path.to_path_buf(), source };
    let file = File::open(path).map_err(fail)?;
    let is_file = file.metadata().map_err(fail)?.is_file();
    if !is_file || Compression::of_name(path).is_some() {
        let reason = "only files can be mapped that are not compressed; read it instead";
        return Err(malformed(path, reason.to_owned()));
    }
    // SAFETY: the caller promises that the file does not change. The map is only read, as bytes or
    // as plain data that any bytes are valid for.
    let map = unsafe { Mmap::map(&file) }.map_err(fail)?;
    Ok(Buffer::of_owner(map))
}

/// Fills `bytes` from `source`, which should end there. Returns the number of bytes found if it is
/// another, `bytes.len()` + 1 at most.
pub(super) fn read_stream(
    source: &mut Source<'_>,
    bytes: &mut [u8],
) -> Result<Result<(), u64>, GraphError> {
    let n_read = source.fill(bytes)? as u64;
    if n_read < bytes.len() as u64 {
        return Ok(Err(n_read));
    }
    Ok(if source.fill(&mut [0])? == 0 { Ok(()) } else { Err(n_read + 1) })
}

/// Some bytes of a file.
pub(super) enum Piece<'a> {
    /// They are in memory.
    There(&'a [u8]),
    /// They are to be read from this place of the file.
    ToRead(&'a mut [u8], &'a PlainFile<'a>, u64),
}

impl<'a> Piece<'a> {
    /// The bytes; zeros, where they have not been read.
    pub(super) fn get(&self) -> &[u8] {
        match self {
            Self::There(bytes) => bytes,
            Self::ToRead(bytes, ..) => bytes,
        }
    }

    /// The first `n` bytes and the others.
    pub(super) fn split(self, n: usize) -> (Self, Self) {
        match self {
            Self::There(bytes) => {
                let (first, others) = bytes.split_at(n);
                (Self::There(first), Self::There(others))
            }
            Self::ToRead(bytes, file, at) => {
                let (first, others) = bytes.split_at_mut(n);
                let after = at + n as u64;
                (Self::ToRead(first, file, at), Self::ToRead(others, file, after))
            }
        }
    }

    /// Chunks of `size` bytes; the last may have fewer.
    pub(super) fn chunks(&mut self, size: usize) -> Vec<Piece<'_>> {
        match self {
            Self::There(bytes) => bytes.chunks(size).map(Piece::There).collect(),
            Self::ToRead(bytes, file, at) => {
                let chunks = bytes.chunks_mut(size).enumerate();
                let placed =
                    |(number, chunk)| Piece::ToRead(chunk, file, *at + (number * size) as u64);
                chunks.map(placed).collect()
            }
        }
    }

    /// Reads the bytes, if they are to be read, and returns their checksum.
    pub(super) fn fetch(&mut self) -> io::Result<Hasher> {
        if let Self::ToRead(bytes, file, at) = self {
            file.read_at(*at, bytes)?;
        }
        let mut hasher = Hasher::new();
        hasher.update(self.get());
        Ok(hasher)
    }

    /// The same in parallel.
    pub(super) fn fetch_by_chunks(&mut self) -> io::Result<Hasher> {
        let sums = self.chunks(CHUNK_BYTES).into_par_iter().map(|mut chunk| chunk.fetch());
        Ok(combined(sums.collect::<io::Result<Vec<_>>>()?))
    }
}

/// The CRC-32 of pieces one after the other, in parallel.
pub(super) fn checksum(pieces: &[&[u8]]) -> u32 {
    let chunks = pieces.par_iter().flat_map(|piece| piece.par_chunks(CHUNK_BYTES));
    let sum = |chunk| {
        let mut hasher = Hasher::new();
        hasher.update(chunk);
        hasher
    };
    combined(chunks.map(sum).collect::<Vec<_>>()).finalize()
}

/// The checksum of chunks that follow one another.
pub(super) fn combined(sums: impl IntoIterator<Item = Hasher>) -> Hasher {
    let mut whole = Hasher::new();
    sums.into_iter().for_each(|sum| whole.combine(&sum));
    whole
}
