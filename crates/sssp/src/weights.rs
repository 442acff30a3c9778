//! The weight types that searches take, and the numbers that they compare.

use k_paths::PathWeight;
use published::FormWeight;

use crate::key::{FullKeys, KeyArithmetic, U32Keys};

/// A weight type with the keys that its searches may have. Outside of this crate it cannot be
/// named, so that no other type can have it.
pub trait SearchKeys: FormWeight + PathWeight {
    /// Keys of 32 bits, where distances may be whole.
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
