//! The basic procedures in one pass over their columns, on the host: a procedure as written
//! goes over slices of all rows with every operation, these only over the columns. The results
//! are the same, bit for bit, and the steps are the same functions.

mod extreme;
mod strips;

use strips::{Block, each, over_strips};

use crate::procedures::steps::{add, equal, less, merge};
use crate::procedures::{Pass, Step};
use crate::{Host, Procedure, StarError};

/// Carries out a procedure.
pub(crate) fn run(host: &mut Host, procedure: &Procedure) -> Result<(), StarError> {
    procedure.check()?;
    if let Procedure::Clear { table } = *procedure {
        host.table_mut(table)?.as_words_mut().fill(0);
        return Ok(());
    }
    let pass = &Pass::of(procedure);
    let columns = 0..pass.size().1 as usize;
    match (pass.step, pass.results) {
        (Step::Equal, [Some(z), ..]) => over_strips(host, pass, [z], |block| {
            let Block { x, results: [z], columns: table, .. } = block;
            z.copy_from_slice(x);
            for j in columns.clone() {
                table.each(j, x, [z], |[z], _, a, b| [equal(z, a, b)]);
            }
        }),
        (Step::Extreme, [Some(z), ..]) => extreme::run(host, pass, z),
        (Step::Less { signed }, [None, Some(z), _]) => over_strips(host, pass, [z], |block| {
            let Block { x, results: [l], spare: e, columns: table } = block;
            e.copy_from_slice(x);
            for j in columns.clone() {
                if signed && j == 0 {
                    table.each(j, x, [e, l], |state, _, a, b| less(state, b, a));
                } else {
                    table.each(j, x, [e, l], |state, _, a, b| less(state, a, b));
                }
            }
        }),
        (Step::Less { .. }, [Some(e), Some(l), Some(g)]) => {
            over_strips(host, pass, [e, l, g], |block| {
                let Block { x, results: [e, l, g], columns: table, .. } = block;
                e.copy_from_slice(x);
                for j in columns.clone() {
                    table.each(j, x, [e, l], |state, _, a, b| less(state, a, b));
                }
                each([g], [x, e, l], |_, [x, e, l]| [x & !(e | l)]);
            })
        }
        // what is copied is as it is
        (Step::Merge, _) if pass.a.is_none() => over_strips(host, pass, [], |block| {
            let Block { x, spare: y, columns: mut table, .. } = block;
            for j in columns.clone() {
                table.copy(j, x, y);
            }
        }),
        (Step::Merge, _) => over_strips(host, pass, [], |block| {
            let Block { x, spare: y, columns: mut table, .. } = block;
            for j in columns.clone() {
                table.each(j, x, [y], |_, x, a, b| [merge(x, a, b)]);
                table.write(j, y);
            }
        }),
        (Step::Add { flip }, [Some(carry), ..]) => over_strips(host, pass, [carry], |block| {
            let Block { x, results: [carry], spare: y, columns: mut table } = block;
            for j in columns.clone().rev() {
                if flip {
                    table.each(j, x, [carry, y], |[c, _], x, a, b| add(x, c, a, b, !0));
                } else {
                    table.each(j, x, [carry, y], |[c, _], x, a, b| add(x, c, a, b, 0));
                }
                table.write(j, y);
            }
        }),
        _ => unreachable!("a pass has the results of its step"),
    }
}
