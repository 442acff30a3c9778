//! Sources of bytes: a file, standard input or memory, decompressed while they are read.

use std::fs::File;
use std::io::{self, BufReader, Cursor, Read};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use positioned_io::ReadAt;

use super::compression::{Compression, Trailing};
use super::error::malformed;
use crate::{GraphError, Interrupted, Progress};

/// Bytes between two reports of progress.
const STEP_BYTES: usize = 256 << 10;

/// Bytes that are read once, from the first to the last.
pub(super) struct Source<'a> {
    path: PathBuf,
    reader: Box<dyn Read + Send + 'a>,
    compression: Option<Compression>,
    bytes: Arc<Bytes>,
    plain: Option<PlainFile<'a>>,
}

/// The state of the bytes under a decoder, which the errors of the decoder do not show.
#[derive(Default)]
struct Bytes {
    /// The whole file has been read.
    exhausted: AtomicBool,
    /// The caller has ended the reading.
    ended: AtomicBool,
    /// How many have been read.
    done: AtomicU64,
}

impl Bytes {
    /// Counts `n` more, and returns how many have been read.
    fn add(&self, n: u64) -> u64 {
        self.done.fetch_add(n, Ordering::Relaxed) + n
    }
}

/// A file that is not compressed, readable at any place and by any thread.
#[derive(Clone)]
pub(super) struct PlainFile<'a> {
    file: Arc<File>,
    pub(super) length: u64,
    bytes: Arc<Bytes>,
    progress: Progress<'a>,
}

impl PlainFile<'_> {
    /// Fills `bytes` from position `at` on.
    pub(super) fn read_at(&self, at: u64, bytes: &mut [u8]) -> io::Result<()> {
        self.file.read_exact_at(at, bytes)?;
        self.pass_over(bytes.len() as u64)
    }

    /// Counts `n_bytes` as read.
    pub(super) fn pass_over(&self, n_bytes: u64) -> io::Result<()> {
        report(self.progress, self.bytes.add(n_bytes), self.length)
    }
}

/// A progress callback that does nothing.
pub(super) fn ignore_progress(_done: u64, _total: u64) -> ControlFlow<()> {
    ControlFlow::Continue(())
}

/// Reports the number of bytes read, and the total or 0.
fn report(progress: Progress<'_>, done: u64, total: u64) -> io::Result<()> {
    if progress(done, total).is_break() { Err(io::Error::other(Interrupted)) } else { Ok(()) }
}

/// The error for a failed read.
fn failed(path: &Path, source: io::Error) -> GraphError {
    match source.get_ref() {
        Some(error) if error.is::<Interrupted>() => Interrupted.into(),
        _ => GraphError::Io { path: path.to_path_buf(), source },
    }
}

impl<'a> Source<'a> {
    /// A file; `-` is standard input. If its suffix names a compression, the file must have it;
    /// otherwise the first bytes decide.
    pub(super) fn open(path: &Path, progress: Progress<'a>) -> Result<Self, GraphError> {
        if path == Path::new("-") {
            return Self::new(Path::new("<standard input>"), io::stdin(), None, 0, progress);
        }
        let fail = |error| failed(path, error);
        let file = Arc::new(File::open(path).map_err(fail)?);
        let metadata = file.metadata().map_err(fail)?;
        if metadata.is_dir() {
            return Err(fail(io::ErrorKind::IsADirectory.into()));
        }
        let total = if metadata.is_file() { metadata.len() } else { 0 };
        let named = Compression::of_name(path);
        let mut source = Self::new(path, file.clone(), named, total, progress)?;
        if metadata.is_file() && source.compression.is_none() {
            source.plain =
                Some(PlainFile { file, length: total, bytes: source.bytes.clone(), progress });
        }
        Ok(source)
    }

    /// Bytes in memory, taken as they are.
    pub(super) fn memory(bytes: &'a [u8]) -> Self {
        Self {
            path: PathBuf::from("<memory>"),
            reader: Box::new(bytes),
            compression: None,
            bytes: Arc::default(),
            plain: None,
        }
    }

    /// `total`: bytes to be read in all, or 0.
    fn new(
        path: &Path,
        reader: impl Read + Send + 'a,
        named: Option<Compression>,
        total: u64,
        progress: Progress<'a>,
    ) -> Result<Self, GraphError> {
        let bytes: Arc<Bytes> = Arc::default();
        let mut counted = Counted { reader, total, progress, bytes: bytes.clone() };
        let mut start = Vec::new();
        let magic = (&mut counted).take(Compression::MAGIC_BYTES as u64).read_to_end(&mut start);
        magic.map_err(|error| failed(path, error))?;
        if let Some(kind) = named.filter(|kind| !kind.may_start(&start)) {
            let (name, _) = kind.names();
            return Err(malformed(path, format!("not a {name} file, though its name says so")));
        }
        let compression = named.or_else(|| Compression::of_content(&start));
        let whole = Cursor::new(start).chain(counted);
        let reader: Box<dyn Read + Send + 'a> = match compression {
            Some(kind) => {
                let decoder = kind.decoder(BufReader::with_capacity(STEP_BYTES, whole));
                decoder.ok_or_else(|| GraphError::CompressionLeftOut {
                    path: path.to_path_buf(),
                    tool: kind.names().0,
                })?
            }
            None => Box::new(whole),
        };
        let path = path.to_path_buf();
        Ok(Self { path, reader, compression, bytes, plain: None })
    }

    /// Its name in errors.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Adds up to `most` bytes to `bytes` and returns their number; fewer only at the end.
    ///
    /// # Errors
    /// When reading fails, or compressed data is damaged or incomplete.
    pub(super) fn read(&mut self, bytes: &mut Vec<u8>, most: usize) -> Result<usize, GraphError> {
        let mut part = (&mut self.reader).take(most as u64);
        part.read_to_end(bytes).map_err(|error| self.error(error))
    }

    /// The bytes, for a parser that reads them itself; [`Source::error`] explains its failures.
    pub(super) fn reader(&mut self) -> &mut (dyn Read + Send + 'a) {
        &mut *self.reader
    }

    /// Fills `buffer` and returns the number of bytes; fewer only at the end.
    pub(super) fn fill(&mut self, buffer: &mut [u8]) -> Result<usize, GraphError> {
        let mut filled = 0;
        while filled < buffer.len() {
            match self.reader.read(&mut buffer[filled..]) {
                Ok(0) => break,
                Ok(n_read) => filled += n_read,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(self.error(error)),
            }
        }
        Ok(filled)
    }

    /// The file, if it is not compressed.
    pub(super) fn plain_file(&self) -> Option<PlainFile<'a>> {
        self.plain.clone()
    }

    pub(super) fn error(&self, error: io::Error) -> GraphError {
        if self.bytes.ended.load(Ordering::Relaxed) {
            return Interrupted.into();
        }
        match self.compression.filter(|_| error.raw_os_error().is_none()) {
            None => failed(&self.path, error),
            Some(kind) if error.get_ref().is_some_and(|error| error.is::<Trailing>()) => {
                let (name, _) = kind.names();
                let message = format!(
                    "other bytes follow the end of the {name} data; the file is damaged, or \
                     another file was appended to it"
                );
                malformed(&self.path, message)
            }
            Some(kind) if self.bytes.exhausted.load(Ordering::Relaxed) => {
                let (name, _) = kind.names();
                let message = format!("the {name} data ends early; the file is not complete");
                malformed(&self.path, message)
            }
            Some(kind) => {
                let (name, _) = kind.names();
                malformed(&self.path, format!("the {name} data is damaged: {error}"))
            }
        }
    }
}

/// A reader that reports the number of bytes read.
struct Counted<'a, R> {
    reader: R,
    total: u64,
    progress: Progress<'a>,
    bytes: Arc<Bytes>,
}

impl<R: Read> Read for Counted<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let most = buffer.len().min(STEP_BYTES);
        let taken = self.reader.read(&mut buffer[..most])?;
        if taken == 0 && most > 0 {
            self.bytes.exhausted.store(true, Ordering::Relaxed);
        }
        let done = self.bytes.add(taken as u64);
        // a file that grows meanwhile is read to its new end
        let total = if self.total == 0 { 0 } else { self.total.max(done) };
        let told = report(self.progress, done, total);
        self.bytes.ended.store(told.is_err(), Ordering::Relaxed);
        told.map(|()| taken)
    }
}

/// The error for a text that starts so, if it is in UTF-16: by its byte order mark, or because
/// every other byte is zero.
pub(super) fn refuse_utf16(path: &Path, start: &[u8]) -> Result<(), GraphError> {
    let is_utf16 = match start {
        [0xFF, 0xFE, ..] | [0xFE, 0xFF, ..] => true,
        &[a, b, c, d, ..] => (a == 0) != (b == 0) && (a == 0) == (c == 0) && (b == 0) == (d == 0),
        _ => false,
    };
    if !is_utf16 {
        return Ok(());
    }
    let message = "the text is in UTF-16; convert it to UTF-8, as by iconv -f UTF-16 -t UTF-8";
    Err(GraphError::Syntax { path: path.to_path_buf(), line: 1, message: message.to_owned() })
}

/// Bytes of any alignment, a whole number of `T`s, as an array.
pub(super) fn copied<T: bytemuck::Pod>(bytes: &[u8]) -> Vec<T> {
    let mut array = vec![T::zeroed(); bytes.len() / size_of::<T>()];
    bytemuck::cast_slice_mut::<T, u8>(&mut array).copy_from_slice(bytes);
    array
}
