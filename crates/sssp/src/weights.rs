//! The weight types that searches take, with their keys.

use k_paths::PathWeight;
use published::FormWeight;

use crate::key::{FullKeys, KeyArithmetic, U32Keys};

/// A weight type with the keys of its searches. The trait cannot be named outside of this crate, so
/// that it is sealed.
pub trait SearchKeys: FormWeight + PathWeight {
    /// Keys of 32 bits for integers; full keys for floats.
    type NarrowKeys: KeyArithmetic<Self::Unsigned>;
}

macro_rules! search_keys {
    ($($weight:ty: $narrow:ty;)*) => {$(
        impl SearchKeys for $weight {
            type NarrowKeys = $narrow;
        }
    )*};
}

search_keys! {
    u32: U32Keys;
    i32: U32Keys;
    u64: U32Keys;
    i64: U32Keys;
    f32: FullKeys;
    f64: FullKeys;
}
