//! The forms of closure. On a GPU they are compared with the least time of their instructions, on
//! the CPU with a plain form. There are also components where they are faster, and the forms of the
//! paper's Table 2 at its sizes.
//!
//! Reference: snytnikova-nepomniaschaya-2016

use ::closure::{Algorithm, Config, Plan, closure, closure_on_gpus};
use paths::Closure;
use rayon::ThreadPoolBuilder;

use super::digraph::{ADAPTED, BLOCKED, COLUMNS, DENSE, Digraph, Form, On, PAPER, ROWS};
use super::*;

/// Bit operations a second on an H200, as they were measured with registers alone.
const FLOORS: [(&str, f64); 3] =
    [("floor, LOP3", 452e12), ("floor, mma.sync", 5049e12), ("floor, wgmma", 7690e12)];
/// The parts of the study.
const ON_GPU: &str = "On a GPU, nothing condensed";
const BY_COMPONENTS: &str = "By components, where that is shorter";
const ON_CPU: &str = "On the processor, nothing condensed";
const OF_PAPER: &str = "The STAR-machine's closures (Table 2)";
/// The three loops on bytes.
const SEQUENTIAL: &str = "sequential";
/// Vertices of the paper's digraphs, whose density it does not give.
const VERTICES: [usize; 5] = [1000, 2000, 3000, 4000, 5000];
/// What the paper measured on a Tesla K40: milliseconds.
const MILLISECONDS: [(&str, [f64; 5]); 3] = [
    (SEQUENTIAL, [8037.0, 59_812.0, 197_111.0, 461_785.0, 884_622.0]),
    ("warshall-c", [4827.0, 11_161.0, 23_363.0, 42_661.0, 64_454.0]),
    ("warshall-adapt", [3.0, 27.0, 93.0, 236.0, 372.0]),
];

/// The closure: its forms on a GPU beside floors, by components, and on the CPU
///
/// 0 vertices leave a part out.
#[derive(Args, Clone, Debug)]
#[command(after_help = "Example:\n  cargo xtask bench closure --sizes 5000 --sparse 5")]
pub(super) struct ClosureStudy {
    /// Vertices on a GPU; 180,000 take 4 GB of its memory and 10 GB of the host's
    #[arg(long, value_name = "N", default_value = "5000,16384,65536,180000")]
    sizes: Vec<usize>,
    /// The most vertices for WARSHALL-adapt
    #[arg(long, value_name = "N", default_value = "16384")]
    adapt_up_to: usize,
    /// The most vertices for all other forms but the default
    #[arg(long, value_name = "N", default_value = "65536")]
    others_up_to: usize,
    /// Vertices on the CPU, and by components
    #[arg(long, value_name = "N", default_value = "5000")]
    cpu_sizes: Vec<usize>,
    /// Arcs a vertex where components are taken
    #[arg(long, value_name = "D", default_value = "5,1.2")]
    sparse: Vec<f64>,
    /// Vertices of the paper's Table 2
    #[arg(long, value_name = "N", default_values_t = VERTICES)]
    paper_sizes: Vec<usize>,
    /// Arcs a vertex there
    #[arg(long, value_name = "D", default_value = "5,50")]
    paper_degrees: Vec<f64>,
    /// The most vertices there for one thread of the host, which takes tens of seconds
    #[arg(long, value_name = "N", default_value = "5000")]
    one_thread_up_to: usize,
}

impl Study for ClosureStudy {
    const NAME: &'static str = "closure";

    fn measure(&self, bench: &Bench) -> Result<()> {
        if let Some(gpu) = bench.gpu_if_any() {
            self.sizes.iter().filter(|n| **n > 0).try_for_each(|&n| self.on_gpu(bench, gpu, n))?;
        }
        for &n in self.cpu_sizes.iter().filter(|n| **n > 0) {
            self.sparse.iter().try_for_each(|&degree| by_components(bench, n, degree))?;
            if bench.on_cpu() {
                on_cpu(bench, n)?;
            }
        }
        for &degree in &self.paper_degrees {
            self.paper_sizes
                .iter()
                .filter(|n| **n > 0)
                .try_for_each(|&n| self.as_in_the_paper(bench, n, degree))?;
        }
        Ok(())
    }

    fn page(records: &Records) -> Page {
        let mut page = Page::new("Transitive closure");
        page.text(&format!(
            "Digraphs G(n, p) of a fixed seed; of every answer {ROWS} rows were compared with \
             searches, and the number of pairs with that of all others. Medians after an untimed \
             run: on a GPU by its clock, with the bits resident, and n³ bit operations in that \
             time; on threads from graph to closure, as the whole is. Floors are of an H200. Plain \
             is Warshall's method, which unites rows of bits: warshall-adapt. Sequential are three \
             loops on bytes on one thread, without what stands before and after them."
        ));
        let pairs = |r: &Record| Some(r.median("pairs")? / r.number("n").powi(2) * 100.0);
        for (part, records) in records.by("part") {
            page.heading(part);
            let plain = |r: &Record| {
                let same = [("n", r.label("n")), ("on", r.label("on")), ("form", "warshall-adapt")];
                Some(1.0 / records.over(r, "ms", &same)?)
            };
            let rate = |r: &Record| {
                let rate = r.number("n").powi(3) / r.median("ms")? / 1e9;
                Some(rate).filter(|_| part == ON_GPU)
            };
            page.list(
                &records,
                &["n", "arcs a vertex", "form", "on", "taken"],
                &[
                    ("ms", &median("ms")),
                    ("best", &least("ms")),
                    ("whole ms", &median("whole_ms")),
                    ("T bit op/s", &rate),
                    ("launches", &median("launches")),
                    ("upload ms", &median("upload_ms")),
                    ("download ms", &median("download_ms")),
                    ("% of pairs", &pairs),
                    ("plain / this", &plain),
                ],
            );
        }
        page
    }
}

impl ClosureStudy {
    fn on_gpu(&self, bench: &Bench, gpu: &Gpu, n: usize) -> Result<()> {
        let digraph = Digraph::random(n, DENSE)?;
        for (name, rate) in FLOORS {
            let floor = digraph.record(name, "H200").with(&[("part", &ON_GPU)]);
            bench.records().push(floor.ran(vec![("ms", (n as f64).powi(3) / rate * 1e3)]));
        }
        let mut forms = vec![BLOCKED];
        if n <= self.others_up_to {
            let others = [Algorithm::MatrixUnits, Algorithm::Lop3, Algorithm::FourRussians];
            forms.extend(others.map(Form::Bits));
        }
        if n <= self.adapt_up_to {
            forms.push(ADAPTED);
        }
        race(bench, ON_GPU, digraph.contenders(&forms, On::Gpu(gpu)))
    }

    fn as_in_the_paper(&self, bench: &Bench, n: usize, degree: f64) -> Result<()> {
        let digraph = Digraph::random(n, degree)?;
        if let Some(at) = VERTICES.iter().position(|&size| size == n) {
            let of = |(form, ms): (&str, [f64; 5])| {
                let record = digraph.record(form, PAPER).with(&[("part", &OF_PAPER)]);
                record.ran(vec![("ms", ms[at])])
            };
            bench.records().extend(MILLISECONDS.map(of));
        }
        let mut contenders = Vec::new();
        if bench.on_cpu() && n <= self.one_thread_up_to {
            let solve = || Ok(sequential(&digraph.graph));
            contenders.push(digraph.contender(SEQUENTIAL, "1 thread", solve));
            contenders.extend(digraph.contenders(&[COLUMNS], On::Pool(&bench.one)));
        }
        if bench.on_cpu() {
            contenders.extend(digraph.contenders(&[BLOCKED], On::Pool(&bench.all)));
        }
        if let Some(gpu) = bench.gpu_if_any() {
            contenders.extend(digraph.contenders(&[COLUMNS, ADAPTED, BLOCKED], On::Gpu(gpu)));
        }
        race(bench, OF_PAPER, contenders)
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

fn on_cpu(bench: &Bench, n: usize) -> Result<()> {
    let digraph = Digraph::random(n, DENSE)?;
    let two = ThreadPoolBuilder::new().num_threads(2).build()?;
    let few = [(BLOCKED, &two), (BLOCKED, &bench.one), (ADAPTED, &two), (ADAPTED, &bench.one)];
    let all = Some((BLOCKED, &bench.all)).filter(|_| bench.threads().get() > 2);
    let runs = all.into_iter().chain(few);
    let contenders = runs.flat_map(|(form, pool)| digraph.contenders(&[form], On::Pool(pool)));
    race(bench, ON_CPU, contenders.collect())
}

/// On whatever there is, from graph to closure; what was chosen, and why, is a label.
fn by_components(bench: &Bench, n: usize, degree: f64) -> Result<()> {
    let digraph = Digraph::random(n, degree)?;
    let (graph, auto) = (&digraph.graph, Config::default());
    let [chosen, components] = [Algorithm::Auto, Algorithm::Components].map(Form::Bits);
    let of = |plan: Plan, forms: &[Form], on| {
        let taken = format!("{}: {}", plan.algorithm, plan.reason);
        let chosen = digraph.contenders(&[chosen], on).into_iter();
        chosen.map(move |it| it.with(&[("taken", &taken)])).chain(digraph.contenders(forms, on))
    };
    let mut contenders = Vec::new();
    if bench.on_cpu() {
        let plan = bench.all.install(|| closure(graph, &auto, None))?.plan;
        contenders.extend(of(plan, &[components, BLOCKED], On::Pool(&bench.all)));
    }
    if let Some(gpu) = bench.gpu_if_any() {
        let plan = closure_on_gpus(slice::from_ref(gpu), graph, &auto, None)?.found.plan;
        contenders.extend(of(plan, &[BLOCKED], On::Gpu(gpu)));
    }
    race(bench, BY_COMPONENTS, contenders)
}

fn race(bench: &Bench, part: &str, all: Vec<Contender<'_>>) -> Result<()> {
    bench.race(all.into_iter().map(|one| one.with(&[("part", &part)])).collect()).map(drop)
}
