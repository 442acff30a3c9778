//! Many queries on road networks: a hierarchy, compared with searches, another crate and programs
//! around other libraries.
//!
//! Each prepares the graph, customizes the result, and answers queries on the same random pairs.
//! The queries are distances and paths one by one on one thread, the table of all sources and
//! targets, and all distances from some of the sources. Every answer, timed or not, is compared
//! with searches.

mod others;

use hierarchy::{EliminationError, Hierarchy, HierarchyError, Order};
use paths::Distances;
use rayon::ThreadPool;

use self::others::{program, with_cch};
use super::*;

/// Sources of which all distances are asked for: several passes of a sweep.
const TREES: usize = 64;
const OURS: &str = "hierarchy";
const SEARCHES: &str = "sssp";

/// Road networks prepared for many queries, beside searches and other libraries
#[derive(Args, Clone, Debug)]
#[command(
    after_help = "Example:\n  cargo xtask bench roads --graphs new-york,delaware --runs 3\n\n\
                        A program is called with a graph, pairs and where its answers go;\n\
                        crates/bench/peers/fast_paths has one, and says how they are written."
)]
pub(super) struct Roads {
    /// Graphs with whole weights of 32 bits
    #[arg(long, value_name = "G", default_value = "new-york")]
    graphs: Vec<Graph>,
    /// Random pairs; the table is of their sources and targets
    #[arg(long, value_name = "N", default_value = "1000")]
    pairs: NonZeroUsize,
    /// Programs around other libraries, which take the place of a solver
    #[arg(long, value_name = "PROGRAM")]
    programs: Vec<PathBuf>,
}

impl Study for Roads {
    const NAME: &'static str = "roads";

    fn measure(&self, bench: &Bench) -> Result<()> {
        for graph in at_hand(bench, self.graphs.clone(), u64::MAX)? {
            let task = &Task::new(graph.load_u32()?, self.pairs.get(), bench)?;
            let record = |library: &dyn std::fmt::Display| {
                let n = task.graph.n_vertices();
                Record::of(&[("graph", &graph), ("n", &n), ("library", library)])
            };
            let mut all = vec![
                Contender::new(record(&OURS), || ours(task, bench)),
                Contender::new(record(&SEARCHES), || searches(task, bench)),
                Contender::new(record(&"cch 0.3.0"), || excused(with_cch(task, bench))),
            ];
            for path in &self.programs {
                let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
                let run = move || excused(program(path, task, bench));
                all.push(Contender::new(record(&name), run));
            }
            bench.race(all)?;
        }
        Ok(())
    }

    fn page(records: &Records) -> Page {
        let mut page = Page::new("Road networks asked again and again");
        page.text(&format!(
            "Medians of the runs. Preparation, customization and tables on all threads where a \
             library takes them; pairs one by one on one thread, each timed, in microseconds: the \
             mean and what 99 of 100 stay below. A path has its vertices. One to all is the time \
             for each of {TREES} sources. Every answer was compared with searches."
        ));
        for (graph, records) in records.having("library").by("graph") {
            page.heading(graph);
            let columns: [(&str, Figure<'_>); 11] = [
                ("prepare ms", &median("prepare_ms")),
                ("customize ms", &median("customize_ms")),
                ("distance µs", &median("distance_us")),
                ("99 % µs", &median("distance_p99_us")),
                ("path µs", &median("path_us")),
                ("99 % path µs", &median("path_p99_us")),
                ("table ms", &median("table_ms")),
                ("1 thread", &median("table_1_ms")),
                ("one to all ms", &median("all_ms")),
                ("1 thread ", &median("all_1_ms")),
                ("arcs", &median("arcs")),
            ];
            page.list(&records, &["library"], &columns);
        }
        page
    }
}

/// The queries that all contenders answer, and the right answers.
struct Task {
    graph: Csr<u32>,
    sources: Vec<VertexId>,
    targets: Vec<VertexId>,
    /// From each source to each target.
    table: Vec<Option<u64>>,
    /// From the first sources to all vertices.
    trees: Vec<Distances<u64>>,
}

impl Task {
    fn new(graph: Csr<u32>, n_pairs: usize, bench: &Bench) -> Result<Self> {
        let mut draws = Draws::new(graph.n_vertices() as u64);
        let mut vertices =
            || (0..n_pairs).map(|_| draws.below(graph.n_vertices()) as VertexId).collect();
        let (sources, targets): (Vec<_>, Vec<_>) = (vertices(), vertices());
        let mut solver = Solver::new(&graph, &Config::default())?;
        let table = bench.all.install(|| solver.table(&sources, &targets))?;
        let table = (0..n_pairs).flat_map(|row| table.row(row)).collect();
        let from = sources.iter().take(TREES);
        let trees = from.map(|&source| Ok(solver.distances(source, Goal::All)?.answer));
        let trees = trees.collect::<Result<_>>()?;
        drop(solver);
        Ok(Self { graph, sources, targets, table, trees })
    }

    fn pairs(&self) -> impl Iterator<Item = (VertexId, VertexId)> {
        self.sources.iter().copied().zip(self.targets.iter().copied())
    }

    /// That these are the distances of the pairs.
    fn check_pairs(&self, found: impl IntoIterator<Item = Option<u64>>) -> Result<()> {
        let right = self.table.iter().copied().step_by(self.targets.len() + 1);
        self.check(right, found)
    }

    /// That these are the distances from each source to each target.
    fn check_table(&self, found: impl IntoIterator<Item = Option<u64>>) -> Result<()> {
        self.check(self.table.iter().copied(), found)
    }

    fn check(
        &self,
        right: impl Iterator<Item = Option<u64>>,
        found: impl IntoIterator<Item = Option<u64>>,
    ) -> Result<()> {
        let mut found = found.into_iter();
        for (at, right) in right.enumerate() {
            let found = found.next().context("an answer is missing")?;
            ensure!(found == right, "answer {at} is {found:?} and not {right:?}");
        }
        ensure!(found.next().is_none(), "there are too many answers");
        Ok(())
    }

    /// How long a walk along these vertices is, by the shortest arc of each step.
    fn length(&self, vertices: &[VertexId]) -> Result<u64> {
        let step = |ends: &[VertexId]| {
            let arcs = self.graph.row(ends[0]);
            let along = arcs.filter(|&arc| self.graph.column_indices()[arc] == ends[1]);
            let least = along.map(|arc| u64::from(self.graph.weight(arc))).min();
            least.with_context(|| format!("no arc leads from {} to {}", ends[0], ends[1]))
        };
        vertices.windows(2).map(step).sum()
    }

    /// That these are shortest paths of the pairs.
    fn check_paths(&self, found: Vec<Option<Vec<VertexId>>>) -> Result<()> {
        let length = |((source, target), path): (_, Option<Vec<VertexId>>)| {
            let Some(path) = path else { return Ok(None) };
            let ends = (path.first().copied(), path.last().copied());
            ensure!(ends == (Some(source), Some(target)), "a path is from {ends:?}");
            self.length(&path).map(Some)
        };
        let lengths: Result<Vec<_>> = self.pairs().zip(found).map(length).collect();
        self.check_pairs(lengths?)
    }

    /// Asks about the pairs one after the other, twice, of which the second time counts: the mean
    /// in microseconds, what 99 of 100 stay below, and the answers.
    fn one_by_one<T>(&self, mut ask: impl FnMut(VertexId, VertexId) -> T) -> ([f64; 2], Vec<T>) {
        self.pairs().for_each(|(source, target)| drop(ask(source, target)));
        let timed = self.pairs().map(|(source, target)| timed(|| ask(source, target)));
        let (mut ms, answers): (Vec<f64>, Vec<T>) = timed.unzip();
        ms.sort_unstable_by(f64::total_cmp);
        let (n, sum) = (ms.len(), ms.iter().sum::<f64>());
        ([sum / n as f64 * 1e3, ms[n * 99 / 100] * 1e3], answers)
    }
}

/// Others' mistakes do not end the report.
fn excused(run: Result<Run>) -> Result<Run> {
    run.map_err(|error| Excuse(format!("{error:#}")).into())
}

/// The second of two runs, which finds its memory in place, in these threads.
fn second<T: Send>(pool: &ThreadPool, run: impl Fn() -> T + Send + Sync) -> (f64, T) {
    drop(pool.install(&run));
    timed(|| pool.install(run))
}

fn ours(task: &Task, bench: &Bench) -> Result<Run> {
    let (graph, sources, targets) = (&task.graph, &task.sources, &task.targets);
    let prepare = || Hierarchy::new(graph, &Order::by_landmarks(graph)?);
    let (prepare_ms, prepared) = timed(|| bench.all.install(prepare));
    let hierarchy = match prepared {
        Err(HierarchyError::Elimination(error @ EliminationError::NoSmallSeparators { .. })) => {
            return Err(Excuse(error.to_string()).into());
        }
        prepared => prepared?,
    };
    let (customize_ms, metric) = second(&bench.all, || hierarchy.customize(graph));
    let metric = metric?;
    let mut query = metric.query();
    let (distance, found) = task.one_by_one(|source, target| query.distance(source, target));
    task.check_pairs(found.into_iter().collect::<Result<Vec<_>, _>>()?)?;
    let (path, found) = task.one_by_one(|source, target| query.path(source, target));
    let found: Vec<_> = found.into_iter().collect::<Result<_, _>>()?;
    task.check_pairs(found.iter().map(|path| Some(path.as_ref()?.length)))?;
    task.check_paths(found.into_iter().map(|path| Some(path?.vertices)).collect())?;
    let mut run = vec![
        ("prepare_ms", prepare_ms),
        ("customize_ms", customize_ms),
        ("distance_us", distance[0]),
        ("distance_p99_us", distance[1]),
        ("path_us", path[0]),
        ("path_p99_us", path[1]),
        ("arcs", hierarchy.n_arcs() as f64),
    ];
    let first = &sources[..task.trees.len()];
    let same_as = |source: VertexId, found: &Distances<u64>| {
        let right = first.iter().position(|&one| one == source).map(|at| &task.trees[at]);
        right == Some(found)
    };
    // the last of a row is all that is kept of it, so that no memory is filled
    let last = (task.graph.n_vertices() - 1) as VertexId;
    let last = |_: VertexId, found: &Distances<u64>| found.get(last);
    for (pool, table_ms, all_ms) in
        [(&bench.all, "table_ms", "all_ms"), (&bench.one, "table_1_ms", "all_1_ms")]
    {
        let (ms, table) = second(pool, || metric.table(sources, targets));
        let table = table?;
        task.check_table((0..sources.len()).flat_map(|row| table.row(row)))?;
        run.push((table_ms, ms));
        let (ms, found) = second(pool, || metric.map_distances(first, last));
        let right = first.iter().zip(&task.trees).map(|(&source, found)| last(source, found));
        ensure!(found?.into_iter().eq(right), "a distance of all is wrong");
        run.push((all_ms, ms / first.len() as f64));
        let is_right = pool.install(|| metric.map_distances(first, same_as))?;
        ensure!(is_right.into_iter().all(|is_right| is_right), "a distance of all is wrong");
    }
    Ok(run)
}

/// The solvers that prepare nothing, each by its own choice.
fn searches(task: &Task, bench: &Bench) -> Result<Run> {
    let first = &task.sources[..task.trees.len()];
    let on = |n| Config { threads: NonZeroUsize::new(n), ..Config::default() };
    let (prepare_ms, solver) = timed(|| Solver::new(&task.graph, &on(1)));
    let mut solver = solver?;
    let (path, found) = task.one_by_one(|source, target| {
        solver.tree(source, Goal::Target(target)).map(|tree| tree.path_to(target))
    });
    task.check_paths(found.into_iter().collect::<Result<_, _>>()?)?;
    let (distance, found) = task.one_by_one(|source, target| {
        let found = solver.distances(source, Goal::Target(target));
        found.map(|found| found.get(target))
    });
    task.check_pairs(found.into_iter().collect::<Result<Vec<_>, _>>()?)?;
    let mut found = |&source| Ok(solver.distances(source, Goal::All)?.answer);
    let all = || first.iter().map(&mut found).collect();
    let (all_1_ms, found): (_, Result<Vec<_>>) = timed(all);
    ensure!(found? == task.trees, "distances to all are wrong");
    let mut solver = Solver::new(&task.graph, &on(bench.threads().get()))?;
    let (table_ms, table) = timed(|| solver.table(&task.sources, &task.targets));
    let table = table?;
    task.check_table((0..task.sources.len()).flat_map(|row| table.row(row)))?;
    Ok(vec![
        ("prepare_ms", prepare_ms),
        ("distance_us", distance[0]),
        ("distance_p99_us", distance[1]),
        ("path_us", path[0]),
        ("path_p99_us", path[1]),
        ("table_ms", table_ms),
        ("all_1_ms", all_1_ms / first.len() as f64),
    ])
}
