//! Matrix Market, `.mtx`; most inputs should start with its banner.
#![no_main]

use graph_formats::{Format, parse};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let _ = parse(Format::Mtx, bytes);
    let _ = parse(Format::Mtx, &[b"%%MatrixMarket matrix coordinate ", bytes].concat());
});
