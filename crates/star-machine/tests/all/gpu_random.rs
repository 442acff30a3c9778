//! Random programs, and steps that depend on what integers hold, on a GPU: in one launch, and a
//! launch a step.

use gpu_runtime::Gpu;
use proptest::prelude::*;
use proptest::test_runner::TestRunner;
use star_machine::Machine;
use star_machine::algorithms::Value;

use crate::bodies::{Body, record};
use crate::both::{Both, gpu};
use crate::gpu_programs::{TEAMS, agree};
use crate::programs::{LENGTHS, directly, interpreted, interpreted_by};
use crate::statements::{Random, statements};
use crate::steps::Step;

#[test]
fn what_integers_hold_is_looked_at_in_one_launch() {
    let Some(gpu) = gpu() else { return };
    for (turn, (body, values)) in Step::cases().enumerate() {
        let program = record(&body, &values).unwrap();
        let name = format!("{body:?}");
        agree(&gpu, &name, &program, &values, &TEAMS[turn % TEAMS.len()..][..1]);
    }
}

/// At once and recorded, on the host and on the GPU, where each step is a launch.
fn agree_on_both(both: &mut Both, body: &impl Body, values: &[Value]) {
    let program = record(body, values).unwrap();
    let expected = interpreted(&program, values);
    let mark = both.mark();
    assert_eq!(directly(both, body, values), expected, "{program}");
    assert_eq!(interpreted_by(both, &program, values), expected, "{program}");
    both.release(mark);
}

#[test]
fn what_integers_hold_is_looked_at_by_a_gpu() {
    let Some(gpu) = gpu() else { return };
    let mut both = Both::new(&gpu);
    both.watch = false;
    Step::cases().for_each(|(body, values)| agree_on_both(&mut both, &body, &values));
}

#[test]
fn random_programs_run_step_by_step() {
    let Some(gpu) = gpu() else { return };
    each_random_program(100, &LENGTHS, &LENGTHS, |body, values| {
        agree_on_both(&mut Both::new(&gpu), body, values);
    });
}

/// Random programs, some of which fail.
fn each_random_program(
    cases: u32,
    lengths: &[usize],
    widths: &[usize],
    check: impl Fn(&Random, &[Value]),
) {
    let mut runner = TestRunner::new(ProptestConfig {
        cases,
        failure_persistence: None,
        ..ProptestConfig::default()
    });
    let sizes = (0..lengths.len(), 0..widths.len());
    runner
        .run(
            &(statements(), any::<bool>(), sizes, any::<u64>()),
            |(statements, may_fail, sizes, seed)| {
                let body = Random { statements, may_fail };
                check(&body, &Random::values(lengths[sizes.0], widths[sizes.1], seed));
                Ok(())
            },
        )
        .unwrap();
}

/// Each is loaded once for each team, so there are not too many.
fn random_programs(gpu: &Gpu, cases: u32, lengths: &[usize], widths: &[usize]) {
    each_random_program(cases, lengths, widths, |body, values| {
        // one that went wrong ends too, and shows itself
        let program = record(body, values).unwrap().with_most_turns(2000);
        agree(gpu, "a random program", &program, values, &TEAMS);
    });
}

#[test]
fn random_programs_run_in_one_launch() {
    let Some(gpu) = gpu() else { return };
    random_programs(&gpu, 300, &LENGTHS, &LENGTHS);
}

#[test]
fn random_programs_run_on_longer_slices() {
    let Some(gpu) = gpu() else { return };
    random_programs(&gpu, 60, &[2048, 8192, 8193, 20_000, 100_001], &LENGTHS);
}

/// Long rows and columns: words of many threads are read and written by others.
#[test]
fn random_programs_run_on_longer_words() {
    let Some(gpu) = gpu() else { return };
    random_programs(&gpu, 24, &[65, 2100, 9000], &[65, 2100]);
}
