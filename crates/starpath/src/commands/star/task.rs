//! A basic procedure, its arguments, and its results.

use star_machine::{Machine, Procedures, Slice, Star, StarError, Table, Word};

use crate::cli::Procedure;
use crate::cli::Procedure::{Add, Compare, Hit, Match, Max, Min, Setmax, Setmin, Subtract};
use crate::failure::WrongUse;

/// A procedure with its arguments, the first table and the rows aside.
pub(super) struct Task<'a> {
    procedure: &'a Procedure,
    word: Option<Word>,
    other: Option<Table>,
}

/// The results: sets of rows by name, and the numbers that `add` and `subtract` make.
pub(super) struct Found {
    pub(super) sets: Vec<(&'static str, Slice)>,
    pub(super) numbers: Option<Table>,
}

impl<'a> Task<'a> {
    /// An error unless the command line has the arguments of the procedure.
    pub(super) fn of(
        procedure: &'a Procedure,
        word: Option<Word>,
        other: Option<Table>,
    ) -> Result<Self, WrongUse> {
        let given = (word.is_some(), other.is_some());
        let (takes, is_given) = match procedure {
            Match(_) | Compare(_) => ("one table and --word", given == (true, false)),
            Min(_) | Max(_) => ("one table and no --word", given == (false, false)),
            Hit(_) | Setmin(_) | Setmax(_) => ("two tables and no --word", given == (false, true)),
            Add(_) | Subtract(_) => {
                ("--word or a second table, one of the two", given.0 != given.1)
            }
        };
        if !is_given {
            let text = format!("star: this procedure needs {takes}; see starpath star --help");
            return Err(WrongUse(text));
        }
        Ok(Self { procedure, word, other })
    }

    /// Calls the procedure on a machine without variables.
    pub(super) fn carry_out(
        &self,
        m: &mut impl Machine,
        table: &Table,
        rows: &Slice,
    ) -> Result<Found, StarError> {
        let n_rows = table.rows();
        let (t, rows) = (m.load_table(table)?, m.load_slice(rows)?);
        let z = m.slice(n_rows)?;
        let word = self.word.as_ref().map(|word| m.load_word(word)).transpose()?;
        let other = self.other.as_ref().map(|other| m.load_table(other)).transpose()?;
        let (mut sets, mut numbers) = (vec![("found", z)], None);
        match (self.procedure, word, other) {
            (Match(_), Some(word), _) => m.match_rows(z, t, rows, word)?,
            (Compare(_), Some(word), _) => {
                let (equal, greater) = (m.slice(n_rows)?, m.slice(n_rows)?);
                m.compare(z, equal, greater, t, rows, word)?;
                sets = vec![("less", z), ("equal", equal), ("greater", greater)];
            }
            (Min(_), ..) => m.min(z, t, rows)?,
            (Max(_), ..) => m.max(z, t, rows)?,
            (Hit(_), _, Some(other)) => m.hit(z, t, other, rows)?,
            (Setmin(_), _, Some(other)) => m.setmin(z, t, other, rows)?,
            (Setmax(_), _, Some(other)) => m.setmax(z, t, other, rows)?,
            (Add(_), Some(word), _) => m.addc(t, z, t, rows, word)?,
            (Add(_), _, Some(other)) => m.addv(t, z, t, other, rows)?,
            (Subtract(_), Some(word), _) => m.subtc(t, z, t, rows, word)?,
            (Subtract(_), _, Some(other)) => m.subtv(t, z, t, other, rows)?,
            _ => unreachable!("it has what it takes"),
        }
        if let Add(_) | Subtract(_) = self.procedure {
            let carry = if let Add(_) = self.procedure { "carry" } else { "borrow" };
            (sets, numbers) = (vec![(carry, z)], Some(m.table_value(t)?));
        }
        let value = |(name, set)| Ok((name, m.slice_value(set)?));
        let sets = sets.into_iter().map(value).collect::<Result<_, StarError>>()?;
        Ok(Found { sets, numbers })
    }
}
