//! What several ranks of the program tell each other: a graph, which rank 0 has read, and errors.

use std::borrow::Cow;

use anyhow::anyhow;
use collectives::Communicator;
use graph_formats::{AnyCsr, Csr, Interrupted, Weight, WeightKind, with_csr};

use crate::failure::{EXIT_INTERRUPTED, EXIT_WRONG_USE, WrongUse, exit_code};

/// An error on all ranks where there is one on any, with the same exit code.
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

/// An error where an option is given that several ranks do not have.
pub(crate) fn refuse(option: &str, is_given: bool) -> Result<(), WrongUse> {
    match is_given {
        true => Err(WrongUse(format!("{option} is for one rank; run without mpirun"))),
        false => Ok(()),
    }
}

/// The graph that rank 0 has, on all ranks.
pub(crate) fn share_graph<'g>(
    ranks: &dyn Communicator,
    own: Option<&'g AnyCsr>,
) -> anyhow::Result<Cow<'g, AnyCsr>> {
    agree(
        ranks,
        match own {
            Some(graph) if ranks.size() == 1 => Ok(Cow::Borrowed(graph)),
            Some(graph) => send_graph(ranks, graph).map(|()| Cow::Borrowed(graph)),
            None => receive_graph(ranks).map(Cow::Owned),
        },
    )
}

/// Sends a graph to all other ranks.
fn send_graph(ranks: &dyn Communicator, graph: &AnyCsr) -> anyhow::Result<()> {
    ranks.broadcast(0, &mut [kind_code(graph.kind())])?;
    with_csr!(graph, |graph| {
        ranks.broadcast_vec(0, graph.row_offsets().to_vec())?;
        ranks.broadcast_vec(0, graph.column_indices().to_vec())?;
        ranks.broadcast_vec(0, graph.stored_weights().to_vec())?;
    });
    Ok(())
}

/// The graph that rank 0 sends, without its direction.
fn receive_graph(ranks: &dyn Communicator) -> anyhow::Result<AnyCsr> {
    fn receive<W: Weight>(ranks: &dyn Communicator) -> anyhow::Result<Csr<W>> {
        let row_offsets = ranks.broadcast_vec(0, Vec::<u64>::new())?;
        let columns = ranks.broadcast_vec(0, Vec::<u32>::new())?;
        let weights = ranks.broadcast_vec(0, Vec::<W>::new())?;
        Ok(match weights[..] {
            [weight] => Csr::with_equal_weights(row_offsets, columns, weight)?,
            _ => Csr::new(row_offsets, columns, weights)?,
        })
    }
    let mut kind = [0u8];
    ranks.broadcast(0, &mut kind)?;
    Ok(match kind[0] {
        0 => receive::<u32>(ranks)?.into(),
        1 => receive::<i32>(ranks)?.into(),
        2 => receive::<u64>(ranks)?.into(),
        3 => receive::<i64>(ranks)?.into(),
        4 => receive::<f32>(ranks)?.into(),
        _ => receive::<f64>(ranks)?.into(),
    })
}

fn kind_code(kind: WeightKind) -> u8 {
    match kind {
        WeightKind::U32 => 0,
        WeightKind::I32 => 1,
        WeightKind::U64 => 2,
        WeightKind::I64 => 3,
        WeightKind::F32 => 4,
        _ => 5,
    }
}
