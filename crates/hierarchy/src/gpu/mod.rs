//! Hierarchies on a GPU, which customizes them and finds distances from thousands of sources.
//!
//! * [`DeviceHierarchy`] is a hierarchy in the GPU's memory;
//! * [`DeviceHierarchy::customize`] makes a [`DeviceMetric`] of the weights of a graph, and
//!   [`metrics_on`] some for several GPUs, which are sooner there if they are customized once;
//! * that has [distances](DeviceMetric::map_distances), [tables](DeviceMetric::table) and
//!   [totals](DeviceMetric::totals) over all sources, which leave nothing but a few numbers a
//!   vertex to be copied;
//! * [`DeviceMetric::aggregate`] counts or sums up the points within a cutoff of every vertex;
//! * [`DeviceMetric::labels`] makes [`DeviceLabels`], for hundreds of millions of pairs a second.
//!
//! Integers are the same as those of [`Metric`](crate::Metric), floats too. Several GPUs have a
//! `DeviceHierarchy` each, and share the sources of a [table](shared_table) or of
//! [totals](shared_totals).
//!
//! ```
//! use gpu_runtime::Gpu;
//! use graph_formats::Csr;
//! use hierarchy::gpu::DeviceHierarchy;
//! use hierarchy::{Hierarchy, Order};
//!
//! let graph = Csr::from_edges(4, &[(0, 1, 7u32), (1, 2, 1), (0, 2, 3), (2, 3, 2)])?;
//! let hierarchy = Hierarchy::new(&graph, &Order::by_landmarks(&graph)?)?;
//! match Gpu::open() {
//!     Ok(gpu) => {
//!         let hierarchy = DeviceHierarchy::new(&hierarchy, &graph, &gpu)?;
//!         let mut metric = hierarchy.customize(&graph)?;
//!         let eccentricities = metric.map_distances(&[0, 3], None, |_, all| all.max())?;
//!         assert_eq!(eccentricities, [Some(5), Some(5)]);
//!     }
//!     Err(reason) => println!("no GPU: {reason}"),
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod aggregate;
mod batches;
mod customized;
mod device_key;
mod device_totals;
mod hierarchy;
mod label_places;
mod labels;
mod landing;
mod metric;
mod rows;
mod segments;
#[cfg(test)]
mod tests;
mod totals;
mod triangles;

pub use crate::weights::{metrics_on, shared_table, shared_totals};
pub use hierarchy::DeviceHierarchy;
pub use labels::{DeviceDistances, DeviceLabels};
pub use metric::DeviceMetric;
pub(crate) use metric::metrics_on_gpus;
pub(crate) use rows::table_by_gpus;
pub use totals::SOURCES_PER_PART;
pub(crate) use totals::totals_by_gpus;
