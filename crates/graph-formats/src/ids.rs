//! How a file names its vertices, and how those names map to 0 … n − 1.

use std::fmt;

use crate::{VertexId, Words};

/// The names that a file gives to the vertices 0 … n − 1.
///
/// ```
/// use graph_formats::{Ids, Name};
///
/// let ids = Ids::Listed(vec![10, 700, 8_419_602]);
/// assert_eq!(ids.vertex(700, 3), Some(1));
/// assert_eq!(ids.name(2), Name::Number(8_419_602));
/// assert_eq!(Ids::FromOne.vertex("1", 3), Some(0));
/// assert_eq!(Ids::FromOne.vertex(4, 3), None);
///
/// let neurons = Ids::Words(["AVAL", "ADEL"].into_iter().collect());
/// assert_eq!(neurons.vertex("AVAL", 2), Some(1));
/// assert_eq!(neurons.name(0).to_string(), "ADEL");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub enum Ids {
    /// Vertex `v` is written as `v`.
    #[default]
    FromZero,
    /// Vertex `v` is written as `v + 1`, as DIMACS, Matrix Market and METIS do.
    FromOne,
    /// Vertex `v` is written as the `v`-th entry; the list ascends strictly.
    Listed(Vec<u64>),
    /// Vertex `v` is written as the `v`-th word.
    Words(Words),
}

/// The name of a vertex in its file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Name<'a> {
    /// A number.
    Number(u64),
    /// A word.
    Word(&'a str),
}

impl Ids {
    /// The names of an ascending list. 0 … n − 1 and 1 … n need no list.
    pub(crate) fn of_ascending(listed: Vec<u64>) -> Self {
        match (listed.first(), listed.last()) {
            (None, _) => Self::FromZero,
            (Some(0), Some(&last)) if last == listed.len() as u64 - 1 => Self::FromZero,
            (Some(1), Some(&last)) if last == listed.len() as u64 => Self::FromOne,
            _ => Self::Listed(listed),
        }
    }

    /// The name of `vertex` in the file. O(1).
    ///
    /// # Panics
    /// When a list has no such vertex; never for a vertex of the graph of these ids.
    pub fn name(&self, vertex: VertexId) -> Name<'_> {
        match self {
            Self::FromZero => Name::Number(u64::from(vertex)),
            Self::FromOne => Name::Number(u64::from(vertex) + 1),
            Self::Listed(names) => Name::Number(names[vertex as usize]),
            Self::Words(words) => Name::Word(words.get(vertex as usize)),
        }
    }

    /// The vertex with this name, in a graph of `n_vertices`; `None` when there is none. O(1), or
    /// O(log n) for listed names and words.
    ///
    /// A number may be given as a word of its digits, without leading zeros, and a word of such
    /// digits as a number.
    pub fn vertex<'a>(&self, name: impl Into<Name<'a>>, n_vertices: usize) -> Option<VertexId> {
        let name = name.into();
        let index = match self {
            Self::FromZero => name.number()?,
            Self::FromOne => name.number()?.checked_sub(1)?,
            Self::Listed(names) => names.binary_search(&name.number()?).ok()? as u64,
            Self::Words(words) => match name {
                Name::Word(word) => words.position(word)? as u64,
                Name::Number(number) => words.position(&number.to_string())? as u64,
            },
        };
        VertexId::try_from(index).ok().filter(|_| index < n_vertices as u64)
    }
}

impl Name<'_> {
    /// The number, or the number that a word spells. `06001` spells none: 6001 is another name.
    pub(crate) fn number(self) -> Option<u64> {
        match self {
            Self::Number(number) => Some(number),
            Self::Word(word) if !word.bytes().all(|byte| byte.is_ascii_digit()) => None,
            Self::Word(word) if word.len() > 1 && word.starts_with('0') => None,
            Self::Word(word) => word.parse().ok(),
        }
    }
}

impl fmt::Display for Name<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(number) => number.fmt(f),
            Self::Word(word) => word.fmt(f),
        }
    }
}

impl From<u64> for Name<'_> {
    fn from(number: u64) -> Self {
        Self::Number(number)
    }
}

impl<'a> From<&'a str> for Name<'a> {
    fn from(word: &'a str) -> Self {
        Self::Word(word)
    }
}
