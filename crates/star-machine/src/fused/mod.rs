//! The basic procedures in one pass over their columns, on the host: a procedure as written
//! goes over slices of all rows with every operation, these only over the columns. The results
//! are the same, bit for bit.

mod extreme;
mod pass;

use pass::{Block, Pass, each, pass};

use crate::language::WordVar;
use crate::{Host, Procedure, StarError};

/// Carries out a procedure.
pub(crate) fn run(host: &mut Host, procedure: &Procedure) -> Result<(), StarError> {
    procedure.check()?;
    match *procedure {
        Procedure::Match { table, rows, word, z } => {
            let word = bits(host, word)?;
            pass(host, &Pass::reads(rows, &[table]), [z], |block| {
                let Block { x, results: [z], columns, .. } = block;
                z.copy_from_slice(x);
                for (j, &one) in word.iter().enumerate() {
                    each([z], [columns.read(0, j)], |[z], [y]| [if one { z & y } else { z & !y }]);
                }
            })
        }
        Procedure::Compare { table, rows, word, less, equal, greater } => {
            let word = bits(host, word)?;
            pass(host, &Pass::reads(rows, &[table]), [less, equal, greater], |block| {
                let Block { x, results: [less, equal, greater], columns, .. } = block;
                equal.copy_from_slice(x);
                for (j, &one) in word.iter().enumerate() {
                    let y = columns.read(0, j);
                    if one {
                        each([less, equal], [y], |[l, e], [y]| [l | e & !y, e & y]);
                    } else {
                        each([greater, equal], [y], |[g, e], [y]| [g | e & y, e & !y]);
                    }
                }
            })
        }
        Procedure::Min { table, rows, z } => extreme::run(host, table, rows, false, z),
        Procedure::Max { table, rows, z } => extreme::run(host, table, rows, true, z),
        Procedure::SetMin { table, other, rows, signed, z } => {
            pass(host, &Pass::reads(rows, &[table, other]), [z], |block| {
                let Block { x, results: [less], spare: equal, columns } = block;
                equal.copy_from_slice(x);
                for j in 0..table.columns as usize {
                    let (a, b) = (columns.read(0, j), columns.read(1, j));
                    let (a, b) = if signed && j == 0 { (b, a) } else { (a, b) };
                    each([less, equal], [a, b], |[l, e], [a, b]| [l | e & b & !a, e & !(a ^ b)]);
                }
            })
        }
        Procedure::Hit { table, other, rows, z } => {
            pass(host, &Pass::reads(rows, &[table, other]), [z], |block| {
                let Block { x, results: [equal], columns, .. } = block;
                equal.copy_from_slice(x);
                for j in 0..table.columns as usize {
                    let columns = [columns.read(0, j), columns.read(1, j)];
                    each([equal], columns, |[e], [a, b]| [e & !(a ^ b)]);
                }
            })
        }
        Procedure::Clear { table } => {
            host.table_mut(table)?.as_words_mut().fill(0);
            Ok(())
        }
        Procedure::CopyTable { table, to } => {
            pass(host, &Pass { rows: None, read: &[table], write: Some(to) }, [], |block| {
                let Block { spare: y, mut columns, .. } = block;
                for j in 0..to.columns as usize {
                    y.copy_from_slice(columns.read(0, j));
                    columns.write(j, y);
                }
            })
        }
        Procedure::MergeTable { table, rows, to } => {
            pass(host, &Pass::writes(rows, &[table, to], to), [], |block| {
                let Block { x, spare: y, mut columns, .. } = block;
                for j in 0..to.columns as usize {
                    let read = [x, columns.read(0, j), columns.read(1, j)];
                    each([y], read, |_, [x, new, old]| [new & x | old & !x]);
                    columns.write(j, y);
                }
            })
        }
        Procedure::CopyWord { word, rows, to } => {
            let word = bits(host, word)?;
            pass(host, &Pass::writes(rows, &[], to), [], |block| {
                let Block { x, spare: zeros, mut columns, .. } = block;
                zeros.fill(0);
                for (j, &one) in word.iter().enumerate() {
                    columns.write(j, if one { x } else { zeros });
                }
            })
        }
        Procedure::MergeWord { word, rows, to } => {
            let word = bits(host, word)?;
            pass(host, &Pass::writes(rows, &[to], to), [], |block| {
                let Block { x, spare: y, mut columns, .. } = block;
                for (j, &one) in word.iter().enumerate() {
                    let read = [x, columns.read(0, j)];
                    each([y], read, |_, [x, old]| [if one { old | x } else { old & !x }]);
                    columns.write(j, y);
                }
            })
        }
        Procedure::AddWord { table, rows, word, to, carry } => {
            let word = bits(host, word)?;
            pass(host, &Pass::writes(rows, &[table], to), [carry], |block| {
                let Block { x, results: [carry], spare: sum, mut columns } = block;
                for (j, &one) in word.iter().enumerate().rev() {
                    let read = [x, columns.read(0, j)];
                    if one {
                        each([sum, carry], read, |[_, c], [x, y]| [x & !(y ^ c), x & y | c]);
                    } else {
                        each([sum, carry], read, |[_, c], [x, y]| [x & y ^ c, y & c]);
                    }
                    columns.write(j, sum);
                }
            })
        }
        Procedure::SubtractWord { table, rows, word, to, borrow } => {
            let word = bits(host, word)?;
            pass(host, &Pass::writes(rows, &[table], to), [borrow], |block| {
                let Block { x, results: [borrow], spare: left, mut columns } = block;
                for (j, &one) in word.iter().enumerate().rev() {
                    let read = [x, columns.read(0, j)];
                    if one {
                        each([left, borrow], read, |[_, b], [x, y]| [x & !(y ^ b), x & !y | b]);
                    } else {
                        each([left, borrow], read, |[_, b], [x, y]| [x & y ^ b, b & !y]);
                    }
                    columns.write(j, left);
                }
            })
        }
        Procedure::AddTable { table, other, rows, to, carry } => {
            pass(host, &Pass::writes(rows, &[table, other], to), [carry], |block| {
                let Block { x, results: [carry], spare: sum, mut columns } = block;
                for j in (0..to.columns as usize).rev() {
                    let read = [x, columns.read(0, j), columns.read(1, j)];
                    each([sum, carry], read, |[_, c], [x, a, b]| {
                        let (a, b) = (a & x, b & x);
                        [a ^ b ^ c, a & b | c & (a ^ b)]
                    });
                    columns.write(j, sum);
                }
            })
        }
        Procedure::SubtractTable { table, other, rows, to, borrow } => {
            pass(host, &Pass::writes(rows, &[table, other], to), [borrow], |block| {
                let Block { x, results: [borrow], spare: left, mut columns } = block;
                for j in (0..to.columns as usize).rev() {
                    let read = [x, columns.read(0, j), columns.read(1, j)];
                    each([left, borrow], read, |[_, c], [x, a, b]| {
                        let (a, b) = (a & x, b & x);
                        [a ^ b ^ c, b & !a | c & !(a ^ b)]
                    });
                    columns.write(j, left);
                }
            })
        }
    }
}

/// The bits of a word, which a result may overwrite.
fn bits(host: &Host, word: WordVar) -> Result<Vec<bool>, StarError> {
    host.vector_ref(word.0).map(|word| word.iter().collect())
}
