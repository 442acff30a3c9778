//! The variables of a program: names and sizes, without values. A machine has the values.
//!
//! A variable has the place of its value, and a number that counts declarations. A machine that has
//! another variable at this place, or never declared it, refuses it.

use std::fmt;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::StarError;

/// Which variable it is: no two of a process have the same name.
// Packed, for an operation has up to four of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(C, packed(4))]
pub(crate) struct VariableId {
    /// How many were declared before it, on any machine.
    birth: u64,
    /// The place of its machine where its value lies.
    pub(crate) place: u32,
}

impl VariableId {
    /// The name of what is declared now.
    pub(crate) fn new(place: u32) -> Self {
        static BIRTHS: AtomicU64 = AtomicU64::new(0);
        Self { birth: BIRTHS.fetch_add(1, Ordering::Relaxed), place }
    }
}

/// A variable of type `slice` or `word`: a row of bits. What a machine stores for the two is
/// the same; [`SliceVar`] and [`WordVar`] keep them apart in programs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Vector {
    pub(crate) name: VariableId,
    pub(crate) len: u32,
}

impl Vector {
    /// A new variable of `len` bits, for implementations of [`Machine`](crate::Machine), which
    /// choose the place.
    pub fn new(place: u32, len: u32) -> Self {
        Self { name: VariableId::new(place), len }
    }

    /// The place that its machine gave it.
    pub fn place(self) -> u32 {
        self.name.place
    }

    /// Bits.
    pub fn len(self) -> u32 {
        self.len
    }

    /// Whether it has no bits.
    pub fn is_empty(self) -> bool {
        self.len == 0
    }
}

/// A variable of type `slice`: a bit for every row of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SliceVar(pub Vector);

/// A variable of type `word`: a bit for every column of a table, the most significant first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct WordVar(pub Vector);

/// A variable of type `integer`: a number below 2³¹, or none. Papers count from 1 and have 0
/// for none.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct IntVar {
    pub(crate) name: VariableId,
}

impl IntVar {
    /// A variable that is declared now, as [`Vector::new`].
    pub fn new(place: u32) -> Self {
        Self { name: VariableId::new(place) }
    }

    /// The place that its machine gave it.
    pub fn place(self) -> u32 {
        self.name.place
    }
}

/// A variable of type `table`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TableVar {
    pub(crate) name: VariableId,
    pub(crate) rows: u32,
    pub(crate) columns: u32,
}

/// Neighbouring columns of a table, seen as a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct FieldVar {
    /// The table.
    pub table: TableVar,
    /// The first of its columns.
    pub first: u32,
    /// The number of columns.
    pub columns: u32,
    /// If the variable holds i, the field begins i · `columns` columns further on.
    pub number: Option<IntVar>,
}

/// A position: a number, or the value of an integer variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Index {
    /// This position.
    At(u32),
    /// The position that the variable holds; an error where it holds none.
    In(IntVar),
}

impl fmt::Display for Index {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::At(at) => write!(f, "{at}"),
            Self::In(i) => write!(f, "{i}"),
        }
    }
}

impl From<IntVar> for Index {
    fn from(variable: IntVar) -> Self {
        Self::In(variable)
    }
}

impl From<u32> for Index {
    fn from(position: u32) -> Self {
        Self::At(position)
    }
}

// In listings variables go by their places.

macro_rules! shown {
    ($($type:ty: |$variable:ident| $text:expr;)*) => {
        $(impl fmt::Display for $type {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                let $variable = self;
                f.write_str(&$text)
            }
        })*
    };
}

shown! {
    Vector: |x| format!("v{}", x.place());
    SliceVar: |x| x.0.to_string();
    WordVar: |w| w.0.to_string();
    IntVar: |i| format!("i{}", i.place());
    TableVar: |table| format!("t{}", table.place());
}

impl fmt::Display for FieldVar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { table, first, columns, number } = *self;
        match number {
            None if self.is_whole() => write!(f, "{table}"),
            None => write!(f, "{table}[{first}..{}]", first + columns),
            Some(i) => write!(f, "{table}[{first}..{} + {columns} {i}]", first + columns),
        }
    }
}

impl From<SliceVar> for Vector {
    fn from(slice: SliceVar) -> Self {
        slice.0
    }
}

impl From<WordVar> for Vector {
    fn from(word: WordVar) -> Self {
        word.0
    }
}

impl TableVar {
    /// A variable that is declared now, as [`Vector::new`].
    pub fn new(place: u32, rows: u32, columns: u32) -> Self {
        Self { name: VariableId::new(place), rows, columns }
    }

    /// The place that its machine gave it.
    pub fn place(self) -> u32 {
        self.name.place
    }

    /// Rows: the length of its slices.
    pub fn rows(self) -> u32 {
        self.rows
    }

    /// Columns: the length of its words.
    pub fn columns(self) -> u32 {
        self.columns
    }

    /// The columns in this range.
    ///
    /// # Errors
    /// [`StarError::OutOfRange`] where the table ends before, or the range is reversed.
    pub fn field(self, columns: Range<usize>) -> Result<FieldVar, StarError> {
        let len = self.columns as usize;
        if columns.start > columns.end || columns.end > len {
            return Err(StarError::OutOfRange { what: "column", index: columns.end, len });
        }
        let (first, columns) = (columns.start as u32, columns.len() as u32);
        Ok(FieldVar { table: self, first, columns, number: None })
    }

    /// The field whose number, from 0, the variable holds when an operation is executed. All fields
    /// have `columns` columns, and follow one another.
    ///
    /// # Errors
    /// [`StarError::OutOfRange`] if the table has fewer columns.
    pub fn numbered(self, columns: usize, number: IntVar) -> Result<FieldVar, StarError> {
        let field = self.field(0..columns)?;
        Ok(FieldVar { number: Some(number), ..field })
    }
}

impl FieldVar {
    /// Whether it is all columns of its table.
    pub(crate) fn is_whole(self) -> bool {
        self == self.table.into()
    }

    /// The field itself, where a number is one of a variable that holds this. Of fields
    /// without columns all are the same.
    pub(crate) fn located(self, number: Option<u32>) -> Result<Self, StarError> {
        if self.number.is_none() || self.columns == 0 {
            return Ok(Self { number: None, ..self });
        }
        let index = number.ok_or(StarError::NoPosition { what: "field" })?;
        let first = u64::from(self.first) + u64::from(index) * u64::from(self.columns);
        if first + u64::from(self.columns) > u64::from(self.table.columns) {
            let len = ((self.table.columns - self.first) / self.columns) as usize;
            return Err(StarError::OutOfRange { what: "field", index: index as usize, len });
        }
        // below the table's columns
        Ok(Self { first: first as u32, number: None, ..self })
    }
}

impl From<TableVar> for FieldVar {
    fn from(table: TableVar) -> Self {
        Self { table, first: 0, columns: table.columns, number: None }
    }
}
