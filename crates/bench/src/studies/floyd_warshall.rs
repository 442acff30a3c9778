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

use anyhow::{Context, Result, bail};
use apsp::Algorithm::{self, BlockedProduct, BlockedTwoLevel, Recursive};
use clap::Args;
use graph_formats::generate::{Duplicates, GraphOptions, UniformConfig, uniform};
use graph_formats::{Csr, Direction};

use super::published::{FUSED, Form, LAST, Matrix, Number, PHASES, PLAIN, ROW_MAJOR, TUNED};
use crate::clock::{Contender, Terms};
use crate::graphs::{Graph, at_hand};
use crate::page::{Page, median};
use crate::records::{Record, Records, Run};
use crate::study::{Bench, Study};
use crate::table::best;

/// Sides of tiles.
const TILES: [u32; 3] = [16, 32, 64];
/// Arcs a vertex of the paper's random digraphs.
const DEGREE: u64 = 4;
/// The digraph of the other text's size, and arcs a vertex of it.
const NEURONS: (usize, u64) = (12_529, 16);
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
        let matrix = Matrix::<E>::new(bench, gpu, record, peak, graph)?;
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
    let kernel = ["launches", "threads", "shared bytes", "registers", "local bytes", "blocks"];
    for (what, figures) in [
        ("parameters (table 2)", &[&TUNED, &kernel[..], &["occupancy %"]].concat()[..]),
        ("G relaxations/s (table 3)", &["G/s", "% of the peak"]),
        ("milliseconds by phase, waiting for each launch (table 4)", &PHASES),
    ] {
        page.heading(&format!("{numbers}: {what}, on {graph}"));
        page.medians(&forms, &["form"], figures);
    }
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
