//! Programs of one step that depends on what integers hold: procedures, columns and rows of
//! fields by numbers, parts of words, and words that are numbers.

use star_machine::algorithms::Value;
use star_machine::{
    FieldVar, IntVar, Operations, Slice, SliceVar, Star, StarError, TableVar, Variable, Vector,
    WordVar,
};
use test_support::draws;

use crate::bodies::{Body, slice, table};
use crate::cases::Operands;

/// One step; its operands are the parameters, in the order of [`Self::values`].
#[derive(Clone, Copy, Debug)]
pub(crate) struct Step {
    /// Which one, below [`Self::COUNT`]: the procedures are the first.
    number: usize,
}

/// A number or a position that is far outside.
const FAR: u32 = (1 << 31) - 1;

/// Of fields. The second field starts a column later, so that equal numbers overlap.
const NUMBERS: [[Option<u32>; 3]; 9] = [
    [Some(0), Some(1), Some(2)],
    [Some(2), Some(2), Some(2)],
    [Some(1), Some(3), Some(1)],
    [Some(3), Some(0), Some(0)],
    [Some(4), None, Some(0)],
    [None, Some(4), Some(1)],
    [Some(0), None, Some(4)],
    [Some(0), Some(FAR), Some(1)],
    [Some(1), Some(0), None],
];

impl Step {
    const COUNT: usize = 26;

    /// All steps on values of some sizes. Each is right a few times and wrong a few times.
    pub(crate) fn cases() -> impl Iterator<Item = (Self, Vec<Value>)> {
        let sizes = [(0, 3), (1, 1), (65, 0), (70, 5), (130, 64), (64, 70)];
        let all = (0..Self::COUNT).flat_map(move |number| sizes.map(|size| (number, size)));
        all.flat_map(|(number, (rows, columns))| {
            (0..11).map(move |turn| (Self { number }, Self::values(rows, columns, turn)))
        })
    }

    /// A table of four fields and a column, four slices, a word as wide as a field and a longer
    /// one, the numbers of three fields, and a position.
    fn values(rows: usize, columns: usize, turn: usize) -> Vec<Value> {
        let mut draw = draws((1000 * rows + columns + turn) as u64 + 1);
        let mut values = vec![Value::Table(table(rows, 4 * columns + 1, &mut draw, 2))];
        values.extend((0..4).map(|_| Value::Slice(slice(rows, &mut draw, 2))));
        let longer = 3 * columns + 5;
        values.extend([columns, longer].map(|len| Value::Slice(number(len, turn))));
        values.extend(NUMBERS[turn % NUMBERS.len()].map(Value::Int));
        let (row, column) = (rows as u32, columns as u32);
        let places = longer as u32 - column + 1;
        let positions = [
            None,
            Some(0),
            Some(1),
            column.checked_sub(1),
            Some(column),
            Some(places - 1),
            Some(places),
            row.checked_sub(1),
            Some(row),
            Some(1 << 30),
            Some(FAR),
        ];
        values.push(Value::Int(positions[(turn + turn / NUMBERS.len()) % positions.len()]));
        values
    }
}

/// Numbers with the first one at such a place that they have up to 31 bits, or more.
fn number(len: usize, turn: usize) -> Slice {
    let (from_end, all) = [
        (0, false),
        (1, false),
        (30, true),
        (31, false),
        (31, true),
        (32, false),
        (33, true),
        (64, false),
        (65, false),
        (len, false),
        (len, true),
    ][turn % 11];
    let first = len.saturating_sub(from_end);
    let end = if all { len } else { len.min(first + 1) };
    Slice::from_positions(len, first..end).unwrap()
}

impl Body for Step {
    fn give<S: Star>(&self, m: &mut S, parameters: &[Variable]) -> Result<(), StarError> {
        let vector = |at: usize| -> Vector {
            let Variable::Vector(x) = parameters[at] else { unreachable!("a slice or a word") };
            x
        };
        let int = |at: usize| -> IntVar {
            let Variable::Int(i) = parameters[at] else { unreachable!("an integer") };
            i
        };
        let Variable::Table(whole) = parameters[0] else { unreachable!("a table") };
        let [rows, z, equal, greater] = [1, 2, 3, 4].map(|at| SliceVar(vector(at)));
        let [word, longer] = [5, 6].map(|at| WordVar(vector(at)));
        let field = |whole: TableVar, at| whole.numbered(word.0.len() as usize, int(at));
        let (table, to, i) = (field(whole, 7)?, field(whole, 9)?, int(10));
        let other = FieldVar { first: 1, ..field(whole, 8)? };
        let operands = Operands { table, other, to, rows, word, results: [z, equal, greater] };
        let procedures = operands.procedures();
        match self.number {
            number if number < procedures.len() => m.call(procedures[number]),
            16 => m.col(z, table, i),
            17 => m.set_col(to, i, rows),
            18 => m.row(word, other, i),
            19 => m.set_row(to, i, word),
            20 => m.trim(word, longer, i),
            21 => m.rep(longer, word, i),
            22 => m.to_word(word, i),
            23 => m.to_word(longer, i),
            24 => m.to_int(i, word),
            _ => m.to_int(i, longer),
        }
    }
}
