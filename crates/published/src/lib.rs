//! Shortest paths on GPUs in published forms.
//!
//! Each file names its paper, the differences and its launch. [`search`] makes one of these
//! [forms](Form) for a graph; `sssp` takes them by name, and tries some where many searches are
//! expected. [`pairs`] has the forms of Floyd-Warshall, which `apsp` takes by name.
//! [`Bounds`] limits the repeated work of Δ-stepping. [`ExtractMin`] and
//! [`DijkstraByLaunches`] are single steps and loops, for measurements.
//!
#![doc = include_str!("../README.md")]

mod bellman_ford;
mod bellman_ford_spmv;
mod bounds;
mod crauser;
mod delta_stepping_buckets;
mod dijkstra;
mod dijkstra_by_launches;
mod edges;
mod extract_min;
pub mod pairs;
mod settings;
mod spmv_matrix;

use gpu_runtime::Gpu;
use graph_formats::{Csr, Weight};
use search_parts::device::{BellmanFordSearch, BoxedSearch};
use search_parts::{SearchError, check_not_negative};

use self::bellman_ford::BellmanFordOnGpu;
use self::bellman_ford_spmv::SpmvOnGpu;
pub use self::bounds::Bounds;
pub use self::dijkstra_by_launches::DijkstraByLaunches;
pub use self::extract_min::{ExtractMin, Reduction};
pub use self::settings::{BlockSize, EdgeOrder, Form, Layout, Loads, Stores};

/// A weight type of the forms: one of the six. The trait is sealed.
pub trait FormWeight: Weight {
    #[doc(hidden)]
    fn search(gpu: &Gpu, graph: &Csr<Self>, form: Form) -> Result<BoxedSearch<Self>, SearchError>;
}

macro_rules! form_weights {
    ($($weight:ty),*) => {$(
        impl FormWeight for $weight {
            fn search(
                gpu: &Gpu,
                graph: &Csr<Self>,
                form: Form,
            ) -> Result<BoxedSearch<Self>, SearchError> {
                of_form(gpu, graph, form)
            }
        }
    )*};
}

form_weights!(u32, i32, u64, i64, f32, f64);

/// Uploads `graph` for searches of this form. Only the forms of Bellman-Ford allow negative
/// weights. O(n + m).
///
/// # Errors
/// [`SearchError::NegativeWeight`]; [`SearchError::NotOnGpu`] for too many vertices or arcs, or a
/// weight type that the form does not support; [`SearchError::Gpu`] when the device fails or has too
/// little memory.
///
/// ```no_run
/// use gpu_runtime::Gpu;
/// use graph_formats::Csr;
/// use published::Form;
/// use search_parts::Query;
///
/// let graph = Csr::from_edges(3, &[(0, 1, 5u32), (1, 2, 2)])?;
/// let mut search = published::search(&Gpu::open()?, &graph, Form::Crauser)?;
/// let all = Query { source: 0, targets: &[], limit: u64::MAX, progress: None };
/// assert_eq!(search.search(&all)?.0, [0, 5, 7]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn search<W: FormWeight>(
    gpu: &Gpu,
    graph: &Csr<W>,
    form: Form,
) -> Result<BoxedSearch<W>, SearchError> {
    W::search(gpu, graph, form)
}

fn of_form<W: Weight>(
    gpu: &Gpu,
    graph: &Csr<W>,
    form: Form,
) -> Result<BoxedSearch<W>, SearchError> {
    if !form.admits_negative() {
        check_not_negative(graph, form.name(), SearchError::USE_BELLMAN_FORD)?;
    }
    Ok(match form {
        Form::DeltaSteppingBuckets(width) => {
            Box::new(delta_stepping_buckets::buckets(gpu, graph, width)?)
        }
        Form::Dijkstra(block) => Box::new(dijkstra::dijkstra(gpu, graph, block)?),
        Form::Crauser => Box::new(crauser::crauser(gpu, graph, None)?),
        Form::Eager(lookahead) => Box::new(crauser::crauser(gpu, graph, Some(lookahead))?),
        Form::BellmanFord { edges, loads, stores } => {
            let form = BellmanFordOnGpu::new(gpu, graph, edges, loads, stores)?;
            Box::new(BellmanFordSearch(form))
        }
        Form::BellmanFordSpmv(layout) => {
            Box::new(BellmanFordSearch(SpmvOnGpu::new(gpu, graph, layout)?))
        }
    })
}
