//! Procedures as steps: one operation of the kernel does several of them.

use super::{Code, EVERYWHERE, Encoder, KEEPS, NONE, NUMBERED, OF_WORD, ONE, Operation, SHIFTED};
use crate::Procedure;
use crate::language::{FieldVar, Op, SliceVar};
use crate::procedures::{Pass, Second, Step};

impl Encoder<'_> {
    /// A basic procedure.
    pub(super) fn pass(&self, procedure: &Procedure) -> Code {
        if let Procedure::Clear { table } = *procedure {
            return self.operation(&Op::ClearTable { table });
        }
        let pass = Pass::of(procedure);
        let [a, b, to] = pass.fields();
        let [equal, less, greater] = pass.results;
        let (operation, flag, [table, other], z) = match pass.step {
            Step::Equal => (Operation::EqualRows, false, [a, b], equal),
            Step::Extreme => {
                let is_greatest = matches!(pass.b, Second::Known(true));
                (Operation::LeastRows, is_greatest, [a, b], equal)
            }
            Step::Less { signed } => (Operation::CompareRows, signed, [a, b], less),
            Step::Merge => (Operation::Merge, false, [b, None], None),
            Step::Add { flip: false } => (Operation::AddRows, false, [a, b], equal),
            Step::Add { flip: true } => (Operation::SubtractRows, false, [a, b], equal),
        };
        let is_shifted =
            [a, b].into_iter().flatten().any(|from| to.is_some_and(|to| may_be_shifted(to, from)));
        let [table, other, to_place] = [table, other, to].map(|field| self.place(field));
        let slice = |z: Option<SliceVar>| z.map_or(0, |z| self.vector(z.0));
        let (len, columns) = pass.size();
        let is_numbered = [&table, &other, &to_place].iter().any(|place| place.number != NONE);
        let code = Code::new(operation, 1)
            .with(ONE, flag)
            .with(EVERYWHERE, pass.rows.is_none())
            .with(KEEPS, to.is_some() && a == to)
            .with(OF_WORD, pass.word().is_some())
            .with(SHIFTED, is_shifted)
            .with(NUMBERED, is_numbered);
        // others' words are read of what is written alone
        let written = to.map_or(0, |to| to.table.place() % 32);
        Code {
            head: code.head | written << 24,
            z: slice(z),
            x: slice(pass.rows),
            y: pass.word().map_or(0, |word| self.vector(word.0)),
            len,
            index: columns,
            a: table.address[0],
            b: table.address[1],
            other_a: other.address[0],
            other_b: other.address[1],
            to_a: to_place.address[0],
            to_b: to_place.address[1],
            equal: slice(equal),
            greater: slice(greater),
            number: table.number,
            other_number: other.number,
            to_number: to_place.number,
            fields: table.fields,
            other_fields: other.fields,
            to_fields: to_place.fields,
        }
    }
}

/// Whether columns of two fields may be the same, but not in the same places.
fn may_be_shifted(to: FieldVar, from: FieldVar) -> bool {
    let distance = to.first.abs_diff(from.first);
    let is_apart = to.number.or(from.number).is_none() && distance >= to.columns;
    // numbers of fields move them by all their columns
    to.table == from.table && to.columns != 0 && !distance.is_multiple_of(to.columns) && !is_apart
}
