//! The forms that close lines of bits, without condensation, on digraphs whose closure is
//! nearly full: on the GPU, and on the processor.

use anyhow::Result;
use closure::Algorithm;
use gpu_runtime::Gpu;
use rayon::ThreadPool;
use star_machine::Warshall;

use super::measure::{Line, in_turns, on_gpu, on_host, warshall_on_gpu, warshall_on_host};
use super::problem::Problem;
use super::{DENSE, Options, pool};
use crate::table::{best, digits, median, table};

/// Bit operations a second on an H200, as they were measured with registers alone.
const FLOORS: [(&str, f64); 3] =
    [("floor, LOP3", 452e12), ("floor, mma.sync", 5049e12), ("floor, wgmma", 7690e12)];

/// On the GPU.
pub(super) fn measure(gpu: &Gpu, options: &Options) -> Result<Vec<Line>> {
    let mut lines = Vec::new();
    for size in &options.sizes {
        let problem = Problem::random(size.get(), DENSE)?;
        let forms =
            [Algorithm::Blocked, Algorithm::MatrixUnits, Algorithm::Lop3, Algorithm::FourRussians];
        let mut contenders = Vec::from(forms.map(|form| on_gpu(gpu, form)));
        if problem.n <= options.adapt_up_to {
            contenders.push(warshall_on_gpu(gpu, Warshall::Adapted));
        }
        lines.extend(in_turns(&problem, contenders, 1, options.runs.get())?);
    }
    if options.large > 0 {
        let problem = Problem::random(options.large, DENSE)?;
        lines.extend(in_turns(&problem, vec![on_gpu(gpu, Algorithm::Blocked)], 0, 1)?);
    }
    Ok(lines)
}

/// On the processor, beside a plain Warshall on rows of bits.
pub(super) fn on_processor(options: &Options, all: &ThreadPool) -> Result<Vec<Line>> {
    let (two, one) = (pool(2)?, pool(1)?);
    let mut lines = Vec::new();
    for size in &options.processor_sizes {
        let problem = Problem::random(size.get(), DENSE)?;
        let blocked = [all, &two, &one].map(|pool| on_host(pool, Algorithm::Blocked));
        let plain = [&two, &one].map(|pool| warshall_on_host(pool, Warshall::Adapted));
        // two threads are all there are
        let skip = usize::from(all.current_num_threads() <= 2);
        let contenders = blocked.into_iter().skip(skip).chain(plain).collect();
        lines.extend(in_turns(&problem, contenders, 1, options.runs.get())?);
    }
    Ok(lines)
}

/// With condensation where it is shorter, on sparse digraphs.
pub(super) fn condensed(
    gpu: Option<&Gpu>,
    options: &Options,
    all: &ThreadPool,
) -> Result<Vec<Line>> {
    let mut lines = Vec::new();
    for size in &options.condensed_sizes {
        for &degree in &options.sparse {
            let problem = Problem::random(size.get(), degree)?;
            let algorithms = [Algorithm::Components, Algorithm::Auto, Algorithm::Blocked];
            let mut contenders: Vec<_> = algorithms.map(|a| on_host(all, a)).into();
            if let Some(gpu) = gpu {
                let algorithms = [Algorithm::Auto, Algorithm::Blocked];
                contenders.extend(algorithms.map(|a| on_gpu(gpu, a)));
            }
            lines.extend(in_turns(&problem, contenders, 1, options.runs.get())?);
        }
    }
    Ok(lines)
}

/// The forms on the GPU, beside the floors.
pub(super) fn section(lines: &[Line]) -> String {
    if lines.is_empty() {
        return String::new();
    }
    let mut rows = Vec::new();
    for group in lines.chunk_by(|a, b| a.n_vertices == b.n_vertices) {
        let n = group[0].n_vertices;
        let operations = (n as f64).powi(3);
        for (name, rate) in FLOORS {
            let ms = digits(Some(operations / rate * 1e3));
            let mut row = vec![n.to_string(), name.to_owned(), ms, String::new()];
            row.push(format!("{:.0}", rate / 1e12));
            row.resize(9, String::new());
            rows.push(row);
        }
        for line in group.iter().filter(|line| line.skipped.is_none()) {
            let ms = median(&line.solve_ms);
            rows.push(vec![
                n.to_string(),
                line.method.to_owned(),
                digits(ms),
                digits(best(&line.solve_ms)),
                digits(ms.map(|ms| operations / ms / 1e9)),
                line.launches.to_string(),
                digits(median(&line.upload_ms)),
                digits(median(&line.download_ms)),
                digits(Some(line.n_pairs as f64 / (n as f64).powi(2) * 100.0)),
            ]);
        }
    }
    let headings = [
        "n",
        "form",
        "ms",
        "best",
        "T bit op/s",
        "launches",
        "upload ms",
        "download ms",
        "% of pairs",
    ];
    format!(
        "\n## Closure on the GPU, nothing condensed\n\n{DENSE} arcs a vertex. By the GPU's clock, \
         with the bits resident; n^3 bit operations in that time. Floors are of an H200.\n\n{}{}",
        table(2, &headings, &rows),
        skipped(lines)
    )
}

/// By components, where that is shorter.
pub(super) fn section_condensed(lines: &[Line]) -> String {
    if lines.is_empty() {
        return String::new();
    }
    let timed = |line: &&Line| line.skipped.is_none();
    let row = |line: &Line| {
        vec![
            line.method.to_owned(),
            line.on.clone(),
            line.taken.clone(),
            line.n_vertices.to_string(),
            line.degree.to_string(),
            digits(median(&line.whole_ms)),
            digits(best(&line.whole_ms)),
        ]
    };
    let rows: Vec<_> = lines.iter().filter(timed).map(row).collect();
    let headings = ["asked for", "on", "taken", "n", "arcs a vertex", "whole ms", "best"];
    let mut text = format!(
        "\n## Closure by components\n\nFrom graph to closure, by the host's clock.\n\n{}\n",
        table(3, &headings, &rows)
    );
    for line in lines.iter().filter(timed).filter(|line| line.method == "auto") {
        let Line { n_vertices, degree, on, taken, reason, .. } = line;
        text += &format!("- auto, {n_vertices}, {degree}, on {on}: {taken}: {reason}\n");
    }
    text + &skipped(lines)
}

/// The processor's form beside the plain one, by threads.
pub(super) fn section_processor(lines: &[Line]) -> String {
    if lines.is_empty() {
        return String::new();
    }
    let mut rows = Vec::new();
    let blocked = |line: &&Line| line.method == Algorithm::Blocked.name();
    for line in lines.iter().filter(blocked) {
        let plain = lines.iter().find(|other| {
            other.method != line.method
                && (other.n_vertices, &other.on) == (line.n_vertices, &line.on)
        });
        let plain_ms = plain.and_then(|plain| median(&plain.whole_ms));
        let ms = median(&line.whole_ms);
        rows.push(vec![
            line.on.clone(),
            line.n_vertices.to_string(),
            digits(ms),
            digits(best(&line.whole_ms)),
            digits(plain_ms),
            digits(plain.and_then(|plain| best(&plain.whole_ms))),
            digits(plain_ms.zip(ms).map(|(plain, ms)| plain / ms)),
        ]);
    }
    let headings = ["on", "n", "blocked ms", "best", "plain ms", "best", "plain / blocked"];
    format!(
        "\n## Closure on the processor, nothing condensed\n\n{DENSE} arcs a vertex, from graph to \
         closure. Plain: Warshall's method, which unites rows of bits. All took turns.\n\n{}",
        table(1, &headings, &rows)
    )
}

fn skipped(lines: &[Line]) -> String {
    let told = |line: &Line| {
        let reason = line.skipped.as_ref()?;
        Some(format!("\nSKIPPED: {} of {} vertices: {reason}.\n", line.method, line.n_vertices))
    };
    lines.iter().filter_map(told).collect()
}
