//! The weight types, and where the code for each is generated.

use sssp::SearchWeight;

/// A weight type that all pairs are found for: each of the six. The trait is sealed.
pub trait PairsWeight: SearchWeight {
    /// What weights raised by potentials are: numbers of the type of distances.
    #[doc(hidden)]
    type Raised: SearchWeight<Distance = Self::Distance>;
}

macro_rules! pairs_weights {
    ($($weight:ty: $raised:ty;)*) => {$(
        impl PairsWeight for $weight {
            type Raised = $raised;
        }
    )*};
}

pairs_weights! {
    u32: u64;
    i32: i64;
    u64: u64;
    i64: i64;
    f32: f32;
    f64: f64;
}
