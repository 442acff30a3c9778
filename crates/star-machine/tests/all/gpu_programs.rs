//! Recorded programs on a GPU: the host's interpreter has the same values afterwards.

use gpu_runtime::{Gpu, GpuError};
use star_machine::algorithms::{EdgeList, Value, edmonds, kruskal, prim};
use star_machine::{
    CountFrom, GpuProgram, IntVar, Operations, Program, Recorder, Size, Slice, SliceVar, Star,
    StarError, Table, Team, Text, Variable,
};
use test_support::draws;

use crate::bodies::{Crossings, ProcedureBody, Shared, Warshall, record, slice, table};
use crate::both::gpu;
use crate::gpu_algorithms::arcs;
use crate::programs::{LENGTHS, Outcome, interpreted};

/// The teams that all programs are run by.
pub(crate) const TEAMS: [Team; 7] = [
    Team::Warp,
    Team::Block { warps: 0 },
    Team::Block { warps: 1 },
    Team::Block { warps: 3 },
    Team::Block { warps: 32 },
    Team::Grid { blocks: 1 },
    Team::Grid { blocks: 5 },
];

/// Sets all parameters.
fn set(program: &Program, on_gpu: &mut GpuProgram, values: &[Value]) {
    for (parameter, value) in program.parameters().iter().zip(values) {
        match (*parameter, value) {
            (Variable::Vector(x), Value::Slice(value)) => on_gpu.set_vector(x, value),
            (Variable::Vector(x), Value::Word(value)) => on_gpu.set_vector(x, value.as_slice()),
            (Variable::Int(i), Value::Int(value)) => on_gpu.set_int(i, *value),
            (Variable::Table(t), Value::Table(value)) => on_gpu.set_table(t, value),
            _ => unreachable!("values are like the parameters"),
        }
        .unwrap();
    }
}

/// One launch, and what all parameters hold then.
fn run(program: &Program, on_gpu: &mut GpuProgram) -> Outcome {
    let launches = on_gpu.launches();
    let done = on_gpu.run();
    assert_eq!(on_gpu.launches(), launches + 1, "a run is one launch");
    if let Err(StarError::Gpu(error)) = done {
        panic!("{error}");
    }
    let values = program.parameters().iter().map(|parameter| match *parameter {
        Variable::Vector(x) => on_gpu.vector_value(x).map(Value::Slice),
        Variable::Int(i) => on_gpu.int_value(i).map(Value::Int),
        Variable::Table(t) => on_gpu.table_value(t).map(Value::Table),
    });
    let values = values.collect::<Result<_, _>>().unwrap();
    (done.err().map(|error| error.to_string()), values)
}

/// Compares all parameters after a run by each team, and the error.
pub(crate) fn agree(gpu: &Gpu, name: &str, program: &Program, values: &[Value], teams: &[Team]) {
    let expected = interpreted(program, values);
    for &team in teams {
        let mut on_gpu = program.load_for(gpu, team).unwrap();
        set(program, &mut on_gpu, values);
        let found = run(program, &mut on_gpu);
        assert_eq!(found.0, expected.0, "{name}: {team:?}\n{program}");
        for (number, (found, expected)) in found.1.iter().zip(&expected.1).enumerate() {
            assert!(found == expected, "{name}: {team:?}, parameter {number}\n{program}");
        }
    }
}

#[test]
fn procedures_run_in_one_launch() {
    let Some(gpu) = gpu() else { return };
    for (number, is_one_step) in
        (0..ProcedureBody::COUNT).flat_map(|number| [(number, false), (number, true)])
    {
        for (seed, &rows) in LENGTHS.iter().enumerate() {
            let columns = [0, 1, 5, 64, 70][(seed + number) % 5];
            let values = ProcedureBody::values(rows, columns, (seed * 16 + number) as u64);
            for shared in Shared::EACH {
                let body = ProcedureBody { number, shared, is_one_step };
                let program = record(&body, &values).unwrap();
                let teams = match shared {
                    Shared::None => &TEAMS[..],
                    _ => &TEAMS[(seed + number) % TEAMS.len()..][..1],
                };
                let name = format!("{body:?}, {rows} by {columns}");
                agree(&gpu, &name, &program, &values, teams);
            }
        }
    }
}

#[test]
fn warshall_runs_in_one_launch() {
    let Some(gpu) = gpu() else { return };
    for (n, one_in) in [(0, 1), (1, 1), (7, 3), (65, 40), (130, 100), (1000, 700)] {
        let values = [Value::Table(table(n, n, &mut draws(n as u64), one_in))];
        for by_columns in [false, true] {
            let program = record(&Warshall { by_columns }, &values).unwrap();
            agree(&gpu, &format!("closure of {n} vertices"), &program, &values, &TEAMS);
        }
    }
}

#[test]
fn texts_run_in_one_launch() {
    let Some(gpu) = gpu() else { return };
    let arcs = arcs(90);
    let edges = EdgeList::new(90, &arcs).unwrap();
    for (name, task) in
        [("KRUSKAL", kruskal(&edges)), ("PRIM", prim(&edges, 7)), ("EDMONDS", edmonds(90, &arcs))]
    {
        let task = task.unwrap();
        let values: Vec<_> = task.arguments().map(|(_, value)| value.clone()).collect();
        agree(&gpu, name, task.program(), &values, &TEAMS);
    }
    // integers: sums, differences, and every comparison
    let text = Text::parse(
        "proc P(var i, j: integer; var Z: slice);
         var k: integer;
         begin
           CLR(Z);
           for k := 0 to 9 do begin
             i := j + k - 3;  j := i - k + 1;
             if i < j then Z(0) := 1; if i <= j then Z(1) := 1; if i = j then Z(2) := 1;
             if i <> 4 then Z(3) := 1; if i > j then Z(4) := 1; if i >= 5 then Z(5) := 1;
             if k = 7 then exit
           end
         end",
    );
    let sizes = [Size::Integer, Size::Integer, Size::Bits(70)];
    let program = text.unwrap().compile("P", &sizes, CountFrom::Zero).unwrap();
    for (i, j) in [(None, None), (Some(3), Some(9)), (Some(0), Some(1)), (None, Some(1 << 30))] {
        let values = [Value::Int(i), Value::Int(j), Value::Slice(Slice::ones(70).unwrap())];
        agree(&gpu, &format!("integers {i:?} and {j:?}"), &program, &values, &TEAMS);
    }
}

#[test]
fn what_other_threads_write_is_seen() {
    let Some(gpu) = gpu() else { return };
    for n in [9, 130, 2100, 9000] {
        let values = Crossings::values(n, n as u64);
        let program = record(&Crossings, &values).unwrap();
        agree(&gpu, &format!("crossings of {n}"), &program, &values, &TEAMS);
    }
}

#[test]
fn a_million_rows_go_to_a_grid() {
    let Some(gpu) = gpu() else { return };
    let (rows, columns) = (1_000_003, 9);
    for (number, is_one_step) in
        (0..ProcedureBody::COUNT).flat_map(|number| [(number, false), (number, true)])
    {
        let values = ProcedureBody::values(rows, columns, number as u64);
        let body = ProcedureBody { number, shared: Shared::None, is_one_step };
        let program = record(&body, &values).unwrap();
        let mut on_gpu = program.load(&gpu).unwrap();
        assert!(matches!(on_gpu.team(), Team::Grid { blocks } if blocks > 1));
        set(&program, &mut on_gpu, &values);
        assert!(run(&program, &mut on_gpu) == interpreted(&program, &values), "{body:?}");
    }
}

#[test]
fn a_million_rows_are_stepped_through() -> Result<(), StarError> {
    let Some(gpu) = gpu() else { return Ok(()) };
    let (rows, mut draw) = (1_000_003, draws(5));
    let mut recorder = Recorder::new();
    let x = recorder.parameter_slice(rows)?;
    let z = recorder.parameter_slice(rows)?;
    let t = recorder.parameter_table(rows, 5)?;
    let n = recorder.parameter_int();
    let (i, w) = (recorder.int()?, recorder.word(5)?);
    recorder.while_some(x, |m| {
        m.step(i, x)?;
        m.set_bit(z, i, true)?;
        m.row(w, t, i)?;
        m.rep_one(w)?;
        m.set_row(t, i, w)
    })?;
    recorder.col(x, t, 2)?;
    recorder.numb(n, x)?;
    let program = recorder.finish();
    let values = [
        Value::Slice(slice(rows, &mut draw, 4000)),
        Value::Slice(Slice::zeros(rows)?),
        Value::Table(table(rows, 5, &mut draw, 3)),
        Value::Int(None),
    ];
    let teams = [Team::Grid { blocks: 2 }, Team::Grid { blocks: 62 }, Team::Grid { blocks: 9999 }];
    agree(&gpu, "a million rows", &program, &values, &teams);
    Ok(())
}

/// A change of a word, as a program of its own.
trait RepOne: Star {
    fn rep_one(&mut self, w: star_machine::WordVar) -> Result<(), StarError> {
        let (short, carry) = (self.word(3)?, self.int()?);
        self.trim(short, w, 1)?;
        self.add(short, carry, short, short)?;
        self.rep(w, short, 2)
    }
}

impl<S: Star> RepOne for S {}

#[test]
fn long_carries_go_through_all_words() -> Result<(), StarError> {
    let Some(gpu) = gpu() else { return Ok(()) };
    for len in [64, 65, 640, 641, 5000] {
        let mut recorder = Recorder::new();
        let [v, w, sum, difference] = [(); 4].map(|()| recorder.parameter_word(len));
        let (v, w, sum, difference) = (v?, w?, sum?, difference?);
        let (carry, borrow) = (recorder.parameter_int(), recorder.parameter_int());
        recorder.add(sum, carry, v, w)?;
        recorder.subt(difference, borrow, w, sum)?;
        recorder.add(v, carry, v, w)?;
        recorder.subt(w, borrow, w, w)?;
        let program = recorder.finish();
        let ones = Slice::ones(len)?;
        let last = Slice::from_positions(len, [len - 1])?;
        for (v, w) in [(&ones, &last), (&last, &ones), (&ones, &ones), (&last, &last)] {
            let zeros = || Slice::zeros(len).map(Value::Slice);
            let values = [
                Value::Slice(v.clone()),
                Value::Slice(w.clone()),
                zeros()?,
                zeros()?,
                Value::Int(None),
                Value::Int(None),
            ];
            agree(&gpu, &format!("{len} bits"), &program, &values, &TEAMS);
        }
    }
    Ok(())
}

#[test]
fn a_program_stays_on_the_gpu_from_run_to_run() -> Result<(), StarError> {
    let Some(gpu) = gpu() else { return Ok(()) };
    let mut recorder = Recorder::new();
    let (x, t) = (recorder.parameter_slice(70)?, recorder.parameter_table(70, 3)?);
    let (i, n) = (recorder.parameter_int(), recorder.parameter_int());
    recorder.step(i, x)?;
    recorder.set_col(t, 1, x)?;
    recorder.numb(n, x)?;
    let mut program = recorder.finish().load(&gpu)?;
    assert_eq!(program.team(), Team::Warp);
    program.set_vector(x, &Slice::from_positions(70, [3, 66, 69])?)?;
    for (at, left) in [(Some(3), 2), (Some(66), 1), (Some(69), 0), (None, 0)] {
        program.run()?;
        assert_eq!((program.int_value(i)?, program.int_value(n)?), (at, Some(left)));
        assert_eq!(program.table_value(t)?.col(1)?, program.vector_value(x)?);
    }
    assert_eq!(program.launches(), 4);
    program.set_int(i, Some(7))?;
    assert_eq!(program.int_value(i)?, Some(7));
    // what does not fit is refused, and nothing is changed
    assert!(matches!(program.set_int(i, Some(1 << 31)), Err(StarError::TooWide { .. })));
    let longer = Slice::ones(71)?;
    assert!(matches!(program.set_vector(x, &longer), Err(StarError::LengthMismatch { .. })));
    let wider = Table::zeros(70, 4)?;
    assert!(matches!(program.set_table(t, &wider), Err(StarError::LengthMismatch { .. })));
    let mut other = Recorder::new();
    let stranger = other.parameter_slice(71)?;
    assert!(matches!(program.vector_value(stranger), Err(StarError::Unknown { .. })));
    Ok(())
}

#[test]
fn a_program_without_an_end_is_stopped_on_the_gpu() -> Result<(), StarError> {
    let Some(gpu) = gpu() else { return Ok(()) };
    // three ways to go on: by an integer, by bits that come back, by STEP at the end
    type Endless = fn(&mut Recorder, IntVar, SliceVar) -> Result<(), StarError>;
    let bodies: [Endless; 3] = [
        |m, i, x| {
            m.set_int(i, Some(0))?;
            m.while_found(i, |m| m.add_int(i, i, 1))?;
            m.clear(x)
        },
        |m, i, x| {
            m.set(x)?;
            m.while_some(x, |m| {
                m.step(i, x)?;
                m.set_bit(x, 80, true)
            })
        },
        |m, i, x| {
            m.set_int(i, Some(0))?;
            m.while_found(i, |m| {
                m.set_bit(x, i, true)?;
                m.step(i, x)
            })
        },
    ];
    let values = [Value::Int(None), Value::Slice(Slice::zeros(90)?)];
    for body in bodies {
        let mut recorder = Recorder::new();
        let (i, x) = (recorder.parameter_int(), recorder.parameter_slice(90)?);
        body(&mut recorder, i, x)?;
        let program = recorder.finish();
        for turns in [0, 1, 88, 89, 90, 91, 1000] {
            let program = program.clone().with_most_turns(turns);
            assert!(interpreted(&program, &values).0.is_some());
            agree(&gpu, "an endless program", &program, &values, &TEAMS);
        }
    }
    Ok(())
}

#[test]
fn memory_is_asked_for_before_it_is_taken() -> Result<(), StarError> {
    let Some(gpu) = gpu() else { return Ok(()) };
    let mut recorder = Recorder::new();
    let x = recorder.parameter_slice(1 << 20)?;
    let t = recorder.parameter_table(1 << 20, 4)?;
    recorder.col(x, t, 0)?;
    let program = recorder.finish();
    let bytes = program.device_bytes();
    assert!((5 << 17..(5 << 17) + 1000).contains(&bytes), "{bytes}");
    let error = program.load(&gpu.with_memory_cap(bytes - 1)).unwrap_err();
    assert!(matches!(error, StarError::Gpu(GpuError::OutOfMemory { .. })), "{error}");
    program.load(&gpu.with_memory_cap(bytes))?;
    // a slice of 128 KiB and more, but not in the shared memory of every block
    let mut recorder = Recorder::new();
    for _ in 0..8 {
        recorder.parameter_slice(1 << 20)?;
    }
    let error = recorder.finish().load_for(&gpu, Team::Warp).unwrap_err();
    assert!(error.to_string().contains("shared memory"), "{error}");
    Ok(())
}
