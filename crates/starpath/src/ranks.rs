//! What the ranks of the program send each other: the graph that rank 0 has read, and errors.

use std::borrow::Cow;

use anyhow::anyhow;
use collectives::Communicator;
use graph_formats::{AnyCsr, Interrupted};

use crate::failure::{EXIT_INTERRUPTED, EXIT_WRONG_USE, WrongUse, exit_code};

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
