//! Programs as text: the listings of the paper as printed, what each statement does, and what
//! is said of a text that is wrong.

use std::fs;

use star_machine::{
    Cost, CountFrom, Counting, Host, Machine, Size, Slice, StarError, Table, Text, Variable, Word,
    procedures,
};

use crate::cases::table_of;
use crate::random::Random;

/// A listing of the seed paper, from the words that it begins with to its caption.
fn listing(opening: &str, caption: &str) -> Option<String> {
    let folder = std::env::var_os("STARPATH_SEEDS").map_or_else(
        || concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/seeds").into(),
        std::path::PathBuf::from,
    );
    let path = folder.join("star-machine.ru.txt");
    let Ok(text) = fs::read_to_string(&path) else {
        println!("SKIPPED: there is no {}", path.display());
        return None;
    };
    let (_, from) = text.split_once(opening).expect("the listing is there");
    let (body, _) = from.split_once(caption).expect("the listing has a caption");
    Some(format!("{opening}{body}"))
}

#[test]
fn listings_1_and_2_run_as_printed() {
    let captions = ["Листинг 1.", "Листинг 2."];
    let Some(rows) = listing("1 proc WARSHALL(", captions[0]) else { return };
    let Some(columns) = listing("1 proc WARSHALL-C(", captions[1]) else { return };
    let mut random = Random(3);
    for n in [1usize, 2, 3, 17, 64, 65] {
        let arcs: Vec<_> =
            (0..n).map(|_| (0..n).map(|_| random.below(100) < 12).collect()).collect();
        let adjacency = table_of(&arcs, n).unwrap();
        let outcome = |text: &str, name| {
            let text = Text::parse(text).unwrap();
            let sizes = [Size::Integer, Size::Table(n, n)];
            let program = text.compile(name, &sizes, CountFrom::One).unwrap();
            let mut m = Counting::new(Host::new());
            let p = m.load_table(&adjacency).unwrap();
            let of_n = m.new_int().unwrap();
            // one less than what the text calls n
            let value = Some(n as u32 - 1);
            m.execute(&star_machine::Op::SetInt { i: of_n, value }).unwrap();
            program.run(&mut m, &[of_n.into(), p.into()]).unwrap();
            (m.table_value(p).unwrap(), m.cost())
        };
        let recorded = |procedure: fn(&mut Counting<Host>, _, _) -> Result<(), StarError>| {
            let mut m = Counting::new(Host::new());
            let p = m.load_table(&adjacency).unwrap();
            procedure(&mut m, p, 0..n).unwrap();
            (m.table_value(p).unwrap(), m.cost())
        };
        assert_eq!(outcome(&rows, "WARSHALL"), recorded(procedures::warshall));
        assert_eq!(outcome(&columns, "WARSHALL-C"), recorded(procedures::warshall_columns));
    }
}

/// What becomes of `X`, eight bits, and `i` by these statements, with `w` 0b1010.
fn after(statements: &str, x: &str, i: Option<u32>) -> (String, Option<u32>) {
    after_from(CountFrom::Zero, statements, x, i)
}

fn after_from(from: CountFrom, statements: &str, x: &str, i: Option<u32>) -> (String, Option<u32>) {
    let text = format!(
        "proc P(w: word; var X: slice; var i: integer);
         var Y, Z: slice; v: word(T); j, k: integer; T: table;
         begin Y := X; Z := Y; v := w; j := 0; WCOPY(w, X; T); {statements} end;"
    );
    let text = Text::parse(&text).unwrap();
    let sizes = [Size::Bits(4), Size::Bits(8), Size::Integer];
    let program = text.compile("P", &sizes, from).unwrap_or_else(|e| panic!("{statements}: {e}"));
    let mut m = Host::new();
    let w = m.load_word(&Word::from_u64(0b1010, 4).unwrap()).unwrap();
    let bits: Vec<_> = x.chars().map(|bit| bit == '1').collect();
    let x = m.load_slice(&Slice::from_bits(&bits).unwrap()).unwrap();
    let of_i = m.new_int().unwrap();
    m.execute(&star_machine::Op::SetInt { i: of_i, value: i }).unwrap();
    let arguments: [Variable; 3] = [w.into(), x.into(), of_i.into()];
    program.with_most_turns(1000).run(&mut m, &arguments).unwrap();
    (m.slice_value(x).unwrap().to_string(), m.int_value(of_i).unwrap())
}

#[test]
fn expressions_are_evaluated() {
    let x = |statements| after(statements, "01101001", None).0;
    assert_eq!(x("X := not X"), "10010110");
    assert_eq!(x("X := X and not FRST(X)"), "00101001");
    assert_eq!(x("X := not Y and not Y"), "10010110");
    assert_eq!(x("CLR(Y); X := (X or Y) xor FRST(not X or Y)"), "11101001");
    assert_eq!(x("SET(X)"), "11111111");
    assert_eq!(x("X(0) := 1; X(7) := X(3)"), "11101000");
    assert_eq!(x("COL(1, T) := X; X := COL(0, T) and COL(1, T) and not COL(3, T)"), "01101001");
    assert_eq!(x("ROW(0, T) := w; X := MATCH(T, Y or not Y, ADD(w, SUBT(w, w)))"), "11101001");
    assert_eq!(x("X := CONVERT(not CONVERT(FRST(X)))"), "10111111");
    assert_eq!(x("SET(Y); X := GREAT(T, Y, SUBT(w, w))"), "01101001");
    assert_eq!(x("SET(Y); X := LESS(T, Y, w)"), "10010110");
    // what is read is what was there before
    assert_eq!(x("X := not X or X"), "11111111");
}

#[test]
fn integers_are_computed() {
    let i = |statements| after(statements, "01101001", Some(3)).1;
    assert_eq!(i("i := FND(X)"), Some(1));
    assert_eq!(i("i := STEP(X); i := STEP(X)"), Some(2));
    assert_eq!(i("CLR(X); i := FND(X)"), None);
    assert_eq!(i("i := NUMB(X) + 7"), Some(11));
    assert_eq!(i("k := 5; i := i + k - 1 - j"), Some(7));
    assert_eq!(i("i := 2 - i"), None);
    assert_eq!(i("i := 10; i := i - i"), Some(0));
    assert_eq!(i("i := ROWS(T) + COLUMNS(T) - 1"), Some(11));
    assert_eq!(i("i := 20 - i"), Some(17));
    assert_eq!(i("i := 2 + i; i := 3 - 4"), None);
    assert_eq!(i("i := 2147483647; i := i + 1"), None);
    let one = |statements| after_from(CountFrom::One, statements, "01101001", Some(2)).1;
    // three, as the text says
    assert_eq!(one("i := i + i"), Some(5));
    assert_eq!(one("i := ROWS(T) - 3"), Some(4));
    assert_eq!(one("i := 9 - i"), Some(5));
    assert_eq!(one("i := i + 1 - 3"), Some(0));
    assert_eq!(one("k := 2; i := i - k"), Some(0));
    assert_eq!(one("i := NUMB(X)"), Some(3));
    assert_eq!(one("i := 0"), None);
    assert_eq!(one("CLR(X); if STEP(X) > 0 then i := 9"), Some(2));
    assert_eq!(one("CLR(X); i := NUMB(X)"), None);
}

#[test]
fn statements_go_where_conditions_lead() {
    let i = |statements: &str| after(statements, "01101001", Some(3)).1;
    assert_eq!(i("i := 0; while SOME(X) do begin X := X and not FRST(X); i := i + 1 end"), Some(4));
    assert_eq!(i("i := 0; while STEP(X) >= 0 do i := i + 1;"), Some(4));
    assert_eq!(i("i := 0; for k := 2 to 6 do i := i + k"), Some(20));
    assert_eq!(i("i := 0; for k := 6 downto 2 do begin i := i + i; i := i + k end"), Some(160));
    assert_eq!(i("for k := 3 to 2 do i := 100"), Some(3));
    assert_eq!(i("k := 4; for k := 0 to k do i := i + 1"), Some(8));
    assert_eq!(i("repeat i := i + 1; if i = 6 then exit until i > 10"), Some(6));
    assert_eq!(
        i("for k := 0 to 9 do begin while i < 90 do begin i := i + 9; exit end; end"),
        Some(93)
    );
    assert_eq!(i("if X(1) and (i = 3 or X(i + 97)) then i := 1 else i := 2"), Some(1));
    assert_eq!(i("if not X(1) or not (i <> 3 and i < 4) then i := 1 else i := 2"), Some(1));
    assert_eq!(i("if EQ(w, v) and LESSEQ(w, v) and not GREAT(w, v) then i := 7"), Some(7));
    for (relation, expected) in
        [("<", "001"), ("<=", "011"), ("=", "010"), ("<>", "101"), (">", "100"), (">=", "110")]
    {
        for (number, bit) in [(2, 0), (3, 1), (4, 2)] {
            let found = i(&format!("if i {relation} {number} then i := 50 else i := 60"));
            let holds = expected.as_bytes()[bit] == b'1';
            assert_eq!(found, Some(if holds { 50 } else { 60 }), "{relation} {number}");
        }
    }
    // none is below zero
    assert_eq!(i("CLR(X); k := FND(X); if k < 0 then i := 1"), Some(1));
    assert_eq!(i("CLR(X); k := FND(X); if k >= 0 then i := 1"), Some(3));
    for from in [CountFrom::Zero, CountFrom::One] {
        let i = |text: &str| after_from(from, text, "01101001", Some(3)).1;
        assert_eq!(i("i := none"), None);
        assert_eq!(i("i := none + 1"), None);
        assert_eq!(i("CLR(X); k := FND(X); if k <> none then i := none"), Some(3));
        assert_eq!(i("k := STEP(X); if k <> none and not (k = none) then i := none"), None);
        assert_eq!(i("k := none; if k = none and k <= none and k < i then i := k"), None);
    }
}

#[test]
fn loops_end_at_the_last_number_of_all() {
    let turns = |from, range: &str| {
        let text = format!("i := 1; for k := {range} do i := i + 1");
        after_from(from, &text, "01101001", None).1
    };
    assert_eq!(turns(CountFrom::Zero, "2147483646 to 2147483647"), Some(3));
    // none is below zero
    assert_eq!(turns(CountFrom::Zero, "2 downto 0 - 1"), Some(5));
    assert_eq!(turns(CountFrom::Zero, "0 - 1 to 2"), Some(5));
    assert_eq!(turns(CountFrom::One, "2147483647 to 2147483648"), Some(2));
    assert_eq!(turns(CountFrom::One, "2 downto 0"), Some(3));
    assert_eq!(turns(CountFrom::One, "0 to 2"), Some(3));
    assert_eq!(turns(CountFrom::One, "0 to 0"), Some(1));
}

#[test]
fn texts_of_many_parts_are_compiled_in_time() {
    let nested = format!("X := {}X{}", "FRST(".repeat(150), ")".repeat(150));
    assert_eq!(after(&nested, "01101001", None).0, "01000000");
    let product = format!("i := 3{}", " * 1".repeat(190));
    assert_eq!(after(&product, "01101001", None).1, Some(3));
    let smallest = "i := 0 - 4294967295 * 2147483648 - 2147483648";
    assert_eq!(after_from(CountFrom::One, smallest, "01101001", None).1, None);
    // each calls the one before it with twice as many tables
    let mut text = "proc P0(T: table); begin end; ".to_owned();
    for number in 1..40 {
        let before = number - 1;
        text += &format!(
            "proc P{number}(T: table); var F: table(T); begin P{before}(T); P{before}(F) end; "
        );
    }
    let text = Text::parse(&text).unwrap();
    let compiled = |name| text.compile(name, &[Size::Table(3, 3)], CountFrom::Zero);
    assert!(compiled("P8").is_ok());
    let error = compiled("P39").unwrap_err().to_string();
    assert!(error.ends_with("procedures are called with more than 1000 sets of tables"), "{error}");
}

#[test]
fn what_is_not_decided_by_the_first_operand_is_looked_at() {
    // X(100) does not exist
    let (x, i) = ("01101001", Some(3));
    for condition in ["X(1) or X(i + 97)", "not (X(0) and X(i + 97))"] {
        let taken = after(&format!("if {condition} then i := 1"), x, i).1;
        assert_eq!(taken, Some(1), "{condition}");
    }
}

#[test]
fn what_is_wrong_is_said_with_its_place() {
    let within = |body: &str| {
        format!(
            "proc P(T, F: table; X: slice(T); var Z: slice(T));\nvar w: word(T); i: integer;\nbegin\n{body}\nend;"
        )
    };
    let sizes = [Size::Table(9, 4), Size::Table(9, 5), Size::Bits(9), Size::Bits(9)];
    let wrong = |text: &str| {
        let parsed = Text::parse(text);
        let compiled = parsed.and_then(|text| text.compile("P", &sizes, CountFrom::Zero));
        compiled.expect_err(text).to_string()
    };
    for (body, expected) in [
        ("Z := X or w", "4:11: the second operand is a word, and a slice is expected"),
        ("Z := HIT(T, F, X)", "4:13: a row of operand 2 of HIT has 5 bits, and 4 are expected"),
        ("w := ROW(0, F)", "4:6: the value has 5 bits, and 4 are expected"),
        ("X := Z", "4:1: 'X' is no result: declare it as var X"),
        ("i := STEP(X)", "4:11: 'X' is no result: declare it as var X"),
        ("Y := Z", "4:1: 'Y' is not declared"),
        ("Z := MATCH(T, X)", "4:6: MATCH takes 3 operands, not 2"),
        ("Z := LOOK(T, X)", "4:6: there is no operation 'LOOK', and no procedure above"),
        ("Z := X", ""),
        ("Z := X Y", "4:8: ';' or 'end' is expected, not 'Y'"),
        ("while X do Z := X", "4:7: the condition is a slice, and a condition is expected"),
        ("if i then Z := X", "4:4: the condition is an integer, and a condition is expected"),
        ("i := Z", "4:6: the value is a slice, and an integer is expected"),
        ("Z := 1", "4:6: the value is an integer, and a slice is expected"),
        ("Z(9) := 1", "4:1: there is no bit 9: there are 9, counted from 0"),
        ("exit", "4:1: exit leaves a loop, and there is none around it"),
        ("for i := 0 to 3 do i := 2", "4:20: 'i' counts the turns of a loop around this"),
        ("i := 99999999999", "4:6: numbers are below 2^32"),
        ("i := 3000000000", "4:6: integers are below 2^31"),
        ("i := i + 2147483648", "4:10: integers are below 2^31"),
        ("if i > 4294967295 then exit", "4:8: integers are below 2^31"),
        ("if 1 then exit", "4:4: the condition is an integer, and a condition is expected"),
        (
            "while SOME(X) and 1 do exit",
            "4:19: the second operand is an integer, and a condition is expected",
        ),
        ("Z(0) := 2", "4:9: the value is an integer, and a condition is expected"),
        ("SET(X or Z)", "4:7: operand 1 of SET is changed, and only a variable can be"),
        ("ROWS(T)", "4:1: ROWS is a number, and no statement"),
        ("Z := (X", "5:1: ')' is expected, not 'end'"),
        ("Z := X # Z", "4:8: '#' means nothing here"),
        ("/* Z := X", "4:1: this comment has no '*/'"),
        ("FND(X) := 1", "4:1: 'FND' is not declared"),
        ("ROW(0, T) := w", "4:8: 'T' is no result: declare it as var T"),
        ("SOME(X)", "4:1: SOME is a condition, and no statement"),
        ("Z := T", "4:6: the value is a table, and a slice is expected"),
        ("Z := not T", "4:6: not is not for a table"),
        ("Z := X = X", "4:8: this is not for a slice"),
        ("Z(3)", "4:1: 'Z' is a variable, and no statement"),
        ("i := NUMBER(TRIM(0, w))", "4:13: nothing says how many bits this TRIM gives"),
        ("i := NUMBER(WORD(3))", "4:13: nothing says how many bits this WORD gives"),
        (
            "i := NUMBER(TRIM(0, 4294967295 + 4, w))",
            "4:13: a slice or word of 4294967300 by 1 bits: more than fit; cut it into parts",
        ),
        (
            "w := TRIM(0 - 4294967295 * 2147483648, 4294967295 * 2147483648, w)",
            "4:6: the value has 9223372036854775807 bits, and 4 are expected",
        ),
        ("i := 4294967295 * 2", "4:17: integers are below 2^31"),
    ] {
        let text = within(body);
        match expected {
            "" => {
                assert!(Text::parse(&text).unwrap().compile("P", &sizes, CountFrom::Zero).is_ok())
            }
            _ => assert_eq!(wrong(&text), expected, "{body}"),
        }
    }
    for (text, expected) in [
        ("", "1:1: a procedure is expected"),
        ("begin end", "1:1: 'proc' is expected, not 'begin'"),
        (
            "proc P(X: bits); begin end",
            "1:11: a type (integer, slice, word, table or array) is expected, not 'bits'",
        ),
        ("proc P(X, X: slice); begin end", "1:11: 'X' was declared in line 1 already"),
        ("proc P(); begin end; proc P(); begin end", "1:27: there is a procedure 'P' already"),
        ("proc P(MIN: slice); begin end", "1:8: 'MIN' is the name of an operation"),
        ("proc P(X: slice(Y)); begin end", "1:17: 'Y' is not declared"),
    ] {
        let sizes = [Size::Bits(3), Size::Bits(3)];
        let parsed = Text::parse(text);
        let n = parsed.as_ref().map_or(0, |text| text.parameters("P").map_or(0, |p| p.len()));
        let compiled = parsed.and_then(|text| text.compile("P", &sizes[..n], CountFrom::Zero));
        assert_eq!(compiled.expect_err(text).to_string(), expected, "{text}");
    }
    let unsized_word = "proc P(X: slice); var v, w: word; begin v := w end";
    let error = Text::parse(unsized_word).unwrap();
    let error = error.compile("P", &[Size::Bits(3)], CountFrom::Zero).unwrap_err().to_string();
    assert_eq!(error, "1:23: nothing says how large v is: declare it as word(T), of a table T");
    let text = Text::parse("proc P(X: slice); begin end").unwrap();
    for sizes in [&[][..], &[Size::Integer], &[Size::Bits(1), Size::Bits(1)]] {
        assert!(text.compile("P", sizes, CountFrom::Zero).is_err());
    }
    assert!(text.compile("Q", &[], CountFrom::Zero).unwrap_err().to_string().contains("'Q'"));
    for operator in [" or X", " + 1", " and X"] {
        let long = format!("Z := X{}", operator.repeat(100_000));
        assert!(wrong(&within(&long)).contains("operators are in a statement"));
    }
    // deeper than any program is
    for deep in ["(".repeat(100_000), "not ".repeat(100_000), "begin ".repeat(100_000)] {
        let text = within(&format!("Z := {deep}"));
        assert!(Text::parse(&text).is_err());
        assert!(Text::parse(&within(&deep)).is_err());
    }
}

#[test]
fn costs_are_those_of_the_operations() {
    let text = Text::parse(
        "proc P(T: table; X: slice(T); v: word(T); var Z: slice(T));
         begin Z := Z and not MATCH(T, X, v) end",
    );
    let sizes = [Size::Table(50, 7), Size::Bits(50), Size::Bits(7), Size::Bits(50)];
    let program = text.unwrap().compile("P", &sizes, CountFrom::Zero).unwrap();
    let mut m = Counting::new(Host::new());
    let t = m.load_table(&Table::zeros(50, 7).unwrap()).unwrap();
    let (x, z) = (m.new_vector(50).unwrap(), m.new_vector(50).unwrap());
    let v = m.new_vector(7).unwrap();
    program.run(&mut m, &[t.into(), x.into(), v.into(), z.into()]).unwrap();
    assert_eq!(m.cost(), Cost { bitwise: 8, column_reads: 7, ..Cost::default() });
}

#[test]
fn parameters_say_whose_size_they_have() {
    let text = Text::parse("proc P(T: table; X: slice(T); v: word; var i: integer); begin end");
    let of_p = text.unwrap().parameters("P").unwrap();
    let said = of_p.iter().map(|p| (&*p.name, p.of, p.sized_by.as_deref(), p.is_result));
    let expected = [
        ("T", "table", None, false),
        ("X", "slice", Some("T"), false),
        ("v", "word", None, false),
        ("i", "integer", None, true),
    ];
    assert!(said.eq(expected), "{of_p:?}");
}
