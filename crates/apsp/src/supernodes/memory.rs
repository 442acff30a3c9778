//! What solves by supernodes take.

use super::Supernodes;
use crate::ApspError;
use crate::host::{Matrix, MinPlus};

/// Bytes of the fronts, and of what is needed while they are made.
pub(super) fn of_fronts<E: MinPlus>(supernodes: &Supernodes) -> u128 {
    let sizes = |node: &u32| {
        let node = supernodes.node(*node);
        (node.len(), node.ends.len())
    };
    let kept = |(own, ends)| {
        Matrix::<E>::bytes_of(own, own)
            + Matrix::<E>::bytes_of(own, ends)
            + Matrix::<E>::bytes_of(ends, own)
    };
    let at_work = |(own, ends)| {
        Matrix::<E>::bytes_of(own + ends, own + ends) + Matrix::<E>::bytes_of(ends, ends)
    };
    let levels = supernodes.levels.iter();
    let all: u128 = levels.clone().flatten().map(|node| kept(sizes(node))).sum();
    let of_level = |level: &Vec<u32>| level.iter().map(|node| at_work(sizes(node))).sum();
    // what the children found is there with the fronts of the parents
    all + 2 * levels.map(of_level).max().unwrap_or(0)
}

/// Bytes of all that the processor needs.
pub(super) fn of_all<E: MinPlus>(supernodes: &Supernodes) -> u128 {
    let n = supernodes.n_vertices();
    let rows = supernodes.nodes.iter().map(|node| Matrix::<E>::bytes_of(node.len(), n));
    rows.sum::<u128>() + of_fronts::<E>(supernodes)
}

/// That memory cannot hold all.
pub(super) fn no_memory<E: MinPlus>(supernodes: &Supernodes) -> ApspError {
    let n_vertices = supernodes.n_vertices();
    ApspError::TooLarge { n_vertices, bytes: of_all::<E>(supernodes).into() }
}
