//! What the ranks of the program send each other: what rank 0 has read, and errors.

use std::borrow::Cow;
use std::env;
use std::ffi::OsString;

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

/// Options whose value is that of a rank alone.
const OF_A_RANK: [&str; 2] = ["--memory", "--threads"];

/// An error on all ranks unless they have the same arguments, but for [`OF_A_RANK`], and none has `refused`
/// its own. Ranks that take other steps would wait for each other, or take one message for another.
pub(crate) fn agree_on_arguments(
    ranks: &dyn Communicator,
    refused: Option<&clap::Error>,
) -> anyhow::Result<()> {
    if ranks.size() == 1 {
        return Ok(());
    }
    let own = common_arguments(env::args_os().skip(1));
    let of_root = ranks.broadcast_vec(0, own.clone().into_bytes())?;
    let rank = ranks.rank();
    let wrong = if of_root != own.as_bytes() {
        let options = OF_A_RANK.join(" and ");
        Some(format!(
            "rank {rank} has other arguments than rank 0 ({own}); start all ranks with the same, but for \
             {options}"
        ))
    } else {
        refused.map(|error| {
            format!("rank {rank}: {}", error.to_string().trim_start_matches("error: ").trim_end())
        })
    };
    agree(ranks, wrong.map_or(Ok(()), |wrong| Err(WrongUse(wrong).into())))
}

/// The arguments without the options of a rank, as one text.
fn common_arguments(mut arguments: impl Iterator<Item = OsString>) -> String {
    let mut common = Vec::new();
    while let Some(argument) = arguments.next() {
        let argument = argument.to_string_lossy().into_owned();
        let option = argument.split('=').next().unwrap_or_default();
        match OF_A_RANK.contains(&option) {
            // its value stands apart
            true if option == argument => drop(arguments.next()),
            true => (),
            false => common.push(argument),
        }
    }
    common.join(" ")
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_of_a_rank_do_not_count() {
        let common = |line: &str| common_arguments(line.split(' ').map(OsString::from));
        assert_eq!(common("sssp g --memory 2G --source 1"), "sssp g --source 1");
        assert_eq!(common("sssp g --threads=2 --source 1 --memory"), "sssp g --source 1");
        assert_eq!(common("sssp g --memory-map"), "sssp g --memory-map");
    }
}
