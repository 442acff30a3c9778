//! The flags that choose the algorithm of a search from one source, and its parameters.

use std::num::{NonZeroU32, NonZeroUsize};

use clap::Args;
use clap::builder::PossibleValuesParser;
use sssp::gpu::published::{BlockSize, EdgeOrder, Form, Layout, Loads, Stores};
use sssp::{Algorithm, Config, Delta, Queue, gpu};

use super::{Backend, Common};
use crate::failure::WrongUse;

/// The name with which the solver chooses.
const AUTO: &str = "auto";

/// The names of all [`SolverArgs`], for options that conflict with them.
pub(crate) const SOLVER_OPTIONS: [&str; 8] = [
    "algorithm",
    "delta",
    "queue",
    "product",
    "reduction_block",
    "segment",
    "read_only_loads",
    "racing_stores",
];

/// Which algorithm, and its parameters.
#[derive(Clone, Debug, Args)]
pub(crate) struct SolverArgs {
    /// The algorithm; auto chooses by graph, weights and threads. crauser, eager, bellman-ford-spmv
    /// and delta-stepping-buckets run on a GPU only
    #[arg(long, value_name = "A", default_value = "auto", value_parser = algorithms())]
    algorithm: String,
    /// Bucket width of delta-stepping and delta-stepping-buckets, and look-ahead of eager, in the
    /// unit of the weights: a number, or auto, median, mean, per-vertex, max-per-degree
    #[arg(long, value_name = "D", default_value = "auto", allow_negative_numbers = true)]
    delta: Delta,
    /// Priority queue of dijkstra
    #[arg(long, value_name = "Q", default_value = "auto", value_parser = queues())]
    queue: String,
    /// Matrix layout and kernel of bellman-ford-spmv: csr-balanced, csr-scalar, csr-vector, ell
    /// [default: csr-balanced]
    #[arg(long, value_name = "P")]
    product: Option<Layout>,
    /// Threads of a block in which dijkstra on a GPU finds the least tentative distance: 128, 256,
    /// 512, 1024 [default: 512]
    #[arg(long, value_name = "N")]
    reduction_block: Option<BlockSize>,
    /// Vertices of a segment, by which bellman-ford on a GPU orders the arcs; 0 keeps the order of
    /// the file [default: 65536, or a 64th of all vertices]
    #[arg(long, value_name = "P")]
    segment: Option<u32>,
    /// Read distances of bellman-ford on a GPU through the cache for read-only data
    #[arg(long)]
    read_only_loads: bool,
    /// Store distances of bellman-ford on a GPU without an atomic minimum, as in the paper
    #[arg(long)]
    racing_stores: bool,
}

/// The algorithm on each backend that the flags allow. They allow at least one.
#[derive(Clone, Debug)]
pub(crate) struct Configs {
    /// The algorithm's name.
    pub(crate) name: String,
    pub(crate) cpu: Option<Config>,
    pub(crate) gpu: Option<gpu::Config>,
}

impl Configs {
    /// Lets the solver choose, on the backend of the command line.
    pub(crate) fn auto(common: &Common) -> Self {
        let config = common.config();
        let gpu = (common.backend != Backend::Cpu).then(|| config.for_algorithm(None));
        let cpu = (common.backend != Backend::Cuda).then_some(config);
        Self { name: AUTO.to_owned(), cpu, gpu }
    }

    /// The same for several searches of one graph.
    pub(crate) fn expecting(mut self, n_searches: usize) -> Self {
        let searches = NonZeroUsize::new(n_searches);
        self.cpu.iter_mut().for_each(|config| config.expected_searches = searches);
        self.gpu.iter_mut().for_each(|config| config.expected_searches = searches);
        self
    }

    /// Whether the program chooses the algorithm.
    pub(crate) fn is_auto(&self) -> bool {
        self.name == AUTO
    }
}

impl SolverArgs {
    /// The algorithm with its parameters; an error for an algorithm that the backend does not have,
    /// and for a parameter of another algorithm or backend.
    pub(crate) fn configs(&self, common: &Common) -> Result<Configs, WrongUse> {
        let config = common.config();
        let name = self.name();
        self.check(name)?;
        let cpu = match self.on_cpu(name) {
            None if name != AUTO => None,
            algorithm => Some(config.for_algorithm(algorithm)),
        };
        let algorithm = self.on_gpu(name);
        let gpu = Some(config.for_algorithm(algorithm));
        let (cpu, gpu) = match common.backend {
            Backend::Cpu if cpu.is_none() => return Err(gpu_only(name, algorithm)),
            Backend::Cpu => (cpu, None),
            Backend::Cuda if self.queue != AUTO => {
                let text = "--queue is for the CPU: dijkstra on a GPU has no queue; use --backend \
                            cpu, or leave --queue out";
                return Err(WrongUse(text.to_owned()));
            }
            Backend::Cuda => (None, gpu),
            // a GPU runs every algorithm, but `auto` takes one for these only
            Backend::Auto if matches!(name, AUTO | "delta-stepping" | "breadth-first") => {
                (cpu, gpu)
            }
            Backend::Auto if cpu.is_none() => (None, gpu),
            Backend::Auto => (cpu, None),
        };
        if let (None, Some(option)) = (&gpu, self.options_of_gpu().find(|option| option.2)) {
            let text = format!("{} is for a GPU; add --backend cuda", option.0);
            return Err(WrongUse(text));
        }
        Ok(Configs { name: name.to_owned(), cpu, gpu })
    }

    /// The name of the algorithm; with `auto`, a parameter may name it.
    fn name(&self) -> &str {
        match self.algorithm.as_str() {
            AUTO if self.delta != Delta::Auto => "delta-stepping",
            AUTO if self.queue != AUTO => "dijkstra",
            name => name,
        }
    }

    /// The flags that are for a GPU only, with the algorithm of each, and whether it is given.
    fn options_of_gpu(&self) -> impl Iterator<Item = (&'static str, &'static str, bool)> {
        [
            ("--segment", "bellman-ford", self.segment.is_some()),
            ("--read-only-loads", "bellman-ford", self.read_only_loads),
            ("--racing-stores", "bellman-ford", self.racing_stores),
            ("--product", "bellman-ford-spmv", self.product.is_some()),
            ("--reduction-block", "dijkstra", self.reduction_block.is_some()),
        ]
        .into_iter()
    }

    /// An error for a parameter that this algorithm does not have.
    fn check(&self, name: &str) -> Result<(), WrongUse> {
        let stepping = "delta-stepping and delta-stepping-buckets and eager";
        let delta = ("--delta", stepping, self.delta != Delta::Auto);
        let queue = ("--queue", "dijkstra", self.queue != AUTO);
        for (option, owners, is_there) in [delta, queue].into_iter().chain(self.options_of_gpu()) {
            if is_there && !owners.split(" and ").any(|owner| owner == name) {
                let text = format!("{option} is for {owners} and does not apply to {name}");
                return Err(WrongUse(text));
            }
        }
        Ok(())
    }

    /// The algorithm of this name on the CPU, with its parameters, if it has one.
    fn on_cpu(&self, name: &str) -> Option<Algorithm> {
        Some(match name.parse().ok()? {
            Algorithm::Dijkstra(_) => Algorithm::Dijkstra(self.queue.parse::<Queue>().ok()),
            Algorithm::DeltaStepping(_) => Algorithm::DeltaStepping(self.delta),
            without => without,
        })
    }

    /// The algorithm of this name on a GPU, which has all but `auto`.
    fn on_gpu(&self, name: &str) -> Option<gpu::Algorithm> {
        use gpu::Algorithm;
        Some(match name.parse().ok()? {
            Algorithm::DeltaStepping(_) => Algorithm::DeltaStepping(self.delta),
            Algorithm::Published(form) => Algorithm::Published(self.published(form)),
            without => without,
        })
    }

    /// The same form with its parameters.
    fn published(&self, form: Form<Delta>) -> Form<Delta> {
        match form {
            Form::DeltaSteppingBuckets(_) => Form::DeltaSteppingBuckets(self.delta),
            Form::Eager(_) => Form::Eager(self.delta),
            Form::Dijkstra(_) => Form::Dijkstra(self.reduction_block.unwrap_or_default()),
            Form::BellmanFordSpmv(_) => Form::BellmanFordSpmv(self.product.unwrap_or_default()),
            Form::BellmanFord { .. } => Form::BellmanFord {
                edges: match self.segment.map(NonZeroU32::new) {
                    None => EdgeOrder::default(),
                    Some(None) => EdgeOrder::AsStored,
                    Some(Some(vertices)) => EdgeOrder::Segments { vertices },
                },
                loads: if self.read_only_loads { Loads::ReadOnly } else { Loads::Plain },
                stores: if self.racing_stores { Stores::Racing } else { Stores::Atomic },
            },
            without => without,
        }
    }
}

/// An error for an algorithm that the CPU does not have.
fn gpu_only(name: &str, algorithm: Option<gpu::Algorithm>) -> WrongUse {
    let nearest = match algorithm {
        Some(gpu::Algorithm::Published(Form::Crauser)) => "dijkstra",
        Some(gpu::Algorithm::Published(Form::BellmanFordSpmv(_))) => "bellman-ford",
        _ => "delta-stepping",
    };
    let text =
        format!("{name} runs on a GPU only; {nearest} is the most similar algorithm of the CPU");
    WrongUse(text)
}

fn algorithms() -> PossibleValuesParser {
    let names = gpu::Algorithm::ALL.map(gpu::Algorithm::name);
    PossibleValuesParser::new([AUTO].into_iter().chain(names))
}

fn queues() -> PossibleValuesParser {
    PossibleValuesParser::new([AUTO].into_iter().chain(Queue::ALL.map(|queue| queue.0)))
}
