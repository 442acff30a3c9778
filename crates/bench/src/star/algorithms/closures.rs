//! `WARSHALL-C`, beside rows of bits and the form that `auto` takes.

use std::time::Instant;

use anyhow::Result;
use closure::{Algorithm, Times};
use star_machine::Warshall;

use super::{By, Problem, Race};
use crate::star::measure::{ms_since, on_gpu, on_host, warshall_on_gpu, warshall_on_host};
use crate::star::problem;
use crate::star::published::on_machine;
use crate::star::{DENSE, pool};

pub(super) fn by_columns(race: &mut Race<'_>, n: usize) -> Result<()> {
    let digraph = problem::Problem::random(n, DENSE)?;
    let problem = Problem {
        algorithm: "WARSHALL-C",
        n_vertices: n,
        n_edges: digraph.graph.n_arcs(),
        bits: 0,
        unit: "column OR",
    };
    let (one, unions) = (pool(1)?, digraph.column_unions());
    let mut contenders = vec![
        (By::Thread, "rows of bits", warshall_on_host(&one, Warshall::Adapted)),
        (By::Thread, "closure auto", on_host(&one, Algorithm::Auto)),
        (By::StarThread, "WARSHALL-C", on_machine()),
    ];
    if let Some(gpu) = race.gpu {
        contenders.push((By::Gpu, "closure auto", on_gpu(gpu, Algorithm::Auto)));
        contenders.push((By::StarGpu, "WARSHALL-C", warshall_on_gpu(gpu, Warshall::Columns)));
    }
    for (by, form, mut contender) in contenders {
        race.times(problem, by, form, || {
            let start = Instant::now();
            let solved = (contender.solve)(&digraph)?;
            let whole_ms = ms_since(start);
            digraph.check(&solved.closure)?;
            let is_timed = solved.times != Times::default();
            Ok((if is_timed { solved.times.solve_ms } else { whole_ms }, unions))
        })?;
    }
    Ok(())
}
