//! Basic procedures on a GPU, in operations and fused, against those on the host; and the
//! closure.

use star_machine::{
    Cuda, FieldVar, Host, Machine, Procedure, Slice, SliceVar, Star, StarError, Table, TableVar,
    Vector, WordVar, procedures, warshall_adapted,
};

use crate::both::{Both, gpu, some_bits, some_table};
use crate::cases::Operands;

/// Variables that procedures are called on.
struct Variables {
    tables: [TableVar; 3],
    slices: [SliceVar; 4],
    word: WordVar,
    rows: Slice,
}

impl Variables {
    /// Tables have some columns more than words have bits.
    fn new(m: &mut Both, rows: usize, columns: usize) -> Self {
        Self {
            tables: [(); 3].map(|()| m.table(rows, columns + 3).unwrap()),
            slices: [(); 4].map(|()| m.slice(rows).unwrap()),
            word: m.word(columns).unwrap(),
            rows: some_bits(rows, 9, 2),
        }
    }

    /// The same values before every call. Few ones and few zeros make rows that are equal.
    fn set(&self, m: &mut Both, seed: u64) {
        for (table, seed) in self.tables.iter().zip(seed..) {
            let (rows, columns) = (table.rows() as usize, table.columns() as usize);
            let sparsity = if columns > 20 { 1 + 20 * (seed % 2) as usize } else { 2 };
            m.set_table(*table, &some_table(rows, columns, seed, sparsity)).unwrap();
        }
        for (slice, seed) in self.slices.iter().zip(seed..) {
            m.set_vector(slice.0, &some_bits(slice.0.len() as usize, seed, 2)).unwrap();
        }
        m.set_vector(self.slices[0].0, &self.rows).unwrap();
        // the word is that of a row, so that some are equal
        let (columns, table) = (self.word.0.len() as usize, self.tables[0]);
        let table = m.table_value(table).unwrap();
        let word = match self.rows.fnd() {
            Some(row) if seed.is_multiple_of(2) => {
                table.field(0..columns).unwrap().row(row).unwrap().into_slice()
            }
            _ => some_bits(columns, seed, 2),
        };
        m.set_vector(self.word.0, &word).unwrap();
    }

    fn values(&self, m: &mut Both) -> (Vec<Table>, Vec<Slice>) {
        let tables = self.tables.map(|table| m.table_value(table).unwrap());
        let slices = self.slices.map(|slice| m.vector_value(slice.0).unwrap());
        (tables.into(), slices.into())
    }
}

/// All of them, of these operands.
fn all(
    [table, other, to]: [FieldVar; 3],
    [rows, z, equal, greater]: [SliceVar; 4],
    word: WordVar,
) -> Vec<Procedure> {
    Operands { table, other, to, rows, word, results: [z, equal, greater] }.procedures()
}

/// On both machines, in operations and fused, with the same results, the latter in so many
/// launches.
fn agree(m: &mut Both, variables: &Variables, procedure: &Procedure, seed: u64, launches: u64) {
    m.watch = false;
    variables.set(m, seed);
    procedure.run(m).unwrap();
    m.compare(procedure);
    let expected = variables.values(m);
    variables.set(m, seed);
    let before = m.cuda.launches();
    m.fused(procedure).unwrap();
    assert_eq!(m.cuda.launches() - before, launches, "{procedure:?}");
    m.compare(procedure);
    assert!(variables.values(m) == expected, "{procedure:?}");
}

#[test]
fn procedures_of_all_sizes() {
    let Some(gpu) = gpu() else { return };
    let mut seed = 0;
    for rows in [0, 1, 2, 63, 64, 65, 127, 128, 129, 1000] {
        for columns in [0, 1, 7, 8, 9, 63, 64, 65, 129] {
            let mut m = Both::new(&gpu);
            let mut v = Variables::new(&mut m, rows, columns);
            let fields = v.tables.map(|table| table.field(0..columns).unwrap());
            let marked =
                [some_bits(rows, 9, 2), Slice::ones(rows).unwrap(), Slice::zeros(rows).unwrap()];
            for (marked, procedure) in marked
                .iter()
                .flat_map(|x| all(fields, v.slices, v.word).into_iter().map(move |p| (x, p)))
            {
                v.rows = marked.clone();
                seed += 1;
                agree(&mut m, &v, &procedure, seed, u64::from(rows > 0));
            }
        }
    }
}

#[test]
fn results_that_are_operands() {
    let Some(gpu) = gpu() else { return };
    let mut seed = 0;
    for (rows, columns) in [(1, 1), (65, 4), (130, 8), (64, 17), (200, 70)] {
        let mut m = Both::new(&gpu);
        let v = Variables::new(&mut m, rows, columns);
        let [a, b, _] = v.tables;
        let [x, y, z, _] = v.slices;
        let at = |table: TableVar, first| table.field(first..first + columns).unwrap();
        // the same field, one later, one earlier, two fields of the same table
        for (table, other, to) in [
            (at(a, 0), at(b, 0), at(a, 0)),
            (at(a, 0), at(b, 0), at(b, 0)),
            (at(a, 0), at(a, 0), at(a, 0)),
            (at(a, 0), at(b, 0), at(a, 1)),
            (at(a, 1), at(b, 0), at(a, 0)),
            (at(b, 0), at(a, 3), at(a, 0)),
            (at(b, 1), at(a, 0), at(a, 2)),
            (at(a, 1), at(a, 3), at(a, 2)),
        ] {
            for slices in [[x, x, y, z], [x, y, x, z], [x, y, z, x]] {
                for procedure in all([table, other, to], slices, v.word) {
                    seed += 1;
                    agree(&mut m, &v, &procedure, seed, 1);
                }
            }
        }
    }
}

#[test]
fn words_that_are_results() {
    let Some(gpu) = gpu() else { return };
    for size in [1, 64, 65, 130] {
        let mut m = Both::new(&gpu);
        let mut v = Variables::new(&mut m, size, size);
        let [x, y, z, _] = v.slices;
        let [table, other, to] = v.tables.map(|table| table.field(0..size).unwrap());
        // its value is set last
        v.word = WordVar(y.0);
        let word = v.word;
        for procedure in [
            Procedure::Match { table, rows: x, word, z: y },
            Procedure::Compare { table, rows: x, word, less: x, equal: y, greater: z },
            Procedure::Compare { table, rows: x, word, less: z, equal: x, greater: y },
            Procedure::AddWord { table, rows: x, word, to, carry: y },
            Procedure::SubtractWord { table: other, rows: x, word, to, borrow: y },
        ] {
            agree(&mut m, &v, &procedure, 4, 2);
        }
    }
}

#[test]
fn errors_of_procedures_change_nothing() {
    let Some(gpu) = gpu() else { return };
    let mut m = Both::new(&gpu);
    let v = Variables::new(&mut m, 70, 5);
    v.set(&mut m, 1);
    let before = v.values(&mut m);
    let (long, gone) = (m.slice(71).unwrap(), SliceVar(Vector::new(99, 70)));
    let no_table = TableVar::new(99, 70, v.tables[0].columns());
    let [table, other, to] = v.tables.map(|table| table.field(0..5).unwrap());
    let [rows, z, ..] = v.slices;
    let wide = v.tables[2].field(0..6).unwrap();
    let beyond = FieldVar { first: 7, ..to };
    let word = v.word;
    for procedure in [
        Procedure::Match { table, rows: long, word, z },
        Procedure::Match { table: wide, rows, word, z },
        Procedure::Match { table, rows, word, z: gone },
        Procedure::Match { table: no_table.into(), rows, word: WordVar(rows.0), z },
        Procedure::Min { table, rows, z: long },
        Procedure::Max { table: beyond, rows, z },
        Procedure::Max { table, rows: gone, z },
        Procedure::Hit { table, other: wide, rows, z },
        Procedure::Clear { table: no_table },
        Procedure::CopyTable { table, to: beyond },
        Procedure::AddTable { table, other, rows, to: wide, carry: z },
        Procedure::SubtractWord { table, rows, word, to: beyond, borrow: z },
    ] {
        procedure.check().err();
        m.fused(&procedure).unwrap_err();
    }
    assert_eq!(m.cuda.launches(), 0);
    assert!(v.values(&mut m) == before);
}

/// More blocks than one, and numbers that differ late.
#[test]
fn least_by_pieces() {
    let Some(gpu) = gpu() else { return };
    let mut m = Both::new(&gpu);
    m.watch = false;
    for (rows, columns) in [(8192, 64), (8193, 1), (20_000, 65), (24_000, 200)] {
        let mut values = Table::zeros(rows, columns).unwrap();
        for j in [0, 1, 62, 63, 64, 65, 127, 128, columns - 1] {
            if j < columns {
                values.set_col(j, &some_bits(rows, j as u64, 3)).unwrap();
            }
        }
        let table: FieldVar = m.load_table(&values).unwrap().into();
        let (z, fused) = (m.slice(rows).unwrap(), m.slice(rows).unwrap());
        for sparsity in [1, 2, 500, 20_000, 100_000] {
            let rows = m.load_slice(&some_bits(rows, 9, sparsity)).unwrap();
            let calls = |z| [Procedure::Min { table, rows, z }, Procedure::Max { table, rows, z }];
            for (run, call) in calls(z).into_iter().zip(calls(fused)) {
                run.run(&mut m).unwrap();
                m.fused(&call).unwrap();
                m.compare(&call);
                assert!(m.vector_value(z.0).unwrap() == m.vector_value(fused.0).unwrap());
            }
        }
    }
}

/// More rows than the threads that can wait for one another have words.
#[test]
fn least_of_many_rows() {
    let Some(gpu) = gpu() else { return };
    let rows = 20_000_000;
    let mut m = Both::new(&gpu);
    for columns in [3, 67] {
        let mut values = Table::zeros(rows, columns).unwrap();
        // the least rows are few, and differ from others late
        for j in 0..columns {
            let ones = Slice::ones(rows).unwrap();
            values.set_col(j, &ones).unwrap();
        }
        for row in [5, 123_456, 9_999_999, 19_999_999] {
            values.set(row, columns - 1, false).unwrap();
        }
        values.set(123_456, columns / 2, false).unwrap();
        values.set(19_999_999, columns / 2, false).unwrap();
        let table: FieldVar = m.load_table(&values).unwrap().into();
        let z = m.slice(rows).unwrap();
        for marked in [Slice::ones(rows).unwrap(), Slice::from_positions(rows, [7, 5]).unwrap()] {
            let rows = m.load_slice(&marked).unwrap();
            m.watch = false;
            for procedure in [Procedure::Min { table, rows, z }, Procedure::Max { table, rows, z }]
            {
                m.fused(&procedure).unwrap();
                let found = m.vector_value(z.0).unwrap();
                let run = {
                    procedure.run(&mut m.host).unwrap();
                    m.host.vector_value(z.0).unwrap()
                };
                assert!(found == run, "{procedure:?}");
            }
        }
    }
}

/// The closure of `before`, by each form on its own machine.
fn closures(gpu: &gpu_runtime::Gpu, before: &Table) -> Result<[Table; 4], StarError> {
    let n = before.rows();
    let mut host = Host::new();
    let table = host.load_table(before)?;
    procedures::warshall(&mut host, table, 0..n)?;
    let mut cuda = Cuda::new(gpu)?;
    let tables = [cuda.load_table(before)?, cuda.load_table(before)?, cuda.load_table(before)?];
    procedures::warshall(&mut cuda, tables[0], 0..n)?;
    procedures::warshall_columns(&mut cuda, tables[1], 0..n)?;
    let launched = cuda.launches();
    warshall_adapted(&mut cuda, tables[2], 0..n)?;
    assert_eq!(cuda.launches() - launched, n as u64);
    let [rows, columns, adapted] = tables.map(|table| cuda.table_value(table).unwrap());
    Ok([host.table_value(table)?, rows, columns, adapted])
}

#[test]
fn closures_are_the_hosts() -> Result<(), StarError> {
    let Some(gpu) = gpu() else { return Ok(()) };
    for n in [0, 1, 2, 63, 64, 65, 127, 129] {
        // one arc a vertex, some, and dense
        for (sparsity, seed) in [(n + 1, 1), (n / 2 + 1, 2), (2, 3)] {
            let found = closures(&gpu, &some_table(n, n, seed, sparsity))?;
            assert!(
                found.iter().all(|table| *table == found[0]),
                "{n} vertices, one in {sparsity}"
            );
        }
    }
    Ok(())
}

/// Where a column has more words than a block has threads.
#[test]
fn adapted_closure_of_long_columns() -> Result<(), StarError> {
    let Some(gpu) = gpu() else { return Ok(()) };
    let n = 16_500;
    // a cycle of every second vertex, and the vertices between them behind it
    let mut before = Table::zeros(n, n)?;
    for vertex in (0..n).step_by(2) {
        before.set(vertex, (vertex + 2) % n, true)?;
        before.set(vertex, vertex + 1, true)?;
    }
    let even = Slice::from_positions(n, (0..n).step_by(2))?;
    let mut m = Cuda::new(&gpu)?;
    let table = m.load_table(&before)?;
    warshall_adapted(&mut m, table, 0..n)?;
    let after = m.table_value(table)?;
    assert!((0..n).all(|j| after.col(j).is_ok_and(|column| column == even)));
    Ok(())
}

#[test]
fn closure_of_what_is_not_square_is_refused() {
    let Some(gpu) = gpu() else { return };
    let mut m = Cuda::new(&gpu).unwrap();
    let table = m.new_table(3, 4).unwrap();
    let error = warshall_adapted(&mut m, table, 0..3).unwrap_err();
    assert!(matches!(error, StarError::LengthMismatch { left: 3, right: 4, .. }), "{error}");
    let unknown = TableVar::new(0, 4, 4);
    assert!(warshall_adapted(&mut m, unknown, 0..4).is_err());
    let square = m.new_table(4, 4).unwrap();
    let beyond = warshall_adapted(&mut m, square, 0..5).unwrap_err();
    assert!(matches!(beyond, StarError::OutOfRange { index: 4, len: 4, .. }), "{beyond}");
    assert_eq!(m.launches(), 0);
}
