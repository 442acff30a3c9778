//! GAPBS's serialised graphs.
#![no_main]

use graph_formats::{Format, parse};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let _ = parse(Format::Sg, bytes);
    let _ = parse(Format::Wsg, bytes);
});
