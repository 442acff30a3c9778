//! A program, its arguments, and where it runs.

use gpu_runtime::Gpu;

use crate::language::Machine;
use crate::program::Variable;
use crate::{CountFrom, GpuProgram, Program, Size, Slice, StarError, Table, Text, TextError, Word};

/// What an argument of a program holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
    /// A slice: a bit for every row of a table.
    Slice(Slice),
    /// A word: a bit for every column.
    Word(Word),
    /// A table.
    Table(Table),
    /// An integer, or none.
    Int(Option<u32>),
}

impl Value {
    /// Its size.
    pub fn size(&self) -> Size {
        match self {
            Self::Slice(x) => Size::Bits(x.len()),
            Self::Word(w) => Size::Bits(w.len()),
            Self::Table(table) => Size::Table(table.rows(), table.columns()),
            Self::Int(_) => Size::Integer,
        }
    }
}

/// The last procedure of a text, with arguments.
///
/// ```
/// use star_machine::algorithms::{Runner, Task, Value};
/// use star_machine::{CountFrom, Counting, Host, Slice, Table};
///
/// let text = "proc REST(T: table; X: slice(T); var Z: slice(T));
///             begin Z := X and not MIN(T, X) end;";
/// let table = Table::from_values(&[5, 2, 7, 2, 3], 3)?;
/// let marks = [Slice::ones(5)?, Slice::zeros(5)?].map(Value::Slice);
/// let task = Task::new(text, [Value::Table(table)].into_iter().chain(marks), CountFrom::Zero)?;
///
/// let mut m = Counting::new(Host::new());
/// let mut rest = task.on(&mut m)?;
/// rest.run()?;
/// assert_eq!(rest.slice("Z")?.to_string(), "10101");
/// assert_eq!(m.cost().total(), 3 * 3 + 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Task {
    program: Program,
    names: Vec<String>,
    values: Vec<Value>,
}

impl Task {
    /// A task; the values are those of the procedure's parameters, in order.
    ///
    /// # Errors
    /// Where the text is not valid, or the values do not fit the parameters of its last procedure.
    pub fn new(
        text: &str,
        values: impl IntoIterator<Item = Value>,
        from: CountFrom,
    ) -> Result<Self, TextError> {
        let text = Text::parse(text)?;
        Self::of(&text, text.names().last().unwrap_or_default(), values, from)
    }

    /// A task of the procedure of this name.
    ///
    /// # Errors
    /// As [`Text::compile`].
    pub fn of(
        text: &Text,
        name: &str,
        values: impl IntoIterator<Item = Value>,
        from: CountFrom,
    ) -> Result<Self, TextError> {
        let values: Vec<_> = values.into_iter().collect();
        let sizes: Vec<_> = values.iter().map(Value::size).collect();
        let program = text.compile(name, &sizes, from)?;
        let parameters = text.parameters(name).unwrap_or_default();
        let names = parameters.into_iter().map(|parameter| parameter.name).collect();
        Ok(Self { program, names, values })
    }

    /// Its program.
    pub fn program(&self) -> &Program {
        &self.program
    }

    /// The arguments by name, with their initial values.
    pub fn arguments(&self) -> impl Iterator<Item = (&str, &Value)> {
        self.names.iter().map(String::as_str).zip(&self.values)
    }

    /// The task with a [limit](Program::with_most_turns) on the iterations of its loops.
    #[must_use]
    pub fn with_most_turns(self, most_turns: u64) -> Self {
        Self { program: self.program.with_most_turns(most_turns), ..self }
    }

    /// Loads it on a machine.
    ///
    /// # Errors
    /// Those of declaring variables on the machine.
    pub fn on<'a, M: Machine>(&'a self, machine: &'a mut M) -> Result<OnMachine<'a, M>, StarError> {
        let load = |value: &Value| {
            Ok(match value {
                Value::Slice(x) => machine.load_slice(x)?.into(),
                Value::Word(w) => machine.load_word(w)?.into(),
                Value::Table(table) => machine.load_table(table)?.into(),
                Value::Int(number) => {
                    let i = machine.new_int()?;
                    machine.execute(&crate::Op::SetInt { i, value: *number })?;
                    i.into()
                }
            })
        };
        let arguments = self.values.iter().map(load).collect::<Result<_, StarError>>()?;
        Ok(OnMachine { task: self, machine, arguments })
    }

    /// Loads it on a GPU, where a run is one launch.
    ///
    /// # Errors
    /// Those of [`Program::load`].
    pub fn load(&self, gpu: &Gpu) -> Result<OnGpu<'_>, StarError> {
        let mut loaded = OnGpu { task: self, program: self.program.load(gpu)? };
        self.arguments().try_for_each(|(name, value)| loaded.set(name, value))?;
        Ok(loaded)
    }

    /// The argument of this name.
    fn number(&self, name: &str) -> Result<usize, StarError> {
        let found = self.names.iter().position(|other| other == name);
        found.ok_or(StarError::Unknown { what: "argument" })
    }
}

/// A program with its variables, which can be run repeatedly; arguments are known by name.
pub trait Runner {
    /// Runs it.
    ///
    /// # Errors
    /// Those of [`Program::run`].
    fn run(&mut self) -> Result<(), StarError>;

    /// Sets the value of an argument.
    ///
    /// # Errors
    /// [`StarError::Unknown`] where no argument has this name, or its type or size differs.
    fn set(&mut self, name: &str, value: &Value) -> Result<(), StarError>;

    /// The value of an argument.
    ///
    /// # Errors
    /// [`StarError::Unknown`] where no argument has this name, and those of the machine.
    fn get(&mut self, name: &str) -> Result<Value, StarError>;

    /// The value of a slice.
    ///
    /// # Errors
    /// As [`get`](Self::get), and where the argument is not a slice.
    fn slice(&mut self, name: &str) -> Result<Slice, StarError> {
        match self.get(name)? {
            Value::Slice(x) => Ok(x),
            _ => Err(StarError::Unknown { what: "slice" }),
        }
    }

    /// The value of a table.
    ///
    /// # Errors
    /// As [`slice`](Self::slice).
    fn table(&mut self, name: &str) -> Result<Table, StarError> {
        match self.get(name)? {
            Value::Table(table) => Ok(table),
            _ => Err(StarError::Unknown { what: "table" }),
        }
    }

    /// The value of an integer.
    ///
    /// # Errors
    /// As [`slice`](Self::slice).
    fn int(&mut self, name: &str) -> Result<Option<u32>, StarError> {
        match self.get(name)? {
            Value::Int(number) => Ok(number),
            _ => Err(StarError::Unknown { what: "integer" }),
        }
    }
}

/// A [`Task`] on a machine.
#[derive(Debug)]
pub struct OnMachine<'a, M> {
    task: &'a Task,
    machine: &'a mut M,
    arguments: Vec<Variable>,
}

impl<M> OnMachine<'_, M> {
    /// The machine that it is on.
    pub fn machine(&mut self) -> &mut M {
        self.machine
    }
}

impl<M: Machine> Runner for OnMachine<'_, M> {
    fn run(&mut self) -> Result<(), StarError> {
        self.task.program.run(self.machine, &self.arguments)
    }

    fn set(&mut self, name: &str, value: &Value) -> Result<(), StarError> {
        match (self.arguments[self.task.number(name)?], value) {
            (Variable::Vector(z), Value::Slice(x)) => self.machine.set_vector(z, x),
            (Variable::Vector(z), Value::Word(w)) => self.machine.set_vector(z, w.as_slice()),
            (Variable::Table(table), Value::Table(value)) => self.machine.set_table(table, value),
            (Variable::Int(i), Value::Int(value)) => {
                self.machine.execute(&crate::Op::SetInt { i, value: *value })
            }
            _ => Err(StarError::Unknown { what: "argument of this type" }),
        }
    }

    fn get(&mut self, name: &str) -> Result<Value, StarError> {
        let number = self.task.number(name)?;
        Ok(match (self.arguments[number], &self.task.values[number]) {
            (Variable::Vector(x), Value::Word(_)) => {
                Value::Word(self.machine.vector_value(x)?.into_word())
            }
            (Variable::Vector(x), _) => Value::Slice(self.machine.vector_value(x)?),
            (Variable::Table(table), _) => Value::Table(self.machine.table_value(table)?),
            (Variable::Int(i), _) => Value::Int(self.machine.int_value(i)?),
        })
    }
}

/// A [`Task`] on a GPU; a run is one launch.
#[derive(Debug)]
pub struct OnGpu<'a> {
    task: &'a Task,
    program: GpuProgram,
}

impl OnGpu<'_> {
    fn variable(&self, name: &str) -> Result<Variable, StarError> {
        Ok(self.task.program.parameters()[self.task.number(name)?])
    }
}

impl Runner for OnGpu<'_> {
    fn run(&mut self) -> Result<(), StarError> {
        self.program.run()
    }

    fn set(&mut self, name: &str, value: &Value) -> Result<(), StarError> {
        match (self.variable(name)?, value) {
            (Variable::Vector(z), Value::Slice(x)) => self.program.set_vector(z, x),
            (Variable::Vector(z), Value::Word(w)) => self.program.set_vector(z, w.as_slice()),
            (Variable::Table(table), Value::Table(value)) => self.program.set_table(table, value),
            (Variable::Int(i), Value::Int(value)) => self.program.set_int(i, *value),
            _ => Err(StarError::Unknown { what: "argument of this type" }),
        }
    }

    fn get(&mut self, name: &str) -> Result<Value, StarError> {
        let (variable, number) = (self.variable(name)?, self.task.number(name)?);
        Ok(match (variable, &self.task.values[number]) {
            (Variable::Vector(x), Value::Word(_)) => {
                Value::Word(self.program.vector_value(x)?.into_word())
            }
            (Variable::Vector(x), _) => Value::Slice(self.program.vector_value(x)?),
            (Variable::Table(table), _) => Value::Table(self.program.table_value(table)?),
            (Variable::Int(i), _) => Value::Int(self.program.int_value(i)?),
        })
    }
}
