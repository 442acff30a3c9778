//! The published forms of Floyd-Warshall on a GPU: the papers' tables, measured again.
//!
//! The iterative forms, methods A and B, and the recursive form run on random digraphs of 4 n
//! arcs with tiles of each side, after what the paper tunes has been tuned for each of them: h
//! for all, t' for method B, l for A and B, one after the other. Beside them run the plain form,
//! method B on a row-major matrix, and the recursive form with fused products; and on the streets
//! of Rome and a digraph of 12,529 vertices, as many as the other text has, the plain form with
//! last vertices, and one thread of the host. Weights are small integers in i32 and in f32, so
//! that sums are exact, and rows of every result are compared with searches.
//!
//! Reference: okuyama-2010, origin-out-of-core

use std::fmt::Display;
use std::num::NonZeroUsize;
use std::ops::{Add, Range};

use anyhow::{Context, Result, bail};
use apsp::Algorithm::{self, BlockedProduct, BlockedTwoLevel, Recursive};
use apsp::published::{Element, Layout, Parameters, Phase, Published, SIDE_STEP};
use clap::Args;
use gpu_runtime::Gpu;
use graph_formats::generate::{Duplicates, GraphOptions, UniformConfig, uniform};
use graph_formats::{Csr, Direction, VertexId, Weight};

use crate::clock::{Contender, Terms, timed};
use crate::graphs::{Graph, at_hand};
use crate::page::{Figure, Page, median};
use crate::records::{Record, Records, Run};
use crate::study::{Bench, Study};
use crate::table::best;
use crate::verify::Rows;

/// Sides of tiles.
const TILES: [u32; 3] = [16, 32, 64];
/// Arcs a vertex of the paper's random digraphs.
const DEGREE: u64 = 4;
/// The digraph of the other text's size, and arcs a vertex of it.
const NEURONS: (usize, u64) = (12_529, 16);
const PHASES: [&str; 3] = ["pivot", "row and column", "others"];
/// What is tuned.
const TUNED: [&str; 3] = ["h", "t'", "l"];
const PLAIN: Form =
    Form { algorithm: Algorithm::FloydWarshall, tile: 32, tuned: [8, 4, 8], variant: "" };
const ROW_MAJOR: &str = ", row-major";
const FUSED: &str = ", fused";
const LAST: &str = ", last vertices";
/// Rows that are compared.
const CHECKED: usize = 8;
/// Solves of each try,
const TRIES: usize = 3;
/// but one where there are so many vertices.
const LARGE: usize = 4096;

/// The published forms of Floyd-Warshall on a GPU: the papers' tables again
///
/// h, t' (method B) and l (A and B) are tuned first, for each form, side of a tile and size.
#[derive(Args, Clone, Debug)]
#[command(after_help = "Examples:\n  cargo xtask bench floyd-warshall --peak 16400\n  \
                        cargo xtask bench floyd-warshall --sizes 512,1024 --types i32\n\n\
                        One launch sequence under a profiler:\n  ncu bench floyd-warshall --once \
                        blocked-product --parameters 32,8,4,8 --sizes 8192 --types i32")]
pub(super) struct FloydWarshall {
    /// Vertices of the random digraphs
    #[arg(long, value_delimiter = ',', value_name = "N")]
    #[arg(default_value = "128,256,512,1024,2048,4096,8192")]
    sizes: Vec<NonZeroUsize>,
    /// Types of the elements
    #[arg(long, value_delimiter = ',', default_value = "i32,f32", value_parser = ["i32", "f32"])]
    types: Vec<String>,
    /// Most relaxations that the GPU could do with each type, in billions a second
    #[arg(long, value_delimiter = ',', value_name = "G")]
    peak: Vec<f64>,
    /// Largest graph of the other text, in vertices, for one thread of the host
    #[arg(long, value_name = "N", default_value = "4096")]
    host_up_to: usize,
    /// Graphs that are measured as the other text's, with weights below 2^16
    #[arg(long, value_delimiter = ',', value_name = "GRAPH", default_value = "rome99")]
    graphs: Vec<Graph>,
    /// Leave out these and the digraph of 12,529 vertices
    #[arg(long)]
    random_only: bool,
    /// Solve once with this algorithm, for a profiler
    #[arg(long, value_name = "ALGORITHM")]
    once: Option<Algorithm>,
    /// What to do so with: t, h, t' and l
    #[arg(long, value_delimiter = ',', value_name = "N", default_value = "32,8,4,8")]
    parameters: Vec<u32>,
    /// The host solves in the place of the GPU, which tests all but the kernels
    #[arg(long, hide = true)]
    without_gpu: bool,
}

impl Study for FloydWarshall {
    const NAME: &'static str = "floyd-warshall";

    fn measure(&self, bench: &Bench) -> Result<()> {
        for n in self.sizes.iter().map(|size| size.get()) {
            self.on(bench, "paper", &format!("random-{n}"), &random(n, DEGREE)?)?;
        }
        if self.random_only || self.once.is_some() {
            return Ok(());
        }
        // what is missing has been told
        for graph in at_hand(bench, self.graphs.clone(), u64::MAX).unwrap_or_default() {
            self.on(bench, "text", &graph.to_string(), &graph.load_u32()?)?;
        }
        let (n, degree) = NEURONS;
        self.on(bench, "text", &format!("random-{n}"), &random(n, degree)?)
    }

    fn page(records: &Records) -> Page {
        let mut page = Page::new("The published forms of Floyd-Warshall on a GPU");
        page.text(
            "Random digraphs of 4 n arcs, weights 1 to 255. Times are medians, after an untimed \
             solve, in milliseconds by the GPU's clock, with the matrix resident; the way to and \
             from the blocked layout is not in them. Every solve, timed or tried, started from a \
             fresh copy of the arcs, and rows of its result were the same as those of searches on \
             the host. h, t' (method B) and l (A and B) were tuned one after the other for each \
             form and size. \"recursive\" launches its two products one after the other, as the \
             paper measured it.",
        );
        let (solve, whole) = (median("ms"), median("whole_ms"));
        for (numbers, all) in records.by("numbers") {
            let part = |part: &str| all.of(&[("part", part)]);
            let (paper, beside) = (part("paper"), part("beside"));
            if !paper.is_empty() {
                page.heading(&format!("{numbers}: milliseconds (table 1)"));
                page.across(&paper, &["graph"], "form", &solve);
                page.text("Beside the paper's columns, with what was tuned for them:");
                page.across(&beside, &["graph"], "form", &solve);
                of_largest(&mut page, numbers, &all);
                page.heading(&format!("{numbers}: with memory taken and given back, and copies"));
                page.text("From pageable memory of the host and back to it:");
                page.across(&paper, &["graph"], "form", &whole);
                page.text("Of this, the solve took so many %:");
                page.across(&paper, &["graph"], "form", &|record| {
                    Some(100.0 * solve(record)? / whole(record)?)
                });
            }
            let what = "the graphs of the text on large matrices";
            for (part, what) in [(part("text"), what), (part("once"), "one solve")] {
                if !part.is_empty() {
                    page.heading(&format!("{numbers}: {what}"));
                    page.across(&part, &["graph"], "form", &solve);
                    page.text("With memory and copies:");
                    page.across(&part, &["graph"], "form", &whole);
                }
            }
        }
        page
    }
}

impl FloydWarshall {
    /// What a part measures of a graph.
    fn on(&self, bench: &Bench, part: &str, name: &str, graph: &Csr<u32>) -> Result<()> {
        for (i, numbers) in self.types.iter().enumerate() {
            let labels: Labels<'_> = &[("graph", &name), ("n", &graph.n_vertices())];
            let record = Record::of(labels).with(&[("numbers", numbers)]);
            let peak = self.peak.get(i).copied();
            match numbers.as_str() {
                "i32" => self.of::<i32>(bench, part, record, peak, graph)?,
                _ => self.of::<f32>(bench, part, record, peak, graph)?,
            }
        }
        Ok(())
    }

    fn of<E: Number>(
        &self,
        bench: &Bench,
        part: &str,
        record: Record,
        peak: Option<f64>,
        graph: &Csr<u32>,
    ) -> Result<()> {
        let gpu = if self.without_gpu { None } else { Some(bench.gpu()?) };
        let (n, rows) = (graph.n_vertices(), Rows::of(graph, CHECKED)?);
        let side = n.next_multiple_of(SIDE_STEP);
        let mut arcs = vec![E::NO_PATH; side * side];
        (0..side).for_each(|v| arcs[v * side + v] = 0.into());
        for (u, v, weight) in graph.arcs() {
            let weight = u16::try_from(weight).context("weights of more than 16 bits")?.into();
            let known = &mut arcs[u as usize * side + v as usize];
            // of parallel arcs the shortest
            *known = if weight < *known { weight } else { *known };
        }
        let matrix = Matrix { bench, gpu, record, peak, rows, n, side, arcs };
        match (self.once, part, &self.parameters[..]) {
            (None, "paper", _) => matrix.paper(),
            (None, ..) => matrix.text(if E::NAME == "i32" { self.host_up_to } else { 0 }),
            (Some(algorithm), _, &[tile, h, small_tile, l]) => {
                let form = Form { algorithm, tile, tuned: [h, small_tile, l], variant: "" };
                matrix.keep("once", &form.name(), matrix.resident(&form)?);
                Ok(())
            }
            _ => bail!("--parameters takes four numbers: t, h, t' and l"),
        }
    }
}

/// Tables 2, 3 and 4 of the paper, and what tuning changes, of the largest graph.
fn of_largest(page: &mut Page, numbers: &str, all: &Records) {
    let paper = all.of(&[("part", "paper")]);
    let largest = paper.iter().max_by(|a, b| a.number("n").total_cmp(&b.number("n")));
    let graph = largest.map_or("", |record| record.label("graph"));
    let mut forms = paper.of(&[("graph", graph)]);
    forms.extend(all.of(&[("part", "beside"), ("graph", graph)]).iter().cloned());
    let mut table = |what: &str, figures: &[&'static str]| {
        let medians: Vec<_> = figures.iter().map(|figure| median(figure)).collect();
        let columns = figures.iter().zip(&medians).map(|(name, of)| (*name, of as Figure<'_>));
        page.heading(&format!("{numbers}: {what}, on {graph}"));
        page.list(&forms, &["form"], &columns.collect::<Vec<_>>());
    };
    let kernel = ["launches", "threads", "shared bytes", "registers", "local bytes", "blocks"];
    let kernel = [&TUNED, &kernel[..], &["occupancy %"]].concat();
    table("parameters (table 2)", &kernel);
    table("G relaxations/s (table 3)", &["G/s", "% of the peak"]);
    table("milliseconds by phase, waiting for each launch (table 4)", &PHASES);
    page.heading(&format!("{numbers}: the slowest by the fastest of what was tried, on {graph}"));
    let tried = all.of(&[("part", "tuning"), ("graph", graph)]);
    page.across(&tried, &["form"], "tuned", &|record| {
        let (form, tuned) = (record.label("form"), record.label("tuned"));
        let tried = tried.of(&[("form", form), ("tuned", tuned)]);
        let ms: Vec<f64> = tried.iter().filter_map(|record| record.least("ms")).collect();
        Some(ms.iter().copied().reduce(f64::max)? / best(&ms)?)
    });
}

type Labels<'a> = &'a [(&'a str, &'a dyn Display)];

/// A published form.
#[derive(Clone, Copy)]
struct Form {
    algorithm: Algorithm,
    tile: u32,
    /// h, t' and l.
    tuned: [u32; 3],
    variant: &'static str,
}

impl Form {
    fn name(&self) -> String {
        let Self { tile, variant, .. } = self;
        match self.algorithm {
            Algorithm::FloydWarshall => format!("plain{variant}"),
            BlockedProduct => format!("A {tile}{variant}"),
            BlockedTwoLevel => format!("B {tile}{variant}"),
            _ => format!("recursive {tile}{variant}"),
        }
    }

    fn parameters(&self) -> Parameters {
        let (tile, [step_rows, small_tile, per_block]) = (self.tile, self.tuned);
        let is = |variant| self.variant == variant;
        let layout = if is(ROW_MAJOR) { Layout::RowMajor } else { Layout::Blocked };
        let (fused, last_vertices) = (is(FUSED), is(LAST));
        Parameters { tile, step_rows, small_tile, per_block, layout, fused, last_vertices }
    }

    /// Which parameters are tuned, in this order.
    fn tunable(&self) -> &'static [usize] {
        match self.algorithm {
            Algorithm::FloydWarshall => &[],
            Recursive => &[0],
            BlockedProduct => &[0, 2],
            _ => &[0, 1, 2],
        }
    }
}

/// An element of a matrix: weights of 16 bits have theirs.
trait Number: Element + Add<Output = Self> + From<u16> + Into<f64> {}
impl Number for i32 {}
impl Number for f32 {}

/// A graph as a matrix of elements of one type.
struct Matrix<'a, E> {
    bench: &'a Bench,
    gpu: Option<&'a Gpu>,
    peak: Option<f64>,
    /// The labels of all.
    record: Record,
    rows: Rows<u32>,
    n: usize,
    side: usize,
    arcs: Vec<E>,
}

impl<E: Number> Matrix<'_, E> {
    /// The nine columns of the paper, and what it only mentions or leaves out.
    fn paper(&self) -> Result<()> {
        let mut forms = Vec::new();
        for algorithm in [BlockedProduct, BlockedTwoLevel, Recursive] {
            for tile in TILES {
                forms.push(self.tuned(algorithm, tile)?);
            }
        }
        let mut beside = vec![PLAIN];
        beside.extend(forms.iter().filter_map(|&form| match form.algorithm {
            BlockedTwoLevel => Some(Form { variant: ROW_MAJOR, ..form }),
            Recursive => Some(Form { variant: FUSED, ..form }),
            _ => None,
        }));
        self.race("paper", &forms)?;
        self.race("beside", &beside)
    }

    /// What the other text measured: plain, with last vertices, and blocked; and the host.
    fn text(&self, host_up_to: usize) -> Result<()> {
        let blocked = [self.tuned(BlockedProduct, 32)?, self.tuned(BlockedTwoLevel, 32)?];
        let plain = [PLAIN, Form { variant: LAST, ..PLAIN }];
        self.race("text", &[plain, blocked].concat())?;
        if self.n <= host_up_to {
            self.keep("text", "one thread of the host", vec![("ms", self.on_host()?)]);
        }
        Ok(())
    }

    fn labelled(&self, part: &str, form: &str) -> Record {
        self.record.clone().with(&[("part", &part), ("form", &form)])
    }

    /// Keeps what one run found.
    fn keep(&self, part: &str, form: &str, run: Run) {
        self.bench.records().push(self.labelled(part, form).ran(run));
    }

    fn race(&self, part: &str, forms: &[Form]) -> Result<()> {
        let contenders = forms
            .iter()
            .map(|form| Contender::new(self.labelled(part, &form.name()), || self.all_times(form)));
        self.bench.race(contenders.collect()).map(drop)
    }

    /// The best of what can be tuned, a parameter after the other.
    fn tuned(&self, algorithm: Algorithm, tile: u32) -> Result<Form> {
        let mut best = Form { algorithm, tile, tuned: [tile / 4, 4, 8], variant: "" };
        let runs = if self.n < LARGE { TRIES } else { 1 };
        let terms = Terms { runs, ..self.bench.terms() };
        let width = if algorithm == BlockedProduct { 64 } else { tile };
        let most = (self.n as u32).div_ceil(width);
        for &what in best.tunable() {
            let values: Vec<u32> = match what {
                0 => [tile / 8, tile / 4, tile / 2].into_iter().filter(|&h| h <= 16).collect(),
                1 => vec![1, 2, 4, 8, 16],
                _ => (0..=7).map(|power| 1 << power).take_while(|&l| l <= most).collect(),
            };
            let mut forms = vec![best; values.len()];
            forms.iter_mut().zip(values).for_each(|(form, value)| form.tuned[what] = value);
            let contenders = forms.iter().map(|form| {
                let value = form.tuned[what];
                let labels: Labels<'_> = &[("tuned", &TUNED[what]), ("value", &value)];
                let record = self.labelled("tuning", &form.name()).with(labels);
                Contender::new(record, || self.resident(form))
            });
            let tried = self.bench.race_by(&terms, contenders.collect())?;
            let times = tried.iter().map(|record| record.least("ms").unwrap_or(f64::INFINITY));
            let fastest = times.zip(forms).min_by(|a, b| a.0.total_cmp(&b.0));
            best = fastest.context("there is nothing to try")?.1;
        }
        Ok(best)
    }

    /// One solve with all in the GPU's memory.
    fn resident(&self, form: &Form) -> Result<Run> {
        let ms = match self.gpu {
            None => self.on_host()?,
            Some(gpu) => {
                let (mut solver, mut matrix) = (self.solver(gpu, form)?, gpu.upload(&self.arcs)?);
                let ms = solver.solve_ms(&mut matrix, self.n)?;
                self.check(|row| Ok(matrix.download_range(row)?))?;
                ms
            }
        };
        let n = self.n as f64;
        let rate = n * (n - 1.0).powi(2) / ms / 1e6;
        let percent = self.peak.map(|peak| ("% of the peak", 100.0 * rate / peak));
        Ok([("ms", ms), ("G/s", rate)].into_iter().chain(percent).collect())
    }

    /// The same, then one with memory and copies, and one that waits for each launch; and the
    /// kernel that does nearly all of the work.
    fn all_times(&self, form: &Form) -> Result<Run> {
        let mut run = self.resident(form)?;
        let tuned = form.tunable().iter().map(|&i| (TUNED[i], f64::from(form.tuned[i])));
        run.extend(tuned);
        run.push(("launches", form.parameters().n_launches(form.algorithm, self.n) as f64));
        let Some(gpu) = self.gpu else { return Ok(run) };
        let mut result = self.arcs.clone();
        let (whole_ms, solved) = timed(|| -> Result<()> {
            let (mut solver, mut matrix) = (self.solver(gpu, form)?, gpu.upload(&self.arcs)?);
            solver.solve(&mut matrix, self.n)?;
            Ok(matrix.download_into(&mut result)?)
        });
        solved?;
        run.push(("whole_ms", whole_ms));
        self.check(|row| Ok(result[row].to_vec()))?;
        let mut solver = self.solver(gpu, form)?;
        if form.algorithm != Algorithm::FloydWarshall {
            let mut matrix = gpu.upload(&self.arcs)?;
            let times = solver.solve_timed(&mut matrix, self.n)?;
            self.check(|row| Ok(matrix.download_range(row)?))?;
            run.extend(PHASES.into_iter().zip(Phase::ALL.map(|phase| times.ms(phase))));
        }
        let bulk = solver.bulk(self.n)?;
        run.extend([
            ("threads", bulk.threads.into()),
            ("shared bytes", bulk.attributes.shared_bytes.into()),
            ("registers", bulk.attributes.registers.into()),
            ("local bytes", bulk.attributes.local_bytes.into()),
            ("blocks", bulk.blocks as f64),
            ("occupancy %", 100.0 * bulk.occupancy),
        ]);
        Ok(run)
    }

    fn solver(&self, gpu: &Gpu, form: &Form) -> Result<Published<E>> {
        Ok(Published::new(gpu, form.algorithm, form.parameters(), self.side)?)
    }

    /// Milliseconds of one thread of the host: the three loops as the papers print them, with
    /// nothing but what the compiler makes of the innermost.
    fn on_host(&self) -> Result<f64> {
        let mut matrix = self.arcs.clone();
        let (ms, ()) = timed(|| {
            for k in 0..self.n {
                let through = matrix[k * self.side..][..self.n].to_vec();
                for row in matrix.chunks_exact_mut(self.side).take(self.n) {
                    let first = row[k];
                    for (least, &second) in row.iter_mut().zip(&through) {
                        let sum = first + second;
                        *least = if sum < *least { sum } else { *least };
                    }
                }
            }
        });
        self.check(|row| Ok(matrix[row].to_vec()))?;
        Ok(ms)
    }

    /// That a solved matrix has the rows of the searches.
    fn check(&self, row: impl Fn(Range<usize>) -> Result<Vec<E>>) -> Result<()> {
        let row = |source: VertexId| {
            let start = source as usize * self.side;
            let found = row(start..start + self.n)?.into_iter();
            Ok(found.map(|element| element.is_path().then(|| element.into())).collect())
        };
        self.rows.check_by(row, |found: f64, right| found == right.to_f64())
    }
}

/// n vertices and so many arcs a vertex, of weights 1 to 255.
fn random(n_vertices: usize, degree: u64) -> Result<Csr<u32>> {
    let (direction, duplicates) = (Direction::Directed, Duplicates::Keep);
    let options = GraphOptions { direction, duplicates, ..GraphOptions::default() };
    let n_edges = n_vertices as u64 * degree;
    Ok(uniform(&UniformConfig { n_vertices, n_edges, options })?)
}

#[cfg(test)]
mod tests {
    use crate::cli::tests::written;

    #[test]
    fn a_report_has_every_form_of_every_type() {
        let (said, raw) =
            written("floyd-warshall --without-gpu --sizes 40,70 --random-only --peak 100");
        for (numbers, all) in raw.by("numbers") {
            for (part, n) in [("paper", 9), ("beside", 7)] {
                let all = all.of(&[("part", part), ("graph", "random-70")]);
                assert_eq!(all.values("form").len(), n, "{numbers} {part}");
                assert!(all.iter().all(|record| record.all("launches").len() == 2));
                assert!(all.values("form").iter().all(|form| said.contains(form)), "{said}");
            }
            // h for nine, t' for three, l for six
            let tried = all.of(&[("part", "tuning"), ("graph", "random-40")]);
            let tuned: usize =
                tried.by("form").iter().map(|(_, all)| all.values("tuned").len()).sum();
            assert_eq!(tuned, 18);
            for what in ["table 1", "table 2", "table 3", "table 4", "the slowest"] {
                assert!(said.contains(&format!("## {numbers}: ")) && said.contains(what), "{said}");
            }
        }
        assert_eq!(raw.values("numbers"), ["i32", "f32"]);
    }
}
