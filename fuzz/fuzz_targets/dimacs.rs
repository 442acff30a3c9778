//! DIMACS `.gr`, with and without its `p` line.
#![no_main]

use graph_formats::{Format, parse};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let _ = parse(Format::Gr, bytes);
});
