//! Fields, parts of words, numbers as words, arrays and procedures of a text.

use star_machine::algorithms::{Runner, Task, Value};
use star_machine::{CountFrom, Host, Program, Slice, StarError, Table, Text};

/// What the arguments of these names hold after a run, as text.
fn after(text: &str, values: Vec<Value>, names: &[&str], from: CountFrom) -> Vec<String> {
    let task = Task::new(text, values, from).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let mut m = Host::new();
    let mut run = task.on(&mut m).unwrap();
    run.run().unwrap_or_else(|error| panic!("{error}\n{text}"));
    let shown = |value| match value {
        Value::Slice(x) => x.to_string(),
        Value::Word(w) => w.to_string(),
        Value::Table(table) => format!("{:?}", table.to_values().unwrap()),
        Value::Int(number) => number.map_or("none".into(), |number| number.to_string()),
    };
    names.iter().map(|name| shown(run.get(name).unwrap())).collect()
}

fn word(bits: &str) -> Value {
    let ones = bits.char_indices().filter(|(_, bit)| *bit == '1').map(|(i, _)| i);
    Value::Word(Slice::from_positions(bits.len(), ones).unwrap().into_word())
}

fn zeros(len: usize) -> Value {
    Value::Slice(Slice::zeros(len).unwrap())
}

fn table(values: &[u64], columns: usize) -> Value {
    Value::Table(Table::from_values(values, columns).unwrap())
}

#[test]
fn fields_are_chosen_when_a_program_runs() {
    let text = "proc P(T: table; i: integer; var F: table; var w: word(F); var X: slice(F));
        begin
          TCOPY(T.field(i); F);
          w := ROW(1, T.field(i + 1));
          X := not MATCH(T.field(0), X or not X, w);
          T2(F)
        end";
    // only a procedure that is there
    assert!(Text::parse(text).unwrap().compile("P", &[], CountFrom::Zero).is_err());
    let text = text.replace("T2(F)", "ROW(0, F) := w");
    let of = |i| [table(&[0o123, 0o456], 9), Value::Int(i), table(&[0, 0], 3)];
    let values = |i| of(i).into_iter().chain([word("000"), zeros(2)]).collect::<Vec<_>>();
    let names = ["F", "w", "X"];
    assert_eq!(after(&text, values(Some(1)), &names, CountFrom::Zero), ["[6, 5]", "110", "11"]);
    assert_eq!(after(&text, values(Some(0)), &names, CountFrom::Zero), ["[5, 4]", "101", "11"]);
    // the field after the last, and none
    for i in [Some(2), Some(3), Some(1 << 30), None] {
        let task = Task::new(&text, values(i), CountFrom::Zero).unwrap();
        let mut m = Host::new();
        let error = task.on(&mut m).unwrap().run().unwrap_err();
        let StarError::InText { at, error } = error else { panic!("{error} has no place") };
        assert_eq!(at.line, if i == Some(2) { 4 } else { 3 });
        let is_said = match i {
            None => matches!(*error, StarError::NoPosition { what: "field" }),
            Some(_) => matches!(*error, StarError::OutOfRange { what: "field", len: 3, .. }),
        };
        assert!(is_said, "{error}");
    }
    // written through, too, and counted from 1
    let text = "proc P(var T: table; i: integer; v: word);
        begin ROW(1, T.field(i)) := v end";
    let values = vec![table(&[0o777, 0o777], 9), Value::Int(Some(2)), word("010")];
    assert_eq!(after(text, values, &["T"], CountFrom::One), ["[506, 511]"]);
    let text = "proc P(T: table; var X: slice(T)); begin X := COL(0, T.field(1)) end";
    let sizes = [Value::Table(Table::zeros(2, 9).unwrap()), zeros(2)];
    let error = Task::new(text, sizes, CountFrom::Zero).unwrap_err().to_string();
    assert!(error.starts_with("1:54: nothing says how many columns the fields of T have"));
    // another field of the table does, wherever it is used
    let text = "proc P(T: table; i: integer; var D: table; var X: slice(T));
        begin X := COL(0, T.field(i));  SET(X);  X := MIN(T.field(i), X);
          TCOPY(T.field(0); D) end";
    let values =
        vec![table(&[0o27, 0o31, 0o41], 6), Value::Int(Some(1)), table(&[0; 3], 3), zeros(3)];
    assert_eq!(after(text, values, &["X"], CountFrom::Zero), ["011"]);
}

#[test]
fn words_have_parts_and_numbers() {
    let text = "proc P(w: word; i: integer; var a, b, c: word; var j: integer);
        begin
          a := TRIM(1, 3, w);
          b := TRIM(i, w);
          c := w;
          REP(0, 1, TRIM(4, 5, w), c);
          REP(i, a, c);
          j := NUMBER(b);
          a := WORD(j + 1)
        end";
    let values = |a, i| {
        let words = [a, "00", "000000"].map(word);
        let given = [word("101100"), Value::Int(Some(i))];
        given.into_iter().chain(words).chain([Value::Int(None)]).collect()
    };
    let names = ["a", "b", "c", "j"];
    // 101100: 1..3 is 011, from 3 on 10
    let expected = ["011", "10", "001011", "2"];
    assert_eq!(after(text, values("000", 3), &names, CountFrom::Zero), expected);
    let wrong = |from| Task::new(text, values("0000", 0), from).unwrap_err().to_string();
    assert_eq!(wrong(CountFrom::Zero), "3:16: the value has 3 bits, and 4 are expected");
    // as papers count, what a number is stays what it is
    let text = "proc P(w: word; i: integer; var a: word; var j: integer);
        begin
          j := NUMBER(TRIM(2, 3, w));
          a := WORD(j);
          if j = 1 then a := WORD(i)
        end";
    let values = vec![word("1010"), Value::Int(Some(5)), word("000"), Value::Int(None)];
    assert_eq!(after(text, values.clone(), &["a", "j"], CountFrom::One), ["110", "0"]);
    // too wide
    let values = vec![word("1010"), Value::Int(Some(7)), word("000"), Value::Int(None)];
    let task = Task::new(text, values, CountFrom::One).unwrap();
    let error = task.on(&mut Host::new()).unwrap().run().unwrap_err();
    assert_eq!(error.to_string(), "5:30: WORD: 8 is not below 8; give the word more bits");
    for (body, expected) in [
        ("a := TRIM(i, 3, w)", "positions that vary are given without the last"),
        ("a := TRIM(3, 1, w)", "the last position is before the first"),
        ("a := TRIM(2, 6, w)", "bits"),
    ] {
        let text = format!("proc P(w: word; i: integer; var a: word); begin {body} end");
        let values = vec![word("101100"), Value::Int(Some(0)), word("00000")];
        let error = Task::new(&text, values, CountFrom::Zero).unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
    }
}

#[test]
fn sizes_are_computed() {
    let text = "proc P(T: table; var F: table; var i: integer);
        var S: table(ROWS(T), COLUMNS(T) div ROWS(T));
        begin TCOPY(T.field(1); S); TCOPY(S; F); i := 2 * 7 div 4 + 1 end";
    let values = |columns| vec![table(&[0o12, 0o34], 6), table(&[0, 0], columns), Value::Int(None)];
    assert_eq!(after(text, values(3), &["F", "i"], CountFrom::Zero), ["[2, 4]", "4"]);
    assert!(Task::new(text, values(2), CountFrom::Zero).is_err());
    // of a table without rows
    let none = Value::Table(Table::zeros(0, 0).unwrap());
    let values = vec![none.clone(), none, Value::Int(None)];
    assert_eq!(after(text, values, &["i"], CountFrom::Zero), ["4"]);
    for wrong in ["i div 2", "3 * i"] {
        let text = format!("proc P(var i: integer); begin i := {wrong} end");
        let error = Task::new(&text, [Value::Int(None)], CountFrom::Zero).unwrap_err().to_string();
        assert!(error.contains("only what the arguments' sizes give"), "{error}");
    }
}

#[test]
fn arrays_hold_integers() {
    let text = "proc P(T: table; var Z: slice(T));
        /* Z marks the rows whose next one, i + 3 modulo the rows, is even. */
        var next: array(T); twice: array(2 * ROWS(T) - 1); i: integer;
        begin
          for i := 0 to ROWS(T) - 1 do
          begin
            if next(i) >= 0 then exit;
            next(i) := i + 3;
            if next(i) >= ROWS(T) then next(i) := next(i) - ROWS(T);
            twice(i + i) := next(i)
          end;
          CLR(Z);
          for i := 0 to ROWS(T) - 1 do
            if twice(i + i) <> 4 then Z(next(next(i))) := 1;
          next(0) := twice(1);
          if next(0) < 0 then Z(0) := 0
        end";
    let values = vec![table(&[0; 7], 2), Value::Slice(Slice::ones(7).unwrap())];
    // all but the row after that of 1, which is 4 + 3
    assert_eq!(after(text, values, &["Z"], CountFrom::Zero), ["0111111"]);
    for (body, expected) in [
        ("a := i", "an array is expected"),
        ("X := a(1)", "a slice is expected"),
        ("a(9) := 1", "row 9"),
        ("a(X) := 1", "the position is a slice"),
        ("a(0) := 2147483647", "up to 2^31 - 2"),
    ] {
        let text = format!("proc P(var X: slice; i: integer); var a: array(9); begin {body} end");
        let values = [zeros(3), Value::Int(None)];
        let error = Task::new(&text, values, CountFrom::Zero).unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
    }
    // what the text does not tell is found when it runs
    let text =
        "proc P(i: integer; var j: integer); var a: array(1); begin a(0) := i;  j := a(0) end";
    for i in [(1 << 31) - 1, (1 << 31) - 2] {
        let values = [Value::Int(Some(i)), Value::Int(None)];
        let (task, mut m) = (Task::new(text, values, CountFrom::Zero).unwrap(), Host::new());
        let mut run = task.on(&mut m).unwrap();
        match run.run() {
            Ok(()) => assert_eq!(run.int("j").unwrap(), Some((1 << 31) - 2)),
            Err(error) => assert!(i & 1 == 1 && error.to_string().contains("up to 2^31 - 2")),
        }
    }
}

const PROCEDURES: &str = "
    proc TWICE(x: integer; var y: integer); begin y := x + x end;
    proc LEAST(T: table; X: slice(T); var Z: slice(T); var i: integer);
    var n: integer; Y: slice(T);
    begin
      /* nothing is left from the call before */
      Y := Y or MIN(T, X);
      if n >= 0 then SET(Y);
      n := 3;
      Z := Y;
      i := FND(Y);
      TWICE(i, i)
    end;
    proc P(T: table; F: table(T); var Z: slice(T); var a, b, c: integer);
    var Y: slice(T);
    begin
      LEAST(T, not Z, Z, a);
      LEAST(F, not Z, Y, b);
      LEAST(T, Y or Z, Z, c);
      for a := 0 to 1 do LEAST(T.field(0), Z, Z, b)
    end;";

#[test]
fn procedures_call_those_before_them() {
    let values = || {
        let tables = [table(&[5, 2, 7, 2, 3], 3), table(&[1, 1, 0, 1, 7], 3)];
        let rest = [zeros(5), Value::Int(None), Value::Int(None), Value::Int(None)];
        tables.into_iter().chain(rest).collect::<Vec<_>>()
    };
    let names = ["Z", "a", "b", "c"];
    let text = PROCEDURES.replace("T.field(0)", "T");
    assert_eq!(after(&text, values(), &names, CountFrom::Zero), ["01010", "2", "2", "2"]);
    // each is recorded once for each table: LEAST of T, of F, and TWICE
    let task = Task::new(&text, values(), CountFrom::Zero).unwrap();
    let count = |program: &Program, of: fn(&star_machine::Instruction) -> bool| {
        program.instructions().iter().filter(|step| of(step)).count()
    };
    let is_return =
        |step: &star_machine::Instruction| matches!(step, star_machine::Instruction::Return { .. });
    let is_call =
        |step: &star_machine::Instruction| matches!(step, star_machine::Instruction::Call { .. });
    assert_eq!(count(task.program(), is_return), 3);
    assert_eq!(count(task.program(), is_call), 6);
    for (text, expected) in [
        ("proc P(); begin P() end", "1:17: there is no operation 'P', and no procedure above"),
        (
            "proc P(); begin Q() end; proc Q(); begin end; proc P2(); begin end",
            "no operation 'Q', and no procedure above",
        ),
        ("proc Q(x: integer); begin end; proc P(); begin Q() end", "Q takes 1 arguments, not 0"),
        (
            "proc Q(x: integer); begin end; proc P(); var X: slice(3); begin Q(X) end",
            "'x' of Q is a slice",
        ),
        (
            "proc Q(var x: integer); begin x := 1 end; proc P(); begin Q(1) end",
            "only a variable can be",
        ),
        (
            "proc Q(T: table; X: slice(T)); begin end; proc P(); var T: table(2, 3); X: slice(3); begin Q(T, X) end",
            "'X' of Q has 3 bits, and 2",
        ),
        ("proc Q(); begin end; proc P(); var i: integer; begin i := Q() end", "Q gives no value"),
    ] {
        let parsed = Text::parse(text).unwrap();
        let error = parsed.compile("P", &[], CountFrom::Zero).unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
    }
}

#[test]
fn a_numbered_field_is_given_with_each_call() {
    let text = "
        proc FIRST(T: table; var w: word(T)); begin w := ROW(0, T) end;
        proc P(T: table; var v, w: word);
        var i: integer;
        begin
          for i := 0 to 2 do
          begin
            FIRST(T.field(i), w);
            if i = 1 then v := w
          end
        end";
    let values = vec![table(&[0o123, 0o456], 9), word("000"), word("000")];
    assert_eq!(after(text, values, &["v", "w"], CountFrom::Zero), ["010", "011"]);
}
