//! This project's binary format, as it comes and with its checksums put right, so that
//! the checks behind it are reached.
#![no_main]

use graph_formats::{Format, parse};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let _ = parse(Format::Spg, bytes);
    let mut sealed = bytes.to_vec();
    if sealed.len() >= 128 {
        let body = crc32(&sealed[128..]);
        sealed[72..76].copy_from_slice(&body.to_le_bytes());
        let sum = sealed[..120].iter().fold(0xCBF2_9CE4_8422_2325u64, |hash, &byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01B3)
        });
        sealed[120..128].copy_from_slice(&sum.to_le_bytes());
        let _ = parse(Format::Spg, &sealed);
    }
});

/// The CRC-32 of gzip, a bit at a time.
fn crc32(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(!0, |crc, &byte| {
        (0..8).fold(crc ^ u32::from(byte), |crc, _| {
            crc >> 1 ^ (0xEDB8_8320 & (crc & 1).wrapping_neg())
        })
    })
}
