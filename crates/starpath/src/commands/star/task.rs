//! A procedure, what it is called with, and what it finds.

use star_machine::{Machine, Procedures, Slice, Star, StarError, Table, Word};

use crate::cli::Procedure;
use crate::failure::WrongUse;

/// A procedure and what it takes beside a table and its rows.
pub(super) enum Task {
    Match(Word),
    Compare(Word),
    Min,
    Max,
    Hit(Table),
    Setmin(Table),
    Setmax(Table),
    AddWord(Word),
    AddTable(Table),
    SubtractWord(Word),
    SubtractTable(Table),
}

/// What was found: sets of rows by name, and new numbers where there are some.
pub(super) struct Found {
    pub(super) sets: Vec<(&'static str, Slice)>,
    pub(super) numbers: Option<Table>,
}

impl Task {
    /// An error unless the procedure takes what it was given.
    pub(super) fn of(
        procedure: &Procedure,
        word: Option<Word>,
        other: Option<Table>,
    ) -> Result<Self, WrongUse> {
        use Procedure::{Add, Compare, Hit, Match, Max, Min, Setmax, Setmin, Subtract};
        let refuse = |takes: &str| {
            Err(WrongUse(format!("star: this procedure takes {takes}; see starpath star --help")))
        };
        Ok(match (procedure, word, other) {
            (Match(_), Some(word), None) => Self::Match(word),
            (Compare(_), Some(word), None) => Self::Compare(word),
            (Min(_), None, None) => Self::Min,
            (Max(_), None, None) => Self::Max,
            (Hit(_), None, Some(other)) => Self::Hit(other),
            (Setmin(_), None, Some(other)) => Self::Setmin(other),
            (Setmax(_), None, Some(other)) => Self::Setmax(other),
            (Add(_), Some(word), None) => Self::AddWord(word),
            (Add(_), None, Some(other)) => Self::AddTable(other),
            (Subtract(_), Some(word), None) => Self::SubtractWord(word),
            (Subtract(_), None, Some(other)) => Self::SubtractTable(other),
            (Match(_) | Compare(_), ..) => return refuse("one table and --word"),
            (Min(_) | Max(_), ..) => return refuse("one table and no --word"),
            (Hit(_) | Setmin(_) | Setmax(_), ..) => return refuse("two tables and no --word"),
            (Add(_) | Subtract(_), ..) => {
                return refuse("--word or a second table, one of the two");
            }
        })
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
        let mut sets = vec![("found", z)];
        let mut numbers = None;
        match self {
            Self::Match(word) => {
                let word = m.load_word(word)?;
                m.match_rows(z, t, rows, word)?;
            }
            Self::Compare(word) => {
                let word = m.load_word(word)?;
                let (equal, greater) = (m.slice(n_rows)?, m.slice(n_rows)?);
                m.compare(z, equal, greater, t, rows, word)?;
                sets = vec![("less", z), ("equal", equal), ("greater", greater)];
            }
            Self::Min => m.min(z, t, rows)?,
            Self::Max => m.max(z, t, rows)?,
            Self::Hit(other) => {
                let other = m.load_table(other)?;
                m.hit(z, t, other, rows)?;
            }
            Self::Setmin(other) => {
                let other = m.load_table(other)?;
                m.setmin(z, t, other, rows)?;
            }
            Self::Setmax(other) => {
                let other = m.load_table(other)?;
                m.setmax(z, t, other, rows)?;
            }
            Self::AddWord(word) => {
                let word = m.load_word(word)?;
                m.addc(t, z, t, rows, word)?;
                (sets, numbers) = (vec![("carry", z)], Some(t));
            }
            Self::AddTable(other) => {
                let other = m.load_table(other)?;
                m.addv(t, z, t, other, rows)?;
                (sets, numbers) = (vec![("carry", z)], Some(t));
            }
            Self::SubtractWord(word) => {
                let word = m.load_word(word)?;
                m.subtc(t, z, t, rows, word)?;
                (sets, numbers) = (vec![("borrow", z)], Some(t));
            }
            Self::SubtractTable(other) => {
                let other = m.load_table(other)?;
                m.subtv(t, z, t, other, rows)?;
                (sets, numbers) = (vec![("borrow", z)], Some(t));
            }
        }
        let value = |(name, set)| Ok((name, m.slice_value(set)?));
        let sets = sets.into_iter().map(value).collect::<Result<_, StarError>>()?;
        let numbers = numbers.map(|table| m.table_value(table)).transpose()?;
        Ok(Found { sets, numbers })
    }
}
