//! What the names and expressions of a procedure are, and how large: found from what is
//! declared, from the arguments, and from what must fit together.

use std::collections::HashMap;

use super::lengths::{Known, Length, Lengths, Sort};
use super::operations::{Gives, Operation, Takes};
use super::syntax::{Call, Declared, Expression, Name, Operator, Place, Proc, Statement, Type};
use super::{At, Size, TextError};

/// A variable of the procedure.
#[derive(Clone, Copy, Debug)]
pub(super) struct Declaration {
    pub(super) sort: Sort,
    at: At,
    may_change: bool,
}

/// The sorts of a procedure.
#[derive(Debug)]
pub(super) struct Sorts {
    variables: HashMap<String, Declaration>,
    lengths: Lengths,
    /// The variables of the loops around, which these count themselves.
    counting: Vec<String>,
}

impl Sorts {
    /// Of a procedure that is called with arguments of these sizes.
    ///
    /// # Errors
    /// Where something is not declared, is declared twice, does not fit, or has no size.
    pub(super) fn of(proc: &Proc, sizes: &[Size]) -> Result<Self, TextError> {
        let empty = HashMap::new();
        let mut sorts =
            Self { variables: empty, lengths: Lengths::default(), counting: Vec::new() };
        if sizes.len() != proc.parameters.len() {
            let (takes, name) = (proc.parameters.len(), &proc.name.text);
            let text = format!("{name} takes {takes} arguments, and {} are given", sizes.len());
            return Err(TextError::at(proc.name.at, text));
        }
        for (parameter, size) in proc.parameters.iter().zip(sizes) {
            let sort = sorts.of_argument(parameter, *size)?;
            sorts.declare(parameter, sort, parameter.is_result)?;
        }
        // tables first, for the sizes of others may be theirs
        let is_table = |declared: &&Declared| matches!(declared.of, Type::Table(_));
        let all = || proc.parameters.iter().chain(&proc.variables);
        for declared in proc.variables.iter().filter(is_table) {
            let (rows, columns) = (sorts.open(), sorts.open());
            sorts.declare(declared, Sort::Table(rows, columns), true)?;
        }
        for declared in proc.variables.iter().filter(|declared| !is_table(declared)) {
            let length = sorts.open();
            let sort = match declared.of {
                Type::Integer => Sort::Integer,
                Type::Slice(_) => Sort::Slice(length),
                _ => Sort::Word(length),
            };
            sorts.declare(declared, sort, true)?;
        }
        all().try_for_each(|declared| sorts.apply_size(declared))?;
        sorts.statements(&proc.body)?;
        let has_no_size =
            |declared: &&Declared| sorts.size(sorts.variables[&declared.name.text].sort).is_none();
        match all().find(has_no_size) {
            None => Ok(sorts),
            Some(Declared { name, of, .. }) => {
                let of = match of {
                    Type::Slice(_) => "slice(T)",
                    Type::Word(_) => "word(T)",
                    _ => "table(T)",
                };
                let name_of = &name.text;
                let text = format!(
                    "nothing says how large {name_of} is: declare it as {of}, of a table T"
                );
                Err(TextError::at(name.at, text))
            }
        }
    }

    fn open(&mut self) -> Length {
        self.lengths.add(Known::Open)
    }

    fn number(&mut self, number: usize) -> Length {
        self.lengths.add(Known::Is(number))
    }

    fn of_argument(&mut self, parameter: &Declared, size: Size) -> Result<Sort, TextError> {
        Ok(match (&parameter.of, size) {
            (Type::Integer, Size::Integer) => Sort::Integer,
            (Type::Slice(_), Size::Bits(len)) => Sort::Slice(self.number(len)),
            (Type::Word(_), Size::Bits(len)) => Sort::Word(self.number(len)),
            (Type::Table(_), Size::Table(rows, columns)) => {
                Sort::Table(self.number(rows), self.number(columns))
            }
            _ => {
                let Declared { name, .. } = parameter;
                let text = format!("{}: another type of argument is given", name.text);
                return Err(TextError::at(name.at, text));
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
            None if Operation::named(text).is_some() => {
                Err(TextError::at(*at, format!("'{text}' is the name of an operation")))
            }
            None => Ok(()),
            Some(before) => {
                let text = format!("'{text}' was declared in line {} already", before.at.line);
                Err(TextError::at(*at, text))
            }
        }
    }

    /// What `slice(T)` and the like say.
    fn apply_size(&mut self, declared: &Declared) -> Result<(), TextError> {
        let (Type::Slice(Some(of)) | Type::Word(Some(of)) | Type::Table(Some(of))) = &declared.of
        else {
            return Ok(());
        };
        let Sort::Table(rows, columns) = self.variable(of)?.sort else {
            return Err(TextError::at(of.at, format!("'{}' is no table", of.text)));
        };
        match self.variable(&declared.name)?.sort {
            Sort::Slice(len) => self.unite(of.at, "the slice", len, rows),
            Sort::Word(len) => self.unite(of.at, "the word", len, columns),
            Sort::Table(own_rows, own_columns) => {
                self.unite(of.at, "the rows", own_rows, rows)?;
                self.unite(of.at, "the columns", own_columns, columns)
            }
            Sort::Integer | Sort::Truth => Ok(()),
        }
    }

    /// The size of a sort, if its lengths are known.
    pub(super) fn size(&self, sort: Sort) -> Option<Size> {
        let known = |length| self.lengths.get(length);
        Some(match sort {
            Sort::Integer | Sort::Truth => Size::Integer,
            Sort::Slice(len) | Sort::Word(len) => Size::Bits(known(len)?),
            Sort::Table(rows, columns) => Size::Table(known(rows)?, known(columns)?),
        })
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
            let text = format!("'{}' counts the turns of a loop around this", name.text);
            return Err(TextError::at(name.at, text));
        }
        if !may_change {
            let text = format!("'{0}' is no result: declare it as var {0}", name.text);
            return Err(TextError::at(name.at, text));
        }
        Ok(sort)
    }

    fn unite(&mut self, at: At, what: &str, a: Length, b: Length) -> Result<(), TextError> {
        let sizes = self.lengths.get(a).zip(self.lengths.get(b));
        if self.lengths.unite(a, b) {
            return Ok(());
        }
        let (found, expected) = sizes.expect("what can not be united is known");
        Err(TextError::at(at, format!("{what} has {found} bits, and {expected} are expected")))
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
            Statement::Call(call) => {
                // a result that is not wanted may be dropped
                self.call(call).map(drop)
            }
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
                    let text = format!("'{}' is no integer", variable.text);
                    return Err(TextError::at(variable.at, text));
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
        match place {
            Place::Variable(name) => self.changed(name),
            Place::Part(Call { name, arguments }) => match (&*name.text, &arguments[..]) {
                ("COL" | "ROW", [_, Expression::Variable(table)]) => {
                    self.changed(table)?;
                    self.call(&Call { name: name.clone(), arguments: arguments.clone() })
                }
                (_, [at]) => match self.changed(name)? {
                    Sort::Slice(_) | Sort::Word(_) => {
                        self.expect(at, Sort::Integer, "the position").map(|()| Sort::Truth)
                    }
                    _ => Err(TextError::at(name.at, format!("'{}' has no bits", name.text))),
                },
                _ => {
                    let text = "a variable, X(i), COL(i, T) or ROW(i, T) gets a value".to_owned();
                    Err(TextError::at(name.at, text))
                }
            },
        }
    }

    /// What an expression is.
    pub(super) fn sort(&mut self, expression: &Expression) -> Result<Sort, TextError> {
        match expression {
            Expression::Number(..) => Ok(Sort::Integer),
            Expression::Variable(name) => Ok(self.variable(name)?.sort),
            Expression::Call(call) => self.call(call),
            Expression::Not(operand, at) => match self.sort(operand)? {
                sort @ (Sort::Truth | Sort::Slice(_) | Sort::Word(_)) => Ok(sort),
                other => Err(not_for(*at, "not", other)),
            },
            Expression::Binary(operator, operands, at) => self.binary(*operator, operands, *at),
        }
    }

    fn binary(
        &mut self,
        operator: Operator,
        operands: &[Expression; 2],
        at: At,
    ) -> Result<Sort, TextError> {
        let left = self.sort(&operands[0])?;
        match (operator, left) {
            (Operator::Plus | Operator::Minus | Operator::Compare(_), Sort::Integer) => {
                self.expect(&operands[1], Sort::Integer, "the second operand")?;
                let is_sum = !matches!(operator, Operator::Compare(_));
                Ok(if is_sum { Sort::Integer } else { Sort::Truth })
            }
            (Operator::And | Operator::Or, Sort::Truth)
            | (Operator::And | Operator::Or | Operator::Xor, Sort::Slice(_) | Sort::Word(_)) => {
                self.expect(&operands[1], left, "the second operand")?;
                Ok(left)
            }
            (_, other) => Err(not_for(at, "this", other)),
        }
    }

    /// An error unless the expression is that, or can be.
    fn expect(
        &mut self,
        expression: &Expression,
        expected: Sort,
        what: &str,
    ) -> Result<(), TextError> {
        let (at, found) = (expression.at(), self.sort(expression)?);
        self.fit(at, what, found, expected)
    }

    fn fit(&mut self, at: At, what: &str, found: Sort, expected: Sort) -> Result<(), TextError> {
        match (found, expected) {
            (Sort::Slice(a), Sort::Slice(b)) | (Sort::Word(a), Sort::Word(b)) => {
                self.unite(at, what, a, b)
            }
            (Sort::Table(rows, columns), Sort::Table(of_rows, of_columns)) => {
                self.unite(at, &format!("a column of {what}"), rows, of_rows)?;
                self.unite(at, &format!("a row of {what}"), columns, of_columns)
            }
            (found, expected) if found == expected => Ok(()),
            (found, expected) => {
                let (found, expected) = (found.name(), expected.name());
                Err(TextError::at(at, format!("{what} is {found}, and {expected} is expected")))
            }
        }
    }

    /// What a call gives; [`Sort::Truth`] of a statement.
    fn call(&mut self, call: &Call) -> Result<Sort, TextError> {
        let Call { name, arguments } = call;
        if let (Some(declaration), [at]) = (self.variables.get(&name.text), &arguments[..]) {
            return match declaration.sort {
                Sort::Slice(_) | Sort::Word(_) => {
                    self.expect(at, Sort::Integer, "the position").map(|()| Sort::Truth)
                }
                _ => Err(TextError::at(name.at, format!("'{}' has no bits", name.text))),
            };
        }
        let Some(operation) = Operation::find(&name.text, arguments.len()) else {
            let text = match Operation::named(&name.text) {
                Some(operation) => {
                    let takes = operation.takes.len();
                    format!("{} takes {takes} operands, not {}", name.text, arguments.len())
                }
                None => format!("there is no operation or procedure '{}'", name.text),
            };
            return Err(TextError::at(name.at, text));
        };
        let mut letters: HashMap<char, Length> = HashMap::new();
        let mut first = None;
        for (number, (takes, argument)) in operation.takes.iter().zip(arguments).enumerate() {
            if let Takes::Changed(_) | Takes::Written(..) = takes {
                let Expression::Variable(variable) = argument else {
                    let what = format!("operand {} of {} is changed", number + 1, name.text);
                    let text = format!("{what}, and only a variable can be");
                    return Err(TextError::at(argument.at(), text));
                };
                self.changed(variable)?;
            }
            let lengths = &mut self.lengths;
            let mut length =
                |letter| *letters.entry(letter).or_insert_with(|| lengths.add(Known::Open));
            let expected = match *takes {
                Takes::Int => Sort::Integer,
                Takes::Slice(letter) => Sort::Slice(length(letter)),
                Takes::Word(letter) => Sort::Word(length(letter)),
                Takes::Table(rows, columns) | Takes::Written(rows, columns) => {
                    Sort::Table(length(rows), length(columns))
                }
                Takes::Bits(letter) | Takes::Changed(letter) => {
                    let length = length(letter);
                    match self.sort(argument)? {
                        Sort::Word(_) => Sort::Word(length),
                        _ => Sort::Slice(length),
                    }
                }
            };
            self.expect(argument, expected, &format!("operand {} of {}", number + 1, name.text))?;
            first = first.or(Some(expected));
        }
        let length = |letter| letters[&letter];
        Ok(match (operation.gives, first) {
            (Gives::Int, _) => Sort::Integer,
            (Gives::Slice(letter), _) => Sort::Slice(length(letter)),
            (Gives::Word(letter), _) => Sort::Word(length(letter)),
            (Gives::Same, Some(first)) => first,
            (Gives::Other, Some(Sort::Word(length))) => Sort::Slice(length),
            (Gives::Other, Some(Sort::Slice(length))) => Sort::Word(length),
            _ => Sort::Truth,
        })
    }
}

fn not_for(at: At, what: &str, sort: Sort) -> TextError {
    TextError::at(at, format!("{what} is not for {}", sort.name()))
}
