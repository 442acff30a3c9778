//! The STAR-machine's closures at the sizes of the paper's Table 2: `WARSHALL-C` and
//! `WARSHALL-adapt`, beside what stands for its sequential program, and the blocked form.
//!
//! Reference: snytnikova-nepomniaschaya-2016

use paths::Closure;

use super::digraph::{ADAPTED, BLOCKED, COLUMNS, Digraph, On, ROWS};
use super::*;

/// Who measured the paper's times.
pub(super) const PAPER: &str = "K40, the paper";
const UNIONS: &str = "column ORs";
/// The three loops on bytes.
const SEQUENTIAL: &str = "sequential";
/// Vertices of the paper's digraphs.
const VERTICES: [usize; 5] = [1000, 2000, 3000, 4000, 5000];
/// What the paper measured on a Tesla K40: milliseconds.
const MILLISECONDS: [(&str, [f64; 5]); 3] = [
    (SEQUENTIAL, [8037.0, 59_812.0, 197_111.0, 461_785.0, 884_622.0]),
    ("warshall-c", [4827.0, 11_161.0, 23_363.0, 42_661.0, 64_454.0]),
    ("warshall-adapt", [3.0, 27.0, 93.0, 236.0, 372.0]),
];

/// The STAR-machine's closures: the paper's Table 2, with the unions of columns
#[derive(Args, Clone, Debug)]
#[command(after_help = "Example:\n  cargo xtask bench star-closures --sizes 1000,2000 --degrees 5")]
pub(super) struct StarClosures {
    /// Vertices
    #[arg(long, value_name = "N", default_values_t = VERTICES)]
    sizes: Vec<usize>,
    /// Arcs a vertex
    #[arg(long, value_name = "D", default_value = "5,50")]
    degrees: Vec<f64>,
    /// The most vertices for one thread of the host, which takes tens of seconds
    #[arg(long, value_name = "N", default_value = "5000")]
    host_up_to: usize,
}

impl Study for StarClosures {
    const NAME: &'static str = "star-closures";

    fn measure(&self, bench: &Bench) -> Result<()> {
        for &degree in &self.degrees {
            for &n in &self.sizes {
                let digraph = Digraph::random(n, degree)?;
                for form in MILLISECONDS.map(|row| row.0) {
                    let ran = |ms| digraph.record(form, PAPER).ran(vec![("ms", ms)]);
                    bench.records().extend(paper_ms(form, n).map(ran));
                }
                self.race(bench, &digraph)?;
            }
        }
        Ok(())
    }

    fn page(records: &Records) -> Page {
        let mut page = Page::new("The STAR-machine's closures (Table 2)");
        page.text(&format!(
            "Digraphs G(n, p) of a fixed seed; the paper gives no density. Of every answer {ROWS} \
             rows were compared with searches, and the number of pairs with that of all others. \
             The sequential programs are three loops on bytes on one thread; ours is as the \
             compiler makes it, with vectors. On the GPU by its own clock, with the bits resident; \
             on threads from graph to closure, the sequential one aside."
        ));
        for (degree, records) in records.by("arcs a vertex") {
            page.heading(&format!("{degree} arcs a vertex"));
            page.text("Milliseconds by vertices, medians:");
            page.across(&records, &["form", "on"], "n", &median("ms"));
            page.text("The unions of columns of `WARSHALL-C`, as a machine counts them:");
            let millions = |record: &Record| Some(record.number(UNIONS) / 1e6);
            let each = |record: &Record| Some(record.median("ms")? * 1e3 / record.number(UNIONS));
            let figures: [(&str, Figure<'_>); 2] = [("millions", &millions), ("µs each", &each)];
            page.list(&records.having(UNIONS), &["n", "on"], &figures);
        }
        page
    }
}

impl StarClosures {
    fn race(&self, bench: &Bench, digraph: &Digraph) -> Result<()> {
        let unions = digraph.column_unions()?;
        let columns = |on| {
            let all = digraph.contenders(&[COLUMNS], on).into_iter();
            all.map(|contender| contender.with(&[(UNIONS, &unions)]))
        };
        let mut contenders = Vec::new();
        if digraph.graph.n_vertices() <= self.host_up_to && bench.on_cpu() {
            let solve = || Ok(sequential(&digraph.graph));
            contenders.push(digraph.contender(SEQUENTIAL, "1 thread", solve));
            contenders.extend(columns(On::Pool(&bench.one)));
        }
        if bench.on_cpu() {
            contenders.extend(digraph.contenders(&[BLOCKED], On::Pool(&bench.all)));
        }
        if let Some(gpu) = bench.gpu_if_any() {
            contenders.extend(columns(On::Gpu(gpu)));
            contenders.extend(digraph.contenders(&[ADAPTED, BLOCKED], On::Gpu(gpu)));
        }
        bench.race(contenders).map(drop)
    }
}

/// The three loops as any textbook prints them, on bytes, with nothing but what the compiler
/// makes of the innermost.
fn sequential(graph: &Csr<u32>) -> (Closure, Run) {
    let n = graph.n_vertices();
    let mut matrix = vec![0u8; n * n];
    for (u, v, _) in graph.arcs() {
        matrix[u as usize * n + v as usize] = 1;
    }
    let (ms, ()) = timed(|| {
        for k in 0..n {
            let of_pivot = matrix[k * n..][..n].to_vec();
            for row in matrix.chunks_exact_mut(n) {
                let first = row[k];
                for (bit, &second) in row.iter_mut().zip(&of_pivot) {
                    *bit |= first & second;
                }
            }
        }
    });
    let mut closure = Closure::without_pairs(n);
    let ones = (0..n * n).filter(|&at| matrix[at] == 1);
    ones.for_each(|at| closure.insert((at / n) as VertexId, (at % n) as VertexId));
    (closure, vec![("ms", ms)])
}

/// What the paper measured.
pub(super) fn paper_ms(form: &str, n: usize) -> Option<f64> {
    let at = VERTICES.iter().position(|&size| size == n)?;
    MILLISECONDS.iter().find(|row| row.0 == form).map(|row| row.1[at])
}
