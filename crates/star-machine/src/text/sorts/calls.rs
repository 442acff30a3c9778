//! Calls of operations, of procedures, and of the text's own procedures.

use std::collections::HashMap;

use super::super::lengths::{Known, Length, Sort};
use super::super::operations::{Callable, OperandKind};
use super::super::syntax::{Call, Declared, Expression, Name, Proc};
use super::super::{At, TextError};
use super::Sorts;

impl<'a> Sorts<'a> {
    /// The sort of a call's result; [`Sort::Truth`] for a statement.
    pub(super) fn call(&mut self, call: &Call) -> Result<Sort, TextError> {
        let Call { name, arguments } = call;
        if let (Some(declaration), [at]) = (self.variables.get(&name.text), &arguments[..]) {
            return self.element(name, declaration.sort, at);
        }
        let Some(callable) = Callable::find(&name.text, arguments.len()) else {
            return name.at.wrong(match Callable::named(&name.text) {
                Some(callable) => {
                    let takes = callable.n_arguments();
                    format!("{} takes {takes} operands, not {}", name.text, arguments.len())
                }
                None if self.proc(name).is_some() => {
                    format!("{} gives no value: call it as a statement", name.text)
                }
                None => format!("there is no operation '{}', and no procedure above", name.text),
            });
        };
        let (mut first, mut part) = (None, None);
        let mut numbered = arguments.iter().enumerate();
        for takes in callable.takes {
            let (number, argument) =
                numbered.next().expect("the numbers of operands were compared before");
            if let OperandKind::Changed | OperandKind::Written = takes {
                self.changed_operand(call, number)?;
            }
            let found = self.sort(argument)?;
            let expected = self.expected(name.at, *takes, found);
            let what = |number| format!("operand {} of {}", number + 1, name.text);
            self.fit(argument.at(), &what(number), found, expected)?;
            first = first.or(Some(expected));
            if *takes == OperandKind::Part {
                let (number, last) =
                    numbered.next().expect("the numbers of operands were compared before");
                self.expect(last, Sort::Integer, &what(number))?;
                part = Some([argument, last]);
            }
        }
        if let Some(part) = part {
            self.part_length(name.at, part)?;
        }
        let Some(gives) = callable.gives.first() else { return Ok(Sort::Truth) };
        Ok(match (gives, first) {
            (OperandKind::Other, Some(Sort::Word(length))) => Sort::Slice(length),
            (OperandKind::Other, Some(Sort::Slice(length))) => Sort::Word(length),
            (_, first) => self.expected(name.at, *gives, first.unwrap_or(Sort::Integer)),
        })
    }

    /// The sort of `X(at)`.
    pub(super) fn element(
        &mut self,
        name: &Name,
        sort: Sort,
        at: &Expression,
    ) -> Result<Sort, TextError> {
        let element = match sort {
            Sort::Slice(_) | Sort::Word(_) => Sort::Truth,
            Sort::Array(_) => Sort::Integer,
            _ => return name.at.wrong(format!("'{}' has no bits", name.text)),
        };
        self.expect(at, Sort::Integer, "the position").map(|()| element)
    }

    /// The sort of an operand or a result of the call at this place; that which was found tells
    /// slices and words apart where both may be.
    fn expected(&mut self, at: At, kind: OperandKind, found: Sort) -> Sort {
        let mut length = |letter| self.letter(at, letter);
        match kind {
            OperandKind::Position | OperandKind::Number | OperandKind::Part => Sort::Integer,
            OperandKind::Slice => Sort::Slice(length('r')),
            OperandKind::Word => Sort::Word(length('c')),
            OperandKind::LongWord => Sort::Word(length('n')),
            OperandKind::Table | OperandKind::Written => Sort::Table(length('r'), length('c')),
            OperandKind::Bits | OperandKind::Changed => match found {
                Sort::Word(_) => Sort::Word(length('n')),
                _ => Sort::Slice(length('n')),
            },
            OperandKind::Same | OperandKind::Other => found,
        }
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
                other.at().wrong(format!("{what}, and only a variable can be"))
            }
        }
    }

    /// Finds how many bits there are from the first position to the last; without a last position,
    /// the length follows from the other operands.
    fn part_length(&mut self, call: At, [first, last]: [&Expression; 2]) -> Result<(), TextError> {
        let at = last.at();
        let (Some(i), Some(j)) = (self.constant(first), self.constant(last)) else {
            return at
                .wrong("positions that vary are given without the last: TRIM(i, w), REP(i, v, w)");
        };
        let Ok(len) = usize::try_from(j.saturating_sub(i).saturating_add(1)) else {
            return at.wrong("the last position is before the first");
        };
        let (found, len) = (self.letter(call, 'c'), self.number(len));
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
            return call
                .name
                .at
                .wrong(format!("{} takes {takes} arguments, not {given}", call.name.text));
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
            let expected = Sort::of(parameter.of.kind, rows, columns);
            let Declared { name, .. } = parameter;
            self.expect(argument, expected, &format!("'{}' of {}", name.text, proc.name.text))?;
        }
        Ok(())
    }
}
