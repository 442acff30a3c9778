//! Compressed files: which suffix or which first bytes say what, and the decoders. Every
//! one of them checks what it decodes against the checksums of the file.
//!
//! Only gzip's is in every build; the others come with the feature `compression`.

use std::io::{BufRead, Read};
use std::path::Path;

use flate2::bufread::MultiGzDecoder;

#[cfg(feature = "compression")]
use super::zstd::ZstdReader;

/// Memory that the dictionary of an `.xz` file may claim: 16 times what `xz -9` uses.
#[cfg(feature = "compression")]
const XZ_LIMIT_KIB: u32 = 1 << 20;

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

    /// Bytes that tell which compression it is.
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
            // A skippable frame begins with other bytes, and no tool begins with one.
            Self::Zstd => b"\x28\xB5\x2F\xFD",
        }
    }

    /// What the suffix of `path` says.
    pub(super) fn of_name(path: &Path) -> Option<Self> {
        let suffix = path.extension()?;
        Self::ALL.into_iter().find(|kind| suffix.eq_ignore_ascii_case(kind.names().1))
    }

    /// What the first bytes of a file say.
    pub(super) fn of_content(start: &[u8]) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| start.starts_with(kind.magic()))
    }

    /// Whether a file that starts so may be of this compression; it may be shorter.
    pub(super) fn may_start(self, start: &[u8]) -> bool {
        start.iter().zip(self.magic()).all(|(a, b)| a == b)
    }

    /// The bytes that `packed` holds, all of its members one after the other; `None` where this
    /// build has no decoder.
    pub(super) fn decoder<'a>(
        self,
        packed: impl BufRead + Send + 'a,
    ) -> Option<Box<dyn Read + Send + 'a>> {
        Some(match self {
            Self::Gzip => Box::new(MultiGzDecoder::new(packed)),
            #[cfg(feature = "compression")]
            Self::Bzip2 => Box::new(bzip2::bufread::MultiBzDecoder::new(packed)),
            #[cfg(feature = "compression")]
            Self::Xz => Box::new(lzma_rust2::XzReader::new_mem_limit(packed, true, XZ_LIMIT_KIB)),
            #[cfg(feature = "compression")]
            Self::Zstd => Box::new(ZstdReader::new(packed)),
            #[cfg(not(feature = "compression"))]
            Self::Bzip2 | Self::Xz | Self::Zstd => return None,
        })
    }
}
