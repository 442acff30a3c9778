//! Recorded programs: a function on [`Star`](crate::Star), as data.
//!
//! A [`Recorder`] is where a program is written once; the [`Program`] that it gives is a list
//! of operations and jumps. [`Program::run`] interprets it on any machine, and
//! [`Program::load`] puts it on a GPU, where one persistent kernel interprets it in a single
//! launch. All have the same bits in the same variables afterwards.
//!
//! Variables of scopes that have ended leave their places to later ones of their size, so a
//! program needs the memory of its deepest scope, as a machine does.

mod code;
mod listing;
mod operands;
mod places;
mod recorder;
mod run;

pub use code::operations_in_cuda;
pub(crate) use code::{Addresses, Code, WORD_BITS};
pub use recorder::Recorder;

use crate::language::{Condition, IntVar, Op, SliceVar, TableVar, Vector, WordVar};
use crate::{At, Procedure, StarError};

/// A variable of any type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Variable {
    /// A slice or a word.
    Vector(Vector),
    /// An integer.
    Int(IntVar),
    /// A table.
    Table(TableVar),
}

impl From<Vector> for Variable {
    fn from(x: Vector) -> Self {
        Self::Vector(x)
    }
}

impl From<SliceVar> for Variable {
    fn from(x: SliceVar) -> Self {
        Self::Vector(x.0)
    }
}

impl From<WordVar> for Variable {
    fn from(x: WordVar) -> Self {
        Self::Vector(x.0)
    }
}

impl From<IntVar> for Variable {
    fn from(i: IntVar) -> Self {
        Self::Int(i)
    }
}

impl From<TableVar> for Variable {
    fn from(table: TableVar) -> Self {
        Self::Table(table)
    }
}

/// One step of a program. Steps follow one another unless they say otherwise.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Instruction {
    /// An operation.
    Do(Op),
    /// A basic procedure.
    Pass(Procedure),
    /// Goes to step `to` if the answer is `answer`.
    Branch {
        /// The condition.
        condition: Condition,
        /// The result with which it jumps.
        answer: bool,
        /// Where to.
        to: u32,
    },
    /// Goes to step `to`.
    Jump {
        /// Where to.
        to: u32,
    },
    /// Goes to step `to`, where a procedure of a text begins; the variable holds the step after
    /// this one.
    Call {
        /// Where to.
        to: u32,
        /// The variable that holds the step to return to.
        link: IntVar,
    },
    /// Goes back to the step that the variable holds.
    Return {
        /// The one of the call.
        link: IntVar,
    },
    /// Starts counting: the counter and the variable become `first`.
    Start {
        /// Which counter: how many loops `for` are around this one. The program's own
        /// variables are never counters, so that a loop ends whatever its body does.
        counter: u32,
        /// The variable of the loop.
        i: IntVar,
        /// The first value.
        first: u32,
    },
    /// Unless the counter is `last`, it moves by one, the variable becomes what it is now, and
    /// step `to` is next.
    Repeat {
        /// Which counter.
        counter: u32,
        /// The variable of the loop.
        i: IntVar,
        /// The last value.
        last: u32,
        /// Whether it counts downwards.
        back: bool,
        /// Where to.
        to: u32,
    },
}

/// A recorded program.
///
/// # Example
/// ```
/// use star_machine::{Operations, Recorder, Star, StarError};
///
/// // z := the ones of x, but for the first
/// let mut recorder = Recorder::new();
/// let x = recorder.parameter_slice(100)?;
/// let z = recorder.parameter_slice(100)?;
/// let i = recorder.int()?;
/// recorder.copy(z, x)?;
/// recorder.step(i, z)?;
/// let program = recorder.finish();
/// assert_eq!(program.instructions().len(), 2);
/// assert_eq!(program.parameters(), [x.into(), z.into()]);
/// # Ok::<(), StarError>(())
/// ```
///
/// Any machine interprets a program, and on a GPU one persistent kernel does in a single launch.
///
/// ```
/// use star_machine::{Host, Machine, Recorder, Star, Table, procedures};
///
/// let mut recorder = Recorder::new();
/// let p = recorder.parameter_table(3, 3)?;
/// procedures::warshall(&mut recorder, p, 0..3)?;
/// let closure = recorder.finish();
///
/// let mut m = Host::new();
/// let arcs = m.load_table(&Table::from_values(&[0b010, 0b001, 0b000], 3)?)?;
/// closure.run(&mut m, &[arcs.into()])?;
/// assert_eq!(m.table_value(arcs)?.to_values()?, [0b011, 0b001, 0b000]);
/// # Ok::<(), star_machine::StarError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Program {
    instructions: Vec<Instruction>,
    parameters: Vec<Variable>,
    /// Bits of the vector at each place.
    vectors: Vec<u32>,
    /// Rows and columns of each table.
    tables: Vec<(u32, u32)>,
    n_ints: u32,
    n_counters: u32,
    most_turns: u64,
    /// The steps from which on they come from a place of a text.
    origins: Vec<(usize, At)>,
}

/// The default limit on the iterations of a run, which takes hours.
const MOST_TURNS: u64 = 1 << 36;

impl Program {
    /// The steps of the program, which ends after the last.
    pub fn instructions(&self) -> &[Instruction] {
        &self.instructions
    }

    /// The parameters, in the order of declaration.
    pub fn parameters(&self) -> &[Variable] {
        &self.parameters
    }

    /// The program with another limit on the iterations of a run, added up over all loops; the
    /// default is 2³⁶. A run that exceeds it ends with [`StarError::Endless`].
    #[must_use]
    pub fn with_most_turns(self, most_turns: u64) -> Self {
        Self { most_turns, ..self }
    }

    /// The limit on the iterations of a run.
    pub fn most_turns(&self) -> u64 {
        self.most_turns
    }

    /// Bits of each vector.
    pub(crate) fn vectors(&self) -> &[u32] {
        &self.vectors
    }

    /// Rows and columns of each table.
    pub(crate) fn tables(&self) -> &[(u32, u32)] {
        &self.tables
    }

    /// Integers and counters.
    pub(crate) fn n_ints(&self) -> u32 {
        self.n_ints + self.n_counters
    }

    /// The error of a step, with the place of a text that the step comes from.
    pub(crate) fn failed(&self, step: usize, error: StarError) -> StarError {
        let origin = self.origins.partition_point(|&(from, _)| from <= step).checked_sub(1);
        match (error, origin.map(|origin| self.origins[origin].1)) {
            (error @ (StarError::NoPosition { .. } | StarError::OutOfRange { .. }), Some(at)) => {
                StarError::InText { at, error: Box::new(error) }
            }
            (error, _) => error,
        }
    }

    /// An error if `turns` exceeds the limit.
    fn check_turns(&self, turns: u64) -> Result<(), StarError> {
        if turns <= self.most_turns {
            return Ok(());
        }
        Err(StarError::Endless { turns: self.most_turns })
    }
}
