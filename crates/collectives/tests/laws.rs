//! What holds for all communicators: each is one rank, each of threads several sizes, and MPI is
//! started by `mpirun`, which runs this program again.

use collectives::{Alone, Communicator, RanksError, Threads};
use proptest::prelude::*;

/// Numbers that differ by rank, from this seed on.
fn own(rank: usize, seed: u64) -> u64 {
    (rank as u64 + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ seed
}

/// All collectives by their definitions, over numbers that all ranks can compute.
fn laws(ranks: &dyn Communicator, seed: u64) -> Result<(), RanksError> {
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

#[test]
fn one_rank_keeps_the_laws() {
    laws(&Alone, 5).unwrap();
}

proptest! {
    #[test]
    fn threads_keep_the_laws(size in 1usize..6, seed: u64) {
        let sizes = Threads::run(size, |ranks| laws(ranks, seed).map(|()| ranks.size()));
        prop_assert_eq!(sizes, Ok(vec![size; size]));
    }
}

#[test]
fn a_thread_that_fails_ends_all() {
    let ended = Threads::run(4, |ranks| {
        let ranks: &dyn Communicator = ranks;
        ranks.barrier().map_err(|error| error.to_string())?;
        if ranks.rank() == 2 {
            return Err("the disk is full".to_owned());
        }
        ranks.barrier().map_err(|error| error.to_string())
    });
    assert_eq!(ended, Err("the disk is full".to_owned()));
    let early = Threads::run(3, |ranks| match ranks.rank() {
        1 => Ok(()),
        _ => (ranks as &dyn Communicator).barrier(),
    });
    assert_eq!(early, Err(RanksError::Ended));
}

#[test]
#[should_panic(expected = "of rank 1")]
fn a_thread_that_panics_ends_all() {
    let _ = Threads::run(3, |ranks| {
        assert!(ranks.rank() != 1, "of rank 1");
        (ranks as &dyn Communicator).barrier()
    });
}

#[test]
fn what_does_not_fit_is_an_error() {
    let found = Threads::run(2, |ranks| {
        let mut bytes = vec![0u8; 3 + ranks.rank()];
        (ranks as &dyn Communicator).broadcast(0, &mut bytes)
    });
    assert_eq!(found, Err(RanksError::Length { expected: 4, found: 3 }));
}

#[cfg(feature = "mpi")]
mod mpi {
    use std::process::{Command, Output, Stdio};
    use std::time::{Duration, Instant};

    use collectives::Mpi;

    use super::*;

    /// Runs a test of this program on so many ranks; `None` where that cannot be.
    fn mpirun(size: usize, test: &str) -> Option<Output> {
        let this = std::env::current_exe().expect("this program has a path");
        let output = Command::new("mpirun")
            .args(["--oversubscribe", "-n", &size.to_string()])
            .arg(this)
            .args(["--exact", "--nocapture", test])
            .env("OMPI_ALLOW_RUN_AS_ROOT", "1")
            .env("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1")
            .stdin(Stdio::null())
            .output();
        if output.is_err() {
            println!("SKIPPED: there is no mpirun");
        }
        output.ok()
    }

    #[test]
    fn mpi_keeps_the_laws() {
        if let Some(ranks) = Mpi::start().unwrap() {
            (0..20).try_for_each(|seed| laws(&ranks, seed)).unwrap();
            return;
        }
        for size in 1..=4 {
            let Some(output) = mpirun(size, "mpi::mpi_keeps_the_laws") else { return };
            let said = String::from_utf8_lossy(&output.stdout);
            assert!(output.status.success(), "{size}: {output:?}");
            assert_eq!(said.matches("1 passed").count(), size, "{said}");
        }
    }

    #[test]
    fn a_rank_that_panics_ends_all() {
        if let Some(ranks) = Mpi::start().unwrap() {
            let ranks: &dyn Communicator = &ranks;
            ranks.barrier().unwrap();
            assert!(ranks.rank() != 1, "of rank 1");
            ranks.barrier().unwrap();
            return;
        }
        let start = Instant::now();
        let Some(output) = mpirun(3, "mpi::a_rank_that_panics_ends_all") else { return };
        assert!(!output.status.success(), "{output:?}");
        assert!(start.elapsed() < Duration::from_secs(20), "{:?}", start.elapsed());
    }

    #[test]
    fn without_mpirun_there_is_no_mpi() {
        assert!(Mpi::start().unwrap().is_none());
    }
}
