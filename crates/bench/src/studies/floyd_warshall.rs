//! The published forms of Floyd-Warshall on a GPU: the papers' tables, measured again.
//!
//! Methods A and B and the recursive form run on Random4-n graphs with tiles of each side. What the
//! paper tunes (h, t' for B, l for A and B) is tuned first for each of them. For comparison run the
//! plain form, B on a row-major matrix, and the recursive form with fused products. The table of
//! the second text is measured on the streets of Rome, on a larva's neurons, and on a graph with as
//! many vertices as its network. Weights are small integers in i32 and in f32, so that sums are
//! exact, and rows of every result are compared with searches.
//!
//! Reference: okuyama-2010, origin-out-of-core

use ::published::pairs::Form::{
    BlockedProduct, BlockedTwoLevel, FloydWarshall as Plain, Recursive,
};

use super::published::{Form, KERNEL, LAUNCHES, Matrix, Number, PATHS, PHASES};
use super::*;
use crate::table::best;

/// The vertices of Figure 3, and the sides of its tiles.
const N: u32 = 8192;
const SIDES: [u32; 5] = [8, 16, 32, 64, 128];
const BALANCE: [&str; 3] = ["N_b, bytes", "N_c, operations", "N_b / N_c"];
/// Bytes that a GPU's memory moves in the time of an arithmetic operation: the paper's; and of an
/// H200 as measured, 4.3 TB/s beside 16.4 T additions and as many minima.
const GPUS: [(&str, f64); 2] = [("GTX 280", 0.46), ("H200", 4.3 / 32.8)];

/// The published forms of Floyd-Warshall on a GPU: the papers' tables again
///
/// h, t' (method B) and l (A and B) are tuned first, for each form, side of a tile and size. The
/// graphs are those of the 9th DIMACS challenge's family Random4-n, from other random numbers.
#[derive(Args, Clone, Debug)]
#[command(after_help = "Examples:\n  cargo xtask bench floyd-warshall --peak 16400\n  \
                        cargo xtask bench floyd-warshall --sizes 512,1024 --types i32")]
pub(super) struct FloydWarshall {
    /// Vertices of the random digraphs
    #[arg(long, value_name = "N", default_value = "128,256,512,1024,2048,4096,8192")]
    sizes: Vec<NonZeroUsize>,
    /// Types of the elements
    #[arg(long, default_value = "i32,f32", value_parser = ["i32", "f32"])]
    types: Vec<String>,
    /// Most relaxations that the GPU could do with each type, in billions a second
    #[arg(long, value_name = "G")]
    peak: Vec<f64>,
    /// Largest graph of the other text, in vertices, for one thread of the host
    #[arg(long, value_name = "N", default_value = "4096")]
    host_up_to: usize,
    /// Graphs that are measured as the other text's, with weights below 2^16
    #[arg(long, value_name = "GRAPH", default_value = "rome99,larva+to-1,uniform-12529-37+to-1")]
    graphs: Vec<Graph>,
    /// Largest of these, in vertices, for the text's blocks, which take n² / 32 launches
    #[arg(long, value_name = "N", default_value = "4096")]
    phases_up_to: usize,
    /// Leave these out
    #[arg(long)]
    random_only: bool,
    /// Measure these forms alone, as they are: ALGORITHM:t:h:t':l of each
    #[arg(long, value_name = "FORM")]
    forms: Vec<Form>,
    /// The host solves in the place of the GPU, which tests all but the kernels
    #[arg(long, hide = true)]
    without_gpu: bool,
}

impl Study for FloydWarshall {
    const NAME: &'static str = "floyd-warshall";

    fn measure(&self, bench: &Bench) -> Result<()> {
        let gpu = if self.without_gpu { None } else { bench.gpu_if_any() };
        let is_measured = self.without_gpu || gpu.is_some();
        for n in self.sizes.iter().map(|size| size.get()).filter(|_| is_measured) {
            let (name, graph) = (format!("random4-{n}"), random4(n)?);
            for (i, numbers) in self.types.iter().enumerate() {
                let peak = self.peak.get(i).map_or(String::new(), f64::to_string);
                let record = Record::of(&[("graph", &name), ("n", &n), ("numbers", numbers)]);
                let record = record.with(&[("peak", &peak)]);
                match numbers.as_str() {
                    "i32" => self.paper(&Matrix::<i32>::new(bench, gpu, record, &graph)?)?,
                    _ => self.paper(&Matrix::<f32>::new(bench, gpu, record, &graph)?)?,
                }
            }
        }
        if self.random_only {
            return Ok(());
        }
        // what is missing has been told
        for graph in at_hand(bench, self.graphs.clone(), u64::MAX).unwrap_or_default() {
            let (name, graph) = (graph.to_string(), graph.load_u32()?);
            let record = Record::of(&[("graph", &name)]);
            let matrix = Matrix::<i32>::new(bench, gpu, record, &graph)?;
            if is_measured {
                matrix.text(&graph)?;
            }
            if gpu.is_some() && matrix.n <= self.phases_up_to {
                matrix.three_phases(&graph)?;
            }
            if matrix.n <= self.host_up_to {
                matrix.one_thread()?;
            }
        }
        Ok(())
    }

    fn page(records: &Records) -> Page {
        let mut page = Page::new("The published forms of Floyd-Warshall on a GPU");
        page.text(
            "Random4-n graphs: a cycle through all vertices and 3 n arcs drawn at random, of \
             lengths from 0 to n. Times are medians, after an untimed solve, in milliseconds by \
             the GPU's clock, with the matrix resident; the way to and from the blocked layout is \
             not in them. Rows of every result were those of searches on the host. h, t' and l \
             were tuned one after the other for each form and size, unless forms were named. \
             \"recursive\" launches its two products one after the other, as the paper.",
        );
        let part = |part: &str| records.of(&[("part", part)]);
        figure_3(&mut page);
        let (solve, whole) = (median("ms"), median("whole_ms"));
        for (numbers, paper) in part("paper").by("numbers") {
            let beside = part("beside").of(&[("numbers", numbers)]);
            page.heading(&format!("{numbers}: milliseconds (table 1)"));
            page.across(&paper, &["graph"], "form", &solve);
            if numbers == "f32" {
                page.text("By the same in i32:");
                page.across(&paper, &["graph"], "form", &|float| {
                    let same = ["graph", "form"].map(|label| (label, float.label(label)));
                    let integers = part("paper").of(&[("numbers", "i32")]);
                    Some(solve(float)? / solve(integers.find(&same)?)?)
                });
            }
            if !beside.is_empty() {
                page.text("Beside the paper's columns, with what was tuned for them:");
                page.across(&beside, &["graph"], "form", &solve);
            }
            of_largest(&mut page, numbers, &records.of(&[("numbers", numbers)]));
            page.heading(&format!("{numbers}: with memory taken and given back, and copies"));
            page.text("From pageable memory of the host and back to it:");
            page.across(&paper, &["graph"], "form", &whole);
            page.text("The solve took this part of it, in %:");
            let share = |record: &Record| Some(100.0 * solve(record)? / whole(record)?);
            page.across(&paper, &["graph"], "form", &share);
        }
        let text = part("text");
        if !text.is_empty() {
            page.heading("The graphs of the text on large matrices");
            page.text(
                "In i32, but the default form chooses its numbers; milliseconds with memory taken \
                 and given back, copies, and paths where they are asked for. Out of core the GPU \
                 has half of the memory that elements of 32 bits take; in 3 phases panels of 32 \
                 rows pass through it.",
            );
            page.across(&text, &["form"], "graph", &whole);
            page.text("The solve alone, which out of core has copies in it:");
            page.across(&text, &["form"], "graph", &solve);
            page.text("Paths from 8 vertices, followed by the last vertices on the host:");
            let followed = text.filtered(|record| record.median(PATHS[0]).is_some());
            page.medians(&followed, &["graph", "form"], &PATHS);
        }
        page
    }
}

impl FloydWarshall {
    /// The nine columns of the paper, and what it only mentions or leaves out; or what is named.
    fn paper<E: Number>(&self, matrix: &Matrix<'_, E>) -> Result<()> {
        let mut forms = self.forms.clone();
        if forms.is_empty() {
            for form in [BlockedProduct, BlockedTwoLevel, Recursive] {
                for tile in [16, 32, 64] {
                    forms.push(tuned(matrix, Form::of(form, tile))?);
                }
            }
            let mut beside = vec![Form::of(Plain, 32)];
            beside.extend(forms.iter().flat_map(|form| form.beside()));
            race(matrix, "beside", &beside)?;
        }
        race(matrix, "paper", &forms)
    }
}

fn race<E: Number>(matrix: &Matrix<'_, E>, part: &str, forms: &[Form]) -> Result<()> {
    let contenders = forms
        .iter()
        .map(|form| Contender::new(matrix.labelled(part, &form.name()), || matrix.all_times(form)));
    matrix.bench.race(contenders.collect()).map(drop)
}

/// The best of what can be tuned, a parameter after the other.
fn tuned<E: Number>(matrix: &Matrix<'_, E>, mut best: Form) -> Result<Form> {
    // large ones take long, and the same
    let runs = if matrix.n < 4096 { 3 } else { 1 };
    let terms = Terms { runs, ..matrix.bench.terms() };
    let tile = best.1.tile;
    let width = if best.0 == BlockedProduct { 64 } else { tile };
    let most = (matrix.n as u32).div_ceil(width);
    for i in 0..best.tunable().len() {
        let what = best.tunable()[i].0;
        let values: Vec<u32> = match what {
            "h" | "t'" => vec![1, 2, 4, 8, 16],
            _ => (0..=7).map(|power| 1 << power).take_while(|&l| l <= most).collect(),
        };
        let mut forms = vec![best; values.len()];
        let contenders = forms.iter_mut().zip(values).map(|(form, value)| {
            *form.tunable()[i].1 = value;
            let record = matrix.labelled("tuning", &form.name());
            let record = record.with(&[("tuned", &what), ("value", &value)]);
            Contender::new(record, || matrix.resident(form))
        });
        let tried = matrix.bench.race_by(&terms, contenders.collect())?;
        let times = tried.iter().map(|record| record.least("ms").unwrap_or(f64::INFINITY));
        let fastest = times.zip(forms).min_by(|a, b| a.0.total_cmp(&b.0));
        best = fastest.context("there is nothing to try")?.1;
    }
    Ok(best)
}

/// Random4-n of the 9th DIMACS challenge: four arcs a vertex, of lengths from 0 to n.
fn random4(n: usize) -> Result<Csr<u32>> {
    connected(n, 4, 0..=n as u32)
}

/// N_b, the bytes that go through memory for elements of 32 bits, N_c, the operations, and the
/// quotient.
fn balance(n: u32, t: u32) -> Run {
    let (n, t) = (f64::from(n), f64::from(t));
    let bytes = 4.0 * (4.0 * n.powi(3) / t - 2.0 * n.powi(2));
    let operations = 2.0 * n * (n * n - 2.0 * t + 1.0);
    BALANCE.into_iter().zip([bytes, operations, bytes / operations]).collect()
}

fn figure_3(page: &mut Page) {
    page.heading(&format!("Bytes through memory, and operations (figure 3), n = {N}"));
    let side = |of: &str, t: u32, run| Record::of(&[("of", &of), ("t", &t)]).ran(run);
    let sides: Records = SIDES.map(|t| side(BALANCE[2], t, balance(N, t))).into_iter().collect();
    page.medians(&sides, &["t"], &BALANCE);
    let gpu = |(name, ratio)| SIDES.map(|t| side(name, t, vec![(BALANCE[2], ratio)]));
    let lines = sides.iter().cloned().chain(GPUS.map(gpu).concat()).collect();
    let point = |record: &Record| Some((record.number("t"), [record.median(BALANCE[2])?; 3]));
    let title = "Bytes for an operation: of the algorithm, and of GPUs";
    let axes = ["side of a tile", "bytes for an operation"].map(|name| Axis { name, log: true });
    page.lines(("figure-3", title), axes, &lines, "of", &point);
}

/// Tables 2, 3 and 4 of the paper, and what tuning changes, of the largest graph.
fn of_largest(page: &mut Page, numbers: &str, all: &Records) {
    let timed = all.filtered(|record| ["paper", "beside"].contains(&record.label("part")));
    let largest = timed.iter().max_by(|a, b| a.number("n").total_cmp(&b.number("n")));
    let graph = largest.map_or("", |record| record.label("graph"));
    let forms = timed.of(&[("graph", graph)]);
    page.heading(&format!("{numbers}: parameters (table 2), on {graph}"));
    page.medians(&forms, &["form"], &["h", "t'", "l", "launches"]);
    page.medians(&forms, &["form"], &KERNEL);
    page.heading(&format!("{numbers}: G relaxations/s (table 3), on {graph}"));
    let rate = |record: &Record| {
        let n = record.number("n");
        Some(n * (n - 1.0).powi(2) / record.median("ms")? / 1e6)
    };
    let percent = |record: &Record| {
        Some(100.0 * rate(record)? / record.number("peak")).filter(|percent| percent.is_finite())
    };
    page.list(&forms, &["form"], &[("G/s", &rate), ("% of the peak", &percent)]);
    page.heading(&format!("{numbers}: milliseconds by phase (table 4), on {graph}"));
    page.text("Of a solve that waits for each launch:");
    page.medians(&forms, &["form"], &PHASES);
    page.text("Of its launches, the long ones take at least half as long as the longest:");
    page.medians(&forms, &["form"], &LAUNCHES);
    let tried = all.of(&[("part", "tuning"), ("graph", graph)]);
    if tried.is_empty() {
        return;
    }
    page.heading(&format!("{numbers}: the slowest by the fastest of what was tried, on {graph}"));
    page.across(&tried, &["form"], "tuned", &|record| {
        let (form, tuned) = (record.label("form"), record.label("tuned"));
        let tried = tried.of(&[("form", form), ("tuned", tuned)]);
        let ms: Vec<f64> = tried.iter().filter_map(|record| record.least("ms")).collect();
        Some(ms.iter().copied().reduce(f64::max)? / best(&ms)?)
    });
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::cli::tests::written;
    use crate::studies::published::short_and_long;

    #[test]
    fn a_report_has_every_form_of_every_type() {
        let line = "floyd-warshall --without-gpu --peak 100 --sizes 40,70 --graphs";
        let (said, raw) = written(&format!("{line} uniform-60-4+to-1"));
        for (numbers, all) in raw.by("numbers") {
            for (part, n) in [("paper", 9), ("beside", 8)] {
                let all = all.of(&[("part", part), ("graph", "random4-70")]);
                assert_eq!(all.values("form").len(), n, "{numbers} {part}");
                assert!(all.iter().all(|record| record.all("launches").len() == 2));
                assert!(all.values("form").iter().all(|form| said.contains(form)), "{said}");
            }
            // h for nine, t' for three, l for six
            let tried = all.of(&[("part", "tuning"), ("graph", "random4-40")]);
            let tuned: usize =
                tried.by("form").iter().map(|(_, all)| all.values("tuned").len()).sum();
            assert_eq!(tuned, 18);
            for what in ["table 1", "table 2", "table 3", "table 4", "the slowest"] {
                assert!(said.contains(&format!("## {numbers}: ")) && said.contains(what), "{said}");
            }
        }
        assert_eq!(raw.values("numbers"), ["i32", "f32"]);
        assert!(said.contains("figure-3.svg") && said.contains("By the same in i32"), "{said}");
        let text = raw.of(&[("part", "text")]);
        let followed = text.filtered(|record| record.median(PATHS[0]).is_some_and(|n| n > 8.0));
        assert_eq!((text.values("form").len(), followed.values("form").len()), (9, 2), "{said}");
        let (_, raw) =
            written(&line.replace("graphs", "random-only --forms blocked-two-level:32:4:1:2"));
        assert_eq!(raw.values("form"), ["B 32"]);
        assert_eq!(raw.iter().next().unwrap().median("t'"), Some(1.0));
    }

    #[test]
    fn formulas_count_what_a_small_case_does() {
        for (n, t) in [(8u32, 8u32), (12, 4), (15, 3)] {
            let (m, mut moved, mut updates) = (n / t, 0, 0);
            for (k, i, j) in (0..m.pow(3)).map(|step| (step / m / m, step / m % m, step % m)) {
                // a tile and those that it comes from are read, each once, and it is written
                moved += (BTreeSet::from([(i, j), (i, k), (k, j)]).len() as u32 + 1) * t * t;
                // in the pivot tile, row and column k stay
                updates += if i == k && j == k { t * (t - 1).pow(2) } else { t.pow(3) };
            }
            let [bytes, operations] = [4 * moved, 2 * updates].map(f64::from);
            assert_eq!(balance(n, t)[..2], [(BALANCE[0], bytes), (BALANCE[1], operations)]);
        }
        // about the paper's launches of the recursive form: six of 590 ms
        let ms = [vec![0.05; 1607], vec![7.0; 173], vec![590.0; 6]].concat();
        assert_eq!(short_and_long(&ms).map(f64::round), [90.0, 6.0, 590.0, 73.0]);
        let graph = random4(50).unwrap();
        assert_eq!((graph.n_vertices(), graph.n_arcs()), (50, 200));
        assert!(graph.arcs().all(|(u, v, weight)| u != v && weight <= 50));
    }
}
