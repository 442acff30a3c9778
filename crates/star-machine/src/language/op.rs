//! The operations of a machine.

use std::fmt;

use super::operand::instructions;
use super::sizes::{below_limit, inside, numbers, of_column, of_row, part, same};
use super::table::operations;
use super::{FieldVar, Index, IntVar, SliceVar, TableVar, Vector, WordVar};
use crate::StarError;

/// A function of two bits that gives 0 for two zeros, because bits beyond the length of a vector
/// stay zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Logic {
    /// Both.
    And,
    /// The first and not the second.
    AndNot,
    /// The first, the second or both.
    Or,
    /// Exactly one of them.
    Xor,
}

impl fmt::Display for Logic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::And => "and",
            Self::AndNot => "and not",
            Self::Or => "or",
            Self::Xor => "xor",
        })
    }
}

/// What an operation counts as on the abstract machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Class {
    Free,
    Bitwise,
    Search,
    Word,
    ColumnRead,
    ColumnWrite,
    RowRead,
    RowWrite,
}

operations! { instructions
    /// An instruction. A result may also be an operand.
    ///
    /// The vectors of an instruction have the same length unless stated otherwise.
    pub enum Op;
}

/// Reads the rule of sizes and the class of cost of each operation.
macro_rules! rules {
    ($(
        $(#[$doc:meta])* $name:ident $called:literal
        ($($read:ident: $read_type:ty),*) -> ($($write:ident: $write_type:ty),*)
        [$($other:ident: $other_type:ty),*]
        { listing: $listing:expr, sizes: $sizes:expr, cost: $class:ident, $($rest:tt)* }
    )*) => {
        impl Op {
            /// An error where the sizes of the operands do not fit together, or a constant position
            /// is outside. What integers hold is for the machine to check, with [`Index`].
            pub(crate) fn check(&self) -> Result<(), StarError> {
                match *self {
                    $(
                        #[allow(unused_variables, reason = "not all have to do with sizes")]
                        Self::$name { $($read,)* $($write,)* $($other,)* } => {
                            fit($called, $sizes)
                        }
                    )*
                }
            }

            /// What it counts as.
            pub(crate) fn class(&self) -> Class {
                match self {
                    $(Self::$name { .. } => Class::$class,)*
                }
            }
        }
    };
}

operations! { rules }

#[inline]
fn fit(
    name: &'static str,
    rule: impl FnOnce(&'static str) -> Result<(), StarError>,
) -> Result<(), StarError> {
    rule(name)
}
