//! What a matrix of distances is of.

use std::fmt;

use graph_formats::WeightKind;

/// What Floyd-Warshall adds and compares in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Number {
    /// 16 bits, for distances below 32,767 of weights that are not negative.
    U16,
    /// 32 bits.
    I32,
    /// 64 bits.
    I64,
    /// Single-precision floats.
    F32,
    /// Double-precision floats.
    F64,
}

impl Number {
    /// All of them.
    pub const ALL: [Self; 5] = [Self::U16, Self::I32, Self::I64, Self::F32, Self::F64];

    /// Whether these hold all that `others` do: the same, or wider integers.
    pub(crate) fn hold(self, others: Self) -> bool {
        let wider =
            matches!((others, self), (Self::U16, Self::I32 | Self::I64) | (Self::I32, Self::I64));
        self == others || wider
    }

    /// What an entry of the matrix takes, in parts of one of 32 bits.
    pub(crate) fn cost(self) -> f64 {
        match self {
            Self::U16 => 0.5,
            Self::I32 => 1.0,
            Self::F32 => 1.5,
            Self::I64 | Self::F64 => 3.0,
        }
    }

    /// Those of this name.
    pub(crate) fn of_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|number| number.to_string() == name)
    }
}

/// Whether weights of this kind are floats: for conditions that are known when they are
/// compiled, so that nothing is compiled for numbers that weights of a type never take.
pub(crate) const fn is_float(kind: WeightKind) -> bool {
    matches!(kind, WeightKind::F32 | WeightKind::F64)
}

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::U16 => "u16",
            Self::I32 => "i32",
            Self::I64 => "i64",
            Self::F32 => "f32",
            Self::F64 => "f64",
        })
    }
}
