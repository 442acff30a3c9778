//! The values of the variables of a machine, and the operations of its control unit on integers.

use super::{FieldVar, Index, IntVar, Relation, Store};
use crate::StarError;

/// What the variables of a machine hold. The integers themselves are here, since they belong to the
/// control unit, which is the host wherever slices and tables are.
#[derive(Debug)]
pub(crate) struct Memory<V, T> {
    pub(crate) vectors: Store<V>,
    pub(crate) tables: Store<T>,
    ints: Store<Option<u32>>,
}

/// The number of variables that a machine had.
#[derive(Clone, Copy, Debug)]
pub struct Mark {
    vectors: usize,
    tables: usize,
    ints: usize,
}

impl<V, T> Memory<V, T> {
    pub(crate) fn new() -> Self {
        Self {
            vectors: Store::new("vector"),
            tables: Store::new("table"),
            ints: Store::new("integer"),
        }
    }

    /// Declares an integer that holds none.
    pub(crate) fn declare_int(&mut self) -> IntVar {
        IntVar { name: self.ints.declare(None) }
    }

    pub(crate) fn mark(&self) -> Mark {
        Mark {
            vectors: self.vectors.n_declared(),
            tables: self.tables.n_declared(),
            ints: self.ints.n_declared(),
        }
    }

    /// Ends the variables since, and hands out what vectors and tables held.
    pub(crate) fn release(
        &mut self,
        mark: Mark,
    ) -> (impl Iterator<Item = V> + use<'_, V, T>, impl Iterator<Item = T> + use<'_, V, T>) {
        drop(self.ints.end_from(mark.ints));
        (self.vectors.end_from(mark.vectors), self.tables.end_from(mark.tables))
    }

    #[inline]
    pub(crate) fn int(&self, i: IntVar) -> Result<Option<u32>, StarError> {
        self.ints.get(i.name).copied()
    }

    #[inline]
    pub(crate) fn set_int(&mut self, i: IntVar, value: Option<u32>) -> Result<(), StarError> {
        *self.ints.get_mut(i.name)? = value;
        Ok(())
    }

    /// `i := j + k + by`, or `j - k + by`.
    #[inline]
    pub(crate) fn add_ints(
        &mut self,
        i: IntVar,
        j: IntVar,
        k: Option<IntVar>,
        is_minus: bool,
        by: i32,
    ) -> Result<(), StarError> {
        let k = k.map_or(Ok(Some(0)), |k| self.int(k))?;
        let sum = sum(self.int(j)?, k, is_minus, by);
        self.set_int(i, sum)
    }

    #[inline]
    fn number(&self, at: Index) -> Result<Option<u32>, StarError> {
        match at {
            Index::At(number) => Ok(Some(number)),
            Index::In(i) => self.int(i),
        }
    }

    /// Whether `i < j` and the like; none is the least.
    #[inline]
    pub(crate) fn order(&self, relation: Relation, i: IntVar, j: Index) -> Result<bool, StarError> {
        let j = self.number(j)?;
        Ok(relation.holds(self.int(i)?.cmp(&j)))
    }

    /// The position; constants were checked with the operation.
    #[inline]
    pub(crate) fn position(
        &self,
        what: &'static str,
        at: Index,
        len: u32,
    ) -> Result<u32, StarError> {
        match self.number(at)? {
            Some(position) if position < len => Ok(position),
            Some(position) => {
                Err(StarError::OutOfRange { what, index: position as usize, len: len as usize })
            }
            None => Err(StarError::NoPosition { what }),
        }
    }

    /// The field itself, where it is one by a number.
    #[inline]
    pub(crate) fn located(&self, field: FieldVar) -> Result<FieldVar, StarError> {
        match field.number {
            None => Ok(field),
            Some(i) => field.located(self.int(i)?),
        }
    }

    /// The column of its table that this column of a field is.
    #[inline]
    pub(crate) fn column(&self, field: &FieldVar, at: Index) -> Result<u32, StarError> {
        let first = match field.number {
            None => field.first,
            Some(_) => self.located(*field)?.first,
        };
        Ok(first + self.position("column", at, field.columns)?)
    }
}

/// The number, if an integer can hold it.
pub(crate) fn integer(number: u64) -> Option<u32> {
    u32::try_from(number).ok().filter(|&number| number < 1 << 31)
}

/// The sum or difference that `AddInt` and `AddInts` give.
#[inline]
fn sum(j: Option<u32>, k: Option<u32>, is_minus: bool, by: i32) -> Option<u32> {
    let (j, k) = (i64::from(j?), i64::from(k?));
    let sum = if is_minus { j - k } else { j + k } + i64::from(by);
    u64::try_from(sum).ok().and_then(integer)
}
