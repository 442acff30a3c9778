//! What a solver does, generated once for each weight type.

use std::num::NonZeroUsize;

use gpu_runtime::Gpu;
use graph_formats::{Change, Csr, Direction, Distance, VertexId, Weight, ensure_granted};
use paths::aggregate::{self, Aggregate, Points, Sources, Way};
use paths::{DistanceTable, Distances, Nearest, Predecessors, Progress, Tree, Within};
use search_parts::{Pool, Query, check_not_negative, check_vertices};

use super::core::{Answered, Device, OnCpu, Solver};
use super::rows::{Rows, empty_table, ensure_memory, n_workers};
use crate::cpu::aggregate::Job;
use crate::cpu::{Searches, nearest};
use crate::dynamic::{DynamicTrees, Updated};
use crate::found::Found;
use crate::gpu::{self, Arrays, DeviceSolver, DynamicDeviceTrees, OnGpus};
use crate::overflow::check_overflow;
use crate::plan::choose_queue;
use crate::table::Table;
use crate::weights::SearchKeys;
use crate::{Algorithm, Config, Goal, Path, Plan, SsspError, Work, predecessors};

/// The result of a method, or an error.
pub(super) type Answer<T> = Result<T, SsspError>;

/// The type of path lengths.
type Length<W> = <W as Weight>::Distance;

/// The functions of this crate for one weight type. Their code is generated with the table of this
/// trait's methods, which `SearchWeight::generated` returns.
pub trait Generated<W: SearchKeys>: Sync {
    fn on_cpu<'g>(&self, graph: &'g Csr<W>, config: &Config) -> Answer<Solver<'g, W>> {
        let (plan, chosen) = Plan::on_cpu(graph, config)?;
        let device = Device::Cpu(OnCpu::new(config, Searches::new(graph, chosen)));
        Ok(Solver::of(graph, plan, device))
    }

    fn on_gpus<'g>(
        &self,
        gpus: &[Gpu],
        graph: &'g Csr<W>,
        config: &gpu::Config,
    ) -> Answer<Solver<'g, W>> {
        // without the feature there are no GPUs, and no code for them need be generated
        if gpus.is_empty() || !cfg!(feature = "cuda") {
            return Err(SsspError::NotOnGpu { reason: "no GPU was given".to_owned() });
        }
        let (plan, on_gpus) = OnGpus::new(gpus, graph, config)?;
        Ok(Solver::of(graph, plan, Device::Gpus(on_gpus)))
    }

    fn distances(
        &self,
        solver: &mut Solver<'_, W>,
        source: VertexId,
        goal: Goal<Length<W>>,
    ) -> Answer<Found<Distances<Length<W>>>> {
        let n = solver.graph.n_vertices();
        Ok(solver.answer(source, goal)?.map(|answered| match answered {
            Answered::Near(within) => within.to_distances(n),
            Answered::All(distances, _) => distances,
        }))
    }

    fn tree(
        &self,
        solver: &mut Solver<'_, W>,
        source: VertexId,
        goal: Goal<Length<W>>,
    ) -> Answer<Found<Tree<W>>> {
        let found = solver.answer(source, goal)?;
        solver.tree_of(source, found)
    }

    fn within(
        &self,
        solver: &mut Solver<'_, W>,
        sources: &[VertexId],
        limit: Length<W>,
    ) -> Answer<Found<Vec<Within<W>>>> {
        check_vertices(solver.graph.n_vertices(), "source", sources)?;
        let limit = solver.checked_limit(limit)?;
        if limit < Length::<W>::ZERO {
            let nothing = |source| Within::from_storage(source, limit, vec![], vec![], vec![]);
            let all = sources.iter().copied().map(nothing).collect();
            return Ok(solver.found(all, Work::default(), None));
        }
        let mut near = vec![None; sources.len()];
        let mut work = solver.search_near(sources, limit, &mut near)?;
        let mut plan = solver.near().map(|near| near.plan(&solver.plan));
        let mut all = Vec::with_capacity(sources.len());
        for (&source, near) in sources.iter().zip(near) {
            all.push(match near {
                Some(within) => within,
                None => {
                    let progress = solver.progress;
                    let found =
                        solver.answer_by_plan(&Query { source, targets: &[], limit, progress })?;
                    let tree = solver.tree_of(source, found)?;
                    work.add(&tree.work);
                    plan = None;
                    Within::from(&tree.answer)
                }
            });
        }
        let plan = plan.unwrap_or_else(|| solver.plan.clone());
        Ok(Found { plan, ..solver.found(all, work, None) })
    }

    /// The path of a search near the source if it ends soon, else that of a tree.
    fn path(
        &self,
        graph: &Csr<W>,
        source: VertexId,
        target: VertexId,
    ) -> Answer<Option<Path<Length<W>>>> {
        let mut solver = self.on_cpu(graph, &Config::default())?;
        let found = solver.answer(source, Goal::Target(target))?;
        let (length, vertices) = match &found.answer {
            Answered::Near(within) => (within.distance(target), within.path_to(target)),
            Answered::All(..) => {
                let tree = solver.tree_of(source, found)?;
                (tree.distance(target), tree.path_to(target))
            }
        };
        Ok(length.zip(vertices).map(|(length, vertices)| Path { length, vertices }))
    }

    fn table(
        &self,
        solver: &mut Solver<'_, W>,
        sources: &[VertexId],
        targets: &[VertexId],
    ) -> Answer<Found<DistanceTable<W>>> {
        check_vertices(solver.graph.n_vertices(), "source", sources)?;
        check_vertices(solver.graph.n_vertices(), "target", targets)?;
        let (cutoff, near) = (solver.cutoff, solver.near());
        let mut distances = empty_table::<W::Distance>(sources.len(), targets.len())?;
        let cells = distances.as_slice_mut().unwrap_or_default();
        let mut table = Table { sources, targets, cells, progress: solver.progress };
        let found = match &mut solver.device {
            _ if table.cells.is_empty() => solver.found((), Work::default(), None),
            Device::Cpu(cpu) => {
                let (plan, work) = cpu.fill(solver.graph, &mut table, cutoff, near)?;
                Found { plan, ..solver.found((), work, None) }
            }
            Device::Gpus(gpus) => {
                let (work, times) = gpus.fill(&solver.plan, table)?;
                solver.found((), work, Some(times))
            }
        };
        if cutoff < W::Distance::UNREACHED {
            let beyond = distances.iter_mut().filter(|cell| **cell > cutoff);
            beyond.for_each(|cell| *cell = W::Distance::UNREACHED);
        }
        Ok(found.map(|()| DistanceTable::from_storage(distances)))
    }

    fn trees(
        &self,
        solver: &mut Solver<'_, W>,
        sources: &[VertexId],
        goal: Goal<Length<W>>,
    ) -> Answer<Found<(DistanceTable<W>, Vec<VertexId>)>> {
        check_vertices(solver.graph.n_vertices(), "source", sources)?;
        let (graph, n) = (solver.graph, solver.graph.n_vertices());
        // both tables together, since each alone may fit
        let cell = size_of::<W::Distance>() + size_of::<VertexId>();
        ensure_memory(sources.len(), n, cell)?;
        let mut table = empty_table::<W::Distance>(sources.len(), n)?;
        let mut predecessors = empty_table::<VertexId>(sources.len(), n)?;
        let cells = table.as_slice_mut().unwrap_or_default();
        let before = predecessors.as_slice_mut().unwrap_or_default();
        let cells = cells.chunks_exact_mut(n.max(1)).zip(before.chunks_exact_mut(n.max(1)));
        // progress counts rows, so the searches do not report
        let progress = solver.progress.take();
        let rows = Rows::new(sources.iter().zip(cells), sources.len(), progress);
        type Row<'r, D> = (&'r VertexId, (&'r mut [D], &'r mut [VertexId]));
        let fill = |solver: &mut Solver<'_, W>, row: Row<'_, W::Distance>| {
            let (&source, (distances, predecessors)) = row;
            let tree = self.tree(solver, source, goal)?;
            distances.copy_from_slice(tree.distances.as_storage());
            predecessors.copy_from_slice(tree.predecessors.as_storage());
            Ok(tree.work)
        };
        let n_workers = match &solver.device {
            Device::Cpu(cpu) => n_workers(&cpu.config, graph, sources.len()),
            Device::Gpus(_) => 1,
        };
        let work = match &solver.device {
            Device::Cpu(OnCpu { config, .. }) if n_workers > 1 => {
                let alone = Config { threads: Some(NonZeroUsize::MIN), ..config.clone() };
                let cutoff = solver.cutoff;
                let space = || Ok(Solver { cutoff, ..self.on_cpu(graph, &alone)? });
                rows.fill_by(n_workers, &space, &fill)
            }
            _ => rows.fill(Ok(&mut *solver), &|solver, row| fill(solver, row)),
        };
        solver.progress = progress;
        let trees = (DistanceTable::from_storage(table), predecessors.into_raw_vec_and_offset().0);
        Ok(solver.found(trees, work?, None))
    }

    fn nearest(
        &self,
        solver: &mut Solver<'_, W>,
        sources: &[VertexId],
    ) -> Answer<Found<Nearest<W>>> {
        check_vertices(solver.graph.n_vertices(), "source", sources)?;
        check_not_negative(solver.graph, "the nearest source", "ask for a table")?;
        if let Device::Gpus(gpus) = &mut solver.device
            && let Some(((distances, work), owners)) =
                gpus.on_first(|gpu| gpu.nearest(sources, solver.progress))?
        {
            let times = gpus.times();
            let distances = Distances::from_storage(distances);
            let nearest = if solver.cutoff < Length::<W>::UNREACHED {
                Nearest::from_storage(distances, owners).within(solver.cutoff)
            } else {
                check_overflow(solver.graph, &distances)?;
                Nearest::from_storage(distances, owners)
            };
            return Ok(solver.found(nearest, work, Some(times)));
        }
        ensure_granted(nearest::BYTES_OF_VERTEX * solver.graph.n_vertices())?;
        let nearest = nearest::solve(solver.graph, sources, solver.cutoff, solver.progress)?;
        Ok(solver.found(nearest, Work::default(), None))
    }

    fn aggregate(
        &self,
        solver: &mut Solver<'_, W>,
        points: &Points<'_>,
        cutoff: f64,
        aggregate: &Aggregate,
    ) -> Answer<Found<Vec<f64>>> {
        let graph = solver.graph;
        check_vertices(graph.n_vertices(), "point", points.vertices)?;
        aggregate::check(points, cutoff, aggregate)?;
        check_not_negative(graph, "an aggregate within a cutoff", "give the graph other weights")?;
        let limit = solver.checked_limit(aggregate::limit_of(cutoff)?)?;
        let sources = Sources::of(points)?;
        let is_transposed =
            graph.direction() == Direction::Directed && aggregate.way == Way::ToPoints;
        if is_transposed && solver.reversed.is_none() {
            ensure_granted(graph.bytes())?;
            solver.reversed = Some(graph.transposed());
        }
        let outward = solver.reversed.as_ref().filter(|_| is_transposed).unwrap_or(graph);
        let outward = outward.as_unsigned().expect("no weight is negative");
        let (config, pool) = match &solver.device {
            Device::Cpu(cpu) => (&cpu.config, &cpu.pool),
            Device::Gpus(_) => (&Config::default(), &Pool::new(None)),
        };
        let queue = choose_queue(graph, None)?;
        let job = Job {
            graph: &outward,
            sources: &sources,
            limit: limit.to_key(),
            cutoff,
            aggregate: *aggregate,
            queue,
            n_workers: n_workers(config, graph, sources.all.len()),
            progress: solver.progress,
        };
        ensure_granted(job.bytes())?;
        let (answer, work) = pool.run(|| job.solve())?;
        let plan = Plan {
            algorithm: Algorithm::Dijkstra(None).name(),
            reason: "a search from each vertex with points".to_owned(),
            delta: None,
            queue: Some(queue),
            threads: 1,
            narrow: job.is_narrow(),
            device: None,
            ..solver.plan.clone()
        };
        Ok(Found { plan, ..solver.found(answer, work, None) })
    }

    fn paths(
        &self,
        solver: &mut Solver<'_, W>,
        source: VertexId,
        target: VertexId,
        k: usize,
    ) -> Answer<Found<Vec<Path<Length<W>>>>> {
        let (graph, progress) = (solver.graph, solver.progress);
        k_paths::check(graph, source, target)?;
        let all = Query { source: target, targets: &[], limit: W::Distance::UNREACHED, progress };
        let ((to_target, mut work), plan, times) = match graph.direction() {
            Direction::Undirected => {
                (solver.device.search(&all)?, solver.plan.clone(), solver.device.times())
            }
            Direction::Directed => {
                if solver.reversed.is_none() {
                    ensure_granted(graph.bytes())?;
                }
                let reversed = solver.reversed.get_or_insert_with(|| graph.transposed());
                let mut backwards = match &solver.device {
                    Device::Cpu(cpu) => self.on_cpu(reversed, &cpu.config)?,
                    Device::Gpus(_) => self.on_cpu(reversed, &Config::default())?,
                };
                (backwards.device.search(&all)?, backwards.plan, None)
            }
        };
        let to_target = Distances::from_storage(to_target);
        let distance = |vertex| to_target.get(vertex);
        let mut found = k_paths::k_shortest_paths(graph, source, target, k, distance, progress)?;
        found.paths.retain(|path| path.length <= solver.cutoff);
        work.add(&found.work);
        Ok(Found { plan, ..solver.found(found.paths, work, times) })
    }

    fn predecessors(
        &self,
        graph: &Csr<W>,
        source: VertexId,
        distances: &Distances<Length<W>>,
    ) -> Answer<Predecessors> {
        check_vertices(graph.n_vertices(), "source", &[source])?;
        let (n_distances, n_vertices) = (distances.as_storage().len(), graph.n_vertices());
        if n_distances != n_vertices {
            return Err(SsspError::NotAllVertices { n_distances, n_vertices });
        }
        Ok(predecessors::from_distances(graph, source, distances))
    }

    fn dynamic_trees(
        &self,
        graph: &Csr<W>,
        sources: &[VertexId],
        config: &Config,
    ) -> Answer<DynamicTrees<W>> {
        DynamicTrees::made(graph, sources, config, &|graph, sources, config| {
            self.all_trees(graph, sources, config, None)
        })
    }

    fn update_trees(
        &self,
        trees: &mut DynamicTrees<W>,
        changes: &[Change<W>],
        progress: Option<Progress<'_>>,
    ) -> Answer<Vec<Updated>> {
        trees.changed_by(changes, progress, &|graph, sources, config| {
            self.all_trees(graph, sources, config, progress)
        })
    }

    /// The trees of these sources, one after another.
    fn all_trees(
        &self,
        graph: &Csr<W>,
        sources: &[VertexId],
        config: &Config,
        progress: Option<Progress<'_>>,
    ) -> Answer<Vec<Tree<W>>> {
        let mut solver = self.on_cpu(graph, config)?;
        solver.progress = progress;
        let tree = |&source| Ok(self.tree(&mut solver, source, Goal::All)?.answer);
        sources.iter().map(tree).collect()
    }

    fn trees_on_gpu(
        &self,
        gpu: &Gpu,
        graph: &Csr<W>,
        sources: &[VertexId],
    ) -> Answer<DynamicDeviceTrees<W>> {
        DynamicDeviceTrees::made(gpu, graph, sources)
    }

    fn update_on_gpu(
        &self,
        trees: &mut DynamicDeviceTrees<W>,
        changes: &[Change<W>],
    ) -> Answer<Vec<Updated>> {
        trees.changed_by(changes)
    }

    fn tree_on_gpu(&self, trees: &DynamicDeviceTrees<W>, source: usize) -> Answer<Tree<W>> {
        trees.copied(source)
    }

    fn device_solver(&self, gpu: &Gpu, arrays: &Arrays<'_, W>) -> Answer<DeviceSolver<W>> {
        DeviceSolver::of_arrays(gpu, arrays)
    }
}

impl<W: SearchKeys> Generated<W> for () {}
