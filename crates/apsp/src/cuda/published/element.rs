//! What a matrix on a GPU may hold.

use super::names::{self, Names};

pub(crate) mod sealed {
    pub trait Sealed: Sized {
        /// The kernels for this type.
        fn names() -> &'static super::Names;

        /// What the kernels add.
        fn sum(self, other: Self) -> Self;
    }
}

/// An element of a matrix: `i32` or `f32`. The trait is sealed.
pub trait Element: sealed::Sealed + gpu_runtime::Pod + PartialOrd + std::fmt::Debug {
    /// The name of the type.
    const NAME: &'static str;
    /// What stands for no path before solving; afterwards see [`is_path`](Self::is_path).
    const NO_PATH: Self;

    /// Whether a solved element is a distance.
    fn is_path(self) -> bool;
}

impl sealed::Sealed for i32 {
    fn names() -> &'static Names {
        &names::I32
    }

    fn sum(self, other: Self) -> Self {
        self.wrapping_add(other)
    }
}

impl Element for i32 {
    const NAME: &'static str = "i32";
    const NO_PATH: Self = Self::MAX / 2;

    fn is_path(self) -> bool {
        self < Self::MAX / 4
    }
}

impl sealed::Sealed for f32 {
    fn names() -> &'static Names {
        &names::F32
    }

    fn sum(self, other: Self) -> Self {
        self + other
    }
}

impl Element for f32 {
    const NAME: &'static str = "f32";
    const NO_PATH: Self = Self::INFINITY;

    fn is_path(self) -> bool {
        self < Self::INFINITY
    }
}
