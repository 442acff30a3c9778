//! The tests of this crate, in one program: each test program compiles the crate's generic code
//! anew.

/// Asserts that a check fails with a violation of a certain form.
macro_rules! assert_violation {
    ($check:expr, $($violation:tt)+) => {
        match $check {
            Err(Violation::$($violation)+) => {}
            other => panic!("expected {}, found {other:?}", stringify!($($violation)+)),
        }
    };
}

mod all_pairs;
mod branchings;
mod degree_trees;
mod forests;
mod laws;
mod mutation;
mod refusals;
mod subgraphs;
