//! Names of vertices that are words, stored in one text.

use crate::GraphError;

/// Distinct words in ascending order of their bytes, one after the other in a single text.
///
/// ```
/// use graph_formats::Words;
///
/// let words: Words = ["AVAL", "AVAR", "AVAL", "ADEL"].into_iter().collect();
/// assert_eq!((words.len(), words.get(1)), (3, "AVAL"));
/// assert_eq!(words.position("AVAR"), Some(2));
/// assert_eq!((words.ends(), words.text()), (&[4, 8, 12][..], "ADELAVALAVAR"));
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Words {
    ends: Vec<u64>,
    text: String,
}

impl Words {
    /// The words of `text` that end at the bytes `ends`, as [`Words::ends`] and
    /// [`Words::text`] give them. O(length of the text).
    ///
    /// # Errors
    /// When the ends do not ascend to the length of the text, one of them lies inside a
    /// character, or a word is not greater than the word before it.
    pub fn new(ends: Vec<u64>, text: String) -> Result<Self, GraphError> {
        let wrong = |end: u64, expected: String| {
            Err(GraphError::BadParameter {
                name: "end of a name",
                value: end.to_string(),
                expected,
            })
        };
        let (mut start, mut before) = (0, None);
        for &end in &ends {
            let word = usize::try_from(end).ok().and_then(|end| text.get(start..end));
            let Some(word) = word.filter(|word| !word.is_empty()) else {
                let bytes = text.len();
                return wrong(end, format!("the end of a word in a text of {bytes} bytes"));
            };
            if before.is_some_and(|before| before >= word) {
                return wrong(end, format!("`{word}` to be greater than the name before it"));
            }
            (start, before) = (end as usize, Some(word));
        }
        if start != text.len() {
            return wrong(start as u64, format!("the length {} of the text", text.len()));
        }
        Ok(Self { ends, text })
    }

    /// The number of words.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// Word number `index`. O(1).
    ///
    /// # Panics
    /// When there is no such word.
    pub fn get(&self, index: usize) -> &str {
        let start = if index == 0 { 0 } else { self.ends[index - 1] as usize };
        &self.text[start..self.ends[index] as usize]
    }

    /// The number of a word; `None` where it is not among them. O(log n) comparisons.
    pub fn position(&self, word: &str) -> Option<usize> {
        let (mut low, mut high) = (0, self.len());
        while low < high {
            let middle = low + (high - low) / 2;
            match self.get(middle).cmp(word) {
                std::cmp::Ordering::Less => low = middle + 1,
                std::cmp::Ordering::Equal => return Some(middle),
                std::cmp::Ordering::Greater => high = middle,
            }
        }
        None
    }

    /// All words, in ascending order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &str> {
        (0..self.len()).map(|index| self.get(index))
    }

    /// Where each word ends, in bytes of [`Words::text`].
    pub fn ends(&self) -> &[u64] {
        &self.ends
    }

    /// The words one after the other.
    pub fn text(&self) -> &str {
        &self.text
    }
}

/// Sorts the words and keeps each once; empty words are left out. O(n log n).
impl<'a> FromIterator<&'a str> for Words {
    fn from_iter<I: IntoIterator<Item = &'a str>>(words: I) -> Self {
        let mut sorted: Vec<&str> = words.into_iter().filter(|word| !word.is_empty()).collect();
        sorted.sort_unstable();
        sorted.dedup();
        let mut end = 0;
        let ends = sorted.iter().map(|word| {
            end += word.len() as u64;
            end
        });
        Self { ends: ends.collect(), text: sorted.concat() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_that_are_no_words_are_refused() {
        let new = |ends: &[u64], text: &str| Words::new(ends.to_vec(), text.to_owned());
        let words = new(&[1, 3, 5], "abaé").unwrap();
        assert_eq!(words.iter().collect::<Vec<_>>(), ["a", "ba", "é"]);
        assert_eq!(new(&[], "").unwrap(), Words::default());
        for (ends, text) in [
            (&[1, 1][..], "a"),
            (&[2, 1], "ab"),
            (&[1], "ab"),
            (&[3], "ab"),
            (&[u64::MAX], "ab"),
            (&[4, 5], "abaé"),
            (&[1, 2], "ba"),
            (&[1, 2], "aa"),
            (&[], "a"),
        ] {
            assert!(new(ends, text).is_err(), "{ends:?} {text}");
        }
    }
}
