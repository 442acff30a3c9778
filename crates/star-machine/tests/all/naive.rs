//! A machine that has a `bool` for every bit, and does everything one bit at a time. What
//! integers hold may be none or too much, as on every machine; what a program is refused for
//! when it is recorded, it may panic at.

use star_machine::{
    Condition, FieldVar, Index, IntVar, Logic, Machine, Op, Procedure, Relation, Slice, StarError,
    Table, TableVar, Vector,
};

use crate::cases::{Row, bits_of, difference, sum, table_of};

#[derive(Default)]
pub(crate) struct Naive {
    vectors: Vec<Row>,
    /// Rows of tables, and their columns.
    tables: Vec<(Vec<Row>, usize)>,
    ints: Vec<Option<u32>>,
}

impl Naive {
    fn get(&self, x: Vector) -> Row {
        self.vectors[x.place() as usize].clone()
    }

    fn put(&mut self, z: Vector, row: Row) {
        assert_eq!(row.len(), z.len() as usize);
        self.vectors[z.place() as usize] = row;
    }

    fn put_int(&mut self, i: IntVar, value: Option<usize>) {
        self.ints[i.place() as usize] = value.map(|value| value as u32);
    }

    /// The position, which is one of so many.
    fn at(&self, what: &'static str, index: Index, len: u32) -> Result<usize, StarError> {
        let held = match index {
            Index::At(at) => Some(at),
            Index::In(i) => self.ints[i.place() as usize],
        };
        match held {
            None => Err(StarError::NoPosition { what }),
            Some(at) if at < len => Ok(at as usize),
            Some(at) => Err(StarError::OutOfRange { what, index: at as usize, len: len as usize }),
        }
    }

    /// The first column of a field, which is one of as many as its table has from there on.
    fn first(&self, field: FieldVar) -> Result<usize, StarError> {
        let number = match field.number {
            Some(i) if field.columns > 0 => {
                let len = (field.table.columns() - field.first) / field.columns;
                self.at("field", i.into(), len)?
            }
            _ => 0,
        };
        Ok(field.first as usize + number * field.columns as usize)
    }

    fn column(&self, field: FieldVar, column: Index) -> Result<usize, StarError> {
        let first = self.first(field)?;
        Ok(first + self.at("column", column, field.columns)?)
    }

    fn rows(&mut self, field: FieldVar) -> &mut Vec<Row> {
        &mut self.tables[field.table.place() as usize].0
    }
}

impl Machine for Naive {
    type Mark = [usize; 3];

    fn new_vector(&mut self, len: usize) -> Result<Vector, StarError> {
        self.vectors.push(vec![false; len]);
        Ok(Vector::new(self.vectors.len() as u32 - 1, len as u32))
    }

    fn new_table(&mut self, rows: usize, columns: usize) -> Result<TableVar, StarError> {
        self.tables.push((vec![vec![false; columns]; rows], columns));
        let place = self.tables.len() as u32 - 1;
        Ok(TableVar::new(place, rows as u32, columns as u32))
    }

    fn new_int(&mut self) -> Result<IntVar, StarError> {
        self.ints.push(None);
        Ok(IntVar::new(self.ints.len() as u32 - 1))
    }

    fn mark(&self) -> Self::Mark {
        [self.vectors.len(), self.tables.len(), self.ints.len()]
    }

    fn release(&mut self, [vectors, tables, ints]: Self::Mark) {
        self.vectors.truncate(vectors);
        self.tables.truncate(tables);
        self.ints.truncate(ints);
    }

    fn execute(&mut self, op: &Op) -> Result<(), StarError> {
        match *op {
            Op::Fill { z, ones } => self.put(z, vec![ones; z.len() as usize]),
            Op::Copy { z, x } => self.put(z, self.get(x)),
            Op::Not { z, x } => self.put(z, self.get(x).iter().map(|x| !x).collect()),
            Op::Logic { logic, z, x, y } => {
                let of = |(x, y)| match logic {
                    Logic::And => x && y,
                    Logic::AndNot => x && !y,
                    Logic::Or => x || y,
                    Logic::Xor => x != y,
                };
                self.put(z, self.get(x).into_iter().zip(self.get(y)).map(of).collect());
            }
            Op::SetBit { z, at, bit } => {
                let at = self.at("bit", at, z.len())?;
                self.vectors[z.place() as usize][at] = bit;
            }
            Op::First { z, x } => {
                let x = self.get(x);
                let first = x.iter().position(|x| *x);
                self.put(z, (0..x.len()).map(|i| Some(i) == first).collect());
            }
            Op::Find { i, x } => self.put_int(i, self.get(x).iter().position(|x| *x)),
            Op::Step { i, x } => {
                let first = self.get(x).iter().position(|x| *x);
                first.into_iter().for_each(|first| self.vectors[x.place() as usize][first] = false);
                self.put_int(i, first);
            }
            Op::Count { i, x } => {
                self.put_int(i, Some(self.get(x).iter().filter(|x| **x).count()));
            }
            Op::Trim { z, x, from } => {
                let from = self.at("bit", from, 1 + x.0.len() - z.0.len())?;
                self.put(z.0, self.get(x.0)[from..from + z.0.len() as usize].to_vec());
            }
            Op::Replace { z, x, from } => {
                let from = self.at("bit", from, 1 + z.0.len() - x.0.len())?;
                let mut whole = self.get(z.0);
                whole[from..from + x.0.len() as usize].copy_from_slice(&self.get(x.0));
                self.put(z.0, whole);
            }
            Op::ToWord { z, i } => {
                let number = self.at("number", i, 1 << z.0.len().min(31))? as u64;
                let bit = |place: u32| number.checked_shr(place).is_some_and(|n| n % 2 == 1);
                self.put(z.0, (0..z.0.len()).rev().map(bit).collect());
            }
            Op::ToInt { i, w } => {
                let more = |number: usize, bit| (2 * number + usize::from(bit)).min(1 << 31);
                let number = self.get(w.0).into_iter().fold(0, more);
                self.put_int(i, Some(number).filter(|number| *number < 1 << 31));
            }
            Op::Add { z, v, w, carry } => {
                let (total, beyond) = sum(&self.get(v.0), &self.get(w.0));
                self.put(z.0, total);
                self.put_int(carry, beyond.then_some(0));
            }
            Op::Subtract { z, v, w, borrow } => {
                let (left, beyond) = difference(&self.get(v.0), &self.get(w.0));
                self.put(z.0, left);
                self.put_int(borrow, beyond.then_some(0));
            }
            Op::ReadColumn { z, table, column } => {
                let j = self.column(table, column)?;
                let column = self.rows(table).iter().map(|row| row[j]).collect();
                self.put(z.0, column);
            }
            Op::WriteColumn { table, column, x } => {
                let (j, x) = (self.column(table, column)?, self.get(x.0));
                self.rows(table).iter_mut().zip(x).for_each(|(row, x)| row[j] = x);
            }
            Op::ReadRow { z, table, row } => {
                let first = self.first(table)?;
                let i = self.at("row", row, table.table.rows())?;
                let row = self.rows(table)[i][first..first + table.columns as usize].to_vec();
                self.put(z.0, row);
            }
            Op::WriteRow { table, row, x } => {
                let (first, x) = (self.first(table)?, self.get(x.0));
                let i = self.at("row", row, table.table.rows())?;
                self.rows(table)[i][first..first + x.len()].copy_from_slice(&x);
            }
            Op::ClearTable { table } => {
                self.rows(table.into()).iter_mut().for_each(|row| row.fill(false));
            }
            Op::SetInt { i, value } => self.ints[i.place() as usize] = value,
            Op::AddInt { i, j, by } => {
                let sum = self.ints[j.place() as usize].map(|j| i64::from(j) + i64::from(by));
                let sum = sum.filter(|sum| (0..1 << 31).contains(sum));
                self.ints[i.place() as usize] = sum.map(|sum| sum as u32);
            }
            Op::AddInts { i, j, k, is_minus, by } => {
                let [j, k] = [j, k].map(|i| self.ints[i.place() as usize].map(i64::from));
                let sum =
                    j.zip(k).map(|(j, k)| i64::from(by) + if is_minus { j - k } else { j + k });
                let sum = sum.filter(|sum| (0..1 << 31).contains(sum));
                self.ints[i.place() as usize] = sum.map(|sum| sum as u32);
            }
        }
        Ok(())
    }

    fn holds(&mut self, condition: &Condition) -> Result<bool, StarError> {
        Ok(match *condition {
            Condition::Some(x) => self.get(x).contains(&true),
            Condition::Found(i) => self.ints[i.place() as usize].is_some(),
            Condition::Bit { x, at } => self.get(x)[self.at("bit", at, x.len())?],
            Condition::Order { relation, i, j } => {
                let j = match j {
                    Index::At(number) => Some(number),
                    Index::In(j) => self.ints[j.place() as usize],
                };
                // none is -1
                let [i, j] = [self.ints[i.place() as usize], j].map(|i| i.map_or(-1, i64::from));
                compared(relation, &i, &j)
            }
            Condition::Compare { relation, v, w } => compared(relation, &self.get(v), &self.get(w)),
        })
    }

    fn fused(&mut self, procedure: &Procedure) -> Result<(), StarError> {
        procedure.run(self)
    }

    fn int_value(&mut self, i: IntVar) -> Result<Option<u32>, StarError> {
        Ok(self.ints[i.place() as usize])
    }

    fn vector_value(&mut self, x: Vector) -> Result<Slice, StarError> {
        Slice::from_bits(&self.get(x))
    }

    fn table_value(&mut self, table: TableVar) -> Result<Table, StarError> {
        let (rows, columns) = &self.tables[table.place() as usize];
        table_of(rows, *columns)
    }

    fn set_vector(&mut self, z: Vector, value: &Slice) -> Result<(), StarError> {
        self.put(z, bits_of(value));
        Ok(())
    }

    fn set_table(&mut self, table: TableVar, value: &Table) -> Result<(), StarError> {
        let row = |i| value.row(i).map(|row| bits_of(row.as_slice()));
        let rows = (0..value.rows()).map(row).collect::<Result<_, _>>()?;
        self.tables[table.place() as usize] = (rows, value.columns());
        Ok(())
    }
}

pub(crate) fn compared<T: PartialOrd>(relation: Relation, v: &T, w: &T) -> bool {
    match relation {
        Relation::Equal => v == w,
        Relation::NotEqual => v != w,
        Relation::Less => v < w,
        Relation::LessOrEqual => v <= w,
        Relation::Greater => v > w,
        Relation::GreaterOrEqual => v >= w,
    }
}
