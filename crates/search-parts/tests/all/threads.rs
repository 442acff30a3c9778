//! Threads that stay.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Barrier;

use search_parts::Threads;

#[test]
fn all_run_at_the_same_time() {
    let threads = Threads::new(4);
    let barrier = Barrier::new(4);
    for _ in 0..100 {
        let mut met = [0; 4];
        threads.each(&mut met, |index, met| {
            barrier.wait();
            *met = index;
        });
        assert_eq!(met, [0, 1, 2, 3]);
    }
}

#[test]
fn the_first_is_the_callers() {
    let mut ids = [None; 3];
    Threads::new(3).each(&mut ids, |_, id| *id = Some(std::thread::current().id()));
    let here = Some(std::thread::current().id());
    assert_eq!(ids.map(|id| id == here), [true, false, false]);
}

#[test]
fn a_panic_goes_on_in_the_caller() {
    for n in 1..=4 {
        let threads = Threads::new(n);
        for culprit in 0..n {
            let run = || {
                threads.each(&mut vec![(); n], |index, ()| {
                    if index == culprit {
                        resume_unwind(Box::new("of the callback"));
                    }
                });
            };
            let payload = catch_unwind(AssertUnwindSafe(run)).expect_err("one panics");
            assert_eq!(payload.downcast_ref(), Some(&"of the callback"));
        }
    }
}
