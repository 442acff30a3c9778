//! What holds for all communicators: for one rank, and for threads of several sizes.

mod law;

use collectives::{Alone, Communicator, RanksError, Threads};
use proptest::prelude::*;

use law::laws;

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
