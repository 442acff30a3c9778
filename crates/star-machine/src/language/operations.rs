//! The operations of the language, by their names in papers.

use super::table::operations;
use super::{FieldVar, Index, IntVar, Logic, Op, SliceVar, Star, TableVar, Vector, WordVar};
use crate::StarError;

/// Reads the methods of each operation or procedure, which give that to `self.$give`: one that
/// takes all, or some that take no more than operands.
macro_rules! methods {
    ($give:ident $enum:ident; $(
        $(#[$doc:meta])* $name:ident $called:literal
        ($($read:ident: $read_type:ty),*) -> ($($write:ident: $write_type:ty),*)
        [$($other:ident: $other_type:ty),*]
        {
            listing: $listing:expr, $(sizes: $sizes:expr, cost: $class:ident,)?
            method: $methods:tt, $($rest:tt)*
        }
    )*) => {
        $(methods! { $methods $(#[$doc])* => $give $enum $name
            ($($write: $write_type,)* $($read: $read_type,)*) [$($other: $other_type,)*]
        })*
    };
    ([] $($rest:tt)*) => {};
    ([$method:ident] $(#[$doc:meta])* => $give:ident $enum:ident $name:ident
        ($($operand:ident: $type:ty,)*) [$($other:ident: $other_type:ty,)*]) => {
        $(#[$doc])*
        #[doc = concat!("\n\n[`", stringify!($enum), "::", stringify!($name), "`]")]
        fn $method(
            &mut self,
            $($operand: impl Into<$type>,)*
            $($other: $other_type,)*
        ) -> Result<(), StarError> {
            self.$give($enum::$name { $($operand: $operand.into(),)* $($other,)* })
        }
    };
    ([$method:ident { $other:ident: $value:expr } $($more:tt)*] $(#[$doc:meta])* =>
        $give:ident $enum:ident $name:ident ($($operand:ident: $type:ty,)*) $others:tt) => {
        $(#[$doc])*
        #[doc = concat!("\n\n[`", stringify!($enum), "::", stringify!($name), "`] with `",
            stringify!($other), ": ", stringify!($value), "`.")]
        fn $method(&mut self, $($operand: impl Into<$type>,)*) -> Result<(), StarError> {
            self.$give($enum::$name { $($operand: $operand.into(),)* $other: $value })
        }
        methods! { [$($more)*] $(#[$doc])* =>
            $give $enum $name ($($operand: $type,)*) $others
        }
    };
}

/// The operations of [`Star`], one method each, which takes results first.
///
/// Each gives the [`Op`] of its last words, with its errors.
#[expect(clippy::missing_errors_doc, reason = "those of Star::run, as said above")]
pub trait Operations: Star {
    operations! { methods run Op; }
}

impl<S: Star> Operations for S {}

pub(crate) use methods;
