//! The header of a NumPy file (format version 1.0), after which numbers follow row by row.

use std::io::{self, Write};

use graph_formats::{Weight, WeightKind};

/// NumPy's letter and size of distances.
pub(crate) fn npy_kind<W: Weight>() -> &'static str {
    match W::KIND {
        WeightKind::U32 | WeightKind::U64 => "u8",
        WeightKind::I32 | WeightKind::I64 => "i8",
        WeightKind::F32 => "f4",
        _ => "f8",
    }
}

/// Begins the file of a square array. `kind` is NumPy's letter and size of its numbers, as
/// "u8" for 64-bit unsigned ones.
pub(crate) fn write_header(out: &mut dyn Write, kind: &str, side: usize) -> io::Result<()> {
    let order = if cfg!(target_endian = "little") { '<' } else { '>' };
    let shape = format!("({side}, {side})");
    let mut text =
        format!("{{'descr': '{order}{kind}', 'fortran_order': False, 'shape': {shape}}}");
    // numbers begin at a multiple of 64 bytes, after a line feed
    const PREFIX: usize = 10;
    let padded = (PREFIX + text.len() + 1).next_multiple_of(64) - PREFIX;
    text.extend(std::iter::repeat_n(' ', padded - 1 - text.len()));
    text.push('\n');
    out.write_all(b"\x93NUMPY\x01\x00")?;
    // a side has 20 digits at most
    out.write_all(&(padded as u16).to_le_bytes())?;
    out.write_all(text.as_bytes())
}
