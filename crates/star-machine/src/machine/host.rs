//! The machine in the memory of this computer.

use std::mem;

use crate::language::check::{numbers, places};
use crate::language::{
    Condition, FieldVar, Index, IntVar, Logic, Machine, Op, Store, TableVar, Vector, integer, sum,
};
use crate::values::tail;
use crate::{Field, Procedure, Slice, StarError, Table, Word, fused};

/// A machine in the memory of this computer.
///
/// An operation on vectors takes time in their words, 64 bits at a time; a row of a table time
/// in its columns. Procedures of large tables are fused on all threads of the current rayon
/// pool.
///
/// ```
/// use star_machine::{Host, Machine, Operations, Slice, Star};
///
/// let mut m = Host::new();
/// let (x, y) = (m.slice(100)?, m.slice(100)?);
/// let i = m.int()?;
/// m.set_vector(x.0, &Slice::from_positions(100, [7, 70])?)?;
/// m.not(y, x)?;
/// m.numb(i, y)?;
/// assert_eq!(m.int_value(i)?, Some(98));
/// # Ok::<(), star_machine::StarError>(())
/// ```
#[derive(Debug)]
pub struct Host {
    vectors: Store<Slice>,
    tables: Store<Table>,
    ints: Store<Option<u32>>,
    /// Storage that the next result is written to, so that it may be an operand.
    spare: Vec<u64>,
}

/// How many variables there were.
#[derive(Clone, Copy, Debug)]
pub struct HostMark {
    vectors: usize,
    tables: usize,
    ints: usize,
}

impl Default for Host {
    fn default() -> Self {
        Self::new()
    }
}

impl Host {
    /// A machine without variables.
    #[must_use]
    pub fn new() -> Self {
        Self {
            vectors: Store::new("vector"),
            tables: Store::new("table"),
            ints: Store::new("integer"),
            spare: Vec::new(),
        }
    }

    /// What a vector holds.
    pub(crate) fn vector_ref(&self, x: Vector) -> Result<&Slice, StarError> {
        self.vectors.get(x.name)
    }

    pub(crate) fn vector_mut(&mut self, z: Vector) -> Result<&mut Slice, StarError> {
        self.vectors.get_mut(z.name)
    }

    /// What a table holds.
    pub(crate) fn table_ref(&self, table: TableVar) -> Result<&Table, StarError> {
        self.tables.get(table.name)
    }

    pub(crate) fn table_mut(&mut self, table: TableVar) -> Result<&mut Table, StarError> {
        self.tables.get_mut(table.name)
    }

    /// Changes a table by what the rest of the machine holds.
    pub(crate) fn change(
        &mut self,
        table: TableVar,
        change: impl FnOnce(&Self, &mut Table) -> Result<(), StarError>,
    ) -> Result<(), StarError> {
        let mut changed = mem::take(self.table_mut(table)?);
        let done = change(self, &mut changed);
        *self.table_mut(table)? = changed;
        done
    }

    pub(crate) fn field(&self, field: FieldVar) -> Result<Field<'_>, StarError> {
        let first = field.first as usize;
        self.table_ref(field.table)?.field(first..first + field.columns as usize)
    }

    fn int_ref(&self, i: IntVar) -> Result<Option<u32>, StarError> {
        self.ints.get(i.name).copied()
    }

    fn set_int(&mut self, i: IntVar, value: Option<u32>) -> Result<(), StarError> {
        *self.ints.get_mut(i.name)? = value;
        Ok(())
    }

    /// The position; constants were checked with the operation.
    fn position(&self, what: &'static str, at: Index, len: u32) -> Result<usize, StarError> {
        let position = match at {
            Index::At(position) => Some(position),
            Index::In(i) => self.int_ref(i)?,
        };
        let Some(index) = position else { return Err(StarError::NoPosition { what }) };
        let index = index as usize;
        let len = len as usize;
        if index < len { Ok(index) } else { Err(StarError::OutOfRange { what, index, len }) }
    }

    /// The field itself, where it is one by a number.
    fn located(&self, field: FieldVar) -> Result<FieldVar, StarError> {
        match field.number {
            None => Ok(field),
            Some(i) => field.located(self.int_ref(i)?),
        }
    }

    /// The first column of a field in its table.
    fn first(&self, field: &FieldVar) -> Result<usize, StarError> {
        match field.number {
            None => Ok(field.first as usize),
            Some(_) => Ok(self.located(*field)?.first as usize),
        }
    }

    /// The column of its table that this column of a field is.
    fn column(&self, field: &FieldVar, at: Index) -> Result<usize, StarError> {
        Ok(self.first(field)? + self.position("column", at, field.columns)?)
    }

    /// Storage for a result that may be one of its operands: what `words` puts there is
    /// exchanged for what `z` held.
    fn assign(
        &mut self,
        z: Vector,
        words: impl FnOnce(&Self, &mut Vec<u64>) -> Result<(), StarError>,
    ) -> Result<(), StarError> {
        let mut result = mem::take(&mut self.spare);
        result.clear();
        words(self, &mut result)?;
        let result = Slice::of_words(z.len as usize, result);
        self.spare = mem::replace(self.vector_mut(z)?, result).into_words();
        Ok(())
    }

    fn logic(&mut self, logic: Logic, z: Vector, x: Vector, y: Vector) -> Result<(), StarError> {
        self.assign(z, |m, z| {
            let pairs = m.vector_ref(x)?.as_words().iter().zip(m.vector_ref(y)?.as_words());
            match logic {
                Logic::And => z.extend(pairs.map(|(x, y)| x & y)),
                Logic::AndNot => z.extend(pairs.map(|(x, y)| x & !y)),
                Logic::Or => z.extend(pairs.map(|(x, y)| x | y)),
                Logic::Xor => z.extend(pairs.map(|(x, y)| x ^ y)),
            }
            Ok(())
        })
    }

    /// A result of [`Slice::add`] or [`Slice::subt`]; both variables are known before one is
    /// changed.
    fn arithmetic(
        &mut self,
        z: Vector,
        flag: IntVar,
        (result, beyond): (Slice, bool),
    ) -> Result<(), StarError> {
        self.vector_ref(z)?;
        self.set_int(flag, beyond.then_some(0))?;
        *self.vector_mut(z)? = result;
        Ok(())
    }
}

impl Machine for Host {
    type Mark = HostMark;

    fn new_vector(&mut self, len: usize) -> Result<Vector, StarError> {
        let name = self.vectors.declare(Slice::zeros(len)?);
        Ok(Vector { name, len: len as u32 })
    }

    fn new_table(&mut self, rows: usize, columns: usize) -> Result<TableVar, StarError> {
        let name = self.tables.declare(Table::zeros(rows, columns)?);
        Ok(TableVar { name, rows: rows as u32, columns: columns as u32 })
    }

    fn new_int(&mut self) -> Result<IntVar, StarError> {
        Ok(IntVar { name: self.ints.declare(None) })
    }

    fn mark(&self) -> HostMark {
        HostMark {
            vectors: self.vectors.n_declared(),
            tables: self.tables.n_declared(),
            ints: self.ints.n_declared(),
        }
    }

    fn release(&mut self, mark: HostMark) {
        drop(self.vectors.end_from(mark.vectors));
        drop(self.tables.end_from(mark.tables));
        drop(self.ints.end_from(mark.ints));
    }

    fn execute(&mut self, op: &Op) -> Result<(), StarError> {
        op.check()?;
        match *op {
            Op::Fill { z, ones: true } => self.vector_mut(z)?.set_all(),
            Op::Fill { z, .. } => self.vector_mut(z)?.clear(),
            Op::Copy { z, x } => self.assign(z, |m, z| {
                z.extend_from_slice(m.vector_ref(x)?.as_words());
                Ok(())
            })?,
            Op::Not { z, x } => {
                self.assign(z, |m, z| {
                    let x = m.vector_ref(x)?;
                    z.extend(x.as_words().iter().map(|word| !word));
                    z.last_mut().into_iter().for_each(|last| *last &= tail(x.len()));
                    Ok(())
                })?;
            }
            Op::Logic { logic, z, x, y } => self.logic(logic, z, x, y)?,
            Op::SetBit { z, at, bit } => {
                let position = self.position("bit", at, z.len)?;
                self.vector_mut(z)?.set(position, bit)?;
            }
            Op::First { z, x } => {
                let first = self.vector_ref(x)?.frst();
                *self.vector_mut(z)? = first;
            }
            Op::Find { i, x } => self.set_int(i, self.vector_ref(x)?.fnd().map(number))?,
            Op::Step { i, x } => {
                self.int_ref(i)?;
                let first = self.vector_mut(x)?.step();
                self.set_int(i, first.map(number))?;
            }
            Op::Count { i, x } => self.set_int(i, Some(number(self.vector_ref(x)?.numb())))?,
            Op::Trim { z, x, from } => {
                let from = self.position("bit", from, places(z, x))?;
                let trimmed = self.vector_ref(x)?.trim(from..from + z.len as usize)?;
                *self.vector_mut(z)? = trimmed;
            }
            Op::Replace { z, x, from } => {
                let from = self.position("bit", from, places(x, z))?;
                let x = self.vector_ref(x)?.clone();
                self.vector_mut(z)?.rep(from..from + x.len(), &x)?;
            }
            Op::ToWord { z, i } => {
                let value = self.position("number", i, numbers(z))? as u64;
                *self.vector_mut(z)? = Word::from_u64(value, z.len as usize)?.into_slice();
            }
            Op::ToInt { i, w } => {
                let number = self.vector_ref(w)?.to_u64().ok();
                self.set_int(i, number.and_then(integer))?;
            }
            Op::Add { z, v, w, carry } => {
                let sum = self.vector_ref(v)?.add(self.vector_ref(w)?)?;
                self.arithmetic(z, carry, sum)?;
            }
            Op::Subtract { z, v, w, borrow } => {
                let difference = self.vector_ref(v)?.subt(self.vector_ref(w)?)?;
                self.arithmetic(z, borrow, difference)?;
            }
            Op::ReadColumn { z, table, column } => self.assign(z, |m, z| {
                let column = m.column(&table, column)?;
                z.extend_from_slice(m.table_ref(table.table)?.col_words(column));
                Ok(())
            })?,
            Op::WriteColumn { table, column, x } => {
                let column = self.column(&table, column)?;
                self.change(table.table, |m, table| {
                    table.put_col(column, m.vector_ref(x)?);
                    Ok(())
                })?;
            }
            Op::ReadRow { z, table, row } => {
                let table = self.located(table)?;
                let row = self.position("row", row, table.table.rows)?;
                let read = self.field(table)?.row(row)?.into_slice();
                *self.vector_mut(z)? = read;
            }
            Op::WriteRow { table, row, x } => {
                let first = self.first(&table)?;
                let row = self.position("row", row, table.table.rows)?;
                self.change(table.table, |m, table| {
                    table.put_row(first, row, m.vector_ref(x)?);
                    Ok(())
                })?;
            }
            Op::ClearTable { table } => self.table_mut(table)?.as_words_mut().fill(0),
            Op::SetInt { i, value } => self.set_int(i, value)?,
            Op::AddInt { i, j, by } => {
                let sum = sum(self.int_ref(j)?, Some(0), false, by);
                self.set_int(i, sum)?;
            }
            Op::AddInts { i, j, k, is_minus, by } => {
                let sum = sum(self.int_ref(j)?, self.int_ref(k)?, is_minus, by);
                self.set_int(i, sum)?;
            }
        }
        Ok(())
    }

    fn holds(&mut self, condition: &Condition) -> Result<bool, StarError> {
        condition.check()?;
        match *condition {
            Condition::Some(x) => Ok(self.vector_ref(x)?.some()),
            Condition::Found(i) => Ok(self.int_ref(i)?.is_some()),
            Condition::Bit { x, at } => self.vector_ref(x)?.get(self.position("bit", at, x.len)?),
            Condition::Order { relation, i, j } => {
                let j = match j {
                    Index::At(number) => Some(number),
                    Index::In(j) => self.int_ref(j)?,
                };
                // none is the least
                Ok(relation.holds(self.int_ref(i)?.cmp(&j)))
            }
            Condition::Compare { relation, v, w } => {
                let order = self.vector_ref(v)?.compare(self.vector_ref(w)?)?;
                Ok(relation.holds(order))
            }
        }
    }

    fn fused(&mut self, procedure: &Procedure) -> Result<(), StarError> {
        procedure.check()?;
        fused::run(self, &procedure.located(|field| self.located(field))?)
    }

    fn int_value(&mut self, i: IntVar) -> Result<Option<u32>, StarError> {
        self.int_ref(i)
    }

    fn vector_value(&mut self, x: Vector) -> Result<Slice, StarError> {
        self.vector_ref(x).cloned()
    }

    fn table_value(&mut self, table: TableVar) -> Result<Table, StarError> {
        self.table_ref(table).cloned()
    }

    fn set_vector(&mut self, z: Vector, value: &Slice) -> Result<(), StarError> {
        let (left, right) = (z.len as usize, value.len());
        if left != right {
            return Err(StarError::LengthMismatch { what: "an assignment", left, right });
        }
        self.vector_mut(z)?.clone_from(value);
        Ok(())
    }

    fn set_table(&mut self, table: TableVar, value: &Table) -> Result<(), StarError> {
        let sizes = [(table.rows, value.rows()), (table.columns, value.columns())];
        for (left, right) in sizes.map(|(left, right)| (left as usize, right)) {
            if left != right {
                return Err(StarError::LengthMismatch { what: "an assignment", left, right });
            }
        }
        self.table_mut(table)?.clone_from(value);
        Ok(())
    }
}

/// Positions and counts of vectors are below 2³¹.
fn number(position: usize) -> u32 {
    position as u32
}
