//! A random digraph, and contenders that close it, for the studies of closures.
//!
//! Of every answer, timed or not, rows are compared with searches, and the number of pairs with
//! that of all other answers.

use std::cell::Cell;

use ::closure::{Algorithm, Config, closure, closure_on_gpus};
use paths::Closure;
use rayon::ThreadPool;
use star_machine::Warshall;

use super::*;

/// Rows of every answer that are compared with searches.
pub(super) const ROWS: usize = 40;
/// Arcs a vertex where the closure is nearly full.
pub(super) const DENSE: f64 = 5.0;
/// Where the paper measured.
pub(super) const PAPER: &str = "K40, the paper";
const SEED: u64 = 5;

/// A form of closure: of the crate closure, or of the STAR-machine.
#[derive(Clone, Copy)]
pub(super) enum Form {
    Bits(Algorithm),
    Star(Warshall),
}

pub(super) const BLOCKED: Form = Form::Bits(Algorithm::Blocked);
pub(super) const ADAPTED: Form = Form::Star(Warshall::Adapted);
pub(super) const COLUMNS: Form = Form::Star(Warshall::Columns);

/// Where it runs.
#[derive(Clone, Copy)]
pub(super) enum On<'a> {
    Pool(&'a ThreadPool),
    Gpu(&'a Gpu),
}

/// A digraph G(n, p), with searches from some of its vertices.
pub(super) struct Digraph {
    pub(super) graph: Csr<u32>,
    degree: f64,
    /// Vertices, and which vertices each reaches, ascending.
    rows: Vec<(VertexId, Vec<VertexId>)>,
    /// Of the first answer.
    n_pairs: Cell<Option<usize>>,
}

impl Digraph {
    /// Each of the n (n - 1) arcs is there with the same probability, so that there are `degree`
    /// at a vertex in the mean.
    pub(super) fn random(n: usize, degree: f64) -> Result<Self> {
        let mut draws = Draws::new(SEED);
        let graph = random(n, degree, &mut draws)?;
        let vertices = (0..ROWS.min(n)).map(|_| draws.below(n) as VertexId);
        let rows = vertices.map(|from| (from, reached(&graph, from))).collect();
        Ok(Self { graph, degree, rows, n_pairs: Cell::new(None) })
    }

    /// That a closure has the rows of the searches, and as many pairs as those before it. How
    /// many these are.
    fn check(&self, closure: &Closure) -> Result<usize> {
        let (n, expected) = (closure.n_vertices(), self.graph.n_vertices());
        ensure!(n == expected, "the closure has {n} vertices instead of {expected}");
        for (from, expected) in &self.rows {
            let is_right = closure.reached_from(*from).eq(expected.iter().copied());
            ensure!(is_right, "vertex {from} does not reach what a search from it finds");
        }
        let n_pairs = closure.n_pairs();
        let expected = self.n_pairs.replace(Some(n_pairs)).unwrap_or(n_pairs);
        ensure!(n_pairs == expected, "{n_pairs} pairs where another form found {expected}");
        Ok(n_pairs)
    }

    /// What a record of this digraph begins with.
    pub(super) fn record(&self, form: &str, on: &str) -> Record {
        let (n, arcs) = (self.graph.n_vertices(), self.graph.n_arcs());
        let graph = Record::of(&[("n", &n), ("arcs", &arcs), ("arcs a vertex", &self.degree)]);
        graph.with(&[("form", &form), ("on", &on)])
    }

    /// A contender that closes it; without figures of its own, its time is that of the whole run.
    pub(super) fn contender<'a>(
        &'a self,
        form: &str,
        on: &str,
        mut solve: impl FnMut() -> Result<(Closure, Run)> + 'a,
    ) -> Contender<'a> {
        Contender::new(self.record(form, on), move || {
            let (whole_ms, solved) = timed(&mut solve);
            let (closure, mut run) = solved?;
            if run.is_empty() {
                run.push(("ms", whole_ms));
            }
            let pairs = self.check(&closure)? as f64;
            run.extend([("whole_ms", whole_ms), ("pairs", pairs)]);
            Ok(run)
        })
    }

    /// A contender for each of these forms.
    pub(super) fn contenders<'a>(&'a self, forms: &[Form], on: On<'a>) -> Vec<Contender<'a>> {
        let graph = &self.graph;
        let place = match on {
            On::Pool(pool) if pool.current_num_threads() == 1 => "1 thread".to_owned(),
            On::Pool(pool) => format!("{} threads", pool.current_num_threads()),
            On::Gpu(_) => "GPU".to_owned(),
        };
        let contender = |&form: &Form| {
            let name = match form {
                Form::Bits(form) => form.name(),
                Form::Star(form) => form.name(),
            };
            self.contender(name, &place, move || match (form, on) {
                (Form::Bits(form), On::Pool(pool)) => {
                    let found = pool.install(|| closure(graph, &Config::with(form), None))?;
                    Ok((found.closure, Run::new()))
                }
                (Form::Bits(form), On::Gpu(gpu)) => {
                    let (gpus, config) = (slice::from_ref(gpu), Config::with(form));
                    let found = closure_on_gpus(gpus, graph, &config, None)?;
                    let times = found.times;
                    let ms = [times.solve_ms, times.upload_ms, times.download_ms];
                    Ok((found.found.closure, figures(ms, found.launches)))
                }
                (Form::Star(form), On::Pool(pool)) => {
                    Ok((pool.install(|| form.closure(graph, None))?, Run::new()))
                }
                (Form::Star(form), On::Gpu(gpu)) => {
                    let found = form.closure_on_gpu(gpu, graph, None)?;
                    let times = found.times;
                    let ms = [times.solve_ms, times.upload_ms, times.download_ms];
                    Ok((found.closure, figures(ms, found.launches)))
                }
            })
        };
        forms.iter().map(contender).collect()
    }
}

/// By the GPU's clock, with the bits resident; none if the CPU did it.
fn figures([ms, upload_ms, download_ms]: [f64; 3], launches: u64) -> Run {
    let all = [("upload_ms", upload_ms), ("download_ms", download_ms)];
    let run = [("ms", ms), ("launches", launches as f64)].into_iter().chain(all);
    run.filter(|_| launches > 0).collect()
}

/// Goes from arc to arc, over as many as are missing between them.
fn random(n: usize, degree: f64, draws: &mut Draws) -> Result<Csr<u32>> {
    let others = n.saturating_sub(1);
    let p = degree / others.max(1) as f64;
    ensure!(p > 0.0 && p < 1.0, "{n} vertices cannot have {degree} arcs each; take other sizes");
    let mut arcs = Vec::with_capacity((n as f64 * degree * 1.1) as usize);
    let mut at = -1.0;
    loop {
        at += 1.0 + ((1.0 - draws.fraction()).ln() / (-p).ln_1p()).floor();
        if at >= (n * others) as f64 {
            break;
        }
        let (u, other) = (at as usize / others, at as usize % others);
        arcs.push((u as VertexId, (other + usize::from(other >= u)) as VertexId, 1));
    }
    Csr::from_arcs(n, &arcs).context("the arcs of a random digraph")
}

/// The vertices that `from` reaches by one arc or more, ascending.
fn reached(graph: &Csr<u32>, from: VertexId) -> Vec<VertexId> {
    let heads = |u: VertexId| &graph.column_indices()[graph.row(u)];
    let mut is_reached = vec![false; graph.n_vertices()];
    let mut left = heads(from).to_vec();
    while let Some(v) = left.pop() {
        if !std::mem::replace(&mut is_reached[v as usize], true) {
            left.extend(heads(v));
        }
    }
    graph.vertices().filter(|&v| is_reached[v as usize]).collect()
}

#[cfg(test)]
mod tests {
    use paths::oracle;

    use super::*;

    #[test]
    fn right_closures_pass_and_wrong_ones_do_not() {
        let digraph = Digraph::random(90, 1.5).unwrap();
        let right = oracle::closure(&digraph.graph);
        assert_eq!(digraph.check(&right).unwrap(), right.n_pairs());
        let from = digraph.rows[0].0;
        let missing = (0..90).find(|&v| !right.reaches(from, v)).unwrap();
        let is_searched = |u: VertexId| digraph.rows.iter().any(|(from, _)| *from == u);
        let other = (0..90).find(|&u| !right.reaches(u, missing) && !is_searched(u)).unwrap();
        for (u, says) in [(from, "a search from it"), (other, "pairs where another")] {
            let mut wrong = right.clone();
            wrong.insert(u, missing);
            assert!(digraph.check(&wrong).unwrap_err().to_string().contains(says));
        }
    }

    #[test]
    fn digraphs_have_about_as_many_arcs_as_asked_for() {
        for (n, degree) in [(300, 5.0), (300, 50.0), (2, 0.5), (100, 98.0)] {
            let graph = random(n, degree, &mut Draws::new(1)).unwrap();
            let (expected, m) = (n as f64 * degree, graph.n_arcs() as f64);
            assert!((m - expected).abs() < 6.0 * expected.sqrt() + 1.0, "{m} of {expected}");
            assert!(graph.arcs().all(|(u, v, _)| u != v));
        }
        assert!(random(5, 4.0, &mut Draws::new(1)).is_err());
    }
}
