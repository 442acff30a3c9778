//! Where the bytes of a graph come from: a file, standard input or memory, decompressed
//! on the way.

use std::fs::File;
use std::io::{self, BufReader, Cursor, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::compression::Compression;
use super::{Progress, malformed, memory};
use crate::GraphError;

/// Bytes between two reports of progress.
const STEP_BYTES: usize = 256 << 10;

/// Bytes that are read once, from the first to the last.
pub(super) struct Source<'a> {
    path: PathBuf,
    reader: Box<dyn Read + Send + 'a>,
    compression: Option<Compression>,
    /// Whether all bytes of the file have been read.
    exhausted: Arc<AtomicBool>,
    plain: Option<PlainFile<'a>>,
}

/// A file whose bytes are taken as they are, at any place and by any thread.
#[derive(Clone)]
pub(super) struct PlainFile<'a> {
    pub(super) file: Arc<File>,
    pub(super) length: u64,
    pub(super) progress: Progress<'a>,
}

impl<'a> Source<'a> {
    /// A file; `-` is standard input. What its suffix says about compression must be
    /// so; where the suffix says nothing, the first bytes do.
    pub(super) fn open(path: &Path, progress: Progress<'a>) -> Result<Self, GraphError> {
        if path == Path::new("-") {
            return Self::new(Path::new("<standard input>"), io::stdin(), None, 0, progress);
        }
        let fail = |source| GraphError::Io { path: path.to_path_buf(), source };
        let file = Arc::new(File::open(path).map_err(fail)?);
        let metadata = file.metadata().map_err(fail)?;
        if metadata.is_dir() {
            return Err(fail(io::ErrorKind::IsADirectory.into()));
        }
        let total = if metadata.is_file() { metadata.len() } else { 0 };
        let named = Compression::of_name(path);
        let mut source = Self::new(path, file.clone(), named, total, progress)?;
        if metadata.is_file() && source.compression.is_none() {
            source.plain = Some(PlainFile { file, length: total, progress });
        }
        Ok(source)
    }

    /// Bytes in memory, taken as they are.
    pub(super) fn memory(bytes: &'a [u8]) -> Self {
        Self {
            path: PathBuf::from("<memory>"),
            reader: Box::new(bytes),
            compression: None,
            exhausted: Arc::default(),
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
        let fail = |source| GraphError::Io { path: path.to_path_buf(), source };
        let exhausted = Arc::new(AtomicBool::new(false));
        let mut counted =
            Counted { reader, done: 0, total, progress, exhausted: exhausted.clone() };
        let mut start = Vec::new();
        let magic = (&mut counted).take(Compression::MAGIC_BYTES as u64).read_to_end(&mut start);
        magic.map_err(fail)?;
        if let Some(kind) = named.filter(|kind| !kind.may_start(&start)) {
            let (name, _) = kind.names();
            return Err(malformed(path, format!("not a {name} file, though its name says so")));
        }
        let compression = named.or_else(|| Compression::of_content(&start));
        let whole = Cursor::new(start).chain(counted);
        let reader: Box<dyn Read + Send + 'a> = match compression {
            Some(kind) => kind.decoder(BufReader::with_capacity(STEP_BYTES, whole)),
            None => Box::new(whole),
        };
        let path = path.to_path_buf();
        Ok(Self { path, reader, compression, exhausted, plain: None })
    }

    /// What errors call it.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Adds up to `most` bytes to `bytes` and says how many; fewer only at the end.
    ///
    /// # Errors
    /// When reading fails, or what is compressed is damaged or incomplete.
    pub(super) fn read(&mut self, bytes: &mut Vec<u8>, most: usize) -> Result<usize, GraphError> {
        let mut part = (&mut self.reader).take(most as u64);
        part.read_to_end(bytes).map_err(|error| self.error(error))
    }

    /// All that is left.
    pub(super) fn read_all(&mut self) -> Result<Vec<u8>, GraphError> {
        if let Some(plain) = &self.plain {
            memory::ensure(&self.path, 0, plain.length)?;
        }
        let mut bytes = Vec::new();
        self.read(&mut bytes, usize::MAX)?;
        Ok(bytes)
    }

    /// Fills `buffer` and says how far; not whole only at the end.
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

    /// The file, where its bytes are taken as they are.
    pub(super) fn plain_file(&self) -> Option<PlainFile<'a>> {
        self.plain.clone()
    }

    pub(super) fn error(&self, error: io::Error) -> GraphError {
        match self.compression.filter(|_| error.raw_os_error().is_none()) {
            None => GraphError::Io { path: self.path.clone(), source: error },
            Some(kind) if self.exhausted.load(Ordering::Relaxed) => {
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

/// Bytes that report how many of them have been taken.
struct Counted<'a, R> {
    reader: R,
    done: u64,
    total: u64,
    progress: Progress<'a>,
    exhausted: Arc<AtomicBool>,
}

impl<R: Read> Read for Counted<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let most = buffer.len().min(STEP_BYTES);
        let taken = self.reader.read(&mut buffer[..most])?;
        if taken == 0 && most > 0 {
            self.exhausted.store(true, Ordering::Relaxed);
        }
        self.done += taken as u64;
        // a file that grows meanwhile is read to its new end
        (self.progress)(self.done, if self.total == 0 { 0 } else { self.total.max(self.done) });
        Ok(taken)
    }
}

/// Bytes of any alignment, a whole number of `T`s, as an array.
pub(super) fn copied<T: bytemuck::Pod>(bytes: &[u8]) -> Vec<T> {
    let mut array = vec![T::zeroed(); bytes.len() / size_of::<T>()];
    bytemuck::cast_slice_mut::<T, u8>(&mut array).copy_from_slice(bytes);
    array
}
