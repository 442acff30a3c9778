//! A machine on the host and one on a GPU that do the same, and must be found the same.

use std::fmt::Debug;

use gpu_runtime::Gpu;
use star_machine::{
    Condition, Cuda, Host, IntVar, Machine, Mark, Op, Procedure, Slice, StarError, Table, TableVar,
    Variable, Vector,
};

use crate::random::Random;
use crate::renamed::{Names, Renamed};

/// The first GPU, or `None` and a word about it.
pub(crate) fn gpu() -> Option<Gpu> {
    test_support::gpu(Gpu::open())
}

/// Bits of which one in `sparsity` is set.
pub(crate) fn some_bits(len: usize, seed: u64, sparsity: usize) -> Slice {
    let mut random = Random(seed + len as u64);
    Slice::from_positions(len, (0..len).filter(|_| random.below(sparsity) == 0)).unwrap()
}

/// Bits of which one in `sparsity` is set.
pub(crate) fn some_table(rows: usize, columns: usize, seed: u64, sparsity: usize) -> Table {
    let mut table = Table::zeros(rows, columns).unwrap();
    for j in 0..columns {
        table.set_col(j, &some_bits(rows, seed + 31 * j as u64, sparsity)).unwrap();
    }
    table
}

/// Both do what is asked of it; answers and errors are compared, and with `watch`, all
/// variables after every operation. Its variables are the host's.
pub(crate) struct Both {
    pub(crate) host: Host,
    pub(crate) cuda: Cuda,
    pub(crate) watch: bool,
    vectors: Vec<Vector>,
    tables: Vec<TableVar>,
    ints: Vec<IntVar>,
    /// The GPU's variables by the host's.
    names: Names,
}

pub(crate) struct BothMark {
    host: <Host as Machine>::Mark,
    cuda: Mark,
    vectors: usize,
    tables: usize,
    ints: usize,
}

impl Both {
    pub(crate) fn new(gpu: &Gpu) -> Self {
        Self {
            host: Host::new(),
            cuda: Cuda::new(gpu).unwrap(),
            watch: true,
            vectors: Vec::new(),
            tables: Vec::new(),
            ints: Vec::new(),
            names: Names::new(),
        }
    }

    /// With the paper's launches on the GPU.
    pub(crate) fn as_printed(gpu: &Gpu) -> Self {
        Self { cuda: Cuda::as_printed(gpu).unwrap(), ..Self::new(gpu) }
    }

    /// A variable that both have.
    fn declared<T: Copy + Into<Variable>>(
        &mut self,
        host: Result<T, StarError>,
        cuda: Result<T, StarError>,
        of: &dyn Debug,
    ) -> Result<T, StarError> {
        let variables = host.as_ref().ok().copied().zip(cuda.as_ref().ok().copied());
        same(host.map(drop), cuda.map(drop), of)?;
        let (host, cuda) = variables.expect("both were declared");
        self.names.insert(host.into(), cuda.into());
        Ok(host)
    }

    /// All variables are the same on both, and their tails are clean.
    pub(crate) fn compare(&mut self, after: &dyn Debug) {
        for &x in &self.vectors {
            let (host, cuda) =
                (self.host.vector_value(x), self.cuda.vector_value(x.renamed(&self.names)));
            assert_eq!(host.unwrap(), cuda.unwrap(), "{x:?} after {after:?}");
        }
        for &table in &self.tables {
            let cuda = self.cuda.table_value(table.renamed(&self.names));
            let host = self.host.table_value(table);
            assert!(host.unwrap() == cuda.unwrap(), "{table:?} after {after:?}");
        }
        for &i in &self.ints {
            let (host, cuda) =
                (self.host.int_value(i), self.cuda.int_value(i.renamed(&self.names)));
            assert_eq!(host.unwrap(), cuda.unwrap(), "{i:?} after {after:?}");
        }
    }
}

/// Both answers, which must be the same, errors word by word.
fn same<T: Debug + PartialEq>(
    host: Result<T, StarError>,
    cuda: Result<T, StarError>,
    of: &dyn Debug,
) -> Result<T, StarError> {
    match (host, cuda) {
        (Ok(host), Ok(cuda)) => {
            assert_eq!(host, cuda, "{of:?}");
            Ok(host)
        }
        (Err(host), Err(cuda)) => {
            assert_eq!(format!("{host:?}"), format!("{cuda:?}"), "{of:?}");
            Err(host)
        }
        (host, cuda) => panic!("{of:?}: {host:?} on the host, {cuda:?} on the GPU"),
    }
}

impl Machine for Both {
    type Mark = BothMark;

    fn new_vector(&mut self, len: usize) -> Result<Vector, StarError> {
        let (host, cuda) = (self.host.new_vector(len), self.cuda.new_vector(len));
        let made = self.declared(host, cuda, &len)?;
        self.vectors.push(made);
        Ok(made)
    }

    fn new_table(&mut self, rows: usize, columns: usize) -> Result<TableVar, StarError> {
        let (host, cuda) = (self.host.new_table(rows, columns), self.cuda.new_table(rows, columns));
        let made = self.declared(host, cuda, &(rows, columns))?;
        self.tables.push(made);
        Ok(made)
    }

    fn new_int(&mut self) -> Result<IntVar, StarError> {
        let (host, cuda) = (self.host.new_int(), self.cuda.new_int());
        let made = self.declared(host, cuda, &"an integer")?;
        self.ints.push(made);
        Ok(made)
    }

    fn mark(&self) -> BothMark {
        BothMark {
            host: self.host.mark(),
            cuda: self.cuda.mark(),
            vectors: self.vectors.len(),
            tables: self.tables.len(),
            ints: self.ints.len(),
        }
    }

    fn release(&mut self, mark: BothMark) {
        self.host.release(mark.host);
        self.cuda.release(mark.cuda);
        self.vectors.truncate(mark.vectors);
        self.tables.truncate(mark.tables);
        self.ints.truncate(mark.ints);
    }

    fn execute(&mut self, op: &Op) -> Result<(), StarError> {
        let done = same(self.host.execute(op), self.cuda.execute(&op.renamed(&self.names)), op);
        if self.watch {
            self.compare(op);
        }
        done
    }

    fn holds(&mut self, condition: &Condition) -> Result<bool, StarError> {
        let (host, cuda) =
            (self.host.holds(condition), self.cuda.holds(&condition.renamed(&self.names)));
        same(host, cuda, condition)
    }

    fn fused(&mut self, procedure: &Procedure) -> Result<(), StarError> {
        let (host, cuda) =
            (self.host.fused(procedure), self.cuda.fused(&procedure.renamed(&self.names)));
        let done = same(host, cuda, procedure);
        if self.watch {
            self.compare(procedure);
        }
        done
    }

    fn int_value(&mut self, i: IntVar) -> Result<Option<u32>, StarError> {
        same(self.host.int_value(i), self.cuda.int_value(i.renamed(&self.names)), &i)
    }

    fn vector_value(&mut self, x: Vector) -> Result<Slice, StarError> {
        same(self.host.vector_value(x), self.cuda.vector_value(x.renamed(&self.names)), &x)
    }

    fn table_value(&mut self, table: TableVar) -> Result<Table, StarError> {
        same(
            self.host.table_value(table),
            self.cuda.table_value(table.renamed(&self.names)),
            &table,
        )
    }

    fn set_vector(&mut self, z: Vector, value: &Slice) -> Result<(), StarError> {
        same(
            self.host.set_vector(z, value),
            self.cuda.set_vector(z.renamed(&self.names), value),
            &z,
        )
    }

    fn set_table(&mut self, table: TableVar, value: &Table) -> Result<(), StarError> {
        same(
            self.host.set_table(table, value),
            self.cuda.set_table(table.renamed(&self.names), value),
            &table,
        )
    }
}
