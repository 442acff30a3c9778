//! What several of them need.

use graph_formats::{Csr, Weight};
use paths::DistanceTable;

/// Equal; floats within their rounding.
pub(crate) fn same<W: Weight>(found: &DistanceTable<W>, expected: &DistanceTable<W>) -> bool {
    let close = |(a, b): (&W::Distance, &W::Distance)| {
        let (a, b) = (a.to_f64(), b.to_f64());
        a == b || (a - b).abs() <= 1e-5 * a.abs().max(b.abs())
    };
    let is_float = W::Distance::ZERO.to_i128().is_none();
    found == expected || is_float && found.as_storage().iter().zip(expected.as_storage()).all(close)
}

/// Equal to the last bit, the sign of a zero too.
pub(crate) fn identical<W: Weight>(found: &DistanceTable<W>, expected: &DistanceTable<W>) -> bool {
    let bits = |table: &DistanceTable<W>| -> Vec<_> {
        table.as_storage().iter().map(|d| (d.to_i128(), d.to_f64().to_bits())).collect()
    };
    (found.n_sources(), bits(found)) == (expected.n_sources(), bits(expected))
}

/// Arcs of −0.0 beside longer ways: few vertices, and several blocks of pivots.
pub(crate) fn minus_zeros() -> Vec<Csr<f32>> {
    let few = vec![(1, 2, -0.0), (1, 3, 1.0), (3, 2, 2.0)];
    let below: Vec<_> = few.iter().copied().chain([(2, 0, -1.0), (0, 3, -0.0)]).collect();
    let small = [few, below].map(|arcs| Csr::from_arcs(4, &arcs).unwrap());
    small.into_iter().chain([minus_zero_chain(300)]).collect()
}

/// A path of weights −0.0, and longer ways.
pub(crate) fn minus_zero_chain(n: u32) -> Csr<f32> {
    let arcs = (1..n).flat_map(|u| [(u - 1, u, -0.0), (u, (u * 7 + 3) % n, 1.0)]);
    Csr::from_arcs(n as usize, &arcs.collect::<Vec<_>>()).unwrap()
}

/// A path of which the sums depend on their order, 0.2 + (0.1 + 0.4) being the least, and an
/// arc that is as long as the other sum.
pub(crate) fn rounding_path() -> Csr<f32> {
    Csr::from_arcs(4, &[(0, 1, 0.2), (1, 2, 0.1), (2, 3, 0.4), (0, 3, 0.700_000_05)]).unwrap()
}
