//! Procedures that are wrong in one place each: the model of `cases` must notice every one of
//! them, and finds nothing in the same text without a flaw.

use star_machine::{CountFrom, Host, Procedure, Size, StarError, Text, Variable};

use crate::cases::{Case, LAYOUTS, SIZES};
use crate::random::Random;

/// A procedure, and what makes it wrong.
struct Mutant {
    /// Which of [`Operands::procedures`](crate::cases::Operands::procedures) it is.
    procedure: &'static str,
    /// Its columns.
    columns: &'static str,
    /// Before the columns, for each of them, and after them.
    body: [&'static str; 3],
    /// What each flaw has in place of what.
    flaws: &'static [[&'static str; 2]],
}

const FROM_FIRST: &str = "0 to COLUMNS(T) - 1";
const FROM_LAST: &str = "COLUMNS(T) - 1 downto 0";
const ALL_BUT_LAST: [&str; 2] = [FROM_FIRST, "0 to COLUMNS(T) - 2"];
const LAST_FIRST: [&str; 2] = [FROM_FIRST, FROM_LAST];
const FIRST_FIRST: [&str; 2] = [FROM_LAST, FROM_FIRST];

const MUTANTS: [Mutant; 10] = [
    Mutant {
        procedure: "MATCH",
        columns: FROM_FIRST,
        body: ["Z := X", "if v(j) then Z := Z and A else Z := Z and not A", "P := Z"],
        flaws: &[
            ["if v(j)", "if not v(j)"],
            ["Z := X", "SET(Z)"],
            [FROM_FIRST, "1 to COLUMNS(T) - 1"],
            ALL_BUT_LAST,
        ],
    },
    Mutant {
        procedure: "LESS and GREAT",
        columns: FROM_FIRST,
        body: [
            "E := X",
            "if v(j) then begin Y := Y or (E and not A); E := E and A end
             else begin Z := Z or (E and A); E := E and not A end",
            "P := Y; Q := E; S := Z",
        ],
        flaws: &[
            ["P := Y; Q := E; S := Z", "P := Z; Q := E; S := Y"],
            LAST_FIRST,
            // rows that are decided go on
            ["E and not A)", "X and not A)"],
            ["(E and A)", "(X and A)"],
        ],
    },
    Mutant {
        procedure: "MIN",
        columns: FROM_FIRST,
        body: ["Z := X", "Y := Z and not A; if SOME(Y) then Z := Y", "P := Z"],
        flaws: &[
            ["if SOME(Y) then ", ""],
            ["Z and not A", "Z and A"],
            ["Z := X", "SET(Z)"],
            LAST_FIRST,
        ],
    },
    Mutant {
        procedure: "SETMIN",
        columns: FROM_FIRST,
        body: ["E := X", "Z := Z or (E and (B and not A)); E := E and not (A xor B)", "P := Z"],
        flaws: &[
            // less or equal, and greater
            ["P := Z", "P := Z or E"],
            ["B and not A", "A and not B"],
            ["E := X", "SET(E)"],
            ["E and (B and not A)", "B and not A"],
            LAST_FIRST,
        ],
    },
    Mutant {
        procedure: "HIT",
        columns: FROM_FIRST,
        body: ["Z := X", "Z := Z and not (A xor B)", "P := Z"],
        flaws: &[["A xor B", "A and B"], ["Z := X", "SET(Z)"], ALL_BUT_LAST],
    },
    Mutant {
        procedure: "TMERGE",
        columns: FROM_FIRST,
        body: ["Y := X", "COL(j, F) := (A and Y) or (COL(j, F) and not Y)", ""],
        flaws: &[
            // zeroing; marks inverted; old values not masked; all rows
            [" or (COL(j, F) and not Y)", ""],
            ["Y := X", "Y := not X"],
            ["COL(j, F) and not Y", "COL(j, F)"],
            ["Y := X", "SET(Y)"],
        ],
    },
    Mutant {
        procedure: "WCOPY",
        columns: FROM_FIRST,
        body: ["Y := X", "if v(j) then Z := Y else CLR(Z); COL(j, F) := Z", ""],
        flaws: &[
            ["COL(j, F) := Z", "COL(j, F) := Z or (COL(j, F) and not Y)"],
            ["if v(j)", "if not v(j)"],
            ["Y := X", "SET(Y)"],
        ],
    },
    Mutant {
        procedure: "ADDC",
        columns: FROM_LAST,
        body: [
            "Y := X",
            "A := A and Y; Z := A xor C;
             if v(j) then begin Z := Z xor Y; C := A or C end else C := A and C;
             COL(j, F) := Z",
            "P := C",
        ],
        flaws: &[
            ["Y := X", "SET(Y)"],
            // no carry, and that of a half adder
            ["COL(j, F) := Z", "COL(j, F) := Z; CLR(C)"],
            ["C := A or C", "C := A"],
            FIRST_FIRST,
            ["COL(j, F) := Z", "COL(j, F) := Z or (COL(j, F) and not Y)"],
        ],
    },
    Mutant {
        procedure: "ADDV",
        columns: FROM_LAST,
        body: [
            "Y := X",
            "A := A and Y; B := B and Y; COL(j, F) := A xor B xor C;
             C := (A and B) or ((A xor B) and C)",
            "P := C",
        ],
        flaws: &[
            ["Y := X", "SET(Y)"],
            ["(A and B) or ((A xor B) and C)", "A or B"],
            FIRST_FIRST,
            // the carry that comes in is dropped; written before read
            ["A xor B xor C;", "A xor B;"],
            ["A := A and Y", "COL(j, F) := C; A := COL(j, T) and Y; B := COL(j, R)"],
        ],
    },
    Mutant {
        procedure: "SUBTV",
        columns: FROM_LAST,
        body: [
            "Y := X",
            "A := A and Y; B := B and Y; COL(j, F) := A xor B xor C;
             C := (C and not (A xor B)) or (B and not A)",
            "P := C",
        ],
        flaws: &[
            ["A := A and Y; B := B and Y", "Z := A; A := B and Y; B := Z and Y"],
            // the borrow of a sum, and one that is not kept where both are equal
            ["B and not A", "A and B"],
            ["C and not (A xor B)", "C and (A xor B)"],
            FIRST_FIRST,
            ["Y := X", "SET(Y)"],
        ],
    },
];

impl Mutant {
    /// Whether it is noticed, with this in place of that, in any of many cases.
    fn noticed(&self, [from, to]: [&str; 2]) -> Result<bool, StarError> {
        let [before, each, after] = self.body;
        let text = format!(
            "proc MUTANT(T, R: table; var F: table(T); X: slice(T); v: word(T);
                         var P, Q, S: slice(T));
             var A, B, C, E, Y, Z: slice(T); j: integer;
             begin {before};
               for j := {} do begin A := COL(j, T); B := COL(j, R); {each} end;
               {after} end;",
            self.columns
        );
        assert!(text.contains(from), "{}: {from}", self.procedure);
        let text = Text::parse(&text.replacen(from, to, 1))?;
        let mut random = Random(17);
        for rows in SIZES {
            for columns in [1, 2, 9, 64, 65] {
                let (bits, table) = (Size::Bits(rows), Size::Table(rows, columns));
                let sizes = [table, table, table, bits, Size::Bits(columns), bits, bits, bits];
                let program = text.compile("MUTANT", &sizes, CountFrom::Zero)?;
                // a program takes whole tables
                for layout in &LAYOUTS[..3] {
                    let case = Case::random(rows, columns, &mut random).under(*layout);
                    let mut m = Host::new();
                    let o = case.load(&mut m, *layout)?;
                    let named = |procedure: &Procedure| procedure.name() == self.procedure;
                    let meant = o.procedures().into_iter().find(named).expect("such a name");
                    let expected = case.expected(&meant);
                    let tables = [o.table, o.other, o.to].map(|field| Variable::from(field.table));
                    let marks: [Variable; 2] = [o.rows.into(), o.word.into()];
                    let results = o.results.map(Variable::from);
                    program.run(&mut m, &[&tables[..], &marks, &results].concat())?;
                    if o.outcome(&mut m, expected.results.len())? != expected {
                        return Ok(true);
                    }
                }
            }
        }
        Ok(false)
    }
}

#[test]
fn every_flaw_is_noticed() -> Result<(), StarError> {
    for mutant in MUTANTS {
        assert!(!mutant.noticed(["", ""])?, "{} without a flaw", mutant.procedure);
        for flaw in mutant.flaws {
            assert!(mutant.noticed(*flaw)?, "{}: {flaw:?}", mutant.procedure);
        }
    }
    Ok(())
}
