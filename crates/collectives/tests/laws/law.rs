//! All collectives by their definitions. The tests of `collectives-mpi` compile this file too.

use collectives::{Communicator, RanksError};

/// Numbers that differ by rank, from this seed on.
fn own(rank: usize, seed: u64) -> u64 {
    (rank as u64 + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ seed
}

/// All collectives by their definitions, over numbers that all ranks can compute.
pub(crate) fn laws(ranks: &dyn Communicator, seed: u64) -> Result<(), RanksError> {
    let (rank, size) = (ranks.rank(), ranks.size());
    let all: Vec<u64> = (0..size).map(|rank| own(rank, seed)).collect();
    let len_of = |rank: usize| (all[rank] % 1000 * (rank as u64 % 3)) as usize;
    let values_of = |rank: usize| vec![all[rank] as u16; len_of(rank)];
    for root in 0..size {
        let mut values = [all[rank], rank as u64];
        ranks.broadcast(root, &mut values)?;
        assert_eq!(values, [all[root], root as u64]);
        ranks.broadcast::<u8>(root, &mut [])?;
        assert_eq!(ranks.broadcast_vec(root, values_of(rank))?, values_of(root));
        let gathered = ranks.gather(root, &values_of(rank))?;
        let expected: Vec<_> = (0..size).map(values_of).collect();
        assert_eq!(gathered, if rank == root { expected } else { Vec::new() });

        let message = format!("{root} of {rank}");
        let found = ranks.first_message((rank >= root).then_some(&message))?;
        assert_eq!(found, Some((root, format!("{root} of {root}"))));
        assert_eq!(ranks.any(rank == root), Ok(true));
    }
    let sent = |from: usize, to: usize| vec![all[from] ^ to as u64; len_of(from) % (to + 3)];
    let expected: Vec<_> = (0..size).map(|from| sent(from, rank)).collect();
    assert_eq!(ranks.exchange(|to| sent(rank, to))?, expected);
    let bytes = |values: Vec<u64>| values.into_iter().map(|value| value as u8).collect::<Vec<_>>();
    let messages: Vec<_> = (0..size).map(|to| bytes(sent(rank, to))).collect();
    let messages: Vec<_> = messages.iter().map(Vec::as_slice).collect();
    let expected: Vec<_> = expected.into_iter().map(bytes).collect();
    assert_eq!(ranks.exchange_bytes(&messages)?, expected);
    assert_eq!(ranks.first_message(None)?, None);
    assert_eq!(ranks.any(false), Ok(false));
    assert_eq!(Some(ranks.min(all[rank])?), all.iter().min().copied());
    assert_eq!(Some(ranks.max(all[rank])?), all.iter().max().copied());
    assert_eq!(ranks.sum(all[rank] >> 8)?, all.iter().map(|own| own >> 8).sum::<u64>());
    // in the order of the ranks, to the last bit
    let float = |own: u64| own as f64 / 7.0;
    let sum: f64 = all.iter().copied().map(float).sum();
    assert_eq!(ranks.sum(float(all[rank]))?.to_bits(), sum.to_bits());
    ranks.barrier()
}
