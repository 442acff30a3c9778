//! Arithmetic of keys on the host, as `delta_stepping/key.cuh` has it on a GPU.

use search_parts::device::KeyKind;

/// The key of a vertex that is not reached, above all others.
pub(super) fn unreached(kind: KeyKind) -> u64 {
    if kind.words_of_key() == 1 { u32::MAX.into() } else { u64::MAX }
}

/// The key a width beyond `from`, and in any case beyond it: a width may be lost in rounding.
pub(super) fn beyond(kind: KeyKind, from: u64, width: u64) -> u64 {
    let unreached = unreached(kind);
    let sum = match kind {
        KeyKind::F32 => {
            (f32::from_bits(from as u32) + f32::from_bits(width as u32)).to_bits().into()
        }
        KeyKind::F64 => (f64::from_bits(from) + f64::from_bits(width)).to_bits(),
        _ => from.saturating_add(width),
    };
    let is_finite = match kind {
        KeyKind::F32 => f32::from_bits(sum as u32).is_finite(),
        KeyKind::F64 => f64::from_bits(sum).is_finite(),
        _ => true,
    };
    let sum = if is_finite { sum.min(unreached) } else { unreached };
    sum.max(from.saturating_add(1).min(unreached))
}

/// Twice the width.
pub(super) fn doubled(kind: KeyKind, width: u64) -> u64 {
    match kind {
        KeyKind::F32 => (2.0 * f32::from_bits(width as u32)).min(f32::MAX).to_bits().into(),
        KeyKind::F64 => (2.0 * f64::from_bits(width)).min(f64::MAX).to_bits(),
        _ => width.saturating_mul(2).min(unreached(kind)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_rise_and_end_at_unreached() {
        let one = f64::from(1f32).to_bits();
        assert_eq!(beyond(KeyKind::U32, 5, 7), 12);
        assert_eq!(beyond(KeyKind::U32, u64::from(u32::MAX) - 1, 7), u64::from(u32::MAX));
        assert_eq!(beyond(KeyKind::U64, u64::MAX - 1, 7), u64::MAX);
        assert_eq!(f64::from_bits(beyond(KeyKind::F64, one, one)), 2.0);
        assert_eq!(f64::from_bits(doubled(KeyKind::F64, one)), 2.0);
        // a width that rounding loses
        let great = f64::to_bits(1e300);
        assert_eq!(beyond(KeyKind::F64, great, one), great + 1);
        assert_eq!(beyond(KeyKind::F64, f64::MAX.to_bits(), f64::MAX.to_bits()), u64::MAX);
        let f32s = u64::from(f32::MAX.to_bits());
        assert_eq!(beyond(KeyKind::F32, f32s, f32s), u64::from(u32::MAX));
    }
}
