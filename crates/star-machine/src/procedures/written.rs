//! A pass as a program of the machine: one column after the other, an operation for every gate
//! of the step.
//!
//! A step on a word's bit is simpler than one on a column, since one operand is known: there is
//! a circuit for ones and one for zeros. Costs on the abstract machine, for k columns and w
//! ones in the word:
//!
//! | | |
//! | --- | --- |
//! | `MATCH`, `HIT` | 2k, 4k |
//! | `MIN`, `MAX` | 3k |
//! | `SETMIN`; `LESS` and `GREAT` | 7k; 2k + 2w + 2 |
//! | `CLEAR`, `TCOPY`, `TMERGE`, `WCOPY`, `WMERGE` | k, 2k, 6k, k, 3k |
//! | `ADDC`, `SUBTC` | 5k + w, 6k − w |
//! | `ADDV`, `SUBTV` | 10k |
//!
//! The seed paper names `MATCH` and says of the others what they find; their statements and
//! their edge cases are ours.
//!
//! Reference: snytnikova-nepomniaschaya-2016

use super::circuit::{Bit, Circuit, Gate};
use super::pass::{Pass, Second, Step};
use super::steps::{add, equal, less, merge};
use crate::StarError;
use crate::language::{Condition, FieldVar, IntVar, Op, Operations, SliceVar, Star};

// Places of slices; those of gates follow.
const ROWS: usize = 0;
const A: usize = 1;
const B: usize = 2;
/// What is known of rows from the columns before.
const STATE: [usize; 2] = [3, 4];
const ZEROS: usize = 5;
const N_INPUTS: usize = 6;

/// Carries out a pass.
pub(super) fn run<S: Star>(m: &mut S, pass: &Pass) -> Result<(), StarError> {
    let (rows, k) = pass.size();
    let x = pass.rows.map_or(Bit::Known(true), |_| Bit::Is(ROWS));
    let a = pass.a.map_or(Bit::Known(false), |_| Bit::Is(A));
    let b = match pass.b {
        Second::Known(bit) => [Bit::Known(bit); 2],
        Second::Word(_) => [Bit::Known(true), Bit::Known(false)],
        Second::Field(_) => [Bit::Is(B); 2],
    };
    let [on_one, on_zero] = b.map(|b| Column::of(pass.step, x, a, b));

    let n_slices = on_one.n_places.max(on_zero.n_places);
    let mut slices =
        (0..n_slices).map(|_| m.slice(rows as usize)).collect::<Result<Vec<_>, _>>()?;
    if let Some(marked) = pass.rows {
        slices[ROWS] = marked;
        if !matches!(pass.step, Step::Add { .. }) {
            m.copy(slices[STATE[0]], marked)?;
        }
    }
    let column = |m: &mut S, j, [at_a, at_b]: [usize; 2]| {
        let [a, b, _] = pass.fields();
        let mut operands = [(at_a, a), (at_b, b)];
        if pass.step == Step::Merge {
            // the order in which a missing field is noticed
            operands.reverse();
        }
        for (at, field) in operands {
            field.map_or(Ok(()), |field| m.col(slices[at], field, j))?;
        }
        let to = pass.to.map(|to| (to, j));
        let Second::Word(word) = pass.b else { return on_zero.run(m, pass.step, &slices, to) };
        m.if_else(
            Condition::bit(word, j),
            |m| on_one.run(m, pass.step, &slices, to),
            |m| on_zero.run(m, pass.step, &slices, to),
        )
    };
    let k = k as usize;
    let signs = if pass.step == (Step::Less { signed: true }) { k.min(1) } else { 0 };
    if let Step::Add { .. } = pass.step {
        m.for_each_back(0..k, |m, j| column(m, j, [A, B]))?;
    } else {
        m.for_each(0..signs, |m, j| column(m, j, [B, A]))?;
        m.for_each(signs..k, |m, j| column(m, j, [A, B]))?;
    }

    // results may be operands, so they are made last
    let found = [slices[STATE[0]], slices[STATE[1]], slices[A]];
    if let ([_, _, Some(_)], [equal, less, greater]) = (pass.results, found) {
        m.or(greater, equal, less)?;
        m.and_not(greater, slices[ROWS], greater)?;
    }
    pass.results.into_iter().zip(found).try_for_each(|(z, found)| match z {
        Some(z) => m.copy(z, found),
        None => Ok(()),
    })
}

/// What is done in a column.
struct Column {
    gates: Vec<(usize, Gate)>,
    /// The places of the new state, and of what is written.
    results: [usize; 3],
    n_places: usize,
}

impl Column {
    /// Of marked rows, and of the bits of two columns, where they are or what is known of them.
    fn of(step: Step, x: Bit, a: Bit, b: Bit) -> Self {
        let circuit = Circuit::new(N_INPUTS);
        let [x, a, b] = [x, a, b].map(|bit| circuit.signal(bit));
        let state @ [first, second] = STATE.map(|place| circuit.signal(Bit::Is(place)));
        let zeros = circuit.signal(Bit::Known(false));
        let results = match step {
            Step::Equal | Step::Extreme => [equal(first, a, b), second, zeros],
            Step::Less { .. } => {
                let [equal, less] = less(state, a, b);
                [equal, less, zeros]
            }
            Step::Merge => [first, second, merge(x, a, b)],
            Step::Add { flip } => {
                let [carry, sum] = add(x, first, a, b, circuit.signal(Bit::Known(flip)));
                [carry, second, sum]
            }
        };
        let gates = circuit.needed(&results);
        let n_places = gates.last().map_or(N_INPUTS, |(place, _)| place + 1);
        let place = |bit| match bit {
            Bit::Is(place) => place,
            Bit::Known(false) => ZEROS,
            Bit::Known(true) | Bit::IsNot(_) => unreachable!("rows without a mark have zeros"),
        };
        Self { gates, results: results.map(|z| place(z.bit)), n_places }
    }

    fn run(
        &self,
        m: &mut impl Star,
        step: Step,
        slices: &[SliceVar],
        to: Option<(FieldVar, IntVar)>,
    ) -> Result<(), StarError> {
        for &(place, (logic, p, q)) in &self.gates {
            let [z, x, y] = [place, p, q].map(|place| slices[place].0);
            m.run(Op::Logic { logic, z, x, y })?;
        }
        if let Some((field, j)) = to {
            m.set_col(field, j, slices[self.results[2]])?;
        }
        let changed = || STATE.into_iter().zip(self.results).filter(|(old, new)| old != new);
        let copy = |m: &mut _| {
            changed().try_for_each(|(old, new)| Operations::copy(m, slices[old], slices[new]))
        };
        match step {
            Step::Extreme => m.if_then(Condition::some(slices[self.results[0]]), copy),
            _ => copy(m),
        }
    }
}
