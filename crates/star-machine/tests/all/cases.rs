//! Calls of procedures with what must come out, by a model that has a vector of bits for
//! every row and no machine at all.

use std::cmp::Ordering;

use star_machine::{
    FieldVar, Machine, Procedure, Slice, SliceVar, StarError, Table, TableVar, WordVar,
};

use crate::random::Random;

/// Sizes at which words of 64 bits begin and end.
pub(crate) const SIZES: [usize; 9] = [0, 1, 2, 63, 64, 65, 127, 128, 129];

/// A row, the most significant bit first. Rows compare as their numbers do.
pub(crate) type Row = Vec<bool>;

/// Operands as they are before a call.
#[derive(Clone, Debug)]
pub(crate) struct Case {
    pub(crate) columns: usize,
    pub(crate) table: Vec<Row>,
    pub(crate) other: Vec<Row>,
    pub(crate) to: Vec<Row>,
    pub(crate) rows: Vec<bool>,
    pub(crate) word: Row,
}

/// Which variables are one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Layout {
    /// None; and every field is a table.
    Apart,
    /// The table that is written is the first.
    ToIsTable,
    /// The table that is written is the second, and the first result is the marked rows.
    ToIsOther,
    /// All fields are of one table, with columns between them, none in common.
    OneTable,
}

pub(crate) const LAYOUTS: [Layout; 4] =
    [Layout::Apart, Layout::ToIsTable, Layout::ToIsOther, Layout::OneTable];

/// The variables of a call.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Operands {
    pub(crate) table: FieldVar,
    pub(crate) other: FieldVar,
    pub(crate) to: FieldVar,
    pub(crate) rows: SliceVar,
    pub(crate) word: WordVar,
    pub(crate) results: [SliceVar; 3],
}

/// What a call leaves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Outcome {
    pub(crate) results: Vec<Vec<bool>>,
    /// The field that is written.
    pub(crate) to: Vec<Row>,
}

impl Case {
    /// Rows of the second table and the word are those of the first about every other time.
    pub(crate) fn random(rows: usize, columns: usize, random: &mut Random) -> Self {
        let table: Vec<Row> = (0..rows).map(|_| random.bits(columns)).collect();
        let alike = |random: &mut Random, row: &Row| {
            let mut near = row.clone();
            if random.bit() && columns > 0 {
                let at = random.below(columns);
                near[at] = !near[at];
            }
            if random.bit() { near } else { random.bits(columns) }
        };
        let other = table.iter().map(|row| alike(random, row)).collect();
        let to = (0..rows).map(|_| random.bits(columns)).collect();
        let word = match random.below(4) {
            0 => random.bits(columns),
            1 => vec![random.bit(); columns],
            _ if rows > 0 => table[random.below(rows)].clone(),
            _ => random.bits(columns),
        };
        let marked = match random.below(6) {
            0 => vec![false; rows],
            1 | 2 => vec![true; rows],
            _ => random.bits(rows),
        };
        Self { columns, table, other, to, rows: marked, word }
    }

    /// The case as it is where variables are shared.
    pub(crate) fn under(mut self, layout: Layout) -> Self {
        match layout {
            Layout::ToIsTable => self.to.clone_from(&self.table),
            Layout::ToIsOther => self.to.clone_from(&self.other),
            Layout::Apart | Layout::OneTable => {}
        }
        self
    }

    /// Variables that hold this case.
    pub(crate) fn load(&self, m: &mut impl Machine, layout: Layout) -> Result<Operands, StarError> {
        let k = self.columns;
        let rows = m.load_slice(&Slice::from_bits(&self.rows)?)?;
        let word = m.load_word(&Slice::from_bits(&self.word)?.into_word())?;
        let noise = Slice::ones(self.rows.len())?;
        let first = match layout {
            Layout::ToIsOther => rows,
            _ => m.load_slice(&noise)?,
        };
        let results = [first, m.load_slice(&noise)?, m.load_slice(&noise)?];
        let mut own = |rows: &[Row]| m.load_table(&table_of(rows, k)?).map(FieldVar::from);
        let (table, other, to) = match layout {
            Layout::Apart => (own(&self.table)?, own(&self.other)?, own(&self.to)?),
            Layout::ToIsTable => {
                let table = own(&self.table)?;
                (table, own(&self.other)?, table)
            }
            Layout::ToIsOther => {
                let other = own(&self.other)?;
                (own(&self.table)?, other, other)
            }
            Layout::OneTable => {
                let together = |(i, table): (usize, &Row)| {
                    let gap = [true].as_slice();
                    [table, gap, &self.to[i], gap, &self.other[i]].concat()
                };
                let rows: Vec<Row> = self.table.iter().enumerate().map(together).collect();
                let whole: TableVar = m.load_table(&table_of(&rows, 3 * k + 2)?)?;
                let at = |first: usize| whole.field(first..first + k);
                (at(0)?, at(2 * k + 2)?, at(k + 1)?)
            }
        };
        Ok(Operands { table, other, to, rows, word, results })
    }

    /// What the procedure must leave; result slices that it has not are not looked at.
    pub(crate) fn expected(&self, procedure: &Procedure) -> Outcome {
        let n = self.rows.len();
        let slice = |mark: &dyn Fn(usize) -> bool| {
            (0..n).map(|i| self.rows[i] && mark(i)).collect::<Vec<_>>()
        };
        let (table, other, word) = (&self.table, &self.other, &self.word);
        let order = |order: Ordering| slice(&|i| table[i].cmp(word) == order);
        let marked = || (0..n).filter(|i| self.rows[*i]);
        let equal_to = |best: Option<usize>| slice(&|i| best.is_some_and(|b| table[i] == table[b]));
        let written = |row: &dyn Fn(usize) -> Row, old: bool| {
            let zeros = vec![false; self.columns];
            let unmarked = |i: usize| if old { self.to[i].clone() } else { zeros.clone() };
            (0..n).map(|i| if self.rows[i] { row(i) } else { unmarked(i) }).collect::<Vec<_>>()
        };
        let arithmetic = |of: fn(&Row, &Row) -> (Row, bool), right: &dyn Fn(usize) -> Row| {
            (
                vec![slice(&|i| of(&table[i], &right(i)).1)],
                written(&|i| of(&table[i], &right(i)).0, false),
            )
        };
        let searched = |results: Vec<Vec<bool>>| (results, self.to.clone());
        let (results, to) = match *procedure {
            Procedure::Match { .. } => searched(vec![order(Ordering::Equal)]),
            Procedure::Compare { .. } => {
                searched([Ordering::Less, Ordering::Equal, Ordering::Greater].map(order).to_vec())
            }
            Procedure::Min { .. } => searched(vec![equal_to(marked().min_by_key(|i| &table[*i]))]),
            Procedure::Max { .. } => searched(vec![equal_to(marked().max_by_key(|i| &table[*i]))]),
            Procedure::SetMin { signed, .. } => {
                searched(vec![slice(&|i| less(&table[i], &other[i], signed))])
            }
            Procedure::Hit { .. } => searched(vec![slice(&|i| table[i] == other[i])]),
            Procedure::Clear { .. } => (vec![], vec![vec![false; self.columns]; n]),
            Procedure::CopyTable { .. } => (vec![], table.clone()),
            Procedure::MergeTable { .. } => (vec![], written(&|i| table[i].clone(), true)),
            Procedure::CopyWord { .. } => (vec![], written(&|_| word.clone(), false)),
            Procedure::MergeWord { .. } => (vec![], written(&|_| word.clone(), true)),
            Procedure::AddWord { .. } => arithmetic(sum, &|_| word.clone()),
            Procedure::AddTable { .. } => arithmetic(sum, &|i| other[i].clone()),
            Procedure::SubtractWord { .. } => arithmetic(difference, &|_| word.clone()),
            Procedure::SubtractTable { .. } => arithmetic(difference, &|i| other[i].clone()),
        };
        Outcome { results, to }
    }
}

impl Operands {
    /// Every procedure on these variables.
    pub(crate) fn procedures(&self) -> Vec<Procedure> {
        let Self { table, other, to, rows, word, results: [z, equal, greater] } = *self;
        vec![
            Procedure::Match { table, rows, word, z },
            Procedure::Compare { table, rows, word, less: z, equal, greater },
            Procedure::Min { table, rows, z },
            Procedure::Max { table, rows, z },
            Procedure::SetMin { table, other, rows, signed: false, z },
            Procedure::SetMin { table, other, rows, signed: true, z },
            Procedure::Hit { table, other, rows, z },
            Procedure::Clear { table: to.table },
            Procedure::CopyTable { table, to },
            Procedure::MergeTable { table, rows, to },
            Procedure::CopyWord { word, rows, to },
            Procedure::MergeWord { word, rows, to },
            Procedure::AddWord { table, rows, word, to, carry: z },
            Procedure::AddTable { table, other, rows, to, carry: z },
            Procedure::SubtractWord { table, rows, word, to, borrow: z },
            Procedure::SubtractTable { table, other, rows, to, borrow: z },
        ]
    }

    /// What a call has left, of which the first `results` slices are looked at.
    pub(crate) fn outcome(
        &self,
        m: &mut impl Machine,
        results: usize,
    ) -> Result<Outcome, StarError> {
        let found = self.results[..results].iter().map(|z| m.slice_value(*z));
        let results = found.map(|z| Ok(bits_of(&z?))).collect::<Result<_, StarError>>()?;
        Ok(Outcome { results, to: rows_of(m, self.to)? })
    }
}

/// The rows of a field.
pub(crate) fn rows_of(m: &mut impl Machine, field: FieldVar) -> Result<Vec<Row>, StarError> {
    let table = m.table_value(field.table)?;
    clean(&table);
    let (first, columns) = (field.first as usize, field.columns as usize);
    let field = table.field(first..first + columns)?;
    (0..table.rows()).map(|i| field.row(i).map(|row| bits_of(row.as_slice()))).collect()
}

/// The bits of a slice, beyond whose length there must be none.
pub(crate) fn bits_of(slice: &Slice) -> Vec<bool> {
    let again = Slice::from_words(slice.len(), slice.as_words().to_vec());
    assert_eq!(again.as_ref(), Some(slice), "bits beyond its length");
    slice.iter().collect()
}

/// Fails where a table has bits beyond its rows.
pub(crate) fn clean(table: &Table) {
    let again = Table::from_words(table.rows(), table.columns(), table.as_words().to_vec());
    assert_eq!(again.as_ref(), Some(table), "bits beyond its rows");
}

/// A table of these rows.
pub(crate) fn table_of(rows: &[Row], columns: usize) -> Result<Table, StarError> {
    let mut table = Table::zeros(rows.len(), columns)?;
    for (i, row) in rows.iter().enumerate() {
        row.iter().enumerate().try_for_each(|(j, bit)| table.set(i, j, *bit))?;
    }
    Ok(table)
}

/// As numbers, or with `signed` as numbers in two's complement.
pub(crate) fn less(a: &Row, b: &Row, signed: bool) -> bool {
    match (a.first(), b.first()) {
        (Some(a), Some(b)) if signed && a != b => *a,
        _ => a < b,
    }
}

/// The sum, and whether it did not fit.
pub(crate) fn sum(a: &Row, b: &Row) -> (Row, bool) {
    let (mut sum, mut carry) = (a.clone(), false);
    for j in (0..a.len()).rev() {
        let ones = u8::from(a[j]) + u8::from(b[j]) + u8::from(carry);
        (sum[j], carry) = (ones % 2 == 1, ones > 1);
    }
    (sum, carry)
}

/// The difference, and whether the second is greater: a + not b + 1 carries if not.
pub(crate) fn difference(a: &Row, b: &Row) -> (Row, bool) {
    let mut difference = a.clone();
    let mut carry = true;
    for j in (0..a.len()).rev() {
        let ones = u8::from(a[j]) + u8::from(!b[j]) + u8::from(carry);
        (difference[j], carry) = (ones % 2 == 1, ones > 1);
    }
    (difference, !carry)
}
