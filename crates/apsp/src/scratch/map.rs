//! A file of numbers, seen as a slice.
//!
//! A mapped page for which the disk has no block ends the process when it is written. So a
//! file is first written from end to end in the ordinary way, where a full disk is an error,
//! and mapped after that. What is stored in the map reaches the disk when the system likes,
//! or with [`Mapped::flush`], and survives the end of the process in any case. A disk that
//! cannot give back a page ends the process too; there is nothing else that a map could do.
//!
//! This holds where a block that was written stays. A file system that copies on write (btrfs,
//! ZFS, a file of XFS that shares its blocks) takes a new block for each page that changes, and
//! a full disk is then found out as the page goes there: [`Mapped::flush`] fails, or the
//! process ends. What the journal says is on the disk in any case.

use std::fs::{File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::marker::PhantomData;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::slice;

use bytemuck::{Pod, cast_slice};
use memmap2::MmapRaw;

use super::ScratchError;

const BUFFER_BYTES: usize = 1 << 20;

/// A mapped file of numbers.
#[derive(Debug)]
pub(crate) struct Mapped<T> {
    path: PathBuf,
    len: usize,
    /// None of an empty file, which no system maps.
    map: Option<MmapRaw>,
    numbers: PhantomData<T>,
}

impl<T: Pod> Mapped<T> {
    /// Maps a file that must hold `len` numbers.
    pub(crate) fn open(path: PathBuf, len: usize) -> Result<Self, ScratchError> {
        let fail = |path: &Path, source| ScratchError::Open { path: path.to_owned(), source };
        let file = OpenOptions::new().read(true).write(true).open(&path);
        let file = file.map_err(|source| fail(&path, source))?;
        let found = file.metadata().map_err(|source| fail(&path, source))?.len();
        let expected = len as u128 * size_of::<T>() as u128;
        if u128::from(found) != expected {
            let problem = format!("has {found} bytes in place of {expected}");
            return Err(ScratchError::Damaged { path, problem });
        }
        let map = (len > 0).then(|| MmapRaw::map_raw(&file)).transpose();
        let map = map.map_err(|source| fail(&path, source))?;
        Ok(Self { path, len, map, numbers: PhantomData })
    }

    /// Where the file is.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// All numbers, where nobody else changes any.
    pub(crate) fn numbers(&self) -> &[T] {
        self.part(0..self.len)
    }

    /// All numbers, to be changed.
    pub(crate) fn numbers_mut(&mut self) -> &mut [T] {
        self.part_mut(0..self.len)
    }

    /// Some of the numbers, which no other rank changes.
    pub(crate) fn part(&self, part: Range<usize>) -> &[T] {
        assert!(part.start <= part.end && part.end <= self.len, "{part:?} of {}", self.len);
        let Some(map) = &self.map else { return &[] };
        // SAFETY: the file has so many numbers, which any bytes are, and a map begins on a page,
        // which suits every number. The folder's lock keeps other processes of this program out,
        // a rank maps each file once at a time, and asks for no number that another one changes.
        unsafe { slice::from_raw_parts(map.as_ptr().cast::<T>().add(part.start), part.len()) }
    }

    /// Some of the numbers, which no other rank asks for, to be changed.
    pub(crate) fn part_mut(&mut self, part: Range<usize>) -> &mut [T] {
        assert!(part.start <= part.end && part.end <= self.len, "{part:?} of {}", self.len);
        let Some(map) = &self.map else { return &mut [] };
        let start = map.as_mut_ptr().cast::<T>();
        // SAFETY: as in `part`; this is the only borrow of the map.
        unsafe { slice::from_raw_parts_mut(start.add(part.start), part.len()) }
    }

    /// Returns when all of it is on the disk.
    pub(crate) fn flush(&self) -> Result<(), ScratchError> {
        let fail = |source| ScratchError::Write { path: self.path.clone(), source };
        self.map.as_ref().map_or(Ok(()), MmapRaw::flush).map_err(fail)
    }
}

/// Writes a file from its beginning and has it on the disk.
pub(crate) fn create(
    path: &Path,
    write: impl FnOnce(&mut BufWriter<File>) -> io::Result<()>,
) -> Result<(), ScratchError> {
    let all = || {
        let mut out = BufWriter::with_capacity(BUFFER_BYTES, File::create(path)?);
        write(&mut out)?;
        out.flush()?;
        out.get_ref().sync_all()
    };
    all().map_err(|source| ScratchError::Write { path: path.to_owned(), source })
}

/// Writes numbers as they are in memory.
pub(crate) fn write<T: Pod>(out: &mut impl Write, numbers: &[T]) -> io::Result<()> {
    out.write_all(cast_slice(numbers))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_empty_file_has_no_numbers() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("numbers");
        create(&path, |_| Ok(())).unwrap();
        let mut mapped = Mapped::<u32>::open(path, 0).unwrap();
        assert!(mapped.numbers().is_empty() && mapped.numbers_mut().is_empty());
        mapped.flush().unwrap();
    }
}
