//! Prints the CUDA text of the basic procedures' steps, `kernels/star/steps.cuh`.

fn main() {
    print!("{}", star_machine::procedures::steps_in_cuda());
}
