//! Edge lists and tables, with and without a header.
#![no_main]

use graph_formats::{Format, parse};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let _ = parse(Format::Wel, bytes);
    let _ = parse(Format::Csv, bytes);
    let _ = parse(Format::Tsv, bytes);
});
