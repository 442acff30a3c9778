//! What several of them need.

use std::path::PathBuf;

use graph_formats::{Distance, Weight};
use paths::DistanceTable;

/// Equal; floats within their rounding.
pub(crate) fn same<W: Weight>(found: &DistanceTable<W>, expected: &DistanceTable<W>) -> bool {
    let close = |(a, b): (&W::Distance, &W::Distance)| {
        let (a, b) = (a.to_f64(), b.to_f64());
        a == b || (a - b).abs() <= 1e-5 * a.abs().max(b.abs())
    };
    let is_float = <W::Distance as Distance>::ZERO.to_i128().is_none();
    found == expected || is_float && found.as_storage().iter().zip(expected.as_storage()).all(close)
}

/// A file of the folder of real graphs, if it is there.
pub(crate) fn data(name: &str) -> Option<PathBuf> {
    let folder = std::env::var_os("STARPATH_DATA").map_or_else(
        || concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data").into(),
        PathBuf::from,
    );
    let path = folder.join(name);
    if !path.is_file() {
        println!("SKIPPED: there is no {}", path.display());
        return None;
    }
    Some(path)
}
