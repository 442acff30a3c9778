//! Executes operations in the memory of this computer.

use super::Host;
use crate::language::sizes::{assigned, numbers, places};
use crate::language::{
    Condition, Index, IntVar, Logic, Machine, Mark, Op, TableVar, Vector, WordVar, integer,
};
use crate::values::tail;
use crate::{Procedure, Slice, StarError, Table, Word, fused};

impl Host {
    fn position(&self, what: &'static str, at: Index, len: u32) -> Result<usize, StarError> {
        Ok(self.memory.position(what, at, len)? as usize)
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
        z: WordVar,
        flag: IntVar,
        (result, beyond): (Slice, bool),
    ) -> Result<(), StarError> {
        self.vector_ref(z)?;
        self.memory.set_int(flag, beyond.then_some(0))?;
        *self.vector_mut(z)? = result;
        Ok(())
    }
}

impl Machine for Host {
    type Mark = Mark;

    fn new_vector(&mut self, len: usize) -> Result<Vector, StarError> {
        let name = self.memory.vectors.declare(Slice::zeros(len)?);
        Ok(Vector { name, len: len as u32 })
    }

    fn new_table(&mut self, rows: usize, columns: usize) -> Result<TableVar, StarError> {
        let name = self.memory.tables.declare(Table::zeros(rows, columns)?);
        Ok(TableVar { name, rows: rows as u32, columns: columns as u32 })
    }

    fn new_int(&mut self) -> Result<IntVar, StarError> {
        Ok(self.memory.declare_int())
    }

    fn mark(&self) -> Mark {
        self.memory.mark()
    }

    fn release(&mut self, mark: Mark) {
        let ended = self.memory.release(mark);
        drop(ended);
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
            Op::Find { i, x } => self.memory.set_int(i, self.vector_ref(x)?.fnd().map(number))?,
            Op::Step { i, x } => {
                self.memory.int(i)?;
                let first = self.vector_mut(x)?.step();
                self.memory.set_int(i, first.map(number))?;
            }
            Op::Count { i, x } => {
                self.memory.set_int(i, Some(number(self.vector_ref(x)?.numb())))?
            }
            Op::Trim { z, x, from } => {
                let from = self.position("bit", from, places(z.0, x.0))?;
                let trimmed = self.vector_ref(x)?.trim(from..from + z.0.len as usize)?;
                *self.vector_mut(z)? = trimmed;
            }
            Op::Replace { z, x, from } => {
                let from = self.position("bit", from, places(x.0, z.0))?;
                let x = self.vector_ref(x)?.clone();
                self.vector_mut(z)?.rep(from..from + x.len(), &x)?;
            }
            Op::ToWord { z, i } => {
                let value = self.position("number", i, numbers(z.0))? as u64;
                *self.vector_mut(z)? = Word::from_u64(value, z.0.len as usize)?.into_slice();
            }
            Op::ToInt { i, w } => {
                let number = self.vector_ref(w)?.to_u64().ok();
                self.memory.set_int(i, number.and_then(integer))?;
            }
            Op::Add { z, v, w, carry } => {
                let sum = self.vector_ref(v)?.add(self.vector_ref(w)?)?;
                self.arithmetic(z, carry, sum)?;
            }
            Op::Subtract { z, v, w, borrow } => {
                let difference = self.vector_ref(v)?.subt(self.vector_ref(w)?)?;
                self.arithmetic(z, borrow, difference)?;
            }
            Op::ReadColumn { z, table, column } => self.assign(z.0, |m, z| {
                let column = m.memory.column(&table, column)? as usize;
                z.extend_from_slice(m.table_ref(table.table)?.col_words(column));
                Ok(())
            })?,
            Op::WriteColumn { table, column, x } => {
                let column = self.memory.column(&table, column)? as usize;
                self.change(table.table, |m, table| {
                    table.put_col(column, m.vector_ref(x)?);
                    Ok(())
                })?;
            }
            Op::ReadRow { z, table, row } => {
                let table = self.memory.located(table)?;
                let row = self.position("row", row, table.table.rows)?;
                let read = self.field(table)?.row(row)?.into_slice();
                *self.vector_mut(z)? = read;
            }
            Op::WriteRow { table, row, x } => {
                let first = self.memory.located(table)?.first as usize;
                let row = self.position("row", row, table.table.rows)?;
                self.change(table.table, |m, table| {
                    table.put_row(first, row, m.vector_ref(x)?);
                    Ok(())
                })?;
            }
            Op::ClearTable { table } => self.table_mut(table)?.as_words_mut().fill(0),
            Op::SetInt { i, value } => self.memory.set_int(i, value)?,
            Op::AddInt { i, j, by } => self.memory.add_ints(i, j, None, false, by)?,
            Op::AddInts { i, j, k, is_minus, by } => {
                self.memory.add_ints(i, j, Some(k), is_minus, by)?;
            }
        }
        Ok(())
    }

    fn holds(&mut self, condition: &Condition) -> Result<bool, StarError> {
        condition.check()?;
        match *condition {
            Condition::Some(x) => Ok(self.vector_ref(x)?.some()),
            Condition::Found(i) => Ok(self.memory.int(i)?.is_some()),
            Condition::Bit { x, at } => self.vector_ref(x)?.get(self.position("bit", at, x.len)?),
            Condition::Order { relation, i, j } => self.memory.order(relation, i, j),
            Condition::Compare { relation, v, w } => {
                let order = self.vector_ref(v)?.compare(self.vector_ref(w)?)?;
                Ok(relation.holds(order))
            }
        }
    }

    fn fused(&mut self, procedure: &Procedure) -> Result<(), StarError> {
        procedure.check()?;
        fused::run(self, &procedure.located(|field| self.memory.located(field))?)
    }

    fn int_value(&mut self, i: IntVar) -> Result<Option<u32>, StarError> {
        self.memory.int(i)
    }

    fn vector_value(&mut self, x: Vector) -> Result<Slice, StarError> {
        self.vector_ref(x).cloned()
    }

    fn table_value(&mut self, table: TableVar) -> Result<Table, StarError> {
        self.table_ref(table).cloned()
    }

    fn set_vector(&mut self, z: Vector, value: &Slice) -> Result<(), StarError> {
        assigned([(z.len, value.len())])?;
        self.vector_mut(z)?.clone_from(value);
        Ok(())
    }

    fn set_table(&mut self, table: TableVar, value: &Table) -> Result<(), StarError> {
        assigned([(table.rows, value.rows()), (table.columns, value.columns())])?;
        self.table_mut(table)?.clone_from(value);
        Ok(())
    }
}

/// Positions and counts of vectors are below 2³¹.
fn number(position: usize) -> u32 {
    position as u32
}
