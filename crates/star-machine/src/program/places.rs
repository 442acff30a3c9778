//! Which places of a program have variables.

use std::collections::HashMap;
use std::hash::Hash;

/// The places of variables of one type. A place keeps its size; it may have several
/// variables, one after another.
#[derive(Debug)]
pub(super) struct Places<Size> {
    sizes: Vec<Size>,
    is_live: Vec<bool>,
    /// The live places, the latest last.
    live: Vec<u32>,
    free: HashMap<Size, Vec<u32>>,
}

impl<Size> Default for Places<Size> {
    fn default() -> Self {
        Self { sizes: Vec::new(), is_live: Vec::new(), live: Vec::new(), free: HashMap::new() }
    }
}

impl<Size: Copy + Eq + Hash> Places<Size> {
    pub(super) fn declare(&mut self, size: Size) -> u32 {
        let place = match self.free.get_mut(&size).and_then(Vec::pop) {
            Some(place) => place,
            None => self.declare_for_ever(size),
        };
        self.is_live[place as usize] = true;
        self.live.push(place);
        place
    }

    /// A place of its own, whose variable no scope ends.
    pub(super) fn declare_for_ever(&mut self, size: Size) -> u32 {
        self.sizes.push(size);
        self.is_live.push(true);
        self.sizes.len() as u32 - 1
    }

    /// How many variables a scope can end.
    pub(super) fn n_live(&self) -> usize {
        self.live.len()
    }

    /// The size of each place.
    pub(super) fn into_sizes(self) -> Vec<Size> {
        self.sizes
    }

    /// Ends the variables that were declared when more than `n` were live.
    pub(super) fn release(&mut self, n: usize) {
        for place in self.live.drain(n..) {
            self.is_live[place as usize] = false;
            self.free.entry(self.sizes[place as usize]).or_default().push(place);
        }
    }

    pub(super) fn has(&self, place: u32, size: Size) -> bool {
        let place = place as usize;
        self.sizes.get(place) == Some(&size) && self.is_live[place]
    }
}
