//! A graph with its arcs turned round, for searches towards a vertex.

use graph_formats::{Csr, Weight, ensure_granted};

use crate::cpu::Chosen;
use crate::{Config, Plan, SsspError};

/// A directed graph, transposed, and how to search it.
pub(super) struct Reversed<W: Weight> {
    pub(super) graph: Csr<W>,
    pub(super) chosen: Chosen,
    pub(super) plan: Plan,
}

impl<W: Weight> Reversed<W> {
    pub(super) fn of(graph: &Csr<W>, config: &Config) -> Result<Self, SsspError> {
        ensure_granted(graph.bytes())?;
        let graph = graph.transposed();
        let (plan, chosen) = Plan::on_cpu(&graph, config)?;
        Ok(Self { graph, chosen, plan })
    }
}
