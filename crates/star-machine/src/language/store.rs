//! The variables of one type that a machine has, and their values.

use std::vec::Drain;

use super::variables::VariableId;
use crate::StarError;

/// Values by the names of variables. A scope ends the latest ones.
#[derive(Debug)]
pub(crate) struct Store<T> {
    /// What variables are called in messages.
    what: &'static str,
    held: Vec<(VariableId, T)>,
}

impl<T> Store<T> {
    pub(crate) fn new(what: &'static str) -> Self {
        Self { what, held: Vec::new() }
    }

    /// Declares a variable.
    pub(crate) fn declare(&mut self, value: T) -> VariableId {
        let name = VariableId::new(self.held.len() as u32);
        self.held.push((name, value));
        name
    }

    /// What the variable holds, where it is one of these.
    pub(crate) fn get(&self, name: VariableId) -> Result<&T, StarError> {
        // an error is made only where it is one: making and dropping it costs more than the rest
        match self.held.get(name.place as usize) {
            Some((held, value)) if *held == name => Ok(value),
            _ => Err(StarError::Unknown { what: self.what }),
        }
    }

    /// As [`get`](Self::get).
    pub(crate) fn get_mut(&mut self, name: VariableId) -> Result<&mut T, StarError> {
        match self.held.get_mut(name.place as usize) {
            Some((held, value)) if *held == name => Ok(value),
            _ => Err(StarError::Unknown { what: self.what }),
        }
    }

    /// How many there are.
    pub(crate) fn n_declared(&self) -> usize {
        self.held.len()
    }

    /// Ends all but the first `n`, and hands out their values.
    pub(crate) fn end_from(&mut self, n: usize) -> impl Iterator<Item = T> + use<'_, T> {
        let ended: Drain<'_, _> = self.held.drain(n.min(self.held.len())..);
        ended.map(|(_, value)| value)
    }
}
