//! Arrays of integers: a table with a row for each, which holds one more than the integer, and 0
//! for none.

use super::super::sorts::ARRAY_BITS;
use super::super::syntax::Expression;
use super::super::{At, TextError};
use super::{Compiler, Jumps};
use crate::Relation;
use crate::error::LIMIT;
use crate::language::{Condition, FieldVar, Index, IntVar, Op, WordVar};

impl Compiler<'_> {
    /// `i := array(place)`
    pub(super) fn take(
        &mut self,
        array: FieldVar,
        place: Index,
        i: IntVar,
        at: At,
    ) -> Result<(), TextError> {
        let w = WordVar(self.new_bits(ARRAY_BITS, at)?);
        self.run(Op::ReadRow { z: w, table: array, row: place }, at)?;
        self.run(Op::ToInt { i, w }, at)?;
        self.run(Op::AddInt { i, j: i, by: -1 }, at)
    }

    /// `array(place) := value`
    pub(super) fn put(
        &mut self,
        array: FieldVar,
        place: Index,
        value: &Expression,
    ) -> Result<(), TextError> {
        let at = value.at();
        let w = WordVar(self.new_bits(ARRAY_BITS, at)?);
        let value = self.int(value, None)?;
        let more = match value {
            Index::At(value) if value as usize + 1 < LIMIT => Index::At(value + 1),
            Index::At(_) => {
                return at.wrong("an array holds integers up to 2^31 - 2");
            }
            Index::In(j) => {
                let i = self.new_int(at)?;
                self.run(Op::AddInt { i, j, by: 1 }, at)?;
                i.into()
            }
        };
        let mut past = Jumps::new();
        self.run(Op::Fill { z: w.0, ones: false }, at)?;
        if let Index::In(i) = value {
            let is_none = Condition::Order { relation: Relation::Less, i, j: Index::At(0) };
            past.push(self.branch(is_none, true, at)?);
        }
        self.run(Op::ToWord { z: w, i: more }, at)?;
        self.land(past);
        self.run(Op::WriteRow { table: array, row: place, x: w }, at)
    }
}
