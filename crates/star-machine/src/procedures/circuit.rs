//! Functions of bits as gates, each of which is one operation of the machine.

use std::cell::RefCell;
use std::ops::{BitAnd, BitOr, BitXor, Not};

use crate::language::Logic;

/// Gates, each after those whose results it takes; inputs have the first places.
pub(super) struct Circuit {
    n_inputs: usize,
    gates: RefCell<Vec<Gate>>,
}

/// What a gate does, and the places of its operands.
pub(super) type Gate = (Logic, usize, usize);

/// Bits that are known, or those of a place, or their complement.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Bit {
    Known(bool),
    Is(usize),
    IsNot(usize),
}

use Bit::{Is, IsNot, Known};

#[derive(Clone, Copy)]
pub(super) struct Signal<'a> {
    circuit: &'a Circuit,
    pub(super) bit: Bit,
}

impl Circuit {
    pub(super) fn new(n_inputs: usize) -> Self {
        Self { n_inputs, gates: RefCell::default() }
    }

    pub(super) fn signal(&self, bit: Bit) -> Signal<'_> {
        Signal { circuit: self, bit }
    }

    /// The gates that these results depend on, with their places.
    pub(super) fn needed(&self, results: &[Signal<'_>]) -> Vec<(usize, Gate)> {
        let gates = self.gates.borrow();
        let mut is_needed = vec![false; self.n_inputs + gates.len()];
        for result in results {
            if let Is(place) | IsNot(place) = result.bit {
                is_needed[place] = true;
            }
        }
        for (at, &(_, p, q)) in gates.iter().enumerate().rev() {
            if is_needed[self.n_inputs + at] {
                (is_needed[p], is_needed[q]) = (true, true);
            }
        }
        let places = (self.n_inputs..).zip(gates.iter().copied());
        places.filter(|&(place, _)| is_needed[place]).collect()
    }

    fn gate(&self, place: usize) -> Option<Gate> {
        self.gates.borrow().get(place.checked_sub(self.n_inputs)?).copied()
    }

    fn push(&self, logic: Logic, p: usize, q: usize) -> usize {
        let gate = match (logic, self.gate(p), self.gate(q)) {
            // (a and b) or (a xor b), p or (a and not p)
            (Logic::Or, Some((Logic::And, a, b)), Some((Logic::Xor, c, d))) if (a, b) == (c, d) => {
                (Logic::Or, a, b)
            }
            (Logic::Or, _, Some((Logic::AndNot, a, b))) if b == p => (Logic::Or, p, a),
            _ => (logic, p, q),
        };
        let mut gates = self.gates.borrow_mut();
        gates.push(gate);
        self.n_inputs + gates.len() - 1
    }
}

impl<'a> Signal<'a> {
    fn with(self, bit: Bit) -> Self {
        Self { bit, ..self }
    }
}

impl Not for Signal<'_> {
    type Output = Self;

    fn not(self) -> Self {
        self.with(match self.bit {
            Known(bit) => Known(!bit),
            Is(p) => IsNot(p),
            IsNot(p) => Is(p),
        })
    }
}

impl BitAnd for Signal<'_> {
    type Output = Self;

    fn bitand(self, other: Self) -> Self {
        let push = |logic, p, q| self.circuit.push(logic, p, q);
        self.with(match (self.bit, other.bit) {
            (Known(false), _) | (_, Known(false)) => Known(false),
            (Known(true), bit) | (bit, Known(true)) => bit,
            (Is(p), Is(q)) => Is(push(Logic::And, p, q)),
            (Is(p), IsNot(q)) | (IsNot(q), Is(p)) => Is(push(Logic::AndNot, p, q)),
            (IsNot(p), IsNot(q)) => IsNot(push(Logic::Or, p, q)),
        })
    }
}

impl BitOr for Signal<'_> {
    type Output = Self;

    fn bitor(self, other: Self) -> Self {
        match (self.bit, other.bit) {
            (Is(p), Is(q)) => self.with(Is(self.circuit.push(Logic::Or, p, q))),
            _ => !(!self & !other),
        }
    }
}

impl BitXor for Signal<'_> {
    type Output = Self;

    fn bitxor(self, other: Self) -> Self {
        match (self.bit, other.bit) {
            (Is(p), Is(q)) => self.with(Is(self.circuit.push(Logic::Xor, p, q))),
            (Known(false), bit) | (bit, Known(false)) => self.with(bit),
            (Known(true) | IsNot(_), _) => !(!self ^ other),
            (_, Known(true) | IsNot(_)) => !(self ^ !other),
        }
    }
}
