//! The bytes of a binary file, read or mapped, and their checksum. The file's arrays are then used
//! in place.

use std::fs::File;
use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

use crc32fast::Hasher;
use memmap2::{Mmap, MmapMut};
use positioned_io::ReadAt;
use rayon::prelude::*;

use super::compression::Compression;
use super::error::malformed;
use super::memory;
use super::source::{PlainFile, Source};
use crate::{Buffer, GraphError};

/// Bytes per task, which reads them and then sums them while they are in a cache.
const CHUNK_BYTES: usize = 1 << 20;

/// Reads a file that should have `length` bytes, after `start`, which has been read from `source`.
/// Returns all its bytes and the CRC-32 of those after `start`; or, if the length is wrong, the
/// number of bytes found, `length` + 1 at most for a stream.
///
/// A plain file is read in parallel. The memory is allocated as a whole, but used only where bytes
/// arrive, so that a wrong `length` costs nothing.
///
/// # Errors
/// [`GraphError::OutOfMemory`]; when reading fails.
pub(super) fn read(
    source: &mut Source<'_>,
    start: &[u8],
    length: u64,
) -> Result<Result<(Buffer<u8>, u32), u64>, GraphError> {
    let plain = source.plain_file();
    if let Some(plain) = plain.as_ref().filter(|plain| plain.length != length) {
        return Ok(Err(plain.length));
    }
    memory::ensure(source.path(), 0, length)?;
    let n_bytes = usize::try_from(length).unwrap_or(usize::MAX);
    let mut map = MmapMut::map_anon(n_bytes).map_err(|error| source.error(error))?;
    // Page faults on new memory take as long as reading into it; large pages, if the system has
    // them, save most of these.
    #[cfg(target_os = "linux")]
    let _ = map.advise(memmap2::Advice::HugePage);
    let (head, body) = map.split_at_mut(start.len());
    head.copy_from_slice(start);
    let checksum = match plain {
        Some(plain) => {
            let checksum = read_parallel(&plain, start.len() as u64, body);
            Ok(checksum.map_err(|error| source.error(error))?)
        }
        None => read_stream(source, body)?.map_err(|read| start.len() as u64 + read),
    };
    let map = map.make_read_only().map_err(|error| source.error(error))?;
    Ok(checksum.map(|checksum| (Buffer::of_owner(map), checksum)))
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

/// Fills `body` from a file, from byte `offset` of it on.
fn read_parallel(plain: &PlainFile<'_>, offset: u64, body: &mut [u8]) -> io::Result<u32> {
    let done = AtomicU64::new(offset);
    let sums = body.par_chunks_mut(CHUNK_BYTES).enumerate().map(|(number, chunk)| {
        plain.file.read_exact_at(offset + (number * CHUNK_BYTES) as u64, chunk)?;
        let bytes = chunk.len() as u64;
        plain.report(done.fetch_add(bytes, Ordering::Relaxed) + bytes)?;
        Ok(sum(chunk))
    });
    Ok(combined(sums.collect::<io::Result<_>>()?))
}

/// Fills `body` from `source`, or returns the number of bytes found.
fn read_stream(source: &mut Source<'_>, body: &mut [u8]) -> Result<Result<u32, u64>, GraphError> {
    let (mut hasher, mut done) = (Hasher::new(), 0);
    for chunk in body.chunks_mut(CHUNK_BYTES) {
        let n_read = source.fill(chunk)?;
        done += n_read as u64;
        if n_read < chunk.len() {
            return Ok(Err(done));
        }
        hasher.update(chunk);
    }
    let ends_here = source.fill(&mut [0])? == 0;
    Ok(if ends_here { Ok(hasher.finalize()) } else { Err(done + 1) })
}

/// The CRC-32 of pieces one after the other, in parallel.
pub(super) fn checksum(pieces: &[&[u8]]) -> u32 {
    let chunks = pieces.par_iter().flat_map(|piece| piece.par_chunks(CHUNK_BYTES));
    combined(chunks.map(sum).collect())
}

fn sum(chunk: &[u8]) -> Hasher {
    let mut hasher = Hasher::new();
    hasher.update(chunk);
    hasher
}

/// The checksum of chunks that follow one another.
fn combined(sums: Vec<Hasher>) -> u32 {
    let mut whole = Hasher::new();
    sums.iter().for_each(|sum| whole.combine(sum));
    whole.finalize()
}
