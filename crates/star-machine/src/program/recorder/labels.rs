//! What the compiler of texts needs besides statements: jumps whose targets are found later, calls,
//! and variables that outlive scopes.

use super::{Recorder, vector_size};
use crate::StarError;
use crate::language::{Condition, IntVar, Vector};
use crate::program::Instruction;

impl Recorder {
    /// Declares a variable that no scope ends, and that is not zero at the start.
    pub(crate) fn lasting_vector(&mut self, len: usize) -> Result<Vector, StarError> {
        let len = vector_size(len)?;
        Ok(Vector { name: self.vectors.declare_for_ever(len), len })
    }

    /// As [`lasting_vector`](Self::lasting_vector).
    pub(crate) fn lasting_int(&mut self) -> IntVar {
        IntVar { name: self.ints.declare_for_ever(()) }
    }

    /// Gives no place that was left to what is declared from now on, for what is recorded from
    /// now on is called in the midst of what was recorded before.
    pub(crate) fn keep_places(&mut self) {
        self.vectors.forget_free();
        self.tables.forget_free();
        self.ints.forget_free();
    }

    /// Records a call whose target is not known yet.
    pub(crate) fn call_step(&mut self, link: IntVar) -> usize {
        self.instructions.push(Instruction::Call { to: 0, link });
        self.instructions.len() - 1
    }

    /// Records the way back of a call.
    pub(crate) fn return_step(&mut self, link: IntVar) {
        self.instructions.push(Instruction::Return { link });
    }

    /// The step that is recorded next.
    pub(crate) fn here(&self) -> u32 {
        self.instructions.len() as u32
    }

    /// Records a jump whose target is not known yet, where the condition is that.
    ///
    /// # Errors
    /// Where it is no condition on its operands, or one of them is not declared.
    pub(crate) fn branch(
        &mut self,
        condition: Condition,
        answer: bool,
    ) -> Result<usize, StarError> {
        self.check_condition(condition)?;
        self.instructions.push(Instruction::Branch { condition, answer, to: 0 });
        Ok(self.instructions.len() - 1)
    }

    /// Records a jump whose target is not known yet.
    pub(crate) fn jump(&mut self) -> usize {
        self.instructions.push(Instruction::Jump { to: 0 });
        self.instructions.len() - 1
    }

    /// Lets a recorded jump lead to a step.
    pub(crate) fn land(&mut self, jump: usize, target: u32) {
        if let Instruction::Branch { to, .. }
        | Instruction::Jump { to }
        | Instruction::Call { to, .. } = &mut self.instructions[jump]
        {
            *to = target;
        }
    }
}
