//! Prints what of the kernels is made from Rust: `operations` for
//! `kernels/star/interpreter/operations.cuh`, and `steps` for `kernels/star/steps.cuh`.

fn main() {
    let text = match std::env::args().nth(1).as_deref() {
        Some("operations") => star_machine::operations_in_cuda(),
        _ => star_machine::procedures::steps_in_cuda(),
    };
    print!("{text}");
}
