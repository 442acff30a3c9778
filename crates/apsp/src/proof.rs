//! The proof that distances fit 16 bits, before any of them is known.
//!
//! Where every vertex can be reached from one of them, and it from every vertex, any two are
//! joined through it: no distance is more than the greatest one out of it and the greatest
//! one into it. Two searches, O((n + m) log n).

use graph_formats::{Csr, Weight};
use sssp::{Config, Goal, Solver, SsspError};

use crate::host::Element;

/// Whether 16 bits are sure to hold all distances of `graph`, whose weights are whole and
/// not negative.
pub(crate) fn fits_16_bits<W: Weight>(graph: &Csr<W>) -> bool {
    let through_first = |graph: &Csr<W>| farthest(graph).ok().flatten();
    through_first(graph)
        .zip(through_first(&graph.transposed()))
        .is_some_and(|(out, back)| out + back < f64::from(u16::INFINITE))
}

/// How far the farthest vertex is from the first; `None` where one cannot be reached.
fn farthest<W: Weight>(graph: &Csr<W>) -> Result<Option<f64>, SsspError> {
    if graph.n_vertices() == 0 {
        return Ok(Some(0.0));
    }
    let distances = Solver::new(graph, &Config::default())?.distances(0, Goal::All)?;
    let sizes = graph.vertices().map(|v| distances.get(v).map(graph_formats::Distance::to_f64));
    Ok(sizes.reduce(|a, b| Some(a?.max(b?))).flatten())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A circle around which it is `length` times two.
    fn circle(length: u32) -> Csr<u32> {
        Csr::from_arcs(3, &[(0, 1, length), (1, 2, length - 1), (2, 0, 1)]).unwrap()
    }

    #[test]
    fn proven_below_the_bound_only() {
        // out of the first vertex it is 2 · length − 1 at most, and into it length
        assert!(fits_16_bits(&circle(10_922)));
        assert!(!fits_16_bits(&circle(10_923)));
    }

    #[test]
    fn nothing_is_proven_where_not_every_vertex_is_reached() {
        let one_way = [(0, 1, 1u32), (1, 2, 1)];
        assert!(!fits_16_bits(&Csr::from_arcs(3, &one_way).unwrap()));
        let back = one_way.map(|(u, v, weight)| (v, u, weight));
        assert!(!fits_16_bits(&Csr::from_arcs(3, &back).unwrap()));
        assert!(fits_16_bits(&Csr::<u32>::from_arcs(0, &[]).unwrap()));
    }
}
