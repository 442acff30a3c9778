//! What a recorder writes down of calls of procedures: zeros of what they read, and nothing of
//! calls that are refused.

use star_machine::{
    FieldVar, Instruction, IntVar, Op, Operations, Procedure, Program, Recorder, SliceVar, Star,
    StarError, TableVar, Variable, WordVar,
};

use crate::cases::Operands;

const ROWS: usize = 5;
const COLUMNS: usize = 3;

/// Variables for the operands of a procedure, and a number for fields.
#[derive(Clone, Copy)]
struct Variables {
    tables: [TableVar; 3],
    rows: SliceVar,
    word: WordVar,
    results: [SliceVar; 3],
    number: IntVar,
}

/// By these letters, in the order that a declaration has them.
const LETTERS: [char; 9] = ['T', 'O', 'D', 'X', 'W', 'Z', 'E', 'G', 'I'];

impl Variables {
    /// The table that is written has so many columns.
    fn declare(m: &mut Recorder, columns: usize) -> Result<Self, StarError> {
        Ok(Self {
            tables: [m.table(ROWS, COLUMNS)?, m.table(ROWS, COLUMNS)?, m.table(ROWS, columns)?],
            rows: m.slice(ROWS)?,
            word: m.word(COLUMNS)?,
            results: [m.slice(ROWS)?, m.slice(ROWS)?, m.slice(ROWS)?],
            number: m.int()?,
        })
    }

    /// As parameters, which need no zeros.
    fn parameters(m: &mut Recorder) -> Result<Self, StarError> {
        Ok(Self {
            tables: [
                m.parameter_table(ROWS, COLUMNS)?,
                m.parameter_table(ROWS, COLUMNS)?,
                m.parameter_table(ROWS, COLUMNS)?,
            ],
            rows: m.parameter_slice(ROWS)?,
            word: m.parameter_word(COLUMNS)?,
            results: [m.parameter_slice(ROWS)?, m.parameter_slice(ROWS)?, m.parameter_slice(ROWS)?],
            number: m.parameter_int(),
        })
    }

    fn all(&self) -> [Variable; 9] {
        let [t, o, d] = self.tables.map(Variable::from);
        let [z, e, g] = self.results.map(Variable::from);
        [t, o, d, self.rows.into(), self.word.into(), z, e, g, self.number.into()]
    }

    fn operands(&self) -> Operands {
        let [table, other, to] = self.tables.map(FieldVar::from);
        Operands { table, other, to, rows: self.rows, word: self.word, results: self.results }
    }

    /// The letters of what is made zero by these instructions, which do nothing else.
    fn zeros(&self, instructions: &[Instruction]) -> String {
        let letter = |instruction: &Instruction| {
            let zero: Variable = match *instruction {
                Instruction::Do(Op::Fill { z, ones: false }) => z.into(),
                Instruction::Do(Op::ClearTable { table }) => table.into(),
                Instruction::Do(Op::SetInt { i, value: None }) => i.into(),
                ref other => panic!("{other} makes no zeros"),
            };
            LETTERS[self.all().iter().position(|variable| *variable == zero).expect("declared")]
        };
        instructions.iter().map(letter).collect()
    }
}

/// The zeros before a call, and those that are made where all variables are read after it.
fn zeros_around(
    columns: usize,
    procedure: impl FnOnce(&Variables) -> Procedure,
) -> Result<(String, String), StarError> {
    let mut m = Recorder::new();
    let [x, w] = [m.parameter_slice(ROWS)?.0, m.parameter_word(COLUMNS)?.0];
    let variables = Variables::declare(&mut m, columns)?;
    let called = procedure(&variables);
    m.call(called)?;
    for variable in variables.all() {
        match variable {
            Variable::Vector(y) if y == variables.word.0 => m.copy(w, y)?,
            Variable::Vector(y) => m.copy(x, y)?,
            Variable::Table(table) => m.col(SliceVar(x), table, 0)?,
            Variable::Int(i) => m.add_int(i, i, 1)?,
        }
    }
    let program = m.finish();
    let call = Instruction::Pass(called);
    let at = program.instructions().iter().position(|step| *step == call).expect("the call");
    let reads = |step: &&Instruction| {
        !matches!(
            step,
            Instruction::Do(Op::Copy { .. } | Op::ReadColumn { .. } | Op::AddInt { .. })
        )
    };
    let (before, after) = program.instructions().split_at(at);
    let after: Vec<_> = after[1..].iter().filter(reads).copied().collect();
    Ok((variables.zeros(before), variables.zeros(&after)))
}

/// What each procedure reads, and what it writes the whole of.
const ROLES: [(&str, &str); 16] = [
    ("TXW", "Z"),
    ("TXW", "ZEG"),
    ("TX", "Z"),
    ("TX", "Z"),
    ("TOX", "Z"),
    ("TOX", "Z"),
    ("TOX", "Z"),
    ("", "D"),
    ("T", "D"),
    // merging keeps rows
    ("TDX", ""),
    ("XW", "D"),
    ("DXW", ""),
    ("TXW", "DZ"),
    ("TOX", "DZ"),
    ("TXW", "DZ"),
    ("TOX", "DZ"),
];

fn sorted(letters: impl IntoIterator<Item = char>) -> String {
    let mut letters: Vec<_> = letters.into_iter().collect();
    letters.sort_unstable();
    letters.dedup();
    letters.into_iter().collect()
}

#[test]
fn zeros_are_made_of_what_procedures_read() -> Result<(), StarError> {
    let is_of = |letters: &str, letter: &char| letters.contains(*letter);
    for (number, (reads, writes)) in ROLES.into_iter().enumerate() {
        let (before, after) =
            zeros_around(COLUMNS, |variables| variables.operands().procedures()[number])?;
        assert_eq!(sorted(before.chars()), sorted(reads.chars()), "procedure {number}");
        let known = |letter: &char| is_of(reads, letter) || is_of(writes, letter);
        assert_eq!(sorted(after.chars()), sorted(LETTERS.into_iter().filter(|l| !known(l))));
    }
    Ok(())
}

/// A field that is written is not all of its table, or it is not known which one it is.
#[test]
fn zeros_are_made_of_what_procedures_write_a_part_of() -> Result<(), StarError> {
    for (number, (reads, writes)) in ROLES.into_iter().enumerate() {
        // the table is all that CLEAR has
        let is_part = number != 7 && (writes.contains('D') || reads.contains('D'));
        for is_numbered in [false, true] {
            let (before, _) = zeros_around(2 * COLUMNS, |variables| {
                let (d, i) = (variables.tables[2], variables.number);
                let numbered = d.numbered(COLUMNS, i).expect("two fields");
                let fixed = d.field(COLUMNS..2 * COLUMNS).expect("two fields");
                let to = if is_numbered { numbered } else { fixed };
                Operands { to, ..variables.operands() }.procedures()[number]
            })?;
            let more = match (is_part, is_numbered) {
                (false, _) => "",
                (true, false) => "D",
                (true, true) => "DI",
            };
            let expected = sorted(reads.chars().chain(more.chars()));
            assert_eq!(sorted(before.chars()), expected, "procedure {number}");
        }
    }
    Ok(())
}

#[test]
fn zeros_are_made_of_results_that_are_operands() -> Result<(), StarError> {
    for (number, (reads, writes)) in ROLES.into_iter().enumerate() {
        // the result is the rows, and the table that is written the first
        let (before, _) = zeros_around(COLUMNS, |variables| {
            let mut operands = variables.operands();
            operands.results[0] = operands.rows;
            operands.to = operands.table;
            operands.procedures()[number]
        })?;
        let expected = sorted(reads.replace('D', "T").chars());
        assert_eq!(sorted(before.chars()), expected, "procedure {number}, which writes {writes}");
    }
    Ok(())
}

/// Whatever operand of a procedure has ended or is another recorder's, it is refused, and
/// nothing is recorded.
#[test]
fn procedures_on_what_is_not_declared_are_refused() -> Result<(), StarError> {
    let mut m = Recorder::new();
    let good = Variables::parameters(&mut m)?;
    let mut ended = None;
    m.scope(|m| Variables::declare(m, COLUMNS).map(|variables| ended = Some(variables)))?;
    let strange = Variables::declare(&mut Recorder::new(), COLUMNS)?;
    // they have the places of those that have ended
    Variables::declare(&mut m, COLUMNS)?;
    let right = good.operands();
    for bad in [ended.expect("the scope was entered"), strange] {
        let wrong = bad.operands();
        let by = |number| good.tables[0].numbered(COLUMNS, number);
        let mut all = vec![
            Operands { table: wrong.table, ..right },
            Operands { other: wrong.other, ..right },
            Operands { to: wrong.to, ..right },
            Operands { table: by(bad.number)?, ..right },
            Operands { other: by(bad.number)?, ..right },
            Operands { to: by(bad.number)?, ..right },
            Operands { rows: wrong.rows, ..right },
            Operands { word: wrong.word, ..right },
        ];
        for k in 0..3 {
            let mut results = right.results;
            results[k] = wrong.results[k];
            all.push(Operands { results, ..right });
        }
        let mut refused = 0;
        for operands in all {
            for (is, procedure) in right.procedures().iter().zip(operands.procedures()) {
                if *is == procedure
                    || matches!(procedure, Procedure::Clear { table } if table == good.tables[0])
                {
                    continue;
                }
                let error = m.call(procedure).expect_err("an operand is not declared");
                assert!(matches!(error, StarError::Unknown { .. }), "{procedure:?}: {error}");
                refused += 1;
            }
        }
        assert!(refused > 60, "{refused}");
    }
    assert!(m.finish().instructions().is_empty());
    Ok(())
}

/// What a program says of its steps.
#[test]
fn a_listing_has_procedures_and_fields_by_numbers() -> Result<(), StarError> {
    let mut m = Recorder::new();
    let variables = Variables::parameters(&mut m)?;
    let wide = m.parameter_table(ROWS, 4 * COLUMNS)?;
    let longer = m.parameter_word(4 * COLUMNS)?;
    let operands = variables.operands();
    operands.procedures().into_iter().try_for_each(|procedure| m.call(procedure))?;
    let i = variables.number;
    let (part, to) = (wide.field(COLUMNS..2 * COLUMNS)?, wide.numbered(COLUMNS, i)?);
    m.call(Procedure::CopyTable { table: part, to })?;
    let later = FieldVar { first: 1, ..to };
    m.col(operands.rows, later, i)?;
    m.set_row(to, 4, operands.word)?;
    m.trim(operands.word, longer, i)?;
    m.rep(longer, operands.word, 2)?;
    m.to_word(operands.word, i)?;
    m.to_word(operands.word, 7)?;
    m.to_int(i, longer)?;
    let program: Program = m.finish();
    let expected = "\
program(t0[5, 3], t1[5, 3], t2[5, 3], v0[5], v1[3], v2[5], v3[5], v4[5], i0, t3[5, 12], v5[12])
 0  v2 := MATCH(t0, v0, v1)
 1  v2, v3, v4 := LESS and GREAT(t0, v0, v1)
 2  v2 := MIN(t0, v0)
 3  v2 := MAX(t0, v0)
 4  v2 := SETMIN(t0, t1, v0)
 5  v2 := SETMINS(t0, t1, v0)
 6  v2 := HIT(t0, t1, v0)
 7  CLEAR(t2)
 8  TCOPY(t0; t2)
 9  TMERGE(t0, v0; t2)
10  WCOPY(v1, v0; t2)
11  WMERGE(v1, v0; t2)
12  v2 := ADDC(t0, v0, v1; t2)
13  v2 := ADDV(t0, t1, v0; t2)
14  v2 := SUBTC(t0, v0, v1; t2)
15  v2 := SUBTV(t0, t1, v0; t2)
16  TCOPY(t3[3..6]; t3[0..3 + 3 i0])
17  v0 := COL(i0, t3[1..4 + 3 i0])
18  ROW(4, t3[0..3 + 3 i0]) := v1
19  v1 := TRIM(i0.., v5)
20  REP(2.., v1, v5)
21  v1 := WORD(i0)
22  v1 := WORD(7)
23  i0 := NUMBER(v5)
24  end";
    assert_eq!(program.to_string(), expected);
    Ok(())
}
