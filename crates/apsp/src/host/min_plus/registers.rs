//! Blocks in the registers of a processor, two of them wide, by its own instructions.

/// A kernel of the given instructions, in a module of its own. Where it stands there are two
/// functions that prefetch from an address on, if that pays: `fetch` a number of cache lines, and
/// `fetch_later` one.
macro_rules! kernel {
    (
        $name:ident, $title:literal, $features:literal, $bytes:literal, $rows:literal, $number:ty,
        $load:ident, $store:ident, $spread:ident as $spread_of:ty, $plus:ident, $least:ident
    ) => {
        pub(super) mod $name {
            use super::*;

            pub(in super::super) const KERNEL: Kernel<$number> =
                Kernel { name: $title, rows: ROWS, columns: 2 * LANES, block, peak };
            const ROWS: usize = $rows;
            const LANES: usize = $bytes / size_of::<$number>();
            const COPIES: usize = copies::<$number>();

            #[target_feature(enable = $features)]
            fn block(
                c: &mut [$number],
                stride: usize,
                a: &[$number],
                b: &[$number],
                next: usize,
                ahead: &[$number],
            ) {
                let load = |from: &[$number]| {
                    // SAFETY: the slice is a register long; the load asks for no alignment.
                    unsafe { $load(from[..LANES].as_ptr().cast()) }
                };
                let spread = |from: &[$number]| {
                    // SAFETY: the slice is as long as what is read, which asks for no alignment.
                    $spread(unsafe {
                        from[..COPIES].as_ptr().cast::<$spread_of>().read_unaligned()
                    })
                };
                for r in 0..ROWS {
                    fetch::<{ $bytes / 32 }>(c.as_ptr().wrapping_add(next + r * stride).cast());
                }
                for line in ahead.chunks(64 / size_of::<$number>()) {
                    fetch_later(line.as_ptr().cast());
                }
                let mut left: [_; ROWS] = std::array::from_fn(|r| load(&c[r * stride..]));
                let mut right: [_; ROWS] = std::array::from_fn(|r| load(&c[r * stride + LANES..]));
                let groups = a.chunks_exact(ROWS * COPIES);
                for (group, through) in groups.zip(b.chunks_exact(2 * LANES)) {
                    let second = [load(through), load(&through[LANES..])];
                    for r in 0..ROWS {
                        let first = spread(&group[r * COPIES..]);
                        left[r] = $least($plus(first, second[0]), left[r]);
                        right[r] = $least($plus(first, second[1]), right[r]);
                    }
                }
                for r in 0..ROWS {
                    let place = &mut c[r * stride..][..2 * LANES];
                    // SAFETY: there is room for two registers; stores ask for no alignment.
                    unsafe {
                        $store(place.as_mut_ptr().cast(), left[r]);
                        $store(place[LANES..].as_mut_ptr().cast(), right[r]);
                    }
                }
            }

            #[target_feature(enable = $features)]
            fn peak(rounds: usize, numbers: [$number; 3]) -> $number {
                let filled = numbers.map(|number| [number; LANES]);
                let load = |from: &[$number; LANES]| {
                    // SAFETY: the array is a register long; the load asks for no alignment.
                    unsafe { $load(from.as_ptr().cast()) }
                };
                let [start, step, most] = [load(&filled[0]), load(&filled[1]), load(&filled[2])];
                let mut part = [start; 2 * ROWS];
                for _ in 0..rounds {
                    for least in &mut part {
                        *least = $least($plus(*least, step), most);
                    }
                }
                let mut sum = <$number as Element>::ZERO;
                for register in part {
                    let mut numbers = [sum; LANES];
                    // SAFETY: there is room for a register; stores ask for no alignment.
                    unsafe { $store(numbers.as_mut_ptr().cast(), register) };
                    sum = numbers.into_iter().fold(sum, Element::plus);
                }
                sum
            }
        }
    };
}
pub(super) use kernel;
