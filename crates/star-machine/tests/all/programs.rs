//! Recorded programs on the host's machine do what their functions do there directly.

use proptest::prelude::*;
use star_machine::algorithms::Value;
use star_machine::{
    Counting, Host, Machine, Operations, Program, Recorder, Slice, Star, StarError, Table, Variable,
};
use test_support::draws;

use crate::bodies::{Body, Crossings, ProcedureBody, Shared, Warshall, record, table};
use crate::common::proptests;
use crate::naive::Naive;
use crate::statements::{Random, statements};
use crate::steps::Step;

/// Lengths around the borders of words.
pub(crate) const LENGTHS: [usize; 9] = [0, 1, 2, 63, 64, 65, 127, 128, 129];

/// What came of a run: its error in words, and all values.
pub(crate) type Outcome = (Option<String>, Vec<Value>);

fn load(m: &mut impl Machine, values: &[Value]) -> Vec<Variable> {
    let load = |value: &Value| match value {
        Value::Slice(x) => m.load_slice(x).map(Variable::from),
        Value::Word(w) => m.load_word(w).map(Variable::from),
        Value::Table(t) => m.load_table(t).map(Variable::from),
        Value::Int(value) => m.int().and_then(|i| m.set_int(i, *value).map(|()| i.into())),
    };
    values.iter().map(load).collect::<Result<_, _>>().unwrap()
}

fn outcome(m: &mut impl Machine, done: Result<(), StarError>, variables: &[Variable]) -> Outcome {
    let value = |variable: &Variable| match *variable {
        Variable::Vector(x) => m.vector_value(x).map(Value::Slice),
        Variable::Table(t) => m.table_value(t).map(Value::Table),
        Variable::Int(i) => m.int_value(i).map(Value::Int),
    };
    let values = variables.iter().map(value).collect::<Result<_, _>>().unwrap();
    (done.err().map(|error| error.to_string()), values)
}

/// What a body does on a machine.
pub(crate) fn directly(m: &mut impl Machine, body: &impl Body, values: &[Value]) -> Outcome {
    let variables = load(m, values);
    let done = m.scope(|m| body.give(m, &variables));
    outcome(m, done, &variables)
}

/// What its recording does there.
pub(crate) fn interpreted_by(m: &mut impl Machine, program: &Program, values: &[Value]) -> Outcome {
    let variables = load(m, values);
    let done = program.run(m, &variables);
    outcome(m, done, &variables)
}

/// What it does on the host's machine.
pub(crate) fn interpreted(program: &Program, values: &[Value]) -> Outcome {
    interpreted_by(&mut Host::new(), program, values)
}

/// Bit by bit, on the host and counted, at once and recorded: all have the same values or the
/// same error, and the same cost.
fn agree(name: &str, body: &impl Body, values: &[Value]) {
    let program = record(body, values).unwrap();
    let expected = directly(&mut Naive::default(), body, values);
    let is = |found: Outcome, how| assert_eq!(found, expected, "{name}, {how}\n{program}");
    is(directly(&mut Host::new(), body, values), "at once");
    is(interpreted(&program, values), "recorded");
    let mut counting = [(); 2].map(|()| Counting::new(Host::new()));
    is(directly(&mut counting[0], body, values), "counted");
    is(interpreted_by(&mut counting[1], &program, values), "recorded and counted");
    let [at_once, recorded] = counting.map(|m| m.cost());
    assert_eq!(at_once, recorded, "{name}\n{program}");
}

#[test]
fn procedures_are_recorded() {
    for number in 0..ProcedureBody::COUNT {
        for (shared, is_one_step) in
            Shared::EACH.into_iter().flat_map(|shared| [(shared, false), (shared, true)])
        {
            for (seed, &rows) in LENGTHS.iter().enumerate() {
                let columns = [0, 1, 5, 64, 70][(seed + number) % 5];
                let values = ProcedureBody::values(rows, columns, (seed * 16 + number) as u64);
                let body = ProcedureBody { number, shared, is_one_step };
                let program = record(&body, &values).unwrap();
                // a word that is a result is copied first
                let most = if matches!(shared, Shared::All) { 2 } else { 1 };
                assert!(!is_one_step || (1..=most).contains(&program.instructions().len()));
                agree(&format!("{body:?}, {rows} by {columns}"), &body, &values);
            }
        }
    }
}

#[test]
fn what_integers_hold_is_looked_at_when_programs_run() {
    let (mut right, mut wrong) = (0, 0);
    for (body, values) in Step::cases() {
        agree(&format!("{body:?}"), &body, &values);
        let done = interpreted(&record(&body, &values).unwrap(), &values).0;
        *if done.is_none() { &mut right } else { &mut wrong } += 1;
    }
    assert!(right.min(wrong) > 300, "{right} are right and {wrong} are wrong");
}

#[test]
fn warshall_is_recorded() {
    for (n, one_in) in [(0, 1), (1, 1), (7, 3), (65, 40), (130, 100)] {
        let values = [Value::Table(table(n, n, &mut draws(n as u64), one_in))];
        for by_columns in [false, true] {
            agree(&format!("closure of {n} vertices"), &Warshall { by_columns }, &values);
        }
    }
}

#[test]
fn rows_and_columns_in_turn_are_recorded() {
    let values = Crossings::values(130, 3);
    agree("crossings", &Crossings, &values);
}

proptest! {
    #![proptest_config(proptests(400))]

    #[test]
    fn random_programs_are_recorded(
        statements in statements(),
        may_fail in any::<bool>(),
        sizes in (0..LENGTHS.len(), 0..LENGTHS.len()),
        seed in any::<u64>(),
    ) {
        let body = Random { statements, may_fail };
        let values = Random::values(LENGTHS[sizes.0], LENGTHS[sizes.1], seed);
        agree("a random program", &body, &values);
    }
}

#[test]
fn a_program_without_an_end_is_stopped() -> Result<(), StarError> {
    let mut recorder = Recorder::new();
    let i = recorder.parameter_int();
    recorder.set_int(i, Some(0))?;
    recorder.while_found(i, |m| m.add_int(i, i, 1))?;
    let program = recorder.finish().with_most_turns(1000);
    let (error, values) = interpreted(&program, &[Value::Int(None)]);
    assert!(error.unwrap().contains("1000 iterations"));
    assert_eq!(values, [Value::Int(Some(1001))]);
    // and the limit is not too low
    let mut recorder = Recorder::new();
    let i = recorder.parameter_int();
    recorder.set_int(i, Some(0))?;
    recorder.for_each(0..11, |m, _| m.for_each_back(0..10, |m, _| m.add_int(i, i, 1)))?;
    let program = recorder.finish();
    // 9 turns back in each of 11 inner loops, 10 in the outer
    let (error, values) = interpreted(&program.clone().with_most_turns(109), &[Value::Int(None)]);
    assert_eq!((error, values), (None, vec![Value::Int(Some(110))]));
    let (error, _) = interpreted(&program.with_most_turns(108), &[Value::Int(None)]);
    assert!(error.is_some());
    Ok(())
}

#[test]
fn arguments_are_what_the_program_takes() -> Result<(), StarError> {
    let mut recorder = Recorder::new();
    let x = recorder.parameter_slice(5)?;
    let t = recorder.parameter_table(5, 3)?;
    recorder.col(x, t, 2)?;
    let program = recorder.finish();
    let mut m = Host::new();
    let (x, t, i) = (m.slice(5)?, m.table(5, 3)?, m.int()?);
    let longer = m.slice(6)?;
    m.set_table(t, &Table::from_values(&[1, 0, 1, 0, 1], 3)?)?;
    program.run(&mut m, &[x.into(), t.into()])?;
    assert_eq!(m.slice_value(x)?, Slice::from_positions(5, [0, 2, 4])?);
    let wrong: [&[Variable]; 5] = [
        &[],
        &[x.into()],
        &[longer.into(), t.into()],
        &[i.into(), t.into()],
        &[x.into(), t.into(), i.into()],
    ];
    for arguments in wrong {
        let error = program.run(&mut m, arguments).unwrap_err();
        assert!(matches!(error, StarError::Argument { .. }), "{error}");
    }
    let message = program.run(&mut m, &[longer.into(), t.into()]).unwrap_err().to_string();
    assert!(message.contains("argument 0") && message.contains("6 bits"), "{message}");
    Ok(())
}

#[test]
fn parameters_may_share_a_variable() -> Result<(), StarError> {
    let mut recorder = Recorder::new();
    let (x, y) = (recorder.parameter_slice(4)?, recorder.parameter_slice(4)?);
    recorder.xor(x, x, y)?;
    let program = recorder.finish();
    let mut m = Host::new();
    let z = m.load_slice(&Slice::ones(4)?)?;
    program.run(&mut m, &[z.into(), z.into()])?;
    assert!(!m.slice_value(z)?.some());
    Ok(())
}

#[test]
fn a_statement_that_fails_is_not_recorded() -> Result<(), StarError> {
    let mut recorder = Recorder::new();
    let (x, y) = (recorder.parameter_slice(4)?, recorder.parameter_slice(5)?);
    recorder.set(x)?;
    let refused = recorder.while_some(x, |m| {
        m.clear(x)?;
        m.and(x, x, y)
    });
    assert!(matches!(refused, Err(StarError::LengthMismatch { .. })));
    assert!(matches!(recorder.set_bit(x, 4, true), Err(StarError::OutOfRange { .. })));
    assert_eq!(recorder.finish().instructions().len(), 1);
    Ok(())
}

#[test]
fn a_listing_reads_as_the_program() -> Result<(), StarError> {
    let mut recorder = Recorder::new();
    let (x, t) = (recorder.parameter_slice(5)?, recorder.parameter_table(5, 3)?);
    recorder.for_each(0..3, |m, j| {
        let y = m.slice(5)?;
        m.col(y, t, j)?;
        m.and_not(x, x, y)
    })?;
    let expected = "\
program(v0[5], t0[5, 3])
0  counter 0, i0 := 0
1  v1 := COL(i0, t0)
2  v0 := v0 and not v1
3  unless counter 0 = 2: i0 := the one after, goto 1
4  end";
    assert_eq!(recorder.finish().to_string(), expected);
    Ok(())
}
