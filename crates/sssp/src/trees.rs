//! Trees from many sources at once.

use std::num::NonZeroUsize;

use graph_formats::{VertexId, parallel};
use paths::DistanceTable;

use crate::many::{Rows, empty_table, ensure_memory, n_workers};
use crate::query::check_vertices;
use crate::weights::SearchWeight;
use crate::{Config, Found, Goal, Solver, SsspError, Work};

/// A table of distances, and the predecessor of each vertex in each row, as
/// [`Predecessors`](paths::Predecessors) stores them.
pub type Trees<T> = (T, Vec<VertexId>);

impl<W: SearchWeight> Solver<'_, W> {
    /// The distances of all vertices from each of `sources`, as far as `goal` asks, and the paths
    /// that have them; a row a source, in the order given.
    ///
    /// Each row is that of [`tree`](Self::tree). On the CPU many searches run at once, one a
    /// thread; on a GPU one after the other. O(s·(n + m)), and O(s·n) memory besides what each
    /// thread's search takes.
    ///
    /// # Errors
    /// As [`Solver::distances`], of any of the searches, and [`SsspError::TableTooLarge`].
    ///
    /// ```
    /// use graph_formats::Csr;
    /// use sssp::{Config, Goal, Solver};
    ///
    /// let graph = Csr::from_arcs(3, &[(0, 1, 5u32), (1, 2, 2)])?;
    /// let found = Solver::new(&graph, &Config::default())?.trees(&[0, 1], Goal::All)?;
    /// let (distances, predecessors) = &found.answer;
    /// assert_eq!(distances.row(1).collect::<Vec<_>>(), [None, Some(0), Some(2)]);
    /// assert_eq!(*predecessors, [u32::MAX, 0, 1, u32::MAX, u32::MAX, 1]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn trees(
        &mut self,
        sources: &[VertexId],
        goal: Goal<W::Distance>,
    ) -> Result<Found<Trees<DistanceTable<W>>>, SsspError> {
        W::trees(self, sources, goal)
    }

    pub(crate) fn find_trees(
        &mut self,
        sources: &[VertexId],
        goal: Goal<W::Distance>,
    ) -> Result<Found<Trees<DistanceTable<W>>>, SsspError> {
        check_vertices(self.graph, "source", sources)?;
        let (graph, n) = (self.graph, self.graph.n_vertices());
        // each may have place alone
        let cell = size_of::<W::Distance>() + size_of::<VertexId>();
        ensure_memory(sources.len(), n, cell)?;
        let mut table = empty_table::<W::Distance>(sources.len(), n)?;
        let mut predecessors = empty_table::<VertexId>(sources.len(), n)?;
        let cells = table.as_slice_mut().unwrap_or_default();
        let before = predecessors.as_slice_mut().unwrap_or_default();
        let cells = cells.chunks_exact_mut(n.max(1)).zip(before.chunks_exact_mut(n.max(1)));
        // it hears of rows, and not of the searches
        let progress = self.progress.take();
        let rows = Rows::new(sources.iter().zip(cells), sources.len(), progress);
        let fill = |solver: &mut Self| {
            let mut work = Work::default();
            while let Some((&source, (distances, predecessors))) = rows.next() {
                rows.settle(solver.find_tree(source, goal).map(|tree| {
                    distances.copy_from_slice(tree.distances.as_storage());
                    predecessors.copy_from_slice(tree.predecessors.as_storage());
                    work.add(&tree.work);
                }));
            }
            work
        };
        let works = match self.cpu.clone() {
            Some(config) if n_workers(&config, graph, sources.len()) > 1 => {
                let alone = Config { threads: Some(NonZeroUsize::MIN), ..config.clone() };
                parallel::map(n_workers(&config, graph, sources.len()), &|_| match Solver::on_cpu(
                    graph, &alone,
                ) {
                    Ok(mut solver) => fill(&mut solver),
                    Err(error) => {
                        rows.settle(Err(error));
                        Work::default()
                    }
                })
            }
            _ => vec![fill(self)],
        };
        self.progress = progress;
        rows.result()?;
        let mut work = Work::default();
        works.iter().for_each(|part| work.add(part));
        let trees = (DistanceTable::from_storage(table), predecessors.into_raw_vec_and_offset().0);
        Ok(self.found(trees, work))
    }
}
