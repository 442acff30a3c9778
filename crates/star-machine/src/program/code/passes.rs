//! Procedures as steps: one operation of the kernel does several of them.

use super::{Code, EVERYWHERE, Encoder, KEEPS, NONE, NUMBERED, OF_WORD, ONE, Operation};
use crate::Procedure;
use crate::language::{Op, SliceVar};
use crate::procedures::Operands;

impl Encoder<'_> {
    /// A basic procedure.
    pub(super) fn pass(&self, procedure: &Procedure) -> Code {
        let (operation, flags) = match *procedure {
            Procedure::Match { .. } | Procedure::Hit { .. } => (Operation::EqualRows, 0),
            Procedure::Compare { .. } | Procedure::SetMin { signed: false, .. } => {
                (Operation::CompareRows, 0)
            }
            Procedure::SetMin { .. } => (Operation::CompareRows, ONE),
            Procedure::Min { .. } => (Operation::LeastRows, 0),
            Procedure::Max { .. } => (Operation::LeastRows, ONE),
            Procedure::Clear { table } => return self.operation(&Op::ClearTable { table }),
            Procedure::CopyTable { .. } => (Operation::Merge, EVERYWHERE),
            Procedure::CopyWord { .. } => (Operation::Merge, 0),
            Procedure::MergeTable { .. } | Procedure::MergeWord { .. } => (Operation::Merge, KEEPS),
            Procedure::AddWord { .. } | Procedure::AddTable { .. } => (Operation::AddRows, 0),
            Procedure::SubtractWord { .. } | Procedure::SubtractTable { .. } => {
                (Operation::SubtractRows, 0)
            }
        };
        let of = Operands::of(procedure);
        let [table, other, to] = [of.table, of.other, of.to].map(|field| self.place(field));
        let slice = |z: Option<SliceVar>| z.map_or(0, |z| self.vector(z.0));
        let any = of.table.or(of.to).map(|field| (field.table.rows, field.columns));
        let (len, columns) = any.unwrap_or((0, 0));
        let is_numbered = [&table, &other, &to].iter().any(|place| place.number != NONE);
        let code = Code::new(operation, 1)
            .with(flags, true)
            .with(OF_WORD, of.word.is_some())
            .with(NUMBERED, is_numbered);
        // others' words are read of what is written alone
        let written = of.to.map_or(0, |to| to.table.place() % 32);
        Code {
            head: code.head | written << 24,
            z: slice(of.z),
            x: slice(of.rows),
            y: of.word.map_or(0, |word| self.vector(word.0)),
            len,
            index: columns,
            a: table.address[0],
            b: table.address[1],
            other_a: other.address[0],
            other_b: other.address[1],
            to_a: to.address[0],
            to_b: to.address[1],
            equal: slice(of.equal),
            greater: slice(of.greater),
            number: table.number,
            other_number: other.number,
            to_number: to.number,
            fields: table.fields,
            other_fields: other.fields,
            to_fields: to.fields,
        }
    }
}
