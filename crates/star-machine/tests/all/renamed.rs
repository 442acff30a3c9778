//! What is asked of one machine, asked of another: with its variables.

use std::collections::HashMap;

use star_machine::{
    Condition, FieldVar, Index, IntVar, Logic, Op, Procedure, Relation, SliceVar, TableVar,
    Variable, Vector, WordVar,
};

/// The variables of the other machine. One that is not there keeps its name, which the other
/// machine does not know either.
pub(crate) type Names = HashMap<Variable, Variable>;

/// What has variables in it, or none.
pub(crate) trait Renamed: Copy {
    /// The same with the other machine's variables.
    fn renamed(self, _: &Names) -> Self {
        self
    }
}

impl Renamed for bool {}
impl Renamed for u32 {}
impl Renamed for i32 {}
impl Renamed for Option<u32> {}
impl Renamed for Logic {}
impl Renamed for Relation {}

impl Renamed for Vector {
    fn renamed(self, names: &Names) -> Self {
        match names.get(&self.into()) {
            Some(&Variable::Vector(x)) => x,
            _ => self,
        }
    }
}

impl Renamed for IntVar {
    fn renamed(self, names: &Names) -> Self {
        match names.get(&self.into()) {
            Some(&Variable::Int(i)) => i,
            _ => self,
        }
    }
}

impl Renamed for TableVar {
    fn renamed(self, names: &Names) -> Self {
        match names.get(&self.into()) {
            Some(&Variable::Table(table)) => table,
            _ => self,
        }
    }
}

impl Renamed for SliceVar {
    fn renamed(self, names: &Names) -> Self {
        Self(self.0.renamed(names))
    }
}

impl Renamed for WordVar {
    fn renamed(self, names: &Names) -> Self {
        Self(self.0.renamed(names))
    }
}

impl Renamed for FieldVar {
    fn renamed(self, names: &Names) -> Self {
        Self {
            table: self.table.renamed(names),
            number: self.number.map(|i| i.renamed(names)),
            ..self
        }
    }
}

impl Renamed for Index {
    fn renamed(self, names: &Names) -> Self {
        match self {
            Self::At(_) => self,
            Self::In(i) => Self::In(i.renamed(names)),
        }
    }
}

/// Renames every field of every variant.
macro_rules! renamed {
    ($type:ident: $($variant:ident { $($field:ident),* })*) => {
        impl Renamed for $type {
            fn renamed(self, names: &Names) -> Self {
                match self {
                    $(Self::$variant { $($field),* } => {
                        Self::$variant { $($field: $field.renamed(names)),* }
                    })*
                }
            }
        }
    };
}

renamed! { Op:
    Fill { z, ones }
    Copy { z, x }
    Not { z, x }
    Logic { logic, z, x, y }
    SetBit { z, at, bit }
    First { z, x }
    Find { i, x }
    Step { i, x }
    Count { i, x }
    Trim { z, x, from }
    Replace { z, x, from }
    ToWord { z, i }
    ToInt { i, w }
    Add { z, v, w, carry }
    Subtract { z, v, w, borrow }
    ReadColumn { z, table, column }
    WriteColumn { table, column, x }
    ReadRow { z, table, row }
    WriteRow { table, row, x }
    ClearTable { table }
    SetInt { i, value }
    AddInt { i, j, by }
    AddInts { i, j, k, is_minus, by }
}

renamed! { Procedure:
    Match { table, rows, word, z }
    Compare { table, rows, word, less, equal, greater }
    Min { table, rows, z }
    Max { table, rows, z }
    SetMin { table, other, rows, signed, z }
    Hit { table, other, rows, z }
    Clear { table }
    CopyTable { table, to }
    MergeTable { table, rows, to }
    CopyWord { word, rows, to }
    MergeWord { word, rows, to }
    AddWord { table, rows, word, to, carry }
    AddTable { table, other, rows, to, carry }
    SubtractWord { table, rows, word, to, borrow }
    SubtractTable { table, other, rows, to, borrow }
}

impl Renamed for Condition {
    fn renamed(self, names: &Names) -> Self {
        match self {
            Self::Some(x) => Self::Some(x.renamed(names)),
            Self::Found(i) => Self::Found(i.renamed(names)),
            Self::Bit { x, at } => Self::Bit { x: x.renamed(names), at: at.renamed(names) },
            Self::Order { relation, i, j } => {
                Self::Order { relation, i: i.renamed(names), j: j.renamed(names) }
            }
            Self::Compare { relation, v, w } => {
                Self::Compare { relation, v: v.renamed(names), w: w.renamed(names) }
            }
        }
    }
}
