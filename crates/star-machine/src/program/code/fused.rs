//! Steps that are one for the kernel.
//!
//! What is common in loops is fused. Where such a row of steps starts, there is one operation for
//! all of them, which leads on behind them. The others keep their places, for jumps to them.
//! Results are the same, and so are errors.

use std::ops::Range;

use super::{
    CONSTANT, Code, Encoder, FieldAddress, NUMBERED, ONE, Operation, REPEATS, WORD_BITS, orders,
    position, stride_of,
};
use crate::Procedure;
use crate::language::sizes::numbers;
use crate::language::{
    Condition, FieldVar, Index, IntVar, Logic, Op, Operand, Relation, Role, TableVar, Vector,
};
use crate::procedures::Pass;
use crate::program::operands::{Named, named};
use crate::program::{Instruction, Variable};

/// After the least rows comes `FND`.
pub(super) const FINDS: u32 = 0x200;
/// After that comes a question about the number that was found.
pub(super) const ASKS: u32 = 0x400;
/// Before a merge a word is made of a number.
pub(super) const MAKES: u32 = 0x200;
/// Where arcs are relaxed, no step reads the sums.
pub(super) const FORGETS: u32 = 0x400;

impl Encoder<'_> {
    /// The steps from this one on that are one, if there are such steps.
    pub(super) fn fused(&self, at: usize) -> Option<Code> {
        let fused = self.fused_step(at).or_else(|| self.fused_update(at));
        let fused = fused.or_else(|| self.fused_least(at)).or_else(|| self.fused_relax(at));
        fused.or_else(|| self.fused_merge(at))
    }

    /// `while SOME(x) do i := STEP(x) ..` and `i := STEP(x); while i > 0`, the question and
    /// `STEP` in one.
    fn fused_step(&self, at: usize) -> Option<Code> {
        let step = |at: usize| match self.program.instructions.get(at) {
            Some(&Instruction::Do(Op::Step { i, x })) => Some((i, x)),
            _ => None,
        };
        let here = at as u32;
        if let Some((i, x)) = step(at) {
            let Some(&Instruction::Branch { condition, answer: true, to }) =
                self.program.instructions.get(at + 1)
            else {
                return None;
            };
            let code = Code::new(Operation::TakeFirst, 2).with(ONE, true).to(to);
            return (condition == Condition::Found(i) && to <= here)
                .then(|| self.take_first(code, i, x));
        }
        let Some(&Instruction::Branch { condition: Condition::Some(some), answer, to }) =
            self.program.instructions.get(at)
        else {
            return None;
        };
        // where STEP follows, and where it goes on if there is no one
        let (taken, skip) = if answer { (to, 1) } else { (here + 1, to.checked_sub(here)?) };
        let (i, x) = step(taken as usize)?;
        let code = Code::new(Operation::TakeFirst, skip & 0xff).to(taken + 1);
        (x == some && (1..256).contains(&skip)).then(|| self.take_first(code, i, x))
    }

    /// `z := MIN(t, x); i := FND(z)`, and a question about `i` where one follows.
    fn fused_least(&self, at: usize) -> Option<Code> {
        let [
            Instruction::Pass(ref least @ (Procedure::Min { z, .. } | Procedure::Max { z, .. })),
            Instruction::Do(Op::Find { i, x }),
        ] = *self.program.instructions.get(at..at + 2)?
        else {
            return None;
        };
        if x != z.0 {
            return None;
        }
        let code = self.pass(least).instead_of(Operation::LeastRows, 2).with(FINDS, true);
        let code = self.fetching(Code { equal: i.place(), ..code }, i);
        let asked = match self.program.instructions.get(at + 2) {
            Some(&Instruction::Branch { condition, answer, to }) => match condition {
                Condition::Found(k) => {
                    Some((k, Relation::GreaterOrEqual, Index::At(0), answer, to))
                }
                Condition::Order { relation, i, j } => Some((i, relation, j, answer, to)),
                _ => None,
            },
            _ => None,
        };
        let Some((_, relation, j, answer, to)) =
            asked.filter(|(k, _, j, ..)| *k == i && *j != Index::In(i))
        else {
            return Some(code);
        };
        let (is_constant, greater) = position(j);
        // a jump to the question would be counted as one back, or not
        let at = at as u32;
        if to == at + 1 || to == at + 2 {
            return Some(code);
        }
        let code =
            code.instead_of(Operation::LeastRows, 3).with(ASKS, true).with(CONSTANT, is_constant);
        let orders = if answer { orders(relation) } else { 7 - orders(relation) };
        Some(Code { greater, to_a: to, to_b: orders, ..code })
    }

    /// With the first field that a procedure takes by the number in this integer, for its columns to
    /// be fetched as soon as the number is known.
    fn fetching(&self, code: Code, i: IntVar) -> Code {
        let field = self.program.instructions.iter().find_map(|step| match step {
            Instruction::Pass(procedure) => Pass::of(procedure).a.filter(|a| a.number == Some(i)),
            _ => None,
        });
        let words = |field: FieldVar| field.columns.checked_mul(stride_of(field.table.rows));
        let Some((field, to_fields)) = field.and_then(|field| Some((field, words(field)?))) else {
            return code;
        };
        if code.head & NUMBERED != 0 {
            return code;
        }
        let FieldAddress { address: [other_a, other_b], fields: other_fields, .. } =
            self.place(Some(field));
        Code { other_a, other_b, other_fields, to_fields, ..code }
    }

    /// `w := WORD(i); WMERGE(w, x; t)`.
    fn fused_merge(&self, at: usize) -> Option<Code> {
        let [
            Instruction::Do(Op::ToWord { z, i }),
            Instruction::Pass(ref merge @ Procedure::MergeWord { to, word, rows }),
        ] = *self.program.instructions.get(at..at + 2)?
        else {
            return None;
        };
        if z != word || rows.0 == z.0 || to.number.is_some() {
            return None;
        }
        let code = self.pass(merge).instead_of(Operation::Merge, 2).with(MAKES, true);
        let (is_constant, other_a) = position(i);
        Some(Code { other_a, other_b: numbers(z.0), ..code }.with(CONSTANT, is_constant))
    }

    /// How arcs are relaxed: `c := ADDC(t, y, w; s); b := SETMIN(s, d, y); e := b and not c;
    /// TMERGE(s, e; d)`.
    fn fused_relax(&self, at: usize) -> Option<Code> {
        let [
            Instruction::Pass(
                ref add @ Procedure::AddWord { table: t, rows: y, word, to: s, carry },
            ),
            Instruction::Pass(Procedure::SetMin { table, other: d, rows, signed: false, z: less }),
            Instruction::Do(Op::Logic { logic: Logic::AndNot, z: nearer, x, y: without }),
            Instruction::Pass(Procedure::MergeTable { table: from, rows: merged, to }),
        ] = *self.program.instructions.get(at..at + 4)?
        else {
            return None;
        };
        let is_relaxed = (table, rows, from, to) == (s, y, s, d)
            && (x, without, merged.0) == (less.0, carry.0, nearer);
        let are_apart = t.table != s.table && s.table != d.table && d.table != t.table;
        let results = [carry.0, less.0, nearer];
        let forgets = || s.columns <= WORD_BITS && !self.is_kept(s.table, at..at + 4);
        (is_relaxed
            && are_apart
            && less != carry
            && !results.contains(&y.0)
            && !results.contains(&word.0)
            && s.number.or(d.number).is_none())
        .then(|| self.pass(add).instead_of(Operation::Relax, 4).with(FORGETS, forgets()))
    }

    /// Whether what these steps write to a table may be read: it is a parameter, another step reads
    /// it, or a jump leads to one of them that is not the first.
    fn is_kept(&self, table: TableVar, steps: Range<usize>) -> bool {
        let same = |other: TableVar| other.place() == table.place();
        let is_parameter =
            |x: &Variable| matches!(x, Variable::Table(parameter) if same(*parameter));
        let is_inside = |to: u32| (steps.start + 1..steps.end).contains(&(to as usize));
        self.program.parameters.iter().any(is_parameter)
            || self.program.instructions.iter().enumerate().any(|(at, step)| {
                let mut step = *step;
                let mut reads = false;
                let visit = &mut |role, operand: Operand<'_>| {
                    named(role, operand, |role, shown| match shown {
                        Named::Table(other) => reads |= role == Role::Read && same(*other),
                        Named::Vector(_) | Named::Int(_) => {}
                    });
                };
                step.operands(visit);
                let to = match step {
                    Instruction::Branch { to, .. }
                    | Instruction::Jump { to }
                    | Instruction::Call { to, .. }
                    | Instruction::Repeat { to, .. } => Some(to),
                    _ => None,
                };
                to.is_some_and(is_inside) || reads && !steps.contains(&at)
            })
    }

    fn take_first(&self, code: Code, i: IntVar, x: Vector) -> Code {
        Code { x: self.vector(x), len: x.len, index: i.place(), ..code }
    }

    /// `v := COL(i, t); v := v or w; COL(i, t) := v`, and with other functions.
    fn fused_update(&self, at: usize) -> Option<Code> {
        let [
            Instruction::Do(Op::ReadColumn { z, table, column }),
            Instruction::Do(Op::Logic { logic, z: v, x, y }),
            Instruction::Do(Op::WriteColumn { table: to, column: there, x: written }),
        ] = *self.program.instructions.get(at..at + 3)?
        else {
            return None;
        };
        if z.0 != v || z != written || (table, column) != (to, there) || (x == v) == (y == v) {
            return None;
        }
        if table.number.is_some() {
            return None;
        }
        let operation = match logic {
            Logic::And => Operation::UpdateAnd,
            Logic::AndNot if x == v => Operation::UpdateAndNot,
            Logic::AndNot => Operation::UpdateNotAnd,
            Logic::Or => Operation::UpdateOr,
            Logic::Xor => Operation::UpdateXor,
        };
        let other = if x == v { y } else { x };
        let code = self.column(Code::new(operation, 3), z, table, column);
        let code = code.x(self.vector(other));
        let repeats = self.fused_step(at + 3).is_some_and(|step| {
            let apart = step.x != code.z && step.x != code.x;
            apart
                && step.a == at as u32
                && matches!(column, Index::In(i) if i.place() == step.index)
        });
        Some(code.with(REPEATS, repeats))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::algorithms::{WeightMatrix, dijkstra};
    use crate::program::{Addresses, Program};
    use crate::{Recorder, procedures};

    fn heads(program: &Program) -> Vec<u32> {
        let vectors = (0..).step_by(16).take(program.vectors.len()).collect();
        let addresses = Addresses { vectors, tables: vec![0; program.tables.len()] };
        program.encode(&addresses).iter().map(|code| code.head).collect()
    }

    #[test]
    fn relaxing_arcs_is_one_step_and_so_is_finding_the_nearest_vertex() {
        let out = WeightMatrix::leaving(3, &[(0, 1, 5), (1, 2, 1)]).unwrap();
        let task = dijkstra(&out, 0).unwrap();
        let heads = heads(task.program());
        let step = |operation: Operation, skip: u32| {
            let head = operation as u32 | skip << 16;
            heads.iter().filter(|&&found| found & 0xff_00ff == head).count()
        };
        assert_eq!(step(Operation::Relax, 4), 1, "{}", task.program());
        assert_eq!(step(Operation::LeastRows, 3), 2, "{}", task.program());
        assert_eq!(step(Operation::Merge, 2), 1, "{}", task.program());
    }

    #[test]
    fn the_inner_loops_of_warshall_are_two_steps() {
        let mut recorder = Recorder::new();
        let p = recorder.parameter_table(100, 100).unwrap();
        procedures::warshall_columns(&mut recorder, p, 0..100).unwrap();
        let program = recorder.finish();
        let [update, step] = [Operation::UpdateOr as u32, Operation::TakeFirst as u32];
        let heads = heads(&program);
        let at = heads.iter().position(|head| head & 0xff == update).unwrap();
        assert_ne!(heads[at] & REPEATS, 0, "{program}");
        assert_eq!(heads[at + 3] & 0xff, step, "{program}");
    }
}
