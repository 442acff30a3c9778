//! All pairs on a GPU: the default form, in the GPU's memory and in strips, with next hops and
//! without.
//!
//! Digraphs with a cycle through all vertices, so that all are reached, and arcs drawn at random
//! besides. The graph chooses the numbers: weights so small that their sums fit take 16 bits; one
//! vertex far away takes 32, and large weights 64; floats are these again. Rows of every answer
//! are compared with searches on the host, and columns of next hops with trees of searches in
//! the reversed graph.
//!
//! Reference: venkataraman-2003, origin-out-of-core

use apsp::PairsWeight;

use super::*;

/// Rows and columns of an answer that are compared with searches.
const CHECKED: usize = 8;
/// Bounds sums where they are to fit 16 bits,
const SMALL: usize = 32_000;
/// and where they are to take 32,
const SUMS: usize = 1 << 26;
/// which one vertex is far enough away for.
const FAR: u32 = 100_000;

/// All pairs on a GPU: the default form, in its memory and in strips
#[derive(Args, Clone, Debug)]
#[command(after_help = "Example:\n  cargo xtask bench all-pairs --sizes 16384 --strips 32768")]
pub(super) struct AllPairs {
    /// Vertices of the graphs
    #[arg(long, value_name = "N", default_value = "1024,2048,4096,8192,16384")]
    sizes: Vec<NonZeroUsize>,
    /// Arcs a vertex
    #[arg(long, default_value = "4")]
    degree: NonZeroUsize,
    /// Leave out next hops
    #[arg(long)]
    distances_only: bool,
    /// Vertices of a graph that is solved in strips, too, by 32-bit integers
    #[arg(long, value_name = "N")]
    strips: Option<NonZeroUsize>,
    /// For the strips, the GPU has memory for the matrix divided by this
    #[arg(long, default_value = "4")]
    share: NonZeroUsize,
}

impl Study for AllPairs {
    const NAME: &'static str = "all-pairs";

    fn measure(&self, bench: &Bench) -> Result<()> {
        bench.gpu()?;
        let degree = self.degree.get();
        for n in self.sizes.iter().map(|size| size.get()) {
            let large = in_32_bits(n, degree)?;
            let small = connected(n, degree, 1..=(SMALL / n).max(1) as u32)?;
            for next_hops in [false, true] {
                if next_hops && self.distances_only {
                    continue;
                }
                race(bench, &large, next_hops, None)?;
                race(bench, &small, next_hops, None)?;
                race(bench, &large.clone().convert_weights::<f32>()?, next_hops, None)?;
                race(bench, &in_64_bits(&large)?, next_hops, None)?;
                race(bench, &large.clone().convert_weights::<f64>()?, next_hops, None)?;
            }
        }
        if let Some(n) = self.strips.map(NonZeroUsize::get) {
            let graph = in_32_bits(n, degree)?;
            race(bench, &graph, false, None)?;
            race(bench, &graph, false, Some(4 * (n * n / self.share) as u64))?;
        }
        Ok(())
    }

    fn page(records: &Records) -> Page {
        let mut page = Page::new("All pairs on a GPU");
        page.text(&format!(
            "Medians after an untimed solve: distances, with the matrix in the GPU's memory (in \
             strips: in the host's, by the host's clock), and next hops where there are any. \
             {CHECKED} rows of every answer were compared with searches, and as many columns of \
             next hops with trees of searches. G/s are n³ a second."
        ));
        let rate = |r: &Record| Some(r.number("n").powi(3) / r.median("ms")? / 1e6);
        page.list(
            records,
            &["n", "arcs", "numbers", "next hops", "strips"],
            &[("ms", &median("ms")), ("G/s", &rate), ("hops ms", &median("hops_ms"))],
        );
        page
    }
}

/// With so much of the GPU's memory.
fn race<W: PairsWeight>(
    bench: &Bench,
    graph: &Csr<W>,
    next_hops: bool,
    memory: Option<u64>,
) -> Result<()> {
    let rows = Rows::of(graph, CHECKED)?;
    let columns = Columns::of(graph, if next_hops { CHECKED } else { 0 })?;
    let gpu = bench.gpu()?.with_memory_cap(memory.unwrap_or(u64::MAX));
    let config = apsp::Config { next_hops, ..apsp::Config::default() };
    let solve = || apsp::Solver::new(graph, &config).on(slice::from_ref(&gpu)).solve(None);
    let run = || -> Result<Run> {
        let pairs = solve()?;
        rows.check(&pairs)?;
        columns.check(&pairs)?;
        let report = &pairs.report;
        Ok(vec![
            ("ms", report.solve_ms + report.next_hops_ms),
            ("hops_ms", report.next_hops_ms),
            ("upload_ms", report.upload_ms),
            ("prepare_ms", report.prepare_ms),
            ("download_ms", report.download_ms),
            ("launches", report.launches as f64),
        ])
    };
    let first = solve()?;
    let record = Record::of(&[
        ("n", &graph.n_vertices()),
        ("arcs", &graph.n_arcs()),
        ("numbers", &first.plan.number.map_or(String::new(), |number| number.to_string())),
        ("next hops", &if next_hops { "yes" } else { "no" }),
        ("strips", &first.report.strips),
    ]);
    drop(first);
    bench.race(vec![Contender::new(record, run)]).map(drop)
}

/// The same with larger weights, and a last vertex too far away for 16 bits.
pub(super) fn in_32_bits(n: usize, degree: usize) -> Result<Csr<u32>> {
    let near = connected(n - 1, degree, 1..=(SUMS / n) as u32)?;
    let far = (0, VertexId::try_from(n - 1)?, FAR);
    let arcs: Vec<_> = near.arcs().chain([far]).collect();
    Ok(Csr::from_arcs(n, &arcs)?)
}

/// The same weights, multiplied so that sums need 64 bits.
fn in_64_bits(graph: &Csr<u32>) -> Result<Csr<i64>> {
    let arcs: Vec<_> = graph.arcs().map(|(u, v, weight)| (u, v, i64::from(weight) << 20)).collect();
    Ok(Csr::from_arcs(graph.n_vertices(), &arcs)?)
}
