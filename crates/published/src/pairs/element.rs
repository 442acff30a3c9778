//! What a matrix on a GPU may hold.

use graph_formats::Weight;

/// An element of a matrix: `i32` or `f32`.
pub trait Element: Weight {
    /// What stands for no path before solving; afterwards see [`is_path`](Self::is_path).
    const NO_PATH: Self;

    /// Whether a solved element is a distance.
    fn is_path(self) -> bool;
}

impl Element for i32 {
    const NO_PATH: Self = Self::MAX / 2;

    fn is_path(self) -> bool {
        self < Self::MAX / 4
    }
}

impl Element for f32 {
    const NO_PATH: Self = Self::INFINITY;

    fn is_path(self) -> bool {
        self < Self::INFINITY
    }
}
