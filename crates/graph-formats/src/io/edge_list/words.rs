//! Ids that are words. They are numbered as they occur, and at the end in ascending order.

use std::collections::HashMap;

use rayon::prelude::*;

use super::super::assemble::Arcs;
use super::super::scan::{Fault, Scanner};
use super::columns::Layout;
use super::lines::for_each_arc;
use crate::{GraphError, Name, VertexId, Words, parallel};

/// Words and the number of each.
#[derive(Default)]
struct Dictionary(HashMap<Box<str>, u32>);

impl Dictionary {
    fn number(&mut self, name: Name<'_>) -> u32 {
        let digits;
        let word = match name {
            Name::Word(word) => word,
            Name::Number(number) => {
                digits = number.to_string();
                &digits
            }
        };
        if let Some(&number) = self.0.get(word) {
            return number;
        }
        let next = self.0.len() as u32;
        self.0.insert(word.into(), next);
        next
    }
}

/// Arcs of one piece of a file, between words of its own dictionary.
#[derive(Default)]
pub(super) struct WordArcs {
    arcs: Arcs<u32>,
    words: Dictionary,
}

impl WordArcs {
    pub(super) fn read(scanner: Scanner<'_>, layout: &Layout) -> Result<Self, Fault> {
        let mut part = Self::default();
        for_each_arc(scanner, layout, |source, destination, weight, _| {
            part.arcs.push(part.words.number(source), part.words.number(destination), weight);
            Ok(())
        })?;
        Ok(part)
    }
}

/// The words of a whole file.
#[derive(Default)]
pub(super) struct AllWords(Dictionary);

impl AllWords {
    /// Adds the words of a piece; returns its arcs between numbers of this dictionary.
    pub(super) fn unite(&mut self, part: WordArcs) -> Result<Arcs<u32>, GraphError> {
        let mut numbers = vec![0; part.words.0.len()];
        for (word, here) in part.words.0 {
            let next = self.0.0.len() as u32;
            numbers[here as usize] = *self.0.0.entry(word).or_insert(next);
        }
        crate::checks::validate_vertex_count(self.0.0.len())?;
        Ok(part.arcs.map(|here| numbers[here as usize]))
    }

    pub(super) fn len(&self) -> usize {
        self.0.0.len()
    }

    /// The words in ascending order, and the arcs between their positions.
    pub(super) fn into_vertices(self, parts: Vec<Arcs<u32>>) -> (Words, Vec<Arcs<VertexId>>) {
        let mut sorted: Vec<(Box<str>, u32)> = self.0.0.into_iter().collect();
        sorted.par_sort_unstable();
        let mut vertices = vec![0; sorted.len()];
        for (vertex, &(_, number)) in (0..).zip(&sorted) {
            vertices[number as usize] = vertex;
        }
        let words: Words = sorted.iter().map(|(word, _)| &**word).collect();
        let parts = parallel::map_of(parts, &|part| part.map(|number| vertices[number as usize]));
        (words, parts)
    }
}
