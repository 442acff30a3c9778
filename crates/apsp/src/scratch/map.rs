//! A file of numbers, seen as a slice.
//!
//! A mapped page for which the disk has no block ends the process when it is written. So a
//! file is first written from end to end in the ordinary way, where a full disk is an error,
//! and mapped after that. What is stored in the map reaches the disk when the system likes,
//! or with [`Mapped::flush`], and survives the end of the process in any case. A disk that
//! cannot give back a page ends the process too; there is nothing else that a map could do.
//!
//! This holds where a block that was written stays. A file system that copies on write (btrfs, ZFS,
//! a file of XFS that shares its blocks) takes a new block for each page that changes. A full disk
//! is then found out as the page goes there: [`Mapped::flush`] fails, or the process ends. What the
//! journal says is on the disk in any case.

use std::fs::{File, OpenOptions};
use std::io::{BufWriter, Write};
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
    map: MmapRaw,
    numbers: PhantomData<T>,
}

impl<T: Pod> Mapped<T> {
    /// Maps a file that must hold `len` numbers.
    pub(super) fn open(path: PathBuf, len: usize) -> Result<Self, ScratchError> {
        let file = OpenOptions::new().read(true).write(true).open(&path);
        let file = file.map_err(ScratchError::open(&path))?;
        let found = file.metadata().map_err(ScratchError::open(&path))?.len();
        let expected = len as u128 * size_of::<T>() as u128;
        if u128::from(found) != expected {
            let problem = format!("has {found} bytes in place of {expected}");
            return Err(ScratchError::damaged(&path, problem));
        }
        let map = MmapRaw::map_raw(&file).map_err(ScratchError::open(&path))?;
        Ok(Self { path, len, map, numbers: PhantomData })
    }

    /// The same as bytes.
    pub(super) fn into_bytes(self) -> Mapped<u8> {
        let Self { path, len, map, .. } = self;
        Mapped { path, len: len * size_of::<T>(), map, numbers: PhantomData }
    }

    /// Where the file is.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// All numbers, where no other rank changes any.
    pub(crate) fn numbers(&self) -> &[T] {
        self.rows(0..self.len, 1)
    }

    /// All numbers, to be changed.
    pub(super) fn numbers_mut(&mut self) -> &mut [T] {
        self.rows_mut(0..self.len, 1)
    }

    /// Rows of `width` numbers, which no other rank changes.
    pub(super) fn rows(&self, rows: Range<usize>, width: usize) -> &[T] {
        let part = self.part(rows, width);
        // SAFETY: the file has this many numbers, any bytes are numbers, and a map begins on a
        // page, which suits the alignment of every type. The folder's lock keeps other processes of
        // this program out, a rank maps each file once at a time, and asks for no number that
        // another one changes.
        unsafe { slice::from_raw_parts(self.map.as_ptr().cast::<T>().add(part.start), part.len()) }
    }

    /// Some rows, which no other rank asks for, to be changed.
    pub(super) fn rows_mut(&mut self, rows: Range<usize>, width: usize) -> &mut [T] {
        let part = self.part(rows, width);
        let start = self.map.as_mut_ptr().cast::<T>();
        // SAFETY: as in `rows`; this is the only borrow of the map.
        unsafe { slice::from_raw_parts_mut(start.add(part.start), part.len()) }
    }

    /// Where rows are among the numbers.
    fn part(&self, rows: Range<usize>, width: usize) -> Range<usize> {
        let part = rows.start * width..rows.end * width;
        assert!(part.start <= part.end && part.end <= self.len, "{part:?} of {}", self.len);
        part
    }

    /// Returns when all of it is on the disk.
    pub(super) fn flush(&self) -> Result<(), ScratchError> {
        self.map.flush().map_err(ScratchError::write(&self.path))
    }
}

/// A file that is written in the ordinary way, from one end to the other.
pub(super) struct Output {
    path: PathBuf,
    out: BufWriter<File>,
}

impl Output {
    /// A new file, or an old one from its beginning.
    pub(super) fn create(path: PathBuf) -> Result<Self, ScratchError> {
        let file = File::create(&path).map_err(ScratchError::write(&path))?;
        Ok(Self { path, out: BufWriter::with_capacity(BUFFER_BYTES, file) })
    }

    /// A file to be written from `bytes` on; what is there must be as long.
    pub(super) fn append(path: PathBuf, bytes: u64) -> Result<Self, ScratchError> {
        let file = OpenOptions::new().create(true).append(true).open(&path);
        let file = file.map_err(ScratchError::open(&path))?;
        let found = file.metadata().map_err(ScratchError::open(&path))?.len();
        if found < bytes {
            let problem = format!("has {found} bytes, fewer than the {bytes} of the journal");
            return Err(ScratchError::damaged(&path, problem));
        }
        // the journal does not count the bytes after these
        file.set_len(bytes).map_err(ScratchError::open(&path))?;
        // what is written comes in large parts
        Ok(Self { path, out: BufWriter::with_capacity(0, file) })
    }

    /// Writes numbers as they are in memory.
    pub(super) fn write<T: Pod>(&mut self, numbers: &[T]) -> Result<(), ScratchError> {
        self.out.write_all(cast_slice(numbers)).map_err(ScratchError::write(&self.path))
    }

    /// Returns when all of it is on the disk.
    pub(super) fn sync(&mut self) -> Result<(), ScratchError> {
        let synced = self.out.flush().and_then(|()| self.out.get_ref().sync_all());
        synced.map_err(ScratchError::write(&self.path))
    }
}
