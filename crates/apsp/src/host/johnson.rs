//! A search from every vertex, after making weights non-negative.
//!
//! Where a weight is negative, each is raised by the difference of the potentials at its
//! ends, which no path feels: what it gains is the same for all paths between two vertices,
//! and is taken off again. Then searches run side by side, a thread each, in work spaces that
//! are used again. O(n m + n (n + m) log n), and less with the queue that suits the weights.
//!
//! Reference: johnson-1977

use graph_formats::{Csr, Distance, VertexId, Weight};
use ndarray::Array2;
use paths::DistanceTable;
use rayon::prelude::*;
use sssp::{Config, Progress, Solver, SsspError};

/// All distances of a graph without negative weights.
pub(crate) fn search<W: Weight>(
    graph: &Csr<W>,
    config: &Config,
    progress: Option<Progress<'_>>,
) -> Result<DistanceTable<W>, SsspError> {
    let all: Vec<VertexId> = graph.vertices().collect();
    let solver = Solver::new(graph, config)?;
    let mut solver = match progress {
        Some(progress) => solver.with_progress(progress),
        None => solver,
    };
    solver.table(&all, &all)
}

/// All distances of a graph with these potentials.
pub(crate) fn search_with<W: Weight>(
    graph: &Csr<W>,
    potentials: &[W::Distance],
    config: &Config,
    progress: Option<Progress<'_>>,
) -> Result<DistanceTable<W>, SsspError> {
    type Raised<W> = <W as Weight>::Distance;
    let overflow =
        |vertex| SsspError::Overflow { vertex, kind: std::any::type_name::<Raised<W>>() };
    let mut arcs = Vec::with_capacity(graph.n_arcs());
    for (u, v, weight) in graph.arcs() {
        let (from, to) = (potentials[u as usize], potentials[v as usize]);
        let through = weight.after(from).ok_or_else(|| overflow(v))?;
        let raised = minus::<W>(through, to).ok_or_else(|| overflow(v))?;
        // floats may round to less than nothing
        arcs.push((u, v, if raised < Weight::ZERO { Weight::ZERO } else { raised }));
    }
    let raised = Csr::from_arcs(graph.n_vertices(), &arcs).expect("finite weights on its arcs");
    drop(arcs);
    let mut table: Array2<Raised<W>> = search(&raised, config, progress)?.into_storage();
    let n = potentials.len().max(1);
    let rows = table.as_slice_mut().unwrap_or_default().par_chunks_mut(n);
    rows.zip(potentials).enumerate().try_for_each(|(u, (row, &from))| {
        for ((v, distance), &to) in (0..).zip(row.iter_mut()).zip(potentials) {
            if u == v as usize {
                *distance = Weight::ZERO;
            } else if *distance != Raised::<W>::UNREACHED {
                // d + (h(v) - h(u)), the difference first: neither leaves the type
                let difference = minus::<W>(to, from).ok_or_else(|| overflow(v))?;
                *distance = difference.after(*distance).ok_or_else(|| overflow(v))?;
            }
        }
        Ok::<_, SsspError>(())
    })?;
    Ok(DistanceTable::from_storage(table))
}

fn minus<W: Weight>(a: W::Distance, b: W::Distance) -> Option<W::Distance> {
    match (Weight::to_i128(a), Weight::to_i128(b)) {
        (Some(a), Some(b)) => W::Distance::from_i128(a - b),
        _ => W::Distance::from_f64(Weight::to_f64(a) - Weight::to_f64(b)),
    }
}
