//! The basic procedures in one pass over their columns, on the host: what a procedure knows
//! of a row stays in registers, where the procedure as written has a slice for it in memory.
//! The results are the same, bit for bit.

mod extreme;
mod lanes;
mod pass;

use lanes::Lanes;
use pass::{Pass, pass};

use crate::language::WordVar;
use crate::{Host, Procedure, StarError};

/// Carries out a procedure.
pub(crate) fn run(host: &mut Host, procedure: &Procedure) -> Result<(), StarError> {
    procedure.check()?;
    match *procedure {
        Procedure::Match { table, rows, word, z } => {
            let word = bits(host, word)?;
            pass(host, &Pass::reads(rows, &[table]), [z], |x, columns| {
                let mut found = x;
                for (j, &one) in word.iter().enumerate() {
                    let y = columns.read(0, j);
                    found = found & if one { y } else { !y };
                }
                [found]
            })
        }
        Procedure::Compare { table, rows, word, less, equal, greater } => {
            let word = bits(host, word)?;
            let results = [less, equal, greater];
            pass(host, &Pass::reads(rows, &[table]), results, |x, columns| {
                let (mut less, mut equal) = (Lanes::ZERO, x);
                for (j, &one) in word.iter().enumerate() {
                    let y = columns.read(0, j);
                    if one {
                        less = less | equal & !y;
                        equal = equal & y;
                    } else {
                        equal = equal & !y;
                    }
                }
                [less, equal, x & !less & !equal]
            })
        }
        Procedure::Min { table, rows, z } => extreme::run(host, table, rows, false, z),
        Procedure::Max { table, rows, z } => extreme::run(host, table, rows, true, z),
        Procedure::SetMin { table, other, rows, signed, z } => {
            pass(host, &Pass::reads(rows, &[table, other]), [z], |x, columns| {
                let (mut found, mut equal) = (Lanes::ZERO, x);
                for j in 0..table.columns as usize {
                    let (a, b) = (columns.read(0, j), columns.read(1, j));
                    let lesser = if signed && j == 0 { a & !b } else { b & !a };
                    found = found | equal & lesser;
                    equal = equal & !(a ^ b);
                }
                [found]
            })
        }
        Procedure::Hit { table, other, rows, z } => {
            pass(host, &Pass::reads(rows, &[table, other]), [z], |x, columns| {
                let mut equal = x;
                for j in 0..table.columns as usize {
                    equal = equal & !(columns.read(0, j) ^ columns.read(1, j));
                }
                [equal]
            })
        }
        Procedure::Clear { table } => {
            host.table_mut(table)?.as_words_mut().fill(0);
            Ok(())
        }
        Procedure::CopyTable { table, to } => {
            pass(host, &Pass { rows: None, read: &[table], write: Some(to) }, [], |_, columns| {
                for j in 0..to.columns as usize {
                    columns.write(j, columns.read(0, j));
                }
                []
            })
        }
        Procedure::MergeTable { table, rows, to } => {
            pass(host, &Pass::writes(rows, &[table, to], to), [], |x, columns| {
                for j in 0..to.columns as usize {
                    columns.write(j, columns.read(0, j) & x | columns.read(1, j) & !x);
                }
                []
            })
        }
        Procedure::CopyWord { word, rows, to } => {
            let word = bits(host, word)?;
            pass(host, &Pass::writes(rows, &[], to), [], |x, columns| {
                for (j, &one) in word.iter().enumerate() {
                    columns.write(j, if one { x } else { Lanes::ZERO });
                }
                []
            })
        }
        Procedure::MergeWord { word, rows, to } => {
            let word = bits(host, word)?;
            pass(host, &Pass::writes(rows, &[to], to), [], |x, columns| {
                for (j, &one) in word.iter().enumerate() {
                    let y = columns.read(0, j);
                    columns.write(j, if one { y | x } else { y & !x });
                }
                []
            })
        }
        Procedure::AddWord { table, rows, word, to, carry } => {
            let word = bits(host, word)?;
            pass(host, &Pass::writes(rows, &[table], to), [carry], |x, columns| {
                let mut carry = Lanes::ZERO;
                for (j, &one) in word.iter().enumerate().rev() {
                    let y = columns.read(0, j) & x;
                    columns.write(j, y ^ carry ^ if one { x } else { Lanes::ZERO });
                    carry = if one { y | carry } else { y & carry };
                }
                [carry]
            })
        }
        Procedure::SubtractWord { table, rows, word, to, borrow } => {
            let word = bits(host, word)?;
            pass(host, &Pass::writes(rows, &[table], to), [borrow], |x, columns| {
                let mut borrow = Lanes::ZERO;
                for (j, &one) in word.iter().enumerate().rev() {
                    let y = columns.read(0, j) & x;
                    columns.write(j, y ^ borrow ^ if one { x } else { Lanes::ZERO });
                    borrow = if one { x & !(y & !borrow) } else { borrow & !y };
                }
                [borrow]
            })
        }
        Procedure::AddTable { table, other, rows, to, carry } => {
            pass(host, &Pass::writes(rows, &[table, other], to), [carry], |x, columns| {
                let mut carry = Lanes::ZERO;
                for j in (0..to.columns as usize).rev() {
                    let (a, b) = (columns.read(0, j) & x, columns.read(1, j) & x);
                    columns.write(j, a ^ b ^ carry);
                    carry = a & b | carry & (a ^ b);
                }
                [carry]
            })
        }
        Procedure::SubtractTable { table, other, rows, to, borrow } => {
            pass(host, &Pass::writes(rows, &[table, other], to), [borrow], |x, columns| {
                let mut borrow = Lanes::ZERO;
                for j in (0..to.columns as usize).rev() {
                    let (a, b) = (columns.read(0, j) & x, columns.read(1, j) & x);
                    columns.write(j, a ^ b ^ borrow);
                    borrow = b & !a | borrow & !(a ^ b);
                }
                [borrow]
            })
        }
    }
}

/// The bits of a word, which a result may overwrite.
fn bits(host: &Host, word: WordVar) -> Result<Vec<bool>, StarError> {
    host.vector_ref(word.0).map(|word| word.iter().collect())
}
