//! A file that appears whole or not at all.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use tempfile::{NamedTempFile, TempPath};

use crate::GraphError;

/// The name of the path `-` in errors.
const STANDARD_OUTPUT: &str = "<standard output>";

/// Bytes of the buffer of writes.
const BUFFER_BYTES: usize = 1 << 18;

/// The most symbolic links that are followed to a target; Linux has the same limit.
const MAX_LINKS: usize = 40;

/// A file being written beside its target, which it replaces when it is
/// [committed](AtomicFile::commit); dropped before, it leaves no file.
///
/// A committed file is whole also after a crash of the machine: its content is on the
/// disk before it gets its name. Writes are buffered. A target that is no regular file
/// (a pipe, a terminal, `/dev/null`) cannot be replaced and is written directly, and so is
/// standard output, which the path `-` stands for.
///
/// ```
/// use std::io::Write;
/// use graph_formats::AtomicFile;
///
/// let folder = tempfile::tempdir()?;
/// let path = folder.path().join("distances.tsv");
/// let mut file = AtomicFile::create(&path)?;
/// writeln!(file, "1\t0")?;
/// assert!(!path.exists());
/// file.commit()?;
/// assert_eq!(std::fs::read_to_string(&path)?, "1\t0\n");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct AtomicFile {
    /// The path that was requested.
    path: PathBuf,
    /// The path that its links lead to.
    target: PathBuf,
    writer: BufWriter<File>,
    /// The file beside the target; `None` where that is written directly.
    beside: Option<TempPath>,
}

impl AtomicFile {
    /// Opens a file that is to stand at `path`. A symbolic link is followed, also to a
    /// file that does not exist yet.
    ///
    /// # Errors
    /// [`GraphError::Io`] when the folder does not exist or cannot be written, a folder
    /// stands at `path`, or links lead in a cycle.
    pub fn create(path: impl AsRef<Path>) -> Result<Self, GraphError> {
        let path = path.as_ref();
        if path == Path::new("-") {
            return Self::standard_output();
        }
        let fail = |source| GraphError::Io { path: path.to_path_buf(), source };
        let target = followed(path).map_err(fail)?;
        let (file, beside) = match fs::metadata(&target) {
            Ok(found) if found.is_dir() => return Err(fail(io::ErrorKind::IsADirectory.into())),
            Ok(found) if !found.is_file() => {
                (OpenOptions::new().write(true).open(&target).map_err(fail)?, None)
            }
            _ => {
                let (file, beside) = create_beside(&target).map_err(fail)?.into_parts();
                (file, Some(beside))
            }
        };
        let writer = BufWriter::with_capacity(BUFFER_BYTES, file);
        Ok(Self { path: path.to_path_buf(), target, writer, beside })
    }

    fn standard_output() -> Result<Self, GraphError> {
        let path = PathBuf::from(STANDARD_OUTPUT);
        #[cfg(unix)]
        let out = std::os::fd::AsFd::as_fd(&io::stdout()).try_clone_to_owned();
        #[cfg(windows)]
        let out = std::os::windows::io::AsHandle::as_handle(&io::stdout()).try_clone_to_owned();
        match out {
            Ok(out) => {
                let writer = BufWriter::with_capacity(BUFFER_BYTES, File::from(out));
                Ok(Self { target: path.clone(), path, writer, beside: None })
            }
            Err(source) => Err(GraphError::Io { path, source }),
        }
    }

    /// The file that will replace its target, for other writers of it; `None` where the target is
    /// written directly.
    pub fn beside(&self) -> Option<&Path> {
        self.beside.as_deref()
    }

    /// An error of writing, as one that names the file.
    pub fn error(&self, source: io::Error) -> GraphError {
        GraphError::Io { path: self.path.clone(), source }
    }

    /// Puts the file in its place; it gets the permissions of the file that it replaces.
    ///
    /// # Errors
    /// [`GraphError::Io`] when buffered bytes cannot be written or the file cannot be renamed; the
    /// target is then unchanged.
    pub fn commit(mut self) -> Result<(), GraphError> {
        let fail = |source| GraphError::Io { path: self.path.clone(), source };
        self.writer.flush().map_err(fail)?;
        let Some(beside) = self.beside else { return Ok(()) };
        if let Ok(replaced) = fs::metadata(&self.target) {
            fs::set_permissions(&beside, replaced.permissions()).map_err(fail)?;
        }
        self.writer.get_ref().sync_all().map_err(fail)?;
        beside.persist(&self.target).map_err(|error| fail(error.error))?;
        // The new name is on the disk once the folder is synchronised. Some systems cannot do that;
        // the file is whole or absent in any case.
        if let Ok(folder) = File::open(folder_of(&self.target)) {
            let _ = folder.sync_all();
        }
        Ok(())
    }
}

impl Write for AtomicFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.writer.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.writer.flush()
    }
}

impl GraphError {
    /// Whether standard output is a pipe whose reader has closed it, as `head` does.
    pub fn is_reader_gone(&self) -> bool {
        matches!(self, Self::Io { path, source }
            if path == Path::new(STANDARD_OUTPUT) && source.kind() == io::ErrorKind::BrokenPipe)
    }
}

/// The path that symbolic links at `path` lead to, whether it exists or not.
fn followed(path: &Path) -> io::Result<PathBuf> {
    let mut path = path.to_path_buf();
    for _ in 0..=MAX_LINKS {
        match fs::read_link(&path) {
            Ok(next) => path = folder_of(&path).join(next),
            Err(_) => return Ok(path),
        }
    }
    Err(io::Error::other(format!("more than {MAX_LINKS} symbolic links in a chain")))
}

fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if folder != Path::new("") => folder,
        _ => Path::new("."),
    }
}

/// A new file in the folder of `target`, with the user's default permissions.
fn create_beside(target: &Path) -> io::Result<NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(".graph-formats-");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        builder.permissions(fs::Permissions::from_mode(0o666));
    }
    builder.tempfile_in(folder_of(target))
}
