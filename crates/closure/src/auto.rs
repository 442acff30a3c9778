//! The choice between components and an engine that closes lines of bits.

use graph_formats::Csr;
use paths::Progress;

use crate::components::by_components;
use crate::{Algorithm, ClosureError, Config, Found, Plan};

/// What components take on one core, in nanoseconds: the search for a vertex and an arc of it,
const VERTEX: f64 = 30.0;
const ARC: f64 = 4.0;
/// and a union of two lines, and of a word of them.
const UNION: f64 = 5.0;
const WORD: f64 = 0.6;

/// What was decided.
pub(crate) enum Auto {
    /// The closure was found by components.
    Found(Found),
    /// The engine has to find the closure.
    Engine(Plan),
}

/// Closes by components unless that takes longer than the `engine`, which takes the given
/// nanoseconds and writes the result in the same form. The number of unions is not known before, so
/// the components are stopped after as many as fit the engine's time. So no graph takes more than
/// twice the shorter time.
///
/// # Errors
/// As [`closure`](crate::closure).
pub(crate) fn auto(
    graph: &Csr<u32>,
    config: &Config,
    engine: f64,
    progress: Option<Progress<'_>>,
) -> Result<Auto, ClosureError> {
    let blocked = |reason| Ok(Auto::Engine(Plan::of(Algorithm::Blocked, reason)));
    if !config.condense {
        return blocked("components are not to be condensed".to_owned());
    }
    let (n, m) = (graph.n_vertices(), graph.n_arcs());
    let left = engine - n as f64 * VERTEX - m as f64 * ARC;
    if left < 0.0 {
        return blocked(format!("{m} arcs are many for {n} vertices"));
    }
    let most_unions = (left / (UNION + WORD * n as f64 / 64.0)) as u64;
    let by_components = by_components(graph, most_unions, progress)?;
    let (n_components, n_unions) = (by_components.n_components, by_components.n_unions);
    let Some(closure) = by_components.closure else {
        let why = "unions of lines, which would take as long as the bits in blocks";
        return blocked(format!("components need more than {most_unions} {why}"));
    };
    let need = format!("{n_components} components need {n_unions} unions of lines");
    let reason = format!("{need}, and {most_unions} take as long as blocks of bits");
    let plan = Plan::of(Algorithm::Components, reason);
    Ok(Auto::Found(Found { closure, plan }))
}
