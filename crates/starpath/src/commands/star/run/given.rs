//! The values that the command line has for parameters, as they are written there.

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

/// A slice of as many rows as its file, as is said after a colon, or as its table has.
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
            "--slice {name}={given}: nothing says how many rows there are; say it as \
             --slice {name}={given}:ROWS"
        );
        return Err(WrongUse(text).into());
    };
    match list {
        "all" => Ok(Slice::ones(len)?),
        "none" => Ok(Slice::zeros(len)?),
        list => listed(&format!("--slice {name}"), list, len, first),
    }
}

/// A word of as many bits as it is written with, as is said after a colon, or as its table has.
pub(super) fn word(name: &str, given: &str, columns: Option<usize>) -> anyhow::Result<Word> {
    if let Some(bits) = bits_of(given) {
        return Ok(bits.into_word());
    }
    let (number, bits) = match given.split_once(':') {
        Some((number, bits)) => (number, bits.parse().ok()),
        None => (given, columns),
    };
    let wrong = |what: &str| {
        let text = format!("--word {name}={given}: {what}; expected --word {name}=NUMBER:BITS");
        anyhow!(WrongUse(text))
    };
    let number: u64 = number.parse().map_err(|_| wrong("this is no unsigned integer"))?;
    let bits = bits.ok_or_else(|| wrong("nothing says how many bits it has"))?;
    let least = n_bits(number);
    if least > bits {
        let rest = format!("it needs {least}, as --word {name}={number}:{least} or of its table");
        bail!("--word {name}={given} does not fit into {bits} bits; {rest}");
    }
    Ok(Word::from_u64(number, bits)?)
}

/// What an integer holds: one less than is given where positions count from 1.
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
