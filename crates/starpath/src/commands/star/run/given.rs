//! The values of parameters as the command line writes them.

use std::path::Path;

use anyhow::{anyhow, bail};
use star_machine::{Slice, Word};

use super::table::bits_of;
use crate::commands::star::column::{Column, listed, n_bits};
use crate::failure::WrongUse;

/// A path, and the bits after its last colon.
pub(super) fn with_bits(given: &str) -> (&Path, Option<usize>) {
    let split = given.rsplit_once(':').and_then(|(path, bits)| Some((path, bits.parse().ok()?)));
    split.map_or((Path::new(given), None), |(path, bits)| (Path::new(path), Some(bits)))
}

/// The size in `100x8`.
pub(super) fn zeros(given: &str) -> Option<(usize, usize)> {
    let (rows, columns) = given.split_once('x')?;
    Some((rows.parse().ok()?, columns.parse().ok()?))
}

/// A slice with the number of rows of its file, of the number after its colon, or of its table.
pub(super) fn slice(
    name: &str,
    given: &str,
    rows: Option<usize>,
    first: usize,
) -> anyhow::Result<Slice> {
    let path = Path::new(given);
    if path.extension().is_some_and(|suffix| suffix == "csv") {
        return Column::read(path)?.into_slice();
    }
    let (list, len) = match given.rsplit_once(':').map(|(list, len)| (list, len.parse())) {
        Some((list, Ok(len))) => (list, Some(len)),
        _ => (given, rows),
    };
    let Some(len) = len else {
        let text = format!(
            "--slice {name}={given}: the number of rows is not known; write --slice \
             {name}={given}:ROWS"
        );
        return Err(WrongUse(text).into());
    };
    match list {
        "all" => Ok(Slice::ones(len)?),
        "none" => Ok(Slice::zeros(len)?),
        list => listed(&format!("--slice {name}"), list, len, first),
    }
}

/// A word with the number of bits of its literal, of the number after its colon, or of its table.
pub(super) fn word(name: &str, given: &str, columns: Option<usize>) -> anyhow::Result<Word> {
    if let Some(bits) = bits_of(given) {
        return Ok(bits.into_word());
    }
    let (number, bits) = match given.split_once(':') {
        Some((number, bits)) => (number, bits.parse().ok()),
        None => (given, columns),
    };
    let wrong = |what: &str| {
        let text = format!("--word {name}={given}: {what}; write --word {name}=NUMBER:BITS");
        anyhow!(WrongUse(text))
    };
    let number: u64 = number.parse().map_err(|_| wrong("this is not an unsigned integer"))?;
    let bits = bits.ok_or_else(|| wrong("the number of bits is not known"))?;
    let least = n_bits(number);
    if least > bits {
        let rest = format!(
            "it needs {least}: write --word {name}={number}:{least}, or give its table more bits"
        );
        bail!("--word {name}={given} does not fit into {bits} bits; {rest}");
    }
    Ok(Word::from_u64(number, bits)?)
}

/// The value of an integer: one less than on the command line if positions count from 1.
pub(super) fn integer(name: &str, given: &str, first: usize) -> Result<Option<u32>, WrongUse> {
    let (first, most) = (first as i64, i64::from(i32::MAX));
    let number = given.parse::<i64>().ok().and_then(|number| number.checked_sub(first));
    match number {
        Some(-1) => Ok(None),
        Some(number @ 0..) if number <= most => Ok(Some(number as u32)),
        _ => {
            let (none, most) = (first - 1, most + first);
            let text = format!(
                "--integer {name}={given}: expected a number from {first} to {most}, or {none} \
                 for none"
            );
            Err(WrongUse(text))
        }
    }
}
