//! A compiled program on a machine, from the values of its arguments to those of its results.

use std::time::Instant;

use gpu_runtime::Gpu;
use star_machine::{Cost, Counting, Host, Machine, Op, Program, StarError, Variable};

use super::arguments::{Arguments, Value};
use crate::progress::EndAtOnce;
use crate::report::{Ms, milliseconds};

/// What the parameters hold in the end, in their order, and how long the program ran.
pub(super) struct Done {
    pub(super) values: Vec<Value>,
    pub(super) time: Ms,
}

/// Runs it on the CPU, or on a GPU in one launch.
pub(super) fn execute(
    program: &Program,
    arguments: &Arguments,
    gpu: Option<&Gpu>,
) -> Result<Done, StarError> {
    // a program reports nothing while it runs
    let _interrupt = EndAtOnce::new();
    match gpu {
        None => on_machine(&mut Host::new(), program, arguments),
        Some(gpu) => in_one_launch(gpu, program, arguments),
    }
}

/// What it costs on the abstract machine.
pub(super) fn cost(program: &Program, arguments: &Arguments) -> Result<Cost, StarError> {
    let _interrupt = EndAtOnce::new();
    let mut machine = Counting::new(Host::new());
    on_machine(&mut machine, program, arguments)?;
    Ok(machine.cost())
}

fn on_machine<M: Machine>(
    m: &mut M,
    program: &Program,
    arguments: &Arguments,
) -> Result<Done, StarError> {
    let mut load = |value: &Value| -> Result<Variable, StarError> {
        Ok(match value {
            Value::Table(table) => m.load_table(table)?.into(),
            Value::Bits(bits) => m.load_slice(bits)?.into(),
            Value::Integer(value) => {
                let i = m.new_int()?;
                m.execute(&Op::SetInt { i, value: *value })?;
                i.into()
            }
        })
    };
    let variables = arguments.0.iter().map(|argument| load(&argument.value));
    let variables = variables.collect::<Result<Vec<_>, _>>()?;
    let start = Instant::now();
    program.run(m, &variables)?;
    let time = milliseconds(start.elapsed());
    let value = |variable| {
        Ok(match variable {
            Variable::Table(table) => Value::Table(m.table_value(table)?),
            Variable::Vector(x) => Value::Bits(m.vector_value(x)?),
            Variable::Int(i) => Value::Integer(m.int_value(i)?),
        })
    };
    Ok(Done { values: variables.into_iter().map(value).collect::<Result<_, StarError>>()?, time })
}

fn in_one_launch(gpu: &Gpu, program: &Program, arguments: &Arguments) -> Result<Done, StarError> {
    let mut loaded = program.load(gpu)?;
    for (parameter, argument) in program.parameters().iter().zip(&arguments.0) {
        match (*parameter, &argument.value) {
            (Variable::Table(table), Value::Table(value)) => loaded.set_table(table, value)?,
            (Variable::Vector(x), Value::Bits(value)) => loaded.set_vector(x, value)?,
            (Variable::Int(i), Value::Integer(value)) => loaded.set_int(i, *value)?,
            // the program was compiled for these
            (parameter, _) => unreachable!("{parameter} has a value of another type"),
        }
    }
    let start = Instant::now();
    loaded.run()?;
    let time = milliseconds(start.elapsed());
    let value = |parameter: &Variable| {
        Ok(match *parameter {
            Variable::Table(table) => Value::Table(loaded.table_value(table)?),
            Variable::Vector(x) => Value::Bits(loaded.vector_value(x)?),
            Variable::Int(i) => Value::Integer(loaded.int_value(i)?),
        })
    };
    let values = program.parameters().iter().map(value).collect::<Result<_, StarError>>()?;
    Ok(Done { values, time })
}
