//! Compressed files: their suffixes, first bytes and decoders. Every decoder verifies the checksums
//! of the file.
//!
//! The decoder of gzip is in every build; the others need the feature `compression`.

use std::io::{self, BufRead, Read};
use std::path::Path;

use flate2::bufread::GzDecoder;

#[cfg(feature = "compression")]
use super::zstd::ZstdReader;

/// The most memory for the dictionary of an `.xz` file, in KiB: 16 times that of `xz -9`.
#[cfg(feature = "compression")]
const MAX_XZ_KIB: u32 = 1 << 20;

/// How a file is compressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Compression {
    Gzip,
    Bzip2,
    Xz,
    Zstd,
}

impl Compression {
    pub(super) const ALL: [Self; 4] = [Self::Gzip, Self::Bzip2, Self::Xz, Self::Zstd];

    /// First bytes of a file that are enough to recognise its compression.
    pub(super) const MAGIC_BYTES: usize = 6;

    /// The name of the tool, and the suffix without its dot.
    pub(super) fn names(self) -> (&'static str, &'static str) {
        match self {
            Self::Gzip => ("gzip", "gz"),
            Self::Bzip2 => ("bzip2", "bz2"),
            Self::Xz => ("xz", "xz"),
            Self::Zstd => ("zstd", "zst"),
        }
    }

    fn magic(self) -> &'static [u8] {
        match self {
            Self::Gzip => b"\x1F\x8B",
            Self::Bzip2 => b"BZh",
            Self::Xz => b"\xFD7zXZ\0",
            // A skippable frame begins with other bytes, but no tool writes one first.
            Self::Zstd => b"\x28\xB5\x2F\xFD",
        }
    }

    /// The compression that the suffix of `path` names.
    pub(super) fn of_name(path: &Path) -> Option<Self> {
        let suffix = path.extension()?;
        Self::ALL.into_iter().find(|kind| suffix.eq_ignore_ascii_case(kind.names().1))
    }

    /// The compression that the first bytes of a file show.
    pub(super) fn of_content(start: &[u8]) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| start.starts_with(kind.magic()))
    }

    /// Whether a file that starts so may have this compression; `start` may be shorter than its
    /// mark.
    pub(super) fn may_start(self, start: &[u8]) -> bool {
        start.iter().zip(self.magic()).all(|(a, b)| a == b)
    }

    /// A decoder of `packed`, of all its members one after the other; `None` if this build has
    /// none.
    pub(super) fn decoder<'a>(
        self,
        packed: impl BufRead + Send + 'a,
    ) -> Option<Box<dyn Read + Send + 'a>> {
        Some(match self {
            Self::Gzip => Box::new(GzipReader { member: Some(GzDecoder::new(packed)) }),
            #[cfg(feature = "compression")]
            Self::Bzip2 => Box::new(bzip2::bufread::MultiBzDecoder::new(packed)),
            #[cfg(feature = "compression")]
            Self::Xz => Box::new(lzma_rust2::XzReader::new_mem_limit(packed, true, MAX_XZ_KIB)),
            #[cfg(feature = "compression")]
            Self::Zstd => Box::new(ZstdReader::new(packed)),
            #[cfg(not(feature = "compression"))]
            Self::Bzip2 | Self::Xz | Self::Zstd => return None,
        })
    }
}

/// Other bytes follow the compressed data.
#[derive(Debug, thiserror::Error)]
#[error("other bytes follow the end of the data")]
pub(super) struct Trailing;

/// The members of a gzip file, one after the other.
struct GzipReader<R> {
    /// The member that is read; `None` at the end of the file.
    member: Option<GzDecoder<R>>,
}

impl<R: BufRead> Read for GzipReader<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while let Some(member) = &mut self.member {
            let n_read = member.read(buffer)?;
            if n_read > 0 || buffer.is_empty() {
                return Ok(n_read);
            }
            let Some(mut rest) = self.member.take().map(GzDecoder::into_inner) else { break };
            match rest.fill_buf()?.first() {
                None => break,
                Some(&byte) if byte == Compression::Gzip.magic()[0] => {
                    self.member = Some(GzDecoder::new(rest));
                }
                Some(_) => return Err(io::Error::other(Trailing)),
            }
        }
        Ok(0)
    }
}
