//! Compressed files: which suffix or which first bytes say what, and the decoders. Every
//! one of them checks what it decodes against the checksums of the file.

use std::io::{self, BufRead, Read};
use std::path::Path;

use bzip2::bufread::MultiBzDecoder;
use flate2::bufread::MultiGzDecoder;
use lzma_rust2::XzReader;
use ruzstd::decoding::errors::{FrameDecoderError, ReadFrameHeaderError};
use ruzstd::decoding::{BlockDecodingStrategy, FrameDecoder};

/// Memory that the dictionary of an `.xz` file may claim: 16 times what `xz -9` uses.
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

    /// The bytes that `packed` holds, all of its members one after the other.
    pub(super) fn decoder<'a>(self, packed: impl BufRead + Send + 'a) -> Box<dyn Read + Send + 'a> {
        match self {
            Self::Gzip => Box::new(MultiGzDecoder::new(packed)),
            Self::Bzip2 => Box::new(MultiBzDecoder::new(packed)),
            Self::Xz => Box::new(XzReader::new_mem_limit(packed, true, XZ_LIMIT_KIB)),
            Self::Zstd => Box::new(ZstdReader::new(packed)),
        }
    }
}

/// The frames of a `.zst` file one after the other.
struct ZstdReader<R> {
    packed: R,
    decoder: FrameDecoder,
    state: Frame,
}

#[derive(PartialEq)]
enum Frame {
    /// Not even the first one has begun.
    None,
    Begun,
    Ended,
}

impl<R: BufRead> ZstdReader<R> {
    fn new(packed: R) -> Self {
        Self { packed, decoder: FrameDecoder::new(), state: Frame::None }
    }

    fn begin_frame(&mut self) -> io::Result<()> {
        match self.decoder.reset(&mut self.packed) {
            Ok(()) => self.state = Frame::Begun,
            Err(FrameDecoderError::ReadFrameHeaderError(ReadFrameHeaderError::SkipFrame {
                length,
                ..
            })) => {
                let mut skipped = (&mut self.packed).take(u64::from(length));
                if io::copy(&mut skipped, &mut io::sink())? < u64::from(length) {
                    return Err(io::ErrorKind::UnexpectedEof.into());
                }
            }
            Err(error) => return Err(io::Error::other(error)),
        }
        Ok(())
    }

    fn end_frame(&mut self) -> io::Result<()> {
        self.state = Frame::Ended;
        let promised = self.decoder.get_checksum_from_data();
        if promised.is_some() && promised != self.decoder.get_calculated_checksum() {
            return Err(io::Error::other("the checksum does not match"));
        }
        Ok(())
    }
}

impl<R: BufRead> Read for ZstdReader<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            if self.state == Frame::Begun {
                if self.decoder.can_collect() > 0 {
                    return self.decoder.read(buffer);
                }
                if self.decoder.is_finished() {
                    self.end_frame()?;
                } else {
                    let one = BlockDecodingStrategy::UptoBlocks(1);
                    self.decoder.decode_blocks(&mut self.packed, one).map_err(io::Error::other)?;
                }
            } else if !self.packed.fill_buf()?.is_empty() {
                self.begin_frame()?;
            } else if self.state == Frame::None {
                return Err(io::ErrorKind::UnexpectedEof.into());
            } else {
                return Ok(0);
            }
        }
    }
}
