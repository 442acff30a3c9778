//! Which vertices reach which: transitive closure.

mod auto;
mod bit_matrix;
mod blocked;
mod components;
mod config;
mod cuda;
mod plan;
mod unite;
mod warshall;

use std::ops::ControlFlow;

use graph_formats::{Csr, Weight};
use paths::{Closure, Progress};

pub use config::{ClosureAlgorithm, ClosureConfig};
pub use cuda::{ClosureTimes, GpuClosure, closure_on_gpu};
pub use plan::ClosurePlan;

use self::auto::{Auto, auto};
use self::bit_matrix::BitMatrix;
use crate::StarError;

/// A closure, and how it was found.
#[derive(Clone, Debug)]
pub struct ClosureFound {
    /// Who reaches whom.
    pub closure: Closure,
    /// What was chosen and why.
    pub plan: ClosurePlan,
}

/// The pairs (u, v) with a path of at least one arc from u to v; weights do not matter. A
/// vertex reaches itself only along a cycle.
///
/// Takes n² / 8 bytes, on all threads of the current rayon pool. `Auto` goes by strongly
/// connected components, O(n + m) and n / 64 for each union of lines, unless these are so many
/// that the O(n³ / 256) of `Blocked` is less.
///
/// # Errors
/// When memory cannot hold the bits, the algorithm is for a GPU, or the progress callback
/// ended the work.
///
/// ```
/// use graph_formats::Csr;
/// use star_machine::{ClosureAlgorithm, ClosureConfig, closure};
///
/// let graph = Csr::from_arcs(3, &[(0, 1, 1u32), (1, 2, 1), (2, 1, 1)])?;
/// let found = closure(&graph, &ClosureConfig::default(), None)?;
/// assert!(found.closure.reaches(0, 2) && !found.closure.reaches(0, 0));
/// assert_eq!(found.closure.n_pairs(), 6);
/// println!("{}", found.plan);
///
/// let published = ClosureConfig::with(ClosureAlgorithm::WarshallAdapt);
/// assert_eq!(closure(&graph, &published, None)?.closure, found.closure);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn closure<W: Weight>(
    graph: &Csr<W>,
    config: &ClosureConfig,
    progress: Option<Progress<'_>>,
) -> Result<ClosureFound, StarError> {
    let plan = match config.algorithm {
        ClosureAlgorithm::Auto => match auto(graph, config, blocked::time(graph), progress)? {
            Auto::Found(found) => return Ok(found),
            Auto::Engine(plan) => plan,
        },
        asked => ClosurePlan::asked(asked),
    };
    let by_lines = |close: fn(&mut BitMatrix, Option<Progress<'_>>) -> Result<(), StarError>| {
        let mut matrix = BitMatrix::of(graph)?;
        close(&mut matrix, progress)?;
        Ok(matrix.into_closure())
    };
    let closure = match plan.algorithm {
        ClosureAlgorithm::Components => components::closure(graph, progress),
        ClosureAlgorithm::WarshallAdapt => by_lines(warshall::adapt),
        ClosureAlgorithm::Auto | ClosureAlgorithm::Blocked => by_lines(blocked::blocked),
        algorithm @ (ClosureAlgorithm::FourRussians
        | ClosureAlgorithm::Lop3
        | ClosureAlgorithm::MatrixUnits) => Err(StarError::OnlyOnGpu { algorithm }),
        ClosureAlgorithm::Warshall => by_lines(warshall::rows),
        ClosureAlgorithm::WarshallColumns => by_lines(warshall::columns),
    }?;
    Ok(ClosureFound { closure, plan })
}

/// Reports `done` of `all`.
///
/// # Errors
/// [`StarError::Interrupted`] where that ends the work.
fn tell(progress: Option<Progress<'_>>, done: usize, all: usize) -> Result<(), StarError> {
    match progress.map(|tell| tell(done as u64, all as u64)) {
        Some(ControlFlow::Break(())) => Err(StarError::Interrupted),
        Some(ControlFlow::Continue(())) | None => Ok(()),
    }
}
