//! The steps of a solve with any backend.
//!
//! Rank 0 plans, and proves that there is no negative cycle; the others hear of its choice, so that
//! no two ranks add in different numbers. A [`Backend`] finds the distances; where numbers of 16
//! bits were tried and do not hold them, again in wider ones. Next hops come from the distances.
//! What fails on one rank is an error on all of them, as soon as they next agree.

use std::time::Instant;

use collectives::Communicator;
use graph_formats::{Csr, VertexId, Weight};
use paths::{DistanceTable, HopStorage};
use pivots::Share;
use rayon::{ThreadPool, ThreadPoolBuilder};
use sssp::Progress;

use crate::error::agree;
use crate::pairs::milliseconds;
use crate::potentials::RaisedWeight;
use crate::potentials::potentials;
use crate::{ApspError, Config, Plan, RankPairs, Report, hops};

/// What all ranks have to solve.
#[derive(Clone, Copy)]
pub(crate) struct Job<'a, W: Weight> {
    pub(crate) ranks: &'a dyn Communicator,
    pub(crate) graph: &'a Csr<W>,
    pub(crate) config: &'a Config,
    pub(crate) progress: Option<Progress<'a>>,
}

/// What finds the distances.
pub(crate) trait Backend<W: Weight> {
    /// The plan. Called on rank 0 only.
    fn plan(&self, job: &Job<'_, W>) -> Result<Plan, ApspError>;

    /// An error if this rank cannot follow the plan, or lacks the memory.
    fn check(&self, job: &Job<'_, W>, plan: &Plan) -> Result<(), ApspError>;

    /// The distances from the vertices of this rank, in the numbers of the plan. Called on all ranks.
    fn find(
        &self,
        job: &Job<'_, W>,
        turn: &Turn<'_, W>,
        report: &mut Report,
    ) -> Result<Found<W>, ApspError>;
}

/// The input of a backend.
pub(crate) struct Turn<'a, W: Weight> {
    pub(crate) plan: &'a Plan,
    pub(crate) pool: &'a ThreadPool,
    /// The potentials, on rank 0 if a weight is negative.
    pub(crate) potentials: Option<&'a [W::Distance]>,
}

/// The results of a backend.
pub(crate) struct Found<W: Weight> {
    pub(crate) share: Share,
    pub(crate) distances: DistanceTable<W>,
    /// The next hops, if the configuration asks for them and the backend found them.
    pub(crate) next_hops: Option<HopStorage>,
    /// A note for the plan's reason.
    pub(crate) note: String,
}

impl<W: Weight> Found<W> {
    /// Distances alone.
    pub(crate) fn distances(share: Share, distances: DistanceTable<W>) -> Self {
        Self { share, distances, next_hops: None, note: String::new() }
    }
}

impl<W: RaisedWeight> Job<'_, W> {
    /// The plan of rank 0, on all ranks.
    pub(crate) fn plan(
        &self,
        plan: impl FnOnce() -> Result<Plan, ApspError>,
    ) -> Result<Plan, ApspError> {
        let planned = agree(self.ranks, self.ranks.is_root().then(plan).transpose())?;
        Plan::broadcast(planned, self.ranks, self.config)
    }

    /// Potentials on rank 0, where a weight is negative. Where this succeeds, there is no negative
    /// cycle.
    pub(crate) fn potentials(&self) -> Result<Option<Vec<W::Distance>>, ApspError> {
        let Self { ranks, graph, config, progress } = *self;
        let is_asked = ranks.is_root() && graph.first_negative().is_some();
        let found = is_asked.then(|| potentials(graph, config.threads, progress));
        agree(ranks, found.transpose())
    }

    /// Threads for the plan.
    pub(crate) fn pool(&self, plan: &Plan) -> Result<ThreadPool, ApspError> {
        let pool = ThreadPoolBuilder::new().num_threads(plan.threads).build();
        agree(self.ranks, pool.map_err(ApspError::from))
    }

    /// All pairs, by this backend.
    pub(crate) fn solve(&self, backend: &dyn Backend<W>) -> Result<RankPairs<W>, ApspError> {
        let Self { ranks, graph, config, progress } = *self;
        let mut plan = self.plan(|| backend.plan(self))?;
        agree(ranks, backend.check(self, &plan))?;
        let potentials = self.potentials()?;
        let pool = self.pool(&plan)?;
        let mut report = Report::default();
        let (found, sources) = loop {
            let turn = Turn { plan: &plan, pool: &pool, potentials: potentials.as_deref() };
            let found = backend.find(self, &turn, &mut report)?;
            let sources: Vec<_> = found.share.rows().map(|v| v as VertexId).collect();
            let start = Instant::now();
            let is_wider = plan.widen(ranks, &pool, graph, &sources, &found.distances)?;
            report.download_ms += milliseconds(start);
            if !is_wider {
                break (found, sources);
            }
        };
        let Found { share, mut distances, mut next_hops, note } = found;
        plan.reason.push_str(&note);
        if config.next_hops && next_hops.is_none() {
            let work = hops::Work { ranks, graph, share, pool: &pool, progress };
            let (settled, hops) = work.find(distances, &mut report)?;
            (distances, next_hops) = (settled, Some(hops));
        }
        Ok(RankPairs { sources, distances, next_hops, plan, report, share })
    }
}
