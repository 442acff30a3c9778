//! The CPU in the place of the device, where a sum does not fit what kernels add in.

use graph_formats::{Csr, Weight};

use crate::engine::{self, Engine, Found, Request};
use crate::range::WeightRange;
use crate::{Algorithm, Config, Plan, SsspError};

/// The CPU's Δ-stepping on the same graph, which adds in wider numbers; made when it is
/// first needed.
pub(super) struct HostInstead<'g, W: Weight> {
    graph: &'g Csr<W>,
    config: Config,
    host: Option<(Box<dyn Engine<W> + Send + 'g>, Plan)>,
}

impl<'g, W: Weight> HostInstead<'g, W> {
    pub(super) fn new(graph: &'g Csr<W>, config: &Config) -> Self {
        let config = Config { algorithm: Algorithm::DeltaStepping, ..config.clone() };
        Self { graph, config, host: None }
    }

    /// The search, and the plan by which it was done.
    pub(super) fn search(
        &mut self,
        request: &Request<'_, W>,
    ) -> Result<(Found<W>, &Plan), SsspError> {
        let made = match self.host.take() {
            Some(made) => made,
            None => {
                let range = WeightRange::of(self.graph);
                let plan = Plan::new(self.graph, &self.config, &range)?;
                let window = engine::window(self.graph, &plan, range.greatest);
                (engine::engine(self.graph, &plan, range.greatest, window), plan)
            }
        };
        let (host, plan) = self.host.insert(made);
        Ok((host.search(request)?, plan))
    }
}
