//! Programs as the papers print them.
//!
//! A [`Text`] is procedures in the language Star, which looks like Pascal; each becomes a
//! [`Program`], the same that a [`Recorder`](crate::Recorder) makes, for arguments of given sizes.
//! Errors of types and sizes are found then, before the program runs.
//!
//! Reference: snytnikova-nepomniaschaya-2016

mod at;
mod compile;
mod lengths;
mod lexer;
mod operations;
mod parse;
mod sorts;
mod syntax;

use self::syntax::Proc;
use crate::Program;

pub use at::{At, TextError};

/// The size of an argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Size {
    /// An integer has no size.
    Integer,
    /// The bits of a slice or a word.
    Bits(usize),
    /// The rows and columns of a table.
    Table(usize, usize),
}

/// The number of the first position in a text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CountFrom {
    /// 0, as in this library; -1 is no position.
    #[default]
    Zero,
    /// 1, as in the papers; 0 is no position. Integers of the program, its parameters included,
    /// hold one less than the text says.
    One,
}

/// The procedures of a text.
///
/// ```
/// use star_machine::{CountFrom, Host, Machine, Size, Slice, Table, Text};
///
/// let text = Text::parse(
///     "proc NEAREST(T: table; X: slice(T); var Z: slice(T));
///      /* Of the marked rows those with the least number, but for the first of these. */
///      begin
///        Z := MIN(T, X);
///        Z := Z and not FRST(Z)
///      end;",
/// )?;
/// let sizes = [Size::Table(5, 3), Size::Bits(5), Size::Bits(5)];
/// let program = text.compile("NEAREST", &sizes, CountFrom::Zero)?;
///
/// let mut m = Host::new();
/// let table = m.load_table(&Table::from_values(&[5, 2, 7, 2, 3], 3)?)?;
/// let (x, z) = (m.load_slice(&Slice::ones(5)?)?, m.load_slice(&Slice::zeros(5)?)?);
/// program.run(&mut m, &[table.into(), x.into(), z.into()])?;
/// assert_eq!(m.slice_value(z)?.to_string(), "00010");
///
/// let wrong = text.compile("NEAREST", &[sizes[0], Size::Bits(4), sizes[2]], CountFrom::Zero);
/// let wrong = wrong.unwrap_err().to_string();
/// assert_eq!(wrong, "1:33: the slice has 4 bits, and 5 are expected");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Text {
    procs: Vec<Proc>,
}

/// A parameter of a procedure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parameter {
    /// Its name.
    pub name: String,
    /// Its type, as it is written.
    pub of: &'static str,
    /// The table whose size it has, as T in `slice(T)`.
    pub sized_by: Option<String>,
    /// Whether the procedure may change it.
    pub is_result: bool,
}

impl Text {
    /// Reads a text.
    ///
    /// # Errors
    /// The first place that does not follow the grammar, or where a procedure has the name of
    /// another.
    pub fn parse(text: &str) -> Result<Self, TextError> {
        let procs = parse::parse(text)?;
        for (number, proc) in procs.iter().enumerate() {
            let name = &proc.name;
            if procs[..number].iter().any(|other| other.name.text == name.text) {
                return name.at.wrong(format!("there is a procedure '{}' already", name.text));
            }
        }
        Ok(Self { procs })
    }

    /// The names of its procedures.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.procs.iter().map(|proc| &*proc.name.text)
    }

    /// What a procedure takes, if there is one of this name.
    pub fn parameters(&self, name: &str) -> Option<Vec<Parameter>> {
        let proc = self.procs.iter().find(|proc| proc.name.text == name)?;
        let parameter = |declared: &syntax::Declared| Parameter {
            name: declared.name.text.clone(),
            of: declared.of.kind.text(),
            sized_by: match &declared.of.size[..] {
                [syntax::Expression::Variable(table)] => Some(table.text.clone()),
                _ => None,
            },
            is_result: declared.is_result,
        };
        Some(proc.parameters.iter().map(parameter).collect())
    }

    /// The program of a procedure, for arguments of these sizes, in the order of its parameters.
    /// O(length of the text).
    ///
    /// # Errors
    /// Where there is no such procedure, or sizes and types do not fit together.
    pub fn compile(
        &self,
        name: &str,
        sizes: &[Size],
        from: CountFrom,
    ) -> Result<Program, TextError> {
        match self.procs.iter().position(|proc| proc.name.text == name) {
            Some(number) => compile::compile(&self.procs[..=number], sizes, from),
            None => {
                let known: Vec<_> = self.names().collect();
                At { line: 1, column: 1 }.wrong(format!(
                    "there is no procedure '{name}'; there are {}",
                    known.join(", ")
                ))
            }
        }
    }
}
