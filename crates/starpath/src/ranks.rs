//! What the ranks of the program send each other: what rank 0 has read, and errors.

use std::borrow::Cow;
use std::env;

use anyhow::anyhow;
use collectives::Communicator;
use graph_formats::{AnyCsr, Interrupted, with_csr};
use hierarchy::{Hierarchy, Order};

use crate::failure::{EXIT_INTERRUPTED, EXIT_WRONG_USE, WrongUse, exit_code, say};

/// The variables by which a launcher tells a process how many it has started, and which this is:
/// those of Open MPI, and of MPICH and Slurm.
const LAUNCHERS: [[&str; 2]; 2] =
    [["OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK"], ["PMI_SIZE", "PMI_RANK"]];

/// For a build without MPI: warns, on the first of several processes that `mpirun` has started,
/// that each does all the work.
pub(crate) fn warn_without_mpi() {
    let number = |name| env::var(name).ok()?.parse::<usize>().ok();
    let started = LAUNCHERS.iter().find_map(|[size, rank]| Some((number(size)?, number(rank)?)));
    if let Some((n_ranks @ 2.., 0)) = started {
        say(format_args!(
            "starpath: warning: this build has no MPI, so each of the {n_ranks} processes that \
             mpirun has started does all the work; install it with --features mpi, or run it \
             without mpirun"
        ));
    }
}

/// An error on all ranks if there is one on any, with the same exit code.
pub(crate) fn agree<T>(ranks: &dyn Communicator, own: anyhow::Result<T>) -> anyhow::Result<T> {
    let message = own.as_ref().err().map(|error| format!("{} {error}", exit_code(error)));
    let Some((_, message)) = ranks.first_message(message.as_deref())? else { return own };
    own.and_then(|_| {
        let (code, message) = message.split_once(' ').unwrap_or_default();
        Err(match code.parse() {
            Ok(EXIT_WRONG_USE) => WrongUse(message.to_owned()).into(),
            Ok(EXIT_INTERRUPTED) => Interrupted.into(),
            _ => anyhow!("{message}"),
        })
    })
}

/// An error if an option is given that several ranks do not have.
pub(crate) fn refuse(option: &str, is_given: bool) -> Result<(), WrongUse> {
    match is_given {
        true => Err(WrongUse(format!("{option} works on one rank only; run without mpirun"))),
        false => Ok(()),
    }
}

/// Broadcasts the graph from rank 0.
pub(crate) fn share_graph<'g>(
    ranks: &dyn Communicator,
    own: Option<&'g AnyCsr>,
) -> anyhow::Result<Cow<'g, AnyCsr>> {
    agree(ranks, apsp::any::broadcast(ranks, own).map_err(Into::into))
}

/// The hierarchy of the graph on the other ranks, if rank 0 has one.
pub(crate) fn share_hierarchy(
    ranks: &dyn Communicator,
    own: Option<&Hierarchy>,
    graph: &AnyCsr,
) -> anyhow::Result<Option<Hierarchy>> {
    if ranks.size() == 1 {
        return Ok(None);
    }
    let order = own.map(|own| own.order().vertices().to_vec()).unwrap_or_default();
    let order = ranks.broadcast_vec(0, order)?;
    let is_to_make = !ranks.is_root() && !order.is_empty();
    let make = || {
        let order = Order::from_vertices(order)?;
        Ok(with_csr!(graph, |graph| Hierarchy::new(graph, &order))?)
    };
    agree(ranks, is_to_make.then(make).transpose())
}
