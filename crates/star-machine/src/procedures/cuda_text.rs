//! The functions of steps as CUDA text.

use std::array::from_fn;

use super::circuit::{Bit, Circuit, Gate, Signal};
use super::steps::{add, equal, less, merge};
use crate::language::Logic;

/// `kernels/star/steps.cuh`: what the basic procedures do in one column, made from the functions
/// that all their other forms have too. `cargo xtask ptx` writes it.
pub fn steps_in_cuda() -> String {
    let functions = [
        function("equal", ["Word& e", "Word a", "Word b"], |[e, a, b]| [(e, equal(e, a, b))]),
        function("less", ["Word& e", "Word& l", "Word a", "Word b"], |[e, l, a, b]| {
            let [new_e, new_l] = less([e, l], a, b);
            [(e, new_e), (l, new_l)]
        }),
        function("merge", ["Word x", "Word& a", "Word b"], |[x, a, b]| [(a, merge(x, a, b))]),
        function(
            "add",
            ["Word x", "Word& c", "Word& a", "Word b", "Word flip"],
            |[x, c, a, b, flip]| {
                let [carry, sum] = add(x, c, a, b, flip);
                [(c, carry), (a, sum)]
            },
        ),
    ];
    format!("{HEAD}\n{}\n}} // namespace step\n", functions.join("\n"))
}

const HEAD: &str = "\
// What the basic procedures do in one column, for as many rows as a word has bits; what is
// given by reference changes. From crates/star-machine/src/procedures/steps.rs, where it is
// explained: written by `cargo xtask ptx`.
#pragma once

namespace step {
";

/// A function that changes some of its operands, a line for each gate.
fn function<const N: usize, const R: usize>(
    name: &str,
    operands: [&str; N],
    of: impl for<'a> Fn([Signal<'a>; N]) -> [(Signal<'a>, Signal<'a>); R],
) -> String {
    let circuit = Circuit::new(N);
    let changes = of(from_fn(|place| circuit.signal(Bit::Is(place))));
    let text = |place: usize| match operands.get(place) {
        Some(operand) => operand.rsplit(' ').next().unwrap_or_default().to_owned(),
        None => format!("t{}", place - N),
    };
    let gate = |(place, (logic, p, q)): (usize, Gate)| {
        let (p, q) = (text(p), text(q));
        let value = match logic {
            Logic::And => format!("{p} & {q}"),
            Logic::AndNot => format!("{p} & ~{q}"),
            Logic::Or => format!("{p} | {q}"),
            Logic::Xor => format!("{p} ^ {q}"),
        };
        format!("    const Word {} = {value};\n", text(place))
    };
    let change = |(old, new): (Signal<'_>, Signal<'_>)| match (old.bit, new.bit) {
        (Bit::Is(old), Bit::Is(new)) => format!("    {} = {};\n", text(old), text(new)),
        _ => unreachable!("a function of operands that are not known is not known"),
    };
    let gates = circuit.needed(&changes.map(|(_, new)| new)).into_iter().map(gate);
    format!(
        "template <typename Word> __device__ __forceinline__ void {name}({}) {{\n{}{}}}\n",
        operands.join(", "),
        gates.collect::<String>(),
        changes.into_iter().map(change).collect::<String>(),
    )
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_kernels_have_the_same_steps() {
        let committed = test_support::kernel_source!("star/steps.cuh");
        assert_eq!(committed, super::steps_in_cuda(), "run cargo xtask ptx");
    }
}
