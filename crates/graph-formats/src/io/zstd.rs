//! The decoder of `.zst` files, frame by frame.

use std::io::{self, BufRead, Read};

use ruzstd::decoding::errors::{FrameDecoderError, ReadFrameHeaderError};
use ruzstd::decoding::{BlockDecodingStrategy, FrameDecoder};

/// The frames of a `.zst` file one after the other.
pub(super) struct ZstdReader<R> {
    packed: R,
    decoder: FrameDecoder,
    state: Frame,
}

#[derive(PartialEq)]
enum Frame {
    /// No frame has begun.
    None,
    Begun,
    Ended,
}

impl<R: BufRead> ZstdReader<R> {
    pub(super) fn new(packed: R) -> Self {
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
