//! The cost of a program on the abstract machine.

use crate::language::{Class, Condition, IntVar, Machine, Op, TableVar, Vector};
use crate::{Procedure, Slice, StarError, Table};

/// Operations of the abstract machine, each of cost 1.
///
/// Operations of its control unit are free (integers, single bits, conditions on words), and so is
/// what is not an operation on a column of bits: `SET`, `CLR`, copies, and tables of zeros.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cost {
    /// `and`, `or`, `xor`, `not`, `and not`.
    pub bitwise: u64,
    /// `SOME`, `FND`, `STEP`, `FRST`, `NUMB`.
    pub searches: u64,
    /// `TRIM`, `REP`, `WORD`, `NUMBER`, `ADD`, `SUBT`.
    pub words: u64,
    /// `COL`, read.
    pub column_reads: u64,
    /// `COL`, written.
    pub column_writes: u64,
    /// `ROW`, read.
    pub row_reads: u64,
    /// `ROW`, written.
    pub row_writes: u64,
}

impl Cost {
    /// All of them.
    pub fn total(&self) -> u64 {
        let columns = self.column_reads + self.column_writes;
        let rows = self.row_reads + self.row_writes;
        self.bitwise + self.searches + self.words + columns + rows
    }

    /// Where operations of a class are counted, if they are.
    fn of(&mut self, class: Class) -> Option<&mut u64> {
        match class {
            Class::Free => None,
            Class::Bitwise => Some(&mut self.bitwise),
            Class::Search => Some(&mut self.searches),
            Class::Word => Some(&mut self.words),
            Class::ColumnRead => Some(&mut self.column_reads),
            Class::ColumnWrite => Some(&mut self.column_writes),
            Class::RowRead => Some(&mut self.row_reads),
            Class::RowWrite => Some(&mut self.row_writes),
        }
    }
}

/// A machine that counts what another one does.
///
/// Procedures are counted as they are written, never fused: the abstract machine has one
/// column at a time. What fails is not counted.
///
/// ```
/// use star_machine::{Counting, Host, Procedures, Star};
///
/// let mut m = Counting::new(Host::new());
/// let (table, rows, word, z) = (m.table(1000, 8)?, m.slice(1000)?, m.word(8)?, m.slice(1000)?);
/// m.match_rows(z, table, rows, word)?;
/// assert_eq!((m.cost().column_reads, m.cost().total()), (8, 16));
/// # Ok::<(), star_machine::StarError>(())
/// ```
#[derive(Debug, Default)]
pub struct Counting<M> {
    machine: M,
    cost: Cost,
}

impl<M: Machine> Counting<M> {
    /// Counts what this machine does from now on.
    pub fn new(machine: M) -> Self {
        Self { machine, cost: Cost::default() }
    }

    /// The operations since the beginning, or since the last [`reset`](Self::reset).
    pub fn cost(&self) -> Cost {
        self.cost
    }

    /// Counts from zero again.
    pub fn reset(&mut self) {
        self.cost = Cost::default();
    }

    /// The machine itself, with its variables.
    pub fn into_inner(self) -> M {
        self.machine
    }
}

impl<M: Machine> Machine for Counting<M> {
    type Mark = M::Mark;

    fn new_vector(&mut self, len: usize) -> Result<Vector, StarError> {
        self.machine.new_vector(len)
    }

    fn new_table(&mut self, rows: usize, columns: usize) -> Result<TableVar, StarError> {
        self.machine.new_table(rows, columns)
    }

    fn new_int(&mut self) -> Result<IntVar, StarError> {
        self.machine.new_int()
    }

    fn mark(&self) -> Self::Mark {
        self.machine.mark()
    }

    fn release(&mut self, mark: Self::Mark) {
        self.machine.release(mark);
    }

    fn execute(&mut self, op: &Op) -> Result<(), StarError> {
        self.machine.execute(op)?;
        self.cost.of(op.class()).into_iter().for_each(|count| *count += 1);
        Ok(())
    }

    fn holds(&mut self, condition: &Condition) -> Result<bool, StarError> {
        let holds = self.machine.holds(condition)?;
        self.cost.searches += u64::from(matches!(condition, Condition::Some(_)));
        Ok(holds)
    }

    fn fused(&mut self, procedure: &Procedure) -> Result<(), StarError> {
        procedure.run(self)
    }

    fn int_value(&mut self, i: IntVar) -> Result<Option<u32>, StarError> {
        self.machine.int_value(i)
    }

    fn vector_value(&mut self, x: Vector) -> Result<Slice, StarError> {
        self.machine.vector_value(x)
    }

    fn table_value(&mut self, table: TableVar) -> Result<Table, StarError> {
        self.machine.table_value(table)
    }

    fn set_vector(&mut self, z: Vector, value: &Slice) -> Result<(), StarError> {
        self.machine.set_vector(z, value)
    }

    fn set_table(&mut self, table: TableVar, value: &Table) -> Result<(), StarError> {
        self.machine.set_table(table, value)
    }
}
