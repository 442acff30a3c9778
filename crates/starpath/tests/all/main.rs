//! The tests of this crate, in one program.

mod aggregate;
mod answers;
mod apsp_changes;
mod apsp_gpu;
mod bad_input;
mod centrality;
mod changes;
mod changes_gpu;
mod closure;
mod commands;
mod convert;
mod documents;
#[cfg(unix)]
mod every;
mod graph500;
mod names;
#[cfg(all(feature = "mpi", unix))]
mod partitioned;
mod partitioned_gpu;
#[cfg(feature = "plot")]
mod plot;
#[cfg(feature = "plot")]
mod plot_text;
mod plot_wrong;
mod prepared;
mod query;
#[cfg(all(feature = "mpi", unix))]
mod ranks;
mod reading;
mod reference;
#[cfg(unix)]
mod scratch;
#[cfg(unix)]
mod signals;
mod star;
mod star_changes;
mod star_graph;
mod star_run;
mod support;
#[cfg(not(feature = "mpi"))]
mod without_mpi;
