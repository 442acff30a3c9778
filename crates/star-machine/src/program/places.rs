//! Which places of a program have variables.

use std::collections::HashMap;
use std::hash::Hash;

use crate::language::VariableId;

/// The places of variables of one type. A place keeps its size; it may have several
/// variables, one after another.
#[derive(Debug)]
pub(super) struct Places<Size> {
    sizes: Vec<Size>,
    /// The variable that has a place now.
    names: Vec<Option<VariableId>>,
    /// The live places, the latest last.
    live: Vec<u32>,
    free: HashMap<Size, Vec<u32>>,
}

impl<Size> Default for Places<Size> {
    fn default() -> Self {
        Self { sizes: Vec::new(), names: Vec::new(), live: Vec::new(), free: HashMap::new() }
    }
}

impl<Size: Copy + Eq + Hash> Places<Size> {
    pub(super) fn declare(&mut self, size: Size) -> VariableId {
        let name = match self.free.get_mut(&size).and_then(Vec::pop) {
            Some(place) => VariableId::new(place),
            None => self.declare_for_ever(size),
        };
        self.names[name.place as usize] = Some(name);
        self.live.push(name.place);
        name
    }

    /// At a place of its own, a variable that no scope ends.
    pub(super) fn declare_for_ever(&mut self, size: Size) -> VariableId {
        let name = VariableId::new(self.sizes.len() as u32);
        self.sizes.push(size);
        self.names.push(Some(name));
        name
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
            self.names[place as usize] = None;
            self.free.entry(self.sizes[place as usize]).or_default().push(place);
        }
    }

    /// No place that was left is given again.
    pub(super) fn forget_free(&mut self) {
        self.free.clear();
    }

    pub(super) fn has(&self, name: VariableId) -> bool {
        self.names.get(name.place as usize) == Some(&Some(name))
    }
}
