//! Calls of operations, of procedures, and of the text's own procedures.

use std::collections::HashMap;

use super::super::lengths::{Known, Length, Sort};
use super::super::operations::{Gives, Operation, Takes};
use super::super::syntax::{Call, Declared, Expression, Kind, Name, Proc};
use super::super::{At, TextError};
use super::Sorts;

impl<'a> Sorts<'a> {
    /// The sort of a call's result; [`Sort::Truth`] for a statement.
    pub(super) fn call(&mut self, call: &Call) -> Result<Sort, TextError> {
        let Call { name, arguments } = call;
        if let (Some(declaration), [at]) = (self.variables.get(&name.text), &arguments[..]) {
            return match declaration.sort {
                Sort::Slice(_) | Sort::Word(_) => {
                    self.expect(at, Sort::Integer, "the position").map(|()| Sort::Truth)
                }
                Sort::Array(_) => {
                    self.expect(at, Sort::Integer, "the position").map(|()| Sort::Integer)
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
                None if self.proc(name).is_some() => {
                    format!("{} gives no value: call it as a statement", name.text)
                }
                None => format!("there is no operation '{}', and no procedure above", name.text),
            };
            return Err(TextError::at(name.at, text));
        };
        let mut first = None;
        for (number, (takes, argument)) in operation.takes.iter().zip(arguments).enumerate() {
            if let Takes::Changed(_) | Takes::Written(..) = takes {
                self.changed_operand(call, number)?;
            }
            let found = self.sort(argument)?;
            let mut length = |letter| self.letter(name.at, letter);
            let expected = match *takes {
                Takes::Int => Sort::Integer,
                Takes::Slice(letter) => Sort::Slice(length(letter)),
                Takes::Word(letter) => Sort::Word(length(letter)),
                Takes::Table(rows, columns) | Takes::Written(rows, columns) => {
                    Sort::Table(length(rows), length(columns))
                }
                Takes::Bits(letter) | Takes::Changed(letter) => {
                    let length = length(letter);
                    match found {
                        Sort::Word(_) => Sort::Word(length),
                        _ => Sort::Slice(length),
                    }
                }
            };
            let what = format!("operand {} of {}", number + 1, name.text);
            self.fit(argument.at(), &what, found, expected)?;
            first = first.or(Some(expected));
        }
        self.part_length(call)?;
        let mut length = |letter| self.letter(name.at, letter);
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

    /// The length that a letter stands for in the operation at this place.
    pub(super) fn letter(&mut self, at: At, letter: char) -> Length {
        let lengths = &mut self.lengths;
        *self.letters.entry((at, letter)).or_insert_with(|| lengths.add(Known::Open))
    }

    /// Checks an operand that the operation changes: it must be a variable, or a field of one.
    fn changed_operand(&mut self, call: &Call, number: usize) -> Result<(), TextError> {
        match &call.arguments[number] {
            Expression::Variable(name) | Expression::Field(name, _) => self.changed(name).map(drop),
            other => {
                let what = format!("operand {} of {} is changed", number + 1, call.name.text);
                let text = format!("{what}, and only a variable can be");
                Err(TextError::at(other.at(), text))
            }
        }
    }

    /// Finds how many bits there are from the first position to the last of `TRIM(i, j, w)` and
    /// `REP(i, j, v, w)`; without a last position, the length follows from the other operands.
    fn part_length(&mut self, call: &Call) -> Result<(), TextError> {
        let (("TRIM", [first, last, _]) | ("REP", [first, last, _, _])) =
            (&*call.name.text, &call.arguments[..])
        else {
            return Ok(());
        };
        let at = last.at();
        let (Some(i), Some(j)) = (self.constant(first), self.constant(last)) else {
            let text = "positions that vary are given without the last: TRIM(i, w), REP(i, v, w)";
            return Err(TextError::at(at, text.to_owned()));
        };
        let Ok(len) = usize::try_from(j.saturating_sub(i).saturating_add(1)) else {
            let text = "the last position is before the first".to_owned();
            return Err(TextError::at(at, text));
        };
        let (found, len) = (self.letter(call.name.at, 'n'), self.number(len));
        self.unite(at, "the part", found, len)
    }

    /// The procedure of the text that has this name.
    pub(in super::super) fn proc(&self, name: &Name) -> Option<&'a Proc> {
        self.procs.iter().find(|proc| proc.name.text == name.text)
    }

    /// Checks a call of a procedure of the text: the sorts of its arguments are those declared, and
    /// their sizes fit as far as the declarations tell. The rest is checked during compilation.
    pub(super) fn proc_call(&mut self, call: &Call, proc: &Proc) -> Result<(), TextError> {
        let (takes, given) = (proc.parameters.len(), call.arguments.len());
        if takes != given {
            let text = format!("{} takes {takes} arguments, not {given}", call.name.text);
            return Err(TextError::at(call.name.at, text));
        }
        let mut sorts: HashMap<&str, Sort> = HashMap::new();
        for (number, (parameter, argument)) in
            proc.parameters.iter().zip(&call.arguments).enumerate()
        {
            let Declared { name, of, is_result } = parameter;
            if *is_result {
                self.changed_operand(call, number)?;
            }
            let expected = self.open_sort(of.kind);
            self.expect(argument, expected, &format!("'{}' of {}", name.text, proc.name.text))?;
            sorts.insert(&name.text, expected);
        }
        for (parameter, argument) in proc.parameters.iter().zip(&call.arguments) {
            let [Expression::Variable(table)] = &parameter.of.size[..] else { continue };
            let Some(&Sort::Table(rows, columns)) = sorts.get(&*table.text) else { continue };
            let expected = match parameter.of.kind {
                Kind::Slice => Sort::Slice(rows),
                Kind::Word => Sort::Word(columns),
                Kind::Array => Sort::Array(rows),
                Kind::Table => Sort::Table(rows, columns),
                Kind::Integer => Sort::Integer,
            };
            let Declared { name, .. } = parameter;
            self.expect(argument, expected, &format!("'{}' of {}", name.text, proc.name.text))?;
        }
        Ok(())
    }
}
