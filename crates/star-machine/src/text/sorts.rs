//! Infers the types and sizes of the names and expressions of a procedure: from declarations, from
//! the arguments, and from operations whose operands must fit together.

mod calls;
mod expressions;

use std::collections::HashMap;

use super::lengths::{Known, Length, Lengths, Sort};
use super::operations::Callable;
use super::syntax::{Declared, Expression, Kind, Name, Place, Proc, Statement};
use super::{At, Size, TextError};

/// The bits of an integer in an array: one more than the integer, 0 for none.
pub(super) const ARRAY_BITS: usize = 32;

/// A variable of the procedure.
#[derive(Clone, Copy, Debug)]
pub(super) struct Declaration {
    pub(super) sort: Sort,
    at: At,
    may_change: bool,
}

/// The sorts of a procedure.
#[derive(Debug)]
pub(super) struct Sorts<'a> {
    /// All procedures of the text, which this one may call.
    procs: &'a [Proc],
    variables: HashMap<String, Declaration>,
    lengths: Lengths,
    /// What the expression at each place is.
    found: HashMap<At, Sort>,
    /// The lengths of what stands at a place, by the letters of its operation.
    letters: HashMap<(At, char), Length>,
    /// The variables of the loops around, which these count themselves.
    counting: Vec<String>,
}

impl<'a> Sorts<'a> {
    /// Of a procedure that is called with arguments of these sizes.
    ///
    /// # Errors
    /// Where something is not declared, is declared twice, does not fit, or has no size.
    pub(super) fn of(procs: &'a [Proc], proc: &Proc, sizes: &[Size]) -> Result<Self, TextError> {
        let mut sorts = Self {
            procs,
            variables: HashMap::new(),
            lengths: Lengths::default(),
            found: HashMap::new(),
            letters: HashMap::new(),
            counting: Vec::new(),
        };
        if sizes.len() != proc.parameters.len() {
            let (takes, name) = (proc.parameters.len(), &proc.name.text);
            return proc
                .name
                .at
                .wrong(format!("{name} takes {takes} arguments, and {} are given", sizes.len()));
        }
        for (parameter, size) in proc.parameters.iter().zip(sizes) {
            let sort = sorts.of_argument(parameter, *size)?;
            sorts.declare(parameter, sort, parameter.is_result)?;
        }
        // tables first, for the sizes of others may be theirs
        let is_table = |declared: &&Declared| declared.of.kind == Kind::Table;
        let all = || proc.parameters.iter().chain(&proc.variables);
        let variables = || proc.variables.iter();
        for declared in variables().filter(is_table).chain(variables().filter(|d| !is_table(d))) {
            let sort = sorts.open_sort(declared.of.kind);
            sorts.declare(declared, sort, true)?;
        }
        all().try_for_each(|declared| sorts.apply_size(declared))?;
        sorts.statements(&proc.body)?;
        let has_no_size =
            |declared: &&Declared| sorts.size(sorts.variables[&declared.name.text].sort).is_none();
        match all().find(has_no_size) {
            None => Ok(sorts),
            Some(Declared { name, of, .. }) => {
                let (name_of, of) = (&name.text, of.kind.text());
                name.at.wrong(format!(
                    "nothing says how large {name_of} is: declare it as {of}(T), of a table T"
                ))
            }
        }
    }

    /// What is of that kind, of lengths that are to be found.
    fn open_sort(&mut self, kind: Kind) -> Sort {
        let (rows, columns) = (self.open(), self.open());
        Sort::of(kind, rows, columns)
    }

    fn open(&mut self) -> Length {
        self.lengths.add(Known::Open)
    }

    fn number(&mut self, number: usize) -> Length {
        self.lengths.add(Known::Is(number))
    }

    fn of_argument(&mut self, parameter: &Declared, size: Size) -> Result<Sort, TextError> {
        Ok(match (parameter.of.kind, size) {
            (Kind::Integer, Size::Integer) => Sort::Integer,
            (Kind::Slice, Size::Bits(len)) => Sort::Slice(self.number(len)),
            (Kind::Word, Size::Bits(len)) => Sort::Word(self.number(len)),
            (Kind::Table, Size::Table(rows, columns)) => {
                Sort::Table(self.number(rows), self.number(columns))
            }
            (Kind::Array, Size::Table(rows, ARRAY_BITS)) => Sort::Array(self.number(rows)),
            _ => {
                let Declared { name, .. } = parameter;
                return name.at.wrong(format!("{}: another type of argument is given", name.text));
            }
        })
    }

    fn declare(
        &mut self,
        declared: &Declared,
        sort: Sort,
        may_change: bool,
    ) -> Result<(), TextError> {
        let Name { text, at } = &declared.name;
        let declaration = Declaration { sort, at: *at, may_change };
        match self.variables.insert(text.clone(), declaration) {
            None if Callable::named(text).is_some() => {
                at.wrong(format!("'{text}' is the name of an operation"))
            }
            None => Ok(()),
            Some(before) => {
                at.wrong(format!("'{text}' was declared in line {} already", before.at.line))
            }
        }
    }

    /// What `slice(T)`, `slice(n)` and the like say.
    fn apply_size(&mut self, declared: &Declared) -> Result<(), TextError> {
        let Declared { name, of, .. } = declared;
        let sort = self.variable(name)?.sort;
        match (sort, &of.size[..]) {
            (_, []) => Ok(()),
            (sort, [Expression::Variable(table)]) => {
                let Sort::Table(rows, columns) = self.variable(table)?.sort else {
                    return table.at.wrong(format!("'{}' is no table", table.text));
                };
                let (what, of) = (format!("the {}", of.kind.text()), of.kind);
                self.fit(table.at, &what, sort, Sort::of(of, rows, columns))
            }
            (Sort::Slice(len) | Sort::Word(len) | Sort::Array(len), [size]) => {
                let size_of = self.known(size)?;
                self.unite(size.at(), "this", len, size_of)
            }
            (Sort::Table(rows, columns), [of_rows, of_columns]) => {
                let (m, k) = (self.known(of_rows)?, self.known(of_columns)?);
                self.unite(of_rows.at(), "the rows", rows, m)?;
                self.unite(of_columns.at(), "the columns", columns, k)
            }
            (_, sizes) => sizes[0].at().wrong(
                "a table takes two numbers as its size, rows and columns; every other type \
                        takes one",
            ),
        }
    }

    /// A size that is said by a number.
    fn known(&mut self, size: &Expression) -> Result<Length, TextError> {
        let number = self.constant(size).and_then(|number| usize::try_from(number).ok());
        match number {
            Some(number) => Ok(self.number(number)),
            None => size.at().wrong(
                "expected as a size a table, or a number that follows from the \
                                 sizes of the arguments",
            ),
        }
    }

    /// The size of a sort, if its lengths are known.
    pub(super) fn size(&self, sort: Sort) -> Option<Size> {
        let known = |length| self.lengths.get(length);
        Some(match sort {
            Sort::Integer | Sort::Truth => Size::Integer,
            Sort::Slice(len) | Sort::Word(len) => Size::Bits(known(len)?),
            Sort::Table(rows, columns) => Size::Table(known(rows)?, known(columns)?),
            Sort::Array(len) => Size::Table(known(len)?, ARRAY_BITS),
        })
    }

    /// What the expression at this place was found to be.
    pub(super) fn found(&self, at: At) -> Sort {
        self.found[&at]
    }

    /// A variable that is declared.
    pub(super) fn variable(&self, name: &Name) -> Result<Declaration, TextError> {
        let found = self.variables.get(&name.text).copied();
        found.ok_or_else(|| TextError::at(name.at, format!("'{}' is not declared", name.text)))
    }

    /// A variable that may get a value.
    fn changed(&self, name: &Name) -> Result<Sort, TextError> {
        let Declaration { sort, may_change, .. } = self.variable(name)?;
        if self.counting.contains(&name.text) {
            return name
                .at
                .wrong(format!("'{}' counts the turns of a loop around this", name.text));
        }
        if !may_change {
            return name.at.wrong(format!("'{0}' is no result: declare it as var {0}", name.text));
        }
        Ok(sort)
    }

    fn unite(&mut self, at: At, what: &str, a: Length, b: Length) -> Result<(), TextError> {
        let sizes = self.lengths.get(a).zip(self.lengths.get(b));
        if self.lengths.unite(a, b) {
            return Ok(());
        }
        let (found, expected) = sizes.expect("what can not be united is known");
        at.wrong(format!("{what} has {found} bits, and {expected} are expected"))
    }

    fn statements(&mut self, statements: &[Statement]) -> Result<(), TextError> {
        statements.iter().try_for_each(|statement| self.statement(statement))
    }

    fn statement(&mut self, statement: &Statement) -> Result<(), TextError> {
        match statement {
            Statement::Assign { place, value } => match (self.place(place)?, value) {
                // a bit is written as a number
                (Sort::Truth, Expression::Number(0 | 1, _)) => Ok(()),
                (expected, value) => self.expect(value, expected, "the value"),
            },
            Statement::Call(call) => match self.proc(&call.name) {
                Some(proc) => self.proc_call(call, proc),
                None if self.variables.contains_key(&call.name.text) => call
                    .name
                    .at
                    .wrong(format!("'{}' is a variable, and no statement", call.name.text)),
                // a result that is not wanted may be dropped
                None => {
                    let sort = self.call(call)?;
                    self.found.insert(call.name.at, sort);
                    Ok(())
                }
            },
            Statement::If { condition, then, otherwise } => {
                self.expect(condition, Sort::Truth, "the condition")?;
                self.statements(then)?;
                self.statements(otherwise)
            }
            Statement::While { condition, body } | Statement::Repeat { body, until: condition } => {
                self.expect(condition, Sort::Truth, "the condition")?;
                self.statements(body)
            }
            Statement::For { variable, first, last, body, .. } => {
                if self.changed(variable)? != Sort::Integer {
                    return variable.at.wrong(format!("'{}' is no integer", variable.text));
                }
                self.expect(first, Sort::Integer, "the first number")?;
                self.expect(last, Sort::Integer, "the last number")?;
                self.counting.push(variable.text.clone());
                self.statements(body)?;
                self.counting.pop();
                Ok(())
            }
            Statement::Exit(_) => Ok(()),
        }
    }

    fn place(&mut self, place: &Place) -> Result<Sort, TextError> {
        let call = match place {
            Place::Variable(name) => return self.changed(name),
            Place::Part(call) => call,
        };
        match &call.arguments[..] {
            [_, Expression::Variable(table) | Expression::Field(table, _)]
                if Callable::assigning(&call.name.text).is_some() =>
            {
                self.changed(table)?;
                self.call(call)
            }
            [at] => {
                let sort = self.changed(&call.name)?;
                self.element(&call.name, sort, at)
            }
            _ => {
                call.name.at.wrong("expected a variable, X(i), COL(i, T) or ROW(i, T) before ':='")
            }
        }
    }
}
