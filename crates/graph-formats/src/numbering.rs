//! Numbers names of vertices, as the readers of files do: names that are all natural numbers in the
//! order of these numbers, others in the order of their bytes.
//!
//! A name gets a number at its first use, and its vertex when all names are known: two hash maps,
//! one of numbers and one of words, and a sort at the end. O(n log n) for n names.

use std::collections::HashMap;

use crate::checks::validate_vertex_count;
use crate::{GraphError, Ids, Name, VertexId, Words};

/// Names of vertices, and the number of each: how many others were there before it.
///
/// ```
/// use graph_formats::{Ids, Numbering};
///
/// let mut names = Numbering::default();
/// let arcs = [("Bonn", "Ulm"), ("Ulm", "Aalen")];
/// let numbers = arcs.map(|(from, to)| (names.number(from).unwrap(), names.number(to).unwrap()));
/// assert_eq!(numbers, [(0, 1), (1, 2)]);
///
/// // the vertices ascend by their names
/// let (ids, vertices) = names.into_ids();
/// assert_eq!(ids, Ids::Words(["Aalen", "Bonn", "Ulm"].into_iter().collect()));
/// assert_eq!(vertices, [1, 2, 0]);
///
/// // sparse numbers, and words of digits, are numbers
/// let mut names = Numbering::default();
/// assert_eq!((names.number(900)?, names.number("30")?, names.number("900")?), (0, 1, 0));
/// assert_eq!(names.into_ids(), (Ids::Listed(vec![30, 900]), vec![1, 0]));
/// # Ok::<(), graph_formats::GraphError>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Numbering {
    numbers: HashMap<u64, u32>,
    words: HashMap<Box<str>, u32>,
}

impl Numbering {
    /// How many names there are.
    pub fn len(&self) -> usize {
        self.numbers.len() + self.words.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The number of a name; a new name gets the next one. A word of digits without leading zeros
    /// is the number that it spells.
    ///
    /// # Errors
    /// When the name is empty, or there are more names than 32-bit ids can number.
    pub fn number<'a>(&mut self, name: impl Into<Name<'a>>) -> Result<u32, GraphError> {
        let (name, n_names) = (name.into(), self.len());
        let found = match (name.number(), name) {
            (Some(number), _) | (None, Name::Number(number)) => self.numbers.get(&number),
            (None, Name::Word(word)) => self.words.get(word),
        };
        if let Some(&number) = found {
            return Ok(number);
        }
        validate_vertex_count(n_names + 1)?;
        match (name.number(), name) {
            (Some(number), _) | (None, Name::Number(number)) => {
                self.numbers.insert(number, n_names as u32);
            }
            (None, Name::Word("")) => {
                return Err(GraphError::BadParameter {
                    name: "name",
                    value: "\"\"".to_owned(),
                    expected: "a word that is not empty".to_owned(),
                });
            }
            (None, Name::Word(word)) => {
                self.words.insert(word.into(), n_names as u32);
            }
        }
        Ok(n_names as u32)
    }

    /// The names of the vertices, and the vertex of each number.
    pub fn into_ids(self) -> (Ids, Vec<VertexId>) {
        let mut vertices = vec![0; self.len()];
        let mut place = |numbers: &mut dyn Iterator<Item = u32>| {
            (0..).zip(numbers).for_each(|(vertex, number)| vertices[number as usize] = vertex);
        };
        if self.words.is_empty() {
            let mut sorted: Vec<_> = self.numbers.into_iter().collect();
            sorted.sort_unstable();
            place(&mut sorted.iter().map(|entry| entry.1));
            let listed = sorted.into_iter().map(|entry| entry.0).collect();
            return (Ids::of_ascending(listed), vertices);
        }
        let digits =
            self.numbers.into_iter().map(|(name, number)| (name.to_string().into(), number));
        let mut sorted: Vec<(Box<str>, u32)> = self.words.into_iter().chain(digits).collect();
        sorted.sort_unstable();
        place(&mut sorted.iter().map(|entry| entry.1));
        (Ids::Words(sorted.iter().map(|(word, _)| &**word).collect::<Words>()), vertices)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// Each number leads to the vertex of its name.
        #[test]
        fn names_keep_their_vertices(names in prop::collection::vec("[a-c0-2]{1,2}", 0..20)) {
            let mut numbering = Numbering::default();
            let numbers: Vec<_> =
                names.iter().map(|name| numbering.number(&**name).unwrap()).collect();
            let n = names.iter().collect::<BTreeSet<_>>().len();
            prop_assert_eq!(numbering.len(), n);
            let (ids, vertices) = numbering.into_ids();
            for (name, number) in names.iter().zip(numbers) {
                prop_assert_eq!(ids.vertex(&**name, n), Some(vertices[number as usize]));
            }
            let is_word = names.iter().any(|name| Name::Word(name).number().is_none());
            prop_assert_eq!(matches!(ids, Ids::Words(_)), is_word);
        }
    }
}
