//! The operands of operations, procedures and conditions, which a visitor is shown, and the
//! enumerations of instructions.

use super::{FieldVar, Index, IntVar, SliceVar, TableVar, Vector, WordVar};

/// An operand: a variable, or a part of one.
pub(crate) enum Operand<'a> {
    Vector(&'a mut Vector),
    Slice(&'a mut SliceVar),
    Word(&'a mut WordVar),
    Int(&'a mut IntVar),
    At(&'a mut Index),
    Table(&'a mut TableVar),
    Field(&'a mut FieldVar),
}

/// What is done to an operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// Its value matters: it is read, or a part of it is kept.
    Read,
    /// It gets a new value, which does not depend on the old one.
    Write,
}

/// A function that is called with each operand.
pub(crate) type Visit<'a> = &'a mut dyn FnMut(Role, Operand<'_>);

macro_rules! operands {
    ($($name:ident: $type:ty,)*) => {
        $(impl<'a> From<&'a mut $type> for Operand<'a> {
            fn from(operand: &'a mut $type) -> Self {
                Self::$name(operand)
            }
        })*
    };
}

operands! {
    Vector: Vector,
    Slice: SliceVar,
    Word: WordVar,
    Int: IntVar,
    At: Index,
    Table: TableVar,
    Field: FieldVar,
}

/// Declares an enumeration of instructions, those of a [table](super::table): a reader that takes
/// the first column of each.
macro_rules! instructions {
    (
        $(#[$outer:meta])*
        pub enum $enum:ident;
        $(
            $(#[$doc:meta])*
            $name:ident $called:literal
            ($($read:ident: $read_type:ty),*) -> ($($write:ident: $write_type:ty),*)
            [$($other:ident: $other_type:ty),*]
            { listing: $listing:expr, $($rest:tt)* }
        )*
    ) => {
        $(#[$outer])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum $enum {
            $(
                $(#[$doc])*
                $name {
                    $(#[doc = concat!("`", stringify!($read), "`, which is read.")]
                    $read: $read_type,)*
                    $(#[doc = concat!("`", stringify!($write), "`, a result.")]
                    $write: $write_type,)*
                    $(#[doc = concat!("`", stringify!($other), "`, as said above.")]
                    $other: $other_type,)*
                },
            )*
        }

        impl $enum {
            /// Its name in messages.
            pub fn name(&self) -> &'static str {
                match self {
                    $(Self::$name { .. } => $called,)*
                }
            }

            /// Calls `visit` with all operands, those that are read first.
            pub(crate) fn operands(&mut self, visit: $crate::language::Visit<'_>) {
                use $crate::language::Role;
                match self {
                    $(Self::$name { $($read,)* $($write,)* .. } => {
                        $(visit(Role::Read, $read.into());)*
                        $(visit(Role::Write, $write.into());)*
                    })*
                }
            }
        }

        /// Its line in a listing.
        impl std::fmt::Display for $enum {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                match *self {
                    $(
                        #[allow(unused_variables, reason = "listings need not name all")]
                        Self::$name { $($read,)* $($write,)* $($other,)* } => {
                            f.write_str(&$listing)
                        }
                    )*
                }
            }
        }
    };
}

pub(crate) use instructions;
