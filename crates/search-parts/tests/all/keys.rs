//! Numbers that stand for distances on a device.

use graph_formats::Distance;
use search_parts::device::{KeyKind, limit_key};

#[test]
fn weights_have_keys() {
    assert_eq!(KeyKind::of(4i64), KeyKind::U32);
    assert_eq!(KeyKind::of(1i64 << 32), KeyKind::U64);
    assert_eq!(KeyKind::U32.of_weights(&[3i64, 4]).as_ref(), [3, 4]);
    assert_eq!(KeyKind::U64.of_weights(&[3i64, 4]).as_ref(), [3, 0, 4, 0]);
    assert_eq!(KeyKind::F32.of_weights(&[0.5f32]).as_ref(), [0.5f32.to_bits()]);
    assert_eq!(KeyKind::U32.key(7.9), 7);
    assert_eq!(KeyKind::U32.key(1e10), u32::MAX.into());
    assert_eq!(KeyKind::U32Wide.key(1e10), 10_000_000_000);
    assert_eq!(KeyKind::F32.key(0.0), f32::MIN_POSITIVE.to_bits().into());
    assert_eq!(KeyKind::F64.key(2.5), 2.5f64.to_bits());
}

#[test]
fn keys_stand_for_distances() {
    let words = [7, 0, u32::MAX, u32::MAX, 0, 1];
    assert_eq!(KeyKind::U64.distances::<i64>(&words), [7, i64::UNREACHED, 1 << 32]);
    assert_eq!(KeyKind::U32Wide.distances::<u32>(&words), [7, u64::UNREACHED, 1 << 32]);
    assert_eq!(KeyKind::U32.distances::<i64>(&words[2..3]), [i64::UNREACHED]);
    assert_eq!(KeyKind::F32.distances::<f32>(&[0.5f32.to_bits()]), [0.5]);
    let half = 0.5f64.to_bits();
    assert_eq!(KeyKind::F64.distances::<f64>(&[half as u32, (half >> 32) as u32]), [0.5]);
}

#[test]
fn no_limit_reaches_what_is_unreached() {
    assert_eq!(limit_key::<u64>(u64::UNREACHED), u64::MAX - 1);
    assert_eq!(limit_key::<i64>(i64::UNREACHED), i64::MAX as u64 - 1);
    assert_eq!(limit_key::<i32>(9), 9);
    assert_eq!(limit_key::<f64>(1.5), 1.5f64.to_bits());
    assert_eq!(KeyKind::U32.at_most(limit_key::<u32>(u64::UNREACHED)), u64::from(u32::MAX) - 1);
    assert_eq!(KeyKind::F32.at_most(limit_key::<f32>(1.5)), 1.5f32.to_bits().into());
}
