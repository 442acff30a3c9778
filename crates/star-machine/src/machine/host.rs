//! The machine in the memory of this computer: its variables.

use std::mem;

use crate::language::{FieldVar, Memory, TableVar, Vector};
use crate::{Field, Slice, StarError, Table};

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
    pub(super) memory: Memory<Slice, Table>,
    /// Storage that the next result is written to, so that it may be an operand.
    spare: Vec<u64>,
}

impl Default for Host {
    fn default() -> Self {
        Self::new()
    }
}

impl Host {
    /// A machine without variables.
    pub fn new() -> Self {
        Self { memory: Memory::new(), spare: Vec::new() }
    }

    /// What a vector holds.
    pub(crate) fn vector_ref(&self, x: impl Into<Vector>) -> Result<&Slice, StarError> {
        self.memory.vectors.get(x.into().name)
    }

    pub(crate) fn vector_mut(&mut self, z: impl Into<Vector>) -> Result<&mut Slice, StarError> {
        self.memory.vectors.get_mut(z.into().name)
    }

    /// What a table holds.
    pub(crate) fn table_ref(&self, table: TableVar) -> Result<&Table, StarError> {
        self.memory.tables.get(table.name)
    }

    pub(crate) fn table_mut(&mut self, table: TableVar) -> Result<&mut Table, StarError> {
        self.memory.tables.get_mut(table.name)
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

    /// Storage for a result that may be one of its operands: what `words` puts there is
    /// exchanged for what `z` held.
    pub(super) fn assign(
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
}
