//! Arrays in NumPy's files (.npy): a header with the type of the elements and the shape, then the
//! elements, row by row and little-endian.
//!
//! A header is written before its elements, so that rows can be written as they are found. It is
//! read alone, so that elements can be read in place. Version 1.0 is written; 2.0 and 3.0, whose
//! headers may be longer, are read too.
//!
//! Format: <https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html>

use std::fmt;
use std::io::{self, Read, Write};

use bytemuck::{NoUninit, cast_slice};

/// The first bytes of every file.
const MAGIC: &[u8] = b"\x93NUMPY";

/// Bytes before the description in version 1.0: magic bytes, version and length.
const PREFIX: usize = 10;

/// The longest header that is read, in bytes; those written have 128.
const MAX_HEADER: u64 = 4096;

/// The type of the elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dtype {
    /// Bytes that are 0 or 1.
    Bool,
    /// 8-bit unsigned integers.
    U8,
    /// 16-bit unsigned integers.
    U16,
    /// 32-bit unsigned integers.
    U32,
    /// 64-bit unsigned integers.
    U64,
    /// 64-bit signed integers.
    I64,
    /// Single-precision floats.
    F32,
    /// Double-precision floats.
    F64,
}

impl Dtype {
    /// Each type with NumPy's name, the size of an element in bytes, and its name in messages.
    const ALL: [(Self, &str, usize, &str); 8] = [
        (Self::Bool, "|b1", 1, "booleans"),
        (Self::U8, "|u1", 1, "u8"),
        (Self::U16, "<u2", 2, "u16"),
        (Self::U32, "<u4", 4, "u32"),
        (Self::U64, "<u8", 8, "u64"),
        (Self::I64, "<i8", 8, "i64"),
        (Self::F32, "<f4", 4, "f32"),
        (Self::F64, "<f8", 8, "f64"),
    ];

    /// The type with this name in NumPy.
    pub fn of(descr: &str) -> Option<Self> {
        Self::ALL.iter().find(|dtype| dtype.1 == descr).map(|dtype| dtype.0)
    }

    /// Bytes of an element.
    pub fn size(self) -> usize {
        Self::ALL[self as usize].2
    }
}

impl fmt::Display for Dtype {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(Self::ALL[*self as usize].3)
    }
}

/// The types of elements.
pub trait Scalar: NoUninit {
    /// Its name at run time.
    const DTYPE: Dtype;
}

macro_rules! scalars {
    ($($t:ty, $dtype:ident;)*) => {$(
        impl Scalar for $t {
            const DTYPE: Dtype = Dtype::$dtype;
        }
    )*};
}

scalars! { bool, Bool; u8, U8; u16, U16; u32, U32; u64, U64; i64, I64; f32, F32; f64, F64; }

/// Writes the header of an array of this shape; its elements must follow.
///
/// # Errors
/// When `out` fails.
pub fn write_header(out: &mut dyn Write, dtype: Dtype, shape: &[usize]) -> io::Result<()> {
    let mut lengths = shape.iter().map(usize::to_string).collect::<Vec<_>>().join(", ");
    if shape.len() == 1 {
        lengths.push(',');
    }
    let descr = Dtype::ALL[dtype as usize].1;
    let text = format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': ({lengths}), }}");
    // the elements begin at a multiple of 64 bytes, after a line feed
    let width = (PREFIX + text.len() + 1).next_multiple_of(64) - PREFIX - 1;
    out.write_all(MAGIC)?;
    out.write_all(&[1, 0])?;
    // it fits: a shape has few lengths, each of 20 digits at most
    out.write_all(&(width as u16 + 1).to_le_bytes())?;
    writeln!(out, "{text:<width$}")
}

/// Writes an array whose elements lie row by row.
///
/// # Errors
/// When `out` fails.
///
/// ```
/// use graph_formats::npy::{Header, write};
///
/// let mut file = Vec::new();
/// write(&mut file, &[2, 3], &[1u16, 2, 3, 4, 5, 6])?;
/// let header = Header::read(&file[..])?.expect("an array");
/// assert_eq!(header.layout(), Some(("<u2", vec![2, 3])));
/// assert_eq!(file[header.start as usize..][..4], [1, 0, 2, 0]);
/// # Ok::<(), std::io::Error>(())
/// ```
pub fn write<T: Scalar>(out: &mut dyn Write, shape: &[usize], elements: &[T]) -> io::Result<()> {
    write_header(out, T::DTYPE, shape)?;
    out.write_all(cast_slice(elements))
}

/// The header of a file. It has not been compared with the size of the file.
#[derive(Debug)]
pub struct Header {
    /// The description, as the file has it.
    pub text: String,
    /// The byte at which the elements start.
    pub start: u64,
}

impl Header {
    /// Reads up to 4096 bytes; `None` if they are not the start of an array.
    ///
    /// # Errors
    /// When `file` fails.
    pub fn read(file: impl Read) -> io::Result<Option<Self>> {
        let mut opening = Vec::new();
        file.take(MAX_HEADER).read_to_end(&mut opening)?;
        Ok(Self::of(&opening))
    }

    fn of(opening: &[u8]) -> Option<Self> {
        let (length, rest) = match opening.strip_prefix(MAGIC)? {
            [1, _, a, b, rest @ ..] => (usize::from(u16::from_le_bytes([*a, *b])), rest),
            [2 | 3, _, a, b, c, d, rest @ ..] => {
                (usize::try_from(u32::from_le_bytes([*a, *b, *c, *d])).ok()?, rest)
            }
            _ => return None,
        };
        let text = std::str::from_utf8(rest.get(..length)?).ok()?.to_owned();
        Some(Self { text, start: (opening.len() - rest.len() + length) as u64 })
    }

    /// NumPy's name of the element type, and the shape; `None` if the elements are not plain
    /// numbers or are stored by columns.
    pub fn layout(&self) -> Option<(&str, Vec<u64>)> {
        let value = |key| Some(self.text.split_once(key)?.1.trim_start().strip_prefix(':')?.trim());
        let (descr, _) = value("'descr'")?.strip_prefix('\'')?.split_once('\'')?;
        if !value("'fortran_order'")?.starts_with("False") {
            return None;
        }
        let (shape, _) = value("'shape'")?.strip_prefix('(')?.split_once(')')?;
        let lengths = shape.split(',').map(str::trim).filter(|length| !length.is_empty());
        Some((descr, lengths.map(|length| length.parse().ok()).collect::<Option<_>>()?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As numpy.save has written them: `arange(6, dtype="u2").reshape(2, 3)` and `ones(3, "?")`.
    const BY_NUMPY: [(&str, &[u8]); 2] = [
        (
            "{'descr': '<u2', 'fortran_order': False, 'shape': (2, 3), }",
            &[0, 0, 1, 0, 2, 0, 3, 0, 4, 0, 5, 0],
        ),
        ("{'descr': '|b1', 'fortran_order': False, 'shape': (3,), }", &[1, 1, 1]),
    ];

    #[test]
    fn files_are_as_numpy_writes_them() {
        let [matrix, ones] = BY_NUMPY.map(|(text, elements)| {
            let prefix = b"\x93NUMPY\x01\x00\x76\x00";
            [prefix, format!("{text:<117}\n").as_bytes(), elements].concat()
        });
        let mut file = Vec::new();
        write(&mut file, &[2, 3], &[0u16, 1, 2, 3, 4, 5]).unwrap();
        assert_eq!(file, matrix);
        let mut file = Vec::new();
        write(&mut file, &[3], &[true; 3]).unwrap();
        assert_eq!(file, ones);
        let header = Header::read(&ones[..]).unwrap().unwrap();
        assert_eq!((header.layout(), header.start), (Some(("|b1", vec![3])), 128));
    }

    #[test]
    fn every_type_and_shape_comes_back() {
        for (dtype, descr, ..) in Dtype::ALL {
            assert_eq!(Dtype::of(descr), Some(dtype));
            for shape in [&[][..], &[0], &[7], &[0, 0], &[3, 4], &[1 << 40; 3], &[usize::MAX; 9]] {
                let mut file = Vec::new();
                write_header(&mut file, dtype, shape).unwrap();
                assert_eq!(file.len() % 64, 0);
                file.push(7);
                let header = Header::read(&file[..]).unwrap().unwrap();
                let lengths = shape.iter().map(|&length| length as u64).collect();
                assert_eq!(header.layout(), Some((descr, lengths)));
                assert_eq!(header.start + 1, file.len() as u64);
            }
        }
    }

    #[test]
    fn other_beginnings_are_no_arrays() {
        let mut file = Vec::new();
        write_header(&mut file, Dtype::U64, &[2, 2]).unwrap();
        for length in 0..file.len() {
            assert!(Header::read(&file[..length]).unwrap().is_none(), "{length} bytes");
        }
        // an unknown version, a length beyond the limit, bytes that are not text
        for (place, byte) in [(6, 9), (9, 0xFF), (20, 0xFF)] {
            let mut wrong = file.clone();
            wrong[place] = byte;
            assert!(Header::read(&wrong[..]).unwrap().is_none(), "byte {place}");
        }
        for (part, other) in [("False", "True"), ("(2, 2)", "(2, -2)"), ("'<u8'", "[('a', '<u8')]")]
        {
            let text = String::from_utf8(file[PREFIX..].to_vec()).unwrap().replace(part, other);
            assert_eq!(Header { text, start: 128 }.layout(), None, "{other}");
        }
    }
}
